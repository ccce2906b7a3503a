package bregman

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/linalg"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// spectral is K₀ = G₀G₀ᵀ in an orthonormal basis V = G₀·right of its range:
// K₀ = V·diag(σ²)·Vᵀ.
type spectral struct {
	right *mat.Dense // r×rank, the right singular vectors of G₀ over σ, as columns
	left  *mat.Dense // rank×r, σ times them, as rows: left·right = I, leftᵀ·left = G₀ᵀG₀
	sigma []float64  // descending
	empty bool       // K₀ = 0: right and left are zeros for rank 1
}

func (s *spectral) rank() int { return len(s.sigma) }

// trace is tr K₀, but that of the stand-in where K₀ = 0.
func (s *spectral) trace() float64 { return linalg.Dot(s.sigma, s.sigma) }

// decompose finds right and σ from the triangular factor R of G₀: the eigenvectors of
// RᵀR, then one-sided Jacobi rotations of R in their basis, which find small singular
// values to the accuracy of R where RᵀR has lost them. Singular values below
// max(n,r)·2⁻⁵³ of the largest are dropped. 2nr² flops and O(r³).
func decompose(ctx context.Context, g *mat.Dense) (*spectral, error) {
	n, r := g.Dims()
	upper, err := triangle(ctx, g)
	if err != nil {
		return nil, err
	}
	var square mat.SymDense
	square.SymOuterK(1, upper.T())
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	_, v, err := eig.SymAll(ctx, &square)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// Rows of a are R times columns of v, which are the rows of q.
	var a mat.Dense
	a.Mul(v.T(), upper.T())
	q := mat.DenseCopyOf(v.T())
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := jacobi(ctx, &a, q); err != nil {
		return nil, err
	}
	sigma, order := make([]float64, r), make([]int, r)
	for i := range order {
		order[i], sigma[i] = i, mat.Norm(a.RowView(i), 2)
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(sigma[j], sigma[i]) })
	s := &spectral{}
	for _, i := range order {
		if sigma[i] > float64(max(n, r))*0x1p-53*sigma[order[0]] {
			s.sigma = append(s.sigma, sigma[i])
		}
	}
	rank := s.rank()
	if rank == 0 { // K₀ = 0
		s.empty, s.right, s.left, s.sigma = true, mat.NewDense(r, 1, nil), mat.NewDense(1, r, nil), []float64{1}
		return s, nil
	}
	s.right, s.left = mat.NewDense(r, rank, nil), mat.NewDense(rank, r, nil)
	for k := range rank {
		for j, x := range q.RawRowView(order[k]) {
			s.right.Set(j, k, x/s.sigma[k])
			s.left.Set(k, j, x*s.sigma[k])
		}
	}
	return s, nil
}

// triangle returns R, r×r upper triangular with RᵀR = gᵀg, by QR decompositions of
// blocks of rows below the R of those before.
func triangle(ctx context.Context, g *mat.Dense) (*mat.Dense, error) {
	n, r := g.Dims()
	rows := max(r, 256)
	room := mat.NewDense(r+min(n, rows), r, nil)
	tau, work := make([]float64, r), []float64{0}
	upper := mat.NewDense(r, r, nil)
	for lo := 0; lo < n; lo += rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+rows, n)
		block := room.Slice(0, r+hi-lo, 0, r).(*mat.Dense)
		block.Slice(0, r, 0, r).(*mat.Dense).Copy(upper)
		block.Slice(r, r+hi-lo, 0, r).(*mat.Dense).Copy(g.Slice(lo, hi, 0, r))
		lapack64.Geqrf(block.RawMatrix(), tau, work, -1)
		if need := int(work[0]); need > len(work) {
			work = make([]float64, need)
		}
		lapack64.Geqrf(block.RawMatrix(), tau, work, len(work))
		for i := range r {
			copy(upper.RawRowView(i)[i:], block.RawRowView(i)[i:])
		}
	}
	return upper, nil
}

// jacobi rotates pairs of rows of a, and of q alike, until all are orthogonal.
func jacobi(ctx context.Context, a, q *mat.Dense) error {
	r, _ := a.Dims()
	square := make([]float64, r)
	var top float64
	for i := range r {
		row := a.RawRowView(i)
		square[i] = linalg.Dot(row, row)
		top = max(top, square[i])
	}
	none := top * 0x1p-104 * 0x1p-20 // rows below this are rounding
	for range 30 {
		done := true
		for i := range r {
			if err := ctx.Err(); err != nil {
				return err
			}
			x := a.RawRowView(i)
			for j := i + 1; j < r; j++ {
				y := a.RawRowView(j)
				xy := linalg.Dot(x, y)
				if square[i]*square[j] <= none*top || !(math.Abs(xy) > float64(r)*0x1p-53*math.Sqrt(square[i])*math.Sqrt(square[j])) {
					continue
				}
				done = false
				zeta := (square[j] - square[i]) / (2 * xy)
				t := math.Copysign(1, zeta) / (math.Abs(zeta) + math.Hypot(1, zeta))
				c := 1 / math.Sqrt(1+t*t)
				rotate(x, y, c, c*t)
				rotate(q.RawRowView(i), q.RawRowView(j), c, c*t)
				square[i], square[j] = linalg.Dot(x, x), linalg.Dot(y, y)
			}
		}
		if done {
			break
		}
	}
	return nil
}

// rotate replaces x by c·x − s·y and y by s·x + c·y.
func rotate(x, y []float64, c, s float64) {
	for k, v := range x {
		x[k], y[k] = c*v-s*y[k], s*v+c*y[k]
	}
}
