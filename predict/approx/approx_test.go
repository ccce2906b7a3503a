package approx

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/predict"
	"gonum.org/v1/gonum/mat"
)

func normal(seed uint64, n, d int) *mat.Dense {
	r := rng.New(seed, 0)
	x := mat.NewDense(n, d, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = r.NormFloat64()
	}
	return x
}

// machine has n points in d columns and k outputs.
func machine(kern kernel.Kernel, n, d, k int) predict.Machine {
	m := predict.Machine{Kernel: kern, Points: normal(1, n, d), Coef: normal(2, n, k), Bias: make([]float64, k)}
	for t := range m.Bias {
		m.Bias[t] = float64(1+t) / 4
	}
	return m
}

// outputs are those of a machine by its definition.
func outputs(m predict.Machine, x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	y := mat.NewDense(n, len(m.Bias), nil)
	for i := range n {
		row := y.RawRowView(i)
		copy(row, m.Bias)
		for j := range m.Size() {
			v := m.Kernel.Eval(mat.Row(nil, i, x)[:d], m.Points.RawRowView(j))
			for t := range row {
				row[t] += v * m.Coef.At(j, t)
			}
		}
	}
	return y
}

// problem has rows to fit to and others kept out.
func problem(m predict.Machine, fitted, held int) predict.Problem {
	d, _ := m.Dims()
	x, kept := normal(3, fitted, d), normal(4, held, d)
	return predict.Problem{Machine: m, X: gram.Of(x), Held: gram.Of(kept), Y: outputs(m, x), HeldY: outputs(m, kept), Run: gram.Run{Seed: 7}}
}

// The cost that a candidate is chosen by is that of its program, for every size; sizes
// end where there are no more points, and kernels have the candidates that are for them.
func TestPlans(t *testing.T) {
	for _, k := range []int{1, 3} {
		for _, d := range []int{1, 3, 6, 20} {
			for _, kern := range []kernel.Kernel{kernel.Gaussian{Gamma: .1}, kernel.Laplacian{Gamma: .1}, kernel.Polynomial{Degree: 2, Offset: 1}} {
				p := problem(machine(kern, 40, d, k), 120, 30)
				for _, c := range Candidates() {
					unit := 1
					if c.Unit != nil {
						unit = c.Unit(d)
					}
					_, fourier := kern.(kernel.Polynomial)
					_, fast := kern.(kernel.Laplacian)
					_, ok := c.Plan(p.Machine, unit)
					if want := !(c.Method == RFF && fourier || c.Method == FastNys && fast || c.Method == Reduced && (fourier || fast)); ok != want {
						t.Fatalf("%s for the kernel %s: %t", c.Method, kern.Spec().Name, ok)
					}
					if !ok {
						continue
					}
					last := 40 // a landmark for every point
					if c.Method == FastNys {
						last = 40 * unit
					}
					if _, ok := c.Plan(p.Machine, last); !ok {
						t.Errorf("%s: no size of %d", c.Method, last)
					}
					if _, ok := c.Plan(p.Machine, last+unit); ok != (c.Method == RFF) {
						t.Errorf("%s: a size of %d is %t", c.Method, last+unit, ok)
					}
					size := 2 * unit
					plan, _ := c.Plan(p.Machine, size)
					f, _, err := c.Fit(t.Context(), p, size)
					if err != nil {
						t.Fatalf("%s: %v", c.Method, err)
					}
					if got := f.Folded().Cost(8).Flops; got != plan.Flops {
						t.Errorf("%s of size %d for %d columns, %d outputs, kernel %s: %g flops are planned, the program takes %g", c.Method, size, d, k, kern.Spec().Name, plan.Flops, got)
					}
				}
			}
		}
	}
	m := machine(kernel.Gaussian{Gamma: .1}, 2100, 6, 1)
	if _, ok := planFastNys(m, 8*2000); !ok {
		t.Error("2000 seeds are too many")
	}
	if _, ok := planFastNys(m, 8*2001); ok {
		t.Error("2001 seeds are learned from 2000 points")
	}
	for d, want := range map[int]int{0: 1, 1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 8: 8, 9: 8, 500: 8} {
		if got := perSeed(d); got != want {
			t.Errorf("%d landmarks for each seed of %d columns, want %d", got, d, want)
		}
	}
	for m, want := range map[int]int{1: 1, 2: 3, 3: 6, 48: 1176, 49: 1200, 100: 1200} {
		if got := products(m); got != want {
			t.Errorf("%d products of %d landmarks, want %d", got, m, want)
		}
	}
	var text string
	for _, c := range Candidates() {
		text += fmt.Sprint(c.Method, " ", c.Usual, ", ")
	}
	if text != "nystrom 256, rff 256, fastnys 256, dcpred 32, reduced 64, " {
		t.Errorf("the candidates are %s", text)
	}
}

// Points are weighed by the squares of their coefficients: a point without any is no
// landmark. All points as landmarks are the machine itself. Another seed makes other
// approximations.
func TestCandidates(t *testing.T) {
	m := machine(kernel.Gaussian{Gamma: .1}, 90, 6, 2)
	for j := range 60 {
		clear(m.Coef.RawRowView(j))
	}
	p := problem(m, 150, 40)
	w := mass(m)
	for j, v := range w {
		if want := math.Pow(m.Coef.At(j, 0), 2) + math.Pow(m.Coef.At(j, 1), 2); !(math.Abs(v-want) <= 1e-15*want) {
			t.Fatalf("weight %d is %g, want %g", j, v, want)
		}
	}
	off := func(f basis.Function) float64 {
		x := normal(9, 50, 6)
		want := outputs(m, x)
		got := mat.NewDense(50, 2, nil)
		program := must.Have(f.Program64())(t)
		program.Rows(gram.View(got), gram.Of(x))
		got.Sub(got, want)
		return mat.Norm(got, 2) / mat.Norm(want, 2)
	}
	// 30 points have weight: these are all landmarks that 30 groups have.
	f, _, err := Candidates()[0].Fit(t.Context(), p, 30)
	if err != nil || !(off(f) < 1e-6) {
		t.Errorf("nystrom with a landmark for every point of weight: error %g, %v", off(f), err)
	}
	if f, _, err = Candidates()[0].Fit(t.Context(), p, 90); err != nil || !(off(f) < 1e-6) {
		t.Errorf("nystrom with all points: error %g, %v", off(f), err)
	}
	if u := f.Folded().Basis.(*basis.Values).Landmarks(); !mat.Equal(u, m.Points) {
		t.Error("all points are landmarks, and not in their order")
	}
	for i, c := range Candidates() {
		size := []int{16, 16, 16, 5, 16}[i]
		p := p
		a, _ := must.Have2(c.Fit(t.Context(), p, size))(t)
		p.Seed = 8
		b, _ := must.Have2(c.Fit(t.Context(), p, size))(t)
		if c.Method != Reduced && off(a) == off(b) {
			t.Errorf("%s: another seed makes the same approximation", c.Method)
		}
		var memory *gram.MemoryError
		p.MemoryLimit = 2000
		if _, _, err := c.Fit(t.Context(), p, size); !errors.As(err, &memory) || memory.Limit != 2000 {
			t.Errorf("%s in 2000 bytes: %v", c.Method, err)
		}
	}
}

// Points that nearly coincide make features that float32 has no digits for: those with
// eigenvalues below a millionth of the largest are left out there.
func TestCut(t *testing.T) {
	m := machine(kernel.Gaussian{Gamma: .1}, 64, 6, 1)
	for j := 32; j < 64; j++ {
		for c := range 6 {
			m.Points.Set(j, c, m.Points.At(j-32, c)+1e-4*float64((j+c)%3-1))
		}
	}
	for i, fit := range []features{fitNystrom, fitFastNys, fitDCPred} {
		size := []int{64, 64, 12}[i]
		p := problem(m, 120, 30)
		var width [2]int
		for at, precision := range []predict.Precision{predict.Float64, predict.Float32} {
			p.Precision = precision
			phi := must.Have(fit(t.Context(), p, size))(t)
			_, width[at] = phi.Dims()
		}
		if !(width[1] < width[0]) {
			t.Errorf("candidate %d has %d features for float64 and %d for float32", i, width[0], width[1])
		}
	}
	p := problem(m, 120, 30)
	if cut(p) != 1e-10 {
		t.Errorf("the cut for float64 is %g", cut(p))
	}
	if p.Precision = predict.Float32; cut(p) != 1e-6 {
		t.Errorf("the cut for float32 is %g", cut(p))
	}
}

// shifted are the columns, moved and scaled: features that are no good guess at first.
type shifted struct {
	basis.Identity
	scale float64
}

func (b shifted) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	dst = b.Identity.Map(dst, x)
	dst.Apply(func(i, j int, v float64) float64 { return b.scale * (v + .1) }, dst)
	return dst
}

// The correction is that of its definition: the expansion Σ φ(u_j)·coef_j, then the
// ridge regression of the rest, with a constant that is not penalized, at the penalty
// that does best on the rows kept out, or none at all.
func TestCorrect(t *testing.T) {
	for _, points := range []int{7, 1024, 1025} {
		m := machine(kernel.Linear{}, points, 3, 2)
		m.Coef.Scale(1/float64(points), m.Coef)
		phi := shifted{3, .8}
		p := problem(m, 60, 20)
		// The rest is not all noise, and not all linear.
		for i := range 60 {
			p.Y.Set(i, 0, p.Y.At(i, 0)+.1*math.Sin(3*p.X.At(i, 1)))
		}
		f, penalty := must.Have2(correct(t.Context(), p, phi))(t)
		w := mat.NewDense(3, 2, nil)
		w.Mul(phi.Map(nil, m.Points).T(), m.Coef)
		x, held := phi.Map(nil, p.X), phi.Map(nil, p.Held)
		rest, left := mat.DenseCopyOf(p.Y), mat.DenseCopyOf(p.HeldY)
		var v mat.Dense
		for _, r := range []struct{ y, x *mat.Dense }{{rest, x}, {left, held}} {
			v.Reset()
			v.Mul(r.x, w)
			r.y.Sub(r.y, &v)
			r.y.Apply(func(_, j int, v float64) float64 { return v - m.Bias[j] }, r.y)
		}
		size := math.Pow(mat.Norm(x, 2), 2) / 60
		best, at := mat.Norm(left, 2), math.Inf(1)
		coef, bias := mat.DenseCopyOf(w), append([]float64(nil), m.Bias...)
		for _, l := range []float64{1e-2, 1e-4, 1e-6, 1e-8} {
			// (XᵀX + nλI)·w = Xᵀy, all about the means.
			var mean, target [3]float64
			for j := range 3 {
				mean[j] = mat.Sum(x.ColView(j)) / 60
			}
			for j := range 2 {
				target[j] = mat.Sum(rest.ColView(j)) / 60
			}
			cx, cy := mat.DenseCopyOf(x), mat.DenseCopyOf(rest)
			cx.Apply(func(_, j int, v float64) float64 { return v - mean[j] }, cx)
			cy.Apply(func(_, j int, v float64) float64 { return v - target[j] }, cy)
			var g, b, dw mat.Dense
			g.Mul(cx.T(), cx)
			for j := range 3 {
				g.Set(j, j, g.At(j, j)+60*l*size)
			}
			b.Mul(cx.T(), cy)
			must.Do(t, dw.Solve(&g, &b))
			db := make([]float64, 2)
			for j := range 2 {
				db[j] = target[j]
				for c := range 3 {
					db[j] -= mean[c] * dw.At(c, j)
				}
			}
			var e mat.Dense
			e.Mul(held, &dw)
			e.Sub(left, &e)
			e.Apply(func(_, j int, v float64) float64 { return v - db[j] }, &e)
			if norm := mat.Norm(&e, 2); norm < best {
				best, at = norm, l*size
				coef.Add(w, &dw)
				for j := range bias {
					bias[j] = m.Bias[j] + db[j]
				}
			}
		}
		if math.IsInf(at, 1) || !(math.Abs(penalty-at) <= 1e-12*at) {
			t.Errorf("%d points: penalty %g, want %g", points, penalty, at)
		}
		if !mat.EqualApprox(f.Coef, coef, 1e-8) || !mat.EqualApprox(mat.NewVecDense(2, f.Bias), mat.NewVecDense(2, bias), 1e-8) || f.Basis != basis.Basis(phi) {
			t.Errorf("%d points: coefficients %v and %v, want %v and %v", points, mat.Formatted(f.Coef), f.Bias, mat.Formatted(coef), bias)
		}
		if m.Bias[0] != .25 || m.Bias[1] != .5 {
			t.Error("the constants of the machine are changed")
		}
	}
	// Features without length have no penalties.
	m := machine(kernel.Linear{}, 30, 3, 1)
	f, penalty, err := correct(t.Context(), problem(m, 60, 20), shifted{3, 0})
	if err != nil || !math.IsInf(penalty, 1) || f.Bias[0] != m.Bias[0] {
		t.Errorf("features without length: penalty %g, constant %g, %v", penalty, f.Bias, err)
	}
	// What is exact at first is not corrected.
	m.Coef.Zero()
	if _, penalty, err = correct(t.Context(), problem(m, 60, 20), basis.Identity(3)); err != nil || !math.IsInf(penalty, 1) {
		t.Errorf("a machine without coefficients: penalty %g, %v", penalty, err)
	}
}

// With as many rows as there are features and with fewer, for the smaller system and the larger one,
// the correction is the same.
func TestCorrections(t *testing.T) {
	for _, n := range []int{20, 30} {
		const features, k = 25, 2
		p := problem(machine(kernel.Linear{}, 30, features, k), n, 20)
		x := mat.DenseCopyOf(p.X)
		for i := range n {
			x.Set(i, 0, x.At(i, 0)+100) // far from 0
		}
		primal := must.Have(onFeatures(t.Context(), gram.Run{}, x, p.Y))(t)
		dual := must.Have(onRows(t.Context(), gram.Run{}, x, p.Y))(t)
		for _, penalty := range []float64{1, 1e-2, 1e-5} {
			a := must.Have(primal(penalty))(t)
			b := must.Have(dual(penalty))(t)
			got, want := residual(p.Y, x, a.w, a.bias), residual(p.Y, x, b.w, b.bias)
			if !mat.EqualApprox(got, want, 1e-9) || mat.Norm(want, 2) >= mat.Norm(p.Y, 2) {
				t.Errorf("%d rows, penalty %g: residuals of norms %g and %g", n, penalty, mat.Norm(got, 2), mat.Norm(want, 2))
			}
		}
	}
}

// The memory of the correction is checked to the byte before anything is done.
func TestCorrectLimit(t *testing.T) {
	const features, fitted, held, k = 5, 60, 20, 2
	p := problem(machine(kernel.Linear{}, 30, features, k), fitted, held)
	// The features of all rows and once more of those that are fitted, what the decomposition
	// and the weights take, and both residuals with their predictions.
	need := int64(8 * (features*(2*fitted+held+3*features+2*k) + 4*k*(fitted+held)))
	p.MemoryLimit = need - 1
	var memory *gram.MemoryError
	if _, _, err := correct(t.Context(), p, basis.Identity(features)); !errors.As(err, &memory) || memory.Need != need {
		t.Errorf("a byte too little: %v, want %d bytes", err, need)
	}
	p.MemoryLimit = need
	if _, _, err := correct(t.Context(), p, basis.Identity(features)); err != nil {
		t.Error(err)
	}
}

// Every look at the context is obeyed; an error of the features is the candidate's.
func TestObeys(t *testing.T) {
	p := problem(machine(kernel.Gaussian{Gamma: .1}, 60, 3, 1), 120, 30)
	p.Workers = 1
	for i, c := range Candidates() {
		size := []int{8, 8, 8, 4, 8}[i]
		algotest.Obeys(t, func(ctx context.Context) error {
			_, _, err := c.Fit(ctx, p, size)
			return err
		})
	}
	fails := errors.New("no features")
	if _, _, err := on(func(context.Context, predict.Problem, int) (basis.Basis, error) { return nil, fails })(t.Context(), p, 3); err != fails {
		t.Errorf("features that fail: %v", err)
	}
}
