package kernel

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// given is the parameters of a kernel that were given.
type given struct {
	params map[string]float64 // but gamma by a rule
	rule   string             // scale, median or mean; empty: gamma is a number, or not given
	factor float64            // of the rule
}

// has reports whether the text states the parameter, for gamma as a number or by a rule.
func (g *given) has(name string) bool {
	_, is := g.params[name]
	return is || name == "gamma" && g.rule != ""
}

// set gives a parameter the value of a text.
func (g *given) set(name, text string) error {
	factor, rule, multiple := strings.Cut(text, "*")
	if !multiple {
		factor, rule = "1", text
	}
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case name == "gamma" && (rule == "scale" || rule == "median" || rule == "mean"):
		times, err := strconv.ParseFloat(factor, 64)
		if err != nil || !(times > 0) || math.IsInf(times, 1) {
			return fmt.Errorf("want a factor of %s above 0", rule)
		}
		g.rule, g.factor = rule, times
		delete(g.params, name)
		return nil
	case err != nil && name == "gamma":
		return fmt.Errorf("want a number, scale, median or mean, or a multiple of one, such as 4*scale")
	case err != nil:
		return fmt.Errorf("want a number")
	}
	if name == "gamma" {
		g.rule = ""
	}
	g.put(name, v)
	return nil
}

// put gives a parameter a value, which stands for the parameter in the expression.
func (g *given) put(name string, v float64) {
	if g.params == nil {
		g.params = map[string]float64{}
	}
	g.params[name] = v
}

// get returns a parameter as set reads it, "" for one that was not given.
func (g *given) get(name string) string {
	if name == "gamma" && g.rule != "" {
		if g.factor != 1 {
			return number(g.factor) + "*" + g.rule
		}
		return g.rule
	}
	if v, is := g.params[name]; is {
		return number(v)
	}
	return ""
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// expression is a parsed text that describes a kernel: a family with parameters, or the sum or the product of parts.
type expression struct {
	family family
	given  given
	parts  []*expression // nil: a family
	weight []float64     // of the parts; nil: a product
}

// each calls f for every family in e, in the order of the text.
func (e *expression) each(f func(e *expression)) {
	if e.parts == nil {
		f(e)
	}
	for _, p := range e.parts {
		p.each(f)
	}
}

// uses reports whether a kernel in e has the parameter and does not state its value itself.
func (e *expression) uses(name string) (uses bool) {
	e.each(func(e *expression) {
		_, has := e.family.params[name]
		uses = uses || has && !e.given.has(name)
	})
	return uses
}

// String returns a text that parseExpression reads as e, with the parameters that were given and without weights of 1.
func (e *expression) String() string {
	if e.parts == nil {
		var list []string
		for _, p := range parameters {
			if text := e.given.get(p.name); text != "" {
				list = append(list, p.name+"="+text)
			}
		}
		if list == nil {
			return e.family.name
		}
		return e.family.name + "(" + strings.Join(list, ",") + ")"
	}
	texts, sign := make([]string, len(e.parts)), "*"
	for i, p := range e.parts {
		texts[i] = p.String()
		if p.parts != nil && (p.weight != nil || e.weight == nil) {
			texts[i] = "(" + texts[i] + ")"
		}
		if e.weight != nil {
			sign = "+"
			if e.weight[i] != 1 {
				texts[i] = number(e.weight[i]) + "*" + texts[i]
			}
		}
	}
	return strings.Join(texts, sign)
}

// kernel returns the kernel for the data x; a nil x stands for data of any width. Parameters that a part does not state come from
// others, or else have their defaults.
func (e *expression) kernel(others *given, x mat.Matrix, seed uint64) (Kernel, error) {
	if e.parts == nil {
		return e.one(others, x, seed)
	}
	parts := make([]Kernel, len(e.parts))
	for i, p := range e.parts {
		var err error
		if parts[i], err = p.kernel(others, x, seed); err != nil {
			return nil, err
		}
	}
	if e.weight == nil {
		return ProductOf(parts...)
	}
	return SumOf(e.weight, parts...)
}

// one returns the kernel of the family of e, without parts. A parameter that neither e nor others state has its default.
func (e *expression) one(others *given, x mat.Matrix, seed uint64) (Kernel, error) {
	if e.family.name == matrixName {
		return Matrix{}, nil
	}
	s := Spec{Name: e.family.name, Params: map[string]float64{}}
	for name := range e.family.params {
		from := others
		if e.given.has(name) {
			from = &e.given
		}
		v, is := from.params[name]
		switch {
		case name == "gamma" && !is:
			s.Params[name] = from.gamma(x, seed)
		case is:
			s.Params[name] = v
		case name == "degree":
			s.Params[name] = 3
		}
	}
	return New(s)
}

// gamma returns what the rule makes of data; scale without one.
func (g *given) gamma(x mat.Matrix, seed uint64) float64 {
	factor := g.factor
	if g.rule == "" {
		factor = 1
	}
	switch {
	case x == nil:
		return factor
	case g.rule == "median":
		return factor * MedianGamma(x, rng.Derive(seed, "gamma"))
	case g.rule == "mean":
		return factor * MeanGamma(x)
	}
	return factor * ScaleGamma(x)
}

// FixGamma returns assignments NAME=VALUE of the settings kernel and gamma of b, described by Setting, that have numbers for x in place
// of the rules scale, median and mean, and multiples of these; none where there are no such rules. A program that fits models to parts of x
// sets them for all parts.
func FixGamma(b *settings.Bound, x mat.Matrix, seed uint64) (assignments []string) {
	k, s := b.Lookup("kernel"), b.Lookup("gamma")
	if k == nil {
		return nil
	}
	e, err := parseExpression(k.String(), append(familyNames(), matrixName), true)
	if err != nil { // a kernel of another kind
		return nil
	}
	fixed := func(g *given) {
		v := g.gamma(x, seed)
		g.rule = ""
		g.put("gamma", v)
	}
	e.each(func(e *expression) {
		if e.given.rule != "" {
			fixed(&e.given)
		}
	})
	if text := e.String(); text != k.String() {
		assignments = append(assignments, "kernel="+text)
	}
	var all given
	if s != nil && s.Applies() && all.set("gamma", s.String()) == nil && all.rule != "" {
		fixed(&all)
		assignments = append(assignments, "gamma="+all.get("gamma"))
	}
	return assignments
}

// deepest is the number of parentheses in one another that parseExpression reads.
const deepest = 16

// parser reads an expression:
//
//	sum     = [number "*"] product {"+" [number "*"] product}
//	product = factor {"*" factor}
//	factor  = name ["(" name "=" value {"," name "=" value} ")"] | "(" sum ")"
//
// Blanks between these have no meaning.
type parser struct {
	text  string
	at    int
	names []string // of kernels
	depth int
}

// parseExpression returns the kernel that text describes: one of names or, if composite is set, sums and products of them. An error
// says at which character of the text it is.
func parseExpression(text string, names []string, composite bool) (*expression, error) {
	p := &parser{text: text, names: names}
	e, err := p.sum()
	if err == nil && p.next() != 0 {
		err = p.fail("%q, want + or * before another kernel", p.text[p.at:])
	}
	switch {
	case err != nil && !strings.ContainsAny(text, "+*()="):
		return nil, settings.Unknown(strings.TrimSpace(text), names)
	case err != nil:
		return nil, err
	case e.parts != nil && !composite:
		return nil, fmt.Errorf("want one kernel, %s, not a sum or a product", strings.Join(names, " or "))
	}
	return e, nil
}

// next returns the next letter that is no blank, 0 at the end.
func (p *parser) next() byte {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// take goes past the letter c if it is the next.
func (p *parser) take(c byte) bool {
	is := p.next() == c
	if is {
		p.at++
	}
	return is
}

func (p *parser) fail(format string, args ...any) error {
	return fmt.Errorf("character %d: %w", p.at+1, fmt.Errorf(format, args...))
}

// run goes past the letters for which is holds and returns them.
func (p *parser) run(is func(c byte) bool) string {
	p.next()
	from := p.at
	for p.at < len(p.text) && is(p.text[p.at]) {
		p.at++
	}
	return p.text[from:p.at]
}

func digit(c byte) bool { return '0' <= c && c <= '9' || c == '.' }

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-' || c == '_' }

// weight reads the number before a part of a sum, 1 without one.
func (p *parser) weight() (float64, error) {
	if !digit(p.next()) && p.next() != '-' {
		return 1, nil
	}
	from := p.at
	if p.text[p.at] == '-' {
		p.at++
	}
	p.run(digit)
	if rest := p.text[p.at:]; len(rest) > 1 && (rest[0] == 'e' || rest[0] == 'E') && (digit(rest[1]) || rest[1] == '-' || rest[1] == '+') {
		p.at += 2
		p.run(digit)
	}
	v, err := strconv.ParseFloat(p.text[from:p.at], 64)
	if err == nil && v > 0 && !math.IsInf(v, 1) && p.take('*') {
		return v, nil
	}
	text := p.text[from:p.at]
	p.at = from
	if err != nil || !(v > 0) || math.IsInf(v, 1) {
		return 0, p.fail("%s, want a finite number > 0 as the weight of a kernel", text)
	}
	return 0, p.fail("%s, want * and a kernel after its weight", text)
}

// sum reads a sum, or its only part.
func (p *parser) sum() (*expression, error) {
	e := &expression{}
	from := p.at
	for {
		w, err := p.weight()
		if err != nil {
			return nil, err
		}
		part, err := p.product()
		if err != nil {
			return nil, err
		}
		e.parts, e.weight = append(e.parts, part), append(e.weight, w)
		if !p.take('+') {
			break
		}
	}
	if len(e.parts) > 1 {
		return e, nil
	}
	if e.weight[0] != 1 {
		p.at = from
		return nil, p.fail("a weight without a sum: want + and another kernel, or no weight")
	}
	return e.parts[0], nil
}

// product reads a product, or its only part.
func (p *parser) product() (*expression, error) {
	e := &expression{}
	for {
		part, err := p.factor()
		if err != nil {
			return nil, err
		}
		e.parts = append(e.parts, part)
		if !p.take('*') {
			break
		}
	}
	if len(e.parts) > 1 {
		return e, nil
	}
	return e.parts[0], nil
}

// factor reads a kernel with its parameters or a sum in parentheses.
func (p *parser) factor() (*expression, error) {
	if p.take('(') {
		if p.depth++; p.depth > deepest {
			return nil, p.fail("want at most %d parentheses in one another", deepest)
		}
		e, err := p.sum()
		p.depth--
		if err == nil && !p.take(')') {
			err = p.fail("want )")
		}
		return e, err
	}
	name := p.run(letter)
	from := p.at - len(name)
	if name == matrixName && slices.Contains(p.names, name) && strings.TrimSpace(p.text) == name {
		return &expression{family: family{name: name}}, nil
	}
	at := slices.IndexFunc(families, func(f family) bool { return f.name == name })
	if at < 0 || !slices.Contains(p.names, name) {
		p.at = from
		return nil, p.fail("%w", p.unknown(name))
	}
	e := &expression{family: families[at]}
	if p.take('(') {
		if err := p.parameters(e); err != nil {
			return nil, err
		}
	}
	if _, err := e.one(&given{}, nil, 0); err != nil { // a value that no data make usable
		p.at = from
		return nil, p.fail("%w", err)
	}
	return e, nil
}

// unknown returns the error of a name that is no kernel in a sum or a product.
func (p *parser) unknown(name string) error {
	switch name {
	case "":
		return fmt.Errorf("want the name of a kernel")
	case matrixName:
		return fmt.Errorf("%s, want a function of two rows in a sum or a product", name)
	}
	return fmt.Errorf("%q, %w", name, settings.Unknown(name, slices.DeleteFunc(slices.Clone(p.names), func(n string) bool { return n == matrixName })))
}

// parameters reads those of e up to the parenthesis that ends them.
func (p *parser) parameters(e *expression) error {
	for {
		name := p.run(letter)
		from := p.at
		if !p.take('=') {
			p.at = from - len(name)
			return p.fail("want NAME=VALUE for a parameter of %s", e.family.name)
		}
		value := p.run(func(c byte) bool { return c != ',' && c != ')' })
		_, has := e.family.params[name]
		var err error
		switch {
		case !has && len(e.family.params) == 0:
			err = fmt.Errorf("%s=%s, want no parameters: %s has none", name, value, e.family.name)
		case !has:
			err = fmt.Errorf("%s=%s: of %s, %w", name, value, e.family.name, settings.Unknown(name, e.family.names()))
		case e.given.has(name):
			err = fmt.Errorf("%s=%s, want one value for %s", name, value, name)
		default:
			if err = e.given.set(name, strings.TrimSpace(value)); err != nil {
				err = fmt.Errorf("%s=%s: %w", name, value, err)
			}
		}
		if err != nil {
			p.at = from - len(name)
			return p.fail("%w", err)
		}
		if p.take(')') {
			return nil
		}
		if !p.take(',') {
			return p.fail("want , or ) after a parameter of %s", e.family.name)
		}
	}
}

// names returns the names of the parameters that the family has, in the order of parameters.
func (f family) names() (names []string) {
	for _, p := range parameters {
		if _, has := f.params[p.name]; has {
			names = append(names, p.name)
		}
	}
	return names
}
