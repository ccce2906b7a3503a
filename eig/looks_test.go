package eig

import (
	"context"
	"testing"

	"github.com/gramworks/gram/internal/looktest"
	"gonum.org/v1/gonum/mat"
)

// spectrum is what a decomposition returns.
type spectrum struct {
	values []float64
	x, y   *mat.Dense
	stats  Stats
}

// Every decomposition ends with the error of its context at whichever look it ends.
func TestLooks(t *testing.T) {
	const n, k = 150, 3
	a := gaussian(n, 3, 2)
	indefinite := mat.NewSymDense(n, nil)
	indefinite.CopySym(a)
	for i := range n {
		indefinite.SetSym(i, i, float64(i%3)-1)
	}
	wide := mat.DenseCopyOf(a.SliceSym(0, n)).Slice(0, n/2, 0, n).(*mat.Dense)
	for name, f := range map[string]func(ctx context.Context, s *spectrum) error{
		"SymAll": func(ctx context.Context, s *spectrum) (err error) {
			s.values, s.x, err = SymAll(ctx, a)
			return err
		},
		"Generalized": func(ctx context.Context, s *spectrum) (err error) {
			s.values, s.x, err = Generalized(ctx, indefinite, a)
			return err
		},
		"NewPairs": func(ctx context.Context, s *spectrum) error {
			p, err := NewPairs(ctx, a)
			if err == nil {
				s.values, s.x = p.Values(), p.Vectors()
			}
			return err
		},
		"ProjectPSD": func(ctx context.Context, s *spectrum) error {
			p, values, err := ProjectPSD(ctx, indefinite)
			if err == nil {
				s.x = mat.DenseCopyOf(p)
			}
			s.values = values
			return err
		},
		"TopK": func(ctx context.Context, s *spectrum) (err error) {
			s.values, s.x, err = TopK(ctx, dense{a}, k, Options{Block: 1, Basis: 8, Tol: 1e-12, Stats: &s.stats})
			return err
		},
		"Randomized": func(ctx context.Context, s *spectrum) (err error) {
			s.values, s.x, err = Randomized(ctx, dense{a}, k, Options{Tol: 1e-9, Stats: &s.stats})
			return err
		},
		"RandomizedSVD": func(ctx context.Context, s *spectrum) (err error) {
			s.x, s.values, s.y, err = RandomizedSVD(ctx, wide, k, Options{Stats: &s.stats})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			looktest.Every(t, func(ctx context.Context) (any, error) {
				var s spectrum
				err := f(ctx, &s)
				if err != nil && s.x != nil { // what TopK and Randomized have so far
					if rows, columns := s.x.Dims(); rows != n || columns != k || len(s.values) != k {
						t.Errorf("%d values and a matrix of %d×%d", len(s.values), rows, columns)
					}
				}
				return s, err
			})
		})
	}
}
