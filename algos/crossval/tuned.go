package crossval

import (
	"context"
	"fmt"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Method is what a choice of settings needs of the configuration C of a method.
type Method[C any] interface {
	*C
	settings.Described
	GetRun() gram.Run
	SetRun(gram.Run)
	Plan(gram.Shape) (gram.Plan, error)
}

// Targets are classes, values, or sets of labels.
type Targets interface {
	gram.Labels | []float64 | *sparse.CSR
}

// Fit trains with the configuration c: the method expression of an estimator, as svm.Config.Fit, has this type. w are
// weights of the rows; nil means ones.
type Fit[C any, Y Targets, M comparable] func(c C, ctx context.Context, x mat.Matrix, y Y, w []float64) (M, error)

// Unweighted returns fit, which takes no weights, as a Fit.
func Unweighted[C any, Y Targets, M comparable](fit func(c C, ctx context.Context, x mat.Matrix, y Y) (M, error)) Fit[C, Y, M] {
	return func(c C, ctx context.Context, x mat.Matrix, y Y, _ []float64) (M, error) { return fit(c, ctx, x, y) }
}

// Tuned is a method that chooses settings by the data before it is fitted. It gives the model that the command
// gram fit gives for the same settings, rows and seed.
type Tuned[C any, Y Targets, M comparable, P Method[C]] struct {
	Config C            // the settings that are given; those with the value zero, and a kernel that is nil, are not
	Train  Fit[C, Y, M] // the fit with chosen settings
}

// Tune returns the tuned method of the configuration c, which fit trains.
func Tune[C any, Y Targets, M comparable, P Method[C]](c C, fit Fit[C, Y, M]) Tuned[C, Y, M, P] {
	return Tuned[C, Y, M, P]{c, fit}
}

// Fit chooses settings for the rows of x and trains with them. It returns the errors of Choose and of the fit.
func (t Tuned[C, Y, M, P]) Fit(ctx context.Context, x mat.Matrix, y Y, w []float64) (M, error) {
	chosen, err := t.Choose(ctx, x, y, w)
	if err != nil {
		return *new(M), err
	}
	return t.with(ctx, chosen, P(&t.Config).GetRun(), x, y, w)
}

// Choose returns the settings NAME=VALUE that Fit chooses by folds, without those that are as if nothing were chosen.
func (t Tuned[C, Y, M, P]) Choose(ctx context.Context, x mat.Matrix, y Y, w []float64) ([]string, error) {
	n, _ := x.Dims()
	c := Choice{Weight: w, Run: P(&t.Config).GetRun()}
	switch y := any(y).(type) {
	case gram.Labels:
		if err := check.Classes(y, n); err != nil {
			return nil, err
		}
		c.Class, c.Outputs = y.Class, len(y.Names)
	case []float64:
		if err := check.Target(y, n); err != nil {
			return nil, err
		}
		c.Value, c.Outputs = y, 1
	default:
		return nil, nil // no method for sets of labels chooses by folds
	}
	if err := check.Weights(w, n); err != nil {
		return nil, err
	}
	c.Losses = func(ctx context.Context, candidate []string, train, held []int, run gram.Run) ([]float64, error) {
		rows := gram.Of(x)
		m, err := t.with(ctx, candidate, run, rows.Select(train), selected(y, train), pick(w, train))
		var none M
		if m == none {
			return nil, err
		}
		return Losses(m, rows.Select(held), pick(c.Class, held), pick(c.Value, held)), err
	}
	return c.Choose(ctx, settings.Bind(P(&t.Config)), n, n)
}

// with trains with the settings that are given and those of more.
func (t Tuned[C, Y, M, P]) with(ctx context.Context, more []string, run gram.Run, x mat.Matrix, y Y, w []float64) (m M, err error) {
	c := t.Config
	P(&c).SetRun(run)
	b := settings.Bind(P(&c))
	if err = b.Set(more...); err == nil {
		err = b.Complete(x, run.Seed)
	}
	if err == nil {
		c, err = Settled[C, Y, M, P](ctx, c, x, y, w, t.Train)
	}
	if err != nil {
		return m, err
	}
	return t.Train(c, ctx, x, y, w)
}

// Plan returns the expected cost of Fit for data of shape s: the cost of the fit, of what Settled chooses, and of the fits of a
// choice by folds. Nothing of that size is allocated for the plan. The error says which setting cannot be used.
func (t Tuned[C, Y, M, P]) Plan(s gram.Shape) (gram.Plan, error) {
	c := t.Config
	b := settings.Bind(P(&c))
	if err := b.Complete(nil, P(&c).GetRun().Seed); err != nil {
		return gram.Plan{}, err
	}
	plan := func(s gram.Shape) (gram.Plan, error) { return PlanSettled[C, P](c, s) }
	p, err := plan(s)
	if err != nil {
		return p, err
	}
	return PlanChoice(p, b, s, plan), nil
}

// Settled returns c, whose kernel is there, with the settings that a method chooses in every fit, unless they are given: by its own
// leave-one-out error, if it has a method ChooseLambda or ChooseLambdaClasses for such targets, or for sets of labels by one part of
// the rows, held out, and the share of its rows that have one of their labels in the first place.
func Settled[C any, Y Targets, M comparable, P Method[C]](ctx context.Context, c C, x mat.Matrix, y Y, w []float64, fit Fit[C, Y, M]) (C, error) {
	b := settings.Bind(P(&c))
	for _, by := range b.Candidates {
		name := by.Names[0]
		if by.Judge == settings.Folds || b.Lookup(name).Given() {
			continue
		}
		var value string
		var err error
		if by.Judge == settings.LeaveOneOut {
			value, err = leastLeaveOneOut(ctx, P(&c), x, y, w)
		} else if tags, is := any(y).(*sparse.CSR); is {
			value, err = bestFirst[C, Y, M, P](ctx, c, by, x, tags, fit)
		}
		if err == nil && value != "" {
			err = b.Set(name + "=" + value)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

// lambdaOfValues and lambdaOfClasses choose the weight of the squared norm by leave-one-out.
type (
	lambdaOfValues interface {
		ChooseLambda(ctx context.Context, x mat.Matrix, y *mat.Dense, w []float64) (float64, error)
	}
	lambdaOfClasses interface {
		ChooseLambdaClasses(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (float64, error)
	}
)

// leastLeaveOneOut returns the λ that method chooses for such targets, "" if it chooses none.
func leastLeaveOneOut(ctx context.Context, method any, x mat.Matrix, y any, w []float64) (string, error) {
	var v float64
	var err error
	n, _ := x.Dims()
	switch y := y.(type) {
	case gram.Labels:
		m, chooses := method.(lambdaOfClasses)
		if !chooses {
			return "", nil
		}
		v, err = m.ChooseLambdaClasses(ctx, x, y, w)
	case []float64:
		m, chooses := method.(lambdaOfValues)
		if !chooses {
			return "", nil
		}
		if err := check.Rows(n); err != nil {
			return "", err
		}
		if err := check.Target(y, n); err != nil {
			return "", err
		}
		v, err = m.ChooseLambda(ctx, x, mat.NewDense(n, 1, y), w)
	}
	return fmt.Sprint(v), err
}

// bestFirst returns the default or the candidate of the setting with the most first labels right.
func bestFirst[C any, Y Targets, M comparable, P Method[C]](ctx context.Context, c C, by settings.Candidates, x mat.Matrix, y *sparse.CSR, fit Fit[C, Y, M]) (string, error) {
	n, _ := x.Dims()
	if err := check.Tags(y, n); err != nil {
		return "", err
	}
	shape := gram.ShapeOf(x, y.D)
	run := P(&c).GetRun()
	p, err := PlanSettled[C, P](c, shape)
	if err == nil {
		err = run.Check(p)
	}
	if err != nil {
		return "", err
	}
	name, rows := by.Names[0], gram.Of(x)
	values := []string{settings.Bind(P(&c)).Lookup(name).Default}
	for _, text := range by.Lists[0] {
		values = append(values, strings.TrimPrefix(text, name+"="))
	}
	return ByPart(ctx, values, n, nil, rng.Derive(run.Seed, name), func(v string, seed uint64, s Split) (float64, error) {
		try, run := c, run
		run.Progress, run.Seed = nil, seed
		P(&try).SetRun(run)
		b := settings.Bind(P(&try))
		if err := b.Set(append(strings.Fields(by.With), name+"="+v)...); err != nil {
			return 0, err
		}
		m, err := fit(try, ctx, rows.Select(s.Train), any(y.Select(s.Train)).(Y), nil)
		var none M
		if m == none {
			return 0, err
		}
		top := any(m).(gram.Ranker).Top(nil, rows.Select(s.Held), 1)
		return metric.PrecisionAt([]int{1}, top, y.Select(s.Held))[0], err
	})
}

// PlanSettled returns the plan of c with the cost of what Settled chooses.
func PlanSettled[C any, P Method[C]](c C, s gram.Shape) (gram.Plan, error) {
	p, err := P(&c).Plan(s)
	if err != nil {
		return p, err
	}
	b := settings.Bind(P(&c))
	for _, by := range b.Candidates {
		if by.Judge == settings.Folds || b.Lookup(by.Names[0]).Given() {
			continue
		}
		_, values := any(P(&c)).(lambdaOfValues)
		_, classes := any(P(&c)).(lambdaOfClasses)
		switch {
		case by.Judge == settings.LeaveOneOut && (s.Outputs <= 1 && values || s.Outputs > 1 && classes):
			p = PlanLeaveOneOut(p, s)
		case by.Targets == settings.ForLabels && s.N >= minOfPart:
			p = planFits(p, s, maxOfPart, 1+len(by.Lists[0]), func(s gram.Shape) (gram.Plan, error) {
				try := c
				if err := settings.Bind(P(&try)).Set(strings.Fields(by.With)...); err != nil {
					return gram.Plan{}, err
				}
				return P(&try).Plan(s)
			})
		}
	}
	return p, nil
}

// PlanLeaveOneOut adds to the plan p of a fit to data of shape s the cost of a choice of λ on at most 500 rows.
func PlanLeaveOneOut(p gram.Plan, s gram.Shape) gram.Plan {
	m := float64(min(s.N, 500))
	p.Flops += 9*m*m*m + 2*m*m*float64(s.D)
	p.PeakBytes = max(p.PeakBytes, int64(8*(5*m*m+2*m*float64(s.D))))
	return p
}

// selected returns the targets of the rows with the given numbers, in the order of rows.
func selected[Y Targets](y Y, rows []int) Y {
	var out any
	switch y := any(y).(type) {
	case gram.Labels:
		out = gram.Labels{Class: pick(y.Class, rows), Names: y.Names}
	case []float64:
		out = pick(y, rows)
	case *sparse.CSR:
		out = y.Select(rows)
	}
	return out.(Y)
}
