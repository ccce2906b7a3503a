package dual

import (
	"slices"
	"testing"

	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

// Where nearly all eigenvalues are wanted Lanczos' method leaves them to the dense
// one.
func TestLanczosOfAll(t *testing.T) {
	const r = 12
	p := &Problem{F: Quadratic{}, T: mat.NewDense(r, r, nil)}
	y := make([]float64, r)
	for i := range r {
		p.T.Set(i, i, 1)
		p.Rows = append(p.Rows, Row{At: i, First: i, Weight: []float64{1}})
		y[i] = float64(1 + i)
	}
	want, _ := must.Have2(Dense(t.Context(), p, y))(t)
	for last := range r {
		l := &Lanczos{last: last}
		got, u := must.Have2(l.Spectrum(t.Context(), p, y))(t)
		if _, k := u.Dims(); k != r || !slices.Equal(got, want) {
			t.Errorf("after %d pairs: eigenvalues %v, want %v", last, got, want)
		}
	}
}
