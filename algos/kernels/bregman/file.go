package bregman

import "github.com/gramworks/gram/modelfile"

// Encode writes the settings, T and the duals.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads a Model that Encode has written. The error says what is wrong with a damaged file.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, &Model{}, (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	x.Header("bregman", 2, &m.cfg, modelfile.Renamed("MaxSweeps", &m.cfg.MaxIter)) // version 1 has that name
	x.Dense("transform", &m.t, -1, -1)
	x.Float64("duals", &m.stats.Duals, -1)
	if x.Reading() {
		_, m.stats.Rank = m.t.Dims()
	}
}
