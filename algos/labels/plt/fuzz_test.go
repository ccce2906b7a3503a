package plt

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// small returns the integers −128 to 127 that a fuzzer's bytes stand for, so that most of them are numbers of small arrays.
func small(b []byte) []int32 {
	v := make([]int32, len(b))
	for i, u := range b {
		v[i] = int32(int8(u))
	}
	return v
}

// bytesFor is the inverse of small.
func bytesFor(v []int32) []byte {
	b := make([]byte, len(v))
	for i, u := range v {
		b[i] = byte(u)
	}
	return b
}

// weights returns what a fuzzer's bytes stand for as weights.
func weights(b []byte) []float32 {
	v := make([]float32, len(b))
	for i, u := range b {
		v[i] = float32(int8(u)) / 16
	}
	return v
}

// forged are arrays that a file has under the names of those of a model, whatever they hold.
type forged struct {
	method  string
	version int
	config  any
	int32s  map[string][]int32
	floats  map[string][]float32
	size    []int
}

// write describes the arrays in a file whose checksums are right.
func (f *forged) write(x *modelfile.Exchange) {
	x.Header(f.method, f.version, f.config)
	for name, v := range f.int32s {
		x.Int32(name, &v, -1, math.MinInt32, math.MaxInt32)
	}
	for name, v := range f.floats {
		x.Float32(name, &v, -1)
	}
	if f.size != nil {
		x.Ints("size", &f.size, -1, math.MinInt, math.MaxInt)
	}
}

// read returns what form reads from the forged file into empty, or false if it refuses the file, as it may with a *modelfile.FormatError alone.
func read[T any](t *testing.T, f *forged, empty T, form func(v T, x *modelfile.Exchange)) (v T, ok bool) {
	v, err := algotest.Reread(empty, empty, func(_ T, x *modelfile.Exchange) {
		if x.Writing() {
			f.write(x)
		} else {
			form(empty, x)
		}
	})
	if bad := (*modelfile.FormatError)(nil); err != nil && !errors.As(err, &bad) {
		t.Fatal(err)
	}
	return v, err == nil
}

// refusedOr fails unless err is nil or says that pieces do not belong together.
func refusedOr(t *testing.T, err error) (ok bool) {
	if bad := (*gram.ConfigError)(nil); err != nil && !errors.As(err, &bad) {
		t.Fatal(err)
	}
	return err == nil
}

// fuzzed is a fit of few rows in pieces. Its trees have seven labels.
func fuzzed(t testing.TB) (*Pieces, mat.Matrix) {
	x, y := generated(20, 30, 7, 2)
	return must.Have(Config{Leaf: 2, Branch: 2, Passes: 2, Near: gram.Set(1.)}.Pieces(x, y))(t), x
}

// FuzzTree reads trees whose arrays hold any numbers. A tree that is read and has the labels of the rows is as good as one of Divide: its
// functions are learned and the model ranks.
func FuzzTree(f *testing.F) {
	p, x := fuzzed(f)
	good := must.Have(p.Divide(f.Context(), 0, gram.Run{}))(f)
	var parts, sizes []int32
	for _, list := range good.children {
		parts = append(parts, int32(len(list)))
		for _, s := range list {
			sizes = append(sizes, int32(s.hi-s.lo))
		}
	}
	f.Add(bytesFor(good.order), bytesFor(parts), bytesFor(sizes))
	f.Add(bytesFor(good.order), []byte{1, 1, 0}, []byte{7, 7})
	f.Add([]byte{}, []byte{0}, []byte{})
	f.Fuzz(func(t *testing.T, order, parts, sizes []byte) {
		tree, ok := read(t, &forged{method: "plt.tree", version: 1, config: &struct{}{}, int32s: map[string][]int32{
			"order": small(order), "parts": small(parts), "sizes": small(sizes),
		}}, &Tree{}, (*Tree).Exchange)
		if !ok {
			return
		}
		p, _ := fuzzed(t)
		if !refusedOr(t, p.SetTrees(t.Context(), []*Tree{tree})) {
			return
		}
		m, err := p.Join(t.Context(), func(k int) (*Piece, error) { return p.Train(t.Context(), k, gram.Run{}) }, gram.Run{})
		must.Do(t, err)
		m.Top(nil, x, 3)
		must.Have(algotest.Reread(m, &Model{}, (*Model).form))(t)
	})
}

// FuzzPiece reads functions whose arrays hold any numbers. Functions that are read and are as many as those of the tree give a model that ranks.
func FuzzPiece(f *testing.F) {
	begin, x := fuzzed(f)
	tree := must.Have(begin.Divide(f.Context(), 0, gram.Run{}))(f)
	must.Do(f, begin.SetTrees(f.Context(), []*Tree{tree}))
	if begin.Number() != 1 {
		f.Fatalf("%d pieces, want 1", begin.Number())
	}
	all := functions{first: []int32{0}, at: []int32{0}, ptr: []int32{0}}
	for _, c := range must.Have(begin.Train(f.Context(), 0, gram.Run{}))(f).chunks {
		all.add(c)
	}
	none := make([]int32, len(all.column)+1)
	add := func(ptr, which []int32, value []byte) {
		f.Add(bytesFor(all.first), make([]byte, len(all.bias)), bytesFor(all.at), bytesFor(all.column), bytesFor(ptr), bytesFor(which), value)
	}
	if add(none, nil, nil); len(all.which) < 128 {
		add(all.ptr, all.which, make([]byte, len(all.which)))
	}
	f.Add([]byte{0}, []byte{}, []byte{0}, []byte{}, []byte{0}, []byte{}, []byte{})
	f.Fuzz(func(t *testing.T, first, bias, at, column, ptr, which, value []byte) {
		piece, ok := read(t, &forged{
			method: "plt.piece", version: 1, config: &struct{}{},
			int32s: map[string][]int32{"first": small(first), "at": small(at), "column": small(column), "ptr": small(ptr), "which": small(which)},
			floats: map[string][]float32{"bias": weights(bias), "value": weights(value)},
		}, &Piece{}, (*Piece).Exchange)
		if !ok {
			return
		}
		must.Have(algotest.Reread(piece, &Piece{}, (*Piece).Exchange))(t)
		p, _ := fuzzed(t)
		must.Do(t, p.SetTrees(t.Context(), []*Tree{tree}))
		m, err := p.Join(context.Background(), func(int) (*Piece, error) { return piece, nil }, gram.Run{})
		if refusedOr(t, err) {
			m.Top(nil, x, 3)
		}
	})
}

// FuzzModel reads models whose arrays hold any numbers. A model that is read ranks rows.
func FuzzModel(f *testing.F) {
	x, y := generated(20, 30, 7, 2)
	m := must.Have(Config{Leaf: 2, Branch: 2, Cut: gram.Set(100.), Near: gram.Set(0.)}.Fit(f.Context(), x, y))(f)
	m.forest.near = nearby{ptr: make([]int32, m.d+1)} // with no feature
	add := func(m *Model) {
		t := &m.forest
		f.Add(m.cfg.Beam, m.d, m.labels, bytesFor(t.roots), bytesFor(t.first), bytesFor(t.child), make([]byte, len(t.bias)), bytesFor(t.at),
			bytesFor(t.column), bytesFor(t.ptr), bytesFor(t.which), make([]byte, len(t.value)), bytesFor(t.near.ptr), bytesFor(t.near.label))
	}
	add(m)
	for _, which := range [][]int32{{0, 1, 1, 0}, {0, 1, 2, 0}} { // a child that there is not
		add(&Model{cfg: Config{Beam: 1}, d: 2, labels: 3, forest: forest{
			roots: []int32{0, 1}, child: []int32{1, ^0, ^1, ^2},
			functions: functions{first: []int32{0, 2, 4}, bias: make([]float32, 4), at: []int32{0, 2, 3}, column: []int32{0, 1, 1},
				ptr: []int32{0, 2, 3, 4}, which: which, value: make([]float32, 4)},
			near: nearby{ptr: []int32{0, 1, 3}, label: []int32{0, 1, 2}},
		}})
	}
	f.Fuzz(func(t *testing.T, beam, d, labels int, roots, first, child, bias, at, column, ptr, which, value, nearPtr, nearLabel []byte) {
		m, ok := read(t, &forged{
			method: "plt", version: 2, config: &Config{Branch: 2, Beam: beam, Near: gram.Set(1.)}, size: []int{d, labels},
			int32s: map[string][]int32{"roots": small(roots), "first": small(first), "child": small(child), "at": small(at), "column": small(column),
				"ptr": small(ptr), "which": small(which), "near.ptr": small(nearPtr), "near.label": small(nearLabel)},
			floats: map[string][]float32{"bias": weights(bias), "value": weights(value), "near.value": weights(make([]byte, len(nearLabel)))},
		}, &Model{}, (*Model).form)
		if !ok || m.Dim() > 1000 {
			return
		}
		row := mat.NewDense(2, m.Dim(), nil)
		for j := range m.Dim() {
			row.Set(0, j, 1)
		}
		m.Top(nil, row, 3)
		must.Have(m.Program64())(t)
	})
}
