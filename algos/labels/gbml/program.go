package gbml

import (
	"fmt"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/program"
	"gonum.org/v1/gonum/mat"
)

var _ gram.Compiler = (*Model)(nil)

// Program64 returns the program of the scores of all labels, −Inf for those that the
// leaves of a row do not name. It shares the model's memory and gives the scores of Top,
// bit for bit.
func (m *Model) Program64() (gram.Program[float64], error) { return m.rank.Program64(), nil }

// Program32 is Program64 for rows and scores in float32. It computes in the precision of the
// model.
func (m *Model) Program32() (gram.Program[float32], error) { return m.rank.Program32(), nil }

// ranked returns m, whose trees are there, ready to rank.
func (m *Model) ranked() *Model {
	m.rank = m.trees.ranking(m.labels)
	return m
}

// ranking is a program.Ranking[float32] or a program.Ranking[float64], so that Model needs no type parameter.
type ranking interface {
	Top(workers int, dst [][]gram.Scored, x mat.Matrix, k int) [][]gram.Scored
	Scores(workers int, dst *mat.Dense, x mat.Matrix) *mat.Dense
	Program64() gram.Program[float64]
	Program32() gram.Program[float32]
}

// ranking returns the ranking of that many labels by the trees, whose memory it shares.
func (t *part[F]) ranking(labels int) ranking {
	return &program.Ranking[F]{
		Name: "gbml", D: t.p.d, Labels: labels, Numbers: t.p.k,
		Named: t.label, Over: 1, Cost: t.cost(labels), Trees: t,
	}
}

// Add64 adds up F of row i of x for the labels that its leaves name.
func (t *part[F]) Add64(r *program.Room[F], x gram.Samples[float64], i int) bool {
	return collect(t, r, x, i)
}

// Add32 is Add64 for rows in float32.
func (t *part[F]) Add32(r *program.Room[F], x gram.Samples[float32], i int) bool {
	return collect(t, r, x, i)
}

// cost returns the plan of scoring one row, if the trees are balanced and if the leaves that the row reaches have the mean number
// of labels.
func (t *part[F]) cost(labels int) gram.Plan {
	leaves := max(1, len(t.ptr)-1)
	way := math.Log2(float64(leaves) / float64(max(1, len(t.roots))))
	return gram.Plan{
		Flops:       2*float64(len(t.p.w)) + float64(len(t.roots))*(max(0, way)+float64(len(t.label))/float64(leaves)),
		ModelBytes:  program.Size[F](len(t.p.w)+len(t.p.bias)+len(t.threshold)+len(t.gain)+len(t.value)) + 4*int64(2*len(t.child)+len(t.roots)+len(t.ptr)+len(t.label)),
		PeakBytes:   program.Size[F](t.p.k+labels) + 5*int64(labels),
		Description: fmt.Sprintf("%d boosted trees for %d labels", len(t.roots), labels),
	}
}
