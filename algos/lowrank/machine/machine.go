package machine

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Map is what a plan needs of the configuration of a feature map.
type Map interface {
	settings.Described
	SetRun(gram.Run)
	Plan(gram.Shape) (gram.Plan, error)
	Features(gram.Shape) (int, error) // at most, of a fit to such data
}

// Config holds the settings of a linear machine on a feature map M with the configuration C.
type Config[C any, M gram.FeatureMap, P interface {
	*C
	Map
}] struct {
	Map      C
	Linear   linear.Config                                           // C and Lambda are chosen by the data unless they are given
	Train    func(c C, ctx context.Context, x mat.Matrix) (M, error) `json:"-"` // fits the map, as nystrom.Config.Fit
	gram.Run `json:"-"`                                              // that of the parts does not count
}

// On returns the configuration of a linear machine on the map of configuration m, which fit fits.
func On[C any, M gram.FeatureMap, P interface {
	*C
	Map
}](m C, fit func(c C, ctx context.Context, x mat.Matrix) (M, error), l linear.Config) Config[C, M, P] {
	return Config[C, M, P]{Map: m, Train: fit, Linear: l}
}

// Settings describes those of the map and those of the linear model.
func (c *Config[C, M, P]) Settings(s *settings.Fields) {
	s.Part(P(&c.Map))
	s.Part(&c.Linear)
	s.Tries(settings.Candidates{Names: []string{"c"}, Lists: [][]string{{"c=0.1", "c=10", "c=100"}}, Targets: settings.ForClasses, Judge: settings.HeldOut})
	s.Tries(settings.Candidates{Names: []string{"lambda"}, Judge: settings.LeaveOneOut})
}

// SetRun sets Run of the machine, of its map and of its linear model.
func (c *Config[C, M, P]) SetRun(run gram.Run) {
	c.Run = run
	P(&c.Map).SetRun(run)
	c.Linear.SetRun(run)
}

// Plan returns what the map, the linear model on its features and the choice of its settings cost together.
func (c Config[C, M, P]) Plan(s gram.Shape) (gram.Plan, error) { return Plan(P(&c.Map), c.Linear, s) }

// Fit fits the map to the rows of x and learns classes on its features. w are weights of the rows; nil means ones.
func (c Config[C, M, P]) Fit(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*linear.Classifier, error) {
	m, err := c.FitMap(ctx, x)
	if err != nil {
		return nil, err
	}
	return Fit(ctx, c.Linear, m, x, y, w)
}

// FitValues fits the map to the rows of x and learns values on its features.
func (c Config[C, M, P]) FitValues(ctx context.Context, x mat.Matrix, y, w []float64) (*linear.Regressor, error) {
	m, err := c.FitMap(ctx, x)
	if err != nil {
		return nil, err
	}
	return FitValues(ctx, c.Linear, m, x, y, w)
}

// FitMap fits the map to the rows of x, with Run of the machine, and no linear model.
func (c *Config[C, M, P]) FitMap(ctx context.Context, x mat.Matrix) (M, error) {
	c.SetRun(c.Run)
	if _, err := P(&c.Map).Features(gram.ShapeOf(x, 0)); err != nil {
		return *new(M), err
	}
	return c.Train(c.Map, ctx, x)
}

// Plan is the plan of the map together with that of the linear model l and its choices, and with mapping the rows once: two flops a row for
// each number that the map stores, or for each feature with each entry of the row and each other feature if that is less, as of sparse rows.
func Plan(m Map, l linear.Config, s gram.Shape) (gram.Plan, error) {
	p, err := m.Plan(s)
	if err != nil {
		return gram.Plan{}, err
	}
	features, err := m.Features(s)
	if err != nil {
		return gram.Plan{}, err
	}
	q, err := l.Plan(dims{s.D, features}, s)
	if err != nil {
		return gram.Plan{}, err
	}
	if s.Outputs > 1 && openC(l) {
		few := gram.Shape{N: min(s.N, 2500), D: features, Outputs: s.Outputs}
		tries, err := l.Plan(nil, few)
		if err != nil {
			return gram.Plan{}, err
		}
		q.Flops += float64(len(weights)) * tries.Flops
		q.PeakBytes = max(q.PeakBytes, 24*int64(few.N)*int64(features)+tries.PeakBytes)
	}
	n, f, entries := float64(s.N), float64(features), float64(s.N)*float64(s.D)
	if s.NNZ > 0 {
		entries = float64(s.NNZ)
	}
	p.Flops += q.Flops + min(n*float64(p.ModelBytes)/4, 2*f*(entries+n*f))
	p.PeakBytes = max(p.PeakBytes, p.ModelBytes+q.PeakBytes)
	p.ModelBytes += q.ModelBytes
	p.Description += "; " + q.Description
	if s.Outputs <= 1 && !l.Ridge.Lambda.Given() {
		p = crossval.PlanLeaveOneOut(p, gram.Shape{N: s.N, D: features})
	}
	return p, nil
}

// dims is a feature map of which only the sizes are known yet.
type dims struct{ d, m int }

// Dims returns the numbers of columns and features.
func (f dims) Dims() (d, m int) { return f.d, f.m }

// Map panics: a plan maps no rows.
func (dims) Map(*mat.Dense, mat.Matrix) *mat.Dense { panic("machine: a plan maps no rows") }

// Fit learns classes on the features of m, with a weight of the loss that is chosen unless it is given.
func Fit(ctx context.Context, c linear.Config, m gram.FeatureMap, x mat.Matrix, y gram.Labels, w []float64) (*linear.Classifier, error) {
	if openC(c) {
		v, err := ChooseC(ctx, c, m, x, y, w)
		if err != nil {
			return nil, err
		}
		c.SVM.C, c.Logistic.C = v, v
	}
	return c.Fit(ctx, m, x, y, w)
}

// FitValues learns values on the features of m, with a λ that is chosen unless it is given.
func FitValues(ctx context.Context, c linear.Config, m gram.FeatureMap, x mat.Matrix, y, w []float64) (*linear.Regressor, error) {
	if !c.Ridge.Lambda.Given() {
		n, _ := x.Dims()
		v, err := ChooseLambda(ctx, c, m, x, y, w, n)
		if err != nil {
			return nil, err
		}
		c.Ridge.Lambda = gram.Set(v)
	}
	return c.FitValues(ctx, m, x, y, w)
}

// weights are the candidates for the weight of the loss. The first is chosen without a comparison if there are few rows.
var weights = []float64{1, .1, 10, 100}

// openC reports whether the weight of the loss of c is not given.
func openC(c linear.Config) bool { return c.SVM.C == 0 && c.Logistic.C == 0 }

// ChooseC returns the weight of the loss of a linear machine on the features of m with the most weight of rows right among those that
// are held out.
func ChooseC(ctx context.Context, c linear.Config, m gram.FeatureMap, x mat.Matrix, y gram.Labels, w []float64) (float64, error) {
	n, _ := x.Dims()
	if err := check.Classes(y, n); err != nil {
		return 0, err
	}
	if err := check.Weights(w, n); err != nil {
		return 0, err
	}
	rows := gram.Of(x)
	var train, held *mat.Dense // features
	return crossval.ByPart(ctx, weights, n, y.Class, rng.Derive(c.Seed, "c"), func(v float64, seed uint64, s crossval.Split) (float64, error) {
		if train == nil {
			train, held = m.Map(nil, rows.Select(s.Train)), m.Map(nil, rows.Select(s.Held))
		}
		return right(ctx, c, v, seed, part{train, y, w, s.Train}, part{held, y, w, s.Held})
	})
}

// part is a subset of the rows with their features, a row of features for each of rows. y and w hold all rows, also those outside
// the subset.
type part struct {
	features *mat.Dense
	y        gram.Labels
	w        []float64
	rows     []int
}

// right returns the weight of rows of held that the machine of train with the weight v of the loss predicts right.
func right(ctx context.Context, c linear.Config, v float64, seed uint64, train, held part) (float64, error) {
	c.Progress = nil
	c.SVM.C, c.Logistic.C, c.Seed = v, v, seed
	y := gram.Labels{Class: make([]int, len(train.rows)), Names: train.y.Names}
	var w []float64
	for k, i := range train.rows {
		y.Class[k] = train.y.Class[i]
		if train.w != nil {
			w = append(w, train.w[i])
		}
	}
	l, err := c.Fit(ctx, nil, train.features, y, w)
	if l == nil {
		return 0, err
	}
	var sum float64
	for k, p := range l.Predict(nil, held.features) {
		switch i := held.rows[k]; {
		case p != held.y.Class[i]:
		case held.w == nil:
			sum++
		default:
			sum += held.w[i]
		}
	}
	return sum, err
}

// ChooseLambda returns the λ of ridge regression on the features of m by leave-one-out, for all rows, of which x holds a
// sample or all, in the convention of the penalty of c.
func ChooseLambda(ctx context.Context, c linear.Config, m gram.FeatureMap, x mat.Matrix, y, w []float64, all int) (float64, error) {
	const most = 500
	n, _ := x.Dims()
	_, features := m.Dims()
	// Before the rows are mapped, which takes half of that memory.
	if err := c.Check(crossval.PlanLeaveOneOut(gram.Plan{}, gram.Shape{N: n, D: features})); err != nil {
		return 0, err
	}
	if err := check.Rows(n); err != nil {
		return 0, err
	}
	if err := check.Target(y, n); err != nil {
		return 0, err
	}
	if err := check.Weights(w, n); err != nil {
		return 0, err
	}
	targets := mat.NewDense(n, 1, y)
	if n > most {
		index := crossval.Sample(n, most, rng.Derive(c.Seed, "lambda"))
		x, targets = gram.Of(x).Select(index), mat.NewDense(most, 1, nil)
		var some []float64
		for k, i := range index {
			targets.Set(k, 0, y[i])
			if w != nil {
				some = append(some, w[i])
			}
		}
		w = some
	}
	lambda, err := krr.Config{Kernel: kernel.Linear{}, NoBias: modelfile.Not(c.Ridge.NoBias), Run: c.Run}.ChooseLambda(ctx, m.Map(nil, x), targets, w)
	return lambda / c.Ridge.Penalty.Scale(1, float64(all)), err
}
