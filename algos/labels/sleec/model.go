package sleec

import (
	"context"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/internal/topk"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// embed sets z to Vᵀx for row i of x.
func embed[F gram.Float](q *cluster, z []float32, x gram.Samples[F], i int) {
	clear(z)
	y := blas32.Vector{N: q.r, Data: z, Inc: 1}
	x.Each(i, func(j int, v float64) {
		blas32.Axpy(float32(v), blas32.Vector{N: q.r, Data: q.v[j*q.r : (j+1)*q.r], Inc: 1}, y)
	})
}

// Config returns the settings, with defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model read from a file has only the sizes.
func (m *Model) Stats() Stats { return m.stats }

// Dim is the number of columns of the rows.
func (m *Model) Dim() int { return m.d }

// NumLabels returns the number L of labels that the model ranks.
func (m *Model) NumLabels() int { return m.y.D }

// First returns the model of the first learners, which shares the memory of m.
func (m *Model) First(learners int) *Model {
	if learners < 0 || learners > len(m.learners) {
		panic("sleec: the model does not have so many learners")
	}
	out := &Model{cfg: m.cfg, d: m.d, y: m.y}
	for _, l := range m.learners[:learners] {
		out.add(l)
	}
	return out
}

// scores is the work memory that one goroutine needs to score rows.
type scores struct {
	z, near []float32
	top     topk.List
	best    []gram.Scored
	sum     *topk.Sums[float32]
	ones    []float32 // a weight for each label of a row
}

type pool struct{ p sync.Pool }

func (m *Model) take() *scores {
	if s, ok := m.room.p.Get().(*scores); ok {
		return s
	}
	return &scores{sum: topk.NewSums[float32](m.y.Col)}
}

// Top returns for each row the k labels of largest mean over the neighbors and
// learners among those that the neighbors have, best first: fewer than k if they
// have fewer, and none for a row with NaN.
func (m *Model) Top(dst [][]gram.Scored, x mat.Matrix, k int) [][]gram.Scored {
	n, d := x.Dims()
	if d != m.d {
		panic("sleec: x has the wrong number of columns")
	}
	if dst == nil {
		dst = make([][]gram.Scored, n)
	}
	if len(dst) != n {
		panic("sleec: dst has the wrong length")
	}
	all := gram.Of(x)
	parts := make([][]int, len(m.learners))
	for t := range parts {
		parts[t] = make([]int, min(n, topRows))
	}
	for lo := 0; lo < n; lo += topRows {
		hi := min(lo+topRows, n)
		m.some(dst[lo:hi], all.Slice(lo, hi), k, parts)
	}
	return dst
}

// Scores returns the means of all labels, n×L: −Inf for the labels that no neighbor of a row
// has, NaN for a row with NaN.
func (m *Model) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	dst = rows.Destination("sleec", dst, x, m.d, m.y.D)
	if n, _ := x.Dims(); n > 0 {
		program.Evaluate(m.cfg.Workers, scorerRows, newProgram[float64](m), dst, x)
	}
	return dst
}

// topRows is the number of rows whose clusters are held together.
const topRows = 2048

// some is Top for at most topRows rows, with space for the clusters of each learner.
func (m *Model) some(dst [][]gram.Scored, x gram.Samples[float64], k int, parts [][]int) {
	n := x.N()
	for t := range m.learners {
		m.learners[t].parts.Assign(parts[t][:n], x)
	}
	par.For(context.Background(), m.cfg.Workers, n, 16, func(lo, hi int) {
		s := m.take()
		for i := lo; i < hi; i++ {
			dst[i] = dst[i][:0]
			if len(parts) > 0 && parts[0][i] < 0 {
				continue // NaN
			}
			for t, l := range m.learners {
				vote(m, s, &l.clusters[parts[t][i]], x, i)
			}
			dst[i] = s.sum.Take(dst[i], k)
		}
		m.room.p.Put(s)
	})
}

// vote adds what the neighbors in q say of row i.
func vote[F gram.Float](m *Model, s *scores, q *cluster, x gram.Samples[F], i int) {
	n, r := len(q.member), q.r
	if n == 0 {
		return
	}
	s.z, s.near = program.Grow(s.z, r), program.Grow(s.near, n)
	embed(q, s.z, x, i)
	// ‖z−z_p‖² is least where z·z_p − ‖z_p‖²/2 is largest.
	copy(s.near, q.half)
	blas32.Gemv(blas.NoTrans, 1, blas32.General{Rows: n, Cols: r, Stride: r, Data: q.z},
		blas32.Vector{N: r, Data: s.z, Inc: 1}, -1, blas32.Vector{N: n, Data: s.near, Inc: 1})
	s.top.Reset(m.cfg.K)
	for p, v := range s.near {
		s.top.Add(p, float64(v))
	}
	s.best = s.top.Take(s.best[:0])
	weight := 1 / float32(len(s.best)*len(m.learners))
	for _, b := range s.best {
		label, _ := m.y.Row(int(q.member[b.Label]))
		for len(s.ones) < len(label) {
			s.ones = append(s.ones, 0)
		}
		ones := s.ones[:len(label)]
		for p := range ones {
			ones[p] = weight
		}
		s.sum.Add(label, ones)
	}
}
