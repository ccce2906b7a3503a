package bregman

import (
	"context"
	"errors"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

func TestFeaturesContract(t *testing.T) {
	at := func(n int, run gram.Run) Features {
		return Features{Nystrom: nystrom.Config{Kernel: kernel.Gaussian{Gamma: .3}, M: min(8, n)}, Run: run}
	}
	algotest.Check(t, algotest.Subject{
		Kind: algotest.Unsupervised,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			n, _ := d.X.Dims()
			y := gram.Labels{Class: make([]int, n), Names: []string{"a", "b"}}
			for i := range y.Class {
				y.Class[i] = i % 2
			}
			return algotest.Fitted(at(n, run).Fit(ctx, d.X, y))
		},
		Plan:   func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(s.N, run).Plan(s) },
		Decode: func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(DecodeMap(f)) },
		Golden: "features.v1.gram",
		Random: []string{algotest.AnyStage},
	})
}

// The kernel of the rows of the fit is the one that is learned from the features, and that of
// others is φ(x)·TTᵀ·φ(y)ᵀ. Statements with bounds are kept.
func TestFeatures(t *testing.T) {
	d, fresh := algotest.Problem(3, 40, 3, 3), algotest.Problem(4, 10, 3, 3)
	n := nystrom.Config{Kernel: kernel.Gaussian{Gamma: .3}, M: 12}
	phi := must.Have(n.Fit(t.Context(), d.X))(t)
	statements := []constraint.Statement{
		{Pair: constraint.Pair{I: 0, J: 7, Same: true}, Bound: gram.Set(.01)}, {Pair: constraint.Pair{I: 3, J: 5, Same: true}},
		{Pair: constraint.Pair{I: 1, J: 9, Same: false}, Bound: gram.Set(2.5)},
	}
	constraints := must.Have(constraint.FromMargin(phi.Map(nil, d.X), statements, .25))(t)
	for _, divergence := range both {
		for _, given := range []basis.Basis{nil, phi} {
			m := must.Have(Features{Basis: given, Nystrom: n, Learn: Config{Divergence: divergence, Tol: 1e-6}, Hard: true}.FitStatements(t.Context(), d.X, gram.Labels{}, statements))(t)
			want := fit(t, Config{Divergence: divergence, Tol: 1e-6}, phi.Map(nil, d.X), constraints)
			for _, x := range []mat.Matrix{d.X, fresh.X} {
				if !mat.EqualApprox(m.Map(nil, x), want.Map(nil, phi.Map(nil, x)), 1e-12) {
					t.Errorf("%v: the features differ from the learned ones of the basis", divergence)
				}
			}
			g := m.Map(nil, d.X)
			distance := func(i, j int) float64 {
				var v mat.VecDense
				v.SubVec(g.RowView(i), g.RowView(j))
				return mat.Dot(&v, &v)
			}
			if near, far := distance(0, 7), distance(1, 9); !(near <= .01*(1+1e-5)) || !(far >= 2.5*(1-1e-5)) {
				t.Errorf("%v: distances %g and %g, want .01 at most and 2.5 at least", divergence, near, far)
			}
		}
	}
}

// Pairs of one class come closer and others go apart, of rows that the fit has not seen, too.
func TestFeaturesTell(t *testing.T) {
	d, fresh := algotest.Problem(3, 120, 4, 3), algotest.Problem(3, 200, 4, 3)
	c := Features{Nystrom: nystrom.Config{Kernel: kernel.Gaussian{Gamma: .3}, M: 20}}
	m := must.Have(c.Fit(t.Context(), d.X, d.Labels))(t)
	ratio := func(g *mat.Dense) float64 { // mean squared distance within the classes by that between
		var sum, count [2]float64
		for i := 120; i < 200; i++ {
			for j := range i - 120 {
				k := 0
				if fresh.Labels.Class[i] != fresh.Labels.Class[120+j] {
					k = 1
				}
				var v mat.VecDense
				v.SubVec(g.RowView(i), g.RowView(120+j))
				sum[k] += mat.Dot(&v, &v)
				count[k]++
			}
		}
		return sum[0] / count[0] / (sum[1] / count[1])
	}
	inner, _ := m.Inner()
	before, after := ratio(inner.Map(nil, fresh.X)), ratio(m.Map(nil, fresh.X))
	if !(after < .9*before) {
		t.Errorf("distances within classes by those between them are %g, before learning %g", after, before)
	}
	algotest.Refused(t, c, map[string][]any{"Margin": {1.0}}, func(c Features) error {
		_, err := c.Fit(t.Context(), d.X, d.Labels)
		return err
	})
	var de *gram.DataError
	none := gram.Labels{Class: make([]int, 120), Names: d.Labels.Names}
	for i := range none.Class {
		none.Class[i] = -1
	}
	if _, err := c.Fit(t.Context(), d.X, none); !errors.As(err, &de) {
		t.Errorf("no classes: %v", err)
	}
	if _, err := c.Fit(t.Context(), d.X, gram.Labels{Class: []int{1}, Names: d.Labels.Names}); !errors.As(err, &de) || de.Row != 1 {
		t.Errorf("one class: %v", err)
	}
	_, err := c.FitStatements(t.Context(), d.X, d.Labels, []constraint.Statement{{Pair: constraint.Pair{I: 3, J: 120}}})
	algotest.Names(t, "pairs[0]", 120, err)
}
