package eig_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/eig"
	"gonum.org/v1/gonum/mat"
)

// The eigenvalues of a diagonal matrix interlace with those of a rank-one change.
func ExampleRankOne() {
	u, err := eig.RankOne([]float64{1, 2, 4}, []float64{1, 1, 1}, 0.5)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", u.Values())
	// Output: [1.2679 2.5000 4.7321]
}

func ExampleRankOneUpdate() {
	u, err := eig.RankOne([]float64{1, 2, 2}, []float64{0, 3, 4}, -1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.0f, %d without an iteration\n", u.Values(), u.Deflated())
	// Output: [-23 1 2], 2 without an iteration
}

// blocks is the operator of a matrix of ones in diagonal blocks.
type blocks []int

func (b blocks) Dim() int {
	n := 0
	for _, size := range b {
		n += size
	}
	return n
}

func (b blocks) Apply(dst, x *mat.Dense) {
	_, s := x.Dims()
	lo := 0
	for _, size := range b {
		for j := range s {
			var sum float64
			for i := lo; i < lo+size; i++ {
				sum += x.At(i, j)
			}
			for i := lo; i < lo+size; i++ {
				dst.Set(i, j, sum)
			}
		}
		lo += size
	}
}

func ExampleOptions() {
	values, _, err := eig.Randomized(context.Background(), blocks{40, 30, 20, 10}, 3, eig.Options{Oversample: gram.Set(5), Power: gram.Set(1)})
	fmt.Printf("%.4f %v\n", values, err)
	// Output: [40.0000 30.0000 20.0000] <nil>
}

func ExampleStats() {
	var s eig.Stats
	_, _, err := eig.TopK(context.Background(), blocks{40, 30, 20, 10}, 3, eig.Options{Stats: &s})
	fmt.Println(len(s.Residuals), "residuals,", s.Residuals[2] < 1e-8, err)
	// Output: 3 residuals, true <nil>
}

func ExampleTopK() {
	values, vectors, err := eig.TopK(context.Background(), blocks{40, 30, 20, 10}, 3, eig.Options{})
	r, c := vectors.Dims()
	fmt.Printf("%.4f, %d×%d, %v\n", values, r, c, err)
	// Output: [40.0000 30.0000 20.0000], 100×3, <nil>
}

func ExampleProjectPSD() {
	p, values, err := eig.ProjectPSD(context.Background(), mat.NewSymDense(2, []float64{0, 2, 2, 0}))
	fmt.Printf("%.3f %.3f %v\n", p.At(0, 0), values, err)
	// Output: 1.000 [-2.000 2.000] <nil>
}

func ExampleSymAll() {
	values, vectors, err := eig.SymAll(context.Background(), mat.NewSymDense(2, []float64{2, 1, 1, 2}))
	fmt.Printf("%.3f, of the last the vector %.3f, %v\n", values, math.Abs(vectors.At(0, 1)), err)
	// Output: [1.000 3.000], of the last the vector 0.707, <nil>
}

// A factorization follows its matrix when that changes by rho·xxᵀ.
func ExampleUpdateSym() {
	a := mat.NewSymDense(2, []float64{2, 1, 1, 2})
	values, q, err := eig.SymAll(context.Background(), a)
	if err != nil {
		fmt.Println(err)
		return
	}
	values, _, err = eig.UpdateSym(values, q, []float64{1, 1}, 3)
	fmt.Printf("%.3f %v\n", values, err)
	// Output: [1.000 9.000] <nil>
}

// The squares of the frequencies of two equal masses between three springs, of which one mass is
// then made heavier.
func ExampleGeneralized() {
	stiffness := mat.NewSymDense(2, []float64{2, -1, -1, 2})
	for _, m := range []float64{1, 4} {
		mass := mat.NewSymDense(2, []float64{1, 0, 0, m})
		squares, _, err := eig.Generalized(context.Background(), stiffness, mass)
		fmt.Printf("%.3f %v\n", squares, err)
	}
	// Output:
	// [1.000 3.000] <nil>
	// [0.349 2.151] <nil>
}

func ExampleOrthonormal() {
	x := mat.NewDense(3, 2, []float64{1, 1, 0, 1, 0, 0})
	eig.Orthonormal(x)
	var product mat.Dense
	product.Mul(x.T(), x)
	fmt.Printf("%.3f %.3f %.3f\n", product.At(0, 0), math.Abs(product.At(0, 1)), product.At(1, 1))
	// Output: 1.000 0.000 1.000
}

// The largest singular values of a matrix.
func ExampleRandomizedSVD() {
	a := mat.NewDense(60, 40, nil)
	for i := range 20 {
		a.Set(i, i, .1) // small ones beside
	}
	for i := 20; i < 60; i++ {
		a.Set(i, 30, 1) // a column of length √40
	}
	_, s, v, err := eig.RandomizedSVD(context.Background(), a, 1, eig.Options{Seed: 1})
	fmt.Printf("%.3f, right vector %.3f, %v\n", s, math.Abs(v.At(30, 0)), err)
	// Output: [6.325], right vector 1.000, <nil>
}

// The eigenvalues of a covariance, while observations come in.
func ExamplePairs() {
	p, err := eig.NewPairs(context.Background(), mat.NewSymDense(2, []float64{1, 0, 0, 1}))
	if err != nil {
		log.Fatal(err)
	}
	for range 3 {
		if err := p.Update([]float64{1, 1}, 1); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.3f\n", p.Values())
	}
	// Output:
	// [1.000 3.000]
	// [1.000 5.000]
	// [1.000 7.000]
}
