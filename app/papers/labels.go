package papers

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/labels/fastxml"
	"github.com/gramworks/gram/algos/labels/gbml"
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/algos/labels/sleec"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/dataset"
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
	lengths bool      // rows of length 1 are tried, too
	fit     func(ctx context.Context, d *dataset.Set, lambda float64, quick bool, run gram.Run) ranker
	first   func(m ranker, parts int) ranker
}

var extremes = []extreme{
	{"LEML", []float64{.1, 1, 10, 50}, true, func(ctx context.Context, d *dataset.Set, lambda float64, quick bool, run gram.Run) ranker {
		return must(leml.Config{Rank: rank63(d), Lambda: gram.Set(lambda), Run: run}.Fit(ctx, d.X, d.Tags))
	}, nil},
	separated(fastxml.Config{}),
	{"SLEEC", []float64{3, 30, 300}, true, func(ctx context.Context, d *dataset.Set, lambda float64, quick bool, run gram.Run) ranker {
		c := sleec.Config{Lambda: gram.Set(lambda), Rank: rank63(d), Run: run}
		if quick {
			c.Learners, c.Steps = 1, 5
		}
		return must(c.Fit(ctx, d.X, d.Tags))
	}, firstOf((*sleec.Model).First, func(m *sleec.Model) int { return m.Stats().Learners })},
	boosted(gbml.Config{}),
}

// separated returns the row of FastXML with the settings c.
func separated(c fastxml.Config) extreme {
	return extreme{"FastXML", []float64{0}, false, func(ctx context.Context, d *dataset.Set, _ float64, quick bool, run gram.Run) ranker {
		c := c
		c.Run = run
		if quick {
			c.Trees = 10
		}
		return must(c.Fit(ctx, d.X, d.Tags))
	}, firstOf((*fastxml.Model).First, func(m *fastxml.Model) int { return m.Stats().Trees })}
}

// boosted is GBML with the settings c, a share of .3 of the columns at a node where
// they say none. Its numbers are in single precision, as sizes of models are compared.
func boosted(c gbml.Config) extreme {
	c.Single = true
	c.ColumnSample = cmp.Or(c.ColumnSample, 0.3)
	return extreme{"GBML", []float64{1, 10, 50, 100, 200}, false, func(ctx context.Context, d *dataset.Set, lambda float64, quick bool, run gram.Run) ranker {
		c := c
		c.Projection, c.Run = leml.Config{Rank: rank63(d), Lambda: gram.Set(lambda)}, run
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
	x, y := dataset.Tagged(n, d, k, labels, tags, 1)
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
// the training part, and LEML and SLEEC with it rows as they are or of length 1; ridge
// regression and centroids stand beside them. GBML's trees are those of the paper (depth 10, leaves of at
// least 100 rows, λ 5, 20 labels a leaf) with a shrinkage of .2. The time of
// prediction is that of as many training rows as there are test rows, at once, by one
// goroutine, k = 3.
func table63(r *run) {
	method := r.text("method", "one method; empty: all", "LEML", "FastXML", "SLEEC", "GBML", "ridge", "centroids")
	n := r.int("n", cut(r, "generated rows", 20_000, 1000), 1, "training rows of the generated set")
	d := r.int("d", cut(r, "generated columns", 20_000, 1000), 1, "columns of the generated set")
	labels := r.int("labels", cut(r, "generated labels", 50_000, 4000), 1, "labels of the generated set")
	penalty := r.float("lambda", 0, 0, "λ of LEML, SLEEC and GBML's projection; 0: chosen")
	c := gbml.Config{
		Trees: r.int("trees", 0, 0, "trees of GBML; 0: 30"), Shrinkage: r.float("shrinkage", 0, 0, "shrinkage of GBML; 0: .2"),
		MinRows: r.int("leaf", 0, 0, "rows of a leaf of GBML at least; 0: 100"), Keep: r.int("keep", 0, 0, "labels of a leaf of GBML; 0: 20"),
		ColumnSample: r.float("columns", 0, 0, "share of the columns that GBML tries at a node; 0: .3"),
	}
	rounds := r.int("rounds", 1, 1, "times that FastXML trains the separator of a node at most")
	cut(r, "trees and learners", "all", "few")
	repeats := r.repeats(3, 1)
	eachSet(r, sets63, func(s labelSet) {
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
			switch m.name {
			case "GBML":
				m = boosted(c)
			case "FastXML":
				m = separated(fastxml.Config{Rounds: rounds})
			}
			best := choice63{lambda: penalty, note: fmt.Sprintf("λ %g, set", penalty)}
			if part != nil && (penalty == 0 || len(m.lambdas) == 1) {
				best = r.choose63(s, m, part.Train)
			}
			part := best.of(part)
			rows := metrics(Row{Dataset: s.name, Method: m.name}, "P@1", "P@3", "prediction s", "µs a row", "MB")
			r.measure(rows, repeats, func(t *trial) {
				model := m.fit(r.ctx, part.Train, best.lambda, r.Quick, t.Run)
				trained, size := t.seconds(), modelBytes(model)
				t.note(best.note, sizes63(model))
				t.add(trained, size, must(part.Precision(model, 1, 3))...)
				row := ranking(model, part.Train, part.TestRows())
				for i, v := range []float64{row * float64(part.TestRows()), 1e6 * row, float64(size) / 1e6} {
					t.figures[2+i].AddValue(v, trained, size)
				}
			})
		}
		if s.file != "" {
			r.baselines(method, s.name, part, 1, 3)
		}
	})
}

// choice63 are the λ of a method for a data set and whether its rows get length 1.
type choice63 struct {
	lambda  float64
	lengths bool
	note    string
}

// of returns the split as the method wants it.
func (c choice63) of(s *protocol.Split) *protocol.Split {
	if s == nil || !c.lengths {
		return s
	}
	return must(s.Mapped(dataset.NormalizeRows))
}

// choose63 returns the settings of a method for a data set.
func (r *run) choose63(s labelSet, m extreme, train *dataset.Set) choice63 {
	if len(m.lambdas) == 1 {
		return choice63{lambda: m.lambdas[0]}
	}
	if v, fixed := s.fixed[m.name]; fixed {
		return choice63{lambda: v, note: fmt.Sprintf("λ %g, not searched", v)}
	}
	if r.Quick {
		return choice63{lambda: quickLambda, note: fmt.Sprintf("λ %d, not searched", quickLambda)}
	}
	var all []choice63
	for _, lambda := range m.lambdas {
		all = append(all, choice63{lambda: lambda})
		if m.lengths {
			all = append(all, choice63{lambda: lambda, lengths: true})
		}
	}
	best, p := choose(r, train, r.fifth(train), all, true, func(c choice63, part, validation *dataset.Set, run gram.Run) float64 {
		x := validation.X
		if c.lengths {
			part = &dataset.Set{Name: part.Name, X: dataset.NormalizeRows(part.X), Tags: part.Tags}
			x = dataset.NormalizeRows(x)
		}
		model := m.fit(r.ctx, part, c.lambda, true, run)
		return metric.PrecisionAt([]int{1}, model.Top(nil, x, 1), validation.Tags)[0]
	})
	best.note = notes(fmt.Sprintf("λ %g, P@1 %.4f on a fifth of the training part", best.lambda, p), map[bool]string{true: "rows of length 1"}[best.lengths])
	return best
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
	var file bytes.Buffer
	fail(modelfile.Write(&file, m))
	return int64(file.Len())
}

// sizes63 describes the size of a model for the remarks of Table 6.3, such as trees and leaves.
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

// Table 6.1 of [S16] states the cost of prediction and the model's size of four
// methods. Here they are measured: on generated problems whose number of labels
// grows while the rest stays the same, µs a row of one goroutine and MB, with the
// paper's formula beside them. What should not depend on L does not.
//
// The models are small, one learner and few trees, as only the growth counts.
func table61(r *run) {
	n := r.int("n", cut(r, "rows", 10_000, 1000), 1, "rows")
	d := r.int("d", cut(r, "columns", 5_000, 1000), 1, "columns")
	most := r.int("labels", cut(r, "labels", 64_000, 8000), 16, "labels of the largest problem; the others have a quarter and a sixteenth")
	repeats := r.repeats(3, 1)
	r.check()
	methods := []struct {
		name, time, size string
		fit              func(train *dataset.Set, run gram.Run) ranker
	}{
		{"LEML", "(D̄+L)·d̄", "(D+L)·d̄", func(t *dataset.Set, run gram.Run) ranker {
			return must(leml.Config{Rank: 50, Lambda: gram.Set(10.), Rounds: 2, Run: run}.Fit(r.ctx, t.X, t.Tags))
		}},
		{"FastXML", "D̄·l̄·T + k·T", "2^l̄·D̄·T + k·M·T", func(t *dataset.Set, run gram.Run) ranker {
			return must(fastxml.Config{Trees: 5, Run: run}.Fit(r.ctx, t.X, t.Tags))
		}},
		{"SLEEC", "e·(n·d̄/c + D̄·d̄)", "e·(n·d̄ + c·D·d̄)", func(t *dataset.Set, run gram.Run) ranker {
			return must(sleec.Config{Learners: 1, Rank: 50, Steps: 3, Lambda: gram.Set(10.), Run: run}.Fit(r.ctx, t.X, t.Tags))
		}},
		{"GBML", "D̄·d̄ + l̄·T + k·T", "2^l̄·T + D·d̄ + k·M·T", func(t *dataset.Set, run gram.Run) ranker {
			return must(gbml.Config{Trees: 5, ColumnSample: 0.3, Projection: leml.Config{Rank: 50, Lambda: gram.Set(10.), Rounds: 2}, Run: run}.Fit(r.ctx, t.X, t.Tags))
		}},
	}
	for _, labels := range []int{most / 16, most / 4, most} {
		train := tagged(n, d, 30, labels, 10)
		for _, m := range methods {
			row := Row{Dataset: "generated", Method: fmt.Sprintf("%s, L = %d", m.name, labels), Series: m.name, X: float64(labels)}
			r.measure(metrics(row, "µs a row", "MB"), repeats, func(t *trial) {
				model := m.fit(train, t.Run)
				seconds, size := t.seconds(), modelBytes(model)
				t.addValues(seconds, size, 1e6*ranking(model, train, 2000), float64(size)/1e6)
				t.note("paper: time O("+m.time+"), size "+m.size, sizes63(model))
			})
		}
	}
}

// chosen63 are the λ that Table 6.3 chooses on delicious.
var chosen63 = map[string]float64{"LEML": 1, "SLEEC": 300, "GBML": 100}

// Figure 6.2 of [S16]: P@1 against the time of prediction and against the
// model's size, for growing numbers of trees (FastXML, GBML), of learners (SLEEC)
// and growing rank (LEML). The paper draws curves and prints no figures; of its
// data sets delicious is at hand. The λ are those that Table 6.3 chooses there.
func fig62(r *run) {
	method := r.text("method", "one method; empty: all", "LEML", "FastXML", "SLEEC", "GBML")
	penalty := r.float("lambda", 0, 0, "λ of LEML, SLEEC and GBML's projection; 0: 1, 300 and 100")
	ranks := cut(r, "ranks", []int{10, 20, 50, 100}, []int{10, 20})
	cut(r, "trees and learners", "all", "few")
	repeats := r.repeats(3, 1)
	eachSet(r, []labelSet{sets63[0], sets63[2]}, func(s labelSet) {
		part := s.load(r)
		for _, m := range extremes {
			if method != "" && m.name != method {
				continue
			}
			lambda := penalty
			if lambda == 0 {
				lambda = chosen63[m.name]
			}
			if r.missing {
				r.emit(Row{Dataset: s.name, Method: m.name, Metric: "P@1", Note: noData})
				continue
			}
			r.points62(s.name, m, part, lambda, ranks, repeats)
		}
	})
}

// points62 emits the points of a method's curves.
func (r *run) points62(set string, m extreme, part *protocol.Split, lambda float64, ranks []int, repeats int) {
	models, trained := make([]ranker, repeats), make([]float64, repeats)
	point := func(label string, of func(t *trial) ranker) {
		rows := metrics(Row{Dataset: set, Method: m.name + ", " + label, Series: m.name}, "P@1 by µs a row", "P@1 by MB")
		rows, figures := r.collect(rows, repeats, func(t *trial) {
			model := of(t)
			t.add(trained[t.index], modelBytes(model), must(part.Precision(model, 1, 1))...)
			if t.index == 0 {
				t.rows[0].X = 1e6 * ranking(model, part.Train, part.TestRows())
				t.note(fmt.Sprintf("%.3g µs a row", t.rows[0].X))
			}
		})
		rows[1].X = float64(figures[1].Bytes()) / 1e6
		r.emit(rows[0])
		r.emit(rows[1])
	}
	if m.first == nil { // LEML
		for _, rank := range ranks {
			rank = min(rank, rank63(part.Train))
			point(fmt.Sprintf("rank %d", rank), func(t *trial) ranker {
				model := must(leml.Config{Rank: rank, Lambda: gram.Set(lambda), Run: t.Run}.Fit(r.ctx, part.Train.X, part.Train.Tags))
				trained[t.index] = t.seconds()
				return model
			})
		}
		return
	}
	for i := range models {
		begin := time.Now()
		models[i] = m.fit(r.ctx, part.Train, lambda, r.Quick, r.repeat(i))
		trained[i] = time.Since(begin).Seconds()
	}
	for _, parts := range []int{1, 2, 5, 10, 20, 30, 50} {
		if m.first(models[0], parts) == nil {
			break
		}
		point(fmt.Sprintf("first %d", parts), func(t *trial) ranker { return m.first(models[t.index], parts) })
	}
}

// How GBML grows with rows and labels: generated problems with 75 labels a row,
// five trees on 100 projected columns, as in [S16] for Delicious-200K. The
// paper gives no figures for the growth.
func gbmlGrowth(r *run) {
	most := r.int("n", cut(r, "rows", 200_000, 1600), 16, "rows and labels of the largest problem; the others have a quarter and a sixteenth")
	d := r.int("d", cut(r, "columns", 50_000, 2000), 1, "columns")
	tags := r.int("tags", 75, 1, "labels of a row at most")
	share := r.float("column-sample", 0.3, 0, "share of the columns tried at each node")
	repeats := r.repeats(3, 1)
	r.check()
	for _, n := range []int{most / 16, most / 4, most} {
		train := tagged(n, d, 50, n, tags)
		rows := metrics(Row{Dataset: "generated", Method: fmt.Sprintf("n = L = %d", n), X: float64(n)},
			"training s", "residual entries a row", "memory of the process so far, MB", "prediction µs a row")
		for i := range rows {
			rows[i].Series = rows[i].Metric
		}
		r.measure(rows, repeats, func(t *trial) {
			c := gbml.Config{Trees: 5, Keep: 100, ColumnSample: share, Projection: leml.Config{Lambda: gram.Set(10.), Rounds: 3}, Run: t.Run}
			model := must(c.Fit(r.ctx, train.X, train.Tags))
			seconds, memory := t.seconds(), processBytes()
			s := model.Stats()
			t.addValues(seconds, modelBytes(model), seconds, float64(s.ResidualEntries[s.Trees])/float64(n), float64(memory)/1e6, 1e6*ranking(model, train, 2000))
			t.note(fmt.Sprintf("projection %.3g s, trees %.3g s, %d leaves", s.ProjectSeconds, s.GrowSeconds, s.Leaves),
				fmt.Sprintf("residual entries at first %.3g a row, of 8 bytes", float64(s.ResidualEntries[0])/float64(n)))
		})
	}
}

// processBytes is the memory that the process has had from the system so far.
func processBytes() int64 {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return int64(memory.Sys)
}

var boosters = []struct {
	name      string
	criterion gbdt.Criterion
}{{"GBDT", gbdt.SecondOrder}, {"DLM", gbdt.DirectLoss}}

// Figure 6.1 of [S16]: logistic loss and accuracy against the number of
// trees, for trees split by the second-order gain (GBDT) and by the loss itself
// (DLM). The paper draws curves and prints no figures; its third set is letter,
// for which usps 0–4 against 5–9 stands in. Depth, shrinkage and λ are not
// printed: 5, .1 and 1.
func fig61(r *run) {
	depth := r.int("depth", 5, 1, "splits on the way to a leaf")
	shrinkage := r.float("shrinkage", 0.1, 0, "factor of every tree")
	rounds := r.int("trees", cut(r, "trees", 100, 20), 1, "trees")
	screen := r.int("screen", 16, 1, "splits whose loss is minimized for each leaf")
	at := slices.DeleteFunc([]int{1, 2, 5, 10, 20, 50, 100, 200, 500}, func(t int) bool { return t > rounds })
	eachSet(r, []name{"a9a", "ijcnn1", "usps"}, func(set name) {
		part := r.digits(set.String(), dataset.Options{Task: dataset.Classes})
		for _, m := range boosters {
			row := Row{Dataset: set.String(), Method: m.name, Metric: "objective", Note: noData}
			if part == nil {
				r.emit(row)
				continue
			}
			c := gbdt.Config{Rounds: rounds, Shrinkage: shrinkage, MaxDepth: depth, MaxLeaves: 1 << depth, Screen: screen, Criterion: m.criterion, FromZero: true, Run: r.repeat(0)}
			model := must(c.Fit(r.ctx, part.Train.X, part.Train.Labels, nil))
			s := model.Stats()
			for _, t := range at {
				if t > s.Rounds {
					break
				}
				row.Method, row.Series, row.X = fmt.Sprintf("%s, %d trees", m.name, t), m.name, float64(t)
				row.Note = fmt.Sprintf("mean training loss; depth %d, shrinkage %g; no rows or columns are drawn", depth, shrinkage)
				row.Metric, row.Got = "objective", value(s.Objective[t])
				row.Seconds = (s.BinSeconds + s.GrowSeconds) * float64(t) / float64(s.Rounds)
				r.emit(row)
				accuracy := protocol.NewFigure(1)
				accuracy.Add(must(part.Accuracy(model.First(t))), row.Seconds, 0)
				row.Metric, row.Note = "accuracy", "on the test part"
				r.emit(row.Of(accuracy))
			}
		}
	})
}
