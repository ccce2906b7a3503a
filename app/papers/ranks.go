package papers

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/stat"
)

// contender is a method of the table of ranks.
type contender struct {
	name            string
	classes, values string     // its name in the catalog for classes and for values
	settings        [][]string // that are compared on a fifth of the training rows; nil: the method chooses by itself
}

// gridOf returns the grid of candidates: every kernel with each of three values of λ.
func gridOf(kernels ...string) (grid [][]string) {
	for _, k := range kernels {
		for _, lambda := range []string{"0.001", "0.03", "0.3"} {
			grid = append(grid, []string{"kernel=" + k, "lambda=" + lambda})
		}
	}
	return grid
}

var contenders = []contender{
	{"rfm", "rfm", "rfm", nil},
	{"gbdt", "gbdt", "gbdt", nil},
	{"svm or svr", "svm", "svr", nil},
	{"krr, Gaussian", "krr", "krr", gridOf("gaussian(gamma=0.03*scale)", "gaussian(gamma=0.1*scale)", "gaussian(gamma=0.3*scale)",
		"gaussian(gamma=scale)", "gaussian(gamma=3*scale)")},
	{"krr, Laplace", "krr", "krr", gridOf("matern(nu=0.5,length=1)", "matern(nu=0.5,length=3)", "matern(nu=0.5,length=10)",
		"matern(nu=0.5,length=30)", "matern(nu=0.5,length=100)")},
}

// ranked is a data set of the table of ranks.
type ranked struct {
	name
	options dataset.Options
}

// rankedSets are sets of values and of classes, whose columns are at most 256.
func rankedSets() (out []ranked) {
	for _, s := range []name{"boston", "airfoil", "pol", "kin40k", "elevators", "cadata", "wine-quality"} {
		out = append(out, ranked{s, denseValues})
	}
	for _, s := range []name{"german.numer", "segment", "a9a", "svmguide1", "ijcnn1", "pendigits", "dna", "usps"} {
		out = append(out, ranked{s, denseClasses})
	}
	return out
}

// metric is the measure of the set, and tells whether more is better.
func (s ranked) metric() (string, bool) {
	if s.options.Task == dataset.Classes {
		return "accuracy", true
	}
	return "rmse", false
}

// Ranks of recursive feature machines among the methods that a user would try beside them, each with the settings
// that it chooses from the training rows. All have the same rows: of the rows of the training file a fifth is
// the test part, and of both parts at most so many count. Columns are standardized by the training rows.
func ranks(r *run) {
	limit := r.int("rows", cut(r, "training rows", 2000, 150), 20, "training rows at most")
	test := r.int("test", 3000, 1, "test rows at most")
	repeats := r.repeats(3, 1)
	places := map[string][][]*protocol.Figure{} // of all methods on each set, by kind of target
	eachSet(r, rankedSets(), func(s ranked) {
		p := r.pool(s.String(), false, s.options)
		metric, larger := s.metric()
		rows := make([]Row, len(contenders))
		for i, c := range contenders {
			rows[i] = Row{Dataset: s.String(), Method: c.name, Metric: metric}
		}
		rows, figures := r.collect(rows, repeats, func(t *trial) {
			split := must(p.Random(.2, t.Seed)).Limited(limit, rng.Derive(t.Seed, "limit")).Tested(test, rng.Derive(t.Seed, "test"))
			split = must(split.Scaled(dataset.Standardize))
			for i, c := range contenders {
				named(c.name, func() {
					var m modelfile.Model
					begin, _ := bench.CPUTime()
					m, t.rows[i].Note = c.fit(r, split.Train, t.Run)
					end, _ := bench.CPUTime()
					t.figures[i].Add(must(scoreOf(split, m)), (end - begin).Seconds(), 0)
				})
			}
		})
		if figures != nil {
			mine := must(protocol.Ranks(figures, larger))
			places[metric] = append(places[metric], mine)
			for i, c := range contenders {
				rows = append(rows, Row{Dataset: s.String(), Method: c.name, Metric: "rank"}.Of(mine[i]))
				if i > 0 {
					rows[0] = rows[0].Against(c.name, figures[i])
				}
			}
		}
		for _, row := range rows {
			r.emit(row)
		}
	})
	r.meanRanks("sets of values", places["rmse"])
	r.meanRanks("sets of classes", places["accuracy"])
	r.meanRanks("all sets", append(places["rmse"], places["accuracy"]...))
}

// meanRanks emits the means of the places of each method on some sets.
func (r *run) meanRanks(sets string, places [][]*protocol.Figure) {
	for i, c := range contenders {
		row := Row{Dataset: sets, Method: c.name, Metric: "mean rank", Note: noData}
		if len(places) > 0 {
			var mine []*protocol.Figure
			for _, set := range places {
				mine = append(mine, set[i])
			}
			row = row.Of(must(protocol.MeanOf(mine)))
			row.Note = counted(len(places), "set")
		}
		r.emit(row)
	}
}

// fit fits the method to d with the settings that it chooses, and says which it had.
func (c contender) fit(r *run, d *dataset.Set, how gram.Run) (modelfile.Model, string) {
	if c.settings == nil {
		f := c.fitter(d, how, nil)
		m, _ := fitted(f.Fit(r.ctx, d, how))
		chosen, _ := catalog.Chosen(f)
		return m, notes(chosen...)
	}
	best, _ := choose(r, d, r.fifth(d), c.settings, false, func(set []string, train, validation *dataset.Set, how gram.Run) float64 {
		m, _ := fitted(c.fitter(train, how, set).Fit(r.ctx, train, how))
		return stat.Mean(catalog.Losses(m, validation.X, validation), nil)
	})
	m, _ := fitted(c.fitter(d, how, best).Fit(r.ctx, d, how))
	return m, notes(best...)
}

// fitter returns what fits the method to d with those settings.
func (c contender) fitter(d *dataset.Set, how gram.Run, set []string) catalog.Fitter {
	method := c.values
	if d.Task() == dataset.Classes {
		method = c.classes
	}
	f := must(catalog.Find(method)).New()
	fail(f.Settings().Set(set...))
	fail(f.Settings().Complete(d.X, how.Seed))
	return f
}

// scoreOf scores a model by the accuracy if it predicts classes, else by the root mean squared error.
func scoreOf(s *protocol.Split, m modelfile.Model) (protocol.Score, error) {
	if c, is := m.(gram.Classifier); is {
		return s.Accuracy(c)
	}
	return s.RMSE(m.(gram.Regressor))
}
