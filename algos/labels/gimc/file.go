package gimc

import (
	"github.com/gramworks/gram/algos/internal/descent"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Encode writes the settings, the frequencies or landmarks, and W.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads a Model that Encode has written. The error says what is wrong with a damaged file.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, &Model{}, (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	var u *mat.Dense
	stored := struct {
		Thin bool `json:",omitempty"` // landmarks are for sparse rows
		*Config
	}{Config: &m.cfg}
	if x.Writing() {
		stored.Thin, u = descent.Thin(m.f), descent.Parameters(m.f)
	}
	x.Header("gimc-lff", 1, &stored)
	r, c := -1, m.cfg.M
	switch {
	case m.cfg.Map == completion.Nystrom && m.cfg.Gamma > 0:
		r, c = c, r
	case m.cfg.Map != completion.Fourier:
		x.Errorf("", "the settings name no features: %s, γ %v", m.cfg.Map, m.cfg.Gamma)
	}
	x.Dense("features", &u, r, c)
	if x.Reading() {
		m.f = m.cfg.Map.Basis(u, m.cfg.Gamma, stored.Thin, 0)
	}
	if x.Dense("labels", &m.w, -1, m.cfg.features()); x.Reading() {
		_, p := m.f.Dims()
		_, q := m.w.Dims()
		if !m.cfg.NoConstant {
			p++
		}
		x.Require(p == q, "labels", "%d columns for %d features", q, p)
	}
}
