package predict_test

import (
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/predict/approx"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// run returns what both programs of a compiled model give for dense and sparse
// rows, and the compiled model.
func run(c predict.Compiled) []any {
	x := halfZero(5, 40, c.Dim())
	wide, sparseWide := outputs(c.Float64(), x)
	narrow, sparseNarrow := outputs(c.Float32(), x)
	return []any{"model", c, "float64", wide, "float64.sparse", sparseWide, "float32", narrow, "float32.sparse", sparseNarrow}
}

func outputs[F gram.Float](p gram.Program[F], x *mat.Dense) (dense, csr []F) {
	n, _ := x.Dims()
	_, k := p.Dims()
	a, b := gram.MakeRows[F](n, k), gram.MakeRows[F](n, k)
	p.Rows(a, gram.Dense(rowsOf[F](x)))
	p.Rows(b, gram.Sparse[F](sparse.FromDense(x)))
	return a.Data, b.Data
}

func TestFingerprints(t *testing.T) {
	for _, p := range []predict.Precision{predict.Float64, predict.Float32} {
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
		methods := must.Have(predict.Methods(m, approx.Candidates()))(t)
		for _, method := range methods {
			t.Run(k.Spec().Name+"/"+string(method), func(t *testing.T) {
				algotest.AtGeneric(t, func() {
					c := compile(t, m, predict.Options{Method: method, M: 16, Points: random(13, 200, 6), Run: gram.Run{Seed: 3}})
					algotest.Fingerprint(t, append(run(c), "error", []float64{c.Stats().Error, c.Stats().Penalty})...)
				})
			})
		}
	}
}

// The models of every form and precision from corrupted files.
func TestCorrupted(t *testing.T) {
	wrap := func(c predict.Compiled) *algotest.Model {
		return &algotest.Model{Output: func(x mat.Matrix) *mat.Dense {
			if k, ok := c.(classifier); ok {
				return k.Scores(nil, x)
			}
			return c.(regressor).PredictAll(nil, x)
		}}
	}
	read := func(f *modelfile.File) (*algotest.Model, error) {
		c, err := decode(f)
		if c == nil || err != nil {
			return nil, err
		}
		return wrap(c), nil
	}
	check := func(name string, c predict.Compiled) {
		t.Run(name, func(t *testing.T) { algotest.Corrupted(t, c, read, random(6, 20, c.Dim())) })
	}
	algotest.AtGeneric(t, func() {
		for _, p := range []predict.Precision{predict.Float64, predict.Float32} {
			all := every(t, p)
			for _, name := range []string{"gaussian", "plain", "rff", "fastnys", "products"} {
				check(p.String()+"/"+name, all[name])
			}
		}
		check("two classes", compile(t, smooth(kernel.Polynomial{Degree: 2, Offset: 1}), predict.Options{}))
		x, labels := labeled(60)
		m := must.Have(svm.Config{Kernel: kernel.Gaussian{Gamma: 0.5}}.Fit(t.Context(), x, labels, nil))(t)
		check("three classes", compile(t, m, predict.Options{}))
	})
}
