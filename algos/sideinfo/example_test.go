package sideinfo_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/sideinfo"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
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
