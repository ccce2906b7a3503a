package sideinfo

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// TwoStage are the settings of the first stage of [CMR10]: a combination
// Σ μ_k·exp(−γ_k‖x−y‖²), μ ≥ 0, whose centered matrix on the labeled rows is
// aligned with K*. The second stage is any kernel method.
type TwoStage struct {
	Gammas      []float64 // default the inverse mean squared distance times 2^-3, 2^-2, …, 2^3
	Independent bool      // μ_k = ρ(K_k, K*), negative ones 0 (align); else the μ that is best together (alignf)
	gram.Run    `json:"-"`
}

// Mixture is the kernel Σ Weights_k·exp(−Gammas_k‖x−y‖²), a sum of Gaussian kernels of several widths.
type Mixture struct{ Gammas, Weights []float64 }

var _ kernel.Radial = Mixture{}

// Eval returns the value of the kernel for one pair of rows.
func (m Mixture) Eval(x, y []float64) float64 {
	var s float64
	for i, v := range x {
		s += (v - y[i]) * (v - y[i])
	}
	one := []float64{s}
	m.Radial(one)
	return one[0]
}

// Radial replaces each squared distance in s by the value of the kernel for it.
func (m Mixture) Radial(s []float64) {
	for i, d := range s {
		var sum float64
		for k, g := range m.Gammas {
			sum += m.Weights[k] * math.Exp(-g*d)
		}
		s[i] = sum
	}
}

// Spec describes the kernel. kernel.New does not make it.
func (m Mixture) Spec() kernel.Spec {
	s := kernel.Spec{Name: "gaussians", Params: map[string]float64{}}
	for k := range m.Gammas {
		s.Params[fmt.Sprintf("gamma%d", k)], s.Params[fmt.Sprintf("weight%d", k)] = m.Gammas[k], m.Weights[k]
	}
	return s
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *TwoStage) Settings(s *settings.Fields) {
	s.Floats(&c.Gammas, "gammas", "widths of the kernels that are combined", "the inverse mean squared distance times 2⁻³, 2⁻², …, 2³", positive, "positive numbers")
	s.Bool(&c.Independent, "independent", "each kernel weighted by its own alignment, instead of all together")
}

// Plan returns what Fit will cost if all rows have labels.
func (c TwoStage) Plan(s gram.Shape) (gram.Plan, error) {
	k := float64(max(7, len(c.Gammas)))
	n, d := float64(s.N), float64(s.D)
	return gram.Plan{
		Flops: 2*k*n*n*d + 3*k*k*n*n, PeakBytes: check.Bytes(8 * (n*n*(k+4) + n*d)), ModelBytes: check.Bytes(16 * k), FullKernel: true,
		Description: fmt.Sprintf("a combination of %.0f Gaussian kernels by alignment", k),
	}, nil
}

// Fit learns the weights from the rows that have a class; a Class of −1 says that
// it is not known. They sum to 1. The matrices of the labeled rows are stored,
// one for each γ. A *gram.DataError is returned if no row has a class or no base
// kernel is aligned with the classes, as with one class alone.
func (c TwoStage) Fit(ctx context.Context, x mat.Matrix, y gram.Labels) (Mixture, error) {
	index, class, err := labeled(x, y)
	if err != nil {
		return Mixture{}, err
	}
	if c, err = settings.Resolved(c, gram.Shape{}); err != nil {
		return Mixture{}, err
	}
	some, err := rows.Select(x, index)
	if err != nil {
		return Mixture{}, err
	}
	s, err := c.Samples(c, some, 0)
	if err != nil {
		return Mixture{}, err
	}
	m := Mixture{Gammas: append([]float64(nil), c.Gammas...)}
	if len(m.Gammas) == 0 {
		mean := kernel.MeanGamma(s)
		for e := -3; e <= 3; e++ {
			m.Gammas = append(m.Gammas, math.Ldexp(mean, e))
		}
	}
	n, k := len(index), len(m.Gammas)
	ideal := center(idealOf(class))
	square := dot(ideal, ideal)
	none := &gram.DataError{Row: index[0], Col: -1, Reason: "no base kernel is aligned with the classes of the rows"}
	if slices.Max(class) == slices.Min(class) {
		return Mixture{}, none
	}
	base := make([]*mat.Dense, k)
	b := make([]float64, k)
	a := mat.NewSymDense(k, nil)
	for i, g := range m.Gammas {
		if err := ctx.Err(); err != nil {
			return Mixture{}, err
		}
		full := mat.NewDense(n, n, nil)
		kernel.Against[float64](kernel.Gaussian{Gamma: g}, s).Limit(c.Workers).Fill(gram.View(full), s)
		base[i] = center(full)
		b[i] = dot(base[i], ideal)
		for j := range i + 1 {
			a.SetSym(i, j, dot(base[i], base[j]))
		}
	}
	if c.Independent {
		m.Weights = make([]float64, k)
		for i, v := range b {
			m.Weights[i] = max(0, ratio(v, a.At(i, i), square))
		}
	} else {
		m.Weights = nonNegative(a, b)
	}
	var sum float64
	for _, w := range m.Weights {
		sum += w
	}
	if !(sum > 0) {
		return Mixture{}, none
	}
	for i := range m.Weights {
		m.Weights[i] /= sum
	}
	return m, nil
}

// idealOf is K*: 1 for two rows of one class, else 0.
func idealOf(class []int) *mat.Dense {
	n := len(class)
	k := mat.NewDense(n, n, nil)
	for i, a := range class {
		row := k.RawRowView(i)
		for j, b := range class {
			if a == b {
				row[j] = 1
			}
		}
	}
	return k
}
