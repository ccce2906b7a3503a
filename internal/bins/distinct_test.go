package bins

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Distinct values and their counts are those of a plain sort, for few and many rows, dense and sparse, all rows
// and a sample, numbers of both signs and all magnitudes, zeros of both signs, infinities and missing cells.
func TestDistinct(t *testing.T) {
	r := rng.New(11, 0)
	for _, n := range []int{1, 5, fewKeys - 1, fewKeys, 3 * fewKeys} {
		for kind := range 5 {
			x := mat.NewDense(n, 2, nil)
			for i := range n {
				v := r.NormFloat64()
				switch kind {
				case 1:
					v = float64(r.IntN(7) - 3)
				case 2:
					v = []float64{0, math.Copysign(0, -1), 0, math.NaN(), 1, -5e-324, math.MaxFloat64, math.Inf(-1), math.Inf(1)}[r.IntN(9)]
				case 3:
					v *= math.Pow(10, float64(r.IntN(600)-300))
				case 4:
					v = 2.5
				}
				x.Set(i, 1, v)
			}
			dense, _ := gram.Of(x).Dense()
			all := columns{n: n, dense: dense}
			a := sparse.FromDense(x)
			if kind == 2 && len(a.Val) > 1 {
				a.Val[0] = 0 // a zero that is stored
				i := 0
				for a.Ptr[i+1] == 0 {
					i++
				}
				x.Set(i, int(a.Col[0]), 0)
			}
			for _, sample := range [][]int{nil, r.Perm(n)[:(n+1)/2]} {
				var v []float64
				slices.Sort(sample)
				for i := range n {
					if _, in := slices.BinarySearch(sample, i); sample == nil || in {
						v = append(v, x.At(i, 1))
					}
				}
				var values []float64
				var count []int
				slices.Sort(v)
				for _, v := range v {
					if v != v {
						continue
					}
					if len(values) == 0 || v != values[len(values)-1] {
						values, count = append(values, v), append(count, 0)
					}
					count[len(count)-1]++
				}
				// Where the columns have few kinds of cells they are counted side by side.
				all.sample = sample
				kinds := all.kinds(0, 2)[1]
				if kinds != nil {
					if got, many := numbers(kinds.sorted()); !slices.Equal(got, values) || !slices.Equal(many, count) {
						t.Fatalf("%d rows, kind %d, %d in the sample: %v %v side by side, want %v %v", n, kind, len(sample), got, many, values, count)
					}
				}
				if (kinds == nil) != (len(values) > few) && kind != 2 {
					t.Fatalf("%d rows, kind %d: %d values, few is %v", n, kind, len(values), kinds != nil)
				}
				for name, c := range map[string]columns{"dense": all, "sparse": {n: n, sparse: a.Transpose()}} {
					c.sample = sample
					var got []float64
					var many []int
					if c.sparse != nil {
						got, many = c.distinct(1)
					} else if err := c.sort(t.Context(), 2, []bool{false, true}, func(_ int, keys []uint64) { got, many = numbers(unique(keys)) }); err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got, values) || !slices.Equal(many, count) {
						t.Fatalf("%d rows, kind %d, %s, %d in the sample: %v %v, want %v %v", n, kind, name, len(sample), got, many, values, count)
					}
				}
			}
		}
	}
}

// Columns that are sorted side by side are each sorted, however many there are of them.
func TestSort(t *testing.T) {
	r := rng.New(12, 0)
	const n, d = 2*fewKeys + 1, 2*Abreast + 3
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, r.NormFloat64())
		}
	}
	dense, _ := gram.Of(x).Dense()
	c := columns{n: n, dense: dense}
	wanted := slices.Repeat([]bool{true}, d)
	wanted[3], wanted[d-2] = false, false
	var got [d][]float64
	must.Do(t, c.sort(t.Context(), 2, wanted, func(j int, keys []uint64) { got[j], _ = numbers(unique(keys)) }))
	for j := range d {
		want := slices.Sorted(slices.Values(mat.Col(nil, j, x)))
		if wanted[j] != (got[j] != nil) || wanted[j] && !slices.Equal(got[j], want) {
			t.Errorf("column %d: %d values, wanted is %v", j, len(got[j]), wanted[j])
		}
	}
}
