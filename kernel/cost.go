package kernel

import "math"

// flopsExp is the cost of an exponential, as instructions of package vec.
const flopsExp = 25

// Flops is the cost of one value of k for rows of d numbers. Of kernels that are not
// this package's it is taken for that of a Gaussian.
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
	}
	return 2*float64(d) + flopsExp + 5
}

// Bytes is the memory that the block holds, without workspaces. That of a Tile counts
// if it has a method Bytes.
func (b *Block[F]) Bytes() int64 {
	s := b.shared
	n := int64(sizeof[F]() * (len(s.points.centre) + len(s.points.z) + len(s.points.zn)))
	if t, ok := s.tile.(interface{ Bytes() int64 }); ok {
		n += t.Bytes()
	}
	if z, dense := s.z.Dense(); dense {
		return n + 8*int64(len(z.Data))
	}
	return n + 12*int64(s.z.NNZ()) + 8*int64(s.z.N())
}

// Bytes is the memory that the product holds, without workspaces.
func (p *Product[F]) Bytes() int64 {
	return p.block.Bytes() + int64(sizeof[F]()*(len(p.v.Data)+len(p.vt)))
}
