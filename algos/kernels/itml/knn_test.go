package itml

import (
	"errors"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
)

// The slack depends on the regularizer unless it is given or there is none, and
// the neighbors on the number of rows.
func TestKNNDefaults(t *testing.T) {
	for _, c := range []struct {
		c     KNN
		n     int
		slack float64
		k     int
	}{
		{KNN{}, 30, 1, 5}, {KNN{Config: Config{Regularizer: Trace}}, 30, 100, 5}, {KNN{Config: Config{Regularizer: Frobenius, Slack: 7}}, 3, 7, 3},
		{KNN{Hard: true, K: 4}, 30, 0, 4},
	} {
		c.c.Kernel = kernel.Gaussian{Gamma: 1}
		got, err := settings.Resolved(c.c, gram.Shape{N: c.n, Outputs: 2})
		if err != nil || got.Slack != c.slack || got.K != c.k {
			t.Errorf("%+v: slack %g and %d neighbours, %v", c.c, got.Slack, got.K, err)
		}
	}
	for field, c := range map[string]KNN{"Slack": {Hard: true, Config: Config{Slack: 1}}, "K": {K: 31}} {
		c.Kernel = kernel.Gaussian{Gamma: 1}
		var ce *gram.ConfigError
		if _, err := settings.Resolved(c, gram.Shape{N: 30, Outputs: 2}); !errors.As(err, &ce) || ce.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}
