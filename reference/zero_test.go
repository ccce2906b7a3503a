package reference_test

import (
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/divide/aesvm"
	"github.com/gramworks/gram/algos/divide/dcpred"
	"github.com/gramworks/gram/algos/gp"
	"github.com/gramworks/gram/algos/kernels/itml"
	"github.com/gramworks/gram/algos/kernels/sideinfo"
	"github.com/gramworks/gram/algos/labels/gimc"
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/algos/labels/sleec"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/algos/learned/goal"
	"github.com/gramworks/gram/algos/lowrank/fastnys"
	"github.com/gramworks/gram/algos/lowrank/meka"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/algos/trees/ldkl"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Settings whose zero is a value of the paper have it: what is learned then is what the objective
// without the term says.
func TestZeroIsAValue(t *testing.T) {
	const n, d = 40, 4
	ctx := t.Context()
	none := gram.Set(0.)
	gauss := kernel.Gaussian{Gamma: .3}
	x := probeNormal(1, n, d)
	tags := probeTags(2, x, 6)
	y := make([]float64, n)
	two := gram.Labels{Class: make([]int, n), Names: []string{"a", "b"}}
	for i := range y {
		y[i] = math.Sin(x.At(i, 0)) + x.At(i, 1)
		if y[i] > 0 {
			two.Class[i] = 1
		}
	}
	small := func(t *testing.T, what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got) <= want) {
			t.Errorf("%s: %g, want at most %g", what, got, want)
		}
	}

	t.Run("gimc, more features than rows", func(t *testing.T) {
		m := fitted[*gimc.Model](t)(gimc.Config{M: n, Lambda: none, Fixed: true}.Fit(ctx, x, tags))
		s := m.Stats().Objective
		small(t, "½‖Y−ΦW‖²", s[len(s)-1], 1e-6)
		var rest mat.Dense
		rest.Sub(m.Scores(nil, x), tags.Dense())
		small(t, "‖Y−ΦW‖²", probeSquares(&rest), 1e-9)
	})
	t.Run("gimc, learned", func(t *testing.T) {
		m := fitted[*gimc.Model](t)(gimc.Config{Map: completion.Nystrom, M: 5, Lambda: none}.Fit(ctx, x, tags))
		var rest mat.Dense
		rest.Sub(m.Scores(nil, x), tags.Dense())
		s := m.Stats().Objective
		small(t, "the objective less ½‖Y−ΦW‖²", s[len(s)-1]-probeSquares(&rest)/2, 1e-9*s[0])
		if len(s) < 2 || !(s[len(s)-1] < s[0]) {
			t.Errorf("the objective goes %v", s)
		}
	})
	t.Run("leml", func(t *testing.T) {
		wide := mat.NewDense(n, 2*d, nil) // each column is there twice
		wide.Augment(x, x)
		m := fitted[*leml.Model](t)(leml.Config{Rank: 6, Lambda: none, NoConstant: true, Rounds: 400, Tol: gram.Set(1e-14)}.Fit(ctx, wide, tags))
		var rest mat.Dense
		rest.Mul(x, probeRidge(x, tags.Dense(), 0))
		rest.Sub(&rest, tags.Dense())
		s := m.Stats().Objective
		small(t, "the objective less that of least squares", s[len(s)-1]-probeSquares(&rest), 1e-6*probeSquares(&rest))
	})
	t.Run("sleec", func(t *testing.T) {
		c := sleec.Config{Learners: 1, Cluster: n, Rank: 2, Neighbors: 8}
		heavy := fitted[*sleec.Model](t)(c.Fit(ctx, x, tags))
		c.Lambda = none
		m := fitted[*sleec.Model](t)(c.Fit(ctx, x, tags))
		if !m.Config().Lambda.Given() || m.Config().Lambda.Value() != 0 {
			t.Errorf("the model has λ %v", m.Config().Lambda)
		}
		if mat.Equal(m.Scores(nil, x), heavy.Scores(nil, x)) {
			t.Error("λ = 0 is the default")
		}
	})
	t.Run("completion, rows with fewer entries than the rank", func(t *testing.T) {
		const rank = 2
		var full mat.Dense
		full.Mul(probeNormal(3, 12, rank), probeNormal(4, 9, rank).T())
		var list []sparse.Triplet
		for i := range 12 {
			for j := range 9 {
				if i > 1 || i == 1 && j == 0 { // nothing of row 0, an entry of row 1
					list = append(list, sparse.Triplet{Row: i, Col: j, Val: full.At(i, j)})
				}
			}
		}
		a := must.Have(sparse.FromTriplets(12, 9, list, sparse.Reject))(t)
		m := fitted[*completion.Model](t)(completion.Config{Rank: rank, Lambda: none, Rounds: 500, Tol: gram.Set(1e-13)}.Fit(ctx, a, nil, nil))
		p := completion.Entries(nil, m.Rows(nil, nil), m.Columns(nil, nil), a)
		var sum float64
		for k, v := range p {
			sum += (v - a.Val[k]) * (v - a.Val[k])
		}
		small(t, "the residual of a matrix of the rank", math.Sqrt(sum), 1e-5)
	})
	t.Run("completion, linear", func(t *testing.T) {
		full := mat.NewDense(n, 7, nil)
		full.Mul(x, probeNormal(5, d, 7))
		m := fitted[*completion.Model](t)(completion.Config{Rank: d, Lambda: none, Rounds: 500, Tol: gram.Set(1e-13), Products: 100}.Fit(ctx, probeEntries(full), x, nil))
		var rest mat.Dense
		rest.Sub(m.Predict(nil, x, nil), full)
		small(t, "the residual of a linear function", math.Sqrt(probeSquares(&rest)), 1e-4)
	})
	t.Run("goal", func(t *testing.T) {
		m := fitted[*goal.Regressor](t)(goal.Config{Kernel: gauss, M: n, Lambda: none, MaxIter: gram.Set(0)}.FitValues(ctx, x, y, nil))
		for i, v := range m.Predict(nil, x) {
			small(t, "a value at a row", v-y[i], 1e-4)
		}
	})
	t.Run("dcpred", func(t *testing.T) {
		m := fitted[*dcpred.Regressor](t)(dcpred.Config{Kernel: gauss, M: n, All: true, Lambda: none}.FitValues(ctx, x, y, nil))
		for i, v := range m.Predict(nil, x) {
			small(t, "a value at a row", v-y[i], 1e-4)
		}
	})
	t.Run("a tolerance of 0, all rounds", func(t *testing.T) {
		half := gram.Set(.5)
		for tol, all := range map[gram.Opt[float64]]bool{none: true, half: false} {
			count := map[string]int{
				"leml":       len(fitted[*leml.Model](t)(leml.Config{Rank: 3, Rounds: 9, Tol: tol}.Fit(ctx, x, tags)).Stats().Objective),
				"gimc":       len(fitted[*gimc.Model](t)(gimc.Config{M: 5, Steps: 8, Tol: tol}.Fit(ctx, x, tags)).Stats().Objective),
				"completion": len(fitted[*completion.Model](t)(completion.Config{Rank: 3, Rounds: 9, Tol: tol}.Fit(ctx, tags, x, nil)).Stats().Objective),
				"goal":       len(fitted[*goal.Regressor](t)(goal.Config{Kernel: gauss, M: 5, MaxIter: gram.Set(8), Holdout: none, Tol: tol}.FitValues(ctx, x, y, nil)).Stats().Objective),
			}
			for name, n := range count {
				if (n == 9) != all {
					t.Errorf("%s: %d values of the objective with the tolerance %g", name, n, tol.Value())
				}
			}
		}
	})
	t.Run("gp", func(t *testing.T) {
		m := fitted[*gp.Model](t)(gp.Config{Kernel: gauss, Lambda: none, NoBias: true}.Fit(ctx, x, y, nil))
		mean, variance := m.Predict(nil, x), m.Variance(nil, x)
		for i, v := range mean {
			small(t, "a value at a row", v-y[i], 1e-8)
			small(t, "its variance", variance[i], 1e-8)
		}
		small(t, "the noise", m.Noise(), 0)
		var ce *gram.ConfigError
		if _, err := (gp.Config{Kernel: gauss, Lambda: none, Approximation: gp.FITC, NoBias: true}).Fit(ctx, x, y, nil); !errors.As(err, &ce) || ce.Field != "Lambda" {
			t.Errorf("landmarks without noise: %v", err)
		}
	})
	t.Run("ldkl", func(t *testing.T) {
		m := fitted[*ldkl.Classifier](t)(ldkl.Config{Depth: 2, Ridge: none}.Fit(ctx, x, two, nil))
		if r := m.Config().Ridge; !r.Given() || r.Value() != 0 {
			t.Errorf("the model has the ridge %v", r)
		}
	})
	t.Run("gbdt", func(t *testing.T) {
		// After many rounds of large steps the rows of a pure part have next to no curvature.
		c := gbdt.Config{Rounds: 60, Shrinkage: 1, MinRows: 1, Exact: true, Lambda: gram.Set(1e-6)}
		limited := fitted[*gbdt.Classifier](t)(c.Fit(ctx, x, two, nil))
		c.MinCurvature = none
		m := fitted[*gbdt.Classifier](t)(c.Fit(ctx, x, two, nil))
		a, b := limited.Stats().Objective, m.Stats().Objective
		if !(b[len(b)-1] < a[len(a)-1]) {
			t.Errorf("with the limit the loss ends at %g, without at %g", a[len(a)-1], b[len(b)-1])
		}
	})
	t.Run("meka", func(t *testing.T) {
		m := fitted[*meka.Model](t)(meka.Config{Kernel: gauss, Clusters: 2, Rank: 5, Rho: none}.Fit(ctx, x))
		g := m.Given()
		for s, sample := range g.Samples {
			if _, k := g.Roots[s].Dims(); len(sample.Rows) != k {
				t.Errorf("cluster %d: %d rows for the rank %d", s, len(sample.Rows), k)
			}
		}
	})
	t.Run("nystrom and fastnys", func(t *testing.T) {
		a := fitted[*nystrom.Model](t)(nystrom.Config{Kernel: gauss, M: 20, Rank: 3, Core: nystrom.Randomized, Oversample: gram.Set(0), Power: gram.Set(0)}.Fit(ctx, x))
		b := fitted[*nystrom.Model](t)(nystrom.Config{Kernel: gauss, M: 20, Rank: 3, Core: nystrom.Randomized, Power: gram.Set(0)}.Fit(ctx, x))
		if !(a.Stats().Eigenvalues[0] < b.Stats().Eigenvalues[0]) { // a sketch sees less than a larger one
			t.Errorf("eigenvalues %v without columns beyond the rank, %v with 10", a.Stats().Eigenvalues, b.Stats().Eigenvalues)
		}
		c := fitted[*fastnys.Model](t)(fastnys.Config{Kernel: gauss, M: 16, Rows: 2, Rank: 3, Core: fastnys.Randomized, Oversample: gram.Set(0), Power: gram.Set(0)}.Fit(ctx, x))
		e := fitted[*fastnys.Model](t)(fastnys.Config{Kernel: gauss, M: 16, Rows: 2, Rank: 3, Core: fastnys.Randomized, Power: gram.Set(0)}.Fit(ctx, x))
		if !(c.Stats().Eigenvalues[0] < e.Stats().Eigenvalues[0]) {
			t.Errorf("eigenvalues %v without columns beyond the rank, %v with 10", c.Stats().Eigenvalues, e.Stats().Eigenvalues)
		}
	})
	t.Run("aesvm, the exact machine", func(t *testing.T) {
		c := svm.Config{Kernel: gauss, C: 2, Tol: 1e-8}
		twice := mat.NewDense(2*n, d, nil)
		twice.Stack(x, x)
		labels := gram.Labels{Class: append(append([]int(nil), two.Class...), two.Class...), Names: two.Names}
		m, s := must.Have2(aesvm.Config{Machine: c, Epsilon: none}.Fit(ctx, twice, labels, nil))(t)
		small(t, "representatives less the distinct rows", float64(s.Representatives-n), 0)
		exact := fitted[*svm.Model](t)(c.Fit(ctx, twice, labels, nil))
		var rest mat.Dense
		rest.Sub(m.Values(nil, x), exact.Values(nil, x))
		small(t, "the difference from the exact machine", math.Sqrt(probeSquares(&rest)), 1e-5)
	})
	t.Run("CSI", func(t *testing.T) {
		other := gram.Labels{Class: make([]int, n), Names: two.Names}
		for i, c := range two.Class {
			other.Class[i] = c
			if i%3 == 0 {
				other.Class[i] = 1 - c
			}
		}
		a := fitted[*sideinfo.Model](t)(sideinfo.CSI{Kernel: gauss, M: 5, Kappa: none}.Fit(ctx, x, two))
		b := fitted[*sideinfo.Model](t)(sideinfo.CSI{Kernel: gauss, M: 5, Kappa: none}.Fit(ctx, x, other))
		if !mat.Equal(a.Map(nil, x), b.Map(nil, x)) {
			t.Error("the features depend on the classes")
		}
	})
	t.Run("Manifold", func(t *testing.T) {
		f := fitted[*itml.Function](t)(itml.Manifold{Kernel: gauss, Ratio: none}.Fit(ctx, x))
		if !mat.EqualApprox(f.Gram(nil, x, x), probeGaussian(x, x, gauss.Gamma), 1e-14) {
			t.Error("without a graph the kernel is another one")
		}
	})
}
