package rfm

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// The left side has the values up to the threshold, about the share that is wanted and never less than a quarter, also with equal values.
func TestCut(t *testing.T) {
	r := rng.New(4, 1)
	for n := 2; n < 60; n++ {
		for _, levels := range []float64{1, 3, 1e6} {
			for _, share := range []float64{1. / 3, .5} {
				values := make([]float64, n)
				for i := range values {
					values[i] = math.Round(levels * r.NormFloat64())
				}
				c, ok := cutAt(values, share, 0)
				left := 0
				for _, v := range values {
					if v <= c.threshold {
						left++
					}
				}
				possible := false
				for _, at := range values { // brute force
					below := 0
					for _, v := range values {
						if v <= at {
							below++
						}
					}
					possible = possible || 4*below >= n && 4*(n-below) >= n
				}
				if ok != possible || ok && (4*left < n || 4*(n-left) < n || !(c.width > 0)) {
					t.Errorf("%d values, %v levels: %v of %+v, %d left", n, levels, ok, c, left)
				}
				if want := int(share*float64(n) + .5); levels == 1e6 && 4*want >= n && left != want {
					t.Errorf("%d different values: %d left, not %d", n, left, want)
				}
			}
		}
	}
	if c, ok := cutAt([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, .5, .2); !ok || c.threshold != 4.5 || c.left != 6 || c.right != 2 {
		t.Errorf("an overlap of two on each side: %+v", c)
	}
	if c, ok := cutAt([]float64{1, math.Nextafter(1, 2)}, .5, 0); !ok || c.threshold != 1 {
		t.Errorf("neighbors: %+v", c)
	}
}

// A tree of rows, most of which are equal, has no empty leaf and none above its size, and each row of the fit, but some of
// the equal ones, is in the leaf that prediction asks.
func TestGrow(t *testing.T) {
	const n, leaf = 400, 40
	x, _ := problem(n, 3, 2)
	for i := range n / 2 {
		x.SetRow(2*i, []float64{1, 2, 3})
	}
	for _, overlap := range []float64{0, .1} {
		g := &growing{x: gram.Of(x), leaf: leaf, overlap: overlap, directions: func(context.Context, []int) (*mat.Dense, error) {
			return mat.NewDense(3, 3, []float64{0, 1, 0, 0, 0, 1, 1, 0, 0}), nil
		}}
		must.Have(g.grow(t.Context(), order(n)))(t)
		tree := g.finish()
		if len(g.parts) != tree.leaves() || tree.leaves() < 6 {
			t.Fatalf("%d parts, %d leaves", len(g.parts), tree.leaves())
		}
		leaves := make([]int, n)
		for i := range n {
			projections := make([]float64, tree.leaves()-1)
			for k := range projections {
				projections[k] = mat.Dot(tree.directions.RowView(k), x.RowView(i))
			}
			hard := tree.shares(nil, projections, 0)
			if len(hard) != 1 || hard[0].weight != 1 {
				t.Fatalf("row %d: %+v", i, hard)
			}
			leaves[i] = hard[0].leaf
			soft, sum := tree.shares(nil, projections, .3), 0.
			for k, s := range soft {
				if sum += s.weight; k > 0 && s.weight > soft[k-1].weight {
					t.Errorf("row %d: %+v", i, soft)
				}
			}
			if !(math.Abs(sum-1) <= 1e-12) || len(soft) > maxShares {
				t.Errorf("row %d: the weights %+v have the sum %v", i, soft, sum)
			}
		}
		for k, part := range g.parts {
			if len(part) == 0 || len(part) > leaf {
				t.Errorf("leaf %d has %d rows", k, len(part))
			}
			for _, i := range part {
				if leaves[i] != k && overlap == 0 {
					t.Errorf("row %d of leaf %d reaches leaf %d", i, k, leaves[i])
				}
			}
		}
		for i, k := range leaves {
			thinned := slices.ContainsFunc(g.parts[k], func(i int) bool { return i%2 == 0 })
			if !thinned && !slices.Contains(g.parts[k], i) {
				t.Errorf("row %d is not in its leaf", i)
			}
		}
	}
}

// Leaves predict alone what the tree does where routing is hard, and what it mixes where it is soft; the metric is their mean.
func TestLeaves(t *testing.T) {
	x, y := problem(300, 4, 6)
	c := Config{Metric: Full, Length: gram.Set(2.), Lambda: gram.Set(.01), Rounds: gram.Set(1), Leaf: gram.Set(60), Soft: gram.Set(0.)}
	m := must.Have(c.FitAll(t.Context(), x, y, nil))(t)
	if len(m.Leaves()) < 4 || m.Map() != nil || m.Machine() != nil {
		t.Fatalf("%d leaves", len(m.Leaves()))
	}
	want := m.Leaves()[0].Metric()
	if e := apart(m.Metric(), want); !(e <= 1e-12) {
		t.Errorf("the metric is %v from that of the leaves", e)
	}
	all := m.PredictAll(nil, x)
	for i := range 300 {
		row := x.Slice(i, i+1, 0, 4)
		found := false
		for _, leaf := range m.Leaves() {
			found = found || apart(leaf.PredictAll(nil, row), all.Slice(i, i+1, 0, 2)) <= 1e-12
		}
		if !found {
			t.Errorf("row %d is predicted by no leaf", i)
		}
	}
	c.Soft = gram.Opt[float64]{}
	soft := must.Have(c.FitAll(t.Context(), x, y, nil))(t)
	chosen := soft.Config().Soft
	if !chosen.Given() || !slices.Contains(softness, chosen.Value()) {
		t.Errorf("soft is %v", chosen)
	}
	held := func(m *Model) float64 { // the error of the rows that chose
		index := c.split(300).Held
		sum := 0.
		for _, i := range index {
			for l, v := range m.PredictAll(nil, x.Slice(i, i+1, 0, 4)).RawRowView(0) {
				sum += (v - y.At(i, l)) * (v - y.At(i, l))
			}
		}
		return sum
	}
	c.Holdout = gram.Set(.2) // the default
	if a, b := held(soft), held(m); !(a <= b) {
		t.Errorf("chosen softness %v: held-out error %v, and %v without", chosen.Value(), a, b)
	}
}
