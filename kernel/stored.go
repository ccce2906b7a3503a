package kernel

import (
	"fmt"
	"slices"

	"github.com/gramworks/gram/modelfile"
)

// Registry holds kernels that a program adds to those of this package for model files.
// It maps the name of a Spec to the function that makes a kernel of such a Spec.
type Registry map[string]func(Spec) (Kernel, error)

// registered is a value of modelfile.File.With that contains a Registry.
type registered interface{ KernelRegistry() Registry }

// Readers are the learned kernels of a program: by the method of their files, what reads
// them. Such a kernel is a modelfile.Model, and is stored whole in the part "kernel" of what
// uses it.
type Readers map[string]func(*modelfile.File) (Kernel, error)

// reading is the value of a model file that brings readers of kernels.
type reading interface{ KernelReaders() Readers }

// wholePart is the part of a file that holds a kernel that is stored whole.
const wholePart = "kernel"

func registryOf(value any) Registry {
	if r, ok := value.(registered); ok {
		return r.KernelRegistry()
	}
	return nil
}

// Encode returns the Spec under which w stores k, and writes a learned kernel whole. It
// returns an error if k could not be read again: if New refuses its settings, or if it is
// not learned, and neither New nor the registry of w makes kernels of its name.
func Encode(w *modelfile.Writer, k Kernel) (Spec, error) {
	s := k.Spec()
	if m, learned := k.(modelfile.Model); learned {
		return s, m.Encode(w.Sub(wholePart))
	}
	if own(s.Name) {
		_, err := New(s)
		return s, err
	}
	if registryOf(w.Value())[s.Name] != nil {
		return s, nil
	}
	return s, fmt.Errorf("kernel %q could not be read again: it is not of package kernel, and no registry has it", s.Name)
}

// Decode makes the kernel s of a model file, by New or by the registry that f was
// given.
func Decode(f *modelfile.File, s Spec) (Kernel, error) {
	switch made := registryOf(f.Value())[s.Name]; {
	case own(s.Name):
	case f.HasSub(wholePart):
		return decodeWhole(f)
	case made != nil:
		return made(s)
	}
	return New(s)
}

// decodeWhole reads a kernel that is stored whole in its part of f: a Scaled, or one of the learned kernels for which f was given
// a reader.
func decodeWhole(f *modelfile.File) (Kernel, error) {
	part, err := f.Sub(wholePart)
	if err != nil {
		return nil, err
	}
	if part.Method() == scaledMethod {
		return modelfile.Get(part, new(Scaled), (*Scaled).form)
	}
	if r, ok := f.Value().(reading); ok {
		if read := r.KernelReaders()[part.Method()]; read != nil {
			return read(part)
		}
	}
	return nil, f.Errorf("", "a kernel of method %q, which this program does not know", part.Method())
}

// own reports whether New makes kernels of that name.
func own(name string) bool {
	return slices.ContainsFunc(families, func(f family) bool { return f.name == name })
}

// Stored describes the kernel at k as a field of the settings in a model file.
func Stored(k *Kernel) modelfile.Field {
	return modelfile.Field{
		Name: "Kernel",
		Put:  func(w *modelfile.Writer) (any, error) { return Encode(w, *k) },
		Get: func(f *modelfile.File, decode func(value any) error) error {
			var s Spec
			err := decode(&s)
			if err == nil {
				*k, err = Decode(f, s)
			}
			return err
		},
	}
}

// StoredIfAny describes a field like Stored for a kernel that may be nil.
func StoredIfAny(k *Kernel) modelfile.Field {
	return modelfile.Field{
		Name: "Kernel",
		Put: func(w *modelfile.Writer) (any, error) {
			if *k == nil {
				return nil, nil
			}
			return Encode(w, *k)
		},
		Get: func(f *modelfile.File, decode func(value any) error) error {
			var s *Spec
			err := decode(&s)
			if err == nil && s != nil {
				*k, err = Decode(f, *s)
			}
			return err
		},
	}
}
