package approx

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/predict"
	"gonum.org/v1/gonum/mat"
)

// loss returns ‖f − f̃‖² for the projection f̃ of the machine on the span of the K(·,z).
func loss(t *testing.T, m predict.Machine, z *mat.Dense) float64 {
	t.Helper()
	matrix := func(a, b *mat.Dense) *mat.Dense {
		n, _ := a.Dims()
		s, _ := b.Dims()
		k := mat.NewDense(n, s, nil)
		for i := range n {
			for j := range s {
				k.Set(i, j, m.Kernel.Eval(a.RawRowView(i), b.RawRowView(j)))
			}
		}
		return k
	}
	n, _ := z.Dims()
	var values, all, own, best, rest mat.Dense
	values.Mul(matrix(m.Points, m.Points), m.Coef)
	all.Mul(m.Coef.T(), &values)
	own.Mul(matrix(z, m.Points), m.Coef)
	k := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range n {
			k.SetSym(i, j, m.Kernel.Eval(z.RawRowView(i), z.RawRowView(j)))
		}
		k.SetSym(i, i, 1+1e-12)
	}
	var chol mat.Cholesky
	if !chol.Factorize(k) || chol.SolveTo(&best, &own) != nil {
		t.Fatal("the points are dependent")
	}
	rest.Mul(own.T(), &best)
	return mat.Trace(&all) - mat.Trace(&rest)
}

// Every further point of a reduced set makes the machine's projection on them nearer to the
// machine; the first are nearer than as many k-means centers.
func TestReducedSet(t *testing.T) {
	for _, k := range []int{1, 3} {
		m := machine(kernel.Gaussian{Gamma: .15}, 120, 4, k)
		z := must.Have(newReducer(m).points(t.Context(), 20))(t)
		if n, _ := z.Dims(); n != 20 {
			t.Fatalf("%d points", n)
		}
		last := math.Inf(1)
		for n := 1; n <= 20; n++ {
			got := loss(t, m, z.Slice(0, n, 0, 4).(*mat.Dense))
			if !(got < last) {
				t.Errorf("%d functions: %d points lose %g, one less %g", k, n, got, last)
			}
			if last = got; n != 5 && n != 10 {
				continue
			}
			c := nystrom.Config{Kernel: m.Kernel, Landmarks: landmark.KMeans{}, M: n}
			features := must.Have(c.FitWeighted(t.Context(), m.Points, mass(m)))(t)
			if centers := loss(t, m, features.Landmarks()); !(got < centers) {
				t.Errorf("%d functions: %d points lose %g, centers %g", k, n, got, centers)
			}
		}
	}
	// A machine of two points that are far from each other is its own reduced set.
	m := machine(kernel.Gaussian{Gamma: 1}, 2, 3, 1)
	m.Points.SetRow(1, []float64{9, 9, 9})
	z, err := newReducer(m).points(t.Context(), 2)
	if err != nil || !(loss(t, m, z) < 1e-9*mass(m)[0]) {
		t.Errorf("the reduced set of two points is %v, %v", z, err)
	}
	// There are no more points than the span has dimensions.
	m.Points.SetRow(1, m.Points.RawRowView(0))
	z = must.Have(newReducer(m).points(t.Context(), 2))(t)
	if n, _ := z.Dims(); n != 1 {
		t.Errorf("%d points for two that are equal", n)
	}
}

// The points are local maxima of the squared rest: no step in any direction makes it larger
// by more than the iteration leaves.
func TestClimb(t *testing.T) {
	m := machine(kernel.Gaussian{Gamma: .2}, 40, 3, 2)
	r := newReducer(m)
	must.Have(r.points(t.Context(), 4))(t)
	height := func(z []float64) float64 {
		var sum float64
		for f := range 2 {
			var v float64
			for j := range 40 {
				v += m.Coef.At(j, f) * m.Kernel.Eval(m.Points.RawRowView(j), z)
			}
			for j := range 4 {
				v -= r.coef.At(j, f) * m.Kernel.Eval(r.z.RawRowView(j), z)
			}
			sum += v * v
		}
		return sum
	}
	start := []float64{.3, -.2, .5}
	z := r.climb(t.Context(), start, 4)
	if !(height(z) > height(start)) {
		t.Fatalf("from %g to %g", height(start), height(z))
	}
	for j := range z {
		for _, h := range []float64{-.05, .05} {
			moved := append([]float64(nil), z...)
			moved[j] += h
			if !(height(moved) < height(z)*(1+1e-3)) {
				t.Errorf("a step of %g in column %d climbs from %g to %g", h, j, height(z), height(moved))
			}
		}
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if z := r.climb(canceled, start, 4); !slices.Equal(z, start) {
		t.Errorf("a search that was canceled goes on to %v", z)
	}
}

// The memory of the search is checked to the byte before anything is done.
func TestReducedLimit(t *testing.T) {
	const n, d, k, size = 90, 3, 2, 7
	p := problem(machine(kernel.Gaussian{Gamma: .1}, n, d, k), 50, 20)
	// The points and their norms, the starts with the rests there, and the points that are
	// found with their coefficients, rests and factor.
	need := int64(8 * (n*(d+1) + min(n, maxStarts)*(d+2*k) + size*(2*d+3*k+size)))
	p.MemoryLimit = need - 1
	var memory *gram.MemoryError
	if _, err := fitReduced(t.Context(), p, size); !errors.As(err, &memory) || memory.Need != need {
		t.Errorf("a byte too little: %v, want %d bytes", err, need)
	}
	p.MemoryLimit = 0
	if _, err := fitReduced(t.Context(), p, size); err != nil {
		t.Error(err)
	}
}
