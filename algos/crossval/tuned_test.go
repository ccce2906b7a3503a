package crossval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// errWidth is the error of a toy whose width cannot follow from its data.
var errWidth = errors.New("no width")

// trained is a model of a toy, with all that it was fitted to.
type trained[Y Targets] struct {
	config toy
	x      mat.Matrix
	y      Y
	w      []float64
}

// miss returns how far c is from 100, in powers of ten.
func (m trained[Y]) miss() float64 {
	c := m.config.C
	if c == 0 {
		c = 1
	}
	return math.Abs(math.Round(math.Log10(c)) - 2)
}

// The toys below predict the second column of a row, the worse the farther c is from the best.
type (
	toyRegressor  struct{ trained[[]float64] }
	toyClassifier struct {
		naming
		trained[gram.Labels]
	}
	toyRanker struct{ trained[*sparse.CSR] }
)

func (m *toyRegressor) Predict(_ []float64, x mat.Matrix) []float64 {
	v := mat.Col(nil, 1, x)
	for i := range v {
		v[i] += m.miss()
	}
	return v
}

func (m *toyClassifier) Predict(_ []int, x mat.Matrix) []int {
	var class []int
	for i, v := range mat.Col(nil, 1, x) {
		if wrong := x.At(i, 0)/10 - math.Floor(x.At(i, 0)/10); wrong < .3*m.miss()-.01 {
			v = 1 - v
		}
		class = append(class, int(v))
	}
	return class
}

func (m *toyRanker) NumLabels() int { return m.y.D }

// Top is right for the share 1 − |k−10|/20 of the rows.
func (m *toyRanker) Top(_ [][]gram.Scored, x mat.Matrix, k int) [][]gram.Scored {
	var top [][]gram.Scored
	for i, v := range mat.Col(nil, 1, x) {
		if x.At(i, 0) < 6*math.Abs(float64(m.config.K-10)) {
			v = 4 - v
		}
		top = append(top, []gram.Scored{{Label: int(v)}, {Label: 2}}[:k])
	}
	return top
}

// toyRows returns rows that hold their numbers and their targets, with a weight for each.
func toyRows(n int, target func(i int) float64) (x *mat.Dense, y, w []float64) {
	x = mat.NewDense(n, 2, nil)
	for i := range n {
		x.SetRow(i, []float64{float64(i), target(i)})
		y, w = append(y, target(i)), append(w, float64(1+i%3))
	}
	return x, y, w
}

// toyFits counts fits of toys, and keeps the configuration of each.
type toyFits struct {
	*testing.T
	all      []toy
	weighted bool // all have weights
}

// fit checks that targets and weights are those of the rows.
func (f *toyFits) fit(c toy, x mat.Matrix, y func(i int) float64, w []float64) {
	f.all = append(f.all, c)
	if f.weighted && w == nil {
		f.Errorf("fit %d has no weights", len(f.all))
	}
	n, _ := x.Dims()
	for i := range n {
		if y(i) != x.At(i, 1) || w != nil && w[i] != float64(1+int(x.At(i, 0))%3) {
			f.Fatalf("fit %d: row %g has the target %g and the weight %g", len(f.all), x.At(i, 0), y(i), w[i])
		}
	}
}

func (f *toyFits) values(c toy, _ context.Context, x mat.Matrix, y []float64, w []float64) (*toyRegressor, error) {
	f.fit(c, x, func(i int) float64 { return y[i] }, w)
	return &toyRegressor{trained[[]float64]{c, x, y, w}}, nil
}

func (f *toyFits) classes(c toy, _ context.Context, x mat.Matrix, y gram.Labels, w []float64) (*toyClassifier, error) {
	f.fit(c, x, func(i int) float64 { return float64(y.Class[i]) }, w)
	return &toyClassifier{naming{}, trained[gram.Labels]{c, x, y, w}}, nil
}

func (f *toyFits) labels(c toy, _ context.Context, x mat.Matrix, y *sparse.CSR) (*toyRanker, error) {
	f.fit(c, x, func(i int) float64 { return float64(y.Col[y.Ptr[i]]) }, nil)
	return &toyRanker{trained[*sparse.CSR]{c, x, y, nil}}, nil
}

// A tuned method takes the settings that its choice finds best, keeps those that are given, and fits them to all rows as
// it is to run. What cannot be fitted is refused before anything is.
func TestTuned(t *testing.T) {
	const n = 240
	f := &toyFits{T: t, weighted: true}
	run := gram.Run{Seed: 5, Workers: 3, MemoryLimit: 1e9}
	x, y, w := toyRows(n, func(i int) float64 { return float64(i % 2) })
	labels := gram.Labels{Names: []string{"a", "b"}}
	for _, v := range y {
		labels.Class = append(labels.Class, int(v))
	}
	for _, c := range []struct {
		given toy
		want  float64 // c
		fits  int
	}{
		{toy{E: 7, Leaf: 3}, 100, 3 * 5},
		{toy{E: 7, Leaf: 3, C: 10}, 10, 0},
	} {
		c.given.Run = run
		f.all = nil
		values := must.Have(Tune(c.given, f.values).Fit(t.Context(), x, y, w))(t)
		if got := len(f.all); got > c.fits+1 || got < c.fits/2+1 {
			t.Errorf("there are %d fits of values", got)
		}
		f.all = nil
		classes := must.Have(Tune(c.given, f.classes).Fit(t.Context(), x, labels, w))(t)
		if got := len(f.all); got > c.fits+1 || got < c.fits/2+1 {
			t.Errorf("there are %d fits of classes", got)
		}
		for _, got := range []toy{values.config, classes.config} {
			if got.C != c.want || got.E != 7 || got.Leaf != 3 || got.Seed != 5 || got.Workers != 3 || got.MemoryLimit != 1e9 ||
				got.seed != 5 || got.Width != n {
				t.Errorf("the model is of %+v, want c=%g", got, c.want)
			}
		}
		for _, k := range f.all[:len(f.all)-1] {
			if k.Seed == 5 || k.seed != k.Seed || k.Workers != 3 || k.MemoryLimit != 1e9 || k.Width != n*2/3 {
				t.Errorf("a fit that judges is of %+v", k)
			}
		}
		if !slices.Equal(values.w, w) || !slices.Equal(values.y, y) || len(classes.y.Names) != 2 {
			t.Error("the model is not of all rows, or without weights")
		}
	}
	f.weighted = false
	chosen, err := Tune(toy{E: 7}, f.values).Choose(t.Context(), x, y, nil)
	if err != nil || !slices.Equal(chosen, []string{"c=100"}) {
		t.Errorf("%v are chosen, %v", chosen, err)
	}
	// Rows that only the best c predicts right count by their weights.
	unseen := make([]float64, n)
	for i := range unseen {
		if i%10 > 5 {
			unseen[i] = 1
		}
	}
	for want, w := range map[string][]float64{"[c=100]": nil, "[]": unseen} {
		chosen, err := Tune(toy{}, func(c toy, _ context.Context, x mat.Matrix, y gram.Labels, w []float64) (*toyClassifier, error) {
			return &toyClassifier{naming{}, trained[gram.Labels]{c, x, y, w}}, nil
		}).Choose(t.Context(), x, labels, w)
		if err != nil || fmt.Sprint(chosen) != want {
			t.Errorf("%v are chosen, %v, want %s", chosen, err, want)
		}
	}
	f.all = nil
	many := gram.Labels{Class: labels.Class, Names: make([]string, 30)}
	if chosen, err := Tune(toy{}, f.classes).Choose(t.Context(), x, many, nil); err != nil || chosen != nil || f.all != nil {
		t.Errorf("of 8 rows for a class %v are chosen by %d fits, %v", chosen, len(f.all), err)
	}
	var bad *gram.DataError
	for name, err := range map[string]error{
		"a value":          second(Tune(toy{}, f.values).Fit(t.Context(), x, append(slices.Clone(y[1:]), nan), nil)),
		"a class":          second(Tune(toy{}, f.classes).Fit(t.Context(), x, gram.Labels{Class: labels.Class, Names: []string{"a"}}, nil)),
		"too few weights":  second(Tune(toy{}, f.values).Fit(t.Context(), x, y, w[1:])),
		"weights of class": second(Tune(toy{}, f.classes).Fit(t.Context(), x, labels, make([]float64, n))),
	} {
		if !errors.As(err, &bad) || f.all != nil {
			t.Errorf("%s: %v after %d fits", name, err, len(f.all))
		}
	}
	// Without a width there is no fit. The reason is that of the fit to all rows.
	if m, err := Tune(toy{Width: -1}, f.values).Fit(t.Context(), x, y, nil); m != nil || err != errWidth || f.all != nil {
		t.Errorf("without a width: %v, %v after %d fits", m, err, len(f.all))
	}
}

// second returns the error of a call with two results.
func second[T any](_ T, err error) error { return err }

// For sets of labels a part of the rows decides, by the first labels that are right, in fits with the declared setting.
func TestTunedLabels(t *testing.T) {
	tags := func(n int) (*mat.Dense, *sparse.CSR) {
		x, y, _ := toyRows(n, func(i int) float64 { return float64(i % 2 * 4) })
		a := &sparse.CSR{N: n, D: 5, Ptr: []int{0}}
		for i, v := range y {
			a.Col, a.Ptr = append(a.Col, int32(v)), append(a.Ptr, i+1)
		}
		return x, a
	}
	f := &toyFits{T: t}
	tuned := func(c toy) Tuned[toy, *sparse.CSR, *toyRanker, *toy] { return Tune(c, Unweighted(f.labels)) }
	for _, c := range []struct {
		n     int
		given toy
		k     int
		fits  int
	}{{120, toy{Lambda: 1}, 10, 4}, {99, toy{Lambda: 1}, 20, 1}, {120, toy{Lambda: 1, K: 20}, 20, 1}} {
		x, y := tags(c.n)
		c.given.Run = gram.Run{Seed: 3, Progress: func(gram.Event) {}}
		f.all = nil
		m := must.Have(tuned(c.given).Fit(t.Context(), x, y, nil))(t)
		if m.config.K != c.k || m.config.Rounds != 0 || m.config.Seed != 3 || m.config.Progress == nil || m.y != y || len(f.all) != c.fits {
			t.Errorf("%d rows: k is %d, %d rounds, after %d fits", c.n, m.config.K, m.config.Rounds, len(f.all))
		}
		seeds := map[uint64]bool{}
		for k, c := range f.all[:len(f.all)-1] {
			if seeds[c.Seed] = true; c.K != []int{20, 10, 5}[k] || c.Rounds != 1 || c.Progress != nil || c.Seed == 3 {
				t.Errorf("judging fit %d has k=%d and %d rounds", k, c.K, c.Rounds)
			}
		}
		if len(seeds) != c.fits-1 {
			t.Errorf("%d seeds", len(seeds))
		}
		if chosen, err := tuned(c.given).Choose(t.Context(), x, y, nil); chosen != nil || err != nil {
			t.Errorf("folds choose %v, %v", chosen, err)
		}
	}
	x, y := tags(120)
	f.all = nil
	want := must.Have(PlanSettled(toy{Lambda: 1}, gram.Shape{N: 120, D: 2, Outputs: 5}))(t).PeakBytes
	var memory *gram.MemoryError
	if _, err := tuned(toy{Lambda: 1, Run: gram.Run{MemoryLimit: want - 1}}).Fit(t.Context(), x, y, nil); !errors.As(err, &memory) ||
		memory.Need != want || f.all != nil {
		t.Errorf("below the plan of %d bytes: %v", want, err)
	}
	must.Have(tuned(toy{Lambda: 1, Run: gram.Run{MemoryLimit: want}}).Fit(t.Context(), x, y, nil))(t)
	f.all = nil
	var bad *gram.DataError
	few := &sparse.CSR{N: 120, D: 3, Ptr: y.Ptr, Col: y.Col}
	if _, err := tuned(toy{Lambda: 1}).Fit(t.Context(), x, few, nil); !errors.As(err, &bad) || f.all != nil {
		t.Errorf("labels that do not exist: %v", err)
	}
	var config *gram.ConfigError
	if _, err := tuned(toy{Lambda: 1, Share: -1}).Fit(t.Context(), x, y, nil); !errors.As(err, &config) ||
		config.Field != "Share" || f.all != nil {
		t.Errorf("a setting out of its range: %v", err)
	}
	// A model that is not finished counts; those that cannot be trained do not.
	for _, c := range []struct {
		fails, want int
	}{{0, 10}, {10, 5}, {20, 10}} {
		fit := func(try toy, ctx context.Context, x mat.Matrix, y *sparse.CSR, _ []float64) (*toyRanker, error) {
			if try.K == c.fails {
				return nil, errors.New("trouble")
			}
			m, _ := f.labels(try, ctx, x, y)
			return m, &gram.ConvergenceError{}
		}
		got, err := Settled(t.Context(), toy{Lambda: 1}, x, y, nil, fit)
		if err != nil || got.K != c.want || got.Rounds != 0 {
			t.Errorf("%+v: k is %d, %v", c, got.K, err)
		}
	}
}

// ridge is a toy that knows its leave-one-out error, half of one that knows it for values alone.
type (
	half  struct{ toy }
	ridge struct{ half }
)

// ChooseLambda returns the sum of the targets, with their weights.
func (r *half) ChooseLambda(_ context.Context, x mat.Matrix, y *mat.Dense, w []float64) (float64, error) {
	if r.Leaf == 13 {
		return 0, errWidth
	}
	n, _ := x.Dims()
	var sum float64
	for i := range n {
		sum += y.At(i, 0) * w[i]
	}
	return sum, nil
}

// ChooseLambdaClasses returns twice the sum of the numbers of the classes, with their weights.
func (r *ridge) ChooseLambdaClasses(_ context.Context, x mat.Matrix, y gram.Labels, w []float64) (float64, error) {
	var sum float64
	for i, c := range y.Class {
		sum += float64(2*c) * w[i]
	}
	return sum, nil
}

// settled is the lambda that Settled gives, and its error.
type settled struct {
	lambda float64
	err    error
}

func settle[C any, Y Targets, P interface {
	Method[C]
	lambda() float64
}](ctx context.Context, c C, x mat.Matrix, y Y, w []float64) settled {
	c, err := Settled[C, Y, *toyRanker, P](ctx, c, x, y, w, nil)
	return settled{P(&c).lambda(), err}
}

// A method that knows its leave-one-out error for such targets chooses by it, unless the setting is given.
func TestSettled(t *testing.T) {
	x, y, w := toyRows(6, func(i int) float64 { return float64(1 + i%2) })
	labels := gram.Labels{Class: []int{1, 2, 1, 2, 1, 2}, Names: []string{"a", "b", "c"}}
	given := ridge{half{toy{Lambda: 3}}}
	ctx := t.Context()
	for name, c := range map[string]struct{ got, want settled }{
		"values":            {settle(ctx, ridge{}, x, y, w), settled{18, nil}},
		"values, half":      {settle(ctx, half{}, x, y, w), settled{18, nil}},
		"values, given":     {settle(ctx, given, x, y, w), settled{3, nil}},
		"values, not known": {settle(ctx, toy{}, x, y, w), settled{}},
		"values, an error":  {settle(ctx, half{toy{Leaf: 13}}, x, y, w), settled{0, errWidth}},
		"classes":           {settle(ctx, ridge{}, x, labels, w), settled{36, nil}},
		"classes, half":     {settle(ctx, half{}, x, labels, w), settled{}},
		"classes, given":    {settle(ctx, given, x, labels, w), settled{3, nil}},
	} {
		if c.got != c.want {
			t.Errorf("%s: lambda is %g, %v, want %g", name, c.got.lambda, c.got.err, c.want.lambda)
		}
	}
	var bad *gram.DataError
	if got := settle(ctx, ridge{}, x, append(slices.Clone(y[1:]), nan), w); !errors.As(got.err, &bad) || bad.Row != 5 {
		t.Errorf("a target that is no number: %v", got.err)
	}
	var config *gram.ConfigError
	if got := settle(ctx, ridge{}, &mat.Dense{}, []float64(nil), nil); !errors.As(got.err, &config) || config.Field != "rows" {
		t.Errorf("no rows: %v", got.err)
	}
}

// A plan counts the choices that are made: by leave-one-out on at most 500 rows, by fits to at most 2500 rows with the declared
// setting, and by folds, in whose fits the other choices are made again.
func TestTunedPlan(t *testing.T) {
	planned := func(p gram.Plan, err error) gram.Plan { return must.Have(p, err)(t) }
	f := &toyFits{T: t}
	never := toy{E: 1, K: 20}
	var unused Fit[ridge, []float64, *toyRegressor]
	const loo, looBytes = 9*500*500*500 + 2*500*500*3, 8 * (5*500*500 + 2*500*3)
	for name, c := range map[string]struct {
		got   gram.Plan
		flops float64
		peak  int64
	}{
		"nothing":       {planned(PlanSettled(never, gram.Shape{N: 4000, D: 3, Outputs: 1})), 36020, 3602000},
		"values":        {planned(PlanSettled(ridge{half{never}}, gram.Shape{N: 4000, D: 3, Outputs: 1})), 36020 + loo, looBytes},
		"values, half":  {planned(PlanSettled(half{never}, gram.Shape{N: 4000, D: 3})), 36020 + loo, looBytes},
		"classes":       {planned(PlanSettled(ridge{half{never}}, gram.Shape{N: 4000, D: 3, Outputs: 2})), 36020 + loo, looBytes},
		"classes, half": {planned(PlanSettled(half{never}, gram.Shape{N: 4000, D: 3, Outputs: 2})), 36020, 3602000},
		"values, given": {planned(PlanSettled(ridge{half{toy{Lambda: 1, K: 20}}}, gram.Shape{N: 4000, D: 3, Outputs: 1})),
			36020, 3602000},
		"few values":         {planned(PlanSettled(half{never}, gram.Shape{N: 10, D: 3, Outputs: 1})), 110 + 9*1000 + 2*100*3, 11000},
		"labels":             {planned(PlanSettled(toy{}, gram.Shape{N: 4000, D: 100, Outputs: 9})), 36020 + 3*2520, 252000 + 2*8*2500*100},
		"labels of 100 rows": {planned(PlanSettled(toy{}, gram.Shape{N: 100, D: 3, Outputs: 9})), 920 + 3*120, 92000},
		"labels of few rows": {planned(PlanSettled(toy{}, gram.Shape{N: 99, D: 3, Outputs: 9})), 911, 91100},
		"folds": {planned(Tune(never, f.values).Plan(gram.Shape{N: 4000, D: 600, Outputs: 1})), 36020 + 12*9020,
			902000 + 2*8*1000*600},
		"folds and leaving out": {planned(Tune(ridge{half{never}}, unused).Plan(gram.Shape{N: 4000, D: 3, Outputs: 1})),
			36020 + loo + 12*(9020+loo), looBytes + 2*8*1000*3},
	} {
		if c.got.Flops != c.flops || c.got.PeakBytes != c.peak || c.got.Description != "toy" {
			t.Errorf("%s: the plan is %+v, want %g flops and %d bytes", name, c.got, c.flops, c.peak)
		}
	}
	var config *gram.ConfigError
	if _, err := Tune(toy{C: -1}, f.values).Plan(gram.Shape{N: 4000, D: 3, Outputs: 1}); !errors.As(err, &config) || config.Field != "C" {
		t.Errorf("a setting out of its range: %v", err)
	}
	if _, err := Tune(toy{Width: -1}, f.values).Plan(gram.Shape{N: 4000, D: 3, Outputs: 1}); err != errWidth {
		t.Errorf("without a width: %v", err)
	}
}

// Targets are selected in the order that is asked for.
func TestSelected(t *testing.T) {
	rows := []int{2, 0}
	if got := selected([]float64{1, 2, 3}, rows); !slices.Equal(got, []float64{3, 1}) {
		t.Errorf("values %v", got)
	}
	if got := selected(gram.Labels{Class: []int{1, 0, 2}, Names: []string{"a", "b", "c"}}, rows); len(got.Names) != 3 ||
		!slices.Equal(got.Class, []int{2, 1}) {
		t.Errorf("classes %v", got)
	}
	if got := selected(&sparse.CSR{N: 3, D: 4, Ptr: []int{0, 1, 1, 2}, Col: []int32{3, 1}}, rows); got.N != 2 ||
		!slices.Equal(got.Col, []int32{1, 3}) {
		t.Errorf("sets of labels %v", got)
	}
}
