package bregman

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	. "github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

var full = flag.Bool("full", false, "thousands of hard problems (minutes)")

// edge is a problem that is known to have a solution of full rank, or none.
type edge struct {
	name     string
	g        *mat.Dense
	cs       []Linear
	feasible bool
}

// value is tr(KA) for K = GXGᵀ from the definition.
func value(c Linear, g mat.Matrix, x mat.Matrix) float64 {
	n, _ := g.Dims()
	return inner(congruence(g, dense(c, n)), x)
}

// hardProblem draws a problem of the family kind; size is how hard it is, in decades.
func hardProblem(kind string, seed uint64) edge {
	src := rng.New(seed, 77)
	r := 2 + src.IntN(5)
	n := r + 2 + src.IntN(5)
	h := edge{name: fmt.Sprintf("%s, seed %d", kind, seed), g: gen.Normal(n, r, seed), feasible: true}
	two := func() (int, int) {
		i := src.IntN(n)
		return i, (i + 1 + src.IntN(n-1)) % n
	}
	decades := func(from, to float64) float64 { return math.Pow(10, from+(to-from)*src.Float64()) }
	distance := func(i, j int) float64 {
		var sum float64
		for k := range r {
			d := h.g.At(i, k) - h.g.At(j, k)
			sum += d * d
		}
		return sum
	}
	// settle gives constraints bounds that a random kernel of full rank keeps, with room for
	// inequalities between none and decades.
	settle := func(spread float64) {
		t := gen.Normal(r, r, seed+1)
		for i := range r {
			for j := range r {
				t.Set(i, j, t.At(i, j)*math.Pow(10, spread*(src.Float64()-0.5)))
			}
			t.Set(i, i, t.At(i, i)+1)
		}
		x := gramOf(t)
		for i := range h.cs {
			v := value(h.cs[i], h.g, x)
			h.cs[i].Bound = v
			h.cs[i].Relation = []Relation{Equal, AtMost, AtLeast}[src.IntN(3)]
			room := math.Abs(v) * decades(-8, 0)
			switch h.cs[i].Relation {
			case AtMost:
				h.cs[i].Bound += room
			case AtLeast:
				h.cs[i].Bound -= room
			}
		}
	}
	mixed := func(count int) {
		for range count {
			i, j := two()
			l, m := two()
			h.cs = append(h.cs, []Linear{Distance(i, j, Equal, 0), Similarity(i, j, Equal, 0), Similarity(i, i, Equal, 0),
				RelativeDistance(i, j, l, m, Equal, 0), RelativeSimilarity(i, j, l, m, Equal, 0), Trace(Equal, 0)}[src.IntN(6)])
		}
	}
	switch kind {
	case "mixed":
		mixed(1 + src.IntN(r*(r+1)/2))
		settle(1)
	case "rank":
		low := 1 + src.IntN(r)
		p := gen.Normal(low, r, seed+2)
		h.g.Mul(gen.Normal(n, low, seed+3), p)
		mixed(1 + src.IntN(5))
		settle(0.5)
	case "duplicates":
		mixed(1 + src.IntN(4))
		h.cs = append(h.cs, h.cs...)
		for k := range 1 + src.IntN(3) { // near duplicates of rows
			for j := range r {
				h.g.Set(n-1-k, j, h.g.At(0, j)+decades(-6, -1)*src.NormFloat64())
			}
		}
		settle(1)
		for i := range len(h.cs) / 2 {
			h.cs[len(h.cs)/2+i] = h.cs[i]
		}
	case "decades": // distances of a forest: any will do
		for j := range min(r, n-1) {
			p := src.IntN(j + 1)
			h.cs = append(h.cs, Distance(p, j+1, []Relation{Equal, AtMost, AtLeast}[src.IntN(3)], distance(p, j+1)*decades(-6, 6)))
		}
	case "triangle", "open triangle":
		i, j, k := 0, 1, 2
		a, b := decades(-3, 3), decades(-3, 3)
		far := math.Pow(math.Sqrt(a)+math.Sqrt(b), 2)
		off := decades(-6, -1)
		if h.feasible = kind == "triangle"; h.feasible {
			off = -off
		}
		h.cs = []Linear{Distance(i, j, AtMost, a), Distance(j, k, AtMost, b), Distance(i, k, AtLeast, far*(1+off))}
		if src.IntN(2) == 0 {
			h.cs[0].Relation = Equal
		}
		for range src.IntN(4) { // bystanders
			if r < 3 || n < 5 {
				break
			}
			l, m := 3, 4
			h.cs = append(h.cs, Distance(l, m, AtMost, distance(l, m)*2))
		}
	case "far": // a bound that is far beyond the start
		h.cs = []Linear{Distance(0, 1, AtLeast, decades(0, 9)*distance(0, 1)), Distance(1, 2, AtMost, distance(1, 2)*decades(-3, 0))}
	case "contradiction":
		mixed(1 + src.IntN(5))
		settle(0.5)
		i, j := two()
		v := decades(-3, 3)
		h.cs = append(h.cs, Distance(i, j, AtMost, v), Distance(j, i, AtLeast, v*(1+decades(-5, 3))))
		h.feasible = false
	case "chain": // a path that is too short for its ends
		var sum float64
		for k := range n - 1 {
			b := decades(-2, 2)
			sum += math.Sqrt(b)
			h.cs = append(h.cs, Distance(k, k+1, AtMost, b))
		}
		h.cs = append(h.cs, Distance(0, n-1, AtLeast, sum*sum*(1+decades(-4, 0))))
		h.feasible = false
	}
	return h
}

var kinds = []string{"mixed", "rank", "duplicates", "decades", "triangle", "open triangle", "far", "contradiction", "chain"}

// Feasible problems are solved, to a gap between the objective and the dual function that is
// computed here from the model's numbers; infeasible ones have a proof.
func TestHard(t *testing.T) {
	algotest.Serial(t)
	count, lost := 3, 0
	if *full {
		count = 400
	}
	for _, kind := range kinds {
		for seed := range uint64(count) {
			h := hardProblem(kind, seed)
			for name, d := range both {
				what := name + ", " + h.name
				m, err := Config{Divergence: d, Tol: 1e-8, MaxIter: 2000}.Fit(context.Background(), h.g, h.cs)
				var no *InfeasibleError
				var slow *gram.ConvergenceError
				switch {
				case errors.As(err, &no) && h.feasible:
					t.Errorf("%s: %v", what, err)
				case errors.As(err, &no):
					checkFarkas(t, what, h, no.Farkas)
				case errors.As(err, &slow):
					lost++
					t.Logf("%s: %v", what, err)
				case err != nil || !h.feasible:
					t.Errorf("%s: %v", what, err)
				}
				if m == nil {
					continue
				}
				violation, gap, slack := recomputed(h.g, h.cs, m)
				s := m.Stats()
				if !(math.Abs(s.Violation-violation) <= 1e-6*violation+1e-11*slack) || !(math.Abs(s.Gap-gap) <= 1e-6*gap+1e-11*slack) {
					t.Errorf("%s: violation %g and gap %g, recomputed %g and %g", what, s.Violation, s.Gap, violation, gap)
				}
				if err == nil {
					checkGap(t, what, h, m)
				}
			}
		}
	}
	// Of the problems here some are at the limit of what float64 can tell.
	if lost > count*len(kinds)*2/200 {
		t.Errorf("%d problems are not solved", lost)
	}
}

func number(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }

func product(x, y *big.Float) *big.Float { return number(0).Mul(x, y) }

func float(x *big.Float) float64 { v, _ := x.Float64(); return v }

// precise is Gᵀz for the terms of a constraint.
func precise(g *mat.Dense, z Vector) []*big.Float {
	_, r := g.Dims()
	v := make([]*big.Float, r)
	for j := range v {
		v[j] = number(0)
		for k, x := range z.Value {
			i := k
			if z.Index != nil {
				i = z.Index[k]
			}
			v[j].Add(v[j], product(number(x), number(g.At(i, j))))
		}
	}
	return v
}

// recomputed are the violation and the gap of a model without slack, from its transform and
// its duals in 400 bits, and how much a rounding error of the transform changes them.
func recomputed(g *mat.Dense, cs []Linear, m *Model) (violation, gap, noise float64) {
	t := m.Transform()
	r, q := t.Dims()
	for i, c := range cs {
		value, size, all := number(0), number(0), 0.0
		add := func(weight float64, v []*big.Float) {
			square, sum := number(0), 0.0
			for k := range q {
				at := number(0)
				for j := range r {
					at.Add(at, product(v[j], number(t.At(j, k))))
					sum += math.Abs(float(v[j]) * t.At(j, k))
				}
				square.Add(square, product(at, at))
			}
			all += math.Abs(weight) * sum * math.Sqrt(float(square))
			value.Add(value, product(number(weight), square))
			size.Add(size, product(number(math.Abs(weight)), square))
		}
		for _, term := range c.Terms {
			add(term.Weight, precise(g, term.Z))
		}
		n, _ := g.Dims()
		for j := range n {
			if c.Identity != 0 {
				add(c.Identity, precise(g, Vector{Index: []int{j}, Value: []float64{1}}))
			}
		}
		definite := c.Identity >= 0
		for _, term := range c.Terms {
			definite = definite && term.Weight > 0
		}
		off := float(number(0).Sub(value, number(c.Bound)))
		by := max(math.Abs(c.Bound), float(size))
		if definite && c.Bound > 0 {
			by = c.Bound
		}
		if excess := c.Relation.Excess(off, 0); excess > 0 {
			violation = max(violation, excess/by)
		}
		y := math.Abs(m.Stats().Duals[i])
		gap += y * math.Abs(off)
		noise = max(noise, all/by, y*all)
	}
	s := m.Stats()
	unit := float64(r)
	if m.cfg.Divergence == VonNeumann {
		unit = mat.Norm(g, 2) * mat.Norm(g, 2)
	}
	return violation, gap / (unit + s.Divergence), noise
}

// checkGap compares the objective, computed from the transform, with the dual function at
// the duals, a lower bound of it: both are then near the optimum.
func checkGap(t *testing.T, what string, h edge, m *Model) {
	t.Helper()
	s := m.Stats()
	var lower, upper, unit float64
	if m.cfg.Divergence == Burg {
		_, r := h.g.Dims()
		inverse := make([][]*big.Float, r)
		for i := range inverse {
			for j := range r {
				inverse[i] = append(inverse[i], number(0))
				if i == j {
					inverse[i][j] = number(1)
				}
			}
		}
		for i, c := range h.cs {
			lower += s.Duals[i] * c.Bound
			terms := append([]Term{}, c.Terms...)
			n, _ := h.g.Dims()
			for j := range n {
				if c.Identity != 0 {
					terms = append(terms, Term{Weight: c.Identity, Z: Vector{Index: []int{j}, Value: []float64{1}}})
				}
			}
			for _, term := range terms {
				v := precise(h.g, term.Z)
				f := product(number(s.Duals[i]), number(term.Weight))
				for j := range r {
					for k := range r {
						inverse[j][k].Sub(inverse[j][k], product(f, product(v[j], v[k])))
					}
				}
			}
		}
		logdet, ok := determinant(inverse)
		if !ok {
			t.Errorf("%s: the duals are outside of the domain", what)
			return
		}
		lower += logdet
		x := gramOf(m.Transform())
		exact := make([][]*big.Float, r)
		for i := range exact {
			for j := range r {
				sum := number(0)
				for k := range r {
					sum.Add(sum, product(number(m.Transform().At(i, k)), number(m.Transform().At(j, k))))
				}
				exact[i] = append(exact[i], sum)
			}
		}
		logdet, _ = determinant(exact)
		unit = float64(r)
		upper = mat.Trace(x) - logdet - unit
	} else {
		p := newReference(m.cfg, h.g, h.cs)
		lower, _ = p.at(s.Duals)
		x := congruence(p.v, gramOf(m.Map(nil, h.g)))
		unit = mat.Trace(p.l)
		entropy := function(x, func(v float64) float64 { return max(v, 0) * math.Log(max(v, 1e-300)) })
		upper = mat.Trace(entropy) - inner(x, function(p.l, math.Log)) - mat.Trace(x) + unit
	}
	if !(math.Abs(upper-lower) <= 1e-6*(unit+math.Abs(upper))) {
		t.Errorf("%s: objective %.12g, dual function %.12g", what, upper, lower)
	}
	if !(math.Abs(upper-s.Divergence) <= 1e-6*(unit+math.Abs(upper))) {
		t.Errorf("%s: divergence %.12g, recomputed %.12g", what, s.Divergence, upper)
	}
}

// determinant returns log det a by Gaussian elimination; ok is false unless a is positive
// definite.
func determinant(a [][]*big.Float) (log float64, ok bool) {
	for k := range a {
		if a[k][k].Sign() <= 0 {
			return 0, false
		}
		mantissa := number(0)
		e := a[k][k].MantExp(mantissa)
		log += math.Log(float(mantissa)) + float64(e)*math.Ln2
		for i := k + 1; i < len(a); i++ {
			f := number(0).Quo(a[i][k], a[k][k])
			for j := k; j < len(a); j++ {
				a[i][j].Sub(a[i][j], product(f, a[k][j]))
			}
		}
	}
	return log, true
}

// checkFarkas holds d to what it promises.
func checkFarkas(t *testing.T, what string, h edge, d []float64) {
	t.Helper()
	n, r := h.g.Dims()
	sum := mat.NewSymDense(r, nil)
	var gain, size float64
	for i, c := range h.cs {
		if c.Relation == AtMost && d[i] > 0 || c.Relation == AtLeast && d[i] < 0 {
			t.Errorf("%s: multiplier %d is %g", what, i, d[i])
		}
		gain += d[i] * c.Bound
		a := congruence(h.g, dense(c, n))
		size += math.Abs(d[i]) * mat.Norm(a, 2)
		a.ScaleSym(d[i], a)
		sum.AddSym(sum, a)
	}
	var e mat.EigenSym
	e.Factorize(sum, false)
	if top := e.Values(nil)[r-1]; !(gain > 0) || !(top <= 1e-12*size) {
		t.Errorf("%s: gain %g, largest eigenvalue %g of %g", what, gain, top, size)
	}
}

// A fit that is cancelled, wherever that is, or that ends early, answers for what it
// returns.
func TestCertificateOfUnfinished(t *testing.T) {
	g := gen.Normal(14, 6, 4)
	cs := problems(g, 3)["distances"]
	for name, d := range both {
		for _, looks := range []int{5, 8, 12, 20} {
			m, err := Config{Divergence: d, Tol: 1e-12}.Fit(looktest.After(t.Context(), looks), g, cs)
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s, cancelled at look %d: %v", name, looks, err)
			}
			if m != nil {
				compareCertificate(t, fmt.Sprintf("%s, cancelled at look %d", name, looks), g, cs, m)
			}
		}
		for _, most := range []int{1, 2} {
			for _, cyclic := range []bool{false, true} {
				m, err := Config{Divergence: d, Tol: 1e-12, MaxIter: most, Cyclic: cyclic}.Fit(t.Context(), g, cs)
				var slow *gram.ConvergenceError
				if !errors.As(err, &slow) {
					t.Fatalf("%s, %d iterations: %v", name, most, err)
				}
				compareCertificate(t, fmt.Sprintf("%s, %d iterations", name, most), g, cs, m)
			}
		}
	}
}

func compareCertificate(t *testing.T, what string, g *mat.Dense, cs []Linear, m *Model) {
	t.Helper()
	violation, gap, _ := recomputed(g, cs, m)
	if s := m.Stats(); violation == 0 || !(math.Abs(s.Violation-violation) <= 1e-9*violation+1e-14) || !(math.Abs(s.Gap-gap) <= 1e-9*gap+1e-15) {
		t.Errorf("%s: violation %g and gap %g, recomputed %g and %g", what, s.Violation, s.Gap, violation, gap)
	}
}

// The rank is that of the start, not the number of its columns.
func TestRank(t *testing.T) {
	var g mat.Dense
	g.Mul(gen.Normal(20, 3, 1), gen.Normal(3, 7, 2))
	for name, d := range both {
		m := fit(t, Config{Divergence: d}, &g, []Linear{Distance(0, 1, AtMost, 1)})
		if m.Stats().Rank != 3 {
			t.Errorf("%s: rank %d, want 3", name, m.Stats().Rank)
		}
	}
}

// A precomputed matrix and its factor give the same kernel; the model maps rows of kernel
// values, also those of rows that were not there.
func TestFitMatrix(t *testing.T) {
	all := gen.Normal(15, 4, 3)
	g := all.Slice(0, 12, 0, 4).(*mat.Dense)
	k := gramOf(g)
	for name, d := range both {
		c := Config{Divergence: d, Tol: 1e-9}
		cs := problems(g, 3)["distances"]
		m := must.Have(c.FitMatrix(t.Context(), k, cs))(t)
		if m.Stats().Rank != 4 {
			t.Errorf("%s: rank %d, want 4", name, m.Stats().Rank)
		}
		var with mat.Dense
		with.Mul(all, g.T())
		want, got := gramOf(fit(t, c, g, cs).Map(nil, all)), gramOf(m.Map(nil, &with))
		if e := algotest.Relative(want, got); !(e < 1e-6) {
			t.Errorf("%s: the kernels differ by %g", name, e)
		}
	}
	k.SetSym(2, 1, math.NaN())
	var de *gram.DataError
	if _, err := (Config{}).FitMatrix(t.Context(), k, nil); !errors.As(err, &de) || de.Row != 1 || de.Col != 2 {
		t.Errorf("an element that is no number: %v", err)
	}
	k.SetSym(2, 1, 0)
	k.SetSym(0, 0, -1)
	var no *gram.NotPDError
	if _, err := (Config{}).FitMatrix(t.Context(), k, nil); !errors.As(err, &no) || !(no.Margin < 0) {
		t.Errorf("a negative eigenvalue: %v", err)
	}
	var ce *gram.ConfigError
	if _, err := (Config{}).FitMatrix(t.Context(), new(mat.SymDense), nil); !errors.As(err, &ce) || ce.Field != "rows" {
		t.Errorf("a matrix without rows: %v", err)
	}
	m, err := Config{}.FitMatrix(t.Context(), mat.NewSymDense(3, nil), nil)
	if err != nil || mat.Norm(m.Transform(), 2) != 0 {
		t.Errorf("a matrix of zeros: %v", err)
	}
}
