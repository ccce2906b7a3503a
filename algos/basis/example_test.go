package basis_test

import (
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// The features of a row are its kernel values with two points. A program of a
// linear function of them predicts one row without allocating anything.
func ExampleExpansion() {
	points := mat.NewDense(2, 1, []float64{0, 1})
	f := basis.Expansion(kernel.Linear{}, points, mat.NewDense(2, 1, []float64{5, 2}), []float64{0.5})
	p := basis.With[float64](f.Basis, f.Coef, f.Bias)
	out := make([]float64, 1)
	p.Row(out, []float64{3})
	fmt.Println(out[0]) // 5·⟨3,0⟩ + 2·⟨3,1⟩ + 0.5
	// Output: 6.5
}

// squares has the features x_j² of rows of d numbers.
type squares struct{ d int }

func (b squares) Dims() (d, features int) { return b.d, b.d }

func (b squares) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	if n, _ := x.Dims(); dst == nil {
		dst = mat.NewDense(n, b.d, nil)
	}
	fill(gram.View(dst), gram.Of(x))
	return dst
}

func fill[F gram.Float](dst gram.Rows[F], x gram.Samples[F]) {
	for i := range dst.N {
		row := dst.Row(i)
		copy(row, x.Row(row, i))
		for j, v := range row {
			row[j] = v * v
		}
	}
}

func (b squares) With64(coef *mat.Dense, bias []float64) gram.Program[float64] {
	return basis.NewProgram(b, coef, bias, fill[float64])
}

func (b squares) With32(coef *mat.Dense, bias []float64) gram.Program[float32] {
	return basis.NewProgram(b, coef, bias, fill[float32])
}

func (b squares) Cost(outputs, size int) gram.Plan {
	return gram.Plan{Flops: float64(b.d * (1 + 2*outputs)), ModelBytes: int64(size * b.d * outputs)}
}

func (b squares) Encode(w *modelfile.Writer) error { return w.Header("squares", 1, b.d) }

// A basis of a program's own is compiled like those of this package.
func ExampleNewProgram() {
	p := basis.With[float64](squares{2}, mat.NewDense(2, 1, []float64{1, 10}), []float64{0.5})
	out := make([]float64, 1)
	p.Row(out, []float64{3, 2})
	fmt.Println(out[0]) // 3² + 10·2² + 0.5
	// Output: 49.5
}
