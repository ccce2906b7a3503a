package multilabel

import (
	"fmt"
	"math"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/imc"
	"github.com/gramworks/gram/asm/vec"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

var (
	_ gram.Compiler = (*LEMLModel)(nil)
	_ gram.Compiler = (*GIMCModel)(nil)
)

// Program64 returns the program of the scores of all labels.
func (m *LEMLModel) Program64() (gram.Program[float64], error) { return newLEML[float64](m), nil }

// Program32 returns the program of the scores of all labels in float32.
func (m *LEMLModel) Program32() (gram.Program[float32], error) { return newLEML[float32](m), nil }

// Program64 returns the program of the scores of all labels.
func (m *GIMCModel) Program64() (gram.Program[float64], error) { return newGIMC[float64](m), nil }

// Program32 returns the program of the scores of all labels in float32.
func (m *GIMCModel) Program32() (gram.Program[float32], error) { return newGIMC[float32](m), nil }

// scorer is the program of a model: inner products of features with a row for each label.
// The programs of a basis are for few outputs: on batches they take twice as long for a
// hundred labels and three times or more for a thousand.
type scorer[F gram.Float] struct {
	values *kernel.Block[F] // of the rows: products, angles or kernel values
	bias   []F              // of the products; nil: none
	turn   bool             // values are angles, features their cosines and sines
	labels *kernel.Block[F]
	d      int
	p      int // features: beyond those made of values there is a constant
	flops  float64
	pool   sync.Pool // *[]F: angles and features of some rows
}

// scorerRows is the number of rows whose features are held together.
const scorerRows = 48

func newScorer[F gram.Float](p *scorer[F], labels *mat.Dense, of kernel.Kernel) gram.Program[F] {
	var l, m int
	m, p.d = p.values.Dims()
	l, p.p = labels.Dims()
	p.labels = kernel.Against[F](kernel.Linear{}, labels)
	p.flops = float64(m)*kernel.Flops(of, p.d) + 2*float64(l*p.p)
	p.pool.New = func() any { s := make([]F, scorerRows*(m+p.p)); return &s }
	return p
}

func newLEML[F gram.Float](m *LEMLModel) gram.Program[F] {
	p := &scorer[F]{values: kernel.Against[F](kernel.Linear{}, m.w.T()), bias: program.Convert[F](m.bias)}
	return newScorer(p, m.h, kernel.Linear{})
}

func newGIMC[F gram.Float](m *GIMCModel) gram.Program[F] {
	u := imc.Parameters(m.f)
	if m.cfg.Map == imc.Nystrom {
		k := kernel.Gaussian{Gamma: m.cfg.Gamma}
		return newScorer(&scorer[F]{values: kernel.Against[F](k, u)}, m.w, k)
	}
	_, frequencies := u.Dims()
	w := mat.DenseCopyOf(m.w) // with the 1/√m of the features
	labels, _ := w.Dims()
	part := w.Slice(0, labels, 0, 2*frequencies).(*mat.Dense)
	part.Scale(1/math.Sqrt(float64(frequencies)), part)
	return newScorer(&scorer[F]{values: kernel.Against[F](kernel.Linear{}, u.T()), turn: true}, w, kernel.Linear{})
}

// Dims returns the number of columns and of labels.
func (p *scorer[F]) Dims() (d, outputs int) {
	l, _ := p.labels.Dims()
	return p.d, l
}

// Cost is that of one row.
func (p *scorer[F]) Cost() gram.Plan {
	m, _ := p.values.Dims()
	l, _ := p.labels.Dims()
	return gram.Plan{
		Flops:       p.flops,
		ModelBytes:  p.values.Bytes() + p.labels.Bytes() + program.Size[F](len(p.bias)),
		PeakBytes:   program.Size[F](scorerRows*(m+p.p)) + 256<<10,
		Description: fmt.Sprintf("%d features, %d labels", p.p, l),
	}
}

// Row sets dst to the scores of x.
func (p *scorer[F]) Row(dst, x []F) { program.Row(p, dst, x) }

// Rows sets dst to the scores of the rows of x.
func (p *scorer[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	program.Check("multilabel", p, dst, x)
	room := p.pool.Get().(*[]F)
	m, _ := p.values.Dims()
	for lo := 0; lo < dst.N; lo += scorerRows {
		n := min(scorerRows, dst.N-lo)
		phi := gram.Rows[F]{Data: *room, N: n, D: p.p, Stride: p.p}
		values := gram.Rows[F]{Data: *room, N: n, D: m, Stride: p.p} // in their places
		if p.turn {
			values.Data, values.Stride = (*room)[scorerRows*p.p:], m
		}
		p.values.FillSerial(values, x.Slice(lo, lo+n))
		made := m
		for i := range n {
			row := phi.Row(i)
			for j, b := range p.bias {
				row[j] += b
			}
			if p.turn {
				made = 2 * m
				vec.SinCos(row[m:made], row[:m], values.Row(i))
			}
			program.Fill(row[made:], 1)
		}
		p.labels.FillSerial(dst.Slice(lo, lo+n), gram.Dense(phi))
	}
	p.pool.Put(room)
}
