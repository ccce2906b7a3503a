package sleec_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/gramworks/gram/algos/labels/sleec"
	"github.com/gramworks/gram/dataset"
)

// Rows with the first column have the labels 0 and 2, rows with the second the
// label 1.
func ExampleConfig() {
	s, err := dataset.Read(strings.NewReader(strings.Repeat("0,2 1:1\n1 2:1\n", 50)), dataset.Options{})
	if err != nil {
		panic(err)
	}
	m, err := sleec.Config{Learners: 1, Rank: 2}.Fit(context.Background(), s.X, s.Tags)
	if err != nil {
		panic(err)
	}
	for _, best := range m.Top(nil, s.X, 1)[:2] {
		fmt.Println("label", best[0].Label)
	}
	// Output:
	// label 0
	// label 1
}
