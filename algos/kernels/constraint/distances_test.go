package constraint

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// The squared distances of few pairs of many rows are those of the definition, and take no
// kernel values of all pairs of rows.
func TestSquaredDistances(t *testing.T) {
	x := gen.Normal(300, 5, 1)
	r := rng.New(2, 0)
	var pairs []Pair
	for range 3*groupPairs + 7 {
		i := r.IntN(300)
		pairs = append(pairs, Pair{I: i, J: (i + 1 + r.IntN(299)) % 300})
	}
	if got, _ := DistanceCost(300, 5, len(pairs)); !(got < 300*300) {
		t.Fatalf("%g kernel values", got)
	}
	for _, k := range []kernel.Kernel{kernel.Gaussian{Gamma: .3}, kernel.Polynomial{Degree: 2, Offset: 1}, kernel.Laplacian{Gamma: .2}} {
		for _, rows := range []mat.Matrix{x, sparse.FromDense(x)} {
			d, err := squaredDistances(t.Context(), k, gram.Of(rows), pairs)
			if err != nil || len(d) != len(pairs) {
				t.Fatal(len(d), err)
			}
			for p, pair := range pairs {
				a, b := x.RawRowView(pair.I), x.RawRowView(pair.J)
				want := k.Eval(a, a) + k.Eval(b, b) - 2*k.Eval(a, b)
				if !(math.Abs(d[p]-want) <= 1e-12*(k.Eval(a, a)+k.Eval(b, b))) {
					t.Errorf("%T: pair %d is %g, want %g", k, p, d[p], want)
				}
			}
		}
	}
}

// The squared distances of many pairs, in any order, are those of the definition where the rows take more than one block.
func TestSquaredDistancesOfManyPairs(t *testing.T) {
	const n, count = 1100, 19_000
	if n*n <= 1<<20 || n*n > groupPairs*count {
		t.Fatal("one block, or groups of pairs")
	}
	x := gen.Normal(n, 2, 1)
	k := kernel.Gaussian{Gamma: .3}
	r := rng.New(2, 0)
	pairs := make([]Pair, count)
	for p := range pairs {
		i := r.IntN(n)
		pairs[p] = Pair{I: i, J: (i + 1 + r.IntN(n-1)) % n}
	}
	d := must.Have(squaredDistances(t.Context(), k, gram.Of(x), pairs))(t)
	for p, pair := range pairs {
		want := 2 - 2*k.Eval(x.RawRowView(pair.I), x.RawRowView(pair.J))
		if !(math.Abs(d[p]-want) <= 1e-12) {
			t.Fatalf("pair %d is %g, want %g", p, d[p], want)
		}
	}
}
