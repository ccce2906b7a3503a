package svm

import (
	"github.com/gramworks/gram/algos/basis"
	"gonum.org/v1/gonum/mat"
)

// Function returns the functions of the model as functions of kernel values. A
// OneVsOne classifier has one for each pair of classes.
func (m *machine) Function() (basis.Function, error) {
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
