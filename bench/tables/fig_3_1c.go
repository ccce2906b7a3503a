package tables

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kmeans"
	"github.com/gramworks/gram/algos/meka"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Figure 3.1c of [Si 2016]: relative error against γ at equal memory, 5 000 rows
// of covtype: low-rank approximations of rank k, the best one of that rank (SVD),
// the block diagonal of n/k clusters (BKA), which has n·k entries if they are of
// equal size, and MEKA of a rank that takes no more than n·k numbers. The paper
// draws curves and prints no figures.
var fig31c = Table{
	ID:    "fig-3.1c",
	Title: "Relative error against γ at equal memory: low rank, block diagonal and both",
	Run:   runFig31c,
	X:     "γ", Y: "relative error", LogX: true, LogY: true,
}

func runFig31c(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	rank := f.Int("k", 100, "rank")
	clusters := f.Int("c", 5, "clusters of MEKA")
	if err := env.parse(f); err != nil {
		return err
	}
	if *rank < 1 || *clusters < 1 {
		return &gram.ConfigError{Field: "--set k and c", Value: min(*rank, *clusters), Want: "at least 1"}
	}
	gammas := []float64{1e-3, 1e-2, 1e-1, 1, 10, 100}
	n := 5000
	if env.Quick {
		gammas, n = []float64{1e-2, 1, 10, 100}, 2000
	}
	repeats := env.repeats(3, 1)
	all, ok, err := covtype20k(env)
	if err != nil {
		return err
	}
	var x *mat.Dense
	if ok {
		x = env.some(all, n)
		n, _ = x.Dims()
		*rank = min(*rank, n/2)
	}
	note := fmt.Sprintf("k %d, %d %s", *rank, n, covtypeNote)
	for _, gamma := range gammas {
		k := kernel.Gaussian{Gamma: gamma}
		row := Row{Table: "fig-3.1c", Dataset: "covtype", Metric: "rel_error", X: gamma}
		methods := []lowRank{baseline("Nys"), baseline("KNys"), memoryEfficient("MEKA", meka.Config{Clusters: *clusters})}
		for _, m := range methods {
			r := *rank
			if m.name == "MEKA" {
				r = mekaRank(n, *clusters, r)
			}
			row.Method, row.Series = fmt.Sprintf("%s γ=%g", m.name, gamma), m.name
			var data mat.Matrix
			if ok {
				data = x
			}
			if err := env.emitError(ctx, emit, row, m, k, data, r, repeats, note); err != nil {
				return err
			}
		}
		for _, m := range []struct {
			name  string
			error func(context.Context, *mat.Dense, *mat.Dense, int, gram.Run) (float64, error)
		}{{"SVD", bestError}, {"BKA", blockDiagonalError}} {
			row.Method, row.Series = fmt.Sprintf("%s γ=%g", m.name, gamma), m.name
			if !ok {
				row.Note = noData
				emit(row)
				continue
			}
			begin := time.Now()
			e, err := m.error(ctx, crossMatrix(k, x, x, env.Workers), x, *rank, env.Run)
			if err != nil {
				return err
			}
			row.Got, row.Seconds, row.Bytes, row.Note = value(e), time.Since(begin).Seconds(), 8*int64(n)*int64(*rank), note
			emit(row)
		}
	}
	return nil
}

// bestError is the error of the best approximation of rank k.
func bestError(ctx context.Context, g, _ *mat.Dense, k int, run gram.Run) (float64, error) {
	values, _, err := eig.TopK(ctx, symmetric{g}, k, eig.Options{Tol: 1e-6, Seed: run.Seed})
	if err != nil {
		return 0, err
	}
	total := mat.Norm(g, 2)
	rest := total * total
	for _, v := range values {
		rest -= v * v
	}
	return math.Sqrt(max(0, rest)) / total, nil
}

// blockDiagonalError is that of BKA with n/k clusters.
func blockDiagonalError(ctx context.Context, g, x *mat.Dense, k int, run gram.Run) (float64, error) {
	n, _ := x.Dims()
	m, err := kmeans.Config{K: max(1, n/k), Balance: 1, Run: run}.Fit(ctx, x)
	if err != nil {
		return 0, err
	}
	return blockError(g, m.Labels()), nil
}

// symmetric is a symmetric matrix as an operator.
type symmetric struct{ *mat.Dense }

func (a symmetric) Dim() int { n, _ := a.Dims(); return n }

func (a symmetric) Apply(dst, x *mat.Dense) { dst.Mul(a.Dense, x) }
