package sideinfo

import (
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
)

// stored is the form of the settings in a model file.
type stored struct {
	Kernel kernel.Spec
	Config
}

// Encode writes the settings, the landmarks and the root of S.
func (m *Model) Encode(w *modelfile.Writer) error {
	spec, err := kernel.Encode(w, m.cfg.Kernel)
	if err != nil {
		return err
	}
	if err := w.Header("sideinfo", 1, stored{spec, m.cfg}); err != nil {
		return err
	}
	w.Dense("landmarks", m.Landmarks())
	w.Dense("root", m.Root())
	return nil
}

// Decode reads what Encode wrote. The kernel must be one that kernel.Decode makes.
func Decode(f *modelfile.File) (*Model, error) {
	var s stored
	if err := f.Expect("sideinfo", 1, &s); err != nil {
		return nil, err
	}
	k, err := kernel.Decode(f, s.Kernel)
	if err != nil {
		return nil, err
	}
	m := &Model{cfg: s.Config}
	m.cfg.Kernel = k
	u, err := f.Matrix("landmarks", s.M, -1)
	if err != nil {
		return nil, err
	}
	root, err := f.Matrix("root", s.M, -1)
	if err != nil {
		return nil, err
	}
	_, m.stats.Rank = root.Dims()
	m.cfg.Landmarks = landmark.Fixed{U: u}
	m.values = basis.NewValues(k, u, 0)
	m.Rooted = basis.NewRooted(m.values, root)
	return m, nil
}
