package plt

import (
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/program"
)

var _ gram.Compiler = (*Model)(nil)

// Program64 returns the program of the scores of all labels, −Inf for those that the beams of a
// row do not reach. It shares the model's memory and gives the scores of Top, bit for bit.
func (m *Model) Program64() (gram.Program[float64], error) { return m.rank.Program64(), nil }

// Program32 is Program64 for rows and scores in float32.
func (m *Model) Program32() (gram.Program[float32], error) { return m.rank.Program32(), nil }

// ranked returns m, whose forest is there, ready to rank.
func (m *Model) ranked() *Model {
	s := &search{forest: &m.forest, beam: m.cfg.Beam}
	if m.forest.near.ptr != nil {
		s.weigh(m.cfg.Near.Value())
	}
	m.search = s
	for v := range len(s.first) - 1 {
		s.most = max(s.most, int(s.first[v+1]-s.first[v]))
	}
	var named []int32
	for _, c := range s.child {
		if c < 0 {
			named = append(named, ^c)
		}
	}
	if len(m.forest.near.label) > 0 {
		named = append(named, slices.Max(m.forest.near.label))
	}
	m.rank = &program.Ranking[float64]{
		Name: "plt", D: m.d, Labels: m.labels, Numbers: m.d,
		Named: named, Over: max(1, len(s.roots)), Cost: m.cost(), Trees: s,
	}
	return m
}

// Add64 adds up the scores of the labels that row i of x reaches.
func (s *search) Add64(r *program.Room[float64], x gram.Samples[float64], i int) bool {
	return collect(s, r, x, i)
}

// Add32 is Add64 for rows in float32.
func (s *search) Add32(r *program.Room[float64], x gram.Samples[float32], i int) bool {
	return collect(s, r, x, i)
}

// cost returns the plan of scoring one row whose beams visit nodes of mean size and which has a number in every column of these
// that has weights.
func (m *Model) cost() gram.Plan {
	f := &m.forest
	nodes, trees := float64(max(1, len(f.first)-1)), float64(len(f.roots))
	levels := 1 + math.Ceil(math.Log(nodes/max(1, trees))/math.Log(float64(m.cfg.Branch)))
	met := min(nodes, trees*levels*float64(m.cfg.Beam))
	return gram.Plan{
		Flops: met*(2*float64(len(f.value))+3*float64(len(f.child)))/nodes + 2*float64(len(f.near.value)),
		ModelBytes: 4 * int64(len(f.roots)+len(f.first)+2*len(f.child)+len(f.at)+len(f.column)+len(f.ptr)+
			2*len(f.value)+2*len(f.weight)+len(f.near.ptr)+2*len(f.near.value)),
		PeakBytes:   8*int64(m.d) + 9*int64(m.labels),
		Description: fmt.Sprintf("%d label tree(s) of %d nodes for %d labels", len(f.roots), int(nodes), m.labels),
	}
}
