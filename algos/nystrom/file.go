package nystrom

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

// Encode writes the settings, the landmarks and the root of the core.
func (m *Model) Encode(w *modelfile.Writer) error {
	spec, err := kernel.Encode(w, m.cfg.Kernel)
	if err != nil {
		return err
	}
	if err := w.Header("nystrom", 1, stored{spec, m.cfg}); err != nil {
		return err
	}
	w.Dense("landmarks", m.Landmarks())
	w.Dense("root", m.Root())
	w.Float64("eigenvalues", m.stats.Eigenvalues)
	return nil
}

// Decode reads what Encode wrote. The kernel must be one that kernel.Decode makes.
func Decode(f *modelfile.File) (*Model, error) {
	var s stored
	if err := f.Expect("nystrom", 1, &s); err != nil {
		return nil, err
	}
	k, err := kernel.Decode(f, s.Kernel)
	if err != nil {
		return nil, err
	}
	c := s.Config
	c.Kernel = k
	u, err := f.Matrix("landmarks", s.M, -1)
	if err != nil {
		return nil, err
	}
	root, err := f.Matrix("root", s.M, -1)
	if err != nil {
		return nil, err
	}
	eigenvalues, err := f.Float64("eigenvalues", -1)
	if err != nil {
		return nil, err
	}
	if _, r := root.Dims(); r != max(1, len(eigenvalues)) {
		return nil, f.Errorf("eigenvalues", "%d values for %d features", len(eigenvalues), r)
	}
	c.Landmarks = landmark.Fixed{U: u}
	return newModel(c, basis.NewValues(k, u, 0), root, Stats{Eigenvalues: eigenvalues, EffectiveRank: len(eigenvalues)}), nil
}
