package tables

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kmeans"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Table 3.3 of [Si 2016]: numerical rank of the 5×5 blocks of the Gaussian kernel
// matrix of 4 000 rows of ijcnn1, for a partition by k-means and a random one.
// The rank of A counts singular values above max(n,m)·‖A‖₂·10⁻⁶. The paper does
// not give γ: 0.3 is where the diagonal blocks of k-means have its ranks. It does
// not say how parts are numbered either: here they are sorted by the rank of
// their diagonal block, and means are compared.
var table33 = Table{
	ID:    "3.3",
	Title: "Numerical rank of the blocks of a kernel matrix, by partition",
	Run:   runTable33,
}

var paper33 = map[string]map[string]float64{
	"k-means": {"diagonal": 24.4, "off-diagonal": 10.3},
	"random":  {"diagonal": 96.4, "off-diagonal": 60},
}

func runTable33(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	gamma := f.Float64("gamma", 0.3, "γ of the Gaussian kernel")
	n := f.Int("n", 4000, "rows")
	if err := env.parse(f); err != nil {
		return err
	}
	if *n < 5 {
		return &gram.ConfigError{Field: "--set n", Value: *n, Want: "at least 5"}
	}
	k := kernel.Gaussian{Gamma: *gamma}
	if err := kernel.Check(k); err != nil {
		return err
	}
	all, ok, err := asItIs("ijcnn1")(env)
	if err != nil {
		return err
	}
	const parts = 5
	for _, method := range []string{"k-means", "random"} {
		row := Row{Table: "3.3", Dataset: "ijcnn1", Metric: "rank"}
		if !ok {
			row.Method, row.Note = method, noData
			emit(row)
			continue
		}
		x := env.some(all, *n)
		rowsUsed, _ := x.Dims()
		var label []int
		if method == "random" {
			label = kmeans.Random(rowsUsed, parts, env.Seed)
		} else {
			m, err := kmeans.Config{K: parts, Run: env.Run}.Fit(ctx, x)
			if err != nil {
				return err
			}
			label = m.Labels()
		}
		ranks, err := blockRanks(ctx, k, x, label, parts, env.Workers)
		if err != nil {
			return err
		}
		var diagonal, off float64
		for s := range parts {
			diagonal += float64(ranks[s][s]) / parts
			for t := range s {
				off += float64(ranks[s][t]) / (parts * (parts - 1) / 2)
			}
		}
		note := fmt.Sprintf("γ %g, %d rows", *gamma, rowsUsed)
		for _, v := range []struct {
			name string
			got  float64
		}{{"diagonal", diagonal}, {"off-diagonal", off}} {
			row.Method, row.Paper, row.Got, row.Note = method+", mean of "+v.name, paper(paper33[method][v.name]), value(v.got), note
			emit(row)
		}
		for s := range parts {
			for t := range s + 1 {
				row.Method, row.Paper, row.Got = fmt.Sprintf("%s, block %d, %d", method, t+1, s+1), nil, value(float64(ranks[s][t]))
				emit(row)
			}
		}
	}
	return nil
}

// blockRanks returns the lower triangle of the ranks, with the parts sorted by
// the rank of their diagonal block.
func blockRanks(ctx context.Context, k kernel.Kernel, x *mat.Dense, label []int, parts, workers int) ([][]int, error) {
	own := make([]*mat.Dense, parts)
	for s := range parts {
		own[s] = pickRows(x, label, s)
	}
	rank := func(s, t int) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return numericalRank(crossMatrix(k, own[s], own[t], workers), 1e-6)
	}
	order, diagonal := make([]int, parts), make([]int, parts)
	for s := range parts {
		var err error
		if diagonal[s], err = rank(s, s); err != nil {
			return nil, err
		}
		order[s] = s
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(diagonal[a], diagonal[b]) })
	out := make([][]int, parts)
	for s, a := range order {
		for _, b := range order[:s] {
			r, err := rank(a, b)
			if err != nil {
				return nil, err
			}
			out[s] = append(out[s], r)
		}
		out[s] = append(out[s], diagonal[a])
	}
	return out, nil
}
