package ldkl

import (
	"fmt"
	"math"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/level2"
	"github.com/gramworks/gram/internal/program"
)

// scorer is the gram.Program that computes the functions of a tree.
type scorer[F gram.Float] struct {
	layout
	sigma F
	p     gram.Rows[F] // the rows of the nodes, without the constants
	c     []F          // the constants
	pool  sync.Pool    // *[]F: a sparse row
}

func newScorer[F gram.Float](t *tree) *scorer[F] {
	last := t.d - 1
	all := program.Rows[F](t.p.Slice(0, t.rows(), 0, last))
	s := &scorer[F]{layout: t.layout, sigma: F(t.sigma), p: all, c: make([]F, t.rows())}
	for r := range s.c {
		s.c[r] = F(t.p.At(r, last))
	}
	s.pool.New = func() any { row := make([]F, last); return &row }
	return s
}

// Dims returns the number of columns and of functions.
func (s *scorer[F]) Dims() (d, outputs int) { return s.p.D, s.k }

// Cost returns the flops of one row, the bytes that the program holds and the bytes of the workspace of one call.
func (s *scorer[F]) Cost() gram.Plan {
	return gram.Plan{
		Flops:       2 * float64(s.p.D+1) * float64(s.depth*(function+s.k)-1),
		ModelBytes:  program.Size[F](len(s.c) * (s.p.D + 1)),
		PeakBytes:   program.Size[F](s.p.D),
		Description: fmt.Sprintf("tree of %d nodes with linear functions", s.nodes()),
	}
}

// Row sets dst to the scores of x.
func (s *scorer[F]) Row(dst, x []F) { program.Row(s, dst, x) }

// Rows sets dst to the scores of the rows of x; those of a row with NaN are NaN.
func (s *scorer[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	program.Check("ldkl", s, dst, x)
	room := s.pool.Get().(*[]F)
	for i := range x.N() {
		s.score(dst.Row(i), x.Row(*room, i))
	}
	s.pool.Put(room)
}

// score adds up the nodes on the path of x. A NaN in x is one in the root's products.
func (s *scorer[F]) score(dst, x []F) {
	clear(dst)
	for at := 0; ; {
		r := s.row(at)
		a := F(math.Tanh(float64(s.sigma * s.product(r+argument, x))))
		for f := range dst {
			dst[f] += a * s.product(r+function+f, x)
		}
		if !s.inner(at) {
			return
		}
		at = next(at, s.product(r+decision, x))
	}
}

func (s *scorer[F]) product(r int, x []F) F { return s.c[r] + level2.Dot(s.p.Row(r), x) }
