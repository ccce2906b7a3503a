package inductive

import (
	"github.com/gramworks/gram/algos/landmark"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
)

// storedFunction is the form of a Function's settings in a model file. The
// kernel is that of the innermost base.
type storedFunction struct {
	Alpha  float64
	Kernel *kernel.Spec `json:",omitempty"`
}

// Encode writes the points, V, s and the base.
func (f *Function) Encode(w *modelfile.Writer) error {
	s := storedFunction{Alpha: f.alpha}
	base, nested := f.base.(*Function)
	if !nested {
		spec, err := kernel.Encode(w, f.base)
		if err != nil {
			return err
		}
		s.Kernel = &spec
	}
	if err := w.Header("inductive.function", 1, s); err != nil {
		return err
	}
	w.Dense("points", f.points)
	w.Dense("coefficients", f.coef)
	w.Float64("signs", f.sign)
	if nested {
		return base.Encode(w.Sub("base"))
	}
	return nil
}

// DecodeFunction reads what Function.Encode wrote. The innermost kernel must be
// one that kernel.Decode makes.
func DecodeFunction(f *modelfile.File) (*Function, error) {
	var s storedFunction
	if err := f.Expect("inductive.function", 1, &s); err != nil {
		return nil, err
	}
	points, err := f.Matrix("points", -1, -1)
	if err != nil {
		return nil, err
	}
	p, d := points.Dims()
	coef, err := f.Matrix("coefficients", p, -1)
	if err != nil {
		return nil, err
	}
	_, r := coef.Dims()
	sign, err := f.Float64("signs", r)
	if err != nil {
		return nil, err
	}
	for _, v := range sign {
		if v != 1 && v != -1 {
			return nil, f.Errorf("signs", "%v is neither 1 nor -1", v)
		}
	}
	if s.Kernel != nil {
		k, err := kernel.Decode(f, *s.Kernel)
		if err != nil {
			return nil, err
		}
		return newFunction(k, s.Alpha, points, coef, sign, 0), nil
	}
	sub, err := f.Sub("base")
	if err != nil {
		return nil, err
	}
	base, err := DecodeFunction(sub)
	if err != nil {
		return nil, err
	}
	if bd, _ := base.Dims(); bd != d {
		return nil, f.Errorf("points", "%d columns, those of the base have %d", d, bd)
	}
	return newFunction(base, s.Alpha, points, coef, sign, 0), nil
}

// Encode writes the settings and the learned kernel.
func (m *Model) Encode(w *modelfile.Writer) error {
	if err := w.Header("inductive.kernel", 1, m.cfg); err != nil {
		return err
	}
	return m.f.Encode(w.Sub("function"))
}

// Decode reads what Model.Encode wrote.
func Decode(f *modelfile.File) (*Model, error) {
	m := &Model{}
	if err := f.Expect("inductive.kernel", 1, &m.cfg); err != nil {
		return nil, err
	}
	sub, err := f.Sub("function")
	if err != nil {
		return nil, err
	}
	if m.f, err = DecodeFunction(sub); err != nil {
		return nil, err
	}
	m.cfg.restore(m.f)
	return m, nil
}

// restore fills in the parts of the settings that a file does not hold.
func (c *Config) restore(f *Function) {
	c.Kernel = f.base
	if c.Reduction == Subset {
		c.Landmarks = landmark.Fixed{U: f.points}
	}
}

// storedKNN is the form of a Classifier's settings in a model file.
type storedKNN struct {
	KNN
	Kernel *kernel.Spec `json:",omitempty"` // of a kernel that was not learned
}

// Encode writes the settings, the kernel, and the rows with their classes.
func (c *Classifier) Encode(w *modelfile.Writer) error {
	s := storedKNN{KNN: c.cfg}
	f, learned := c.k.(*Function)
	if !learned {
		spec, err := kernel.Encode(w, c.k)
		if err != nil {
			return err
		}
		s.Kernel = &spec
	}
	if err := w.Header("inductive", 1, s); err != nil {
		return err
	}
	w.Strings("classes", c.names)
	w.Dense("rows", c.x)
	w.Ints("class", c.class)
	w.Float64("weight", c.weight)
	if learned {
		return f.Encode(w.Sub("function"))
	}
	return nil
}

// DecodeClassifier reads what Classifier.Encode wrote.
func DecodeClassifier(f *modelfile.File) (*Classifier, error) {
	var s storedKNN
	if err := f.Expect("inductive", 1, &s); err != nil {
		return nil, err
	}
	c := &Classifier{cfg: s.KNN}
	var err error
	if c.names, err = f.Strings("classes"); err != nil {
		return nil, err
	}
	if c.x, err = f.Matrix("rows", -1, -1); err != nil {
		return nil, err
	}
	n, d := c.x.Dims()
	if c.class, err = f.Ints("class", n); err != nil {
		return nil, err
	}
	if c.weight, err = f.Float64("weight", n); err != nil {
		return nil, err
	}
	for _, k := range c.class {
		if k < 0 || k >= len(c.names) {
			return nil, f.Errorf("class", "class %d of %d", k, len(c.names))
		}
	}
	if len(c.names) < 2 || c.cfg.K < 1 || c.cfg.K > n {
		return nil, f.Errorf("", "%d classes, %d neighbours of %d rows", len(c.names), c.cfg.K, n)
	}
	if s.Kernel != nil {
		if c.k, err = kernel.Decode(f, *s.Kernel); err != nil {
			return nil, err
		}
		c.cfg.Kernel = c.k
	} else {
		sub, err := f.Sub("function")
		if err != nil {
			return nil, err
		}
		fn, err := DecodeFunction(sub)
		if err != nil {
			return nil, err
		}
		if fd, _ := fn.Dims(); fd != d {
			return nil, f.Errorf("rows", "%d columns, the kernel is for %d", d, fd)
		}
		c.k = fn
		c.cfg.Config.restore(fn)
	}
	c.prepare(0)
	return c, nil
}
