package kmeans

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// squared is ‖x−y‖², which is no kernel, for the blocks that compute kernels.
type squared struct{}

// Radial leaves squared distances as they are.
func (squared) Radial([]float64) {}

// Spec names the function; it is never stored.
func (squared) Spec() kernel.Spec { return kernel.Spec{Name: "squared distance"} }

// Eval is ‖x−y‖².
func (squared) Eval(x, y []float64) float64 {
	var s float64
	for j, v := range x {
		s += (v - y[j]) * (v - y[j])
	}
	return s
}

// Distances sets dst to the n×K squared distances of the rows of x from the
// centres. A row with NaN gets NaN.
func (m *Model) Distances(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	k, want := m.centers.Dims()
	dst = rows.Destination("kmeans", dst, x, want, k)
	if n > 0 {
		kernel.Against[float64](squared{}, m.centers).Limit(m.cfg.Workers).Fill(gram.View(dst), gram.Of(x))
	}
	return dst
}

// Distances sets dst to the n×K squared distances of the rows of x from the
// means of the clusters in the kernel's space, at s·d flops and more a row, s the
// number of rows that were clustered. An empty cluster is at +Inf. Round-off can
// make small distances negative. A row with NaN gets NaN.
func (m *KernelModel) Distances(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	s, k := m.share.Dims()
	_, want := m.rows.Dims()
	dst = rows.Destination("kmeans", dst, x, want, k)
	all, buffer := gram.Of(x), make([]float64, d)
	for lo := 0; lo < n; lo += blockRows {
		hi := min(lo+blockRows, n)
		gb, to := rows.Borrow(hi-lo, s), dst.Slice(lo, hi, 0, k).(*mat.Dense)
		m.block.Fill(gram.View(gb), all.Slice(lo, hi))
		rows.Mul(to, gram.Of(gb), m.share)
		rows.Return(gb)
		for i := lo; i < hi; i++ {
			row := all.Row(buffer, i)
			self := m.cfg.Kernel.Eval(row, row)
			for c, v := range dst.RawRowView(i) {
				dst.RawRowView(i)[c] = self + m.self[c] - 2*v
			}
		}
	}
	return dst
}

// Dims returns the number of clusters and of columns of the data.
func (m *Model) Dims() (k, d int) { return m.centers.Dims() }

// Dims returns the number of clusters and of columns of the data.
func (m *KernelModel) Dims() (k, d int) {
	_, k = m.share.Dims()
	_, d = m.rows.Dims()
	return k, d
}
