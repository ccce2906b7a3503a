package kernel

import (
	"github.com/gramworks/gram"
	"gonum.org/v1/gonum/mat"
)

// Precomputed is a kernel that is given by the columns of its n×n matrix. Its
// rows of data are single numbers: indices of rows of that matrix. An estimator
// whose x is Indices(n), or some rows of it, thus works on a matrix of
// similarities between points that need not be known. Methods that make new
// points, such as k-means centers as landmarks, cannot use it.
type Precomputed struct {
	column func(dst []float64, j int)
	n      int
}

// Columns returns the kernel with the n×n matrix whose column j is written by
// column(dst, j), len(dst) = n. The matrix must be symmetric; it is neither
// stored nor checked. column must be safe for concurrent calls. It is called
// once per column of a block, however many rows the block has.
//
// The Spec of this kernel has the name precomputed, which New does not know. A
// model that is to be stored in a file needs one of the other kernels.
func Columns(column func(dst []float64, j int), n int) *Precomputed {
	if column == nil {
		panic("kernel: column function is nil")
	}
	if n < 0 {
		panic("kernel: negative number of columns")
	}
	return &Precomputed{column: column, n: n}
}

// Eval returns the element of the matrix in row x[0] and column y[0]. It
// computes a whole column for it.
func (k *Precomputed) Eval(x, y []float64) float64 {
	if len(x) != 1 || len(y) != 1 {
		panic(panicIndex)
	}
	col := make([]float64, k.n)
	k.column(col, k.index(y[0]))
	return col[k.index(x[0])]
}

// Spec returns the name precomputed and the number n of rows. New makes no kernel of it.
func (k *Precomputed) Spec() Spec {
	return Spec{"precomputed", map[string]float64{"n": float64(k.n)}}
}

func (k *Precomputed) index(v float64) int {
	if !(v >= 0 && v < float64(k.n)) || v != float64(int(v)) {
		panic(panicIndex)
	}
	return int(v)
}

const panicIndex = "kernel: a precomputed kernel wants rows that hold one index each"

// Indices returns the n×1 matrix 0, 1, …, n−1, which is the data for a kernel
// by Columns.
func Indices(n int) *mat.Dense {
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, float64(i))
	}
	return x
}

// eachColumn calls use for every row j of Z with its values against all rows of
// x.
func (b *Block[F]) eachColumn(workers int, x gram.Samples[F], use func(j int, values []float64)) {
	k := b.kernel.(*Precomputed)
	index := make([]int, x.N())
	row := make([]float64, 1)
	for i := range index {
		x.CopyRow(row, i)
		index[i] = k.index(row[0])
	}
	b.Limit(workers).each(b.m, 1, func(j, _ int) {
		col, values := make([]float64, k.n), make([]float64, x.N())
		k.column(col, k.index(b.shared.z.At(j, 0)))
		for i, at := range index {
			values[i] = col[at]
		}
		use(j, values)
	})
}

func (b *Block[F]) fillColumns(dst gram.Rows[F], x gram.Samples[F]) {
	b.eachColumn(b.workers, x, func(j int, values []float64) {
		for i, v := range values {
			dst.Data[i*dst.Stride+j] = F(v)
		}
	})
}

func (b *Block[F]) mulColumns(dst gram.Rows[F], x gram.Samples[F], v gram.Rows[F]) {
	sums := make([]float64, x.N()*v.D)
	b.eachColumn(1, x, func(j int, values []float64) {
		for i, k := range values {
			for c, u := range v.Row(j) {
				sums[i*v.D+c] += k * float64(u)
			}
		}
	})
	for i := range x.N() {
		out := dst.Row(i)
		for c := range out {
			out[c] = F(sums[i*v.D+c])
		}
	}
}

func (b *Block[F]) mulTColumns(dst gram.Rows[F], x gram.Samples[F], v gram.Rows[F]) {
	b.eachColumn(b.workers, x, func(j int, values []float64) {
		out := dst.Row(j)
		for c := range out {
			var sum float64
			for i, k := range values {
				sum += k * float64(v.Data[i*v.Stride+c])
			}
			out[c] = F(sum)
		}
	})
}
