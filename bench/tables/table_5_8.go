package tables

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/cluster/pairwise"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/bench/tables/protocol"
	"gonum.org/v1/gonum/mat"
)

var pairCounts = []int{1, 5, 10, 15, 20}

// clusterSet is a data set of the table.
type clusterSet struct {
	name, file string
	scale      bool // to [0,1]
	rows       int  // as many of each class; 0: all
}

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

// withConstant is [X 1].
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

// clusterings are the columns of the table.
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
	each(r, clusterSets, func(s clusterSet) {
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
				r.measure(row, repeats, func(t *trial) {
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
