package catalog

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/learned/widths"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Widths holds the settings of ridge regressions whose kernel gets its widths, and λ, before the fit, by the
// leave-one-out error.
type Widths struct {
	ARD     bool `json:"-"`
	ARDRows int  `json:"-"`
	learned bool // the kernel has them
}

// penalized is what widths are learned for.
type penalized struct {
	kernel  *kernel.Kernel
	lambda  *gram.Opt[float64]
	penalty solve.Penalty
	noBias  bool
	run     gram.Run
}

// widths is the configuration that learns.
func (l *Widths) widths(p penalized) widths.Config {
	return widths.Config{Kernel: *p.kernel, Criterion: widths.LeaveOneOut, NoBias: p.noBias, Rows: l.ARDRows, Run: p.run}
}

// settings describes the settings.
func (l *Widths) settings(s *settings.Fields, p penalized) {
	s.Require(!l.ARD || !p.lambda.Given() || p.lambda.Value() > 0, p.lambda, "above 0 where widths are learned")
	widths.Setting(s, &l.ARD, &l.ARDRows, *p.kernel)
}

// plan adds the cost of learning to the plan of a fit.
func (l *Widths) plan(of penalized, s gram.Shape, p gram.Plan, err error) (gram.Plan, error) {
	if err != nil || !l.ARD {
		return p, err
	}
	s.Outputs = multiclass.Functions(s.Outputs)
	more, err := l.widths(of).Plan(s)
	p.Flops += more.Flops
	p.PeakBytes = max(p.PeakBytes, more.PeakBytes)
	p.Description += " with a width for each column"
	return p, err
}

// learn sets the kernel, and λ unless it is given, once.
func (l *Widths) learn(ctx context.Context, p penalized, x mat.Matrix, y *mat.Dense, w []float64) error {
	if !l.ARD || l.learned {
		return nil
	}
	n, _ := x.Dims()
	total := float64(n)
	if w != nil {
		total = 0
		for _, v := range w {
			total += v
		}
	}
	c := l.widths(p)
	if p.lambda.Given() {
		c.Lambda = gram.Set(p.penalty.Scale(p.lambda.Value(), total))
	}
	got, err := c.Learn(ctx, x, y, w)
	if err != nil {
		return err
	}
	*p.kernel, l.learned = got.Kernel, true
	if !p.lambda.Given() {
		*p.lambda = gram.Set(got.Lambda / p.penalty.Scale(1, total))
	}
	return nil
}

// learnValues is learn for one output.
func (l *Widths) learnValues(ctx context.Context, p penalized, x mat.Matrix, y, w []float64) error {
	if len(y) == 0 { // the fit refuses it
		return nil
	}
	return l.learn(ctx, p, x, mat.NewDense(len(y), 1, y), w)
}

// learnClasses is learn for the targets ±1 of classes.
func (l *Widths) learnClasses(ctx context.Context, p penalized, x mat.Matrix, y gram.Labels, w []float64) error {
	if len(y.Class) == 0 {
		return nil
	}
	return l.learn(ctx, p, x, multiclass.Signs(y.Class, len(y.Names)), w)
}
