package modelfile

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

// lists is a model with lists in one array and a matrix in single precision.
type lists struct {
	from    []int32
	values  []float32
	r, c    int
	entries int
}

func (l *lists) Encode(w *Writer) error { return Put(w, l.form) }

func (l *lists) form(x *Exchange) {
	x.Header("lists", 1, &struct{}{})
	l.entries = x.Offsets("from", &l.from, -1)
	x.Matrix32("values", &l.values, &l.r, &l.c)
}

// What is written is read back with its sizes. An offset out of order or a number that
// is not finite is refused with the name of its array, before it is written and when it is
// read, and leaves the model unchanged.
func TestLists(t *testing.T) {
	good := lists{from: []int32{0, 2, 2, 5}, values: []float32{1, 2, 3, 4, 5, 6}, r: 2, c: 3}
	read := func(l lists) (*lists, error) {
		t.Helper()
		var b bytes.Buffer
		must.Do(t, Write(&b, encoder(func(w *Writer) error {
			w.int32s("from", l.from)
			w.Float32("values", l.values, l.r, l.c)
			return w.Header("lists", 1, struct{}{})
		})))
		f := must.Have(Read(&b))(t)
		again := &lists{from: []int32{0, 1}}
		_, err := Get(f, again, (*lists).form)
		return again, err
	}
	got, err := read(good)
	if err != nil || !slices.Equal(got.from, good.from) || !slices.Equal(got.values, good.values) || got.r != 2 || got.c != 3 || got.entries != 5 {
		t.Errorf("read %+v, %v", got, err)
	}
	for name, l := range map[string]lists{
		"from":   {from: []int32{0, 3, 2}, values: good.values, r: 2, c: 3},
		" from":  {from: []int32{1, 3}, values: good.values, r: 2, c: 3},
		"  from": {values: good.values, r: 2, c: 3},
		"values": {from: good.from, values: []float32{1, float32(math.NaN())}, r: 1, c: 2},
	} {
		var fe *FormatError
		got, err := read(l)
		if !errors.As(err, &fe) || fe.Array != strings.TrimSpace(name) {
			t.Errorf("%+v: error %v", l, err)
		}
		fe = nil
		if err := Write(io.Discard, &l); !errors.As(err, &fe) || fe.Array != strings.TrimSpace(name) || !strings.HasPrefix(err.Error(), "array ") {
			t.Errorf("%+v: written, error %v", l, err)
		}
		if fe != nil && fe.Array == "from" && (!slices.Equal(got.from, []int32{0, 1}) || got.entries != 0) {
			t.Errorf("%+v: refused, but the model has %v", l, got.from)
		}
	}
}

// picky is a model whose Exchange relies on what it has required.
type picky struct{ n []int }

func (p *picky) Encode(w *Writer) error { return Put(w, p.form) }

func (p *picky) form(x *Exchange) {
	x.Header("picky", 1, &struct{}{})
	x.Ints("n", &p.n, -1, 0, 9)
	x.Part("inner", func(x *Exchange) {
		x.Ints("n", &p.n, -1, 0, 9)
		x.Require(!x.Reading() || p.n[0] < 5, "n", "%d is too large", p.n[0])
	})
	x.Require(!x.Reading() || len(p.n) == 2, "n", "%d numbers", len(p.n))
	if x.f != nil {
		p.n[0] = 10 / p.n[1]
	}
}

// What a model requires of its file holds for all that its method Exchange does afterwards.
func TestRequireEndsReading(t *testing.T) {
	for want, n := range map[string][]int{"": {1, 2}, "1 numbers": {1}, "7 is too large": {7, 0}} {
		var b bytes.Buffer
		must.Do(t, Write(&b, &picky{n}))
		f := must.Have(Read(&b))(t)
		if m, err := Get(f, &picky{}, (*picky).form); (want == "") != (err == nil) || err != nil && (!strings.Contains(err.Error(), want) || m != nil) {
			t.Errorf("%v: %v, want %q", n, err, want)
		}
	}
}
