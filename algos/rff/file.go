package rff

import (
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
)

// stored is the form of the settings in a model file.
type stored struct {
	Kernel kernel.Spec
	D      int
	Config
}

// Encode writes the settings and the frequencies.
func (m *Model) Encode(w *modelfile.Writer) error {
	if err := w.Header("rff", 1, stored{m.cfg.Kernel.Spec(), m.d, m.cfg}); err != nil {
		return err
	}
	switch p := m.project.(type) {
	case explicit:
		w.Dense("omega", p.omega)
	case *structured:
		w.Float64("sign", p.sign)
		w.Int32("perm", p.perm)
		w.Float64("gauss", p.gauss)
		w.Float64("scale", p.scale)
	}
	return nil
}

// Decode reads what Encode wrote.
func Decode(f *modelfile.File) (*Model, error) {
	var s stored
	if err := f.Expect("rff", 1, &s); err != nil {
		return nil, err
	}
	k, err := kernel.New(s.Kernel)
	if err != nil {
		return nil, err
	}
	m := &Model{cfg: s.Config, d: s.D}
	m.cfg.Kernel = k
	if m.cfg, err = m.cfg.resolve(m.d); err != nil {
		return nil, err
	}
	if m.cfg.Frequencies != Fastfood {
		omega, err := f.Matrix("omega", m.d, m.cfg.M)
		if err != nil {
			return nil, err
		}
		m.project = explicit{omega}
		return m, nil
	}
	p := &structured{d: m.d, size: padded(m.d)}
	total := ((m.cfg.M-1)/p.size + 1) * p.size
	for name, dst := range map[string]*[]float64{"sign": &p.sign, "gauss": &p.gauss, "scale": &p.scale} {
		if *dst, err = f.Float64(name, total); err != nil {
			return nil, err
		}
	}
	if p.perm, err = f.Int32("perm", total); err != nil {
		return nil, err
	}
	for j, v := range p.perm {
		if v < 0 || int(v) >= p.size {
			return nil, f.Errorf("perm", "element %d is %d, want a place below %d", j, v, p.size)
		}
	}
	m.project = p
	return m, nil
}
