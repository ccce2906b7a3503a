package landmark

import (
	"errors"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/settings"
)

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (s *KMeans) Settings(set *settings.Fields) {
	set.Int(&s.Starts, "starts", "seedings, of which the best is kept").Default(1).AtLeast(1)
	set.Int(&s.MaxIter, "iterations", "iterations of a start at most").Default(30).AtLeast(1)
	set.Float(&s.Tol, "tol", "relative gain of an iteration that ends a start").Default(1e-3).Above(0)
	set.Int(&s.Sample, "sample", "rows that are clustered when there are more; 0: 20000, or the number of landmarks if that is more").AtLeast(0)
	set.Bool(&s.AllRows, "all-rows", "cluster all rows, however many")
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (s *ColumnNorm) Settings(set *settings.Fields) {
	set.Int(&s.Sample, "sample", "rows that the norms are estimated from").Default(1000).AtLeast(1)
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (s *Leverage) Settings(set *settings.Fields) {
	set.Int(&s.Sketch, "sketch", "rows that the scores are estimated from; 0: twice as many as landmarks").AtLeast(0)
	set.Float(&s.Lambda, "lambda", "ridge of the scores; 0: the mean of the eigenvalues beyond the largest m/2, by the sketch").AtLeast(0)
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (s *RPCholesky) Settings(set *settings.Fields) {
	set.Int(&s.Sample, "sample", "rows from which pivots are drawn when there are more; 0: 20000, or 4 times the number of landmarks if that is more").AtLeast(0)
}

// resolved returns s with its defaults. Errors name fields as those of a configuration that has s
// as its Landmarks.
func resolved[S any, P interface {
	*S
	settings.Described
}](s S) (S, error) {
	s, err := settings.Resolved[S, P](s, gram.Shape{})
	var ce *gram.ConfigError
	if errors.As(err, &ce) {
		err = settings.Refuse("Landmarks."+ce.Field, ce.Value, "%s", ce.Want)
	}
	return s, err
}
