package kernel

import (
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// TestSelect checks that a block of some rows of Z has the bits of those
// columns, and that FillEach writes the bits of Fill.
func TestSelect(t *testing.T) {
	t.Run("float64", selectRows[float64])
	t.Run("float32", selectRows[float32])
}

func selectRows[F gram.Float](t *testing.T) {
	for _, d := range []int{3, 21} {
		const n, m = 19, 90
		z := gen.Normal(m, d, 1)
		for i := range m {
			z.Set(i, 0, z.At(i, 0)+20) // there is a center
		}
		x := gen.Sparse(n, d, 0.4, 2)
		for i, v := range x.Val {
			x.Val[i] = float64(float32(v))
		}
		rows := gram.MakeRows[F](n, d)
		buf := make([]float64, d)
		for i := range n {
			x.DenseRow(buf, i)
			for j, v := range buf {
				rows.Row(i)[j] = F(v)
			}
		}
		index := []int{88, 0, 1, 2, 40, 41, 7, 33, 89, 34, 35, 36, 5, 6, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 50, 51, 52, 53, 54, 40}
		for _, k := range every {
			points, xs, xsparse := mat.Matrix(z), rows, x
			for _, z := range []mat.Matrix{points, sparse.FromDense(points)} {
				b := Against[F](k, z)
				all := gram.MakeRows[F](n, m)
				b.Fill(all, gram.Dense(xs))
				want := gram.MakeRows[F](n, len(index))
				for i := range n {
					for j, c := range index {
						want.Row(i)[j] = all.Row(i)[c]
					}
				}
				got := gram.MakeRows[F](n, len(index))
				s := b.Select(index)
				s.Fill(got, gram.Dense(xs))
				same(t, k.Spec().Name+", selected", got, want)
				s.Select([]int{3, 1}).Fill(gram.Rows[F]{Data: got.Data, N: 1, D: 2, Stride: 2}, gram.Dense(xs.Slice(0, 1)))
				if got.Row(0)[0] != want.Row(0)[3] || got.Row(0)[1] != want.Row(0)[1] {
					t.Errorf("%s: selected twice", k.Spec().Name)
				}
				for _, sparseX := range []bool{false, true} {
					each := make([][]F, n)
					got := gram.MakeRows[F](n, m)
					for i := range each {
						each[n-1-i] = got.Row(i)
					}
					if sparseX {
						b.FillEach(each, gram.Sparse[F](xsparse))
					} else {
						b.FillEach(each, gram.Dense(xs))
					}
					for i := range n {
						same(t, k.Spec().Name+", each", got.Slice(n-1-i, n-i), all.Slice(i, i+1))
					}
				}
			}
		}
	}
}

func TestSelectPrecomputed(t *testing.T) {
	const n = 30
	k := Columns(func(dst []float64, j int) {
		for i := range dst {
			dst[i] = float64(i*j + i + j)
		}
	}, n)
	b := Against[float64](k, Indices(n)).Select([]int{4, 29})
	each := [][]float64{make([]float64, 2), make([]float64, 2)}
	b.FillEach(each, gram.Dense(gram.Rows[float64]{Data: []float64{3, 7}, N: 2, D: 1, Stride: 1}))
	if each[0][1] != 29*3+29+3 || each[1][0] != 4*7+4+7 {
		t.Errorf("%v", each)
	}
}
