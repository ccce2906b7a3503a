package ldkl

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// The gradient is that of differences, for soft decisions in all coefficients and for hard
// ones in all but the decisions.
func TestGradient(t *testing.T) {
	d := algotest.Problem(3, 30, 4, 3)
	w := make([]float64, 30)
	for i := range w {
		w[i] = float64(1 + i%3)
	}
	c := Config{Depth: 3, C: 2, Ridge: gram.Set(.3), Sigma: .7, Soft: 1, Passes: 1, Batch: 30, Step: .1}
	tr := newTraining(c, gram.Of(d.X), multiclass.Signs(d.Labels.Class, 3), w)
	all := make([]int, 30)
	for i := range all {
		all[i] = i
	}
	for _, sharpness := range []float64{1.5, math.Inf(1)} {
		tr.gradient(all, sharpness)
		g := mat.DenseCopyOf(tr.g)
		lambda := 1 / (c.C * tr.total)
		for r := range tr.rows() {
			if r%(function+tr.k) == decision && (math.IsInf(sharpness, 1) || !tr.inner(r/(function+tr.k))) {
				continue
			}
			for j := range tr.d {
				const h = 1e-6
				v := tr.p.At(r, j)
				tr.p.Set(r, j, v+h)
				up := tr.gradient(all, sharpness)
				tr.p.Set(r, j, v-h)
				down := tr.gradient(all, sharpness)
				tr.p.Set(r, j, v)
				want := (up - down) / (2 * h) * lambda
				if got := g.At(r, j); !(math.Abs(got-want) <= 1e-6*(1+math.Abs(want))) {
					t.Fatalf("sharpness %v, row %d, column %d: %v, by differences %v", sharpness, r, j, got, want)
				}
			}
		}
	}
	tr.p.Zero()
	if tr.gradient(all, math.Inf(1)); tr.work.share[1] != 1 {
		t.Errorf("a row on the plane of a node does not go left, as it does in a prediction: %v", tr.work.share)
	}
}

// The functions are what the definition says, and W is the best one for the tree: a
// primal value that no step along random directions lowers by more than the gap.
func TestBest(t *testing.T) {
	d := algotest.Problem(7, 120, 4, 3)
	m := must.Have(Config{Depth: 3, C: 3, Passes: 5, Tol: 3e-4}.Fit(t.Context(), d.X, d.Labels, nil))(t)
	_, columns := d.X.Dims()
	value := func(p *mat.Dense, i, f int) float64 {
		x := append(mat.Row(nil, i, d.X), 1)
		dot := func(r int) float64 { return mat.Dot(p.RowView(r), mat.NewVecDense(columns+1, x)) }
		var sum float64
		for at := 0; at < m.nodes(); {
			r := at * (2 + m.k)
			sum += math.Tanh(m.cfg.Sigma*dot(r+1)) * dot(r+2+f)
			at = 2*at + 1
			if dot(r) > 0 {
				at++
			}
		}
		return sum
	}
	y := multiclass.Signs(d.Labels.Class, 3)
	primal := func(p *mat.Dense, f int) float64 {
		var sum float64
		for at := range m.nodes() {
			for _, v := range p.RawRowView(at*(2+m.k) + 2 + f) {
				sum += v * v / 2
			}
		}
		for i := range 120 {
			sum += m.cfg.C * max(0, 1-y.At(i, f)*value(p, i, f))
		}
		return sum
	}
	count := make([]int, m.nodes())
	for i, leaf := range m.Leaves(nil, d.X) {
		count[leaf]++
		x := append(mat.Row(nil, i, d.X), 1)
		for leaf > 0 { // back to the root: each node sends the row where it came from
			above := (leaf - 1) / 2
			v := mat.Dot(m.Nodes().RowView(above*(2+m.k)), mat.NewVecDense(columns+1, x))
			if (v > 0) != (leaf%2 == 0) {
				t.Fatalf("row %d does not reach node %d", i, leaf)
			}
			leaf = above
		}
	}
	if got := count[m.nodes()/2:]; !slices.Equal(got, m.Stats().Leaves) {
		t.Errorf("leaves have %v rows, want %v", got, m.Stats().Leaves)
	}
	bad := mat.NewDense(1, columns, nil)
	bad.Set(0, columns-1, math.NaN())
	if got := m.Leaves(nil, bad)[0]; got != -1 {
		t.Errorf("a row with NaN is in leaf %d", got)
	}
	for want, call := range map[string]func(){
		"ldkl: rows of the wrong length":             func() { m.Leaves(nil, mat.NewDense(1, columns-1, nil)) },
		"ldkl: the destination has the wrong length": func() { m.Leaves(make([]int, 2), bad) },
	} {
		if p := must.Recovered(call); p != want {
			t.Errorf("panic %v, want %q", p, want)
		}
	}
	scores := m.Scores(nil, d.X)
	r := rng.New(1, 1)
	for f := range 3 {
		for i := range 120 {
			if want := value(m.Nodes(), i, f); !(math.Abs(scores.At(i, f)-want) <= 1e-12*(1+math.Abs(want))) {
				t.Fatalf("row %d, function %d: %v, want %v", i, f, scores.At(i, f), want)
			}
		}
		best := primal(m.Nodes(), f)
		if got := m.Stats().Primal[f]; !(math.Abs(got-best) <= 1e-9*best) {
			t.Errorf("function %d: primal value %v, want %v", f, got, best)
		}
		for range 50 {
			p := mat.DenseCopyOf(m.Nodes())
			for at := range m.nodes() {
				row := p.RawRowView(at*(2+m.k) + 2 + f)
				for j := range row {
					row[j] += 1e-3 * r.NormFloat64()
				}
			}
			if got := primal(p, f); got < best*(1-m.Stats().Gap[f]) {
				t.Fatalf("function %d: %v is below %v", f, got, best)
			}
		}
	}
}

// Two rings, which no linear function divides, are learned; so is a tree of one node that
// a product of two linear functions divides.
func TestLearns(t *testing.T) {
	train, test := dataset.Rings(1500, 2, .1, 1), dataset.Rings(500, 2, .1, 2)
	m := must.Have(Config{Depth: 4, C: 10, Ridge: gram.Set(.1)}.Fit(t.Context(), train.X, train.Labels, nil))(t)
	if got := metric.Accuracy(m.Predict(nil, test.X), test.Labels.Class); !(got > .97) {
		t.Errorf("rings: accuracy %v", got)
	}
	s := m.Stats()
	if first, last := s.Objective[0], s.Objective[len(s.Objective)-1]; !(last < .5*first) {
		t.Errorf("the objective went from %v to %v", first, last)
	}
	used, rows := 0, 0
	for _, n := range s.Leaves {
		rows += n
		if n > 0 {
			used++
		}
	}
	if rows != 1500 || used < 2 {
		t.Errorf("rows at the leaves: %v", s.Leaves)
	}
	x, y := mat.NewDense(400, 2, nil), gram.Labels{Names: []string{"a", "b"}, Class: make([]int, 400)}
	r := rng.New(2, 2)
	for i := range 400 {
		u, v := r.NormFloat64(), r.NormFloat64()
		x.SetRow(i, []float64{u, v})
		if u*v > 0 {
			y.Class[i] = 1
		}
	}
	m = must.Have(Config{Depth: 1, C: 10, Passes: 100}.Fit(t.Context(), x, y, nil))(t)
	if got := metric.Accuracy(m.Predict(nil, x), y.Class); !(got > .95) {
		t.Errorf("product: accuracy %v", got)
	}
}

// A fit that does not reach its gap says so and returns the model.
func TestRough(t *testing.T) {
	d := algotest.Problem(7, 120, 4, 3)
	m, err := Config{Depth: 3, C: 1e4, Passes: 2, Tol: 1e-9, MaxIter: 2}.Fit(context.Background(), d.X, d.Labels, nil)
	var rough *gram.ConvergenceError
	if m == nil || !errors.As(err, &rough) {
		t.Fatalf("%v, %v", m, err)
	}
	if m.Scores(nil, d.X).At(0, 0) == 0 {
		t.Error("the model has no W")
	}
}
