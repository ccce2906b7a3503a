package landmark

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// RPCholesky draws rows by randomly pivoted Cholesky ([CETW25]): one after another, with
// probabilities in proportion to
//
//	K(x_i,x_i) − c_iᵀW⁻¹c_i
//
// times the weights, the part of K(x_i,x_i) that the rows drawn so far do not explain. In
// expectation, about r/ε + r·log(1/(εη)) rows leave a trace of G − C·W†·Cᵀ that is within
// 1+ε of the best approximation of rank r, whose relative error is η. Rows are proposed in
// blocks and rejected with the probability that corrects for the rows of the same block
// ([ETW24]), so that the distribution is that of one after another and the work is in
// matrix products. Cost: n·m kernel values, n·m² flops and n·m numbers, for n rows of the
// Sample.
type RPCholesky struct {
	Sample int // rows that are drawn at random as candidates when there are more; 0: 20 000, or 4m if that is more
}

// pivotBlock is the largest number of rows that are proposed at a time.
const pivotBlock = 128

// Select draws m rows. Once nothing is left to explain, it draws the others at random.
func (s RPCholesky) Select(ctx context.Context, k kernel.Kernel, x mat.Matrix, w []float64, m int, run gram.Run) (Points, error) {
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
	var candidates []int // nil: all rows
	part := all
	if q := s.sample(n, m); q < n {
		mass := slices.Repeat([]float64{1}, n)
		candidates = drawWithout(mass, q, rng.Derive(run.Seed, "candidates"))
		part = all.Select(candidates)
		if w != nil {
			v := make([]float64, q)
			for i, c := range candidates {
				v[i] = w[c]
			}
			w = v
		}
	}
	p := newPivoted(k, part, w, m, run)
	for p.size < m {
		if err := ctx.Err(); err != nil {
			return Points{}, err
		}
		if !p.step() {
			break
		}
		p.meter.Report(gram.Event{Phase: "pivots", Done: int64(p.size), Total: int64(m)})
	}
	index := p.drawn
	if len(index) < m {
		taken := make([]bool, part.N())
		for _, i := range index {
			taken[i] = true
		}
		for _, i := range p.random.Perm(part.N()) {
			if len(index) < m && !taken[i] {
				index = append(index, i)
			}
		}
	}
	if candidates != nil {
		for j, i := range index {
			index[j] = candidates[i]
		}
	}
	slices.Sort(index)
	return at(all, index), nil
}

// sample returns the number of candidates for m landmarks of n rows: Sample or its default, but at least m and at most n.
func (s RPCholesky) sample(n, m int) int {
	if s.Sample > 0 {
		return min(n, max(s.Sample, m))
	}
	return min(n, max(20_000, 4*m))
}

// Plan returns the expected cost of the partial Cholesky factor, which has m columns and a row for each candidate.
func (s RPCholesky) Plan(shape gram.Shape, m int, _ gram.Run) (gram.Plan, error) {
	s, err := resolved(s)
	q, d := s.sample(shape.N, m), shape.D
	p := gram.Plan{
		Flops:     float64(q) * float64(m) * float64(2*d+m),
		PeakBytes: 8 * (int64(q)*int64(m+d+6+2*min(m, pivotBlock)) + 3*int64(shape.N) + int64(m)*int64(d)),
	}
	return p, err
}

// pivoted is a partial Cholesky factor of the kernel matrix of x.
type pivoted struct {
	k      kernel.Kernel
	x      gram.Samples[float64]
	w      []float64
	run    gram.Run
	random *rand.Rand
	meter  *gram.Meter

	drawn  []int
	size   int        // columns of the factor
	factor *mat.Dense // n×m, G ≈ F·Fᵀ in the first columns
	rest   []float64  // the diagonal of G − F·Fᵀ
	total  float64    // Σ of w times the diagonal at the start
	upTo   []float64  // sums of w times rest
}

func newPivoted(k kernel.Kernel, x gram.Samples[float64], w []float64, m int, run gram.Run) *pivoted {
	n, d := x.Dims()
	p := &pivoted{k: k, x: x, w: w, run: run, random: rng.New(run.Seed, 0), meter: run.Meter(),
		factor: mat.NewDense(n, m, nil), rest: make([]float64, n), upTo: make([]float64, n)}
	buffer := make([]float64, d)
	for i := range n {
		row := x.Row(buffer, i)
		p.rest[i] = max(0, k.Eval(row, row))
	}
	p.total = p.sum()
	return p
}

// sum sets upTo and returns its last number.
func (p *pivoted) sum() float64 {
	var s float64
	for i, v := range p.rest {
		if p.w != nil {
			v *= p.w[i]
		}
		s += v
		p.upTo[i] = s
	}
	return s
}

// step proposes a block of rows and adds those that are accepted. It reports whether
// there was anything left to explain.
func (p *pivoted) step() bool {
	n, m := p.factor.Dims()
	left := p.sum()
	if !(left > 1e-14*p.total) {
		return false
	}
	proposed := make([]int, min(pivotBlock, m-p.size))
	for j := range proposed {
		u := p.random.Float64() * left
		proposed[j] = min(n-1, sort.Search(n, func(i int) bool { return p.upTo[i] > u }))
	}
	b := len(proposed)
	u := rows.Dense(p.x, proposed)
	block := kernel.Against[float64](p.k, u).Limit(p.run.Workers)
	// h is what F leaves of the kernel matrix of the proposed rows.
	h := mat.NewDense(b, b, nil)
	block.Fill(gram.View(h), gram.Of(u))
	if p.size > 0 {
		f := mat.NewDense(b, p.size, nil)
		for j, i := range proposed {
			copy(f.RawRowView(j), p.factor.RawRowView(i)[:p.size])
		}
		blas64.Gemm(blas.NoTrans, blas.Trans, -1, f.RawMatrix(), f.RawMatrix(), 1, h.RawMatrix())
	}
	accepted, l := p.accept(h, proposed)
	if len(accepted) == 0 {
		return true
	}
	columns := mat.NewDense(n, len(accepted), nil)
	points := make([]int, len(accepted))
	for j, a := range accepted {
		points[j] = proposed[a]
	}
	kernel.Against[float64](p.k, rows.Dense(p.x, points)).Limit(p.run.Workers).Fill(gram.View(columns), p.x)
	if p.size > 0 {
		f := mat.NewDense(len(points), p.size, nil)
		for j, i := range points {
			copy(f.RawRowView(j), p.factor.RawRowView(i)[:p.size])
		}
		blas64.Gemm(blas.NoTrans, blas.Trans, -1, p.factor.Slice(0, n, 0, p.size).(*mat.Dense).RawMatrix(), f.RawMatrix(), 1, columns.RawMatrix())
	}
	blas64.Trsm(blas.Right, blas.Trans, 1, blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: len(points), Stride: l.RawMatrix().Stride, Data: l.RawMatrix().Data}, columns.RawMatrix())
	for i := range n {
		c := columns.RawRowView(i)
		copy(p.factor.RawRowView(i)[p.size:], c)
		p.rest[i] = max(0, p.rest[i]-linalg.Dot(c, c))
	}
	for _, i := range points {
		p.rest[i] = 0
	}
	p.drawn = append(p.drawn, points...)
	p.size += len(points)
	return true
}

// accept decides on the proposed rows in their order: one is accepted with the
// probability (what all rows before it leave of its diagonal element)/(what the rows
// before the block leave of it). It returns the places of those that are accepted and the
// lower Cholesky factor of their part of h, which it overwrites.
func (p *pivoted) accept(h *mat.Dense, proposed []int) ([]int, *mat.Dense) {
	var accepted []int
	b := len(proposed)
	l := mat.NewDense(b, b, nil) // row j: that of the factor for the j-th accepted row
	v := make([]float64, b)
	for j, i := range proposed {
		left := h.At(j, j)
		for c, a := range accepted {
			s := h.At(j, a) - blas64.Dot(linalg.Vector(v[:c]), linalg.Vector(l.RawRowView(c)[:c]))
			v[c] = s / l.At(c, c)
			left -= v[c] * v[c]
		}
		draw := p.random.Float64() // drawn in any case, so that later draws do not depend on rounding
		// A row that is proposed again leaves round-off.
		if !(left > 1e-12*h.At(j, j)) || !(draw*p.rest[i] < left) || slices.ContainsFunc(accepted, func(a int) bool { return proposed[a] == i }) {
			continue
		}
		c := len(accepted)
		root := l.RawRowView(c)
		copy(root, v[:c])
		root[c] = math.Sqrt(left)
		accepted = append(accepted, j)
	}
	c := len(accepted)
	if c == 0 {
		return nil, nil
	}
	return accepted, l.Slice(0, c, 0, c).(*mat.Dense)
}
