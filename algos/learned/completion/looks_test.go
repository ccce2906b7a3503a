package completion

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/internal/looktest"
)

// Drawn features end with the error of their context at whichever look it ends.
func TestDrawLooks(t *testing.T) {
	x := gram.Of(algotest.Problem(3, 60, 130, 3).X)
	for name, s := range map[string]Side{
		"fourier": {Map: Fourier, M: 5, Gamma: .5},
		"nystrom": {Map: Nystrom, M: 5, Gamma: .5, Landmarks: landmark.Uniform{}},
	} {
		for _, workers := range []int{1, 2} {
			t.Run(name, func(t *testing.T) {
				looktest.Every(t, func(ctx context.Context) (any, error) {
					b, err := Draw(ctx, s, x, gram.Run{Workers: workers})
					return looktest.Unless(err, func() any { return b.Points() })
				})
			})
		}
	}
}
