package basis

import (
	"testing"

	"github.com/gramworks/gram"
)

// No functions of pseudo-landmarks have no values.
func TestNoFunctions(t *testing.T) {
	x := normal(1, 50, 3)
	for _, kind := range []PseudoKind{Products, Mid} {
		c := columns(rbf, kind, x, 5, 7)
		c.block.times(gram.MakeRows[float64](12, 0)).Rows(gram.MakeRows[float64](50, 0), gram.Of(x))
	}
}
