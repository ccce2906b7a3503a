package multilabel

import "github.com/gramworks/gram/modelfile"

// Encode writes the settings and the factors.
func (m *LEMLModel) Encode(w *modelfile.Writer) error {
	if err := w.Header("leml", 1, m.cfg); err != nil {
		return err
	}
	w.Dense("features", m.w)
	w.Float64("bias", m.bias)
	w.Dense("labels", m.h)
	return nil
}

// DecodeLEML reads what Encode wrote.
func DecodeLEML(f *modelfile.File) (*LEMLModel, error) {
	m := &LEMLModel{}
	if err := f.Expect("leml", 1, &m.cfg); err != nil {
		return nil, err
	}
	var err error
	if m.w, err = f.Matrix("features", -1, m.cfg.Rank); err != nil {
		return nil, err
	}
	if m.bias, err = f.Float64("bias", m.cfg.Rank); err != nil {
		return nil, err
	}
	if m.h, err = f.Matrix("labels", -1, m.cfg.Rank); err != nil {
		return nil, err
	}
	return m, nil
}
