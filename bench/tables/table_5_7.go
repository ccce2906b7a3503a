package tables

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/multilabel"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Table 5.7 of [Si 2016]: P@1, P@3 and P@5 of GIMC-LFF and three other methods. Of
// its data sets bibtex and delicious are at hand; rows of "…, other split" belong
// to the split of the Extreme Classification Repository. The number of features is
// not printed: m frequencies. GIMC sees rows of length 1, the columns weighted
// before, or not, by the rarity of their words; λ, weights and the number of steps
// are those with the best mean of P@1, P@3 and P@5 on the fifths of the training
// part that are held out in turn, all or some of them, and the repeats are fits with
// them and other frequencies. The other methods are those of Table 6.3, with their λ
// chosen on a fifth, and are fitted once.
var table57 = Table{
	ID:    "5.7",
	Title: "Precision of sets of labels with learned features",
	Run:   runTable57,
}

type set57 struct {
	name  string
	load  func(Env) (train, test *dataset.Set, ok bool, err error)
	paper map[string][3]float64
}

var (
	bibtex57 = map[string][3]float64{
		"GIMC-LFF": {.6585, .4117, .3001}, "SLEEC": {.6529, .3960, .2863}, "FastXML": {.6453, .4017, .2927}, "LEML": {.6253, .3840, .2821},
	}
	delicious57 = map[string][3]float64{
		"GIMC-LFF": {.7140, .6516, .5979}, "SLEEC": {.6838, .6150, .5635}, "FastXML": {.6965, .6393, .5936}, "LEML": {.6566, .6115, .5608},
	}
)

var sets57 = []set57{
	{"bibtex", func(e Env) (*dataset.Set, *dataset.Set, bool, error) { return e.load("bibtex", dataset.Options{}) }, bibtex57},
	{"delicious", func(e Env) (*dataset.Set, *dataset.Set, bool, error) { return e.load("delicious", dataset.Options{}) }, delicious57},
	{"bibtex, other split", func(e Env) (*dataset.Set, *dataset.Set, bool, error) {
		return e.loadSplit("bibtex", "bibtex.altsplit.test-rows.txt.gz")
	}, bibtex57},
	{"delicious, other split", func(e Env) (*dataset.Set, *dataset.Set, bool, error) {
		return e.loadSplit("delicious", "delicious.altsplit.test-rows.txt.gz")
	}, delicious57},
}

func runTable57(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	only := f.String("only", "", "one data set; empty: all")
	method := f.String("method", "", "one method; empty: GIMC-LFF and LEML, and the others without --quick")
	m := f.Int("m", 500, "frequencies")
	steps := f.Int("steps", 15, "gradient steps of GIMC-LFF at most")
	lambda := f.Float64("lambda", 0, "λ of GIMC-LFF; 0: chosen, 1 with --quick")
	gamma := f.Float64("gamma", .05, "γ of GIMC-LFF, times the mean squared distance of rows")
	folds := f.Int("folds", 0, "fifths of the training part that are held out in turn to choose settings of GIMC-LFF; 0: 5, 1 with --quick")
	rarity := f.Float64("rarity", -1, "power of log(n/rows with the word) that weights columns for GIMC-LFF; -1: chosen of 0 and ½, ½ with --quick")
	if err := env.parse(f); err != nil {
		return err
	}
	if *folds < 0 || *folds > 5 {
		return &gram.ConfigError{Field: "--set folds", Value: *folds, Want: "from 0 to 5"}
	}
	for _, s := range sets57 {
		if *only != "" && *only != s.name {
			continue
		}
		train, test, ok, err := s.load(env)
		if err != nil {
			return err
		}
		for _, name := range []string{"GIMC-LFF", "LEML", "FastXML", "SLEEC"} {
			if *method != "" && *method != name || *method == "" && env.Quick && name != "GIMC-LFF" && name != "LEML" {
				continue
			}
			row := Row{Table: "5.7", Dataset: s.name, Method: name, Metric: "P@1", Paper: paper(s.paper[name][0])}
			if !ok || test == nil {
				row.Note = noData
				emit(row)
				continue
			}
			if name != "GIMC-LFF" {
				e := extremes[slices.IndexFunc(extremes, func(e extreme) bool { return e.name == name })]
				l, note, err := set63{}.choose(ctx, env, e, train)
				if err != nil {
					return err
				}
				begin := time.Now()
				model, err := e.fit(ctx, train, l, env.Quick, env.repeat(0))
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				row.Note = note
				emitPrecision(row, s.paper[name], []ranked{{model.Top(nil, test.X, 5), time.Since(begin).Seconds()}}, test.Tags, emit)
				continue
			}
			grid := gimcGrid{lambdas: []float64{1, 3}, gammas: []float64{*gamma}, rarities: []float64{0, .5}, folds: 5}
			if env.Quick {
				grid.lambdas, grid.rarities, grid.folds = grid.lambdas[:1], grid.rarities[1:], 1
			}
			if *folds > 0 {
				grid.folds = *folds
			}
			if *lambda > 0 {
				grid.lambdas = []float64{*lambda}
			}
			if *rarity >= 0 {
				grid.rarities = []float64{*rarity}
			}
			best, err := chooseGIMC(ctx, multilabel.GIMC{M: *m, Steps: *steps, Run: env.repeat(0)}, grid, train)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			repeats := env.repeats(3, 1)
			var fits []ranked
			for i := range repeats {
				model, tx, err := best.fit(ctx, env.repeat(i), train, test)
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				fits = append(fits, ranked{model.Top(nil, tx, 5), model.Stats().Seconds})
			}
			row.Note = notes(fmt.Sprintf("m %d, %s", *m, best), counted(repeats, "repeat"))
			emitPrecision(row, s.paper[name], fits, test.Tags, emit)
		}
	}
	return nil
}

// ranked are the first labels of all test rows by one fit, and its seconds.
type ranked struct {
	top     [][]gram.Scored
	seconds float64
}

// emitPrecision emits rows for P@1, P@3 and P@5, means over the fits.
func emitPrecision(row Row, papers [3]float64, fits []ranked, tags *sparse.CSR, emit func(Row)) {
	var got [3]sample
	for _, f := range fits {
		for i, p := range metric.PrecisionAt([]int{1, 3, 5}, f.top, tags) {
			got[i].add(p, f.seconds, 0)
		}
	}
	for i := range got {
		row.Metric, row.Paper = fmt.Sprintf("P@%d", 2*i+1), paper(papers[i])
		emit(got[i].into(row))
		row.Note = ""
	}
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
	c             multilabel.GIMC
	gamma, rarity float64
	score         float64
	folds         int
}

// String is the remark about the settings.
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
	return notes(fmt.Sprintf("λ %g", b.c.Lambda), steps, rarity, fmt.Sprintf("%.4g on %s", b.score, held))
}

// patience is the number of steps without a better score after which a fit on
// four fifths ends.
const patience = 4

// chooseGIMC returns the settings for which the mean of P@1, P@3 and P@5 on held-out
// rows is best, with the best number of steps.
func chooseGIMC(ctx context.Context, c multilabel.GIMC, grid gimcGrid, train *dataset.Set) (gimcChoice, error) {
	best := gimcChoice{score: math.Inf(-1), folds: grid.folds}
	for _, rarity := range grid.rarities {
		x := lengthOne(train.X, train.X, rarity)
		for _, gamma := range grid.gammas {
			for _, l := range grid.lambdas {
				c := c
				c.Lambda, c.Gamma = l, gamma*kernel.MeanGamma(x)
				scores, err := heldOutGIMC(ctx, c, grid.folds, x, train.Tags)
				if err != nil {
					return best, err
				}
				for step, v := range scores {
					if v > best.score {
						best.c, best.gamma, best.rarity, best.score = c, gamma, rarity, v
						best.c.Steps = step
					}
				}
			}
		}
	}
	best.c.Fixed = best.c.Steps == 0
	return best, nil
}

// heldOutGIMC returns the mean of P@1, P@3 and P@5 of held-out fifths before the first
// step and after every one, the mean over the first folds of five. A fifth whose fit
// has ended counts with its last value.
func heldOutGIMC(ctx context.Context, c multilabel.GIMC, folds int, x mat.Matrix, tags *sparse.CSR) ([]float64, error) {
	n, _ := x.Dims()
	perm := dataset.Permutation(n, c.Seed)
	curves := make([][]float64, folds)
	length := 0
	for f := range curves {
		lo, hi := f*n/5, (f+1)*n/5
		held, rest := perm[lo:hi], slices.Concat(perm[:lo], perm[hi:])
		other, otherTags := dataset.SelectRows(x, held), tags.Select(held)
		inner, stop := context.WithCancel(ctx)
		high := 0
		err := c.Path(inner, dataset.SelectRows(x, rest), tags.Select(rest), func(m *multilabel.GIMCModel) {
			p := metric.PrecisionAt([]int{1, 3, 5}, m.Top(nil, other, 5), otherTags)
			curves[f] = append(curves[f], (p[0]+p[1]+p[2])/3)
			step := len(curves[f]) - 1
			if curves[f][step] > curves[f][high] {
				high = step
			}
			if step >= high+patience {
				stop()
			}
		})
		stop()
		if err != nil && (ctx.Err() != nil || !errors.Is(err, context.Canceled)) {
			return nil, err
		}
		length = max(length, len(curves[f]))
	}
	mean := make([]float64, length)
	for step := range mean {
		for _, c := range curves {
			mean[step] += c[min(step, len(c)-1)] / float64(folds)
		}
	}
	return mean, nil
}

// fit fits with the settings to all rows of train, and returns the rows of test as
// the model wants them.
func (b gimcChoice) fit(ctx context.Context, run gram.Run, train, test *dataset.Set) (*multilabel.GIMCModel, mat.Matrix, error) {
	b.c.Run = run
	m, err := b.c.Fit(ctx, lengthOne(train.X, train.X, b.rarity), train.Tags)
	return m, lengthOne(test.X, train.X, b.rarity), err
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
