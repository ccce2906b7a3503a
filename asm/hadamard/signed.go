package hadamard

import (
	"math/bits"

	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
)

// Signed replaces x by H_n·(s∘x), the transform of the products of x and s,
// element by element. n = len(x) is a power of two and len(s) is at least n. The
// multiplications are done where the transform loads x, so that with signs a
// random rotation costs little more than the transform.
func Signed[F num.Float](x, s []F) {
	s = s[:len(x)]
	k := bits.Len(uint(len(x))) - 1
	race.Write(x)
	race.Read(s)
	c := limits[F]()
	switch {
	// As in Transform: leaf with fewer decisions.
	case k < c.min || c.row == 0:
		productGeneric(x, x, s)
		transformGeneric(x)
	case k <= c.row:
		signedKernel(x, k, 1, 0, s, 0)
	case k < c.row+c.column:
		b := c.before(k)
		signedKernel(x, b, 1<<(k-b), 1<<b, s, 1<<b)
		columnKernel(x, k-b, 1<<b, 1<<b, 1, 0)
	default:
		transformVector(x, k, s, c.tuned())
	}
}

// SignedRows does for n rows x[i*stride : i*stride+d] what Signed does for a
// vector. Row i is multiplied by s[i*step : i*step+d]; step is 0 if all rows have
// the same factors, and d if s holds factors for each of them.
func SignedRows[F num.Float](x []F, n, d, stride int, s []F, step int) {
	if n == 0 {
		return
	}
	s = s[:(n-1)*step+d]
	race.Read(s)
	signedBlock(x, n, d, stride, s, step)
}

// Product computes dst = x∘s, the products of the elements. len(x) and len(s) are
// at least len(dst). dst is x or does not overlap x. Every product is rounded
// once, at every level.
func Product[F num.Float](dst, x, s []F) {
	x, s = x[:len(dst)], s[:len(dst)]
	race.Read(x)
	race.Read(s)
	race.Write(dst)
	n := 0
	if limits[F]().row > 0 {
		n = len(dst) &^ (line[F]() - 1)
	}
	for i := 0; i < n; {
		step := min(n-i, chunkBytes/8)
		productKernel(dst[i:i+step], x[i:], s[i:])
		i += step
	}
	productGeneric(dst[n:], x[n:], s[n:])
}
