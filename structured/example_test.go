package structured_test

import (
	"fmt"

	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/structured"
)

// Two seeds of length 4 and the two coarsest rows of the Haar matrix, (1 1 1
// 1) and (1 1 −1 −1), give four landmarks.
func ExampleStack() {
	v := num.Rows[float64]{Data: []float64{1, 2, 3, 4, 1, 0, 1, 0}, N: 2, D: 4, Stride: 4}
	stack := structured.New(structured.Haar, v, 2)
	u := num.MakeRows[float64](4, 4)
	stack.Landmarks(u)
	for i := range u.N {
		fmt.Println(u.Row(i))
	}
	x := num.Rows[float64]{Data: []float64{1, 1, 1, 1}, N: 1, D: 4, Stride: 4}
	products := num.MakeRows[float64](1, 4)
	stack.Forward(products, x, 1)
	fmt.Println(products.Row(0), stack.SquaredNorms(nil))
	// Output:
	// [1 2 3 4]
	// [1 2 -3 -4]
	// [1 0 1 0]
	// [1 0 -1 0]
	// [10 -4 2 0] [30 30 2 2]
}

// Seeds are learned by assigning each row to its nearest landmark and then
// solving for the seeds.
func ExampleStack_Update() {
	x := num.Rows[float64]{Data: []float64{1, 2, 3, 5, 1, 3, -3, -4}, N: 2, D: 4, Stride: 4}
	v := num.Rows[float64]{Data: []float64{1, 1, 1, 1}, N: 1, D: 4, Stride: 4}
	stack := structured.New(structured.Hadamard, v, 2)
	products, norms := num.MakeRows[float64](2, 2), stack.SquaredNorms(nil)
	stack.Forward(products, x, 1)
	assign := make([]int, x.N)
	for i := range assign {
		for q, p := range products.Row(i) {
			if best := assign[i]; norms[q]-2*p < norms[best]-2*products.Row(i)[best] {
				assign[i] = q
			}
		}
	}
	stack.Update(v, x, assign)
	fmt.Println(assign, v.Data)
	// Output:
	// [0 1] [1 2.5 3 4.5]
}

func ExampleMatrix() {
	ones := num.Rows[float32]{Data: []float32{1, 1, 1, 1}, N: 1, D: 4, Stride: 4}
	for _, h := range []structured.Matrix{structured.Haar, structured.Hadamard} {
		u := num.MakeRows[float32](4, 4)
		structured.New(h, ones, 4).Landmarks(u)
		fmt.Println(u.Data)
	}
	// Output:
	// [1 1 1 1 1 1 -1 -1 1 -1 0 0 0 0 1 -1]
	// [1 1 1 1 1 1 -1 -1 1 -1 -1 1 1 -1 1 -1]
}
