package dataset

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// fuzzRead checks what must hold for any input: either a *ParseError, or a set
// that is consistent and finite. Format f can write what it has read, and reads
// the same set back.
func fuzzRead(t *testing.T, in []byte, o Options) {
	s, err := Read(bytes.NewReader(in), o)
	if err != nil {
		var e *ParseError
		if !errors.As(err, &e) || e.Reason == "" {
			t.Fatalf("%T %v", err, err)
		}
		return
	}
	valid(t, s)
	f := o.Format
	if f == IDX {
		f = NPY
		o.Format, o.TargetFile = NPY, ""
	}
	if s.Task() == Classes && (f == NPY || f == CSV) {
		for _, name := range s.Labels.Names {
			if _, reason := parseNumber([]byte(name)); reason != "" || strings.TrimSpace(name) != name {
				return
			}
		}
	}
	if f == NPY {
		s.Value, s.Labels.Class, s.Labels.Names = nil, nil, nil
	}
	var b bytes.Buffer
	if err := Write(&b, s, f); err != nil {
		if s.Tags != nil && f == LIBSVM {
			return // a row with neither labels nor features
		}
		t.Fatalf("%v cannot be written: %v", f, err)
	}
	n, d := s.Dims()
	p := Options{Format: f, Task: s.Task(), Dim: d, MaxDim: o.MaxDim}
	if f == CSV {
		p.Dim, p.Comma = 0, ','
	}
	if s.Tags != nil {
		p.Tags = s.Tags.D
	}
	again, err := Read(&b, p)
	if err != nil {
		t.Fatalf("%v wrote what it does not read: %v", f, err)
	}
	if m, e := again.Dims(); m != n || e != d {
		t.Fatalf("%d×%d became %d×%d", n, d, m, e)
	}
	if !reflect.DeepEqual(asSparse(again.X), asSparse(s.X)) || !reflect.DeepEqual(again.Value, s.Value) || !reflect.DeepEqual(again.Labels, s.Labels) {
		t.Fatalf("%v: another set came back: %v %v", f, again, s)
	}
	if s.Tags != nil && !reflect.DeepEqual(again.Tags, s.Tags) {
		t.Fatalf("%v: other tags came back", f)
	}
}

func asSparse(x mat.Matrix) *sparse.CSR {
	if a := gram.CSR(x); a != nil {
		return &sparse.CSR{N: a.N, D: a.D, Ptr: a.Ptr, Col: append([]int32{}, a.Col...), Val: append([]float64{}, a.Val...)}
	}
	a := sparse.FromDense(x)
	return &sparse.CSR{N: a.N, D: a.D, Ptr: a.Ptr, Col: append([]int32{}, a.Col...), Val: append([]float64{}, a.Val...)}
}

func valid(t *testing.T, s *Set) {
	n, d := s.Dims()
	if n < 1 || d < 1 {
		t.Fatalf("%d×%d", n, d)
	}
	if a := gram.CSR(s.X); a != nil {
		must.Do(t, a.Validate())
		for _, v := range a.Val {
			if v == 0 {
				t.Fatal("a zero is stored")
			}
		}
	}
	must.Do(t, gram.Of(s.X).Finite())
	switch s.Task() {
	case Regression:
		must.Do(t, check.Target(s.Value, n))
	case Classes:
		if len(s.Labels.Class) != n {
			t.Fatalf("%d labels", len(s.Labels.Class))
		}
		for _, c := range s.Labels.Class {
			if c < 0 || c >= len(s.Labels.Names) {
				t.Fatalf("class %d", c)
			}
		}
	case MultiLabel:
		if err := s.Tags.Validate(); err != nil || s.Tags.N != n {
			t.Fatal(err)
		}
	}
}

func FuzzLIBSVM(f *testing.F) {
	for _, s := range []string{"+1 1:0.5 3:-2e-3\n-1 2:7\n", "1,3 1:1\n 2:1\n", "# c\n1.5\t9:0\r\n", "1 2147483647:1", "1 qid:2 1:1", "1 1:nan"} {
		f.Add([]byte(s), uint8(0))
		f.Add(compress(f, []byte(s)), uint8(1))
	}
	f.Fuzz(func(t *testing.T, in []byte, task uint8) {
		fuzzRead(t, in, Options{Format: LIBSVM, Task: Task(task % 5)})
	})
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "\"a\",b;c\n1,\"2\"\"\"\n", "a\tb\r\n1\t-2e5\r\n", "a,b\n1,x\n2,y\n", "1,2\n"} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, in []byte, noHeader bool) {
		fuzzRead(t, in, Options{Format: CSV, NoHeader: noHeader, MaxLine: 1 << 12})
	})
}

func FuzzXML(f *testing.F) {
	for _, s := range []string{"2 3 4\n0,2 1:0.5\n 0:1\n", "1 1 1\n0 \n", "1 2147483647 2147483647\n2147483646 2147483646:1\n"} {
		f.Add([]byte(s))
		f.Add(compress(f, []byte(s)))
	}
	f.Fuzz(func(t *testing.T, in []byte) { fuzzRead(t, in, Options{Format: XML}) })
}

func FuzzIDX(f *testing.F) {
	f.Add(idxBytes(8, []uint32{2, 2, 1}, []byte{1, 2, 3, 4}))
	f.Add(idxBytes(0xd, []uint32{1}, []byte{0x3f, 0x80, 0, 0}))
	f.Add(compress(f, idxBytes(0xe, []uint32{1, 1}, make([]byte, 8))))
	f.Fuzz(func(t *testing.T, in []byte) { fuzzRead(t, in, Options{Format: IDX}) })
}

func FuzzNPY(f *testing.F) {
	f.Add(npyBytes(1, dict("<f8", "(1, 2)"), make([]byte, 16)))
	f.Add(npyBytes(2, dict(">i2", "(3,)"), make([]byte, 6)))
	f.Add(npyBytes(3, dict("|u1", "(1, 2, 3)"), make([]byte, 6)))
	f.Fuzz(func(t *testing.T, in []byte) { fuzzRead(t, in, Options{Format: NPY}) })
}

// FuzzDetect reads with the format left open.
func FuzzDetect(f *testing.F) {
	for _, s := range []string{"1 1:1\n", "a,b\n1,2\n", "1 2 3\n0 1:1\n", "\x93NUMPY", "\x00\x00\x08\x01", "\x1f\x8b", "# c\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		s, err := Read(bytes.NewReader(in), Options{MaxLine: 1 << 16})
		var e *ParseError
		if err == nil {
			valid(t, s)
		} else if !errors.As(err, &e) {
			t.Fatalf("%T %v", err, err)
		}
	})
}

// FuzzNumber holds the parser against strconv.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{"1", "-1.5e3", ".5", "9007199254740993", "1e-400", "1_0", "0x1p3", "inf"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, reason := parseNumber([]byte(s))
		w, ok := reference(s)
		if ok != (reason == "") || (ok && math.Float64bits(v) != math.Float64bits(w)) {
			t.Fatalf("%q: %v (%s), want %v (%v)", s, v, reason, w, ok)
		}
	})
}
