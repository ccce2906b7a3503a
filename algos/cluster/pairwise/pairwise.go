package pairwise

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Config holds the settings of semi-supervised clustering. The zero Map gives MCCC;
// completion.Fourier with Learn gives GIMC-LFF.
type Config struct {
	K        int               // number of clusters; no default
	Map      completion.Side   // features of the rows, drawn or learned, for both sides of the matrix
	Lambda   []float64         // values of λ to choose from; default .1, .5, 1, 5, 10
	Rounds   int               // as in completion.Config; default 30
	Steps    int               // as in completion.Config; default 20 with Learn
	Products int               // as in completion.Config; default 20
	Tol      gram.Opt[float64] // as in completion.Config; default 1e-4
	Starts   int               // starts of k-means; default 10
	gram.Run `json:"-"`
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Lambda         float64   // the λ that was kept
	Contradictions []float64 // share of the pairs that the clusters contradict, for each λ tried, in ascending order of λ
	Objective      []float64 // objective of the completion with the λ that was kept, after each of its steps
	Seconds        float64
}

// Model assigns rows to clusters. It is safe for concurrent use.
type Model struct {
	cfg      Config
	complete *completion.Model
	basis    *mat.Dense // K×r: T = φ(X)W·basis has orthonormal columns
	clusters *kmeans.Model
	labels   []int
	scores   gram.Program[float64]
	stats    Stats
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	s.Int(&c.K, "k", "clusters").Required().AtLeast(1).AtMostRule(s.Shape.N, "the number of rows")
	s.Embedded(&c.Map)
	if s.Resolving() && c.Lambda == nil {
		c.Lambda = []float64{.1, .5, 1, 5, 10}
	}
	s.Floats(&c.Lambda, "lambda", "weights of the squared factors to choose from", "0.1, 0.5, 1, 5, 10",
		func(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }, "finite numbers, none negative")
	if s.Resolving() && len(c.Lambda) == 0 {
		s.Refuse(&c.Lambda, "empty", "at least one number")
	}
	completion.Iterations(s, &c.Rounds, &c.Steps, &c.Products, &c.Tol, c.Map.Learn)
	s.Int(&c.Starts, "starts", "starts of k-means").Default(10).AtLeast(1)
}

// completion returns the completion problem for one λ.
func (c Config) completion(lambda float64) completion.Config {
	run := c.Run
	run.Seed = rng.Derive(c.Seed, "completion")
	return completion.Config{Rows: c.Map, Columns: c.Map, Rank: c.K, Lambda: gram.Set(lambda), Rounds: c.Rounds, Steps: c.Steps, Products: c.Products, Tol: c.Tol, Run: run}
}

func (c Config) clustering() kmeans.Config {
	run := c.Run
	run.Seed = rng.Derive(c.Seed, "clusters")
	return kmeans.Config{K: c.K, Starts: c.Starts, AllRows: true, Run: run}
}

// Plan returns the expected cost of Fit for data of shape s and the given number of pairs.
func (c Config) Plan(s gram.Shape, pairs int) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	p, err := c.completion(c.Lambda[0]).Plan(gram.Shape{N: s.N, D: s.N, Outputs: s.N, NNZ: 2 * int64(pairs)}, s, s)
	if err != nil {
		return gram.Plan{}, err
	}
	q, err := c.clustering().Plan(gram.Shape{N: s.N, D: c.K})
	if err != nil {
		return gram.Plan{}, err
	}
	models := 2*p.ModelBytes + 8*int64(s.N)*int64(2*c.K+2)
	return gram.Plan{
		Flops:       float64(len(c.Lambda)) * (p.Flops + q.Flops),
		PeakBytes:   (12+12+48)*int64(pairs) + models + max(p.PeakBytes, q.PeakBytes),
		ModelBytes:  p.ModelBytes + q.ModelBytes + 8*int64(c.K)*int64(c.K),
		Description: fmt.Sprintf("%d clusters from %d pairs, %d values of λ", c.K, pairs, len(c.Lambda)),
	}, nil
}

// planner plans a fit with a given number of pairs.
type planner struct {
	Config
	pairs int
}

// Plan returns the expected cost of the fit.
func (p planner) Plan(s gram.Shape) (gram.Plan, error) { return p.Config.Plan(s, p.pairs) }

// Fit clusters the rows of x with the help of at least one pair. A pair given twice counts once.
// Fit neither keeps nor changes its arguments. If several λ are equally good, the largest is
// kept. If ctx ends the fit after the first λ, Fit returns the best model so far and ctx.Err().
func (c Config) Fit(ctx context.Context, x mat.Matrix, pairs []constraint.Pair) (*Model, error) {
	n, d := check.Dims(x)
	c, err := settings.Resolved(c, gram.Shape{N: n, D: d})
	if err != nil {
		return nil, err
	}
	if err := constraint.CheckPairs(pairs, n); err != nil {
		return nil, err
	}
	all, err := c.Run.Samples(planner{c, len(pairs)}, x, 0)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	s, err := observed(n, pairs)
	if err != nil {
		return nil, err
	}
	lambdas := slices.Clone(c.Lambda)
	slices.Sort(lambdas)
	slices.Reverse(lambdas)
	meter := c.Meter()
	var best *Model
	var contradictions []float64
	least := math.Inf(1)
	for i, lambda := range lambdas {
		m, err := c.one(ctx, all, s, lambda)
		if err != nil {
			if best != nil {
				best.conclude(contradictions, begin)
			}
			return best, err
		}
		wrong := Contradictions(m.labels, pairs)
		contradictions = append(contradictions, wrong)
		if wrong < least {
			best, least = m, wrong
		}
		meter.Report(gram.Event{Phase: "semi-supervised clustering", Done: int64(i + 1), Total: int64(len(lambdas)), Objective: wrong})
	}
	best.conclude(contradictions, begin)
	return best, nil
}

// conclude completes the statistics and the settings of the best model. contradictions has a
// number for each λ, beginning with the largest λ.
func (m *Model) conclude(contradictions []float64, begin time.Time) {
	slices.Reverse(contradictions)
	m.stats.Contradictions = contradictions
	m.stats.Seconds = time.Since(begin).Seconds()
	m.cfg.Lambda = slices.Sorted(slices.Values(m.cfg.Lambda))
}

// one fits the model for one λ: it completes the matrix of pairs s and clusters the rows of T.
func (c Config) one(ctx context.Context, x gram.Samples[float64], s *sparse.CSR, lambda float64) (*Model, error) {
	complete, err := c.completion(lambda).Fit(ctx, s, x, x)
	if err != nil {
		return nil, err
	}
	m := &Model{cfg: c, complete: complete}
	m.stats.Lambda, m.stats.Objective = lambda, complete.Stats().Objective
	p := complete.Rows(nil, x)
	var square mat.Dense
	square.Mul(p.T(), p)
	if m.basis, _, err = solve.InvSqrt(ctx, mat.NewSymDense(c.K, square.RawMatrix().Data), 0, 0); err != nil {
		return nil, err
	}
	t := m.vectors(p)
	if m.clusters, err = c.clustering().Fit(ctx, t); err != nil {
		return nil, err
	}
	m.labels = m.clusters.Assign(nil, t)
	return m, m.prepare()
}

// vectors turns rows of φ(X)W into rows of T.
func (m *Model) vectors(p *mat.Dense) *mat.Dense {
	n, _ := p.Dims()
	_, r := m.basis.Dims()
	t := mat.NewDense(n, r, nil)
	rows.Mul(t, gram.Of(p), m.basis)
	return t
}

// Labels returns the cluster, from 0 to K−1, of each row of the fit, or nil for a model that was
// read from a file. The slice must not be changed.
func (m *Model) Labels() []int { return m.labels }

// Assign returns the cluster of each row of x, −1 for a row with NaN.
func (m *Model) Assign(dst []int, x mat.Matrix) []int {
	n, _ := x.Dims()
	if dst == nil {
		dst = make([]int, n)
	}
	if len(dst) != n {
		panic("pairwise: the destination has the wrong length")
	}
	if n == 0 {
		return dst
	}
	k, r := m.basis.Dims()
	s, step := gram.Of(x), rows.BlockRows(n, k+r)
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		p, t := rows.Borrow(hi-lo, k), rows.Borrow(hi-lo, r)
		rows.Mul(t, gram.Of(m.complete.Rows(p, s.Slice(lo, hi))), m.basis)
		m.clusters.Assign(dst[lo:hi], t)
		rows.Return(p)
		rows.Return(t)
	}
	return dst
}

// Vectors returns the rows of T, n×r with r ≤ K, for rows of data. For the rows of the fit the
// columns are orthonormal.
func (m *Model) Vectors(x mat.Matrix) *mat.Dense { return m.vectors(m.complete.Rows(nil, x)) }

// Completion returns the model P·Qᵀ that completes the matrix of pairs.
func (m *Model) Completion() *completion.Model { return m.complete }

// Config returns the settings with all defaults filled in and Lambda ascending.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has none.
func (m *Model) Stats() Stats { return m.stats }

// Encode writes the completion, the basis and the centers.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads a Model that Encode has written. The error says what is wrong with a damaged file.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, &Model{}, (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	x.Header("ssc", 1, &m.cfg)
	modelfile.Part(x, "completion", &m.complete, completion.Decode)
	x.Dense("basis", &m.basis, m.cfg.K, -1)
	modelfile.Part(x, "clusters", &m.clusters, kmeans.Decode)
	if x.Reading() {
		rowSide, columnSide := m.complete.Sides()
		x.Require(rowSide && columnSide, "", "a completion without side information")
		_, r := m.basis.Dims()
		k, d := m.clusters.Centers().Dims()
		x.Require(d == r && k == m.cfg.K && m.complete.Config().Rank == m.cfg.K, "basis", "%d centers of %d columns for %d clusters and %d vectors", k, d, m.cfg.K, r)
	}
	if x.Reading() {
		if err := m.prepare(); err != nil {
			x.Errorf("", "%v", err)
		}
	}
}
