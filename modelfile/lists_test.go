package modelfile

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"
)

// lists is a model with lists in one array and a matrix in single precision.
type lists struct {
	from    []int32
	values  []float32
	r, c    int
	entries int
}

func (l *lists) Encode(w *Writer) error { return Put(w, l) }

func (l *lists) Exchange(x *Exchange) {
	x.Header("lists", 1, &struct{}{})
	l.entries = x.Offsets("from", &l.from, -1)
	x.Matrix32("values", &l.values, &l.r, &l.c)
}

// What is written is read back with its sizes. An offset out of order or a number that
// is not finite is refused with the name of its array, and leaves the model unchanged.
func TestLists(t *testing.T) {
	good := lists{from: []int32{0, 2, 2, 5}, values: []float32{1, 2, 3, 4, 5, 6}, r: 2, c: 3}
	read := func(l lists) (*lists, error) {
		t.Helper()
		var b bytes.Buffer
		if err := Write(&b, &l); err != nil {
			t.Fatal(err)
		}
		f, err := Read(&b)
		if err != nil {
			t.Fatal(err)
		}
		again := &lists{from: []int32{0, 1}}
		x := &Exchange{f: f}
		again.Exchange(x)
		return again, x.err
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
		if !errors.As(err, &fe) || fe.Array != string(bytes.TrimSpace([]byte(name))) {
			t.Errorf("%+v: error %v", l, err)
		}
		if fe != nil && fe.Array == "from" && (!slices.Equal(got.from, []int32{0, 1}) || got.entries != 0) {
			t.Errorf("%+v: refused, but the model has %v", l, got.from)
		}
	}
}
