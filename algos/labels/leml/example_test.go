package leml_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/dataset"
)

// Rows with the first column have the labels 0 and 2, rows with the second the
// label 1.
const rows = "0,2 1:1\n1 2:1\n"

func ExampleConfig() {
	s, err := dataset.Read(strings.NewReader(strings.Repeat(rows, 50)), dataset.Options{})
	if err != nil {
		panic(err)
	}
	m, err := leml.Config{Rank: 2, Lambda: gram.Set(1e-3)}.Fit(context.Background(), s.X, s.Tags)
	if err != nil {
		panic(err)
	}
	for _, labels := range m.Top(nil, s.X, 2)[:2] {
		fmt.Printf("%d: %.1f\n", labels[0].Label, labels[0].Score)
	}
	// Output:
	// 0: 1.0
	// 1: 1.0
}
