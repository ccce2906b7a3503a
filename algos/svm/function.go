package svm

import (
	"fmt"

	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/num"
	"gonum.org/v1/gonum/mat"
)

// maxExpanded is the largest size of sparse points as dense rows, which a Function has.
const maxExpanded = 256 << 20

// Function returns the functions of the model as functions of kernel values. A
// OneVsOne classifier has one for each pair of classes. The points of a Function are dense:
// Function returns an error if they are sparse and would take more than 256 MiB.
func (m *machine) Function() (basis.Function, error) {
	n, d := m.points.Dims()
	if bytes := 8 * float64(n) * float64(d); m.points.IsSparse() && bytes > maxExpanded {
		return basis.Function{}, fmt.Errorf("svm: %d sparse support vectors of %d columns would take %s as dense rows, more than %s", n, d, num.FormatBytes(int64(bytes)), num.FormatBytes(maxExpanded))
	}
	points, coef, bias := m.Expand()
	u := mat.NewDense(points.N, points.D, nil)
	for i := range points.N {
		copy(u.RawRowView(i), points.Row(i))
	}
	w := mat.NewDense(coef.N, coef.D, nil)
	for i := range coef.N {
		copy(w.RawRowView(i), coef.Row(i))
	}
	return basis.Expansion(m.kernel, u, w, bias), nil
}
