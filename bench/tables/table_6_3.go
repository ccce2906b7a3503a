package tables

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/fastxml"
	"github.com/gramworks/gram/algos/gbml"
	"github.com/gramworks/gram/algos/multilabel"
	"github.com/gramworks/gram/algos/sleec"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/modelfile"
)

// Table 6.3 of [Si 2016]: precision, prediction time and model size of four
// methods for sets of labels. Of its data sets delicious is at hand. bibtex is not
// in it; mediamill-2500, 2 500 rows that somebody chose from the set of the paper,
// cannot be compared with it, so no figure of the paper stands beside it. generated
// is a sparse problem with many labels. Rows of "delicious, other split" belong to
// the split of the Extreme Classification Repository.
//
// LEML, SLEEC and the projection of GBML take the λ of the best P@1 on a fifth of
// the training part; GBML's trees are those of the paper (depth 10, leaves of at
// least 100 rows, λ 5, 20 labels a leaf) with a shrinkage of .2. Prediction is that
// of all test rows at once by one goroutine, k = 3.
var table63 = Table{
	ID:    "6.3",
	Title: "Precision, prediction time and model size for sets of labels",
	Run:   runTable63,
}

// ranker is a model for sets of labels.
type ranker interface {
	gram.Ranker
	modelfile.Model
}

// extreme is a method for sets of labels. first returns the model of the first
// parts, trees or learners; it is nil where there are none.
type extreme struct {
	name    string
	lambdas []float64 // to choose from
	fit     func(ctx context.Context, d *dataset.Set, lambda float64, quick bool, run gram.Run) (ranker, error)
	first   func(m ranker, parts int) ranker
}

var extremes = []extreme{
	{"LEML", []float64{1, 10, 50}, func(ctx context.Context, d *dataset.Set, lambda float64, quick bool, run gram.Run) (ranker, error) {
		return multilabel.LEML{Rank: rank63(d), Lambda: lambda, Run: run}.Fit(ctx, d.X, d.Tags)
	}, nil},
	{"FastXML", []float64{0}, func(ctx context.Context, d *dataset.Set, _ float64, quick bool, run gram.Run) (ranker, error) {
		c := fastxml.Config{Run: run}
		if quick {
			c.Trees = 10
		}
		return c.Fit(ctx, d.X, d.Tags)
	}, func(m ranker, parts int) ranker {
		if f := m.(*fastxml.Model); parts <= f.Stats().Trees {
			return f.First(parts)
		}
		return nil
	}},
	{"SLEEC", []float64{3, 30, 300}, func(ctx context.Context, d *dataset.Set, lambda float64, quick bool, run gram.Run) (ranker, error) {
		c := sleec.Config{Lambda: lambda, Rank: rank63(d), Run: run}
		if quick {
			c.Learners, c.Steps = 1, 5
		}
		return c.Fit(ctx, d.X, d.Tags)
	}, func(m ranker, parts int) ranker {
		if f := m.(*sleec.Model); parts <= f.Stats().Learners {
			return f.First(parts)
		}
		return nil
	}},
	boosted(gbml.Config{}),
}

// boosted is GBML with the settings c, a share of .3 of the columns at a node where
// they say none.
func boosted(c gbml.Config) extreme {
	c.ColumnSample = cmp.Or(c.ColumnSample, 0.3)
	return extreme{"GBML", []float64{1, 10, 50, 100, 200}, func(ctx context.Context, d *dataset.Set, lambda float64, quick bool, run gram.Run) (ranker, error) {
		c := c
		c.Projection, c.Run = multilabel.LEML{Rank: rank63(d), Lambda: lambda}, run
		if quick {
			c.Trees = 10
		}
		return c.Fit(ctx, d.X, d.Tags)
	}, func(m ranker, parts int) ranker {
		if f := m.(*gbml.Model); parts <= f.Stats().Trees {
			return f.First(parts)
		}
		return nil
	}}
}

// rank63 is the dimension of projections and embeddings: 100 as for delicious in
// the paper, or as many as there are columns or labels.
func rank63(d *dataset.Set) int {
	_, columns := d.Dims()
	return min(100, columns, d.Tags.D)
}

// set63 is a data set with the paper's figures: P@1, P@3 (of 1), seconds of
// prediction and MB.
type set63 struct {
	name  string
	load  func(Env) (train, test *dataset.Set, ok bool, err error) // nil: generated
	paper map[string][4]float64
	fixed map[string]float64 // λ where it is not searched
}

var sets63 = []set63{
	{"delicious", func(e Env) (*dataset.Set, *dataset.Set, bool, error) { return e.load("delicious", dataset.Options{}) },
		map[string][4]float64{
			"LEML": {.6323, .5851, .16, 1.18}, "FastXML": {.7014, .6451, .24, 39.66}, "SLEEC": {.6678, .6032, 1.52, 4.19}, "GBML": {.6929, .6362, .13, 4.76},
		}, nil},
	{"delicious, other split", func(e Env) (*dataset.Set, *dataset.Set, bool, error) {
		return e.loadSplit("delicious", "delicious.altsplit.test-rows.txt.gz")
	}, map[string][4]float64{
		"LEML": {.6323, .5851, .16, 1.18}, "FastXML": {.7014, .6451, .24, 39.66}, "SLEEC": {.6678, .6032, 1.52, 4.19}, "GBML": {.6929, .6362, .13, 4.76},
	}, nil},
	{"bibtex", func(e Env) (*dataset.Set, *dataset.Set, bool, error) { return e.load("bibtex", dataset.Options{}) }, nil, nil},
	{"mediamill-2500", func(e Env) (*dataset.Set, *dataset.Set, bool, error) {
		return e.loadSplit("mediamill-2500", "mediamill-2500.test-rows.txt")
	}, nil, nil},
	{"generated", nil, nil, map[string]float64{"LEML": 10, "SLEEC": 30, "GBML": 10}},
}

// tagged is a generated problem as a data set.
func tagged(n, d, k, labels, tags int) *dataset.Set {
	x, y := gen.Tagged(n, d, k, labels, tags, 1)
	return &dataset.Set{Name: "generated", X: x, Tags: y}
}

// quickLambda is the λ with --quick, which searches none.
const quickLambda = 50

func runTable63(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	only := f.String("only", "", "one data set; empty: all")
	method := f.String("method", "", "one method; empty: all")
	n := f.Int("n", 20_000, "training rows of the generated set")
	d := f.Int("d", 20_000, "columns of the generated set")
	labels := f.Int("labels", 50_000, "labels of the generated set")
	lambda := f.Float64("lambda", 0, "λ of LEML, SLEEC and GBML's projection; 0: chosen")
	var c gbml.Config
	f.IntVar(&c.Trees, "trees", 0, "trees of GBML; 0: 30")
	f.Float64Var(&c.Shrinkage, "shrinkage", 0, "shrinkage of GBML; 0: .2")
	f.IntVar(&c.MinRows, "leaf", 0, "rows of a leaf of GBML at least; 0: 100")
	f.IntVar(&c.Keep, "keep", 0, "labels of a leaf of GBML; 0: 20")
	f.Float64Var(&c.ColumnSample, "columns", 0, "share of the columns that GBML tries at a node; 0: .3")
	if err := env.parse(f); err != nil {
		return err
	}
	if env.Quick {
		*n, *d, *labels = min(*n, 1000), min(*d, 1000), min(*labels, 4000)
	}
	for _, s := range sets63 {
		if *only != "" && *only != s.name {
			continue
		}
		var train, test *dataset.Set
		ok := true
		if s.load == nil {
			held := min(1000, *n)
			whole, index := tagged(*n+held, *d, 30, *labels, 10), firstRows(*n+held)
			train, test = whole.Select(index[:*n]), whole.Select(index[*n:])
		} else {
			var err error
			if train, test, ok, err = s.load(env); err != nil {
				return err
			}
		}
		for _, m := range extremes {
			if *method != "" && *method != m.name {
				continue
			}
			figures := s.paper[m.name]
			row := Row{Table: "6.3", Dataset: s.name, Method: m.name}
			if !ok {
				row.Metric, row.Paper, row.Note = "P@1", paper(figures[0]), noData
				emit(row)
				continue
			}
			if m.name == "GBML" {
				m = boosted(c)
			}
			penalty, note := *lambda, fmt.Sprintf("λ %g, set", *lambda)
			if penalty == 0 || len(m.lambdas) == 1 {
				var err error
				if penalty, note, err = s.choose(ctx, env, m, train); err != nil {
					return err
				}
			}
			begin := time.Now()
			model, err := m.fit(ctx, train, penalty, env.Quick, env.repeat(0))
			if err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
			trained := time.Since(begin).Seconds()
			p, seconds := rank(model, test)
			row.Seconds, row.Note = trained, notes(note, sizes63(model))
			if row.Bytes, err = modelBytes(model); err != nil {
				return err
			}
			rows, _ := test.Dims()
			for _, v := range []struct {
				metric     string
				paper, got float64
			}{
				{"P@1", figures[0], p[0]}, {"P@3", figures[1], p[1]}, {"prediction s", figures[2], seconds}, {"µs a row", 0, 1e6 * seconds / float64(rows)}, {"MB", figures[3], float64(row.Bytes) / 1e6},
			} {
				row.Metric, row.Paper, row.Got = v.metric, paper(v.paper), value(v.got)
				emit(row)
				row.Note = ""
			}
		}
	}
	return nil
}

// choose returns the λ of a method for a data set.
func (s set63) choose(ctx context.Context, env Env, m extreme, train *dataset.Set) (lambda float64, note string, err error) {
	if len(m.lambdas) == 1 {
		return m.lambdas[0], "", nil
	}
	if v, fixed := s.fixed[m.name]; fixed {
		return v, fmt.Sprintf("λ %g, not searched", v), nil
	}
	if env.Quick {
		return quickLambda, fmt.Sprintf("λ %d, not searched", quickLambda), nil
	}
	part, held := train.Split(.2, env.Seed)
	best := math.Inf(-1)
	for _, v := range m.lambdas {
		model, err := m.fit(ctx, part, v, true, env.repeat(0))
		if err != nil {
			return 0, "", err
		}
		if p := metric.PrecisionAt([]int{1}, model.Top(nil, held.X, 1), held.Tags)[0]; p > best {
			best, lambda = p, v
		}
	}
	return lambda, fmt.Sprintf("λ %g, P@1 %.4f on a fifth of the training part", lambda, best), nil
}

// rank returns P@1 and P@3 on a test part and the least seconds of a few
// predictions of all of it by one goroutine.
func rank(m ranker, test *dataset.Set) (p []float64, seconds float64) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	seconds = math.Inf(1)
	var top [][]gram.Scored
	for begin, k := time.Now(), 0; k < 2 || k < 20 && time.Since(begin) < time.Second; k++ {
		start := time.Now()
		top = m.Top(top, test.X, 3)
		seconds = min(seconds, time.Since(start).Seconds())
	}
	return metric.PrecisionAt([]int{1, 3}, top, test.Tags), seconds
}

// modelBytes is the size of a model's file.
func modelBytes(m modelfile.Model) (int64, error) {
	var c counter
	err := modelfile.Write(&c, m)
	return int64(c), err
}

// counter counts what is written.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// sizes63 says how large a model is.
func sizes63(m ranker) string {
	switch m := m.(type) {
	case *fastxml.Model:
		s := m.Stats()
		return fmt.Sprintf("%d trees, %d leaves, %d weights", s.Trees, s.Leaves, s.Weights)
	case *gbml.Model:
		s := m.Stats()
		return fmt.Sprintf("%d trees, %d leaves", s.Trees, s.Leaves)
	case *sleec.Model:
		s := m.Stats()
		return fmt.Sprintf("%d learners, %d clusters", s.Learners, s.Clusters)
	}
	return ""
}
