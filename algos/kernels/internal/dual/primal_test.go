package dual

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gramworks/gram/algos/kernels/constraint"
	"gonum.org/v1/gonum/mat"
)

// primal solves a problem with hard rows independently of Newton: an augmented Lagrangian in
// X itself, which is kept definite by the function or, for a Quadratic, by a barrier whose
// weight falls to 1e-14. ok tells whether it reached rows kept to 1e-9 and a gradient of
// 1e-7; x is then the optimum but for what these are.
func primal(p *Problem) (x *mat.SymDense, objective float64, ok bool) {
	_, n := p.T.Dims()
	rows := make([]*mat.SymDense, len(p.Rows))
	bound, y := make([]float64, len(p.Rows)), make([]float64, len(p.Rows))
	for i := range p.Rows {
		h := quadratic(p, &p.Rows[i])
		size := mat.Norm(h, 2)
		if size == 0 {
			return nil, 0, false
		}
		h.ScaleSym(1/size, h)
		rows[i], bound[i] = h, (p.Rows[i].Bound.B-p.Rows[i].Offset)/size
	}
	x = mat.NewSymDense(n, nil)
	for i := range n {
		x.SetSym(i, i, 1)
	}
	for outer, rho, barrier := 0, 1.0, 1.0; outer < 150; outer++ {
		if _, quadratic := p.F.(Quadratic); !quadratic {
			barrier = 0
		}
		gradient := math.Inf(1)
		at := evaluate(p.F, x, rows, bound, y, p.Rows, rho, barrier)
		for range 100 {
			d, decrement := at.newton(rho)
			gradient = math.Sqrt(max(0, decrement))
			if gradient < 1e-11*(1+math.Abs(at.value)) {
				break
			}
			moved := false
			for step := 1.0; step > 1e-10; step /= 2 {
				next := mat.NewSymDense(n, nil)
				for i := range n {
					for j := i; j < n; j++ {
						next.SetSym(i, j, at.x.At(i, j)+step*d.At(i, j))
					}
				}
				to := evaluate(p.F, next, rows, bound, y, p.Rows, rho, barrier)
				if to.value <= at.value-1e-4*step*decrement {
					at, moved = to, true
					break
				}
			}
			if !moved {
				break
			}
		}
		x = at.x
		var worst float64
		for i, g := range at.excess {
			next := y[i] + rho*g
			if p.Rows[i].Relation != constraint.Equal {
				next = max(0, next)
			}
			worst = max(worst, math.Abs(next-y[i])/rho)
			y[i] = next
		}
		if worst < 1e-9 && barrier <= 1e-14 && gradient < 1e-7*(1+math.Abs(at.value)) {
			for _, l := range at.lambda {
				objective += p.F.Value(l)
			}
			return x, objective, true
		}
		if outer > 30 && worst > 1e-2 {
			break
		}
		rho, barrier = min(1e4, rho*1.5), max(1e-14, barrier/3)
	}
	return nil, 0, false
}

// place is the augmented Lagrangian at a definite x, infinite elsewhere.
type place struct {
	f       Function
	x       *mat.SymDense
	lambda  []float64
	u       mat.Dense
	rows    []*mat.SymDense
	excess  []float64 // of each row, negative where it is kept
	sign    []float64 // of the excess in the value of the row
	push    []float64 // multiplier + ρ·excess where that counts
	barrier float64
	value   float64
}

func evaluate(f Function, x *mat.SymDense, rows []*mat.SymDense, bound, y []float64, of []Row, rho, barrier float64) *place {
	p := &place{f: f, x: x, rows: rows, barrier: barrier, value: math.Inf(1)}
	var e mat.EigenSym
	if !e.Factorize(x, true) {
		return p
	}
	p.lambda = e.Values(nil)
	if !(p.lambda[0] > 0) {
		return p
	}
	e.VectorsTo(&p.u)
	p.value = 0
	for _, l := range p.lambda {
		p.value += f.Value(l)
		if barrier > 0 {
			p.value -= barrier * math.Log(l)
		}
	}
	p.excess, p.sign, p.push = make([]float64, len(rows)), make([]float64, len(rows)), make([]float64, len(rows))
	for i, h := range rows {
		p.sign[i] = 1
		if of[i].Relation == constraint.AtLeast {
			p.sign[i] = -1
		}
		p.excess[i] = p.sign[i] * (inner(h, x) - bound[i])
		p.push[i] = y[i] + rho*p.excess[i]
		if of[i].Relation != constraint.Equal {
			p.push[i] = max(0, p.push[i])
		}
		p.value += p.push[i] * p.push[i] / (2 * rho)
	}
	return p
}

// slopes returns f′ and f″ or the divided difference of f′.
func (p *place) slopes(a, b float64) (first, second float64) {
	switch f := p.f.(type) {
	case LogDet:
		return 1 - 1/a, 1 / (a * b)
	case VonNeumann:
		second = 1 / a
		if math.Abs(a-b) > 1e-6*(a+b) {
			second = math.Log(a/b) / (a - b)
		}
		return math.Log(a), second
	case Quadratic:
		return a + f.Tau - p.barrier/a, 1 + p.barrier/(a*b)
	}
	panic("unknown function")
}

// newton returns the Newton step and the square of its length. The unknowns are the elements
// a ≤ b in the eigenvectors of x.
func (p *place) newton(rho float64) (*mat.Dense, float64) {
	n := len(p.lambda)
	m := n * (n + 1) / 2
	h, g := mat.NewSymDense(m, nil), mat.NewVecDense(m, nil)
	k := 0
	for a := range n {
		for b := a; b < n; b++ {
			first, second := p.slopes(p.lambda[a], p.lambda[b])
			if a == b {
				g.SetVec(k, first)
				h.SetSym(k, k, second)
			} else {
				h.SetSym(k, k, 2*second)
			}
			k++
		}
	}
	for i, row := range p.rows {
		if p.push[i] == 0 {
			continue
		}
		var hu, uhu mat.Dense
		hu.Mul(row, &p.u)
		uhu.Mul(p.u.T(), &hu)
		v := mat.NewVecDense(m, nil)
		k := 0
		for a := range n {
			for b := a; b < n; b++ {
				f := 2.0
				if a == b {
					f = 1
				}
				v.SetVec(k, f*uhu.At(a, b))
				k++
			}
		}
		g.AddScaledVec(g, p.sign[i]*p.push[i], v)
		h.SymRankOne(h, rho, v)
	}
	unit := make([]float64, m)
	for k := range unit {
		unit[k] = 1 / math.Sqrt(h.At(k, k))
	}
	for k := range m {
		for l := k; l < m; l++ {
			h.SetSym(k, l, h.At(k, l)*unit[k]*unit[l])
		}
		g.SetVec(k, g.AtVec(k)*unit[k])
	}
	var chol mat.Cholesky
	for ridge := 1e-16; !chol.Factorize(h); ridge *= 100 {
		for k := range m {
			h.SetSym(k, k, h.At(k, k)+ridge)
		}
	}
	var s mat.VecDense
	_ = chol.SolveVecTo(&s, g) // an error tells the condition
	step := mat.NewDense(n, n, nil)
	k = 0
	for a := range n {
		for b := a; b < n; b++ {
			v := -s.AtVec(k) * unit[k]
			step.Set(a, b, v)
			step.Set(b, a, v)
			k++
		}
	}
	var us, d mat.Dense
	us.Mul(&p.u, step)
	d.Mul(&us, p.u.T())
	return &d, mat.Dot(&s, g)
}

// Newton's method on the dual finds what a method on X itself finds, which shares nothing
// with it: the objective and X to 1e-6.
func TestAgainstPrimal(t *testing.T) {
	count := uint64(30)
	if *full {
		count = 3000
	}
	compared, unsolved := map[string]int{}, 0
	for seed := range count {
		for _, f := range functions {
			in := draw(seed)
			if !in.feasible || !strings.HasPrefix(in.kind, "random, 10^±0.5") || strings.Contains(in.kind, "almost alike") {
				continue
			}
			p := in.p
			p.F = f.f
			name := fmt.Sprintf("seed %d, %s, %s", seed, f.name, in.kind)
			x, objective, ok := primal(p)
			if !ok {
				unsolved++
				continue
			}
			s, _, err := p.Newton(context.Background(), make([]float64, len(p.Rows)), Options{Tol: 1e-9, MaxIter: 500, Spectrum: Dense, Progress: func(int, float64) {}})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			_, lambda, u, _, err := s.Spectrum(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			got := mat.NewSymDense(x.SymmetricDim(), nil)
			for j, l := range lambda {
				got.SymRankOne(got, l, u.ColView(j))
			}
			if !(math.Abs(s.Objective-objective) <= 1e-6*(1+math.Abs(objective))) {
				t.Errorf("%s: objective %.12g, that of the primal method %.12g", name, s.Objective, objective)
			}
			var d mat.Dense
			d.Sub(got, x)
			if e := mat.Norm(&d, 2); !(e <= 1e-6*(1+mat.Norm(x, 2))) {
				t.Errorf("%s: X differs by %.3g of %.3g", name, e, mat.Norm(x, 2))
			}
			compared[f.name]++
		}
	}
	t.Logf("compared %v, %d not solved by the primal method", compared, unsolved)
	for _, f := range functions {
		if !(compared[f.name] >= int(count)/10) {
			t.Errorf("%s: %d problems compared", f.name, compared[f.name])
		}
	}
}
