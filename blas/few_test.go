package blas_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/internal/asmtest"
	gblas "gonum.org/v1/gonum/blas"
)

// Loops compute level 3 for a few rows and columns, and kernels the rest: the bits of a
// small result are those of the same elements of a large one.
func TestFewBits(t *testing.T) {
	transposes := []gblas.Transpose{gblas.NoTrans, gblas.Trans}
	asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
		r := rand.New(rand.NewPCG(2, 3))
		f := blas.Native.Float64()
		const ld = 24
		a, b, start := asmtest.Normal[float64](r, ld*ld), asmtest.Normal[float64](r, ld*ld), asmtest.Normal[float64](r, ld*ld)
		same := func(got, want []float64, rows, cols int, what string, args ...any) {
			t.Helper()
			for i := range rows {
				if !slices.Equal(got[i*ld:][:cols], want[i*ld:][:cols]) {
					t.Fatalf("%s %v, %d×%d: row %d is %v, of a larger matrix %v", what, args, rows, cols, i, got[i*ld:][:cols], want[i*ld:][:cols])
				}
			}
		}
		for _, alpha := range []float64{1, -.7} {
			for _, beta := range []float64{0, 1, .3} {
				for k := 1; k <= 7; k++ {
					for _, tA := range transposes {
						for _, tB := range transposes {
							want := slices.Clone(start)
							f.Dgemm(tA, tB, 20, 20, k, alpha, a, ld, b, ld, beta, want, ld)
							for m := 1; m <= 4; m++ {
								for n := 1; n <= 4; n++ {
									got := slices.Clone(start)
									f.Dgemm(tA, tB, m, n, k, alpha, a, ld, b, ld, beta, got, ld)
									same(got, want, m, n, "Dgemm", string(tA), string(tB), k, alpha, beta)
								}
							}
						}
						for _, ul := range []gblas.Uplo{gblas.Upper, gblas.Lower} {
							want := slices.Clone(start)
							f.Dsyrk(ul, tA, 20, k, alpha, a, ld, beta, want, ld)
							for n := 1; n <= 8; n++ {
								got := slices.Clone(start)
								f.Dsyrk(ul, tA, n, k, alpha, a, ld, beta, got, ld)
								same(got, want, n, n, "Dsyrk", string(ul), string(tA), k, alpha, beta)
							}
						}
					}
				}
			}
			for order := 1; order <= 10; order++ {
				for _, ul := range []gblas.Uplo{gblas.Upper, gblas.Lower} {
					for side, s := range []gblas.Side{gblas.Left, gblas.Right} {
						want := slices.Clone(start)
						f.Dsymm(s, ul, []int{order, 20}[side], []int{20, order}[side], alpha, a, ld, b, ld, .3, want, ld)
						for other := 1; other <= 18; other++ {
							m, n := order, other
							if s == gblas.Right {
								m, n = other, order
							}
							got := slices.Clone(start)
							f.Dsymm(s, ul, m, n, alpha, a, ld, b, ld, .3, got, ld)
							same(got, want, m, n, "Dsymm", string(s), string(ul), alpha)
							if other == 1 {
								continue // a vector is taken in another order
							}
							for _, tA := range transposes {
								for _, d := range []gblas.Diag{gblas.Unit, gblas.NonUnit} {
									for name, call := range map[string]func(m, n int, b []float64){
										"Dtrmm": func(m, n int, b []float64) { f.Dtrmm(s, ul, tA, d, m, n, alpha, a, ld, b, ld) },
										"Dtrsm": func(m, n int, b []float64) { f.Dtrsm(s, ul, tA, d, m, n, alpha, a, ld, b, ld) },
									} {
										got, want := slices.Clone(start), slices.Clone(start)
										call(m, n, got)
										if s == gblas.Left {
											call(m, 20, want)
										} else {
											call(20, n, want)
										}
										same(got, want, m, n, name, string(s), string(ul), string(tA), string(d), alpha)
									}
								}
							}
						}
					}
				}
			}
		}
	})
}

// Divisions by elements of a diagonal that are about as large or as small as products with inverses allow have the bits of a larger system.
func TestFewDivisions(t *testing.T) {
	asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
		f := blas.Native.Float64()
		const columns, few = 40, 8
		start := asmtest.Normal[float64](rand.New(rand.NewPCG(7, 8)), columns)
		for _, border := range []float64{1e30, 1e-30} {
			for _, d := range []float64{border, -border, math.Nextafter(border, 0), math.Nextafter(border, 1e300)} {
				want, got := slices.Clone(start), slices.Clone(start)
				f.Dtrsm(gblas.Left, gblas.Upper, gblas.NoTrans, gblas.NonUnit, 1, columns, 1, []float64{d}, 1, want, columns)
				for at := 0; at < columns; at += few {
					f.Dtrsm(gblas.Left, gblas.Upper, gblas.NoTrans, gblas.NonUnit, 1, few, 1, []float64{d}, 1, got[at:], few)
				}
				if !slices.Equal(got, want) {
					t.Errorf("by %v: %v, of a larger system %v", d, got, want)
				}
			}
		}
	})
}

// Solutions with one right-hand side do not depend on where its elements stand, and solve
// the system.
func TestFewVector(t *testing.T) {
	asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		f, g := blas.Native.Float64(), blas.Gonum.Float64()
		for order := 1; order <= 10; order++ {
			a, x := asmtest.Normal[float64](r, order*order), asmtest.Normal[float64](r, order)
			for i := range order {
				a[i*order+i] += 4
			}
			for _, ul := range []gblas.Uplo{gblas.Upper, gblas.Lower} {
				for _, tA := range []gblas.Transpose{gblas.NoTrans, gblas.Trans} {
					for _, d := range []gblas.Diag{gblas.Unit, gblas.NonUnit} {
						for name, call := range map[string]func(f gblas.Float64, s gblas.Side, m, n int, b []float64, ldb int){
							"Dtrmm": func(f gblas.Float64, s gblas.Side, m, n int, b []float64, ldb int) {
								f.Dtrmm(s, ul, tA, d, m, n, 1, a, order, b, ldb)
							},
							"Dtrsm": func(f gblas.Float64, s gblas.Side, m, n int, b []float64, ldb int) {
								f.Dtrsm(s, ul, tA, d, m, n, 1, a, order, b, ldb)
							},
						} {
							for _, s := range []gblas.Side{gblas.Left, gblas.Right} {
								m, n := order, 1
								if s == gblas.Right {
									m, n = 1, order
								}
								want, got := slices.Clone(x), slices.Clone(x)
								call(g, s, m, n, want, n)
								call(f, s, m, n, got, n)
								for i, v := range want {
									if !(math.Abs(got[i]-v) <= 1e-12*(1+math.Abs(v))) {
										t.Fatalf("%s %c %c %c %c, order %d: element %d is %v, want %v", name, s, ul, tA, d, order, i, got[i], v)
									}
								}
								if s == gblas.Right {
									continue
								}
								apart := make([]float64, 3*order)
								for i, v := range x {
									apart[3*i] = v
								}
								call(f, s, m, n, apart, 3)
								for i, v := range got {
									if apart[3*i] != v {
										t.Fatalf("%s %c %c %c, order %d: element %d is %v, of a column apart %v", name, ul, tA, d, order, i, v, apart[3*i])
									}
								}
							}
						}
					}
				}
			}
		}
	})
}

// Vectors whose elements are apart give the bits of contiguous ones.
func TestApart(t *testing.T) {
	asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		f := blas.Native.Float64()
		spread := func(x []float64, inc int) []float64 {
			out := asmtest.Normal[float64](r, len(x)*inc)
			for i, v := range x {
				out[i*inc] = v
			}
			return out
		}
		for _, n := range []int{1, 2, 3, 4, 7, 8, 9, 31, 32, 33, 40} {
			a := asmtest.Normal[float64](r, n*(n+2)) // n+1 rows of n elements, or less
			x, y := asmtest.Normal[float64](r, n+1), asmtest.Normal[float64](r, n+1)
			for _, incX := range []int{1, 2, 3} {
				for _, incY := range []int{1, 2, 5} {
					for _, beta := range []float64{0, 1, .3} {
						for name, call := range map[string]func(x []float64, incX int, y []float64, incY int, a []float64){
							"Dgemv": func(x []float64, incX int, y []float64, incY int, a []float64) {
								f.Dgemv(gblas.NoTrans, n+1, n, .7, a, n, x, incX, beta, y, incY)
							},
							"Dgemv transposed": func(x []float64, incX int, y []float64, incY int, a []float64) {
								f.Dgemv(gblas.Trans, n+1, n, .7, a, n, x, incX, beta, y, incY)
							},
							"Dsymv": func(x []float64, incX int, y []float64, incY int, a []float64) {
								f.Dsymv(gblas.Upper, n, .7, a, n, x, incX, beta, y, incY)
							},
							"Dger": func(x []float64, incX int, y []float64, incY int, a []float64) {
								f.Dger(n+1, n, .7, x, incX, y, incY, a, n)
							},
						} {
							want, wantA := slices.Clone(y), slices.Clone(a)
							call(x, 1, want, 1, wantA)
							got, gotA := spread(y, incY), slices.Clone(a)
							call(spread(x, incX), incX, got, incY, gotA)
							for i, v := range want {
								if got[i*incY] != v {
									t.Fatalf("%s, n=%d, distances %d and %d, beta %g: element %d is %v, of contiguous vectors %v", name, n, incX, incY, beta, i, got[i*incY], v)
								}
							}
							if !slices.Equal(gotA, wantA) {
								t.Fatalf("%s, n=%d, distances %d and %d: another matrix", name, n, incX, incY)
							}
						}
					}
				}
			}
		}
	})
}
