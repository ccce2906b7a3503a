package goal

import (
	"math"

	"github.com/gramworks/gram/internal/enum"
)

// Loss is the loss of a classifier as a function of the margin t = y·f, y = ±1.
type Loss uint8

const (
	// SquaredHinge is max(0, 1−t)².
	SquaredHinge Loss = iota
	// Logistic is log(1+exp(−t)).
	Logistic
	// Squared is (y−f)² = (1−t)²; the loss for values.
	Squared
)

// String returns the name as the command line takes it.
func (l Loss) String() string {
	return enum.Name(l, lossNames...)
}

var lossNames = []string{"squared-hinge", "logistic", "squared"}

// value is the loss of score f for the target y.
func (l Loss) value(f, y float64) float64 {
	switch l {
	case SquaredHinge:
		h := max(0, 1-y*f)
		return h * h
	case Logistic:
		t := y * f
		if t < 0 {
			return math.Log1p(math.Exp(t)) - t
		}
		return math.Log1p(math.Exp(-t))
	}
	return (f - y) * (f - y)
}

// slopes are the first and second derivatives by f. The second one of the squared
// hinge is that from the side where the loss is not zero.
func (l Loss) slopes(f, y float64) (first, second float64) {
	switch l {
	case SquaredHinge:
		h := 1 - y*f
		if h <= 0 {
			return 0, 0
		}
		return -2 * y * h, 2
	case Logistic:
		s := 1 / (1 + math.Exp(y*f))
		return -y * s, s * (1 - s)
	}
	return 2 * (f - y), 2
}
