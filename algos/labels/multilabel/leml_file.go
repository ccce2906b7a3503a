package multilabel

import "github.com/gramworks/gram/modelfile"

// Encode writes the settings and the factors.
func (m *LEMLModel) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m) }

// DecodeLEML reads what Encode wrote.
func DecodeLEML(f *modelfile.File) (*LEMLModel, error) { return modelfile.Get(f, &LEMLModel{}) }

// Exchange describes the model in a file.
func (m *LEMLModel) Exchange(x *modelfile.Exchange) {
	x.Header("leml", 1, &m.cfg)
	x.Dense("features", &m.w, -1, m.cfg.Rank)
	x.Float64("bias", &m.bias, m.cfg.Rank)
	x.Dense("labels", &m.h, -1, m.cfg.Rank)
}
