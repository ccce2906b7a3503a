package solve

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// recorded runs CG and returns its progress events.
func recorded(t *testing.T, a gram.Operator, shift float64, x, b *mat.Dense, o Options) (Stats, []gram.Event, error) {
	t.Helper()
	var events []gram.Event
	o.Progress = func(e gram.Event) { events = append(events, e) }
	st, err := CG(context.Background(), x, a, shift, b, o)
	return st, events, err
}

// Stats.Residual is the residual of each column by its definition, also if the
// iteration ends before its tolerance is reached.
func TestCGResidualIsTheDefinitions(t *testing.T) {
	const n, s, shift = 40, 3, 0.1
	a := symmetric(1, decades(n, -5))
	b := random(2, n, s)
	for i := range n {
		b.Set(i, 1, 1e8*b.At(i, 1))
	}
	for _, o := range []Options{{Tol: 1e-3}, {Tol: 1e-14, MaxIter: 3}, {Tol: 1e-300}} {
		x := mat.NewDense(n, s, nil)
		st, err := CG(context.Background(), x, &dense{a: a}, shift, b, o)
		if ce := (*gram.ConvergenceError)(nil); err != nil && !errors.As(err, &ce) {
			t.Fatal(err)
		}
		for j := range s {
			want := residual(a, shift, mat.DenseCopyOf(x.Slice(0, n, j, j+1)), mat.DenseCopyOf(b.Slice(0, n, j, j+1)))
			if !(math.Abs(st.Residual[j]-want) <= 1e-9*want+1e-15) {
				t.Errorf("%+v: column %d has the residual %g, Stats say %g", o, j, want, st.Residual[j])
			}
		}
	}
}

// Every product gives an event with the residual of the trace; the last event
// ends the phase.
func TestCGProgress(t *testing.T) {
	const n = 30
	a := symmetric(1, decades(n, -3))
	st, events := must.Have2(recorded(t, &dense{a: a}, 0, mat.NewDense(n, 2, nil), random(2, n, 2), Options{Tol: 1e-6, MaxIter: 77}))(t)
	if len(events) != st.Iter+1 {
		t.Fatalf("%d events in %d iterations", len(events), st.Iter)
	}
	for i, e := range events[:st.Iter] {
		if want := (gram.Event{Phase: "conjugate gradients", Done: int64(i + 1), Gap: st.Trace[i]}); e != want {
			t.Errorf("event %+v, want %+v", e, want)
		}
	}
	if e := events[st.Iter]; e.Done != int64(st.Iter) || e.Total != e.Done || !(e.Gap <= 1e-6) {
		t.Errorf("the end is %+v", e)
	}
}

// The default tolerance is 1e-8, the default number of products 2n, at least
// 1000 and at most 10 000.
func TestCGDefaults(t *testing.T) {
	for n, want := range map[int]int{5: 1000, 500: 1000, 700: 1400, 6000: 10_000} {
		d := mat.NewDense(n, 1, nil)
		for i := range n {
			d.Set(i, 0, 1+float64(i%3))
		}
		x, b := mat.NewDense(n, 1, nil), random(1, n, 1)
		st, _ := must.Have2(recorded(t, diagonal{d}, 0, x, b, Options{}))(t)
		if got := (Options{}).resolved(n).MaxIter; got != want {
			t.Errorf("n=%d: at most %d products, want %d", n, got, want)
		}
		if !(st.Residual[0] <= 1e-8) {
			t.Errorf("n=%d: residual %g", n, st.Residual[0])
		}
	}
	a := symmetric(3, decades(60, -4))
	st := must.Have(CG(context.Background(), mat.NewDense(60, 1, nil), &dense{a: a}, 0, random(4, 60, 1), Options{}))(t)
	if before := st.Trace[st.Iter-2]; !(before > 1e-8) {
		t.Errorf("the iteration went on from %g, below the tolerance of 1e-8", before)
	}
}

// diagonal is the operator of a diagonal matrix.
type diagonal struct{ d *mat.Dense }

func (o diagonal) Dim() int { n, _ := o.d.Dims(); return n }

func (o diagonal) Apply(dst, x *mat.Dense) { dst.MulElem(o.d, x) }

// A column of zeros has the solution zero from any start; the other columns keep
// their start.
func TestCGWarmStartOfZeros(t *testing.T) {
	const n = 20
	a := symmetric(5, decades(n, -2))
	for zero := range 2 {
		b := random(6, n, 2)
		for i := range n {
			b.Set(i, zero, 0)
		}
		x := mat.NewDense(n, 2, nil)
		must.Have(CG(context.Background(), x, &dense{a: a}, 0, b, Options{Tol: 1e-12}))(t)
		for i := range n {
			x.Set(i, zero, 7)
		}
		st, err := CG(context.Background(), x, &dense{a: a}, 0, b, Options{Tol: 1e-10, Warm: true})
		if err != nil || st.Iter != 1 || len(st.Trace) != 1 {
			t.Errorf("column %d: %+v, %v; the other column was solved before", zero, st, err)
		}
		for i := range n {
			if x.At(i, zero) != 0 {
				t.Fatalf("column %d: the solution of a zero column is %g", zero, x.At(i, zero))
			}
		}
	}
}

// NaN in a product ends the iteration at once; a zero right-hand side needs no
// product.
func TestCGEnds(t *testing.T) {
	a := symmetric(7, decades(9, -1))
	a.Set(3, 3, math.NaN())
	var ce *gram.ConvergenceError
	st, err := CG(context.Background(), mat.NewDense(9, 2, nil), &dense{a: a}, 0, random(8, 9, 2), Options{})
	if !errors.As(err, &ce) || st.Iter != 1 || ce.Residual == ce.Residual {
		t.Errorf("NaN in the matrix: %v after %d products", err, st.Iter)
	}
	o := &dense{a: symmetric(7, decades(9, -1))}
	st, events, err := recorded(t, o, 0, random(1, 9, 1), mat.NewDense(9, 1, nil), Options{})
	if err != nil || st.Iter != 0 || o.count != 0 || len(events) != 0 || st.Residual[0] != 0 {
		t.Errorf("no right-hand side: %+v, %v after %d products", st, err, o.count)
	}
}

// A preconditioner that is not positive definite costs at most the products that were made with it.
func TestCGIndefinitePreconditioner(t *testing.T) {
	const n = 30
	a, b := symmetric(9, decades(n, -3)), random(10, n, 2)
	plain := must.Have(CG(context.Background(), mat.NewDense(n, 2, nil), &dense{a: a}, 0, b, Options{}))(t)
	for negative := range n {
		d := mat.NewDense(n, 2, nil)
		for i := range n {
			d.SetRow(i, []float64{1 + float64(i), 1 + float64(i)})
		}
		d.SetRow(negative, []float64{-1e4, -1e4})
		st, err := CG(context.Background(), mat.NewDense(n, 2, nil), &dense{a: a}, 0, b, Options{Precondition: diagonal{d}})
		if err != nil || st.Iter > plain.Iter+n/2 {
			t.Errorf("entry %d: %v after %d products, %d without the preconditioner", negative, err, st.Iter, plain.Iter)
		}
	}
}

func TestCGPanics(t *testing.T) {
	a, b := &dense{a: symmetric(1, decades(4, -1))}, random(1, 4, 2)
	for what, f := range map[string]func(){
		"b of another length":   func() { CG(context.Background(), mat.NewDense(5, 2, nil), a, 0, random(1, 5, 2), Options{}) },
		"dst of another length": func() { CG(context.Background(), mat.NewDense(3, 2, nil), a, 0, b, Options{}) },
		"dst of another width":  func() { CG(context.Background(), mat.NewDense(4, 1, nil), a, 0, b, Options{}) },
		"another preconditioner": func() {
			CG(context.Background(), mat.NewDense(4, 2, nil), a, 0, b, Options{Precondition: &dense{a: random(1, 5, 5)}})
		},
		"rows of a wrong width":       func() { (&LowRank{Phi: random(1, 4, 2)}).Rows(mat.NewDense(2, 3, nil), []int{0, 1}) },
		"rows of a wrong number":      func() { (&LowRank{Phi: random(1, 4, 2)}).Rows(mat.NewDense(3, 4, nil), []int{0, 1}) },
		"product of a wrong length":   func() { (&LowRank{Phi: random(1, 4, 2)}).Apply(mat.NewDense(4, 1, nil), mat.NewDense(5, 1, nil)) },
		"product into a wrong length": func() { (&LowRank{Phi: random(1, 4, 2)}).Apply(mat.NewDense(5, 1, nil), mat.NewDense(4, 1, nil)) },
		"product into a wrong width":  func() { (&LowRank{Phi: random(1, 4, 2)}).Apply(mat.NewDense(4, 2, nil), mat.NewDense(4, 1, nil)) },
		"eigenvalues without vectors": func() { Truncate(random(1, 3, 2), []float64{1}, 1, 0) },
		"an approximation of another order": func() {
			x, k, _, _ := problem(9)
			RelativeError(context.Background(), k, x, &LowRank{Phi: random(1, 4, 2)}, ErrorOptions{})
		},
		"a certificate without rows": func() {
			x, k, f, _ := problem(9)
			Certificate(context.Background(), k, f, x, 0, gram.Run{})
		},
	} {
		if must.Recovered(f) == nil {
			t.Errorf("no panic: %s", what)
		}
	}
}

// Truncate keeps eigenvalues greater than cut times the largest.
func TestTruncateCuts(t *testing.T) {
	u := mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
	for _, c := range []struct {
		cut  float64
		rank int
		want int
	}{{0.1, 3, 2}, {0.0999, 3, 3}, {0.5, 3, 1}, {0, 2, 2}, {0, 9, 3}, {1, 3, 0}} {
		if b, values := Truncate(u, []float64{1, 5, 10}, c.rank, c.cut); len(values) != c.want || b.RawMatrix().Cols != max(1, c.want) {
			t.Errorf("cut %g, rank %d: eigenvalues %v, want %d", c.cut, c.rank, values, c.want)
		}
	}
	if _, values := Truncate(u, []float64{-3, -2, -1}, 3, 0); len(values) != 0 {
		t.Errorf("negative eigenvalues are kept: %v", values)
	}
}

// The certificate of a kernel matrix that is multiplied by a power of two is the same, bit by bit, also where
// squares of its elements overflow or vanish. Where an element is not finite, it is infinite.
func TestErrorOfScales(t *testing.T) {
	x, _, _, _ := problem(30)
	d := mat.DenseCopyOf(x)
	certificate := func(scale float64) Error {
		var y mat.Dense
		y.Scale(scale, d)
		part := func(x mat.Matrix) *LowRank {
			phi := mat.DenseCopyOf(x)
			n, _ := phi.Dims()
			return &LowRank{Phi: phi.Slice(0, n, 0, 1).(*mat.Dense)}
		}
		e := must.Have(CertificateOf(context.Background(), kernel.Linear{}, part, &y, 20, gram.Run{Seed: 3}))(t)
		return e
	}
	want := certificate(1)
	if !(want.Value > 0 && want.Value < 1 && want.StdError > 0) {
		t.Fatalf("certificate %+v", want)
	}
	for _, scale := range []float64{0x1p-300, 0x1p300, 0x1p500} {
		if got := certificate(scale); got != want {
			t.Errorf("times %g: %+v, want %+v", scale, got, want)
		}
	}
	if got := certificate(0x1p600); !math.IsInf(got.Value, 1) || got.StdError != got.StdError {
		t.Errorf("beyond the numbers: %+v", got)
	}
}

// A kernel of zeros is approximated without error only by zeros; a certificate
// from one row has no standard error.
func TestErrorOfZeros(t *testing.T) {
	if e := ratio([]float64{0, 0}, []float64{0, 0}, 2); e != (Error{Rows: 2}) {
		t.Errorf("zero by zero: %+v", e)
	}
	if e := ratio([]float64{0, 1}, []float64{0, 0}, 2); !math.IsInf(e.Value, 1) || e.Rows != 2 {
		t.Errorf("zero by one: %+v", e)
	}
	x, k, f, _ := problem(30)
	e, err := Certificate(context.Background(), k, f, x, 1, gram.Run{Seed: 3})
	if err != nil || e.Rows != 1 || e.StdError != 0 || e.Value-e.Value != 0 {
		t.Errorf("a certificate from one row: %+v, %v", e, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Certificate(ctx, k, f, x, 9, gram.Run{}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	var events []gram.Event
	run := gram.Run{Progress: func(e gram.Event) { events = append(events, e) }}
	must.Have(RelativeError(context.Background(), k, x, &LowRank{Phi: f.Map(nil, x)}, ErrorOptions{MaxRows: 20, Run: run}))(t)
	if last := events[len(events)-1]; last != (gram.Event{Phase: "relative error", Done: 20, Total: 20}) {
		t.Errorf("the last event is %+v", last)
	}
}

// Features maps all rows, also more than a block, and checks ctx between blocks.
func TestFeatures(t *testing.T) {
	x, _, f, _ := problem(2050)
	got, err := Features(context.Background(), f, x)
	if err != nil || !mat.Equal(got, f.Map(nil, x)) {
		t.Errorf("features differ from the map's: %v", err)
	}
	a, err := Approximate(context.Background(), f, x)
	if err != nil || !mat.Equal(a.Phi, got) || a.Scale != nil {
		t.Errorf("the approximation has other features: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got, err := Features(ctx, f, x); err != context.Canceled || got != nil {
		t.Errorf("cancelled: %v", err)
	}
	if a, err := Approximate(ctx, f, x); err != context.Canceled || a != nil {
		t.Errorf("cancelled: %v, %v", a, err)
	}
}

// someRows returns the function Rows of Rough.
func someRows(a *mat.Dense, index []int) func(dst, x *mat.Dense) {
	return func(dst, x *mat.Dense) {
		for k, i := range index {
			dst.Slice(k, k+1, 0, x.RawMatrix().Cols).(*mat.Dense).Mul(a.Slice(i, i+1, 0, x.RawMatrix().Rows), x)
		}
	}
}

// With products of A that are wrong in the fourth digit, or not of a definite matrix, the
// residual by its definition meets the tolerance.
func TestCGRough(t *testing.T) {
	const n, s, shift = 60, 2, 1e-2
	a := symmetric(1, decades(n, -3))
	full := mat.NewDense(n, n, nil)
	full.Copy(a)
	b := random(2, n, s)
	noise := random(3, n, n)
	index := []int{1, 7, 20, 33, 48, 59}
	for _, size := range []float64{0, 1e-4, 1e-2, -3, math.Inf(1)} {
		rough := mat.NewDense(n, n, nil)
		rough.Apply(func(i, j int, v float64) float64 {
			if math.IsInf(size, 1) {
				return 1e308 * v // the products are not finite
			}
			if size < 0 {
				return -v
			}
			return v + size/math.Sqrt(n)*noise.At(min(i, j), max(i, j))
		}, a)
		products := &dense{a: a}
		x := mat.NewDense(n, s, nil)
		st, err := CG(t.Context(), x, products, shift, b, Options{Tol: 1e-9, Rough: &Rough{&dense{a: rough}, index, someRows(full, index)}})
		if err != nil {
			t.Fatalf("noise %g: %v", size, err)
		}
		for j := range s {
			if r := residual(a, shift, mat.DenseCopyOf(x.Slice(0, n, j, j+1)), mat.DenseCopyOf(b.Slice(0, n, j, j+1))); !(r <= 1e-9) || !(math.Abs(r-st.Residual[j]) <= 1e-12) {
				t.Errorf("noise %g: residual %g, Stats say %g", size, r, st.Residual[j])
			}
		}
		if size == 0 && products.count != 1 || size == 1e-4 && !(products.count < st.Iter/2) {
			t.Errorf("noise %g: %d products with A in %d iterations", size, products.count, st.Iter)
		}
		if size == 1e-2 && !(st.Iter < 100) { // they are 63, and 145 of recurrences that go on to the tolerance
			t.Errorf("noise %g: %d iterations, though the recurrences are soon astray", size, st.Iter)
		}
	}
}

// A column that has converged is not among those by which the recurrence is judged: it does not
// make the others begin again, with A in place of Rough.
func TestCGRoughConverged(t *testing.T) {
	const n = 60
	values := decades(n, -3)
	a := mat.NewDense(n, n, nil)
	for i, v := range values {
		a.Set(i, i, v)
	}
	var rough mat.Dense
	rough.Scale(1+1e-6, a)
	b := random(2, n, 2)
	for i := range n {
		b.Set(i, 0, 0)
	}
	b.Set(0, 0, 1) // an eigenvector: one step solves it for Rough
	index := []int{0, 7, 20, 33, 48, 59}
	products := &dense{a: a}
	st := must.Have(CG(t.Context(), mat.NewDense(n, 2, nil), products, 1e-2, b, Options{Tol: 1e-9, Rough: &Rough{&dense{a: &rough}, index, someRows(a, index)}}))(t)
	if !(products.count < st.Iter/2) {
		t.Errorf("%d products with A in %d iterations", products.count, st.Iter)
	}
}
