package pipeline

import (
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
)

// Registry says how the contents of model files are read. A nil *Registry knows only the
// kernels and the bases of this module.
type Registry struct {
	// Models maps the method of a file to the function that reads its model.
	Models map[string]func(*modelfile.File) (modelfile.Model, error)
	// Bases reads feature maps that package basis does not know, by the method of their
	// part.
	Bases basis.Registry
	// Kernels makes kernels that package kernel does not know, from the name of their
	// Spec.
	Kernels kernel.Registry
	// Learned reads kernels that are stored whole, by the method of their part.
	Learned kernel.Readers
}

// KernelRegistry returns r.Kernels. kernel.Encode and kernel.Decode find the kernels by
// it.
func (r *Registry) KernelRegistry() kernel.Registry {
	if r == nil {
		return nil
	}
	return r.Kernels
}

// KernelReaders returns r.Learned, by which learned kernels are read; nil for a nil r.
func (r *Registry) KernelReaders() kernel.Readers {
	if r == nil {
		return nil
	}
	return r.Learned
}

// BasisRegistry returns r.Bases, for basis.Encode and basis.Decode; nil for a nil r.
func (r *Registry) BasisRegistry() basis.Registry {
	if r == nil {
		return nil
	}
	return r.Bases
}

// Model reads the model in f, which is a compiled model, a linear model on a feature map,
// or one of r.Models.
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
