package kernel

import (
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Matrix is the kernel of a fit whose x is the kernel matrix itself: row i has the values of
// training row i with all n training rows. The rows of a prediction have the values of a row with
// the same n training rows, so that the model is linear in them; its kernel is Linear. Methods that
// need the kernel of other points refuse Matrix. A fit to some of the rows takes the values of these rows with each other, which
// are some of the columns, too: package catalog of the app divides them so where it chooses settings in folds.
type Matrix struct{}

// Eval returns the inner product of x and y, of which the model consists.
func (Matrix) Eval(x, y []float64) float64 { return Linear{}.Eval(x, y) }

// Spec returns the name precomputed, without parameters.
func (Matrix) Spec() Spec { return Spec{Name: matrixName} }

const matrixName = "precomputed"

// asymmetry is the largest difference of two elements of a kernel matrix that should be the same,
// relative to the largest element.
const asymmetry = 1e-6

// FromMatrix returns the kernel of the rows 0, 1, … of the symmetric matrix k, of which it keeps a copy. The data of a fit are Indices(n). A matrix that is
// not square is a *gram.ConfigError; an element that is not finite, or differs from its mirror
// image by more than 10⁻⁶ of the largest element, is a *gram.DataError with row and column.
// The check takes n² steps.
func FromMatrix(k mat.Matrix) (*Precomputed, error) {
	if k == nil {
		return nil, settings.Refuse("x", nil, "the kernel matrix")
	}
	n, d := k.Dims()
	if n != d {
		return nil, settings.Refuse("columns", d, "%d, one for each row: of a precomputed kernel x is the matrix of the training rows with themselves", n)
	}
	s := gram.Of(k)
	if err := s.Finite(); err != nil {
		return nil, err
	}
	var largest float64
	row := make([]float64, n)
	whole := mat.NewDense(max(n, 1), max(n, 1), nil)
	for i := range n {
		s.CopyRow(row, i)
		whole.SetRow(i, row)
		for _, v := range row {
			largest = max(largest, math.Abs(v))
		}
	}
	for i := range n {
		for j, v := range whole.RawRowView(i)[:i] {
			if !(math.Abs(v-whole.At(j, i)) <= asymmetry*largest) {
				return nil, &gram.DataError{Row: i, Col: j, Value: v, Reason: "a kernel matrix is symmetric, and the element in that row and column differs from its mirror image"}
			}
		}
	}
	return Columns(func(dst []float64, j int) { copy(dst, whole.RawRowView(j)) }, n), nil
}
