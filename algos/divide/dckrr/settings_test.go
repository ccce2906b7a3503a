package dckrr

import (
	"testing"

	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/krr"
)

func TestSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	good := krr.Config{Kernel: gauss, NoBias: true}
	more := map[string][]any{"Kernel": {nil}, "Parts": {41}, "Radius": {1.5}}
	algotest.Refused(t, Config{Local: good, Parts: 2}, more, func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, d.Value, nil)
		return err
	})
	more["Parts"] = nil
	algotest.Refused(t, Config{Local: good, Partition: Voronoi, Radius: 0.5}, more, func(c Config) error {
		_, err := c.Fit(t.Context(), d.X, d.Value, nil)
		return err
	})
	algotest.Refused(t, Random{Local: good, Parts: 2}, map[string][]any{"Kernel": {nil}, "Parts": {41}}, func(c Random) error {
		_, err := c.Fit(t.Context(), d.X, d.Value, nil)
		return err
	})
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Config{}, &Random{}) }
