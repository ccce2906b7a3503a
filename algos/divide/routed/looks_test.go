package routed

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/looktest"
)

// A tree ends with the error of its context at whichever look it ends.
func TestTreeLooks(t *testing.T) {
	d := algotest.Problem(3, 300, 3, 3)
	looktest.Every(t, func(ctx context.Context) (any, error) {
		tree, err := Tree(ctx, d.X, 300, 60, gram.Run{})
		if err != nil {
			return nil, err
		}
		return tree.Assign(nil, d.X), nil
	})
}
