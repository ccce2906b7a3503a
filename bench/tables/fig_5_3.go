package tables

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/goal"
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/nystrom"
	"github.com/gramworks/gram/algos/rff"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
)

// Figure 5.3 of [Si 2016]: test accuracy of support vector machines with the
// squared hinge loss on m landmarks or frequencies, drawn or learned, for two
// classes, with the γ and C of Table 5.4. The thesis draws curves and prints no
// figures, says not how usps is made binary, here 0–4 against 5–9, and not whether
// data are scaled, here not. Fastfood needs m ≥ d.
var fig53 = Table{
	ID:    "fig-5.3",
	Title: "Accuracy of support vector machines on drawn and on learned features, by their number",
	Run:   runFig53,
	X:     "landmarks or frequencies m", Y: "accuracy", LogX: true,
}

// classSet is a data set of the figure.
type classSet struct {
	name     string
	gamma, c float64
	split    bool // a fifth at random is the test part
}

var classSets = []classSet{
	{"svmguide1", 0x1p-10, 8, false},
	{"usps", 0x1p-7, 8, false},
	{"letter", 2, 256, false},
	{"a9a", 0x1p-6, 1, false},
	{"skin_nonskin", 0x1p-10, 8, true},
	{"webspam", 8, 8, true},
}

// classMethod is a line of the figure.
type classMethod struct {
	name string
	fit  func(ctx context.Context, k kernel.Kernel, c float64, m int, d *dataset.Set, run gram.Run) (gram.Classifier, string, error)
}

var classMethods = []classMethod{
	{"Nys", func(ctx context.Context, k kernel.Kernel, c float64, m int, d *dataset.Set, run gram.Run) (gram.Classifier, string, error) {
		f, err := nystrom.Config{Kernel: k, M: m, Landmarks: landmark.Uniform{}, Run: run}.Fit(ctx, d.X)
		if err != nil {
			return nil, "", err
		}
		return svmOn(ctx, f, c, d, run)
	}},
	{"KNys", func(ctx context.Context, k kernel.Kernel, c float64, m int, d *dataset.Set, run gram.Run) (gram.Classifier, string, error) {
		f, err := nystrom.Config{Kernel: k, M: m, Run: run}.Fit(ctx, d.X)
		if err != nil {
			return nil, "", err
		}
		return svmOn(ctx, f, c, d, run)
	}},
	{"RFF", fourierSVM(rff.Independent)},
	{"Fastfood", fourierSVM(rff.Fastfood)},
	{"Goal-NYS", goalSVM(goal.Nystrom)},
	{"Goal-RFF", goalSVM(goal.Fourier)},
}

func fourierSVM(q rff.Frequencies) func(context.Context, kernel.Kernel, float64, int, *dataset.Set, gram.Run) (gram.Classifier, string, error) {
	return func(ctx context.Context, k kernel.Kernel, c float64, m int, d *dataset.Set, run gram.Run) (gram.Classifier, string, error) {
		f, err := rff.Config{Kernel: k, M: m, Frequencies: q, Run: run}.Fit(ctx, d.X)
		if err != nil {
			return nil, "", err
		}
		return svmOn(ctx, f, c, d, run)
	}
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

// parts returns training and test part; at most limit rows are trained on (0: all).
func (s classSet) parts(train, test *dataset.Set, limit int, seed uint64) (*dataset.Set, *dataset.Set) {
	if s.split {
		train, test = train.Split(.2, seed)
	}
	if n, _ := train.Dims(); limit > 0 && n > limit {
		train = train.Select(dataset.Sample(n, limit, rng.Derive(seed, "limit")))
	}
	return train, test
}

func runFig53(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	only := f.String("only", "", "one data set; empty: all")
	if err := env.parse(f); err != nil {
		return err
	}
	if !slices.ContainsFunc(classSets, func(s classSet) bool { return *only == "" || s.name == *only }) {
		return &gram.ConfigError{Field: "--set only", Value: *only, Want: "a data set of the figure"}
	}
	sizes, repeats, limit := []int{2, 5, 10, 20, 50, 100}, env.repeats(5, 2), 0
	if env.Quick {
		sizes, limit = []int{5, 10, 50}, 5000
	}
	for _, s := range classSets {
		if *only != "" && s.name != *only {
			continue
		}
		all, held, ok, err := env.load(s.name, dataset.Options{Task: dataset.Classes})
		if err != nil {
			return err
		}
		if ok && s.name == "usps" {
			all, held = halves(all), halves(held)
		}
		for _, method := range classMethods {
			for _, m := range sizes {
				row := Row{Table: "fig-5.3", Dataset: s.name, Method: fmt.Sprintf("%s m=%d", method.name, m), Metric: "accuracy", Series: method.name, X: float64(m)}
				if !ok {
					row.Note = noData
					emit(row)
					continue
				}
				_, d := all.Dims()
				if method.name == "Fastfood" && m < d {
					continue
				}
				var got sample
				var remark string
				for i := range repeats {
					run := env.repeat(i)
					train, test := s.parts(all, held, limit, run.Seed)
					begin := time.Now()
					c, note, err := method.fit(ctx, kernel.Gaussian{Gamma: s.gamma}, s.c, m, train, run)
					if err != nil {
						return fmt.Errorf("%s: %w", method.name, err)
					}
					seconds := time.Since(begin).Seconds()
					remark = note
					got.add(metric.Accuracy(c.Predict(nil, test.X), test.Labels.Class), seconds, 8*int64(m)*int64(d+1))
				}
				n, _ := all.Dims()
				if limit > 0 && n > limit {
					remark = notes(remark, fmt.Sprintf("%d training rows", limit))
				}
				row.Note = notes(fmt.Sprintf("γ %g, C %g", s.gamma, s.c), counted(repeats, "repeat"), remark)
				emit(got.into(row))
			}
		}
	}
	return nil
}
