package itml

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Manifold deforms a kernel along the data [SNB05]:
//
//	κ̃(x,y) = κ(x,y) − k_xᵀ(I + MK)⁻¹Mk_y,   M = Ratio·L^Power,
//
// with the Laplacian L = D − A, or I − D^{−½}AD^{−½} if Normalized, of the graph
// that joins every row to its Neighbors nearest ones (either way). Rows need no
// labels. Points that the graph joins come closer.
type Manifold struct {
	Kernel     kernel.Kernel
	Neighbors  int               // default 6, or one less than the rows if that is less
	Ratio      gram.Opt[float64] // γ_I/γ_A of the paper; default 1; 0: κ itself
	Power      int               // default 1
	Normalized bool

	// Gamma is the width of the weights exp(−Gamma·‖x_i−x_j‖²) of the edges in the
	// space of the rows; 0: all weights are 1.
	Gamma float64
	gram.Run
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Manifold) Settings(s *settings.Fields) {
	kernel.Setting(s, &c.Kernel)
	most := s.Shape.N - 1
	s.Int(&c.Neighbors, "neighbors", "nearest rows that the graph joins a row to").
		DefaultRule(min(6, most), "6, or one less than the rows if that is less").AtLeast(1).AtMostRule(most, "one less than the number of rows")
	s.OptFloat(&c.Ratio, "ratio", "weight of the graph").Default(1).AtLeast(0)
	s.Int(&c.Power, "power", "power of the Laplacian").Default(1).AtLeast(1).AtMost(16)
	s.Bool(&c.Normalized, "normalized", "normalized Laplacian")
	s.Float(&c.Gamma, "edge-gamma", "width of the weights exp(-edge-gamma·|x-y|²) of the edges; 0: all weights are 1").AtLeast(0)
}

// Plan estimates the flops and the bytes that Fit needs for data of shape s, before there are data.
func (c Manifold) Plan(s gram.Shape) (gram.Plan, error) {
	_, err := settings.Resolved(c, s)
	n, d := float64(s.N), float64(s.D)
	return gram.Plan{
		Flops: 2*n*n*d + 25*n*n*n, PeakBytes: check.Bytes(8 * (8*n*n + n*d)), ModelBytes: check.Bytes(8 * n * (2*d + n)),
		FullKernel: true, Description: "kernel deformed along a graph of neighbors",
	}, err
}

// Fit returns κ̃ for the graph of the rows of x, which it copies. With
// M = UΛUᵀ and R = UΛ^½ it is α = 1 and S = −R(I + RᵀKR)⁻¹Rᵀ, symmetric by
// construction. The two eigendecompositions, 9n³ flops each, cannot be
// interrupted.
func (c Manifold) Fit(ctx context.Context, x mat.Matrix) (*Function, error) {
	n, _ := check.Dims(x)
	c, err := settings.Resolved(c, gram.Shape{N: n})
	if err != nil {
		return nil, err
	}
	s, err := c.Run.Samples(c, x, 0)
	if err != nil {
		return nil, err
	}
	points := copied(s)
	l, err := c.laplacian(ctx, points)
	if err != nil {
		return nil, err
	}
	values, u, err := eig.SymAll(ctx, l)
	if err != nil {
		return nil, err
	}
	root := mat.NewDense(n, n, nil)
	for j, v := range values {
		f := math.Sqrt(c.Ratio.Value() * math.Pow(max(0, v), float64(c.Power)))
		for i := range n {
			root.Set(i, j, f*u.At(i, j))
		}
	}
	k := mat.NewDense(n, n, nil)
	if err := fill(ctx, k, kernel.Against[float64](c.Kernel, points).Limit(c.Workers), points); err != nil {
		return nil, err
	}
	var kr, rkr mat.Dense
	kr.Mul(k, root)
	rkr.Mul(root.T(), &kr)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	mu, q, err := eig.SymAll(ctx, linalg.Symmetric(&rkr))
	if err != nil {
		return nil, err
	}
	v := mat.NewDense(n, n, nil)
	v.Mul(root, q)
	sign := make([]float64, n)
	for j, m := range mu {
		sign[j] = -1
		f := 1 / math.Sqrt(1+max(0, m))
		for i := range n {
			v.Set(i, j, f*v.At(i, j))
		}
	}
	return NewFunction(c.Kernel, 1, points, v, sign, c.Workers), nil
}

// laplacian returns L of the graph of the rows of x.
func (c Manifold) laplacian(ctx context.Context, x *mat.Dense) (*mat.SymDense, error) {
	n, _ := x.Dims()
	a := mat.NewSymDense(n, nil)
	norm := make([]float64, n)
	for i := range n {
		norm[i] = rows.SumSquares(gram.Of(x), i)
	}
	g := mat.NewDense(n, n, nil)
	if err := fill(ctx, g, kernel.Against[float64](kernel.Linear{}, x).Limit(c.Workers), x); err != nil {
		return nil, err
	}
	type neighbor struct {
		at int
		d  float64
	}
	list := make([]neighbor, 0, n)
	for i := range n {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		list = list[:0]
		for j := range n {
			if j != i {
				list = append(list, neighbor{j, max(0, norm[i]+norm[j]-2*g.At(i, j))})
			}
		}
		slices.SortFunc(list, func(p, q neighbor) int { return cmp.Or(cmp.Compare(p.d, q.d), cmp.Compare(p.at, q.at)) })
		for _, e := range list[:c.Neighbors] {
			a.SetSym(i, e.at, math.Exp(-c.Gamma*e.d))
		}
	}
	degree := make([]float64, n)
	for i := range n {
		for j := range n {
			degree[i] += a.At(i, j)
		}
	}
	for i := range n {
		for j := i; j < n; j++ {
			v := -a.At(i, j)
			if i == j {
				v = degree[i]
			}
			if c.Normalized {
				v /= math.Sqrt(max(degree[i]*degree[j], math.SmallestNonzeroFloat64))
			}
			a.SetSym(i, j, v)
		}
	}
	return a, nil
}

// copied returns all rows of x as a new matrix.
func copied(x gram.Samples[float64]) *mat.Dense {
	return rows.Dense(x, indices(x.N()))
}
