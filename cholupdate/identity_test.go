package cholupdate

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

func TestIdentityPlusRankOne(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		var l IdentityPlusRankOne[float64]
		for _, r := range []int{0, 1, 2, 3, 5, 8, 17, 40} {
			rand := rng.New(1, uint64(r))
			for _, sigma := range []float64{1, .001, 0, -.5, -.999, -(1 - 1e-10)} {
				w := asmtest.Normal[float64](rand, r)
				if r > 4 {
					w[2] = 0
				}
				var norm float64
				for _, v := range w {
					norm += v * v
				}
				beta := sigma
				if norm > 0 {
					beta = sigma / norm // margin 1 + sigma
				}
				kept := slices.Clone(w)
				margin := must.Have(l.Set(beta, w))(t)
				if r > 0 && !(math.Abs(margin-1-sigma) <= 1e-15*float64(10*r)) {
					t.Errorf("r %d sigma %g: margin %v", r, sigma, margin)
				}
				if !slices.Equal(w, kept) || l.Len() != r {
					t.Fatal("w was changed")
				}
				if r == 0 {
					continue
				}
				// LLᵀ = I + βwwᵀ.
				a := mat.NewSymDense(r, nil)
				for i := range r {
					a.SetSym(i, i, 1)
				}
				dense := l.dense()
				if e := backward(dense, a, beta, w); !(e <= 8*float64(r)*eps) && beta >= 0 {
					t.Errorf("r %d beta %g: %g", r, beta, e)
				} else if !(e <= 1e-8) {
					t.Errorf("r %d beta %g: %g", r, beta, e)
				}
				// B·L by the sweep and by the dense factor.
				n := 7
				b := gram.Rows[float64]{Data: asmtest.Normal[float64](rand, n*(r+3)), N: n, D: r, Stride: r + 3}
				bd := mat.NewDense(n, r, nil)
				for i := range n {
					bd.SetRow(i, b.Row(i))
				}
				var want mat.Dense
				want.Mul(bd, mat.NewTriDense(r, mat.Lower, dense.Data))
				row := slices.Clone(b.Row(2))
				l.ApplyRight(b, 3)
				l.ApplyVec(row)
				for i := range n {
					for j := range r {
						if d := math.Abs(b.Row(i)[j] - want.At(i, j)); !(d <= 1e-13*float64(r)*(1+math.Abs(want.At(i, j)))) {
							t.Fatalf("r %d: row %d column %d off by %g", r, i, j, d)
						}
					}
				}
				for j, v := range row {
					if v != b.Row(2)[j] {
						t.Fatal("ApplyVec and ApplyRight differ")
					}
				}
			}
		}
	})
}

func TestIdentityFails(t *testing.T) {
	var l IdentityPlusRankOne[float64]
	must.Have(l.Set(2, []float64{1, 1}))(t)
	before := l.dense()
	var npd *gram.NotPDError
	if _, err := l.Set(-1, []float64{.8, .8}); !errors.As(err, &npd) || npd.Pivot != 1 {
		t.Errorf("error %v", err)
	}
	if _, err := l.Set(-1, []float64{1, 0}); !errors.As(err, &npd) || npd.Pivot != 0 {
		t.Errorf("error %v", err)
	}
	var de *gram.DataError
	if _, err := l.Set(math.NaN(), []float64{1}); !errors.As(err, &de) {
		t.Errorf("error %v", err)
	}
	if _, err := l.Set(1, []float64{0, math.Inf(1)}); !errors.As(err, &de) || de.Row != 1 {
		t.Errorf("error %v", err)
	}
	if _, err := l.Set(1, []float64{0, 1e200}); !errors.As(err, &de) || err.Error() != "beta: β·‖w‖² is too large" {
		t.Errorf("error %v", err)
	}
	if !slices.Equal(before.Data, l.dense().Data) {
		t.Error("a failed Set changed the factor")
	}
}

// TestIdentityWorkers: the result does not depend on the number of goroutines.
func TestIdentityWorkers(t *testing.T) {
	const n, r = 2000, 70
	var l IdentityPlusRankOne[float32]
	rand := rng.New(5, 0)
	must.Have(l.Set(.3, asmtest.Normal[float32](rand, r)))(t)
	data := asmtest.Normal[float32](rand, n*r)
	var want []float32
	for _, workers := range []int{1, 2, 7} {
		b := gram.Rows[float32]{Data: slices.Clone(data), N: n, D: r, Stride: r}
		l.ApplyRight(b, workers)
		if want == nil {
			want = b.Data
		} else if !slices.Equal(want, b.Data) {
			t.Fatalf("%d workers change the result", workers)
		}
	}
}

// TestSetMargin: ‖Lᵀw‖² = margin·‖w‖² to 1e-14 for margins from 1e-16 on, where Set,
// which is given β, has no digit left; computed in 300 bits. Below, the square of the
// rounding errors of Lᵀw counts.
func TestSetMargin(t *testing.T) {
	var l IdentityPlusRankOne[float64]
	rand := rng.New(3, 0)
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }
	for _, r := range []int{1, 2, 5, 17} {
		for e := -16; e <= 20; e++ {
			margin := 1.3 * math.Pow10(e)
			w := asmtest.Normal[float64](rand, r)
			if r > 2 {
				w[1] = 0
			}
			must.Do(t, l.SetMargin(margin, w))
			got, want := number(0), number(0)
			for j, wj := range w {
				sum := number(0).Mul(number(l.d[j]), number(wj))
				for _, v := range w[j+1:] {
					sum.Add(sum, number(0).Mul(number(l.c[j]), number(0).Mul(number(v), number(v))))
				}
				got.Add(got, sum.Mul(sum, sum))
				want.Add(want, number(0).Mul(number(wj), number(wj)))
			}
			want.Mul(want, number(margin))
			err, _ := got.Quo(got, want).Sub(got, number(1)).Float64()
			if !(math.Abs(err) <= 1e-14) {
				t.Errorf("order %d, margin %g: relative error %g", r, margin, err)
			}
		}
	}
	// L depends on the direction of w alone, also where squares overflow or vanish.
	for _, margin := range []float64{1e-3, .5, 7} {
		w := []float64{1, -.5, .25}
		_ = l.SetMargin(margin, w)
		want := slices.Clone(l.dense().Data)
		for _, e := range []int{-1060, -600, -300, 300, 600, 1023} {
			scaled := []float64{math.Ldexp(w[0], e), math.Ldexp(w[1], e), math.Ldexp(w[2], e)}
			if err := l.SetMargin(margin, scaled); err != nil || !slices.Equal(l.dense().Data, want) {
				t.Errorf("margin %g, w·2^%d: %v, %v, want %v", margin, e, err, l.dense().Data, want)
			}
		}
	}
	if err := l.SetMargin(1, make([]float64, 3)); err != nil || l.dense().Data[4] != 1 {
		t.Errorf("w = 0: %v", err)
	}
	before := slices.Clone(l.dense().Data)
	var npd *gram.NotPDError
	if err := l.SetMargin(0, []float64{1, 2, 3}); !errors.As(err, &npd) {
		t.Errorf("margin 0: %v", err)
	}
	var de *gram.DataError
	if err := l.SetMargin(math.Inf(1), []float64{1, 2, 3}); !errors.As(err, &de) || de.Row != -1 {
		t.Errorf("infinite margin: %v", err)
	}
	if err := l.SetMargin(2, []float64{1, math.NaN(), 3}); !errors.As(err, &de) || de.Row != 1 {
		t.Errorf("NaN in w: %v", err)
	}
	if !slices.Equal(before, l.dense().Data) {
		t.Error("a failed SetMargin changed the factor")
	}
}

// dense returns L as a lower triangular matrix.
func (l *IdentityPlusRankOne[F]) dense() blas64.Triangular {
	r := len(l.w)
	t := blas64.Triangular{N: r, Stride: max(1, r), Data: make([]float64, r*r), Uplo: blas.Lower, Diag: blas.NonUnit}
	for i := range r {
		t.Data[i*r+i] = float64(l.d[i])
		for j := range i {
			t.Data[i*r+j] = float64(l.c[j]) * float64(l.w[i])
		}
	}
	return t
}
