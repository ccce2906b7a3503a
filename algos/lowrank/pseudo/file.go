package pseudo

import (
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Encode writes the settings, the landmarks and pseudo-landmarks and the root of
// W̄.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads what Encode wrote. The kernel must be one that kernel.Decode makes.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, &Model{}, (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	var root *mat.Dense
	if x.Writing() {
		root = m.Root()
	}
	x.Header("pseudo", 1, &m.cfg)
	modelfile.Part(x, "columns", &m.c, basis.DecodePseudo)
	width := 0
	if x.Reading() {
		m.cfg.Kernel, m.cfg.Landmarks = m.c.Kernel(), landmark.Fixed{U: m.c.Landmarks()}
		_, width = m.c.Dims()
	}
	if x.Dense("root", &root, width, -1); x.Reading() {
		m.Rooted = basis.NewRooted(m.c, root)
		_, m.stats.Rank = root.Dims()
	}
}
