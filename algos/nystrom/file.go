package nystrom

import (
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
)

// stored is the form of the settings in a model file.
type stored struct {
	Kernel kernel.Spec
	Config
}

// Encode writes the settings, the landmarks and the root of the core.
func (m *Model) Encode(w *modelfile.Writer) error {
	if err := w.Header("nystrom", 1, stored{m.cfg.Kernel.Spec(), m.cfg}); err != nil {
		return err
	}
	w.Dense("landmarks", m.u)
	w.Dense("root", m.root)
	w.Float64("eigenvalues", m.stats.Eigenvalues)
	return nil
}

// Decode reads what Encode wrote. The kernel must be one that kernel.New makes.
func Decode(f *modelfile.File) (*Model, error) {
	var s stored
	if err := f.Expect("nystrom", 1, &s); err != nil {
		return nil, err
	}
	k, err := kernel.New(s.Kernel)
	if err != nil {
		return nil, err
	}
	m := &Model{cfg: s.Config}
	m.cfg.Kernel = k
	if m.u, err = f.Matrix("landmarks", s.M, -1); err != nil {
		return nil, err
	}
	if m.root, err = f.Matrix("root", s.M, -1); err != nil {
		return nil, err
	}
	if m.stats.Eigenvalues, err = f.Float64("eigenvalues", -1); err != nil {
		return nil, err
	}
	if _, r := m.root.Dims(); r != max(1, len(m.stats.Eigenvalues)) {
		return nil, f.Errorf("eigenvalues", "%d values for %d features", len(m.stats.Eigenvalues), r)
	}
	m.stats.EffectiveRank = len(m.stats.Eigenvalues)
	m.cfg.Landmarks = landmark.Fixed{U: m.u}
	m.block = kernel.Against[float64](k, m.u)
	return m, nil
}
