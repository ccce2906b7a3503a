package papers

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/cluster/pairwise"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/app/papers/protocol"
	"gonum.org/v1/gonum/mat"
)

var pairCounts = []int{1, 5, 10, 15, 20}

// clusterSet is a data set of the table.
type clusterSet struct {
	name, file string
	scale      bool // to [0,1]
	rows       int  // as many of each class; 0: all
}

// String returns the name of the data set.
func (s clusterSet) String() string { return s.name }

var clusterSets = []clusterSet{{"mushrooms", "mushrooms", false, 0}, {"segment", "segment", true, 0}, {"covtype-sub", "covtype-first20k", true, 1711}}

// load returns the rows; nil if they are not at hand.
func (s clusterSet) load(r *run) *protocol.Whole {
	p := r.pool(s.file, false, denseClasses)
	if p == nil {
		return nil
	}
	w := p.Whole()
	if s.scale {
		w = must(w.Scaled(unitRange))
	}
	if s.rows > 0 {
		w = w.Balanced(s.rows, r.Seed)
	}
	return w
}

// withConstant returns [X 1], a copy of x with a column of ones behind it.
func withConstant(x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	out := mat.NewDense(n, d+1, nil)
	out.Slice(0, n, 0, d).(*mat.Dense).Copy(x)
	for i := range n {
		out.Set(i, d, 1)
	}
	return out
}

type clusterMethod struct {
	name  string
	kind  completion.Kind
	learn bool
}

// clusterings are the methods of Table 5.8, in the order of its columns.
var clusterings = []clusterMethod{{name: "k-means"}, {name: "MCCC"}, {"IMC-RFF", completion.Fourier, false}, {"GIMC-LFF", completion.Fourier, true}}

// Table 5.8 of [S16]: error (1 − Rand index) of semi-supervised clustering with
// |Ω| = 1, 5, 10, 15, 20 times n pairs, m = 500 frequencies, λ of .1, .5, 1, 5, 10 by
// the pairs themselves. Segment and covtype are in [0,1]; covtype-sub are 1711 rows of
// the first 20 000, as many of each class. The rows have a constant column besides,
// without which linear maps cannot say that two rows have nothing in common.
func table58(r *run) {
	method := r.text("method", "one method; empty: all", "k-means", "MCCC", "IMC-RFF", "GIMC-LFF")
	m := r.int("m", cut(r, "m", 500, 50), 1, "frequencies")
	gamma := r.float("gamma", 0, 0, "γ of the frequencies; 0: one over the mean squared distance")
	c := pairwise.Config{
		Steps:    r.int("steps", 0, 0, "steps of learning; 0: the default"),
		Rounds:   r.int("rounds", cut(r, "alternations", 0, 10), 0, "alternations before anything is learned; 0: the default"),
		Products: r.int("products", cut(r, "products of conjugate gradients", 0, 10), 0, "products of conjugate gradients; 0: the default"),
		Lambda:   cut(r, "λ", nil, []float64{.1, 1}),
	}
	counts := cut(r, "pairs", pairCounts, []int{5, 20})
	if text := r.text("lambda", "values of λ, with commas; empty: those of the paper"); text != "" {
		c.Lambda = nil
		for v := range strings.SplitSeq(text, ",") {
			l, err := strconv.ParseFloat(v, 64)
			if err != nil {
				r.wrong("lambda", text, "numbers with commas between them")
			}
			c.Lambda = append(c.Lambda, l)
		}
	}
	if pairs := r.int("pairs", 0, 0, "pairs as a multiple of n, one of 1, 5, 10, 15, 20; 0: all of them"); pairs != 0 {
		if !slices.Contains(pairCounts, pairs) {
			r.wrong("pairs", pairs, "0 or one of 1, 5, 10, 15, 20")
		}
		counts = []int{pairs}
	}
	repeats := r.repeats(5, 2)
	eachSet(r, clusterSets, func(s clusterSet) {
		w := s.load(r)
		for _, count := range counts {
			for i, by := range clusterings {
				if method != "" && by.name != method {
					continue
				}
				c, side := c, completion.Side{Map: by.kind, Gamma: gamma, Learn: by.learn}
				if by.kind == completion.Fourier {
					side.M = m
				}
				row := Row{Dataset: s.name, Method: fmt.Sprintf("%s |Ω|=%dn", by.name, count), Metric: "pair_error"}
				r.measure([]Row{row}, repeats, func(t *trial) {
					n, columns := w.X().Dims()
					k := len(w.Classes())
					if i == 0 {
						fit := must(kmeans.Config{K: k, Starts: 10, Run: t.Run}.Fit(r.ctx, w.X()))
						t.note("best of 10 starts by its own objective")
						t.add(t.seconds(), 8*int64(k)*int64(columns), must(w.PairError(fit.Labels())))
						return
					}
					c.K, c.Map, c.Run = k, side, t.Run
					fit := must(c.Fit(r.ctx, withConstant(w.X()), w.Pairs(count*n, t.Seed)))
					seconds, bytes, features := t.seconds(), 16*int64(columns+1)*int64(k), ""
					if side.M > 0 {
						features, bytes = fmt.Sprintf("m %d", side.M), 16*int64(side.M)*int64(columns+1+2*k)
					}
					st := fit.Stats()
					t.note(features, fmt.Sprintf("λ %g, contradicts %.3g of the pairs", st.Lambda, slices.Min(st.Contradictions)))
					t.add(seconds, bytes, must(w.PairError(fit.Labels())))
				})
			}
		}
	})
}

// completing is a method of Figure 5.4, with the settings to choose from.
type completing struct {
	name       string
	against    string // the method it is compared with
	side       completion.Side
	noSideInfo bool      // no side information
	lambda     []float64 // candidates
	gamma      float64   // times one over the mean squared distance
}

var completions = []completing{
	{name: "MC", noSideInfo: true, lambda: []float64{3, 10, 30, 100}},
	{name: "IMC", against: "MC", lambda: []float64{300, 1000, 3000, 10000}},
	{name: "IMC-RFF", against: "IMC", side: completion.Side{Map: completion.Fourier, M: 100}, lambda: []float64{.01, .1}, gamma: .001},
	{name: "GIMC-LFF", against: "IMC-RFF", side: completion.Side{Map: completion.Fourier, M: 100, Learn: true}, lambda: []float64{.01, .1}, gamma: .001},
}

// String returns the name of the method.
func (m completing) String() string { return m.name }

// Figure 5.4 of [S16]: relative error ‖Â−A‖/‖A‖ of completions of A = XYᵀ+N,
// 200×200 with X and Y of 50 standard normal columns and noise of variance .1,
// against the observed part; rank 20, so that no method can be below about .557.
// The paper draws curves and prints no figures. λ, γ and the number of rounds and
// steps are those with the smallest loss on a tenth of the observed entries. All
// methods see the same matrices, so that the notes compare them in pairs.
func fig54(r *run) {
	parts, repeats := cut(r, "observed, %", []int{5, 10, 20, 30}, []int{5}), r.repeats(10, 1)
	figures := map[string]*protocol.Figure{}
	eachSet(r, completions, func(m completing) {
		for _, part := range parts {
			chosen := map[string]int{}
			row := Row{Dataset: "toy", Method: fmt.Sprintf("%s, %d %%", m.name, part), Metric: "rel_error", Series: m.name, X: float64(part)}
			rows, got := r.collect([]Row{row}, repeats, func(t *trial) {
				e := protocol.Products(200, 50, part, .1, t.Seed)
				var x, y mat.Matrix = e.X, e.Y
				if m.noSideInfo {
					x, y = nil, nil
				}
				best := m.fit(r.ctx, e, x, y, r.Quick, t.Run)
				chosen[best.settings]++
				t.add(best.Stats().Seconds, 0, must(e.RelativeError(best.Predict(nil, x, y))))
			})
			often := ""
			for settings, count := range chosen {
				if count > chosen[often] || count == chosen[often] && settings < often {
					often = settings
				}
			}
			at := func(name string) string { return fmt.Sprint(name, part) }
			figures[at(m.name)] = got[0]
			rows[0].Note = "most often " + often
			if other := figures[at(m.against)]; other != nil {
				rows[0] = rows[0].Against(m.against, other)
			}
			r.emit(rows[0])
		}
	})
}

// completed is the model of the chosen settings, and these settings as a note says them.
type completed struct {
	*completion.Model
	settings string
}

// fit returns the model of the settings with the smallest held-out loss.
func (m completing) fit(ctx context.Context, e *protocol.Entries, x, y mat.Matrix, quick bool, run gram.Run) completed {
	c := completion.Config{Rows: m.side, Columns: m.side, Rank: 20, Rounds: 40, Steps: 30, Products: 30, Tol: gram.Set(1e-3), Validation: .1, Run: run}
	lambdas := m.lambda
	if quick {
		lambdas = lambdas[1:2]
		c.Rounds, c.Steps = 10, 5
	}
	// The mean squared distance of rows of d standard normal numbers is 2d.
	_, d := e.X.Dims()
	c.Rows.Gamma = m.gamma / float64(2*d)
	c.Columns.Gamma = c.Rows.Gamma
	var best crossval.Best[completed]
	for _, l := range lambdas {
		c.Lambda = gram.Set(l)
		settings := fmt.Sprintf("λ %g", l)
		if m.gamma > 0 {
			settings += fmt.Sprintf(", γ %g/mean", m.gamma)
		}
		model := must(c.Fit(ctx, e.Known, x, y))
		for _, loss := range model.Stats().HeldOut {
			best.Offer(completed{model, settings}, loss)
		}
	}
	return best.Value
}
