package papers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/labels/gimc"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// labelSet is a multi-label set in two files, or divided by a list of rows.
type labelSet struct {
	name, file, list string
	fixed            map[string]float64 // λ where it is not searched
}

// String returns the name of the data set.
func (s labelSet) String() string { return s.name }

// load returns the split; nil if it is not at hand.
func (s labelSet) load(r *run) *protocol.Split {
	if s.list == "" {
		return r.split(s.file, dataset.Options{})
	}
	return loaded(r, func() (*protocol.Split, error) { return r.Data.SplitBy(s.file, s.list) })
}

var sets57 = []labelSet{
	{name: "bibtex", file: "bibtex"},
	{name: "delicious", file: "delicious"},
	{name: "bibtex, other split", file: "bibtex", list: "bibtex.altsplit.test-rows.txt.gz"},
	{name: "delicious, other split", file: "delicious", list: "delicious.altsplit.test-rows.txt.gz"},
}

// Table 5.7 of [S16]: P@1, P@3 and P@5 of GIMC-LFF and three other methods. Of
// its data sets bibtex and delicious are at hand; rows of "…, other split" belong
// to the split of the Extreme Classification Repository. The number of features is
// not printed: m frequencies. GIMC sees rows of length 1, the columns weighted
// before, or not, by the rarity of their words; λ, weights and the number of steps
// are those with the best mean of P@1, P@3 and P@5 on the fifths of the training
// part that are held out in turn, all or some of them, and the repeats are fits with
// them and other frequencies. The other methods are those of Table 6.3, with their λ and
// the length of rows chosen on a fifth; ridge regression and centroids stand beside them.
func table57(r *run) {
	method := r.text("method", "one method; empty: all, with --quick GIMC-LFF and LEML", "GIMC-LFF", "LEML", "FastXML", "SLEEC", "ridge", "centroids")
	m := r.int("m", 500, 1, "frequencies")
	steps := r.int("steps", 15, 0, "gradient steps of GIMC-LFF at most")
	gamma := r.float("gamma", .05, 0, "γ of GIMC-LFF, times the mean squared distance of rows")
	grid := gimcGrid{
		lambdas: cut(r, "λ", []float64{1, 3}, []float64{1}), gammas: []float64{gamma},
		rarities: cut(r, "weights", []float64{0, .5}, []float64{.5}), folds: cut(r, "folds", 5, 1),
	}
	if v := r.float("lambda", 0, 0, "λ of GIMC-LFF; 0: chosen"); v > 0 {
		grid.lambdas = []float64{v}
	}
	if v := r.int("folds", 0, 0, "fifths of the training part that are held out in turn to choose settings of GIMC-LFF; 0: 5"); v > 5 {
		r.wrong("folds", v, "at most 5")
	} else if v > 0 {
		grid.folds = v
	}
	if v := r.float("rarity", -1, -1, "power of log(n/rows with the word) that weights columns for GIMC-LFF; -1: chosen of 0 and ½"); v >= 0 {
		grid.rarities = []float64{v}
	}
	names := cut(r, "methods", []string{"GIMC-LFF", "LEML", "FastXML", "SLEEC"}, []string{"GIMC-LFF", "LEML"})
	if method != "" {
		names = slices.DeleteFunc([]string{method}, func(name string) bool { return name == "ridge" || name == "centroids" })
	}
	repeats := r.repeats(3, 1)
	eachSet(r, sets57, func(s labelSet) {
		part := s.load(r)
		for _, name := range names {
			var fit func(run gram.Run) (gram.Ranker, *protocol.Split)
			note := ""
			switch {
			case part == nil:
			case name == "GIMC-LFF":
				best := r.chooseGIMC(gimc.Config{M: m, Steps: steps, Run: r.repeat(0)}, grid, part.Train)
				note = fmt.Sprintf("m %d, %s", m, best)
				fit = func(run gram.Run) (gram.Ranker, *protocol.Split) { return best.fit(r.ctx, run, part) }
			default:
				e := extremes[slices.IndexFunc(extremes, func(e extreme) bool { return e.name == name })]
				best := r.choose63(labelSet{}, e, part.Train)
				on := best.of(part)
				note = best.note
				fit = func(run gram.Run) (gram.Ranker, *protocol.Split) {
					return e.fit(r.ctx, on.Train, best.lambda, r.Quick, run), on
				}
			}
			r.measure(metrics(Row{Dataset: s.name, Method: name}, "P@1", "P@3", "P@5"), repeats, func(t *trial) {
				model, on := fit(t.Run)
				t.note(note)
				t.add(t.seconds(), 0, must(on.Precision(model, 1, 3, 5))...)
			})
		}
		r.baselines(method, s.name, part, 1, 3, 5)
	})
}

// gimcGrid are settings to choose from: λ, γ times the mean squared distance of
// rows, and the power of log(n/rows with the word) that weights columns; and how
// many fifths of the rows are held out in turn.
type gimcGrid struct {
	lambdas, gammas, rarities []float64
	folds                     int
}

// gimcChoice are settings that chooseGIMC has found, and their score.
type gimcChoice struct {
	c             gimc.Config
	gamma, rarity float64
	score         float64
	folds         int
}

// String says for a note which settings were chosen, and with which score on held-out rows.
func (b gimcChoice) String() string {
	steps := ""
	if !b.c.Fixed || b.c.Steps > 0 {
		steps = counted(b.c.Steps, "step")
	}
	rarity := ""
	if b.rarity > 0 {
		rarity = fmt.Sprintf("columns times log(n/rows with the word)^%g", b.rarity)
	}
	held := "a fifth"
	if b.folds > 1 {
		held = fmt.Sprintf("%d fifths", b.folds)
	}
	return notes(fmt.Sprintf("λ %g", b.c.Lambda.Value()), steps, rarity, fmt.Sprintf("%.4g on %s", b.score, held))
}

// patience is the number of steps without a better score after which a fit on
// four fifths ends.
const patience = 4

// chooseGIMC returns the settings for which the mean of P@1, P@3 and P@5 on held-out
// rows is best, with the best number of steps.
func (r *run) chooseGIMC(c gimc.Config, grid gimcGrid, train *dataset.Set) gimcChoice {
	best := crossval.Best[gimcChoice]{Larger: true}
	for _, rarity := range grid.rarities {
		x := lengthOne(train.X, train.X, rarity)
		for _, gamma := range grid.gammas {
			for _, l := range grid.lambdas {
				c := c
				c.Lambda, c.Gamma = gram.Set(l), gamma*kernel.MeanGamma(x)
				for step, v := range heldOutGIMC(r.ctx, c, grid.folds, x, train.Tags) {
					c.Steps, c.Fixed = step, step == 0
					best.Offer(gimcChoice{c, gamma, rarity, v, grid.folds}, v)
				}
			}
		}
	}
	return best.Value
}

// heldOutGIMC returns the mean of P@1, P@3 and P@5 of held-out fifths before the first
// step and after every one, the mean over the first folds of five. A fifth whose fit
// has ended counts with its last value.
func heldOutGIMC(ctx context.Context, c gimc.Config, folds int, x mat.Matrix, tags *sparse.CSR) []float64 {
	n, _ := x.Dims()
	order := crossval.Order(n, c.Seed)
	var curves [][]float64
	for f := range folds {
		split := crossval.Cut(order, f*n/5, (f+1)*n/5)
		held, heldTags := dataset.SelectRows(x, split.Held), tags.Select(split.Held)
		curve := crossval.Curve{Larger: true, Patience: patience}
		inner, stop := context.WithCancel(ctx)
		err := c.Path(inner, dataset.SelectRows(x, split.Train), tags.Select(split.Train), func(m *gimc.Model) {
			p := metric.PrecisionAt([]int{1, 3, 5}, m.Top(nil, held, 5), heldTags)
			if !curve.Add((p[0] + p[1] + p[2]) / 3) {
				stop()
			}
		})
		stop()
		if ctx.Err() != nil || !errors.Is(err, context.Canceled) {
			fail(err)
		}
		curves = append(curves, curve.Scores)
	}
	return crossval.Mean(curves)
}

// fit fits with the settings to all training rows, and returns the split with rows
// as the model wants them.
func (b gimcChoice) fit(ctx context.Context, run gram.Run, s *protocol.Split) (*gimc.Model, *protocol.Split) {
	b.c.Run = run
	words := s.Train.X
	mapped := must(s.Mapped(func(x mat.Matrix) mat.Matrix { return lengthOne(x, words, b.rarity) }))
	return must(b.c.Fit(ctx, mapped.Train.X, s.Train.Tags)), mapped
}

// lengthOne is x with rows of length 1, after its columns have been multiplied with
// log(n/r)^rarity, where r of the n rows of train are not 0 there.
func lengthOne(x, train mat.Matrix, rarity float64) mat.Matrix {
	if rarity == 0 {
		return dataset.NormalizeRows(x)
	}
	n, d := train.Dims()
	weight := make([]float64, d)
	all := gram.CSR(train)
	for _, j := range all.Col[all.Ptr[0]:all.Ptr[n]] {
		weight[j]++
	}
	for j, r := range weight {
		weight[j] = math.Pow(math.Log(float64(n)/max(r, 1)), rarity)
	}
	a := gram.CSR(x)
	b := *a
	b.Val = make([]float64, len(a.Col))
	for e, j := range a.Col {
		b.Val[e] = weight[j]
		if a.Val != nil {
			b.Val[e] *= a.Val[e]
		}
	}
	return dataset.NormalizeRows(&b)
}

// featured is a method of the figure: λ to choose from, and γ times the mean
// squared distance, large where nothing is learned.
type featured struct {
	name    string
	c       gimc.Config
	lambdas []float64
	gamma   float64
}

var featureds = []featured{
	{"IMC-RFF", gimc.Config{Map: completion.Fourier, Fixed: true}, []float64{.1, .3, 1}, .3},
	{"GIMC-LFF", gimc.Config{Map: completion.Fourier}, []float64{1, 3}, .1},
	{"IMC-NYS", gimc.Config{Map: completion.Nystrom, Fixed: true}, []float64{.03, .1, .3}, .5},
	{"GIMC-LNYS", gimc.Config{Map: completion.Nystrom}, []float64{.1, .3}, .5},
}

// Figure 5.5 of [S16]: P@3 against m, the number of frequencies or landmarks,
// for features as drawn (IMC-RFF, IMC-NYS) and learned (GIMC-LFF, GIMC-LNYS). The
// paper draws curves and prints no figures; bibtex and delicious are at hand. Rows
// have length 1; learned features take the steps and all take the λ with the best
// mean of P@1, P@3 and P@5 on a fifth of the training part.
func fig55(r *run) {
	most := r.int("most", cut(r, "m at most", 500, 100), 50, "frequencies or landmarks at most, of 50, 100, 200 and 500")
	sizes := slices.DeleteFunc([]int{50, 100, 200, 500}, func(m int) bool { return m > most })
	repeats := r.repeats(3, 1)
	eachSet(r, sets57[:2], func(s labelSet) {
		part := s.load(r)
		for _, m := range featureds {
			for _, size := range sizes {
				var best gimcChoice
				if part != nil {
					best = m.choose(r, part.Train, size)
				}
				row := Row{Dataset: s.name, Method: fmt.Sprintf("%s, m %d", m.name, size), Metric: "P@3", Series: m.name, X: float64(size)}
				r.measure([]Row{row}, repeats, func(t *trial) {
					model, mapped := best.fit(r.ctx, t.Run, part)
					t.note(best.String())
					t.add(model.Stats().Seconds, 0, must(mapped.Precision(model, 3))...)
				})
			}
		}
	})
}

// choose returns the settings that are best on a fifth of the rows.
func (m featured) choose(r *run, d *dataset.Set, size int) gimcChoice {
	c := m.c
	c.M, c.Steps, c.Run = size, 15, r.repeat(0)
	if c.Fixed {
		c.Steps = 0
	}
	lambdas := cut(r, "λ of "+m.name, m.lambdas, m.lambdas[len(m.lambdas)-1:])
	return r.chooseGIMC(c, gimcGrid{lambdas: lambdas, gammas: []float64{m.gamma}, rarities: []float64{0}, folds: 1}, d)
}

// gimcScale shows that a round of GIMC takes time in proportion to the entries of
// X and Y: generated sparse rows with 50 entries and 10 labels, three numbers of
// rows. A round is a gradient step on the features, its line search, and the
// solution for all labels; seconds are the mean of two rounds. Bytes are what the
// process holds after the fit, data included.
func gimcScale(r *run) {
	n := r.int("n", cut(r, "rows", 200_000, 4000), 4, "rows of the largest problem; the others have a half and a quarter")
	d := r.int("d", cut(r, "columns", 50_000, 1000), 1, "columns")
	labels := r.int("labels", cut(r, "labels", 100_000, 2000), 1, "labels")
	m := r.int("m", cut(r, "m", 100, 20), 1, "frequencies")
	largest := r.bool("largest", "the largest problem alone")
	repeats := r.repeats(3, 1)
	r.check()
	for _, part := range []int{4, 2, 1} {
		if largest && part > 1 {
			continue
		}
		x, y := dataset.Tagged(n/part, d, 50, labels, 10, 1)
		row := Row{Dataset: "generated", Method: fmt.Sprintf("GIMC-LFF, n %d, d %d, L %d, m %d", x.N, x.D, y.D, m), Metric: "seconds a round", Series: "GIMC-LFF", X: float64(x.NNZ())}
		r.measure([]Row{row}, repeats, func(t *trial) {
			const rounds = 2
			c := gimc.Config{Map: completion.Fourier, M: m, Gamma: kernel.MeanGamma(x) / 10, Steps: rounds, Tol: gram.Set(1e-12), Run: t.Run}
			var first, last time.Time
			c.Progress = func(e gram.Event) {
				if e.Done == 1 {
					first = time.Now()
				}
				last = time.Now()
				r.Report(e)
			}
			plan := must(c.Plan(gram.Shape{N: x.N, D: x.D, Outputs: y.D, NNZ: int64(x.NNZ())}))
			model := must(c.Fit(r.ctx, x, y))
			memory := processBytes()
			seconds := last.Sub(first).Seconds() / float64(max(1, len(model.Stats().Objective)-1))
			t.addValues(model.Stats().Seconds, memory, seconds)
			t.note(fmt.Sprintf("%d entries of X, %d of Y; %.3g µs an entry of X; plan %s", x.NNZ(), y.NNZ(), 1e6*seconds/float64(x.NNZ()), num.FormatBytes(plan.PeakBytes)))
		})
	}
}
