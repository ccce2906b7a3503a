package solve

import (
	"context"

	"github.com/gramworks/gram"
	"gonum.org/v1/gonum/mat"
)

// Features maps all rows of x to one n×features matrix. It checks ctx between
// blocks of rows and returns ctx.Err() when ctx is done.
func Features(ctx context.Context, m gram.FeatureMap, x mat.Matrix) (*mat.Dense, error) {
	s := gram.Of(x)
	n := s.N()
	_, r := m.Dims()
	phi := mat.NewDense(n, r, nil)
	const block = 1024
	for lo := 0; lo < n; lo += block {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+block, n)
		m.Map(phi.Slice(lo, hi, 0, r).(*mat.Dense), s.Slice(lo, hi))
	}
	return phi, nil
}

// Approximate returns the kernel matrix of the rows of x as the features of m
// approximate it, held as n·features numbers. It returns ctx.Err() when ctx is
// done.
func Approximate(ctx context.Context, m gram.FeatureMap, x mat.Matrix) (*LowRank, error) {
	phi, err := Features(ctx, m, x)
	if err != nil {
		return nil, err
	}
	return &LowRank{Phi: phi}, nil
}
