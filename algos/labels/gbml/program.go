package gbml

import (
	"fmt"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/program"
)

var _ gram.Compiler = (*Model)(nil)

// Program64 returns the program of the scores of all labels, −Inf for those that the
// leaves of a row do not name. It shares the model's memory and gives the scores of Top,
// bit for bit.
func (m *Model) Program64() (gram.Program[float64], error) { return m.rank.Program64(), nil }

// Program32 is Program64 for rows and scores in float32.
func (m *Model) Program32() (gram.Program[float32], error) { return m.rank.Program32(), nil }

// ranked returns m, whose projection and forest are there, ready to rank.
func (m *Model) ranked() *Model {
	m.rank = &program.Ranking{
		Name: "gbml", D: m.p.d, Labels: m.labels, Numbers: m.p.k,
		Named: m.forest.label, Over: 1, Cost: m.cost(), Trees: &scorer{m.p, m.forest},
	}
	return m
}

// scorer is what a model computes F from.
type scorer struct {
	p projection
	forest
}

// Add64 adds up F of row i of x for the labels that its leaves name.
func (s *scorer) Add64(r *program.Room, x gram.Samples[float64], i int) bool {
	return collect(s, r, x, i)
}

// Add32 is Add64 for rows in float32.
func (s *scorer) Add32(r *program.Room, x gram.Samples[float32], i int) bool {
	return collect(s, r, x, i)
}

// cost is that of one row, if its leaves have as many labels as others and its way to them
// is the shortest.
func (m *Model) cost() gram.Plan {
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
