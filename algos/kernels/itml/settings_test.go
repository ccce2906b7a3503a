package itml

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 30, 3, 3)
	inf := math.Inf(1)
	gauss := kernel.Gaussian{Gamma: 0.1}
	fit := func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, []constraint.Linear{constraint.Distance(0, 3, constraint.AtMost, 0.3), constraint.Distance(0, 1, constraint.AtLeast, 0.5)})
		return err
	}
	algotest.Refused(t, Config{Kernel: gauss, Slack: 1}, map[string][]any{
		"Kernel": {nil}, "Tau": {inf}, "Slack": {inf}, "M": {31}, "Rank": {1}, "Solver": {Lanczos}, "Tol": {1.0},
	}, fit)
	algotest.Refused(t, Config{Kernel: gauss, Slack: 10, Regularizer: Trace, Reduction: Subset, M: 20}, map[string][]any{
		"Kernel": {nil}, "Tau": {inf}, "Slack": {inf}, "M": {31}, "Solver": {Projections}, "Tol": {1.0},
	}, fit)
	knn := func(c KNN) error {
		_, err := c.Fit(t.Context(), d.X, d.Labels, nil)
		return err
	}
	algotest.Refused(t, KNN{Config: Config{Kernel: gauss}, Pairs: constraint.Pairs{Count: 30}}, map[string][]any{
		"Kernel": {nil}, "Tau": {inf}, "Slack": {inf}, "M": {31}, "Rank": {1}, "Solver": {Lanczos}, "Tol": {1.0},
		"K": {31}, "Low": {100.0}, "High": {5.0, 101.0},
	}, knn)
	algotest.Names(t, "Slack", "with Hard", knn(KNN{Config: Config{Kernel: gauss, Slack: 1}, Hard: true}))
	algotest.Names(t, "High", "below Low", knn(KNN{Config: Config{Kernel: gauss}, Pairs: constraint.Pairs{Low: gram.Set(50.0), High: 40}}))
	algotest.Refused(t, Manifold{Kernel: gauss}, map[string][]any{"Kernel": {nil}, "Neighbors": {30}, "Ratio": {inf}, "Power": {17}, "Gamma": {inf}}, func(c Manifold) error {
		_, err := c.Fit(t.Context(), d.X)
		return err
	})
}

func TestUsesRefused(t *testing.T) {
	d := algotest.Problem(5, 30, 3, 3)
	m := must.Have(Config{Kernel: kernel.Gaussian{Gamma: 0.1}, Slack: 1}.Fit(t.Context(), d.X, []constraint.Linear{constraint.Distance(0, 3, constraint.AtMost, 0.3)}))(t)
	_, err := m.Kernel().Embedding()
	algotest.Names(t, "Regularizer", LogDet, err)
	_, err = m.Kernel().Mahalanobis(t.Context())
	algotest.Names(t, "Kernel", "gaussian", err)
}

func TestDescribed(t *testing.T) {
	algotest.Described(t, &Config{}, &KNN{}, &Manifold{})
}

// Vectors without a kind are landmarks; a kind without a number has as many as its default.
func TestReductionFollows(t *testing.T) {
	for _, s := range []struct {
		c, want Config
		n       int
	}{
		{Config{}, Config{}, 300},
		{Config{M: 7}, Config{Reduction: Subset, M: 7}, 300},
		{Config{Reduction: Random, M: 7}, Config{Reduction: Random, M: 7}, 300},
		{Config{Reduction: Clusters}, Config{Reduction: Clusters, M: 256}, 300},
		{Config{Reduction: Subset}, Config{Reduction: Subset, M: 30}, 30},
	} {
		s.c.Kernel = kernel.Linear{}
		got, err := settings.Resolved(s.c, gram.Shape{N: s.n})
		if err != nil || got.Reduction != s.want.Reduction || got.M != s.want.M {
			t.Errorf("%v with %d of %d rows: %v with %d, %v", s.c.Reduction, s.c.M, s.n, got.Reduction, got.M, err)
		}
	}
}

// A given J, or the selection of fixed landmarks, takes the place of what a Reduction draws, and the
// points of the kernel are rows with known numbers.
func TestGivenJ(t *testing.T) {
	const n = 30
	x, k, cons := mixed(n, 24, 5)
	fit := func(c Config) *Model {
		t.Helper()
		c.Kernel, c.Slack = k, 10
		m := must.Have(c.Fit(t.Context(), x, cons))(t)
		for place, i := range m.Kernel().Index() {
			if !slices.Equal(m.Kernel().Points().RawRowView(place), x.RawRowView(i)) {
				t.Fatalf("point %d is not row %d", place, i)
			}
		}
		return m
	}
	for _, r := range []Reduction{Random, Clusters} {
		drawn := fit(Config{Reduction: r, M: 6})
		given := fit(Config{Given: drawn.Given()})
		if rows, m := given.Given().J.Dims(); rows != n || m != 6 || given.Config().M != 6 || given.Stats().Dimensions != 6 {
			t.Errorf("%v: J is %d×%d, learned in %d dimensions", r, rows, m, given.Stats().Dimensions)
		}
		if !mat.Equal(drawn.Kernel().Gram(nil, x, x), given.Kernel().Gram(nil, x, x)) {
			t.Errorf("%v: with its J the kernel is another one", r)
		}
		if len(drawn.Kernel().Index()) != n {
			t.Errorf("%v: points at rows %v", r, drawn.Kernel().Index())
		}
		// S = JLJᵀ: what V has beyond the span of J is nothing.
		v, _ := drawn.Kernel().Coefficients()
		var qr mat.QR
		var in, back mat.Dense
		qr.Factorize(drawn.Given().J)
		must.Do(t, qr.SolveTo(&in, false, v))
		back.Mul(drawn.Given().J, &in)
		if !mat.EqualApprox(&back, v, 1e-9*mat.Norm(v, 2)) {
			t.Errorf("%v: S is not JLJᵀ", r)
		}
	}
	index := []int{2, 3, 11, 29}
	j := mat.NewDense(n, len(index), nil)
	for c, i := range index {
		j.Set(i, c, 1)
	}
	picked := fit(Config{Given: Given{J: j}})
	fixed := fit(Config{Landmarks: landmark.Fixed{Index: index}})
	if c := fixed.Config(); c.Reduction != Subset || c.M != len(index) {
		t.Errorf("fixed landmarks stand for %v with %d", c.Reduction, c.M)
	}
	if !slices.Equal(picked.Kernel().Index(), index) || !slices.Equal(fixed.Kernel().Index(), index) {
		t.Errorf("points at rows %v and %v, want %v", picked.Kernel().Index(), fixed.Kernel().Index(), index)
	}
	if !mat.EqualApprox(picked.Kernel().Gram(nil, x, x), fixed.Kernel().Gram(nil, x, x), 1e-6) {
		t.Error("a J that selects rows is not their selection as landmarks")
	}
	if whole := fit(Config{}); len(whole.Kernel().Index()) == 0 || whole.Given().J != nil {
		t.Errorf("without a reduction the points are rows %v", whole.Kernel().Index())
	}

	refuse := func(field string, c Config) {
		t.Helper()
		c.Kernel, c.Slack = k, 10
		_, err := c.Fit(t.Context(), x, cons)
		algotest.Names(t, field, c.Given.J, err)
	}
	refuse("J", Config{Given: Given{J: mat.NewDense(n-1, 2, nil)}})
	refuse("Reduction", Config{Given: Given{J: j}, Reduction: Random})
	refuse("M", Config{Given: Given{J: j}, M: 3})
	refuse("M", Config{Landmarks: landmark.Fixed{Index: index}, M: 3})
	bad := mat.DenseCopyOf(j)
	bad.Set(4, 1, math.NaN())
	var de *gram.DataError
	if _, err := (Config{Kernel: k, Given: Given{J: bad}}).Fit(t.Context(), x, cons); !errors.As(err, &de) {
		t.Errorf("NaN in J: %v", err)
	}
}

// Rows without weight are not there: a J has its row for each of all rows all the same.
func TestGivenJWithWeights(t *testing.T) {
	const n = 30
	d := algotest.Problem(5, n, 3, 3)
	j := gen.Normal(n, 4, 9)
	w := make([]float64, n)
	var kept []int
	for i := range w {
		if i%4 > 0 {
			w[i] = 1
			kept = append(kept, i)
		}
	}
	c := KNN{Config: Config{Kernel: kernel.Gaussian{Gamma: 0.1}, Given: Given{J: j}}, Pairs: constraint.Pairs{Count: 30}}
	all := must.Have(c.Fit(t.Context(), d.X, d.Labels, w))(t)
	pick := func(a mat.Matrix) *mat.Dense { return rows.Dense(gram.Of(a), kept) }
	c.Given.J = pick(j)
	some := must.Have(c.Fit(t.Context(), pick(d.X), gram.Labels{Class: rows.Pick(d.Labels.Class, kept), Names: d.Labels.Names}, nil))(t)
	if !mat.Equal(all.Scores(nil, d.X), some.Scores(nil, d.X)) {
		t.Error("rows without weight count")
	}
	if !slices.Equal(all.Kernel().(*Function).Index(), kept) {
		t.Errorf("points at rows %v, want %v", all.Kernel().(*Function).Index(), kept)
	}
}
