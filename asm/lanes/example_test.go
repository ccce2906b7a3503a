package lanes_test

import (
	"fmt"
	"math"

	"github.com/gramworks/gram/asm/lanes"
)

// A rotation of eight symmetric matrices of two rows; that of lane l is [l 3; 3 l].
func ExampleAngle() {
	const w = lanes.Width
	pp, pq, qq, cs := make([]float64, w), make([]float64, w), make([]float64, w), make([]float64, 2*w)
	for l := range w {
		pp[l], pq[l], qq[l] = float64(l), 3, float64(l)
	}
	rotated := lanes.Angle(pp, pq, qq, cs)
	fmt.Println(rotated, pp[5], pq[5], qq[5])
	// Output: 255 2 0 8
}

// A row of eight Cholesky factors, and a quotient.
func ExampleReduce() {
	const w = lanes.Width
	row := make([]float64, 2*w)
	for l := range w {
		row[l], row[w+l] = 25, float64(10*l)
	}
	above := make([]float64, 2*w) // 3 and l
	for l := range w {
		above[l], above[w+l] = 3, float64(l)
	}
	lanes.Reduce(row, above, 2, above, 2, 1, 2, nil)
	fmt.Println(row[4], row[w+4])
	// Output: 4 7
}

// An eighth of a turn in all lanes.
func ExampleTurn() {
	const w = lanes.Width
	x, y, cs := make([]float64, w), make([]float64, w), make([]float64, 2*w)
	for l := range w {
		x[l], y[l], cs[l], cs[w+l] = 1, 1, math.Sqrt2/2, math.Sqrt2/2
	}
	lanes.Turn(1, x, 1, y, 1, cs)
	fmt.Printf("%.4f %.4f\n", x[7], y[7])
	// Output: 0.0000 1.4142
}

// A step of the elimination of eight matrices [2 1; l 3].
func ExampleEliminate() {
	const w = lanes.Width
	x := make([]float64, 4*w)
	for l := range w {
		x[l], x[w+l], x[2*w+l], x[3*w+l] = 2, 1, float64(l), 3
	}
	lanes.Eliminate(2, x, 2)
	fmt.Println(x[2*w+4], x[3*w+4])
	// Output: 2 1
}

// The largest of three elements of each lane: 1, l−4 and −2.
func ExampleLargest() {
	const w = lanes.Width
	x, at := make([]float64, 3*w), make([]int, w)
	for l := range w {
		x[l], x[w+l], x[2*w+l] = 1, float64(l-4), -2
	}
	lanes.Largest(3, x, 1, at)
	fmt.Println(at)
	// Output: [1 1 1 2 2 2 1 1]
}
