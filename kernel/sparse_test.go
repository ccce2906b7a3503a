package kernel

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
)

// scattered returns n sparse rows, most of them with few nonzeros, which often share columns.
func scattered(r *rand.Rand, n, d int) *sparse.CSR {
	a := &sparse.CSR{N: n, D: d, Ptr: []int{0}, Col: []int32{}, Val: []float64{}}
	for i := range n {
		for j := 0; j < d; j += 1 + r.IntN(1+min(d, 20+j)) {
			if i%7 == 3 {
				break // a row of zeros
			}
			a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, float64(float32(r.NormFloat64())))
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	return a
}

// oneNaN gives all NaN the same bits, which depend on the order of operands.
func oneNaN[F gram.Float](x gram.Rows[F]) gram.Rows[F] {
	for k, v := range x.Data {
		if v != v {
			x.Data[k] = F(math.NaN())
		}
	}
	return x
}

// TestLists checks that sparse rows whose nonzeros are kept as lists give the bits of the
// same rows in panels, whatever X is like, and that nothing that is not finite is lost.
func TestLists(t *testing.T) {
	if race.Enabled && testing.Short() {
		t.Skip("arithmetic: runs without the race detector")
	}
	t.Run("float64", testLists[float64])
	t.Run("float32", testLists[float32])
}

func testLists[F gram.Float](t *testing.T) {
	asmtest.ForEachLevel(t, levels(), func(t *testing.T) {
		for _, shape := range []struct{ n, m, d int }{{3, 5, 600}, {15, 270, 600}, {1, 1, 2000}} {
			n, m, d, s := shape.n, shape.m, shape.d, 3
			r := rng.New(4, uint64(n))
			a, z := scattered(r, n, d), scattered(r, m, d)
			for _, wild := range []string{"finite", "x", "z"} {
				switch wild {
				case "x":
					for k, v := range []float64{math.Inf(1), math.NaN(), math.Inf(-1)} {
						a.Val[k*len(a.Val)/3] = v
					}
				case "z":
					z.Val[len(z.Val)/2] = 1e300 // not finite in float32
					z.Val[len(z.Val)/3] = math.Inf(1)
				}
				dense := gram.As[F](gram.Of(a.Dense()), nil)
				v, u := gram.MakeRows[F](m, s), gram.MakeRows[F](n, s)
				for _, data := range [][]F{v.Data, u.Data} {
					for k := range data {
						data[k] = F(r.NormFloat64())
					}
				}
				self := gram.MakeRows[float64](m, s)
				for k := range self.Data {
					self.Data[k] = r.NormFloat64()
				}
				for _, k := range []Kernel{all[0], all[1], all[2], all[4], slowGaussian{0.1}} {
					b := Against[F](k, z).Limit(3)
					if b.shared.points.lists == nil {
						t.Fatalf("%v: the rows are in panels", k.Spec())
					}
					p := Against[F](k, z).Limit(3)
					p.shared.points = pack[F](gram.Of(z), nil, p.shared.norms)
					index := []int{m - 1, 0, m / 2}
					for format, x := range map[string]gram.Samples[F]{"sparse": gram.Sparse[F](a), "dense": dense} {
						what := fmt.Sprint(k.Spec(), " ", format, " ", wild)
						results := func(b *Block[F]) (all []gram.Rows[F]) {
							fill, each := gram.MakeRows[F](n, m), gram.MakeRows[F](n, m)
							mul, mulT, one := gram.MakeRows[F](n, s), gram.MakeRows[F](m, s), gram.MakeRows[F](1, s)
							b.Fill(fill, x)
							to := make([][]F, n)
							for i := range to {
								to[i] = each.Row(i)
							}
							b.FillEach(to, x)
							b.Mul(mul, x, v)
							b.MulT(mulT, x, u)
							b.Times(v).Rows(one, x.Slice(n-1, n))
							few := gram.MakeRows[F](n, len(index))
							b.Select(index).Fill(few, x)
							return append(all, fill, each, mul, mulT, one, few)
						}
						want, got := results(p), results(b)
						for c := range want {
							same(t, fmt.Sprint(what, " ", c), oneNaN(want[c]), oneNaN(got[c]))
						}
					}
					if wild == "z" { // the rows of Z are then sparse rows of X, whose zeros have no products
						continue
					}
					want, got := gram.MakeRows[float64](m, s), gram.MakeRows[float64](m, s)
					must.Do(t, p.MulSelf(context.Background(), want, self))
					must.Do(t, b.MulSelf(context.Background(), got, self))
					same(t, fmt.Sprint(k.Spec(), " MulSelf ", wild), oneNaN(want), oneNaN(got))
				}
			}
		}
	})
}

// A block of sparse rows takes memory for their nonzeros, not for their columns.
func TestListsMemory(t *testing.T) {
	const n, d, each = 300, 1 << 30, 8
	a := &sparse.CSR{N: n, D: d, Ptr: []int{0}}
	for i := range n {
		for j := range each {
			a.Col, a.Val = append(a.Col, int32(j*(d/each)+i*i)), append(a.Val, float64(i+j))
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	v, self := gram.MakeRows[float64](n, 1), gram.MakeRows[float64](n, 1)
	values, dst := gram.MakeRows[float32](n, n), gram.MakeRows[float64](n, 1)
	for _, k := range all {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		wide, narrow := Against[float64](k, a), Against[float32](k, a)
		wide.Mul(dst, gram.Sparse[float64](a), v)
		narrow.Fill(values, gram.Sparse[float32](a))
		must.Do(t, narrow.Select([]int{3, 4}).MulSelf(context.Background(), gram.MakeRows[float64](2, 1), v.Slice(0, 2)))
		must.Do(t, wide.MulSelf(context.Background(), self, v))
		runtime.ReadMemStats(&after)
		if b := after.TotalAlloc - before.TotalAlloc; b > 4<<20 && !race.Enabled { // under the race detector pools drop what they hold
			t.Errorf("%v: %d bytes are allocated for %d nonzeros", k.Spec(), b, a.NNZ())
		}
		if b := wide.Bytes(); b > 64*n*each {
			t.Errorf("%v: the block has %d bytes for %d nonzeros", k.Spec(), b, a.NNZ())
		}
	}
}
