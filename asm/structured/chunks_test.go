package structured

import (
	"slices"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"
)

// TestChunks runs Ranges and Split on sizes that are a multiple of the size of
// one assembly call, or one more. Ranges come in any order, and the last one is
// short or empty.
func TestChunks(t *testing.T) {
	eachType(t, checkChunks[float32], checkChunks[float64])
}

func checkChunks[F num.Float](t *testing.T) {
	lanes := Lanes[F]()
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		r := rng.New(5, 0)
		for _, c := range []struct {
			place    []int
			d, width int
		}{
			{[]int{0}, most + 1, most + 1}, {[]int{0}, 2*most + 1, 2*most + 1}, {[]int{1, 0}, most + 2, most + 1}, {[]int{2, 0, 1}, 21, 10},
			{[]int{0}, most, most}, {[]int{0}, 2 * most, 2 * most}, {[]int{2, 0, 1}, 20, 10}, // the last range is empty
		} {
			const n = 9
			s := 2 * lanes
			x, v := asmtest.Integers[F](r, n*c.d, 5), asmtest.Integers[F](r, c.d*s, 5)
			got := make([]F, len(c.place)*n*s)
			Ranges(got, c.place, x, c.d, n, v, s, c.d, c.width)
			for k, p := range c.place {
				for i := range n {
					for l := range s {
						var want F
						for j := k * c.width; j < min((k+1)*c.width, c.d); j++ {
							want += x[i*c.d+j] * v[j*s+l]
						}
						if g := got[(p*n+i)*s+l]; g != want {
							t.Fatalf("%+v: row %d of range %d, seed %d is %v, want %v", c, i, k, l, g, want)
						}
					}
				}
			}
		}
		for _, h := range []int{2 * lanes, 8 * lanes, most / 8, most} {
			for _, chunks := range []int{1, 2} {
				n := chunks*max(1, most/8/h) + 1
				x, y := asmtest.Integers[F](r, h, 99), asmtest.Integers[F](r, h, 99)
				v, u := asmtest.Integers[F](r, n*h, 99), asmtest.Integers[F](r, n*h, 99)
				s, d := make([]F, n*h), make([]F, n*h)
				wantS, wantD := make([]F, n*h), make([]F, n*h)
				for i := range wantS {
					p, q := x[i%h]*v[i], y[i%h]*u[i]
					wantS[i], wantD[i] = p+q, p-q
				}
				Split(s, h, d, h, x, y, v, u, n, h)
				if !slices.Equal(s, wantS) || !slices.Equal(d, wantD) {
					t.Fatalf("Split of %d seeds and %d elements differs", n, h)
				}
			}
		}
	})
}

// TestTransposeMany transposes several matrices at a distance from each other.
func TestTransposeMany(t *testing.T) {
	eachType(t, checkTransposeMany[float32], checkTransposeMany[float64])
}

func checkTransposeMany[F num.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels, func(t *testing.T) {
		for _, rows := range []int{1, 3, 4, 8, 16} {
			for _, cols := range []int{1, 4, 7, 12} {
				const n = 3
				ts, ds := cols+2, rows*cols+3
				ks := rows*ts + 1
				x := asmtest.Integers[F](rng.New(6, 0), n*ks, 1000)
				dst := asmtest.NewCanary[F]((n-1)*ds+rows*cols, 1, 1)
				before := dst.Get()
				Transpose(dst.Slice(), ds, x, ks, ts, n, rows, cols)
				dst.Check(t)
				for at, got := range dst.Get() {
					k, i := at/ds, at%ds
					want := before[at]
					if i < rows*cols {
						want = x[k*ks+i%rows*ts+i/rows]
					}
					if !asmtest.SameBits(got, want) {
						t.Fatalf("%d×%d: element %d of matrix %d is %v, want %v", rows, cols, i, k, got, want)
					}
				}
			}
		}
	})
}
