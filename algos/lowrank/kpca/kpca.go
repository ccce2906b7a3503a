package kpca

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/itml"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Config are the settings of kernel principal component analysis.
type Config struct {
	Kernel kernel.Kernel // κ; no default
	Rank   int           // components; default 2; those with eigenvalues below n·2⁻⁵³ times the largest are dropped
	Center bool          // subtract the mean in the feature space
	gram.Run
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	kernel.Setting(s, &c.Kernel)
	s.Int(&c.Rank, "rank", "components").DefaultRule(min(2, s.Shape.N), "2, or the number of rows if that is less").
		AtLeast(1).AtMostRule(s.Shape.N, "the number of rows")
	s.Bool(&c.Center, "center", "subtract the mean in feature space")
}

// Plan estimates the flops and the bytes that Fit needs for data of shape s, before there are data.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	n, d := float64(s.N), float64(s.D)
	return gram.Plan{
		Flops:     n*n*d + 9*n*n*n,
		PeakBytes: check.Bytes(8 * (7*n*n + n*d)), ModelBytes: check.Bytes(8 * n * (2*d + float64(max(c.Rank, 1)))),
		FullKernel: true, Description: "kernel principal components",
	}, err
}

// Fit returns the kernel of the components of the rows of x, which it copies. The first feature is the component with
// the largest eigenvalue. Fit takes 9n³ flops.
//
// Errors: *gram.ConfigError for a setting that is out of range, *gram.DataError for NaN in x, those of eig.SymAll,
// and ctx.Err().
func (c Config) Fit(ctx context.Context, x mat.Matrix) (*itml.Function, error) {
	n, _ := check.Dims(x)
	c, err := settings.Resolved(c, gram.Shape{N: n})
	if err != nil {
		return nil, err
	}
	all, err := c.Run.Samples(c, x, 0)
	if err != nil {
		return nil, err
	}
	points := rows.Dense(all, nil)
	g, err := c.matrix(ctx, points)
	if err != nil {
		return nil, err
	}
	if c.Center {
		center(g)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	values, u, err := eig.SymAll(ctx, g)
	if err != nil {
		return nil, err
	}
	v, sign := c.coefficients(values, u)
	return itml.NewFunction(c.Kernel, 0, points, v, sign, c.Workers), nil
}

// matrix returns the kernel matrix of the points. It looks at ctx between blocks of rows.
func (c Config) matrix(ctx context.Context, points *mat.Dense) (*mat.SymDense, error) {
	n, _ := points.Dims()
	g := mat.NewDense(n, n, nil)
	block := kernel.Against[float64](c.Kernel, points).Limit(c.Workers)
	const step = 256
	for lo := 0; lo < n; lo += step {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+step, n)
		block.Fill(gram.View(g).Slice(lo, hi), gram.Of(points).Slice(lo, hi))
	}
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (g.At(i, j)+g.At(j, i))/2)
		}
	}
	return s, nil
}

// coefficients returns V = U_r·Λ_r^{−½}, or H times that, for ascending eigenvalues, and signs that are all 1. Where no
// eigenvalue counts, as for rows that are zeros, V is one column of zeros.
func (c Config) coefficients(values []float64, u *mat.Dense) (v *mat.Dense, sign []float64) {
	n := len(values)
	least := float64(n) * 0x1p-53 * values[n-1]
	r := 0
	for r < c.Rank && values[n-1-r] > least && values[n-1-r] > 0 {
		r++
	}
	v = mat.NewDense(n, max(r, 1), nil)
	sign = make([]float64, max(r, 1))
	for j := range sign {
		sign[j] = 1
	}
	for j := range r {
		var mean float64
		for i := range n {
			v.Set(i, j, u.At(i, n-1-j)/math.Sqrt(values[n-1-j]))
			mean += v.At(i, j) / float64(n)
		}
		for i := range n {
			if c.Center {
				v.Set(i, j, v.At(i, j)-mean)
			}
		}
	}
	return v, sign
}

// center replaces G by HGH with H = I − 11ᵀ/n, so that every row and every column has the sum 0.
func center(g *mat.SymDense) {
	n := g.SymmetricDim()
	mean := make([]float64, n)
	var all float64
	for i := range n {
		for j := range n {
			mean[i] += g.At(i, j) / float64(n)
		}
		all += mean[i] / float64(n)
	}
	for i := range n {
		for j := i; j < n; j++ {
			g.SetSym(i, j, g.At(i, j)-mean[i]-mean[j]+all)
		}
	}
}
