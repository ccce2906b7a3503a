package papers

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/divide/aesvm"
	"github.com/gramworks/gram/algos/divide/dcpred"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/fastnys"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/rff"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/algos/trees/ldkl"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/predict/approx"
	"gonum.org/v1/gonum/mat"
)

type set52 struct {
	name     string
	gammas   []float64 // to choose from
	cs       []float64
	m        int   // landmarks of a leaf of DC-Pred++
	fastfood []int // frequencies to choose from
}

// String returns the name of the data set.
func (s set52) String() string { return s.name }

var sets52 = []set52{
	{"usps", []float64{1. / 128, 1. / 64, 1. / 32}, []float64{2, 4, 8}, 40, []int{512, 1024, 2048}},
	{"a9a", []float64{1. / 128, 1. / 64, 1. / 32}, []float64{.5, 1, 2}, 32, []int{256}},
}

// setting52 is a candidate: the hyperparameters that validation chooses for a method of Table 5.2.
type setting52 struct {
	k     kernel.Kernel
	c     float64
	leaf  int     // rows of a leaf of the trees at most
	depth int     // LDKL
	treeC float64 // LDKL
	m     int     // frequencies of Fastfood
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
	fit  func(ctx context.Context, s set52, by setting52, train *dataset.Set, run gram.Run) machine52
}

var methods52 = []method52{
	{"DC-Pred++", false, func(ctx context.Context, s set52, by setting52, train *dataset.Set, run gram.Run) machine52 {
		return dividedMachine(ctx, dcpred.Config{Kernel: by.k, C: by.c, Leaf: by.leaf, M: s.m, All: true, Run: run}, train)
	}},
	{"DC-Fast-Nys", false, func(ctx context.Context, s set52, by setting52, train *dataset.Set, run gram.Run) machine52 {
		return dividedMachine(ctx, dcpred.Config{Kernel: by.k, C: by.c, Leaf: by.leaf, M: 256, Rows: 8, Structured: true, Run: run}, train)
	}},
	{"LDKL", false, func(ctx context.Context, s set52, by setting52, train *dataset.Set, run gram.Run) machine52 {
		m, _ := fitted(ldkl.Config{Depth: by.depth, C: by.treeC, Ridge: gram.Set(.1), Run: run}.Fit(ctx, train.X, train.Labels, nil))
		return machine52{must(m.Program64()), m}
	}},
	{"AESVM", true, func(ctx context.Context, s set52, by setting52, train *dataset.Set, run gram.Run) machine52 {
		m, _, err := aesvm.Config{Machine: svm.Config{Kernel: by.k, C: by.c, Run: run}}.Fit(ctx, train.X, train.Labels, nil)
		m, _ = fitted(m, err)
		return exactly(ctx, m)
	}},
	{"reduced set", true, func(ctx context.Context, s set52, by setting52, train *dataset.Set, run gram.Run) machine52 {
		m := must(svm.Config{Kernel: by.k, C: by.c, Start: svm.ZeroStart, Run: run}.Fit(ctx, train.X, train.Labels, nil))
		few := must(predict.Compile(ctx, m, predict.Options{Method: approx.Reduced, M: 50, Candidates: approx.Candidates(), Points: train.X, Run: run}))
		return machine52{few.Float64(), few.(gram.Classifier)}
	}},
	{"k-means Nyström", false, func(ctx context.Context, s set52, by setting52, train *dataset.Set, run gram.Run) machine52 {
		return drawnMachine(ctx, landmarkMethod("", landmark.KMeans{}), 200, by, train, run)
	}},
	{"Fastfood", false, func(ctx context.Context, s set52, by setting52, train *dataset.Set, run gram.Run) machine52 {
		return drawnMachine(ctx, frequencyMethod("", rff.Fastfood), by.m, by, train, run)
	}},
	{"linear SVM", false, func(ctx context.Context, s set52, by setting52, train *dataset.Set, run gram.Run) machine52 {
		return onFeatures(ctx, nil, 1, train, run)
	}},
	{"exact SVM", true, func(ctx context.Context, s set52, by setting52, train *dataset.Set, run gram.Run) machine52 {
		return exactly(ctx, must(svm.Config{Kernel: by.k, C: by.c, Start: svm.ZeroStart, Run: run}.Fit(ctx, train.X, train.Labels, nil)))
	}},
}

func dividedMachine(ctx context.Context, c dcpred.Config, train *dataset.Set) machine52 {
	m, _ := fitted(c.Fit(ctx, train.X, train.Labels, nil))
	return machine52{must(m.Program64()), m}
}

// drawnMachine is the linear machine on features as they are drawn.
func drawnMachine(ctx context.Context, m lowRank, size int, by setting52, train *dataset.Set, run gram.Run) machine52 {
	return onFeatures(ctx, m.fit(ctx, by.k, train.X, size, run).FeatureMap, by.c, train, run)
}

func onFeatures(ctx context.Context, m gram.FeatureMap, c float64, train *dataset.Set, run gram.Run) machine52 {
	l, _ := fitted(linear.SVM{C: c, Loss: linear.Hinge, Run: run}.Fit(ctx, m, train.X, train.Labels, nil))
	return exactly(ctx, l)
}

// exactly returns m with its exact program in float64.
func exactly(ctx context.Context, m gram.Classifier) machine52 {
	return machine52{must(predict.Compile(ctx, m, predict.Options{Method: predict.Exact})).Float64(), m}
}

// Table 5.2 of [S16]: accuracy, training time and prediction time, as a
// multiple of a linear model's, of fast kernel machines. Two of its six data sets
// are at hand, usps (0–4 against 5–9, features in [0,1]) and a9a. Prediction is in
// float64, batches of 1 024 rows, one goroutine; the linear model goes through the
// same code; the rows that are timed are training rows. γ, C and the size of leaves are those of the best accuracy of
// DC-Pred++, with 40 or 32 landmarks a leaf and all their products, on a fifth of the
// training part or of 5 000 rows of it; the other methods take the same γ and C. LDKL has no
// kernel: its depth and C are those of its own best accuracy on that fifth, and so is the
// number of frequencies of Fastfood on usps. The reduced set
// has 50 points, and its machine is not fitted to labels again.
func table52(r *run) {
	gamma := r.float("gamma", 0, 0, "γ; 0: chosen")
	c := r.float("c", 0, 0, "C; 0: chosen")
	var names []string
	for _, m := range methods52 {
		names = append(names, m.name)
	}
	wanted := r.text("method", "one method; empty: all", names...)
	exact := r.bool("exact", "the exact machine on a9a with --quick, too")
	limit, repeats := cut(r, "training rows", 0, 10_000), r.repeats(5, 2)
	if r.Quick && !exact {
		cut(r, "exact machine on a9a", "in", "out")
	}
	eachSet(r, sets52, func(s set52) {
		if gamma > 0 {
			s.gammas = []float64{gamma}
		}
		if c > 0 {
			s.cs = []float64{c}
		}
		if r.Quick {
			s.gammas, s.cs, s.fastfood = s.gammas[len(s.gammas)/2:][:1], s.cs[len(s.cs)/2:][:1], s.fastfood[:1]
		}
		part := r.digits(s.name, denseClasses)
		var by setting52
		var chosen string
		if part != nil {
			part = part.Limited(limit, rng.Derive(r.Seed, "quick"))
			by, chosen = r.choose52(s, part.Train)
			if wanted == "" || wanted == "LDKL" {
				r.chooseTree52(part.Train, &by)
			}
			if wanted == "" || wanted == "Fastfood" {
				r.chooseFastfood52(s, part.Train, &by)
			}
		}
		for _, method := range methods52 {
			if wanted != "" && wanted != method.name {
				continue
			}
			if method.full && r.Quick && s.name == "a9a" && !exact {
				continue
			}
			var last machine52
			row := Row{Dataset: s.name, Method: method.name, Metric: "accuracy"}
			rows, _ := r.collect([]Row{row}, repeats, func(t *trial) {
				last = method.fit(r.ctx, s, by, part.Train, t.Run)
				seconds := t.seconds()
				t.note(chosen, about52(method.name, last.model, by))
				t.add(seconds, last.program.Cost().ModelBytes, must(part.Accuracy(last.model)))
			})
			row.Metric, row.Note = "multiple", noData
			if part != nil {
				t := predict.Measure(last.program, gram.Of(part.Train.X), time.Second)
				_, d := part.Train.Dims()
				plan := last.program.Cost()
				row.Got, row.Bytes = value(t.Multiple()), plan.ModelBytes
				row.Note = notes(fmt.Sprintf("%.3g µs a row; linear %.3g µs, %.1f GB/s", 1e6*t.Seconds, 1e6*t.Linear, 8e-9*float64(d)/t.Linear),
					fmt.Sprintf("flops %.1f×", plan.Flops/(2*float64(d))))
			}
			r.emit(row)
			r.emit(rows[0])
		}
	})
}

// about52 describes the size of a model for the remarks of Table 5.2.
func about52(name string, m gram.Classifier, by setting52) string {
	if name == "Fastfood" {
		return fmt.Sprintf("%d frequencies", by.m)
	}
	switch m := m.(type) {
	case *dcpred.Classifier:
		stats := m.Stats()
		return fmt.Sprintf("%d leaves, %d of one class, at most %d landmarks", stats.Leaves, stats.Constant, slices.Max(stats.Landmarks))
	case *ldkl.Classifier:
		return fmt.Sprintf("depth %d, C %g", by.depth, by.treeC)
	case *svm.Model:
		return fmt.Sprintf("%d support vectors", len(m.Support()))
	}
	return ""
}

// choose52 returns the settings of the best accuracy of DC-Pred++ on a fifth of
// the training part.
func (r *run) choose52(s set52, train *dataset.Set) (setting52, string) {
	if len(s.gammas)*len(s.cs) == 1 {
		return setting52{k: kernel.Gaussian{Gamma: s.gammas[0]}, c: s.cs[0], leaf: single}, fmt.Sprintf("γ %g, C %g, not searched", s.gammas[0], s.cs[0])
	}
	var candidates []setting52
	for _, gamma := range s.gammas {
		for _, c := range s.cs {
			candidates = append(candidates, setting52{k: kernel.Gaussian{Gamma: gamma}, c: c, leaf: 1000}, setting52{k: kernel.Gaussian{Gamma: gamma}, c: c, leaf: single})
		}
	}
	best, most := r.chooseMachine(train, 10_000, candidates, func(by setting52, part *dataset.Set, run gram.Run) machine52 {
		return methods52[0].fit(r.ctx, s, by, part, run)
	})
	return best, fmt.Sprintf("%s, C %g, accuracy %.4f on a fifth of the training part", kernelNote(best.k), best.c, most)
}

// chooseTree52 sets the depth and C of LDKL in by to those with the best accuracy on rows of the training part that are held out.
func (r *run) chooseTree52(train *dataset.Set, by *setting52) {
	candidates := []setting52{{depth: 3, treeC: 1}}
	if !r.Quick {
		for _, depth := range []int{3, 4, 5} {
			for _, c := range []float64{.03, .3, 3} {
				candidates = append(candidates, setting52{depth: depth, treeC: c})
			}
		}
	}
	best, _ := r.chooseMachine(train, 10_000, candidates, func(by setting52, part *dataset.Set, run gram.Run) machine52 {
		m, _ := fitted(ldkl.Config{Depth: by.depth, C: by.treeC, Ridge: gram.Set(.1), Run: run}.Fit(r.ctx, part.X, part.Labels, nil))
		return machine52{model: m}
	})
	by.depth, by.treeC = best.depth, best.treeC
}

// chooseFastfood52 chooses the number of frequencies of Fastfood.
func (r *run) chooseFastfood52(s set52, train *dataset.Set, by *setting52) {
	var candidates []setting52
	for _, m := range s.fastfood {
		c := *by
		c.m = m
		candidates = append(candidates, c)
	}
	best := candidates[0]
	if len(candidates) > 1 {
		best, _ = r.chooseMachine(train, 10_000, candidates, func(by setting52, part *dataset.Set, run gram.Run) machine52 {
			return methods52[slices.IndexFunc(methods52, func(m method52) bool { return m.name == "Fastfood" })].fit(r.ctx, s, by, part, run)
		})
	}
	by.m = best.m
}

// chooseMachine returns the settings of the best accuracy on a fifth of the training
// part, or of 5 000 of its rows if there are more than maxRows.
func (r *run) chooseMachine(train *dataset.Set, maxRows int, candidates []setting52, fit func(by setting52, part *dataset.Set, run gram.Run) machine52) (setting52, float64) {
	if n, _ := train.Dims(); n > maxRows {
		train = train.Select(dataset.Sample(n, 5000, rng.Derive(r.Seed, "choice")))
	}
	return choose(r, train, r.fifth(train), candidates, true, func(by setting52, part, validation *dataset.Set, run gram.Run) float64 {
		return metric.Accuracy(fit(by, part, run).model.Predict(nil, validation.X), validation.Labels.Class)
	})
}

// set52kernels is a data set of the figure with kernels and C to choose from.
type set52kernels struct {
	name    string
	kernels []kernel.Kernel
	cs      []float64
}

// String returns the name of the data set.
func (s set52kernels) String() string { return s.name }

// Figure 5.2 of [S16]: accuracy against prediction time in multiples of a
// linear model's. MNIST (pixels/255) and usps, the digits 0–4 against 5–9; the
// Gaussian kernel on the one and the cubic on the other. The paper draws curves;
// its text says that Fast-Nys reaches 95 % on MNIST at about 40× and the second
// best at more than 80×. It does not say whether that is for two classes.
func fig52(r *run) {
	count := r.int("n", cut(r, "training rows", 0, 6000), 0, "training rows; 0: all")
	few := cut(r, "m", []int{16, 32, 64, 128}, []int{32, 64})
	many := cut(r, "structured m", []int{64, 128, 256, 512}, []int{128, 256})
	repeats := r.repeats(3, 1)
	eachSet(r, []set52kernels{
		{"mnist", []kernel.Kernel{kernel.Gaussian{Gamma: 1. / 128}, kernel.Gaussian{Gamma: 1. / 64}, kernel.Gaussian{Gamma: 1. / 32}}, []float64{1, 4, 16}},
		{"usps", []kernel.Kernel{kernel.Polynomial{Degree: 3, Offset: 1}}, []float64{1e-5, 1e-4, 1e-3, 1e-2}},
		{"cifar", nil, nil},
	}, func(s set52kernels) {
		part := r.digits(s.name, denseClasses)
		var by setting52
		var chosen string
		if part != nil {
			if s.name == "mnist" {
				part = must(part.Mapped(func(x mat.Matrix) mat.Matrix {
					var out mat.Dense
					out.Scale(1./255, x)
					return &out
				}))
			}
			part = part.Limited(count, rng.Derive(r.Seed, "rows"))
			by, chosen = r.chooseFig52(s, part.Train)
		}
		on := func(m lowRank, sizes []int) ladder52 {
			return ladder52{m.name, sizes, func(size int, run gram.Run) machine52 {
				return drawnMachine(r.ctx, m, size, by, part.Train, run)
			}}
		}
		methods := []ladder52{
			on(landmarkMethod("Nys", landmark.Uniform{}), few),
			on(landmarkMethod("KNys", landmark.KMeans{}), few),
			on(structuredMethod("Fast-Nys", fastnys.Config{}), many),
			{"DC-Fast-Nys", many, func(m int, run gram.Run) machine52 {
				return dividedMachine(r.ctx, dcpred.Config{Kernel: by.k, C: by.c, Leaf: 2000, M: m, Structured: true, Run: run}, part.Train)
			}},
		}
		if _, radial := by.k.(kernel.Radial); radial {
			methods = append(methods, on(frequencyMethod("RKS", rff.Independent), few), on(frequencyMethod("Fastfood", rff.Fastfood), few))
		}
		for _, method := range methods {
			for _, m := range method.sizes {
				row := Row{Dataset: s.name, Method: fmt.Sprintf("%s m=%d", method.name, m), Metric: "accuracy", Series: method.name}
				r.measure([]Row{row}, repeats, func(t *trial) {
					machine := method.fit(m, t.Run)
					seconds := t.seconds()
					if t.index == 0 {
						speed := predict.Measure(machine.program, gram.Of(part.Train.X), 300*time.Millisecond)
						n, _ := part.Train.Dims()
						t.rows[0].X = speed.Multiple()
						t.note(fmt.Sprintf("%.1f× linear (%.3g µs a row); %d training rows, %s", speed.Multiple(), 1e6*speed.Linear, n, chosen))
					}
					t.add(seconds, machine.program.Cost().ModelBytes, must(part.Accuracy(machine.model)))
				})
			}
		}
	})
}

// ladder52 is a method of the figure at some sizes.
type ladder52 struct {
	name  string
	sizes []int
	fit   func(m int, run gram.Run) machine52
}

// chooseFig52 returns the kernel and C of the best accuracy of 64 k-means landmarks.
func (r *run) chooseFig52(s set52kernels, train *dataset.Set) (setting52, string) {
	var candidates []setting52
	for _, k := range s.kernels {
		for _, c := range s.cs {
			candidates = append(candidates, setting52{k: k, c: c})
		}
	}
	best, most := r.chooseMachine(train, 5000, candidates, func(by setting52, part *dataset.Set, run gram.Run) machine52 {
		return drawnMachine(r.ctx, landmarkMethod("", landmark.KMeans{}), 64, by, part, run)
	})
	return best, fmt.Sprintf("%s, C %g: accuracy %.4f on a fifth", kernelNote(best.k), best.c, most)
}
