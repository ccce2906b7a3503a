// Package solve has the linear algebra that several estimators share:
// conjugate gradients for operators that are known by their products, the
// error of low-rank approximations of kernel matrices, the truncated
// inverse square root of a positive semi-definite matrix, and Cholesky factors
// whose computation can be cancelled, of the upper or the lower triangle.
//
// # References
//
// [HS52] M. R. Hestenes and E. Stiefel. Methods of conjugate gradients for
// solving linear systems. J. Res. Nat. Bur. Standards 49 (1952).
//
// [VY00] H. A. van der Vorst and Q. Ye. Residual replacement strategies for
// Krylov subspace iterative methods. SIAM J. Sci. Comput. 22 (2000).
package solve

import (
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/settings"
)

// Penalty says how the strength λ of a squared penalty is counted. Both
// conventions are common; their λ differ by a factor n.
type Penalty uint8

const (
	// Total adds λ to the diagonal: (G+λI)α = y.
	Total Penalty = iota
	// PerRow adds λ once per row: (G+nλI)α = y, where n is the number of rows,
	// or the sum of their weights.
	PerRow
)

// Scale returns the number that is added to the diagonal for rows of total
// weight n.
func (p Penalty) Scale(lambda, n float64) float64 {
	if p == PerRow {
		return lambda * n
	}
	return lambda
}

// Setting describes the field p of a configuration, which chooses the
// convention.
func Setting(s *settings.Fields, p *Penalty) {
	s.Require(*p <= PerRow, p, "Total or PerRow")
	settings.Switch(s, p, "per-row", "count lambda once per row", PerRow)
}

// String returns total or per row.
func (p Penalty) String() string {
	return enum.Name(p, "total", "per row")
}
