package haar

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

// TestChunks transforms one row more than a multiple of the rows in one
// assembly call, in place and not, and compares with every row alone.
func TestChunks(t *testing.T) {
	eachType(t, checkChunks[float32], checkChunks[float64])
}

func checkChunks[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, d := range []int{1, 8, 64, 1024, longRow / 2, longRow, 2 * longRow} {
			for _, chunks := range []int{1, 2} {
				n := chunks*max(1, longRow/d) + 1
				x, scratch := asmtest.Integers[F](rng.New(8, uint64(d)), n*d, 100), make([]F, Scratch(d))
				for _, back := range []bool{false, true} {
					for _, s := range []Scaling{Ones, Inverse} {
						all, one := make([]F, n*d), make([]F, d)
						if s == Ones {
							copy(all, x)
							apply(back, all, d, all, d, n, d, s, scratch)
						} else {
							apply(back, all, d, x, d, n, d, s, scratch)
						}
						for i := range n {
							apply(back, one, d, x[i*d:], d, 1, d, s, scratch)
							if !slices.Equal(one, all[i*d:][:d]) {
								t.Fatalf("%s, row %d of %d×%d is not what it is alone", fmt.Sprint(name(back), " with scaling ", s), i, n, d)
							}
						}
					}
				}
			}
		}
	})
}

// TestShort checks that Short gives the bits of Forward and Backward and touches
// nothing beside the vector.
func TestShort(t *testing.T) { eachType(t, checkShort[float32], checkShort[float64]) }

func checkShort[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for d := 1; d <= MaxShort; d *= 2 {
			values := asmtest.Normal[F](rng.New(9, uint64(d)), d)
			for _, s := range []Scaling{Ones, Orthonormal, Inverse} {
				for _, back := range []bool{false, true} {
					want := make([]F, d)
					apply(back, want, d, values, d, 1, d, s, make([]F, Scratch(d)))
					x := asmtest.NewCanary[F](d, 1, d%8)
					x.Set(values)
					Short(x.Slice(), s, back)
					x.Check(t)
					if !slices.Equal(x.Slice(), want) {
						t.Fatalf("%s of %d with scaling %d: %v, want %v", name(back), d, s, x.Slice(), want)
					}
				}
			}
		}
	})
}

// TestNoRows checks that nothing is read or written for 0 rows of any length
// and stride.
func TestNoRows(t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, back := range []bool{false, true} {
			for _, s := range []Scaling{Ones, Orthonormal} {
				apply[float64](back, nil, 20, nil, 30, 0, 16, s, nil)
				apply[float32](back, nil, 20, nil, 30, 0, 16, s, nil)
			}
		}
	})
}
