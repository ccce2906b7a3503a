package kmeans

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// squared presents ‖x−y‖², which is not a kernel, to the code that computes kernel blocks.
type squared struct{}

// Radial leaves squared distances as they are.
func (squared) Radial([]float64) {}

// Spec returns a name. It is never stored.
func (squared) Spec() kernel.Spec { return kernel.Spec{Name: "squared distance"} }

// Eval returns ‖x−y‖².
func (squared) Eval(x, y []float64) float64 {
	var s float64
	for j, v := range x {
		s += (v - y[j]) * (v - y[j])
	}
	return s
}

// Distances sets dst to the n×K squared distances of the rows of x from the
// centers. A row with NaN gets NaN.
func (m *Model) Distances(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	k, want := m.centers.Dims()
	dst = rows.Destination("kmeans", dst, x, want, k)
	if n > 0 {
		kernel.Against[float64](squared{}, m.centers).Limit(m.cfg.Workers).Fill(gram.View(dst), gram.Of(x))
	}
	return dst
}

// Dims returns the number of clusters and of columns of the data.
func (m *Model) Dims() (k, d int) { return m.centers.Dims() }
