package basis

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/level2"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Identity is the basis of a linear model on the data: its features are x itself, for
// rows with that many columns.
type Identity int

var _ Basis = Identity(0)

// Dims returns the number of columns, which is also the number of features.
func (b Identity) Dims() (d, features int) { return int(b), int(b) }

// Map sets dst to the rows of x, which are their own features, and returns it; a nil dst is allocated.
func (b Identity) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	dst = rows.Destination("basis", dst, x, int(b), int(b))
	s := gram.Of(x)
	for i := range s.N() {
		s.CopyRow(dst.RawRowView(i), i)
	}
	return dst
}

// With64 returns the program of x·coef + bias in float64.
func (b Identity) With64(coef *mat.Dense, bias []float64) gram.Program[float64] {
	return newLinear[float64](b, coef, bias)
}

// With32 returns a program in float32 that computes linear functions of the features, with coefficients coef and
// constants bias.
func (b Identity) With32(coef *mat.Dense, bias []float64) gram.Program[float32] {
	return newLinear[float32](b, coef, bias)
}

func newLinear[F gram.Float](b Identity, coef *mat.Dense, bias []float64) gram.Program[F] {
	return programOf(b, &linear[F]{program.Rows[F](coef.T()), program.Convert[F](bias)}, len(bias))
}

// Cost returns the cost for one row of a program of k linear functions in numbers of size bytes: 2dk flops and d·k numbers.
func (b Identity) Cost(k, size int) gram.Plan {
	d := int(b)
	return gram.Plan{Flops: LinearFlops(d, k), ModelBytes: int64(size) * int64(d) * int64(k), Description: describe(d, k, "linear")}
}

// linear holds one linear function in each row.
type linear[F gram.Float] struct {
	w    gram.Rows[F] // k×d
	bias []F
}

func (e *linear[F]) rows(dst gram.Rows[F], x gram.Samples[F]) {
	a := x.CSR()
	dense, _ := x.Dense()
	for i := range dst.N {
		row := dst.Row(i)
		if a == nil {
			clear(row)
			level2.GemvN(row, e.w.Data, e.w.Stride, dense.Row(i), 1)
			for c, b := range e.bias {
				row[c] += b
			}
			continue
		}
		col, val := a.Row(i)
		for c := range row {
			w := e.w.Row(c)
			var sum F
			for k, j := range col {
				if val == nil {
					sum += w[j]
				} else {
					sum += F(val[k]) * w[j]
				}
			}
			row[c] = sum + e.bias[c]
		}
	}
}

func (e *linear[F]) bytes() int64 { return program.Size[F](len(e.w.Data) + len(e.bias)) }

const identityMethod = "basis.identity"

// Encode writes the number of columns.
func (b Identity) Encode(w *modelfile.Writer) error {
	return w.Header(identityMethod, 1, int(b))
}
