package tables

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/inductive"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
)

// Table 1 of [Jain 2010]: accuracy of nearest neighbours in learned kernels, mean
// over two-fold cross-validations, and in the notes the rank of what was learned.
var jain1 = Table{
	ID:    "jain-1",
	Title: "Accuracy of nearest neighbours in kernels learned from pairs",
	Run:   runJain1,
}

type jainSet struct {
	name   string
	file   string
	values [7]float64 // as printed, in the order of jainMethods
	ranks  [7]int
}

var jainSets = []jainSet{
	{"iris", "iris", [7]float64{.99, .99, .99, .91, .93, .99, .99}, [7]int{40, 27, 40, 4, 4, 4, 4}},
	{"wine", "wine", [7]float64{.80, .94, .99, .72, .85, .46, .94}, [7]int{105, 36, 105, 11, 11, 11, 11}},
	{"ionosphere", "", [7]float64{.94, .98, .98, .98, .98, .93, .99}, [7]int{337, 64, 337, 19, 19, 19, 19}},
	{"soybean", "soybean", [7]float64{.89, .96, .96, .44, .87, .35, .96}, [7]int{624, 96, 624, 40, 40, 40, 40}},
	{"diabetes", "diabetes", [7]float64{.75, .74, .76, .67, .62, .73, .74}, [7]int{251, 154, 251, 14, 14, 14, 14}},
	{"balance-scale", "balance-scale", [7]float64{.93, .96, .97, .97, .80, .82, .97}, [7]int{156, 106, 156, 10, 10, 10, 10}},
	{"breast-cancer", "breast-cancer", [7]float64{.72, .73, .78, .69, .68, .68, .75}, [7]int{259, 61, 259, 21, 21, 21, 21}},
	{"spectf", "spectf", [7]float64{.74, .87, .84, .84, .89, .89, .84}, [7]int{267, 39, 267, 22, 22, 22, 22}},
	{"heart-c", "heart-c", [7]float64{.68, .78, .79, .73, .61, .55, .78}, [7]int{228, 62, 228, 39, 39, 39, 39}},
	{"heart-h", "heart-h", [7]float64{.59, .69, .70, .56, .30, .56, .68}, [7]int{117, 71, 117, 31, 31, 31, 31}},
}

var jainMethods = [7]string{"Gaussian", "Frob", "ITML", "Frob LR", "ITML LR-pre", "ITML LR-post", "Trace-SSIKDR"}

// jainSettings are what the paper does not state. Slack and neighbours are chosen
// for every method and split by cross-validation in two folds of the training part.
type jainSettings struct {
	gamma, tau float64
	pairs      int
}

var (
	jainSlack = []float64{1000, 100, 10, 1} // the hardest first: hard constraints, as in the paper, are the limit
	jainK     = []int{1, 5, 15}
)

func runJain1(ctx context.Context, env Env, emit func(Row)) error {
	var s jainSettings
	f := env.flags()
	f.Float64Var(&s.gamma, "gamma", 1, "γ times the mean squared distance")
	f.Float64Var(&s.tau, "tau", 10, "τ of Trace-SSIKDR")
	f.IntVar(&s.pairs, "pairs", 240, "constraints")
	only := f.String("only", "", "one data set; empty: all")
	scale := f.String("scale", "", "none or standard; empty: both")
	if err := env.parse(f); err != nil {
		return err
	}
	for _, set := range jainSets {
		if *only != "" && set.name != *only {
			continue
		}
		for _, scaling := range []string{"none", "standard"} {
			if *scale != "" && scaling != *scale {
				continue
			}
			train, test, ok := (*dataset.Set)(nil), (*dataset.Set)(nil), false
			var err error
			if set.file != "" {
				train, test, ok, err = env.load(set.file, dataset.Options{Task: dataset.Classes, Storage: dataset.Dense})
			}
			if err != nil {
				return err
			}
			if ok && test != nil {
				if train, err = train.Append(test); err != nil {
					return err
				}
			}
			if err := env.jain(ctx, set, scaling, train, s, emit); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e Env) jain(ctx context.Context, set jainSet, scaling string, d *dataset.Set, s jainSettings, emit func(Row)) error {
	repeats := e.repeats(10, 1)
	var results [7]jainResult
	for r := range repeats {
		if d == nil {
			break
		}
		run := e.repeat(r)
		folds := d.Folds(2, run.Seed)
		for f := range 2 {
			a, b := dataset.Fold(folds, f)
			train, test := d.Select(a), d.Select(b)
			if scaling == "standard" {
				sc, err := dataset.Standardize(train.X)
				if err != nil {
					return err
				}
				train.X, test.X = sc.Apply(train.X), sc.Apply(test.X)
			}
			t := jainTrial{set: train, s: s, run: run, kern: kernel.Gaussian{Gamma: s.gamma * kernel.MeanGamma(train.X)}}
			if err := t.all(ctx, test, &results); err != nil {
				return fmt.Errorf("%s: %w", set.name, err)
			}
		}
	}
	name := set.name + map[string]string{"none": ", as it is", "standard": ", standardised"}[scaling]
	for m, method := range jainMethods {
		row := Row{Table: "jain-1", Dataset: name, Method: method, Metric: "accuracy", Paper: value(set.values[m])}
		if d == nil {
			row.Note = noData
			emit(row)
			continue
		}
		r := &results[m]
		row = r.accuracy.into(row)
		slack := ""
		if m != 0 {
			slack = fmt.Sprintf("slack %.3g", median(r.slack))
		}
		early := ""
		if r.early > 0 {
			early = fmt.Sprintf("%d fits not converged", r.early)
		}
		row.Note = notes(fmt.Sprintf("rank %.0f, paper's %d", median(r.rank), set.ranks[m]), slack, fmt.Sprintf("%.0f neighbours", median(r.k)), early, fmt.Sprintf("%d × 2 folds", repeats))
		emit(row)
	}
	return nil
}

// jainResult is what one method gives over all splits.
type jainResult struct {
	accuracy       sample
	rank, slack, k []float64
	early          int // fits that ended before they converged
}

// jainTrial is a training part with its base kernel.
type jainTrial struct {
	set   *dataset.Set
	s     jainSettings
	run   gram.Run
	kern  kernel.Kernel
	early int
}

// learn fits the kernel of a method with that slack.
func (t *jainTrial) learn(ctx context.Context, base kernel.Kernel, reg inductive.Regularizer, slack float64, set *dataset.Set) (*inductive.Model, error) {
	cons, err := inductive.Pairs{Count: t.s.pairs}.FromLabels(ctx, base, set.X, set.Labels, t.run.Seed)
	if err != nil {
		return nil, err
	}
	m, err := inductive.Config{Kernel: base, Regularizer: reg, Tau: t.s.tau, Slack: slack, Tol: 1e-3, MaxIter: 100, Run: t.run}.Fit(ctx, set.X, cons)
	var ce *gram.ConvergenceError
	if errors.As(err, &ce) && m != nil {
		t.early++
		err = nil
	}
	return m, err
}

// choose returns the slack and the number of neighbours that are best in two
// folds of the training part: the first of equals in the order of jainSlack and
// jainK.
func (t *jainTrial) choose(ctx context.Context, slacks []float64, kernelOf func(slack float64, set *dataset.Set) (kernel.Kernel, error)) (slack float64, k int, err error) {
	folds := t.set.Folds(2, rng.Derive(t.run.Seed, "inner"))
	best := -1.
	for _, s := range slacks {
		right := make([]float64, len(jainK))
		for f := range 2 {
			a, b := dataset.Fold(folds, f)
			train, test := t.set.Select(a), t.set.Select(b)
			kern, err := kernelOf(s, train)
			if err != nil {
				return 0, 0, err
			}
			for i, k := range jainK {
				v, err := accuracy(kern, train, test, k)
				if err != nil {
					return 0, 0, err
				}
				right[i] += v
			}
		}
		for i, v := range right {
			if v > best {
				best, slack, k = v, s, jainK[i]
			}
		}
	}
	return slack, k, nil
}

// accuracy is that of the k nearest neighbours in a kernel.
func accuracy(kern kernel.Kernel, train, test *dataset.Set, k int) (float64, error) {
	n, _ := train.Dims()
	c, err := inductive.Neighbours(kern, train.X, train.Labels, nil, min(k, n))
	if err != nil {
		return 0, err
	}
	return metric.Accuracy(c.Predict(nil, test.X), test.Labels.Class), nil
}

// all runs the methods on one split. What is of low rank takes the rank of
// Trace-SSIKDR and the settings of the method it stands for.
func (t *jainTrial) all(ctx context.Context, test *dataset.Set, results *[7]jainResult) error {
	n, _ := t.set.Dims()
	record := func(m int, kern kernel.Kernel, rank int, slack float64, k int, began time.Time) error {
		seconds := time.Since(began).Seconds()
		v, err := accuracy(kern, t.set, test, k)
		if err != nil {
			return err
		}
		r := &results[m]
		r.accuracy.add(v, seconds, 0)
		r.rank, r.slack, r.k = append(r.rank, float64(rank)), append(r.slack, slack), append(r.k, float64(k))
		r.early += t.early
		t.early = 0
		return nil
	}
	const (
		gauss = iota
		frob
		itml
		frobLR
		pre
		post
		trace
	)
	_, k, err := t.choose(ctx, []float64{0}, func(float64, *dataset.Set) (kernel.Kernel, error) { return t.kern, nil })
	if err != nil {
		return err
	}
	if err := record(gauss, t.kern, n, 0, k, time.Now()); err != nil {
		return err
	}
	rank := 1
	for _, m := range []struct {
		at  int
		reg inductive.Regularizer
	}{{trace, inductive.Trace}, {frob, inductive.Frobenius}, {itml, inductive.LogDet}} {
		slack, k, err := t.choose(ctx, jainSlack, func(slack float64, set *dataset.Set) (kernel.Kernel, error) {
			f, err := t.learn(ctx, t.kern, m.reg, slack, set)
			if err != nil {
				return nil, err
			}
			return f.Kernel(), nil
		})
		if err != nil {
			return err
		}
		t.early = 0
		began := time.Now()
		learned, err := t.learn(ctx, t.kern, m.reg, slack, t.set)
		if err != nil {
			return err
		}
		own := learned.Stats().Rank
		if m.at == itml {
			own = n
		}
		if err := record(m.at, learned.Kernel(), own, slack, k, began); err != nil {
			return err
		}
		switch m.at {
		case trace:
			rank = max(1, own)
		case frob:
			if err := record(frobLR, learned.Kernel().Truncate(rank), rank, slack, k, began); err != nil {
				return err
			}
		case itml:
			began = time.Now()
			low, err := inductive.PCA{Kernel: learned.Kernel(), Rank: rank, Run: t.run}.Fit(ctx, t.set.X)
			if err != nil {
				return err
			}
			if err := record(post, low, rank, slack, k, began); err != nil {
				return err
			}
			began = time.Now()
			if low, err = (inductive.PCA{Kernel: t.kern, Rank: rank, Run: t.run}).Fit(ctx, t.set.X); err != nil {
				return err
			}
			if learned, err = t.learn(ctx, low, inductive.LogDet, slack, t.set); err != nil {
				return err
			}
			if err := record(pre, learned.Kernel(), rank, slack, k, began); err != nil {
				return err
			}
		}
	}
	return nil
}

// median returns the middle value, the lower of two.
func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[(len(v)-1)/2]
}
