package gbml

import (
	"fmt"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/topk"
)

var _ gram.Compiler = (*Model)(nil)

// Program64 returns the program of the scores of all labels, −Inf for those that the
// leaves of a row do not name. It shares the model's memory and gives the scores of Top,
// bit for bit.
func (m *Model) Program64() (gram.Program[float64], error) { return newProgram[float64](m), nil }

// Program32 is Program64 for rows and scores in float32.
func (m *Model) Program32() (gram.Program[float32], error) { return newProgram[float32](m), nil }

// scorer is the program of a model.
type scorer[F gram.Float] struct{ m *Model }

func newProgram[F gram.Float](full *Model) gram.Program[F] {
	m := &Model{cfg: full.cfg, labels: full.labels, p: full.p, forest: full.forest}
	return &scorer[F]{m}
}

// Dims returns the number of columns and of labels.
func (p *scorer[F]) Dims() (d, outputs int) { return p.m.p.d, p.m.labels }

// Cost is that of one row, if its leaves have as many labels as others and its way to them
// is the shortest.
func (p *scorer[F]) Cost() gram.Plan {
	m := p.m
	f := &m.forest
	leaves := max(1, len(f.ptr)-1)
	way := math.Log2(float64(leaves) / float64(max(1, len(f.roots))))
	return gram.Plan{
		Flops:       2*float64(len(m.p.w)) + float64(len(f.roots))*(max(0, way)+float64(len(f.label))/float64(leaves)),
		ModelBytes:  4 * int64(len(m.p.w)+len(m.p.bias)+3*len(f.child)+len(f.roots)+len(f.ptr)+2*len(f.label)),
		PeakBytes:   4*int64(m.p.k) + 9*int64(m.labels),
		Description: fmt.Sprintf("%d boosted trees for %d labels", len(f.roots), m.labels),
	}
}

// Row sets dst to the scores of x.
func (p *scorer[F]) Row(dst, x []F) { program.Row(p, dst, x) }

// Rows sets dst to the scores of the rows of x.
func (p *scorer[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	program.Check("gbml", p, dst, x)
	s := p.m.take()
	for i := range dst.N {
		if collect(p.m, s, x, i) {
			topk.Spread(s.f, dst.Row(i), 1)
		} else {
			program.Fill(dst.Row(i), F(math.NaN()))
		}
	}
	p.m.room.p.Put(s)
}
