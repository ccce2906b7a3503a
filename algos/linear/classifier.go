package linear

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Classifier is a linear classifier on features. It has one linear function for each
// class, or a single one for two classes. It keeps the feature map it was trained
// with. It is safe for concurrent use.
type Classifier struct {
	m        gram.FeatureMap
	names    []string
	w        *mat.Dense // p×k
	bias     []float64
	use      functions
	svm      *SVM
	logistic *Logistic
	rest     bool // the functions of more than two classes were fitted each against the rest
	stats    Stats
}

var _ gram.Classifier = (*Classifier)(nil)

// Stats describes a finished fit. Slices have one entry for each linear function.
type Stats struct {
	Features       int
	Stored         bool      // whether the features were kept in memory
	Iterations     []int     // SVM: passes over the rows; Logistic: Newton steps, one number for all classes
	Primal         []float64 // values of the objective
	Dual           []float64 // SVM: values of the dual objective, lower bounds on any primal value
	Gap            []float64 // SVM: (Primal−Dual)/Primal
	Support        []int     // SVM: rows with a positive dual variable
	Gradient       float64   // Logistic: norm of the gradient divided by its norm at 0
	Trace          []float64 // largest Gap, or Gradient, each time it was computed
	FeatureSeconds float64   // time to map all rows once; 0 if they are not stored
	SolveSeconds   float64
}

// Classes returns the names of the classes in the order of their numbers. The slice belongs to the model and must
// not be changed.
func (m *Classifier) Classes() []string { return m.names }

// Scores returns the values of the linear functions: n×1 for two classes, positive for
// class 1, else n×classes.
func (m *Classifier) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	p, k := m.w.Dims()
	dst = rows.Destination("linear", dst, x, inputs(m.m, p), k)
	scores(dst, m.use, x, m.bias)
	return dst
}

// Predict returns the class with the largest score for every row. Of equal classes the
// first wins. The result is −1 for a row whose scores are NaN.
func (m *Classifier) Predict(dst []int, x mat.Matrix) []int {
	return rows.Decide("linear", dst, x, len(m.bias), m.Scores)
}

func inputs(m gram.FeatureMap, p int) int {
	if m == nil {
		return p
	}
	d, _ := m.Dims()
	return d
}

// Calibration returns the probabilities of the classes of logistic regression, which follow
// from the scores, and nil for a support vector machine.
func (m *Classifier) Calibration() *calibration.Map {
	if m.logistic == nil || m.rest && len(m.names) > 2 {
		return nil
	}
	return calibration.Softmax(len(m.names))
}

// Weights returns the p×k matrix of coefficients and the k constants. They are
// the model's own and must not be changed.
func (m *Classifier) Weights() (w *mat.Dense, bias []float64) { return m.w, m.bias }

// On returns the same classifier on the features of another map, raw. The features it
// was trained on must be φ(x) = raw(x)·a for a p×features matrix a. The coefficients of
// the result are a·w, so that predictions no longer need a.
func (m *Classifier) On(raw gram.FeatureMap, a *mat.Dense) *Classifier {
	c := *m
	c.m, c.w = raw, folded(raw, a, m.w)
	c.use = through(c.m, c.w)
	return &c
}

// folded returns a·w. It panics unless a leads from the features of raw to those of w.
func folded(raw gram.FeatureMap, a, w *mat.Dense) *mat.Dense {
	p, r := a.Dims()
	rw, k := w.Dims()
	if _, q := raw.Dims(); p != q || r != rw {
		panic("linear: the matrix does not lead from one set of features to the other")
	}
	v := mat.NewDense(p, k, nil)
	v.Mul(a, w)
	return v
}

// Map returns the feature map the model was trained with, nil if it has none.
func (m *Classifier) Map() gram.FeatureMap { return m.m }

// Config returns the settings with all defaults filled in. Their type is SVM or Logistic.
func (m *Classifier) Config() any {
	if m.svm != nil {
		return *m.svm
	}
	return *m.logistic
}

// Stats returns statistics of the fit. A model that was read from a file has none.
func (m *Classifier) Stats() Stats { return m.stats }

// Encode writes the settings and the linear functions. It does not write the feature
// map, which the caller must store separately.
func (m *Classifier) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// DecodeClassifier reads what Classifier.Encode wrote. m is the feature map the model
// was trained with, nil if it had none.
func DecodeClassifier(f *modelfile.File, m gram.FeatureMap) (*Classifier, error) {
	return modelfile.Get(f, &Classifier{m: m}, (*Classifier).form)
}

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Classifier) form(x *modelfile.Exchange) {
	either := struct {
		SVM      *SVM      `json:",omitempty"`
		Logistic *Logistic `json:",omitempty"`
	}{m.svm, m.logistic}
	version := 2 // of softmax; in version 1 more than two classes have each a function against the rest
	if x.Writing() && !(m.logistic != nil && !m.rest && len(m.names) > 2) {
		version = 1
	}
	x.Header("linear.classifier", version, &either)
	m.svm, m.logistic = either.SVM, either.Logistic
	m.rest = m.svm != nil || x.Version() == 1
	x.Require((m.svm == nil) != (m.logistic == nil), "", "the settings are not of one method")
	x.Strings("classes", &m.names)
	x.Require(len(m.names) > 1, "classes", "%d classes", len(m.names))
	x.Require(x.Version() == 1 || m.logistic != nil && len(m.names) > 2, "classes", "version 2 without softmax")
	exchange(x, m.m, &m.w, &m.bias, multiclass.Functions(len(m.names)))
	if x.Reading() {
		m.use = through(m.m, m.w)
	}
}

// exchange describes k linear functions in a file and checks that they fit the map.
func exchange(x *modelfile.Exchange, m gram.FeatureMap, w **mat.Dense, bias *[]float64, k int) {
	p := -1
	if m != nil {
		_, p = m.Dims()
	}
	x.Dense("weights", w, p, k)
	x.Float64("bias", bias, k)
}
