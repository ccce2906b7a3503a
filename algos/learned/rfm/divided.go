package rfm

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

const (
	maxWhole   = 10_000 // rows that are one leaf if nothing is given
	usualLeaf  = 4000   // rows of a leaf of more
	maxHeldOut = 1000   // held-out rows of a tree
	nodeRows   = 1000   // rows by which a node's direction is found
)

// softness lists the values of Soft that are compared.
var softness = []float64{0, .05, .1, .2, .4, .8}

// divided divides the rows by a tree, fits its leaves one after the other, and joins them to a model.
func (c Config) divided(ctx context.Context, s gram.Samples[float64], y *mat.Dense, w []float64) (*Model, error) {
	p, err := c.pieces(s, y, w)
	if err != nil {
		return nil, err
	}
	if p.division, err = p.divide(ctx, c); err != nil {
		return nil, err
	}
	leaves := make([]*Model, len(p.division.parts))
	for k := range leaves {
		if leaves[k], err = p.leaf(ctx, k, c.Run); err != nil {
			return nil, err
		}
		c.Report(gram.Event{Phase: "leaves", Done: int64(k + 1), Total: int64(len(leaves))})
	}
	return p.join(ctx, leaves, c.Run)
}

// divide chooses the metric, width and λ on a sample of the rows, and divides the rows by a tree. It runs with c.Run.
func (p *Pieces) divide(ctx context.Context, c Config) (*Division, error) {
	_, d := p.x.Dims()
	pick := func(l *layout, index []int) *part { return p.part(l, index, c.Run) }
	sample := p.sample()
	some := pick(p.layout, sample)
	some.held, some.want, some.heldW = p.held(c.Run)
	c, t, tried, err := c.found(ctx, some, d)
	if err != nil {
		return nil, err
	}
	if err := c.run(ctx, some, t, d, c.Rounds.Value()+1); err != nil {
		return nil, err
	}
	*some = part{}
	g := &growing{x: p.x, leaf: c.Leaf.Value(), overlap: c.Overlap.Value()}
	g.directions = func(ctx context.Context, index []int) (*mat.Dense, error) {
		if d <= maxFull {
			return directions(ctx, pick(nil, thin(index, nodeRows)), p.layout.whole(t.best.at.matrix()), t)
		}
		return axes(ctx, pick(p.layout, thin(index, nodeRows)), t)
	}
	if _, err := g.grow(ctx, p.split.Train); err != nil {
		return nil, err
	}
	return &Division{cfg: c.chosen(t), at: t.best.at, tree: g.finish(), parts: g.parts,
		stats: Stats{Rounds: t.rounds, Chosen: t.chosen, Held: len(p.split.Held), Tried: tried}}, nil
}

// leaf fits leaf k to its rows, with the metric, width and λ of the division.
func (p *Pieces) leaf(ctx context.Context, k int, run gram.Run) (*Model, error) {
	index := p.division.parts[k]
	c := p.division.cfg
	c.Run = run
	leaf := p.part(p.layout, index, run)
	space := p.space()
	defer p.spaces.Put(space)
	leaf.space = fitting(space, len(index))
	t := &trial{metric: c.Metric, length: c.Length.Value(), lambda: c.Lambda.Value()}
	f, err := leaf.fit(ctx, p.division.at, t.length, !c.Absolute, t.lambda)
	if err != nil {
		return nil, err
	}
	return c.model(leaf, f, t, Stats{Rows: len(index), Chosen: p.division.stats.Chosen}), nil
}

// join makes the tree of its leaves, and chooses Soft.
func (p *Pieces) join(ctx context.Context, leaves []*Model, run gram.Run) (*Model, error) {
	if p.division.tree == nil { // rows that are almost all equal
		return leaves[0], nil
	}
	m := &Model{cfg: p.division.cfg, tree: p.division.tree, leaves: leaves, stats: p.division.stats}
	m.cfg.Run, m.stats.Rows = run, p.x.N()
	if !m.cfg.Soft.Given() {
		soft, err := m.softest(ctx, p)
		if err != nil {
			return nil, err
		}
		m.cfg.Soft = gram.Set(soft)
	}
	return m.compiled(), nil
}

// planDivided returns the cost of a tree for n×d rows with t targets, where a fit to so many rows has the cost fit: the leaves and the
// directions of nodes. It returns also how many numbers the leaves hold, whose metric has that many.
func (c Config) planDivided(n, d, t, metric float64, fit func(n float64) float64) (flops, numbers float64) {
	leaf := min(n, float64(c.Leaf.Value()))
	leaves := math.Ceil(n / leaf)
	held := float64(c.holds(int(n)))
	copies := math.Pow(1+2*c.Overlap.Value(), math.Ceil(math.Log2(leaves)))
	node := min(n, nodeRows)
	root := 9 * d * d * d
	if d > maxFull {
		root = 0
	}
	flops = copies * (leaves*fit(n/leaves) + leaves*(fit(node)+root) + held*n*(2*d+2*t))
	return flops, copies*n*(d+2*t+2) + copies*leaves*(held*t+metric)
}

// sampleOf returns at most that many of the places, drawn at random, in their order.
func sampleOf(index []int, most int, seed uint64) []int {
	if len(index) <= most {
		return index
	}
	some := rng.New(seed, 0).Perm(len(index))[:most]
	slices.Sort(some)
	for k, at := range some {
		some[k] = index[at]
	}
	return some
}

// directions returns the eigenvectors of the average outer product of the gradients of a fit to the rows of p under the metric, as
// columns, those of the largest eigenvalues first.
func directions(ctx context.Context, p *part, metric *mat.SymDense, t *trial) (*mat.Dense, error) {
	at, err := newMapping(ctx, Full, matrix{full: metric})
	if err != nil {
		return nil, err
	}
	f, err := p.fit(ctx, at, t.length, true, t.lambda)
	if err != nil {
		return nil, err
	}
	m, err := p.agop(ctx, f, true)
	if err != nil {
		return nil, err
	}
	if m.empty() { // a constant: any direction is as good
		m.full = metric
	}
	return descending(ctx, m.full)
}

// axes is directions for many columns: the axes, by the diagonal of that matrix.
func axes(ctx context.Context, p *part, t *trial) (*mat.Dense, error) {
	at, err := newMapping(ctx, Diagonal, t.best.at.matrix())
	if err != nil {
		return nil, err
	}
	f, err := p.fit(ctx, at, t.length, true, t.lambda)
	if err != nil {
		return nil, err
	}
	m, err := p.agop(ctx, f, false)
	if err != nil {
		return nil, err
	}
	if m.empty() {
		m = t.best.at.matrix()
	}
	diagonal := p.layout.diagonal(m)
	d := len(diagonal)
	out, order := mat.NewDense(d, d, nil), order(d)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(diagonal[b], diagonal[a]) })
	for k, j := range order {
		out.Set(j, k, 1)
	}
	return out, nil
}

// softest returns the softness with the least error on the held-out rows, 0 without any.
func (m *Model) softest(ctx context.Context, p *Pieces) (float64, error) {
	held, want, weights := p.held(m.cfg.Run)
	if held == nil {
		return 0, ctx.Err()
	}
	n, t := want.Dims()
	values := make([]*mat.Dense, len(m.leaves))
	for k, leaf := range m.leaves {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		values[k] = leaf.PredictAll(nil, held)
	}
	nodes := len(m.tree.thresholds)
	projections := mat.NewDense(n, nodes, nil)
	kernel.Against[float64](kernel.Linear{}, m.tree.directions).Limit(m.cfg.Workers).Fill(gram.View(projections), gram.Of(held))
	best, least := 0., 0.
	row := make([]float64, t)
	for k, soft := range softness {
		var sum float64
		for i := range n {
			clear(row)
			for _, s := range m.tree.shares(nil, projections.RawRowView(i), soft) {
				for l, v := range values[s.leaf].RawRowView(i) {
					row[l] += s.weight * v
				}
			}
			weight := 1.
			if weights != nil {
				weight = weights[i]
			}
			for l, v := range row {
				e := v - want.At(i, l)
				sum += weight * float64(e*e)
			}
		}
		if k == 0 || better*sum < least {
			best, least = soft, sum
		}
	}
	return best, nil
}

// newDivided returns the program of a tree of leaves.
func newDivided[F gram.Float](m *Model) gram.Program[F] {
	parts := make([]gram.Program[F], len(m.leaves))
	for k, leaf := range m.leaves {
		parts[k] = newLeaf[F](leaf)
	}
	_, outputs := m.leaves[0].Dims()
	return program.NewRouted("rfm", newRouter[F](m.tree, m.cfg.Soft.Value()), parts, outputs, m.cfg.Soft.Value() > 0)
}
