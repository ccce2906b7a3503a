package alacarte

import (
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/fwht"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// likelihood is the log marginal likelihood as a function of the parameters
//
//	log a, log σ, log ℓ (d), S (m), and for FSGBARD G and B (blocks·D each).
type likelihood struct {
	x      *mat.Dense // rows with a weight
	y      []float64  // targets minus their mean, times the root of the weight, in units
	unit   float64    // a power of two near the deviation of the targets
	root   []float64  // of the weights
	n      float64    // rows
	logs   float64    // ½·Σ log w
	m      int
	d, dim int // columns, and columns of a block
	width  float64
	free   bool    // G and B are parameters
	perm   [][]int // Π of each block
	g, b   []float64
	start  []float64
	best   []float64

	ctx   context.Context // a call after its end returns −Inf
	seen  []float64       // the parameters of the last call
	last  float64
	slope []float64
}

func newLikelihood(c Config, x gram.Samples[float64], y, w []float64) *likelihood {
	_, d := x.Dims()
	l := &likelihood{ctx: context.Background(), m: c.M, d: d, dim: fwht.Pad(d), width: 1 / math.Sqrt(2*c.Kernel.(kernel.Gaussian).Gamma), free: c.Factors == FSGBARD}
	var index []int
	var total, mean float64
	for i := range y {
		weight := 1.0
		if w != nil {
			weight = w[i]
		}
		if weight > 0 {
			index = append(index, i)
			l.root = append(l.root, math.Sqrt(weight))
			l.logs += math.Log(weight) / 2
			total += weight
			mean += weight * y[i]
		}
	}
	mean /= total
	l.n = float64(len(index))
	l.x = mat.NewDense(len(index), d, nil)
	var variance float64
	for k, i := range index {
		x.CopyRow(l.x.RawRowView(k), i)
		l.y = append(l.y, l.root[k]*(y[i]-mean))
		variance += l.y[k] * l.y[k]
	}
	if variance /= l.n; variance == 0 {
		variance = 1
	}
	half := int(math.Round(math.Log2(variance) / 2))
	l.unit = math.Ldexp(1, half)
	for k := range l.y {
		l.y[k] /= l.unit
	}
	variance = math.Ldexp(variance, -2*half)
	blocks := (c.M + l.dim - 1) / l.dim
	r := rng.New(rng.Derive(c.Seed, "factors"), 0)
	s := make([]float64, 0, blocks*l.dim)
	for range blocks {
		var square float64
		for range l.dim {
			g := r.NormFloat64()
			square += g * g
			l.g = append(l.g, g)
			l.b = append(l.b, float64(2*r.IntN(2)-1))
		}
		l.perm = append(l.perm, r.Perm(l.dim))
		for range l.dim {
			var chi float64
			for range l.dim {
				v := r.NormFloat64()
				chi += v * v
			}
			s = append(s, math.Sqrt(chi/square))
		}
	}
	l.start = append(l.start, math.Log(variance)/2, math.Log(c.Noise*variance)/2)
	l.start = append(l.start, make([]float64, d)...) // log ℓ = 0, in units of the width
	l.start = append(l.start, s[:c.M]...)
	if l.free {
		l.start = append(append(l.start, l.g...), l.b...)
	}
	return l
}

// parts divides parameters, or a gradient, into the logarithms of the length scales, S, G and B, which share the memory of p. G
// and B are those that were drawn if they are not learned.
func (l *likelihood) parts(p []float64) (scale, s, g, b []float64) {
	scale, p = p[2:2+l.d], p[2+l.d:]
	s, p = p[:l.m], p[l.m:]
	if !l.free {
		return scale, s, l.g, l.b
	}
	return scale, s, p[:len(l.g)], p[len(l.g):]
}

// scales returns the length scale of each column, in units of the width of the kernel that learning starts from.
func (l *likelihood) scales(p []float64) []float64 {
	scale, _, _, _ := l.parts(p)
	out := make([]float64, len(scale))
	for j, v := range scale {
		out[j] = math.Exp(v)
	}
	return out
}

// at returns the frequencies, d×m, the variance of the noise and the squared amplitude.
func (l *likelihood) at(p []float64) (omega *mat.Dense, noise, amplitude float64) {
	omega = mat.NewDense(l.d, l.m, nil)
	row := make([]float64, l.m)
	work := newWalk(l)
	for j := range l.d { // column j of V is V·e_j
		unit := make([]float64, l.d)
		unit[j] = 1
		work.forward(p, unit, row)
		omega.SetRow(j, row)
	}
	return omega, l.unit * l.unit * math.Exp(2*p[1]), l.unit * l.unit * math.Exp(2*p[0])
}

// walk has the intermediate results of a product with V.
type walk struct {
	l      *likelihood
	in     []float64 // x/ℓ, padded
	turned []float64 // Π·H·B·x for each block, one after the other
	out    []float64 // H·G of that
	up     []float64
	dIn    []float64
}

func newWalk(l *likelihood) *walk {
	return &walk{l, make([]float64, l.dim), make([]float64, len(l.g)), make([]float64, len(l.g)), make([]float64, l.dim), make([]float64, l.dim)}
}

// constant is the factor of V beside the diagonal ones.
func (l *likelihood) constant() float64 { return 1 / (math.Sqrt(float64(l.dim)) * l.width) }

// forward sets z = V·x for the parameters p, and keeps in w what backward needs.
func (w *walk) forward(p, x, z []float64) {
	l := w.l
	scale, s, g, b := l.parts(p)
	for j, v := range x {
		w.in[j] = v * math.Exp(-scale[j])
	}
	for k, perm := range l.perm {
		at := k * l.dim
		turned, out := w.turned[at:at+l.dim], w.out[at:at+l.dim]
		for j, v := range w.in {
			w.up[j] = v * b[at+j]
		}
		fwht.Transform(w.up)
		for j, q := range perm {
			turned[j] = w.up[q]
			out[j] = turned[j] * g[at+j]
		}
		fwht.Transform(out)
	}
	for j := range z {
		z[j] = l.constant() * s[j] * w.out[j]
	}
}

// backward adds to slope the derivatives of ⟨dz, V·x⟩ for the x of the last forward.
func (w *walk) backward(p, dz, slope []float64) {
	l := w.l
	_, s, g, b := l.parts(p)
	dScale, dS, dG, dB := l.parts(slope)
	clear(w.dIn)
	for k, perm := range l.perm {
		at := k * l.dim
		clear(w.up)
		for j := at; j < min(at+l.dim, l.m); j++ {
			v := l.constant() * dz[j]
			dS[j] += v * w.out[j]
			w.up[j-at] = v * s[j]
		}
		fwht.Transform(w.up) // by G·Π·H·B·x
		out := w.out[at : at+l.dim]
		for j, q := range perm {
			if l.free {
				dG[at+j] += w.up[j] * w.turned[at+j]
			}
			out[q] = w.up[j] * g[at+j]
		}
		fwht.Transform(out) // by B·x
		for j, v := range out {
			if l.free {
				dB[at+j] += v * w.in[j]
			}
			w.dIn[j] += v * b[at+j]
		}
	}
	for j := range l.d {
		dScale[j] -= w.dIn[j] * w.in[j]
	}
}

// rowsBetween is the number of rows between two looks at the context.
const rowsBetween = 256

// value returns the log likelihood and its gradient, which the next call overwrites.
func (l *likelihood) value(p []float64) (float64, []float64) {
	if slices.Equal(p, l.seen) {
		return l.last, l.slope
	}
	l.seen = append(l.seen[:0], p...)
	l.last = math.Inf(-1)
	l.slope = make([]float64, len(p))
	a, noise := math.Exp(p[0]), math.Exp(2*p[1])
	n, _ := l.x.Dims()
	features := 2 * l.m
	angle, psi := mat.NewDense(n, l.m, nil), mat.NewDense(n, features, nil)
	w := newWalk(l)
	stopped := func() bool { return l.ctx.Err() != nil }
	for i := range n {
		if i%rowsBetween == 0 && stopped() {
			return l.last, l.slope
		}
		z, row := angle.RawRowView(i), psi.RawRowView(i)
		w.forward(p, l.x.RawRowView(i), z)
		factor := a * l.root[i] / math.Sqrt(float64(l.m))
		for j, v := range z {
			sin, cos := math.Sincos(v)
			row[j], row[l.m+j] = factor*cos, factor*sin
		}
	}
	var inner mat.SymDense
	inner.SymOuterK(1, psi.T())
	for j := range features {
		inner.SetSym(j, j, inner.At(j, j)+noise)
	}
	var chol mat.Cholesky
	if stopped() || !chol.Factorize(&inner) || stopped() {
		return l.last, l.slope
	}
	y := mat.NewVecDense(n, l.y)
	var right, coef, rest mat.VecDense
	right.MulVec(psi.T(), y)
	fail := chol.SolveVecTo(&coef, &right)
	rest.MulVec(psi, &coef)
	rest.SubVec(y, &rest)
	rest.ScaleVec(1/noise, &rest) // K⁻¹y
	var inverse mat.SymDense
	if e := chol.InverseTo(&inverse); fail == nil {
		fail = e
	}
	if _, rough := fail.(mat.Condition); fail != nil && !rough || stopped() {
		return l.last, l.slope
	}
	p2 := float64(features)
	l.last = -.5*(mat.Dot(y, &rest)+chol.LogDet()+(l.n-p2)*math.Log(noise)+l.n*math.Log(2*math.Pi)) + l.logs
	// By Ψ: α·(αᵀΨ) − Ψ·A⁻¹ with α = K⁻¹y, αᵀΨ = coef.
	var e mat.Dense
	e.Mul(psi, &inverse)
	var trace float64
	for j := range features {
		trace += inverse.At(j, j)
	}
	l.slope[1] = noise*mat.Dot(&rest, &rest) - (l.n - p2 + noise*trace)
	dz := make([]float64, l.m)
	for i := range n {
		if i%rowsBetween == 0 && stopped() {
			l.last = math.Inf(-1)
			return l.last, l.slope
		}
		row, of := e.RawRowView(i), psi.RawRowView(i)
		alpha := rest.AtVec(i)
		for j := range row {
			row[j] = alpha*coef.AtVec(j) - row[j]
			l.slope[0] += row[j] * of[j]
		}
		for j := range dz {
			dz[j] = row[l.m+j]*of[j] - row[j]*of[l.m+j]
		}
		w.forward(p, l.x.RawRowView(i), angle.RawRowView(i))
		w.backward(p, dz, l.slope)
	}
	return l.last, l.slope
}
