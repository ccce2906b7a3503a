package dckrr

import (
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// dividedMethod is the name of a bare Model in files.
const dividedMethod = "krr.divided"

// Encode writes the settings, the clusters, and the rows of all parts with their
// coefficients.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads what Encode wrote. The kernel must be one that kernel.Decode makes.
func Decode(f *modelfile.File) (*Model, error) {
	return modelfile.Get(f, new(Model), (*Model).form)
}

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	k := &m.cfg.Local.Kernel
	x.Header(dividedMethod, 1, &m.cfg, kernel.Stored(k), modelfile.Retired("Local.NoPenalty"))
	x.Require(m.cfg.Soft > 0, "", "the settings ask for the %d next parts", m.cfg.Soft)
	modelfile.Part(x, "clusters", &m.route.clusters, decodeClusters)
	var points, coefficients, bias *mat.Dense
	count, d, n := 0, -1, -1
	if x.Writing() {
		points, coefficients, bias = m.together()
	} else if x.Reading() {
		count, d = m.route.clusters.Dims()
	}
	x.Ints("part", &m.route.part, count, -1, math.MaxInt)
	x.Ints("sizes", &m.stats.Sizes, -1, 1, math.MaxInt)
	x.Dense("points", &points, -1, d)
	if x.Reading() {
		n, _ = points.Dims()
	}
	x.Dense("coefficients", &coefficients, n, -1)
	x.Dense("bias", &bias, len(m.stats.Sizes), -1)
	if !x.Reading() {
		return
	}
	_, t := coefficients.Dims()
	_, constants := bias.Dims()
	x.Require(constants == t, "bias", "%d constants of %d functions", constants, t)
	next := 0
	for c, p := range m.route.part {
		if p >= 0 {
			x.Require(p == next, "part", "cluster %d has part %d, want %d", c, p, next)
			next++
		}
	}
	x.Require(next > 0 && next == len(m.stats.Sizes), "part", "%d clusters have a part, there are %d parts", next, len(m.stats.Sizes))
	left := n
	for p, size := range m.stats.Sizes {
		if x.Require(size <= left, "sizes", "part %d has %d of %d rows", p, size, left); !x.Reading() {
			return
		}
		lo := n - left
		m.parts = append(m.parts, krr.NewModel(m.cfg.Local, points.Slice(lo, lo+size, 0, d).(*mat.Dense),
			coefficients.Slice(lo, lo+size, 0, t).(*mat.Dense), bias.RawRowView(p), krr.Stats{}))
		left -= size
	}
	if x.Require(left == 0, "sizes", "%d rows are in no part", left); x.Reading() {
		m.program = newProgram[float64](m)
	}
}

// together returns the rows of all parts, their coefficients, and the constants, one row for each
// part.
func (m *Model) together() (points, coefficients, bias *mat.Dense) {
	d, t := m.Dims()
	n := 0
	for _, s := range m.stats.Sizes {
		n += s
	}
	points, coefficients, bias = mat.NewDense(n, d, nil), mat.NewDense(n, t, nil), mat.NewDense(len(m.parts), t, nil)
	lo := 0
	for i, p := range m.parts {
		u, coef, constants := p.Expand()
		points.Slice(lo, n, 0, d).(*mat.Dense).Copy(gram.Matrix(gram.Dense(u)))
		coefficients.Slice(lo, n, 0, t).(*mat.Dense).Copy(gram.Matrix(gram.Dense(coef)))
		bias.SetRow(i, constants)
		lo += m.stats.Sizes[i]
	}
	return points, coefficients, bias
}
