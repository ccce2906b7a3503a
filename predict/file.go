package predict

import (
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// FileMethod is the method's name in model files.
const FileMethod = "compiled"

// The forms of programs in files. A basis of a user has no form of its own, and a
// model that is no function of a basis is stored as it is.
const (
	linearForm     = "linear"
	kernelForm     = "kernel"
	fourierForm    = "fourier"
	structuredForm = "structured"
	pseudoForm     = "pseudo"
	basisForm      = "basis"
	modelForm      = "model"
)

// stored is the form of the settings in a model file.
type stored struct {
	Form    string
	Kernel  *kernel.Spec `json:",omitempty"`
	Classes bool
	Pairs   bool `json:",omitempty"`
	Labels  bool `json:",omitempty"`
	Options Options
}

// formOf returns the form in which a target is stored: by the type of its basis, or modelForm for a model that is stored as it
// is.
func formOf(t *target) string {
	if t.model != nil {
		return modelForm
	}
	switch t.function.Basis.(type) {
	case basis.Identity:
		return linearForm
	case *basis.Values:
		return kernelForm
	case *basis.Fourier:
		return fourierForm
	case *basis.Structured:
		return structuredForm
	case *basis.Pseudo:
		return pseudoForm
	}
	return basisForm
}

// Encode writes the settings, the numbers in the model's precision and the names of
// the classes.
func (c *core) Encode(w *modelfile.Writer) error {
	s := stored{Form: formOf(c.target), Classes: c.names != nil, Pairs: c.pairs, Labels: c.labels, Options: c.o}
	var points *mat.Dense
	var part modelfile.Model
	name := "landmarks"
	switch s.Form {
	case modelForm:
		name, part = "model", c.model
	case kernelForm:
		v := c.function.Basis.(*basis.Values)
		spec, err := kernel.Encode(w, v.Kernel())
		if err != nil {
			return err
		}
		s.Kernel, points = &spec, v.Landmarks()
	case fourierForm:
		points = mat.DenseCopyOf(c.function.Basis.(*basis.Fourier).Points().T())
	case structuredForm, pseudoForm:
		part = c.function.Basis
	case basisForm:
		name, part = "basis", c.function.Basis
	}
	if err := w.Header(FileMethod, 1, s); err != nil {
		return err
	}
	put := func(name string, x *mat.Dense) {
		if c.o.Precision == Float32 {
			r, k := x.Dims()
			w.Float32(name, narrow(x), r, k)
			return
		}
		w.Dense(name, x)
	}
	if points != nil {
		put("points", points)
	}
	switch b, is := part.(basis.Basis); {
	case is:
		if err := basis.Encode(w.Sub(name), b); err != nil {
			return err
		}
	case part != nil:
		if err := part.Encode(w.Sub(name)); err != nil {
			return err
		}
	}
	if c.model == nil {
		put("coef", c.function.Coef)
		put("bias", mat.NewDense(1, len(c.function.Bias), c.function.Bias))
	}
	if c.names != nil {
		w.Strings("classes", c.names)
	}
	return nil
}

// narrow returns the numbers of x in float32.
func narrow(x *mat.Dense) []float32 {
	r, k := x.Dims()
	out := make([]float32, 0, r*k)
	for i := range r {
		for _, v := range x.RawRowView(i) {
			out = append(out, float32(v))
		}
	}
	return out
}

// Decode reads what Encode wrote. decode reads the model of another method, as
// catalog does; it may be nil where no file holds one.
func Decode(file *modelfile.File, decode func(*modelfile.File) (modelfile.Model, error)) (Compiled, error) {
	var s stored
	if err := file.Expect(FileMethod, 1, &s); err != nil {
		return nil, err
	}
	if s.Options.Precision > Float32 || (s.Kernel != nil) != (s.Form == kernelForm) || s.Classes && s.Labels {
		return nil, file.Errorf("", "a program of form %q in precision %d", s.Form, s.Options.Precision)
	}
	t := &target{pairs: s.Pairs, labels: s.Labels}
	var err error
	if s.Form == modelForm {
		err = t.decodeModel(file, s.Options.Precision, decode)
	} else {
		err = t.decodeFunction(file, s)
	}
	if err != nil {
		return nil, err
	}
	if s.Classes {
		if t.names, err = file.Strings("classes"); err != nil {
			return nil, err
		}
		k := t.outputs
		if n := len(t.names); n < 2 || s.Pairs && n < 3 || functions(n, s.Pairs) != k {
			return nil, file.Errorf("classes", "%d classes for %d functions", n, k)
		}
	}
	return newCore(t, s.Options, Stats{}).as(), nil
}

// decodeModel reads a model that is stored as it is, and finds out whether there is a
// program.
func (t *target) decodeModel(file *modelfile.File, p Precision, decode func(*modelfile.File) (modelfile.Model, error)) error {
	sub, err := file.Sub("model")
	if err != nil {
		return err
	}
	if decode == nil {
		return file.Errorf("", "a program of a model of method %q", sub.Method())
	}
	if t.model, err = decode(sub); err != nil {
		return err
	}
	inner, err := targetOf(t.model, p)
	if err != nil || inner.model == nil || inner.pairs != t.pairs || inner.labels != t.labels {
		return file.Errorf("", "a program of a model of method %q, which has none of this kind", sub.Method())
	}
	t.function, t.program, t.d, t.outputs = inner.function, inner.program, inner.d, inner.outputs
	return nil
}

// decodeFunction reads a linear function of the features of a basis.
func (t *target) decodeFunction(file *modelfile.File, s stored) error {
	get := func(name string, r, c int) (*mat.Dense, error) {
		if s.Options.Precision == Float64 {
			return file.Matrix(name, r, c)
		}
		data, err := file.Float32(name, r, c)
		if err != nil {
			return nil, err
		}
		if len(data) == 0 {
			return nil, file.Errorf(name, "is empty")
		}
		wide := make([]float64, len(data))
		for i, v := range data {
			wide[i] = float64(v)
		}
		shape := file.Shape(name)
		return mat.NewDense(shape[0], shape[1], wide), nil
	}
	n := -1 // rows of coef
	var b basis.Basis
	switch s.Form {
	case linearForm:
	case kernelForm, fourierForm:
		points, err := get("points", -1, -1)
		if err != nil {
			return err
		}
		if s.Form == fourierForm {
			b = basis.NewPlainFourier(mat.DenseCopyOf(points.T()), 0)
			break
		}
		k, err := kernel.Decode(file, *s.Kernel)
		if err != nil {
			return err
		}
		b = basis.NewValues(k, points, 0)
	case structuredForm, pseudoForm, basisForm:
		name := "landmarks"
		if s.Form == basisForm {
			name = "basis"
		}
		sub, err := file.Sub(name)
		if err != nil {
			return err
		}
		if b, err = basis.Decode(sub); err != nil {
			return err
		}
	default:
		return file.Errorf("", "a program of form %q", s.Form)
	}
	if b != nil {
		_, n = b.Dims()
	}
	coef, err := get("coef", n, -1)
	if err != nil {
		return err
	}
	d, k := coef.Dims()
	if b == nil {
		b = basis.Identity(d)
	}
	bias, err := get("bias", 1, k)
	if err != nil {
		return err
	}
	f := basis.Function{Basis: b, Coef: coef, Bias: bias.RawRowView(0)}
	t.function, t.program = &f, newPrograms(f)
	t.d, t.outputs = f.Dims()
	return nil
}

// pointsOf returns the numbers of the points of f, if the basis has any that files
// hold in the precision of the program.
func pointsOf(b basis.Basis) *mat.Dense {
	switch b := b.(type) {
	case *basis.Values:
		return b.Landmarks()
	case *basis.Fourier:
		return b.Points()
	}
	return nil
}

// finite reports whether all numbers of f are.
func finite(f *basis.Function) bool {
	if p := pointsOf(f.Basis); p != nil && gram.Of(p).Finite() != nil {
		return false
	}
	return f.Finite()
}

// rounded returns f with all numbers rounded to float32, but for those of bases that
// round them in their programs.
func rounded(f basis.Function) basis.Function {
	round := func(x *mat.Dense) *mat.Dense {
		var y mat.Dense
		y.Apply(func(_, _ int, v float64) float64 { return float64(float32(v)) }, x)
		return &y
	}
	switch b := f.Basis.(type) {
	case *basis.Values:
		f.Basis = basis.NewValues(b.Kernel(), round(b.Landmarks()), 0)
	case *basis.Fourier:
		f.Basis = basis.NewPlainFourier(round(b.Points()), 0) // f is folded
	}
	f.Coef, f.Bias = round(f.Coef), slices.Clone(f.Bias)
	for c, b := range f.Bias {
		f.Bias[c] = float64(float32(b))
	}
	return f
}

var _, _, _ modelfile.Model = (*classifier)(nil), (*regressor)(nil), (*ranker)(nil)
