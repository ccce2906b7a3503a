package fastxml

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
	m := &Model{cfg: full.cfg, d: full.d, labels: full.labels, forest: full.forest}
	return &scorer[F]{m}
}

// Dims returns the number of columns and of labels.
func (p *scorer[F]) Dims() (d, outputs int) { return p.m.d, p.m.labels }

// Cost is that of one row, if its leaves and the nodes above them have as many labels and
// weights as others and its way to them is the shortest.
func (p *scorer[F]) Cost() gram.Plan {
	m := p.m
	f := &m.forest
	leaves := max(1, len(f.ptr)-1)
	way := max(0, math.Log2(float64(leaves)/float64(max(1, len(f.roots)))))
	weights := float64(len(f.column)) / float64(max(1, len(f.child)-leaves))
	return gram.Plan{
		Flops:       float64(len(f.roots)) * (way*2*weights + float64(len(f.label))/float64(leaves) + 1),
		ModelBytes:  4 * int64(2*len(f.child)+len(f.first)+2*len(f.column)+len(f.roots)+len(f.ptr)+2*len(f.label)),
		PeakBytes:   4*int64(m.d) + 9*int64(m.labels),
		Description: fmt.Sprintf("%d trees of rankings for %d labels", len(f.roots), m.labels),
	}
}

// Row sets dst to the scores of x.
func (p *scorer[F]) Row(dst, x []F) { program.Row(p, dst, x) }

// Rows sets dst to the scores of the rows of x.
func (p *scorer[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	program.Check("fastxml", p, dst, x)
	s := p.m.take()
	for i := range dst.N {
		if collect(p.m, s, x, i) {
			topk.Spread(s.sum, dst.Row(i), len(p.m.forest.roots))
		} else {
			program.Fill(dst.Row(i), F(math.NaN()))
		}
	}
	p.m.room.p.Put(s)
}
