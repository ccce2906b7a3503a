package kernel

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Block computes K(X,Z) for a fixed Z of m rows and any X. It is safe for
// concurrent use.
type Block[F gram.Float] struct {
	kernel  Kernel
	m, d    int
	z       gram.Rows[float64]
	workers int
}

// Against packs the m×d matrix z for products with kernel k. It keeps neither
// z nor changes it.
func Against[F gram.Float](k Kernel, z mat.Matrix) *Block[F] {
	if k == nil {
		panic("kernel: kernel is nil")
	}
	m, d := z.Dims()
	b := &Block[F]{kernel: k, m: m, d: d, z: gram.MakeRows[float64](m, d)}
	for i := range m {
		copyRow(b.z.Row(i), z, i)
	}
	return b
}

// Dims returns the number of rows m and columns d of Z.
func (b *Block[F]) Dims() (m, d int) { return b.m, b.d }

// Kernel returns the kernel that b was made for.
func (b *Block[F]) Kernel() Kernel { return b.kernel }

// Limit returns a block that shares b's memory and computes on up to workers
// goroutines (≤ 0: GOMAXPROCS). The results are the same for any number.
func (b *Block[F]) Limit(workers int) *Block[F] {
	c := *b
	c.workers = workers
	return &c
}

// copyRow writes row i of x into dst.
func copyRow(dst []float64, x mat.Matrix, i int) {
	switch x := x.(type) {
	case *mat.Dense:
		copy(dst, x.RawRowView(i))
	case *sparse.CSR:
		x.DenseRow(dst, i)
	default:
		for j := range dst {
			dst[j] = x.At(i, j)
		}
	}
}

const rowGrain = 64 // rows of X that are worked on at a time

// Fill sets dst = K(X,Z). x is n×d, dst n×m; they may not overlap.
func (b *Block[F]) Fill(dst, x gram.Rows[F]) {
	b.checkRows(x)
	b.checkDst(dst, x.N, b.m)
	b.each(x.N, func(k *work, lo, hi int) {
		for i := lo; i < hi; i++ {
			for j, v := range x.Row(i) {
				k.x[j] = float64(v)
			}
			b.row(k)
			out := dst.Row(i)
			for j, v := range k.row {
				out[j] = F(v)
			}
		}
	})
}

// FillCSR sets dst = K(X,Z) for sparse rows. x is n×d, dst n×m.
func (b *Block[F]) FillCSR(dst gram.Rows[F], x *sparse.CSR) {
	if x.D != b.d {
		panic(panicColumns)
	}
	b.checkDst(dst, x.N, b.m)
	b.each(x.N, func(k *work, lo, hi int) {
		for i := lo; i < hi; i++ {
			x.DenseRow(k.x, i)
			b.row(k)
			out := dst.Row(i)
			for j, v := range k.row {
				out[j] = F(v)
			}
		}
	})
}

// Mul sets dst = K(X,Z)·V without storing K. x is n×d, v is m×s, dst n×s; dst
// may not overlap x or v.
func (b *Block[F]) Mul(dst, x, v gram.Rows[F]) {
	b.checkRows(x)
	b.checkV(v, b.m)
	b.checkDst(dst, x.N, v.D)
	b.each(x.N, func(k *work, lo, hi int) {
		sum := make([]float64, v.D)
		for i := lo; i < hi; i++ {
			for j, w := range x.Row(i) {
				k.x[j] = float64(w)
			}
			b.row(k)
			clear(sum)
			for j, w := range k.row {
				for c, u := range v.Row(j) {
					sum[c] += w * float64(u)
				}
			}
			for c, w := range sum {
				dst.Data[i*dst.Stride+c] = F(w)
			}
		}
	})
}

// MulT sets dst = K(X,Z)ᵀ·V without storing K. x is n×d, v is n×s, dst m×s;
// dst may not overlap x or v.
func (b *Block[F]) MulT(dst, x, v gram.Rows[F]) {
	b.checkRows(x)
	b.checkV(v, x.N)
	b.checkDst(dst, b.m, v.D)
	s := v.D
	total, err := par.Sum(context.Background(), b.workers, x.N, max(rowGrain, 1024), func(lo, hi int) []float64 {
		k := b.work()
		part := make([]float64, b.m*s)
		for i := lo; i < hi; i++ {
			for j, w := range x.Row(i) {
				k.x[j] = float64(w)
			}
			b.row(k)
			for j, w := range k.row {
				for c, u := range v.Row(i) {
					part[j*s+c] += w * float64(u)
				}
			}
		}
		return part
	}, func(a, c []float64) []float64 {
		for i, v := range c {
			a[i] += v
		}
		return a
	})
	if err != nil {
		panic(err)
	}
	for j := range b.m {
		for c := range s {
			if total == nil {
				dst.Data[j*dst.Stride+c] = 0
			} else {
				dst.Data[j*dst.Stride+c] = F(total[j*s+c])
			}
		}
	}
}

type work struct{ x, row []float64 }

func (b *Block[F]) work() *work {
	return &work{x: make([]float64, b.d), row: make([]float64, b.m)}
}

func (b *Block[F]) each(n int, body func(k *work, lo, hi int)) {
	err := par.For(context.Background(), b.workers, n, rowGrain, func(lo, hi int) { body(b.work(), lo, hi) })
	if err != nil {
		panic(err)
	}
}

// row computes the kernel between k.x and all rows of Z.
func (b *Block[F]) row(k *work) {
	switch f := b.kernel.(type) {
	case *Precomputed:
		col := make([]float64, f.n)
		i := f.index(k.x[0])
		f.column(col, i)
		for j := range b.m {
			k.row[j] = col[f.index(b.z.Row(j)[0])]
		}
	case Radial:
		for j := range b.m {
			k.row[j] = squaredDistance(k.x, b.z.Row(j))
		}
		f.Radial(k.row)
	case Inner:
		for j := range b.m {
			k.row[j] = inner(k.x, b.z.Row(j))
		}
		f.Inner(k.row)
	default:
		for j := range b.m {
			k.row[j] = f.Eval(k.x, b.z.Row(j))
		}
	}
}

const panicColumns = "kernel: x has the wrong number of columns"

func (b *Block[F]) checkRows(x gram.Rows[F]) {
	if !x.Valid() {
		panic("kernel: the shape of x does not fit its memory")
	}
	if x.D != b.d {
		panic(panicColumns)
	}
}

func (b *Block[F]) checkV(v gram.Rows[F], n int) {
	if !v.Valid() {
		panic("kernel: the shape of v does not fit its memory")
	}
	if v.N != n {
		panic("kernel: v has the wrong number of rows")
	}
}

func (b *Block[F]) checkDst(dst gram.Rows[F], n, m int) {
	if !dst.Valid() {
		panic("kernel: the shape of the destination does not fit its memory")
	}
	if dst.N != n || dst.D != m {
		panic("kernel: the destination has the wrong shape")
	}
}
