package bench

import (
	"context"
	"errors"
	"regexp"
	"testing"

	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/tuning"
)

// Measurements and searches of parameters end with the error of their context at whichever look it ends, and leave the parameters in
// force as they were.
func TestLooks(t *testing.T) {
	before := *tuning.Current()
	for name, f := range map[string]func(ctx context.Context) (any, error){
		"Run": func(ctx context.Context) (any, error) {
			err := Run(ctx, Options{Quick: true, Match: regexp.MustCompile("^fwht/float64/64$")}, func(Row) error { return nil })
			if above := (*CeilingError)(nil); errors.As(err, &above) { // how fast this machine seems to be is no matter of a test
				err = nil
			}
			return nil, err
		},
		"Tune": func(ctx context.Context) (any, error) {
			_, _, err := Tune(ctx, 1, nil)
			return nil, err
		},
	} {
		t.Run(name, func(t *testing.T) { looktest.Every(t, f) })
	}
	if *tuning.Current() != before {
		t.Error("other values are in force after searches that were ended")
	}
}
