package fastnys

import (
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/modelfile"
)

// Encode writes the settings, the landmarks (kernel, seeds and centre) and the
// root of the core.
func (m *Model) Encode(w *modelfile.Writer) error {
	if err := w.Header("fastnys", 1, m.cfg); err != nil {
		return err
	}
	if err := m.l.Encode(w.Sub("landmarks")); err != nil {
		return err
	}
	w.Dense("root", m.Root())
	w.Float64("eigenvalues", m.stats.Eigenvalues)
	return nil
}

// Decode reads what Encode wrote. The kernel must be one that kernel.Decode makes.
func Decode(f *modelfile.File) (*Model, error) {
	m := &Model{}
	if err := f.Expect("fastnys", 1, &m.cfg); err != nil {
		return nil, err
	}
	sub, err := f.Sub("landmarks")
	if err != nil {
		return nil, err
	}
	if m.l, err = basis.DecodeStructured(sub); err != nil {
		return nil, err
	}
	m.cfg.Kernel = m.l.Kernel()
	_, mm := m.l.Dims()
	if m.cfg.M != mm {
		return nil, f.Errorf("", "%d landmarks, the settings say %d", mm, m.cfg.M)
	}
	root, err := f.Matrix("root", mm, -1)
	if err != nil {
		return nil, err
	}
	m.Rooted = basis.NewRooted(m.l, root)
	if m.stats.Eigenvalues, err = f.Float64("eigenvalues", -1); err != nil {
		return nil, err
	}
	if _, r := root.Dims(); r != max(1, len(m.stats.Eigenvalues)) {
		return nil, f.Errorf("eigenvalues", "%d values for %d features", len(m.stats.Eigenvalues), r)
	}
	m.stats.EffectiveRank = len(m.stats.Eigenvalues)
	return m, nil
}
