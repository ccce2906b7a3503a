package tables

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/imc"
	"github.com/gramworks/gram/algos/kmeans"
	"github.com/gramworks/gram/algos/ssc"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/metric"
	"gonum.org/v1/gonum/mat"
)

// Table 5.8 of [Si 2016]: error (1 − Rand index) of semi-supervised clustering with
// |Ω| = 1, 5, 10, 15, 20 times n pairs, m = 500 frequencies, λ of .1, .5, 1, 5, 10 by
// the pairs themselves. Segment and covtype are in [0,1]; covtype-sub are 1711 rows of
// the first 20 000, as many of each class. The rows have a constant column besides,
// without which linear maps cannot say that two rows have nothing in common.
var table58 = Table{
	ID:    "5.8",
	Title: "Error of semi-supervised clustering by the number of pairs",
	Run:   runTable58,
}

var pairCounts = []int{1, 5, 10, 15, 20}

// clusterSet is a data set of the table; results are in the order of pairCounts, for
// k-means, MCCC, IMC-RFF, GIMC-LFF.
type clusterSet struct {
	name    string
	load    func(e Env) (d *dataset.Set, ok bool, err error)
	results [5][4]float64
}

var clusterSets = []clusterSet{
	{"mushrooms", clusterData("mushrooms", false), [5][4]float64{
		{.1897, .0007, .0034, .0002}, {.1897, .0010, .0005, 0}, {.1897, .0007, 0, 0}, {.1897, .0007, .0002, 0}, {.1897, .0007, .0002, 0}}},
	{"segment", clusterData("segment", true), [5][4]float64{
		{.1433, .0891, .0683, .0724}, {.1347, .0800, .0580, .0570}, {.1363, .0809, .0650, .0446}, {.1362, .0872, .0678, .0402}, {.1330, .0837, .0564, .0380}}},
	{"covtype-sub", func(e Env) (*dataset.Set, bool, error) {
		d, ok, err := clusterData("covtype-first20k", true)(e)
		if !ok {
			return nil, false, err
		}
		return balanced(d, 1711, e.Seed), true, nil
	}, [5][4]float64{
		{.2523, .2498, .1840, .1898}, {.2112, .1772, .1930, .1592}, {.2068, .1708, .1722, .1388}, {.2203, .1677, .1687, .1262}, {.2124, .1607, .1561, .1078}}},
}

// clusterData loads a set with classes, in [0,1] if scale.
func clusterData(name string, scale bool) func(Env) (*dataset.Set, bool, error) {
	return func(e Env) (*dataset.Set, bool, error) {
		d, _, ok, err := e.load(name, dataset.Options{Storage: dataset.Dense, Task: dataset.Classes})
		if !ok || !scale {
			return d, ok, err
		}
		s, err := dataset.MinMax(d.X, 0, 1)
		if err != nil {
			return nil, false, err
		}
		d.X = s.Apply(d.X)
		return d, true, nil
	}
}

// balanced is n rows at random, as many of each class, to within one.
func balanced(d *dataset.Set, n int, seed uint64) *dataset.Set {
	k := len(d.Labels.Names)
	left := make([]int, k)
	for c := range left {
		left[c] = n / k
		if c < n%k {
			left[c]++
		}
	}
	all, _ := d.Dims()
	var index []int
	for _, i := range rng.New(rng.Derive(seed, "balanced"), 0).Perm(all) {
		if c := d.Labels.Class[i]; left[c] > 0 {
			left[c]--
			index = append(index, i)
		}
	}
	slices.Sort(index)
	return d.Select(index)
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
	kind  imc.Kind
	learn bool
}

// clusterings are the columns of the table.
var clusterings = []clusterMethod{{name: "k-means"}, {name: "MCCC"}, {"IMC-RFF", imc.Fourier, false}, {"GIMC-LFF", imc.Fourier, true}}

func runTable58(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	only := f.String("only", "", "one data set; empty: all")
	method := f.String("method", "", "one method; empty: all")
	m := f.Int("m", 0, "frequencies; 0: 500, with --quick 50")
	gamma := f.Float64("gamma", 0, "γ of the frequencies; 0: one over the mean squared distance")
	steps := f.Int("steps", 0, "steps of learning; 0: the default")
	rounds := f.Int("rounds", 0, "alternations before anything is learned; 0: the default, with --quick 10")
	products := f.Int("products", 0, "products of conjugate gradients; 0: the default, with --quick 10")
	lambda := f.String("lambda", "", "values of λ, with commas; empty: those of the paper, with --quick .1 and 1")
	pairs := f.Int("pairs", 0, "pairs as a multiple of n, one of 1, 5, 10, 15, 20; 0: all of them, with --quick 5 and 20")
	if err := env.parse(f); err != nil {
		return err
	}
	if *pairs != 0 && !slices.Contains(pairCounts, *pairs) {
		return &gram.ConfigError{Field: "--set pairs", Value: *pairs, Want: "0 or one of 1, 5, 10, 15, 20"}
	}
	if !slices.ContainsFunc(clusterSets, func(s clusterSet) bool { return *only == "" || s.name == *only }) {
		return &gram.ConfigError{Field: "--set only", Value: *only, Want: "a data set of the table"}
	}
	if *method != "" && !slices.ContainsFunc(clusterings, func(c clusterMethod) bool { return c.name == *method }) {
		return &gram.ConfigError{Field: "--set method", Value: *method, Want: "a method of the table"}
	}
	repeats, counts := env.repeats(5, 2), pairCounts
	c := ssc.Config{Steps: *steps, Rounds: *rounds, Products: *products}
	if env.Quick {
		counts = []int{5, 20}
		c.Lambda, c.Rounds, c.Products = []float64{.1, 1}, cmp.Or(*rounds, 10), cmp.Or(*products, 10)
	}
	if *lambda != "" {
		c.Lambda = nil
		for v := range strings.SplitSeq(*lambda, ",") {
			l, err := strconv.ParseFloat(v, 64)
			if err != nil {
				return &gram.ConfigError{Field: "--set lambda", Value: *lambda, Want: "numbers with commas between them"}
			}
			c.Lambda = append(c.Lambda, l)
		}
	}
	if *pairs != 0 {
		counts = []int{*pairs}
	}
	if *m == 0 {
		*m = 500
		if env.Quick {
			*m = 50
		}
	}
	for _, s := range clusterSets {
		if *only != "" && s.name != *only {
			continue
		}
		d, ok, err := s.load(env)
		if err != nil {
			return err
		}
		for _, count := range counts {
			for i, by := range clusterings {
				if *method != "" && by.name != *method {
					continue
				}
				row := Row{Table: "5.8", Dataset: s.name, Method: fmt.Sprintf("%s |Ω|=%dn", by.name, count), Metric: "pair_error",
					Paper: value(s.results[slices.Index(pairCounts, count)][i])}
				if !ok {
					row.Note = noData
					emit(row)
					continue
				}
				n, columns := d.Dims()
				k := len(d.Labels.Names)
				side := imc.Side{Map: by.kind, Gamma: *gamma, Learn: by.learn}
				note, bytes := fmt.Sprintf("best of 10 starts, %s", counted(repeats, "repeat")), 8*int64(k)*int64(columns)
				if by.kind == imc.Fourier {
					side.M = *m
				}
				var got sample
				for r := range repeats {
					run := env.repeat(r)
					begin := time.Now()
					var labels []int
					if i == 0 {
						m, err := kmeans.Config{K: k, Starts: 10, Run: run}.Fit(ctx, d.X)
						if err != nil {
							return err
						}
						labels = m.Labels()
					} else {
						known := ssc.Sample(d.Labels.Class, count*n, run.Seed)
						c.K, c.Map, c.Run = k, side, run
						m, err := c.Fit(ctx, withConstant(d.X), known)
						if err != nil {
							return fmt.Errorf("%s: %w", by.name, err)
						}
						labels = m.Labels()
						st := m.Stats()
						note = fmt.Sprintf("%s, λ %g, contradicts %.3g of the pairs", counted(repeats, "repeat"), st.Lambda, slices.Min(st.Contradictions))
						if side.M > 0 {
							note = notes(fmt.Sprintf("m %d", side.M), note)
						}
						if bytes = 16 * int64(columns+1) * int64(k); side.M > 0 {
							bytes = 16 * int64(side.M) * int64(columns+1+2*k)
						}
					}
					got.add(metric.PairError(labels, d.Labels.Class), time.Since(begin).Seconds(), bytes)
				}
				row.Note = note
				emit(got.into(row))
			}
		}
	}
	return nil
}
