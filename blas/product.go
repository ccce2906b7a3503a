package blas

import (
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/gemm"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/tuning"
)

// triangle says which elements of a matrix there are.
type triangle uint8

const (
	full triangle = iota
	lower
	upper
)

// flip is the triangle of the transposed matrix.
func (t triangle) flip() triangle {
	switch t {
	case lower:
		return upper
	case upper:
		return lower
	}
	return t
}

// columns returns the columns of row i of an n×n matrix that there are.
func (t triangle) columns(i, n int) (lo, hi int) {
	switch t {
	case lower:
		return 0, i + 1
	case upper:
		return i, n
	}
	return 0, n
}

// matrix is a matrix with element (i, j) at x[i·rs+j·cs]. With tri lower or
// upper it is symmetric and only that triangle is stored.
type matrix[F gram.Float] struct {
	x      []F
	rs, cs int
	tri    triangle
}

func view[F gram.Float](x []F, ld int, trans bool) matrix[F] {
	if trans {
		return matrix[F]{x: x, rs: 1, cs: ld}
	}
	return matrix[F]{x: x, rs: ld, cs: 1}
}

// at returns the matrix whose element (0, 0) is element (i, j) of a.
func (a matrix[F]) at(i, j int) matrix[F] {
	a.x = a.x[i*a.rs+j*a.cs:]
	return a
}

func (a matrix[F]) t() matrix[F] {
	return matrix[F]{x: a.x, rs: a.cs, cs: a.rs, tri: a.tri.flip()}
}

// side is one factor of a product, seen as lines (rows of A, columns of B) of
// products over k, in panels of w lines.
type side[F gram.Float] struct {
	mat        matrix[F] // rows are the lines
	w          int
	packed     bool
	edge       bool // the incomplete last panel must be packed where the others are not
	line0      int  // the part of the matrix that is worked on: lines, then
	lines      int  // elements of k
	k0, k      int
	buf        []F // packed panels, all of them or (not packed) the incomplete last one
	blockElems int // elements of one block of k in buf
}

func (s *side[F]) panels() int { return (s.lines + s.w - 1) / s.w }

// first returns the first panel that lies in buf.
func (s *side[F]) first() int {
	switch {
	case s.packed:
		return 0
	case s.edge:
		return s.lines / s.w
	}
	return s.panels()
}

// section sets the part of the matrix to work on and returns the length of the
// buffer it needs.
func (s *side[F]) section(line0, lines, k0, k int) int {
	s.line0, s.lines, s.k0, s.k = line0, lines, k0, k
	inBuf := s.panels() - s.first()
	s.blockElems = inBuf * s.w * gemm.K[F]()
	return inBuf * s.w * k
}

// pack copies panel i of block q of the factor to its place in buf. A symmetric factor is completed from its triangle.
func (s *side[F]) pack(i, q int) {
	kc := min(gemm.K[F](), s.k-q*gemm.K[F]())
	dst := s.buf[q*s.blockElems+(i-s.first())*s.w*kc:]
	line, p0 := s.line0+i*s.w, s.k0+q*gemm.K[F]()
	lines := min(s.w, s.lines-i*s.w)
	if s.mat.tri == full {
		gemm.Pack(dst, s.mat.at(line, p0).x, s.mat.rs, s.mat.cs, lines, kc, s.w)
		return
	}
	// Line i of a symmetric matrix: before the diagonal on one side of it, after
	// it on the other.
	m := s.mat
	if m.tri == lower {
		m = m.t() // the same matrix
	}
	before, after := min(max(line-p0, 0), kc), min(max(line+lines-p0, 0), kc)
	if before > 0 {
		gemm.Pack(dst, m.at(p0, line).x, m.cs, m.rs, lines, before, s.w)
	}
	for p := before; p < after; p++ {
		clear(dst[p*s.w : (p+1)*s.w])
		for l := range lines {
			r, c := line+l, p0+p
			dst[p*s.w+l] = m.x[min(r, c)*m.rs+max(r, c)*m.cs]
		}
	}
	if after < kc {
		gemm.Pack(dst[after*s.w:], m.at(line, p0+after).x, m.rs, m.cs, lines, kc-after, s.w)
	}
}

// panel returns panel i of block q and its strides over lines and k.
func (s *side[F]) panel(i, q, kc int) (x []F, ls, ks int) {
	if f := s.first(); i >= f {
		return s.buf[q*s.blockElems+(i-f)*s.w*kc:], 1, s.w
	}
	return s.mat.x[(s.line0+i*s.w)*s.mat.rs+(s.k0+q*gemm.K[F]())*s.mat.cs:], s.mat.rs, s.mat.cs
}

var pool32, pool64 sync.Pool

// take returns n elements of any value, for give.
func take[F gram.Float](n int) *[]F {
	p, _ := pool[F]().Get().(*[]F)
	if p == nil || cap(*p) < n {
		x := make([]F, n)
		return &x
	}
	*p = (*p)[:n]
	return p
}

// give returns a buffer to its pool; p may be nil.
func give[F gram.Float](p *[]F) {
	if p != nil {
		pool[F]().Put(p)
	}
}

func pool[F gram.Float]() *sync.Pool {
	if _, ok := any(F(0)).(float32); ok {
		return &pool32
	}
	return &pool64
}

// A tiling is a product of two sections, C = alpha·A·B + beta·C, computed in tiles.
type tiling[F gram.Float] struct {
	tri         triangle
	a, b        side[F]
	twin        bool // a has the lines of b, which are packed in wider panels
	alpha, beta F
	c           []F
	ldc         int
}

// product computes C = alpha·A·B + beta·C with A m×k and B k×n, or only a
// triangle of C.
func product[F gram.Float](workers int, tri triangle, m, n, k int, alpha F, a, b matrix[F], beta F, c []F, ldc int) {
	if m == 0 || n == 0 {
		return
	}
	if alpha == 0 || k == 0 {
		scale(tri, m, n, beta, c, ldc)
		return
	}
	if max(m, n, k) <= small && (tri == full || n <= tiny) && a.tri == full && b.tri == full {
		direct(tri, m, n, k, alpha, a, b, beta, c, ldc)
		return
	}
	mr, nr := gemm.Shape[F]()
	rows, cols := gemm.Edges[F]()
	kc := gemm.K[F]()
	tune := tuning.Current()
	least := tune[tuning.Type[F](tuning.Small64, tuning.Small32)]
	if workers > 1 {
		least = tune[tuning.SmallShared]
	}
	few := m*n*k <= least
	chunk := tune[tuning.Lines]
	t := tiling[F]{tri: tri, alpha: alpha, c: c, ldc: ldc}
	as, bs := &t.a, &t.b
	*as = side[F]{mat: a, w: mr, edge: m%rows != 0, packed: a.tri != full || !few && n > 4*nr && a.cs != 1}
	*bs = side[F]{mat: b.t(), w: nr, edge: n%cols != 0, packed: b.cs != 1 || b.tri != full || !few && m > 4*mr}
	if tri != full && sameMatrix(as.mat, bs.mat) && bs.packed && nr%mr == 0 && m <= chunk {
		t.twin, as.packed, as.edge = true, false, false
	}
	mc, nc, kg := m, n, k
	if as.packed {
		mc = min(mc, chunk)
	}
	if bs.packed {
		nc = min(nc, chunk)
	}
	if as.packed || bs.packed {
		kg = max(tune[tuning.Packed]/(mc+nc)/kc, 1) * kc
	}
	var aBuf, bBuf []F
	if as.packed || as.edge {
		buf := take[F](gemm.PackedLen(min(mc, m), min(kg, k), mr))
		defer give(buf)
		aBuf = *buf
	}
	if bs.packed || bs.edge {
		buf := take[F](gemm.PackedLen(min(nc, n), min(kg, k), nr))
		defer give(buf)
		bBuf = *buf
	}
	for j := 0; j < n; j += nc {
		t.beta = beta
		for p := 0; p < k; p += kg {
			if p > 0 {
				t.beta = 1
			}
			kk := min(kg, k-p)
			bs.buf = bBuf[:bs.section(j, min(nc, n-j), p, kk)]
			packB := true
			for i := 0; i < m; i += mc {
				as.buf = aBuf[:as.section(i, min(mc, m-i), p, kk)]
				t.compute(workers, packB)
				packB = false // packed once for all of A
			}
		}
	}
}

// compute packs the section of A and, if packB, that of B, and adds their product to C.
func (t *tiling[F]) compute(workers int, packB bool) {
	blocks := (t.a.k + gemm.K[F]() - 1) / gemm.K[F]()
	var inA, inB int
	if !t.twin {
		inA = (t.a.panels() - t.a.first()) * blocks
	}
	if packB {
		inB = (t.b.panels() - t.b.first()) * blocks
	}
	tune := tuning.Current()
	rows, cols := t.a.panels(), t.b.panels()
	together := tune[tuning.Type[F](tuning.Panels64, tuning.Panels32)]
	colBlocks := (cols + together - 1) / together
	if workers == 1 {
		t.packPanels(0, inA+inB, inA, blocks)
		for i := range colBlocks {
			t.block(0, rows, cols*i/colBlocks, cols*(i+1)/colBlocks)
		}
		return
	}
	u := *t // so that t is not moved to the heap
	lines := rows
	if t.tri != full { // a row and the one as far from the other end: the sum of the work is the same for all
		lines = (rows + 1) / 2
	}
	par.Phases(workers,
		par.Phase{N: inA + inB, Body: func(lo, hi int) { u.packPanels(lo, hi, inA, blocks) }},
		par.Phase{N: lines * colBlocks, Body: func(lo, hi int) {
			for n := 0; lo < hi; lo += n {
				cb, r := lo/lines, lo%lines
				n = min(lines-r, hi-lo)
				c0, c1 := cols*cb/colBlocks, cols*(cb+1)/colBlocks
				u.block(r, r+n, c0, c1)
				if u.tri != full {
					u.block(max(r+n, rows-r-n), rows-r, c0, c1)
				}
			}
		}})
}

// packPanels packs panels [lo, hi) of A's inA and those of B, which come after them.
func (t *tiling[F]) packPanels(lo, hi, inA, blocks int) {
	for i := lo; i < hi; i++ {
		if i < inA {
			t.a.pack(t.a.first()+i/blocks, i%blocks)
		} else {
			t.b.pack(t.b.first()+(i-inA)/blocks, (i-inA)%blocks)
		}
	}
}

// sameMatrix reports whether a and b are the same matrix.
func sameMatrix[F gram.Float](a, b matrix[F]) bool {
	return &a.x[0] == &b.x[0] && a.rs == b.rs && a.cs == b.cs && a.tri == b.tri
}

// run calls body for parts of [0, n) on several goroutines, or once.
func run(workers, n, least int, body func(lo, hi int)) {
	if n <= least {
		workers = 1
	}
	par.Phases(workers, par.Phase{N: n, Body: body})
}

// rowPanel returns panel i of block q of A and its strides over lines and k.
func (t *tiling[F]) rowPanel(i, q, kc int) (x []F, ls, ks int) {
	if t.twin {
		x, ls, ks = t.b.panel(i*t.a.w/t.b.w, q, kc)
		return x[i*t.a.w%t.b.w*ls:], ls, ks
	}
	return t.a.panel(i, q, kc)
}

// block adds the product of A's panels [r0, r1) and B's panels [c0, c1) to C.
func (t *tiling[F]) block(r0, r1, c0, c1 int) {
	a, b, c, ldc, beta := &t.a, &t.b, t.c, t.ldc, t.beta
	_, cols := gemm.Edges[F]()
	for p := 0; p < a.k; p += gemm.K[F]() {
		q, kc := p/gemm.K[F](), min(gemm.K[F](), a.k-p)
		if q > 0 {
			beta = 1
		}
		for r := r0; r < r1; r++ {
			ap, als, aks := t.rowPanel(r, q, kc)
			next := a.w * als // one row of the next panel with each tile of this one
			if als == 1 {
				next = a.w * kc
			}
			i, m := a.line0+r*a.w, min(a.w, a.lines-r*a.w)
			for cp := c0; cp < c1; cp++ {
				j, n := b.line0+cp*b.w, min(b.w, b.lines-cp*b.w)
				crossing := false
				switch t.tri {
				case lower:
					if j > i+m-1 {
						continue
					}
					crossing = j+n-1 > i
				case upper:
					if i > j+n-1 {
						continue
					}
					crossing = i+m-1 > j
				}
				bp, bls, bks := b.panel(cp, q, kc)
				if crossing && bls == 1 { // only the columns that the triangle has
					if t.tri == lower {
						n = min(n, (i+m-j+cols-1)/cols*cols)
					} else if off := (i - j) &^ 7; off > 0 && off%cols == 0 {
						bp, j, n = bp[off:], j+off, n-off
					}
				}
				if crossing {
					diagonalTile(t.tri, kc, ap, als, aks, bp, bks, c[i*ldc+j:], ldc, m, n, i-j, t.alpha, beta)
					continue
				}
				gemm.TileNext(kc, ap, als, aks, bp, bks, c[i*ldc+j:], ldc, m, n, next+(cp-c0)%a.w*als, t.alpha, beta)
			}
		}
	}
}

// diagonalTile computes the part of a tile that lies in the triangle. Row i of
// the tile is row i+d of the matrix if column j of the tile is column j of it.
func diagonalTile[F gram.Float](tri triangle, kc int, ap []F, als, aks int, bp []F, bks int, c []F, ldc, m, n, d int, alpha, beta F) {
	var buf [gemm.MaxRows * gemm.MaxCols]F
	part := func(i int) (lo, hi int) {
		if tri == lower {
			return 0, min(max(i+d+1, 0), n)
		}
		return min(max(i+d, 0), n), n
	}
	for i := range m {
		lo, hi := part(i)
		copy(buf[i*n+lo:i*n+hi], c[i*ldc+lo:])
	}
	gemm.Tile(kc, ap, als, aks, bp, bks, buf[:], n, m, n, alpha, beta)
	for i := range m {
		lo, hi := part(i)
		copy(c[i*ldc+lo:i*ldc+hi], buf[i*n+lo:])
	}
}

// scale computes C = beta·C for the m×n matrix C or a triangle of it; where beta is 0, C is not read.
func scale[F gram.Float](tri triangle, m, n int, beta F, c []F, ldc int) {
	if beta == 1 {
		return
	}
	for i := range m {
		lo, hi := 0, n
		switch tri {
		case lower:
			hi = min(i+1, n)
		case upper:
			lo = min(i, n)
		}
		multiplyBy(beta, c[i*ldc+lo:i*ldc+hi])
	}
}
