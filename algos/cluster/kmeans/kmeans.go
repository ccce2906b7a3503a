package kmeans

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/clusters"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Config holds the settings of k-means, which minimizes Σ w_i·‖x_i−c_{a(i)}‖² over K centers c
// and labels a. The result is a local minimum.
type Config struct {
	K        int     // number of clusters; default 8
	Starts   int     // number of seedings, of which the best result is kept; default 1
	Rivals   int     // rows drawn for each seed, of which the best becomes the seed; 1: plain k-means++; default 2+⌊ln K⌋
	MaxIter  int     // largest number of Lloyd iterations of a start, default 100; number of mini-batches if Batch > 0, default 300
	Tol      float64 // a start ends when an iteration lowers the objective by less than Tol times its value; default 1e-4
	Sample   int     // of more rows than this, a sample of this size is clustered, and then all rows are assigned ([S16]); default 20000, or K if that is more
	AllRows  bool    // cluster all rows, regardless of Sample
	Batch    int     // rows of a mini-batch ([Sculley10]); 0: Lloyd's iteration on all rows
	Balance  float64 // no cluster gets more than Balance·n/K rows (rounded up); ≥ 1; 0: no limit
	gram.Run `json:"-"`
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Rows       int       // number of rows that were clustered
	Iterations int       // iterations of the best start
	Trace      []float64 // objective of the best start on these rows after every assignment
	Objective  float64   // on all rows
	Sizes      []int     // number of rows of each cluster that have a weight
	Reseeded   int       // number of empty clusters that were given a row
	Seconds    float64
}

// Model is the result of k-means. It is safe for concurrent use.
type Model struct {
	cfg     Config
	centers *mat.Dense
	labels  []int
	stats   Stats
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	s.Int(&c.Batch, "batch", "rows of a mini-batch; 0: all rows in every iteration").AtLeast(0)
	iterations := 100
	if c.Batch > 0 {
		iterations = 300
	}
	clusters.Settings(s, &c.K, &c.Starts, &c.MaxIter, iterations, "100; 300 for mini-batches", &c.Tol, &c.Sample, 20_000, &c.AllRows)
	s.Int(&c.Rivals, "rivals", "rows drawn for each seed, of which the best is taken; 1: plain k-means++").
		DefaultRule(2+int(math.Log(float64(max(1, c.K)))), "2+⌊ln k⌋").AtLeast(1)
	s.Float(&c.Balance, "balance", "no cluster gets more than that many times its even share of the rows; 0: no limit")
	s.Require(c.Balance == 0 || c.Balance >= 1, &c.Balance, "0 or a number ≥ 1")
}

// clustered returns how many of n rows are clustered.
func (c Config) clustered(n int) int {
	if c.AllRows {
		return n
	}
	return min(n, c.Sample)
}

// Plan returns the expected cost of Fit for data of shape s. It assumes MaxIter iterations for
// every start.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	n, m, k, d := float64(s.N), float64(c.clustered(s.N)), float64(c.K), float64(s.D)
	entries := d // of each row
	if s.NNZ > 0 {
		entries = float64(s.NNZ) / n
	}
	steps := float64(c.MaxIter) * m
	if c.Batch > 0 {
		steps = float64(c.MaxIter*c.Batch) + m
	}
	// Labels, distances and norms of all rows, and the centers.
	bytes := 24*n + 32*k*d
	if c.clustered(s.N) < s.N {
		bytes += m * 40
		if s.NNZ > 0 {
			bytes += 12 * m * entries
		} else {
			bytes += 8 * m * d
		}
	} else {
		bytes += 32 * n
	}
	bytes += float64(c.NumWorkers()) * min(n, assignGrain) * k * 8
	if c.Balance > 0 {
		bytes += 72 * n
	}
	return gram.Plan{
		Flops:      float64(c.Starts)*(2*steps*k*entries+2*float64(c.Rivals+1)*m*k*entries) + 2*n*k*entries,
		PeakBytes:  int64(bytes),
		ModelBytes: check.Bytes(8*k*d + 8*n),
		Description: fmt.Sprintf("k-means with %d clusters on %d of %d rows, at most %d iterations, %d start(s)",
			c.K, c.clustered(s.N), s.N, c.MaxIter, c.Starts),
	}, nil
}

// Fit clusters the rows of x. It neither keeps nor changes x. If ctx ends during the
// iterations, Fit returns the model so far and ctx.Err().
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
	m, err := c.fit(ctx, start.X, start.W)
	if m != nil {
		m.labels = start.Labels(m.labels, nil, m.Assign)
		m.stats.Seconds = time.Since(begin).Seconds()
	}
	return m, err
}

// fit is FitWeighted for data and settings that have been checked.
func (c Config) fit(ctx context.Context, x gram.Samples[float64], w []float64) (*Model, error) {
	n, d := x.Dims()
	part, pw := x, w
	sampled := c.clustered(n)
	if sampled < n {
		index := clusters.Sample(n, sampled, rng.New(c.Seed, 0))
		part = x.Select(index)
		pw = rows.Pick(w, index)
	}
	p, err := newPoints(ctx, part, pw, c.Workers)
	if err != nil {
		return nil, err
	}
	var best *clustering
	var stopped error
	meter := c.Meter()
	for s := range c.Starts {
		r := rng.New(c.Seed, uint64(s)+1)
		var now *clustering
		if c.Batch > 0 {
			now, stopped = c.miniBatch(ctx, p, r, meter)
		} else {
			now, stopped = c.lloyd(ctx, p, r, meter)
		}
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
	m := &Model{cfg: c, stats: Stats{Rows: sampled, Iterations: best.iter, Trace: best.trace, Objective: best.objective, Reseeded: best.reseeded}}
	m.labels = best.label
	if sampled < n && stopped == nil {
		all := &points{x: x, n: n, d: d, w: w, mean: p.mean, workers: c.Workers}
		all.sq, err = shifted(ctx, x, p.mean, c.Workers)
		if err != nil {
			return nil, err
		}
		m.labels = make([]int, n)
		dist := make([]float64, n)
		if c.Balance > 0 {
			err = all.balanced(ctx, best.e, m.labels, dist, c.capacity(n))
		} else {
			err = all.nearest(ctx, best.e, m.labels, dist)
		}
		if err != nil {
			return nil, err
		}
		m.stats.Objective = clusters.Objective(all.w, dist)
	} else if sampled < n {
		m.labels = nil
	}
	m.stats.Sizes = clusters.Sizes(m.labels, c.K)
	m.centers = best.e
	for k := range c.K {
		row := m.centers.RawRowView(k)
		for j, v := range p.mean {
			row[j] += v
		}
	}
	return m, stopped
}

// clustering is the result of one start. The start with the best objective becomes the model.
type clustering struct {
	e         *mat.Dense
	label     []int
	dist      []float64
	objective float64
	trace     []float64
	iter      int
	reseeded  int
}

func (c Config) capacity(n int) int {
	if c.Balance == 0 {
		return n
	}
	return int(min(float64(n), math.Ceil(c.Balance*float64(n)/float64(c.K))))
}

// assign finds the labels for the centers of q and keeps to the limit on sizes.
func (c Config) assign(ctx context.Context, p *points, q *clustering) error {
	var err error
	if c.Balance > 0 {
		err = p.balanced(ctx, q.e, q.label, q.dist, c.capacity(p.n))
	} else {
		err = p.nearest(ctx, q.e, q.label, q.dist)
	}
	if err == nil {
		q.objective = clusters.Objective(p.w, q.dist)
	}
	return err
}

// lloyd runs Lloyd's iteration [Lloyd82] from a k-means++ seeding. On
// cancellation it returns the last complete clustering, if there is one.
func (c Config) lloyd(ctx context.Context, p *points, r *rand.Rand, meter *gram.Meter) (*clustering, error) {
	e, err := p.plusPlus(ctx, c.K, c.Rivals, r)
	if err != nil {
		return nil, err
	}
	q := &clustering{e: e, label: make([]int, p.n), dist: make([]float64, p.n)}
	if err := c.assign(ctx, p, q); err != nil {
		return nil, err
	}
	q.trace = append(q.trace, q.objective)
	next := &clustering{e: mat.NewDense(c.K, p.d, nil), label: make([]int, p.n), dist: make([]float64, p.n)}
	for q.iter < c.MaxIter {
		moved := p.reseed(q.e, q.label, q.dist)
		next.e.Copy(q.e)
		if err := p.means(ctx, next.e, q.label); err != nil {
			return q, err
		}
		if err := c.assign(ctx, p, next); err != nil {
			return q, err
		}
		gain := q.objective - next.objective
		if c.Balance > 0 && gain < 0 {
			break // with a limit on sizes the assignment is greedy and can be worse than q
		}
		next.trace, next.iter, next.reseeded = append(q.trace, next.objective), q.iter+1, q.reseeded+moved
		q, next = next, q
		meter.Report(gram.Event{Phase: "k-means", Done: int64(q.iter), Total: int64(c.MaxIter), Objective: q.objective})
		if slices.Equal(next.label, q.label) || (moved == 0 && gain <= c.Tol*q.objective) {
			break
		}
	}
	if q.iter < c.MaxIter {
		meter.Report(gram.Event{Phase: "k-means", Done: int64(q.iter), Total: int64(q.iter), Objective: q.objective})
	}
	return q, p.fillEmpty(ctx, c, q)
}

// fillEmpty gives rows to clusters that are empty at the end, as long as there are rows that
// differ from their center.
func (p *points) fillEmpty(ctx context.Context, c Config, q *clustering) error {
	for range 10 {
		moved := p.reseed(q.e, q.label, q.dist)
		if moved == 0 {
			break
		}
		q.reseeded += moved
		if err := c.assign(ctx, p, q); err != nil {
			return err
		}
		q.trace = append(q.trace, q.objective)
	}
	return nil
}

// miniBatch moves the centers by small random batches. The rate of a center is one divided by
// the sum of the weights it has seen [Sculley10].
func (c Config) miniBatch(ctx context.Context, p *points, r *rand.Rand, meter *gram.Meter) (*clustering, error) {
	size := min(c.Batch, p.n)
	seedRows := clusters.Sample(p.n, min(p.n, max(3*size, 10*c.K)), r)
	seeds, err := newPoints(ctx, p.x.Select(seedRows), rows.Pick(p.w, seedRows), c.Workers)
	if err != nil {
		return nil, err
	}
	e, err := seeds.plusPlus(ctx, c.K, c.Rivals, r)
	if err != nil {
		return nil, err
	}
	for k := range c.K { // from the mean of the seeds to the mean of all rows
		row := e.RawRowView(k)
		for j := range row {
			row[j] += seeds.mean[j] - p.mean[j]
		}
	}
	q := &clustering{e: e, label: make([]int, p.n), dist: make([]float64, p.n)}
	seen := make([]float64, c.K)
	label, dist := make([]int, size), make([]float64, size)
	step := make([]float64, p.d)
	var stopped error
	for q.iter < c.MaxIter {
		index := make([]int, size)
		for i := range index {
			index[i] = r.IntN(p.n)
		}
		slices.Sort(index)
		batch := &points{x: p.x.Select(index), n: size, d: p.d, mean: p.mean, sq: make([]float64, size), workers: p.workers}
		if stopped = batch.nearest(ctx, q.e, label, dist); stopped != nil {
			break
		}
		for b, k := range label {
			w := p.weight(index[b])
			seen[k] += w
			batch.center(step, b)
			row, rate := q.e.RawRowView(k), w/seen[k]
			for j, v := range row {
				row[j] = v + rate*(step[j]-v)
			}
		}
		q.iter++
		meter.Report(gram.Event{Phase: "k-means", Done: int64(q.iter), Total: int64(c.MaxIter)})
	}
	if stopped != nil {
		return nil, stopped
	}
	if err := c.assign(ctx, p, q); err != nil {
		return nil, err
	}
	q.trace = append(q.trace, q.objective)
	return q, p.fillEmpty(ctx, c, q)
}

// Config returns the settings with all defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has none.
func (m *Model) Stats() Stats { return m.stats }

// Centers returns the K×d centers. They are the model's own and must not be
// changed.
func (m *Model) Centers() *mat.Dense { return m.centers }

// Labels returns the cluster of every row that the model was fitted to, and for rows of weight 0,
// to which it was not, what Assign does. The slice must not be changed. A model read from a file has no labels, nor has a model of a fit that was canceled
// before all rows were assigned.
func (m *Model) Labels() []int { return m.labels }

// Encode writes the settings and the centers.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads a Model that Encode has written. The error says what is wrong with a damaged file.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, new(Model), (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	x.Header("kmeans", 1, &m.cfg)
	x.Dense("centers", &m.centers, m.cfg.K, -1)
}

// Assign returns the cluster of the nearest center for every row of x; of centers at the same
// distance the first wins. A row with NaN gets −1. The limit on the size of clusters does not
// apply here.
func (m *Model) Assign(dst []int, x mat.Matrix) []int {
	n, d := x.Dims()
	if _, want := m.centers.Dims(); d != want {
		panic("kmeans: x has the wrong number of columns")
	}
	if dst == nil {
		dst = make([]int, n)
	}
	if len(dst) != n {
		panic("kmeans: the destination has the wrong length")
	}
	if n == 0 {
		return dst
	}
	p := &points{x: gram.Of(x), n: n, d: d, workers: m.cfg.Workers}
	k, _ := m.centers.Dims()
	p.mean = make([]float64, d)
	for c := range k {
		for j, v := range m.centers.RawRowView(c) {
			p.mean[j] += v / float64(k)
		}
	}
	e := mat.DenseCopyOf(m.centers)
	for c := range k {
		row := e.RawRowView(c)
		for j, v := range p.mean {
			row[j] -= v
		}
	}
	if err := p.products(context.Background(), e, func(i int, g, h []float64) { dst[i], _ = closest(g, h) }); err != nil {
		panic(err) // the background context never ends
	}
	return dst
}
