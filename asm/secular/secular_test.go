package secular

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num/rng"
)

// Accuracy class reassociated, see doc.go: ulps of one term, and of the sum of
// n terms' absolute values for each addition.
const (
	sumsUlps   = 8
	ratiosUlps = 3
	cauchyUlps = 6
	ulp        = 0x1p-52
)

// poles returns ascending poles with gaps over eight decades and positive
// weights over eight.
func poles(r *rand.Rand, n int) (d, z2 []float64) {
	d, z2 = make([]float64, n), make([]float64, n)
	at := -.5
	for i := range d {
		at += math.Pow(10, -8*r.Float64()) / float64(n)
		d[i], z2[i] = at, math.Pow(10, -8*r.Float64())
	}
	return d, z2
}

func lengths() []int {
	if testing.Short() {
		return asmtest.Lengths(4, 32, 67)
	}
	return asmtest.Lengths(32, 127, maxWork)
}

// canary copies x to a guarded place at offset.
func canary(x []float64, offset int) *asmtest.Canary[float64] {
	c := asmtest.NewCanary[float64](len(x), 1, offset)
	c.Set(x)
	return c
}

func exact(v float64) *big.Float { return new(big.Float).SetPrec(120).SetFloat64(v) }

// quotient returns z2/((d−base)−tau), and that divided by the difference once
// more, in 120 bits.
func quotient(d, z2, base, tau float64) (q, dq float64) {
	x := exact(d)
	x.Sub(x, exact(base))
	x.Sub(x, exact(tau))
	v := exact(z2)
	v.Quo(v, x)
	q, _ = v.Float64()
	v.Quo(v, x)
	dq, _ = v.Float64()
	return q, dq
}

func TestSums(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rng.New(1, 0)
		for _, n := range lengths() {
			d, z2 := poles(r, n)
			for _, split := range []int{0, n / 3, n/2 + 1, n - 1, n} {
				if split < 0 || split > n {
					continue
				}
				o := max(split-1, 0)
				base, tau := -.5, -.25
				if n > 0 {
					base = d[o]
					tau = math.Pow(10, -12*r.Float64()) * 1e-9
				}
				cd, cz := canary(d, n%8), canary(z2, (n+split)%8)
				got := Terms{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
				Sums(&got, cd.Slice(), cz.Slice(), split, base, tau)
				cd.Check(t)
				cz.Check(t)
				var want, size Terms
				for i := range d {
					q, dq := quotient(d[i], z2[i], base, tau)
					if i < split {
						want.Psi += q
						want.DPsi += dq
						size.Psi += math.Abs(q)
					} else {
						want.Phi += q
						want.DPhi += dq
						size.Phi += math.Abs(q)
					}
				}
				tol := (sumsUlps + float64(n)) * ulp
				for _, c := range [][3]float64{
					{got.Psi, want.Psi, size.Psi}, {got.DPsi, want.DPsi, want.DPsi},
					{got.Phi, want.Phi, size.Phi}, {got.DPhi, want.DPhi, want.DPhi},
				} {
					if !(math.Abs(c[0]-c[1]) <= tol*c[2]) {
						t.Fatalf("n %d split %d: %+v, want %+v", n, split, got, want)
					}
				}
			}
		}
	})
}

// Weights that are zero or denormal are not lost, and a weight that is NaN makes the sums of
// its side NaN and no other.
func TestSpecialWeights(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rng.New(2, 0)
		for n := 1; n < 40; n++ {
			d, z2 := poles(r, n)
			split, at := n/2, r.IntN(n)
			for i := range z2 {
				z2[i] = []float64{0, 5e-324, 3e-310, 1e-300, 1}[r.IntN(5)]
			}
			var want, got Terms
			sumsGeneric(&want, d, z2, split, -.5, -.25)
			Sums(&got, d, z2, split, -.5, -.25)
			for _, c := range [][2]float64{{got.Psi, want.Psi}, {got.DPsi, want.DPsi}, {got.Phi, want.Phi}, {got.DPhi, want.DPhi}} {
				if !(math.Abs(c[0]-c[1]) <= (2*sumsUlps+float64(n))*ulp*math.Abs(c[1])+float64(n)*1e-322) {
					t.Fatalf("n %d: %v, want %v", n, got, want)
				}
			}
			z2[at] = math.NaN()
			Sums(&got, d, z2, split, -.5, -.25)
			if left := at < split; (got.Psi != got.Psi && got.DPsi != got.DPsi) != left || (got.Phi != got.Phi && got.DPhi != got.DPhi) == left {
				t.Fatalf("n %d, NaN at %d of %d: %v", n, at, split, got)
			}
		}
	})
}

// TestReciprocal checks single quotients, one per call, over the range of the
// differences.
func TestReciprocal(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rng.New(2, 0)
		for range 2000 {
			d := [9]float64{}
			z2 := [9]float64{}
			k := r.IntN(9)
			for i := range d {
				d[i] = 1
			}
			tau := (1 + r.Float64()) * math.Pow(10, 140*r.Float64()-70)
			d[k], z2[k] = 0, 1
			var got Terms
			Sums(&got, d[:], z2[:], 9, 0, tau)
			if want := -1 / tau; !(math.Abs(got.Psi-want) <= 2*ulp*math.Abs(want)) {
				t.Fatalf("1/%g at %d: %v", -tau, k, got.Psi)
			}
		}
	})
}

// TestZero evaluates at 0, where the unused lanes of a last vector would
// divide by 0.
func TestZero(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		var got Terms
		Sums(&got, []float64{4, 5, 8}, []float64{1, 1, 1}, 1, 1, -1)
		if want := (Terms{.25, .0625, .325, .055625}); !(math.Abs(got.Psi-want.Psi)+math.Abs(got.DPsi-want.DPsi)+math.Abs(got.Phi-want.Phi)+math.Abs(got.DPhi-want.DPhi) <= 1e-15) {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

func TestRatios(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rng.New(3, 0)
		for _, n := range lengths() {
			d, _ := poles(r, n)
			tau := make([]float64, n)
			for j := range tau {
				tau[j] = 1e-10 * (1 + r.Float64())
			}
			for _, i := range []int{0, n / 2, n - 1} {
				if i < 0 || i >= n {
					continue
				}
				cb, ct, cd := canary(d, n%8), canary(tau, (n+3)%8), canary(d, (n+5)%8)
				got := Ratios(cb.Slice(), ct.Slice(), cd.Slice(), d[i])
				cb.Check(t)
				ct.Check(t)
				cd.Check(t)
				want := exact(1)
				for j := range d {
					x := exact(d[j])
					x.Sub(x, exact(d[i]))
					if j != i {
						y := new(big.Float).Copy(x)
						want.Quo(want, y)
					}
					want.Mul(want, x.Add(x, exact(tau[j])))
				}
				w, _ := want.Float64()
				if !(math.Abs(got-w) <= (ratiosUlps*float64(n)+8)*ulp*math.Abs(w)) {
					t.Fatalf("n %d i %d: %v, want %v", n, i, got, w)
				}
			}
		}
		if got := Ratios(nil, nil, nil, 1); got != 1 {
			t.Errorf("empty product is %v", got)
		}
	})
}

func TestCauchy(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rng.New(4, 0)
		for _, n := range lengths() {
			base, scale := poles(r, n)
			tau := make([]float64, n)
			for j := range tau {
				tau[j] = 1e-10 * (1 + r.Float64())
			}
			p, w := -.5, -.3
			if n > 0 {
				p = base[n/2]
			}
			dst, cb, ct, cs := canary(make([]float64, n), n%8), canary(base, (n+1)%8), canary(tau, (n+4)%8), canary(scale, (n+6)%8)
			Cauchy(dst.Slice(), cb.Slice(), ct.Slice(), cs.Slice(), p, w)
			for _, c := range []*asmtest.Canary[float64]{dst, cb, ct, cs} {
				c.Check(t)
			}
			for j, got := range dst.Get() {
				q, _ := quotient(base[j], scale[j], p, -tau[j])
				if q *= w; !(math.Abs(got-q) <= cauchyUlps*ulp*math.Abs(q)) {
					t.Fatalf("n %d: element %d is %v, want %v", n, j, got, q)
				}
			}
		}
	})
}

// TestLevels compares every level with the generic one.
func TestLevels(t *testing.T) {
	r := rng.New(5, 0)
	const n = 203
	d, z2 := poles(r, n)
	var want Terms
	sumsGeneric(&want, d, z2, 77, d[76], 1e-10)
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		var got Terms
		Sums(&got, d, z2, 77, d[76], 1e-10)
		if !(math.Abs(got.Psi-want.Psi) <= 1e-12*math.Abs(want.Psi)) || !(math.Abs(got.Phi-want.Phi) <= 1e-12*math.Abs(want.Phi)) {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

// TestGuard runs the kernels beside pages without access.
func TestGuard(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, n := range []int{1, 7, 8, 9, 31, 32, 33, 65} {
			asmtest.Guarded(t, n, func(x []float64) {
				other := make([]float64, n)
				for i := range x {
					x[i], other[i] = float64(i), .5
				}
				var s Terms
				Sums(&s, x, other, n/2, 0, .5)
				Sums(&s, other, x, n/2, 0, .25)
				Ratios(x, other, x, 0)
				Ratios(other, x, other, -1)
				Cauchy(other, x, x, x, -1, 1)
				Cauchy(x, other, other, other, -1, 1)
			})
		}
	})
}

func FuzzSums(f *testing.F) {
	f.Add(uint64(1), 40, 13)
	f.Fuzz(func(t *testing.T, seed uint64, n, split int) {
		if n < 0 || n > 500 || split < 0 || split > n {
			return
		}
		d, z2 := poles(rng.New(seed, 0), n)
		base := 0.
		if split > 0 {
			base = d[split-1]
		}
		var want, got Terms
		sumsGeneric(&want, d, z2, split, base, 1e-9)
		for _, l := range asmtest.Available(levels) {
			asmtest.At(l, func() { Sums(&got, d, z2, split, base, 1e-9) })
			// The difference from a pole beside the point may cancel, so
			// errors are measured relative to the derivatives, which do not.
			if !(math.Abs(got.DPsi-want.DPsi) <= 1e-12*want.DPsi) || !(math.Abs(got.DPhi-want.DPhi) <= 1e-12*want.DPhi) {
				t.Errorf("%v: %+v, want %+v", l, got, want)
			}
		}
	})
}

func BenchmarkKernels(b *testing.B) {
	for _, n := range []int{64, 256, 1024} {
		r := rng.New(6, 0)
		d, z2 := poles(r, n)
		tau, dst := make([]float64, n), make([]float64, n)
		for j := range tau {
			tau[j] = 1e-10
		}
		for _, l := range append([]cpu.Level{cpu.Generic}, asmtest.Available(levels)...) {
			for name, run := range map[string]func(){
				"Sums":   func() { var s Terms; Sums(&s, d, z2, n/2, d[n/2-1], 1e-10) },
				"Ratios": func() { Ratios(d, tau, d, d[n/2]) },
				"Cauchy": func() { Cauchy(dst, d, tau, z2, d[n/2], 1) },
			} {
				b.Run(fmt.Sprintf("%s/n=%d/isa=%v", name, n, l), func(b *testing.B) {
					b.ReportAllocs()
					asmtest.At(l, func() {
						for b.Loop() {
							run()
						}
					})
				})
			}
		}
	}
}
