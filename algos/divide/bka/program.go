package bka

import (
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/internal/program"
)

var _ gram.Compiler = (*Model)(nil)

// Program64 returns a program in float64 that computes the scores of rows.
func (m *Model) Program64() (gram.Program[float64], error) { return newProgram[float64](m) }

// Program32 returns the program of the scores in float32.
func (m *Model) Program32() (gram.Program[float32], error) { return newProgram[float32](m) }

func newProgram[F gram.Float](m *Model) (gram.Program[F], error) {
	if m.whole != nil {
		return scoresOf[F](m.whole, m.width())
	}
	router := kmeans.NewRouter[F](m.router, nil)
	d, _ := router.Dims()
	parts := make([]gram.Program[F], len(m.local))
	for c, local := range m.local {
		if local == nil {
			parts[c] = &program.Constant[F]{D: d, Values: program.Convert[F](m.Certain(m.constant[c]))}
			continue
		}
		var err error
		if parts[c], err = scoresOf[F](local, m.width()); err != nil {
			return nil, err
		}
	}
	return program.NewRouted("bka", router, parts, m.width(), false), nil
}

// scoresOf returns the program of the scores of a machine.
func scoresOf[F gram.Float](m *svm.Model, width int) (gram.Program[F], error) {
	values, err := program.Of[F](m)
	if err != nil || !m.Pairs() {
		return values, err
	}
	return newVotes[F](values, width), nil
}

// votes is the program of the votes of functions of pairs of classes.
type votes[F gram.Float] struct {
	values gram.Program[F]
	width  int
	pool   sync.Pool // *ballot[F]
}

// ballot is the workspace of one call of Rows.
type ballot[F gram.Float] struct {
	values []F
	wide   []float64 // the values of a row
	votes  []float64
}

func newVotes[F gram.Float](values gram.Program[F], width int) *votes[F] {
	p := &votes[F]{values: values, width: width}
	_, pairs := values.Dims()
	p.pool.New = func() any {
		return &ballot[F]{make([]F, ballotRows*pairs), make([]float64, pairs), make([]float64, width)}
	}
	return p
}

// ballotRows is the number of rows whose values are held together.
const ballotRows = 240

// Dims returns the number of columns and of classes.
func (p *votes[F]) Dims() (d, outputs int) {
	d, _ = p.values.Dims()
	return d, p.width
}

// Cost returns the flops of one row, the bytes that the program holds and the bytes of the workspace of one call.
func (p *votes[F]) Cost() gram.Plan {
	c := p.values.Cost()
	_, pairs := p.values.Dims()
	c.Flops += 2 * float64(pairs)
	c.PeakBytes += program.Size[F](ballotRows * pairs)
	return c
}

// Row sets dst to the votes for x.
func (p *votes[F]) Row(dst, x []F) { program.Row(p, dst, x) }

// Rows sets dst to the votes for the rows of x.
func (p *votes[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	program.Check("bka", p, dst, x)
	b := p.pool.Get().(*ballot[F])
	pairs := len(b.wide)
	for lo := 0; lo < dst.N; lo += ballotRows {
		hi := min(lo+ballotRows, dst.N)
		values := gram.Rows[F]{Data: b.values, N: hi - lo, D: pairs, Stride: pairs}
		p.values.Rows(values, x.Slice(lo, hi))
		for i := range values.N {
			for f, v := range values.Row(i) {
				b.wide[f] = float64(v)
			}
			multiclass.Vote(b.votes, b.wide)
			row := dst.Row(lo + i)
			for c, v := range b.votes {
				row[c] = F(v)
			}
		}
	}
	p.pool.Put(b)
}
