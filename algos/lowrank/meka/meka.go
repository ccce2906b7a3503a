package meka

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Basis selects how the basis of a cluster is found.
type Basis uint8

const (
	// Nystrom draws Columns·k rows of the cluster at random and uses the best rank k.
	Nystrom Basis = iota
	// KMeansNystrom uses the centers of k-means in the cluster as landmarks.
	KMeansNystrom
	// RandomizedNystrom draws rows as Nystrom does, and decomposes the kernel matrix of its landmarks by a randomized method.
	RandomizedNystrom
)

// String returns the name as the command line takes it: nystrom, kmeans or randomised.
func (b Basis) String() string {
	return enum.Name(b, "nystrom", "kmeans", "randomised")
}

// Ranks selects how the rank of the bases is divided among the clusters. The sum is at most
// Clusters·Rank, and no cluster has a rank above its number of rows.
type Ranks uint8

const (
	// Equal gives every cluster Rank. W has n·Rank numbers.
	Equal Ranks = iota
	// Proportional gives ranks in proportion to the number of rows.
	Proportional
	// PooledEigenvalues keeps the Clusters·Rank largest of the eigenvalues of all
	// diagonal blocks, each estimated from Columns·Rank landmarks of its cluster
	// and scaled to the cluster's size ([S16] pools them unscaled).
	PooledEigenvalues
)

// String returns the name as the command line takes it: equal, proportional or eigenvalues.
func (r Ranks) String() string {
	return enum.Name(r, "equal", "proportional", "eigenvalues")
}

// Config holds the settings of MEKA.
type Config struct {
	Kernel      kernel.Kernel `json:"-"` // stored as its Spec; no default. It should decrease with the distance
	Clusters    int           // c, the number of clusters; default 10, or a hundredth of the number of rows if that is less
	Rank        int           // k, the rank of the basis of a cluster; default 128, or the number of rows if that is less
	Basis       Basis
	Columns     int // landmarks of a basis for each unit of its rank; default 2, and 1 for KMeansNystrom
	Ranks       Ranks
	Rho         gram.Opt[float64] // the links of a cluster are fitted to a sample of (1+Rho)·k of its rows; default 2; 0: of as many as the rank
	Epsilon     float64           // no link between clusters with K(m_s,m_t) ≤ Epsilon for their centers m; default 0
	Cut         float64           // relative cut-off of the least-squares problems; default 1e-2
	Balance     float64           // no cluster gets more than Balance·n/c rows (rounded up); ≥ 1; 0: no limit
	NoRepair    bool              // leave W·L·Wᵀ as it is: usually indefinite, and without features
	Certificate int               // rows from which Stats.Error is estimated; 0: none
	Given       Given             `json:"-"` // ingredients to be used instead of computed ones
	gram.Run    `json:"-"`
}

// Given holds ingredients that the caller provides; nil ones are computed by Fit. The lists have an
// entry for each cluster of Partition and can only be given together with it.
type Given struct {
	// Partition holds the clusters. Its Router is a *kmeans.Model, whose centers are also used for
	// Epsilon. Clusters then is its number of parts, and Balance is 0.
	kmeans.Partition
	Landmarks []*mat.Dense // m_s×d, which need not be rows of x; Columns does not matter for these
	Roots     []*mat.Dense // m_s×k_s, for given landmarks: W⁽ˢ⁾ = K(X_s,U_s)·root; nil: Nyström features of the best rank
	Samples   []Sample     // what the links are fitted to; no rows: drawn
}

// Sample holds the rows of a cluster to which its links are fitted.
type Sample struct {
	Rows    []int     // rows of x, ascending
	Weights []float64 // of the rows: a row of weight 2 counts as two; nil: ones
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Sizes        []int       // rows of each cluster
	Ranks        []int       // k_s
	Linked       []int       // columns of W⁽ˢ⁾ that have links
	Links        int         // pairs of clusters that are linked
	KernelValues int64       // computed by the fit, those of the certificate not counted
	MaxEigen     float64     // of the approximation
	MinEigen     float64     // its smallest eigenvalue on the range of W, before the repair
	Repaired     float64     // and after it: 0 if MinEigen was negative; NaN without a repair
	Clipped      int         // eigenvalues that were negative
	Bytes        int64       // of the operator on the training rows: W, the links and the order of the rows
	MapBytes     int64       // of the feature map beside it: landmarks, roots, F and the centers
	Error        solve.Error // estimated relative error of the features; Rows is 0 without a certificate

	ClusterSeconds float64 // T_C of [S16] Table 3.5
	BasisSeconds   float64 // T_W
	LinkSeconds    float64 // T_L
	RepairSeconds  float64
}

// Model is a fitted approximation. It maps any row to features, unless it was fitted with NoRepair,
// and holds the approximate kernel matrix of its training rows. It is safe for concurrent use.
type Model struct {
	cfg      Config
	clusters *kmeans.Model
	labels   []int     // the cluster of every training row
	samples  []Sample  // what the links of each cluster were fitted to
	spectrum []float64 // eigenvalues before the repair
	basis    []clusterBasis
	links    links
	op       *Operator // of the training rows; nil for a model read from a file
	stats    Stats
	room     sync.Pool // *room
}

var _ gram.FeatureMap = (*Model)(nil)

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	kernel.Setting(s, &c.Kernel)
	s.Tries(settings.Candidates{Names: []string{"gamma"}, Lists: [][]string{{"gamma=0.3*scale", "gamma=0.1*scale", "gamma=0.03*scale"}}})
	if _, ok := c.Kernel.(*kernel.Precomputed); ok {
		s.Refuse(&c.Kernel, "known by its columns only", "a kernel of rows, which k-means can cluster")
	}
	n := s.Shape.N
	c.resolveGiven(s)
	s.Int(&c.Clusters, "clusters", "clusters").DefaultRule(max(1, min(10, n/100)), "10, or a hundredth of the number of rows if that is less").
		AtLeast(1).AtMostRule(n, "the number of rows")
	s.Int(&c.Rank, "m", "rank of a cluster's basis; there are clusters·m features at most").
		DefaultRule(max(1, min(128, n)), "128, or the number of rows if that is less").AtLeast(1).AtMostRule(n, "the number of rows")
	settings.Choice(s, &c.Basis, "basis", "landmarks and core of a cluster's basis", Nystrom, KMeansNystrom, RandomizedNystrom)
	settings.Choice(s, &c.Ranks, "ranks", "how ranks are shared out", Equal, Proportional, PooledEigenvalues)
	columns := 2
	if c.Basis == KMeansNystrom && c.Ranks != PooledEigenvalues {
		columns = 1
	}
	s.Int(&c.Columns, "columns", "landmarks of a basis for each unit of its rank").DefaultRule(columns, "2, and 1 for basis kmeans").AtLeast(1).AtMost(1000)
	s.OptFloat(&c.Rho, "rho", "(1+rho)·m rows of a cluster are the sample for its links").Default(2).AtLeast(0).AtMost(1000)
	s.Float(&c.Epsilon, "epsilon", "no link between clusters whose centers have a kernel value of at most this").AtLeast(0)
	s.Float(&c.Cut, "cut", "relative cut-off of the least-squares problems of the links").Default(1e-2).Above(0).Below(1)
	s.Float(&c.Balance, "balance", "no cluster gets more than this times its even share of the rows; 0: no limit").AtLeast(0)
	s.Require(c.Balance == 0 || c.Balance >= 1, &c.Balance, "0 or at least 1")
	s.Require(c.Balance == 0 || c.Given.Partition.IsZero(), &c.Balance, "0 for a partition that is given")
	s.Bool(&c.NoRepair, "no-repair", "leave negative eigenvalues as they are; there are no features then")
	s.Int(&c.Certificate, "certificate", "rows from which the error of the approximation is estimated; 0: none").AtLeast(0)
}

// partition returns the settings of the k-means that makes the clusters, with a seed derived from that of c.
func (c Config) partition() kmeans.Config {
	run := c.Run
	run.Seed = rng.Derive(c.Seed, "clusters")
	return kmeans.Config{K: c.Clusters, Balance: c.Balance, Run: run}
}

// Plan returns the expected cost of Fit for data of shape s. If Ranks is not Equal, it assumes clusters
// with sizes in the ratios 1 : 2 : … : c; Fit checks the true sizes against the limit again.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	var clustering gram.Plan
	if c.Given.Partition.IsZero() {
		if clustering, err = c.partition().Plan(s); err != nil {
			return gram.Plan{}, err
		}
	}
	basis := float64(s.N) * float64(c.Rank)
	if c.Ranks != Equal { // Σ n_s·k_s
		k := float64(c.Clusters)
		basis *= 2 * (2*k + 1) / (3 * (k + 1))
	}
	p := c.plan(s, basis)
	p.Flops += clustering.Flops
	p.PeakBytes = max(p.PeakBytes, clustering.PeakBytes)
	return p, nil
}

// Features returns the most features that a model for data of shape s can have.
func (c Config) Features(s gram.Shape) (int, error) {
	c, err := settings.Resolved(c, s)
	if err == nil && c.NoRepair {
		err = settings.Refuse("NoRepair", true, "false: without the repair there are no features")
	}
	return min(s.N, c.Clusters*c.Rank), err
}

// plan is Plan for a known number of elements of W, without the clustering.
func (c Config) plan(s gram.Shape, basis float64) gram.Plan {
	n, d, clusters := float64(s.N), float64(s.D), float64(c.Clusters)
	k := min(float64(c.Rank), n)
	m := min(float64(c.Columns)*k, n)
	r := min(clusters*k, n)
	v := min((1+c.Rho.Value())*k, n)
	workers := float64(c.NumWorkers())
	p := gram.Plan{
		Flops:       2*n*m*d + 2*basis*m + 3*basis*k + 9*clusters*m*m*m + clusters*clusters*v*v*(d+k),
		Description: fmt.Sprintf("MEKA with %d clusters of rank %d", c.Clusters, c.Rank),
	}
	maps := 8 * clusters * (2*m*d + m*k)
	kept := 16*n + 8*basis + maps
	core := min(workers, clusters) * 8 * (2*m*d + 6*m*m + m*k)
	blocks := workers * 8 * min(blockRows, n) * (m + d + k)
	samples := clusters * 8 * v * (2*d + k)
	repair := 8 * 2 * r * r
	model := 8 * r * r
	if !c.NoRepair {
		p.Flops += 10 * r * r * r
		repair, model = 8*6*r*r, 16*r*r
	}
	p.PeakBytes = check.Bytes(kept + max(core, blocks, samples+repair))
	if c.Certificate > 0 {
		q := min(float64(c.Certificate), n)
		p.Flops += 2*q*m*(d+k) + 2*q*q*(d+k) + 2*q*r*k
		p.PeakBytes = max(p.PeakBytes, check.Bytes(kept+model+8*q*(2*q+d+m+k+2*r)))
	}
	p.ModelBytes = check.Bytes(kept + model)
	return p
}

// Fit clusters the rows of x, finds the bases and their links and repairs the
// definiteness. It neither keeps nor changes x; the model holds the basis of all
// rows, n·Rank numbers. Eigendecompositions cannot be interrupted: the largest
// has order Clusters·Rank at most.
func (c Config) Fit(ctx context.Context, x mat.Matrix) (*Model, error) {
	n, d := check.Dims(x)
	c, err := settings.Resolved(c, gram.Shape{N: n, D: d})
	if err != nil {
		return nil, err
	}
	s, err := c.Run.Samples(c, x, 0)
	if err != nil {
		return nil, err
	}
	m := &Model{cfg: c}
	clock := time.Now()
	lap := func(seconds *float64) {
		now := time.Now()
		*seconds = now.Sub(clock).Seconds()
		clock = now
	}
	if m.labels, m.clusters, err = c.divide(ctx, s); err != nil {
		return nil, err
	}
	member := rows.Groups(m.labels, c.Clusters)
	if err := c.Given.samplesFit(m.labels); err != nil {
		return nil, err
	}
	lap(&m.stats.ClusterSeconds)

	if m.basis, err = c.bases(ctx, s, member); err != nil {
		return nil, err
	}
	var elements int
	for s, b := range m.basis {
		elements += len(member[s]) * b.rank()
		m.stats.Sizes = append(m.stats.Sizes, len(member[s]))
		m.stats.Ranks = append(m.stats.Ranks, b.rank())
		m.stats.KernelValues += int64(b.landmarks()) * int64(b.landmarks()+len(member[s]))
	}
	if err := c.Check(c.plan(gram.ShapeOf(s, 0), float64(elements))); err != nil {
		return nil, err
	}
	m.op = &Operator{n: n, workers: c.Workers, member: member}
	sigma, err := m.principal(ctx, s)
	if err != nil {
		return nil, err
	}
	lap(&m.stats.BasisSeconds)

	core, err := m.link(ctx, s, sigma)
	if err != nil {
		return nil, err
	}
	lap(&m.stats.LinkSeconds)
	if err := m.repair(ctx, core, sigma); err != nil {
		return nil, err
	}
	m.op.links = &m.links
	m.stats.Bytes, m.stats.MapBytes = m.op.bytes(), m.mapBytes()
	lap(&m.stats.RepairSeconds)
	m.cfg.Given = Given{}
	c.Report(gram.Event{Phase: "MEKA", Done: 1, Total: 1})

	if c.Certificate > 0 {
		run := c.Run
		run.Seed = rng.Derive(c.Seed, "certificate")
		near := func(x mat.Matrix) *Operator {
			op, err := m.At(context.WithoutCancel(ctx), x)
			if err != nil {
				panic(err) // a context that is never done
			}
			return op
		}
		if m.stats.Error, err = solve.CertificateOf(ctx, c.Kernel, near, s, c.Certificate, run); err != nil {
			return m, err
		}
	}
	return m, nil
}

// mapBytes is the memory that the feature map takes. Landmarks are held twice, as
// they are and packed for kernel values.
func (m *Model) mapBytes() int64 {
	c, d := m.clusters.Centers().Dims()
	bytes := 8 * c * d
	for _, b := range m.basis {
		bytes += 8 * b.landmarks() * (2*d + b.rank())
	}
	if m.HasFeatures() {
		p, q := m.links.root.Dims()
		bytes += 8 * p * q
	}
	return int64(bytes)
}

// HasFeatures reports whether Dims and Map may be called: not for a model that
// was fitted with NoRepair.
func (m *Model) HasFeatures() bool { return m.links.root != nil }

// Dims returns the number of columns of x and the number of features.
func (m *Model) Dims() (d, features int) {
	if !m.HasFeatures() {
		panic("meka: a model that was not repaired has no features")
	}
	_, d = m.clusters.Centers().Dims()
	_, features = m.links.root.Dims()
	for s, b := range m.basis {
		features += b.rank() - m.links.linked(s)
	}
	return d, features
}

// Map computes the features of the rows of x, each in the basis of the cluster
// whose center is nearest: w·F⁽ˢ⁾ for the columns that have links, and the other
// columns in places of their own. The features of a row do not depend on the
// other rows.
func (m *Model) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	d, r := m.Dims()
	n, _ := x.Dims()
	dst = rows.Destination("meka", dst, x, d, r)
	if n == 0 {
		return dst
	}
	all := gram.Of(x)
	w, ok := m.room.Get().(*room)
	if !ok {
		w = &room{index: make([][]int32, len(m.basis))}
	}
	for lo := 0; lo < n; lo += roomRows {
		hi := min(lo+roomRows, n)
		m.mapRows(w, dst.Slice(lo, hi, 0, r).(*mat.Dense), all.Slice(lo, hi))
	}
	m.room.Put(w)
	return dst
}

// roomRows is the number of rows that are sent to their clusters together.
const roomRows = 4096

// room is what a call of Map needs.
type room struct {
	label []int
	index [][]int32 // the rows of each cluster
	batch program.Batch[float64]
}

// mapRows is Map for at most roomRows rows.
func (m *Model) mapRows(r *room, dst *mat.Dense, x gram.Samples[float64]) {
	n := x.N()
	r.label = program.Grow(r.label, n)
	m.assign(r.label, x)
	for s := range r.index {
		r.index[s] = r.index[s][:0]
	}
	for i, s := range r.label {
		if s >= 0 {
			r.index[s] = append(r.index[s], int32(i))
			continue
		}
		row := dst.RawRowView(i)
		for j := range row {
			row[j] = math.NaN()
		}
	}
	_, q := m.links.root.Dims()
	at := q // of the columns without links
	for s, member := range r.index {
		p, k := m.links.linked(s), m.basis[s].rank()
		for lo := 0; lo < len(member); lo += blockRows {
			index := member[lo:min(lo+blockRows, len(member))]
			w := rows.Borrow(len(index), k)
			m.basis[s].fill(w, r.batch.Gather(x, index))
			for b, i := range index {
				row := dst.RawRowView(int(i))
				clear(row)
				copy(row[at:], w.RawRowView(b)[p:])
			}
			if p > 0 {
				f := rows.Borrow(len(index), q)
				rows.Mul(f, gram.Of(w.Slice(0, len(index), 0, p).(*mat.Dense)), m.links.rootOf(s))
				for b, i := range index {
					copy(dst.RawRowView(int(i)), f.RawRowView(b))
				}
				rows.Return(f)
			}
			rows.Return(w)
		}
		at += k - p
	}
}

// assign sets label, nil is allocated, to the cluster of every row of x: that of the nearest center, or
// where no training row belongs to it the one nearest to it that has rows. A row with
// NaN gets −1.
func (m *Model) assign(label []int, x gram.Samples[float64]) []int {
	label = m.clusters.Assign(label, x)
	var to []int
	for i, s := range label {
		if s >= 0 && m.basis[s].root == nil {
			if to == nil {
				to = m.inhabited()
			}
			label[i] = to[s]
		}
	}
	return label
}

// inhabited returns for every cluster the one with rows whose center is nearest.
func (m *Model) inhabited() []int {
	c := m.clusters.Centers()
	to := make([]int, len(m.basis))
	for s := range to {
		best := math.Inf(1)
		for t, b := range m.basis {
			if b.root == nil {
				continue
			}
			var v float64
			for j, a := range c.RawRowView(s) {
				e := a - c.At(t, j)
				v += e * e
			}
			if v < best {
				best, to[s] = v, t
			}
		}
	}
	return to
}

// At returns the approximate kernel matrix of the rows of x, each in the basis of
// the cluster whose center is nearest. If ctx ends it the error is ctx.Err().
func (m *Model) At(ctx context.Context, x mat.Matrix) (*Operator, error) {
	n, d := x.Dims()
	if _, wd := m.clusters.Centers().Dims(); d != wd {
		panic("meka: x has the wrong number of columns")
	}
	all := gram.Of(x)
	label := m.assign(nil, all)
	for i, s := range label {
		label[i] = max(s, 0) // a row with NaN has NaN in any basis
	}
	op := &Operator{n: n, workers: m.cfg.Workers, member: rows.Groups(label, len(m.basis)), links: &m.links}
	return op, op.fill(ctx, m.basis, all)
}

// Operator returns the approximate kernel matrix of the training rows; nil for a
// model that was read from a file. With Balance a training row may belong to
// another cluster than that of the nearest center, which Map and At take.
func (m *Model) Operator() *Operator { return m.op }

// Config returns the settings with all defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has the ranks
// only.
func (m *Model) Stats() Stats { return m.stats }

// Given returns the ingredients of the fit as Config.Given takes them: the bases are those
// whose columns are orthogonal on the training rows. They are the model's own; those of
// a model read from a file are the clusters and the bases, without labels and samples.
func (m *Model) Given() Given {
	g := Given{Partition: kmeans.Partition{Labels: m.labels, Router: m.clusters}, Samples: m.samples}
	for _, b := range m.basis {
		g.Landmarks, g.Roots = append(g.Landmarks, b.u), append(g.Roots, b.root)
	}
	return g
}

// Links returns L with a row for each column of W, those of the first cluster first: the
// identity where a column has no links. It takes (Σk_s)² numbers.
func (m *Model) Links() *mat.Dense {
	first := make([]int, len(m.basis)+1)
	for s, b := range m.basis {
		first[s+1] = first[s] + b.rank()
	}
	total := first[len(m.basis)]
	l := mat.NewDense(total, total, nil)
	for i := range total {
		l.Set(i, i, 1)
	}
	for s := range m.basis {
		for t := range m.basis {
			for i := range m.links.linked(s) {
				for j := range m.links.linked(t) {
					l.Set(first[s]+i, first[t]+j, m.links.l.At(m.links.first[s]+i, m.links.first[t]+j))
				}
			}
		}
	}
	return l
}

// Spectrum returns the eigenvalues of W·L·Wᵀ on the range of W, ascending, before the
// repair and after it, which sets negative ones to 0; all others are 0. A model read
// from a file has none, and one fitted with NoRepair none after it.
func (m *Model) Spectrum() (before, after []float64) {
	before = slices.Clone(m.spectrum)
	if !m.cfg.NoRepair {
		for _, v := range before {
			after = append(after, max(0, v))
		}
	}
	return before, after
}

// Clusters returns the k-means model that assigns rows to clusters.
func (m *Model) Clusters() *kmeans.Model { return m.clusters }
