package gimc

import (
	"context"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/looktest"
)

// A path ends with the error of its context at whichever look it ends, and has shown no model that it would not have shown.
func TestPathLooks(t *testing.T) {
	d := algotest.Problem(3, 40, 3, 3)
	looktest.Every(t, func(ctx context.Context) (any, error) {
		models := 0
		err := Config{M: 6, Steps: 2}.Path(ctx, d.X, d.Tags, func(*Model) { models++ })
		if err == nil && models != 3 {
			t.Errorf("%d models of 3", models)
		}
		return models, err
	})
}
