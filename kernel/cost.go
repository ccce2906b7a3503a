package kernel

import (
	"fmt"
	"math"

	"github.com/gramworks/gram"
)

// flopsExp is the cost of an exponential in instructions of package vec.
const flopsExp = 25

// Flops returns the cost of one value of k for rows of d numbers: that of a Composite is the sum of its parts. A kernel of another
// package counts as a Gaussian.
func Flops(k Kernel, d int) float64 {
	switch k := k.(type) {
	case Laplacian:
		return 3*float64(d) + flopsExp + 1
	case Linear:
		return 2 * float64(d)
	case Polynomial:
		return 2*float64(d) + 2*math.Ceil(math.Log2(float64(k.Degree)+1)) + 1
	case Homogeneous:
		return 2*float64(d) + 2*math.Ceil(math.Log2(float64(k.Degree)+1))
	case *Scaled:
		return Flops(k.base, d)
	case *Composite:
		var sum float64
		for _, p := range k.parts {
			sum += Flops(p, d) + 1
		}
		return sum
	}
	return 2*float64(d) + flopsExp + 5
}

// PlannedBytes returns about what Bytes returns for a block of m rows of data of shape s and
// a kernel of this package, for plans.
func PlannedBytes[F gram.Float](m int64, s gram.Shape) int64 {
	size, all := int64(sizeof[F]()), float64(s.N)*float64(s.D)
	if s.NNZ > 0 && float64(s.NNZ)*sparseShare < all {
		nnz := int64(float64(m) / float64(s.N) * float64(s.NNZ))
		return nnz*(20+2*size) + 8*m
	}
	return m * size * int64(s.D)
}

// Bytes returns the memory that the block holds, in bytes and without workspaces. A
// Tile counts if it has a method Bytes() int64.
func (b *Block[F]) Bytes() int64 {
	s := b.shared
	n := int64(sizeof[F]() * (len(s.points.center) + len(s.points.z) + len(s.points.zn)))
	if l := s.points.lists; l != nil {
		n += l.bytes()
	}
	if t, ok := s.tile.(interface{ Bytes() int64 }); ok {
		n += t.Bytes()
	}
	if z, dense := s.z.Dense(); dense {
		return n + 8*int64(len(z.Data))
	}
	return n + 12*int64(s.z.NNZ()) + 8*int64(s.z.N())
}

// Bytes returns the memory that the product holds, in bytes and without workspaces.
func (p *Product[F]) Bytes() int64 {
	return p.block.Bytes() + int64(sizeof[F]()*(len(p.v.v.Data)+len(p.v.vt)))
}

// Cost returns the operations for one row, the bytes that the product holds, and the
// bytes of the workspace of one call for many dense rows.
func (p *Product[F]) Cost() gram.Plan {
	b := p.block
	numbers := b.m * p.v.s // numbers of V without those known to be 0
	if p.v.to != nil {
		numbers = 0
		from := 0
		for g, to := range p.v.ends {
			numbers += (to - from) * len(p.v.to[g])
			from = to
		}
	}
	rows, width := b.mulRows(8*most, p.v.s), b.d
	if b.shared.points.lists != nil {
		width *= 2 // columns beside the numbers
	}
	return gram.Plan{
		Flops:       float64(b.m)*Flops(b.kernel, b.d) + 2*float64(numbers),
		ModelBytes:  p.Bytes(),
		PeakBytes:   int64(sizeof[F]()*rows*(width+1+p.v.s) + stripBytes),
		Description: fmt.Sprintf("%d points of the %s kernel", b.m, b.kernel.Spec().Name),
	}
}
