package secular

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram/num/rng"
)

type problem struct {
	name string
	d, z []float64 // deflated, ‖z‖ = 1
}

// problems returns equations with even, clustered and graded poles and weights.
func problems(t *testing.T, n int) []problem {
	r := rng.New(3, 0)
	var out []problem
	for _, c := range []struct {
		name         string
		pole, weight func(i int) float64
	}{
		{"even poles", func(i int) float64 { return float64(i) }, func(int) float64 { return 1 }},
		{"random", func(int) float64 { return r.NormFloat64() }, func(int) float64 { return r.NormFloat64() }},
		{"clusters", func(i int) float64 { return float64(i/7) + 1e-12*float64(i) }, func(int) float64 { return r.NormFloat64() }},
		{"graded", func(i int) float64 { return math.Pow(10, -float64(i)/4) }, func(i int) float64 { return math.Pow(10, -float64(i%9)) }},
	} {
		d, z := make([]float64, n), make([]float64, n)
		for i := range n {
			d[i], z[i] = c.pole(i), c.weight(i)
		}
		slices.Sort(d)
		normalize(z)
		kept := Deflate(d, z, 1, func(int, int, float64, float64) {})
		p := problem{name: c.name}
		for _, k := range kept {
			p.d, p.z = append(p.d, d[k]), append(p.z, z[k])
		}
		if len(kept) < 2 {
			t.Fatalf("%s: %d poles are left", c.name, len(kept))
		}
		out = append(out, p)
	}
	return out
}

func normalize(z []float64) {
	var sum float64
	for _, v := range z {
		sum += v * v
	}
	for i := range z {
		z[i] /= math.Sqrt(sum)
	}
}

// TestBisection finds the roots without a rational step, as happens when those do not
// converge.
func TestBisection(t *testing.T) {
	const n = 50
	for _, p := range problems(t, n) {
		s := newEquation(p.d, p.z, 1)
		const bound = 80 // decades by square roots, then 53 bits
		for j := range p.d {
			s.steps = maxSteps
			o, tau, _ := s.root(j)
			want := s.d[o] + tau
			s.steps = 0
			o, tau, evals := s.root(j)
			if got := s.d[o] + tau; !(math.Abs(got-want) <= 10*n*0x1p-52*(math.Abs(want)+s.reach)) || evals > bound {
				t.Errorf("%s: root %d is %g after %d evaluations, want %g", p.name, j, got, evals, want)
			}
		}
	}
}

// The roots of small equations with poles and weights of all sizes lie between their poles,
// also where a rational step leads away.
func TestRootsLieBetweenPoles(t *testing.T) {
	r := rng.New(9, 0)
	for range 3000 {
		n := 2 + r.IntN(12)
		d, z := make([]float64, n), make([]float64, n)
		for i := range d {
			d[i] = math.Ldexp(r.NormFloat64(), -r.IntN(1+r.IntN(50)))
			z[i] = math.Ldexp(r.NormFloat64(), -r.IntN(1+r.IntN(50)))
		}
		slices.Sort(d)
		normalize(z)
		var pole, weight []float64
		for _, k := range Deflate(d, z, 1, func(int, int, float64, float64) {}) {
			pole, weight = append(pole, d[k]), append(weight, z[k])
		}
		s := newEquation(pole, weight, 1)
		for j, pole := range s.d {
			above := pole + 2*s.reach
			if j+1 < len(s.d) {
				above = s.d[j+1]
			}
			if o, tau, _ := s.root(j); !(s.d[o]+tau >= pole && s.d[o]+tau <= above) {
				t.Fatalf("root %d of poles %v and weights %v is %g", j, s.d, s.z2, s.d[o]+tau)
			}
		}
	}
}

// TestSolve checks that the pairs are those of the deflated matrix, for any number of
// workers.
func TestSolve(t *testing.T) {
	for _, p := range problems(t, 70) {
		k := len(p.d)
		var first *Pairs
		for _, workers := range []int{1, 3} {
			got := Solve(slices.Clone(p.d), slices.Clone(p.z), 1, workers)
			if got.Len() != k {
				t.Fatalf("%s: %d pairs of %d", p.name, got.Len(), k)
			}
			if first == nil {
				first = got
			} else if !slices.Equal(got.tau, first.tau) || !slices.Equal(got.origin, first.origin) || !slices.Equal(got.scale, first.scale) || !slices.Equal(got.weight, first.weight) {
				t.Errorf("%s: other bits with %d workers", p.name, workers)
			}
		}
		if e := first.Evaluations(); e < 2*k || e > 5*k {
			t.Errorf("%s: %d evaluations for %d roots", p.name, e, k)
		}
		v := make([][]float64, k) // v[i][j]: component i of eigenvector j
		for i := range v {
			v[i] = make([]float64, k)
			first.Row(v[i], i, 0)
			if tail := make([]float64, k-1); k > 1 {
				if first.Row(tail, i, 1); !slices.Equal(tail, v[i][1:]) {
					t.Errorf("%s: row %d from its second element on differs", p.name, i)
				}
			}
		}
		tol := 20 * float64(k) * 0x1p-52
		for j := range k {
			var zv float64
			for i := range k {
				zv += p.z[i] * v[i][j]
			}
			for i := range k {
				if res := p.d[i]*v[i][j] + p.z[i]*zv - first.Value(j)*v[i][j]; !(math.Abs(res) <= tol*(1+math.Abs(first.Value(j)))) {
					t.Fatalf("%s: residual of pair %d at %d is %g", p.name, j, i, res)
				}
			}
			for l := range j + 1 {
				var dot float64
				for i := range k {
					dot += v[i][j] * v[i][l]
				}
				if want := map[bool]float64{true: 1}[l == j]; !(math.Abs(dot-want) <= tol) {
					t.Fatalf("%s: product of eigenvectors %d and %d is %g", p.name, j, l, dot)
				}
			}
			if v := first.Value(j); !(v >= p.d[j]) || j+1 < k && !(v <= p.d[j+1]) {
				t.Errorf("%s: eigenvalue %d, %g, does not lie between its poles", p.name, j, v)
			}
		}
	}
}

// Deflate drops components that are negligible beside the matrix, and one of two poles that
// are nearly equal, whose component the other takes over. The rotations that it reports
// take the old vector to the new one.
func TestDeflate(t *testing.T) {
	const small = 0x1p-52
	for _, c := range []struct {
		d, z   []float64
		rho    float64
		kept   []int
		turned int
	}{
		{[]float64{1, 2, 3}, []float64{.6, 0, .8}, 1, []int{0, 2}, 0},
		{[]float64{1, 2, 3}, []float64{0, 1, 0}, 1, []int{1}, 0},
		{[]float64{1, 2, 3}, []float64{.6, small / 2, .8}, 1, []int{0, 2}, 0},
		{[]float64{1, 2, 3}, []float64{.6, 100 * small, .8}, 1, []int{0, 1, 2}, 0},
		{[]float64{1, 2, 3}, []float64{.6, small / 2, .8}, 1e-3, []int{0, 2}, 0},
		{[]float64{1, 2, 2, 3}, []float64{.5, .5, .5, .5}, 1, []int{0, 2, 3}, 1},
		{[]float64{1, 2, 2 + small, 3}, []float64{.5, .5, -.5, .5}, 1, []int{0, 2, 3}, 1},
		{[]float64{2, 2, 2, 2}, []float64{.5, -.5, .5, .5}, 1, []int{3}, 3},
		{[]float64{1, 2, 2, 3}, []float64{.5, .5, 0, .5}, 1, []int{0, 1, 3}, 0},
		{[]float64{0, 1e-3, 1}, []float64{.6, .6, .5}, 1e-20, nil, 0},
		{nil, nil, 1, nil, 0},
	} {
		d, z := slices.Clone(c.d), slices.Clone(c.z)
		w, e := slices.Clone(c.z), slices.Clone(c.d)
		turned := 0
		kept := Deflate(d, z, c.rho, func(p, q int, co, si float64) {
			turned++
			w[p], w[q] = co*w[p]+si*w[q], co*w[q]-si*w[p]
			e[p], e[q] = co*co*e[p]+si*si*e[q], co*co*e[q]+si*si*e[p]
		})
		if !slices.Equal(kept, c.kept) || turned != c.turned {
			t.Errorf("poles %v, weights %v: %v are kept after %d rotations, want %v after %d", c.d, c.z, kept, turned, c.kept, c.turned)
		}
		for i := range d {
			if !(math.Abs(w[i]-z[i]) < 1e-15) || !(math.Abs(e[i]-d[i]) < 1e-15*(1+math.Abs(d[i]))) {
				t.Errorf("poles %v, weights %v: place %d has %g and %g, the rotations give %g and %g", c.d, c.z, i, d[i], z[i], e[i], w[i])
			}
		}
	}
}

// TestLeft: with the right vectors of Solve, the left ones decompose the matrix with
// first row ẑ and the roots of the poles below it.
func TestLeft(t *testing.T) {
	for _, p := range problems(t, 60) {
		// poles that are squares, the first of them 0
		k := len(p.d)
		d, poles := make([]float64, k), make([]float64, k)
		for i := range d {
			d[i] = (p.d[i] - p.d[0]) / (p.d[k-1] - p.d[0])
			poles[i] = d[i] * d[i]
		}
		z := slices.Clone(p.z)
		right := Solve(poles, z, 1, 2)
		left := right.Left(d, 2)
		u, v := make([][]float64, k), make([][]float64, k)
		for i := range k {
			u[i], v[i] = make([]float64, k), make([]float64, k)
			left.Row(u[i], i, 0)
			right.Row(v[i], i, 0)
		}
		tol := 20 * float64(k) * 0x1p-52
		for j := range k {
			sigma := math.Sqrt(right.Value(j))
			var first float64
			for i := range k {
				first += z[i] * v[i][j]
				if i > 0 && !(math.Abs(d[i]*v[i][j]-sigma*u[i][j]) <= tol) {
					t.Fatalf("%s: row %d of vectors %d: %g and %g", p.name, i, j, d[i]*v[i][j], sigma*u[i][j])
				}
			}
			if !(math.Abs(first-sigma*u[0][j]) <= tol) {
				t.Fatalf("%s: first row of vectors %d: %g and %g", p.name, j, first, sigma*u[0][j])
			}
			for l := range j + 1 {
				var dot float64
				for i := range k {
					dot += u[i][j] * u[i][l]
				}
				if want := map[bool]float64{true: 1}[l == j]; !(math.Abs(dot-want) <= tol) {
					t.Fatalf("%s: product of left vectors %d and %d is %g", p.name, j, l, dot)
				}
			}
		}
	}
}
