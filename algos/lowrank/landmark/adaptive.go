package landmark

import (
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

const blockRows = 1024 // rows of x that are worked on between looks at the context

// ColumnNorm draws distinct rows with probabilities in proportion to the squared norms of their
// columns of the kernel matrix ([DM05]) times the weights. The norms are estimated from Sample
// rows, which takes n·Sample kernel values. For kernels with K(x,x) = 1 it prefers rows in dense
// regions.
type ColumnNorm struct {
	Sample int // rows from which norms are estimated; default 1000; all rows if they are fewer
}

// Select draws m of the n rows of x without replacement. Cost: n·Sample kernel values.
func (s ColumnNorm) Select(ctx context.Context, k kernel.Kernel, x mat.Matrix, w []float64, m int, run gram.Run) (Points, error) {
	if p, ok, err := weighted(ctx, s, k, x, w, m, run); ok {
		return p, err
	}
	n, _ := x.Dims()
	if err := count(m, n); err != nil {
		return Points{}, err
	}
	s, err := resolved(s)
	if err != nil {
		return Points{}, err
	}
	all := gram.Of(x)
	r := rng.New(run.Seed, 1)
	sketch := kernel.Against[float64](k, rows.Dense(all, pick(n, s.sample(n), r.Perm))).Limit(run.Workers)
	q, _ := sketch.Dims()
	mass := make([]float64, n)
	c := mat.NewDense(min(n, blockRows), q, nil)
	meter := run.Meter()
	for lo := 0; lo < n; lo += blockRows {
		if err := ctx.Err(); err != nil {
			return Points{}, err
		}
		hi := min(lo+blockRows, n)
		cb := c.Slice(0, hi-lo, 0, q).(*mat.Dense)
		sketch.Fill(gram.View(cb), all.Slice(lo, hi))
		for i := lo; i < hi; i++ {
			v := linalg.Vector(cb.RawRowView(i - lo))
			mass[i] = blas64.Dot(v, v)
		}
		meter.Report(gram.Event{Phase: "column norms", Done: int64(hi), Total: int64(n)})
	}
	return at(all, drawWithout(times(mass, w), m, run.Seed)), nil
}

func (s ColumnNorm) sample(n int) int {
	return min(n, s.Sample)
}

// Plan returns the cost of estimating the norms.
func (s ColumnNorm) Plan(shape gram.Shape, m int, _ gram.Run) (gram.Plan, error) {
	s, err := resolved(s)
	return sketchPlan(shape, m, s.sample(shape.N)), err
}

// Leverage draws distinct rows with probabilities in proportion to approximate ridge leverage
// scores ([AM15]), the diagonal of G(G+λI)⁻¹, times the weights. The scores are those of [MM17]
// for a sketch of s uniform rows,
//
//	l_i = (K(x_i,x_i) − c_iᵀ(W+λ(s/n)I)⁻¹c_i)/λ,   at most 1,
//
// where c_i are the kernel values with the sketch and W those within the sketch. Rows that are not
// explained by others are drawn more often than by Uniform. A small sketch overestimates the scores
// of rows that it explains badly. Cost: n·s kernel values and 2·n·s² flops.
type Leverage struct {
	Sketch int     // s; 0: 2m, or the number of rows if that is less
	Lambda float64 // 0: the sum of the eigenvalues of G beyond the largest m/2, over m/2, by the sketch
}

// Select draws m of the n rows of x without replacement. Cost: n·s kernel values and 2·n·s² flops.
func (s Leverage) Select(ctx context.Context, k kernel.Kernel, x mat.Matrix, w []float64, m int, run gram.Run) (Points, error) {
	if p, ok, err := weighted(ctx, s, k, x, w, m, run); ok {
		return p, err
	}
	n, _ := x.Dims()
	if err := count(m, n); err != nil {
		return Points{}, err
	}
	s, err := resolved(s)
	if err != nil {
		return Points{}, err
	}
	all := gram.Of(x)
	mass, err := s.scores(ctx, k, all, m, run)
	if err != nil {
		return Points{}, err
	}
	return at(all, drawWithout(times(mass, w), m, run.Seed)), nil
}

// scores returns the approximate leverage scores of all rows.
func (s Leverage) scores(ctx context.Context, k kernel.Kernel, x gram.Samples[float64], m int, run gram.Run) ([]float64, error) {
	n, d := x.Dims()
	u := rows.Dense(x, pick(n, s.sketch(n, m), rng.New(run.Seed, 1).Perm))
	block := kernel.Against[float64](k, u).Limit(run.Workers)
	q, _ := u.Dims()
	core := mat.NewDense(q, q, nil)
	block.Fill(gram.View(core), gram.Of(u))
	values, root, err := eig.SymAll(ctx, mat.NewSymDense(q, core.RawMatrix().Data))
	if err != nil {
		return nil, err
	}
	share := float64(q) / float64(n)
	lambda := s.Lambda
	if lambda == 0 {
		half := max(1, m/2)
		for _, v := range values[:max(0, q-half)] {
			lambda += max(v, 0) / share
		}
		lambda /= float64(half)
	}
	// A λ below the round-off of the largest eigenvalue has no effect.
	lambda = max(lambda, float64(q)*0x1p-53*max(values[q-1], 0)/share)
	if lambda == 0 { // the kernel is zero
		return make([]float64, n), nil
	}
	for j, v := range values {
		f := 1 / math.Sqrt(max(v, 0)+lambda*share)
		blas64.Scal(f, blas64.Vector{N: q, Data: root.RawMatrix().Data[j:], Inc: root.RawMatrix().Stride})
	}
	score := make([]float64, n)
	c, t := mat.NewDense(min(n, blockRows), q, nil), mat.NewDense(min(n, blockRows), q, nil)
	meter := run.Meter()
	for lo := 0; lo < n; lo += blockRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+blockRows, n)
		cb, tb := c.Slice(0, hi-lo, 0, q).(*mat.Dense), t.Slice(0, hi-lo, 0, q).(*mat.Dense)
		block.Fill(gram.View(cb), x.Slice(lo, hi))
		rows.Mul(tb, gram.Of(cb), root)
		buffer := make([]float64, d)
		for i := lo; i < hi; i++ {
			row := x.Row(buffer, i)
			v := linalg.Vector(tb.RawRowView(i - lo))
			score[i] = min(1, max(0, k.Eval(row, row)-blas64.Dot(v, v))/lambda)
		}
		meter.Report(gram.Event{Phase: "leverage scores", Done: int64(hi), Total: int64(n)})
	}
	return score, nil
}

func (s Leverage) sketch(n, m int) int {
	if s.Sketch > 0 {
		return min(n, s.Sketch)
	}
	return min(n, 2*m)
}

// Plan returns the cost of computing the scores.
func (s Leverage) Plan(shape gram.Shape, m int, _ gram.Run) (gram.Plan, error) {
	s, err := resolved(s)
	q := s.sketch(shape.N, m)
	p := sketchPlan(shape, m, q)
	p.Flops += 2*float64(shape.N)*float64(q)*float64(q) + 9*float64(q)*float64(q)*float64(q)
	p.PeakBytes += 8 * int64(q) * (3*int64(q) + int64(min(shape.N, blockRows)))
	return p, err
}

// Farthest takes rows that are far from each other: the first at random, and then always the row
// with the largest Euclidean distance from those already taken ([G85]). It covers the data
// including outliers. Weights matter for the first row alone. Cost: 2·n·m·d flops and no kernel
// values.
type Farthest struct{}

// Select returns m rows. If x has fewer than m distinct rows, some rows are repetitions.
func (s Farthest) Select(ctx context.Context, k kernel.Kernel, x mat.Matrix, w []float64, m int, run gram.Run) (Points, error) {
	if p, ok, err := weighted(ctx, s, k, x, w, m, run); ok {
		return p, err
	}
	n, d := x.Dims()
	if err := count(m, n); err != nil {
		return Points{}, err
	}
	all := gram.Of(x)
	sq, dist := make([]float64, n), make([]float64, n)
	for i := range n {
		sq[i], dist[i] = rows.SumSquares(all, i), math.Inf(1)
	}
	mass := w
	if mass == nil {
		mass = slices.Repeat([]float64{1}, n)
	}
	next := drawWithout(mass, 1, run.Seed)[0]
	index := make([]int, 0, m)
	u := make([]float64, d)
	row := rows.NewVectors(all)
	meter := run.Meter()
	for {
		index = append(index, next)
		meter.Report(gram.Event{Phase: "farthest points", Done: int64(len(index)), Total: int64(m)})
		if len(index) == m {
			break
		}
		all.CopyRow(u, next)
		uu := sq[next]
		dist[next] = -2
		// The farthest row of every block, then of all: the first of equals.
		far, err := par.Sum(ctx, run.Workers, n, blockRows, func(lo, hi int) int {
			best := lo
			for i := lo; i < hi; i++ {
				if dist[i] > 0 {
					dist[i] = min(dist[i], max(0, sq[i]+uu-2*row.Dot(i, u)))
				}
				if dist[i] > dist[best] {
					best = i
				}
			}
			return best
		}, func(a, b int) int {
			if dist[b] > dist[a] {
				return b
			}
			return a
		})
		if err != nil {
			return Points{}, err
		}
		next = far
	}
	slices.Sort(index)
	return at(all, index), nil
}

// Plan returns the cost of the search. Each row takes five numbers: its squared norm, its distance,
// and three for drawing the first row.
func (Farthest) Plan(s gram.Shape, m int, _ gram.Run) (gram.Plan, error) {
	return gram.Plan{
		Flops:     2 * float64(s.N) * float64(m) * float64(s.D),
		PeakBytes: 8 * (5*int64(s.N) + int64(m)*int64(s.D)),
	}, nil
}

// pick returns the first q elements of a permutation of 0 … n−1, in ascending order.
func pick(n, q int, perm func(int) []int) []int {
	index := perm(n)[:q]
	slices.Sort(index)
	return index
}

// sketchPlan returns the plan of kernel values between all rows and q of them, which are held both
// as rows and packed. Each row takes four numbers: its place in the permutation from which the q
// rows are taken, its mass, and the key and index by which it is drawn.
func sketchPlan(s gram.Shape, m, q int) gram.Plan {
	n, d := int64(s.N), int64(s.D)
	return gram.Plan{
		Flops:     2 * float64(n) * float64(q) * float64(d),
		PeakBytes: 8 * (2*int64(q)*d + int64(min(s.N, blockRows))*int64(q) + 4*n + int64(m)*d),
	}
}

// times multiplies mass by the weights, if there are any.
func times(mass, w []float64) []float64 {
	if w == nil {
		return mass
	}
	for i, v := range w {
		mass[i] *= v
	}
	return mass
}
