package eig

import (
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

func TestSymAll(t *testing.T) {
	for _, n := range []int{1, 2, 3, 30, 70} {
		a := gen.SPD(n, 100, 1)
		values, q := must.Have2(SymAll(t.Context(), a))(t)
		var qd, back mat.Dense
		qd.Apply(func(_, j int, v float64) float64 { return v * values[j] }, q)
		back.Mul(&qd, q.T())
		if !mat.EqualApprox(&back, a, 1e-13*float64(n)) {
			t.Errorf("n %d: QΛQᵀ differs", n)
		}
	}
	if v, _, err := SymAll(t.Context(), &mat.SymDense{}); err != nil || len(v) != 0 {
		t.Error("order 0")
	}
}

// TestProjectPSD checks the conditions that make a projection: P is PSD, P − A is
// PSD, and their product has trace 0.
func TestProjectPSD(t *testing.T) {
	for _, negative := range []int{0, 3, 20, 30} {
		e := gen.Geometric(30, 1e3)
		for i := range negative {
			e[i] = -e[i]
		}
		a, _ := gen.Spectrum(e, 4)
		p, values := must.Have2(ProjectPSD(t.Context(), a))(t)
		var rest mat.SymDense
		rest.AddSym(p, mat.NewSymDense(30, scale(mat.DenseCopyOf(a).RawMatrix().Data, -1)))
		for name, m := range map[string]*mat.SymDense{"projection": p, "difference": &rest} {
			v, _ := must.Have2(SymAll(t.Context(), m))(t)
			if !(v[0] >= -1e-14) {
				t.Errorf("%d negative: %s has eigenvalue %g", negative, name, v[0])
			}
		}
		var prod mat.Dense
		prod.Mul(p, &rest)
		if !(math.Abs(prod.Trace()) <= 1e-13) {
			t.Errorf("%d negative: trace %g", negative, prod.Trace())
		}
		if want := -1.; negative > 0 && !(math.Abs(values[0]-want) <= 1e-13) {
			t.Errorf("%d negative: smallest eigenvalue %g, want %g", negative, values[0], want)
		}
	}
}

func TestSymErrors(t *testing.T) {
	bad := gen.SPD(4, 10, 1)
	bad.SetSym(1, 2, math.Inf(1))
	var de *gram.DataError
	if _, _, err := SymAll(t.Context(), bad); !errors.As(err, &de) || de.Row != 1 || de.Col != 2 {
		t.Error(err)
	}
	if _, _, err := ProjectPSD(t.Context(), bad); !errors.As(err, &de) {
		t.Error(err)
	}
	most := mat.NewSymDense(2, []float64{1.7e308, 1.7e308, 1.7e308, 1.7e308})
	if _, _, err := SymAll(t.Context(), most); !errors.As(err, &de) || err.Error() != "an eigenvalue is +Inf" {
		t.Errorf("an eigenvalue of 3.4e308: %v", err)
	}
}
