package dcpred

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/lowrank/pseudo"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

var rbf = kernel.Gaussian{Gamma: 0.3}

// defined computes the outputs of a row as the method is defined: from the root to
// the child with the nearest center, and the linear function of that leaf.
func defined(m *Machine, row []float64) []float64 {
	leaf := 0
	if m.router != nil {
		tree := m.router.(*kmeans.TreeModel)
		first, centers := tree.Nodes()
		node := 0
		for first[node] != 0 {
			best, at := math.Inf(1), 0
			for b := range tree.Config().Branch {
				var s float64
				for j, v := range centers.RawRowView(first[node] + b) {
					s += (row[j] - v) * (row[j] - v)
				}
				if s < best {
					best, at = s, first[node]+b
				}
			}
			node = at
		}
		for i := range node {
			if first[i] == 0 {
				leaf++
			}
		}
	}
	l := &m.leaves[leaf]
	out := slices.Clone(l.bias)
	x := mat.NewDense(1, len(row), row)
	if l.landmarks == nil {
		return out
	}
	columns := l.landmarks.Map(nil, x)
	var y mat.Dense
	y.Mul(columns, l.coef)
	for f := range out {
		out[f] += y.At(0, f)
	}
	return out
}

// TestProgram: the outputs of programs are those of the definition.
func TestProgram(t *testing.T) {
	d := algotest.Problem(1, 600, 7, 3)
	for _, c := range []Config{
		{Leaf: 60, Branch: 3, M: 6},
		{Leaf: 60, Branch: 3, M: 6, All: true},
		{Leaf: 200, M: 8, Kind: pseudo.Lower},
		{Leaf: 100, M: 16, Structured: true},
		{Leaf: 1000, M: 10},
	} {
		c.Kernel = rbf
		m := must.Have(c.Fit(context.Background(), d.X, d.Labels, nil))(t)
		if (m.Machine().Leaves() > 1) != (c.Leaf < 600) {
			t.Fatalf("%+v: %d leaves", c, m.Machine().Leaves())
		}
		x := algotest.Problem(2, 150, 7, 3).X.(*mat.Dense)
		algotest.Compiled(t, m, x, 1e-2)
		got := m.Scores(nil, x)
		for i := range 150 {
			want := defined(m.Machine(), x.RawRowView(i))
			for f, v := range got.RawRowView(i) {
				if !(math.Abs(v-want[f]) <= 1e-9*(1+math.Abs(want[f]))) {
					t.Fatalf("%+v: row %d, output %d is %g, want %g", c, i, f, v, want[f])
				}
			}
		}
	}
}

// TestManyLandmarks: one leaf with many landmarks decides as the exact machine
// does, and predicts its values; few do worse.
func TestManyLandmarks(t *testing.T) {
	algotest.Serial(t)
	d := algotest.Problem(1, 300, 4, 2)
	fresh := algotest.Problem(5, 300, 4, 2).X
	machine := must.Have(svm.Config{Kernel: rbf, C: 1}.Fit(context.Background(), d.X, d.Labels, nil))(t)
	ridge := must.Have(krr.Config{Kernel: rbf, Lambda: gram.Set(5.0)}.Fit(context.Background(), d.X, d.Value, nil))(t)
	classes, values := machine.Predict(nil, fresh), ridge.Predict(nil, fresh)
	var agree [2]int
	var off [2]float64
	for i, c := range []Config{{M: 2, P: 1}, {M: 40, All: true}} {
		c.Kernel, c.C, c.Lambda = rbf, 1, gram.Set(5.)
		m := must.Have(c.Fit(context.Background(), d.X, d.Labels, nil))(t)
		for r, class := range m.Predict(nil, fresh) {
			if class == classes[r] {
				agree[i]++
			}
		}
		v := must.Have(c.FitValues(context.Background(), d.X, d.Value, nil))(t)
		for r, value := range v.Predict(nil, fresh) {
			off[i] += (value - values[r]) * (value - values[r])
		}
	}
	if agree[1] < 290 || agree[0] > agree[1] {
		t.Errorf("of 300 classes %d with 2 landmarks and %d with 40 are those of the exact machine", agree[0], agree[1])
	}
	var size float64
	for _, v := range values {
		size += v * v
	}
	if !(off[1] < 1e-2*size) || !(off[0] > off[1]) {
		t.Errorf("values are off by %g with 2 landmarks and %g with 40, relative", off[0]/size, off[1]/size)
	}
}

// TestAnyNumberOfStructuredLandmarks: M need not be a multiple of Rows.
func TestAnyNumberOfStructuredLandmarks(t *testing.T) {
	algotest.Serial(t)
	d := algotest.Problem(1, 200, 4, 2)
	for _, want := range []int{3, 10, 13} {
		c := Config{Kernel: rbf, M: want, Structured: true, Rows: 4}
		m := must.Have(c.FitValues(t.Context(), d.X, d.Value, nil))(t)
		got, coef := 0, m.Machine().Leaf(0).Coef
		for i := range coef.RawMatrix().Rows {
			if coef.At(i, 0) != 0 {
				got++
			}
		}
		if got != want {
			t.Errorf("%d structured landmarks, want %d", got, want)
		}
	}
}

// TestLeaves: every row of the fit is in the leaf that its prediction reaches, and
// a leaf of one class is a constant.
func TestLeaves(t *testing.T) {
	x := mat.NewDense(90, 1, nil)
	y := gram.Labels{Class: make([]int, 90), Names: []string{"a", "b"}}
	for i := range 90 {
		x.Set(i, 0, float64(i%3)*100+float64(i)/90)
		y.Class[i] = []int{0, 1, i / 3 % 2}[i%3]
	}
	m := must.Have(Config{Kernel: kernel.Gaussian{Gamma: 50}, Leaf: 40, Branch: 3, M: 20, C: 100}.Fit(context.Background(), x, y, nil))(t)
	s := m.Stats()
	if s.Leaves != 3 || s.Constant != 2 || !slices.Equal(s.Sizes, []int{30, 30, 30}) {
		t.Errorf("%+v", s)
	}
	scores := m.Scores(nil, x)
	for i := range 90 {
		if i%3 < 2 && scores.At(i, 0) != float64(2*(i%3)-1) {
			t.Errorf("row %d of a leaf of one class has the score %g", i, scores.At(i, 0))
		}
	}
	first, centers := m.Machine().Given().Router.(*kmeans.TreeModel).Nodes()
	if len(first) != 4 {
		t.Fatalf("%d nodes", len(first))
	}
	var at []float64
	for b := range 3 {
		at = append(at, math.Round(centers.At(1+b, 0)/100))
	}
	slices.Sort(at)
	if !slices.Equal(at, []float64{0, 1, 2}) {
		t.Errorf("centres %v", at)
	}
}
