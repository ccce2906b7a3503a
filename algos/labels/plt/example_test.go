package plt_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/gramworks/gram"
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

// Processes make the tree and the pieces, whose states Exchange writes to files and reads; here there is one process.
func ExampleConfig_Pieces() {
	ctx, run := context.Background(), gram.Run{}
	s, err := dataset.Read(strings.NewReader(strings.Repeat("0 1:1\n1 2:1\n", 50)), dataset.Options{Task: dataset.MultiLabel})
	if err != nil {
		panic(err)
	}
	p, err := plt.Config{}.Pieces(s.X, s.Tags)
	if err != nil {
		panic(err)
	}
	tree, err := p.Divide(ctx, 0, run)
	if err != nil {
		panic(err)
	}
	if err := p.SetTrees(ctx, []*plt.Tree{tree}); err != nil {
		panic(err)
	}
	m, err := p.Join(ctx, func(k int) (*plt.Piece, error) { return p.Train(ctx, k, run) }, run)
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Trees(), "tree,", p.Number(), "piece,", m.NumLabels(), "labels")
	// Output: 1 tree, 1 piece, 2 labels
}
