package kernel

import (
	"errors"
	"testing"

	"github.com/gramworks/gram"
	"gonum.org/v1/gonum/mat"
)

// A kernel matrix may differ from its mirror image by rounding, relative to its largest element.
func TestFromMatrixIsSymmetric(t *testing.T) {
	for _, c := range []struct {
		by    float64
		wrong bool
	}{{0, false}, {.9e-4, false}, {-.9e-4, false}, {1.1e-4, true}, {-1.1e-4, true}} {
		k := mat.NewDense(3, 3, []float64{1, 2, 3, 2, -100, 4, 3 + c.by, 4, 5})
		_, err := FromMatrix(k)
		var at *gram.DataError
		if c.wrong && (!errors.As(err, &at) || at.Row != 2 || at.Col != 0) || !c.wrong && err != nil {
			t.Errorf("an asymmetry of %g beside −100: %v", c.by, err)
		}
	}
}
