package rff

import (
	"github.com/gramworks/gram/algos/basis"
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
	d, _ := m.Dims()
	spec, err := kernel.Encode(w, m.cfg.Kernel)
	if err != nil {
		return err
	}
	if err := w.Header("rff", 1, stored{spec, d, m.cfg}); err != nil {
		return err
	}
	if p, ok := m.Basis.(*fastfood); ok {
		return p.Encode(w)
	}
	w.Dense("omega", m.Omega())
	return nil
}

// Decode reads what Encode wrote.
func Decode(f *modelfile.File) (*Model, error) {
	var s stored
	if err := f.Expect("rff", 1, &s); err != nil {
		return nil, err
	}
	k, err := kernel.Decode(f, s.Kernel)
	if err != nil {
		return nil, err
	}
	m := &Model{cfg: s.Config}
	m.cfg.Kernel = k
	if m.cfg, err = m.cfg.resolve(s.D); err != nil {
		return nil, err
	}
	if m.cfg.Frequencies != Fastfood {
		omega, err := f.Matrix("omega", s.D, m.cfg.M)
		if err != nil {
			return nil, err
		}
		m.Basis = basis.NewFourier(omega, 0)
		return m, nil
	}
	p := &fastfood{d: s.D, m: m.cfg.M, size: padded(s.D)}
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
	m.Basis = p
	return m, nil
}
