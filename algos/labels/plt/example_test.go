package plt_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/gramworks/gram/algos/labels/plt"
	"github.com/gramworks/gram/dataset"
)

// Rows with the first column have label 0, rows with the second label 1.
func ExampleConfig() {
	s, err := dataset.Read(strings.NewReader(strings.Repeat("0 1:1\n1 2:1\n", 50)), dataset.Options{Task: dataset.MultiLabel})
	if err != nil {
		panic(err)
	}
	m, err := plt.Config{}.Fit(context.Background(), s.X, s.Tags)
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
