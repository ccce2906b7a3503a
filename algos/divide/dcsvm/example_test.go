package dcsvm_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/divide/dcsvm"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
)

func ExampleConfig() {
	rings := dataset.Rings(2000, 2, 0.05, 1)
	c := dcsvm.Config{Machine: svm.Config{Kernel: kernel.Gaussian{Gamma: 1}, C: 10}, Branch: 4, Levels: gram.Set(1)}
	m, stats, err := c.Fit(context.Background(), rings.X, rings.Labels, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range stats.Levels {
		fmt.Print(l.Parts, " ")
	}
	fmt.Println(m.Stats().Problems[0].Violation <= 1e-3)
	// Output: 4 1 1 true
}
