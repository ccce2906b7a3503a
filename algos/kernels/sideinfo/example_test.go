package sideinfo_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/kernels/sideinfo"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"gonum.org/v1/gonum/mat"
)

// A fifth of the rows has a class; a linear machine on the learned features
// predicts the others.
func ExampleConfig_Fit() {
	d := dataset.Rings(300, 2, .1, 1)
	ctx := context.Background()
	known := d.Labels
	known.Class = append([]int(nil), d.Labels.Class...)
	var rows, class []int
	for i := range known.Class {
		if i%10 > 1 {
			known.Class[i] = -1
			continue
		}
		rows, class = append(rows, i), append(class, d.Labels.Class[i])
	}
	m, err := sideinfo.Config{Kernel: kernel.Gaussian{Gamma: 2}, M: 30}.Fit(ctx, d.X, known)
	if err != nil {
		fmt.Println(err)
		return
	}
	labels := d.Labels
	labels.Class = class
	svm, err := linear.SVM{}.Fit(ctx, m, dataset.SelectRows(d.X, rows), labels, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", metric.Accuracy(svm.Predict(nil, d.X), d.Labels.Class))
	// Output:
	// 1.00
}

// Six rows of each of two rings have a class.
func few() *dataset.Set {
	d := dataset.Rings(200, 2, .1, 1)
	var known [2]int
	for i, k := range d.Labels.Class {
		if known[k]++; known[k] > 6 {
			d.Labels.Class[i] = -1
		}
	}
	return d
}

func ExampleCSI_Fit() {
	d := few()
	m, err := sideinfo.CSI{Kernel: kernel.Gaussian{Gamma: 2}, M: 10}.Fit(context.Background(), d.X, d.Labels)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Map(nil, d.X).Dims())
	// Output:
	// 200 10
}

func ExampleTwoStage_Fit() {
	d := few()
	m, err := sideinfo.TwoStage{Gammas: []float64{.01, 1, 100}}.Fit(context.Background(), d.X, d.Labels)
	if err != nil {
		fmt.Println(err)
		return
	}
	var sum float64
	for _, w := range m.Weights {
		sum += w
	}
	fmt.Printf("%.3f, K(x,x) %.3f\n", sum, m.Eval([]float64{1, 2}, []float64{1, 2}))
	// Output:
	// 1.000, K(x,x) 1.000
}

func ExampleClusterKernel_Features() {
	d := few()
	g, err := sideinfo.ClusterKernel{Kernel: kernel.Gaussian{Gamma: 2}, Rank: 8}.Features(context.Background(), d.X)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("K(x,x) %.3f\n", mat.Dot(g.RowView(0), g.RowView(0)))
	// Output:
	// K(x,x) 1.000
}

func ExampleGraph_Features() {
	d := few()
	graph, err := sideinfo.Spectral{Rank: 10}.Graph(context.Background(), d.X)
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := graph.Features(d.Labels)
	if err != nil {
		fmt.Println(err)
		return
	}
	n := mat.Norm(g, 2)
	fmt.Printf("trace K %.1f\n", n*n)
	// Output:
	// trace K 200.0
}
