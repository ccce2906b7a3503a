package cholupdate

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/race"
	"gonum.org/v1/gonum/mat"
)

var full = flag.Bool("full", false, "a million steps where a test takes thousands")

// steps returns the number of steps of a long test.
func steps(short int) int {
	if *full {
		return 1e6
	}
	if testing.Short() {
		return short / 10
	}
	return short
}

// gramOf returns UᵀU.
func (f *Factor[F]) gramOf() *mat.SymDense {
	t := f.Triangular()
	a := mat.NewSymDense(f.n, nil)
	for i := range f.n {
		for j := i; j < f.n; j++ {
			s := 0.
			for k := range i + 1 {
				s += float64(t.Data[k*t.Stride+i]) * float64(t.Data[k*t.Stride+j])
			}
			a.SetSym(i, j, s)
		}
	}
	return a
}

// distance returns ‖A − B‖/‖B‖ in the Frobenius norm.
func distance(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return mat.Norm(&d, 2) / mat.Norm(b, 2)
}

// definite returns a random positive definite matrix.
func definite(r *rand.Rand, n int) *mat.SymDense {
	x := mat.NewDense(n, n+3, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = r.NormFloat64()
	}
	a := mat.NewSymDense(n, nil)
	a.SymOuterK(1, x)
	return a
}

// part returns rows and columns lo … hi−1 of a.
func part(a *mat.SymDense, lo, hi int) *mat.SymDense {
	return a.SliceSym(lo, hi).(*mat.SymDense)
}

// column returns the elements of column j of a in rows lo … j.
func column(a *mat.SymDense, lo, j int) []float64 {
	c := make([]float64, j+1-lo)
	for i := range c {
		c[i] = a.At(lo+i, j)
	}
	return c
}

// TestFactor changes a factor in every way, many times, and compares it with the matrix
// after each change.
func TestFactor(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var f Factor[float64]
	want := mat.NewSymDense(1, nil)
	for step := range 400 {
		n := f.n
		kind := r.IntN(8)
		if n == 0 {
			kind = []int{0, 1, 6}[r.IntN(3)]
		} else if n > 40 {
			kind = 2 + r.IntN(4)
		}
		next := want
		switch kind {
		case 0, 1: // grow by one or more
			k := 1 + kind*r.IntN(5)
			big := definite(r, n+k)
			if n > 0 {
				next = mat.NewSymDense(n+k, nil)
				for i := range n + k {
					for j := i; j < n+k; j++ {
						next.SetSym(i, j, .1*big.At(i, j))
						if j < n {
							next.SetSym(i, j, want.At(i, j))
						} else if i == j {
							next.SetSym(i, j, 1e3+big.At(i, j))
						}
					}
				}
			} else {
				next = big
			}
			if k == 1 {
				must.Have(f.Append(column(next, 0, n)))(t)
				break
			}
			var b *mat.Dense
			if n > 0 {
				b = mat.DenseCopyOf(next).Slice(0, n, n, n+k).(*mat.Dense)
			}
			must.Do(t, f.Extend(b, part(next, n, n+k)))
		case 2, 3: // delete one
			j := r.IntN(n)
			if kind == 3 {
				j = 0
			}
			f.Delete(j)
			if n > 1 {
				next = mat.NewSymDense(n-1, nil)
				at := func(i int) int {
					if i >= j {
						i++
					}
					return i
				}
				for i := range n - 1 {
					for k := i; k < n-1; k++ {
						next.SetSym(i, k, want.At(at(i), at(k)))
					}
				}
			}
		case 4:
			k := r.IntN(min(n, 6))
			f.DeleteFirst(k)
			next = part(want, k, n)
		case 5:
			x := make([]float64, n)
			for i := range x {
				x[i] = r.NormFloat64()
			}
			next = mat.NewSymDense(n, nil)
			next.SymRankOne(want, 1, mat.NewVecDense(n, x))
			must.Do(t, f.Update(x))
			must.Have(f.Downdate(x))(t)
			must.Do(t, f.Update(x))
		case 6:
			next = definite(r, 1+r.IntN(20))
			must.Do(t, f.Set(next))
		case 7:
			f.Scale(.9)
			next = mat.NewSymDense(n, nil)
			next.ScaleSym(.9, want)
		}
		want = next
		if f.n == 0 {
			continue
		}
		if f.Len() != want.SymmetricDim() {
			t.Fatalf("step %d, kind %d: order %d, want %d", step, kind, f.Len(), want.SymmetricDim())
		}
		if d := distance(f.gramOf(), want); !(d <= 1e-12) {
			t.Fatalf("step %d, kind %d, order %d: distance %g", step, kind, f.n, d)
		}
		var c mat.Cholesky
		c.Factorize(want)
		if !(math.Abs(f.LogDet()-c.LogDet()) <= 1e-9*(1+math.Abs(c.LogDet()))) {
			t.Fatalf("step %d: log det %v, want %v", step, f.LogDet(), c.LogDet())
		}
		x, b := make([]float64, f.n), mat.NewDense(f.n, 2, nil)
		for i := range x {
			x[i] = r.NormFloat64()
			b.SetRow(i, []float64{x[i], -2 * x[i]})
		}
		f.SolveVec(x)
		f.Solve(b)
		var back mat.VecDense
		back.MulVec(want, mat.NewVecDense(f.n, x))
		for i := range x {
			if !(math.Abs(b.At(i, 0)-x[i]) <= 1e-9*(1+math.Abs(x[i])) && math.Abs(b.At(i, 1)+2*x[i]) <= 1e-9*(1+math.Abs(x[i]))) {
				t.Fatalf("step %d: Solve and SolveVec differ: %v, %v", step, b.At(i, 0), x[i])
			}
		}
	}
}

func TestFactorErrors(t *testing.T) {
	new(Factor[float64]).Solve(&mat.Dense{}) // a system of no equations is none
	a := mat.NewSymDense(3, []float64{4, 1, 1, 1, 1, 1, 1, 1, 1})
	var failed *gram.NotPDError
	if _, err := NewFactor[float64](a); !errors.As(err, &failed) || failed.Pivot != 2 {
		t.Errorf("singular matrix: %v", err)
	}
	f := must.Have(NewFactor[float64](part(a, 0, 2)))(t)
	before := f.gramOf()
	if _, err := f.Append([]float64{1, 1, 1}); !errors.As(err, &failed) || failed.Pivot != 2 {
		t.Errorf("Append: %v", err)
	}
	if err := f.Extend(mat.NewDense(2, 1, []float64{1, 1}), mat.NewSymDense(1, []float64{1})); !errors.As(err, &failed) || failed.Pivot != 0 {
		t.Errorf("Extend: %v", err)
	}
	var data *gram.DataError
	if err := f.Extend(mat.NewDense(2, 1, []float64{1, math.NaN()}), mat.NewSymDense(1, []float64{9})); !errors.As(err, &data) || data.Row != 1 {
		t.Errorf("Extend with NaN: %v", err)
	}
	if err := f.Set(a); err == nil {
		t.Error("Set of a singular matrix")
	}
	// An element that is not finite is named as that of the argument, on the diagonal and beside it.
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, at := range [][2]int{{0, 0}, {1, 0}, {2, 1}, {2, 2}} {
			wrong := mat.NewSymDense(3, []float64{4, 0, 0, 0, 4, 0, 0, 0, 4})
			wrong.SetSym(at[0], at[1], bad)
			place := fmt.Sprintf("row %d, column %d of ", at[0]+1, at[1]+1)
			if err := f.Set(wrong); !errors.As(err, &data) || err.Error() != fmt.Sprintf("%sa is %v", place, bad) {
				t.Errorf("Set: %v", err)
			}
			if err := f.Extend(mat.NewDense(2, 3, nil), wrong); !errors.As(err, &data) || err.Error() != fmt.Sprintf("%sc is %v", place, bad) {
				t.Errorf("Extend: %v", err)
			}
			if err := new(Factor[float64]).Extend(nil, wrong); !errors.As(err, &data) || err.Error() != fmt.Sprintf("%sc is %v", place, bad) {
				t.Errorf("Extend of nothing: %v", err)
			}
		}
	}
	// Elements that are finite, but whose squares are not, are no error of the data.
	if err := f.Extend(mat.NewDense(2, 1, []float64{1e200, -1e200}), mat.NewSymDense(1, []float64{9})); !errors.As(err, &failed) || failed.Pivot != 0 || errors.As(err, new(*gram.DataError)) {
		t.Errorf("Extend by large numbers: %v", err)
	}
	if err := new(Factor[float64]).Propagate(&mat.Dense{}, nil); err != nil {
		t.Errorf("Propagate of nothing: %v", err)
	}
	if err := f.Propagate(mat.NewDense(2, 2, nil), nil); !errors.As(err, &failed) {
		t.Errorf("Propagate by zero: %v", err)
	}
	for _, c := range []struct {
		step, g *mat.Dense
		want    string
	}{
		{mat.NewDense(2, 2, []float64{1, 0, math.NaN(), 1}), nil, "row 2, column 1 of step is NaN"},
		{mat.NewDense(2, 2, []float64{1, 0, 0, 1}), mat.NewDense(2, 1, []float64{0, math.Inf(1)}), "row 2, column 1 of g is +Inf"},
		{mat.NewDense(2, 2, []float64{1.5e308, 1.5e308, 1.5e308, 1.5e308}), mat.NewDense(2, 1, []float64{1.5e308, 1.5e308}), "of the propagated factor is "},
	} {
		before := slices.Clone(f.Triangular().Data)
		if err := f.Propagate(c.step, c.g); !errors.As(err, &data) || !strings.Contains(err.Error(), c.want) || !slices.Equal(before, f.Triangular().Data) {
			t.Errorf("Propagate: %v, want %q", err, c.want)
		}
	}
	if d := distance(f.gramOf(), before); d != 0 {
		t.Errorf("an error changed the factor by %g", d)
	}
	for i, body := range []func(){
		func() { f.SolveVec(make([]float64, 3)) }, func() { f.Solve(mat.NewDense(3, 1, nil)) }, func() { f.Scale(0) },
		func() { f.Scale(math.NaN()) }, func() { f.Delete(2) }, func() { f.DeleteFirst(3) }, func() { f.Slide(make([]float64, 3)) },
		func() { new(Factor[float64]).Slide(nil) }, func() { _ = f.Extend(mat.NewDense(3, 1, nil), mat.NewSymDense(1, nil)) },
		func() { _ = f.Propagate(mat.NewDense(3, 3, nil), nil) }, func() { _ = f.Propagate(mat.NewDense(2, 2, nil), mat.NewDense(3, 1, nil)) },
		func() { new(Factor[float64]).Delete(0) },
	} {
		if must.Recovered(body) == nil {
			t.Errorf("case %d does not panic", i)
		}
	}
	if _, err := f.Slide([]float64{1e9, 1}); !errors.As(err, &failed) || f.Len() != 1 {
		t.Errorf("Slide: %v, order %d", err, f.Len())
	}
}

// TestSlidingWindow is a Gaussian process on the last rows of a stream: each step slides
// the factor by one row and predicts the next value. The predictions are those of a new
// factorization after any number of steps.
func TestSlidingWindow(t *testing.T) {
	const window = 24
	n := steps(20000)
	kernel := func(s, t float64) float64 { return math.Exp(-.5 * (s - t) * (s - t) / 9) }
	signal := func(t int) float64 { return math.Sin(float64(t)/7) + .1*math.Cos(float64(t)*1.7) }
	covariance := func(lo int) *mat.SymDense {
		a := mat.NewSymDense(window, nil)
		for i := range window {
			for j := i; j < window; j++ {
				a.SetSym(i, j, kernel(float64(lo+i), float64(lo+j)))
			}
			a.SetSym(i, i, 1.01)
		}
		return a
	}
	f := must.Have(NewFactor[float64](covariance(0)))(t)
	predict := func(f *Factor[float64], lo int) float64 {
		y := make([]float64, window)
		for i := range y {
			y[i] = signal(lo + i)
		}
		f.SolveVec(y)
		s := 0.
		for i, v := range y {
			s += v * kernel(float64(lo+i), float64(lo+window))
		}
		return s
	}
	column := make([]float64, window)
	worst := 0.
	for step := range n {
		for i := range window - 1 {
			column[i] = kernel(float64(i), float64(window-1))
		}
		column[window-1] = 1.01
		must.Have(f.Slide(column))(t)
		if (step+1)%(n/20) == 0 {
			anew := must.Have(NewFactor[float64](covariance(step + 1)))(t)
			if d := distance(f.gramOf(), anew.gramOf()); !(d <= 1e-12) {
				t.Fatalf("step %d: distance %g", step, d)
			}
			worst = max(worst, math.Abs(predict(f, step+1)-predict(anew, step+1)))
		}
	}
	if !(worst <= 1e-10) {
		t.Errorf("predictions differ by %g", worst)
	}
	if f.order > 3*window {
		t.Errorf("the factor of order %d takes memory for order %d", window, f.order)
	}
	if got := testing.AllocsPerRun(3*window, func() { _, _ = f.Slide(column) }); got != 0 && !testing.Short() {
		t.Errorf("%v allocations a step", got)
	}
}

// TestRecursiveLeastSquares forgets old rows exponentially and compares with the sums
// themselves after any number of steps.
func TestRecursiveLeastSquares(t *testing.T) {
	const d, forget = 6, .99
	n := steps(20000)
	r := rand.New(rand.NewPCG(3, 4))
	var f Factor[float64]
	start := mat.NewSymDense(d, nil)
	for i := range d {
		start.SetSym(i, i, 1)
	}
	must.Do(t, f.Set(start))
	a, b, x := mat.NewSymDense(d, nil), make([]float64, d), make([]float64, d)
	a.CopySym(start)
	for step := range n {
		y := r.NormFloat64()
		for i := range x {
			x[i] = r.NormFloat64() * math.Pow(10, float64(i-3))
			y += x[i] * float64(i+1)
		}
		f.Scale(forget)
		must.Do(t, f.Update(x))
		a.ScaleSym(forget, a)
		a.SymRankOne(a, 1, mat.NewVecDense(d, x))
		for i := range b {
			b[i] = forget*b[i] + y*x[i]
		}
		if (step+1)%(n/20) == 0 {
			if e := distance(f.gramOf(), a); !(e <= 1e-12) {
				t.Fatalf("step %d: distance %g", step, e)
			}
			w := append([]float64(nil), b...)
			f.SolveVec(w)
			for i, v := range w {
				if !(math.Abs(v-float64(i+1)) <= math.Pow(10, float64(3-i))) {
					t.Fatalf("step %d: coefficient %d is %v", step, i, v)
				}
			}
		}
	}
}

// TestKalman follows a target of constant velocity. The covariance as a factor is
// compared with the covariance itself in Joseph's form after any number of steps.
func TestKalman(t *testing.T) {
	n := steps(20000)
	const noise = .25
	move := mat.NewDense(4, 4, []float64{1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1})
	push := mat.NewDense(4, 2, []float64{.05, 0, 0, .05, .1, 0, 0, .1})
	start := mat.NewSymDense(4, nil)
	for i := range 4 {
		start.SetSym(i, i, 10)
	}
	f := must.Have(NewFactor[float64](start))(t)
	p := mat.DenseCopyOf(start)
	for step := range n {
		must.Do(t, f.Propagate(move, push))
		var next, drive mat.Dense
		next.Product(move, p, move.T())
		drive.Mul(push, push.T())
		p.Add(&next, &drive)
		// A measurement of coordinate i: A − AhhᵀA/(hᵀAh + noise).
		i := step % 2
		u := f.Triangular()
		gain := make([]float64, 4) // Ah, from the factor
		for k := range i + 1 {
			for j := k; j < 4; j++ {
				gain[j] += u.Data[k*u.Stride+i] * u.Data[k*u.Stride+j]
			}
		}
		s := gain[i] + noise
		for j := range gain {
			gain[j] /= math.Sqrt(s)
		}
		if margin, err := f.Downdate(gain); err != nil || !(math.Abs(margin-noise/s) <= 1e-10) {
			t.Fatalf("step %d: margin %v, want %v: %v", step, margin, noise/s, err)
		}
		k := mat.NewDense(4, 1, nil)
		spread := p.At(i, i) + noise
		for j := range 4 {
			k.Set(j, 0, p.At(j, i)/spread)
		}
		left := mat.NewDense(4, 4, nil)
		for j := range 4 {
			left.Set(j, j, 1)
			left.Set(j, i, left.At(j, i)-k.At(j, 0))
		}
		var kept, added mat.Dense
		kept.Product(left, p, left.T())
		added.Mul(k, k.T())
		added.Scale(noise, &added)
		p.Add(&kept, &added)
		if (step+1)%(n/20) == 0 {
			if e := distance(f.gramOf(), p); !(e <= 1e-11) {
				t.Fatalf("step %d: distance %g", step, e)
			}
		}
	}
}

func BenchmarkFactor(b *testing.B) {
	for _, n := range []int{64, 256, 512} {
		f, err := NewFactor[float64](definite(rand.New(rand.NewPCG(1, 1)), n))
		if err != nil {
			b.Fatal(err)
		}
		column := make([]float64, n)
		column[n-1] = 10 * float64(n)
		b.Run(fmt.Sprintf("Slide/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := f.Slide(column); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A factor whose diagonal somebody has made negative through Triangular is told of, and not changed.
func TestDeleteOfBrokenFactor(t *testing.T) {
	f := must.Have(NewFactor[float64](mat.NewSymDense(3, []float64{4, 1, 0, 1, 5, 2, 0, 2, 6})))(t)
	l := f.Triangular()
	l.Data[l.Stride+1] = -1
	if p := must.Recovered(func() { f.Delete(1) }); p != "cholupdate: the factor was changed from outside" || f.Triangular().N != 3 {
		t.Errorf("panic %v, order %d", p, f.Triangular().N)
	}
}

// Set is the factor of a matrix of any kind, takes no memory when it is called again, and leaves the factor as it was
// where there is an error.
func TestFactorSet(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	var f Factor[float64]
	var narrow Factor[float32]
	for _, n := range []int{1, 3, 8, 20, 64, 7, 130, 5, 0, 6} {
		a := definite(r, n+1).SliceSym(0, n+1).(*mat.SymDense)
		if n == 0 {
			a = &mat.SymDense{}
		}
		for _, x := range []mat.Symmetric{a, symmetricOnly{a}} {
			must.Do(t, f.Set(x))
			must.Do(t, narrow.Set(x))
			if f.Len() != a.SymmetricDim() || n > 0 && !(distance(f.gramOf(), a) <= 1e-14) || n > 0 && !(distance(narrow.gramOf(), a) <= 1e-5) {
				t.Fatalf("order %d: not the factor", n)
			}
		}
		for i, bad := range []float64{math.NaN(), math.Inf(1), -1} {
			broken := mat.NewSymDense(a.SymmetricDim()+2, nil)
			for j := range broken.SymmetricDim() {
				broken.SetSym(j, j, 1)
			}
			at := a.SymmetricDim()
			broken.SetSym(at, at, bad)
			before := slices.Clone(f.Triangular().Data)
			err := f.Set(broken)
			var data *gram.DataError
			var pivot *gram.NotPDError
			switch {
			case i < 2 && (!errors.As(err, &data) || data.Row != at || data.Col != at):
				t.Errorf("%v for an element that is %v", err, bad)
			case i == 2 && (!errors.As(err, &pivot) || pivot.Pivot != at):
				t.Errorf("%v for a pivot that is %v", err, bad)
			}
			if !slices.EqualFunc(f.Triangular().Data, before, asmtest.SameBits[float64]) {
				t.Fatal("a factor has changed though there was an error")
			}
		}
	}
	a := definite(r, 64)
	if n := testing.AllocsPerRun(10, func() {
		must.Do(t, f.Set(a))
	}); n > 0 && !race.Enabled { // which makes pools forget
		t.Errorf("%v allocations", n)
	}
}

// symmetricOnly hides the memory of a matrix.
type symmetricOnly struct{ mat.Symmetric }

// BenchmarkSet factors a matrix and solves a system, as mat.Cholesky does with an estimate of the condition number.
func BenchmarkSet(b *testing.B) {
	for _, n := range []int{4, 8, 16, 32, 64} {
		a, x, y := definite(rand.New(rand.NewPCG(1, 2)), n), make([]float64, n), mat.NewVecDense(n, nil)
		var f Factor[float64]
		b.Run(fmt.Sprintf("n=%d/by=factor", n), func(b *testing.B) {
			for b.Loop() {
				if f.Set(a) != nil {
					b.Fatal("no factor")
				}
				f.SolveVec(x)
			}
		})
		var c mat.Cholesky
		b.Run(fmt.Sprintf("n=%d/by=mat", n), func(b *testing.B) {
			for b.Loop() {
				if !c.Factorize(a) || c.SolveVecTo(y, y) != nil {
					b.Fatal("no factor")
				}
			}
		})
	}
}
