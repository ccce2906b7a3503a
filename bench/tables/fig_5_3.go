package tables

import (
	"context"
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

// classSet is a data set of Figure 5.3.
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

// featureMethod is linear learning on m features, drawn or learned; fit returns the
// model and a remark.
type featureMethod[M any] struct {
	name string
	fit  func(ctx context.Context, k kernel.Kernel, penalty float64, m int, d *dataset.Set, run gram.Run) (M, string)
}

// drawn is learning on features as they are drawn.
func drawn[M any](features lowRank, learn func(ctx context.Context, f gram.FeatureMap, penalty float64, d *dataset.Set, run gram.Run) (M, string)) featureMethod[M] {
	return featureMethod[M]{features.name, func(ctx context.Context, k kernel.Kernel, penalty float64, m int, d *dataset.Set, run gram.Run) (M, string) {
		return learn(ctx, features.fit(ctx, k, d.X, m, run).FeatureMap, penalty, d, run)
	}}
}

// Figure 5.3 of [S16]: test accuracy of support vector machines with the
// squared hinge loss on m landmarks or frequencies, drawn or learned, for two
// classes, with the γ and C of Table 5.4. The thesis draws curves and prints no
// figures, says not how usps is made binary, here 0–4 against 5–9, and not whether
// data are scaled, here not. Fastfood needs m ≥ d.
func fig53(r *run) {
	svmOn := func(ctx context.Context, f gram.FeatureMap, c float64, d *dataset.Set, run gram.Run) (gram.Classifier, string) {
		m, rough := nearly(linear.SVM{C: c, MaxIter: 300, Run: run}.Fit(ctx, f, d.X, d.Labels, nil))
		if rough != nil {
			return m, fmt.Sprintf("gap %.2g", rough.Residual)
		}
		return m, ""
	}
	learned := func(name string, q goal.Features) featureMethod[gram.Classifier] {
		return featureMethod[gram.Classifier]{name, func(ctx context.Context, k kernel.Kernel, c float64, m int, d *dataset.Set, run gram.Run) (gram.Classifier, string) {
			f := must(goal.Config{Kernel: k, Features: q, M: m, C: c, MaxIter: gram.Set(30), Patience: 5, Run: run}.Fit(ctx, d.X, d.Labels, nil))
			return f, counted(f.Stats().Iter, "turn")
		}}
	}
	methods := []featureMethod[gram.Classifier]{
		drawn(landmarkMethod("Nys", landmark.Uniform{}), svmOn),
		drawn(landmarkMethod("KNys", landmark.KMeans{}), svmOn),
		drawn(frequencyMethod("RFF", rff.Independent), svmOn),
		drawn(frequencyMethod("Fastfood", rff.Fastfood), svmOn),
		learned("Goal-NYS", goal.Nystrom),
		learned("Goal-RFF", goal.Fourier),
	}
	sizes := cut(r, "m", []int{2, 5, 10, 20, 50, 100}, []int{5, 10, 50})
	limit, repeats := cut(r, "training rows", 0, 5000), r.repeats(5, 2)
	each(r, classSets, func(s classSet) {
		parts := r.parts(s)
		for _, method := range methods {
			for _, m := range sizes {
				if method.name == "Fastfood" && m < s.columns {
					continue
				}
				row := Row{Dataset: s.name, Method: fmt.Sprintf("%s m=%d", method.name, m), Metric: "accuracy", Series: method.name, X: float64(m)}
				r.measure(row, repeats, func(t *trial) {
					part := parts(t.Seed).Limited(limit, rng.Derive(t.Seed, "limit"))
					t.start()
					c, remark := method.fit(r.ctx, kernel.Gaussian{Gamma: s.gamma}, s.c, m, part.Train, t.Run)
					seconds := t.seconds()
					n, d := part.Train.Dims()
					t.note(fmt.Sprintf("γ %g, C %g, %d training rows", s.gamma, s.c, n), remark)
					t.add(seconds, 8*int64(m)*int64(d+1), must(part.Accuracy(c)))
				})
			}
		}
	})
}

// parts returns a function that cuts the set for a seed.
func (r *run) parts(s classSet) func(seed uint64) *protocol.Split {
	o := dataset.Options{Task: dataset.Classes}
	if s.split {
		p := r.pool(s.name, false, o)
		return func(seed uint64) *protocol.Split { return must(p.Random(.2, seed)) }
	}
	p := r.split(s.name, o)
	if p != nil && s.name == "usps" {
		p = p.Grouped("0-4", "5-9")
	}
	return func(uint64) *protocol.Split { return p }
}
