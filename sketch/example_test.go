package sketch_test

import (
	"context"
	"fmt"
	"github.com/gramworks/gram/vec"
	"math"

	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/sketch"
	"gonum.org/v1/gonum/mat"
)

// A rotation spreads the only large element of a vector over all coordinates.
func ExampleRotation() {
	x := make([]float64, 960)
	x[17] = 1
	r := sketch.NewRotation[float64](len(x), 4, 1)
	y := make([]float64, len(x))
	r.Apply(y, x)
	largest, length := 0., 0.
	for _, v := range y {
		largest = max(largest, math.Abs(v))
		length += v * v
	}
	fmt.Printf("length %.3f, largest element below .2: %v\n", length, largest < .2)
	r.Inverse(y, y)
	fmt.Printf("%.3f\n", y[17])
	// Output:
	// length 1.000, largest element below .2: true
	// 1.000
}

func ExampleProjection() {
	p := sketch.NewProjection[float32](4096, 1024, 1)
	x := num.MakeRows[float32](2, 4096)
	x.Row(0)[5], x.Row(1)[900] = 3, 4 // five apart
	y := num.MakeRows[float32](2, 1024)
	p.ApplyRows(y, x, 0)
	s := 0.
	for i, v := range y.Row(0) {
		d := float64(v - y.Row(1)[i])
		s += d * d
	}
	fmt.Println("distance within 10 % of 5:", math.Abs(math.Sqrt(s)-5) < .5)
	// Output: distance within 10 % of 5: true
}

func ExampleCountSketch() {
	a := num.Rows[float64]{Data: []float64{1, 2, 4, 8}, N: 4, D: 1, Stride: 1}
	s := num.MakeRows[float64](1, 1) // a single row: the sum with random signs
	sketch.NewCountSketch[float64](1, 4, 1).Apply(s, a, 1)
	fmt.Println(math.Mod(math.Abs(s.Data[0]), 2))
	// Output: 1
}

func ExampleLeastSquares() {
	const n = 1000
	a, b := mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range n {
		t := float64(i) / n
		a.SetRow(i, []float64{1, t})
		b[i] = 3 - 2*t
	}
	s, err := sketch.LeastSquares{}.Solve(context.Background(), a, b)
	fmt.Printf("%.6f %v\n", s.X, err)
	// Output: [3.000000 -2.000000] <nil>
}

// Vectors on a circle are stored in four bits a dimension; the first is found again.
func ExampleRaBitQ() {
	const d = 256
	codes := sketch.NewRaBitQ(sketch.NewRotation[float32](d, 4, 1), nil, 4)
	at := func(angle float64) []float32 {
		x := make([]float32, d)
		x[7], x[200] = float32(math.Cos(angle)), float32(math.Sin(angle))
		return x
	}
	for i := range 6 {
		codes.Add(at(float64(i)))
	}
	query := codes.Query(at(.1))
	nearest := 0
	for i := range codes.Len() {
		if query.Distance(i) < query.Distance(nearest) {
			nearest = i
		}
	}
	fmt.Println("nearest:", nearest, "certain to 3 sigma:", query.Distance(0)+query.Bound(0, 3) < query.Distance(1)-query.Bound(1, 3))
	// Output: nearest: 0 certain to 3 sigma: true
}

func ExampleScalar() {
	s := sketch.NewScalar(3, 4, 0, 15)
	s.Add([]float32{1.2, 7, 14.9})
	x := make([]float32, 3)
	s.Row(x, 0)
	fmt.Println(x)
	// Output: [1 7 15]
}

// The number of dimensions that keeps the distances of 1000 points within a tenth.
func ExampleJLDim() {
	fmt.Println(sketch.JLDim(1000, .1), sketch.JLDim(1000, .3))
	// Output: 5921 768
}

// A rotation by a Kac walk is faster for a length such as 768, which is no power of two.
func ExampleNewKacRotation() {
	x := make([]float32, 768)
	x[5] = 2
	r := sketch.NewKacRotation[float32](len(x), 4, 1)
	r.Apply(x, x)
	s := 0.
	for _, v := range x {
		s += float64(v) * float64(v)
	}
	r.Inverse(x, x)
	fmt.Printf("%.3f %.3f\n", math.Sqrt(s), x[5])
	// Output: 2.000 2.000
}

// A sketch of 400 rows keeps the length of a column of 10 000 rows within a tenth.
func ExampleNewSRHT() {
	const n, s = 10_000, 400
	a, sa := num.MakeRows[float64](n, 1), num.MakeRows[float64](s, 1)
	for i := range n {
		a.Data[i] = math.Sin(float64(i))
	}
	sketch.NewSRHT[float64](s, n, 1).Apply(sa, a, 0)
	length := func(x []float64) float64 { return math.Sqrt(vec.Dot(x, x)) }
	fmt.Println(math.Abs(length(sa.Data)/length(a.Data)-1) < .1)
	// Output: true
}

// Rows take half the memory in float16, with three digits, or in bfloat16, with the range of float32
// and two digits.
func ExampleToFloat16() {
	x := []float32{1, 3.14159, 1e5}
	half, brain, y := make([]uint16, 3), make([]uint16, 3), make([]float32, 3)
	sketch.ToFloat16(half, x)
	sketch.FromFloat16(y, half)
	fmt.Println(y)
	sketch.ToBFloat16(brain, x)
	sketch.FromBFloat16(y, brain)
	fmt.Println(y)
	// Output:
	// [1 3.140625 +Inf]
	// [1 3.140625 99840]
}
