package bregman

import "github.com/gramworks/gram/modelfile"

// Encode writes the settings, T and the duals.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads what Encode wrote.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, &Model{}, (*Model).form) }

// form describes the model in a file.
func (m *Model) form(x *modelfile.Exchange) {
	x.Header("bregman", 2, &m.cfg, modelfile.Renamed("MaxSweeps", &m.cfg.MaxIter)) // version 1 has that name
	x.Dense("transform", &m.t, -1, -1)
	x.Float64("duals", &m.stats.Duals, -1)
	if x.Reading() {
		_, m.stats.Rank = m.t.Dims()
	}
}
