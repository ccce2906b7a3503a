package onnx_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/app/onnx"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/predict"
	"gonum.org/v1/gonum/mat"
)

// A kernel machine becomes a graph of standard operators.
func ExampleWrite() {
	x := mat.NewDense(4, 1, []float64{0, 1, 2, 3})
	m, err := krr.Config{Kernel: kernel.Gaussian{Gamma: 1}}.Fit(context.Background(), x, []float64{0, 1, 0, 1}, nil)
	if err != nil {
		panic(err)
	}
	p, err := pipeline.New(krr.NewRegressor(m, krr.Method), 1, nil)
	if err != nil {
		panic(err)
	}
	var file bytes.Buffer
	left, err := onnx.Write(&file, p, predict.Float32)
	fmt.Println(bytes.Contains(file.Bytes(), []byte("ReduceSumSquare")), bytes.Contains(file.Bytes(), []byte("Exp")), left, err)
	// Output: true true [] <nil>
}
