package gram

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gramworks/gram/num"
)

// ConfigError says which field of a Config has a value that cannot be used.
type ConfigError struct {
	Field string
	Value any
	Want  string
}

// Error names the field, its value and the values that can be used.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("%s is %v, want %s", e.Field, e.Value, e.Want)
}

// DataError says which value of the data cannot be used. Row and Col count
// from 0; a Col of −1 stands for the target of the row, −2 for its weight, −3
// for the whole row, and −4 for element Row of a vector; a Row of −1 for a single number.
// Reason says what is wrong; it is empty if the value itself tells, as NaN does. Argument
// names the argument of the function that holds the value, if that is not the data.
type DataError struct {
	Row, Col int
	Value    float64
	Reason   string
	Argument string
}

// Error names the row and the column, counted from 1, and what is wrong there.
func (e *DataError) Error() string {
	var where string
	switch {
	case e.Row == -1:
		where = cmp.Or(e.Argument, "a number")
	case e.Col == -1:
		where = fmt.Sprintf("target of row %d", e.Row+1)
	case e.Col == -2:
		where = fmt.Sprintf("weight of row %d", e.Row+1)
	case e.Col == -3:
		where = fmt.Sprintf("row %d", e.Row+1)
	case e.Col == -4:
		where = fmt.Sprintf("element %d", e.Row+1)
	default:
		where = fmt.Sprintf("row %d, column %d", e.Row+1, e.Col+1)
	}
	if e.Argument != "" && e.Row != -1 {
		where += " of " + e.Argument
	}
	if e.Reason != "" {
		return fmt.Sprintf("%s: %s", where, e.Reason)
	}
	return fmt.Sprintf("%s is %v", where, e.Value)
}

// MemoryError says that a computation would need more memory than it may use.
type MemoryError struct{ Need, Limit int64 }

// Error says how much memory is needed and what the limit is.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("needs %s (%d bytes), the limit is %s (%d bytes)",
		num.FormatBytes(e.Need), e.Need, num.FormatBytes(e.Limit), e.Limit)
}

// NotPDError says that a matrix is not positive definite, or would no longer
// be after a change. Pivot is the failing pivot, counted from 0. Margin is
// the failing pivot relative to the size of the numbers that it was computed
// from: the more negative, the farther the matrix is from definite. It is 0
// or NaN if it was not measured.
type NotPDError struct {
	Pivot  int
	Margin float64
}

// Error names the pivot, counted from 0, and the margin.
func (e *NotPDError) Error() string {
	return fmt.Sprintf("not positive definite at pivot %d (margin %.3g)", e.Pivot, e.Margin)
}

// ConvergenceError says that an iteration stopped before it reached its
// tolerance. The best result so far is returned with it.
type ConvergenceError struct {
	Iter          int
	Residual, Tol float64
}

// Error says how many iterations there were, the residual and the tolerance.
func (e *ConvergenceError) Error() string {
	return fmt.Sprintf("not converged after %d iterations: residual %.3g, tolerance %.3g", e.Iter, e.Residual, e.Tol)
}

// ParseError says where a file of text or of numbers cannot be read and why. Line and Col count
// from 1, Col in bytes; 0 means that there is none: the whole line, or the whole file, for which
// Reason names the place.
type ParseError struct {
	File      string
	Line, Col int
	Reason    string
}

// Error returns the place, as FILE:LINE:COLUMN as far as it is known, and the reason.
func (e *ParseError) Error() string {
	var b strings.Builder
	file := e.File
	if file == "" {
		file = "input"
	}
	b.WriteString(file)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
		if e.Col > 0 {
			fmt.Fprintf(&b, ":%d", e.Col)
		}
	}
	b.WriteString(": ")
	b.WriteString(e.Reason)
	return b.String()
}
