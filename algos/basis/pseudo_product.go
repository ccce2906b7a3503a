package basis

import (
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/level2"
	"github.com/gramworks/gram/internal/program"
)

// pseudoProduct computes linear functions C̄·V of the columns for fixed V, in the goroutine
// of the caller. It allocates nothing after the first call and is safe for concurrent use.
// The bits of a row do not depend on the batch.
//
// Many products of kernel values are not computed one by one: for each function
// Σ_t v_t·c_i(t)·c_j(t) = cᵀQc takes m² multiply-adds at the speed of a matrix product.
type pseudoProduct[F gram.Float] struct {
	block *pseudoBlock[F]
	v     []F // k×width: coefficients of the columns that are computed, m+p or m
	forms []F // k·m×m: the matrix Q of each function; nil: all columns are computed
	k     int
	pool  sync.Pool // *[]F
}

// pseudoRows is the number of rows that are processed together.
const pseudoRows = 48

// times prepares products with the (m+p)×k matrix v, which it does not keep.
func (b *pseudoBlock[F]) times(v gram.Rows[float64]) *pseudoProduct[F] {
	width := b.m + b.p
	if v.N != width {
		panic("basis: there must be a coefficient for every column")
	}
	p := &pseudoProduct[F]{block: b, k: v.D}
	p.pool.New = func() any { return new([]F) }
	// A product of two values takes a few scalar instructions, about as long as a
	// dozen multiply-adds of vector code.
	if b.kind == Products && v.D*b.m*b.m < (v.D+12)*b.p {
		width = b.m
		p.forms = make([]F, v.D*b.m*b.m)
		for t := range b.p {
			i, j := int(b.pairs[2*t]), int(b.pairs[2*t+1])
			for f, c := range v.Row(b.m + t) {
				p.forms[(f*b.m+i)*b.m+j] += F(c)
			}
		}
	}
	p.v = make([]F, v.D*width)
	for i := range width {
		for f, c := range v.Row(i) {
			p.v[f*width+i] = F(c)
		}
	}
	return p
}

// Rows sets dst = C̄·V for the rows of x. x is n×d and dst n×k, row-major at any
// stride; they may not overlap.
func (p *pseudoProduct[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	n := x.N()
	if dst.D != p.k || dst.N != n || !dst.Valid() {
		panic("basis: the destination has the wrong shape")
	}
	if p.k == 0 {
		return
	}
	width, m := len(p.v)/p.k, p.block.m
	w := p.pool.Get().(*[]F)
	if need := pseudoRows*width + p.k*m; len(*w) < need {
		*w = make([]F, need)
	}
	sums := (*w)[pseudoRows*width:][:p.k*m]
	for lo := 0; lo < n; lo += pseudoRows {
		hi := min(lo+pseudoRows, n)
		c := gram.Rows[F]{Data: (*w)[:(hi-lo)*width], N: hi - lo, D: width, Stride: width}
		if p.forms == nil {
			p.block.Fill(c, x.Slice(lo, hi))
		} else {
			p.block.base.FillSerial(c, x.Slice(lo, hi))
		}
		for i := range hi - lo {
			row, to := c.Row(i), dst.Row(lo+i)
			clear(to)
			if p.forms == nil {
				level2.GemvN(to, p.v, width, row, 1)
				continue
			}
			copy(sums, p.v)
			level2.GemvN(sums, p.forms, m, row, 1) // v + Q·c
			for f := range to {
				level2.GemvN(to[f:f+1], sums[f*m:(f+1)*m], m, row, 1)
			}
		}
	}
	p.pool.Put(w)
}

// Bytes returns the memory that the product holds, without workspaces.
func (p *pseudoProduct[F]) Bytes() int64 {
	b := p.block
	return b.base.Bytes() + program.Size[F](len(b.far)+len(p.v)+len(p.forms)) + 4*int64(len(b.pairs))
}
