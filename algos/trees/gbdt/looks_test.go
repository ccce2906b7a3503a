package gbdt

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/looktest"
)

// More trees end with the error of their context at whichever look it ends.
func TestMoreLooks(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 2)
	for _, workers := range []int{1, 2} {
		c := Config{Rounds: 2, MaxLeaves: 4, Run: gram.Run{Workers: workers}}
		first, err := c.Fit(t.Context(), d.X, d.Labels, nil)
		if err != nil {
			t.Fatal(err)
		}
		looktest.Every(t, func(ctx context.Context) (any, error) {
			m, err := c.More(ctx, first, d.X, d.Labels, nil)
			if err != nil {
				return nil, err
			}
			return m.Scores(nil, d.X), nil
		})
	}
}
