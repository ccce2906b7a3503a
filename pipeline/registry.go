package pipeline

import (
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
)

// Registry says how what is in model files is read. A nil *Registry has nothing but the
// kernels and the bases of this module.
type Registry struct {
	// Models reads models by the method of their file.
	Models map[string]func(*modelfile.File) (modelfile.Model, error)
	// Bases reads feature maps by the method of their part, beside those of package basis.
	Bases basis.Registry
	// Kernels makes kernels of their Spec, by its name, beside those of package kernel.
	Kernels kernel.Registry
}

// KernelRegistry returns the kernels. With it a Registry is what kernel.Encode and
// kernel.Decode look for.
func (r *Registry) KernelRegistry() kernel.Registry {
	if r == nil {
		return nil
	}
	return r.Kernels
}

// BasisRegistry returns the feature maps, for basis.Encode and basis.Decode.
func (r *Registry) BasisRegistry() basis.Registry {
	if r == nil {
		return nil
	}
	return r.Bases
}

// Model reads the model in f: a compiled one, a linear one on a feature map, or one of
// Models.
func (r *Registry) Model(f *modelfile.File) (modelfile.Model, error) {
	f = f.With(r)
	switch f.Method() {
	case predict.FileMethod:
		return predict.Decode(f, r.Model)
	case linearMethod:
		return DecodeLinear(f, linearMethod, basis.Decode)
	}
	if r != nil {
		if read := r.Models[f.Method()]; read != nil {
			return read(f)
		}
	}
	return nil, f.Errorf("", "a model of method %q, which this version does not know", f.Method())
}
