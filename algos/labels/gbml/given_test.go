package gbml

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// given returns settings and data for small fits.
func given() (c Config, x *mat.Dense, y *sparse.CSR) {
	x, y = problem(3, 300, 5, 9)
	return Config{Trees: 4, MinRows: 8, Keep: 4, Projection: leml.Config{Rank: 3}}, x, y
}

func fitted(t *testing.T, c Config, x mat.Matrix, y *sparse.CSR) *Model {
	t.Helper()
	m := must.Have(c.Fit(t.Context(), x, y))(t)
	return m
}

// Trees on a mirrored column are other trees, so that a fitted projection has signs of its
// own: whatever those of the eigenvectors are, orient leaves the same columns.
func TestSigns(t *testing.T) {
	c, x, y := given()
	model := fitted(t, c, x, y)
	w, bias := model.Projection()
	var turned mat.Dense
	turned.Scale(-1, w)
	other := slices.Clone(bias)
	for j := range other {
		if column := mat.Col(nil, j, w); slices.Max(column) < -slices.Min(column) {
			t.Errorf("the largest entry of column %d is negative", j)
		}
		other[j] = -other[j]
	}
	c.Given = Given{W: &turned, Bias: slices.Clone(other)}
	if mat.Equal(fitted(t, c, x, y).Scores(nil, x), model.Scores(nil, x)) {
		t.Error("mirrored columns have the same trees: signs do not matter")
	}
	orient(&turned, other)
	if !mat.Equal(&turned, w) || !slices.Equal(other, bias) {
		t.Error("the signs of the eigenvectors are left")
	}
}

// A given projection makes the trees that the same one makes when it is fitted; so do columns
// that are projected already.
func TestGivenProjection(t *testing.T) {
	for _, single := range []bool{false, true} {
		c, x, y := given()
		c.Single = single
		whole := fitted(t, c, x, y)
		w, bias := whole.Projection()
		c.Given = Given{W: w, Bias: bias}
		second := fitted(t, c, x, y)
		want := whole.Scores(nil, x)
		if !mat.Equal(second.Scores(nil, x), want) || second.Config().Given.W != nil || second.Config().Projection.Rank != 3 {
			t.Errorf("single %t: another model by the given projection", single)
		}
		if w, _ := second.Projection(); single != (w.At(0, 0) == float64(float32(w.At(0, 0)))) {
			t.Error("numbers of the other precision")
		}
		if single {
			continue
		}
		z := mat.NewDense(300, 3, nil)
		for i := range 300 {
			project(&whole.trees.(*part[float64]).p, z.RawRowView(i), gram.Of(x), i)
		}
		c.Given = Given{Columns: true}
		own := fitted(t, c, z, y)
		if !mat.Equal(own.Scores(nil, z), want) || own.Dim() != 3 {
			t.Error("another model by columns of one's own")
		}
		if w, _ := own.Projection(); w != nil {
			t.Error("columns have a projection")
		}
		thin := sparse.FromDense(z)
		if !mat.Equal(fitted(t, c, thin, y).Scores(nil, thin), want) {
			t.Error("another model by sparse columns")
		}
		var b bytes.Buffer
		must.Do(t, modelfile.Write(&b, own))
		f := must.Have(modelfile.Read(&b))(t)
		again := must.Have(Decode(f))(t)
		if !mat.Equal(again.Scores(nil, z), want) {
			t.Error("the file has another model")
		}
		for tree := range 4 {
			for k, n := range again.Tree(tree) {
				if old := own.Tree(tree)[k]; n.Gain != old.Gain || n.Left > 0 && !(n.Gain > 0) || !slices.Equal(n.Values, old.Values) {
					t.Fatalf("tree %d, node %d: %+v, want %+v", tree, k, n, old)
				}
			}
		}
	}
}

// A fit goes on from the residuals that another one leaves, real numbers all of them.
func TestFitGoesOn(t *testing.T) {
	c, x, y := given()
	first := fitted(t, c, x, y)
	w, bias := first.Projection()
	c.Given = Given{W: w, Bias: bias}
	left := y.Dense()
	left.Apply(func(i, l int, v float64) float64 {
		if f := first.Scores(nil, x).At(i, l); !math.IsInf(f, -1) {
			v -= f
		}
		return v
	}, left)
	c.Given.Residuals = sparse.FromDense(left)
	second := fitted(t, c, x, y)
	c.Given.Residuals, c.Trees = nil, 8
	whole := fitted(t, c, x, y)
	if got, want := second.Stats().Loss, whole.Stats().Loss[4:]; !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*b }) {
		t.Errorf("losses %v, want %v", got, want)
	}
}

// Ingredients that do not fit are refused.
func TestGivenIsChecked(t *testing.T) {
	c, x, y := given()
	c.Given = Given{W: mat.NewDense(4, 2, nil)}
	_, err := c.Fit(t.Context(), x, y)
	algotest.Names(t, "W", "4×2", err)
	c.Given = Given{Bias: make([]float64, 2)}
	_, err = c.Fit(t.Context(), x, y)
	algotest.Names(t, "Bias", 2, err)
	c.Given = Given{W: mat.NewDense(5, 2, nil), Columns: true}
	_, err = c.Fit(t.Context(), x, y)
	algotest.Names(t, "Columns", true, err)
	c.Given = Given{Residuals: &sparse.CSR{N: 2, D: 9, Ptr: make([]int, 3)}}
	_, err = c.Fit(t.Context(), x, y)
	algotest.Names(t, "Residuals", "2×9", err)
	nan := sparse.FromDense(y.Dense())
	nan.Val[3] = math.NaN()
	bad := mat.NewDense(5, 2, nil)
	bad.Set(1, 1, math.Inf(1))
	for _, g := range []Given{{Residuals: nan}, {W: bad}, {W: mat.NewDense(5, 1, nil), Bias: []float64{math.NaN()}}} {
		c.Given = g
		if _, err := c.Fit(t.Context(), x, y); err == nil {
			t.Errorf("%+v is accepted", g)
		}
	}
}

// Where residuals cross the border of two blocks of rows, and those of a node that of two chunks,
// nothing changes: the residuals of a row are what its leaves left of it, and gains are those of
// the definition.
func TestBlocksOfResiduals(t *testing.T) {
	const n, l = blockRows + 50, 12
	r := rng.New(2, 0)
	x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, l+n/100, nil)
	for i := range n {
		x.Set(i, 0, r.NormFloat64())
		for j := range l {
			if r.NormFloat64() > x.At(i, 0) {
				y.Set(i, j, 1)
			}
		}
		if i%100 == 0 && i/100 < n/100 {
			y.Set(i, l+i/100, 1) // a label of this row alone
		}
	}
	m := fitted(t, Config{Trees: 2, Given: Given{Columns: true}}, x, sparse.FromDense(y))
	scores, first := m.Scores(nil, x), m.First(1).Scores(nil, x)
	for _, f := range []*mat.Dense{scores, first} {
		f.Apply(func(_, _ int, v float64) float64 {
			if math.IsInf(v, -1) { // not named
				return 0
			}
			return v
		}, f)
	}
	root := m.Tree(1)[0]
	var want, gain float64
	for j := range l + n/100 {
		var sum, count [2]float64
		for i := range n {
			c := y.At(i, j)
			want += math.Pow(c-scores.At(i, j), 2) / n
			side := 0
			if x.At(i, 0) > root.Threshold {
				side = 1
			}
			sum[side] += c - first.At(i, j)
			count[side]++
		}
		gain += sum[0]*sum[0]/(5+count[0]) + sum[1]*sum[1]/(5+count[1]) - math.Pow(sum[0]+sum[1], 2)/(5+n)
	}
	if got := m.Stats().Loss[2]; !(math.Abs(got-want) <= 1e-12*want) {
		t.Errorf("loss %v, want %v", got, want)
	}
	if m.Stats().ResidualEntries[1] < chunkSize {
		t.Errorf("%d residuals are in one chunk", m.Stats().ResidualEntries[1])
	}
	if !(math.Abs(root.Gain-gain) <= 1e-9*gain) {
		t.Errorf("the first split gains %v, want %v", root.Gain, gain)
	}
}
