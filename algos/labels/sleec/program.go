package sleec

import (
	"fmt"
	"math"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/topk"
)

var _ gram.Compiler = (*Model)(nil)

// Program64 returns the program of the scores of all labels, −Inf for those that the
// neighbors of a row do not have. It shares the model's embeddings and gives the scores
// of Top.
func (m *Model) Program64() (gram.Program[float64], error) { return newProgram[float64](m), nil }

// Program32 is Program64 for rows and scores in float32.
func (m *Model) Program32() (gram.Program[float32], error) { return newProgram[float32](m), nil }

// scorer is the gram.Program of a model. It sends scorerRows rows to their clusters at a time.
type scorer[F gram.Float] struct {
	m       *Model
	routers []*kmeans.Router[F] // of each learner
	pool    sync.Pool           // *[]int32: the clusters of some rows, learner after learner
}

// scorerRows is the number of rows that are sent to their clusters together.
const scorerRows = 240

func newProgram[F gram.Float](full *Model) gram.Program[F] {
	p := &scorer[F]{m: &Model{cfg: full.cfg, d: full.d, y: full.y}}
	for _, l := range full.learners {
		p.m.learners = append(p.m.learners, learner{clusters: l.clusters})
		p.routers = append(p.routers, kmeans.NewRouter[F](l.parts, nil))
	}
	p.pool.New = func() any { s := make([]int32, scorerRows*len(p.routers)); return &s }
	return p
}

// Dims returns the number of columns and of labels.
func (p *scorer[F]) Dims() (d, outputs int) { return p.m.d, p.m.y.D }

// Cost returns the cost of one row, the mean over the clusters of every learner.
func (p *scorer[F]) Cost() gram.Plan {
	c := gram.Plan{ModelBytes: 4*int64(len(p.m.y.Col)) + 8*int64(len(p.m.y.Ptr))}
	largest := 0
	for t, l := range p.m.learners {
		route := p.routers[t].Cost()
		c.Flops += route.Flops
		c.PeakBytes = max(c.PeakBytes, route.PeakBytes)
		c.ModelBytes += route.ModelBytes
		for a := range l.clusters {
			q := &l.clusters[a]
			c.Flops += 2 * float64(len(q.v)+len(q.z)) / float64(len(l.clusters))
			c.ModelBytes += 4 * int64(len(q.member)+len(q.v)+len(q.z)+len(q.half))
			largest = max(largest, len(q.member)+q.r)
		}
	}
	c.PeakBytes += 4*int64(largest) + 9*int64(p.m.y.D) + 4*scorerRows*int64(len(p.routers))
	c.Description = fmt.Sprintf("%d nearest rows in each of %d embeddings", p.m.cfg.K, len(p.routers))
	return c
}

// Row sets dst to the scores of x.
func (p *scorer[F]) Row(dst, x []F) { program.Row(p, dst, x) }

// Rows sets dst to the scores of the rows of x.
func (p *scorer[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	program.Check("sleec", p, dst, x)
	s := p.m.take()
	parts := p.pool.Get().(*[]int32)
	for lo := 0; lo < dst.N; lo += scorerRows {
		n := min(scorerRows, dst.N-lo)
		for t, r := range p.routers {
			r.Assign((*parts)[t*scorerRows:][:n], x.Slice(lo, lo+n))
		}
		for i := range n {
			row := dst.Row(lo + i)
			if len(p.routers) > 0 && (*parts)[i] < 0 {
				program.Fill(row, F(math.NaN()))
				continue
			}
			for t, l := range p.m.learners {
				vote(p.m, s, &l.clusters[(*parts)[t*scorerRows+i]], x, lo+i)
			}
			topk.Spread(s.sum, row, 1)
		}
	}
	p.pool.Put(parts)
	p.m.room.p.Put(s)
}
