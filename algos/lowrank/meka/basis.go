package meka

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/internal/parts"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// clusterBasis maps a row to its Nyström features in one cluster, K(x,U)·root. That of
// a cluster without rows is zero.
type clusterBasis struct {
	u      *mat.Dense // m×d landmarks
	root   *mat.Dense // m×k
	block  *kernel.Block[float64]
	values []float64 // eigenvalues of K(U,U), descending
}

// blockRows is the number of rows whose kernel values are held at a time.
const blockRows = 1024

func (b *clusterBasis) landmarks() int {
	if b.u == nil {
		return 0
	}
	m, _ := b.u.Dims()
	return m
}

func (b *clusterBasis) rank() int {
	if b.root == nil {
		return 0
	}
	_, k := b.root.Dims()
	return k
}

// fill sets w to the features of the rows of x.
func (b *clusterBasis) fill(w *mat.Dense, x gram.Samples[float64]) {
	c := rows.Borrow(x.N(), b.landmarks())
	b.block.Fill(gram.View(c), x)
	rows.Mul(w, gram.Of(c), b.root)
	rows.Return(c)
}

// bases finds the basis of every cluster. That of an empty one is zero.
func (c Config) bases(ctx context.Context, x gram.Samples[float64], member [][]int) ([]clusterBasis, error) {
	size := make([]int, len(member))
	for s := range member {
		size[s] = len(member[s])
	}
	rank := c.ranks(size)
	all, short, err := parts.Fit(ctx, c.Run, "MEKA cores", c.Workers, member, func(s int, index []int) (clusterBasis, error) {
		if len(index) == 0 {
			return clusterBasis{}, nil
		}
		return c.basis(ctx, x, index, rank[s], s)
	})
	if err = cmp.Or(err, short); err != nil {
		return nil, err
	}
	if c.Ranks == PooledEigenvalues {
		pool(all, size, c.Clusters*c.Rank)
	}
	return all, nil
}

// basis finds the basis of one cluster, whose rows are index, with rank k; all
// of what its landmarks give if ranks are chosen later.
func (c Config) basis(ctx context.Context, x gram.Samples[float64], index []int, k, s int) (clusterBasis, error) {
	ny := nystrom.Config{Kernel: c.Kernel, M: min(c.Columns*k, len(index)), Rank: k, Run: c.Run}
	ny.Seed, ny.Progress, ny.MemoryLimit = rng.Derive(c.Seed, fmt.Sprint("basis ", s)), nil, 0
	if c.Ranks == PooledEigenvalues {
		ny.Rank = ny.M
	}
	if c.Basis == RandomizedNystrom {
		ny.Core = nystrom.Randomized
	}
	ny.Landmarks = landmark.Uniform{} // all of the rows that are drawn
	drawn := ny.M
	if c.Basis == KMeansNystrom {
		ny.Landmarks = landmark.KMeans{}
		drawn = max(20_000, ny.M) // what k-means would sample
	}
	if u := c.Given.landmarks(s); u != nil {
		if root := c.Given.root(s); root != nil {
			return c.newBasis(u, root, nil), nil
		}
		m, _ := u.Dims()
		ny.Landmarks, ny.M, ny.Rank = landmark.Fixed{U: u}, m, min(k, m)
		if c.Ranks == PooledEigenvalues {
			ny.Rank = m
		}
		drawn = 1 // the rows do not matter
	}
	m, err := ny.Fit(ctx, x.Select(draw(index, drawn, rng.New(rng.Derive(c.Seed, "landmarks"), uint64(s)))))
	if err != nil {
		return clusterBasis{}, err
	}
	return c.newBasis(m.Landmarks(), m.Root(), m.Stats().Eigenvalues), nil
}

func (c Config) newBasis(u, root *mat.Dense, values []float64) clusterBasis {
	return clusterBasis{u: u, root: root, block: kernel.Against[float64](c.Kernel, u).Limit(c.Workers), values: values}
}

// draw returns m of the rows index, ascending.
func draw(index []int, m int, r *rand.Rand) []int {
	if m >= len(index) {
		return index
	}
	drawn := make([]int, m)
	for j, i := range r.Perm(len(index))[:m] {
		drawn[j] = index[i]
	}
	slices.Sort(drawn)
	return drawn
}

// ranks returns the rank of every cluster as far as it is known before the bases.
func (c Config) ranks(size []int) []int {
	if c.Ranks == Proportional {
		return apportion(c.Clusters*c.Rank, size)
	}
	rank := make([]int, len(size))
	for s, n := range size {
		rank[s] = min(c.Rank, n)
	}
	return rank
}

// apportion shares total out in proportion to size: at least 1 and at most
// size[s] each, and 0 where that is 0. What rounding down leaves goes to the
// largest remainders; what the ones cost beyond their part is taken from the
// largest shares.
func apportion(total int, size []int) []int {
	var n, ones int
	for _, v := range size {
		n += v
		ones += min(1, v)
	}
	total = max(ones, min(total, n))
	share, order := make([]int, len(size)), make([]int, len(size))
	remainder := make([]float64, len(size))
	left := total
	for s, v := range size {
		exact := float64(total) * float64(v) / float64(n)
		share[s] = max(min(1, v), int(exact))
		remainder[s] = exact - float64(share[s])
		left -= share[s]
		order[s] = s
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(remainder[b], remainder[a]) })
	for _, s := range order[:max(0, left)] { // they are fewer than the clusters with a remainder
		share[s]++
	}
	for ; left < 0; left++ {
		share[slices.Index(share, slices.Max(share))]--
	}
	return share
}

// pool cuts the bases back to the total largest eigenvalues of all, one at least
// for each. An eigenvalue of K(U,U) for m of n_s rows stands for n_s/m times
// itself in the diagonal block.
func pool(all []clusterBasis, size []int, total int) {
	type entry struct {
		value   float64
		cluster int
	}
	var entries []entry
	for s, b := range all {
		for j, v := range b.values {
			if j > 0 { // the first is kept anyway
				entries = append(entries, entry{v * float64(size[s]) / float64(b.landmarks()), s})
			}
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(b.value, a.value) })
	keep := make([]int, len(all))
	for s, b := range all {
		keep[s] = min(1, b.rank())
		total -= keep[s]
	}
	for _, e := range entries[:max(0, min(total, len(entries)))] {
		keep[e.cluster]++
	}
	for s := range all {
		if b := &all[s]; keep[s] < b.rank() {
			b.root = mat.DenseCopyOf(b.root.Slice(0, b.landmarks(), 0, keep[s]))
			b.values = b.values[:keep[s]]
		}
	}
}

// principal computes W of the training rows and turns it and the bases, so that
// the columns of W⁽ˢ⁾ are orthogonal with descending lengths, which it returns:
// W⁽ˢ⁾ ← W⁽ˢ⁾V with W⁽ˢ⁾ᵀW⁽ˢ⁾ = VΣ²Vᵀ.
func (m *Model) principal(ctx context.Context, x gram.Samples[float64]) ([][]float64, error) {
	if err := m.op.fill(ctx, m.basis, x); err != nil {
		return nil, err
	}
	sigma := make([][]float64, len(m.basis))
	turn := make([]*mat.Dense, len(m.basis))
	fail := make([]error, len(m.basis))
	grams, err := m.op.grams(ctx)
	if err != nil {
		return nil, err
	}
	err = par.For(ctx, m.cfg.Workers, len(m.basis), 1, func(s, _ int) {
		b := &m.basis[s]
		k := b.rank()
		if k == 0 {
			return
		}
		values, v, err := eig.SymAll(ctx, grams[s])
		if err != nil {
			fail[s] = err
			return
		}
		sigma[s], turn[s] = make([]float64, k), mat.NewDense(k, k, nil)
		for j := range k {
			sigma[s][j] = math.Sqrt(max(0, values[k-1-j]))
			for i := range k {
				turn[s].Set(i, j, v.At(i, k-1-j))
			}
		}
		root := mat.NewDense(b.landmarks(), k, nil)
		rows.Mul(root, gram.Of(b.root), turn[s])
		b.root = root
	})
	if err != nil {
		return nil, err
	}
	for _, err := range fail {
		if err != nil {
			return nil, err
		}
	}
	return sigma, m.op.each(ctx, blockRows, func(_, s, lo, hi int) {
		w := m.op.part(s, lo, hi)
		turned := mat.NewDense(hi-lo, m.basis[s].rank(), nil)
		rows.Mul(turned, gram.Of(w), turn[s])
		w.Copy(turned)
	})
}

// grams returns W⁽ˢ⁾ᵀW⁽ˢ⁾, k×k, of every cluster, and nil for a cluster without rows. The error is ctx.Err().
func (o *Operator) grams(ctx context.Context) ([]*mat.SymDense, error) {
	out := make([]*mat.SymDense, len(o.w))
	const grain = 8192
	for s, w := range o.w {
		if w == nil {
			continue
		}
		n, k := w.Dims()
		out[s] = mat.NewSymDense(k, nil)
		for lo := 0; lo < n; lo += grain {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			blas64.Syrk(blas.Trans, 1, o.part(s, lo, min(lo+grain, n)).RawMatrix(), 1, out[s].RawSymmetric())
		}
	}
	return out, nil
}
