package sideinfo

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Spectral are the settings of kernels from the eigenvectors of a graph with
// order constraints ([ZKGL04]): K = Σ μ_iφ_iφ_iᵀ for the smoothest eigenvectors φ_i
// of the Laplacian D − A of the graph of nearest neighbors, with the weights
//
//	μ_1 ≥ 0, μ_2 ≥ μ_3 ≥ … ≥ 0
//
// for which K is best aligned with T, T_ij = 1 for two rows of one class, else −1,
// on the labeled rows. φ_1 is constant and not ordered (“improved order” there).
//
// With a Kernel the graph is complete instead, its weights A are the kernel's
// values, and the Laplacian is the normalized one, I − D^−½AD^−½, whose φ_1 is
// √D_ii. [ZKGL04] has no such graph; it helps where many of a row's
// neighbors are of other classes.
type Spectral struct {
	Neighbors int           // edges from each row, which count both ways; default 10
	Kernel    kernel.Kernel // weights of a complete graph; nil: a graph of Neighbors
	Rank      int           // eigenvectors; default a tenth of the rows, from 2 to 500
	gram.Run
}

// Graph is a set of rows with the smoothest functions on its graph of neighbors.
type Graph struct {
	values  []float64  // of the Laplacian, ascending
	vectors *mat.Dense // n×m
}

// Settings describes the settings. A Kernel is set by a program alone.
func (c *Spectral) Settings(s *settings.Fields) {
	if c.Kernel != nil {
		s.Check(kernel.Check(c.Kernel))
	}
	n := s.Shape.N
	s.Int(&c.Neighbors, "neighbors", "edges from each row, which count both ways").
		DefaultRule(min(10, n-1), "10, or one less than the rows if that is less").AtLeast(1).AtMostRule(n-1, "one less than the number of rows")
	s.Int(&c.Rank, "rank", "eigenvectors").DefaultRule(min(n, max(2, min(n/10, 500))), "a tenth of the rows, from 2 to 500").
		AtLeast(1).AtMostRule(n, "the number of rows")
}

// Plan returns what Graph will cost if Lanczos takes 8·Rank products.
func (c Spectral) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	n, d, r := float64(s.N), float64(s.D), float64(c.Rank)
	if c.Kernel != nil {
		return gram.Plan{
			Flops: 2*n*n*d + 16*r*n*n + 64*r*r*n, PeakBytes: check.Bytes(8 * (n*n + n*d + 6*n*r)), ModelBytes: check.Bytes(8 * n * r), FullKernel: true,
			Description: "eigenvectors of a complete graph",
		}, nil
	}
	return gram.Plan{
		Flops: 2*n*n*d + 64*r*r*n, PeakBytes: check.Bytes(8*(n*d+6*n*r) + 24*n*float64(c.Neighbors)), ModelBytes: check.Bytes(8 * n * r),
		Description: "eigenvectors of a graph of neighbors",
	}, nil
}

// Graph joins every row of x to its nearest ones and finds the Rank smoothest
// eigenvectors. No labels are needed. Lanczos on cI − L, where a graph in several
// parts has several constant functions. With a Kernel the matrix of its values is
// stored, and its row sums must be positive; else a *gram.DataError names the row.
func (c Spectral) Graph(ctx context.Context, x mat.Matrix) (*Graph, error) {
	n, _ := x.Dims()
	c, err := settings.Resolved(c, gram.Shape{N: n})
	if err != nil {
		return nil, err
	}
	s, err := c.Samples(c, x, 0)
	if err != nil {
		return nil, err
	}
	if c.Kernel != nil {
		k, err := normalized(ctx, c.Kernel, s, c.Run)
		if err != nil {
			return nil, err
		}
		values, u, err := eig.TopK(ctx, matrix{k}, c.Rank, eig.Options{Seed: c.Seed, Tol: 1e-6})
		if err != nil {
			return nil, err
		}
		for i := range values {
			values[i] = max(0, 1-values[i])
		}
		return &Graph{values, u}, nil
	}
	l, err := c.laplacian(ctx, s)
	if err != nil {
		return nil, err
	}
	values, u, err := eig.TopK(ctx, l, c.Rank, eig.Options{Seed: c.Seed, Tol: 1e-6})
	if err != nil {
		return nil, err
	}
	for i := range values {
		values[i] = max(0, l.shift-values[i])
	}
	return &Graph{values, u}, nil
}

// shifted is shift·I − (D − A) for the graph A.
type shifted struct {
	near  [][]int
	shift float64
}

// Dim returns the number of nodes of the graph.
func (s *shifted) Dim() int { return len(s.near) }

// Apply sets dst to the product of shift·I − (D − A) with x.
func (s *shifted) Apply(dst, x *mat.Dense) {
	for i, near := range s.near {
		to, from := dst.RawRowView(i), x.RawRowView(i)
		f := s.shift - float64(len(near))
		for k, v := range from {
			to[k] = f * v
		}
		for _, j := range near {
			for k, v := range x.RawRowView(j) {
				to[k] += v
			}
		}
	}
}

// laplacian finds the neighbors, 2n²d flops; eigenvalues of L are at most twice
// the largest degree.
func (c Spectral) laplacian(ctx context.Context, x gram.Samples[float64]) (*shifted, error) {
	n, d := x.Dims()
	square := make([]float64, n)
	for i := range n {
		square[i] = rows.SumSquares(x, i)
	}
	nearest := make([][]int, n)
	vectors := rows.NewVectors(x)
	err := par.For(ctx, c.Workers, n, 16, func(lo, hi int) {
		row, dist := make([]float64, d), make([]float64, n)
		for i := lo; i < hi; i++ {
			x.CopyRow(row, i)
			near := make([]int, 0, c.Neighbors+1)
			for j := range n {
				if j == i {
					continue
				}
				dist[j] = square[i] + square[j] - 2*vectors.Dot(j, row)
				if len(near) == c.Neighbors && !(dist[j] < dist[near[len(near)-1]]) {
					continue
				}
				at, _ := slices.BinarySearchFunc(near, dist[j], func(k int, v float64) int {
					if dist[k] <= v {
						return -1 // of equals the first row
					}
					return 1
				})
				near = slices.Insert(near, at, j)
				near = near[:min(len(near), c.Neighbors)]
			}
			nearest[i] = near
		}
	})
	if err != nil {
		return nil, err
	}
	l := &shifted{near: make([][]int, n)}
	for i, near := range nearest {
		for _, j := range near {
			l.near[i] = append(l.near[i], j)
			l.near[j] = append(l.near[j], i)
		}
	}
	for i, near := range l.near {
		slices.Sort(near)
		l.near[i] = slices.Compact(near)
		l.shift = max(l.shift, 2*float64(len(l.near[i])))
	}
	return l, nil
}

// Features returns G, n×r, with G·Gᵀ the kernel of the graph's rows that is learned
// from those with a class, −1 meaning none; r ≤ Rank is the number of positive
// weights. The alignment is largest in the direction of the point of the cone of
// weights next to T, a least-squares problem in Rank variables ≥ 0. The scale is
// that trace K = n. A *gram.DataError is returned if no row has a class.
func (g *Graph) Features(y gram.Labels) (*mat.Dense, error) {
	index, class, err := labeled(g.vectors, y)
	if err != nil {
		return nil, err
	}
	mu := g.weights(index, class)
	n, m := g.vectors.Dims()
	var sum float64
	var used []int
	for j, w := range mu {
		if w > 0 {
			used = append(used, j)
			sum += w
		}
	}
	if len(used) == 0 {
		return nil, &gram.DataError{Row: index[0], Col: -1, Reason: fmt.Sprintf("none of %d eigenvectors is aligned with the classes of the rows", m)}
	}
	out := mat.NewDense(n, len(used), nil)
	for k, j := range used {
		f := math.Sqrt(mu[j] * float64(n) / sum)
		for i := range n {
			out.Set(i, k, f*g.vectors.At(i, j))
		}
	}
	return out, nil
}

// weights solves min ‖Σ μ_iφ_iφ_iᵀ − T‖² on the labeled rows: μ = η_1 for the
// constant and μ_i = Σ_{j≥i} η_j for the others, η ≥ 0.
func (g *Graph) weights(index, class []int) []float64 {
	_, m := g.vectors.Dims()
	phi := rows.Dense(gram.Of(g.vectors), index)
	t := idealOf(class)
	for i := range index {
		row := t.RawRowView(i)
		for j := range row {
			row[j] = 2*row[j] - 1
		}
	}
	var p, tp mat.Dense
	p.Mul(phi.T(), phi)
	tp.Mul(t, phi)
	// Prefix sums of ⟨K_i,K_j⟩ = (φ_iᵀφ_j)² and ⟨K_i,T⟩ over the ordered ones.
	a, b := mat.NewDense(m, m, nil), make([]float64, m)
	for i := range m {
		for j := range m {
			v := p.At(i, j) * p.At(i, j)
			if i > 1 {
				v += a.At(i-1, j)
			}
			if j > 1 {
				v += a.At(i, j-1)
			}
			if i > 1 && j > 1 {
				v -= a.At(i-1, j-1)
			}
			a.Set(i, j, v)
		}
		for k := range index {
			b[i] += phi.At(k, i) * tp.At(k, i)
		}
		if i > 1 {
			b[i] += b[i-1]
		}
	}
	eta := nonNegative(linalg.Symmetric(a), b)
	for i := m - 2; i >= 1; i-- {
		eta[i] += eta[i+1]
	}
	return eta
}
