// Package check validates the arguments of fits. Mistakes in the data give
// errors that name the value.
package check

import (
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Dims returns the numbers of rows and columns of a matrix that a fit is given. It panics if x is
// nil, which is a mistake of the program and not of its data.
func Dims(x mat.Matrix) (n, d int) {
	s := gram.ShapeOf(x, 0)
	return s.N, s.D
}

// Rows returns a *gram.ConfigError if there are no rows.
func Rows(n int) error {
	if n < 1 {
		return settings.Refuse("rows", n, "at least one")
	}
	return nil
}

// Index returns a *gram.ConfigError for a field unless it holds ascending, different rows
// of n.
func Index(field string, index []int, n int) error {
	last := -1
	for _, i := range index {
		if i <= last || i >= n {
			return settings.Refuse(field, i, "ascending rows below %d", n)
		}
		last = i
	}
	return nil
}

// Target returns a *gram.DataError for a target that is not in the range of gram.Samples, or
// for the first row without a target or target without a row.
func Target(y []float64, n int) error {
	if len(y) != n {
		return &gram.DataError{Row: min(len(y), n), Col: -1, Value: math.NaN(), Reason: "there are not as many targets as rows"}
	}
	return inRange(column(y), -1, "targets")
}

// Targets checks several targets, the columns of y, as Target checks one.
func Targets(y *mat.Dense, n int) error {
	have, _ := y.Dims()
	if have != n {
		return Target(make([]float64, have), n)
	}
	return inRange(gram.Of(y), -1, "targets")
}

// Block checks the targets of some of the rows of a fit as Target does, but lets all of them be
// small, as those of the other rows may be larger.
func Block(y []float64, n int) error {
	err := Target(y, n)
	if e, is := err.(*gram.DataError); is && math.Abs(e.Value) < 1 {
		return nil
	}
	return err
}

// inRange returns the error of InRange for numbers of a kind that have the column col in errors.
func inRange(x gram.Samples[float64], col int, kind string) error {
	err := x.InRange()
	if e, is := err.(*gram.DataError); is {
		if e.Col = col; e.Reason != "" {
			e.Reason += "; divide all " + kind + " by one number"
		}
	}
	return err
}

// column returns numbers as the rows of a matrix of one column.
func column(v []float64) gram.Samples[float64] {
	return gram.Dense(gram.Rows[float64]{Data: v, N: len(v), D: 1, Stride: 1})
}

// Weights accepts nil, or one weight ≥ 0 per row, in the range of gram.Samples, of which at
// least one must be positive.
func Weights(w []float64, n int) error {
	if w == nil {
		return nil
	}
	if len(w) != n {
		return &gram.DataError{Row: min(len(w), n), Col: -2, Value: math.NaN(), Reason: "there are not as many weights as rows"}
	}
	some := n == 0
	for i, v := range w {
		if !(v >= 0) || math.IsInf(v, 0) {
			return &gram.DataError{Row: i, Col: -2, Value: v, Reason: "weights must be finite and not negative"}
		}
		some = some || v > 0
	}
	if !some {
		return &gram.DataError{Row: 0, Col: -2, Value: 0, Reason: "all weights are zero"}
	}
	return inRange(column(w), -2, "weights")
}

// Classes checks that there is one class per row, that classes are indices of
// names, and that at least two classes occur.
func Classes(y gram.Labels, n int) error {
	distinct, err := classes(y, n)
	if err == nil && distinct < 2 {
		err = &gram.DataError{Row: 0, Col: -1, Reason: "all rows are of one class; a classifier needs two"}
	}
	return err
}

// classes checks that there is one class per row and that classes are indices of names, and returns
// how many of them occur.
func classes(y gram.Labels, n int) (distinct int, err error) {
	if len(y.Class) != n {
		return 0, &gram.DataError{Row: min(len(y.Class), n), Col: -1, Value: math.NaN(), Reason: "there are not as many labels as rows"}
	}
	seen := make([]bool, len(y.Names))
	for i, c := range y.Class {
		if c < 0 || c >= len(y.Names) {
			return 0, &gram.DataError{Row: i, Col: -1, Value: float64(c), Reason: "the class is not among the names"}
		}
		if !seen[c] {
			seen[c] = true
			distinct++
		}
	}
	return distinct, nil
}

// Known checks that there is one class per row, −1 meaning that it is not known, and that the
// other classes are indices of names.
func Known(y gram.Labels, n int) error {
	if len(y.Class) != n {
		return &gram.DataError{Row: min(n, len(y.Class)), Col: -1, Value: math.NaN(), Reason: "there must be one class, or −1, per row"}
	}
	for i, k := range y.Class {
		if k < -1 || k >= len(y.Names) {
			return &gram.DataError{Row: i, Col: -1, Value: float64(k), Reason: "is not the number of a class"}
		}
	}
	return nil
}

// Labeled checks classes and weights for a fit whose objective has a minimizer also where all rows
// are of one class, as long as there are names of two.
func Labeled(y gram.Labels, w []float64, n int) error {
	distinct, err := classes(y, n)
	switch {
	case err != nil:
		return err
	case distinct == 0 || len(y.Names) < 2:
		return &gram.DataError{Row: 0, Col: -1, Reason: "all rows are of one class; a classifier needs two"}
	}
	return Weights(w, n)
}

// Tags checks that there is one set of labels per row, which may be empty, and that the
// labels exist and ascend. The error is a *gram.DataError for the first label that does not
// exist, and else that of sparse.CSR.Validate.
func Tags(y *sparse.CSR, n int) error {
	switch {
	case y == nil:
		return settings.Refuse("label sets", nil, "one for each row")
	case y.D < 1:
		return settings.Refuse("labels", y.D, "at least one")
	}
	if y.N != n {
		return &gram.DataError{Row: min(y.N, n), Col: -1, Value: math.NaN(), Reason: "there are not as many sets of labels as rows"}
	}
	err := y.Validate()
	if err == nil {
		return nil
	}
	for i := range min(n, len(y.Ptr)-1) {
		lo, hi := y.Ptr[i], y.Ptr[i+1]
		if lo < 0 || hi < lo || hi > len(y.Col) {
			break
		}
		for _, l := range y.Col[lo:hi] {
			if l < 0 || int(l) >= y.D {
				return &gram.DataError{Row: i, Col: -1, Value: float64(l), Reason: "no such label"}
			}
		}
	}
	return err
}

// Bytes is v bytes of a plan as a whole number, at most 1 EiB: every limit of memory refuses what is
// beyond, and sums of such numbers, on every architecture.
func Bytes(v float64) int64 {
	const most = 1 << 60
	if v < most {
		return int64(v)
	}
	return most
}
