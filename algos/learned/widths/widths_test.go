package widths

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

var kernels = []kernel.Kernel{
	kernel.Gaussian{Gamma: .7}, kernel.Matern{Nu: .5, Length: 1.5}, kernel.Matern{Nu: 1.5, Length: .8}, kernel.Matern{Nu: 2.5, Length: 1},
	kernel.RationalQuadratic{Alpha: 1, Length: 1.2}, kernel.RationalQuadratic{Alpha: .4, Length: .9}, sum, product,
}

var (
	product, _ = kernel.ProductOf(kernel.Matern{Nu: 1.5, Length: 3}, kernel.Gaussian{Gamma: .2}, kernel.RationalQuadratic{Alpha: 1, Length: 2})
	sum, _     = kernel.SumOf([]float64{.5, 2, 1}, kernel.Gaussian{Gamma: .7}, kernel.Matern{Nu: 2.5, Length: 4}, product)
)

// wavy returns n rows of d standard normal numbers, of which the first two decide about t targets.
func wavy(seed uint64, n, d, t int) (*mat.Dense, *mat.Dense) {
	r := rng.New(seed, 0)
	x, y := mat.NewDense(n, d, nil), mat.NewDense(n, t, nil)
	for i := range n {
		for c := range d {
			x.Set(i, c, r.NormFloat64())
		}
		for k := range t {
			y.Set(i, k, math.Sin(2*x.At(i, 0)+float64(k))+.6*math.Cos(2*x.At(i, min(1, d-1)))+.1*r.NormFloat64()+5)
		}
	}
	return x, y
}

// dense returns the covariance of the parameters at, by the definition of the kernel.
func (p *problem) dense(at []float64) *mat.Dense {
	n, d := p.x.Dims()
	a, c := mat.NewDense(n, d, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for k := range d {
			a.Set(i, k, p.x.At(i, k)*math.Exp(at[1+k]))
		}
	}
	for i := range n {
		for j := range n {
			c.Set(i, j, p.kernel.Eval(a.RawRowView(i), a.RawRowView(j)))
		}
		c.Set(i, i, c.At(i, i)+(leastLambda+math.Exp(at[0]))*p.noise(i))
	}
	return c
}

// definition computes the criterion by inverses.
func (p *problem) definition(t *testing.T, at []float64) float64 { return p.likelihood(t, p.dense(at)) }

// likelihood computes the criterion for the covariance c.
func (p *problem) likelihood(t *testing.T, c *mat.Dense) float64 {
	n, outputs := p.y.Dims()
	var inverse mat.Dense
	must.Do(t, inverse.Inverse(c))
	free := float64(n)
	determinant, _ := mat.LogDet(c)
	if p.bias {
		ones := mat.NewVecDense(n, nil)
		for i := range n {
			ones.SetVec(i, 1)
		}
		var s mat.VecDense
		s.MulVec(&inverse, ones)
		sum := mat.Dot(&s, ones)
		inverse.RankOne(&inverse, -1/sum, &s, &s)
		free--
		determinant += math.Log(sum)
	}
	var alpha mat.Dense
	alpha.Mul(&inverse, p.y)
	var likelihood, off, total float64
	for k := range outputs {
		q := mat.Dot(alpha.ColView(k), p.y.ColView(k))
		a := q / free
		likelihood += -.5 * (free*math.Log(2*math.Pi*a) + determinant + q/a)
		for i := range n {
			e := alpha.At(i, k) / inverse.At(i, i)
			off += e * e / p.noise(i)
		}
	}
	for i := range n {
		total += 1 / p.noise(i)
	}
	if p.criterion == LeaveOneOut {
		return -.5 * float64(n) * math.Log(off/total)
	}
	return likelihood
}

// Every criterion has the value of its definition, and the gradient of central differences, for every kernel, more
// rows than a block, several outputs and weights.
func TestGradient(t *testing.T) {
	x, y := wavy(3, 150, 3, 2)
	w := make([]float64, 150)
	for i := range w {
		w[i] = .5 + float64(i%4)
	}
	for _, k := range kernels {
		for _, criterion := range []Criterion{Likelihood, LeaveOneOut} {
			for _, plain := range []bool{false, true} {
				c := Config{Kernel: k, Criterion: criterion, NoBias: plain, Rows: 1000}
				weights := w
				if plain {
					weights = nil
				}
				p := must.Have(c.problem(gram.Of(x), y, weights))(t)
				at := []float64{math.Log(.2), .3, -.4, -1.2}
				v, grad := must.Have2(p.value(t.Context(), at, true))(t)
				name := fmt.Sprint(k, criterion, plain)
				if want := p.definition(t, at); !(math.Abs(v-want) <= 1e-7*math.Abs(want)) {
					t.Errorf("%s: %v, want %v", name, v, want)
				}
				if only, _, err := p.value(t.Context(), at, false); err != nil || only != v {
					t.Errorf("%s: %v without the gradient, want %v (%v)", name, only, v, err)
				}
				for i := range at {
					const h = 1e-4
					var side [2]float64
					for s, sign := range []float64{1, -1} {
						moved := append([]float64(nil), at...)
						moved[i] += sign * h
						side[s], _ = must.Have2(p.value(t.Context(), moved, false))(t)
					}
					if want := (side[0] - side[1]) / (2 * h); !(math.Abs(grad[i]-want) <= 1e-5*(1+math.Abs(want))) {
						t.Errorf("%s: derivative %d is %v, want %v", name, i, grad[i], want)
					}
				}
			}
		}
	}
}

// The leave-one-out error is that of fits that leave out a row.
func TestLeaveOneOut(t *testing.T) {
	x, y := wavy(5, 12, 2, 1)
	p := must.Have(Config{Kernel: kernels[0], Criterion: LeaveOneOut, NoBias: true, Rows: 100}.problem(gram.Of(x), y, nil))(t)
	at := []float64{math.Log(.3), 0, 0}
	c := p.dense(at)
	var off float64
	for i := range 12 {
		keep := make([]int, 0, 11)
		for j := range 12 {
			if j != i {
				keep = append(keep, j)
			}
		}
		less, rhs := mat.NewDense(11, 11, nil), mat.NewVecDense(11, nil)
		for a, j := range keep {
			rhs.SetVec(a, p.y.At(j, 0))
			for b, k := range keep {
				less.Set(a, b, c.At(j, k))
			}
		}
		var alpha mat.VecDense
		must.Do(t, alpha.SolveVec(less, rhs))
		e := p.y.At(i, 0)
		for a, j := range keep {
			e -= c.At(i, j) * alpha.AtVec(a)
		}
		off += e * e / 12
	}
	v, _, err := p.value(t.Context(), at, false)
	if want := -6 * math.Log(off); err != nil || !(math.Abs(v-want) <= 1e-9*math.Abs(want)) {
		t.Errorf("%v, want %v (%v)", v, want, err)
	}
}

// A column of noise gets a wide width, and the criterion never decreases.
func TestRelevance(t *testing.T) {
	algotest.Serial(t)
	x, y := wavy(7, 200, 5, 1)
	for _, k := range []kernel.Kernel{kernels[0], kernels[1], kernels[4]} {
		for _, criterion := range []Criterion{Likelihood, LeaveOneOut} {
			got := must.Have(Config{Kernel: k, Criterion: criterion}.Learn(t.Context(), x, y, nil))(t)
			s := got.Kernel.Scale()
			for c := 2; c < 5; c++ {
				if !(s[c] < .2*min(s[0], s[1])) {
					t.Errorf("%v, %v: factors %.3f", k, criterion, s)
					break
				}
			}
			for i := 1; i < len(got.Stats.Criterion); i++ {
				if got.Stats.Criterion[i] < got.Stats.Criterion[i-1] {
					t.Errorf("%v, %v: step %d lowers the criterion: %v", k, criterion, i, got.Stats.Criterion)
				}
			}
		}
	}
}

// Units of columns and of targets, constant columns and the width of the given kernel do not matter.
func TestUnits(t *testing.T) {
	x, y := wavy(9, 90, 3, 1)
	learn := func(x, y *mat.Dense, k kernel.Kernel) *Learned {
		t.Helper()
		got := must.Have(Config{Kernel: k}.Learn(t.Context(), x, y, nil))(t)
		return got
	}
	want := learn(x, y, kernel.Gaussian{Gamma: .5})
	z, v := mat.NewDense(90, 4, nil), mat.NewDense(90, 1, nil)
	unit := []float64{1, 1024, 1. / 4}
	for i := range 90 {
		for c, u := range unit {
			z.Set(i, c, u*x.At(i, c))
		}
		z.Set(i, 3, 7.3)
		v.Set(i, 0, 16*y.At(i, 0))
	}
	got := learn(z, v, kernel.Gaussian{Gamma: 2})
	s := got.Kernel.Scale()
	for c, u := range unit {
		if w := want.Kernel.Scale()[c] / 2; !(math.Abs(u*s[c]-w) <= 1e-3*want.Kernel.Scale()[0]) {
			t.Errorf("column %d has the factor %v, want %v", c, u*s[c], w)
		}
	}
	if s[3] != 0 || !(math.Abs(got.Lambda/want.Lambda-1) <= 1e-2) {
		t.Errorf("the constant column has the factor %v; lambda %v, want %v", s[3], got.Lambda, want.Lambda)
	}
}

// With the λ that was learned as the given one, the widths come to the same criterion, and λ stays.
func TestLambdaGiven(t *testing.T) {
	x, y := wavy(9, 90, 3, 1)
	want := must.Have(Config{Kernel: kernels[0]}.Learn(t.Context(), x, y, nil))(t)
	got := must.Have(Config{Kernel: kernels[0], Lambda: gram.Set(want.Lambda)}.Learn(t.Context(), x, y, nil))(t)
	if !(math.Abs(got.Lambda-want.Lambda) <= 1e-8) {
		t.Errorf("lambda %v was given as %v", got.Lambda, want.Lambda)
	}
	last := func(l *Learned) float64 { return l.Stats.Criterion[len(l.Stats.Criterion)-1] }
	if !(math.Abs(last(got)-last(want)) <= 90*1e-3) {
		t.Errorf("the criterion is %v with the given lambda, %v with the same that is learned", last(got), last(want))
	}
}

// Data without information give finite widths, or a named error.
func TestDegenerate(t *testing.T) {
	x, y := wavy(11, 40, 2, 1)
	constant := mat.NewDense(40, 2, nil)
	twice := mat.NewDense(40, 2, nil)
	for i := range 40 {
		twice.SetRow(i, x.RawRowView(i/2))
	}
	for name, d := range map[string]struct {
		x, y *mat.Dense
	}{
		"one row": {mat.NewDense(1, 2, []float64{1, 2}), mat.NewDense(1, 1, []float64{3})}, "two rows": {mat.NewDense(2, 1, []float64{1, 2}), mat.NewDense(2, 1, []float64{3, 4})},
		"constant columns": {constant, y}, "constant targets": {x, constant.Slice(0, 40, 0, 1).(*mat.Dense)}, "equal rows": {twice, y},
	} {
		for _, k := range kernels {
			for _, criterion := range []Criterion{Likelihood, LeaveOneOut} {
				got, err := Config{Kernel: k, Criterion: criterion}.Learn(t.Context(), d.x, d.y, nil)
				if err != nil {
					t.Errorf("%s, %v, %v: %v", name, k, criterion, err)
					continue
				}
				for _, s := range append(got.Kernel.Scale(), got.Lambda) {
					if !(s >= 0) || math.IsInf(s, 1) {
						t.Errorf("%s, %v, %v: factors %v, lambda %v", name, k, criterion, got.Kernel.Scale(), got.Lambda)
					}
				}
			}
		}
	}
}

// Results have the same bits for any number of workers, and a start is kept.
func TestWorkers(t *testing.T) {
	x, y := wavy(13, 500, 4, 2)
	var want string
	for _, workers := range []int{1, 2, 5} {
		for _, criterion := range []Criterion{Likelihood, LeaveOneOut} {
			got := must.Have(Config{Kernel: kernels[1], Criterion: criterion, Rows: 300, MaxIter: gram.Set(4), Run: gram.Run{Workers: workers}}.Learn(t.Context(), x, y, nil))(t)
			if got.Stats.Rows != 300 {
				t.Errorf("%d rows", got.Stats.Rows)
			}
			switch now := fmt.Sprint(criterion, got.Kernel.Scale(), got.Lambda, got.Stats.Criterion); {
			case criterion == LeaveOneOut:
			case want == "":
				want = now
			case now != want:
				t.Errorf("%d workers: %s, want %s", workers, now, want)
			}
		}
	}
	start := must.Have(kernel.NewScaled(kernels[0], []float64{.5, 2, 1, .25}))(t)
	got := must.Have(Config{Kernel: start, MaxIter: gram.Set(0), Lambda: gram.Set(.3)}.Learn(t.Context(), x, y, nil))(t)
	for c, s := range start.Scale() {
		if v := got.Kernel.Scale()[c]; !(math.Abs(v-s) <= 1e-12*s) {
			t.Errorf("column %d starts at %v, not at %v", c, v, s)
		}
	}
	if !(math.Abs(got.Lambda-.3) <= 1e-8) {
		t.Errorf("lambda %v was given as 0.3", got.Lambda)
	}
}

func TestLooks(t *testing.T) {
	x, y := wavy(15, 300, 2, 1)
	for _, criterion := range []Criterion{Likelihood, LeaveOneOut} {
		looktest.Every(t, func(ctx context.Context) (any, error) {
			got, err := Config{Kernel: kernels[0], Criterion: criterion, MaxIter: gram.Set(2)}.Learn(ctx, x, y, nil)
			return looktest.Unless(err, func() any { return got.Kernel.Scale() })
		})
	}
}

func TestSettings(t *testing.T) {
	x, y := wavy(17, 40, 2, 1)
	good := Config{Kernel: kernels[0], MaxIter: gram.Set(1)}
	wrong := must.Have(kernel.NewScaled(kernels[0], []float64{1}))(t)
	algotest.Refused(t, good, map[string][]any{"Kernel": {nil, kernel.Linear{}, wrong}, "Rows": {1}, "Lambda": {0.0}, "Tol": {math.Inf(1)}}, func(c Config) error {
		_, err := c.Learn(t.Context(), x, y, nil)
		return err
	})
	var me *gram.MemoryError
	good.MemoryLimit = 10_000
	if _, err := good.Learn(t.Context(), x, y, nil); !errors.As(err, &me) {
		t.Errorf("with 10 kB: %v", err)
	}
}

// bounded computes Titsias' bound by dense matrices.
func (p *problem) bounded(t *testing.T, at []float64) float64 {
	n, outputs := p.y.Dims()
	m, d := p.u.Dims()
	values := func(x, z *mat.Dense) *mat.Dense {
		r, _ := x.Dims()
		c, _ := z.Dims()
		out := mat.NewDense(r, c, nil)
		for i := range r {
			for j := range c {
				a, b := make([]float64, d), make([]float64, d)
				for k := range d {
					a[k], b[k] = x.At(i, k)*math.Exp(at[1+k]), z.At(j, k)*math.Exp(at[1+k])
				}
				out.Set(i, j, p.kernel.Eval(a, b))
			}
		}
		return out
	}
	core, cross := values(p.u, p.u), values(p.x, p.u)
	for i := range m {
		core.Set(i, i, core.At(i, i)+jitter*float64(m)*p.kernel.Eval(p.x.RawRowView(0), p.x.RawRowView(0)))
	}
	var inverse, half, c mat.Dense
	must.Do(t, inverse.Inverse(core))
	half.Mul(cross, &inverse)
	c.Mul(&half, cross.T())
	var trace float64
	for i := range n {
		noise := (leastLambda + math.Exp(at[0])) * p.noise(i)
		trace += (p.kernel.Eval(p.x.RawRowView(i), p.x.RawRowView(i)) - c.At(i, i)) / noise
		c.Set(i, i, c.At(i, i)+noise)
	}
	return p.likelihood(t, &c) - float64(outputs)*trace/2
}

// Titsias' bound has the value of its definition, is below the likelihood, and has the gradient of central differences.
func TestBound(t *testing.T) {
	x, y := wavy(21, 300, 3, 2)
	w := make([]float64, 300)
	for i := range w {
		w[i] = .5 + float64(i%3)
	}
	u, _ := wavy(22, 12, 3, 1)
	for _, k := range kernels {
		for _, plain := range []bool{false, true} {
			p := must.Have(Config{Kernel: k, NoBias: plain, Rows: 1000, Inducing: u}.problem(gram.Of(x), y, w))(t)
			at := []float64{math.Log(.2), .3, -.4, -1.2}
			v, grad := must.Have2(p.value(t.Context(), at, true))(t)
			if want := p.bounded(t, at); !(math.Abs(v-want) <= 1e-6*math.Abs(want)) || !(v <= p.definition(t, at)) {
				t.Errorf("%v: %v, want %v below %v", k, v, want, p.definition(t, at))
			}
			for i := range at {
				const h = 1e-4
				var side [2]float64
				for s, sign := range []float64{1, -1} {
					moved := append([]float64(nil), at...)
					moved[i] += sign * h
					side[s], _ = must.Have2(p.value(t.Context(), moved, false))(t)
				}
				if want := (side[0] - side[1]) / (2 * h); !(math.Abs(grad[i]-want) <= 1e-4*(1+math.Abs(want))) {
					t.Errorf("%v, %v: derivative %d is %v, want %v", k, plain, i, grad[i], want)
				}
			}
		}
	}
	got := must.Have(Config{Kernel: kernels[0], Inducing: u}.Learn(t.Context(), x, y, w))(t)
	if s := got.Kernel.Scale(); !(s[2] < .3*min(s[0], s[1])) {
		t.Errorf("factors %v", s)
	}
	looktest.Every(t, func(ctx context.Context) (any, error) {
		got, err := Config{Kernel: kernels[0], Inducing: u, MaxIter: gram.Set(1)}.Learn(ctx, x, y, w)
		return looktest.Unless(err, func() any { return got.Kernel.Scale() })
	})
}

// The start is about as wide as rows are apart.
func TestMedian(t *testing.T) {
	for _, apart := range []float64{1e-3, 1, 50} {
		p := &problem{x: mat.NewDense(3, 1, []float64{0, apart, 3 * apart})}
		if got, want := p.median(1), 2*apart; !(math.Abs(got-want) <= 1e-12*want) {
			t.Errorf("rows %v, %v and %v apart: median %v", apart, 2*apart, 3*apart, got)
		}
	}
}

// The criterion is computed for parameters up to farthest, and beyond is infinite: λ and the factors stay finite.
func TestFarthest(t *testing.T) {
	calls := 0
	m := &memo{unit: 2, value: func(at []float64) (float64, []float64, error) {
		calls++
		return 6, make([]float64, len(at)), nil
	}}
	for _, v := range []float64{0, 1} {
		for _, sign := range []float64{1, -1} {
			if got := m.at([]float64{v, sign * farthest}); got != -3 {
				t.Errorf("at %v, %v: %v, want -3", v, sign*farthest, got)
			}
			if got := m.at([]float64{v, sign * math.Nextafter(farthest, 50)}); !math.IsInf(got, 1) {
				t.Errorf("at %v and beyond %v: %v, want +Inf", v, sign*farthest, got)
			}
		}
	}
	if got := m.at([]float64{math.NaN(), 0}); !math.IsInf(got, 1) || calls != 4 {
		t.Errorf("at NaN: %v, and %d criteria are computed, want 4", got, calls)
	}
}
