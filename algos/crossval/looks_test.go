package crossval

import (
	"context"
	"errors"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/looktest"
)

// A search returns the error of its context at whichever look of a judge it ends, also if the
// judge replaces it by an error of its own.
func TestSearchLooks(t *testing.T) {
	for name, told := range map[string]func(err error) error{
		"the error":   func(err error) error { return err },
		"another one": func(error) error { return errors.New("trouble") },
	} {
		for _, workers := range []int{1, 2} {
			for _, h := range []*Halving{nil, {Factor: 2, Least: 10}} {
				t.Run(name, func(t *testing.T) {
					looktest.Every(t, func(ctx context.Context) (any, error) {
						s := Search{Splits: Folds(60, 2, nil, 1), Halving: h, Run: gram.Run{Workers: workers}}
						r, err := s.Do(ctx, Each(4), func(inner context.Context, task Task) ([]float64, error) {
							if err := ctx.Err(); err != nil {
								return nil, told(err)
							}
							return known(30)(inner, task)
						})
						if err != nil {
							return nil, err
						}
						for c := range r.Trials {
							r.Trials[c].Seconds = 0
						}
						return r, nil
					})
				})
			}
		}
	}
}
