package kernel_test

import (
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

var x, y = []float64{1, 0}, []float64{0, 1}

func ExampleGaussian() {
	fmt.Printf("%.4f\n", kernel.Gaussian{Gamma: 0.5}.Eval(x, y))
	// Output: 0.3679
}

func ExampleLaplacian() {
	fmt.Printf("%.4f\n", kernel.Laplacian{Gamma: 0.5}.Eval(x, y))
	// Output: 0.3679
}

func ExamplePolynomial() {
	fmt.Println(kernel.Polynomial{Degree: 3, Offset: 1}.Eval(x, x))
	// Output: 8
}

func ExampleHomogeneous() {
	fmt.Println(kernel.Homogeneous{Degree: 2}.Eval([]float64{1, 2}, []float64{3, 0}))
	// Output: 9
}

func ExampleLinear() {
	fmt.Println(kernel.Linear{}.Eval([]float64{1, 2}, []float64{3, 4}))
	// Output: 11
}

func ExampleMatern() {
	fmt.Printf("%.4f\n", kernel.Matern{Nu: 1.5, Length: 1}.Eval(x, y))
	// Output: 0.2978
}

func ExampleRationalQuadratic() {
	fmt.Printf("%.4f\n", kernel.RationalQuadratic{Alpha: 1, Length: 1}.Eval(x, y))
	// Output: 0.5000
}

func ExampleSigmoid() {
	fmt.Printf("%.4f\n", kernel.Sigmoid{Scale: 1, Offset: 0}.Eval(x, x))
	// Output: 0.7616
}

func ExampleNew() {
	k, err := kernel.New(kernel.Spec{Name: "polynomial", Params: map[string]float64{"degree": 2}})
	fmt.Println(k, err)
	_, err = kernel.New(kernel.Spec{Name: "gaussian", Params: map[string]float64{"gamma": 0}})
	fmt.Println(err)
	// Output:
	// {2 1} <nil>
	// Kernel.Gamma is 0, want a finite number > 0
}

func ExampleColumns() {
	similarity := mat.NewSymDense(3, []float64{2, 1, 0, 1, 2, 1, 0, 1, 2})
	k := kernel.Columns(func(dst []float64, j int) { mat.Col(dst, j, similarity) }, 3)
	rows := kernel.Indices(3)
	block := kernel.Against[float64](k, rows.Slice(1, 2, 0, 1))
	c := gram.MakeRows[float64](3, 1)
	block.Fill(c, gram.Of(rows))
	fmt.Println(c.Data)
	// Output: [1 2 1]
}

func ExampleBlock_Mul() {
	z := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	block := kernel.Against[float64](kernel.Gaussian{Gamma: 0.5}, z)
	v := gram.Rows[float64]{Data: []float64{1, -1}, N: 2, D: 1, Stride: 1}
	f := gram.MakeRows[float64](2, 1)
	block.Mul(f, gram.Of(z), v)
	fmt.Printf("%.4f\n", f.Data)
	// Output: [0.6321 -0.6321]
}

func ExampleMeanGamma() {
	x := mat.NewDense(3, 1, []float64{0, 1, 2}) // squared distances 1, 4, 1
	fmt.Println(kernel.MeanGamma(x))
	// Output: 0.5
}
