package kernel

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/panel"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/num"
	"gonum.org/v1/gonum/mat"
)

// Block computes K(X,Z) for a fixed Z of m rows and any X of rows of the same
// length d. It is safe for concurrent use. A result has the same bits for any
// number of goroutines and for any division of X into calls, except that MulT
// adds up rows in blocks that start with the first row of the call.
//
// The package comment says which kernels are fast and how large the errors are.
type Block[F gram.Float] struct {
	kernel  Kernel
	m, d    int
	workers int
	shared  *shared[F]
}

// shared holds the parts of a Block that its copies share.
type shared[F gram.Float] struct {
	path  path // how sums over columns become values
	op    panel.Op
	norms bool // distances come from inner products and norms
	gamma F
	power int
	shift F // offset of a polynomial

	points packed[F]
	tile   Tile[F]               // used by the path tiles
	z      gram.Samples[float64] // Z unchanged, for tiles and columns
}

// path is how sums over columns become values.
type path uint8

const (
	gaussianPath  path = iota // exp(−γ·squared distance)
	laplacianPath             // exp(−γ·sum of absolute differences)
	powersPath                // (c+inner product)^p
	linearPath                // inner product
	radialPath                // method Radial of the squared distance
	productPath               // method Inner of the inner product
	tilesPath                 // Tile of a Packer, or Eval
	columnsPath               // column function of a Precomputed
)

// directColumns is the largest number of columns for which squared distances
// are summed directly. For more columns they come from inner products and
// norms, which takes half the instructions per column.
const directColumns = 8

// packed holds rows in panels after subtraction of a center, or lists of their nonzeros.
type packed[F gram.Float] struct {
	center []F // nil: nothing is subtracted
	z, zn  []F
	lists  *lists[F] // nil: the rows are in panels
	finite bool      // all numbers are finite
	thin   bool      // all numbers are finite, and more than half of them are zeros
}

// Against packs the m×d matrix z for the kernel k, in O(m·d) operations, or for sparse
// rows with few nonzeros in O(nnz·log nnz). The
// block shares no memory with z for the kernels of this package. It panics if k is nil or
// Check refuses it.
func Against[F gram.Float](k Kernel, z mat.Matrix) *Block[F] {
	if k == nil {
		panic("kernel: kernel is nil")
	}
	if Check(k) != nil { // a negative γ, say, which no routine computes right
		panic("kernel: a parameter of the kernel is out of range")
	}
	m, d := z.Dims()
	x := gram.Of(z)
	s := &shared[F]{op: panel.Dot}
	b := &Block[F]{kernel: k, m: m, d: d, shared: s}
	switch k := k.(type) {
	case Gaussian:
		s.path, s.gamma = gaussianPath, finite[F](k.Gamma)
	case Laplacian:
		s.path, s.op, s.gamma = laplacianPath, panel.Absolute, finite[F](k.Gamma)
	case Polynomial:
		s.path, s.power, s.shift = powersPath, k.Degree, F(k.Offset)
	case Homogeneous:
		s.path, s.power = powersPath, k.Degree
	case Linear:
		s.path = linearPath
	case *Precomputed:
		if d != 1 {
			panic(panicIndex)
		}
		s.path, s.z = columnsPath, gram.Dense(dense64(x))
	case Radial:
		s.path = radialPath
	case Inner:
		s.path = productPath
	default:
		s.path, s.z = tilesPath, x.Select(ascending(m))
	}
	if s.path == gaussianPath || s.path == radialPath {
		s.norms = d > directColumns
		if !s.norms {
			s.op = panel.Squares
		}
	}
	switch s.path {
	case tilesPath:
		s.tile = tileOf[F](k, s.z)
		return b
	case columnsPath:
		return b
	}
	var center []F
	if s.norms && !x.IsSparse() {
		center = centerOf[F](x)
	}
	if s.op != panel.Squares && listed(x) {
		s.points = packLists(newLists[F](x, s.op == panel.Dot), s.norms)
	} else {
		s.points = pack(x, center, s.norms)
	}
	return b
}

// finite returns v as F, or the largest finite number of F if v is larger.
func finite[F gram.Float](v float64) F {
	f := F(v)
	if math.IsInf(float64(f), 1) {
		most := math.MaxFloat32
		return F(most)
	}
	return f
}

// centerOf returns the mean of the rows of z, with 0 in place of elements that
// are not finite. It returns nil if the mean is no longer than the rows'
// typical distance from it: subtracting it would then gain less than one bit
// and would destroy the zeros of sparse rows.
func centerOf[F gram.Float](z gram.Samples[float64]) []F {
	m, d := z.Dims()
	sum, row := make([]float64, d), make([]float64, d)
	for i := range m {
		z.CopyRow(row, i)
		for j, v := range row {
			sum[j] += v
		}
	}
	c := make([]F, d)
	var length, spread float64
	zeros := 0
	for j, v := range sum {
		if f := F(v / float64(m)); f-f == 0 {
			c[j] = f
		}
		length += float64(c[j]) * float64(c[j])
	}
	for i := range m {
		z.CopyRow(row, i)
		for j, v := range row {
			t := v - float64(c[j])
			spread += t * t
			if v == 0 {
				zeros++
			}
		}
	}
	if 2*zeros > m*d {
		spread *= 4
	}
	if length*float64(m) <= spread {
		return nil
	}
	return c
}

func ascending(n int) []int {
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	return index
}

func dense64(z gram.Samples[float64]) gram.Rows[float64] {
	m, d := z.Dims()
	r := gram.MakeRows[float64](m, d)
	for i := range m {
		z.CopyRow(r.Row(i), i)
	}
	return r
}

// pack puts z less the center into panels. The differences are computed in F,
// as those of X are, so that equal rows stay equal.
func pack[F gram.Float](z gram.Samples[float64], center []F, norms bool) packed[F] {
	m, d := z.Dims()
	c := panel.Cols[F]()
	panels := (m + c - 1) / c
	p := packed[F]{center: center, z: make([]F, panels*c*d)}
	row := make([]float64, d)
	zeros, finite := 0, true
	for i := range m {
		if d == 0 {
			break
		}
		z.CopyRow(row, i)
		to := p.z[i/c*c*d+i%c:]
		for k, v := range row {
			if v == 0 {
				zeros++
			}
			finite = finite && F(v)-F(v) == 0
			if center != nil {
				to[k*c] = F(v) - center[k]
			} else {
				to[k*c] = F(v)
			}
		}
	}
	p.finite, p.thin = finite, finite && 2*zeros > m*d
	if norms {
		p.zn = make([]F, panels*c)
		for i := range panels {
			panel.Norms(p.zn[i*c:], p.z[i*c*d:], c, d)
		}
	}
	return p
}

// packLists returns rows that are kept as the lists l, with the squared norm of each row if norms is set.
func packLists[F gram.Float](l *lists[F], norms bool) packed[F] {
	p := packed[F]{lists: l, finite: l.finite()}
	p.thin = p.finite
	if norms {
		var w workspace[F]
		p.zn = make([]F, len(l.first)-1)
		for i := range p.zn {
			p.zn[i] = w.norm(l.at(i))
		}
	}
	return p
}

// pick returns the packed rows with the given indices.
func (p *packed[F]) pick(index []int, d int) packed[F] {
	c := panel.Cols[F]()
	panels := (len(index) + c - 1) / c
	q := packed[F]{center: p.center, finite: p.finite, thin: p.thin}
	if p.zn != nil {
		q.zn = make([]F, panels*c)
		for j, i := range index {
			q.zn[j] = p.zn[i]
		}
	}
	if p.lists != nil {
		q.lists = p.lists.pick(index)
		return q
	}
	q.z = make([]F, panels*c*d)
	for j, i := range index {
		for k := range d {
			q.z[j/c*c*d+k*c+j%c] = p.z[i/c*c*d+k*c+i%c]
		}
	}
	return q
}

// Dims returns the number of rows m and columns d of Z.
func (b *Block[F]) Dims() (m, d int) { return b.m, b.d }

// Limit returns a block that shares the memory of b and computes on up to
// workers goroutines (≤ 0: GOMAXPROCS).
func (b *Block[F]) Limit(workers int) *Block[F] {
	c := *b
	c.workers = workers
	return &c
}

// Select returns the block of the rows of Z with the given indices, in that
// order. Its columns have the same bits as those columns of b. Cost:
// O(len(index)·d).
func (b *Block[F]) Select(index []int) *Block[F] {
	for _, i := range index {
		if i < 0 || i >= b.m {
			panic("kernel: row out of range")
		}
	}
	s := b.shared
	to := &shared[F]{path: s.path, op: s.op, norms: s.norms, gamma: s.gamma, power: s.power, shift: s.shift}
	c := &Block[F]{kernel: b.kernel, m: len(index), d: b.d, workers: b.workers, shared: to}
	switch s.path {
	case tilesPath:
		to.z = s.z.Select(index)
		to.tile = tileOf[F](b.kernel, to.z)
	case columnsPath:
		to.z = s.z.Select(index)
	default:
		to.points = s.points.pick(index, b.d)
	}
	return c
}

// Fill sets dst = K(X,Z). x is n×d and dst is n×m, both row-major with any
// stride; it panics if they overlap. Gaussian and Laplacian blocks of 32 MiB or more are
// written past the caches, which do not hold them anyway; package internal/tuning has
// the limit. Cost: O(n·m·d).
func (b *Block[F]) Fill(dst gram.Rows[F], x gram.Samples[F]) {
	checkDst(dst, b.check(x), b.m)
	checkApart(dst, x)
	b.fill(dst, x)
}

// FillEach computes what Fill computes and writes row i to dst[i], which has
// length m, for rows that do not lie at equal distances in memory.
func (b *Block[F]) FillEach(dst [][]F, x gram.Samples[F]) {
	checkEach(dst, b.check(x), b.m)
	b.fillEach(dst, x)
}

// Mul sets dst = K(X,Z)·V without storing K. x is n×d, v is m×s, dst is n×s;
// it panics if dst overlaps x or v. Cost: O(n·m·(d+s)) operations, memory for a copy
// of v and, per goroutine, for a block of rows of X with their sums and a strip
// of K, which does not grow with n or, for the kernels of this package, with m.
func (b *Block[F]) Mul(dst gram.Rows[F], x gram.Samples[F], v gram.Rows[F]) {
	n := b.check(x)
	checkV(v, b.m)
	checkDst(dst, n, v.D)
	checkApart(dst, x)
	checkApart(dst, gram.Dense(v))
	f := b.factor(v)
	b.mul(dst, x, &f)
}

// factor returns v in the form that products take. It may share the memory of
// v.
func (b *Block[F]) factor(v gram.Rows[F]) factor[F] {
	f := factor[F]{s: v.D, v: v, vt: v.Data}
	if b.shared.path != columnsPath && (v.D != 1 || v.Stride != 1) {
		f.vt = transposed(nil, v)
	}
	return f
}

// MulT sets dst = K(X,Z)ᵀ·V without storing K. x is n×d, v is n×s, dst is m×s;
// it panics if dst overlaps x or v. Cost: O(n·m·(d+s)) operations and memory for m·s
// numbers for each of a few blocks of rows.
func (b *Block[F]) MulT(dst gram.Rows[F], x gram.Samples[F], v gram.Rows[F]) {
	checkV(v, b.check(x))
	checkDst(dst, b.m, v.D)
	checkApart(dst, x)
	checkApart(dst, gram.Dense(v))
	b.mulT(dst, x, v)
}

const (
	panicColumns = "kernel: x has the wrong number of columns"
	panicShape   = "kernel: the destination has the wrong shape"
)

// check returns the number of rows of x. It panics if x does not fit its memory
// or Z.
func (b *Block[F]) check(x gram.Samples[F]) (n int) {
	if !x.Valid() {
		panic("kernel: the shape of x does not fit its memory")
	}
	n, d := x.Dims()
	if d != b.d {
		panic(panicColumns)
	}
	return n
}

func checkV[F gram.Float](v gram.Rows[F], n int) {
	if !v.Valid() {
		panic("kernel: the shape of v does not fit its memory")
	}
	if v.N != n {
		panic("kernel: v has the wrong number of rows")
	}
}

func checkDst[F gram.Float](dst gram.Rows[F], n, m int) {
	if !dst.Valid() {
		panic("kernel: the shape of the destination does not fit its memory")
	}
	if dst.N != n || dst.D != m {
		panic(panicShape)
	}
}

// checkApart panics if dst shares memory with dense rows x.
func checkApart[F gram.Float](dst gram.Rows[F], x gram.Samples[F]) {
	if rows, dense := x.Dense(); dense && num.Overlap(dst, rows) {
		panic("kernel: the destination and an operand overlap")
	}
}

func checkEach[F gram.Float](dst [][]F, n, m int) {
	if len(dst) != n {
		panic(panicShape)
	}
	for _, row := range dst {
		if len(row) != m {
			panic(panicShape)
		}
	}
}

// each calls body for blocks of [0, n) on the goroutines of b.
func (b *Block[F]) each(n, grain int, body func(lo, hi int)) {
	_ = par.Compute(context.Background(), b.workers, n, grain, body)
}
