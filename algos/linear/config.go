package linear

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Kind selects the method that fits a linear model.
type Kind uint8

const (
	// Any selects a support vector machine for classes and ridge regression for values. For the
	// command's method linear, on the data themselves, it selects logistic regression for classes.
	Any Kind = iota
	// SupportVectors selects SVM.
	SupportVectors
	// LogisticRegression selects Logistic.
	LogisticRegression
	// RidgeRegression selects Ridge.
	RidgeRegression
)

// String returns the name as the command line takes it.
func (k Kind) String() string {
	return enum.Name(k, "auto", "svm", "logistic", "ridge")
}

// Config holds the settings of a linear model whose kind is itself a setting. Run
// applies to every kind. Settings that the selected kind does not have must be at their
// defaults.
type Config struct {
	Kind     Kind
	SVM      SVM
	Logistic Logistic
	Ridge    Ridge
	gram.Run `json:"-"`
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	settings.Choice(s, &c.Kind, "model", "linear model; auto: svm for classes, ridge for values",
		Any, SupportVectors, LogisticRegression, RidgeRegression)
	s.Alternatives(c.kinds()...)
}

func (c *Config) kinds() []settings.Alternative {
	return []settings.Alternative{
		{Name: SupportVectors.String(), Described: &c.SVM},
		{Name: LogisticRegression.String(), Described: &c.Logistic},
		{Name: RidgeRegression.String(), Described: &c.Ridge},
	}
}

// kind returns the kind of model for classes or for values. It returns an error if the
// selected kind does not learn these, or if a setting belongs to another kind alone.
func (c Config) kind(classes bool) (Kind, error) {
	c, err := settings.Resolved(c, gram.Shape{})
	switch {
	case err != nil:
		return 0, err
	case c.Kind == Any && classes:
		c.Kind = SupportVectors
	case c.Kind == Any:
		c.Kind = RidgeRegression
	case c.Kind == RidgeRegression && classes:
		return 0, settings.Refuse("Kind", c.Kind, "svm or logistic: the data have classes (--task regression reads numbers as values)")
	case c.Kind != RidgeRegression && !classes:
		return 0, settings.Refuse("Kind", c.Kind, "ridge: the data have values, not classes (--task classes reads them as classes)")
	}
	return c.Kind, settings.Unused(c.Kind.String(), c.kinds()...)
}

// Plan returns the expected cost of a fit on features of m; nil means the data. More
// than one output means classes.
func (c Config) Plan(m gram.FeatureMap, s gram.Shape) (gram.Plan, error) {
	kind, err := c.kind(s.Outputs > 1)
	c.SVM.Run, c.Logistic.Run, c.Ridge.Run = c.Run, c.Run, c.Run
	switch {
	case err != nil:
		return gram.Plan{}, err
	case kind == SupportVectors:
		return c.SVM.Plan(m, s)
	case kind == LogisticRegression:
		return c.Logistic.Plan(m, s)
	}
	return c.Ridge.Plan(m, s)
}

// Values returns the settings of the kind that learns values, or an error if the selected
// kind does not.
func (c Config) Values() (Ridge, error) {
	_, err := c.kind(false)
	c.Ridge.Run = c.Run
	return c.Ridge, err
}

// Fit learns classes with the selected kind; SVM.Fit and Logistic.Fit explain the arguments and errors.
func (c Config) Fit(ctx context.Context, m gram.FeatureMap, x mat.Matrix, y gram.Labels, w []float64) (*Classifier, error) {
	kind, err := c.kind(true)
	c.SVM.Run, c.Logistic.Run = c.Run, c.Run
	switch {
	case err != nil:
		return nil, err
	case kind == SupportVectors:
		return c.SVM.Fit(ctx, m, x, y, w)
	}
	return c.Logistic.Fit(ctx, m, x, y, w)
}

// FitValues learns values by ridge regression; Ridge.Fit explains the arguments and errors. It returns an error if the selected
// kind does not learn values.
func (c Config) FitValues(ctx context.Context, m gram.FeatureMap, x mat.Matrix, y, w []float64) (*Regressor, error) {
	r, err := c.Values()
	if err != nil {
		return nil, err
	}
	return r.Fit(ctx, m, x, y, w)
}
