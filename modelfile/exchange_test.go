package modelfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// exchanged is a model with an array for each method of Exchange.
type exchanged struct {
	version  int
	reading  bool // at the end of form
	writing  bool
	float64s []float64
	any64    []float64
	float32s []float32
	number   float64
	dense    *mat.Dense
	csr      *sparse.CSR
	int32s   []int32
	int64s   []int64
	ints     []int
	int      int
	names    []string
	extra    []float64 // nil: left out
	part     []float64 // nil: left out
	inner    *lists
}

func (m *exchanged) Encode(w *Writer) error { return Put(w, m.form) }

func (m *exchanged) form(x *Exchange) {
	x.Header("exchanged", 4, &struct{}{})
	m.version = x.Version()
	x.Float64("float64s", &m.float64s, 2)
	x.AnyFloat64("any64", &m.any64, 3)
	x.Float32("float32s", &m.float32s, 2)
	x.Number("number", &m.number)
	x.Dense("dense", &m.dense, 2, 3)
	x.CSR("csr", &m.csr, 2, 4)
	x.Int32("int32s", &m.int32s, 2, -3, 5)
	x.Int64("int64s", &m.int64s, 2)
	x.Ints("ints", &m.ints, 2, -3, 5)
	x.Int("int", &m.int, -3, 5)
	x.Strings("names", &m.names)
	if x.Optional("extra", m.extra != nil) {
		x.Float64("extra", &m.extra, -1)
	}
	if x.OptionalPart("part", m.part != nil) {
		x.Part("part", func(x *Exchange) { x.Float64("v", &m.part, -1) })
	}
	Part(x, "inner", &m.inner, func(f *File) (*lists, error) { return Get(f, new(lists), (*lists).form) })
	m.reading, m.writing = x.Reading(), x.Writing()
}

func newExchanged() *exchanged {
	nan := math.NaN()
	x := mat.NewDense(3, 4, []float64{1, 2, 3, nan, 4, 5, 6, nan, nan, nan, nan, nan})
	return &exchanged{
		float64s: []float64{1, -math.MaxFloat64},
		any64:    []float64{nan, math.Inf(-1), 0},
		float32s: []float32{math.MaxFloat32, -1},
		number:   2.5,
		dense:    x.Slice(0, 2, 0, 3).(*mat.Dense), // what is beside a view is not of the model
		csr:      &sparse.CSR{N: 2, D: 4, Ptr: []int{0, 1, 3}, Col: []int32{3, 0, 2}, Val: []float64{1, 2, 3}},
		int32s:   []int32{-3, 5},
		int64s:   []int64{math.MinInt64, math.MaxInt64},
		ints:     []int{5, -3},
		int:      5,
		names:    []string{"", "ü"},
		inner:    &lists{from: []int32{0, 2}, values: []float32{7}, r: 1, c: 1},
	}
}

// exchange writes a model and reads it.
func exchange(t *testing.T, m Model) (*exchanged, error) {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, Write(&b, m))
	f := must.Have(Read(&b))(t)
	return Get(f, &exchanged{number: 1, int: 1}, (*exchanged).form)
}

// Every method of Exchange reads back what it has written. What is optional is read if it is there.
func TestExchange(t *testing.T) {
	for _, optional := range [][]float64{nil, {}, {8, 9}} {
		m := newExchanged()
		m.extra, m.part = optional, optional
		got, err := exchange(t, m)
		if err != nil {
			t.Fatal(err)
		}
		if m.version != 4 || !m.writing || m.reading || got.version != 4 || got.writing || !got.reading {
			t.Errorf("written as %d, %v, %v, read as %d, %v, %v", m.version, m.writing, m.reading, got.version, got.writing, got.reading)
		}
		if !mat.Equal(got.dense, m.dense) || !reflect.DeepEqual(got.csr, m.csr) {
			t.Errorf("matrices: %v, %v", got.dense, got.csr)
		}
		for name, v := range map[string][2]any{
			"float64s": {got.float64s, m.float64s}, "any64": {got.any64, m.any64}, "float32s": {got.float32s, m.float32s},
			"number": {got.number, m.number}, "int32s": {got.int32s, m.int32s}, "int64s": {got.int64s, m.int64s},
			"ints": {got.ints, m.ints}, "int": {got.int, m.int}, "names": {got.names, m.names},
			"extra": {got.extra, m.extra}, "part": {got.part, m.part}, "inner": {*got.inner, *m.inner},
		} {
			if !same(v[0], v[1]) {
				t.Errorf("%s: read %#v, want %#v", name, v[0], v[1])
			}
		}
	}
}

// A number that breaks a rule of its array is refused with the name of the array and the number's place, before it is
// written and when it is read, and so is an array of another size when it is read.
func TestExchangeRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	numbers := func(change func(m *exchanged)) *exchanged { m := newExchanged(); change(m); return m }
	for _, c := range []struct {
		array, place string
		unwritable   bool // otherwise it is refused only when it is read
		m            *exchanged
	}{
		{"float64s", "element 1", true, numbers(func(m *exchanged) { m.float64s[1] = nan })},
		{"float64s", "[3]", false, numbers(func(m *exchanged) { m.float64s = make([]float64, 3) })},
		{"any64", "[2]", false, numbers(func(m *exchanged) { m.any64 = m.any64[:2] })},
		{"float32s", "element 0", true, numbers(func(m *exchanged) { m.float32s[0] = float32(inf) })},
		{"float32s", "[1]", false, numbers(func(m *exchanged) { m.float32s = m.float32s[:1] })},
		{"number", "element 0", true, numbers(func(m *exchanged) { m.number = -inf })},
		{"dense", "row 1", true, numbers(func(m *exchanged) { m.dense.Set(1, 2, nan) })},
		{"dense", "[3 3]", false, numbers(func(m *exchanged) { m.dense = mat.NewDense(3, 3, nil) })},
		{"dense", "[2 2]", false, numbers(func(m *exchanged) { m.dense = mat.NewDense(2, 2, nil) })},
		{"csr", "element 2", true, numbers(func(m *exchanged) { m.csr.Val[2] = nan })},
		{"csr", "1×4", false, numbers(func(m *exchanged) { m.csr = m.csr.Slice(1, 2) })},
		{"csr", "2×5", false, numbers(func(m *exchanged) { m.csr.D = 5 })},
		{"int32s", "element 0", true, numbers(func(m *exchanged) { m.int32s[0] = -4 })},
		{"int32s", "element 1", true, numbers(func(m *exchanged) { m.int32s[1] = 6 })},
		{"int32s", "[1]", false, numbers(func(m *exchanged) { m.int32s = m.int32s[:1] })},
		{"int64s", "[1]", false, numbers(func(m *exchanged) { m.int64s = m.int64s[:1] })},
		{"ints", "element 0", true, numbers(func(m *exchanged) { m.ints[0] = 6 })},
		{"ints", "element 1", true, numbers(func(m *exchanged) { m.ints[1] = -4 })},
		{"ints", "[3]", false, numbers(func(m *exchanged) { m.ints = make([]int, 3) })},
		{"int", "element 0", true, numbers(func(m *exchanged) { m.int = 6 })},
		{"extra", "element 1", true, numbers(func(m *exchanged) { m.extra = []float64{0, nan} })},
		{"part/v", "element 2", true, numbers(func(m *exchanged) { m.part = []float64{0, 1, nan} })},
		{"inner/from", "list 1", true, numbers(func(m *exchanged) { m.inner.from = []int32{0, 3, 2} })},
	} {
		refused := func(err error) bool {
			var fe *FormatError
			return errors.As(err, &fe) && fe.Array == c.array && strings.Contains(fe.Reason, c.place)
		}
		var b bytes.Buffer
		err := Write(&b, c.m)
		if c.unwritable != (err != nil) || err != nil && !refused(err) {
			t.Errorf("%s, %s: written, error %v", c.array, c.place, err)
		}
		if c.unwritable && (c.m.writing || b.Len() > 0) {
			t.Errorf("%s, %s: after the error the model is being written, %d bytes", c.array, c.place, b.Len())
		}
		if got, err := exchange(t, loose{c.m}); !refused(err) || got != nil {
			t.Errorf("%s, %s: read, error %v", c.array, c.place, err)
		}
	}
	empty := numbers(func(m *exchanged) { m.dense = &mat.Dense{} })
	if err := Write(io.Discard, empty); err == nil || !strings.Contains(err.Error(), `"dense": is 0×0`) {
		t.Errorf("a matrix without rows: %v", err)
	}
}

// loose writes an exchanged model without a check.
type loose struct{ m *exchanged }

func (l loose) Encode(w *Writer) error {
	m := l.m
	w.Float64("float64s", m.float64s)
	w.Float64("any64", m.any64)
	w.Float32("float32s", m.float32s)
	w.Float64("number", []float64{m.number})
	w.Dense("dense", m.dense)
	w.csr("csr", m.csr)
	w.int32s("int32s", m.int32s)
	w.int64s("int64s", m.int64s)
	w.ints("ints", m.ints)
	w.ints("int", []int{m.int})
	w.Strings("names", m.names)
	if m.extra != nil {
		w.Float64("extra", m.extra)
	}
	if m.part != nil {
		w.Sub("part").Float64("v", m.part)
	}
	in := w.Sub("inner")
	in.int32s("from", m.inner.from)
	in.Float32("values", m.inner.values, m.inner.r, m.inner.c)
	if err := in.Header("lists", 1, struct{}{}); err != nil {
		return err
	}
	return w.Header("exchanged", 4, struct{}{})
}

// After an error every call of an Exchange leaves the model as it is, what is optional is not there, and the first error
// is the one that counts. A panic of the model itself is not an error.
func TestExchangeAfterAnError(t *testing.T) {
	f := must.Have(Read(bytes.NewReader(encode(t, newExchanged()))))(t)
	whole := must.Have(Get(f, new(exchanged), (*exchanged).form))(t)
	late := func(x *Exchange) {
		m := exchanged{number: 1, int: 1}
		x.Float64("nothing", &m.float64s, -1)
		called := false
		x.Header("other", 1, &struct{}{}, Field{Name: "A", Put: func(*Writer) (any, error) { called = true; return nil, nil },
			Get: func(*File, func(any) error) error { called = true; return nil }})
		x.Float64("float64s", &m.float64s, -1)
		x.Number("number", &m.number)
		x.Int("int", &m.int, -3, 5)
		x.Reserve(1 << 60)
		x.Part("inner", func(*Exchange) { called = true })
		Part(x, "inner", &m.inner, func(*File) (*lists, error) { called = true; return whole.inner, nil })
		if called || m.float64s != nil || m.number != 1 || m.int != 1 || m.inner != nil || x.Reading() || x.Writing() {
			t.Errorf("after an error: %+v, called: %v", m, called)
		}
		if x.f != nil && (x.Optional("float64s", true) || x.OptionalPart("inner", true)) {
			t.Error("after an error there are optional arrays or parts")
		}
	}
	var fe *FormatError
	if _, err := Get(f, 0, func(_ int, x *Exchange) { late(x) }); !errors.As(err, &fe) || fe.Array != "nothing" {
		t.Errorf("reading: %v", err)
	}
	w := &Writer{c: &contents{names: map[string]bool{}}}
	err := Put(w, func(x *Exchange) {
		x.Number("nothing", ptr(math.NaN()))
		late(x)
	})
	if fe = nil; !errors.As(err, &fe) || fe.Array != "nothing" || len(w.c.arrays)+len(w.c.meta) > 0 {
		t.Errorf("writing: %v, %v", err, w.c)
	}
	for name, form := range map[string]func(x *Exchange){
		"no part": func(x *Exchange) { x.Part("nothing", func(*Exchange) { t.Error("a part that is not there is read") }) },
		"no model": func(x *Exchange) {
			Part(x, "nothing", &whole.inner, func(*File) (*lists, error) { t.Error("a model that is not there is read"); return nil, nil })
			t.Error("reading goes on without the model")
		},
	} {
		if _, err := Get(f, 0, func(_ int, x *Exchange) { form(x) }); !isFormat(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p := must.Recovered(func() { _ = Put(w, func(*Exchange) { panic("mine") }) }); p != "mine" {
		t.Errorf("the panic of a model becomes %v", p)
	}
}

func ptr[T any](v T) *T { return &v }

// kept is a model with fields that JSON does not store by itself, and with settings of older files.
type kept struct {
	Config struct {
		Lambda float64        `json:",omitempty"`
		Deep   map[string]int `json:",omitempty"`
		bad    func() error   // what Get of the field First returns
	}
	first, second any
	method        string
	version       int
}

func (k *kept) form(x *Exchange) {
	field := func(name string, v *any) Field {
		return Field{Name: name,
			Put: func(*Writer) (any, error) {
				if err, is := (*v).(error); is {
					return nil, err
				}
				return *v, nil
			},
			Get: func(_ *File, decode func(value any) error) error {
				if k.Config.bad != nil {
					return k.Config.bad()
				}
				return decode(v)
			}}
	}
	x.Header(k.method, 3, &k.Config, field("First", &k.first), field("Second", &k.second),
		Retired("Old"), Retired("Deep.Old"), Retired("Nothing.Old"), Renamed("Alpha", &k.Config.Lambda), Formerly("earlier", "earliest"))
	k.version = x.Version()
}

func (k *kept) Encode(w *Writer) error { return Put(w, k.form) }

// The settings in a file are one JSON object with the fields that have a value, the model's own before the rest.
func TestHeaderFields(t *testing.T) {
	for _, c := range []struct {
		first, second any
		lambda        float64
		want          string
	}{
		{nil, nil, 0, `{}`},
		{nil, nil, 2, `{"Lambda":2}`},
		{"a", nil, 0, `{"First":"a"}`},
		{nil, 3, 2, `{"Second":3,"Lambda":2}`},
		{"a", []int{3}, 0, `{"First":"a","Second":[3]}`},
		{"a", map[string]int{"b": 3}, 2, `{"First":"a","Second":{"b":3},"Lambda":2}`},
	} {
		k := &kept{first: c.first, second: c.second, method: "kept"}
		k.Config.Lambda = c.lambda
		f := must.Have(Read(bytes.NewReader(encode(t, k))))(t)
		if got := string(f.Contents()[0].Config); got != c.want || k.version != 3 {
			t.Errorf("version %d, written %s, want %s", k.version, got, c.want)
		}
		got, err := Get(f, &kept{method: "kept"}, (*kept).form)
		if err != nil || got.Config.Lambda != c.lambda {
			t.Errorf("%s: read %+v, %v", c.want, got, err)
			continue
		}
		for _, v := range [][2]any{{got.first, c.first}, {got.second, c.second}} {
			if a, b := must.Have(json.Marshal(v[0]))(t), must.Have(json.Marshal(v[1]))(t); !bytes.Equal(a, b) {
				t.Errorf("%s: the field is %s, want %s", c.want, a, b)
			}
		}
	}
	broken := errors.New("broken")
	for name, change := range map[string]func(k *kept){
		"broken": func(k *kept) { k.first = broken },
		"Second": func(k *kept) { k.second = func() {} },
		"kept":   func(k *kept) { k.Config.Lambda = math.NaN() },
	} {
		k := &kept{method: "kept"}
		change(k)
		w := &Writer{c: &contents{names: map[string]bool{}}}
		if err := k.Encode(w); err == nil || !strings.Contains(err.Error(), name) || w.Method() != "" {
			t.Errorf("%s: written as %q, error %v", name, w.Method(), err)
		}
	}
}

// Settings of older files are read: fields that are retired are dropped, those that have another name now keep their
// values, and the method may have had another name. Whatever else is unknown is refused.
func TestHeaderOfOlderFiles(t *testing.T) {
	read := func(method, version, config string, k *kept) (*kept, error) {
		meta := fmt.Sprintf(`,"format":"gram 1","method":%q,"version":%q,"config":%s`, method, version, strconv.Quote(config))
		f := must.Have(Read(bytes.NewReader(build("", meta, nil))))(t)
		k.method = "kept"
		return Get(f, k, (*kept).form)
	}
	for _, c := range []struct {
		method, version, config string
		lambda                  float64
		want                    string // the setting, the version or the method that the error names
	}{
		{"kept", "3", `{"Lambda":2}`, 2, ""},
		{"kept", "1", `{"Old":{"x":1},"Alpha":4}`, 4, ""},
		{"earlier", "2", `{"Alpha":4}`, 4, ""},
		{"earliest", "2", `{}`, 0, ""},
		{"kept", "2", `{"Deep":{"Old":"text"}}`, 0, ""},
		{"kept", "2", `{"Deep":null,"Nothing":null}`, 0, "Nothing"},
		{"kept", "2", `{"Deep":{"Old":"text","A":"text"}}`, 0, "Deep"},
		{"kept", "2", `{"Deeper":{"Old":1}}`, 0, "Deeper"},
		{"kept", "2", `{"Alpha":"text"}`, 0, "config"},
		{"kept", "2", `{"older":1}`, 0, "older"},
		{"kept", "2", `{"Lambda":1,"Lambda":2}`, 0, "twice"},
		{"kept", "4", `{}`, 0, "version 4"},
		{"kept", "0", `{}`, 0, `"0"`},
		{"kept", "-1", `{}`, 0, `"-1"`},
		{"kept", "1x", `{}`, 0, `"1x"`},
		{"others", "1", `{}`, 0, `"others"`},
	} {
		k, err := read(c.method, c.version, c.config, &kept{})
		if c.want != "" {
			if !isFormat(err) || !strings.Contains(err.Error(), c.want) || k != nil {
				t.Errorf("%s %s, %s: error %v, want %q in it", c.method, c.version, c.config, err, c.want)
			}
		} else if err != nil || k.Config.Lambda != c.lambda || len(k.Config.Deep) > 0 || fmt.Sprint(k.version) != c.version {
			t.Errorf("%s %s, %s: %+v, %v", c.method, c.version, c.config, k, err)
		}
	}
	broken := errors.New("broken")
	calls := 0
	bad := &kept{}
	bad.Config.bad = func() error { calls++; return broken }
	if _, err := read("kept", "1", `{"First":1,"older":1}`, bad); err != broken || calls != 1 {
		t.Errorf("%d fields are read, error %v", calls, err)
	}
}

// A value that a program adds is that of the models inside, too, and of no other reader or writer.
func TestWith(t *testing.T) {
	f := must.Have(Read(bytes.NewReader(encode(t, tree{newLeaf()}))))(t)
	plain := must.Have(f.Sub("leaf.0"))(t)
	g := f.With("mine")
	part := must.Have(g.Sub("leaf.0"))(t)
	if f.Value() != nil || plain.Value() != nil || g.Value() != "mine" || part.Value() != "mine" || part.Method() != "leaf" {
		t.Errorf("values %v, %v, %v, %v", f.Value(), plain.Value(), g.Value(), part.Value())
	}
	w := &Writer{c: &contents{names: map[string]bool{}}}
	u := w.With("mine")
	if in := u.Sub("in"); w.Value() != nil || w.Sub("in").Value() != nil || u.Value() != "mine" || in.Value() != "mine" {
		t.Errorf("values %v, %v, %v", w.Value(), u.Value(), in.Value())
	}
	in := u.Sub("in")
	must.Do(t, u.Header("outer", 1, nil))
	if w.Method() != "outer" || in.Method() != "" {
		t.Errorf("methods %q, %q before the part has one", w.Method(), in.Method())
	}
	must.Do(t, in.Header("inner", 1, nil))
	if w.Method() != "outer" || in.Method() != "inner" || !slices.Equal(w.c.meta, u.c.meta) {
		t.Errorf("methods %q, %q", w.Method(), in.Method())
	}
}
