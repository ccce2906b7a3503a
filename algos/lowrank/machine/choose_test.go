package machine

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// A plan of a machine counts the choice of the settings that are not given: of C by fits to at most 2500 rows, of λ by leave-one-out.
func TestPlanCountsChoices(t *testing.T) {
	given := linear.Config{SVM: linear.SVM{C: 1}}
	for _, n := range []int{1000, 9000} {
		s := gram.Shape{N: n, D: 50, Outputs: 3}
		want := must.Have(Plan(stored{8 * 40}, given, s))(t)
		few := gram.Shape{N: min(n, 2500), D: 3, Outputs: 3}
		tries := must.Have(linear.Config{}.Plan(nil, few))(t)
		want.Flops += 4 * tries.Flops
		// The features of these rows, of their parts, and a fit, together with the map.
		want.PeakBytes = max(want.PeakBytes, 8*40+24*int64(few.N)*3+tries.PeakBytes)
		c := On(stored{8 * 40}, func(stored, context.Context, mat.Matrix) (gram.FeatureMap, error) { return nil, nil }, linear.Config{})
		if got, err := c.Plan(s); got != want || err != nil {
			t.Errorf("%d rows: %+v, %v, want %+v", n, got, err, want)
		}
	}
	given.Ridge.Lambda, given.SVM.C = gram.Set(1.), 0
	one := gram.Shape{N: 1000, D: 50, Outputs: 1}
	want := crossval.PlanLeaveOneOut(must.Have(Plan(stored{8 * 40}, given, one))(t), gram.Shape{N: 1000, D: 3})
	if got, err := Plan(stored{8 * 40}, linear.Config{}, one); got != want || err != nil {
		t.Errorf("values: %+v, %v, want %+v", got, err, want)
	}
	bad := errors.New("bad")
	for what, f := range map[string]func() (gram.Plan, error){
		"plan":     func() (gram.Plan, error) { return Plan(failing{plan: bad}, linear.Config{}, one) },
		"features": func() (gram.Plan, error) { return Plan(failing{features: bad}, linear.Config{}, one) },
	} {
		if p, err := f(); err != bad || p != (gram.Plan{}) {
			t.Errorf("an error of the %s of the map: %+v, %v", what, p, err)
		}
	}
	if _, err := Plan(stored{}, linear.Config{SVM: linear.SVM{Tol: -1}}, gram.Shape{N: 10, D: 2, Outputs: 2}); err == nil {
		t.Error("a plan of a negative tolerance")
	}
}

// failing is a map whose plan has an error.
type failing struct{ plan, features error }

func (failing) Settings(*settings.Fields)                {}
func (failing) SetRun(gram.Run)                          {}
func (m failing) Features(gram.Shape) (int, error)       { return 3, m.features }
func (m failing) Plan(gram.Shape) (p gram.Plan, e error) { return p, m.plan }

// identity are the data as features.
type identity int

func (d identity) Dims() (columns, features int) { return int(d), int(d) }

func (d identity) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense { return mat.DenseCopyOf(x) }

// λ is that of kernel ridge regression with inner products of features, for all rows in the convention of the penalty; a large set is
// judged by a sample, with the weights of its rows.
func TestChooseLambda(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	problem := func(n int) (x *mat.Dense, y, w []float64) {
		x, y, w = mat.NewDense(n, 3, nil), make([]float64, n), make([]float64, n)
		for i := range n {
			x.SetRow(i, []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()})
			w[i], y[i] = 1, 5+x.At(i, 0)+r.NormFloat64()/20
			if i%2 == 1 {
				w[i], y[i] = 1e-9, 30*r.NormFloat64()
			}
		}
		return x, y, w
	}
	x, y, w := problem(60)
	for _, c := range []linear.Ridge{{}, {NoBias: true}, {Penalty: solve.PerRow}} {
		for _, w := range [][]float64{nil, w} {
			k := krr.Config{Kernel: kernel.Linear{}}
			if c.NoBias {
				k.NoBias = true
			}
			want := must.Have(k.ChooseLambda(t.Context(), x, mat.NewDense(60, 1, y), w))(t)
			if c.Penalty == solve.PerRow {
				want /= 1000
			}
			got := must.Have(ChooseLambda(t.Context(), linear.Config{Ridge: c}, identity(3), x, y, w, 1000))(t)
			if !(math.Abs(got/want-1) < 1e-12) {
				t.Errorf("%+v, weights %v: λ is %v, want %v", c, w != nil, got, want)
			}
		}
	}
	x, y, w = problem(600)
	with := must.Have(ChooseLambda(t.Context(), linear.Config{}, identity(3), x, y, w, 600))(t)
	if !(with < 1) { // the mean eigenvalue is 1.5, the signal 1 and the noise of rows with a weight 1/400
		t.Errorf("λ is %v where large noise has hardly a weight", with)
	}
	var de *gram.DataError
	bad := append([]float64(nil), y...)
	bad[550] = math.NaN()
	if _, err := ChooseLambda(t.Context(), linear.Config{}, identity(3), x, bad, w, 600); !errors.As(err, &de) || de.Row != 550 {
		t.Errorf("a target that is NaN: %v", err)
	}
	w[580] = -1
	if _, err := ChooseLambda(t.Context(), linear.Config{}, identity(3), x, y, w, 600); !errors.As(err, &de) || de.Row != 580 {
		t.Errorf("a weight of −1: %v", err)
	}
	if _, err := ChooseLambda(t.Context(), linear.Config{}, identity(3), &mat.Dense{}, nil, nil, 0); err == nil {
		t.Error("no rows")
	}
	var me *gram.MemoryError
	if _, err := ChooseLambda(t.Context(), linear.Config{Run: gram.Run{MemoryLimit: 1000}}, identity(3), x, y, nil, 600); !errors.As(err, &me) {
		t.Errorf("beyond the limit: %v", err)
	}
}

// Errors of the data and of the map name no model.
func TestErrors(t *testing.T) {
	d := algotest.Problem(3, 40, 3, 2)
	if _, err := ChooseC(t.Context(), linear.Config{}, identity(3), d.X, gram.Labels{Class: d.Labels.Class[:9], Names: d.Labels.Names}, nil); err == nil {
		t.Error("classes of other rows")
	}
	if _, err := ChooseC(t.Context(), linear.Config{}, identity(3), d.X, d.Labels, d.Weights[:9]); err == nil {
		t.Error("weights of other rows")
	}
	trained := false
	c := On(nystrom.Config{Kernel: kernel.Gaussian{Gamma: .5}, M: 41}, func(c nystrom.Config, ctx context.Context, x mat.Matrix) (*nystrom.Model, error) {
		trained = true
		return c.Fit(ctx, x)
	}, linear.Config{})
	if m, err := c.FitMap(t.Context(), d.X); err == nil || m != nil || trained {
		t.Errorf("41 landmarks of 40 rows: %v, the map is fitted: %v", err, trained)
	}
	if m, err := c.Fit(t.Context(), d.X, d.Labels, nil); err == nil || m != nil {
		t.Errorf("41 landmarks of 40 rows: %v", err)
	}
	if m, err := c.FitValues(t.Context(), d.X, d.Value, nil); err == nil || m != nil {
		t.Errorf("41 landmarks of 40 rows: %v", err)
	}
	// The seed and the limit of the machine are those of its map.
	c.Map.M, c.Run = 4, gram.Run{Seed: 9, MemoryLimit: 1 << 20}
	m := must.Have(c.FitMap(t.Context(), d.X))(t)
	if r := m.Config().Run; r.Seed != 9 || r.MemoryLimit != 1<<20 {
		t.Errorf("the run of the map is %+v", r)
	}
}
