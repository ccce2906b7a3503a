package vec_test

import (
	"fmt"
	"math"

	"github.com/gramworks/gram/vec"
)

// The probabilities of a softmax, from scores whose largest one is taken away first.
func ExampleExp() {
	p := []float64{-2, 0, -1}
	vec.Exp(p, p) // in place
	sum := vec.Dot(p, []float64{1, 1, 1})
	for i := range p {
		p[i] /= sum
	}
	fmt.Printf("%.3f\n", p)
	// Output: [0.090 0.665 0.245]
}

// The entropy of a distribution.
func ExampleLog() {
	p := []float64{.5, .25, .25}
	log := make([]float64, len(p))
	vec.Log(log, p)
	fmt.Printf("%.3f nats\n", -vec.Dot(p, log))
	// Output: 1.040 nats
}

// Features of a shift-invariant kernel: the sine and the cosine of each angle.
func ExampleSinCos() {
	angles := []float32{0, math.Pi / 6, math.Pi / 2}
	sin, cos := make([]float32, len(angles)), make([]float32, len(angles))
	vec.SinCos(sin, cos, angles)
	for i := range angles {
		fmt.Printf("%.3f %.3f\n", sin[i], math.Abs(float64(cos[i])))
	}
	// Output:
	// 0.000 1.000
	// 0.500 0.866
	// 1.000 0.000
}

// The cosine of the angle of two vectors.
func ExampleDot() {
	x, y := []float64{1, 2, 2}, []float64{2, 1, 2}
	fmt.Printf("%.4f\n", vec.Dot(x, y)/math.Sqrt(vec.Dot(x, x)*vec.Dot(y, y)))
	// Output: 0.8889
}

// The nearest of some vectors.
func ExampleSquaredDistance() {
	query := []float32{1, 0, 2}
	nearest, least := -1, float32(math.Inf(1))
	for i, v := range [][]float32{{0, 0, 0}, {1, 1, 2}, {4, 0, 2}} {
		if d := vec.SquaredDistance(query, v); d < least {
			nearest, least = i, d
		}
	}
	fmt.Println(nearest, least)
	// Output: 1 1
}

// The most similar of some embeddings of 8 bits, by their inner products with a query.
func ExampleDotInt8() {
	query := []int8{100, -20, 3}
	best, most := -1, math.MinInt
	for i, v := range [][]int8{{-90, 10, 1}, {95, -30, 0}, {50, 50, 50}} {
		if p := vec.DotInt8(query, v); p > most {
			best, most = i, p
		}
	}
	fmt.Println(best, most)
	// Output: 1 10100
}

// A distance of two embeddings of 8 bits; differences do not wrap around.
func ExampleSquaredDistanceInt8() {
	fmt.Println(vec.SquaredDistanceInt8([]int8{-128, 0, 1}, []int8{127, 0, 3}))
	// Output: 65029
}
