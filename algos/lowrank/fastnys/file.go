package fastnys

import (
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Encode writes the settings, the landmarks (kernel, seeds and center) and the
// root of the core.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads what Encode wrote. The kernel must be one that kernel.Decode makes.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, new(Model), (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	x.Header("fastnys", 1, &m.cfg, modelfile.Retired("NoPower"))
	modelfile.Part(x, "landmarks", &m.l, basis.DecodeStructured)
	var root *mat.Dense
	width := 0
	if x.Writing() {
		root = m.Root()
	} else if x.Reading() {
		_, width = m.l.Dims()
		x.Require(m.cfg.M <= width && m.cfg.M > width-max(1, m.cfg.Rows), "", "%d landmarks, the settings say %d", width, m.cfg.M)
	}
	x.Dense("root", &root, width, -1)
	x.Float64("eigenvalues", &m.stats.Eigenvalues, -1)
	if x.Reading() {
		_, r := root.Dims()
		x.Require(r == max(1, len(m.stats.Eigenvalues)), "eigenvalues", "%d values for %d features", len(m.stats.Eigenvalues), r)
		m.cfg.Kernel, m.Rooted = m.l.Kernel(), basis.NewRooted(m.l, root)
		m.stats.EffectiveRank = len(m.stats.Eigenvalues)
	}
}
