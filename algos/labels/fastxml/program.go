package fastxml

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

// ranked returns m, whose forest is there, ready to rank.
func (m *Model) ranked() *Model {
	f := m.forest
	m.rank = &program.Ranking[float32]{
		Name: "fastxml", D: m.d, Labels: m.labels, Numbers: m.d,
		Named: f.label, Over: len(f.roots), Cost: m.cost(), Trees: &f,
	}
	return m
}

// Add64 adds up the shares of the labels that the leaves of row i of x name.
func (f *forest) Add64(r *program.Room[float32], x gram.Samples[float64], i int) bool {
	return collect(f, r, x, i)
}

// Add32 is Add64 for rows in float32.
func (f *forest) Add32(r *program.Room[float32], x gram.Samples[float32], i int) bool {
	return collect(f, r, x, i)
}

// cost returns the plan of scoring one row, if the trees are balanced and if the leaves and nodes that the row meets have the
// mean number of labels and weights.
func (m *Model) cost() gram.Plan {
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
