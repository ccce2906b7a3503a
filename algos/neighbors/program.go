package neighbors

import (
	"fmt"
	"math"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/kernel"
)

var _ gram.Compiler = (*Classifier)(nil)

// Program64 returns a program in float64 that computes the scores of rows.
func (c *Classifier) Program64() (gram.Program[float64], error) { return newVoter[float64](c), nil }

// Program32 returns the program of the scores for rows of float32. Kernel values are
// float64: in float32 the distances of the nearest neighbors from each other are often
// less than their errors.
func (c *Classifier) Program32() (gram.Program[float32], error) { return newVoter[float32](c), nil }

// voter is the program of a classifier: it finds the neighbors of rows and counts their votes.
type voter[F gram.Float] struct {
	c     *Classifier            // what votes: without the rows and their kernel values
	block *kernel.Block[float64] // the kernel against the rows of the fit
	d     int                    // columns
	flops float64                // of a row
	pool  sync.Pool              // *poll
}

// poll is the work space of one call.
type poll struct {
	rows     []float64 // some rows of float32, as float64
	values   []float64 // of the kernel between these and all rows of the fit
	near     []int     // the nearest rows of the fit so far
	distance []float64 // their distances, ascending
	votes    []float64 // of each class
}

// voterRows is the number of rows whose kernel values are held together.
const voterRows = 48

func newVoter[F gram.Float](c *Classifier) gram.Program[F] {
	k := c.cfg.K
	p := &voter[F]{
		c:     &Classifier{cfg: Config{K: k}, class: c.class, weight: c.weight, names: c.names, diag: c.diag},
		block: kernel.Against[float64](c.cfg.Kernel, c.x),
	}
	n, d := c.x.Dims()
	p.d, p.flops = d, cost(c.cfg.Kernel, n, d)+2*float64(n)
	p.pool.New = func() any {
		return &poll{
			rows: make([]float64, voterRows*d), values: make([]float64, voterRows*n),
			near: make([]int, 0, k+1), distance: make([]float64, 0, k+1), votes: make([]float64, len(c.names)),
		}
	}
	return p
}

// Dims returns the number of columns and of scores.
func (p *voter[F]) Dims() (d, outputs int) { return p.d, p.c.width() }

// Cost returns what the prediction of one row costs.
func (p *voter[F]) Cost() gram.Plan {
	n := len(p.c.class)
	return gram.Plan{
		Flops:       p.flops,
		ModelBytes:  p.block.Bytes() + 24*int64(n),
		PeakBytes:   8*voterRows*int64(n+p.d) + 256<<10,
		Description: fmt.Sprintf("%d nearest of %d rows in a kernel", p.c.cfg.K, n),
	}
}

// Row sets dst to the scores of x.
func (p *voter[F]) Row(dst, x []F) { program.Row(p, dst, x) }

// Rows sets dst to the scores of the rows of x.
func (p *voter[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	program.Check("neighbors", p, dst, x)
	w := p.pool.Get().(*poll)
	n := len(p.c.class)
	for lo := 0; lo < dst.N; lo += voterRows {
		hi := min(lo+voterRows, dst.N)
		values := gram.Rows[float64]{Data: w.values, N: hi - lo, D: n, Stride: n}
		p.block.FillSerial(values, widened(w, x.Slice(lo, hi)))
		for i := range values.N {
			scores(p.c, w, dst.Row(lo+i), values.Row(i))
		}
	}
	p.pool.Put(w)
}

// cost is the number of operations of the values of k between a row of d numbers and n rows. A kernel that is made
// of another one has a method for it.
func cost(k kernel.Kernel, n, d int) float64 {
	if k, made := k.(interface{ Flops(n, d int) float64 }); made {
		return k.Flops(n, d)
	}
	return float64(n) * kernel.Flops(k, d)
}

// widened returns the rows of x in float64.
func widened[F gram.Float](w *poll, x gram.Samples[F]) gram.Samples[float64] {
	if same, ok := any(&x).(*gram.Samples[float64]); ok {
		return *same
	}
	n, d := x.Dims()
	y := gram.Rows[float64]{Data: w.rows, N: n, D: d, Stride: max(1, d)}
	for i := range n {
		x.CopyRow(y.Row(i), i)
	}
	return gram.Dense(y)
}

// scores sets dst to the scores of a row whose kernel values with the rows of the fit are given: it inserts their
// distances into the list of the K smallest and counts the votes.
func scores[F gram.Float](c *Classifier, w *poll, dst []F, values []float64) {
	if values[0] != values[0] {
		program.Fill(dst, F(math.NaN()))
		return
	}
	w.near, w.distance = w.near[:0], w.distance[:0]
	for j, v := range values {
		d := c.diag[j] - 2*v // the squared distance but for κ(x,x), which is the same for all j
		full := len(w.near) == c.cfg.K
		if full && !(d < w.distance[c.cfg.K-1]) {
			continue
		}
		if !full {
			w.near, w.distance = append(w.near, 0), append(w.distance, 0)
		}
		place := len(w.near) - 1
		for ; place > 0 && d < w.distance[place-1]; place-- {
			w.near[place], w.distance[place] = w.near[place-1], w.distance[place-1]
		}
		w.near[place], w.distance[place] = j, d
	}
	c.count(w.votes, w.near)
	if len(dst) == 1 {
		dst[0] = F(w.votes[1] - w.votes[0])
		return
	}
	for k, v := range w.votes {
		dst[k] = F(v)
	}
}
