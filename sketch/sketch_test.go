package sketch

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
	"gonum.org/v1/gonum/mat"
)

// Arguments out of range, and memory that a result would overwrite before it is read, panic.
func TestBadArguments(t *testing.T) {
	inf := float32(math.Inf(1))
	memory := make([]float64, 64)
	p := NewProjection[float64](8, 4, 1)
	a := num.Rows[float64]{Data: memory[8:], N: 4, D: 2, Stride: 2}
	codes := NewScalar(2, 8, -1, 1)
	codes.Add([]float32{1, 2})
	for i, body := range []func(){
		func() { NewScalar(2, 8, -inf, inf) }, func() { NewScalar(2, 8, 0, inf) }, func() { NewScalar(2, 8, -3e38, 3e38) },
		func() { NewScalar(2, 8, 1, 1) }, func() { NewScalar(2, 8, 0, float32(math.NaN())) }, func() { NewScalar(2, 5, 0, 1) },
		func() { codes.Row(make([]float32, 3), 0) }, func() { codes.Row(make([]float32, 1), 0) }, func() { codes.Row(make([]float32, 2), 1) },
		func() { codes.Distance(0, 1) }, func() { codes.Distance(-1, 0) },
		func() { NewRaBitQ(NewRotation[float32](2, 4, 1), make([]float32, 3), 4) }, func() { NewRaBitQ(NewRotation[float32](2, 4, 1), []float32{1}, 4) },
		func() { JLDim(100, 1e-12) }, func() { JLDim(1, .5) }, func() { JLDim(2, 1) },
		func() { p.Apply(memory[4:8], memory[16:24], memory[:8]) }, func() { p.Apply(memory[:4], memory[16:24], memory[3:11]) },
		func() { NewCountSketch[float64](2, 4, 1).Apply(a.Slice(0, 2), a, 1) },
		func() {
			NewSRHT[float64](2, 4, 1).Apply(num.Rows[float64]{Data: memory[5:], N: 2, D: 2, Stride: 2}, a, 1)
		},
		func() { _, _ = LeastSquares{}.Solve(context.Background(), &mat.Dense{}, nil) },
	} {
		if must.Recovered(body) == nil {
			t.Errorf("case %d does not panic", i)
		}
	}
	// A matrix without columns has a sketch without columns.
	none := num.MakeRows[float64](4, 0)
	NewCountSketch[float64](2, 4, 1).Apply(none.Slice(0, 2), none, 1)
	NewSRHT[float64](2, 4, 1).Apply(none.Slice(0, 2), none, 1)
	var refused *gram.ConfigError
	for _, l := range []LeastSquares{{Rows: -1}, {Tolerance: -1}, {Tolerance: math.NaN()}, {Iterations: -1}} {
		if _, err := l.Solve(context.Background(), mat.NewDense(2, 1, []float64{1, 2}), []float64{1, 2}); !errors.As(err, &refused) {
			t.Errorf("%+v: %v", l, err)
		}
	}
	var data *gram.DataError
	if _, err := (LeastSquares{}).Solve(context.Background(), mat.NewDense(3, 1, []float64{1e308, 1e308, -1e308}), []float64{1, 2, 3}); !errors.As(err, &data) {
		t.Errorf("numbers whose sums overflow: %v", err)
	}
}

// TestProjection checks the promise of JLDim on points whose differences are as sparse
// as can be, which is the hardest case for sampling. The relative error of a squared distance has variance 2/k: so
// the mean of k/2 times its square over 300 pairs has standard deviation 0.1, and is outside of these
// bounds, which it leaves if the variance is off by a factor of 1.5, with probability 5e-4. One of 435 errors
// is above 0.4, which is 4.3 standard deviations, in 2 of 100 projections; in 4 of 20 with probability 1e-3.
func TestProjection(t *testing.T) {
	const n, points, epsilon = 4000, 30, .4
	k := JLDim(points, epsilon)
	if k != 232 {
		t.Fatalf("%d points and error %v: dimension %d, want 232", points, epsilon, k)
	}
	failed, squares, pairs := 0, 0., 0.
	for seed := range uint64(20) {
		p := NewProjection[float64](n, k, seed)
		x, y := num.MakeRows[float64](points, n), num.MakeRows[float64](points, k)
		for i := range points {
			x.Row(i)[i*100] = 1
		}
		p.ApplyRows(y, x, 2)
		worst := 0.
		for i := range points {
			for j := range i {
				s := 0.
				for c, v := range y.Row(i) {
					d := v - y.Row(j)[c]
					s += d * d
				}
				worst = max(worst, math.Abs(s/2-1))
				if i == j+1 && j%2 == 0 { // each point once
					squares += (s/2 - 1) * (s/2 - 1)
					pairs++
				}
			}
		}
		if !(worst <= epsilon) {
			failed++
		}
	}
	if failed > 3 {
		t.Errorf("%d of 20 projections do not keep the distances", failed)
	}
	if v := float64(k) / 2 * squares / pairs; !(v > .68 && v < 1.36) {
		t.Errorf("the variance of distances is %.3f times what it should be", v)
	}
}

func TestProjectionRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	p := NewProjection[float32](100, 7, 3)
	if n, k := p.Dims(); n != 100 || k != 7 {
		t.Errorf("a projection from %d to %d dimensions", n, k)
	}
	x := num.Rows[float32]{Data: asmtest.Normal[float32](r, 500), N: 5, D: 100, Stride: 100}
	y := num.MakeRows[float32](5, 7)
	p.ApplyRows(y, x, 3)
	dst, scratch := make([]float32, 7), make([]float32, 100)
	for i := range 5 {
		p.Apply(dst, x.Row(i), scratch)
		if !slices.Equal(dst, y.Row(i)) {
			t.Errorf("row %d differs", i)
		}
	}
}

// TestSRHTDefinition compares the transform of unit vectors with the entries of S, and
// CountSketch with its own definition.
func TestSRHTDefinition(t *testing.T) {
	for _, n := range []int{5, 700, 5000} {
		s := NewSRHT[float64](min(n, 300), n, 1)
		a, dst := num.MakeRows[float64](n, 3), num.MakeRows[float64](min(n, 300), 3)
		at := []int{0, n / 2, n - 1}
		for j, i := range at {
			a.Row(i)[j] = 1
		}
		s.Apply(dst, a, 2)
		for j, i := range at {
			block := i / s.r
			for k, row := range s.sample {
				want := sign[float64](s.inner, i) * sign[float64](s.outer, block*s.s+k) / math.Sqrt(float64(s.s))
				for bit := 1; bit < s.r; bit *= 2 {
					if row&(i-block*s.r)&bit != 0 {
						want = -want
					}
				}
				if !(math.Abs(dst.Row(k)[j]-want) <= 1e-15) {
					t.Fatalf("n=%d: S[%d][%d] = %v, want %v", n, k, i, dst.Row(k)[j], want)
				}
			}
		}
	}
}

// embedding returns the least and the largest ratio ‖SQx‖/‖x‖ for a matrix Q with
// orthonormal columns.
func embedding(t *testing.T, s Tall[float64], q *mat.Dense) (least, most float64) {
	rows, _ := s.Dims()
	n, d := q.Dims()
	raw := q.RawMatrix()
	in := num.Rows[float64]{Data: raw.Data, N: n, D: d, Stride: raw.Stride}
	out, again := num.MakeRows[float64](rows, d), num.MakeRows[float64](rows, d)
	s.Apply(out, in, 1)
	s.Apply(again, in, 3)
	if !slices.Equal(out.Data, again.Data) {
		t.Fatal("the bits depend on the number of workers")
	}
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(rows, d, out.Data), mat.SVDNone) {
		t.Fatal("no singular values")
	}
	values := svd.Values(nil)
	return values[d-1], values[0]
}

// TestEmbedding checks the error bounds of both sketches, on a subspace of unit vectors,
// which is the hardest, and on one that is spread out.
func TestEmbedding(t *testing.T) {
	if race.Enabled && testing.Short() {
		t.Skip("arithmetic: runs without the race detector")
	}
	const n, d = 5000, 20
	r := rand.New(rand.NewPCG(2, 2))
	peaks, dense := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	for j := range d {
		peaks.Set(j*n/d, j, 1)
		for i := range n {
			dense.Set(i, j, r.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(dense)
	var q mat.Dense
	qr.QTo(&q)
	dense = mat.DenseCopyOf(q.Slice(0, n, 0, d))
	for name, x := range map[string]*mat.Dense{"peaks": peaks, "dense": dense} {
		for seed := range uint64(3) {
			// ε = √(d/s) ± its deviation
			const s = 800
			if lo, hi := embedding(t, NewSRHT[float64](s, n, seed), x); !(lo >= .79 && hi <= 1.21) {
				t.Errorf("SRHT, %s: singular values from %v to %v", name, lo, hi)
			}
			// δ = 1/4 of all seeds may exceed ε = .5 by the bound; none does.
			if lo, hi := embedding(t, NewCountSketch[float64](d*(d+1)*16, n, seed), x); !(lo >= .5 && hi <= 1.5) {
				t.Errorf("CountSketch, %s: singular values from %v to %v", name, lo, hi)
			}
		}
	}
}

// problem returns a least-squares problem whose columns differ in size by a factor of
// 10⁶.
func problem(n, d int) (*mat.Dense, []float64) {
	r := rand.New(rand.NewPCG(3, 3))
	a, b := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		sum := 0.
		for j := range d {
			v := r.NormFloat64()
			sum += v
			a.Set(i, j, v*math.Pow(10, 6*float64(j)/float64(d)))
		}
		b[i] = sum + r.NormFloat64()*10
	}
	return a, b
}

func TestLeastSquares(t *testing.T) {
	n, d := 8192, 50
	if testing.Short() {
		n, d = 4096, 20
	}
	a, b := problem(n, d)
	var want mat.VecDense
	var qr mat.QR
	qr.Factorize(a)
	must.Do(t, qr.SolveVecTo(&want, false, mat.NewVecDense(n, b)))
	var r mat.VecDense
	r.MulVec(a, &want)
	r.SubVec(&r, mat.NewVecDense(n, b))
	best := mat.Norm(&r, 2)
	ctx := context.Background()
	for seed := range uint64(4) {
		l := LeastSquares{Run: gram.Run{Seed: seed}}
		got := must.Have(l.Approximate(ctx, a, b))(t)
		if ratio := got.Residual / best; !(ratio >= 1-1e-12 && ratio <= 1.02) {
			t.Errorf("seed %d: the approximate residual is %v of the least one, want at most 1.02", seed, ratio)
		}
		got = must.Have(l.Solve(ctx, a, b))(t)
		if !(math.Abs(got.Residual/best-1) <= 1e-12) {
			t.Errorf("seed %d: the residual is %v, want %v", seed, got.Residual, best)
		}
		for j, v := range got.X {
			if !(math.Abs(v/want.AtVec(j)-1) <= 1e-9) {
				t.Fatalf("seed %d: x[%d] = %v, want %v", seed, j, v, want.AtVec(j))
			}
		}
		if got.Iterations > 60 {
			t.Errorf("seed %d: %d iterations", seed, got.Iterations)
		}
	}
}

// Every iteration is an event with the number of iterations so far, their limit and the residual.
func TestLeastSquaresProgress(t *testing.T) {
	a, b := problem(500, 5)
	for limit, want := range map[int]int64{0: 100, 70: 70} {
		var events []gram.Event
		l := LeastSquares{Iterations: limit, Run: gram.Run{Progress: func(e gram.Event) { events = append(events, e) }}}
		s := must.Have(l.Solve(t.Context(), a, b))(t)
		if len(events) != s.Iterations || s.Iterations == 0 {
			t.Fatalf("%d events in %d iterations", len(events), s.Iterations)
		}
		for i, e := range events {
			if e.Phase != "iterations" || e.Done != int64(i+1) || e.Total != want {
				t.Errorf("limit %d, event %d: %+v", limit, i, e)
			}
		}
		if last := events[len(events)-1].Objective; last != s.Residual {
			t.Errorf("limit %d: the last event has the residual %v, the solution %v", limit, last, s.Residual)
		}
	}
}

// One seed gives one sketch or transform, and other seeds give other ones.
func TestSeeds(t *testing.T) {
	const n, k = 40, 12 // k is the size of what is smaller than the rows or the columns
	a := num.Rows[float64]{Data: asmtest.Normal[float64](rand.New(rand.NewPCG(6, 7)), n*n), N: n, D: n, Stride: n}
	turned := func(r *Rotation[float64]) []float64 {
		x := slices.Clone(a.Data)
		r.ApplyRows(num.Rows[float64]{Data: x, N: n, D: n, Stride: n}, 1)
		return x
	}
	sketched := func(s Tall[float64]) []float64 {
		dst := num.MakeRows[float64](k, n)
		s.Apply(dst, a, 1)
		return dst.Data
	}
	for name, of := range map[string]func(seed uint64) []float64{
		"NewRotation":    func(seed uint64) []float64 { return turned(NewRotation[float64](n, 2, seed)) },
		"NewKacRotation": func(seed uint64) []float64 { return turned(NewKacRotation[float64](n, 2, seed)) },
		"NewProjection": func(seed uint64) []float64 {
			dst := num.MakeRows[float64](n, k)
			NewProjection[float64](n, k, seed).ApplyRows(dst, a, 1)
			return dst.Data
		},
		"NewSRHT":        func(seed uint64) []float64 { return sketched(NewSRHT[float64](k, n, seed)) },
		"NewCountSketch": func(seed uint64) []float64 { return sketched(NewCountSketch[float64](k, n, seed)) },
		"LeastSquares": func(seed uint64) []float64 {
			l := LeastSquares{Rows: k, Run: gram.Run{Seed: seed}}
			return must.Have(l.Approximate(t.Context(), mat.NewDense(n*n/4, 4, a.Data), a.Data[:n*n/4]))(t).X
		},
	} {
		if !slices.Equal(of(1), of(1)) {
			t.Errorf("%s: seed 1 gives two results", name)
		}
		for _, seed := range []uint64{0, 2} {
			if slices.Equal(of(seed), of(1)) {
				t.Errorf("%s: seeds %d and 1 give the same", name, seed)
			}
		}
	}
}

func TestLeastSquaresErrors(t *testing.T) {
	a, b := problem(500, 5)
	for i := range 500 {
		a.Set(i, 3, a.At(i, 1))
	}
	var dependent *gram.NotPDError
	if _, err := (LeastSquares{}).Solve(context.Background(), a, b); !errors.As(err, &dependent) || dependent.Pivot != 3 {
		t.Errorf("dependent columns: %v", err)
	}
	for i := range 500 {
		a.Set(i, 2, 0)
	}
	if _, err := (LeastSquares{}).Solve(context.Background(), a, b); !errors.As(err, &dependent) || dependent.Pivot != 2 || dependent.Margin != 0 {
		t.Errorf("a column of zeros: %v, margin %v", err, dependent.Margin)
	}
	a, b = problem(500, 5)
	var slow *gram.ConvergenceError
	if s, err := (LeastSquares{Iterations: 1}).Solve(context.Background(), a, b); !errors.As(err, &slow) || len(s.X) != 5 || slow.Iter != 1 || !(slow.Tol > 0 && slow.Residual > slow.Tol) {
		t.Errorf("one iteration: %+v", slow)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (LeastSquares{}).Approximate(ctx, a, b); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	clear(b)
	if s, err := (LeastSquares{}).Solve(context.Background(), a, b); err != nil || s.Residual != 0 {
		t.Errorf("b = 0: %v, residual %v", err, s.Residual)
	}
	var bad *gram.DataError
	broken := append([]float64(nil), b...)
	broken[7] = math.NaN()
	if _, err := (LeastSquares{}).Solve(context.Background(), a, broken); !errors.As(err, &bad) || bad.Row != 7 {
		t.Errorf("a target is NaN: %v", err)
	}
	a.Set(3, 2, math.Inf(1))
	if _, err := (LeastSquares{}).Solve(context.Background(), a, b); !errors.As(err, &bad) || bad.Row != 3 || bad.Col != 2 {
		t.Errorf("an infinite number: %v", err)
	}
}
