package predict

import (
	"slices"

	"github.com/gramworks/gram/algos/fastnys"
	"github.com/gramworks/gram/algos/pseudo"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// FileMethod is the method's name in model files.
const FileMethod = "compiled"

// stored is the form of the settings in a model file.
type stored struct {
	Form    string
	Kernel  *kernel.Spec `json:",omitempty"`
	Classes bool
	Pairs   bool `json:",omitempty"`
	Options Options
}

// Encode writes the settings, the numbers in the model's precision and the
// names of the classes.
func (m *Classifier) Encode(w *modelfile.Writer) error {
	if err := m.encode(w, true, m.pairs); err != nil {
		return err
	}
	w.Strings("classes", m.names)
	return nil
}

// Encode writes the settings and the numbers in the model's precision.
func (m *Regressor) Encode(w *modelfile.Writer) error { return m.encode(w, false, false) }

func (c *core) encode(w *modelfile.Writer, classes, pairs bool) error {
	f := c.form
	s := stored{Form: f.Kind.String(), Classes: classes, Pairs: pairs, Options: c.o}
	if f.Kind == kernelForm { // landmarks have their own
		spec := f.kernel.Spec()
		s.Kernel = &spec
	}
	if err := w.Header(FileMethod, 1, s); err != nil {
		return err
	}
	put := func(name string, x *mat.Dense) {
		if c.o.Precision == Float32 {
			r := rowsOf[float32](x)
			w.Float32(name, r.Data, r.N, r.D)
			return
		}
		w.Dense(name, x)
	}
	if f.points != nil {
		put("points", f.points)
	}
	var landmarks modelfile.Model
	switch {
	case f.marks != nil:
		landmarks = f.marks
	case f.pseudo != nil:
		landmarks = f.pseudo
	}
	if landmarks != nil {
		if err := landmarks.Encode(w.Sub("landmarks")); err != nil {
			return err
		}
	}
	put("coef", f.coef)
	put("bias", mat.NewDense(1, len(f.bias), f.bias))
	return nil
}

// Decode reads what Encode wrote: a *Classifier or a *Regressor. The kernel must
// be one that kernel.New makes.
func Decode(file *modelfile.File) (Compiled, error) {
	var s stored
	if err := file.Expect(FileMethod, 1, &s); err != nil {
		return nil, err
	}
	at := slices.Index(kindNames[:], s.Form)
	if at < 0 || s.Options.Precision > Float32 || (s.Kernel != nil) != (kind(at) == kernelForm) {
		return nil, file.Errorf("", "a program of form %q in precision %d", s.Form, s.Options.Precision)
	}
	f := &form{Kind: kind(at)}
	get := func(name string, r, c int) (*mat.Dense, error) {
		if s.Options.Precision == Float64 {
			return file.Matrix(name, r, c)
		}
		data, err := file.Float32(name, max(r, -1), max(c, -1))
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
	var err error
	n := -1 // rows of coef
	switch f.Kind {
	case structuredForm:
		sub, err := file.Sub("landmarks")
		if err != nil {
			return nil, err
		}
		if f.marks, err = fastnys.DecodeLandmarks(sub); err != nil {
			return nil, err
		}
		f.kernel = f.marks.Kernel()
		n = f.size()
	case pseudoForm:
		sub, err := file.Sub("landmarks")
		if err != nil {
			return nil, err
		}
		if f.pseudo, err = pseudo.DecodeColumns(sub); err != nil {
			return nil, err
		}
		f.kernel = f.pseudo.Kernel()
		_, n = f.pseudo.Dims()
	case kernelForm, fourierForm:
		if f.points, err = get("points", -1, -1); err != nil {
			return nil, err
		}
		if n = f.size(); f.Kind == fourierForm {
			n *= 2
		}
	}
	if f.coef, err = get("coef", n, -1); err != nil {
		return nil, err
	}
	_, k := f.coef.Dims()
	bias, err := get("bias", 1, k)
	if err != nil {
		return nil, err
	}
	f.bias = bias.RawRowView(0)
	if s.Kernel != nil {
		if f.kernel, err = kernel.New(*s.Kernel); err != nil {
			return nil, err
		}
	}
	c := newCore(f, s.Options, Stats{})
	if !s.Classes {
		return &Regressor{c}, nil
	}
	names, err := file.Strings("classes")
	if err != nil {
		return nil, err
	}
	if len(names) < 2 || s.Pairs && len(names) < 3 || functions(len(names), s.Pairs) != k {
		return nil, file.Errorf("classes", "%d classes for %d functions", len(names), k)
	}
	return &Classifier{c, names, s.Pairs}, nil
}

var _, _ modelfile.Model = (*Classifier)(nil), (*Regressor)(nil)
