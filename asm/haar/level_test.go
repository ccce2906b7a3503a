package haar

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

// TestLevel compares one level with its formula for every number of pairs, beside pages without access, in place where that is
// allowed and around the length of a call.
func TestLevel(t *testing.T) {
	eachType(t, checkLevel[float32], checkLevel[float64])
}

func checkLevel[F num.Float](t *testing.T) {
	lengths := asmtest.Lengths(2, 32, 64, 96, 128)
	lengths = append(lengths, longRow/2+1, longRow+wholePairs[F]()+3)
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, n := range lengths {
			values, c := asmtest.Normal[F](rng.New(7, uint64(n)), 2*n), F(.7)
			sums, differences, joined := make([]F, n), make([]F, n), make([]F, 2*n)
			for i := range n {
				a, b := values[2*i], values[2*i+1]
				sums[i], differences[i] = a+b, (a-b)*c
				p, q := values[i], F(values[n+i]*c)
				joined[2*i], joined[2*i+1] = p+q, p-q
			}
			asmtest.Guarded(t, n, func(s []F) {
				asmtest.Guarded(t, n, func(d []F) {
					asmtest.Guarded(t, 2*n, func(x []F) {
						copy(x, values)
						Split(d, s, x, c)
						if !slices.Equal(s, sums) || !slices.Equal(d, differences) || !slices.Equal(x, values) {
							t.Fatalf("Split of %d pairs", n)
						}
						Split(x[n:], s, x, c)
						if !slices.Equal(s, sums) || !slices.Equal(x[n:], differences) {
							t.Fatalf("Split of %d pairs in place", n)
						}
						copy(s, values)
						copy(d, values[n:])
						Join(x, d, s, c)
						if !slices.Equal(x, joined) || !slices.Equal(s, values[:n]) || !slices.Equal(d, values[n:]) {
							t.Fatalf("Join of %d pairs", n)
						}
						copy(x[n:], values[n:])
						Join(x, x[n:], s, c)
						if !slices.Equal(x, joined) {
							t.Fatalf("Join of %d pairs in place", n)
						}
					})
				})
			})
		}
	})
}

// TestThreeLevels compares three levels with one after the other.
func TestThreeLevels(t *testing.T) {
	eachType(t, checkThreeLevels[float32], checkThreeLevels[float64])
}

func checkThreeLevels[F num.Float](t *testing.T) {
	c := [3]F{.7, .5, .35}
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, n := range []int{128, 256, 384, longRow, longRow + 128, 2*longRow + 384} {
			if !Whole3(n) || Whole3(n+64) {
				t.Fatal(n)
			}
			x := asmtest.Normal[F](rng.New(8, uint64(n)), n)
			want, s1, s2, s3 := make([]F, n), make([]F, n/2), make([]F, n/4), make([]F, n/8)
			splitGeneric(want[n/2:], s1, x, c[0])
			splitGeneric(want[n/4:n/2], s2, s1, c[1])
			splitGeneric(want[n/8:n/4], s3, s2, c[2])
			copy(want, s3)
			back := make([]F, n)
			joinGeneric(s2, want[n/8:n/4], s3, c[2])
			joinGeneric(s1, want[n/4:n/2], s2, c[1])
			joinGeneric(back, want[n/2:], s1, c[0])
			asmtest.Guarded(t, n, func(in []F) {
				asmtest.Guarded(t, n, func(y []F) {
					copy(in, x)
					Split3(y[n/2:], y[n/4:n/2], y[n/8:n/4], y[:n/8], in, &c)
					if !slices.Equal(y, want) || !slices.Equal(in, x) {
						t.Fatalf("Split3 of %d", n)
					}
					Join3(in, y[n/2:], y[n/4:n/2], y[n/8:n/4], y[:n/8], &c)
					if !slices.Equal(in, back) || !slices.Equal(y, want) {
						t.Fatalf("Join3 of %d", n)
					}
				})
			})
		}
	})
}

func TestLevelFactor(t *testing.T) {
	for level := range 40 {
		if o, i := LevelFactor(Orthonormal, level), LevelFactor(Inverse, level); LevelFactor(Ones, level) != 1 || i != math.Ldexp(1, -level) || !(math.Abs(o*o/i-1) <= 1e-15) {
			t.Errorf("level %d: %v, %v", level, o, i)
		}
	}
}
