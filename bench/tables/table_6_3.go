package tables

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/labels/fastxml"
	"github.com/gramworks/gram/algos/labels/gbml"
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/algos/labels/sleec"
	"github.com/gramworks/gram/bench/tables/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/modelfile"
)

// ranker is a model for sets of labels.
type ranker interface {
	gram.Ranker
	modelfile.Model
}

// extreme is a method for sets of labels. first returns the model of the first
// parts, trees or learners, nil if there are not as many; it is nil where a model has
// no parts.
type extreme struct {
	name    string
	lambdas []float64 // to choose from
	fit     func(ctx context.Context, d *dataset.Set, lambda float64, quick bool, run gram.Run) ranker
	first   func(m ranker, parts int) ranker
}

var extremes = []extreme{
	{"LEML", []float64{1, 10, 50}, func(ctx context.Context, d *dataset.Set, lambda float64, quick bool, run gram.Run) ranker {
		return must(leml.Config{Rank: rank63(d), Lambda: lambda, Run: run}.Fit(ctx, d.X, d.Tags))
	}, nil},
	{"FastXML", []float64{0}, func(ctx context.Context, d *dataset.Set, _ float64, quick bool, run gram.Run) ranker {
		c := fastxml.Config{Run: run}
		if quick {
			c.Trees = 10
		}
		return must(c.Fit(ctx, d.X, d.Tags))
	}, firstOf((*fastxml.Model).First, func(m *fastxml.Model) int { return m.Stats().Trees })},
	{"SLEEC", []float64{3, 30, 300}, func(ctx context.Context, d *dataset.Set, lambda float64, quick bool, run gram.Run) ranker {
		c := sleec.Config{Lambda: lambda, Rank: rank63(d), Run: run}
		if quick {
			c.Learners, c.Steps = 1, 5
		}
		return must(c.Fit(ctx, d.X, d.Tags))
	}, firstOf((*sleec.Model).First, func(m *sleec.Model) int { return m.Stats().Learners })},
	boosted(gbml.Config{}),
}

// boosted is GBML with the settings c, a share of .3 of the columns at a node where
// they say none. Its numbers are in single precision, as sizes of models are compared.
func boosted(c gbml.Config) extreme {
	c.Single = true
	c.ColumnSample = cmp.Or(c.ColumnSample, 0.3)
	return extreme{"GBML", []float64{1, 10, 50, 100, 200}, func(ctx context.Context, d *dataset.Set, lambda float64, quick bool, run gram.Run) ranker {
		c := c
		c.Projection, c.Run = leml.Config{Rank: rank63(d), Lambda: lambda}, run
		if quick {
			c.Trees = 10
		}
		return must(c.Fit(ctx, d.X, d.Tags))
	}, firstOf((*gbml.Model).First, func(m *gbml.Model) int { return m.Stats().Trees })}
}

// firstOf is first of models of one kind.
func firstOf[M ranker](first func(m M, parts int) M, parts func(m M) int) func(ranker, int) ranker {
	return func(m ranker, count int) ranker {
		if count > parts(m.(M)) {
			return nil
		}
		return first(m.(M), count)
	}
}

// rank63 is the dimension of projections and embeddings: 100 as for delicious in
// the paper, or as many as there are columns or labels.
func rank63(d *dataset.Set) int {
	_, columns := d.Dims()
	return min(100, columns, d.Tags.D)
}

var sets63 = []labelSet{
	{name: "delicious", file: "delicious"},
	{name: "delicious, other split", file: "delicious", list: "delicious.altsplit.test-rows.txt.gz"},
	{name: "bibtex", file: "bibtex"},
	{name: "mediamill-2500", file: "mediamill-2500", list: "mediamill-2500.test-rows.txt"},
	{name: "generated", fixed: map[string]float64{"LEML": 10, "SLEEC": 30, "GBML": 10}},
}

// tagged is a generated problem as a data set.
func tagged(n, d, k, labels, tags int) *dataset.Set {
	x, y := gen.Tagged(n, d, k, labels, tags, 1)
	return &dataset.Set{Name: "generated", X: x, Tags: y}
}

// quickLambda is the λ with --quick, which searches none.
const quickLambda = 50

// Table 6.3 of [S16]: precision, prediction time and model size of four
// methods for sets of labels. Of its data sets delicious is at hand. bibtex is not
// in it; mediamill-2500, 2 500 rows that somebody chose from the set of the paper,
// cannot be compared with it, so no figure of the paper stands beside it. generated
// is a sparse problem with many labels. Rows of "delicious, other split" belong to
// the split of the Extreme Classification Repository.
//
// LEML, SLEEC and the projection of GBML take the λ of the best P@1 on a fifth of
// the training part; GBML's trees are those of the paper (depth 10, leaves of at
// least 100 rows, λ 5, 20 labels a leaf) with a shrinkage of .2. The time of
// prediction is that of as many training rows as there are test rows, at once, by one
// goroutine, k = 3.
func table63(r *run) {
	method := r.text("method", "one method; empty: all", "LEML", "FastXML", "SLEEC", "GBML")
	n := r.int("n", cut(r, "generated rows", 20_000, 1000), 1, "training rows of the generated set")
	d := r.int("d", cut(r, "generated columns", 20_000, 1000), 1, "columns of the generated set")
	labels := r.int("labels", cut(r, "generated labels", 50_000, 4000), 1, "labels of the generated set")
	penalty := r.float("lambda", 0, 0, "λ of LEML, SLEEC and GBML's projection; 0: chosen")
	c := gbml.Config{
		Trees: r.int("trees", 0, 0, "trees of GBML; 0: 30"), Shrinkage: r.float("shrinkage", 0, 0, "shrinkage of GBML; 0: .2"),
		MinRows: r.int("leaf", 0, 0, "rows of a leaf of GBML at least; 0: 100"), Keep: r.int("keep", 0, 0, "labels of a leaf of GBML; 0: 20"),
		ColumnSample: r.float("columns", 0, 0, "share of the columns that GBML tries at a node; 0: .3"),
	}
	cut(r, "trees and learners", "all", "few")
	repeats := r.repeats(3, 1)
	each(r, sets63, func(s labelSet) {
		part := loaded(r, func() (*protocol.Split, error) {
			if s.file != "" {
				return s.load(r), nil
			}
			held := min(1000, n)
			return protocol.Cut(func() *dataset.Set { return tagged(n+held, d, 30, labels, 10) }, held)
		})
		for _, m := range extremes {
			if method != "" && method != m.name {
				continue
			}
			if m.name == "GBML" {
				m = boosted(c)
			}
			lambda, note := penalty, fmt.Sprintf("λ %g, set", penalty)
			if part != nil && (lambda == 0 || len(m.lambdas) == 1) {
				lambda, note = r.choose63(s, m, part.Train)
			}
			rows := metrics(Row{Dataset: s.name, Method: m.name}, "P@1", "P@3", "prediction s", "µs a row", "MB")
			r.measure(rows[0], repeats, func(t *trial) {
				model := m.fit(r.ctx, part.Train, lambda, r.Quick, t.Run)
				trained, bytes := t.seconds(), modelBytes(model)
				t.note(note, sizes63(model))
				t.add(trained, bytes, must(part.Precision(model, 1, 3))...)
				row := ranking(model, part.Train, part.TestRows())
				for i, v := range []float64{row * float64(part.TestRows()), 1e6 * row, float64(bytes) / 1e6} {
					t.figures[2+i].AddValue(v, trained, bytes)
				}
			}, rows[1:]...)
		}
	})
}

// choose63 returns the λ of a method for a data set.
func (r *run) choose63(s labelSet, m extreme, train *dataset.Set) (lambda float64, note string) {
	if len(m.lambdas) == 1 {
		return m.lambdas[0], ""
	}
	if v, fixed := s.fixed[m.name]; fixed {
		return v, fmt.Sprintf("λ %g, not searched", v)
	}
	if r.Quick {
		return quickLambda, fmt.Sprintf("λ %d, not searched", quickLambda)
	}
	best, p := r.choose(train, r.fifth(train), len(m.lambdas), true, func(i int, part, held *dataset.Set, run gram.Run) float64 {
		model := m.fit(r.ctx, part, m.lambdas[i], true, run)
		return metric.PrecisionAt([]int{1}, model.Top(nil, held.X, 1), held.Tags)[0]
	})
	return m.lambdas[best], fmt.Sprintf("λ %g, P@1 %.4f on a fifth of the training part", m.lambdas[best], p)
}

// ranking returns the seconds for a row: the least of a few predictions of n
// training rows by one goroutine.
func ranking(m gram.Ranker, train *dataset.Set, n int) float64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	all, _ := train.Dims()
	n = min(n, all)
	x := train.Select(dataset.Sample(all, n, 1)).X
	seconds := math.Inf(1)
	var top [][]gram.Scored
	for begin, k := time.Now(), 0; k < 2 || k < 20 && time.Since(begin) < time.Second; k++ {
		start := time.Now()
		top = m.Top(top, x, 3)
		seconds = min(seconds, time.Since(start).Seconds())
	}
	return seconds / float64(n)
}

// modelBytes is the size of a model's file.
func modelBytes(m modelfile.Model) int64 {
	var c counter
	fail(modelfile.Write(&c, m))
	return int64(c)
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
