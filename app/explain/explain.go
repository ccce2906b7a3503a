package explain

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

var nan = math.NaN()

// Importance is what a measure loses when a column is permuted.
type Importance struct {
	Mean float64 // mean loss over the repetitions; positive: the predictions are worse without the column
	Std  float64 // standard deviation between the repetitions
}

// Permutation returns, for every column of x, by how much the measure becomes worse when the
// numbers of the column are exchanged between the rows at random. score predicts rows and
// returns the measure of the predictions; larger says that a larger measure is better. It is
// called repeats times for every column and once for the rows as they are, with a matrix that
// it must not keep. x must fit into memory in dense form. The result depends on run.Seed and
// not on run.Workers. Permutation looks at ctx before each call.
func Permutation(ctx context.Context, x mat.Matrix, repeats int, larger bool, run gram.Run, score func(x *mat.Dense) (float64, error)) ([]Importance, error) {
	n, d := x.Dims()
	if repeats < 1 {
		return nil, settings.Refuse("repeats", repeats, "at least 1")
	}
	if n < 2 {
		return nil, settings.Refuse("rows", n, "at least 2, to be permuted")
	}
	work := mat.DenseCopyOf(gram.Matrix(gram.Of(x)))
	sign := 1.0
	if !larger {
		sign = -1
	}
	base, err := score(work)
	if err != nil {
		return nil, err
	}
	out, own := make([]Importance, d), make([]float64, n)
	meter := run.Meter()
	for c := range out {
		mat.Col(own, c, work)
		r := rng.New(rng.Derive(run.Seed, "permutation importance"), uint64(c))
		lost := make([]float64, repeats)
		for k := range lost {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for i, from := range r.Perm(n) {
				work.Set(i, c, own[from])
			}
			v, err := score(work)
			if err != nil {
				return nil, err
			}
			lost[k] = sign * (base - v)
			out[c].Mean += lost[k] / float64(repeats)
		}
		for _, v := range lost {
			out[c].Std += (v - out[c].Mean) * (v - out[c].Mean) / float64(repeats)
		}
		out[c].Std = math.Sqrt(out[c].Std)
		work.SetCol(c, own)
		meter.Report(gram.Event{Phase: "columns", Done: int64(c + 1), Total: int64(d)})
	}
	return out, nil
}

// Grid returns at most points numbers of a column of x that divide its rows evenly, from the
// smallest to the largest, without repetition; NaN are left out.
func Grid(x mat.Matrix, column, points int) []float64 {
	v := slices.DeleteFunc(mat.Col(nil, column, x), func(v float64) bool { return v != v })
	slices.Sort(v)
	if distinct := slices.Compact(slices.Clone(v)); len(distinct) <= points || len(v) == 0 {
		return distinct
	}
	grid := make([]float64, points)
	for k := range grid {
		grid[k] = v[k*(len(v)-1)/max(points-1, 1)]
	}
	return slices.Compact(grid)
}

// Partial returns the means of the outputs that predict returns, an n×k matrix, over the rows
// of x with the given column set to each number of the grid: a matrix with a row for each
// number. It looks at ctx before each call of predict, which must not keep its argument.
func Partial(ctx context.Context, x mat.Matrix, column int, grid []float64, predict func(x *mat.Dense) (*mat.Dense, error)) (*mat.Dense, error) {
	n, d := x.Dims()
	if column < 0 || column >= d {
		return nil, settings.Refuse("column", column, "from 0 to %d", d-1)
	}
	if n == 0 || len(grid) == 0 {
		return nil, settings.Refuse("rows", n, "at least one, and a number to set")
	}
	work := mat.DenseCopyOf(gram.Matrix(gram.Of(x)))
	var out *mat.Dense
	for g, v := range grid {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := range n {
			work.Set(i, column, v)
		}
		p, err := predict(work)
		if err != nil {
			return nil, err
		}
		_, k := p.Dims()
		if out == nil {
			out = mat.NewDense(len(grid), k, nil)
		}
		to := out.RawRowView(g)
		for i := range n {
			for c, u := range p.RawRowView(i) {
				to[c] += u / float64(n)
			}
		}
	}
	return out, nil
}

// Relevance returns, for each column c, the root of the mean of (∂f/∂x_c)² over the rows of x
// and the outputs of f, times the standard deviation of the column: how much an output
// changes, in its own unit, when the column changes by that much. f must be a machine of a
// Gaussian kernel,
//
//	f(x) = Σ_j coef_j·exp(−γ‖x−u_j‖²) + b,  ∂f/∂x_c = −2γ·Σ_j coef_j·K(u_j,x)·(x_c − u_jc).
//
// model must have a method Function() (basis.Function, error); the error says why it is no
// such machine. It takes n·m·d operations for m points and each output, and memory for n rows
// of m numbers at a time.
func Relevance(ctx context.Context, model any, x mat.Matrix) ([]float64, error) {
	m, ok := model.(interface {
		Function() (basis.Function, error)
	})
	if !ok {
		return nil, fmt.Errorf("explain: a %T is no function of kernel values", model)
	}
	f, err := m.Function()
	if err != nil {
		return nil, err
	}
	f = f.Folded()
	v, ok := f.Basis.(*basis.Values)
	if !ok {
		return nil, fmt.Errorf("explain: the features are a %T, not values of a kernel", f.Basis)
	}
	g, ok := v.Kernel().(kernel.Gaussian)
	if !ok {
		return nil, fmt.Errorf("explain: the kernel is %s, not gaussian", v.Kernel().Spec().Name)
	}
	s := gram.Of(x)
	n, d := s.Dims()
	points := v.Landmarks()
	count, width := points.Dims()
	if d != width || n < 1 {
		panic("explain: the rows do not have the machine's columns")
	}
	_, outputs := f.Coef.Dims()
	block := kernel.Against[float64](g, points)
	squares, row := make([]float64, d), make([]float64, d)
	for lo := 0; lo < n; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(n, lo+max(1, int(2e7/(float64(count)*float64(d)))))
		values, weighed, slope := mat.NewDense(hi-lo, count, nil), mat.NewDense(hi-lo, count, nil), mat.NewDense(hi-lo, d, nil)
		block.Fill(gram.View(values), s.Slice(lo, hi))
		for o := range outputs {
			coef := mat.Col(nil, o, f.Coef)
			for i := range hi - lo {
				from, to := values.RawRowView(i), weighed.RawRowView(i)
				for j, k := range from {
					to[j] = coef[j] * k
				}
			}
			slope.Mul(weighed, points)
			for i := range hi - lo {
				var sum float64
				for _, u := range weighed.RawRowView(i) {
					sum += u
				}
				own := s.Row(row, lo+i)
				for c, u := range slope.RawRowView(i) {
					e := -2 * g.Gamma * (own[c]*sum - u)
					squares[c] += e * e
				}
			}
		}
		lo = hi
	}
	mean, square := make([]float64, d), make([]float64, d)
	for i := range n {
		own := s.Row(row, i)
		blas64.Axpy(1/float64(n), vector(own), vector(mean))
	}
	for i := range n {
		for c, u := range s.Row(row, i) {
			square[c] += (u - mean[c]) * (u - mean[c]) / float64(n)
		}
	}
	for c := range squares {
		squares[c] = math.Sqrt(squares[c] / float64(n*outputs) * square[c])
	}
	return squares, nil
}

func vector(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Data: v, Inc: 1} }
