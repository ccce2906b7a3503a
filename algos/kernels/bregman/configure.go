package bregman

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Random returns an n×r start where nothing is known of the kernel: independent
// normal elements of variance 1/r, so that distances are about 2 ([K06] step 1 of
// the algorithms). The columns are independent with probability one.
func Random(n, r int, seed uint64) *mat.Dense {
	g := mat.NewDense(n, r, nil)
	src := rng.New(rng.Derive(seed, "random start"), 0)
	for i := range n {
		for j := range r {
			g.Set(i, j, src.NormFloat64()/math.Sqrt(float64(r)))
		}
	}
	return g
}

// UnitDiagonal is K_ii = 1 for all n rows: with it Fit finds the correlation matrix
// next to K₀ in its divergence, of the rank of K₀. (Higham's nearest correlation
// matrix is the one in the Frobenius norm.) Not every range of rank r < n has one.
func UnitDiagonal(n int) []constraint.Linear {
	cs := make([]constraint.Linear, n)
	for i := range cs {
		cs[i] = constraint.Similarity(i, i, constraint.Equal, 1)
	}
	return cs
}

// DefiniteBoost returns the problem of [TRW05] for constraints tr(KA_c) ≤, ≥, = b_c
// on kernels of trace 1: the start I/√n, and the constraints tr(K(A_c − b_cI)) ≤, ≥,
// = 0, which the trace does not touch, followed by tr K = 1. For VonNeumann, which
// projects on each in O(n²) where [TRW05] decomposes an n×n matrix.
func DefiniteBoost(n int, cs []constraint.Linear) (start *mat.Dense, all []constraint.Linear) {
	start = mat.NewDense(n, n, nil)
	for i := range n {
		start.Set(i, i, 1/math.Sqrt(float64(n)))
	}
	for _, c := range cs {
		c.Identity -= c.Bound
		c.Bound = 0
		all = append(all, c)
	}
	return start, append(all, constraint.Trace(constraint.Equal, 1))
}

// Center returns g with the mean of its rows subtracted: K becomes HKH with
// H = I − 11ᵀ/n. As the range stays, every kernel learned from it is centered.
// (1ᵀK1 = 0 as a constraint has no solution of full rank.)
func Center(g mat.Matrix) *mat.Dense {
	c := mat.DenseCopyOf(g)
	n, r := c.Dims()
	mean := make([]float64, r)
	for i := range n {
		for j, v := range c.RawRowView(i) {
			mean[j] += v / float64(n)
		}
	}
	for i := range n {
		row := c.RawRowView(i)
		for j := range row {
			row[j] -= mean[j]
		}
	}
	return c
}

// Isometry returns the problem of nonlinear dimensionality reduction ([WSS04],
// with a divergence in place of the trace): the start g0, centered, and the
// squared distances of every row of x to its k nearest rows as equalities. The
// hard constraints can usually be kept in a range of high rank only; Config.Slack
// allows for less. 2·n²·d flops.
func Isometry(ctx context.Context, x mat.Matrix, g0 mat.Matrix, k int, run gram.Run) (start *mat.Dense, cs []constraint.Linear, err error) {
	n, d := x.Dims()
	if gn, _ := g0.Dims(); gn != n {
		panic("bregman: as many rows of x as of the start are needed")
	}
	if k < 1 || k >= n {
		return nil, nil, settings.Refuse("k", k, "neighbors from 1 to %d", n-1)
	}
	all := gram.Of(x)
	near := make([][]int, n)
	square := make([]float64, n)
	for i := range n {
		square[i] = rows.SumSquares(all, i)
	}
	vectors := rows.NewVectors(all)
	distance := func(row []float64, i, j int) float64 { return max(0, square[i]+square[j]-2*vectors.Dot(j, row)) }
	err = par.For(ctx, run.Workers, n, 16, func(lo, hi int) {
		row, dist, order := make([]float64, d), make([]float64, n), make([]int, 0, n)
		for i := lo; i < hi; i++ {
			all.CopyRow(row, i)
			order = order[:0]
			for j := range n {
				if j != i {
					order = append(order, j)
				}
				dist[j] = distance(row, i, j)
			}
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(dist[a], dist[b]) })
			near[i] = slices.Clone(order[:k])
		}
	})
	if err != nil {
		return nil, nil, err
	}
	row := make([]float64, d)
	for i := range n {
		all.CopyRow(row, i)
		for _, j := range near[i] {
			if j < i && slices.Contains(near[j], i) {
				continue // already there
			}
			if b := distance(row, i, j); b > 0 {
				cs = append(cs, constraint.Distance(i, j, constraint.Equal, b))
			}
		}
	}
	return Center(g0), cs, nil
}
