package tables

import (
	"context"
	"errors"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/learned/goal"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/rff"
	"github.com/gramworks/gram/bench/tables/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
)

// classSet is a data set of the figure.
type classSet struct {
	name     string
	columns  int // Fastfood needs m ≥ d
	gamma, c float64
	split    bool // a fifth at random is the test part
}

func (s classSet) String() string { return s.name }

var classSets = []classSet{
	{"svmguide1", 4, 0x1p-10, 8, false},
	{"usps", 256, 0x1p-7, 8, false},
	{"letter", 16, 2, 256, false},
	{"a9a", 123, 0x1p-6, 1, false},
	{"skin_nonskin", 3, 0x1p-10, 8, true},
	{"webspam", 254, 8, 8, true},
}

// classMethod is a line of the figure.
type classMethod struct {
	name string
	fit  func(ctx context.Context, k kernel.Kernel, c float64, m int, d *dataset.Set, run gram.Run) (gram.Classifier, string, error)
}

var classMethods = []classMethod{
	drawnSVM(landmarkMethod("Nys", landmark.Uniform{})),
	drawnSVM(landmarkMethod("KNys", landmark.KMeans{})),
	drawnSVM(frequencyMethod("RFF", rff.Independent)),
	drawnSVM(frequencyMethod("Fastfood", rff.Fastfood)),
	{"Goal-NYS", goalSVM(goal.Nystrom)},
	{"Goal-RFF", goalSVM(goal.Fourier)},
}

// drawnSVM is the machine on features as they are drawn.
func drawnSVM(m lowRank) classMethod {
	return classMethod{m.name, func(ctx context.Context, k kernel.Kernel, c float64, size int, d *dataset.Set, run gram.Run) (gram.Classifier, string, error) {
		a, err := m.fit(ctx, k, d.X, size, run)
		if err != nil {
			return nil, "", err
		}
		return svmOn(ctx, a.FeatureMap, c, d, run)
	}}
}

func svmOn(ctx context.Context, f gram.FeatureMap, c float64, d *dataset.Set, run gram.Run) (gram.Classifier, string, error) {
	m, err := linear.SVM{C: c, MaxIter: 300, Run: run}.Fit(ctx, f, d.X, d.Labels, nil)
	var ce *gram.ConvergenceError
	if errors.As(err, &ce) && m != nil {
		return m, fmt.Sprintf("gap %.2g", ce.Residual), nil
	}
	return m, "", err
}

func goalSVM(q goal.Features) func(context.Context, kernel.Kernel, float64, int, *dataset.Set, gram.Run) (gram.Classifier, string, error) {
	return func(ctx context.Context, k kernel.Kernel, c float64, m int, d *dataset.Set, run gram.Run) (gram.Classifier, string, error) {
		f, err := goal.Config{Kernel: k, Features: q, M: m, C: c, MaxIter: gram.Set(30), Patience: 5, Run: run}.Fit(ctx, d.X, d.Labels, nil)
		if err != nil {
			return nil, "", err
		}
		return f, counted(f.Stats().Iter, "turn"), nil
	}
}

// parts returns a function that cuts the set for a seed; nil if it is not at hand.
// At most limit rows are trained on (0: all).
func (r *run) parts(s classSet, limit int) func(seed uint64) (*protocol.Split, error) {
	o := dataset.Options{Task: dataset.Classes}
	if s.split {
		p := r.pool(s.name, false, o)
		return func(seed uint64) (*protocol.Split, error) {
			part, err := p.Random(.2, seed)
			if err != nil {
				return nil, err
			}
			return part.Limited(limit, rng.Derive(seed, "limit")), nil
		}
	}
	p := r.split(s.name, o)
	if p != nil && s.name == "usps" {
		p = p.Grouped("0-4", "5-9")
	}
	return func(seed uint64) (*protocol.Split, error) { return p.Limited(limit, rng.Derive(seed, "limit")), nil }
}

// Figure 5.3 of [S16]: test accuracy of support vector machines with the
// squared hinge loss on m landmarks or frequencies, drawn or learned, for two
// classes, with the γ and C of Table 5.4. The thesis draws curves and prints no
// figures, says not how usps is made binary, here 0–4 against 5–9, and not whether
// data are scaled, here not. Fastfood needs m ≥ d.
func fig53(r *run) error {
	sizes := cut(r, "m", []int{2, 5, 10, 20, 50, 100}, []int{5, 10, 50})
	limit, repeats := cut(r, "training rows", 0, 5000), r.repeats(5, 2)
	return each(r, classSets, func(s classSet) {
		parts := r.parts(s, limit)
		for _, method := range classMethods {
			for _, m := range sizes {
				if method.name == "Fastfood" && m < s.columns {
					continue
				}
				row := Row{Dataset: s.name, Method: fmt.Sprintf("%s m=%d", method.name, m), Metric: "accuracy", Series: method.name, X: float64(m)}
				r.measure(row, repeats, func(t *trial) error {
					part, err := parts(t.Seed)
					if err != nil {
						return err
					}
					begin := t.seconds()
					c, remark, err := method.fit(r.ctx, kernel.Gaussian{Gamma: s.gamma}, s.c, m, part.Train, t.Run)
					if err != nil {
						return err
					}
					seconds := t.seconds() - begin
					n, d := part.Train.Dims()
					t.note(fmt.Sprintf("γ %g, C %g, %d training rows", s.gamma, s.c, n), remark)
					score, err := part.Accuracy(c)
					return t.add(score, err, seconds, 8*int64(m)*int64(d+1))
				})
			}
		}
	})
}
