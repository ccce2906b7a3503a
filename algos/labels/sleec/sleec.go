package sleec

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Config holds the settings of SLEEC.
//
// A fit takes settings that are not given at their defaults; crossval.Tune chooses K by the data.
type Config struct {
	Learners  int               // number of learners; default 5
	Cluster   int               // approximate number of rows of a cluster; default 6000
	Rank      int               // r, the dimension of embeddings; default 100, at most the rows of a cluster
	Neighbors int               // neighbors of each row in Ω; default 100
	Steps     int               // largest number of steps of singular value projection; default 30
	Tol       float64           // the steps end when one lowers the objective by less than Tol times its value; default 1e-3
	Lambda    gram.Opt[float64] // λ; default 10; 0: least squares
	Mu        float64           // μ, weight of the absolute values of the embeddings; default 0
	K         int               // number of neighbors in a prediction; default 20
	gram.Run  `json:"-"`
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Learners  int
	Clusters  int         // of all learners
	Objective [][]float64 // of each cluster, learner by learner: Σ_Ω (ŷ_i·ŷ_j − z_i·z_j)²/|Ω| at the start and after each step
	Seconds   float64
}

// Model ranks labels. It is safe for concurrent use.
type Model struct {
	cfg      Config
	d        int
	y        *sparse.CSR // the label sets of the training rows
	learners []learner
	stats    Stats
	room     pool
}

var _ gram.Ranker = (*Model)(nil)

// learner is one division of the rows with the embeddings of its clusters.
type learner struct {
	parts    *kmeans.Model
	clusters []cluster
}

// cluster holds V and the embeddings z = x·V of the rows of one cluster of a learner, in float32.
type cluster struct {
	member []int32   // rows
	r      int       // dimension of the embedding
	v      []float32 // d×r
	z      []float32 // len(member)×r: x·V
	half   []float32 // ‖z‖²/2
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	s.Int(&c.Learners, "learners", "divisions into clusters whose scores are averaged").Default(5).AtLeast(1)
	s.Int(&c.Cluster, "cluster", "rows of a cluster, about").Default(6000).AtLeast(1).SearchLog(500, 10_000)
	s.Int(&c.Rank, "rank", "dimension of the embeddings, at most the rows of a cluster").Default(100).AtLeast(1).SearchLog(20, 150)
	s.Int(&c.Neighbors, "neighbors", "neighbors of a row whose inner products are kept").Default(100).AtLeast(1).SearchLog(5, 150)
	s.Int(&c.Steps, "steps", "steps of singular value projection at most").Default(30).AtLeast(1)
	s.Float(&c.Tol, "tol", "relative progress of a step below which it stops").Default(1e-3).Above(0)
	s.OptFloat(&c.Lambda, "lambda", "weight of the squared norm of the regression on the embeddings; 0: none").Default(10).AtLeast(0).SearchLog(.05, 50)
	s.Float(&c.Mu, "mu", "weight of the absolute values of the embeddings, which makes them sparse").AtLeast(0)
	s.Int(&c.K, "k", "neighbors of a prediction").Default(20).AtLeast(1).SearchLog(3, 50)
	s.Tries(settings.Candidates{Names: []string{"k"}, Lists: [][]string{{"k=10", "k=5"}}, Targets: settings.ForLabels, Judge: settings.HeldOut, With: "learners=1"})
}

// partition holds the settings of the k-means of learner t.
func (c Config) partition(n, t int) kmeans.Config {
	run := c.Run
	run.Seed = rng.Derive(c.Seed, fmt.Sprint("sleec clusters ", t))
	run.Progress = nil
	return kmeans.Config{K: (n + c.Cluster - 1) / c.Cluster, Run: run}
}

// Plan returns what a fit will cost; s.Outputs is the number of labels. Clusters
// are taken to be equal.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	n, d := float64(s.N), float64(s.D)
	entries := n * d
	if s.NNZ > 0 {
		entries = float64(s.NNZ)
	}
	k := math.Ceil(n / float64(c.Cluster))
	size := math.Ceil(n / max(1, k))
	r := min(float64(c.Rank), size)
	pairs := size * min(2*float64(c.Neighbors)+1, size)
	step := 6*pairs*r + 14*size*r*r
	p, err := c.partition(max(1, s.N), 0).Plan(s)
	if err != nil {
		return gram.Plan{}, err
	}
	learners := float64(c.Learners)
	p.Flops = learners * (p.Flops + k*float64(c.Steps)*step + 4*entries*r*100)
	tags := 12 * n * min(10, float64(s.Outputs))
	p.ModelBytes = check.Bytes(learners*(4*n*r+4*k*d*r+8*n+8*k*d) + tags)
	p.PeakBytes = max(p.PeakBytes, check.Bytes(40*pairs+8*6*size*r+8*6*d*r)) + p.ModelBytes + check.Bytes(24*entries)
	p.Description = fmt.Sprintf("%d learners of %d clusters, embeddings of %d dimensions", c.Learners, int(k), int(r))
	return p, nil
}

// Fit trains on rows x with the label sets y, n×L, whose values are not looked
// at. It keeps a copy of y. If ctx ends the fit after the first learner the model
// of the complete ones is returned with ctx.Err().
func (c Config) Fit(ctx context.Context, x mat.Matrix, y *sparse.CSR) (*Model, error) {
	n, d := check.Dims(x)
	if err := check.Rows(n); err != nil {
		return nil, err
	}
	if err := check.Tags(y, n); err != nil {
		return nil, err
	}
	c, err := settings.Resolved(c, gram.Shape{})
	if err != nil {
		return nil, err
	}
	s, err := c.Run.Samples(c, x, y.D)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	y = (&sparse.CSR{N: y.N, D: y.D, Ptr: y.Ptr, Col: y.Col}).Clone()
	m := &Model{cfg: c, d: d, y: y}
	meter := c.Meter()
	for t := range c.Learners {
		l, objective, err := c.learn(ctx, s, y, t)
		if err != nil {
			if m.stats.Learners == 0 {
				return nil, err
			}
			return m, err
		}
		m.add(l)
		m.stats.Objective = append(m.stats.Objective, objective...)
		m.stats.Seconds = time.Since(begin).Seconds()
		meter.Report(gram.Event{Phase: "learners", Done: int64(t + 1), Total: int64(c.Learners)})
	}
	return m, nil
}

func (m *Model) add(l learner) {
	m.learners = append(m.learners, l)
	m.stats.Learners++
	m.stats.Clusters += len(l.clusters)
}

// learn fits learner t, and returns the objective of each of its clusters after every step.
func (c Config) learn(ctx context.Context, x gram.Samples[float64], y *sparse.CSR, t int) (learner, [][]float64, error) {
	n := x.N()
	parts, err := c.partition(n, t).Fit(ctx, x)
	if err != nil {
		return learner{}, nil, err
	}
	k, _ := parts.Centers().Dims()
	l := learner{parts: parts, clusters: make([]cluster, k)}
	for i, a := range parts.Labels() {
		l.clusters[a].member = append(l.clusters[a].member, int32(i))
	}
	objectives := make([][]float64, k)
	for a := range l.clusters {
		q := &l.clusters[a]
		if len(q.member) == 0 {
			continue // of equal rows
		}
		index := make([]int, len(q.member))
		for p, i := range q.member {
			index[p] = int(i)
		}
		part := x.Select(index)
		seed := rng.Derive(c.Seed, fmt.Sprint("sleec embedding ", t, " ", a))
		z, history, err := c.embed(ctx, y.Select(index), seed)
		if err != nil {
			return learner{}, nil, err
		}
		objectives[a] = history
		v, err := c.regress(ctx, part, z)
		if err != nil {
			return learner{}, nil, err
		}
		q.set(part, v)
	}
	return l, objectives, nil
}

// set stores V and embeds the rows of the cluster.
func (q *cluster) set(x gram.Samples[float64], v *mat.Dense) {
	d, r := v.Dims()
	q.r, q.v = r, make([]float32, 0, d*r)
	for j := range d {
		for _, w := range v.RawRowView(j) {
			q.v = append(q.v, float32(w))
		}
	}
	q.z = make([]float32, len(q.member)*r)
	for p := range q.member {
		embed(q, q.z[p*r:(p+1)*r], x, p)
	}
	q.measure()
}

// measure sets half, the halved squared lengths of the embeddings.
func (q *cluster) measure() {
	q.half = make([]float32, len(q.member))
	for p := range q.half {
		for _, v := range q.z[p*q.r : (p+1)*q.r] {
			q.half[p] += v * v / 2
		}
	}
}
