package small_test

import (
	"fmt"
	"math"

	"github.com/gramworks/gram/blas/small"
)

func ExampleEigenSym2() {
	values, vectors, err := small.EigenSym2([2][2]float64{{0, 1}, {1, 0}})
	fmt.Printf("%.0f %.3f %v\n", values, math.Abs(vectors[0][1]), err)
	// Output: [-1 1] 0.707 <nil>
}

func ExampleEigenSym3() {
	values, _, err := small.EigenSym3([3][3]float64{{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}})
	fmt.Printf("%.4f %v\n", values, err)
	// Output: [0.5858 2.0000 3.4142] <nil>
}

func ExampleEigenSym4() {
	values, _, err := small.EigenSym4([4][4]float64{{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}})
	fmt.Printf("%.4f %v\n", values[3], err)
	// Output: 4.0000 <nil>
}

func ExampleSVD2() {
	_, s, _, err := small.SVD2([2][2]float64{{3, 0}, {4, 5}})
	fmt.Printf("%.4f %v\n", s, err)
	// Output: [6.7082 2.2361] <nil>
}

func ExampleSVD3() {
	_, s, _, err := small.SVD3([3][3]float64{{0, 2, 0}, {0, 0, -3}, {1, 0, 0}})
	fmt.Println(s, err)
	// Output: [3 2 1] <nil>
}

func ExampleSVD4() {
	_, s, _, err := small.SVD4([4][4]float64{{1, 1, 1, 1}, {1, -1, 1, -1}, {1, 1, -1, -1}, {1, -1, -1, 1}})
	fmt.Println(s, err)
	// Output: [2 2 2 2] <nil>
}

func ExampleSolve2() {
	fmt.Println(small.Solve2([2][2]float64{{2, 1}, {1, 3}}, [2]float64{3, 4}))
	// Output: [1 1] <nil>
}

func ExampleSolve3() {
	fmt.Println(small.Solve3([3][3]float64{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, [3]float64{1, 2, 3}))
	// Output: [3 1 2] <nil>
}

func ExampleSolve4() {
	fmt.Println(small.Solve4([4][4]float64{{2}, {0, 4}, {0, 0, 8}, {0, 0, 0, 16}}, [4]float64{1, 1, 1, 1}))
	// Output: [0.5 0.25 0.125 0.0625] <nil>
}

func ExampleInverse2() {
	fmt.Println(small.Inverse2([2][2]float64{{1, 2}, {3, 4}}))
	// Output: [[-2 1] [1.5 -0.5]] <nil>
}

func ExampleInverse3() {
	fmt.Println(small.Inverse3([3][3]float64{{1, 1, 0}, {0, 1, 1}, {0, 0, 1}}))
	// Output: [[1 -1 1] [0 1 -1] [0 0 1]] <nil>
}

func ExampleInverse4() {
	_, err := small.Inverse4([4][4]float64{{1, 1}, {1, 1}})
	fmt.Println(err)
	// Output: small: the matrix is singular
}
