package tables

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/dcpred"
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/nystrom"
	"github.com/gramworks/gram/algos/rff"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/predict"
	"gonum.org/v1/gonum/mat"
)

// Table 5.2 of [Si 2016]: accuracy, training time and prediction time, as a
// multiple of a linear model's, of fast kernel machines. Two of its six data sets
// are at hand, usps (0–4 against 5–9, features in [0,1]) and a9a. Prediction is in
// float64, batches of 1 024 rows, one goroutine; the linear model goes through the
// same code. γ and C are those of the best accuracy of DC-Pred++ on a fifth of the
// training part; the other methods take the same.
var table52 = Table{
	ID:    "5.2",
	Title: "Accuracy and prediction time, in multiples of a linear model's, of kernel machines made for prediction",
	Run:   runTable52,
}

type set52 struct {
	name     string
	binary   bool      // 0–4 against 5–9
	gammas   []float64 // to choose from
	cs       []float64
	leaf     int
	m, p     int
	paper    map[string][2]float64 // multiple, accuracy
	fastfood int                   // frequencies
}

var sets52 = []set52{
	{"usps", true, []float64{1. / 64, 1. / 32, 1. / 16}, []float64{2, 8, 32}, 1000, 20, 40, map[string][2]float64{
		"DC-Pred++": {14.4, .9556}, "LDKL": {12.01, .9596}, "k-means Nyström": {200, .9253}, "AESVM": {5787, .8597}, "STPRtool": {50, .936}, "Fastfood": {80, .9439},
	}, 512},
	{"a9a", false, []float64{1. / 128, 1. / 32, 1. / 8}, []float64{.25, 1, 4}, 4000, 12, 24, map[string][2]float64{
		"DC-Pred++": {12.5, .839}, "LDKL": {32, .8195}, "k-means Nyström": {50, .839}, "AESVM": {4859, .819}, "STPRtool": {50, .8232}, "Fastfood": {80, .619},
	}, 256},
}

// machine52 is a method of the table: a fitted model as a program with what it
// predicts.
type machine52 struct {
	program predict.Program[float64]
	model   gram.Classifier
}

type method52 struct {
	name string
	full bool // not with --quick on a9a
	fit  func(ctx context.Context, s set52, k kernel.Kernel, c float64, train *dataset.Set, run gram.Run) (machine52, error)
}

var methods52 = []method52{
	{"DC-Pred++", false, func(ctx context.Context, s set52, k kernel.Kernel, c float64, train *dataset.Set, run gram.Run) (machine52, error) {
		return divided(ctx, dcpred.Config{Kernel: k, C: c, Leaf: s.leaf, M: s.m, P: s.p, Run: run}, train)
	}},
	{"DC-Fast-Nys", false, func(ctx context.Context, s set52, k kernel.Kernel, c float64, train *dataset.Set, run gram.Run) (machine52, error) {
		return divided(ctx, dcpred.Config{Kernel: k, C: c, Leaf: s.leaf, M: 128, Rows: 8, Structured: true, Run: run}, train)
	}},
	{"k-means Nyström", false, func(ctx context.Context, s set52, k kernel.Kernel, c float64, train *dataset.Set, run gram.Run) (machine52, error) {
		m, err := nystrom.Config{Kernel: k, M: 200, Landmarks: landmark.KMeans{}, Run: run}.Fit(ctx, train.X)
		if err != nil {
			return machine52{}, err
		}
		return onFeatures(ctx, m, c, train, run)
	}},
	{"Fastfood", false, func(ctx context.Context, s set52, k kernel.Kernel, c float64, train *dataset.Set, run gram.Run) (machine52, error) {
		m, err := rff.Config{Kernel: k, M: s.fastfood, Frequencies: rff.Fastfood, Run: run}.Fit(ctx, train.X)
		if err != nil {
			return machine52{}, err
		}
		return onFeatures(ctx, m, c, train, run)
	}},
	{"linear SVM", false, func(ctx context.Context, s set52, k kernel.Kernel, c float64, train *dataset.Set, run gram.Run) (machine52, error) {
		return onFeatures(ctx, nil, 1, train, run)
	}},
	{"exact SVM", true, func(ctx context.Context, s set52, k kernel.Kernel, c float64, train *dataset.Set, run gram.Run) (machine52, error) {
		m, err := svm.Config{Kernel: k, C: c, Run: run}.Fit(ctx, train.X, train.Labels, nil)
		if err != nil {
			return machine52{}, err
		}
		return exactly(ctx, m)
	}},
}

func divided(ctx context.Context, c dcpred.Config, train *dataset.Set) (machine52, error) {
	m, err := c.Fit(ctx, train.X, train.Labels, nil)
	var rough *gram.ConvergenceError
	if err != nil && !(m != nil && errors.As(err, &rough)) {
		return machine52{}, err
	}
	return machine52{dcpred.NewProgram[float64](m.Machine()), m}, nil
}

func onFeatures(ctx context.Context, m gram.FeatureMap, c float64, train *dataset.Set, run gram.Run) (machine52, error) {
	l, err := linear.SVM{C: c, Loss: linear.Hinge, Run: run}.Fit(ctx, m, train.X, train.Labels, nil)
	var rough *gram.ConvergenceError
	if err != nil && !(l != nil && errors.As(err, &rough)) {
		return machine52{}, err
	}
	return exactly(ctx, l)
}

// exactly compiles a model as it is.
func exactly(ctx context.Context, m gram.Classifier) (machine52, error) {
	p, err := predict.Compile(ctx, m, predict.Options{Method: predict.Exact})
	if err != nil {
		return machine52{}, err
	}
	return machine52{p.Float64(), m}, nil
}

// load52 loads a data set; usps as 0–4 against 5–9.
func load52(env Env, name string, binary bool) (train, test *dataset.Set, ok bool, err error) {
	train, test, ok, err = env.load(name, dataset.Options{Storage: dataset.Dense})
	if !ok || test == nil {
		return nil, nil, false, err
	}
	if binary {
		for _, s := range []*dataset.Set{train, test} {
			class := slices.Clone(s.Labels.Class)
			for i, c := range class {
				class[i] = c / 5
			}
			s.Labels = gram.Labels{Class: class, Names: []string{"0-4", "5-9"}}
		}
	}
	return train, test, true, nil
}

func runTable52(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	only := f.String("only", "", "one data set; empty: both")
	gamma := f.Float64("gamma", 0, "γ; 0: chosen")
	c := f.Float64("c", 0, "C; 0: chosen")
	m := f.Int("m", 0, "landmarks of a leaf of DC-Pred++, with twice as many products; 0: the table's")
	leaf := f.Int("leaf", 0, "rows of a leaf at most; 0: the table's")
	exact := f.Bool("exact", false, "the exact machine on a9a with --quick, too")
	if err := env.parse(f); err != nil {
		return err
	}
	for _, s := range sets52 {
		if *only != "" && s.name != *only {
			continue
		}
		if *m > 0 {
			s.m, s.p = *m, 2**m
		}
		if *leaf > 0 {
			s.leaf = *leaf
		}
		if *gamma > 0 {
			s.gammas = []float64{*gamma}
		}
		if *c > 0 {
			s.cs = []float64{*c}
		}
		train, test, ok, err := load52(env, s.name, s.binary)
		if err != nil {
			return err
		}
		if !ok {
			for _, name := range []string{"DC-Pred++", "k-means Nyström", "Fastfood"} {
				for i, metric := range []string{"multiple", "accuracy"} {
					emit(Row{Table: "5.2", Dataset: s.name, Method: name, Metric: metric, Paper: paper(s.paper[name][i]), Note: noData})
				}
			}
			continue
		}
		if env.Quick {
			s.gammas, s.cs = s.gammas[len(s.gammas)/2:][:1], s.cs[len(s.cs)/2:][:1]
		}
		k, cost, chosen, err := choose52(ctx, env, s, train)
		if err != nil {
			return err
		}
		for _, method := range methods52 {
			if method.full && env.Quick && s.name == "a9a" && !*exact {
				continue
			}
			begin := time.Now()
			fitted, err := method.fit(ctx, s, k, cost, train, env.repeat(0))
			if err != nil {
				return fmt.Errorf("%s: %w", method.name, err)
			}
			seconds := time.Since(begin).Seconds()
			accuracy := metric.Accuracy(fitted.model.Predict(nil, test.X), test.Labels.Class)
			t := predict.Measure(fitted.program, gram.View(test.X.(*mat.Dense)), time.Second)
			_, d := test.Dims()
			plan := fitted.program.Cost()
			multiple := Row{Table: "5.2", Dataset: s.name, Method: method.name, Metric: "multiple", Paper: paper(s.paper[method.name][0]), Got: value(t.Multiple()), Seconds: seconds, Bytes: plan.ModelBytes}
			multiple.Note = notes(fmt.Sprintf("%.3g µs a row; linear %.3g µs, %.1f GB/s", 1e6*t.Seconds, 1e6*t.Linear, 8e-9*float64(d)/t.Linear),
				fmt.Sprintf("flops %.1f×", plan.Flops/(2*float64(d))))
			emit(multiple)
			emit(Row{Table: "5.2", Dataset: s.name, Method: method.name, Metric: "accuracy", Paper: paper(s.paper[method.name][1]), Got: value(accuracy), Seconds: seconds, Bytes: plan.ModelBytes, Note: notes(chosen, about52(method.name, s, fitted.model))})
		}
	}
	return nil
}

// about52 says how large a model of DC-Pred++ is.
func about52(name string, s set52, m gram.Classifier) string {
	d, ok := m.(*dcpred.Classifier)
	if !ok {
		return ""
	}
	stats := d.Stats()
	return fmt.Sprintf("%d leaves, %d of one class, at most %d landmarks", stats.Leaves, stats.Constant, slices.Max(stats.Landmarks))
}

// choose52 returns the kernel and C of the best accuracy of DC-Pred++ on a fifth
// of the training part.
func choose52(ctx context.Context, env Env, s set52, train *dataset.Set) (kernel.Kernel, float64, string, error) {
	if len(s.gammas)*len(s.cs) == 1 {
		return kernel.Gaussian{Gamma: s.gammas[0]}, s.cs[0], fmt.Sprintf("γ %g, C %g, not searched", s.gammas[0], s.cs[0]), nil
	}
	part, held := train.Split(0.8, env.Seed)
	var best kernel.Kernel
	var c float64
	most := -1.0
	for _, g := range s.gammas {
		for _, v := range s.cs {
			k := kernel.Gaussian{Gamma: g}
			m, err := methods52[0].fit(ctx, s, k, v, part, env.repeat(0))
			if err != nil {
				return nil, 0, "", err
			}
			if a := metric.Accuracy(m.model.Predict(nil, held.X), held.Labels.Class); a > most {
				best, c, most = k, v, a
			}
		}
	}
	return best, c, fmt.Sprintf("γ %g, C %g, accuracy %.4f on a fifth of the training part", best.(kernel.Gaussian).Gamma, c, most), nil
}
