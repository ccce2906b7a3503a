package gbml

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/internal/bins"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Config are the settings of GBML.
type Config struct {
	Trees        int               // default 30
	Shrinkage    float64           // η, in (0, 1]; default 0.2
	Depth        int               // splits on the way to a leaf at most; default 10
	MinRows      int               // of a leaf; default 100, at most half the rows
	Lambda       gram.Opt[float64] // λ; default 5
	Keep         int               // labels of a leaf; default 20
	Bins         int               // of a column, 2 to 256; default 255
	ColumnSample float64           // share of the columns tried at each node; default 1

	// Projection makes the columns of the trees; its rank is by default 100, at
	// most the number of labels and of columns, its λ 50: on parts of delicious and
	// bibtex the trees rank better than with the λ that is best for LEML alone. Its
	// Run is not used.
	Projection leml.Config
	gram.Run   `json:"-"`
}

// Stats says how a fit went.
type Stats struct {
	Trees           int
	Leaves          int
	Loss            []float64 // ‖Y−F‖²/n before the first and after each tree
	ResidualEntries []int     // of all rows, before the first and after each tree: 8 bytes each
	ProjectSeconds  float64
	GrowSeconds     float64
}

// Model ranks labels. It is safe for concurrent use.
type Model struct {
	cfg    Config
	labels int
	p      projection
	forest forest
	stats  Stats
	rank   *program.Ranking // of the forest
}

var _ gram.Ranker = (*Model)(nil)

// Settings describes the settings.
func (c *Config) Settings(s *settings.Set) {
	s.Int(&c.Trees, "trees", "trees").Default(30).AtLeast(1)
	s.Float(&c.Shrinkage, "shrinkage", "factor of every tree's values").Default(0.2).Above(0).AtMost(1)
	s.Int(&c.Depth, "depth", "splits on the way to a leaf at most").Default(10).AtLeast(1)
	s.Int(&c.MinRows, "min-rows", "rows of a leaf at least").DefaultRule(max(1, min(100, s.Shape.N/2)), "100, at most half the rows").AtLeast(1)
	s.OptFloat(&c.Lambda, "lambda", "added to the number of rows of a leaf; 0: nothing").Default(5).AtLeast(0)
	s.Int(&c.Keep, "keep", "labels of a leaf").Default(20).AtLeast(1)
	s.Int(&c.Bins, "bins", "bins of a column").Default(255).AtLeast(2).AtMost(256)
	s.Float(&c.ColumnSample, "column-sample", "share of the columns tried at each node").Default(1).Above(0).AtMost(1)
	p := &c.Projection
	most := max(1, min(100, s.Shape.D, s.Shape.Outputs))
	s.Int(&p.Rank, "rank", "columns of the projection").DefaultRule(most, "100, at most the number of labels and of columns").AtLeast(1)
	s.Float(&p.Lambda, "projection-lambda", "weight of the projection's squared factors").Default(50).Above(0)
	s.EmbeddedAs("projection-", p, "rank", "lambda")
}

// Plan returns what a fit will cost; s.Outputs is the number of labels. Labels
// are taken to be at most ten a row.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	p, err := c.Projection.Plan(s)
	if err != nil {
		return gram.Plan{}, err
	}
	n, trees, rank := float64(s.N), float64(c.Trees), float64(c.Projection.Rank)
	leaves := min(math.Ldexp(1, min(c.Depth, 40)), n/float64(c.MinRows)+1)
	keep := min(float64(c.Keep), float64(s.Outputs))
	entries := min(n*10, n*float64(s.Outputs))
	full := min(entries+n*trees*keep, n*float64(s.Outputs))
	p.Flops += trees * float64(c.Depth) * rank * c.ColumnSample * (entries + full) / 2 * 3
	p.ModelBytes = int64(4*rank*float64(s.D) + trees*leaves*(8*keep+24))
	p.PeakBytes = max(p.PeakBytes, int64(n*rank*9+32*full+n*48+8*float64(s.Outputs))+p.ModelBytes)
	p.Description = fmt.Sprintf("%s; %d trees, %d labels a leaf", p.Description, c.Trees, c.Keep)
	return p, nil
}

// Fit trains on rows x with the label sets y, n×L, whose values are not looked
// at. It neither keeps nor changes x and y. If ctx ends the fit after the first
// tree the model so far is returned with ctx.Err().
func (c Config) Fit(ctx context.Context, x mat.Matrix, y *sparse.CSR) (*Model, error) {
	n, _ := x.Dims()
	c, err := settings.Resolved(c, gram.ShapeOf(x, y.D))
	if err != nil {
		return nil, err
	}
	s, err := c.Run.Samples(c, x, y.D)
	if err != nil {
		return nil, err
	}
	if err := check.Tags(y, n); err != nil {
		return nil, err
	}
	begin := time.Now()
	c.Projection.Run = c.Run
	c.Projection.Seed = rng.Derive(c.Seed, "gbml projection")
	fitted, err := c.Projection.Fit(ctx, s, y)
	if err != nil {
		return nil, err
	}
	c.Projection = fitted.Config()
	m := &Model{cfg: c, labels: y.D, p: newProjection(fitted.Projection())}
	z, err := m.p.table(ctx, c, s)
	if err != nil {
		return nil, err
	}
	m.stats.ProjectSeconds = time.Since(begin).Seconds()
	begin = time.Now()
	err = m.boost(ctx, z, y)
	if m.stats.Trees == 0 {
		return nil, err
	}
	m.stats.Leaves = len(m.forest.ptr) - 1
	m.stats.GrowSeconds = time.Since(begin).Seconds()
	return m.ranked(), err
}

// boost grows the trees on the bins z of the projected rows.
func (m *Model) boost(ctx context.Context, z *bins.Table, y *sparse.CSR) error {
	c := m.cfg
	res := newResidual(y)
	meter := c.Meter()
	r := rng.New(c.Seed, 0)
	g := newGrower(ctx, c, z, y.D)
	m.stats.Loss = append(m.stats.Loss, res.squares(c.Workers)/float64(z.N))
	m.stats.ResidualEntries = append(m.stats.ResidualEntries, len(res.label))
	for t := range c.Trees {
		leaves, err := g.grow(&m.forest, res, r)
		if err != nil {
			return err
		}
		res = res.minus(c.Workers, leaves, &m.forest)
		m.stats.Trees = t + 1
		m.stats.Loss = append(m.stats.Loss, res.squares(c.Workers)/float64(z.N))
		m.stats.ResidualEntries = append(m.stats.ResidualEntries, len(res.label))
		meter.Report(gram.Event{Phase: "trees", Done: int64(t + 1), Total: int64(c.Trees), Objective: m.stats.Loss[t+1]})
	}
	return nil
}

// residual holds c_i = y_i − F(x_i) of all rows, sparse, labels ascending.
type residual struct {
	ptr   []int
	label []int32
	value []float32
}

func newResidual(y *sparse.CSR) *residual {
	r := &residual{ptr: make([]int, y.N+1), label: make([]int32, 0, y.NNZ()), value: make([]float32, y.NNZ())}
	for i := range y.N {
		col, _ := y.Row(i)
		r.label = append(r.label, col...)
		r.ptr[i+1] = len(r.label)
	}
	for i := range r.value {
		r.value[i] = 1
	}
	return r
}

func (r *residual) row(i int32) ([]int32, []float32) {
	return r.label[r.ptr[i]:r.ptr[i+1]], r.value[r.ptr[i]:r.ptr[i+1]]
}

// rowGrain is the number of rows that a goroutine takes at a time.
const rowGrain = 4096

// squares is Σ‖c_i‖².
func (r *residual) squares(workers int) float64 {
	s, _ := par.Sum(context.Background(), workers, len(r.value), 1<<16, func(lo, hi int) (s float64) {
		for _, v := range r.value[lo:hi] {
			s += float64(v) * float64(v)
		}
		return s
	}, func(a, b float64) float64 { return a + b })
	return s
}

// minus returns the residual after a tree: leaves holds the leaf of each row.
func (r *residual) minus(workers int, leaves []int32, f *forest) *residual {
	n := len(r.ptr) - 1
	out := &residual{ptr: make([]int, n+1)}
	par.For(context.Background(), workers, n, rowGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			label, _ := r.row(int32(i))
			add, _ := f.leaf(leaves[i])
			k := len(label) + len(add)
			for p, q := 0, 0; p < len(label) && q < len(add); {
				switch a, b := label[p], add[q]; {
				case a < b:
					p++
				case a > b:
					q++
				default:
					p, q, k = p+1, q+1, k-1
				}
			}
			out.ptr[i+1] = k
		}
	})
	for i := range n {
		out.ptr[i+1] += out.ptr[i]
	}
	out.label, out.value = make([]int32, out.ptr[n]), make([]float32, out.ptr[n])
	par.For(context.Background(), workers, n, rowGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			label, value := r.row(int32(i))
			add, h := f.leaf(leaves[i])
			at, p, q := out.ptr[i], 0, 0
			for p < len(label) || q < len(add) {
				switch {
				case q == len(add) || p < len(label) && label[p] < add[q]:
					out.label[at], out.value[at] = label[p], value[p]
					p++
				case p == len(label) || label[p] > add[q]:
					out.label[at], out.value[at] = add[q], -h[q]
					q++
				default:
					out.label[at], out.value[at] = label[p], value[p]-h[q]
					p, q = p+1, q+1
				}
				at++
			}
		}
	})
	return out
}

// draw returns a share of the columns, at least one, ascending.
func draw(d int, share float64, r *rand.Rand) []int {
	columns := make([]int, 0, d)
	if share == 1 {
		for j := range d {
			columns = append(columns, j)
		}
		return columns
	}
	take := make([]bool, d)
	for _, j := range r.Perm(d)[:max(1, int(share*float64(d)))] {
		take[j] = true
	}
	for j, t := range take {
		if t {
			columns = append(columns, j)
		}
	}
	return columns
}
