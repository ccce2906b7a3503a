package krr

import (
	"github.com/gramworks/gram/algos/kmeans"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// storedDivided is the form of the settings in a model file.
type storedDivided struct {
	Kernel kernel.Spec
	Divided
}

// Encode writes the settings, the clusters, and the rows of all parts with their
// coefficients.
func (m *DividedModel) Encode(w *modelfile.Writer) error {
	spec, err := kernel.Encode(w, m.cfg.Local.Kernel)
	if err != nil {
		return err
	}
	if err := w.Header("krr.divided", 1, storedDivided{spec, m.cfg}); err != nil {
		return err
	}
	clusters := w.Sub("clusters")
	if m.route.kernel != nil {
		err = m.route.kernel.Encode(clusters)
	} else {
		err = m.route.means.Encode(clusters)
	}
	if err != nil {
		return err
	}
	d, t := m.Dims()
	var n int
	for _, s := range m.stats.Sizes {
		n += s
	}
	points, coefficients := make([]float64, 0, n*d), make([]float64, 0, n*t)
	bias := make([]float64, 0, len(m.parts)*t)
	for _, p := range m.parts {
		for i := range p.x.RawMatrix().Rows {
			points = append(points, p.x.RawRowView(i)...)
			coefficients = append(coefficients, p.alpha.RawRowView(i)...)
		}
		bias = append(bias, p.bias...)
	}
	w.Ints("part", m.route.part)
	w.Ints("sizes", m.stats.Sizes)
	w.Float64("points", points, n, d)
	w.Float64("coefficients", coefficients, n, t)
	w.Float64("bias", bias, len(m.parts), t)
	return nil
}

// DecodeDivided reads what DividedModel.Encode wrote. The kernel must be one that
// kernel.Decode makes.
func DecodeDivided(f *modelfile.File) (*DividedModel, error) {
	var s storedDivided
	if err := f.Expect("krr.divided", 1, &s); err != nil {
		return nil, err
	}
	k, err := kernel.Decode(f, s.Kernel)
	if err != nil {
		return nil, err
	}
	m := &DividedModel{cfg: s.Divided}
	m.cfg.Local.Kernel = k
	if m.cfg.Soft < 1 {
		return nil, f.Errorf("", "the settings ask for the %d next parts", m.cfg.Soft)
	}
	clusters, err := f.Sub("clusters")
	if err != nil {
		return nil, err
	}
	var count, d int
	if clusters.Method() == "kmeans.kernel" {
		if m.route.kernel, err = kmeans.DecodeKernel(clusters); err != nil {
			return nil, err
		}
		count, d = m.route.kernel.Dims()
	} else {
		if m.route.means, err = kmeans.Decode(clusters); err != nil {
			return nil, err
		}
		count, d = m.route.means.Centers().Dims()
	}
	if m.route.part, err = f.Ints("part", count); err != nil {
		return nil, err
	}
	if m.stats.Sizes, err = f.Ints("sizes", -1); err != nil {
		return nil, err
	}
	points, err := f.Matrix("points", -1, d)
	if err != nil {
		return nil, err
	}
	n, _ := points.Dims()
	coefficients, err := f.Matrix("coefficients", n, -1)
	if err != nil {
		return nil, err
	}
	_, t := coefficients.Dims()
	parts := len(m.stats.Sizes)
	bias, err := f.Float64("bias", parts, t)
	if err != nil {
		return nil, err
	}
	for c, p := range m.route.part {
		if p < -1 || p >= parts {
			return nil, f.Errorf("part", "cluster %d has part %d of %d", c, p, parts)
		}
	}
	left := n
	for p, size := range m.stats.Sizes {
		if size < 1 || size > left {
			return nil, f.Errorf("sizes", "part %d has %d of %d rows", p, size, left)
		}
		lo := n - left
		part := &Model{cfg: m.cfg.Local, bias: bias[p*t : (p+1)*t]}
		part.x = points.Slice(lo, lo+size, 0, d).(*mat.Dense)
		part.alpha = coefficients.Slice(lo, lo+size, 0, t).(*mat.Dense)
		part.block = kernel.Against[float64](k, part.x)
		m.parts = append(m.parts, part)
		left -= size
	}
	if left != 0 {
		return nil, f.Errorf("sizes", "%d rows are in no part", left)
	}
	m.program = newDivided[float64](m)
	return m, nil
}
