// Package cholupdate changes Cholesky and QR factors when the matrix changes by low
// rank. It has rank-one and rank-k updates and downdates, factors that grow and shrink by
// rows and columns, and the factor of the identity plus a rank-one
// matrix, which is applied to a matrix without being formed.
//
// A factor is a Triangular of float64 or float32 numbers, of order n with a
// positive diagonal, lower (A = LLᵀ) or upper (A = UᵀU); a blas64.Triangular, which
// mat.TriDense.RawTriangular returns, is one of float64. The upper form is
// faster: its rows are the columns of L, in contiguous memory. The triangle
// that is not part of the factor is never touched. Factors must be finite;
// this is not checked.
//
// A Factor is such a factor with its memory: it grows, shrinks, slides over a
// window, and in between solves systems and computes products and quadratic forms, for recursive least squares, Kalman
// filters and Gaussian processes on streams. A QR is a QR factorization to which the same happens; it solves
// least squares with errors that grow with the condition of the rows, not with its square. Kalman, Information and
// LeastSquares are the filters that are made of such triangles.
//
// An update costs 2n² multiplications and as many additions. For large n it
// reads and writes the factor once. Rotations are computed in float64, also
// for float32 factors. Functions work in the calling goroutine and, once
// their pools are filled, allocate nothing, unless their comment says
// otherwise.
//
// # Accuracy
//
// Changes use the product L·chol(I ± ppᵀ) with Lp = x, whose errors grow as the determinant s
// of I ± ppᵀ leaves 1. Columns that would take s out of the range from 1/16 to 16 use Givens
// rotations for updates and hyperbolic rotations in the mixed form for downdates, and s starts
// anew at 1. The backward error ‖LLᵀ − (A ± xxᵀ)‖/‖A‖ is at most 8n·eps, also when the downdated
// matrix is nearly singular. Definiteness is decided by the signs of (l−w)(l+w), by a difference
// of squares only where s is at least 1/16. The margin that downdates return,
//
//	1 − xᵀA⁻¹x = det(A − xxᵀ)/det(A),
//
// tells how far the matrix is from losing definiteness. If the margin is
// below about n·eps·cond(A), rounding decides whether a downdate succeeds;
// factorize the matrix again.
//
// # Drift
//
// The errors of many changes add up: each change by ±xxᵀ adds at most about eps·(‖A‖
// + ‖x‖²), and far less as a rule. Residual measures what they have come to.
//
// # Sources
//
//   - [GVL13] G. H. Golub, C. F. Van Loan. Matrix Computations, 4th ed., §6.5.4.
//   - [Bojanczyk Brent Van Dooren de Hoog 1987] A note on downdating the
//     Cholesky factorization. SIAM J. Sci. Stat. Comput. 8(3), 210–221.
//   - [GGMS74] P. E. Gill, G. H. Golub, W. Murray, M. A. Saunders. Methods for modifying matrix
//     factorizations. Math. Comp. 28 (126), 505–535.
//   - [Carlson 1973] N. A. Carlson. Fast triangular formulation of the square root filter. AIAA J. 11 (9),
//     1259–1265.
//   - [Bierman 1977] G. J. Bierman. Factorization Methods for Discrete Sequential Estimation. Academic Press.
//   - [Daniel Gragg Kaufman Stewart 1976] Reorthogonalization and stable algorithms for updating
//     the Gram–Schmidt QR factorization. Math. Comp. 30 (136), 772–795.
//   - [KSD06] B. Kulis, M. Sustik, I. S. Dhillon. Learning low-rank kernel matrices. ICML, §4.
package cholupdate
