package gram_test

import (
	"math"
	"testing"

	"github.com/gramworks/gram"
)

// Rows and columns count from 0 in the types and from 1 in the texts.
func TestErrors(t *testing.T) {
	for want, err := range map[string]error{
		"m is 0, want at least 1":    &gram.ConfigError{Field: "m", Value: 0, Want: "at least 1"},
		"row 3, column 5 is NaN":     &gram.DataError{Row: 2, Col: 4, Value: math.NaN()},
		"row 1, column 1 is +Inf":    &gram.DataError{Value: math.Inf(1)},
		"target of row 3 is NaN":     &gram.DataError{Row: 2, Col: -1, Value: math.NaN()},
		"weight of row 3: too small": &gram.DataError{Row: 2, Col: -2, Value: -1, Reason: "too small"},
		"row 3: empty":               &gram.DataError{Row: 2, Col: -3, Reason: "empty"},
		"input: empty":               &gram.ParseError{Reason: "empty"},
		"f:3: empty":                 &gram.ParseError{File: "f", Line: 3, Reason: "empty"},
		"f:3:7: empty":               &gram.ParseError{File: "f", Line: 3, Col: 7, Reason: "empty"},
		"needs 2.0 KiB (2048 bytes), the limit is 1.0 KiB (1024 bytes)":    &gram.MemoryError{Need: 2048, Limit: 1024},
		"not positive definite at pivot 3 (margin -0.125)":                 &gram.NotPDError{Pivot: 3, Margin: -.125},
		"not converged after 7 iterations: residual 0.01, tolerance 1e-06": &gram.ConvergenceError{Iter: 7, Residual: .01, Tol: 1e-6},
	} {
		if got := err.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
