package fastnys

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/level2"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/structured"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// learn improves the seeds v, s×d, on the rows of y by up to c.Steps steps of alternating
// minimization. It returns the seeds with the least sum, and the sums, beginning with that of v.
// The sums never increase: a step that does not lower the sum is discarded and ends learning, and
// a step that lowers it by less than the share progress is the last. If ctx ends, learn returns
// the seeds so far and ctx.Err().
func (c Config) learn(ctx context.Context, y, v gram.Rows[float64]) (gram.Rows[float64], []float64, error) {
	square := make([]float64, y.N)
	for i := range square {
		r := blas64.Vector{N: y.D, Data: y.Row(i), Inc: 1}
		square[i] = blas64.Dot(r, r)
	}
	assign, dist := make([]int, y.N), make([]float64, y.N)
	next := gram.MakeRows[float64](v.N, v.D)
	trace := []float64{}
	meter := c.Meter()
	for step := 0; ; step++ {
		set := structured.New(c.Matrix, v, c.Rows)
		if len(trace) > 0 {
			set = structured.New(c.Matrix, next, c.Rows)
		}
		if err := nearest(ctx, set, y, square, assign, dist, c.Workers); err != nil {
			return v, trace, err
		}
		var sum float64
		for _, d := range dist {
			sum += d
		}
		if len(trace) > 0 {
			if !(sum < trace[len(trace)-1]) {
				return v, trace, nil
			}
			v, next = next, gram.MakeRows[float64](v.N, v.D)
		}
		trace = append(trace, sum)
		little := step > 0 && sum > (1-progress)*trace[step-1]
		e := gram.Event{Phase: "seeds", Done: int64(step), Total: int64(c.Steps), Objective: sum}
		if little {
			e.Total = e.Done
		}
		meter.Report(e)
		if e.Done == e.Total {
			return v, trace, nil
		}
		set.Update(next, y, assign)
	}
}

// progress is the relative decrease of the sum that a step must reach for learning to continue.
// With smaller decreases the error of the features hardly changes: on MNIST with 160 landmarks it
// was .00190 after five steps and .00187 after ten.
const progress = 5e-3

// nearest sets assign[i] to the landmark next to row i, the first of equals, and
// dist[i] to the squared distance.
func nearest(ctx context.Context, set *structured.Stack[float64], y gram.Rows[float64], square []float64, assign []int, dist []float64, workers int) error {
	_, m := set.Dims()
	norms := set.SquaredNorms(nil)
	return par.For(ctx, workers, y.N, 64, func(lo, hi int) {
		products := gram.MakeRows[float64](hi-lo, m)
		set.Forward(products, y.Slice(lo, hi), 1)
		for i := lo; i < hi; i++ {
			best, at := math.Inf(1), 0
			for q, p := range products.Row(i - lo) {
				if t := norms[q] - 2*p; t < best {
					best, at = t, q
				}
			}
			assign[i], dist[i] = at, max(0, square[i]+best)
		}
	})
}

// sample returns the rows from which seeds are learned. Without weights these are c.Sample of n
// rows at random. With weights, c.Sample rows are drawn with probabilities in proportion to the
// weights, so that sums over the sample represent weighted sums. nil means all rows.
func (c Config) sample(n int, w []float64) []int {
	r := rng.New(rng.Derive(c.Seed, "sample"), 0)
	if w == nil {
		if n <= c.Sample {
			return nil
		}
		return sorted(r.Perm(n)[:c.Sample])
	}
	ends := make([]float64, n)
	var total float64
	for i, v := range w {
		total += v
		ends[i] = total
	}
	index := make([]int, c.Sample)
	for k := range index {
		index[k] = search(ends, r.Float64()*total)
	}
	return sorted(index)
}

// centered returns the rows of x with the given index, nil meaning all, minus the
// center, as a dense copy.
func centered(x gram.Samples[float64], index []int, center []float64) *mat.Dense {
	if index == nil {
		index = make([]int, x.N())
		for i := range index {
			index[i] = i
		}
	}
	y := rows.Dense(x, index)
	if center != nil {
		for i := range index {
			level2.Axpy(-1, center, y.RawRowView(i))
		}
	}
	return y
}

// mean returns the weighted mean of the rows of x.
func mean(ctx context.Context, x gram.Samples[float64], w []float64, workers int) ([]float64, error) {
	n, d := x.Dims()
	sum, err := par.Sum(ctx, workers, n, 1024, func(lo, hi int) []float64 {
		part := make([]float64, d+1)
		for i := lo; i < hi; i++ {
			a := 1.0
			if w != nil {
				a = w[i]
			}
			rows.Add(part[:d], a, x, i)
			part[d] += a
		}
		return part
	}, func(a, b []float64) []float64 {
		for j, v := range b {
			a[j] += v
		}
		return a
	})
	if err != nil {
		return nil, err
	}
	for j := range d {
		sum[j] /= sum[d]
	}
	return sum[:d], nil
}
