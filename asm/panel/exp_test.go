package panel

import (
	"math"
	"testing"

	"github.com/gramworks/gram/asm/vec"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

// TestOneExponential checks that Exp and Gauss have the bits of vec.ExpScale
// for the same argument at the same level, in every lane and tail, for any γ, whether
// they write past the caches or not.
func TestOneExponential(t *testing.T) { both(t, oneExponential[float64], oneExponential[float32]) }

func oneExponential[F num.Float](t *testing.T) {
	const rows = 2
	end := 1022 * math.Ln2
	if Cols[F]() == 32 {
		end = 126 * math.Ln2
	}
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rng.New(11, 0)
		for _, gamma := range []float64{1, .37, 1e-3, 1e5, 0x1p-60, 0x1p88, 0x1p-95, 0x1p95, 0x1p-905, 0x1p905, 0, -.5, math.Inf(1), math.NaN()} {
			scale := 1.0 // of the arguments, so that the results differ from 0 and 1
			if a := math.Abs(gamma); a > 0 && !math.IsInf(1/float64(F(a)), 0) {
				scale = 1 / a
			}
			for _, cols := range asmtest.Lengths(Cols[F]()) {
				lds, ldd := cols+2, cols+1
				s := asmtest.Normal[F](r, rows*lds)
				for i := range s {
					v := math.Abs(float64(s[i]))
					switch r.IntN(8) {
					case 0:
						v = end * (1 + 1e-6*r.NormFloat64())
					case 1:
						v = end * 1.2 * r.Float64()
					case 2:
						v = []float64{0, math.Inf(1), math.NaN(), math.MaxFloat64, 5e-324}[r.IntN(5)]
					}
					s[i] = F(v * scale)
				}
				compare := func(name string, got, args []F, lda int) {
					t.Helper()
					want := make([]F, cols)
					for i := range rows {
						vec.ExpScale(want, args[i*lda:][:cols], -F(gamma))
						for j, w := range want {
							if g := got[i*ldd+j]; !asmtest.SameBits(g, w) && (g == g || w == w) {
								t.Fatalf("%s, γ %v, %d columns: exp(−γ·%v) is %v in column %d, vec's is %v", name, F(gamma), cols, args[i*lda+j], g, j, w)
							}
						}
					}
				}
				got := make([]F, rows*ldd)
				for _, past := range []bool{false, true} {
					Exp(got, ldd, s, lds, rows, cols, F(gamma), past)
					compare("Exp", got, s, lds)
				}
				// The sums are chosen so that the distances are about the
				// arguments.
				xn, zn := asmtest.Normal[F](r, rows), asmtest.Normal[F](r, cols)
				for i := range s {
					s[i] = -s[i] / 2
				}
				distance := make([]F, rows*ldd)
				Distance(distance, ldd, s, lds, xn, zn, rows, cols)
				for _, past := range []bool{false, true} {
					Gauss(got, ldd, s, lds, xn, zn, rows, cols, F(gamma), past)
					compare("Gauss", got, distance, ldd)
				}
			}
		}
	})
}
