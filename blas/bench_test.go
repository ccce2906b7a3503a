package blas_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/peak"
	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/gen"
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
)

// backends are compared by the benchmarks.
var backends = []blas.Backend{blas.Native, blas.Gonum}

func rate(b *testing.B, flops float64) {
	b.ReportMetric(flops*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
}

// BenchmarkPeak is the ceiling: FMAs in registers on one core.
func BenchmarkPeak(b *testing.B) {
	b.Run("type=float64", func(b *testing.B) {
		x := make([]float64, peak.Width[float64]())
		for b.Loop() {
			peak.FMA(x, 1, 1e-9, 10000)
		}
		rate(b, float64(2*10000*len(x)))
	})
	b.Run("type=float32", func(b *testing.B) {
		x := make([]float32, peak.Width[float32]())
		for b.Loop() {
			peak.FMA(x, 1, 1e-9, 10000)
		}
		rate(b, float64(2*10000*len(x)))
	})
}

func values[F gram.Float](n int) []F {
	return asmtest.Normal[F](rand.New(rand.NewPCG(1, uint64(n))), n)
}

func benchShapes(b *testing.B, body func(b *testing.B, x blas.Backend, m, n, k int)) {
	shapes := [][3]int{
		{32, 32, 32}, {64, 64, 64}, {100, 100, 100}, {200, 200, 200}, {500, 500, 500}, {1000, 1000, 1000}, {2000, 2000, 2000},
		{10000, 16, 16}, {10000, 64, 64}, {2000, 2000, 16}, {10000, 8, 500}, {8, 2000, 500}, {512, 512, 10000},
	}
	for _, s := range shapes {
		for _, x := range backends {
			for _, threads := range []int{1, 2} {
				if threads == 2 && s[0]*s[1]*s[2] < 64*64*64 {
					continue
				}
				b.Run(fmt.Sprintf("shape=%dx%dx%d/threads=%d/backend=%s", s[0], s[1], s[2], threads, x.Name()), func(b *testing.B) {
					x.SetThreads(threads)
					defer x.SetThreads(0)
					body(b, x, s[0], s[1], s[2])
				})
			}
		}
	}
}

func BenchmarkDgemm(b *testing.B) {
	benchShapes(b, func(b *testing.B, x blas.Backend, m, n, k int) {
		p, q, c, f := values[float64](m*k), values[float64](k*n), make([]float64, m*n), x.Float64()
		for b.Loop() {
			f.Dgemm(gblas.NoTrans, gblas.NoTrans, m, n, k, 1, p, k, q, n, 0, c, n)
		}
		rate(b, 2*float64(m*n*k))
	})
}

func BenchmarkSgemm(b *testing.B) {
	benchShapes(b, func(b *testing.B, x blas.Backend, m, n, k int) {
		p, q, c, f := values[float32](m*k), values[float32](k*n), make([]float32, m*n), x.Float32()
		for b.Loop() {
			f.Sgemm(gblas.NoTrans, gblas.NoTrans, m, n, k, 1, p, k, q, n, 0, c, n)
		}
		rate(b, 2*float64(m*n*k))
	})
}

// BenchmarkDsyrk is the Gram product XᵀX of 10000×512 and a square one.
func BenchmarkDsyrk(b *testing.B) {
	for _, s := range [][2]int{{512, 10000}, {1000, 1000}} {
		n, k := s[0], s[1]
		for _, x := range backends {
			b.Run(fmt.Sprintf("n=%d/k=%d/backend=%s", n, k, x.Name()), func(b *testing.B) {
				a, c, f := values[float64](n*k), make([]float64, n*n), x.Float64()
				for b.Loop() {
					f.Dsyrk(gblas.Upper, gblas.Trans, n, k, 1, a, n, 0, c, n)
				}
				rate(b, float64(n)*float64(n+1)*float64(k))
			})
		}
	}
}

// BenchmarkLevel3 has every replaced routine with every transpose at n = 256.
func BenchmarkLevel3(b *testing.B) {
	const n = 256
	trans := map[string]gblas.Transpose{"N": gblas.NoTrans, "T": gblas.Trans}
	a, q, c := values[float64](n*n), values[float64](n*n), values[float64](n*n)
	for i := range n {
		a[i*n+i] = n
	}
	for _, ta := range []string{"N", "T"} {
		t := trans[ta]
		for _, tb := range []string{"N", "T"} {
			for _, x := range backends {
				f := x.Float64()
				b.Run("routine=dgemm/"+ta+tb+"/backend="+x.Name(), func(b *testing.B) {
					for b.Loop() {
						f.Dgemm(t, trans[tb], n, n, n, 1, a, n, q, n, 0, c, n)
					}
					rate(b, 2*n*n*n)
				})
			}
		}
		for _, x := range backends {
			f := x.Float64()
			for _, ul := range []gblas.Uplo{gblas.Upper, gblas.Lower} {
				u := string(rune(ul))
				b.Run("routine=dsyrk/"+u+ta+"/backend="+x.Name(), func(b *testing.B) {
					for b.Loop() {
						f.Dsyrk(ul, t, n, n, 1, a, n, 0, c, n)
					}
					rate(b, n*n*n)
				})
				b.Run("routine=dsyr2k/"+u+ta+"/backend="+x.Name(), func(b *testing.B) {
					for b.Loop() {
						f.Dsyr2k(ul, t, n, n, 1, a, n, q, n, 0, c, n)
					}
					rate(b, 2*n*n*n)
				})
				for _, s := range []gblas.Side{gblas.Left, gblas.Right} {
					name := string(rune(s)) + u + ta + "/backend=" + x.Name()
					b.Run("routine=dtrsm/"+name, func(b *testing.B) {
						for b.Loop() {
							copy(c, q)
							f.Dtrsm(s, ul, t, gblas.NonUnit, n, n, 1, a, n, c, n)
						}
						rate(b, n*n*n)
					})
					b.Run("routine=dtrmm/"+name, func(b *testing.B) {
						for b.Loop() {
							copy(c, q)
							f.Dtrmm(s, ul, t, gblas.NonUnit, n, n, 1, a, n, c, n)
						}
						rate(b, n*n*n)
					})
					if ta == "N" {
						b.Run("routine=dsymm/"+name, func(b *testing.B) {
							for b.Loop() {
								f.Dsymm(s, ul, n, n, 1, a, n, q, n, 0, c, n)
							}
							rate(b, 2*n*n*n)
						})
					}
				}
			}
		}
	}
}

// BenchmarkLevel2 has the routines of vectors and matrix-vector products.
func BenchmarkLevel2(b *testing.B) {
	for _, n := range []int{8, 32, 256, 2000} {
		a, p, q := values[float64](n*n), values[float64](n), values[float64](n)
		a3, p3, q3 := values[float32](n*n), values[float32](n), values[float32](n)
		for _, r := range []struct {
			name string
			work int // multiply-adds
			body func(f gblas.Float64, g gblas.Float32)
		}{
			{"ddot", n, func(f gblas.Float64, g gblas.Float32) { f.Ddot(n, p, 1, q, 1) }},
			{"daxpy", n, func(f gblas.Float64, g gblas.Float32) { f.Daxpy(n, 1e-9, p, 1, q, 1) }},
			{"dscal", n, func(f gblas.Float64, g gblas.Float32) { f.Dscal(n, -1, p, 1) }},
			{"dgemv/N", n * n, func(f gblas.Float64, g gblas.Float32) { f.Dgemv(gblas.NoTrans, n, n, 1, a, n, p, 1, 0, q, 1) }},
			{"dgemv/T", n * n, func(f gblas.Float64, g gblas.Float32) { f.Dgemv(gblas.Trans, n, n, 1, a, n, p, 1, 0, q, 1) }},
			{"sgemv/N", n * n, func(f gblas.Float64, g gblas.Float32) { g.Sgemv(gblas.NoTrans, n, n, 1, a3, n, p3, 1, 0, q3, 1) }},
			{"sgemv/T", n * n, func(f gblas.Float64, g gblas.Float32) { g.Sgemv(gblas.Trans, n, n, 1, a3, n, p3, 1, 0, q3, 1) }},
			{"dger", n * n, func(f gblas.Float64, g gblas.Float32) { f.Dger(n, n, 1e-9, p, 1, p, 1, a, n) }},
			{"sger", n * n, func(f gblas.Float64, g gblas.Float32) { g.Sger(n, n, 1e-9, p3, 1, p3, 1, a3, n) }},
			{"dsyr/U", n * n / 2, func(f gblas.Float64, g gblas.Float32) { f.Dsyr(gblas.Upper, n, 1e-9, p, 1, a, n) }},
			{"dsyr/L", n * n / 2, func(f gblas.Float64, g gblas.Float32) { f.Dsyr(gblas.Lower, n, 1e-9, p, 1, a, n) }},
			{"ssyr/L", n * n / 2, func(f gblas.Float64, g gblas.Float32) { g.Ssyr(gblas.Lower, n, 1e-9, p3, 1, a3, n) }},
		} {
			for _, x := range backends {
				f, g := x.Float64(), x.Float32()
				b.Run(fmt.Sprintf("n=%d/routine=%s/backend=%s", n, r.name, x.Name()), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						r.body(f, g)
					}
					rate(b, 2*float64(r.work))
				})
			}
		}
	}
}

func BenchmarkDsyev(b *testing.B) {
	for _, n := range []int{64, 256, 512} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			a, _ := gen.Spectrum(gen.Geometric(n, 1e6), 3)
			values, work := make([]float64, n), make([]float64, 64*n)
			v := make([]float64, n*n)
			for b.Loop() {
				for i := range n {
					for j := range n {
						v[i*n+j] = a.At(i, j)
					}
				}
				if !blas.Native.Lapack().Dsyev(lapack.EVCompute, gblas.Upper, n, v, n, values, work, len(work)) {
					b.Fatal("no convergence")
				}
			}
		})
	}
}
