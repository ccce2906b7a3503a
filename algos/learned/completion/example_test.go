package completion_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// A tenth of the entries of a matrix A = XZYᵀ, and the scores of a row that has
// no entry at all.
func ExampleConfig() {
	const n = 100
	r := rng.New(1, 0)
	x, y := mat.NewDense(n, 4, nil), mat.NewDense(n, 4, nil)
	for i := range n {
		for j := range 4 {
			x.Set(i, j, r.NormFloat64())
			y.Set(i, j, r.NormFloat64())
		}
	}
	a := func(i, j int) float64 { return x.At(i, 0)*y.At(j, 1) - 2*x.At(i, 2)*y.At(j, 3) }
	var seen []sparse.Triplet
	for i := range n - 1 {
		for j := range n {
			if r.IntN(10) == 0 {
				seen = append(seen, sparse.Triplet{Row: i, Col: j, Val: a(i, j)})
			}
		}
	}
	entries, err := sparse.FromTriplets(n, n, seen, sparse.Reject)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := completion.Config{Rank: 2, Lambda: gram.Set(1e-4), Rounds: 50, Tol: gram.Set(1e-8)}.Fit(context.Background(), entries, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	last := m.Predict(nil, x.Slice(n-1, n, 0, 4), y)
	for j := range 3 {
		fmt.Printf("%.2f %.2f\n", last.At(0, j), a(n-1, j))
	}
	// Output:
	// 5.43 5.43
	// 2.89 2.89
	// 0.47 0.47
}

// Kernel values to two landmarks.
func ExampleKind_Basis() {
	f := completion.Nystrom.Basis(mat.NewDense(2, 2, []float64{0, 0, 1, 0}), 0.5, false, 0)
	d, m := f.Dims()
	fmt.Println(d, m)
	fmt.Printf("%.3f\n", mat.Formatted(f.Map(nil, mat.NewDense(1, 2, []float64{1, 1}))))
	// Output:
	// 2 2
	// [0.368  0.607]
}

// A matrix of rank 1 without side information, a_ij = (i+1)·(j+1), and the entry that was not seen.
func ExampleEntries() {
	var seen []sparse.Triplet
	for i := range 4 {
		for j := range 3 {
			if i != 1 || j != 2 {
				seen = append(seen, sparse.Triplet{Row: i, Col: j, Val: float64((i + 1) * (j + 1))})
			}
		}
	}
	entries, err := sparse.FromTriplets(4, 3, seen, sparse.Reject)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := completion.Config{Rank: 1, Lambda: gram.Set(0.), Rounds: 1000, Tol: gram.Set(1e-12)}.Fit(context.Background(), entries, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	open, err := sparse.FromTriplets(4, 3, []sparse.Triplet{{Row: 1, Col: 2}}, sparse.Reject)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", completion.Entries(nil, m.Rows(nil, nil), m.Columns(nil, nil), open))
	// Output:
	// [6.00]
}
