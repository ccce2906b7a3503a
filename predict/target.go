package predict

import (
	"errors"
	"fmt"
	"sync"

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
	program  *programs
	model    modelfile.Model // the model itself, which is stored where there is no function
	names    []string        // classes; nil: values or labels
	pairs    bool            // there is a function for each pair of classes
	reason   string          // why there is no kernel machine to approximate
	labels   bool            // the outputs are the scores of labels

	d, outputs int // columns, and what there is for each row
}

// programs holds the programs of a model or a function. Each is made when it is first asked for.
type programs struct {
	of     gram.Compiler
	wide   func() (gram.Program[float64], error)
	narrow func() (gram.Program[float32], error)
}

func newPrograms(of gram.Compiler) *programs {
	return &programs{of, sync.OnceValues(of.Program64), sync.OnceValues(of.Program32)}
}

// shaped is what is asked of a program of either type.
type shaped interface {
	Dims() (d, outputs int)
	Cost() gram.Plan
}

// in returns the program that computes in precision p. It is made at the first call for p.
func (c *programs) in(p Precision) (shaped, error) {
	if p == Float32 {
		return c.narrow()
	}
	return c.wide()
}

// targetOf says what the program of a model in that precision is.
func targetOf(model any, p Precision) (*target, error) {
	if c, ok := model.(Compiled); ok {
		return c.compiled().target, nil
	}
	t := &target{reason: "the model is no kernel machine"}
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
	compiler, _ := model.(gram.Compiler)
	t.model, _ = model.(modelfile.Model)
	// A model that could be a function may have a map that is no basis, and a program all
	// the same. A machine with a function for each pair of classes has a program of its
	// own, which uses that a point has coefficients for the pairs of its class only, and a
	// function cannot say how uncertain it is.
	if m, ok := model.(linear); ok {
		f, err := m.Function()
		if err != nil && compiler == nil {
			return nil, fmt.Errorf("%w: %w", ErrNoProgram, err)
		}
		if err != nil {
			t.reason = err.Error()
		} else {
			f = f.Folded()
			t.function = &f
			_, uncertain := model.(gram.Posterior)
			if compiler == nil || t.model == nil || !t.pairs && !uncertain {
				compiler, t.model = f, nil
			}
		}
	}
	switch {
	case compiler == nil:
		return nil, fmt.Errorf("%w: %T is no gram.Compiler", ErrNoProgram, model)
	case t.function == nil && t.model == nil:
		return nil, fmt.Errorf("%w: %T cannot be stored", ErrNoProgram, model)
	}
	t.program = newPrograms(compiler)
	if t.model == nil {
		t.d, t.outputs = t.function.Dims()
		return t, nil
	}
	program, err := t.program.in(p)
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

// cost returns the flops and bytes of one row in precision p.
func (t *target) cost(p Precision) (gram.Plan, error) {
	if t.model == nil {
		return t.function.Cost(p.bytes()), nil
	}
	program, err := t.program.in(p)
	if err != nil {
		return gram.Plan{}, err
	}
	return program.Cost(), nil
}
