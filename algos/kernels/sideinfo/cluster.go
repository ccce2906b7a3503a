package sideinfo

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Transfer is what a cluster kernel makes of an eigenvalue.
type Transfer uint8

const (
	LinearStep Transfer = iota // λ for the Rank largest, else 0
	Step                       // 1 for the Rank largest, else 0
	Power                      // λ^Exponent for the Rank largest, else 0
)

// String returns "linear-step", "step" or "power".
func (t Transfer) String() string {
	return enum.Name(t, "linear-step", "step", "power")
}

// ClusterKernel are the settings of cluster kernels ([CWS03]): with D the row sums
// of K and D^−½KD^−½ = UΛUᵀ, the kernel is D̃^½·U·φ(Λ)·Uᵀ·D̃^½ for a transfer
// function φ, and D̃ such that its diagonal is 1. Labels are not used.
type ClusterKernel struct {
	Kernel   kernel.Kernel // no default
	Rank     int           // eigenvectors; default a tenth of the rows, from 1 to 500
	Transfer Transfer
	Exponent float64 // of Power; default 2
	gram.Run
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *ClusterKernel) Settings(s *settings.Fields) {
	kernel.Setting(s, &c.Kernel)
	s.Int(&c.Rank, "rank", "eigenvectors").DefaultRule(max(1, min(s.Shape.N/10, 500)), "a tenth of the rows, from 1 to 500").
		AtLeast(1).AtMostRule(s.Shape.N, "the number of rows")
	settings.Choice(s, &c.Transfer, "transfer", "what becomes of the eigenvalues of the largest", LinearStep, Step, Power)
	s.Float(&c.Exponent, "exponent", "power: exponent").Default(2).Above(0)
}

// Plan returns what Features will cost if Lanczos takes 4·Rank products.
func (c ClusterKernel) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	n, d, r := float64(s.N), float64(s.D), float64(c.Rank)
	return gram.Plan{
		Flops: 2*n*n*d + 8*r*n*n + 32*r*r*n, PeakBytes: check.Bytes(8 * (n*n + n*d + 5*n*r)), ModelBytes: check.Bytes(8 * n * r), FullKernel: true,
		Description: "cluster kernel",
	}, nil
}

// Features returns G, n×Rank, with G·Gᵀ the cluster kernel of the rows of x. It
// is defined for these rows alone. The kernel matrix is stored. The kernel must have
// positive row sums, which a Gaussian has; else a *gram.DataError names the row.
func (c ClusterKernel) Features(ctx context.Context, x mat.Matrix) (*mat.Dense, error) {
	n, _ := x.Dims()
	c, err := settings.Resolved(c, gram.Shape{N: n})
	if err != nil {
		return nil, err
	}
	s, err := c.Samples(c, x, 0)
	if err != nil {
		return nil, err
	}
	k, err := normalized(ctx, c.Kernel, s, c.Run)
	if err != nil {
		return nil, err
	}
	values, u, err := eig.TopK(ctx, matrix{k}, c.Rank, eig.Options{Seed: c.Seed})
	if err != nil {
		return nil, err
	}
	for j, v := range values {
		switch c.Transfer {
		case LinearStep:
			values[j] = max(0, v)
		case Step:
			values[j] = 1
		case Power:
			values[j] = math.Pow(max(0, v), c.Exponent)
		}
	}
	for i := range n {
		row := u.RawRowView(i)
		var sum float64
		for j, v := range values {
			row[j] *= math.Sqrt(v)
			sum += row[j] * row[j]
		}
		if sum > 0 {
			for j := range row {
				row[j] /= math.Sqrt(sum)
			}
		}
	}
	return u, nil
}

// normalized is D^−½KD^−½ for the rows of x and the row sums D of K.
func normalized(ctx context.Context, kern kernel.Kernel, x gram.Samples[float64], run gram.Run) (*mat.Dense, error) {
	n := x.N()
	k := mat.NewDense(n, n, nil)
	kernel.Against[float64](kern, x).Limit(run.Workers).Fill(gram.View(k), x)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	scale := make([]float64, n)
	for i := range n {
		var sum float64
		for _, v := range k.RawRowView(i) {
			sum += v
		}
		if !(sum > 0) {
			return nil, &gram.DataError{Row: i, Col: -1, Value: sum, Reason: "is the row's sum of kernel values, which must be positive"}
		}
		scale[i] = 1 / math.Sqrt(sum)
	}
	for i := range n {
		row := k.RawRowView(i)
		for j := range row {
			row[j] *= scale[i] * scale[j]
		}
	}
	return k, nil
}

// matrix is a stored symmetric matrix as an operator.
type matrix struct{ a *mat.Dense }

// Dim returns the order of the matrix.
func (s matrix) Dim() int { n, _ := s.a.Dims(); return n }

// Apply sets dst to the product of the matrix with x.
func (s matrix) Apply(dst, x *mat.Dense) { dst.Mul(s.a, x) }
