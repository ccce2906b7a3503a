package basis

import (
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
)

// Decode reads what the Encode of a basis of this package wrote. The kernels must be
// ones that kernel.New makes.
func Decode(f *modelfile.File) (Basis, error) {
	switch f.Method() {
	case structuredMethod:
		return DecodeStructured(f)
	case pseudoMethod:
		return DecodePseudo(f)
	case identityMethod:
		var d int
		if err := f.Expect(identityMethod, 1, &d); err != nil {
			return nil, err
		}
		if d < 1 {
			return nil, f.Errorf("", "%d columns", d)
		}
		return Identity(d), nil
	case valuesMethod:
		return DecodeValues(f)
	case fourierMethod:
		var s storedFourier
		if err := f.Expect(fourierMethod, 1, &s); err != nil {
			return nil, err
		}
		omega, err := f.Matrix("frequencies", -1, -1)
		if err != nil {
			return nil, err
		}
		b := NewFourier(omega, 0)
		b.plain = s.Plain
		return b, nil
	case rootedMethod:
		if err := f.Expect(rootedMethod, 1, &struct{}{}); err != nil {
			return nil, err
		}
		sub, err := f.Sub("inner")
		if err != nil {
			return nil, err
		}
		inner, err := Decode(sub)
		if err != nil {
			return nil, err
		}
		_, m := inner.Dims()
		root, err := f.Matrix("root", m, -1)
		if err != nil {
			return nil, err
		}
		return NewRooted(inner, root), nil
	}
	return nil, f.Errorf("", "there is no basis %q", f.Method())
}

// DecodeValues reads what Values.Encode wrote.
func DecodeValues(f *modelfile.File) (*Values, error) {
	var s kernel.Spec
	if err := f.Expect(valuesMethod, 1, &s); err != nil {
		return nil, err
	}
	k, err := kernel.New(s)
	if err != nil {
		return nil, err
	}
	u, err := f.Matrix("points", -1, -1)
	if err != nil {
		return nil, err
	}
	return NewValues(k, u, 0), nil
}
