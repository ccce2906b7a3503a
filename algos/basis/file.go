package basis

import (
	"fmt"

	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
)

// Registry holds the feature maps that a program adds to those of this package. For each
// method name in the header of a model file it has the function that reads the file.
type Registry map[string]func(*modelfile.File) (Basis, error)

// registered is a value attached to a model file (modelfile.File.With) that brings
// feature maps.
type registered interface{ BasisRegistry() Registry }

// Encode writes b to w. It returns an error that names the type of b if the file could not
// be read again, because b is neither of this package nor registered with w.
func Encode(w *modelfile.Writer, b Basis) error {
	if err := b.Encode(w); err != nil {
		return err
	}
	if m := w.Method(); !builtin(m) && registryOf(w.Value())[m] == nil {
		return fmt.Errorf("feature map %q (%T) could not be read again: it is not of package basis, and no registry has it", m, b)
	}
	return nil
}

func registryOf(value any) Registry {
	if r, ok := value.(registered); ok {
		return r.BasisRegistry()
	}
	return nil
}

// builtin reports whether Decode reads files of the given method without a Registry.
func builtin(method string) bool {
	switch method {
	case structuredMethod, pseudoMethod, identityMethod, valuesMethod, fourierMethod, rootedMethod:
		return true
	}
	return false
}

// Decode reads what Encode wrote: a basis of this package or one that is registered with f.
// The kernels must be ones that kernel.Decode makes.
func Decode(f *modelfile.File) (Basis, error) {
	if made := registryOf(f.Value())[f.Method()]; made != nil && !builtin(f.Method()) {
		return made(f)
	}
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
		return decodeValues(f)
	case fourierMethod:
		return modelfile.Get(f, &Fourier{}, (*Fourier).form)
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

// decodeValues reads Values that Encode has written. The error says what is wrong with a damaged file.
func decodeValues(f *modelfile.File) (*Values, error) {
	var s storedValues
	if err := f.Expect(valuesMethod, 1, &s); err != nil {
		return nil, err
	}
	k, err := kernel.Decode(f, s.Spec)
	if err != nil {
		return nil, err
	}
	u, err := f.Matrix("points", -1, -1)
	if err != nil {
		return nil, err
	}
	if _, d := u.Dims(); kernel.Fits(k, d) != nil {
		return nil, f.Errorf("points", "the kernel is for rows of another length than %d", d)
	}
	if s.Thin {
		return NewSparseValues(k, u, 0), nil
	}
	return NewValues(k, u, 0), nil
}
