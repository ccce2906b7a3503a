package protocol

import (
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Whole is a set for methods that see all rows by definition, but not their
// classes.
type Whole struct {
	sealed
	d    *dataset.Set
	seen string // why the classes are no secret; empty: they are
}

// X returns the rows, which are not copied.
func (w *Whole) X() mat.Matrix { return w.d.X }

// Classes returns the names of the classes.
func (w *Whole) Classes() []string { return w.d.Labels.Names }

// Scaled returns the set with its columns scaled.
func (w *Whole) Scaled(fit func(x mat.Matrix) (*dataset.Scaling, error)) (*Whole, error) {
	s, err := fit(w.d.X)
	if err != nil {
		return nil, err
	}
	d := *w.d
	d.X = s.Apply(d.X)
	return &Whole{d: &d, seen: w.seen}, nil
}

// Balanced returns n rows at random, as many of each class, to within one.
func (w *Whole) Balanced(n int, seed uint64) *Whole {
	k := len(w.d.Labels.Names)
	left := make([]int, k)
	for c := range left {
		left[c] = n / k
		if c < n%k {
			left[c]++
		}
	}
	var index []int
	for _, i := range rng.New(rng.Derive(seed, "balanced"), 0).Perm(len(w.d.Labels.Class)) {
		if c := w.d.Labels.Class[i]; left[c] > 0 {
			left[c]--
			index = append(index, i)
		}
	}
	slices.Sort(index)
	return &Whole{d: w.d.Select(index), seen: w.seen}
}

// Pairs draws pairs of rows at random and tells which are of one class.
func (w *Whole) Pairs(count int, seed uint64) []constraint.Pair {
	return constraint.Sample(w.d.Labels.Class, count, seed)
}

// PairError scores clusters by the share of all pairs of rows that they put
// together or apart and the classes do not: 1 − Rand index.
func (w *Whole) PairError(cluster []int) (Score, error) {
	return w.score(metric.PairError(cluster, w.d.Labels.Class))
}

// NMI scores clusters by their normalized mutual information with the classes.
func (w *Whole) NMI(cluster []int) (Score, error) {
	return w.score(metric.NMI(cluster, w.d.Labels.Class))
}

func (w *Whole) score(v float64) (Score, error) {
	out, err := newScore(v)
	out.seen = w.seen
	return out, err
}

// Partly is a set as semi-supervised learning sees it.
type Partly struct {
	sealed
	X      mat.Matrix
	Labels gram.Labels // −1 where the class is not told
	Known  []int       // rows whose class is told, ascending

	class []int
}

// Partly tells the classes of count rows: of as many rows of each class as can be
// if evenly is set, else of rows at random.
func (w *Whole) Partly(count int, evenly bool, seed uint64) *Partly {
	class := w.d.Labels.Class
	p := &Partly{X: w.d.X, class: class, Labels: gram.Labels{Names: w.d.Labels.Names, Class: slices.Repeat([]int{-1}, len(class))}}
	c := len(w.d.Labels.Names)
	taken := make([]int, c)
	for _, i := range dataset.Permutation(len(class), seed) {
		k := class[i]
		share := count / c
		if k < count%c {
			share++
		}
		if !evenly {
			share = len(class)
		}
		if taken[k] < share && len(p.Known) < count {
			taken[k]++
			p.Labels.Class[i] = k
			p.Known = append(p.Known, i)
		}
	}
	slices.Sort(p.Known)
	return p
}

// Hidden are the rows whose class is not told, ascending.
func (p *Partly) Hidden() []int { return complement(len(p.class), p.Known) }

// Error scores the classes that a method gives to the rows of Hidden by the
// percentage that is wrong.
func (p *Partly) Error(classes []int) (Score, error) {
	return newScore(100 * (1 - metric.Accuracy(classes, pick(p.class, p.Hidden()))))
}

// Entries is a matrix with known and unknown entries.
type Entries struct {
	sealed
	Known *sparse.CSR
	X, Y  *mat.Dense // side information about its rows and its columns

	a *mat.Dense
}

// Products returns a matrix X·Yᵀ + noise of n×n, with d standard normal columns of
// X and Y, of which a percentage of the entries is known.
func Products(n, d, percent int, noise float64, seed uint64) *Entries {
	r := rng.New(rng.Derive(seed, "toy"), 0)
	normal := func(rows, columns int) *mat.Dense {
		m := mat.NewDense(rows, columns, nil)
		for i := range m.RawMatrix().Data {
			m.RawMatrix().Data[i] = r.NormFloat64()
		}
		return m
	}
	e := &Entries{X: normal(n, d), Y: normal(n, d), a: normal(n, n), Known: &sparse.CSR{N: n, D: n, Ptr: []int{0}}}
	e.a.Scale(math.Sqrt(noise), e.a)
	var product mat.Dense
	product.Mul(e.X, e.Y.T())
	e.a.Add(e.a, &product)
	for i := range n {
		for j := range n {
			if r.IntN(100) < percent {
				e.Known.Col, e.Known.Val = append(e.Known.Col, int32(j)), append(e.Known.Val, e.a.At(i, j))
			}
		}
		e.Known.Ptr = append(e.Known.Ptr, len(e.Known.Col))
	}
	return e
}

// RelativeError scores a completed matrix by ‖completed−A‖/‖A‖.
func (e *Entries) RelativeError(completed *mat.Dense) (Score, error) {
	var diff mat.Dense
	diff.Sub(completed, e.a)
	return newScore(mat.Norm(&diff, 2) / mat.Norm(e.a, 2))
}

// Drawn returns a split of generated rows: n for training, drawn with a seed, and m
// to score, drawn with another.
func Drawn(draw func(n int, seed uint64) *dataset.Set, n, m int, seed uint64) (*Split, error) {
	return newSplit(draw(n, seed), draw(m, rng.Derive(seed, "test")))
}

// Cut returns a split whose test part is the last rows of the set that load returns.
func Cut(load func() *dataset.Set, last int) (*Split, error) {
	d := load()
	n, _ := d.Dims()
	var test []int
	for i := n - last; i < n; i++ {
		test = append(test, i)
	}
	return newSplit(d.Select(complement(n, test)), d.Select(test))
}
