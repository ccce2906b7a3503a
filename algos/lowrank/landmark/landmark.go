// Package landmark selects the points on which low-rank approximations of kernel matrices are
// built.
//
// docs/conventions.md states how matrices lie and how λ, C and seeds are counted.
//
// # References
//
// [DM05] P. Drineas and M. W. Mahoney. On the Nyström method for approximating
// a Gram matrix for improved kernel-based learning. JMLR 6 (2005).
//
// [ZTK08] K. Zhang, I. W. Tsang and J. T. Kwok. Improved Nyström low-rank
// approximation and error analysis. ICML 2008.
//
// [AM15] A. Alaoui and M. W. Mahoney. Fast randomized kernel ridge regression
// with statistical guarantees. NIPS 2015.
//
// [MM17] C. Musco and C. Musco. Recursive sampling for the Nyström method.
// NIPS 2017.
//
// [ES06] P. S. Efraimidis and P. G. Spirakis. Weighted random sampling with a
// reservoir. Inf. Process. Lett. 97 (2006).
//
// [CETW25] Y. Chen, E. N. Epperly, J. A. Tropp and R. J. Webber. Randomly pivoted
// Cholesky: practical approximation of a kernel matrix with few entry evaluations.
// Comm. Pure Appl. Math. 78 (2025).
//
// [ETW24] E. N. Epperly, J. A. Tropp and R. J. Webber. Embrace rejection: kernel
// matrix approximation by accelerated randomly pivoted Cholesky. arXiv 2410.03969 (2024).
//
// [G85] T. F. Gonzalez. Clustering to minimize the maximum intercluster
// distance. Theor. Comput. Sci. 38 (1985).
package landmark

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Points holds m landmarks, the rows of the m×d matrix U. If they are rows of x, Index holds
// their numbers, ascending; otherwise it is nil.
type Points struct {
	U     *mat.Dense
	Index []int
}

// Selector selects m landmarks for kernel k from the n rows of x, or near them. Weights w of the
// rows count as repetitions; nil means ones. The data must be finite. m is from 1 to the number of
// rows that have a weight, except for Fixed; any other m is a *gram.ConfigError. The selection depends on run.Seed alone, not on other
// fields of run. Selectors are plain values that can be used by several goroutines.
type Selector interface {
	Select(ctx context.Context, k kernel.Kernel, x mat.Matrix, w []float64, m int, run gram.Run) (Points, error)
}

// Uniform draws distinct rows at random, with probabilities in proportion to the weights. It
// costs almost nothing, but if clusters differ in size it needs more landmarks than the other
// selectors for the same error.
type Uniform struct{}

// Select draws m of the n rows of x without replacement. It computes no kernel values.
func (s Uniform) Select(ctx context.Context, k kernel.Kernel, x mat.Matrix, w []float64, m int, run gram.Run) (Points, error) {
	if p, ok, err := weighted(ctx, s, k, x, w, m, run); ok {
		return p, err
	}
	n, _ := x.Dims()
	if err := count(m, n); err != nil {
		return Points{}, err
	}
	if err := ctx.Err(); err != nil {
		return Points{}, err
	}
	if w == nil {
		index := rng.New(run.Seed, 0).Perm(n)[:m]
		slices.Sort(index)
		return at(gram.Of(x), index), nil
	}
	return at(gram.Of(x), drawWithout(w, m, run.Seed)), nil
}

// KMeans takes the centers of (weighted) k-means clusters as landmarks ([ZTK08], [S16] theorem
// 11). Of the selectors of this package it gives the smallest error for the same m, if the kernel
// depends on ‖x−y‖ and the data are not sparse with many columns. The centers are not rows of x,
// so a kernel that is known only by its columns cannot use it.
type KMeans struct {
	Sample  int // as in kmeans.Config
	AllRows bool
	Starts  int     // as in kmeans.Config: seedings, of which the best is kept; default 1
	MaxIter int     // largest number of iterations; default 30: later iterations hardly change the error of the approximation
	Tol     float64 // default 1e-3
}

// Select returns the centers of m clusters. If x has fewer than m distinct rows, some centers are
// equal.
func (s KMeans) Select(ctx context.Context, k kernel.Kernel, x mat.Matrix, w []float64, m int, run gram.Run) (Points, error) {
	if p, ok, err := weighted(ctx, s, k, x, w, m, run); ok {
		return p, err
	}
	n, _ := x.Dims()
	if err := count(m, n); err != nil {
		return Points{}, err
	}
	if _, ok := k.(*kernel.Precomputed); ok {
		return Points{}, settings.Refuse("Landmarks", "k-means", "rows of the data, as the kernel is known by its columns only")
	}
	c, err := s.config(m, run)
	if err != nil {
		return Points{}, err
	}
	model, err := c.FitWeighted(ctx, x, w)
	if err != nil {
		return Points{}, err
	}
	return Points{U: model.Centers()}, nil
}

func (s KMeans) config(m int, run gram.Run) (kmeans.Config, error) {
	s, err := resolved(s)
	return kmeans.Config{K: m, Sample: s.Sample, AllRows: s.AllRows, Starts: s.Starts, MaxIter: s.MaxIter, Tol: s.Tol, Run: run}, err
}

// Fixed holds landmarks that are known beforehand: the rows of x with the given Index, ascending
// and distinct, or the rows of U. The rows of U need not be rows of x, and there can be more of
// them than rows of x. With both, U must be the rows of x with this Index. m must be the number
// of landmarks; configurations with a field for this number take zero to mean it.
type Fixed struct {
	Index []int
	U     *mat.Dense
}

// Select returns copies of the landmarks. The error is a *gram.ConfigError if there are not m of them or if they do not fit x.
func (s Fixed) Select(ctx context.Context, _ kernel.Kernel, x mat.Matrix, _ []float64, m int, _ gram.Run) (Points, error) {
	if err := ctx.Err(); err != nil {
		return Points{}, err
	}
	n, d := x.Dims()
	if s.U != nil {
		if r, c := s.U.Dims(); r != m || c != d {
			return Points{}, settings.Refuse("Landmarks.U", fmt.Sprintf("%d×%d", r, c), "%d×%d", m, d)
		}
		if s.Index != nil {
			p, err := Fixed{Index: s.Index}.Select(ctx, nil, x, nil, m, gram.Run{})
			if err == nil && !mat.Equal(p.U, s.U) {
				err = settings.Refuse("Landmarks.U", "another matrix", "the rows of the data that Landmarks.Index names, or no index")
			}
			return p, err
		}
		return Points{U: mat.DenseCopyOf(s.U)}, nil
	}
	if err := count(m, n); err != nil {
		return Points{}, err
	}
	if len(s.Index) != m {
		return Points{}, settings.Refuse("Landmarks.Index", fmt.Sprintf("of length %d", len(s.Index)), "length %d", m)
	}
	if err := check.Index("Landmarks.Index", s.Index, n); err != nil {
		return Points{}, err
	}
	return at(gram.Of(x), slices.Clone(s.Index)), nil
}

// weighted calls s for the rows that have a weight, if there are others. ok is false if there are none.
func weighted(ctx context.Context, s Selector, k kernel.Kernel, x mat.Matrix, w []float64, m int, run gram.Run) (p Points, ok bool, err error) {
	if n, _ := x.Dims(); len(w) != n || !slices.Contains(w, 0) {
		return Points{}, false, nil
	}
	var kept []int
	for i, v := range w {
		if v > 0 {
			kept = append(kept, i)
		}
	}
	p, err = s.Select(ctx, k, gram.Of(x).Select(kept), rows.Pick(w, kept), m, run)
	rows.Renumber(p.Index, kept)
	return p, true, err
}

func count(m, n int) error {
	if m < 1 || m > n {
		return settings.Refuse("M", m, "landmarks from 1 to the number of rows, %d", n)
	}
	return nil
}

func at(x gram.Samples[float64], index []int) Points {
	return Points{U: rows.Dense(x, index), Index: index}
}

// drawWithout draws m distinct indices one after another with probabilities in proportion to
// mass: the m largest of u^(1/mass) for random u [ES06]. If fewer than m have mass, it adds others
// at random.
func drawWithout(mass []float64, m int, seed uint64) []int {
	type key struct {
		value float64
		index int
	}
	r := rng.New(seed, 0)
	keys := make([]key, len(mass))
	for i, v := range mass {
		u := r.Float64()
		if v > 0 {
			keys[i] = key{math.Log(u) / v, i}
		} else {
			keys[i] = key{math.Inf(-1), i}
		}
	}
	// Those without mass come last, in random order.
	r.Shuffle(len(keys), func(a, b int) { keys[a], keys[b] = keys[b], keys[a] })
	slices.SortStableFunc(keys, func(a, b key) int {
		switch {
		case a.value > b.value:
			return -1
		case a.value < b.value:
			return 1
		}
		return 0
	})
	index := make([]int, m)
	for i := range index {
		index[i] = keys[i].index
	}
	slices.Sort(index)
	return index
}

// Planner is a Selector that knows what Select will cost for data of shape s.
// All selectors of this package are Planners.
type Planner interface {
	Plan(s gram.Shape, m int, run gram.Run) (gram.Plan, error)
}

// Plan returns the memory of a permutation and of the landmarks. It counts no flops, because rows
// are drawn without computation.
func (Uniform) Plan(s gram.Shape, m int, _ gram.Run) (gram.Plan, error) {
	return gram.Plan{PeakBytes: 16*int64(s.N) + 8*int64(m)*int64(s.D)}, nil
}

// Plan returns the expected cost of the clustering of data of that shape into m clusters.
func (s KMeans) Plan(shape gram.Shape, m int, run gram.Run) (gram.Plan, error) {
	c, err := s.config(m, run)
	if err != nil {
		return gram.Plan{}, err
	}
	return c.Plan(shape)
}

// Plan returns the memory of the copy of the landmarks.
func (Fixed) Plan(s gram.Shape, m int, _ gram.Run) (gram.Plan, error) {
	return gram.Plan{PeakBytes: 8 * int64(m) * int64(s.D)}, nil
}
