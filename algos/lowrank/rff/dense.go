package rff

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/gonum/stat/samplemv"
)

// maxHalton is the number of dimensions that gonum's Halton sequence has.
const maxHalton = 1000

// dense draws m frequencies, each of them from a stream of its own (orthogonal
// blocks and Halton points: all from one).
func (c Config) dense(ctx context.Context, d int) (basis.Basis, error) {
	if w := c.Given.Omega; w != nil {
		if err := gram.Of(w).Finite(); err != nil {
			return nil, fmt.Errorf("frequencies that are given: %w", err)
		}
		return basis.NewFourier(mat.DenseCopyOf(w.T()), c.Workers), nil
	}
	draw := c.independent
	switch c.Frequencies {
	case Orthogonal:
		draw = c.orthogonal
	case Halton:
		draw = c.halton
	}
	w := mat.NewDense(c.M, d, nil)
	if err := draw(ctx, w); err != nil {
		return nil, err
	}
	return basis.NewFourier(mat.DenseCopyOf(w.T()), c.Workers), nil
}

// independent fills the rows of w with draws from the spectral distribution.
func (c Config) independent(ctx context.Context, w *mat.Dense) error {
	m, _ := w.Dims()
	return par.For(ctx, c.Workers, m, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			r := rng.New(c.Seed, uint64(i))
			row := w.RawRowView(i)
			switch k := c.Kernel.(type) {
			case kernel.Gaussian:
				sd := math.Sqrt(2 * k.Gamma)
				for j := range row {
					row[j] = sd * r.NormFloat64()
				}
			case kernel.Laplacian:
				for j := range row {
					row[j] = cauchy(k.Gamma, open(r))
				}
			}
		}
	})
}

// open returns a number in the open interval (0, 1).
func open(r *rand.Rand) float64 { return (float64(r.Uint64()>>12) + .5) * 0x1p-52 }

// cauchy is the inverse distribution function of Cauchy(γ).
func cauchy(gamma, p float64) float64 { return gamma * math.Tan(math.Pi*(p-.5)) }

// orthogonal fills w with blocks of d orthogonal rows, whose lengths have the distribution √(2γ)·χ_d that independent rows have.
func (c Config) orthogonal(ctx context.Context, w *mat.Dense) error {
	m, d := w.Dims()
	sd := math.Sqrt(2 * c.Kernel.(kernel.Gaussian).Gamma)
	g := mat.NewDense(d, d, nil)
	var qr mat.QR
	for lo := 0; lo < m; lo += d {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := rng.New(c.Seed, uint64(lo/d))
		for i := range d {
			for j := range d {
				g.Set(i, j, r.NormFloat64())
			}
		}
		var q, upper mat.Dense
		qr.Factorize(g)
		qr.QTo(&q)
		qr.RTo(&upper)
		for i := range min(d, m-lo) {
			length := sd * chi(d, r)
			// With the signs of R's diagonal Q is uniform over the orthogonal
			// matrices.
			if upper.At(i, i) < 0 {
				length = -length
			}
			row := w.RawRowView(lo + i)
			mat.Col(row, i, &q)
			for j := range row {
				row[j] *= length
			}
		}
	}
	return nil
}

// chi draws from the χ distribution with d degrees of freedom.
func chi(d int, r *rand.Rand) float64 {
	return math.Sqrt(distuv.ChiSquared{K: float64(d), Src: r}.Rand())
}

// halton fills w with the points of a scrambled Halton sequence, mapped by the
// inverse distribution function.
func (c Config) halton(ctx context.Context, w *mat.Dense) error {
	m, d := w.Dims()
	r := rng.New(c.Seed, 0)
	samplemv.Halton{Kind: samplemv.Owen, Q: distmv.NewUnitUniform(d, r), Src: r}.Sample(w)
	for i := range m {
		if err := ctx.Err(); err != nil {
			return err
		}
		row := w.RawRowView(i)
		for j, p := range row {
			p = min(max(p, 0x1p-53), 1-0x1p-53)
			switch k := c.Kernel.(type) {
			case kernel.Gaussian:
				row[j] = math.Sqrt(4*k.Gamma) * math.Erfinv(2*p-1)
			case kernel.Laplacian:
				row[j] = cauchy(k.Gamma, p)
			}
		}
	}
	return nil
}
