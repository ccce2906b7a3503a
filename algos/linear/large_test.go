package linear

import (
	"context"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Numbers whose products overflow are refused for what they are.
func TestRidgeLarge(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{1e200, 1, 3e200, 2, -1e200, 5, 2e200, 3})
	_, err := Ridge{}.Fit(context.Background(), nil, x, []float64{1, 2, 3, 4}, nil)
	if err == nil || !strings.Contains(err.Error(), "1e+200 is too large: squares of numbers above 1e+75 overflow; scale the columns") {
		t.Errorf("error %v", err)
	}
}
