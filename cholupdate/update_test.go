package cholupdate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

var levels = cpu.Levels()[1:]

var orders = []blas.Uplo{blas.Lower, blas.Upper}

// random returns a factor of order n with a stride larger than n, the unused
// triangle filled with NaN, and condition about 10^digits.
func random(n int, uplo blas.Uplo, seed uint64, digits float64) blas64.Triangular {
	r := rng.New(seed, uint64(n))
	t := blas64.Triangular{N: n, Stride: n + 3, Data: make([]float64, n*(n+3)), Uplo: uplo, Diag: blas.NonUnit}
	for i := range t.Data {
		t.Data[i] = math.NaN()
	}
	f := factorOf(t)
	for i := range n {
		for j := range i {
			f.a[f.at(i, j)] = r.NormFloat64() / math.Sqrt(float64(n))
		}
		f.a[f.at(i, i)] = math.Pow(10, -digits/2*float64(i)/float64(n)) * (1 + r.Float64())
	}
	return t
}

func clone(t blas64.Triangular) blas64.Triangular {
	t.Data = slices.Clone(t.Data)
	return t
}

// product returns LLᵀ by its definition; the sums are compensated.
func product(t blas64.Triangular) *mat.SymDense {
	f := factorOf(t)
	if f.n == 0 {
		return nil
	}
	a := mat.NewSymDense(f.n, nil)
	for i := range f.n {
		for j := range i + 1 {
			var s, c float64 // Neumaier's compensated sum
			for k := range j + 1 {
				x, y := f.a[f.at(i, k)], f.a[f.at(j, k)]
				p := x * y
				c += math.FMA(x, y, -p)
				u := s + p
				if math.Abs(s) >= math.Abs(p) {
					c += (s - u) + p
				} else {
					c += (p - u) + s
				}
				s = u
			}
			a.SetSym(i, j, s+c)
		}
	}
	return a
}

// backward returns ‖LLᵀ − (A + σxxᵀ)‖_F/‖A‖_F.
func backward(t blas64.Triangular, a *mat.SymDense, sigma float64, x []float64) float64 {
	n := t.N
	if n == 0 {
		return 0
	}
	want := mat.NewSymDense(n, nil)
	want.CopySym(a)
	want.SymRankOne(want, sigma, mat.NewVecDense(n, slices.Clone(x)))
	var d mat.Dense
	d.Sub(product(t), want)
	return mat.Norm(&d, 2) / max(mat.Norm(a, 2), mat.Norm(want, 2))
}

// unchanged fails the test if the triangle outside the factor was written.
func unchanged(t *testing.T, l blas64.Triangular) {
	t.Helper()
	for i := range l.N {
		for j := range l.Stride {
			inside := j < l.N && (j <= i == (l.Uplo == blas.Lower) || i == j)
			if !inside && !math.IsNaN(l.Data[i*l.Stride+j]) {
				t.Fatalf("element %d,%d outside the factor was written", i, j)
			}
		}
	}
}

const eps = 0x1p-52

func TestUpdate(t *testing.T) {
	sizes := []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 17, 33, 64, 101}
	if testing.Short() {
		sizes = []int{1, 2, 5, 9, 22, 45}
	}
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, uplo := range orders {
			for _, n := range sizes {
				for _, digits := range []float64{0, 6, 12} {
					l := random(n, uplo, 1, digits)
					a := product(l)
					r := rng.New(2, uint64(n))
					for _, scale := range []float64{1, 1e-8, 1e8, 1e-160, 1e140} {
						x := asmtest.Normal[float64](r, n)
						for i := range x {
							x[i] *= scale
						}
						kept, m := slices.Clone(x), clone(l)
						must.Do(t, Update(m, x))
						if e := backward(m, a, 1, x); !(e <= 8*float64(n)*eps) {
							t.Errorf("%c n %d scale %g: backward error %g", uplo, n, scale, e)
						}
						if !slices.Equal(x, kept) {
							t.Error("x was changed")
						}
						unchanged(t, m)
					}
				}
			}
		}
	})
}

// Updates of every order up to 130 have the backward error that rotations have, whatever
// the sizes of the elements of L⁻¹x, for which single columns are rotated.
func TestUpdateOrders(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for n := 0; n <= 130; n += step {
			uplo := orders[n/step%2]
			l := random(n, uplo, 31, float64(n%4)*3)
			x := asmtest.Normal[float64](rng.New(32, uint64(n)), n)
			for i := range x {
				x[i] *= math.Pow(10, float64((n*7+i)%9-4))
			}
			a, m := product(l), clone(l)
			must.Do(t, Update(m, x))
			if e := backward(m, a, 1, x); !(e <= 4*math.Sqrt(float64(n))*eps) {
				t.Errorf("%c n %d: backward error %g", uplo, n, e)
			}
			unchanged(t, m)
		}
	})
}

// An element of L⁻¹x of any size in any column, between others or alone, updates the factor
// by what rotations alone do, in both directions.
func TestUpdateColumns(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		const n = 45
		for _, uplo := range orders {
			l := random(n, uplo, 33, 2)
			f := factorOf(l)
			a := product(l)
			for _, column := range []int{0, 3, 31, 37, 44} {
				for _, size := range []float64{1e-320, 1e-9, .9, 3.8, 3.9, 1e3, 1e150} {
					for _, others := range []float64{0, .1, 2} {
						p := make([]float64, n)
						for i := range p {
							p[i] = others * float64(i%3-1)
						}
						p[column] = size
						x := make([]float64, n)
						for i := range x {
							for j := range i + 1 {
								x[i] += f.a[f.at(i, j)] * p[j]
							}
						}
						m := clone(l)
						must.Do(t, Update(m, x))
						if e := backward(m, a, 1, x); !(e <= 30*eps) {
							t.Errorf("%c: %g in column %d, others %g: backward error %g", uplo, size, column, others, e)
						}
						want := clone(l)
						rotateOnly(want, x)
						b := product(want)
						var d mat.Dense
						d.Sub(product(m), b)
						if e := mat.Norm(&d, 2) / mat.Norm(b, 2); !(e <= 30*eps) {
							t.Errorf("%c: %g in column %d, others %g: rotations give a product that differs by %g", uplo, size, column, others, e)
						}
						if size < 1e3 {
							b = product(m)
							must.Have(DowndateInPlace(m, x))(t)
							if e := backward(m, b, -1, x); !(e <= 30*eps) {
								t.Errorf("%c: %g in column %d, others %g: backward error of the way back %g", uplo, size, column, others, e)
							}
						}
					}
				}
			}
		}
	})
}

// rotateOnly updates l by rotations of one column after the other.
func rotateOnly(l blas64.Triangular, x []float64) {
	f, w := factorOf(l), slices.Clone(x)
	for j := range f.n {
		d := &f.a[f.at(j, j)]
		r := math.Hypot(*d, w[j])
		c, s := *d/r, w[j]/r
		*d = r
		for i := j + 1; i < f.n; i++ {
			e := &f.a[f.at(i, j)]
			*e, w[i] = c**e+s*w[i], c*w[i]-s**e
		}
	}
}

// TestZeros checks that rotations for zeros of x are left out.
func TestZeros(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		const n = 71
		for _, uplo := range orders {
			for _, first := range []int{3, 4, 30, 64, 70} {
				l := random(n, uplo, 12, 2)
				a := product(l)
				x := asmtest.Normal[float64](rng.New(13, 0), n)
				clear(x[:first])
				clear(x[min(first+1, n):min(first+12, n)])
				up := clone(l)
				must.Do(t, Update(up, x))
				if e := backward(up, a, 1, x); !(e <= 8*n*eps) {
					t.Errorf("%c first %d: backward error %g", uplo, first, e)
				}
				f, g := factorOf(l), factorOf(up)
				for i := range n {
					for j := range min(i+1, first&^3) { // rotations come four at a time
						if f.a[f.at(i, j)] != g.a[g.at(i, j)] {
							t.Fatalf("%c first %d: element %d,%d was changed", uplo, first, i, j)
						}
					}
				}
				a = product(up)
				must.Have(Downdate(up, x))(t)
				if e := backward(up, a, -1, x); !(e <= 8*n*eps) {
					t.Errorf("%c first %d: backward error of the downdate %g", uplo, first, e)
				}
			}
		}
	})
}

// scaled returns x with x'A⁻¹x = 1 − margin.
func scaled(l blas64.Triangular, x []float64, margin float64) []float64 {
	p := slices.Clone(x)
	trans := blas.NoTrans
	if l.Uplo == blas.Upper {
		trans = blas.Trans
	}
	v := blas64.Vector{N: l.N, Data: p, Inc: 1}
	blas64.Trsv(trans, l, v)
	out := slices.Clone(x)
	for i := range out {
		out[i] *= math.Sqrt(1-margin) / blas64.Nrm2(v)
	}
	return out
}

func TestDowndate(t *testing.T) {
	sizes := []int{1, 2, 3, 4, 5, 8, 9, 33, 60, 101}
	if testing.Short() {
		sizes = []int{1, 3, 9, 22, 45}
	}
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, uplo := range orders {
			for _, n := range sizes {
				for _, margin := range []float64{.9, .5, 1e-4, 1e-8, 1e-12} {
					l := random(n, uplo, 3, 2)
					a := product(l)
					r := rng.New(4, uint64(n))
					x := scaled(l, asmtest.Normal[float64](r, n), margin)
					for name, down := range map[string]func(Triangular[float64], []float64) (float64, error){"transactional": Downdate[float64], "in place": DowndateInPlace[float64]} {
						m := clone(l)
						got, err := down(m, x)
						if err != nil {
							if margin < 1e-11 { // rounding of x may decide
								continue
							}
							t.Fatalf("%s %c n %d margin %g: %v", name, uplo, n, margin, err)
						}
						if !(math.Abs(got-margin) <= 100*float64(n)*eps+1e-3*margin) {
							t.Errorf("%s n %d: margin %g, want %g", name, n, got, margin)
						}
						if e := backward(m, a, -1, x); !(e <= 8*float64(n)*eps) {
							t.Errorf("%s %c n %d margin %g: backward error %g", name, uplo, n, margin, e)
						}
						unchanged(t, m)
					}
				}
			}
		}
	})
}

// TestHardestDowndate puts all of L⁻¹x into the first coordinate, which
// separates stable algorithms from unstable ones.
func TestHardestDowndate(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		const n = 60
		for _, uplo := range orders {
			for _, margin := range []float64{1e-4, 1e-8, 1e-12} {
				l := random(n, uplo, 5, 0)
				f := factorOf(l)
				x := make([]float64, n)
				for i := range x {
					x[i] = f.a[f.at(i, 0)] * math.Sqrt(1-margin)
				}
				a, m := product(l), clone(l)
				must.Have(Downdate(m, x))(t)
				if e := backward(m, a, -1, x); !(e <= 4*eps) {
					t.Errorf("%c margin %g: backward error %g", uplo, margin, e)
				}
			}
		}
	})
}

func TestDowndateFails(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, uplo := range orders {
			for _, n := range []int{1, 2, 3, 7, 30, 45} {
				l := random(n, uplo, 6, 1)
				x := scaled(l, asmtest.Normal[float64](rng.New(7, uint64(n)), n), -.01)
				m := clone(l)
				margin, err := Downdate(m, x)
				var npd *gram.NotPDError
				if !errors.As(err, &npd) || margin > 0 || npd.Margin > 0 || npd.Pivot < 0 || npd.Pivot >= n {
					t.Fatalf("n %d: margin %g, error %v", n, margin, err)
				}
				for i := range m.Data {
					if !asmtest.SameBits(m.Data[i], l.Data[i]) {
						t.Fatal("a failed downdate changed the factor")
					}
				}
				if _, err := DowndateInPlace(m, x); !errors.As(err, &npd) {
					t.Errorf("in place: error %v", err)
				}
			}
		}
	})
}

func TestBadInput(t *testing.T) {
	l := random(5, blas.Lower, 8, 0)
	before := slices.Clone(l.Data)
	same := func() {
		t.Helper()
		for i := range before {
			if !asmtest.SameBits(before[i], l.Data[i]) {
				t.Fatal("the factor was changed")
			}
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		x := []float64{1, 0, bad, 0, 0}
		var de *gram.DataError
		if err := Update(l, x); !errors.As(err, &de) || de.Row != 2 {
			t.Errorf("Update with %v: %v", bad, err)
		}
		if _, err := Downdate(l, x); !errors.As(err, &de) || de.Row != 2 {
			t.Errorf("Downdate with %v: %v", bad, err)
		}
		if _, err := DowndateInPlace(l, x); !errors.As(err, &de) {
			t.Errorf("DowndateInPlace with %v: %v", bad, err)
		}
		if err := UpdateRank(l, blas64.General{Rows: 5, Cols: 1, Stride: 1, Data: x}); !errors.As(err, &de) || de.Row != 2 {
			t.Errorf("UpdateRank with %v: %v", bad, err)
		}
		if _, _, err := appendTo(l, append(slices.Clone(x), 3)); !errors.As(err, &de) || de.Row != 2 {
			t.Errorf("appendTo with %v: %v", bad, err)
		}
		same()
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		for k := range 5 {
			m := clone(l)
			m.Data[k*m.Stride+k] = bad
			var npd *gram.NotPDError
			var de *gram.DataError
			finite := !math.IsNaN(bad) && !math.IsInf(bad, 0)
			err := Update(m, make([]float64, 5))
			if finite && !(errors.As(err, &npd) && npd.Pivot == k) || !finite && !(errors.As(err, &de) && de.Row == k) {
				t.Errorf("element %d of the diagonal %v: %v", k, bad, err)
			}
		}
	}
	zero := make([]float64, 5)
	if err := Update(l, zero); err != nil {
		t.Error(err)
	}
	if m, err := Downdate(l, zero); err != nil || m != 1 {
		t.Errorf("x = 0: margin %v, %v", m, err)
	}
	same()
	for name, f := range map[string]func(){
		"length": func() { _ = Update(l, zero[:4]) },
		"triangle": func() {
			_ = Update(blas64.Triangular{N: 1, Stride: 1, Data: []float64{1}, Diag: blas.NonUnit}, zero[:1])
		},
		"stride": func() {
			_ = Update(blas64.Triangular{N: 2, Stride: 1, Data: make([]float64, 4), Uplo: blas.Lower, Diag: blas.NonUnit}, zero[:2])
		},
		"data": func() {
			_ = Update(blas64.Triangular{N: 2, Stride: 2, Data: make([]float64, 3), Uplo: blas.Lower, Diag: blas.NonUnit}, zero[:2])
		},
	} {
		if must.Recovered(f) == nil {
			t.Errorf("%s: no panic", name)
		}
	}
}

// TestHugeAndTiny changes factors whose squared entries overflow or
// underflow.
func TestHugeAndTiny(t *testing.T) {
	for _, s := range []float64{1e-300, 1e-170, 1e170, 1e300} {
		l := blas64.Triangular{N: 2, Stride: 2, Data: []float64{s, 0, s, s}, Uplo: blas.Lower, Diag: blas.NonUnit}
		must.Do(t, Update(l, []float64{s, 0}))
		// [s² s²; s² 2s²] + [s² 0; 0 0] = LLᵀ with L = s·[√2 0; 1/√2 √1.5].
		for i, want := range []float64{math.Sqrt2, 0, 1 / math.Sqrt2, math.Sqrt(1.5)} {
			if !(math.Abs(l.Data[i]/s-want) <= 4*eps) {
				t.Errorf("scale %g: L = %v", s, l.Data)
			}
		}
		if m, err := Downdate(l, []float64{s, 0}); err != nil || !(math.Abs(m-1./3) < 1e-14) {
			t.Errorf("scale %g: margin %v, %v", s, m, err)
		}
	}
}

// TestOneByOne is a case for which a published library returned a wrong root.
func TestOneByOne(t *testing.T) {
	l := blas64.Triangular{N: 1, Stride: 1, Data: []float64{1}, Uplo: blas.Upper, Diag: blas.NonUnit}
	if m, err := Downdate(l, []float64{.5}); err != nil || m != .75 {
		t.Errorf("margin %v, %v", m, err)
	}
	if want := math.Sqrt(.75); l.Data[0] != want {
		t.Errorf("L = %v, want %v", l.Data[0], want)
	}
}

func TestRank(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, uplo := range orders {
			for _, n := range []int{1, 5, 45} {
				for _, k := range []int{0, 1, 3, 8} {
					l := random(n, uplo, 9, 2)
					r := rng.New(10, uint64(n))
					x := blas64.General{Rows: n, Cols: k, Stride: k + 2, Data: asmtest.Normal[float64](r, n*(k+2))}
					one, all := clone(l), clone(l)
					for j := range k {
						col := make([]float64, n)
						for i := range col {
							col[i] = x.Data[i*x.Stride+j]
						}
						must.Do(t, Update(one, col))
					}
					must.Do(t, UpdateRank(all, x))
					var gap mat.Dense
					gap.Sub(product(all), product(one))
					if e := mat.Norm(&gap, 2) / mat.Norm(product(one), 2); !(e <= 4*float64(max(1, k))*eps) {
						t.Fatalf("n %d k %d: column by column gives a product that differs by %g", n, k, e)
					}
					back := clone(all)
					margin, err := DowndateRank(back, x)
					if err != nil || !(margin > 0) || margin > 1 {
						t.Fatalf("margin %v, %v", margin, err)
					}
					var d mat.Dense
					d.Sub(product(back), product(l))
					if e := mat.Norm(&d, 2) / mat.Norm(product(all), 2); !(e <= 16*float64(n*max(1, k))*eps) {
						t.Errorf("n %d k %d: there and back: %g", n, k, e)
					}
					if k > 0 {
						for i := range x.Data {
							x.Data[i] *= 1e3
						}
						m := clone(all)
						var npd *gram.NotPDError
						if _, err := DowndateRank(m, x); !errors.As(err, &npd) {
							t.Fatalf("error %v", err)
						}
						for i := range m.Data {
							if !asmtest.SameBits(m.Data[i], all.Data[i]) {
								t.Fatal("a failed downdate changed the factor")
							}
						}
					}
				}
			}
		}
	})
}

func TestFloat32(t *testing.T) {
	sizes := []int{1, 2, 3, 9, 40, 101}
	if testing.Short() {
		sizes = []int{1, 3, 22, 45}
	}
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, uplo := range orders {
			for _, n := range sizes {
				l := random(n, uplo, 11, 1)
				narrow := Triangular[float32]{N: n, Stride: l.Stride, Uplo: uplo, Diag: blas.NonUnit}
				for i, v := range l.Data {
					narrow.Data = append(narrow.Data, float32(v))
					l.Data[i] = float64(float32(v))
				}
				wide := func() blas64.Triangular {
					w := clone(l)
					for i, v := range narrow.Data {
						w.Data[i] = float64(v)
					}
					return w
				}
				a := product(l)
				x, x64 := make([]float32, n), make([]float64, n)
				for i, v := range asmtest.Normal[float64](rng.New(12, uint64(n)), n) {
					x[i] = float32(v)
					x64[i] = float64(x[i])
				}
				must.Do(t, Update(narrow, x))
				const eps = 0x1p-23
				if e := backward(wide(), a, 1, x64); !(e <= 8*float64(n)*eps) {
					t.Errorf("n %d: update: %g", n, e)
				}
				a = product(wide())
				for name, down := range map[string]func(Triangular[float32], []float32) (float64, error){"transactional": Downdate[float32], "in place": DowndateInPlace[float32]} {
					kept := slices.Clone(narrow.Data)
					must.Have(down(narrow, x))(t)
					if e := backward(wide(), a, -1, x64); !(e <= 8*float64(n)*eps) {
						t.Errorf("n %d: downdate %s: %g", n, name, e)
					}
					copy(narrow.Data, kept)
				}
			}
		}
	})
}

// TestResidual alternates updates and downdates by the same vectors and measures what they leave:
// the residual of a random vector is about the distance of the matrices, in both orders.
func TestResidual(t *testing.T) {
	n, rounds := 200, 20000
	if testing.Short() {
		n, rounds = 20, 500
	}
	for _, uplo := range orders {
		l := random(n, uplo, 13, 0)
		a := product(l)
		r := rng.New(14, 0)
		v := asmtest.Normal[float64](r, n)
		var av mat.VecDense
		av.MulVec(a, mat.NewVecDense(n, v))
		measure := func() float64 { return Residual(l, v, av.RawVector().Data) }
		if e := measure(); !(e <= 1e-14) {
			t.Errorf("of the factor itself: %g", e)
		}
		for range rounds {
			x := asmtest.Normal[float64](r, n)
			must.Do(t, Update(l, x))
			must.Have(DowndateInPlace(l, x))(t)
		}
		var diff mat.Dense
		diff.Sub(product(l), a)
		e := mat.Norm(&diff, 2) / mat.Norm(a, 2)
		t.Logf("relative drift after %d changes %.2g, measured %.2g", 2*rounds, e, measure())
		if !(e < 1e-11*math.Sqrt(float64(n)/200)) && !testing.Short() {
			t.Errorf("drift %g", e)
		}
		if got := measure(); !(got >= e/30 && got <= 30*e) {
			t.Errorf("the drift is %g, measured %g", e, got)
		}
		l.Data[l.Stride+1] *= 1 + 1e-9
		if got := measure(); !(got >= 1e-12 && got <= 1e-8) {
			t.Errorf("after an error of 1e-9 the residual is %g", got)
		}
		l.Data[l.Stride+1] = math.NaN()
		if got := measure(); got <= math.Inf(1) {
			t.Errorf("of a factor with NaN the residual is %g", got)
		}
	}
}

func BenchmarkUpdate(b *testing.B) {
	for _, n := range []int{64, 256, 512, 1024} {
		for _, level := range append([]cpu.Level{cpu.Generic}, levels...) {
			for _, uplo := range orders {
				b.Run(fmt.Sprintf("n=%d/uplo=%c/isa=%s", n, uplo, level), func(b *testing.B) {
					l := random(n, uplo, 1, 0)
					x := asmtest.Normal[float64](rng.New(2, 0), n)
					b.ReportAllocs()
					asmtest.At(level, func() {
						for b.Loop() {
							_ = Update(l, x)
						}
					})
				})
			}
		}
	}
}

func BenchmarkDowndate(b *testing.B) {
	for _, n := range []int{64, 256, 512, 1024} {
		for _, level := range append([]cpu.Level{cpu.Generic}, levels...) {
			for name, down := range map[string]func(Triangular[float64], []float64) (float64, error){"transactional": Downdate[float64], "inplace": DowndateInPlace[float64]} {
				b.Run(fmt.Sprintf("n=%d/form=%s/isa=%s", n, name, level), func(b *testing.B) {
					l := random(n, blas.Upper, 1, 0)
					x := asmtest.Normal[float64](rng.New(2, 0), n)
					for i := range x {
						x[i] *= 1e-9
					}
					b.ReportAllocs()
					asmtest.At(level, func() {
						for b.Loop() {
							if _, err := down(l, x); err != nil {
								b.Fatal(err)
							}
						}
					})
				})
			}
		}
	}
}
