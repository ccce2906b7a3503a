package predict

import (
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/algotest"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// run returns what both programs of a compiled model give for dense and sparse
// rows, and the compiled model.
func run(c Compiled) []any {
	x := halfZero(5, 40, c.Dim())
	wide, sparseWide := outputs(c.Float64(), x)
	narrow, sparseNarrow := outputs(c.Float32(), x)
	return []any{"model", c, "float64", wide, "float64.sparse", sparseWide, "float32", narrow, "float32.sparse", sparseNarrow}
}

func outputs[F gram.Float](p Program[F], x *mat.Dense) (dense, csr []F) {
	n, _ := x.Dims()
	_, k := p.Dims()
	a, b := gram.MakeRows[F](n, k), gram.MakeRows[F](n, k)
	p.Rows(a, gram.Dense(rowsOf[F](x)))
	p.Rows(b, gram.Sparse[F](sparse.FromDense(x)))
	return a.Data, b.Data
}

func TestFingerprints(t *testing.T) {
	for _, p := range []Precision{Float64, Float32} {
		algotest.AtGeneric(t, func() {
			for name, c := range every(t, p) {
				t.Run(p.String()+"/"+name, func(t *testing.T) { algotest.Fingerprint(t, run(c)...) })
			}
		})
	}
}

func TestApproximationFingerprints(t *testing.T) {
	for _, k := range []kernel.Kernel{kernel.Gaussian{Gamma: 0.05}, kernel.Laplacian{Gamma: 0.05}, kernel.Polynomial{Degree: 2, Offset: 1}} {
		m := smooth(k)
		methods, err := Methods(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range methods {
			t.Run(k.Spec().Name+"/"+method.String(), func(t *testing.T) {
				algotest.AtGeneric(t, func() {
					c := compile(t, m, Options{Method: method, M: 16, Points: random(13, 200, 6), Run: gram.Run{Seed: 3}})
					algotest.Fingerprint(t, append(run(c), "error", []float64{c.Stats().Error, c.Stats().Penalty})...)
				})
			})
		}
	}
}
