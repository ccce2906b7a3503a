package kernelkmeans

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/clusters"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Config holds the settings of kernel k-means ([DGK04]).
type Config struct {
	Kernel   kernel.Kernel `json:"-"` // stored as its Spec; no default
	K        int           // number of clusters; default 8
	Starts   int           // number of seedings, of which the best result is kept; default 1
	MaxIter  int           // largest number of iterations of a start; default 100
	Tol      float64       // a start ends when an iteration lowers the objective by less than Tol times its value; default 1e-4
	Sample   int           // of more rows than this, a sample of this size is clustered, and then all rows are assigned; default 2000, or K if that is more
	AllRows  bool          // cluster all rows, regardless of Sample
	gram.Run `json:"-"`
}

// Model is the result of kernel k-means. It keeps the rows that were
// clustered. It is safe for concurrent use.
type Model struct {
	cfg    Config
	rows   *mat.Dense // s×d, the rows that were clustered
	share  *mat.Dense // s×K: w_i/W in the column of the row's cluster
	self   []float64  // squared norms of the means
	block  *kernel.Block[float64]
	labels []int
	stats  kmeans.Stats
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	kernel.Setting(s, &c.Kernel)
	clusters.Settings(s, &c.K, &c.Starts, &c.MaxIter, 100, "100", &c.Tol, &c.Sample, 2000, &c.AllRows)
}

func (c Config) clustered(n int) int {
	if c.AllRows {
		return n
	}
	return min(n, c.Sample)
}

// Plan returns the expected cost of Fit for data of shape s. It assumes MaxIter iterations
// for every start.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	n, m, k, d := float64(s.N), float64(c.clustered(s.N)), float64(c.K), float64(s.D)
	return gram.Plan{
		Flops:       2*m*m*d + float64(c.Starts*c.MaxIter)*2*m*m*k + 2*n*m*(d+k),
		PeakBytes:   check.Bytes(8 * (m*m + 2*m*d + 4*m*k + min(n, blockRows)*m + 2*n)),
		ModelBytes:  check.Bytes(8 * (2*m*d + m*k + n)),
		FullKernel:  c.clustered(s.N) == s.N,
		Description: fmt.Sprintf("kernel k-means with %d clusters on %d of %d rows", c.K, c.clustered(s.N), s.N),
	}, nil
}

const blockRows = 1024 // rows that a model assigns at a time

// Fit clusters the rows of x. If ctx ends during the iterations, Fit returns the model so far
// and ctx.Err().
func (c Config) Fit(ctx context.Context, x mat.Matrix) (*Model, error) {
	return c.FitWeighted(ctx, x, nil)
}

// FitWeighted is Fit with a weight ≥ 0 for every row; w nil means ones.
func (c Config) FitWeighted(ctx context.Context, x mat.Matrix, w []float64) (*Model, error) {
	begin := time.Now()
	start, err := rows.Begin(&c, c.Run, x, rows.None{}, w)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all, w := start.X, start.W
	n := all.N()
	s := c.clustered(n)
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	if s < n {
		index = clusters.Sample(n, s, rng.New(c.Seed, 0))
	}
	p := &similarities{n: s, k: c.K, w: rows.Pick(w, index)}
	if w == nil {
		p.w = slices.Repeat([]float64{1}, s)
	}
	m := &Model{cfg: c, rows: rows.Dense(all, index)}
	m.block = kernel.Against[float64](c.Kernel, m.rows).Limit(c.Workers)
	p.g = mat.NewDense(s, s, nil)
	for lo := 0; lo < s; lo += blockRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+blockRows, s)
		m.block.Fill(gram.View(p.g).Slice(lo, hi), gram.Of(m.rows).Slice(lo, hi))
	}
	var best *clustering
	var stopped error
	meter := c.Meter()
	for start := range c.Starts {
		var now *clustering
		now, stopped = c.iterate(ctx, p, rng.New(c.Seed, uint64(start)+1), meter)
		if now != nil && (best == nil || now.objective < best.objective) {
			best = now
		}
		if stopped != nil {
			break
		}
	}
	if best == nil {
		return nil, stopped
	}
	m.share, m.self, m.labels = best.share, best.self, best.label
	m.stats = kmeans.Stats{Rows: s, Iterations: best.iter, Trace: best.trace, Objective: best.objective, Reseeded: best.reseeded}
	if s < n {
		m.labels = nil
		if stopped == nil {
			m.labels = make([]int, n)
			dist := make([]float64, n)
			stopped = m.assign(ctx, m.labels, dist, all)
			if stopped != nil {
				m.labels = nil
			} else {
				m.stats.Objective = clusters.Objective(w, dist)
			}
		}
	}
	m.stats.Sizes = clusters.Sizes(m.labels, c.K)
	m.labels = start.Labels(m.labels, nil, m.Assign)
	m.stats.Seconds = time.Since(begin).Seconds()
	return m, stopped
}

// similarities holds the rows to be clustered, represented by their kernel matrix.
type similarities struct {
	g    *mat.Dense
	n, k int
	w    []float64
}

// clustering is the result of one start. The start with the best objective becomes the model.
type clustering struct {
	label     []int
	share     *mat.Dense
	self      []float64
	objective float64
	trace     []float64
	iter      int
	reseeded  int
}

// means computes shares and the squared norms of the means, and sets products to G·share.
func (p *similarities) means(q *clustering, products *mat.Dense) {
	total := make([]float64, p.k)
	for i, c := range q.label {
		total[c] += p.w[i]
	}
	q.share = mat.NewDense(p.n, p.k, nil)
	for i, c := range q.label {
		if total[c] > 0 {
			q.share.Set(i, c, p.w[i]/total[c])
		}
	}
	rows.Mul(products, gram.Of(p.g), q.share)
	q.self = make([]float64, p.k)
	for i, c := range q.label {
		q.self[c] += q.share.At(i, c) * products.At(i, c)
	}
	for c, t := range total {
		if t == 0 {
			q.self[c] = math.Inf(1) // an empty cluster attracts nothing
		}
	}
}

// iterate runs kernel k-means from a k-means++ seeding.
func (c Config) iterate(ctx context.Context, p *similarities, r *rand.Rand, meter *gram.Meter) (*clustering, error) {
	q := &clustering{label: p.plusPlus(r)}
	products := mat.NewDense(p.n, p.k, nil)
	p.means(q, products)
	dist := make([]float64, p.n)
	q.objective = math.Inf(1)
	var shown *clustering // the last clustering whose shares belong to its labels
	for {
		if err := ctx.Err(); err != nil {
			return shown, err
		}
		next := &clustering{label: make([]int, p.n), iter: q.iter + 1, reseeded: q.reseeded}
		for i := range p.n {
			best, at := math.Inf(1), -1
			for k, v := range products.RawRowView(i) {
				if t := q.self[k] - 2*v; t < best {
					best, at = t, k
				}
			}
			next.label[i], dist[i] = at, p.g.At(i, i)+best
			next.objective += p.w[i] * dist[i]
		}
		gain := q.objective - next.objective
		next.trace = append(q.trace, next.objective)
		settled := slices.Equal(next.label, q.label)
		moved := p.reseed(next.label, dist)
		next.reseeded += moved
		p.means(next, products)
		end := moved == 0 && (settled || gain <= c.Tol*math.Abs(next.objective)) || next.iter == c.MaxIter
		event := gram.Event{Phase: "kernel k-means", Done: int64(next.iter), Total: int64(c.MaxIter), Objective: next.objective}
		if end {
			event.Total = event.Done
		}
		meter.Report(event)
		if gain < 0 && moved == 0 && shown != nil {
			return shown, nil // round-off, or a kernel that is not positive semi-definite
		}
		if end {
			return next, nil
		}
		shown, q = next, next
	}
}

// reseed gives every empty cluster the row that contributes most to the objective.
func (p *similarities) reseed(label []int, dist []float64) int {
	size := clusters.Sizes(label, p.k)
	moved := 0
	for c := range p.k {
		if size[c] != 0 {
			continue
		}
		best := -1
		for i, k := range label {
			if size[k] > 1 && p.w[i]*dist[i] > 1e-12*p.w[i]*math.Abs(p.g.At(i, i)) && (best < 0 || p.w[i]*dist[i] > p.w[best]*dist[best]) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		size[label[best]]--
		size[c], label[best], dist[best] = 1, c, 0
		moved++
	}
	return moved
}

// plusPlus chooses seeds by k-means++ in the kernel's space and returns the cluster of the
// nearest seed for every row.
func (p *similarities) plusPlus(r *rand.Rand) []int {
	label := make([]int, p.n)
	dist := slices.Repeat([]float64{math.Inf(1)}, p.n)
	mass := slices.Clone(p.w)
	for c := range p.k {
		i := clusters.Draw(mass, r)
		if i < 0 {
			break // every row coincides with a seed
		}
		row := p.g.RawRowView(i)
		for j, v := range row {
			if d := max(0, p.g.At(j, j)+row[i]-2*v); d < dist[j] {
				dist[j], label[j] = d, c
			}
			mass[j] = p.w[j] * dist[j]
		}
		mass[i], dist[i], label[i] = 0, 0, c
	}
	return label
}

// assign writes the cluster of the nearest mean for every row, and the squared distances
// unless dist is nil.
func (m *Model) assign(ctx context.Context, label []int, dist []float64, x gram.Samples[float64]) error {
	n, d := x.Dims()
	s, k := m.share.Dims()
	g, t := mat.NewDense(min(n, blockRows), s, nil), mat.NewDense(min(n, blockRows), k, nil)
	buffer := make([]float64, d)
	for lo := 0; lo < n; lo += blockRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+blockRows, n)
		gb, tb := g.Slice(0, hi-lo, 0, s).(*mat.Dense), t.Slice(0, hi-lo, 0, k).(*mat.Dense)
		m.block.Fill(gram.View(gb), x.Slice(lo, hi))
		rows.Mul(tb, gram.Of(gb), m.share)
		for i := lo; i < hi; i++ {
			best, at := math.Inf(1), -1
			for c, v := range tb.RawRowView(i - lo) {
				if u := m.self[c] - 2*v; u < best {
					best, at = u, c
				}
			}
			label[i] = at
			if dist != nil {
				row := x.Row(buffer, i)
				dist[i] = m.cfg.Kernel.Eval(row, row) + best
			}
		}
	}
	return nil
}

// Assign returns the cluster of the nearest mean for every row of x. A row takes a little more
// than s·d flops, where s is the number of rows that were clustered. A row with NaN gets −1.
func (m *Model) Assign(dst []int, x mat.Matrix) []int {
	n, d := x.Dims()
	if _, want := m.rows.Dims(); d != want {
		panic("kernelkmeans: x has the wrong number of columns")
	}
	if dst == nil {
		dst = make([]int, n)
	}
	if len(dst) != n {
		panic("kernelkmeans: the destination has the wrong length")
	}
	if n == 0 {
		return dst
	}
	_ = m.assign(context.Background(), dst, nil, gram.Of(x)) // this context never ends
	return dst
}

// Labels returns the cluster of every row that the model was fitted to; see
// kmeans.Model.Labels.
func (m *Model) Labels() []int { return m.labels }

// Config returns the settings with all defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has none.
func (m *Model) Stats() kmeans.Stats { return m.stats }

// Encode writes the settings, the rows that were clustered and their shares.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads what Encode wrote. The kernel must be one that kernel.Decode makes.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, new(Model), (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	x.Header("kmeans.kernel", 1, &struct{ Config *Config }{&m.cfg}, kernel.Stored(&m.cfg.Kernel))
	x.Dense("rows", &m.rows, -1, -1)
	n := -1
	if m.rows != nil {
		n, _ = m.rows.Dims()
	}
	x.Dense("share", &m.share, n, m.cfg.K)
	x.AnyFloat64("self", &m.self, m.cfg.K)
	for c, v := range m.self {
		x.Require(!math.IsNaN(v) && !math.IsInf(v, -1), "self", "cluster %d has a center of the squared norm %v", c, v) // +Inf: an empty cluster
	}
	if x.Reading() {
		_, k := m.share.Dims()
		x.Require(k == len(m.self), "self", "%d centers of %d clusters", len(m.self), k)
	}
	if x.Reading() {
		m.block = kernel.Against[float64](m.cfg.Kernel, m.rows)
	}
}
