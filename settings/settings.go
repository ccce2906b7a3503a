// Package settings lets a configuration describe its settings once: name, default, range and help. From
// this description follow the defaults and the validation of a fit, the flags of the command line, the list
// that the command prints, and the reference page.
//
// A configuration describes itself by a method with a pointer receiver:
//
//	func (c *Config) Settings(s *settings.Fields) {
//		s.Int(&c.M, "m", "landmarks").DefaultRule(min(256, s.Shape.N), "256, or the number of rows if that is less").
//			AtLeast(1).AtMostRule(s.Shape.N, "the number of rows")
//		s.OptInt(&c.Power, "power", "power steps of the randomized core; 0: none").Default(1).AtLeast(0)
//		settings.Choice(s, &c.Core, "core", "how the core is decomposed", Exact, Randomized)
//		s.Require(c.Power.Value() == 0 || c.Core == Randomized, &c.Power, "0 unless the core is randomized")
//	}
//
// Resolved runs the method to fill in the defaults and to check the ranges, in the order of the statements,
// so that a default can depend on settings above it. List and Bind run the method to learn which settings
// there are.
//
// A field of a plain type takes its default if it is zero. Zero must therefore be outside of its range or
// equal to its default. A setting for which zero is legal and differs from the default is a gram.Opt.
// TestDescribed of every estimator checks this.
package settings

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/enum"
	"gonum.org/v1/gonum/mat"
)

// Described is a configuration that describes its settings. Its method only calls
// those of the Fields and looks at fields: it is run before anything is known of the data,
// too.
type Described interface{ Settings(*Fields) }

// Refuse returns a *gram.ConfigError for a field with a value that cannot be used. want says
// which values can be used; it is a format for args, as in fmt.Sprintf.
func Refuse(field string, value any, want string, args ...any) error {
	return &gram.ConfigError{Field: field, Value: value, Want: fmt.Sprintf(want, args...)}
}

// Fields is what a configuration describes its fields to.
type Fields struct {
	Shape gram.Shape // of the data of the fit; zero while settings are listed or bound

	root      reflect.Value // the configuration
	resolving bool
	err       error
	items     []*Setting
	prefix    string

	candidates []Candidates
	late       []func(x mat.Matrix, seed uint64) error
}

// Setting is the description of one setting, and what sets it.
type Setting struct {
	Name    string   // on the command line
	Field   string   // of the configuration; empty for a setting that is not one field
	Help    string   // a phrase that begins in lower case
	Kind    string   // bool, integer, number, numbers, MiB, choice, file
	Default string   // in words
	Range   string   // in words; empty: any
	Choices []string // of a choice, the default first
	Search  *Range   // where a search looks for the value; nil: it keeps the default

	InDeviations bool // candidates and Search are in units of the standard deviation of the target

	set       func(text string) error
	get       func() string
	ambiguous func() bool
	applies   func() bool
	given     bool
}

// Ambiguous reports a mistake in the description: zero is in the range of a field in
// which zero stands for another value.
func (s *Setting) Ambiguous() bool { return s.ambiguous != nil && s.ambiguous() }

// Set gives the setting the value that text stands for. The error says what is wanted.
func (s *Setting) Set(text string) error {
	err := s.set(text)
	s.given = s.given || err == nil
	return err
}

// Given reports whether Set has given it a value, or the configuration was made with one.
func (s *Setting) Given() bool { return s.given }

// AppliesIf says when the setting matters, which depends on others.
func (s *Setting) AppliesIf(applies func() bool) { s.applies = applies }

// Applies reports whether the setting matters beside the others as they are; most always do.
func (s *Setting) Applies() bool { return s.applies == nil || s.applies() }

// String returns the value as Set reads it; empty for a default that follows from
// the data.
func (s *Setting) String() string {
	if s.get == nil {
		return ""
	}
	return s.get()
}

// IsBoolFlag says to package flag that a name alone stands for true.
func (s *Setting) IsBoolFlag() bool { return s.Kind == "bool" }

// Resolved returns c with the defaults filled in for data of that shape, and a
// *gram.ConfigError for the first setting out of its range.
func Resolved[C any, P interface {
	*C
	Described
}](c C, shape gram.Shape) (C, error) {
	s := &Fields{Shape: shape, root: reflect.ValueOf(&c).Elem(), resolving: true}
	P(&c).Settings(s)
	if s.err != nil {
		return c, s.err
	}
	return c, nil
}

// Bound holds the settings of a configuration by name. Setting one changes the configuration.
type Bound struct {
	Settings   []*Setting
	Candidates []Candidates // what a choice by the data tries
	late       []func(x mat.Matrix, seed uint64) error
}

// Bind returns the settings of c. Setting one changes c.
func Bind(c Described) *Bound {
	s := &Fields{root: reflect.ValueOf(c).Elem()}
	c.Settings(s)
	return &Bound{s.items, s.candidates, s.late}
}

// Set gives settings values: each assignment is of the form NAME=VALUE. The error names
// the setting, and the ones there are if it is unknown.
func (b *Bound) Set(assignments ...string) error {
	for _, a := range assignments {
		name, text, found := strings.Cut(a, "=")
		if !found {
			return fmt.Errorf("setting %q is not of the form name=value", a)
		}
		s := b.Lookup(name)
		if s == nil {
			var all []string
			for _, s := range b.Settings {
				all = append(all, s.Name)
			}
			return fmt.Errorf("no setting %q, there are %s%s", name, strings.Join(all, ", "), Hint(name, all))
		}
		if err := s.Set(text); err != nil {
			return fmt.Errorf("setting %s=%s: %w", name, text, err)
		}
	}
	return nil
}

// Named returns err with the name of the setting in place of that of the field.
func (b *Bound) Named(err error) error {
	var ce *gram.ConfigError
	if errors.As(err, &ce) {
		for _, s := range b.Settings {
			if s.Field == ce.Field || strings.HasSuffix(s.Field, "."+ce.Field) { // a part names its own
				return Refuse(s.Name, ce.Value, "%s", ce.Want)
			}
		}
	}
	return err
}

// Complete sets the fields of the configuration that follow from the data x: a kernel
// whose width does. It is called before a fit; x nil stands for data that are not there yet.
func (b *Bound) Complete(x mat.Matrix, seed uint64) error {
	for _, f := range b.late {
		if err := f(x, seed); err != nil {
			return err
		}
	}
	return nil
}

// Lookup returns the setting of that name, or nil.
func (b *Bound) Lookup(name string) *Setting {
	for _, s := range b.Settings {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// List returns the settings of c. Setting one changes c.
func List(c Described) []*Setting { return Bind(c).Settings }

// Resolving reports whether defaults are being filled in and ranges checked, rather
// than settings listed.
func (s *Fields) Resolving() bool { return s.resolving }

// Late has Bound.Complete call f, with the data x, nil if they are not there yet, and a seed. Several functions are called in the
// order of these calls.
func (s *Fields) Late(f func(x mat.Matrix, seed uint64) error) { s.late = append(s.late, f) }

// Part describes the settings of a configuration inside another one, which checks them
// itself when it is fitted: to data of another shape, perhaps.
func (s *Fields) Part(c Described) { s.Prefixed("", c) }

// Prefixed is Part with a prefix for the names.
func (s *Fields) Prefixed(prefix string, c Described) {
	if s.resolving {
		return
	}
	before := s.prefix
	s.prefix += prefix
	c.Settings(s)
	s.prefix = before
}

// Embedded describes a configuration inside this one that is fitted to the same data,
// and so resolved here, except for the settings of these names, which this one describes
// itself, before.
func (s *Fields) Embedded(c Described, without ...string) { s.EmbeddedAs("", c, without...) }

// EmbeddedAs is Embedded with a prefix for the names.
func (s *Fields) EmbeddedAs(prefix string, c Described, without ...string) {
	at, declared, before := len(s.items), len(s.candidates), s.prefix
	s.prefix += prefix
	c.Settings(s)
	s.items = append(s.items[:at:at], slices.DeleteFunc(s.items[at:], func(item *Setting) bool {
		return slices.Contains(without, strings.TrimPrefix(item.Name, s.prefix))
	})...)
	s.without(declared, without)
	s.prefix = before
}

// Without takes a choice from the setting of that name, which a configuration inside this one has described.
func (s *Fields) Without(name, choice string) {
	for _, item := range s.items {
		if item.Name == s.prefix+name {
			item.Choices = slices.DeleteFunc(slices.Clone(item.Choices), func(c string) bool { return c == choice })
			set, choices := item.set, item.Choices
			item.set = func(text string) error {
				if text == choice {
					return Unknown(text, choices)
				}
				return set(text)
			}
		}
	}
}

// Alternative is one of several configurations of which a setting chooses one.
type Alternative struct {
	Name string
	Described
}

// Alternatives describes the parts that another setting chooses from. Settings of the same name
// become one, which is set in all of them.
func (s *Fields) Alternatives(parts ...Alternative) {
	if s.resolving {
		return
	}
	at := len(s.items)
	owners := map[*Setting]string{}
	for _, p := range parts {
		n := len(s.items)
		s.Part(p.Described)
		for _, item := range s.items[n:] {
			owners[item] = p.Name
		}
	}
	all := slices.Clone(s.items[at:])
	s.items = s.items[:at]
	for i, item := range all {
		same := []*Setting{item}
		for _, other := range all[i+1:] {
			if other.Name == item.Name {
				same = append(same, other)
			}
		}
		if !slices.ContainsFunc(s.items[at:], func(o *Setting) bool { return o.Name == item.Name }) {
			s.items = append(s.items, join(same, owners, len(parts)))
		}
	}
}

// Unused refuses a setting that has no effect: one of a part that is not the chosen one,
// which the chosen one has not, with another value than its default.
func Unused(chosen string, parts ...Alternative) error {
	var has []*Setting
	for _, p := range parts {
		if p.Name == chosen {
			has = List(p.Described)
		}
	}
	for _, p := range parts {
		fresh := List(reflect.New(reflect.TypeOf(p.Described).Elem()).Interface().(Described))
		for i, item := range List(p.Described) {
			if item.String() == fresh[i].String() || slices.ContainsFunc(has, func(o *Setting) bool { return o.Name == item.Name }) {
				continue
			}
			return Refuse(item.Field, item.String(), "unset: it belongs to %s, and %s is used here", p.Name, chosen)
		}
	}
	return nil
}

// join makes one setting of those of several owners. What they do not share is said
// for each.
func join(same []*Setting, owners map[*Setting]string, parts int) *Setting {
	one := *same[0]
	equal := func(get func(*Setting) string) bool {
		return !slices.ContainsFunc(same, func(o *Setting) bool { return get(o) != get(same[0]) })
	}
	each := func(get func(*Setting) string) string {
		var texts []string
		for _, o := range same {
			texts = append(texts, owners[o]+": "+get(o))
		}
		return strings.Join(texts, "; ")
	}
	if !equal(func(o *Setting) string { return o.Default }) {
		one.Default = each(func(o *Setting) string { return o.Default })
	}
	switch {
	case !equal(func(o *Setting) string { return o.Help }):
		one.Help = each(func(o *Setting) string { return o.Help })
	case len(same) < parts:
		var names []string
		for _, o := range same {
			names = append(names, owners[o])
		}
		one.Help = strings.Join(names, ", ") + ": " + one.Help
	}
	one.set = func(text string) error {
		for _, o := range same {
			if err := o.set(text); err != nil {
				return err
			}
		}
		return nil
	}
	one.ambiguous = func() bool { return slices.ContainsFunc(same, (*Setting).Ambiguous) }
	return &one
}

// Fail refuses the value of the field at p, a pointer to it. The first refusal counts.
func (s *Fields) Fail(p any, want string) {
	s.Refuse(p, plain(reflect.ValueOf(p).Elem().Interface()), want)
}

// Refuse is Fail with the value as an error is to show it.
func (s *Fields) Refuse(p, value any, want string) {
	if s.resolving {
		s.Check(Refuse(s.field(p), value, "%s", want))
	}
}

// Check refuses the configuration with err, unless that is nil.
func (s *Fields) Check(err error) {
	if s.err == nil && s.resolving {
		s.err = err
	}
}

// Require refuses the value of the field at p unless ok holds.
func (s *Fields) Require(ok bool, p any, want string, args ...any) {
	if !ok {
		s.Fail(p, fmt.Sprintf(want, args...))
	}
}

// plain is v, of an Opt the value.
func plain(v any) any {
	switch o := v.(type) {
	case gram.Opt[int]:
		return o.Value()
	case gram.Opt[float64]:
		return o.Value()
	}
	return v
}

// field is the name of the field of the configuration at p. Fields of embedded structs
// are the configuration's own.
func (s *Fields) field(p any) string {
	at := reflect.ValueOf(p)
	var find func(v reflect.Value, prefix string) string
	find = func(v reflect.Value, prefix string) string {
		for i := range v.NumField() {
			f, t := v.Field(i), v.Type().Field(i)
			if !f.CanAddr() || !t.IsExported() && !t.Anonymous {
				continue
			}
			if f.Addr().Pointer() == at.Pointer() && f.Type() == at.Type().Elem() {
				return prefix + t.Name
			}
			if f.Kind() == reflect.Struct {
				inner := prefix
				if !t.Anonymous {
					inner += t.Name + "."
				}
				if name := find(f, inner); name != "" {
					return name
				}
			}
		}
		return ""
	}
	return find(s.root, "")
}

// Add describes a setting that is none of the kinds below: set reads its text and
// get writes it. p points to the field it goes to, or is nil.
func (s *Fields) Add(p any, name, kind, help, def string, set func(text string) error, get func() string) *Setting {
	item := &Setting{Name: s.prefix + name, Help: help, Kind: kind, Default: def, set: set, get: get}
	if s.resolving {
		return item
	}
	if p != nil {
		item.Field = s.field(p)
		item.given = !reflect.ValueOf(p).Elem().IsZero()
	}
	s.items = append(s.items, item)
	return item
}

// Bool describes a switch. What it is while settings are listed is its default: off, but
// for a configuration that was made with it on.
func (s *Fields) Bool(p *bool, name, help string) {
	s.Add(p, name, "bool", help, strconv.FormatBool(*p), func(text string) error {
		v, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("want true or false")
		}
		*p = v
		return nil
	}, func() string { return strconv.FormatBool(*p) })
}

// Switch describes a setting that is true or false: true gives the field the value on, false
// its zero value.
func Switch[T comparable](s *Fields, p *T, name, help string, on T) {
	if s.resolving {
		return
	}
	s.Add(p, name, "bool", help, strconv.FormatBool(*p == on), func(text string) error {
		v, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("want true or false")
		}
		if *p = *new(T); v {
			*p = on
		}
		return nil
	}, func() string { return strconv.FormatBool(*p == on) })
}

// Choice describes an enumeration with its values, the default, which is zero, first, unless
// the configuration was made with another one.
func Choice[T interface {
	~uint8
	String() string
}](s *Fields, p *T, name, help string, values ...T) {
	if s.resolving {
		if slices.Contains(values, *p) {
			return
		}
		s.Fail(p, "one of "+strings.Join(names(values), ", "))
		return
	}
	options := make([]Option[T], len(values))
	for i, v := range values {
		options[i] = Option[T]{v.String(), v}
	}
	choose(s, p, name, help, options, func(a, b T) bool { return a == b })
}

func names[T interface{ String() string }](values []T) []string {
	var all []string
	for _, v := range values {
		all = append(all, v.String())
	}
	return all
}

// Option is a value of a setting with its name.
type Option[T any] struct {
	Name  string
	Value T
}

// OneOf describes an interface with the values that can be named, the default first.
// A program may set others. What nil stands for is the first. A value that describes
// settings of its own takes them after its name: name:setting=value:setting=value.
func OneOf[T any](s *Fields, p *T, name, help string, options ...Option[T]) {
	if s.resolving {
		if any(*p) == nil {
			*p = options[0].Value
		}
		return
	}
	item := choose(s, p, name, help, options, func(a, b T) bool { return reflect.TypeOf(a) == reflect.TypeOf(b) })
	plain, get := item.set, item.get
	item.set = func(text string) error {
		parts := strings.Split(text, ":")
		if err := plain(parts[0]); err != nil || len(parts) == 1 {
			return err
		}
		v, own := described(*p)
		if own == nil {
			return fmt.Errorf("%s has no settings of its own", parts[0])
		}
		err := own.Set(parts[1:]...)
		*p = v.Interface().(T)
		return err
	}
	item.get = func() string {
		text := get()
		if any(*p) == nil {
			return text
		}
		if _, own := described(*p); own != nil {
			_, fresh := described(reflect.Zero(reflect.TypeOf(*p)).Interface())
			for i, o := range own.Settings {
				if o.String() != fresh.Settings[i].String() {
					text += ":" + o.Name + "=" + o.String()
				}
			}
		}
		return text
	}
	var with []string
	for _, o := range options {
		if _, own := described(o.Value); own != nil {
			text := o.Name
			for _, setting := range own.Settings {
				text += ":" + setting.Name
			}
			with = append(with, text)
		}
	}
	if with != nil {
		item.Range = "settings of their own: " + strings.Join(with, ", ")
	}
}

// described returns a copy of v and its settings, nil if it describes none.
func described(v any) (reflect.Value, *Bound) {
	copied := reflect.New(reflect.TypeOf(v))
	copied.Elem().Set(reflect.ValueOf(v))
	if d, ok := copied.Interface().(Described); ok {
		return copied.Elem(), Bind(d)
	}
	return copied.Elem(), nil
}

// Named describes a field whose values have names, the default, which is zero, first.
func Named[T comparable](s *Fields, p *T, name, help string, options ...Option[T]) {
	if !s.resolving {
		choose(s, p, name, help, options, func(a, b T) bool { return a == b })
	}
}

func choose[T any](s *Fields, p *T, name, help string, options []Option[T], same func(a, b T) bool) *Setting {
	var all []string
	for _, o := range options {
		all = append(all, o.Name)
	}
	get := func() string {
		for _, o := range options {
			if any(*p) != nil && same(*p, o.Value) {
				return o.Name
			}
		}
		return options[0].Name
	}
	item := s.Add(p, name, "choice", help, get(), func(text string) error {
		for _, o := range options {
			if o.Name == text {
				*p = o.Value
				return nil
			}
		}
		return Unknown(text, all)
	}, get)
	item.Choices = all
	return item
}

// Floats describes a list of numbers, each of which must hold.
func (s *Fields) Floats(p *[]float64, name, help, def string, holds func(v float64) bool, want string) {
	if s.resolving {
		for _, v := range *p {
			if !holds(v) {
				s.Refuse(p, v, want)
			}
		}
		return
	}
	item := s.Add(p, name, "numbers", help, def, func(text string) error {
		var list []float64
		for part := range strings.SplitSeq(text, ",") {
			v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
			if err != nil {
				return fmt.Errorf("want numbers with commas between them")
			}
			if !holds(v) {
				return fmt.Errorf("want %s", want)
			}
			list = append(list, v)
		}
		*p = list
		return nil
	}, func() string {
		var parts []string
		for _, v := range *p {
			parts = append(parts, strconv.FormatFloat(v, 'g', -1, 64))
		}
		return strings.Join(parts, ",")
	})
	item.Range = want
}

// Range says where a search looks for the value of a setting: in an interval of numbers, or
// in a list.
type Range struct {
	Low, High float64
	Log       bool     // values are uniform on a logarithmic scale
	Integer   bool     // values are whole numbers
	Unit      string   // what follows the number: a factor of a value that the data give
	List      []string // instead of an interval: the values
}

// At returns the value at the share u of the range, 0 ≤ u < 1, as Setting.Set reads it.
// Numbers have three digits.
func (r Range) At(u float64) string {
	if r.List != nil {
		return r.List[int(u*float64(len(r.List)))]
	}
	v := r.Low + u*(r.High-r.Low)
	switch {
	case r.Log:
		v = r.Low * math.Pow(r.High/r.Low, u)
	case r.Integer:
		v = r.Low + math.Floor(u*(r.High-r.Low+1))
	}
	if r.Integer {
		return strconv.Itoa(int(math.Round(v)))
	}
	return strconv.FormatFloat(v, 'g', 3, 64) + r.Unit
}

// String returns the values of a list, with commas between them, or the bounds of an interval, as in "0.01 to 10, log".
func (r Range) String() string {
	if r.List != nil {
		return strings.Join(r.List, ", ")
	}
	text := fmt.Sprintf("%.3g to %.3g%s", r.Low, r.High, r.Unit)
	if r.Log {
		text += ", log"
	}
	return text
}

// Number is an integer or real setting under description. Its methods apply in the
// order of their calls: first a default, then bounds.
type Number[T int | int64 | float64] struct {
	s     *Fields
	item  *Setting
	field any
	get   func() T
	put   func(T)
	given func() bool
	opt   bool
	unit  T // of the text: 1<<20 for MiB

	bounds []func(T) bool // that do not depend on the data
}

// Int describes an integer. Its zero means that the setting is not given.
func (s *Fields) Int(p *int, name, help string) *Number[int] { return number(s, p, name, help) }

// Float describes a finite real number. Its zero means that the setting is not given.
func (s *Fields) Float(p *float64, name, help string) *Number[float64] {
	return number(s, p, name, help)
}

// OptInt describes an integer whose zero is not its default.
func (s *Fields) OptInt(p *gram.Opt[int], name, help string) *Number[int] {
	return optional(s, p, name, help)
}

// OptFloat describes a finite real number whose zero is not its default.
func (s *Fields) OptFloat(p *gram.Opt[float64], name, help string) *Number[float64] {
	return optional(s, p, name, help)
}

// MiB describes a number of bytes, which is set in units of 2²⁰.
func (s *Fields) MiB(p *int64, name, help string) *Number[int64] {
	n := number(s, p, name, help)
	n.item.Kind, n.unit = "MiB", 1<<20
	return n
}

func number[T int | int64 | float64](s *Fields, p *T, name, help string) *Number[T] {
	n := &Number[T]{s: s, field: p, get: func() T { return *p }, put: func(v T) { *p = v }, given: func() bool { return *p != 0 }}
	return n.describe(name, help)
}

func optional[T int | int64 | float64](s *Fields, p *gram.Opt[T], name, help string) *Number[T] {
	n := &Number[T]{s: s, field: p, opt: true, get: func() T { return p.Value() }, put: func(v T) { *p = gram.Set(v) },
		given: func() bool { return p.Given() }}
	return n.describe(name, help)
}

func (n *Number[T]) describe(name, help string) *Number[T] {
	n.unit = 1
	kind := "integer"
	if _, real := any(n.unit).(float64); real {
		kind = "number"
	}
	n.item = n.s.Add(n.field, name, kind, help, "0", n.parse, func() string {
		if !n.given() {
			return ""
		}
		return format(n.get() / n.unit)
	})
	n.item.ambiguous = func() bool {
		return !n.opt && n.item.Default != "0" && !slices.ContainsFunc(n.bounds, func(holds func(T) bool) bool { return !holds(0) })
	}
	if v := float64(n.get()); n.s.resolving && v-v != 0 {
		n.s.Fail(n.field, "a finite number")
	}
	return n
}

func format[T int | int64 | float64](v T) string { return fmt.Sprint(v) }

func (n *Number[T]) parse(text string) error {
	want := "an integer"
	v, err := strconv.ParseFloat(text, 64)
	var zero T
	if _, real := any(zero).(float64); real {
		want = "a number"
	} else if v != math.Trunc(v) || math.Abs(v) > 1<<53/float64(n.unit) {
		err = strconv.ErrSyntax
	}
	if err != nil || v-v != 0 {
		if n.item.Range != "" {
			want += " " + n.item.Range
		}
		return fmt.Errorf("want %s", want)
	}
	value := T(v) * n.unit
	for _, holds := range n.bounds {
		if !holds(value) {
			return fmt.Errorf("want %s", n.item.Range)
		}
	}
	n.put(value)
	return nil
}

// Default is the value for a setting that is not given.
func (n *Number[T]) Default(v T) *Number[T] {
	return n.DefaultRule(v, format(v/n.unit))
}

// DefaultRule is Default for a value that follows from the data or from other settings,
// with the rule in words.
func (n *Number[T]) DefaultRule(v T, rule string) *Number[T] {
	if n.s.resolving && n.s.err == nil && !n.given() {
		n.put(v)
	}
	n.item.Default = rule
	return n
}

// Required says that the setting has no default. A bound that excludes zero makes a setting that is not given an error.
func (n *Number[T]) Required() *Number[T] {
	n.item.Default = ""
	return n
}

// AtLeast requires a value ≥ lo.
func (n *Number[T]) AtLeast(lo T) *Number[T] {
	return n.bound(func(v T) bool { return v >= lo }, "at least "+format(lo/n.unit))
}

// AtMost requires a value ≤ hi.
func (n *Number[T]) AtMost(hi T) *Number[T] {
	return n.bound(func(v T) bool { return v <= hi }, "at most "+format(hi/n.unit))
}

// Above requires a value > lo.
func (n *Number[T]) Above(lo T) *Number[T] {
	return n.bound(func(v T) bool { return v > lo }, "above "+format(lo/n.unit))
}

// Below requires a value < hi.
func (n *Number[T]) Below(hi T) *Number[T] {
	return n.bound(func(v T) bool { return v < hi }, "below "+format(hi/n.unit))
}

// AtMostRule is AtMost for a bound that follows from the data or from other settings.
func (n *Number[T]) AtMostRule(hi T, rule string) *Number[T] {
	if n.s.resolving && n.s.err == nil && !(n.get() <= hi) {
		n.s.Fail(n.field, fmt.Sprintf("at most %v, %s", format(hi/n.unit), rule))
	}
	n.words("at most " + rule)
	return n
}

// SearchLog has a search draw the logarithm of the value uniformly between those of lo and
// hi, which are above 0.
func (n *Number[T]) SearchLog(lo, hi T) *Number[T] {
	if !(lo > 0 && hi > lo) {
		panic("settings: a range without logarithms")
	}
	return n.search(Range{Low: float64(lo / n.unit), High: float64(hi / n.unit), Log: true})
}

// SearchLinear has a search draw the value uniformly between lo and hi.
func (n *Number[T]) SearchLinear(lo, hi T) *Number[T] {
	return n.search(Range{Low: float64(lo / n.unit), High: float64(hi / n.unit)})
}

// SearchList has a search draw one of the values.
func (n *Number[T]) SearchList(values ...T) *Number[T] {
	var r Range
	for _, v := range values {
		r.List = append(r.List, format(v/n.unit))
	}
	return n.search(r)
}

func (n *Number[T]) search(r Range) *Number[T] {
	r.Integer = n.item.Kind != "number"
	n.item.Search = &r
	return n
}

func (n *Number[T]) bound(holds func(T) bool, words string) *Number[T] {
	n.words(words)
	if n.s.resolving {
		if !holds(n.get()) {
			n.s.Fail(n.field, n.item.Range)
		}
		return n
	}
	n.bounds = append(n.bounds, holds)
	return n
}

func (n *Number[T]) words(words string) {
	if n.item.Range != "" {
		n.item.Range += ", "
	}
	n.item.Range += words
}

// Name returns the name of a value of an enumeration, names[v]. A value without a name is named
// by its type and number, as Solver(7), so that an error that prints it says what is wrong.
func Name[T ~uint8 | ~int](v T, names ...string) string { return enum.Name(v, names...) }
