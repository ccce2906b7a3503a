// Package gen makes test problems. The seed determines everything.
package gen

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Normal returns an n×d matrix of independent standard normal numbers.
func Normal(n, d int, seed uint64) *mat.Dense {
	r := rng.New(seed, 1)
	x := mat.NewDense(n, d, nil)
	fill(r, x.RawMatrix().Data)
	return x
}

func fill(r *rand.Rand, v []float64) {
	for i := range v {
		v[i] = r.NormFloat64()
	}
}

// Orthogonal returns an n×n orthogonal matrix: the product of n−1 random
// reflections, which is distributed uniformly [S80].
//
// [S80] G. W. Stewart, The efficient generation of random orthogonal
// matrices with an application to condition estimators, SIAM J. Numer. Anal. 17.
func Orthogonal(n int, seed uint64) *mat.Dense {
	r := rng.New(seed, 2)
	q := mat.NewDense(n, n, nil)
	for i := range n {
		q.Set(i, i, 1)
	}
	v, w := make([]float64, n), make([]float64, n)
	for k := n - 2; k >= 0; k-- {
		u := v[k:]
		fill(r, u)
		var norm float64
		for _, x := range u {
			norm += x * x
		}
		norm = math.Sqrt(norm)
		u[0] += math.Copysign(norm, u[0])
		var uu float64
		for _, x := range u {
			uu += x * x
		}
		for j := k; j < n; j++ {
			w[j] = 0
			for i, x := range u {
				w[j] += x * q.At(k+i, j)
			}
		}
		for i, x := range u {
			for j := k; j < n; j++ {
				q.Set(k+i, j, q.At(k+i, j)-2/uu*x*w[j])
			}
		}
	}
	// The reflections leave signs that are not random; they are drawn here.
	for i := range n {
		if r.IntN(2) == 0 {
			for j := range n {
				q.Set(i, j, -q.At(i, j))
			}
		}
	}
	return q
}

// Spectrum returns Q·diag(eigenvalues)·Qᵀ with a random orthogonal Q, and Q. The
// result is exactly symmetric.
func Spectrum(eigenvalues []float64, seed uint64) (a *mat.SymDense, q *mat.Dense) {
	n := len(eigenvalues)
	q = Orthogonal(n, seed)
	a = mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			var s float64
			for k, e := range eigenvalues {
				s += q.At(i, k) * e * q.At(j, k)
			}
			a.SetSym(i, j, s)
		}
	}
	return a, q
}

// Geometric returns n numbers from 1 down to 1/cond in equal ratios.
func Geometric(n int, cond float64) []float64 {
	e := make([]float64, n)
	for k := range e {
		e[k] = 1
		if n > 1 {
			e[k] = math.Pow(cond, -float64(k)/float64(n-1))
		}
	}
	return e
}

// SPD returns a symmetric positive definite n×n matrix with eigenvalues from 1
// down to 1/cond. It stays definite in spite of rounding for cond up to about
// 10¹².
func SPD(n int, cond float64, seed uint64) *mat.SymDense {
	a, _ := Spectrum(Geometric(n, cond), seed)
	return a
}

// LowRank returns the n×n positive semidefinite matrix G·Gᵀ/rank + noise·I,
// where G is n×rank and standard normal.
func LowRank(n, rank int, noise float64, seed uint64) *mat.SymDense {
	g := Normal(n, rank, seed)
	a := mat.NewSymDense(n, nil)
	a.SymOuterK(1/float64(rank), g)
	for i := range n {
		a.SetSym(i, i, a.At(i, i)+noise)
	}
	return a
}

// Blobs returns n points of k classes in d dimensions: Gaussians of standard
// deviation 1 around centers that are at least gap apart. With a gap of about 10
// a linear model separates them for d ≥ k−1; with gap 0 all points come from the
// same Gaussian. Row i has class i mod k.
func Blobs(n, d, k int, gap float64, seed uint64) (*mat.Dense, gram.Labels) {
	r := rng.New(seed, 3)
	// The centers are the origin and multiples of unit vectors if there are
	// enough of these, otherwise points on the first axis.
	center := func(c, j int) float64 {
		if d >= k-1 {
			if c == j+1 {
				return gap
			}
			return 0
		}
		if j == 0 {
			return gap * float64(c)
		}
		return 0
	}
	x := mat.NewDense(n, d, nil)
	y := gram.Labels{Class: make([]int, n), Names: make([]string, k)}
	for c := range k {
		y.Names[c] = strconv.Itoa(c)
	}
	for i := range n {
		y.Class[i] = i % k
		for j := range d {
			x.Set(i, j, center(i%k, j)+r.NormFloat64())
		}
	}
	return x, y
}

// Flip returns y after changing the class of the given fraction of the rows.
func Flip(y gram.Labels, fraction float64, seed uint64) gram.Labels {
	r := rng.New(seed, 4)
	out := gram.Labels{Class: make([]int, len(y.Class)), Names: y.Names}
	for i, c := range y.Class {
		if r.Float64() < fraction {
			c = (c + 1 + r.IntN(len(y.Names)-1)) % len(y.Names)
		}
		out.Class[i] = c
	}
	return out
}

// Linear returns a regression problem y = x·w + noise·N(0,1), where x and w are
// standard normal.
func Linear(n, d int, noise float64, seed uint64) (x *mat.Dense, y, w []float64) {
	r := rng.New(seed, 5)
	x, y, w = mat.NewDense(n, d, nil), make([]float64, n), make([]float64, d)
	fill(r, x.RawMatrix().Data)
	fill(r, w)
	for i := range y {
		for j, v := range x.RawRowView(i) {
			y[i] += v * w[j]
		}
		y[i] += noise * r.NormFloat64()
	}
	return x, y, w
}

// Smooth returns a regression problem that a linear model cannot solve. x is
// uniform on [−1,1]^d and y = sin(3·x·u) + ½cos(5·x·v) + noise·N(0,1) for two
// random unit vectors u and v.
func Smooth(n, d int, noise float64, seed uint64) (*mat.Dense, []float64) {
	r := rng.New(seed, 6)
	u, v := unit(r, d), unit(r, d)
	x, y := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range y {
		var a, b float64
		for j := range d {
			t := 2*r.Float64() - 1
			x.Set(i, j, t)
			a += t * u[j]
			b += t * v[j]
		}
		y[i] = math.Sin(3*a) + .5*math.Cos(5*b) + noise*r.NormFloat64()
	}
	return x, y
}

func unit(r *rand.Rand, d int) []float64 {
	u := make([]float64, d)
	fill(r, u)
	var s float64
	for _, x := range u {
		s += x * x
	}
	for j := range u {
		u[j] /= math.Sqrt(s)
	}
	return u
}

// Duplicates returns n rows drawn with replacement from the distinct rows of x,
// and their indices in x. x has at least as many rows as are drawn from.
func Duplicates(x *mat.Dense, n, distinct int, seed uint64) (*mat.Dense, []int) {
	r := rng.New(seed, 7)
	_, d := x.Dims()
	out, from := mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		from[i] = r.IntN(distinct)
		out.SetRow(i, x.RawRowView(from[i]))
	}
	return out, from
}

// Sparse returns an n×d matrix whose cells are standard normal with the
// probability density, and 0 otherwise.
func Sparse(n, d int, density float64, seed uint64) *sparse.CSR {
	r := rng.New(seed, 8)
	a := &sparse.CSR{N: n, D: d, Ptr: make([]int, 1, n+1), Col: []int32{}, Val: []float64{}}
	for range n {
		// The gaps between entries are geometric, so the cost is proportional to
		// the number of entries.
		for j := gap(r, density); j < d; j += 1 + gap(r, density) {
			a.Col = append(a.Col, int32(j))
			a.Val = append(a.Val, r.NormFloat64())
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	return a
}

// LinearTags returns n rows of d numbers, a third of them zero, and label sets that depend
// on them: a row has a label if a linear function of the row plus noise exceeds 1.
func LinearTags(n, d, labels int, seed uint64) (*mat.Dense, *sparse.CSR) {
	r := rng.New(seed, 0)
	x, w := mat.NewDense(n, d, nil), mat.NewDense(d, labels, nil)
	for j := range d {
		for l := range labels {
			w.Set(j, l, r.NormFloat64())
		}
	}
	for i := range n {
		for j := range d {
			if r.IntN(3) > 0 {
				x.Set(i, j, r.NormFloat64())
			}
		}
	}
	var s mat.Dense
	s.Mul(x, w)
	y := mat.NewDense(n, labels, nil)
	for i := range n {
		for l := range labels {
			if s.At(i, l)+r.NormFloat64() > 1 {
				y.Set(i, l, 1)
			}
		}
	}
	return x, sparse.FromDense(y)
}

// Tagged returns n sparse rows of d columns with k ones each, and a set of at
// most tags labels for each row. Every row has a topic, to which an equal share
// of the columns and of the labels belongs. Four fifths of the columns and
// labels of the row come from its topic, the first of them most often, and the
// rest from all. Repeated draws give one entry, so rows have somewhat fewer than
// k and tags entries.
func Tagged(n, d, k, labels, tags int, seed uint64) (x, y *sparse.CSR) {
	r := rng.New(seed, 0)
	draw := func(a *sparse.CSR, topic, topics, count int) {
		size := max(1, a.D/topics)
		lo := topic * a.D / topics
		begin := len(a.Col)
		for range count {
			j := r.IntN(a.D)
			if r.IntN(5) > 0 {
				u := r.Float64()
				j = min(lo+int(u*u*float64(size)), a.D-1)
			}
			a.Col = append(a.Col, int32(j))
		}
		row := a.Col[begin:]
		slices.Sort(row)
		a.Col = a.Col[:begin+len(slices.Compact(row))]
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	x = &sparse.CSR{N: n, D: d, Ptr: make([]int, 1, n+1), Col: make([]int32, 0, n*k)}
	y = &sparse.CSR{N: n, D: labels, Ptr: make([]int, 1, n+1), Col: make([]int32, 0, n*tags)}
	topics := max(1, min(d/max(50, 4*k), labels/max(50, 4*tags)))
	for range n {
		t := r.IntN(topics)
		draw(x, t, topics, k)
		draw(y, t, topics, tags)
	}
	return x, y
}

func gap(r *rand.Rand, p float64) int {
	if p >= 1 {
		return 0
	}
	if p <= 0 {
		return math.MaxInt32
	}
	return int(min(math.MaxInt32, math.Log(1-r.Float64())/math.Log1p(-p)))
}

// Strided returns x in a matrix whose rows are stride numbers apart, with NaN
// between the rows.
func Strided(x *mat.Dense, stride int) *mat.Dense {
	n, d := x.Dims()
	wide := mat.NewDense(n, stride, nil)
	for i := range n {
		row := wide.RawRowView(i)
		for j := range row {
			row[j] = math.NaN()
		}
		copy(row, x.RawRowView(i))
	}
	return wide.Slice(0, n, 0, d).(*mat.Dense)
}

// Opaque hides the type of x, so that only the methods of mat.Matrix are
// available.
func Opaque(x mat.Matrix) mat.Matrix { return opaqueKernel{x} }

type opaqueKernel struct{ mat.Matrix }

// HeavyTailed returns n rows of d log-normal columns, standardized, and targets from 0 to
// 99 that fall with the logarithms of the columns and fold over once: a few rows lie as
// many as √n standard deviations from the others, as in counts of what a computer does.
func HeavyTailed(n, d int, seed uint64) (*mat.Dense, []float64) {
	r := rng.New(seed, 0)
	x, y := mat.NewDense(n, d, nil), make([]float64, n)
	direction := unit(r, d)
	for i := range n {
		row := x.RawRowView(i)
		fill(r, row)
		var s float64
		for j, v := range row {
			s += v * direction[j]
			row[j] = math.Exp(v * (0.5 + 2*float64(j)/float64(d)))
		}
		y[i] = min(99, max(0, 60+40*math.Sin(s)+2*r.NormFloat64()))
	}
	for j := range d {
		column := mat.Col(nil, j, x)
		mean, sd := stat.MeanStdDev(column, nil)
		for i, v := range column {
			x.Set(i, j, (v-mean)/sd)
		}
	}
	return x, y
}
