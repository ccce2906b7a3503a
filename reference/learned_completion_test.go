package reference_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// probeEntries are some entries of a: all of each row or column are never left out.
func probeEntries(a *mat.Dense) *sparse.CSR {
	n, l := a.Dims()
	r := rand.New(rand.NewPCG(9, 9))
	s := &sparse.CSR{N: n, D: l, Ptr: []int{0}}
	for i := range n {
		for j := range l {
			if r.IntN(3) > 0 || i%l == j {
				s.Col, s.Val = append(s.Col, int32(j)), append(s.Val, a.At(i, j))
			}
		}
		s.Ptr = append(s.Ptr, len(s.Col))
	}
	return s
}

// entryLoss is ℓ(b, a) and its derivative by b.
func entryLoss(l completion.Loss, b, a float64) (v, slope float64) {
	if l == completion.Squared {
		return (b - a) * (b - a) / 2, b - a
	}
	s := 2*a - 1
	return math.Log1p(math.Exp(-s * b)), -s / (1 + math.Exp(s*b))
}

// Matrix completion, [S16] eqs. 5.15–5.20 and Algorithm 5: objective, gradients, and a step on
// each factor.
func TestCompletion(t *testing.T) {
	const nx, ny, dx, dy, k, gx, gy, lambda = 13, 10, 4, 3, 2, .15, .25, .4
	x, y := probeNormal(1, nx, dx), probeNormal(2, ny, dy)
	full := probeNormal(3, nx, ny)
	binary := mat.DenseCopyOf(full)
	binary.Apply(func(_, _ int, v float64) float64 {
		if v > 0 {
			return 1
		}
		return 0
	}, binary)
	fourier := func(m int, gamma float64, learn bool) completion.Side {
		return completion.Side{Map: completion.Fourier, M: m, Gamma: gamma, Learn: learn}
	}
	nystrom := func(m int, gamma float64, learn bool) completion.Side {
		return completion.Side{Map: completion.Nystrom, M: m, Gamma: gamma, Learn: learn}
	}
	for _, c := range []struct {
		name string
		c    completion.Config
		x, y *mat.Dense
	}{
		{"MC (5.16)", completion.Config{}, nil, nil},
		{"MC, logistic", completion.Config{Loss: completion.Logistic}, nil, nil},
		{"IMC (5.17)", completion.Config{}, x, y},
		{"IMC of the rows alone, logistic", completion.Config{Loss: completion.Logistic}, x, nil},
		{"IMC-RFF (5.19)", completion.Config{Rows: fourier(3, gx, false), Columns: fourier(2, gy, false)}, x, y},
		{"IMC-NYS (5.19)", completion.Config{Rows: nystrom(5, gx, false), Columns: nystrom(4, gy, false)}, x, y},
		{"GIMC-LFF (5.20)", completion.Config{Rows: fourier(3, gx, true), Columns: fourier(4, gy, true)}, x, y},
		{"GIMC-LNYS (5.20)", completion.Config{Rows: nystrom(3, gx, true), Columns: nystrom(4, gy, true)}, x, y},
		{"GIMC-LFF of the columns, logistic", completion.Config{Columns: fourier(3, gy, true), Loss: completion.Logistic}, nil, y},
	} {
		target := full
		if c.c.Loss == completion.Logistic {
			target = binary
		}
		a := probeEntries(target)
		c.c.Rank, c.c.Lambda = k, gram.Set(lambda)
		var sx, sy mat.Matrix
		if c.x != nil {
			sx = c.x
		}
		if c.y != nil {
			sy = c.y
		}
		// phi are the features of a side at points u.
		phi := func(s completion.Side, x, u *mat.Dense, n int, gamma float64) *mat.Dense {
			switch {
			case x == nil:
				one := mat.NewDense(n, n, nil)
				for i := range n {
					one.Set(i, i, 1)
				}
				return one
			case s.Map == completion.Fourier:
				return probeFourier(x, u)
			case s.Map == completion.Nystrom:
				return probeGaussian(x, u, gamma)
			}
			return x
		}
		var at completion.Variables
		if c.x != nil && c.c.Rows.Map != completion.Linear {
			at.U = probeNormal(4, c.c.Rows.M, dx)
		}
		if c.y != nil && c.c.Columns.Map != completion.Linear {
			at.V = probeNormal(5, c.c.Columns.M, dy)
		}
		left := func() *mat.Dense { return phi(c.c.Rows, c.x, at.U, nx, gx) }
		right := func() *mat.Dense { return phi(c.c.Columns, c.y, at.V, ny, gy) }
		_, px := left().Dims()
		_, py := right().Dims()
		at.W, at.H = probeNormal(6, px, k), probeNormal(7, py, k)
		// state returns F and R = ℓ′ on Ω.
		state := func() (v float64, r *mat.Dense) {
			var p, q, b mat.Dense
			p.Mul(left(), at.W)
			q.Mul(right(), at.H)
			b.Mul(&p, q.T())
			r = mat.NewDense(nx, ny, nil)
			for i := range nx {
				col, val := a.Row(i)
				for e, j := range col {
					loss, slope := entryLoss(c.c.Loss, b.At(i, int(j)), val[e])
					v += loss
					r.Set(i, int(j), slope)
				}
			}
			return v + lambda/2*(probeSquares(at.W)+probeSquares(at.H)), r
		}
		value := func() float64 { v, _ := state(); return v }
		o := fitted[*completion.Objective](t)(c.c.Objective(a, sx, sy))
		t.Run("value, "+c.name, func(t *testing.T) { probe{t}.number("the objective", o.Value(at), value()) })
		g := o.Gradient(at)
		_, r := state()
		t.Run("∇W and ∇H by their formulas, "+c.name, func(t *testing.T) {
			var q, p, rq, rp, w, h, own mat.Dense
			q.Mul(right(), at.H)
			p.Mul(left(), at.W)
			rq.Mul(r, &q)
			w.Mul(left().T(), &rq)
			own.Scale(lambda, at.W)
			w.Add(&w, &own)
			probe{t}.matrix("∇W", g.W, &w)
			rp.Mul(r.T(), &p)
			h.Mul(right().T(), &rp)
			var other mat.Dense
			other.Scale(lambda, at.H)
			h.Add(&h, &other)
			probe{t}.matrix("∇H", g.H, &h)
		})
		t.Run("gradients by differences, "+c.name, func(t *testing.T) {
			for what, v := range map[string][2]*mat.Dense{"U": {at.U, g.U}, "V": {at.V, g.V}, "W": {at.W, g.W}, "H": {at.H, g.H}} {
				if v[0] != nil {
					probe{t}.gradient(what, v[0], v[1], value)
				}
			}
		})
		if at.U != nil || at.V != nil {
			t.Run("(5.25) ∇U by its formula, "+c.name, func(t *testing.T) {
				if at.U != nil {
					var q, rq, e mat.Dense // E = RQWᵀ
					q.Mul(right(), at.H)
					rq.Mul(r, &q)
					e.Mul(&rq, at.W.T())
					gamma := gx
					if c.c.Rows.Map == completion.Fourier {
						gamma = 0
					}
					probe{t}.matrix("∇U", g.U, probePull(x, at.U, &e, gamma))
				}
				if at.V != nil {
					var p, rp, e mat.Dense
					p.Mul(left(), at.W)
					rp.Mul(r.T(), &p)
					e.Mul(&rp, at.H.T())
					gamma := gy
					if c.c.Columns.Map == completion.Fourier {
						gamma = 0
					}
					probe{t}.matrix("∇V", g.V, probePull(y, at.V, &e, gamma))
				}
			})
		}
		t.Run("Alg. 5 never rises, "+c.name, func(t *testing.T) {
			given := c.c
			given.Rows.Given = completion.Given{Points: at.U, Factor: at.W}
			given.Columns.Given = completion.Given{Points: at.V, Factor: at.H}
			given.Rounds, given.Steps, given.Tol = 6, 6, gram.Set(1e-12)
			if !given.Rows.Learn && !given.Columns.Learn {
				given.Steps = 0
			}
			m := fitted[*completion.Model](t)(given.Fit(t.Context(), a, sx, sy))
			trace := m.Stats().Objective
			probe{t}.falls(append([]float64{o.Value(at)}, trace...))
			probe{t}.number("what is made small at the model", o.Value(m.Variables()), trace[len(trace)-1])
			if c.c.Loss == completion.Squared {
				// One round: the best H for the W that is given, then the best W for that H.
				given.Rounds, given.Steps, given.Products, given.Rows.Learn, given.Columns.Learn = 1, 0, 500, false, false
				first := fitted[*completion.Model](t)(given.Fit(t.Context(), a, sx, sy))
				h := alternating(a, right(), left(), at.W, lambda, true)
				w := alternating(a, left(), right(), h, lambda, false)
				probe{t}.number("the objective after a round", first.Stats().Objective[0], o.Value(completion.Variables{U: at.U, V: at.V, W: w, H: h}))
				if c.x == nil { // no conjugate gradients
					probe{t}.matrix("H for the given W", first.Variables().H, h)
					probe{t}.matrix("W for that H", first.Variables().W, w)
				}
			}
		})
		t.Run("the transposed problem, "+c.name, func(t *testing.T) {
			turned := c.c
			turned.Rows, turned.Columns = c.c.Columns, c.c.Rows
			other := fitted[*completion.Objective](t)(turned.Objective(a.Transpose(), sy, sx))
			mirror := completion.Variables{U: at.V, V: at.U, W: at.H, H: at.W}
			probe{t}.number("the objective", other.Value(mirror), value())
			gt := other.Gradient(mirror)
			probe{t}.matrix("∇W", gt.H, g.W)
			probe{t}.matrix("∇H", gt.W, g.H)
			if at.U != nil {
				probe{t}.matrix("∇U", gt.V, g.U)
			}
		})
	}
}

// alternating solves for the factor W of P = phi·W, with the other side Q = other·v held fixed, all
// of its numbers at once. transposed says that P belongs to the columns of a.
func alternating(a *sparse.CSR, phi, other, v *mat.Dense, lambda float64, transposed bool) *mat.Dense {
	_, f := phi.Dims()
	_, k := v.Dims()
	var q mat.Dense
	q.Mul(other, v)
	system, right := mat.NewDense(f*k, f*k, nil), mat.NewDense(f*k, 1, nil)
	for i := range f * k {
		system.Set(i, i, lambda)
	}
	for i := range a.N {
		col, val := a.Row(i)
		for e, j := range col {
			own, others := i, int(j)
			if transposed {
				own, others = int(j), i
			}
			z := make([]float64, f*k) // ⟨p, q⟩ = ⟨z, vec W⟩
			for r := range f {
				for c := range k {
					z[r*k+c] = phi.At(own, r) * q.At(others, c)
				}
			}
			vec := mat.NewVecDense(f*k, z)
			var square mat.Dense
			square.Outer(1, vec, vec)
			system.Add(system, &square)
			for r, v := range z {
				right.Set(r, 0, right.At(r, 0)+val[e]*v)
			}
		}
	}
	var w mat.Dense
	if err := w.Solve(system, right); err != nil {
		panic(err)
	}
	return mat.NewDense(f, k, w.RawMatrix().Data)
}

// On real data the objective never rises: the labels of emotions, with the rows' features as side
// information.
func TestCompletionOnData(t *testing.T) {
	d := probeData(t, "emotions")
	a := probeEntries(d.Tags.Dense())
	for _, c := range []completion.Config{
		{}, {Loss: completion.Logistic}, {Rows: completion.Side{Map: completion.Fourier, M: 15, Learn: true}}, {Rows: completion.Side{Map: completion.Nystrom, M: 15, Learn: true}},
	} {
		t.Run(fmt.Sprintf("%s, %s", c.Rows.Map, c.Loss), func(t *testing.T) {
			c.Rank, c.Rounds, c.Tol = 3, 5, gram.Set(1e-12)
			if c.Rows.Learn {
				c.Steps = 5
			}
			m := fitted[*completion.Model](t)(c.Fit(t.Context(), a, d.X, nil))
			probe{t}.falls(m.Stats().Objective)
		})
	}
}
