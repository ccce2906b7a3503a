package protocol

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Split is a set of training rows with a test part that only it sees. Methods
// that change rows return another Split.
type Split struct {
	sealed
	Train *dataset.Set

	test      *dataset.Set
	seen      string // why the test part is not unseen; empty: it is
	duplicate int    // test rows that are training rows, too
}

// newSplit refuses a test part that is nothing but training rows.
func newSplit(train, test *dataset.Set) (*Split, error) {
	s := &Split{Train: train, test: test, duplicate: duplicates(train.X, test.X)}
	if n, _ := test.Dims(); n > 0 && s.duplicate == n {
		return nil, broken("all %d test rows are training rows", n)
	}
	return s, nil
}

// TestRows is the number of rows that models are scored on.
func (s *Split) TestRows() int {
	n, _ := s.test.Dims()
	return n
}

// with returns a copy of s with these training and test parts.
func (s *Split) with(train, test *dataset.Set) *Split {
	out := *s
	out.Train, out.test = train, test
	return &out
}

// Limited returns the split with at most n training rows, drawn at random;
// n = 0 is no limit.
func (s *Split) Limited(n int, seed uint64) *Split {
	if all, _ := s.Train.Dims(); n > 0 && n < all {
		return s.with(s.Train.Select(dataset.Sample(all, n, seed)), s.test)
	}
	return s
}

// Tested returns the split with at most n test rows, drawn at random.
func (s *Split) Tested(n int, seed uint64) *Split {
	if all := s.TestRows(); n < all {
		return s.with(s.Train, s.test.Select(dataset.Sample(all, n, seed)))
	}
	return s
}

// Opened returns all rows, those for training first, and a split of the same rows
// whose figures publish the reason.
func (s *Split) Opened(reason string) (*dataset.Set, *Split, error) {
	all, err := s.Train.Append(s.test)
	out := s.with(s.Train, s.test)
	out.seen = reason
	return all, out, err
}

// changed returns the split with both parts changed by f, which gets copies.
func (s *Split) changed(f func(d *dataset.Set)) *Split {
	train, test := *s.Train, *s.test
	f(&train)
	f(&test)
	return s.with(&train, &test)
}

// Grouped returns the split with two classes instead of many: the lower half of
// the old ones, in their order, and the upper half.
func (s *Split) Grouped(low, high string) *Split {
	return s.changed(func(d *dataset.Set) {
		old := d.Labels
		d.Labels = gram.Labels{Class: make([]int, len(old.Class)), Names: []string{low, high}}
		for i, c := range old.Class {
			if c >= len(old.Names)/2 {
				d.Labels.Class[i] = 1
			}
		}
	})
}

// Scaled returns the split with the rows of both parts mapped by a scaling that
// is fitted to the training rows.
func (s *Split) Scaled(fit func(x mat.Matrix) (*dataset.Scaling, error)) (*Split, error) {
	by, err := fit(s.Train.X)
	if err != nil {
		return nil, err
	}
	return s.Mapped(by.Apply)
}

// Mapped returns the split with the rows of both parts mapped by f. What f makes
// of a row must not depend on the rows beside it.
func (s *Split) Mapped(f func(x mat.Matrix) mat.Matrix) (*Split, error) {
	train, test := *s.Train, *s.test
	train.X = f(train.X)
	copied := func(x mat.Matrix) mat.Matrix {
		y := f(x)
		defer scrub(y)
		n, _ := y.Dims()
		return dataset.SelectRows(y, firstRows(n))
	}
	var err error
	if test.X, _, err = answer(s, firstRows(s.TestRows()), copied, dataset.SelectRows, sameRows); err != nil {
		return nil, err
	}
	return s.with(&train, &test), nil
}

// firstRows returns the numbers 0 … n−1.
func firstRows(n int) []int { return complement(n, nil) }

// UnitTargets returns the split with all values divided by the largest of the
// training rows.
func (s *Split) UnitTargets() *Split {
	top := slices.Max(s.Train.Value)
	return s.changed(func(d *dataset.Set) {
		d.Value = slices.Clone(d.Value)
		for i := range d.Value {
			d.Value[i] /= top
		}
	})
}

// RMSE scores a model by the root of the mean squared error on the test part.
func (s *Split) RMSE(m gram.Regressor) (Score, error) {
	return s.rmse(m, func(order []int) []float64 { return pick(s.test.Value, order) })
}

// RMSEOf scores a model against f of the test rows instead of their values: the
// function without noise, where the rows are generated.
func (s *Split) RMSEOf(m gram.Regressor, f func(x []float64) float64) (Score, error) {
	return s.rmse(m, func(order []int) (y []float64) {
		_, d := s.test.Dims()
		row := make([]float64, d)
		for _, i := range order {
			gram.Of(s.test.X).CopyRow(row, i)
			y = append(y, f(row))
		}
		return y
	})
}

func (s *Split) rmse(m gram.Regressor, want func(order []int) []float64) (Score, error) {
	order := s.order()
	p, seconds, err := answer(s, order, func(x mat.Matrix) []float64 { return m.Predict(nil, x) }, pick, sameValues)
	if err != nil {
		return Score{}, err
	}
	return s.score(metric.RMSE(p, want(order)), seconds)
}

// Accuracy scores a model by the share of test rows whose class it finds.
func (s *Split) Accuracy(m interface {
	Predict(dst []int, x mat.Matrix) []int
}) (Score, error) {
	order := s.order()
	p, seconds, err := answer(s, order, func(x mat.Matrix) []int { return m.Predict(nil, x) }, pick, slices.Equal)
	if err != nil {
		return Score{}, err
	}
	return s.score(metric.Accuracy(p, pick(s.test.Labels.Class, order)), seconds)
}

// Precision scores a model by the mean share of true labels among the first k of
// a test row, for every k.
func (s *Split) Precision(m gram.Ranker, ks ...int) ([]Score, error) {
	order := s.order()
	top, seconds, err := answer(s, order, func(x mat.Matrix) [][]gram.Scored { return m.Top(nil, x, slices.Max(ks)) }, pick, sameRanks)
	if err != nil {
		return nil, err
	}
	var out []Score
	for _, v := range metric.PrecisionAt(ks, top, s.test.Tags.Select(order)) {
		score, err := s.score(v, seconds)
		if err != nil {
			return nil, err
		}
		out = append(out, score)
	}
	return out, nil
}

// Program scores a program that reads test rows as LIBSVM text, whose labels are
// all the first class, and writes the names of classes, one a line. predict is
// told the name of the file and returns that of the answers.
func (s *Split) Program(ctx context.Context, dir string, predict func(file string) (answers string, err error)) (Score, error) {
	order := s.order()
	rows := s.test.Select(order)
	rows.Labels = gram.Labels{Names: s.test.Labels.Names, Class: make([]int, len(order))}
	file := filepath.Join(dir, "rows.libsvm")
	if err := dataset.Save(ctx, file, rows); err != nil {
		return Score{}, err
	}
	defer os.Remove(file)
	name, err := predict(file)
	if err != nil {
		return Score{}, err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return Score{}, err
	}
	var p []int
	for class := range strings.Lines(string(text)) {
		p = append(p, slices.Index(s.test.Labels.Names, strings.TrimSpace(class)))
	}
	if len(p) != len(order) {
		return Score{}, fmt.Errorf("%s has %d lines for %d rows", name, len(p), len(order))
	}
	return s.score(metric.Accuracy(p, pick(s.test.Labels.Class, order)), 0)
}

// Draw places the test rows in the plane, by the first two columns of what f
// makes of them.
func (s *Split) Draw(f func(x mat.Matrix) *mat.Dense) (*Cloud, error) {
	order := s.order()
	at, _, err := answer(s, order, func(x mat.Matrix) mat.Matrix { return f(x) }, dataset.SelectRows, sameRows)
	if err != nil {
		return nil, err
	}
	names := s.test.Labels.Names
	c := &Cloud{names, make([][]float64, len(names)), make([][]float64, len(names))}
	for i, k := range pick(s.test.Labels.Class, order) {
		c.x[k], c.y[k] = append(c.x[k], at.At(i, 0)), append(c.y[k], at.At(i, 1))
	}
	return c, nil
}

// order is the order in which models see the test rows.
func (s *Split) order() []int { return dataset.Permutation(s.TestRows(), 1) }

// again is the number of test rows that are predicted a second time.
const again = 16

// answer asks predict for the test rows in that order, which takes that long, and
// again for a few of them, the last first. The rows are copies, of which nothing is left afterwards.
func answer[T any](s *Split, order []int, predict func(x mat.Matrix) T, part func(all T, index []int) T, same func(a, b T) bool) (all T, seconds float64, err error) {
	ask := func(rows []int) (T, float64) {
		x := dataset.SelectRows(s.test.X, rows)
		defer scrub(x)
		begin := time.Now()
		out := predict(x)
		return out, time.Since(begin).Seconds()
	}
	var none T
	all, seconds = ask(order)
	if len(order) < 2 {
		return all, seconds, nil
	}
	var few, where []int
	for i := min(again, len(order)-1) - 1; i >= 0; i-- {
		few, where = append(few, order[i]), append(where, i)
	}
	if once, _ := ask(few); !same(part(all, where), once) {
		return none, 0, broken("what is said of a row depends on the rows beside it, or on its place among them")
	}
	return all, seconds, nil
}

// scrub overwrites x with NaN, and the columns of sparse rows with −1, so that who has kept x has nothing.
func scrub(x mat.Matrix) {
	switch x := x.(type) {
	case *mat.Dense:
		for i := range x.RawMatrix().Data {
			x.RawMatrix().Data[i] = math.NaN()
		}
	case *sparse.CSR:
		for i := range x.Col {
			x.Col[i] = -1
		}
		for i := range x.Val {
			x.Val[i] = math.NaN()
		}
	}
}

// pick returns the elements of all at the places in index, in that order.
func pick[T any](all []T, index []int) []T {
	out := make([]T, len(index))
	for i, k := range index {
		out[i] = all[k]
	}
	return out
}

// sameValues allows for the rounding of products of other shapes.
func sameValues(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(v, w float64) bool {
		return v == w || math.Abs(v-w) <= 1e-7*max(1, math.Abs(v), math.Abs(w)) || v != v && w != w
	})
}

func sameRows(a, b mat.Matrix) bool {
	n, d := a.Dims()
	if m, e := b.Dims(); m != n || e != d {
		return false
	}
	v, w := make([]float64, d), make([]float64, d)
	for i := range n {
		gram.Of(a).CopyRow(v, i)
		gram.Of(b).CopyRow(w, i)
		if !sameValues(v, w) {
			return false
		}
	}
	return true
}

func sameRanks(a, b [][]gram.Scored) bool {
	return slices.EqualFunc(a, b, func(v, w []gram.Scored) bool {
		return slices.EqualFunc(v, w, func(s, t gram.Scored) bool { return sameValues([]float64{s.Score}, []float64{t.Score}) })
	})
}

// duplicates counts the rows of test that are rows of train.
func duplicates(train, test mat.Matrix) int {
	hash := func(x gram.Samples[float64], i int) uint64 {
		h := uint64(0)
		x.Each(i, func(j int, v float64) {
			if v != 0 {
				h = (h ^ uint64(j)) * 0x9e3779b97f4a7c15
				h = (h ^ h>>29 ^ math.Float64bits(v)) * 0xbf58476d1ce4e5b9
			}
		})
		return h
	}
	a, b := gram.Of(train), gram.Of(test)
	seen := make(map[uint64]bool, a.N())
	for i := range a.N() {
		seen[hash(a, i)] = true
	}
	count := 0
	for i := range b.N() {
		if seen[hash(b, i)] {
			count++
		}
	}
	return count
}
