package itml

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// PCA is kernel principal component analysis: the kernel of rank Rank whose
// features are the largest principal components of the rows in the feature space
// of Kernel. With G = UΛUᵀ, f(x) = Λ_k^{−½}U_kᵀk_x.
//
// With the kernel of a Model it is ITML LR-post; a fit whose Kernel is a PCA is
// ITML LR-pre.
type PCA struct {
	Kernel kernel.Kernel
	Rank   int // default 2; eigenvalues below n·2⁻⁵³ times the largest are dropped
	// Center subtracts the mean in feature space: G is HGH with H = I − 11ᵀ/n and
	// f(x) = Λ_k^{−½}U_kᵀHk_x. That is the usual embedding up to a constant vector,
	// which distances do not see.
	Center bool
	gram.Run
}

// Settings describes the settings.
func (c *PCA) Settings(s *settings.Fields) {
	kernel.Setting(s, &c.Kernel)
	s.Int(&c.Rank, "rank", "components").DefaultRule(min(2, s.Shape.N), "2, or the number of rows if that is less").
		AtLeast(1).AtMostRule(s.Shape.N, "the number of rows")
	s.Bool(&c.Center, "center", "subtract the mean in feature space")
}

// Plan returns what Fit will cost.
func (c PCA) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	n, d := float64(s.N), float64(s.D)
	return gram.Plan{
		Flops:     n*n*d + 9*n*n*n,
		PeakBytes: check.Bytes(8 * (7*n*n + n*d)), ModelBytes: check.Bytes(8 * n * (2*d + float64(max(c.Rank, 1)))),
		FullKernel: true, Description: "kernel principal components",
	}, err
}

// Fit returns the kernel of the components of the rows of x. It takes a full
// eigendecomposition of G, 9n³ flops.
func (c PCA) Fit(ctx context.Context, x mat.Matrix) (*Function, error) {
	n, _ := check.Dims(x)
	c, err := settings.Resolved(c, gram.Shape{N: n})
	if err != nil {
		return nil, err
	}
	all, err := c.Run.Samples(c, x, 0)
	if err != nil {
		return nil, err
	}
	points := copied(all)
	g := mat.NewDense(n, n, nil)
	if err := fill(ctx, g, kernel.Against[float64](c.Kernel, points).Limit(c.Workers), points); err != nil {
		return nil, err
	}
	s := symmetric(g)
	if c.Center {
		center(s)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	values, u, err := eig.SymAll(ctx, s)
	if err != nil {
		return nil, err
	}
	cut := float64(n) * 0x1p-53 * values[n-1]
	r := 0
	for r < c.Rank && values[n-1-r] > cut && values[n-1-r] > 0 {
		r++
	}
	v := mat.NewDense(n, max(r, 1), nil)
	sign := make([]float64, max(r, 1))
	sign[0] = 1
	for j := range r {
		sign[j] = 1
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
	return newFunction(c.Kernel, 0, points, v, sign, c.Workers), nil
}

// copied returns all rows of x as a new matrix.
func copied(x gram.Samples[float64]) *mat.Dense {
	return rows.Dense(x, indices(x.N()))
}

// symmetric returns the symmetric part of g.
func symmetric(g *mat.Dense) *mat.SymDense {
	n, _ := g.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (g.At(i, j)+g.At(j, i))/2)
		}
	}
	return s
}

// center replaces G by HGH.
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
