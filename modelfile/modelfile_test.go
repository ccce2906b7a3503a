package modelfile

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

var update = flag.Bool("update", false, "write the golden file anew")

type settings struct {
	Lambda float64
	Kernel string `json:",omitempty"`
	M      int
}

// leaf is a small model with an array of every type; tree has leaves as parts.
type leaf struct {
	version int
	config  settings
	coef    []float64
	single  []float32
	index   []int32
	long    []int64
	names   []string
	points  *mat.Dense
	tags    *sparse.CSR
	ones    *sparse.CSR
}

func (l *leaf) Encode(w *Writer) error {
	if err := w.Header("leaf", l.version, l.config); err != nil {
		return err
	}
	w.Strings("names", l.names)
	w.int32s("index", l.index)
	w.Float64("coef", l.coef)
	w.Float32("single", l.single)
	w.int64s("long", l.long)
	w.Dense("points", l.points)
	w.csr("tags", l.tags)
	w.csr("ones", l.ones)
	return nil
}

func decodeLeaf(f *File) (*leaf, error) {
	l := &leaf{}
	var err error
	keep := func(e error) {
		if err == nil {
			err = e
		}
	}
	var e error
	l.version, e = f.Header("leaf", 1, &l.config)
	keep(e)
	l.names, e = f.Strings("names")
	keep(e)
	l.index, e = f.int32s("index", -1)
	keep(e)
	l.coef, e = f.Float64("coef")
	keep(e)
	l.single, e = f.Float32("single")
	keep(e)
	l.long, e = f.int64s("long")
	keep(e)
	l.points, e = f.Dense("points", 2, -1)
	keep(e)
	l.tags, e = f.csr("tags")
	keep(e)
	l.ones, e = f.csr("ones")
	keep(e)
	return l, err
}

func newLeaf() *leaf {
	return &leaf{
		version: 1,
		config:  settings{Lambda: 0.1, Kernel: "gaussian <&>", M: 7},
		coef:    []float64{1, math.Copysign(0, -1), math.Pi, math.Inf(1), 5e-324},
		single:  []float32{1.5, float32(math.NaN()), 3},
		index:   []int32{-1, math.MaxInt32},
		long:    []int64{math.MinInt64, 3},
		names:   []string{"", "a\x00b", "ü\xff", "+1"},
		points:  mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6}),
		tags:    &sparse.CSR{N: 2, D: 4, Ptr: []int{0, 1, 3}, Col: []int32{3, 0, 2}, Val: []float64{1, 2, 3}},
		ones:    &sparse.CSR{N: 1, D: 9, Ptr: []int{0, 2}, Col: []int32{3, 8}},
	}
}

type tree []*leaf

func (t tree) Encode(w *Writer) error {
	if err := w.Header("tree", 3, struct{ Leaves int }{len(t)}); err != nil {
		return err
	}
	for i, l := range t {
		if err := l.Encode(w.Sub(fmt.Sprintf("leaf.%d", i))); err != nil {
			return err
		}
	}
	return nil
}

type random struct{ n int }

func (r random) Encode(w *Writer) error {
	g := rng.New(1, 0)
	x := make([]float64, r.n)
	for i := range x {
		x[i] = g.NormFloat64()
	}
	w.Float64("x", x)
	w.int32s("y", []int32{1, 2, 3})
	return w.Header("random", 1, nil)
}

func encode(t testing.TB, m Model) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, Write(&b, m))
	return b.Bytes()
}

func same(a, b any) bool { // reflect.DeepEqual, but NaN equals NaN
	return fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b)
}

func sameLeaf(t *testing.T, got, want *leaf) {
	t.Helper()
	if !mat.Equal(got.points, want.points) || !reflect.DeepEqual(got.tags, want.tags) || !reflect.DeepEqual(got.ones, want.ones) {
		t.Errorf("matrices differ: %v %v", got.tags, got.ones)
	}
	if got.config != want.config || !same(got.coef, want.coef) || !same(got.single, want.single) ||
		!slices.Equal(got.index, want.index) || !slices.Equal(got.long, want.long) || !slices.Equal(got.names, want.names) {
		t.Errorf("read %+v, want %+v", got, want)
	}
}

func TestRoundTrip(t *testing.T) {
	want := newLeaf()
	path := filepath.Join(t.TempDir(), "m.gram")
	must.Do(t, Save(path, tree{want, want}))
	b := must.Have(os.ReadFile(path))(t)
	if h := binary.LittleEndian.Uint64(b); (8+h)%alignment != 0 {
		t.Errorf("data start at %d", 8+h)
	}
	for name, open := range map[string]func() (*File, error){
		"Read":     func() (*File, error) { return Read(bytes.NewReader(b)) },
		"slow":     func() (*File, error) { return Read(iotest.OneByteReader(bytes.NewReader(b))) },
		"ReadFile": func() (*File, error) { return ReadFile(path) },
		"Map":      func() (*File, error) { return Map(path) },
	} {
		f, err := open()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if f.Method() != "tree" {
			t.Errorf("%s: method %q", name, f.Method())
		}
		var c struct{ Leaves int }
		if v, err := f.Header("tree", 4, &c); err != nil || v != 3 || c.Leaves != 2 {
			t.Errorf("%s: version %d, config %v, %v", name, v, c, err)
		}
		for _, part := range []string{"leaf.0", "leaf.1"} {
			s := must.Have(f.Sub(part))(t)
			got := must.Have(decodeLeaf(s))(t)
			sameLeaf(t, got, want)
			if s.Close() != nil || !s.Has("coef") || s.Has("leaf.0") || !f.HasSub(part) || !slices.Equal(s.Shape("points"), []int{2, 3}) {
				t.Errorf("%s: %v", part, s.Names())
			}
		}
		if _, err := f.Sub("leaf.2"); !isFormat(err) {
			t.Errorf("%s: missing part: %v", name, err)
		}
		if err := f.Verify(); err != nil {
			t.Error(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestEmptyArrays(t *testing.T) {
	want := &leaf{version: 1, points: &mat.Dense{}, tags: &sparse.CSR{Ptr: []int{0}, Val: []float64{}}, ones: &sparse.CSR{D: 4, Ptr: []int{0}}}
	f := must.Have(Read(bytes.NewReader(encode(t, want))))(t)
	for _, name := range []string{"coef", "single", "index", "long"} {
		if s := f.Shape(name); !slices.Equal(s, []int{0}) {
			t.Errorf("%s has shape %v", name, s)
		}
	}
	if x, err := f.Dense("points", -1, -1); err != nil || !x.IsEmpty() {
		t.Errorf("points: %v", err)
	}
	if x, err := f.csr("ones"); err != nil || x.D != 4 || x.N != 0 || x.Val != nil {
		t.Errorf("ones: %v, %v", x, err)
	}
	if x, err := f.csr("tags"); err != nil || x.Val == nil {
		t.Errorf("tags: %v, %v", x, err)
	}
	if s, err := f.Strings("names"); err != nil || len(s) != 0 {
		t.Errorf("names: %q, %v", s, err)
	}
}

func TestStridesAndViews(t *testing.T) {
	x := mat.NewDense(4, 5, nil)
	for i := range 4 {
		for j := range 5 {
			x.Set(i, j, float64(10*i+j))
		}
	}
	s := &sparse.CSR{N: 3, D: 4, Ptr: []int{0, 1, 2, 3}, Col: []int32{0, 1, 2}, Val: []float64{5, 6, 7}}
	l := newLeaf()
	l.points = x.Slice(1, 3, 1, 4).(*mat.Dense)
	l.tags = s.Slice(1, 3)
	f := must.Have(Read(bytes.NewReader(encode(t, l))))(t)
	if got, err := f.Dense("points", 2, 3); err != nil || !mat.Equal(got, l.points) {
		t.Errorf("points %v, %v", got, err)
	}
	if got, err := f.csr("tags"); err != nil || !mat.Equal(got, l.tags) || got.Ptr[0] != 0 || len(got.Col) != 2 {
		t.Errorf("tags %v, %v", got, err)
	}
}

func isFormat(err error) bool {
	var e *FormatError
	return errors.As(err, &e) && e.Reason != "" && strings.Contains(err.Error(), "byte")
}

// mapped opens a damaged file by Map and reads all of it.
func mapped(path string) error {
	f, err := Map(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Verify()
}

func TestTruncated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	for _, c := range []struct {
		m    Model
		step int
	}{{newLeaf(), 1}, {random{5000}, 97}, {tree{newLeaf(), newLeaf()}, 97}} {
		b := encode(t, c.m)
		if testing.Short() {
			c.step *= 13
		}
		must.Do(t, os.WriteFile(path, b, 0o600))
		must.Do(t, mapped(path))
		whole := must.Have(Read(bytes.NewReader(b)))(t)
		for n := (len(b) - 1) / c.step * c.step; n >= 0; n -= c.step {
			must.Do(t, os.Truncate(path, int64(n)))
			_, err := Read(bytes.NewReader(b[:n]))
			_, known := ReadFile(path)
			for _, err := range []error{err, known, mapped(path)} {
				var e *FormatError
				if !errors.As(err, &e) || e.Offset > int64(n) {
					t.Fatalf("cut at %d of %d: %v", n, len(b), err)
				}
				cut := whole.c.arrays[e.Array]
				if cut == nil != (int64(n) < whole.c.base) {
					t.Fatalf("cut at %d of %d, the arrays begin at %d: %v", n, len(b), whole.c.base, err)
				}
				for name, a := range whole.c.arrays {
					if cut != nil && whole.c.base+a.hi > int64(n) && a.lo < cut.lo {
						t.Fatalf("cut at %d of %d: %v, but %s is cut before", n, len(b), err, name)
					}
				}
			}
		}
		for _, extra := range []int{1, 8, 1000} {
			long := append(slices.Clone(b), make([]byte, extra)...)
			must.Do(t, os.WriteFile(path, long, 0o600))
			_, err := Read(bytes.NewReader(long))
			if m := mapped(path); !isFormat(err) || !isFormat(m) {
				t.Errorf("%d bytes more: %v, %v", extra, err, m)
			}
		}
	}
}

// An array of a mapped file is checked when it is first read, and each time after that a damaged one is an error.
func TestMappedDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	b := encode(t, newLeaf())
	whole := must.Have(Read(bytes.NewReader(b)))(t)
	read := map[string]func(f *File, name string) error{
		"F64": func(f *File, name string) error { _, err := f.Float64(name); return err },
		"F32": func(f *File, name string) error { _, err := f.Float32(name); return err },
		"I64": func(f *File, name string) error { _, err := f.int64s(name); return err },
		"I32": func(f *File, name string) error { _, err := f.int32s(name); return err },
		"U8":  func(f *File, name string) error { _, err := f.Strings(name); return err },
	}
	for name, a := range whole.c.arrays {
		if a.hi == a.lo {
			continue
		}
		c := slices.Clone(b)
		c[whole.c.base+a.lo] ^= 1
		must.Do(t, os.WriteFile(path, c, 0o600))
		f := must.Have(Map(path))(t)
		for range 2 {
			var e *FormatError
			if err := read[a.dtype](f, name); !errors.As(err, &e) || e.Array != name || !strings.Contains(e.Reason, "damaged") {
				t.Errorf("%s, %s: %v", name, a.dtype, err)
			}
		}
		must.Do(t, f.Close())
	}
}

func TestFlipped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	b := encode(t, newLeaf())
	file := must.Have(os.Create(path))(t)
	defer file.Close()
	must.Have(file.Write(b))(t)
	h := int(binary.LittleEndian.Uint64(b)) + 8
	for i := range b {
		for bit := range 8 {
			if bit != i%8 && testing.Short() {
				continue
			}
			c := slices.Clone(b)
			c[i] ^= 1 << bit
			_, err := Read(bytes.NewReader(c))
			var e *FormatError
			if !errors.As(err, &e) {
				t.Fatalf("byte %d, bit %d flipped: %v", i, bit, err)
			}
			if i >= h && (e.Array == "" || e.Offset > int64(i)) {
				t.Fatalf("byte %d is in an array, the error says %v", i, err)
			}
		}
		if i%13 != 0 && testing.Short() {
			continue
		}
		for k, v := range []byte{^b[i], b[i]} {
			must.Have(file.WriteAt([]byte{v}, int64(i)))(t)
			if err := mapped(path); (k == 0) != isFormat(err) {
				t.Fatalf("byte %d is %#x: %v", i, v, err)
			}
		}
	}
}

// build makes a file from any JSON whose metadata lacks the checksum: it adds
// a valid checksum of the header, and one of an array wherever the JSON says
// SUM.
func build(entries, meta string, data []byte) []byte {
	meta = strings.ReplaceAll(meta, "SUM", fmt.Sprintf("%08x", crc32.Checksum(data, castagnoli)))
	head := []byte(prologue + zeroSum + epilogue + meta + "}" + entries + "}")
	for (8+len(head))%alignment != 0 {
		head = append(head, ' ')
	}
	copy(head[len(prologue):], fmt.Sprintf("%08x", crc32.Checksum(head, castagnoli)))
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...), data...)
}

func TestHostileHeaders(t *testing.T) {
	const meta = `,"format":"gram 1","method":"m","version":"1","config":"{}","checksum:x":"SUM"`
	data := make([]byte, 16)
	if _, err := Read(bytes.NewReader(build(`,"x":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}`, meta, data))); err != nil {
		t.Fatalf("the harmless header: %v", err)
	}
	for _, c := range []struct{ entries, meta, want string }{
		{`,"x":{"dtype":"F64","shape":[1152921504606846976],"data_offsets":[0,9223372036854775807]}`, meta, "too far"},
		{`,"x":{"dtype":"F64","shape":[1152921504606846975],"data_offsets":[0,9223372036854775800]}`, meta, "too far"},
		{`,"x":{"dtype":"F64","shape":[4611686018427387904,4],"data_offsets":[0,16]}`, meta, "shape"},
		{`,"x":{"dtype":"F64","shape":[1125899906842624],"data_offsets":[0,9007199254740992]}`, meta, "ends here"},
		{`,"x":{"dtype":"F64","shape":[3],"data_offsets":[0,16]}`, meta, "shape"},
		{`,"x":{"dtype":"F64","shape":[-2],"data_offsets":[0,16]}`, meta, "shape"},
		{`,"x":{"dtype":"F64","shape":[2],"data_offsets":[-16,0]}`, meta, "data_offsets"},
		{`,"x":{"dtype":"F64","shape":[2],"data_offsets":[16]}`, meta, "data_offsets"},
		{`,"x":{"dtype":"F64","shape":[1],"data_offsets":[8,16]}`, meta, "starts at 8"},
		{`,"x":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}`, meta, "goes on"},
		{`,"x":{"dtype":"F16","shape":[8],"data_offsets":[0,16]}`, meta, "type"},
		{`,"x":{"dtype":"F64","shape":"2","data_offsets":[0,16]}`, meta, "entry"},
		{`,"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"y":{"dtype":"U8","shape":[12],"data_offsets":[4,16]}`, meta, "checksum"},
		{`,"x":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}`, strings.Replace(meta, "gram 1", "gram 2", 1), `"gram 2"`},
		{`,"x":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}`, meta + `,"k":3`, "strings"},
		{`,"x":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}`, strings.Replace(meta, "SUM", "00000000", 1), "damaged"},
		{`,"x":{`, meta, "JSON"},
		{`,"x":{"dtype":"F64","shape":[2],"data_offsets":[0,16]},"\u0078":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}`, meta, "twice"},
		{`,"x":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}`, meta + `,"method":"m"`, "twice"},
		{`,"x":{"dtype":"F32","shape":[2],"data_offsets":[0,16],"dtype":"F64"}`, meta, "twice"},
		{`,"x":{"dtype":"F64","shape":[2],"data_offsets":[0,16],"Shape":[1]}`, meta, "unknown"},
		{`,"x":{"dtype":"F64","shape":[2]}`, meta, "entry"},
		{`,"x":7`, meta, "entry"},
		{`,"x":null`, meta, "entry"},
	} {
		if strconv.IntSize == 32 && (c.want == "too far" || c.want == "ends here") {
			c.want = "entry" // its shape is beyond an int
		}
		_, err := Read(bytes.NewReader(build(c.entries, c.meta, data)))
		if !isFormat(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", c.entries, err, c.want)
		}
	}
	overlap := `,"x":{"dtype":"F64","shape":[2],"data_offsets":[0,16]},"y":{"dtype":"F64","shape":[1],"data_offsets":[8,16]}`
	if _, err := Read(bytes.NewReader(build(overlap, meta+`,"checksum:y":"00000000"`, data))); !isFormat(err) {
		t.Errorf("overlapping arrays: %v", err)
	}
	odd := `,"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"y":{"dtype":"F64","shape":[1],"data_offsets":[4,12]},"z":{"dtype":"U8","shape":[4],"data_offsets":[12,16]}`
	if _, err := Read(bytes.NewReader(build(odd, meta+`,"checksum:y":"00000000","checksum:z":"00000000"`, data))); !isFormat(err) || !strings.Contains(err.Error(), "aligned") {
		t.Errorf("unaligned array: %v", err)
	}
	// A length that exceeds the input is not allocated.
	claim := build(`,"x":{"dtype":"F64","shape":[137438953472],"data_offsets":[0,1099511627776]}`, meta, data)
	if n := testing.AllocsPerRun(1, func() { _, _ = Read(bytes.NewReader(claim)) }); n > 1000 {
		t.Errorf("%v allocations", n)
	}
}

func TestHeaderErrors(t *testing.T) {
	l := newLeaf()
	l.version = 2
	f := must.Have(Read(bytes.NewReader(encode(t, l))))(t)
	var c settings
	for _, k := range []struct {
		method string
		newest int
		config any
		want   string
	}{
		{"leaf", 1, &c, "version 2 of leaf; this program reads up to version 1"},
		{"tree", 9, &c, `of method "leaf", not "tree"`},
		{"leaf", 2, &struct{ Lambda float64 }{}, "unknown field"},
		{"leaf", 2, new(int), "cannot be read"},
	} {
		_, err := f.Header(k.method, k.newest, k.config)
		if !isFormat(err) || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%v: %v", k, err)
		}
		if at := (*FormatError)(nil); errors.As(err, &at) && at.Offset != 8 { // behind the length of the header
			t.Errorf("%v: at byte %d", k, at.Offset)
		}
	}
	if v, err := f.Header("leaf", 2, nil); v != 2 || err != nil {
		t.Errorf("version %d, %v", v, err)
	}
	for name, err := range map[string]error{
		"missing":    second(f.Float64("nope")),
		"type":       second(f.Float32("coef")),
		"length":     second(f.Float64("coef", 4)),
		"dimensions": second(f.Float64("coef", 5, 1)),
		"rows":       second(f.Dense("points", 3, -1)),
		"strings":    second(f.Strings("coef")),
		"csr":        second(f.csr("coef")),
	} {
		if !isFormat(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := f.Errorf("coef", "is %d", 3); !strings.Contains(err.Error(), "coef") || !strings.Contains(err.Error(), "is 3") {
		t.Error(err)
	}
	twice := must.Have(Read(bytes.NewReader(build("", `,"format":"gram 1","method":"m","version":"1","config":"{\"Lambda\":1,\"Lambda\":2}"`, nil))))(t)
	if _, err := twice.Header("m", 1, &c); !isFormat(err) || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a setting that is there twice: %v", err)
	}
	l.config.Lambda = math.NaN()
	if err := Write(io.Discard, l); err == nil {
		t.Error("NaN among the settings was written")
	}
}

func second[T any](_ T, err error) error { return err }

// A nested model may lack its header although there are arrays under its
// prefix.
func TestPartWithoutHeader(t *testing.T) {
	f := must.Have(Read(bytes.NewReader(encode(t, encoder(func(w *Writer) error {
		w.Sub("a").Float64("x", []float64{1})
		return w.Header("m", 1, nil)
	})))))(t)
	s := must.Have(f.Sub("a"))(t)
	if _, err := s.Header("m", 1, nil); !isFormat(err) || s.Method() != "" {
		t.Error(err)
	}
}

type encoder func(w *Writer) error

func (e encoder) Encode(w *Writer) error { return e(w) }

func TestBadCSR(t *testing.T) {
	for name, x := range map[string]*sparse.CSR{
		"descending columns": {N: 1, D: 4, Ptr: []int{0, 2}, Col: []int32{3, 1}},
		"column beyond D":    {N: 1, D: 4, Ptr: []int{0, 1}, Col: []int32{4}},
	} {
		f := must.Have(Read(bytes.NewReader(encode(t, encoder(func(w *Writer) error {
			w.csr("x", x)
			return w.Header("m", 1, nil)
		})))))(t)
		if _, err := f.csr("x"); !isFormat(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBadStrings(t *testing.T) {
	for _, ends := range [][]int64{{2, 1, 3}, {4}, {1}, {-1, 3}} {
		f := must.Have(Read(bytes.NewReader(encode(t, encoder(func(w *Writer) error {
			add(w, "x", "U8", []byte("abc"), nil)
			w.int64s("x.ends", ends)
			return w.Header("m", 1, nil)
		})))))(t)
		if s, err := f.Strings("x"); !isFormat(err) {
			t.Errorf("ends %v: %q, %v", ends, s, err)
		}
	}
}

func TestWriterPanics(t *testing.T) {
	for name, e := range map[string]encoder{
		"modelfile: a name is used twice": func(w *Writer) error {
			w.Float64("x", nil)
			w.int32s("x", nil)
			return w.Header("m", 1, nil)
		},
		"modelfile: the shape does not fit the data": func(w *Writer) error {
			w.Float64("x", make([]float64, 6), 2, 2)
			return nil
		},
		"modelfile: a name may only hold letters, digits, '_', '-' and '.'": func(w *Writer) error {
			w.Float64("a/b", nil)
			return nil
		},
		"modelfile: models are nested too deeply": func(w *Writer) error {
			for range maxDepth + 1 {
				w = w.Sub("a")
			}
			return nil
		},
		"modelfile: empty name":                func(w *Writer) error { w.Sub(""); return nil },
		"modelfile: reserved name":             func(w *Writer) error { w.Sub("__metadata__"); return nil },
		"modelfile: version is not positive":   func(w *Writer) error { return w.Header("m", 0, nil) },
		"modelfile: the model wrote no header": func(w *Writer) error { return nil },
	} {
		dir := t.TempDir()
		if p := must.Recovered(func() { _ = Save(filepath.Join(dir, "m"), e) }); p != name {
			t.Errorf("recovered %v, want %q", p, name)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("%s: left %v", name, left)
		}
	}
}

func TestSaveKeepsOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	must.Do(t, Save(path, newLeaf()))
	boom := errors.New("boom")
	if err := Save(path, encoder(func(*Writer) error { return boom })); !errors.Is(err, boom) {
		t.Error(err)
	}
	f := must.Have(ReadFile(path))(t)
	if _, err := decodeLeaf(f); err != nil {
		t.Error(err)
	}
	if _, err := ReadFile(path + ".no"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Map(path + ".no"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Map(filepath.Dir(path)); err == nil {
		t.Error("mapped a directory")
	}
}

func TestReadErrorIsKept(t *testing.T) {
	b := encode(t, random{1000})
	boom := errors.New("boom")
	for _, n := range []int64{0, 5, 8, 100, 300, int64(len(b))} {
		_, err := Read(io.MultiReader(io.LimitReader(bytes.NewReader(b), n), iotest.ErrReader(boom)))
		if !errors.Is(err, boom) {
			t.Errorf("input fails after %d bytes: %v", n, err)
		}
	}
}

func TestClosedPanics(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	must.Do(t, Save(path, newLeaf()))
	f := must.Have(Map(path))(t)
	if f.c.close == nil {
		t.Skip("files are not mapped here")
	}
	must.Do(t, f.Close())
	if must.Recovered(func() { _, _ = f.Float64("coef") }) == nil {
		t.Error("no panic")
	}
}

// The code for machines of the other byte order gives the same file.
func TestOtherByteOrder(t *testing.T) {
	x := []float64{1, math.Pi, -2}
	b := littleEndian(x, false)
	if !bytes.Equal(b, littleEndian(x, hostLittle)) {
		t.Errorf("% x", b)
	}
	if got := view[float64](b, false); !slices.Equal(got, x) {
		t.Errorf("%v", got)
	}
	i := []int32{-1, 7}
	if got := view[int32](littleEndian(i, false), false); !slices.Equal(got, i) {
		t.Errorf("%v", got)
	}
}

func TestGolden(t *testing.T) {
	const path = "testdata/tree-v3.gram"
	want := newLeaf()
	m := tree{want, want}
	if *update {
		must.Do(t, Save(path, m))
	}
	golden := must.Have(os.ReadFile(path))(t)
	if !bytes.Equal(encode(t, m), golden) {
		t.Error("the writer's bytes differ from the golden file")
	}
	f := must.Have(ReadFile(path))(t)
	s := must.Have(f.Sub("leaf.1"))(t)
	got := must.Have(decodeLeaf(s))(t)
	sameLeaf(t, got, want)
}

// The header follows the rules of safetensors: it is a JSON object,
// __metadata__ has only strings, and the arrays cover the data without holes.
func TestSafetensors(t *testing.T) {
	b := encode(t, tree{newLeaf()})
	h := binary.LittleEndian.Uint64(b)
	var head map[string]struct {
		Dtype   string   `json:"dtype"`
		Shape   []int64  `json:"shape"`
		Offsets [2]int64 `json:"data_offsets"`
	}
	var raw map[string]json.RawMessage
	must.Do(t, json.Unmarshal(b[8:8+h], &raw))
	var meta map[string]string
	must.Do(t, json.Unmarshal(raw["__metadata__"], &meta))
	delete(raw, "__metadata__")
	rest, _ := json.Marshal(raw)
	must.Do(t, json.Unmarshal(rest, &head))
	covered := make([]bool, len(b)-8-int(h))
	for name, e := range head {
		n := sizes[e.Dtype]
		for _, s := range e.Shape {
			n *= s
		}
		if n != e.Offsets[1]-e.Offsets[0] {
			t.Errorf("%s: %+v", name, e)
		}
		for i := e.Offsets[0]; i < e.Offsets[1]; i++ {
			if covered[i] {
				t.Fatalf("%s overlaps another array at %d", name, i)
			}
			covered[i] = true
		}
	}
	if slices.Contains(covered, false) {
		t.Error("the data have holes")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(encode(f, newLeaf()))
	f.Add(encode(f, tree{newLeaf()}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := Read(bytes.NewReader(b))
		if err != nil {
			if !isFormat(err) {
				t.Fatal(err)
			}
			return
		}
		useAll(file)
	})
}

// FuzzHeader corrects the checksums, so that the fuzzer gets past them.
func FuzzHeader(f *testing.F) {
	const meta = `,"format":"gram 1","method":"m","version":"1","config":"{}","checksum:x":"SUM"`
	f.Add(`,"x":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}`, meta, make([]byte, 16))
	f.Add(`,"x":{"dtype":"U8","shape":[2,8],"data_offsets":[0,16]}`, meta, make([]byte, 16))
	f.Add(`,"x.ends":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},"x":{"dtype":"U8","shape":[0],"data_offsets":[8,8]}`,
		meta+`,"checksum:x.ends":"SUM"`, make([]byte, 8))
	f.Fuzz(func(t *testing.T, entries, meta string, data []byte) {
		file, err := Read(bytes.NewReader(build(entries, meta, data)))
		if err != nil {
			if !isFormat(err) {
				t.Fatal(err)
			}
			return
		}
		useAll(file)
	})
}

func useAll(f *File) {
	for _, name := range f.Names() {
		_, _ = f.Float64(name)
		_, _ = f.Float32(name, -1)
		_, _ = f.int64s(name)
		_, _ = f.int32s(name)
		_, _ = f.ints(name, -1)
		_, _ = f.Strings(name)
		_, _ = f.Dense(name, -1, -1)
		_, _ = f.csr(strings.TrimSuffix(name, ".ptr"))
	}
	_, _ = f.Header("m", 1, new(map[string]any))
	_, _ = f.Sub("leaf.0")
}

// numbers is a model with a model inside it.
type numbers struct {
	a     []float64
	b     []float32
	inner *numbers
}

func (m numbers) Encode(w *Writer) error {
	w.Float64("a", m.a)
	w.Sub("part").Float32("b", m.b)
	if m.inner != nil {
		if err := m.inner.Encode(w.Sub("model")); err != nil {
			return err
		}
	}
	return w.Header("numbers", 1, struct{}{})
}

// Expect checks the numbers of the model and of its parts, not those of a
// model inside it.
func TestExpect(t *testing.T) {
	nan, inf := math.NaN(), float32(math.Inf(-1))
	huge := []float64{math.MaxFloat64, -math.SmallestNonzeroFloat64, 0, -math.MaxFloat64}
	small := []float32{math.MaxFloat32, -math.SmallestNonzeroFloat32, 0}
	for _, c := range []struct {
		name string
		m    numbers
		want string // the array at fault
		free []string
	}{
		{"finite", numbers{huge, small, nil}, "", nil},
		{"NaN", numbers{[]float64{1, nan}, small, nil}, "a", nil},
		{"NaN, allowed", numbers{[]float64{1, nan}, small, nil}, "", []string{"a"}},
		{"another is allowed", numbers{[]float64{1, nan}, small, nil}, "a", []string{"part/b"}},
		{"infinity in a part", numbers{huge, []float32{0, inf}, nil}, "part/b", nil},
		{"in the model inside", numbers{huge, small, &numbers{[]float64{nan}, nil, nil}}, "", nil},
	} {
		f := must.Have(Read(bytes.NewReader(encode(t, c.m))))(t)
		err := f.Expect("numbers", 1, &struct{}{}, c.free...)
		var fe *FormatError
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &fe) || fe.Array != c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := f.Expect("others", 1, &struct{}{}); err == nil {
			t.Errorf("%s: another method is accepted", c.name)
		}
		if c.m.inner == nil {
			continue
		}
		sub := must.Have(f.Sub("model"))(t)
		if err := sub.Expect("numbers", 1, &struct{}{}); !errors.As(err, &fe) || fe.Array != "model/a" {
			t.Errorf("%s: the model itself: %v", c.name, err)
		}
	}
}

type matrix struct{ r, c int }

func (m matrix) Encode(w *Writer) error {
	w.Float64("x", make([]float64, m.r*m.c), m.r, m.c)
	return w.Header("matrix", 1, struct{}{})
}

func TestMatrix(t *testing.T) {
	for _, c := range []struct {
		m    matrix
		r, c int
		ok   bool
	}{{matrix{2, 3}, -1, 3, true}, {matrix{2, 3}, 3, -1, false}, {matrix{0, 3}, -1, 3, false}, {matrix{2, 0}, 2, 0, false}} {
		f := must.Have(Read(bytes.NewReader(encode(t, c.m))))(t)
		x, err := f.Matrix("x", c.r, c.c)
		var fe *FormatError
		if c.ok && (err != nil || x.RawMatrix().Rows != c.m.r || x.RawMatrix().Cols != c.m.c) || !c.ok && (!errors.As(err, &fe) || fe.Array != "x") {
			t.Errorf("%v as %d×%d: %v", c.m, c.r, c.c, err)
		}
	}
}
