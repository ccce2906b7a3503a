package algotest

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// weightedProblem returns a problem with weights 0, 1, 2 and 3.
func weightedProblem() Data {
	d := Problem(12, 90, 4, 3)
	for i := range d.Weights {
		d.Weights[i] = float64((i * 7 / 3) % 4)
	}
	return d
}

// apart returns weighted with its rows in three groups that any partition finds,
// each with rows of all classes.
func apart() Data {
	d := weightedProblem()
	for i := range d.Weights {
		row := d.X.(*mat.Dense).RawRowView(i)
		row[i/3%3] += 12
	}
	return d
}

// pick returns the rows of d with the given numbers, with their targets and
// weights.
func (d Data) pick(rows []int) Data {
	_, cols := d.X.Dims()
	x := mat.NewDense(len(rows), cols, nil)
	p := Data{X: x, Labels: d.Labels, Tags: d.Tags.Select(rows)}
	p.Labels.Class = nil
	for k, i := range rows {
		for j := range cols {
			x.Set(k, j, d.X.At(i, j))
		}
		p.Value, p.Weights = append(p.Value, d.Value[i]), append(p.Weights, d.Weights[i])
		p.Labels.Class = append(p.Labels.Class, d.Labels.Class[i])
	}
	return p
}

// near fails the test if two outputs differ by more than tol times the largest
// number of the second, or times one.
func near(t *testing.T, what string, got, want *mat.Dense, tol float64) {
	t.Helper()
	gr, gc := got.Dims()
	wr, wc := want.Dims()
	if gr != wr || gc != wc {
		t.Fatalf("%s: %d×%d, want %d×%d", what, gr, gc, wr, wc)
	}
	var diff mat.Dense
	diff.Sub(got, want)
	if off, size := largest(&diff), 1+largest(want); !(off <= tol*size) {
		t.Errorf("%s: the output differs by %.3g, numbers in it are up to %.3g", what, off, size)
	}
}

func largest(m *mat.Dense) float64 {
	var most float64
	for _, v := range m.RawMatrix().Data {
		if !(math.Abs(v) <= most) {
			most = math.Abs(v)
		}
	}
	return most
}

// weights checks the meaning of weights. A fit with rows of weight zero is the fit
// without them, with the same bits, and other weights give another model. With the settings of s.Exact, under which the result depends on no random draw, a
// row of weight 2 also counts as two rows, and rows may be reordered. A method without
// such settings says in s.Unequal why not.
func (s Subject) weights(t *testing.T) {
	if (s.Exact == nil) != (s.Unequal != "") {
		t.Error("either weights are repetitions under some settings, Exact, or Unequal says why not")
	}
	x := Problem(13, 60, 4, 3).X
	d, changed, ones := weightedProblem(), weightedProblem().changed(), weightedProblem()
	for i := range ones.Weights {
		ones.Weights[i] = 1
	}
	m := s.fit(t, d, run)
	if s.Decode != nil && bytes.Equal(s.bytes(t, m), s.bytes(t, s.fit(t, ones, run))) {
		t.Error("the model does not depend on the weights")
	}
	tol := max(s.WeightTol, 1e-8)
	without := d.pick(d.kept())
	same(t, "without rows of weight zero", s.fit(t, without, run).Output(x), m.Output(x))
	same(t, "other rows of weight zero", s.fit(t, changed, run).Output(x), m.Output(x))
	if s.Halved != nil {
		twice := weightedProblem()
		for i := range twice.Weights {
			twice.Weights[i] *= 2
		}
		near(t, "twice the weights of half the loss", Subject{Fit: s.Halved}.fit(t, twice, run).Output(x), m.Output(x), tol)
	}
	d.X, without.X = sparse.FromDense(d.X), sparse.FromDense(without.X)
	same(t, "without sparse rows of weight zero", s.fit(t, without, run).Output(x), s.fit(t, d, run).Output(x))
	s.mostlyZero(t)
	if s.Exact == nil {
		return
	}
	exact := func(d Data) *mat.Dense {
		t.Helper()
		out := Subject{Fit: s.Exact}.fit(t, d, run).Output(x)
		if s.Kind == Unsupervised { // features may be rotated
			var g mat.Dense
			g.Mul(out, out.T())
			return &g
		}
		return out
	}
	d = apart()
	x = d.X
	var repeated []int
	for i, w := range d.Weights {
		for range int(w) {
			repeated = append(repeated, i)
		}
	}
	copies := d.pick(repeated)
	copies.Weights = nil
	want := exact(d)
	near(t, "rows of weight 2 twice, of weight 0 not", exact(copies), want, tol)
	near(t, "rows in another order", exact(d.pick(rng.New(3, 0).Perm(90))), want, tol)
	near(t, "other rows of weight zero", exact(d.changed()), want, tol)
	d.Weights = nil
	var diff mat.Dense
	diff.Sub(exact(d), want)
	if !(largest(&diff) > 100*tol*(1+largest(want))) {
		t.Errorf("without weights the output differs by %.3g, which the test cannot tell from rounding", largest(&diff))
	}
}

// mostlyZero compares fits with hardly any rows of another weight than 0 with fits without the others: a class
// that has none, few rows, and a single one. If one of the two fits is an error, so is the other.
func (s Subject) mostlyZero(t *testing.T) {
	x := Problem(13, 60, 4, 3).X
	for what, keep := range map[string]func(i int) bool{
		"two classes": func(i int) bool { return i%3 < 2 },
		"seven rows":  func(i int) bool { return i%13 == 4 },
		"one row":     func(i int) bool { return i == 41 },
	} {
		d := weightedProblem()
		for i := range d.Weights {
			d.Weights[i]++
			if !keep(i) {
				d.Weights[i] = 0
			}
		}
		got, err := s.Fit(t.Context(), d, run)
		if config := (*gram.ConfigError)(nil); errors.As(err, &config) {
			continue // settings for as many rows as there are
		}
		want, other := s.Fit(t.Context(), d.pick(d.kept()), run)
		if (err == nil) != (other == nil) || (got == nil) != (want == nil) {
			t.Errorf("%s with a weight: error %v, without the others %v", what, err, other)
		} else if got != nil {
			same(t, what+" with a weight", got.Output(x), want.Output(x))
		}
	}
}

// kept returns the rows that have a weight.
func (d Data) kept() []int {
	var index []int
	for i, w := range d.Weights {
		if w != 0 {
			index = append(index, i)
		}
	}
	return index
}

// changed returns d with other rows of weight zero.
func (d Data) changed() Data {
	d = d.pick(all(len(d.Weights)))
	for i, w := range d.Weights {
		if w != 0 {
			continue
		}
		d.Value[i] *= -3
		d.Labels.Class[i] = (d.Labels.Class[i] + 1) % 3
		row := d.X.(*mat.Dense).RawRowView(i)
		for j, v := range row {
			row[j] = -v
		}
	}
	return d
}

// all returns 0, …, n−1.
func all(n int) []int {
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	return index
}
