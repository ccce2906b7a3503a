package leml

import "github.com/gramworks/gram/modelfile"

// Encode writes the settings and the factors.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads a Model that Encode has written. The error says what is wrong with a damaged file.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, &Model{}, (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	x.Header("leml", 1, &m.cfg)
	x.Dense("features", &m.w, -1, m.cfg.Rank)
	x.Float64("bias", &m.bias, m.cfg.Rank)
	x.Dense("labels", &m.h, -1, m.cfg.Rank)
	if x.Reading() {
		_, p := m.w.Dims()
		_, q := m.h.Dims()
		x.Require(p == len(m.bias) && p == q, "labels", "factors of %d and %d columns and %d constants", p, q, len(m.bias))
	}
}
