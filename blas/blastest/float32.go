package blastest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/blas"
	gblas "gonum.org/v1/gonum/blas"
	bgonum "gonum.org/v1/gonum/blas/gonum"
)

// The float32 suite: every routine is compared with gonum's float64 routine on
// the same operands. The tolerance is that of the sum of absolute values, which
// the same float64 routine gives on absolute operands.

var ref bgonum.Implementation

// operand is one argument in both precisions and its absolute values.
type operand struct {
	x   []float32
	d   []float64
	abs []float64
}

func newOperand(r *rand.Rand, n int) operand {
	o := operand{make([]float32, n), make([]float64, n), make([]float64, n)}
	for i := range n {
		o.set(i, float32(r.NormFloat64()))
	}
	return o
}

func (o operand) set(i int, v float32) {
	o.x[i], o.d[i], o.abs[i] = v, float64(v), math.Abs(float64(v))
}

// solvable makes a matrix whose triangular systems are well conditioned.
func solvable(r *rand.Rand, n, lda int) operand {
	o := newOperand(r, n*lda)
	for i := range n {
		for j := range n {
			o.set(i*lda+j, o.x[i*lda+j]/float32(4*n))
		}
		o.set(i*lda+i, 1+float32(r.Float64()))
	}
	return o
}

// compare32 fails the test where got is not within depth roundings of want.
func compare32(t *testing.T, name string, depth int, got operand) {
	t.Helper()
	for i, v := range got.x {
		tol := float64(depth+4) * 0x1p-23 * math.Max(got.abs[i], math.Abs(got.d[i]))
		if !(math.Abs(float64(v)-got.d[i]) <= tol) {
			t.Fatalf("%s: element %d is %v, want %v within %v", name, i, v, got.d[i], tol)
		}
	}
}

var (
	transposes = []gblas.Transpose{gblas.NoTrans, gblas.Trans, gblas.ConjTrans}
	triangles  = []gblas.Uplo{gblas.Upper, gblas.Lower}
	diagonals  = []gblas.Diag{gblas.NonUnit, gblas.Unit}
	sides      = []gblas.Side{gblas.Left, gblas.Right}
	scalars    = []float32{0, 1, -1, 0.5}
)

func abs(x float32) float64 { return math.Abs(float64(x)) }

func float32Level3(t *testing.T, b blas.Backend) {
	f := b.Float32()
	r := rand.New(rand.NewPCG(11, 1))
	sizes := []int{1, 2, 5, 16, 33, 70}
	if testing.Short() {
		sizes = sizes[:5]
	}
	pick := func() int { return sizes[r.IntN(len(sizes))] }
	for range rounds() {
		m, n, k := pick(), pick(), pick()
		alpha, beta := scalars[r.IntN(4)], scalars[r.IntN(4)]
		ta, tb := transposes[r.IntN(3)], transposes[r.IntN(3)]
		ul, d, s := triangles[r.IntN(2)], diagonals[r.IntN(2)], sides[r.IntN(2)]
		big := max(m, n, k)
		ld := big + r.IntN(4)
		x, y := newOperand(r, big*ld), newOperand(r, big*ld)

		c := newOperand(r, big*ld)
		f.Sgemm(ta, tb, m, n, k, alpha, x.x, ld, y.x, ld, beta, c.x, ld)
		ref.Dgemm(ta, tb, m, n, k, float64(alpha), x.d, ld, y.d, ld, float64(beta), c.d, ld)
		ref.Dgemm(ta, tb, m, n, k, abs(alpha), x.abs, ld, y.abs, ld, abs(beta), c.abs, ld)
		compare32(t, "Sgemm", k, c)

		c = newOperand(r, big*ld)
		f.Ssyrk(ul, ta, n, k, alpha, x.x, ld, beta, c.x, ld)
		ref.Dsyrk(ul, ta, n, k, float64(alpha), x.d, ld, float64(beta), c.d, ld)
		ref.Dsyrk(ul, ta, n, k, abs(alpha), x.abs, ld, abs(beta), c.abs, ld)
		compare32(t, "Ssyrk", k, c)

		c = newOperand(r, big*ld)
		f.Ssyr2k(ul, ta, n, k, alpha, x.x, ld, y.x, ld, beta, c.x, ld)
		ref.Dsyr2k(ul, ta, n, k, float64(alpha), x.d, ld, y.d, ld, float64(beta), c.d, ld)
		ref.Dsyr2k(ul, ta, n, k, abs(alpha), x.abs, ld, y.abs, ld, abs(beta), c.abs, ld)
		compare32(t, "Ssyr2k", 2*k, c)

		c = newOperand(r, big*ld)
		f.Ssymm(s, ul, m, n, alpha, x.x, ld, y.x, ld, beta, c.x, ld)
		ref.Dsymm(s, ul, m, n, float64(alpha), x.d, ld, y.d, ld, float64(beta), c.d, ld)
		ref.Dsymm(s, ul, m, n, abs(alpha), x.abs, ld, y.abs, ld, abs(beta), c.abs, ld)
		compare32(t, "Ssymm", big, c)

		c = newOperand(r, big*ld)
		f.Strmm(s, ul, ta, d, m, n, alpha, x.x, ld, c.x, ld)
		ref.Dtrmm(s, ul, ta, d, m, n, float64(alpha), x.d, ld, c.d, ld)
		ref.Dtrmm(s, ul, ta, d, m, n, abs(alpha), x.abs, ld, c.abs, ld)
		compare32(t, "Strmm", big, c)

		c = newOperand(r, big*ld)
		z := solvable(r, big, ld)
		f.Strsm(s, ul, ta, d, m, n, alpha, z.x, ld, c.x, ld)
		ref.Dtrsm(s, ul, ta, d, m, n, float64(alpha), z.d, ld, c.d, ld)
		for i := range c.abs { // the off-diagonal part is below 1/4: errors grow by less than 4
			c.abs[i] = 4 * 4
		}
		compare32(t, "Strsm", big, c)
	}
}

// rounds returns how many random problems a test draws: 150, or 20 with -short.
func rounds() int {
	if testing.Short() {
		return 20
	}
	return 150
}

// strided returns an operand of n elements at distance |inc|.
func strided(r *rand.Rand, n, inc int) operand {
	return newOperand(r, max(1, (n-1)*max(inc, -inc)+1))
}

// outer is GER by its definition (gonum's is wrong for negative increments).
func outer(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	first := func(n, inc int) int { return max(0, -(n-1)*inc) }
	for i := range m {
		for j := range n {
			a[i*lda+j] += alpha * x[first(m, incX)+i*incX] * y[first(n, incY)+j*incY]
		}
	}
}

func float32Level2(t *testing.T, b blas.Backend, positiveGer bool) {
	f := b.Float32()
	r := rand.New(rand.NewPCG(11, 2))
	incs := []int{1, 2, -1, -3}
	for range rounds() {
		c := level2Case{
			r: r, m: 1 + r.IntN(40), n: 1 + r.IntN(40), alpha: scalars[r.IntN(4)], beta: scalars[r.IntN(4)],
			ta: transposes[r.IntN(3)], ul: triangles[r.IntN(2)], d: diagonals[r.IntN(2)], ix: incs[r.IntN(4)], iy: incs[r.IntN(4)],
		}
		c.ld = max(c.m, c.n) + r.IntN(4)
		c.a = newOperand(r, max(c.m, c.n)*c.ld)
		c.k = r.IntN(c.n)
		c.lband = c.k + 1 + r.IntN(3)
		c.band, c.packed = newOperand(r, c.n*c.lband), newOperand(r, c.n*(c.n+1)/2)
		c.general(t, f, positiveGer)
		if positiveGer {
			c.ix, c.iy = max(c.ix, -c.ix), max(c.iy, -c.iy)
		}
		c.symmetric(t, f)
		c.triangular(t, f)
		c.solves(t, f)
	}
}

// level2Case holds random arguments that the calls of one round share.
type level2Case struct {
	r            *rand.Rand
	m, n, ld     int
	alpha, beta  float32
	ta           gblas.Transpose
	ul           gblas.Uplo
	d            gblas.Diag
	ix, iy       int
	a            operand // rows of ld numbers
	k, lband     int     // of band
	band, packed operand // triangles of order n
}

// general tests products with matrices of no structure and with bands.
func (p *level2Case) general(t *testing.T, f gblas.Float32, positiveGer bool) {
	r, m, n, ld, alpha, beta, ta, ix, iy, a := p.r, p.m, p.n, p.ld, p.alpha, p.beta, p.ta, p.ix, p.iy, p.a
	big := max(m, n)
	lx, ly := n, m
	if ta != gblas.NoTrans {
		lx, ly = m, n
	}
	x, y := strided(r, lx, ix), strided(r, ly, iy)
	f.Sgemv(ta, m, n, alpha, a.x, ld, x.x, ix, beta, y.x, iy)
	ref.Dgemv(ta, m, n, float64(alpha), a.d, ld, x.d, ix, float64(beta), y.d, iy)
	ref.Dgemv(ta, m, n, abs(alpha), a.abs, ld, x.abs, ix, abs(beta), y.abs, iy)
	compare32(t, "Sgemv", big, y)

	kl, ku := r.IntN(m), r.IntN(n)
	lband := kl + ku + 1 + r.IntN(3)
	band := newOperand(r, m*lband)
	y = strided(r, ly, iy)
	f.Sgbmv(ta, m, n, kl, ku, alpha, band.x, lband, x.x, ix, beta, y.x, iy)
	ref.Dgbmv(ta, m, n, kl, ku, float64(alpha), band.d, lband, x.d, ix, float64(beta), y.d, iy)
	ref.Dgbmv(ta, m, n, kl, ku, abs(alpha), band.abs, lband, x.abs, ix, abs(beta), y.abs, iy)
	compare32(t, "Sgbmv", big, y)

	if positiveGer {
		ix, iy = max(ix, -ix), max(iy, -iy)
	}
	x, y = strided(r, m, ix), strided(r, n, iy)
	c := newOperand(r, big*ld)
	f.Sger(m, n, alpha, x.x, ix, y.x, iy, c.x, ld)
	outer(m, n, float64(alpha), x.d, ix, y.d, iy, c.d, ld)
	outer(m, n, abs(alpha), x.abs, ix, y.abs, iy, c.abs, ld)
	compare32(t, "Sger", 1, c)
}

// symmetric tests products with symmetric matrices, whole, packed and as bands, and their changes.
func (p *level2Case) symmetric(t *testing.T, f gblas.Float32) {
	r, n, k, ld, lband, alpha, beta, ul, ix, iy, a, band, packed := p.r, p.n, p.k, p.ld, p.lband, p.alpha, p.beta, p.ul, p.ix, p.iy, p.a, p.band, p.packed
	x, y := strided(r, n, ix), strided(r, n, iy)
	f.Ssymv(ul, n, alpha, a.x, ld, x.x, ix, beta, y.x, iy)
	ref.Dsymv(ul, n, float64(alpha), a.d, ld, x.d, ix, float64(beta), y.d, iy)
	ref.Dsymv(ul, n, abs(alpha), a.abs, ld, x.abs, ix, abs(beta), y.abs, iy)
	compare32(t, "Ssymv", n, y)

	y = strided(r, n, iy)
	f.Ssbmv(ul, n, k, alpha, band.x, lband, x.x, ix, beta, y.x, iy)
	ref.Dsbmv(ul, n, k, float64(alpha), band.d, lband, x.d, ix, float64(beta), y.d, iy)
	ref.Dsbmv(ul, n, k, abs(alpha), band.abs, lband, x.abs, ix, abs(beta), y.abs, iy)
	compare32(t, "Ssbmv", n, y)

	y = strided(r, n, iy)
	f.Sspmv(ul, n, alpha, packed.x, x.x, ix, beta, y.x, iy)
	ref.Dspmv(ul, n, float64(alpha), packed.d, x.d, ix, float64(beta), y.d, iy)
	ref.Dspmv(ul, n, abs(alpha), packed.abs, x.abs, ix, abs(beta), y.abs, iy)
	compare32(t, "Sspmv", n, y)

	c := newOperand(r, n*ld)
	y = strided(r, n, iy)
	f.Ssyr(ul, n, alpha, x.x, ix, c.x, ld)
	ref.Dsyr(ul, n, float64(alpha), x.d, ix, c.d, ld)
	ref.Dsyr(ul, n, abs(alpha), x.abs, ix, c.abs, ld)
	compare32(t, "Ssyr", 1, c)

	c = newOperand(r, n*ld)
	f.Ssyr2(ul, n, alpha, x.x, ix, y.x, iy, c.x, ld)
	ref.Dsyr2(ul, n, float64(alpha), x.d, ix, y.d, iy, c.d, ld)
	ref.Dsyr2(ul, n, abs(alpha), x.abs, ix, y.abs, iy, c.abs, ld)
	compare32(t, "Ssyr2", 2, c)

	q := newOperand(r, n*(n+1)/2)
	f.Sspr(ul, n, alpha, x.x, ix, q.x)
	ref.Dspr(ul, n, float64(alpha), x.d, ix, q.d)
	ref.Dspr(ul, n, abs(alpha), x.abs, ix, q.abs)
	compare32(t, "Sspr", 1, q)

	q = newOperand(r, n*(n+1)/2)
	f.Sspr2(ul, n, alpha, x.x, ix, y.x, iy, q.x)
	ref.Dspr2(ul, n, float64(alpha), x.d, ix, y.d, iy, q.d)
	ref.Dspr2(ul, n, abs(alpha), x.abs, ix, y.abs, iy, q.abs)
	compare32(t, "Sspr2", 2, q)
}

// triangular tests products with a triangle and a vector: TRMV, TBMV and TPMV.
func (p *level2Case) triangular(t *testing.T, f gblas.Float32) {
	r, n, k, ld, lband, ta, ul, d, ix, a, band, packed := p.r, p.n, p.k, p.ld, p.lband, p.ta, p.ul, p.d, p.ix, p.a, p.band, p.packed
	x := strided(r, n, ix)
	f.Strmv(ul, ta, d, n, a.x, ld, x.x, ix)
	ref.Dtrmv(ul, ta, d, n, a.d, ld, x.d, ix)
	ref.Dtrmv(ul, ta, d, n, a.abs, ld, x.abs, ix)
	compare32(t, "Strmv", n, x)

	x = strided(r, n, ix)
	f.Stbmv(ul, ta, d, n, k, band.x, lband, x.x, ix)
	ref.Dtbmv(ul, ta, d, n, k, band.d, lband, x.d, ix)
	ref.Dtbmv(ul, ta, d, n, k, band.abs, lband, x.abs, ix)
	compare32(t, "Stbmv", n, x)

	x = strided(r, n, ix)
	f.Stpmv(ul, ta, d, n, packed.x, x.x, ix)
	ref.Dtpmv(ul, ta, d, n, packed.d, x.d, ix)
	ref.Dtpmv(ul, ta, d, n, packed.abs, x.abs, ix)
	compare32(t, "Stpmv", n, x)
}

// solves tests solutions with a triangle that is far from singular, whole, packed and as a band of full width.
func (p *level2Case) solves(t *testing.T, f gblas.Float32) {
	r, n, ld, ta, ul, d, ix, packed := p.r, p.n, p.ld, p.ta, p.ul, p.d, p.ix, p.packed
	z := solvable(r, n, ld)
	bound := func(x operand) {
		for i := range x.abs {
			x.abs[i] = 4 * 4
		}
	}
	x := strided(r, n, ix)
	f.Strsv(ul, ta, d, n, z.x, ld, x.x, ix)
	ref.Dtrsv(ul, ta, d, n, z.d, ld, x.d, ix)
	bound(x)
	compare32(t, "Strsv", n, x)

	// the same triangle packed and as a band of full width
	at := 0
	full := newOperand(r, n*n)
	for i := range n {
		lo, hi := 0, i+1
		if ul == gblas.Upper {
			lo, hi = i, n
		}
		for j := lo; j < hi; j++ {
			v := z.x[i*ld+j]
			packed.set(at, v)
			at++
			if ul == gblas.Upper {
				full.set(i*n+j-i, v)
			} else {
				full.set(i*n+j-i+n-1, v)
			}
		}
	}
	x = strided(r, n, ix)
	f.Stpsv(ul, ta, d, n, packed.x, x.x, ix)
	ref.Dtpsv(ul, ta, d, n, packed.d, x.d, ix)
	bound(x)
	compare32(t, "Stpsv", n, x)

	x = strided(r, n, ix)
	f.Stbsv(ul, ta, d, n, n-1, full.x, n, x.x, ix)
	ref.Dtbsv(ul, ta, d, n, n-1, full.d, n, x.d, ix)
	bound(x)
	compare32(t, "Stbsv", n, x)
}

// scalar32 compares a number that is a sum of n terms, whose absolute values have the sum scale.
func scalar32(t *testing.T, name string, got float32, want, scale float64, n int) {
	t.Helper()
	if !(math.Abs(float64(got)-want) <= float64(n+4)*0x1p-23*scale) {
		t.Fatalf("%s: %v, want %v", name, got, want)
	}
}

func float32Level1(t *testing.T, b blas.Backend) {
	f := b.Float32()
	r := rand.New(rand.NewPCG(11, 3))
	for _, n := range []int{1, 2, 3, 7, 16, 33, 100, 257} {
		for _, inc := range [][2]int{{1, 1}, {2, 1}, {1, 3}, {-1, 2}, {2, -3}} {
			ix, iy := inc[0], inc[1]
			x, y := strided(r, n, ix), strided(r, n, iy)
			scale := ref.Ddot(n, x.abs, ix, y.abs, iy)
			dot := ref.Ddot(n, x.d, ix, y.d, iy)
			scalar32(t, "Sdot", f.Sdot(n, x.x, ix, y.x, iy), dot, scale, n)
			scalar32(t, "Sdsdot", f.Sdsdot(n, 2, x.x, ix, y.x, iy), dot+2, scale+2, 1)
			scalar32(t, "Dsdot", float32(f.Dsdot(n, x.x, ix, y.x, iy)), dot, scale, 1)
			if ix > 0 {
				scalar32(t, "Snrm2", f.Snrm2(n, x.x, ix), ref.Dnrm2(n, x.d, ix), ref.Dnrm2(n, x.d, ix), n)
				scalar32(t, "Sasum", f.Sasum(n, x.x, ix), ref.Dasum(n, x.d, ix), ref.Dasum(n, x.d, ix), n)
				if got, want := f.Isamax(n, x.x, ix), ref.Idamax(n, x.d, ix); got != want {
					t.Fatalf("Isamax: %d, want %d", got, want)
				}
				f.Sscal(n, 1.5, x.x, ix)
				ref.Dscal(n, 1.5, x.d, ix)
				compare32(t, "Sscal", 1, x)
			}
			f.Saxpy(n, -0.75, x.x, ix, y.x, iy)
			ref.Daxpy(n, -0.75, x.d, ix, y.d, iy)
			ref.Daxpy(n, 0.75, x.abs, ix, y.abs, iy)
			for i := range y.abs {
				y.abs[i] *= 2
			}
			compare32(t, "Saxpy", 2, y)
			f.Sswap(n, x.x, ix, y.x, iy)
			ref.Dswap(n, x.d, ix, y.d, iy)
			ref.Dswap(n, x.abs, ix, y.abs, iy)
			compare32(t, "Sswap", 2, x)
			compare32(t, "Sswap", 2, y)
			c, s := float32(0.6), float32(0.8)
			f.Srot(n, x.x, ix, y.x, iy, c, s)
			ref.Drot(n, x.d, ix, y.d, iy, float64(c), float64(s))
			ref.Drot(n, x.abs, ix, y.abs, iy, float64(c), float64(s))
			for i := range x.abs {
				x.abs[i] += 20
			}
			for i := range y.abs {
				y.abs[i] = math.Abs(y.abs[i]) + 20
			}
			compare32(t, "Srot", 3, x)
			compare32(t, "Srot", 3, y)
			f.Scopy(n, x.x, ix, y.x, iy)
			ref.Dcopy(n, x.d, ix, y.d, iy)
			ref.Dcopy(n, x.abs, ix, y.abs, iy)
			compare32(t, "Scopy", 3, y)
		}
	}
	float32Rotations(t, f, r)
}

// float32Rotations tests the routines that make rotations, and the application of modified ones.
func float32Rotations(t *testing.T, f gblas.Float32, r *rand.Rand) {
	for range 100 {
		p, q := float32(r.NormFloat64()), float32(r.NormFloat64())
		c, s, v, _ := f.Srotg(p, q)
		scalar32(t, "Srotg", c*p+s*q, float64(v), math.Abs(float64(v)), 2)
		scalar32(t, "Srotg", c*q-s*p, 0, math.Abs(float64(v)), 2)
		h, d1, d2, x1 := f.Srotmg(abs32(p), abs32(q), p, q)
		wh, w1, w2, wx := ref.Drotmg(abs(p), abs(q), float64(p), float64(q))
		scalar32(t, "Srotmg", d1, w1, math.Abs(w1), 8)
		scalar32(t, "Srotmg", d2, w2, math.Abs(w2), 8)
		scalar32(t, "Srotmg", x1, wx, math.Abs(wx), 8)
		if h.Flag != wh.Flag {
			t.Fatalf("Srotmg: flag %v, want %v", h.Flag, wh.Flag)
		}
		x, y := strided(r, 9, 1), strided(r, 9, 1)
		dh := gblas.DrotmParams{Flag: h.Flag}
		for i, e := range h.H {
			dh.H[i] = float64(e)
		}
		f.Srotm(9, x.x, 1, y.x, 1, h)
		ref.Drotm(9, x.d, 1, y.d, 1, dh)
		for i := range x.abs {
			grow := 1 + math.Abs(dh.H[0]) + math.Abs(dh.H[1]) + math.Abs(dh.H[2]) + math.Abs(dh.H[3])
			x.abs[i] = grow * 5
			y.abs[i] = grow * 5
		}
		compare32(t, "Srotm", 3, x)
		compare32(t, "Srotm", 3, y)
	}
}

func abs32(x float32) float32 { return float32(math.Abs(float64(x))) }
