package predict

import (
	"errors"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/modelfile"
)

// ErrNoProgram is what errors about models wrap that cannot be compiled.
var ErrNoProgram = errors.New("predict: there is no program for the model")

// linear is a model that is a linear function of the features of a basis.
type linear interface {
	Function() (basis.Function, error)
}

// target is a model as Compile sees it.
type target struct {
	function *basis.Function // without a root; nil: only the program is known
	program  gram.Compiler
	model    modelfile.Model // the model itself, which is stored where there is no function
	names    []string        // classes; nil: values or labels
	pairs    bool            // there is a function for each pair of classes
	labels   bool            // the outputs are the scores of labels

	d, outputs int // columns, and what there is for each row
}

// targetOf says what the program of a model is.
func targetOf(model any) (*target, error) {
	if c, ok := model.(Compiled); ok {
		return c.compiled().target, nil
	}
	t := &target{}
	switch m := model.(type) {
	case gram.Classifier:
		t.names = m.Classes()
		if p, ok := model.(interface{ Pairs() bool }); ok {
			t.pairs = p.Pairs()
		}
	case gram.Regressor:
	case gram.Ranker:
		t.labels = true
	default:
		return nil, fmt.Errorf("%w: %T neither classifies nor predicts values nor ranks labels", ErrNoProgram, model)
	}
	t.program, _ = model.(gram.Compiler)
	t.model, _ = model.(modelfile.Model)
	// A model that could be a function may have a map that is no basis, and a program all
	// the same. A machine with a function for each pair of classes has a program of its
	// own, which uses that a point has coefficients for the pairs of its class only.
	if m, ok := model.(linear); ok {
		f, err := m.Function()
		if err != nil && t.program == nil {
			return nil, fmt.Errorf("%w: %w", ErrNoProgram, err)
		}
		if err == nil {
			f = f.Folded()
			t.function = &f
			if t.program == nil || t.model == nil || !t.pairs {
				t.program, t.model = f, nil
			}
		}
	}
	switch {
	case t.program == nil:
		return nil, fmt.Errorf("%w: %T is no gram.Compiler", ErrNoProgram, model)
	case t.function == nil && t.model == nil:
		return nil, fmt.Errorf("%w: %T cannot be stored", ErrNoProgram, model)
	}
	if t.model == nil {
		t.d, t.outputs = t.function.Dims()
		return t, nil
	}
	program, err := t.program.Program64()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoProgram, err)
	}
	t.d, t.outputs = program.Dims()
	return t, nil
}

// machine returns the kernel machine that the model is.
func (t *target) machine() (Machine, bool) {
	if t.function == nil {
		return Machine{}, false
	}
	v, ok := t.function.Basis.(*basis.Values)
	if !ok {
		return Machine{}, false
	}
	return Machine{v.Kernel(), v.Landmarks(), t.function.Coef, t.function.Bias}, true
}

// cost is that of a row in precision p.
func (t *target) cost(p Precision) (gram.Plan, error) {
	if t.model == nil {
		return t.function.Cost(p.bytes()), nil
	}
	if p == Float32 {
		program, err := t.program.Program32()
		if err != nil {
			return gram.Plan{}, err
		}
		return program.Cost(), nil
	}
	program, err := t.program.Program64()
	if err != nil {
		return gram.Plan{}, err
	}
	return program.Cost(), nil
}
