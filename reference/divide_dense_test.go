package reference_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Dense references: matrices and problems written down as they are defined, without the
// module's own products, factors and solvers.

// agree is a case: what a method computes is within 10⁻⁸ of the largest entry of what the
// definition says.
func agree(t *testing.T, name string, got, want mat.Matrix) {
	t.Helper()
	agreeWithin(t, name, got, want, 1e-8)
}

func agreeWithin(t *testing.T, name string, got, want mat.Matrix, tol float64) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Helper()
		n, d := want.Dims()
		if r, c := got.Dims(); r != n || c != d {
			t.Fatalf("%d×%d, want %d×%d", r, c, n, d)
		}
		var most, off float64
		for i := range n {
			for j := range d {
				most = max(most, math.Abs(want.At(i, j)))
				if e := math.Abs(got.At(i, j) - want.At(i, j)); !(e <= off) { // NaN too
					off = e
				}
			}
		}
		if !(off <= tol*most) {
			t.Errorf("off by %g, the largest entry is %g\n got %v\nwant %v", off, most, mat.Formatted(got, mat.Excerpt(4)), mat.Formatted(want, mat.Excerpt(4)))
		}
	})
}

// column is v as an n×1 matrix.
func column(v []float64) *mat.Dense { return mat.NewDense(len(v), 1, v) }

// scalar is v as a 1×1 matrix.
func scalar(v float64) *mat.Dense { return column([]float64{v}) }

// normal is an n×d matrix of normal numbers with that standard deviation.
func normal(seed uint64, n, d int, sd float64) *mat.Dense {
	r := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, sd*r.NormFloat64())
		}
	}
	return x
}

// groups is n rows of d numbers around c centers, row i at center i mod c, and the centers'
// numbers.
func groups(seed uint64, n, d, c int) (*mat.Dense, []int) {
	x, centers, label := normal(seed, n, d, 0.6), normal(seed+100, c, d, 2), make([]int, n)
	for i := range n {
		label[i] = i % c
		for j := range d {
			x.Set(i, j, x.At(i, j)+centers.At(i%c, j))
		}
	}
	return x, label
}

// target is a smooth function of the rows with a little noise.
func target(seed uint64, x *mat.Dense) []float64 {
	n, _ := x.Dims()
	r := rand.New(rand.NewPCG(seed, 2))
	y := make([]float64, n)
	for i := range y {
		for j, v := range x.RawRowView(i) {
			y[i] += math.Sin(v + float64(j))
		}
		y[i] += 0.1*r.NormFloat64() + 1
	}
	return y
}

// signs are two classes, positive where v is above its mean, and ±1 for them.
func signs(v []float64) (gram.Labels, []float64) {
	var mean float64
	for _, a := range v {
		mean += a / float64(len(v))
	}
	y, s := gram.Labels{Class: make([]int, len(v)), Names: []string{"no", "yes"}}, make([]float64, len(v))
	for i, a := range v {
		s[i] = -1
		if a > mean {
			y.Class[i], s[i] = 1, 1
		}
	}
	return y, s
}

// gramMatrix is K(X,Z), value by value.
func gramMatrix(k kernel.Kernel, x, z *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	m, _ := z.Dims()
	g := mat.NewDense(n, m, nil)
	for i := range n {
		for j := range m {
			var squares, sum, inner float64
			for c, a := range x.RawRowView(i) {
				b := z.At(j, c)
				squares += (a - b) * (a - b)
				sum += math.Abs(a - b)
				inner += a * b
			}
			var v float64
			switch k := k.(type) {
			case kernel.Gaussian:
				v = math.Exp(-k.Gamma * squares)
			case kernel.Laplacian:
				v = math.Exp(-k.Gamma * sum)
			case kernel.Polynomial:
				v = math.Pow(inner+k.Offset, float64(k.Degree))
			case kernel.Linear:
				v = inner
			default:
				panic(fmt.Sprintf("no definition of %T", k))
			}
			g.Set(i, j, v)
		}
	}
	return g
}

// times is the product of matrices.
func times(a ...mat.Matrix) *mat.Dense {
	p := mat.DenseCopyOf(a[0])
	for _, b := range a[1:] {
		var q mat.Dense
		q.Mul(p, b)
		p = &q
	}
	return p
}

func sum(a ...mat.Matrix) *mat.Dense {
	s := mat.DenseCopyOf(a[0])
	for _, b := range a[1:] {
		s.Add(s, b)
	}
	return s
}

func scaled(f float64, a mat.Matrix) *mat.Dense {
	var s mat.Dense
	s.Scale(f, a)
	return &s
}

func identity(n int) *mat.Dense { return diagonal(constant(n, 1)) }

func constant(n int, v float64) []float64 {
	a := make([]float64, n)
	for i := range a {
		a[i] = v
	}
	return a
}

func diagonal(v []float64) *mat.Dense {
	d := mat.NewDense(len(v), len(v), nil)
	for i, a := range v {
		d.Set(i, i, a)
	}
	return d
}

// solution is A⁻¹B.
func solution(a, b mat.Matrix) *mat.Dense {
	var x mat.Dense
	if err := x.Solve(a, b); err != nil {
		panic(err)
	}
	return &x
}

// spectral is Σ f(λ_j)·v_jv_jᵀ over the eigenpairs of a symmetric matrix, j counting from
// the largest value.
func spectral(a mat.Matrix, f func(j int, v float64) float64) *mat.Dense {
	n, _ := a.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			s.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		panic("no eigenvalues")
	}
	var v mat.Dense
	e.VectorsTo(&v)
	values := e.Values(nil)
	for j := range values {
		values[j] = f(n-1-j, values[j])
	}
	return times(&v, diagonal(values), v.T())
}

// bestRank is the pseudo-inverse of the best approximation of rank k.
func bestRank(w mat.Matrix, k int) *mat.Dense {
	return spectral(w, func(j int, v float64) float64 {
		if j < k {
			return 1 / v
		}
		return 0
	})
}

// pseudoInverse is A† by its singular values, without those below the cut relative to the
// largest.
func pseudoInverse(a mat.Matrix, cut float64) *mat.Dense {
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		panic("no singular values")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	s := svd.Values(nil)
	for j := len(s) - 1; j >= 0; j-- {
		if s[j] > cut*s[0] {
			s[j] = 1 / s[j]
		} else {
			s[j] = 0
		}
	}
	return times(&v, diagonal(s), u.T())
}

// pick is the rows of x with the given indices.
func pick(x *mat.Dense, index []int) *mat.Dense {
	_, d := x.Dims()
	y := mat.NewDense(len(index), d, nil)
	for k, i := range index {
		y.SetRow(k, x.RawRowView(i))
	}
	return y
}

// pickOf is the entries of v with the given indices.
func pickOf[T any](v []T, index []int) []T {
	var out []T
	for _, i := range index {
		out = append(out, v[i])
	}
	return out
}

// members are the rows of each of c parts.
func members(label []int, c int) [][]int {
	of := make([][]int, c)
	for i, l := range label {
		of[l] = append(of[l], i)
	}
	return of
}

// square is ‖x−z‖².
func square(x, z []float64) float64 {
	var s float64
	for j, v := range x {
		s += (v - z[j]) * (v - z[j])
	}
	return s
}

// nearestOf is the first row of centers that is nearest to x.
func nearestOf(x []float64, centers *mat.Dense) int {
	k, _ := centers.Dims()
	at := 0
	for c := range k {
		if square(x, centers.RawRowView(c)) < square(x, centers.RawRowView(at)) {
			at = c
		}
	}
	return at
}

// meansOf are the means of the rows of each part.
func meansOf(x *mat.Dense, label []int, c int) *mat.Dense {
	_, d := x.Dims()
	m := mat.NewDense(c, d, nil)
	for l, of := range members(label, c) {
		for _, i := range of {
			for j := range d {
				m.Set(l, j, m.At(l, j)+x.At(i, j)/float64(len(of)))
			}
		}
	}
	return m
}

// ridgeOf solves kernel ridge regression on a kernel matrix g and returns the values on
// rows with the kernel values at against those of g: weights w (nil: ones), with or without
// a constant that is not penalized.
func ridgeOf(g *mat.Dense, y, w []float64, lambda float64, bias bool, at *mat.Dense) *mat.Dense {
	n := len(y)
	if w == nil {
		w = constant(n, 1)
	}
	// (W·G+λI)α + W·1·b = W·y, 1ᵀα = 0.
	a, right := mat.NewDense(n+1, n+1, nil), mat.NewDense(n+1, 1, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, w[i]*g.At(i, j))
		}
		a.Set(i, i, a.At(i, i)+lambda)
		right.Set(i, 0, w[i]*y[i])
		if bias {
			a.Set(i, n, w[i])
			a.Set(n, i, 1)
		}
	}
	if !bias {
		a.Set(n, n, 1)
	}
	s := solution(a, right)
	f := times(at, s.Slice(0, n, 0, 1))
	for i := range f.RawMatrix().Rows {
		f.Set(i, 0, f.At(i, 0)+s.At(n, 0))
	}
	return f
}

// dualOf solves min ½βᵀKβ − yᵀβ + ε·Σ|β_i|, lower ≤ β ≤ upper, and Σβ = 0 with a bias, by
// moving one variable, or with a bias every pair of variables, to its best place until
// nothing moves. It returns β, the value and, with a bias, the constant.
func dualOf(k *mat.Dense, y, lower, upper []float64, epsilon float64, bias bool) (beta []float64, value, b float64) {
	n := len(y)
	beta = make([]float64, n)
	g := make([]float64, n) // y − Kβ
	copy(g, y)
	move := func(i int, by float64) {
		beta[i] += by
		for q := range n {
			g[q] -= by * k.At(q, i)
		}
	}
	// best returns the step t in [lo,hi] with the least ½ct² − rt + ε·Σ|β+s·t|.
	best := func(c, r, lo, hi float64, kinks ...[2]float64) float64 {
		value := func(t float64) float64 {
			v := c*t*t/2 - r*t
			for _, p := range kinks {
				v += epsilon * math.Abs(p[0]+p[1]*t)
			}
			return v
		}
		tries := []float64{0, lo, hi}
		for _, s := range []float64{-2, 0, 2} {
			tries = append(tries, min(hi, max(lo, (r+s*epsilon)/c)))
		}
		if len(kinks) == 1 {
			tries = append(tries, min(hi, max(lo, (r-epsilon)/c)), min(hi, max(lo, (r+epsilon)/c)))
		}
		for _, p := range kinks {
			tries = append(tries, min(hi, max(lo, -p[0]/p[1])))
		}
		at := 0.0
		for _, t := range tries {
			if value(t) < value(at) {
				at = t
			}
		}
		return at
	}
	for range 20000 {
		var moved float64
		for i := range n {
			if !bias {
				t := best(k.At(i, i), g[i], lower[i]-beta[i], upper[i]-beta[i], [2]float64{beta[i], 1})
				move(i, t)
				moved = max(moved, math.Abs(t))
				continue
			}
			for j := range i {
				lo, hi := max(lower[i]-beta[i], beta[j]-upper[j]), min(upper[i]-beta[i], beta[j]-lower[j])
				c := k.At(i, i) + k.At(j, j) - 2*k.At(i, j)
				t := best(c, g[i]-g[j], lo, hi, [2]float64{beta[i], 1}, [2]float64{beta[j], -1})
				move(i, t)
				move(j, -t)
				moved = max(moved, math.Abs(t))
			}
		}
		if moved < 1e-15 {
			break
		}
	}
	for i := range n {
		value += -beta[i]*(y[i]+g[i])/2 + epsilon*math.Abs(beta[i])
	}
	if bias {
		// Between the rates of raising and of lowering.
		low, high := math.Inf(-1), math.Inf(1)
		for i, v := range beta {
			up, down := g[i]-epsilon, g[i]+epsilon
			if v > 0 {
				down = up
			} else if v < 0 {
				up = down
			}
			if v < upper[i] {
				low = max(low, up)
			}
			if v > lower[i] {
				high = min(high, down)
			}
		}
		b = (low + high) / 2
	}
	return beta, value, b
}
