package dataset

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

func newSet(name string, n, d int) (*Set, gram.Rows[float64]) {
	if n < 1 || d < 1 {
		panic("dataset: a generated set needs at least one row and one column")
	}
	x := mat.NewDense(n, d, nil)
	return &Set{Name: name, X: x}, gram.View(x)
}

func classNames(k int) []string {
	if k == 2 {
		return []string{"-1", "1"}
	}
	names := make([]string, k)
	for c := range names {
		names[c] = strconv.Itoa(c)
	}
	return names
}

// direction returns a random vector of the given length.
func direction(r *rand.Rand, d int, length float64) []float64 {
	u := make([]float64, d)
	var sum float64
	for j := range u {
		u[j] = r.NormFloat64()
		sum += u[j] * u[j]
	}
	for j := range u {
		u[j] *= length / math.Sqrt(sum)
	}
	return u
}

// G241c is the set of that name of [C06]: two isotropic Gaussians of
// variance 1 in 241 dimensions, their centers 2.5 apart in a random direction,
// one class each; all columns standardized. The book has n = 1500. The rows of
// the classes −1 and 1 alternate. The best possible error is Φ(−1.25) = 10.6 %.
//
// [C06] O. Chapelle, B. Schölkopf, A. Zien (eds.), Semi-Supervised
// Learning, MIT Press, chapter "Analysis of Benchmarks".
func G241c(n int, seed uint64) *Set {
	const d = 241
	s, x := newSet("g241c", n, d)
	r := rng.New(rng.Derive(seed, "g241c"), 0)
	shift := direction(r, d, 2.5)
	s.Labels = gram.Labels{Class: make([]int, n), Names: classNames(2)}
	for i := range n {
		s.Labels.Class[i] = i % 2
		row := x.Row(i)
		for j := range row {
			row[j] = r.NormFloat64()
			if i%2 == 1 {
				row[j] += shift[j]
			}
		}
	}
	return standardized(s)
}

// G241n is the counterpart of [C06] that has clusters which mislead
// (g241d in the book): the class 1 is two Gaussians whose centers are 6 apart
// in a random direction, each center of class −1 is 2.5 away from one of them
// in a random direction of its own. Standardized.
func G241n(n int, seed uint64) *Set {
	const d = 241
	s, x := newSet("g241n", n, d)
	r := rng.New(rng.Derive(seed, "g241n"), 0)
	centers := [4][]float64{1: make([]float64, d), 3: direction(r, d, 6)}
	for _, c := range []int{0, 2} {
		centers[c] = direction(r, d, 2.5)
		for j := range d {
			centers[c][j] += centers[c+1][j]
		}
	}
	s.Labels = gram.Labels{Class: make([]int, n), Names: classNames(2)}
	for i := range n {
		s.Labels.Class[i] = i % 2
		for j, c := range centers[i%4] {
			x.Row(i)[j] = c + r.NormFloat64()
		}
	}
	return standardized(s)
}

func standardized(s *Set) *Set {
	scale, err := Standardize(s.X)
	if err != nil {
		panic("dataset: generated data are not finite")
	}
	s.X = scale.Apply(s.X)
	return s
}

// Toy is one of the three one-dimensional regression problems of [S16]
// 3.3: x is drawn from an equal mixture of three Gaussians.
type Toy uint8

const (
	// Steps: means 0.5, 1.5, 2.5, standard deviation 0.2; f is 1, 1.5 and 2,
	// with jumps at 1 and 2.
	Steps Toy = iota
	// Bumps: the same x; f = exp(−0.1(x−c)²) with c the mean of the third,
	// bounded by 1 and 2, that x lies in.
	Bumps
	// Sine: means π/2, 3π/2, 3π, standard deviation 1; f = sin x.
	Sine
)

// Draw returns n rows with noise of standard deviation 0.05 on the value, and
// f(x) without the noise. The thesis takes 600 rows for training and 100 for
// the test.
//
// [S16] S. Si, Large-scale non-linear prediction with applications, PhD thesis, The
// University of Texas at Austin.
func (t Toy) Draw(n int, seed uint64) (s *Set, clean []float64) {
	s, x := newSet([...]string{"steps", "bumps", "sine"}[t], n, 1)
	r := rng.New(rng.Derive(seed, s.Name), 0)
	means, sd := [3]float64{.5, 1.5, 2.5}, .2
	if t == Sine {
		means, sd = [3]float64{math.Pi / 2, 3 * math.Pi / 2, 3 * math.Pi}, 1
	}
	s.Value, clean = make([]float64, n), make([]float64, n)
	for i := range n {
		v := means[r.IntN(3)] + sd*r.NormFloat64()
		x.Row(i)[0] = v
		clean[i] = t.F(v)
		s.Value[i] = clean[i] + .05*r.NormFloat64()
	}
	return s, clean
}

// F returns the value of f at x, without the noise that Draw adds.
func (t Toy) F(x float64) float64 {
	third := 0
	if x >= 1 {
		third++
	}
	if x >= 2 {
		third++
	}
	switch t {
	case Steps:
		return 1 + .5*float64(third)
	case Bumps:
		e := x - .5 - float64(third)
		return math.Exp(-.1 * e * e)
	}
	return math.Sin(x)
}

// Checkerboard returns n points, uniform on the unit square, whose class is the
// color of their field on a board of cells×cells; the label of a fraction
// noise of them is drawn anew.
func Checkerboard(n, cells int, noise float64, seed uint64) *Set {
	if cells < 1 {
		panic("dataset: a checkerboard needs a field")
	}
	s, x := newSet("checkerboard", n, 2)
	r := rng.New(rng.Derive(seed, "checkerboard"), 0)
	s.Labels = gram.Labels{Class: make([]int, n), Names: classNames(2)}
	for i := range n {
		a, b := r.Float64(), r.Float64()
		copy(x.Row(i), []float64{a, b})
		s.Labels.Class[i] = (int(a*float64(cells)) + int(b*float64(cells))) % 2
	}
	relabel(r, s, noise)
	return s
}

// relabel draws the class of a fraction of the rows anew.
func relabel(r *rand.Rand, s *Set, noise float64) {
	if !(noise >= 0 && noise <= 1) {
		panic("dataset: the noise is not in [0,1]")
	}
	for i := range s.Labels.Class {
		if r.Float64() < noise {
			s.Labels.Class[i] = r.IntN(len(s.Labels.Names))
		}
	}
}

// Rings returns n points on k concentric circles of radius 1, 2, …, k, one
// class each, with Gaussian noise of standard deviation noise on the radius.
func Rings(n, k int, noise float64, seed uint64) *Set {
	if k < 2 {
		panic("dataset: rings need two classes")
	}
	s, x := newSet("rings", n, 2)
	r := rng.New(rng.Derive(seed, "rings"), 0)
	s.Labels = gram.Labels{Class: make([]int, n), Names: classNames(k)}
	for i := range n {
		c := i % k
		sin, cos := math.Sincos(2 * math.Pi * r.Float64())
		radius := float64(c+1) + noise*r.NormFloat64()
		copy(x.Row(i), []float64{radius * cos, radius * sin})
		s.Labels.Class[i] = c
	}
	return s
}

// TwoSpirals returns n points on two interlocked spirals of three turns within
// the unit disc [LW88], one class each, with Gaussian noise of
// standard deviation noise on both coordinates.
//
// [LW88] K. Lang, M. Witbrock, Learning to tell two spirals
// apart, Proceedings of the Connectionist Models Summer School.
func TwoSpirals(n int, noise float64, seed uint64) *Set {
	s, x := newSet("spirals", n, 2)
	r := rng.New(rng.Derive(seed, "spirals"), 0)
	s.Labels = gram.Labels{Class: make([]int, n), Names: classNames(2)}
	for i := range n {
		c := i % 2
		t := math.Sqrt(r.Float64()) // uniform along the spiral, nearly
		sin, cos := math.Sincos(6*math.Pi*t + math.Pi*float64(c))
		copy(x.Row(i), []float64{t*cos + noise*r.NormFloat64(), t*sin + noise*r.NormFloat64()})
		s.Labels.Class[i] = c
	}
	return s
}

// Friedman1 returns the regression problem of [F91]: x uniform on
// [0,1]^d with d ≥ 5,
//
//	y = 10 sin(π x₁x₂) + 20 (x₃ − ½)² + 10 x₄ + 5 x₅ + noise·N(0,1)
//
// The paper has d = 10 and noise 1.
//
// [F91] J. Friedman, Multivariate adaptive regression splines, Annals
// of Statistics 19.
func Friedman1(n, d int, noise float64, seed uint64) *Set {
	if d < 5 {
		panic("dataset: Friedman's problem needs five columns")
	}
	s, x := newSet("friedman1", n, d)
	r := rng.New(rng.Derive(seed, "friedman1"), 0)
	s.Value = make([]float64, n)
	for i := range n {
		v := x.Row(i)
		for j := range v {
			v[j] = r.Float64()
		}
		s.Value[i] = 10*math.Sin(math.Pi*v[0]*v[1]) + 20*(v[2]-.5)*(v[2]-.5) + 10*v[3] + 5*v[4] + noise*r.NormFloat64()
	}
	return s
}

// SparseMultiLabel returns n sparse rows of d features with labels out of a set
// of labels. Label l is drawn with a probability that falls like 1/(l+2), 1 to 5
// labels a row; each label has ten characteristic features, half of which, on
// average, a row with the label has. One feature in six is noise. Values are
// 1 plus an exponential, like counts of words.
func SparseMultiLabel(n, d, labels int, seed uint64) *Set {
	if n < 1 || d < 10 || labels < 1 {
		panic("dataset: a multi-label set needs a row, ten columns and a label")
	}
	r := rng.New(rng.Derive(seed, "multilabel"), 0)
	words := make([][]int, labels)
	total := make([]float64, labels+1)
	for l := range labels {
		words[l] = r.Perm(d)[:10]
		total[l+1] = total[l] + 1/float64(l+2)
	}
	s := &Set{Name: "multilabel"}
	x := &sparse.CSR{N: n, D: d, Ptr: make([]int, 1, n+1), Val: []float64{}}
	tags := &sparse.CSR{N: n, D: labels, Ptr: make([]int, 1, n+1)}
	for range n {
		var own, features []int
		for range 1 + min(4, int(r.ExpFloat64()*1.5)) {
			l, _ := slices.BinarySearch(total[1:], r.Float64()*total[labels])
			own = append(own, min(l, labels-1))
		}
		slices.Sort(own)
		own = slices.Compact(own)
		for _, l := range own {
			tags.Col = append(tags.Col, int32(l))
			for _, j := range words[l] {
				if r.IntN(2) == 0 {
					features = append(features, j)
				}
			}
		}
		for range len(features)/5 + 1 {
			features = append(features, r.IntN(d))
		}
		slices.Sort(features)
		for _, j := range slices.Compact(features) {
			x.Col = append(x.Col, int32(j))
			x.Val = append(x.Val, 1+r.ExpFloat64())
		}
		x.Ptr = append(x.Ptr, len(x.Col))
		tags.Ptr = append(tags.Ptr, len(tags.Col))
	}
	s.X, s.Tags = x, tags
	return s
}
