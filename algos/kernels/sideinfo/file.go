package sideinfo

import (
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Encode writes the settings, the landmarks and the root of S.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads what Encode wrote. The kernel must be one that kernel.Decode makes.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, &Model{}, (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	var u, root *mat.Dense
	if x.Writing() {
		u, root = m.Landmarks(), m.Root()
	}
	x.Header("sideinfo", 1, &m.cfg, kernel.Stored(&m.cfg.Kernel), modelfile.Retired("Accelerated"))
	x.Dense("landmarks", &u, m.cfg.M, -1)
	x.Dense("root", &root, m.cfg.M, -1)
	if x.Reading() {
		k, _ := u.Dims()
		var l int
		l, m.stats.Rank = root.Dims()
		x.Require(k == l, "root", "%d rows for %d landmarks", l, k)
	}
	if x.Reading() {
		m.cfg.Landmarks = landmark.Fixed{U: u}
		m.values = basis.NewValues(m.cfg.Kernel, u, 0)
		m.Rooted = basis.NewRooted(m.values, root)
	}
}
