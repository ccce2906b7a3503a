package bregman

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/looktest"
)

// The problem of an isometry ends with the error of its context at whichever look it ends.
func TestIsometryLooks(t *testing.T) {
	x := algotest.Problem(3, 60, 3, 3).X
	for _, workers := range []int{1, 2} {
		looktest.Every(t, func(ctx context.Context) (any, error) {
			start, cs, err := Isometry(ctx, x, x, 4, gram.Run{Workers: workers})
			return []any{start, cs}, err
		})
	}
}
