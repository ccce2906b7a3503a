package program

import (
	"context"
	"math"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/internal/topk"
	"gonum.org/v1/gonum/mat"
)

// Ranking ranks labels by sums over the leaves that a row reaches in trees. It is safe
// for concurrent use.
type Ranking[N gram.Float] struct {
	Name      string  // package named in panics
	D, Labels int     // number of columns of the rows, and of labels
	Numbers   int     // length of Room.Z, the numbers that the trees compare
	Named     []int32 // the labels that occur in leaves
	Over      int     // divisor of the sums
	Cost      gram.Plan
	Trees     Trees[N]
	pool      sync.Pool // *Room[N]
}

// Trees adds to r.Sums the labels of the leaves that row i of x reaches, and reports
// whether the row is free of NaN. The next call with the same Room finds Z as it was
// left.
type Trees[N gram.Float] interface {
	Add64(r *Room[N], x gram.Samples[float64], i int) bool
	Add32(r *Room[N], x gram.Samples[float32], i int) bool
}

// Room is the work memory of one goroutine.
type Room[N gram.Float] struct {
	Z    []N
	Sums *topk.Sums[N]
}

func (r *Ranking[N]) take() *Room[N] {
	if s, ok := r.pool.Get().(*Room[N]); ok {
		return s
	}
	return &Room[N]{Z: make([]N, r.Numbers), Sums: topk.NewSums[N](r.Named)}
}

// rankedRows is the number of rows that one goroutine takes at a time.
const rankedRows = 64

// Top returns for each row the k labels in Named with the largest scores, best first,
// and no labels for a row with NaN.
func (r *Ranking[N]) Top(workers int, dst [][]gram.Scored, x mat.Matrix, k int) [][]gram.Scored {
	n, d := x.Dims()
	if d != r.D {
		panic(r.Name + ": x has the wrong number of columns")
	}
	if dst == nil {
		dst = make([][]gram.Scored, n)
	}
	if len(dst) != n {
		panic(r.Name + ": dst has the wrong length")
	}
	all := gram.Of(x)
	par.For(context.Background(), workers, n, rankedRows, func(lo, hi int) {
		room := r.take()
		for i := lo; i < hi; i++ {
			dst[i] = dst[i][:0]
			if !r.Trees.Add64(room, all, i) {
				continue
			}
			dst[i] = room.Sums.Take(dst[i], k)
			for q := range dst[i] {
				dst[i][q].Score /= float64(r.Over)
			}
		}
		r.pool.Put(room)
	})
	return dst
}

// Scores sets dst, n×labels, to the scores of all labels: −Inf for labels that no leaf of a row
// has, and NaN for a row with NaN.
func (r *Ranking[N]) Scores(workers int, dst *mat.Dense, x mat.Matrix) *mat.Dense {
	dst = rows.Destination(r.Name, dst, x, r.D, r.Labels)
	if n, _ := x.Dims(); n > 0 {
		Evaluate(workers, rankedRows, r.Program64(), dst, x)
	}
	return dst
}

// Program64 returns the program that computes the scores of all labels, with −Inf for labels
// that no leaf of a row has. The scores have the same bits as those of Top.
func (r *Ranking[N]) Program64() gram.Program[float64] { return &ranked[N, float64]{r, r.Trees.Add64} }

// Program32 returns the program for rows and scores in float32.
func (r *Ranking[N]) Program32() gram.Program[float32] { return &ranked[N, float32]{r, r.Trees.Add32} }

// ranked is the program of a Ranking whose trees compute in N, for rows and scores in F.
type ranked[N, F gram.Float] struct {
	r   *Ranking[N]
	add func(r *Room[N], x gram.Samples[F], i int) bool
}

// Dims returns the number of columns and of labels.
func (p *ranked[N, F]) Dims() (d, outputs int) { return p.r.D, p.r.Labels }

// Cost returns the flops and bytes of one row.
func (p *ranked[N, F]) Cost() gram.Plan { return p.r.Cost }

// Row sets dst to the scores of x.
func (p *ranked[N, F]) Row(dst, x []F) { Row(p, dst, x) }

// Rows sets dst to the scores of the rows of x.
func (p *ranked[N, F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	Check(p.r.Name, p, dst, x)
	room := p.r.take()
	for i := range dst.N {
		if p.add(room, x, i) {
			topk.Spread(room.Sums, dst.Row(i), p.r.Over)
		} else {
			Fill(dst.Row(i), F(math.NaN()))
		}
	}
	p.r.pool.Put(room)
}

// Extent returns the number of nodes and of leaves of a forest that the trees with the
// given roots reach. Children come after their parents, and the two children of a node
// are child and child+1. A leaf with number i is stored as ^i.
func Extent(child, roots []int32) (nodes, leaves int32) {
	for _, r := range roots {
		nodes = max(nodes, r+1)
	}
	for i := int32(0); i < nodes; i++ {
		if c := child[i]; c < 0 {
			leaves = max(leaves, ^c+1)
		} else {
			nodes = max(nodes, c+2)
		}
	}
	return nodes, leaves
}
