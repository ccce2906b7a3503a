package rff

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Encode writes the settings and the frequencies.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads a Model that Encode has written. The error says what is wrong with a damaged file.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, &Model{}, (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	var d int
	if x.Writing() {
		d, _ = m.Dims()
	}
	stored := struct {
		D int
		*Config
	}{d, &m.cfg}
	x.Header("rff", 1, &stored, kernel.Stored(&m.cfg.Kernel))
	if d = stored.D; x.Reading() {
		c, err := settings.Resolved(m.cfg, gram.Shape{D: d})
		x.Require(err == nil, "", "%v", err)
		m.cfg = c
	}
	if m.cfg.Frequencies == Fastfood {
		m.exchangeFastfood(x, d)
		return
	}
	var omega *mat.Dense
	if x.Writing() {
		omega = m.Basis.(frequencyBasis).Points()
	}
	if x.Dense("omega", &omega, d, m.cfg.M); x.Reading() {
		m.Basis = basis.NewFourier(omega, 0)
	}
}

func (m *Model) exchangeFastfood(x *modelfile.Exchange, d int) {
	p := &fastfoodMatrix{d: d, m: m.cfg.M, size: padded(d)}
	if x.Writing() {
		p = m.Basis.(*fastfoodMatrix)
	}
	total := ((m.cfg.M-1)/p.size + 1) * p.size
	x.Float64("sign", &p.sign, total)
	x.Float64("gauss", &p.gauss, total)
	x.Float64("scale", &p.scale, total)
	x.Int32("perm", &p.perm, total, 0, int32(p.size)-1)
	if x.Reading() {
		m.Basis = p
	}
}
