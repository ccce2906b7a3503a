package linear

import (
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/level2"
	"github.com/gramworks/gram/internal/program"
	"gonum.org/v1/gonum/mat"
)

var (
	_ gram.Compiler = (*Classifier)(nil)
	_ gram.Compiler = (*Regressor)(nil)
)

// evaluated is a feature map with programs of linear functions of its features, φ(x)·coef
// + bias with coef features×k.
type evaluated interface {
	With64(coef *mat.Dense, bias []float64) gram.Program[float64]
	With32(coef *mat.Dense, bias []float64) gram.Program[float32]
}

// Program64 returns the program of the scores. There is one if the model has no feature
// map, or one that has methods With64 and With32.
func (m *Classifier) Program64() (gram.Program[float64], error) { return m.use.program64(m.bias) }

// Program32 returns the program of the scores in float32, see Program64.
func (m *Classifier) Program32() (gram.Program[float32], error) { return m.use.program32(m.bias) }

// Program64 returns the program of the functions. There is one if the model has no
// feature map, or one that has methods With64 and With32.
func (m *Regressor) Program64() (gram.Program[float64], error) { return m.use.program64(m.bias) }

// Program32 returns the program of the functions in float32, see Program64.
func (m *Regressor) Program32() (gram.Program[float32], error) { return m.use.program32(m.bias) }

func (f functions) program64(bias []float64) (gram.Program[float64], error) {
	if e, ok := f.m.(evaluated); ok {
		return e.With64(f.w, bias), nil
	}
	return newSums[float64](f, bias)
}

func (f functions) program32(bias []float64) (gram.Program[float32], error) {
	if e, ok := f.m.(evaluated); ok {
		return e.With32(f.w, bias), nil
	}
	return newSums[float32](f, bias)
}

// sums is the program of linear functions of the rows themselves.
type sums[F gram.Float] struct {
	w    gram.Rows[F] // k×d
	bias []F
}

func newSums[F gram.Float](f functions, bias []float64) (gram.Program[F], error) {
	if f.m != nil {
		return nil, fmt.Errorf("linear: there is no program for models on features of type %T", f.m)
	}
	return &sums[F]{w: program.Rows[F](f.w.T()), bias: program.Convert[F](bias)}, nil
}

// Dims returns the number of columns and of functions.
func (p *sums[F]) Dims() (d, outputs int) { return p.w.D, p.w.N }

// Cost is that of one row.
func (p *sums[F]) Cost() gram.Plan {
	return gram.Plan{
		Flops:       2*float64(p.w.D*p.w.N) + float64(p.w.N),
		ModelBytes:  program.Size[F](len(p.w.Data) + len(p.bias)),
		Description: fmt.Sprintf("%d linear functions of %d columns", p.w.N, p.w.D),
	}
}

// Row sets dst to the values for x.
func (p *sums[F]) Row(dst, x []F) { program.Row(p, dst, x) }

// Rows sets dst to the values for the rows of x.
func (p *sums[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	program.Check("linear", p, dst, x)
	for i := range dst.N {
		to := dst.Row(i)
		if !x.IsSparse() {
			copy(to, p.bias)
			level2.GemvN(to, p.w.Data, p.w.Stride, x.Row(nil, i), 1)
			continue
		}
		col, val := x.Nonzeros(i)
		for c := range to {
			w, sum := p.w.Row(c), p.bias[c]
			for q, j := range col {
				if val == nil {
					sum += w[j]
				} else {
					sum += F(val[q]) * w[j]
				}
			}
			to[c] = sum
		}
	}
}
