package eig

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Options holds the settings of TopK, Randomized and RandomizedSVD. The zero value
// is usable.
type Options struct {
	// Magnitude asks for the eigenvalues of largest absolute value instead of
	// the largest ones.
	Magnitude bool
	// Tol bounds the residuals ‖Av − λv‖ relative to the largest absolute Ritz
	// value. 0: 1e−10 in TopK; the randomized methods then make Power rounds and
	// ask no more.
	Tol float64
	// MaxProducts bounds the number of vectors that A is applied to; 0:
	// 2000 + 100·k.
	MaxProducts int
	// Block is the number of vectors that TopK applies A to at a time; 0: 4, or k
	// if that is less. Eigenvalues of higher multiplicity than Block are found
	// late.
	Block int
	// Basis is the number of vectors that TopK stores, at least k + 2·Block; 0:
	// 2k + 8·Block.
	Basis int
	// Power is the number of rounds of subspace iteration of the randomized
	// methods; default 2.
	Power gram.Opt[int]
	// Oversample is the number of vectors of the randomized methods beyond k; default 10.
	Oversample gram.Opt[int]
	// Seed starts the generator of the random vectors from which the methods begin.
	Seed uint64
	// Stats, if set, is filled in, also when there is an error.
	Stats *Stats
}

// Stats holds figures of a call of TopK or of a randomized method.
type Stats struct {
	Products  int       // vectors that the operator was applied to
	Restarts  int       // of TopK; rounds of the randomized methods
	Residuals []float64 // ‖Av − λv‖ per pair returned, not relative
}

// TopK returns the k largest eigenvalues of the symmetric operator a, descending
// (Options.Magnitude: by absolute value), and the n×k matrix of their orthonormal
// eigenvectors, by block Lanczos with thick restart: a basis of at most
// Options.Basis vectors is kept orthonormal by two passes of block Gram–Schmidt,
// and when it is full it shrinks to the best Ritz vectors. Restarted Krylov
// spaces find the outer part of the spectrum; eigenvalues that decay slowly
// or lie close together need more products or a larger basis.
//
// Panics if not 1 ≤ k ≤ n or an option is negative.
//
// Errors: ctx.Err(); *gram.ConvergenceError after Options.MaxProducts products,
// with the best pairs so far; *gram.DataError if a product is not finite. With
// the first two the values and vectors so far are returned if there are k.
//
// Cost: p products take 8·n·p·Basis flops beside the operator's; memory n·(Basis +
// k + 4·Block) numbers. The result depends on the seed and on the BLAS backend's
// order of summation, within the tolerance. [WS00]; for blocks
// [ZS08].
func TopK(ctx context.Context, a gram.Operator, k int, o Options) ([]float64, *mat.Dense, error) {
	n := a.Dim()
	o.check(k, n)
	if o.Tol == 0 {
		o.Tol = 1e-10
	}
	if o.MaxProducts == 0 {
		o.MaxProducts = 2000 + 100*k
	}
	if o.Block == 0 {
		o.Block = min(4, k)
	}
	if o.Basis == 0 {
		o.Basis = 2*k + 8*o.Block
	}
	l := &lanczos{
		a: a, n: n, k: k, o: o,
		room: min(max(o.Basis, k+2*o.Block), n),
		rand: newSource(o.Seed),
	}
	return l.run(ctx)
}

func (o *Options) check(k, n int) {
	if k < 1 || k > n {
		panic("eig: k is not between 1 and the order")
	}
	if !(o.Tol >= 0) || o.MaxProducts < 0 || o.Block < 0 || o.Basis < 0 || o.Power.Value() < 0 || o.Oversample.Value() < 0 {
		panic("eig: a negative option")
	}
}

// order sorts Ritz values by what is wanted, best first.
func (o *Options) order(values []float64) []int {
	index := make([]int, len(values))
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(a, b int) int {
		x, y := values[a], values[b]
		if o.Magnitude {
			x, y = math.Abs(x), math.Abs(y)
		}
		return cmp.Compare(y, x)
	})
	return index
}

// lanczos holds A·V = V·H + W·B·Eᵀ: the basis V of m orthonormal columns, the
// block W that comes next, orthonormal and orthogonal to V, and B, w×last, with
// E the last columns of the identity, last of them.
type lanczos struct {
	a       gram.Operator
	n, k, m int
	room    int // columns of v
	o       Options
	rand    *rand.Rand

	v *mat.Dense // n×room
	h *mat.SymDense
	w *mat.Dense // nil when V spans everything
	b *mat.Dense

	products, restarts int
}

func (l *lanczos) run(ctx context.Context) ([]float64, *mat.Dense, error) {
	l.v = mat.NewDense(l.n, l.room, nil)
	l.h = mat.NewSymDense(l.room, nil)
	l.w = mat.NewDense(l.n, min(l.o.Block, l.n), nil)
	fill(l.rand, l.w)
	l.orthonormalize(l.w)
	checked := 0
	var pairs *ritz
	for {
		if err := ctx.Err(); err != nil {
			return l.give(pairs, err)
		}
		if err := l.expand(); err != nil {
			return nil, nil, err
		}
		full := l.w == nil || l.m+l.width() > l.room
		stop := l.products >= l.o.MaxProducts
		if l.m < l.k || !full && !stop && l.m-checked < max(l.o.Block, l.room/4) {
			continue
		}
		checked = l.m
		var err error
		if pairs, err = l.ritz(); err != nil {
			return nil, nil, err
		}
		worst := slices.Max(pairs.residual[:l.k]) / max(pairs.norm, math.SmallestNonzeroFloat64)
		if worst <= l.o.Tol || l.w == nil {
			return l.give(pairs, nil)
		}
		if stop {
			return l.give(pairs, &gram.ConvergenceError{Iter: l.products, Residual: worst, Tol: l.o.Tol})
		}
		if full {
			l.restart(pairs)
			checked = l.m
		}
	}
}

func (l *lanczos) width() int { _, c := l.w.Dims(); return c }

// expand applies the operator to the next block.
func (l *lanczos) expand() error {
	w := l.width()
	image := mat.NewDense(l.n, w, nil)
	l.a.Apply(image, l.w)
	l.products += w
	if err := finiteProduct(image); err != nil {
		return err
	}
	l.v.Slice(0, l.n, l.m, l.m+w).(*mat.Dense).Copy(l.w)
	l.m += w
	h, b := l.orthonormalize(image)
	for j := range w {
		for i := range l.m {
			v := h.At(i, j)
			if c := l.m - w + j; i > c {
				continue
			} else if i >= l.m-w {
				v = (v + h.At(c, i-(l.m-w))) / 2
			}
			l.h.SetSym(i, l.m-w+j, v)
		}
	}
	// No more columns than dimensions are left.
	l.w, l.b = image, b
	if left := l.n - l.m; left == 0 {
		l.w = nil
	} else if left < w {
		l.w = mat.DenseCopyOf(image.Slice(0, l.n, 0, left))
		l.b = mat.DenseCopyOf(b.Slice(0, left, 0, w))
	}
	return nil
}

func finiteProduct(x *mat.Dense) error {
	r, _ := x.Dims()
	for i := range r {
		for _, v := range x.RawRowView(i) {
			if v-v != 0 {
				return &gram.DataError{Row: i, Col: -3, Value: v, Reason: "the operator's product is not finite"}
			}
		}
	}
	return nil
}

// orthonormalize takes X apart as V·h + Q·b with orthonormal Q orthogonal to V
// and puts Q in its place. Columns of X that depend on V and the columns
// before give random columns of Q and zero rows of b, as far as there is room.
func (l *lanczos) orthonormalize(x *mat.Dense) (h, b *mat.Dense) {
	_, w := x.Dims()
	b = mat.NewDense(w, w, nil)
	for i := range w {
		b.Set(i, i, 1)
	}
	h = mat.NewDense(max(l.m, 1), w, nil)
	v := l.v.Slice(0, l.n, 0, max(l.m, 1)).(*mat.Dense).RawMatrix()
	part := mat.NewDense(max(l.m, 1), w, nil)
	for round, rounds := 0, 2; round < rounds; round++ {
		before := columnNorms(x)
		if l.m > 0 {
			blas64.Gemm(blas.Trans, blas.NoTrans, 1, v, x.RawMatrix(), 0, part.RawMatrix())
			blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, v, part.RawMatrix(), 1, x.RawMatrix())
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, part.RawMatrix(), b.RawMatrix(), 1, h.RawMatrix())
		}
		r, drawn := l.gramSchmidt(x, before)
		var next mat.Dense
		next.Mul(r, b)
		b.Copy(&next)
		if drawn && rounds < 4 {
			rounds = max(rounds, round+3) // the random columns need two rounds of their own
		}
	}
	return h, b
}

func columnNorms(x *mat.Dense) []float64 {
	n, w := x.Dims()
	norms := make([]float64, w)
	raw := x.RawMatrix()
	for j := range norms {
		norms[j] = blas64.Nrm2(blas64.Vector{N: n, Data: raw.Data[j:], Inc: raw.Stride})
	}
	return norms
}

// gramSchmidt orthonormalizes the columns of x among themselves, x = Q·r.
// A column of which less than n·eps of its length before is left is drawn
// anew.
func (l *lanczos) gramSchmidt(x *mat.Dense, before []float64) (r *mat.Dense, drawn bool) {
	n, w := x.Dims()
	raw := x.RawMatrix()
	column := func(j int) blas64.Vector { return blas64.Vector{N: n, Data: raw.Data[j:], Inc: raw.Stride} }
	r = mat.NewDense(w, w, nil)
	for j := range w {
		c := column(j)
		for range 2 {
			for i := range j {
				s := blas64.Dot(column(i), c)
				blas64.Axpy(-s, column(i), c)
				r.Set(i, j, r.At(i, j)+s)
			}
		}
		norm := blas64.Nrm2(c)
		if norm <= 4*float64(n)*eps*before[j] {
			drawn = true
			for i := range n {
				raw.Data[i*raw.Stride+j] = l.rand.NormFloat64()
			}
			for i := range j {
				blas64.Axpy(-blas64.Dot(column(i), c), column(i), c)
			}
			if norm = blas64.Nrm2(c); norm > 0 {
				blas64.Scal(1/norm, c)
			}
			continue // r_jj = 0
		}
		r.Set(j, j, norm)
		for i := range n {
			raw.Data[i*raw.Stride+j] /= norm
		}
	}
	return r, drawn
}

// ritz are the eigenpairs of H, best first.
type ritz struct {
	values, residual []float64
	y                *mat.Dense // m×m
	norm             float64    // largest |value|
}

func (l *lanczos) ritz() (*ritz, error) {
	// H is small, and TopK returns the pairs so far also when its context is done.
	values, y, err := SymAll(context.Background(), l.h.SliceSym(0, l.m).(*mat.SymDense))
	if err != nil {
		return nil, err
	}
	p := &ritz{y: mat.NewDense(l.m, l.m, nil)}
	for c, i := range l.o.order(values) {
		p.values = append(p.values, values[i])
		p.norm = max(p.norm, math.Abs(values[i]))
		for r := range l.m {
			p.y.Set(r, c, y.At(r, i))
		}
	}
	p.residual = make([]float64, l.m)
	if l.w != nil {
		_, last := l.b.Dims()
		var tail mat.Dense
		tail.Mul(l.b, p.y.Slice(l.m-last, l.m, 0, l.m))
		p.residual = columnNorms(&tail)
	}
	return p, nil
}

// restart keeps the wanted Ritz vectors and some more, which take part in the
// convergence of the wanted ones.
func (l *lanczos) restart(p *ritz) {
	l.restarts++
	keep := min(l.k+(l.m-l.k)/3, l.room-l.width(), l.m)
	v := l.combine(p, keep)
	l.v.Slice(0, l.n, 0, keep).(*mat.Dense).Copy(v)
	l.h = mat.NewSymDense(l.room, nil)
	for i := range keep {
		l.h.SetSym(i, i, p.values[i])
	}
	l.m = keep
	p.y = mat.NewDense(keep, keep, nil) // the pairs are now the first columns of V
	for i := range keep {
		p.y.Set(i, i, 1)
	}
}

// combine returns the first c Ritz vectors, which are the columns of V·Y.
func (l *lanczos) combine(p *ritz, c int) *mat.Dense {
	v := mat.NewDense(l.n, c, nil)
	v.Mul(l.v.Slice(0, l.n, 0, l.m), p.y.Slice(0, l.m, 0, c))
	return v
}

// give returns the pairs found, if any, with err.
func (l *lanczos) give(p *ritz, err error) ([]float64, *mat.Dense, error) {
	if l.o.Stats != nil {
		*l.o.Stats = Stats{Products: l.products, Restarts: l.restarts}
	}
	if p == nil {
		return nil, nil, err
	}
	if l.o.Stats != nil {
		l.o.Stats.Residuals = slices.Clone(p.residual[:l.k])
	}
	if r, _ := p.y.Dims(); r != l.m { // V has grown since
		grown := mat.NewDense(l.m, l.m, nil)
		grown.Slice(0, r, 0, r).(*mat.Dense).Copy(p.y)
		p.y = grown
	}
	return slices.Clone(p.values[:l.k]), l.combine(p, l.k), err
}

func newSource(seed uint64) *rand.Rand { return rng.New(rng.Derive(seed, "eig"), 0) }

func fill(r *rand.Rand, x *mat.Dense) {
	n, _ := x.Dims()
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = r.NormFloat64()
		}
	}
}
