package itml

import (
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/neighbors"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
)

// Encode writes the points, V, s and the base.
func (f *Function) Encode(w *modelfile.Writer) error { return modelfile.Put(w, f.form) }

// DecodeFunction reads what Function.Encode wrote. The innermost kernel must be
// one that kernel.Decode makes.
func DecodeFunction(f *modelfile.File) (*Function, error) {
	return modelfile.Get(f, &Function{}, (*Function).form)
}

// form lists what a file holds of the kernel. Writing and reading a file go through these same statements. Only the
// innermost base is stored as a Spec.
func (f *Function) form(x *modelfile.Exchange) {
	base, nested := f.base.(*Function)
	if nested {
		f = &Function{alpha: f.alpha, points: f.points, coef: f.coef, sign: f.sign}
	}
	config := struct{ Alpha float64 }{f.alpha}
	x.Header("inductive.function", 1, &config, kernel.StoredIfAny(&f.base))
	x.Dense("points", &f.points, -1, -1)
	x.Dense("coefficients", &f.coef, -1, -1)
	x.Float64("signs", &f.sign, -1)
	if f.base == nil {
		modelfile.Part(x, "base", &base, DecodeFunction)
	}
	if !x.Reading() {
		return
	}
	p, d := f.points.Dims()
	rows, r := f.coef.Dims()
	x.Require(rows == p && r == len(f.sign), "coefficients", "%d×%d for %d points and %d signs", rows, r, p, len(f.sign))
	for _, v := range f.sign {
		x.Require(v == 1 || v == -1, "signs", "%v is neither 1 nor -1", v)
	}
	if f.base == nil {
		bd, _ := base.Dims()
		x.Require(bd == d, "points", "%d columns, those of the base have %d", d, bd)
		f.base = base
	}
	if x.Reading() {
		*f = *NewFunction(f.base, config.Alpha, f.points, f.coef, f.sign, 0)
	}
}

// Encode writes the settings and the learned kernel.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads a Model that Encode has written. The error says what is wrong with a damaged file.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, &Model{}, (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	x.Header("inductive.kernel", 1, &m.cfg)
	modelfile.Part(x, "function", &m.f, DecodeFunction)
	if x.Reading() {
		m.cfg.restore(m.f)
	}
}

// restore fills in the parts of the settings that a file does not hold.
func (c *Config) restore(f *Function) {
	c.Kernel = f.base
	if c.Reduction == Subset {
		c.Landmarks = landmark.Fixed{U: f.points}
	}
}

// Encode writes the settings, the kernel, and the rows with their classes.
func (c *Classifier) Encode(w *modelfile.Writer) error { return modelfile.Put(w, c.form) }

// DecodeClassifier reads a Classifier that Encode has written. The error says what is wrong with a damaged file.
func DecodeClassifier(f *modelfile.File) (*Classifier, error) {
	return modelfile.Get(f, &Classifier{}, (*Classifier).form)
}

// form lists what a file holds of the model. Writing and reading a file go through these same statements. Files of
// earlier programs also hold classifiers in kernels that were not learned, which are stored as their Spec.
func (c *Classifier) form(x *modelfile.Exchange) {
	if x.Reading() {
		c.Classifier = &neighbors.Classifier{}
	}
	k := c.Kernel()
	f, learned := k.(*Function)
	if learned {
		k = nil
	}
	x.Header("inductive", 1, &c.cfg, kernel.StoredIfAny(&k))
	if k == nil {
		modelfile.Part(x, "function", &f, DecodeFunction)
	}
	if x.Reading() {
		if c.cfg.Kernel = k; k == nil {
			k = f
			c.cfg.Config.restore(f)
		}
	}
	c.Exchange(x, neighbors.Config{Kernel: k, K: c.cfg.K, Run: c.Classifier.Config().Run})
}
