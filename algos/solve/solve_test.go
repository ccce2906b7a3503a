package solve

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

type dense struct {
	a     *mat.Dense
	count int
	after func(count int)
}

func (o *dense) Dim() int { n, _ := o.a.Dims(); return n }

func (o *dense) Apply(dst, x *mat.Dense) {
	o.count++
	dst.Mul(o.a, x)
	if o.after != nil {
		o.after(o.count)
	}
}

// symmetric returns Q·diag(values)·Qᵀ for a random orthogonal Q.
func symmetric(seed uint64, values []float64) *mat.Dense {
	n := len(values)
	var qr mat.QR
	qr.Factorize(random(seed, n, n))
	var q, s mat.Dense
	qr.QTo(&q)
	s.Mul(&q, mat.NewDiagDense(n, values))
	var a mat.Dense
	a.Mul(&s, q.T())
	return &a
}

func random(seed uint64, n, d int) *mat.Dense {
	r := rng.New(seed, 0)
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, r.NormFloat64())
		}
	}
	return x
}

func decades(n int, low float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Pow(10, low*float64(i)/float64(max(n-1, 1)))
	}
	return v
}

func residual(a *mat.Dense, shift float64, x, b *mat.Dense) float64 {
	var r mat.Dense
	r.Mul(a, x)
	n, s := b.Dims()
	worst := 0.0
	for j := range s {
		var num, den float64
		for i := range n {
			v := b.At(i, j) - r.At(i, j) - shift*x.At(i, j)
			num += v * v
			den += b.At(i, j) * b.At(i, j)
		}
		if num > 0 {
			worst = math.Max(worst, math.Sqrt(num/den))
		}
	}
	return worst
}

func TestCGAgainstCholesky(t *testing.T) {
	for _, n := range []int{1, 2, 17, 60} {
		for _, s := range []int{1, 3} {
			for _, shift := range []float64{0, 0.3} {
				a := symmetric(1, decades(n, -3))
				b := random(2, n, s)
				x := mat.NewDense(n, s, nil)
				st, err := CG(context.Background(), x, &dense{a: a}, shift, b, Options{Tol: 1e-11})
				if err != nil {
					t.Fatalf("n=%d s=%d shift=%g: %v", n, s, shift, err)
				}
				if got := residual(a, shift, x, b); !(got <= 1.001e-11) {
					t.Errorf("n=%d s=%d shift=%g: residual %g", n, s, shift, got)
				}
				if len(st.Trace) != st.Iter || len(st.Residual) != s || !(st.Trace[len(st.Trace)-1] <= 1e-11) {
					t.Errorf("n=%d s=%d: statistics %+v", n, s, st)
				}
				sym := mat.NewSymDense(n, nil)
				for i := range n {
					for j := i; j < n; j++ {
						sym.SetSym(i, j, a.At(i, j))
					}
					sym.SetSym(i, i, sym.At(i, i)+shift)
				}
				var chol mat.Cholesky
				if !chol.Factorize(sym) {
					t.Fatal("not positive definite")
				}
				var want mat.Dense
				must.Do(t, chol.SolveTo(&want, b))
				if !mat.EqualApprox(x, &want, 1e-6) {
					t.Errorf("n=%d s=%d shift=%g: solution differs from Cholesky's", n, s, shift)
				}
			}
		}
	}
}

func TestCGColumnsAreIndependent(t *testing.T) {
	const n, s = 40, 4
	a := symmetric(3, decades(n, -4))
	b := random(4, n, s)
	for i := range n {
		b.Set(i, 2, 0)               // the zero column
		b.Set(i, 3, 1e-6*b.At(i, 3)) // another scale
	}
	all := mat.NewDense(n, s, nil)
	must.Have(CG(context.Background(), all, &dense{a: a}, 0, b, Options{Tol: 1e-9}))(t)
	for j := range s {
		one := mat.NewDense(n, 1, nil)
		must.Have(CG(context.Background(), one, &dense{a: a}, 0, mat.DenseCopyOf(b.ColView(j)), Options{Tol: 1e-9}))(t)
		if d := scaledDifference(all.ColView(j), one.ColView(0)); !(d <= 1e-5) {
			t.Errorf("column %d alone differs by %g", j, d)
		}
	}
	for i := range n {
		if all.At(i, 2) != 0 {
			t.Fatal("the solution of a zero column is not zero")
		}
	}
}

func scaledDifference(a, b mat.Vector) float64 {
	var d mat.VecDense
	d.SubVec(a, b)
	return mat.Norm(&d, 2) / math.Max(mat.Norm(a, 2), 1e-300)
}

func TestCGPreconditionerAndWarmStart(t *testing.T) {
	const n = 80
	v := decades(n, -6)
	a := mat.NewDense(n, n, nil)
	m := mat.NewDense(n, n, nil)
	for i := range n {
		a.Set(i, i, v[i])
		m.Set(i, i, 1/v[i])
		if i > 0 {
			a.Set(i, i-1, 0.1*v[i])
			a.Set(i-1, i, 0.1*v[i])
		}
	}
	b, x := random(5, n, 2), mat.NewDense(n, 2, nil)
	plain := must.Have(CG(context.Background(), x, &dense{a: a}, 0, b, Options{}))(t)
	x2 := mat.NewDense(n, 2, nil)
	with := must.Have(CG(context.Background(), x2, &dense{a: a}, 0, b, Options{Precondition: &dense{a: m}}))(t)
	if with.Iter*2 > plain.Iter {
		t.Errorf("%d iterations with a good preconditioner, %d without", with.Iter, plain.Iter)
	}
	if r := residual(a, 0, x2, b); !(r <= 1.001e-8) {
		t.Errorf("residual %g with a preconditioner", r)
	}
	warm, err := CG(context.Background(), x, &dense{a: a}, 0, b, Options{Warm: true})
	if err != nil || warm.Iter != 1 {
		t.Errorf("a start at the solution took %d products, error %v", warm.Iter, err)
	}
}

// unfinished is a matrix whose products are zero once the context has ended.
type unfinished struct {
	gram.Operator
	ctx context.Context
}

func (u unfinished) Apply(dst, x *mat.Dense) {
	u.Operator.Apply(dst, x)
	if u.ctx.Err() != nil {
		dst.Zero()
	}
}

func TestCGErrorsKeepTheLastIterate(t *testing.T) {
	const n = 50
	a := symmetric(6, decades(n, -8))
	b := random(7, n, 1)
	x := mat.NewDense(n, 1, nil)
	st, err := CG(context.Background(), x, &dense{a: a}, 0, b, Options{Tol: 1e-10, MaxIter: 8})
	var ce *gram.ConvergenceError
	if !errors.As(err, &ce) || ce.Iter != 8 || st.Iter != 8 {
		t.Fatalf("error %v after %d products, want one about convergence after 8", err, st.Iter)
	}
	if r := residual(a, 0, x, b); !(math.Abs(r-ce.Residual) <= 1e-9) {
		t.Errorf("residual %g, the error says %g", r, ce.Residual)
	}

	// A tolerance below what round-off allows gives an error instead of an
	// endless loop.
	if _, err := CG(context.Background(), x, &dense{a: a}, 0, b, Options{Tol: 1e-30}); !errors.As(err, &ce) {
		t.Errorf("error %v for a tolerance of 1e-30", err)
	}

	// A product that the end of the context leaves unfinished is not used: with a shift it would be a long step.
	ctx, cancel := context.WithCancel(context.Background())
	o := &dense{a: a, after: func(c int) {
		if c == 5 {
			cancel()
		}
	}}
	st, err = CG(ctx, x, unfinished{o, ctx}, 1e-6, b, Options{Tol: 1e-10})
	want := mat.NewDense(n, 1, nil)
	CG(context.Background(), want, &dense{a: a}, 1e-6, b, Options{Tol: 1e-10, MaxIter: 4})
	if err != context.Canceled || st.Iter != 4 || !mat.Equal(x, want) {
		t.Errorf("cancelled in product 5: error %v, %d products, a norm of %g after %g", err, st.Iter, mat.Norm(x, 2), mat.Norm(want, 2))
	}

	// Once the context has ended, no product begins.
	ctx, cancel = context.WithCancel(context.Background())
	o = &dense{a: a}
	_, err = CG(ctx, x, o, 0, b, Options{Tol: 1e-10, Progress: func(e gram.Event) {
		if e.Done == 3 {
			cancel()
		}
	}})
	if err != context.Canceled || o.count != 3 {
		t.Errorf("cancelled after product 3: error %v, %d products", err, o.count)
	}

	v := decades(n, -2)
	v[n/2] = -0.5
	var pd *gram.NotPDError
	if _, err := CG(context.Background(), x, &dense{a: symmetric(8, v)}, 0, b, Options{}); !errors.As(err, &pd) || !(pd.Margin < 0) {
		t.Errorf("error %v for an indefinite matrix", err)
	}
	if _, err := CG(context.Background(), x, &dense{a: symmetric(8, v)}, 0.6, b, Options{}); err != nil {
		t.Errorf("error %v with a shift that makes the matrix definite", err)
	}
}

func TestInvSqrt(t *testing.T) {
	for _, m := range []int{1, 2, 9, 30} {
		v := decades(m, -5)
		a := symmetric(9, v)
		w := upper(a)
		b, values := must.Have2(InvSqrt(t.Context(), w, 0, 0))(t)
		if len(values) != m || !(math.Abs(values[0]-1) <= 1e-12) {
			t.Errorf("m=%d: eigenvalues %v", m, values)
		}
		// BᵀWB = I is the definition.
		var wb, g mat.Dense
		wb.Mul(w, b)
		g.Mul(b.T(), &wb)
		for i := range m {
			g.Set(i, i, g.At(i, i)-1)
		}
		if d := mat.Norm(&g, 2); !(d < 1e-9) {
			t.Errorf("m=%d: ‖BᵀWB−I‖ = %g", m, d)
		}
		k := (m + 1) / 2
		bk, vk, err := InvSqrt(t.Context(), w, k, 0)
		if err != nil || len(vk) != k {
			t.Fatalf("m=%d: %d eigenvalues kept, want %d (%v)", m, len(vk), k, err)
		}
		if _, c := bk.Dims(); c != k {
			t.Errorf("m=%d: %d columns, want %d", m, c, k)
		}
	}
}

func TestInvSqrtDropsRoundOff(t *testing.T) {
	// Ten different points, each repeated three times, give rank 10; the other
	// twenty eigenvalues are round-off.
	x := random(10, 10, 3)
	w := mat.NewSymDense(30, nil)
	for i := range 30 {
		for j := range 30 {
			var d mat.VecDense
			d.SubVec(x.RowView(i%10), x.RowView(j%10))
			w.SetSym(i, j, math.Exp(-mat.Dot(&d, &d)))
		}
	}
	b, values := must.Have2(InvSqrt(t.Context(), w, 0, 0))(t)
	if len(values) != 10 {
		t.Errorf("effective rank %d, want 10", len(values))
	}
	// W·W†·W = W
	var p mat.Dense
	p.Mul(w, b)
	if d := algotest.Relative(w, fixture.InnerProducts(&p)); !(d < 1e-12) {
		t.Errorf("‖WW†W−W‖/‖W‖ = %g", d)
	}
}

func TestInvSqrtOfNothing(t *testing.T) {
	b, values, err := InvSqrt(t.Context(), mat.NewSymDense(4, nil), 2, 0)
	if err != nil || len(values) != 0 || mat.Norm(b, 1) != 0 {
		t.Errorf("zero matrix: %v eigenvalues, error %v", values, err)
	}
	w := mat.NewSymDense(2, []float64{1, math.NaN(), 0, 1})
	var de *gram.DataError
	if _, _, err := InvSqrt(t.Context(), w, 0, 0); !errors.As(err, &de) || de.Row != 0 || de.Col != 1 {
		t.Errorf("error %v for NaN", err)
	}
}

func upper(a *mat.Dense) *mat.SymDense {
	n, _ := a.Dims()
	w := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			w.SetSym(i, j, a.At(i, j))
		}
	}
	return w
}

// A right-hand side whose square underflows is not taken for negative
// curvature.
func TestCGOfTinyNumbers(t *testing.T) {
	a := &dense{a: symmetric(3, decades(20, 1e-2))}
	for _, scale := range []float64{1e-140, 1e-155, 1e-158, 1e-161, 1e-200, 5e-324} {
		b := random(4, 20, 2)
		b.Scale(scale, b)
		x := mat.NewDense(20, 2, nil)
		_, err := CG(t.Context(), x, a, 0, b, Options{})
		var ce *gram.ConvergenceError
		if err != nil && (!errors.As(err, &ce) || scale > 1e-150) {
			t.Errorf("a right-hand side of about %g: %v", scale, err)
		}
		for _, v := range x.RawMatrix().Data {
			if !(math.Abs(v) <= 1e4*scale) {
				t.Fatalf("a right-hand side of about %g: %g in the solution", scale, v)
			}
		}
	}
}

// CG checks the context in every iteration, whatever its operator does.
func TestCGLooks(t *testing.T) {
	const n = 1500
	a, b, x := mat.NewDense(n, n, nil), random(4, n, 1), mat.NewDense(n, 1, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, 1/(1+math.Abs(float64(i-j))))
		}
		a.Set(i, i, 20)
	}
	algotest.Looks(t, 0, func(ctx context.Context) error {
		_, err := CG(ctx, x, &dense{a: a}, 0, b, Options{Tol: 1e-15, MaxIter: 40})
		var ce *gram.ConvergenceError
		if errors.As(err, &ce) {
			return nil
		}
		return err
	})
}
