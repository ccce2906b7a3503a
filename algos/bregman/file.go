package bregman

import (
	"github.com/gramworks/gram/modelfile"
)

// Encode writes the settings, T and the duals.
func (m *Model) Encode(w *modelfile.Writer) error {
	if err := w.Header("bregman", 1, m.cfg); err != nil {
		return err
	}
	w.Dense("transform", m.t)
	w.Float64("duals", m.duals)
	return nil
}

// Decode reads what Encode wrote.
func Decode(f *modelfile.File) (*Model, error) {
	m := &Model{}
	err := f.Expect("bregman", 1, &m.cfg)
	if err != nil {
		return nil, err
	}
	if m.t, err = f.Matrix("transform", -1, -1); err != nil {
		return nil, err
	}
	if m.duals, err = f.Float64("duals", -1); err != nil {
		return nil, err
	}
	_, m.stats.Rank = m.t.Dims()
	return m, nil
}
