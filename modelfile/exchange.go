package modelfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Exchange writes a model to a file or reads a model from one. A model describes its stored
// form once, for Put and for Get: the description is the sequence of calls that a function of
// the model makes to an Exchange, always in the same order. Each method of Exchange names an
// array, gives the place in the model that the array is written from or read to, and states
// which shape and range the array has and that its numbers are finite. Reading and writing
// return a *FormatError that names the array and the element if a number breaks one of these
// rules, so that what is written can be read; reading also if a size does, and it allocates
// no more than the file has bytes. After the first error all calls do nothing, so a model may
// use what earlier calls have read without checking for errors.
type Exchange struct {
	w       *Writer
	f       *File
	version int
	err     error
}

// Put writes a model of the given form to w.
func Put(w *Writer, form func(x *Exchange)) error {
	x := &Exchange{w: w}
	x.run(form)
	return x.err
}

// Get reads the model m of the given form from f and returns it.
func Get[M any](f *File, m M, form func(m M, x *Exchange)) (M, error) {
	x := &Exchange{f: f}
	x.run(func(x *Exchange) { form(m, x) })
	if x.err != nil {
		var none M
		return none, x.err
	}
	return m, nil
}

// refused is the panic with which Errorf ends the exchange of a model.
type refused struct{ x *Exchange }

// run calls body, which ends with the first call of x.Errorf.
func (x *Exchange) run(body func(*Exchange)) {
	defer func() {
		if p := recover(); p != nil && p != (refused{x}) {
			panic(p)
		}
	}()
	body(x)
}

// Reading reports whether the model is being read without an error so far. Values that are
// derived from what was read are computed under this condition.
func (x *Exchange) Reading() bool { return x.f != nil && x.err == nil }

// Writing reports whether the model is being written without an error so far.
func (x *Exchange) Writing() bool { return x.w != nil && x.err == nil }

// Version returns the version of the file that is read, or the version that is written.
func (x *Exchange) Version() int { return x.version }

// Field is a field of the settings that encoding/json cannot store by itself, such as the
// interface Kernel. Put returns the value that is stored instead, or nil to leave the field
// out. Get calls decode for the stored value and makes the field of it; a field that the
// file lacks decodes to zero.
type Field struct {
	Name string
	Put  func(w *Writer) (value any, err error)
	Get  func(f *File, decode func(value any) error) error

	methods []string // see Formerly
}

// Header exchanges the name of the method, its version and its settings. config is a pointer
// to a struct, stored as JSON, and fields are those that JSON leaves out. Files of versions
// up to the given one are read. Settings of old files may have fields that Retired names;
// any other unknown field is an error.
func (x *Exchange) Header(method string, version int, config any, fields ...Field) {
	switch {
	case x.err != nil:
	case x.w != nil:
		x.version = version
		var text bytes.Buffer
		text.WriteByte('{')
		for _, f := range fields {
			if f.Put == nil {
				continue
			}
			v, err := f.Put(x.w)
			if err == nil && v != nil {
				err = member(&text, f.Name, v)
			}
			if err != nil {
				x.err = err
				return
			}
		}
		rest, err := json.Marshal(config)
		if err != nil {
			x.err = fmt.Errorf("config of %s: %w", method, err)
			return
		}
		if rest = bytes.TrimPrefix(rest, []byte("{")); len(rest) > 1 && text.Len() > 1 {
			text.WriteByte(',')
		}
		text.Write(rest)
		x.err = x.w.Header(method, version, json.RawMessage(text.Bytes()))
	default:
		x.readHeader(method, version, config, fields)
	}
}

func member(text *bytes.Buffer, name string, v any) error {
	value, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if text.Len() > 1 {
		text.WriteByte(',')
	}
	fmt.Fprintf(text, "%q:%s", name, value)
	return nil
}

func (x *Exchange) readHeader(method string, version int, config any, fields []Field) {
	for _, f := range fields {
		if slices.Contains(f.methods, x.f.Method()) {
			method = x.f.Method()
		}
	}
	var all map[string]json.RawMessage
	if x.version, x.err = x.f.Header(method, version, &all); x.err != nil {
		return
	}
	for _, f := range fields {
		if f.Get == nil {
			retire(all, f.Name)
			continue
		}
		text, given := all[f.Name]
		delete(all, f.Name)
		x.err = f.Get(x.f, func(value any) error {
			if !given {
				return nil
			}
			return x.decode(text, value)
		})
		if x.err != nil {
			return
		}
	}
	rest, err := json.Marshal(all)
	if x.err = err; err == nil {
		x.err = x.decode(rest, config)
	}
}

// decode decodes settings and returns an error for unknown fields.
func (x *Exchange) decode(text []byte, config any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(config); err != nil {
		return &FormatError{Offset: 8, Reason: x.f.where() + fmt.Sprintf("has a config that cannot be read: %v", err)}
	}
	return nil
}

// Retired names a field that settings of old files have and that is ignored. A.B is field B
// of field A.
func Retired(name string) Field { return Field{Name: name} }

// Renamed names a field of old settings that is called otherwise now, and where it goes.
func Renamed(name string, to any) Field {
	return Field{Name: name, Get: func(_ *File, decode func(value any) error) error { return decode(to) }}
}

// Formerly names what the method was called in old files, which are read, too.
func Formerly(methods ...string) Field { return Field{methods: methods} }

func retire(all map[string]json.RawMessage, name string) {
	outer, inner, nested := strings.Cut(name, ".")
	if !nested {
		delete(all, name)
		return
	}
	var part map[string]json.RawMessage
	if json.Unmarshal(all[outer], &part) == nil && part != nil {
		retire(part, inner)
		all[outer], _ = json.Marshal(part)
	}
}

// Errorf makes reading or writing fail with a *FormatError about the named array and ends
// the method Exchange that called it: what follows may rely on what was refused. Only the
// first error counts.
func (x *Exchange) Errorf(name, format string, args ...any) {
	if x.err == nil {
		x.err = x.refuse(name, format, args...)
	}
	x.stop()
}

// refuse returns the error of an array that breaks a rule.
func (x *Exchange) refuse(name, format string, args ...any) error {
	if x.f != nil {
		return x.f.Errorf(name, format, args...)
	}
	return &FormatError{Array: x.w.prefix + name, Offset: unwritten, Reason: fmt.Sprintf(format, args...)}
}

// stop ends the exchange of a model that has failed.
func (x *Exchange) stop() {
	if x.err != nil {
		panic(refused{x})
	}
}

// Require fails with the error that Errorf makes of its other arguments, unless ok is true.
func (x *Exchange) Require(ok bool, name, format string, args ...any) {
	if !ok {
		x.Errorf(name, format, args...)
	}
}

// Reserve counts bytes that a model is about to allocate for what it derives from what was
// read, against the limit of ReadLimited. When writing, it does nothing.
func (x *Exchange) Reserve(size int64) {
	if x.Reading() {
		x.err = x.f.c.memory.take(size)
		x.stop()
	}
}

// Optional reports whether the array is in the file. When writing, it returns present.
func (x *Exchange) Optional(name string, present bool) bool {
	if x.w != nil {
		return present
	}
	return x.err == nil && x.f.Has(name)
}

// OptionalPart reports whether Part has something to exchange. When writing, it returns
// present.
func (x *Exchange) OptionalPart(prefix string, present bool) bool {
	if x.w != nil {
		return present
	}
	return x.err == nil && x.f.HasSub(prefix)
}

// exchangeArray checks *p with holds and writes it with put, or reads it with get and checks it.
// If the check fails, *p is unchanged.
func exchangeArray[T any](x *Exchange, p *T, put func(w *Writer, v T), get func(f *File) (T, error), holds func(v T) error) {
	if x.err != nil {
		return
	}
	v := *p
	if x.f != nil {
		v, x.err = get(x.f)
	}
	if x.err == nil && holds != nil {
		x.err = holds(v)
	}
	switch {
	case x.err != nil:
	case x.w != nil:
		put(x.w, v)
	default:
		*p = v
	}
}

func finite[T float32 | float64](x *Exchange, name string) func(v []T) error {
	return func(v []T) error {
		if i := slices.IndexFunc(v, func(u T) bool { return u-u != 0 }); i >= 0 {
			return x.refuse(name, "element %d is not a finite number", i)
		}
		return nil
	}
}

// Float64 exchanges an array of n finite numbers; n = −1 allows any number of them.
func (x *Exchange) Float64(name string, p *[]float64, n int) {
	exchangeArray(x, p, func(w *Writer, v []float64) { w.Float64(name, v) },
		func(f *File) ([]float64, error) { return f.Float64(name, n) }, finite[float64](x, name))
}

// AnyFloat64 exchanges an array like Float64 in which NaN and infinities are allowed.
func (x *Exchange) AnyFloat64(name string, p *[]float64, n int) {
	exchangeArray(x, p, func(w *Writer, v []float64) { w.Float64(name, v) },
		func(f *File) ([]float64, error) { return f.Float64(name, n) }, nil)
}

// Float32 exchanges an array like Float64 in single precision.
func (x *Exchange) Float32(name string, p *[]float32, n int) {
	exchangeArray(x, p, func(w *Writer, v []float32) { w.Float32(name, v) },
		func(f *File) ([]float32, error) { return f.Float32(name, n) }, finite[float32](x, name))
}

// Matrix32 exchanges a matrix of finite numbers in single precision, row by row, with its
// numbers of rows and columns.
func (x *Exchange) Matrix32(name string, p *[]float32, rows, columns *int) {
	exchangeArray(x, p, func(w *Writer, v []float32) { w.Float32(name, v, *rows, *columns) },
		func(f *File) ([]float32, error) {
			v, err := f.Float32(name, -1, -1)
			if err == nil {
				shape := f.Shape(name)
				*rows, *columns = shape[0], shape[1]
			}
			return v, err
		}, finite[float32](x, name))
}

// Number exchanges one finite number, as an array of length 1.
func (x *Exchange) Number(name string, p *float64) {
	v := []float64{*p}
	if x.Float64(name, &v, 1); x.Reading() {
		*p = v[0]
	}
}

// Dense exchanges an r×c matrix of finite numbers; −1 allows any number of rows or columns.
// A matrix that is read must have at least one row and one column.
func (x *Exchange) Dense(name string, p **mat.Dense, r, c int) {
	exchangeArray(x, p, func(w *Writer, v *mat.Dense) { w.Dense(name, v) },
		func(f *File) (*mat.Dense, error) { return f.Matrix(name, r, c) },
		func(v *mat.Dense) error {
			m := v.RawMatrix()
			if m.Rows == 0 || m.Cols == 0 {
				return x.refuse(name, "is %d×%d", m.Rows, m.Cols)
			}
			for i := range m.Rows {
				if err := finite[float64](x, name)(m.Data[i*m.Stride : i*m.Stride+m.Cols]); err != nil {
					return x.refuse(name, "row %d has an element that is not a finite number", i)
				}
			}
			return nil
		})
}

// CSR exchanges a sparse n×d matrix of finite numbers; −1 allows any number of rows or
// columns.
func (x *Exchange) CSR(name string, p **sparse.CSR, n, d int) {
	exchangeArray(x, p, func(w *Writer, v *sparse.CSR) { w.csr(name, v) },
		func(f *File) (*sparse.CSR, error) { return f.csr(name) },
		func(v *sparse.CSR) error {
			if x.f != nil && (n >= 0 && v.N != n || d >= 0 && v.D != d) {
				return x.refuse(name, "is %d×%d", v.N, v.D)
			}
			return finite[float64](x, name)(v.Val)
		})
}

// Int32 exchanges an array of n integers from lo to hi; n = −1 allows any number of them.
func (x *Exchange) Int32(name string, p *[]int32, n int, lo, hi int32) {
	exchangeArray(x, p, func(w *Writer, v []int32) { w.int32s(name, v) },
		func(f *File) ([]int32, error) { return f.int32s(name, n) },
		func(v []int32) error { return within(x, name, v, lo, hi) })
}

// Int64 exchanges an array of n integers of any size; n = −1 allows any number of them.
func (x *Exchange) Int64(name string, p *[]int64, n int) {
	exchangeArray(x, p, func(w *Writer, v []int64) { w.int64s(name, v) },
		func(f *File) ([]int64, error) { return f.int64s(name, n) }, nil)
}

// Ints exchanges an array of n integers from lo to hi; n = −1 allows any number of them.
func (x *Exchange) Ints(name string, p *[]int, n, lo, hi int) {
	exchangeArray(x, p, func(w *Writer, v []int) { w.ints(name, v) },
		func(f *File) ([]int, error) { return f.ints(name, n) },
		func(v []int) error { return within(x, name, v, lo, hi) })
}

func within[T int | int32](x *Exchange, name string, v []T, lo, hi T) error {
	if i := slices.IndexFunc(v, func(u T) bool { return u < lo || u > hi }); i >= 0 {
		return x.refuse(name, "element %d is %d, want %d to %d", i, v[i], lo, hi)
	}
	return nil
}

// Offsets exchanges the boundaries of lists that are stored in one array: n integers (n = −1
// allows any number) that begin with 0 and do not decrease. It returns the last of them,
// which is the number of elements of all lists.
func (x *Exchange) Offsets(name string, p *[]int32, n int) int {
	exchangeArray(x, p, func(w *Writer, v []int32) { w.int32s(name, v) },
		func(f *File) ([]int32, error) { return f.int32s(name, n) },
		func(v []int32) error {
			if len(v) == 0 || v[0] != 0 {
				return x.refuse(name, "the first list does not begin at 0")
			}
			for i := range v[1:] {
				if v[i+1] < v[i] {
					return x.refuse(name, "list %d ends before it begins", i)
				}
			}
			return nil
		})
	if x.err != nil || len(*p) == 0 {
		return 0
	}
	return int((*p)[len(*p)-1])
}

// MaxInt is the upper bound for integers that have no other bound: the largest int32.
const MaxInt = math.MaxInt32

// MaxCount is the upper bound for a number of labels or of dense columns of which a
// file holds no array of that length, so that what a prediction allocates for a row
// stays below 128 MiB for each of them.
const MaxCount = 1 << 24

// Int exchanges one integer from lo to hi.
func (x *Exchange) Int(name string, p *int, lo, hi int) {
	v := []int{*p}
	if x.Ints(name, &v, 1, lo, hi); x.Reading() {
		*p = v[0]
	}
}

// Strings exchanges a list of any number of strings.
func (x *Exchange) Strings(name string, p *[]string) {
	exchangeArray(x, p, func(w *Writer, v []string) { w.Strings(name, v) },
		func(f *File) ([]string, error) { return f.Strings(name) }, nil)
}

// Part lets body exchange a model inside this one, whose names get the given prefix.
func (x *Exchange) Part(prefix string, body func(x *Exchange)) {
	if x.err != nil {
		return
	}
	part := &Exchange{}
	if x.w != nil {
		part.w = x.w.Sub(prefix)
	} else if part.f, x.err = x.f.Sub(prefix); x.err != nil {
		return
	}
	part.run(body)
	x.err = part.err
	x.stop()
}

// Part exchanges a model that has the methods Encode and Decode, under a prefix.
func Part[M Model](x *Exchange, prefix string, p *M, decode func(f *File) (M, error)) {
	switch {
	case x.err != nil:
	case x.w != nil:
		x.err = (*p).Encode(x.w.Sub(prefix))
	default:
		var f *File
		if f, x.err = x.f.Sub(prefix); x.err == nil {
			*p, x.err = decode(f)
		}
		x.stop()
	}
}
