package goal

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// function is what classifiers and regressors share: linear functions of learned
// features.
type function struct {
	cfg   Config
	phi   basis.Learnable
	w     *mat.Dense // p×k
	bias  []float64  // k
	stats Stats
}

// Classifier is a trained classifier, one linear function of the features for each
// class, or a single one for two classes. It is safe for concurrent use.
type Classifier struct {
	*function
	names []string
}

// Regressor is a trained function of real value. It is safe for concurrent use.
type Regressor struct{ *function }

var (
	_ gram.Classifier = (*Classifier)(nil)
	_ gram.Regressor  = (*Regressor)(nil)
)

// Dim returns the number of columns of the data.
func (f *function) Dim() int { d, _ := f.phi.Dims(); return d }

// Map returns the features: *basis.Values or *basis.Fourier.
func (f *function) Map() gram.FeatureMap { return f.phi }

// Points returns the m×d landmarks or frequencies, a copy.
func (f *function) Points() *mat.Dense { return mat.DenseCopyOf(f.phi.Points().T()) }

// PredictAll returns the n×k values of the linear functions.
func (f *function) PredictAll(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	d, _ := f.phi.Dims()
	dst = rows.Destination("goal", dst, x, d, len(f.bias))
	rows.MulFilled(dst, x, f.w, func(phi *mat.Dense, x mat.Matrix) { f.phi.Map(phi, x) })
	rows.AddToAll(dst, f.bias)
	return dst
}

// Function returns the linear functions of the features.
func (f *function) Function() (basis.Function, error) {
	return basis.Function{Basis: f.phi, Coef: f.w, Bias: f.bias}, nil
}

// Program64 returns a program in float64 that computes the values of all functions for rows.
func (f *function) Program64() (gram.Program[float64], error) { return f.phi.With64(f.w, f.bias), nil }

// Program32 returns a program in float32 that computes the same values as Program64, up to rounding.
func (f *function) Program32() (gram.Program[float32], error) { return f.phi.With32(f.w, f.bias), nil }

// Weights returns the features×k coefficients and the k constants. They are the
// model's own and must not be changed.
func (f *function) Weights() (w *mat.Dense, bias []float64) { return f.w, f.bias }

// Config returns the settings with all defaults filled in, without what was given. That of
// a model that was read from a file has no Landmarks.
func (f *function) Config() Config { return f.cfg }

// Stats returns statistics of the fit. A model that was read from a file has none.
func (f *function) Stats() Stats { return f.stats }

// Classes returns the names of the classes in the order of their numbers. The slice belongs to the model and must
// not be changed.
func (c *Classifier) Classes() []string { return c.names }

// Scores returns the values of the functions: n×1 for two classes, positive for
// class 1, else n×classes.
func (c *Classifier) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense { return c.PredictAll(dst, x) }

// Predict returns the class with the largest score for every row, the first of
// equals, and −1 for a row whose scores are NaN.
func (c *Classifier) Predict(dst []int, x mat.Matrix) []int {
	return rows.Decide("goal", dst, x, len(c.bias), c.PredictAll)
}

// Predict returns the value of the function for every row; a nil dst is allocated.
func (r *Regressor) Predict(dst []float64, x mat.Matrix) []float64 {
	n, _ := x.Dims()
	if dst == nil {
		dst = make([]float64, n)
	}
	if len(dst) != n {
		panic("goal: the destination has the wrong length")
	}
	if n > 0 {
		r.PredictAll(mat.NewDense(n, 1, dst), x)
	}
	return dst
}

// Encode writes the settings, the names, the points and the coefficients.
func (c *Classifier) Encode(w *modelfile.Writer) error { return modelfile.Put(w, c.form) }

// Encode writes the settings, the points and the coefficients.
func (r *Regressor) Encode(w *modelfile.Writer) error { return modelfile.Put(w, r.form) }

// stored is what Decode reads: a *Classifier or a *Regressor.
type stored interface {
	modelfile.Model
	form(x *modelfile.Exchange)
}

// Decode reads what Encode wrote: a *Classifier or a *Regressor.
func Decode(f *modelfile.File) (modelfile.Model, error) {
	g := &function{}
	if f.Method() == Fourier.String() {
		g.cfg.Features = Fourier
	}
	var m stored = &Regressor{g}
	if f.Has("classes") {
		m = &Classifier{function: g}
	}
	return modelfile.Get(f, m, stored.form)
}

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (c *Classifier) form(x *modelfile.Exchange) {
	c.exchange(x, &c.names)
	n, k := len(c.names), len(c.bias)
	x.Require(n >= 2 && k == multiclass.Functions(n), "classes", "%d classes for %d functions", n, k)
}

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (r *Regressor) form(x *modelfile.Exchange) {
	r.exchange(x, nil)
	x.Require(len(r.bias) == 1, "bias", "%d functions, not 1", len(r.bias))
}

// exchange lists what a file holds of the functions and, for a classifier, of the class names; names is nil for a regressor.
// Writing and reading a file go through these same statements. The method in the header is the name of the features.
func (f *function) exchange(x *modelfile.Exchange, names *[]string) {
	kind := f.cfg.Features
	x.Header(kind.String(), 1, &f.cfg, kernel.Stored(&f.cfg.Kernel), modelfile.Retired("NoLearn"), modelfile.Retired("NoHoldout"))
	c := &f.cfg
	_, gaussian := c.Kernel.(kernel.Gaussian)
	x.Require(c.Features == kind && c.M > 0 && (kind == Fourier || gaussian), "", "features %v, M %d and kernel %T do not belong to method %v", c.Features, c.M, c.Kernel, kind)
	if names != nil {
		x.Strings("classes", names)
	}
	var points *mat.Dense
	if x.Writing() {
		points = f.phi.Points()
	}
	x.Dense("points", &points, -1, c.M)
	x.Dense("weights", &f.w, kind.width(c.M), -1)
	x.Float64("bias", &f.bias, -1)
	if x.Reading() {
		_, k := f.w.Dims()
		x.Require(len(f.bias) == k, "bias", "%d constants for %d functions", len(f.bias), k)
		f.phi = c.basis(points)
	}
}
