package pseudo

import (
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/modelfile"
)

// Encode writes the settings, the landmarks and pseudo-landmarks and the root of
// W̄.
func (m *Model) Encode(w *modelfile.Writer) error {
	if err := w.Header("pseudo", 1, m.cfg); err != nil {
		return err
	}
	if err := m.c.Encode(w.Sub("columns")); err != nil {
		return err
	}
	w.Dense("root", m.Root())
	return nil
}

// Decode reads what Encode wrote. The kernel must be one that kernel.Decode makes.
func Decode(f *modelfile.File) (*Model, error) {
	m := &Model{}
	if err := f.Expect("pseudo", 1, &m.cfg); err != nil {
		return nil, err
	}
	sub, err := f.Sub("columns")
	if err != nil {
		return nil, err
	}
	if m.c, err = basis.DecodePseudo(sub); err != nil {
		return nil, err
	}
	m.cfg.Kernel, m.cfg.Landmarks = m.c.Kernel(), landmark.Fixed{U: m.c.Landmarks()}
	_, width := m.c.Dims()
	root, err := f.Matrix("root", width, -1)
	if err != nil {
		return nil, err
	}
	m.Rooted = basis.NewRooted(m.c, root)
	_, m.stats.Rank = root.Dims()
	return m, nil
}
