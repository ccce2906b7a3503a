package hadamard

import (
	"math/bits"
	"unsafe"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/internal/tuning"
	"github.com/gramworks/gram/num"
)

//go:generate go run github.com/gramworks/gram/internal/neon/gen
//go:generate go run ./asmgen
//go:generate go run github.com/gramworks/gram/asm/gen

// chunkBytes is the largest work of one call of assembly.
const chunkBytes = 64 << 10

// Rows whose distance is a multiple of 4096 bytes share one set of L1. Passes
// over memory that lies in caches take at most eight rows (2^near), so that with eight
// ways every line stays in L1 from its load to its store: in L2, passes over 16
// rows take more than twice the time of passes over 8. Beyond the caches a sweep
// over memory costs so much that 16 rows are faster; 32 rows, which AVX-512
// could hold, were not. Doing two such passes for few columns at a time, to read
// memory once for both, costs more in address translation than it saves.
const far = 4

// caps holds the sizes that the kernels of a level take, as logarithms to base
// two: rows of length 2^min … 2^row in one call, and columns of up to 2^column
// elements. row is 0 if there is no assembly. Four fields are the most that the compiler
// keeps in registers, on which the time of short vectors depends.
type caps struct{ min, row, column int }

// plan has also what is for transforms that do not fit one call. Most of it is tuned:
// whole transforms of leaf bytes run inside L1, blocks of last bytes inside a last-level
// cache, passes over memory in caches take 2^near rows. A transform of twice leaf runs inside
// L1, of most bytes, where it fits and that saves a pass. sweep is the size from which on a pass over 2^far rows
// is worth a pass that it saves, or 0. These sizes change the order of memory accesses and
// no result.
type plan struct {
	caps
	leaf, most, last, sweep int
	near                    int
}

// caches has the sizes of the caches in bytes; 0: not known.
var caches = cpu.Describe()

// bothPipes says that part of the subtractions are multiply-adds by one, for
// CPUs that do these in other pipes than additions. It changes no result.
var bothPipes = caches.Adders

// tuned returns the plan for kernels with the sizes c, from the tuned parameters, the caches and the level in force.
func (c caps) tuned() (t plan) {
	v := tuning.Current()
	t.caps = c
	t.leaf, t.last, t.near = v[tuning.HadamardLeaf], v[tuning.HadamardLast], v[tuning.HadamardNear]
	t.most = caches.L1D
	// Other levels have too few registers for 2^far rows. CPUs with an L1 of 32 KiB mostly have an
	// L2 of eight ways, in which rows that are far apart evict each other.
	if cpu.Current() == cpu.AVX512 && caches.L1D > 32<<10 {
		t.sweep = caches.L2
	}
	return t
}

// before returns how many of k > c.row stages of a vector are done before those of one pass over
// columns. One more stage costs less in the column pass than in the row pass; with registers for 16
// rows and both pairs of pipes it costs next to nothing there.
func (c caps) before(k int) int {
	if bothPipes && cpu.Current() == cpu.AVX512 {
		return k - c.column
	}
	return c.row - 1
}

// limits returns the sizes for the level in force.
func limits[F num.Float]() caps {
	k := 0
	if unsafe.Sizeof(F(0)) == 4 {
		k = 1
	}
	switch cpu.Current() {
	case cpu.AVX512:
		return caps{min: 2 + k, row: 8 + k, column: 4}
	case cpu.AVX2:
		return caps{min: 2 + k, row: 7 + k, column: 4}
	case cpu.NEON:
		return caps{min: 1 + k, row: 6 + k, column: 4}
	}
	return caps{}
}

// Transform replaces x by H_n·x. n = len(x) is a power of two.
func Transform[F num.Float](x []F) {
	k := bits.Len(uint(len(x))) - 1
	race.Write(x)
	c := limits[F]()
	switch {
	// These two cases do what leaf does with a single vector, with fewer
	// decisions, which would take half the time of a short vector.
	case k < c.min || c.row == 0:
		transformGeneric(x)
	case k <= c.row:
		rowKernel(x, k, 1, 0)
	case k < c.row+c.column:
		b := c.before(k)
		rowKernel(x, b, 1<<(k-b), 1<<b)
		columnKernel(x, k-b, 1<<b, 1<<b, 1, 0)
	default:
		transformVector(x, k, nil, c.tuned())
	}
}

// Rows transforms the n rows x[i*stride : i*stride+d]. d is a power of two and
// at most stride; x may end with the last row.
func Rows[F num.Float](x []F, n, d, stride int) { signedBlock(x, n, d, stride, nil, 0) }

// signedBlock does the work of Rows, where s is nil, and of SignedRows.
func signedBlock[F num.Float](x []F, n, d, stride int, s []F, step int) {
	if n == 0 {
		return
	}
	x = x[: (n-1)*stride+d : (n-1)*stride+d]
	race.WriteRows(x, n, stride, d)
	k := bits.Len(uint(d)) - 1
	c := limits[F]()
	if c.row == 0 || k < c.min {
		for i := range n {
			row := x[i*stride : i*stride+d]
			if s != nil {
				productGeneric(row, row, s[i*step:])
			}
			transformGeneric(row)
		}
		return
	}
	// rest returns the factors from row i on.
	rest := func(i int) []F {
		if s == nil {
			return nil
		}
		return s[i*step:]
	}
	size := int(unsafe.Sizeof(x[0]))
	if n*d*size <= leastLeaf {
		leaf(x, k, n, stride, rest(0), step, c)
		return
	}
	t := c.tuned()
	if d*size > t.leaf {
		for i := range n {
			transformVector(x[i*stride:i*stride+d], k, rest(i), t)
		}
		return
	}
	chunk := t.leaf / (d * size)
	if k <= c.row {
		chunk = chunkBytes / (d * size)
	}
	for i := 0; i < n; i += chunk {
		m := min(chunk, n-i)
		leaf(x[i*stride:(i+m-1)*stride+d], k, m, stride, rest(i), step, c)
	}
}

// Scale multiplies x by a. Every product is rounded once, at every level.
func Scale[F num.Float](x []F, a F) {
	race.Write(x)
	n := 0
	if limits[F]().row > 0 {
		n = len(x) &^ 63
		for i := 0; i < n; {
			step := min(n-i, chunkBytes/8)
			scaleKernel(x[i:i+step], a)
			i += step
		}
	}
	for i := n; i < len(x); i++ {
		x[i] *= a
	}
}

// Columns does the stages across n = 2^k rows of x, row r being x[r*h:], for the
// columns lo ≤ c < hi ≤ h, from neighboring rows to the farthest. If the rows
// have been transformed and h is a power of two and at least 64 bytes, Columns of
// all columns makes x the transform of length n·h. Otherwise it transforms
// columns. x may end with column hi of the last row.
func Columns[F num.Float](x []F, n, h, lo, hi int) {
	if lo == hi || n == 1 {
		return
	}
	x = x[:(n-1)*h+hi]
	for r := range n {
		race.Write(x[r*h+lo : r*h+hi])
	}
	c := limits[F]().tuned()
	columnBlock(x, n, h, lo, hi, c, radix(n*h*int(unsafe.Sizeof(x[0])), c))
}

// leastLeaf is the least number of bytes that caps.leaf can be.
const leastLeaf = 8 << 10

// leaf transforms n rows of length 2^k that fit L1 together. If s is not nil,
// row i is multiplied by s[i*step:] before.
func leaf[F num.Float](x []F, k, n, stride int, s []F, step int, c caps) {
	if k <= c.row {
		firstPass(x, k, n, stride, s, step)
		return
	}
	d := 1 << k
	b := c.row
	if k-b < c.column {
		b-- // one more stage costs less in the column pass than in the row pass
	}
	if stride == d && (s == nil || step == d) {
		firstPass(x, b, n<<(k-b), 1<<b, s, 1<<b)
	} else {
		for i := range n {
			var factors []F
			if s != nil {
				factors = s[i*step:]
			}
			firstPass(x[i*stride:i*stride+d], b, 1<<(k-b), 1<<b, factors, 1<<b)
		}
	}
	for b < k {
		r := split(k-b, c.column)
		if b+r == k {
			columnKernel(x, r, 1<<b, 1<<b, n, stride)
		} else {
			for i := range n {
				columnKernel(x[i*stride:i*stride+d], r, 1<<b, 1<<b, 1<<(k-b-r), 1<<(b+r))
			}
		}
		b += r
	}
}

// firstPass transforms n rows of length 2^levels in one call of assembly.
func firstPass[F num.Float](x []F, levels, n, stride int, s []F, step int) {
	if s == nil {
		rowKernel(x, levels, n, stride)
		return
	}
	signedKernel(x, levels, n, stride, s, step)
}

// split divides levels stages evenly into passes of at most limit stages and
// returns the number of stages of the first pass.
func split(levels, limit int) int {
	passes := (levels + limit - 1) / limit
	return (levels + passes - 1) / passes
}

// transformVector transforms one vector of length 2^k, multiplied by s unless s is nil:
// first blocks that fit a cache, one after the other, then the stages across the
// blocks.
func transformVector[F num.Float](x []F, k int, s []F, c plan) {
	size := int(unsafe.Sizeof(x[0]))
	inner, radix := bits.Len(uint(c.leaf/size))-1, radix(size<<k, c)
	left := (k - inner) % c.near // stages of the pass that a larger leaf or wider passes save
	if left == 1 && size<<(inner+1) <= c.most {
		inner++
	}
	if k <= inner {
		leaf(x, k, 1, 1<<k, s, 0, c.caps)
		return
	}
	switch {
	case left == 2 && c.near == far-1 && k-inner > far && c.sweep > 0 && size<<k > c.sweep:
		inner, radix = k-far, far
	case left != 1 && size<<k > c.last:
		inner = bits.Len(uint(c.last/size)) - 1
	}
	for k-inner > radix {
		inner += split(k-inner, radix)
	}
	for i := 0; i < len(x); i += 1 << inner {
		var factors []F
		if s != nil {
			factors = s[i:]
		}
		transformVector(x[i:i+1<<inner], inner, factors, c)
	}
	columnBlock(x, 1<<(k-inner), 1<<inner, 0, 1<<inner, c, radix)
}

// radix returns the logarithm of the number of rows in a pass over the given
// number of bytes.
func radix(bytes int, c plan) int {
	if bytes > c.last {
		return min(far, c.column)
	}
	return min(c.near, c.column)
}

// columnBlock does the work of Columns in passes over 2^radix rows. Assembly does the columns
// that fill lines of 64 bytes.
func columnBlock[F num.Float](x []F, n, h, lo, hi int, c plan, radix int) {
	whole := lo
	if c.row > 0 {
		whole = lo + (hi-lo)&^(line[F]()-1)
	}
	if whole < hi {
		columnsGeneric(x, n, h, whole, hi)
	}
	if whole == lo {
		return
	}
	size := int(unsafe.Sizeof(x[0]))
	k := bits.Len(uint(n)) - 1
	for b := 0; b < k; {
		r := split(k-b, radix)
		width := chunkBytes / (size << r)
		for g := 0; g < n; g += 1 << (b + r) {
			for in := range 1 << b {
				for j := lo; j < whole; j += width {
					columnKernel(x[(g+in)*h+j:], r, h<<b, min(width, whole-j), 1, 0)
				}
			}
		}
		b += r
	}
}
