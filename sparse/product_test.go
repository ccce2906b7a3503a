package sparse

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestMulToGaps multiplies operands of one and of several columns with gaps
// between rows.
func TestMulToGaps(t *testing.T) {
	a := FromDense(mat.NewDense(3, 2, []float64{1, 0, 0, 2, 3, 4}))
	for _, s := range []int{1, 2} {
		b, dst := mat.NewDense(2, 4, []float64{1, 5, 90, 90, 2, 6, 90, 90}), mat.NewDense(3, 5, nil)
		part := dst.Slice(0, 3, 1, 1+s).(*mat.Dense)
		a.MulTo(part, b.Slice(0, 2, 0, s).(*mat.Dense))
		want := mat.NewDense(3, 2, []float64{1, 5, 4, 12, 11, 39}).Slice(0, 3, 0, s)
		if !mat.Equal(part, want) {
			t.Errorf("%d columns:\n%v\nwant\n%v", s, mat.Formatted(part), mat.Formatted(want))
		}
		part.Zero()
		if mat.Norm(dst, 1) != 0 {
			t.Errorf("%d columns: written beside the destination", s)
		}
	}
}

func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, shape := range [][3]int{{1, 1, 1}, {5, 3, 1}, {4, 7, 3}, {20, 11, 8}} {
		n, d, s := shape[0], shape[1], shape[2]
		x := mat.NewDense(n, d, nil)
		for i := range n {
			for j := range d {
				if r.IntN(3) == 0 {
					x.Set(i, j, r.NormFloat64())
				}
			}
		}
		random := func(n, s int) *mat.Dense {
			b := mat.NewDense(n, s, nil)
			for i := range n {
				for j := range s {
					b.Set(i, j, r.NormFloat64())
				}
			}
			return b
		}
		a := FromDense(x)
		ones := &CSR{N: a.N, D: a.D, Ptr: a.Ptr, Col: a.Col}
		for _, a := range []*CSR{a, ones, FromDense(x).Slice(0, n)} {
			dense := a.Dense()
			b, c := random(d, s), random(n, s)
			got, want := mat.NewDense(n, s, nil), mat.NewDense(n, s, nil)
			want.Mul(dense, b)
			a.MulTo(got, b)
			close(t, "A·B", got, want)
			got, want = random(d, s), mat.NewDense(d, s, nil)
			want.Mul(dense.T(), c)
			want.Add(want, got)
			a.AddMulTransTo(got, c)
			close(t, "Aᵀ·B", got, want)
			for i := range n {
				v := mat.Col(nil, 0, b)
				if got, want := a.DotRow(i, v), mat.Dot(dense.RowView(i), mat.NewVecDense(d, v)); !(math.Abs(got-want) <= 1e-13) {
					t.Errorf("DotRow(%d) = %g, want %g", i, got, want)
				}
				if got, want := a.SumSquares(i), mat.Dot(dense.RowView(i), dense.RowView(i)); !(math.Abs(got-want) <= 1e-13) {
					t.Errorf("SumSquares(%d) = %g, want %g", i, got, want)
				}
				a.AddRow(v, 2, i)
				for j := range d {
					if want := b.At(j, 0) + 2*dense.At(i, j); !(math.Abs(v[j]-want) <= 1e-13) {
						t.Errorf("AddRow(%d): element %d is %g, want %g", i, j, v[j], want)
					}
				}
			}
		}
	}
}

func close(t *testing.T, what string, got, want *mat.Dense) {
	t.Helper()
	if !mat.EqualApprox(got, want, 1e-13) {
		t.Errorf("%s is\n%v\nwant\n%v", what, mat.Formatted(got), mat.Formatted(want))
	}
}
