package solve

import (
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"gonum.org/v1/gonum/mat"
)

func TestFingerprints(t *testing.T) {
	algotest.AtGeneric(t, func() {
		values := decades(40, 1e-6)
		a, b := symmetric(3, values), random(4, 40, 3)
		x, k, phi, _ := problem(60)
		dst := mat.NewDense(40, 3, nil)
		st := must.Have(CG(t.Context(), dst, &dense{a: a}, 1e-3, b, Options{}))(t)
		root, kept := must.Have2(InvSqrt(t.Context(), upper(a), 30, 1e-4))(t)
		certificate := must.Have(Certificate(t.Context(), k, phi, x, 25, gram.Run{Seed: 3}))(t)
		low := must.Have(Approximate(t.Context(), phi, x))(t)
		relative := must.Have(RelativeError(t.Context(), k, x, low, ErrorOptions{MaxRows: 20, Run: gram.Run{Seed: 4}}))(t)
		algotest.Fingerprint(t, "cg", dst, "trace", st.Trace, "root", root, "kept", kept,
			"certificate", []float64{certificate.Value, certificate.StdError}, "relative", []float64{relative.Value, relative.StdError})
	})
}
