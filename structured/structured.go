package structured

import (
	"context"
	"math/bits"
	"sync"
	"unsafe"

	"github.com/gramworks/gram/asm/haar"
	"github.com/gramworks/gram/asm/hadamard"
	kernels "github.com/gramworks/gram/asm/structured"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/num"
)

// Matrix selects the matrix H whose rows, multiplied element by element by the seeds, are the landmarks.
type Matrix uint8

// H can be one of these matrices.
const (
	Haar     Matrix = iota // entries 0 and ±1, rows from coarse to fine
	Hadamard               // entries ±1, rows in sequency order
)

// String returns the name as the command line takes it: haar or hadamard.
func (h Matrix) String() string { return enum.Name(h, "haar", "hadamard") }

// Stack is the matrix U of the landmarks of s seeds, prepared for products. It is immutable
// and safe for concurrent use.
type Stack[F num.Float] struct {
	h        Matrix
	s, d, b  int
	order    int // D, the order of H
	width    int // D/b, columns of a range
	pad      int // s, rounded up to a multiple of the register width
	v        num.Rows[F]
	columns  []F   // d×pad: the seeds as columns, if b < D or D is small
	first    []F   // s×D/2, otherwise: factors of the first operands of Split
	second   []F   // s×D/2, otherwise: factors of the second operands
	place    []int // position of range r among the inputs of the transform of length b
	from     []int // the inverse of place
	norms    []F
	pool     *sync.Pool // of *[]F, scratch areas for one block
	scratch  int        // length of a scratch area
	blockLen int        // rows in a block
}

// New prepares the seeds v, s×d, for landmarks with the b leading rows of h; b is
// a power of two, at most Pad(d). v is copied. It panics if v is not valid or
// empty, or if b is not such a number. Landmark i belongs to seed i/b and row i%b of h.
// The stack holds about 2·s·D elements.
func New[F num.Float](h Matrix, v num.Rows[F], b int) *Stack[F] {
	switch {
	case h > Hadamard:
		panic("structured: unknown matrix")
	case !v.Valid():
		panic("structured: rows do not fit their memory")
	case v.N == 0 || v.D == 0:
		panic("structured: no seeds")
	case b <= 0 || b&(b-1) != 0 || b > 1<<bits.Len(uint(v.D-1)):
		panic("structured: number of rows is not a power of two of at most the padded length")
	}
	z := &Stack[F]{h: h, s: v.N, d: v.D, b: b, order: 1 << bits.Len(uint(v.D-1)), pool: new(sync.Pool)}
	z.v = num.MakeRows[F](v.N, v.D)
	for g := range v.N {
		copy(z.v.Row(g), v.Row(g))
	}
	z.width = z.order / b
	z.place, z.from = make([]int, b), make([]int, b)
	for r := range z.place {
		z.place[r] = r
		if h == Hadamard {
			z.place[r] = natural(r, b)
		}
		z.from[z.place[r]] = r
	}
	lanes := kernels.Lanes[F]()
	z.pad = (z.s + lanes - 1) / lanes * lanes
	if z.full() {
		half := z.order / 2
		z.first, z.second = make([]F, z.s*half), make([]F, z.s*half)
		for g := range z.s {
			z.halves(z.first[g*half:][:half], z.second[g*half:][:half], z.v.Row(g))
		}
		z.blockLen, z.scratch = 1, z.order+haar.Scratch(half)
		if h == Haar {
			z.scratch += z.group() * half
		}
	} else {
		z.columns = make([]F, z.d*z.pad)
		for g := range z.s {
			for j, a := range z.v.Row(g) {
				z.columns[j*z.pad+g] = a
			}
		}
		z.blockLen = 8
		if z.b*z.pad > 2048 {
			z.blockLen = 1
		}
		z.scratch = 2 * z.blockLen * z.b * z.pad
	}
	z.norms = z.squares()
	return z
}

// natural returns the row of the Hadamard matrix of order b in natural order that
// is row q in sequency order: the bits of the Gray code of q, reversed.
func natural(q, b int) int {
	return int(bits.Reverse(uint(q^q>>1)) >> (bits.UintSize - bits.Len(uint(b-1))) & uint(b-1))
}

// full reports whether Forward transforms rows at full length. Short rows are
// cheaper as products with ranges of one column.
func (z *Stack[F]) full() bool { return z.b == z.order && z.order >= 4*kernels.Lanes[F]() }

// group returns the number of seeds whose sums share the scratch area.
func (z *Stack[F]) group() int { return min(z.s, max(1, 4096/z.order)) }

// Dims returns the length d of rows and the number m = s·b of landmarks.
func (z *Stack[F]) Dims() (d, m int) { return z.d, z.s * z.b }

// entry returns the element of H_b in row q and range r: −1, 0 or 1.
func (z *Stack[F]) entry(q, r int) int {
	if z.h == Hadamard {
		return 1 - 2*(bits.OnesCount(uint(q&z.place[r]))&1)
	}
	lo, hi := z.support(q)
	switch {
	case r < lo || r >= hi:
		return 0
	case q == 0 || r < (lo+hi)/2:
		return 1
	}
	return -1
}

// support returns the ranges on which row q of H is not zero.
func (z *Stack[F]) support(q int) (lo, hi int) {
	if q == 0 || z.h == Hadamard {
		return 0, z.b
	}
	first := 1 << (bits.Len(uint(q)) - 1)
	n := z.b / first
	return (q - first) * n, (q - first + 1) * n
}

// columnsOf returns the columns lo ≤ j < hi of range r that are not padding.
func (z *Stack[F]) columnsOf(r int) (lo, hi int) {
	return min(z.d, r*z.width), min(z.d, (r+1)*z.width)
}

// Landmarks writes U, m×d, to dst. It panics if dst has another shape or is not
// valid. It takes 2·m·d operations and is meant for work that is done once, such
// as kernel values between landmarks.
func (z *Stack[F]) Landmarks(dst num.Rows[F]) {
	if dst.N != z.s*z.b || dst.D != z.d {
		panic("structured: destination has the wrong shape")
	}
	if !dst.Valid() {
		panic("structured: rows do not fit their memory")
	}
	for i := range dst.N {
		u, v := dst.Row(i), z.v.Row(i/z.b)
		for r := range z.b {
			lo, hi := z.columnsOf(r)
			switch z.entry(i%z.b, r) {
			case 1:
				copy(u[lo:hi], v[lo:hi])
			case 0:
				clear(u[lo:hi])
			default:
				for j, a := range v[lo:hi] {
					u[lo+j] = 0 - a // no −0
				}
			}
		}
	}
}

// SquaredNorms writes ‖u‖² of the m landmarks to dst and returns it. A nil dst is
// allocated; it panics if dst has another length. Nothing cancels: the relative error
// is at most (D/b + log₂b)·2⁻⁵³ and the rounding to F.
func (z *Stack[F]) SquaredNorms(dst []F) []F {
	if dst == nil {
		dst = make([]F, len(z.norms))
	}
	if len(dst) != len(z.norms) {
		panic("structured: destination has the wrong length")
	}
	copy(dst, z.norms)
	return dst
}

// squares computes ‖u‖² with sums in float64. The squares of a range are added in order and ranges
// in pairs, pairs of pairs and so on, so that each norm is a sum of positive numbers: the row q ≥ 1 of
// the Haar matrix is not zero on the ranges below node q of this tree, and all other rows on those
// below its root, node 1.
func (z *Stack[F]) squares() []F {
	out := make([]F, z.s*z.b)
	tree := make([]float64, 2*z.b) // ranges are the nodes from b on; the parent of node k is k/2
	for g := range z.s {
		for r := range z.b {
			var sum float64
			lo, hi := z.columnsOf(r)
			for _, a := range z.v.Row(g)[lo:hi] {
				sum += float64(a) * float64(a)
			}
			tree[z.b+r] = sum
		}
		for k := z.b - 1; k >= 1; k-- {
			tree[k] = tree[2*k] + tree[2*k+1]
		}
		for q := range z.b {
			node := 1
			if z.h == Haar {
				node = max(1, q)
			}
			out[g*z.b+q] = F(tree[node])
		}
	}
	return out
}

// Forward computes dst = X·Uᵀ. Row i of dst, of m elements, is U·x_i for row i of
// x, which is n×d. It runs on up to workers goroutines (≤ 0: GOMAXPROCS) and
// panics if shapes do not fit or dst and x overlap. Cost: about n·s·d
// multiply-adds for b < D; for b = D n·s·2D additions with Haar and n·s·D·log₂D
// with Hadamard. With one worker nothing is allocated.
func (z *Stack[F]) Forward(dst, x num.Rows[F], workers int) {
	switch {
	case x.D != z.d:
		panic("structured: rows have the wrong length")
	case dst.N != x.N || dst.D != z.s*z.b:
		panic("structured: destination has the wrong shape")
	case !x.Valid() || !dst.Valid():
		panic("structured: rows do not fit their memory")
	case num.Overlap(dst, x):
		panic("structured: destination and rows overlap")
	}
	if x.N == 0 {
		return
	}
	const grain = 64
	if workers == 1 || x.N <= grain {
		z.some(dst, x)
		return
	}
	_ = par.Compute(context.Background(), workers, x.N, grain, func(lo, hi int) {
		z.some(dst.Slice(lo, hi), x.Slice(lo, hi))
	})
}

// some computes Forward in the caller's goroutine, with scratch memory from the pool.
func (z *Stack[F]) some(dst, x num.Rows[F]) {
	buf, ok := z.pool.Get().(*[]F)
	if !ok {
		s := make([]F, z.scratch)
		buf = &s
	}
	if z.full() {
		for i := range x.N {
			z.transform(dst.Row(i), x.Row(i), *buf)
		}
	} else {
		for lo := 0; lo < x.N; lo += z.blockLen {
			hi := min(lo+z.blockLen, x.N)
			lo := lo
			if x.N > z.blockLen {
				lo = hi - z.blockLen // the last block starts early enough to be full: that is faster than single rows
			}
			z.block(dst.Slice(lo, hi), x.Slice(lo, hi), *buf)
		}
	}
	z.pool.Put(buf)
}

// block computes up to blockLen rows of Forward from sums over ranges. Each range
// has a rows×pad matrix of sums in scratch, with the seeds side by side, so that
// the transform of length b combines whole matrices.
func (z *Stack[F]) block(dst, x num.Rows[F], scratch []F) {
	size := x.N * z.pad
	t, out := scratch[:z.b*size], scratch[z.b*size:][:z.b*size]
	kernels.Ranges(t, z.place, x.Data, x.Stride, x.N, z.columns, z.pad, z.d, z.width)
	if z.h == Hadamard {
		if z.b > 1 {
			hadamard.Columns(t, len(t)/size, size, 0, size)
		}
		out = t
	} else {
		for h := z.b / 2; h > 0; h /= 2 {
			kernels.AddSub(t[:h*size], out[h*size:2*h*size], t, h, size)
		}
		copy(out[:size], t)
	}
	kernels.Transpose(dst.Data, dst.Stride, out, z.pad, size, x.N, z.b, z.s)
}

// halves writes the elements of the padded row x that the first level of the
// transform combines. For Haar these are the even and the odd elements. For
// Hadamard they are the first and the second half of the row, permuted so that
// the natural transform of them gives sequency order.
func (z *Stack[F]) halves(first, second, x []F) {
	half := len(first)
	if z.h == Haar {
		n := len(x) / 2
		kernels.Deal(first[:n], second, x)
		clear(first[n:])
		clear(second[n:])
		if len(x)%2 == 1 {
			first[n] = x[2*n]
		}
		return
	}
	for p, j := range z.from[:half] {
		if first[p] = 0; j < len(x) {
			first[p] = x[j]
		}
	}
	for p, j := range z.from[half:] {
		if second[p] = 0; j < len(x) {
			second[p] = x[j]
		}
	}
}

// transform computes one row of Forward for b = D.
func (z *Stack[F]) transform(dst, x, scratch []F) {
	d, half := z.order, z.order/2
	x1, x2, scratch := scratch[:half], scratch[half:d], scratch[d:]
	z.halves(x1, x2, x)
	if z.h == Hadamard {
		kernels.Split(dst, d, dst[half:], d, x1, x2, z.first, z.second, z.s, half)
		hadamard.Rows(dst, 2*z.s, half, half)
		return
	}
	few := z.group()
	sums, scratch := scratch[:few*half], scratch[few*half:]
	for lo := 0; lo < z.s; lo += few {
		n := min(few, z.s-lo)
		kernels.Split(sums, half, dst[lo*d+half:], d, x1, x2, z.first[lo*half:], z.second[lo*half:], n, half)
		haar.Forward(dst[lo*d:], d, sums, half, n, half, haar.Ones, scratch)
	}
}

// Update writes to v, s×d, the seeds that fit the rows of x, n×d, best if row i
// belongs to landmark assign[i]: v_gj = Σ_i H_qj·x_ij / Σ_i H_qj² over the rows i
// with assign[i] = g·b+q. These seeds minimize Σ_i ‖x_i − u_assign[i]‖². Where
// the denominator is 0, the element of the old seeds is copied. Rows with a
// negative assign[i] are left out. Sums are in float64, in ascending i. It panics
// if shapes do not fit or a landmark does not exist. Cost: n·d additions.
func (z *Stack[F]) Update(v, x num.Rows[F], assign []int) {
	switch {
	case x.D != z.d:
		panic("structured: rows have the wrong length")
	case v.N != z.s || v.D != z.d:
		panic("structured: destination has the wrong shape")
	case len(assign) != x.N:
		panic("structured: assignment has the wrong length")
	case !x.Valid() || !v.Valid():
		panic("structured: rows do not fit their memory")
	}
	for _, t := range assign {
		if t >= z.s*z.b {
			panic("structured: assignment to a landmark that does not exist")
		}
	}
	sum := make([]float64, z.s*z.d)
	count := make([]int, z.s*z.b) // number of rows that are not 0 on a range
	for i, t := range assign {
		if t < 0 {
			continue
		}
		g, q := t/z.b, t%z.b
		row, acc := x.Row(i), sum[g*z.d:][:z.d]
		from, to := z.support(q)
		for r := from; r < to; r++ {
			count[g*z.b+r]++
			lo, hi := z.columnsOf(r)
			if z.entry(q, r) > 0 {
				for j, a := range row[lo:hi] {
					acc[lo+j] += float64(a)
				}
			} else {
				for j, a := range row[lo:hi] {
					acc[lo+j] -= float64(a)
				}
			}
		}
	}
	for g := range z.s {
		to, old := v.Row(g), z.v.Row(g)
		for r := range z.b {
			lo, hi := z.columnsOf(r)
			n := float64(count[g*z.b+r])
			for j := lo; j < hi; j++ {
				if to[j] = old[j]; n > 0 {
					to[j] = F(sum[g*z.d+j] / n)
				}
			}
		}
	}
}

// Bytes returns the memory that the stack holds, in bytes and without scratch areas.
func (z *Stack[F]) Bytes() int64 {
	var v F
	return int64(len(z.v.Data)+len(z.columns)+len(z.first)+len(z.second)+len(z.norms))*int64(unsafe.Sizeof(v)) + 8*int64(len(z.place)+len(z.from))
}
