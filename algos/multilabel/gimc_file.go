package multilabel

import (
	"github.com/gramworks/gram/algos/imc"
	"github.com/gramworks/gram/modelfile"
)

// storedGIMC is the form of the settings in a model file.
type storedGIMC struct {
	Thin bool `json:",omitempty"` // landmarks are for sparse rows
	GIMC
}

// Encode writes the settings, the frequencies or landmarks, and W.
func (m *GIMCModel) Encode(w *modelfile.Writer) error {
	if err := w.Header("gimc-lff", 1, storedGIMC{imc.Thin(m.f), m.cfg}); err != nil {
		return err
	}
	w.Dense("features", imc.Parameters(m.f))
	w.Dense("labels", m.w)
	return nil
}

// DecodeGIMC reads what Encode wrote.
func DecodeGIMC(f *modelfile.File) (*GIMCModel, error) {
	var s storedGIMC
	if err := f.Expect("gimc-lff", 1, &s); err != nil {
		return nil, err
	}
	m := &GIMCModel{cfg: s.GIMC}
	r, c := -1, m.cfg.M
	switch {
	case m.cfg.Map == imc.Nystrom && m.cfg.Gamma > 0:
		r, c = c, r
	case m.cfg.Map != imc.Fourier:
		return nil, f.Errorf("", "the settings name no features: %s, γ %v", m.cfg.Map, m.cfg.Gamma)
	}
	u, err := f.Matrix("features", r, c)
	if err != nil {
		return nil, err
	}
	m.f = m.cfg.Map.Basis(u, m.cfg.Gamma, s.Thin, 0)
	m.w, err = f.Matrix("labels", -1, m.cfg.features())
	return m, err
}
