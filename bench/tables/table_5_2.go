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
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/predict"
)

// Table 5.2 of [Si 2016]: accuracy, training time and prediction time, as a
// multiple of a linear model's, of fast kernel machines. Two of its six data sets
// are at hand, usps (0–4 against 5–9, features in [0,1]) and a9a. Prediction is in
// float64, batches of 1 024 rows, one goroutine; the linear model goes through the
// same code. γ, C and the size of leaves are those of the best accuracy of
// DC-Pred++, with 40 or 32 landmarks a leaf and all their products, on a fifth of the
// training part or of 5 000 rows of it; the other methods take the same γ and C.
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
	m        int                   // landmarks of a leaf of DC-Pred++
	paper    map[string][2]float64 // multiple, accuracy
	fastfood int                   // frequencies
}

var sets52 = []set52{
	{"usps", true, []float64{1. / 128, 1. / 64, 1. / 32}, []float64{2, 4, 8}, 40, map[string][2]float64{
		"DC-Pred++": {14.4, .9556}, "LDKL": {12.01, .9596}, "k-means Nyström": {200, .9253}, "AESVM": {5787, .8597}, "STPRtool": {50, .936}, "Fastfood": {80, .9439},
	}, 512},
	{"a9a", false, []float64{1. / 128, 1. / 64, 1. / 32}, []float64{.5, 1, 2}, 32, map[string][2]float64{
		"DC-Pred++": {12.5, .839}, "LDKL": {32, .8195}, "k-means Nyström": {50, .839}, "AESVM": {4859, .819}, "STPRtool": {50, .8232}, "Fastfood": {80, .619},
	}, 256},
}

// setting52 is what is chosen.
type setting52 struct {
	k    kernel.Kernel
	c    float64
	leaf int // rows of a leaf of the trees at most
}

const single = 1 << 20 // a leaf with all rows

// machine52 is a method of the table: a fitted model as a program with what it
// predicts.
type machine52 struct {
	program gram.Program[float64]
	model   gram.Classifier
}

type method52 struct {
	name string
	full bool // not with --quick on a9a
	fit  func(ctx context.Context, s set52, by setting52, train *dataset.Set, run gram.Run) (machine52, error)
}

var methods52 = []method52{
	{"DC-Pred++", false, func(ctx context.Context, s set52, by setting52, train *dataset.Set, run gram.Run) (machine52, error) {
		return divided(ctx, dcpred.Config{Kernel: by.k, C: by.c, Leaf: by.leaf, M: s.m, All: true, Run: run}, train)
	}},
	{"DC-Fast-Nys", false, func(ctx context.Context, s set52, by setting52, train *dataset.Set, run gram.Run) (machine52, error) {
		return divided(ctx, dcpred.Config{Kernel: by.k, C: by.c, Leaf: by.leaf, M: 256, Rows: 8, Structured: true, Run: run}, train)
	}},
	{"k-means Nyström", false, func(ctx context.Context, s set52, by setting52, train *dataset.Set, run gram.Run) (machine52, error) {
		m, err := nystrom.Config{Kernel: by.k, M: 200, Landmarks: landmark.KMeans{}, Run: run}.Fit(ctx, train.X)
		if err != nil {
			return machine52{}, err
		}
		return onFeatures(ctx, m, by.c, train, run)
	}},
	{"Fastfood", false, func(ctx context.Context, s set52, by setting52, train *dataset.Set, run gram.Run) (machine52, error) {
		m, err := rff.Config{Kernel: by.k, M: s.fastfood, Frequencies: rff.Fastfood, Run: run}.Fit(ctx, train.X)
		if err != nil {
			return machine52{}, err
		}
		return onFeatures(ctx, m, by.c, train, run)
	}},
	{"linear SVM", false, func(ctx context.Context, s set52, by setting52, train *dataset.Set, run gram.Run) (machine52, error) {
		return onFeatures(ctx, nil, 1, train, run)
	}},
	{"exact SVM", true, func(ctx context.Context, s set52, by setting52, train *dataset.Set, run gram.Run) (machine52, error) {
		m, err := svm.Config{Kernel: by.k, C: by.c, Run: run}.Fit(ctx, train.X, train.Labels, nil)
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
	p, err := m.Program64()
	return machine52{p, m}, err
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
	exact := f.Bool("exact", false, "the exact machine on a9a with --quick, too")
	if err := env.parse(f); err != nil {
		return err
	}
	for _, s := range sets52 {
		if *only != "" && s.name != *only {
			continue
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
		if n, _ := train.Dims(); env.Quick && n > 10_000 {
			train = train.Select(rng.New(rng.Derive(env.Seed, "quick"), 0).Perm(n)[:10_000])
		}
		if env.Quick {
			s.gammas, s.cs = s.gammas[len(s.gammas)/2:][:1], s.cs[len(s.cs)/2:][:1]
		}
		by, chosen, err := choose52(ctx, env, s, train)
		if err != nil {
			return err
		}
		for i, method := range methods52 {
			if method.full && env.Quick && s.name == "a9a" && !*exact {
				continue
			}
			repeats := 1
			if i < 2 && s.name == "usps" {
				repeats = env.repeats(5, 2)
			}
			var fitted machine52
			var accuracy sample
			for r := range repeats {
				begin := time.Now()
				if fitted, err = method.fit(ctx, s, by, train, env.repeat(r)); err != nil {
					return fmt.Errorf("%s: %w", method.name, err)
				}
				accuracy.add(metric.Accuracy(fitted.model.Predict(nil, test.X), test.Labels.Class), time.Since(begin).Seconds(), fitted.program.Cost().ModelBytes)
			}
			t := predict.Measure(fitted.program, gram.Of(test.X), time.Second)
			_, d := test.Dims()
			plan := fitted.program.Cost()
			multiple := Row{Table: "5.2", Dataset: s.name, Method: method.name, Metric: "multiple", Paper: paper(s.paper[method.name][0]), Got: value(t.Multiple()), Seconds: accuracy.seconds / float64(repeats), Bytes: plan.ModelBytes}
			multiple.Note = notes(fmt.Sprintf("%.3g µs a row; linear %.3g µs, %.1f GB/s", 1e6*t.Seconds, 1e6*t.Linear, 8e-9*float64(d)/t.Linear),
				fmt.Sprintf("flops %.1f×", plan.Flops/(2*float64(d))))
			emit(multiple)
			emit(accuracy.into(Row{Table: "5.2", Dataset: s.name, Method: method.name, Metric: "accuracy", Paper: paper(s.paper[method.name][1]), Note: notes(chosen, about52(method.name, s, fitted.model))}))
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

// choose52 returns the settings of the best accuracy of DC-Pred++ on a fifth of
// the training part.
func choose52(ctx context.Context, env Env, s set52, train *dataset.Set) (setting52, string, error) {
	best := setting52{kernel.Gaussian{Gamma: s.gammas[0]}, s.cs[0], single}
	if len(s.gammas)*len(s.cs) == 1 {
		return best, fmt.Sprintf("γ %g, C %g, not searched", s.gammas[0], s.cs[0]), nil
	}
	if n, _ := train.Dims(); n > 10_000 {
		train = train.Select(rng.New(rng.Derive(env.Seed, "choice"), 0).Perm(n)[:5000])
	}
	part, held := train.Split(.2, env.Seed)
	most := -1.0
	for _, g := range s.gammas {
		for _, c := range s.cs {
			for _, leaf := range []int{1000, single} {
				by := setting52{kernel.Gaussian{Gamma: g}, c, leaf}
				m, err := methods52[0].fit(ctx, s, by, part, env.repeat(0))
				if err != nil {
					return best, "", err
				}
				if a := metric.Accuracy(m.model.Predict(nil, held.X), held.Labels.Class); a > most {
					best, most = by, a
				}
			}
		}
	}
	return best, fmt.Sprintf("γ %g, C %g, accuracy %.4f on a fifth of the training part", best.k.(kernel.Gaussian).Gamma, best.c, most), nil
}
