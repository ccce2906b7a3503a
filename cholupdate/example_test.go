package cholupdate_test

import (
	"errors"
	"fmt"
	"log"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/cholupdate"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// An update takes the factor of A to that of A + xxᵀ; the downdate takes it
// back.
func ExampleUpdate() {
	l := mat.NewTriDense(2, mat.Lower, []float64{3, 0, 0, 1}) // A = diag(9, 1)
	if err := cholupdate.Update(l.RawTriangular(), []float64{4, 0}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", mat.Formatted(l))
	margin, err := cholupdate.Downdate(l.RawTriangular(), []float64{4, 0})
	fmt.Printf("%.3f\nmargin %.2f, error %v\n", mat.Formatted(l), margin, err)
	// Output:
	// ⎡5.000  0.000⎤
	// ⎣0.000  1.000⎦
	// ⎡3.000  0.000⎤
	// ⎣0.000  1.000⎦
	// margin 0.36, error <nil>
}

// A downdate that would lose definiteness leaves the factor unchanged.
func ExampleDowndate() {
	l := blas64.Triangular{N: 2, Stride: 2, Data: []float64{2, 0, 0, 1}, Uplo: blas.Lower, Diag: blas.NonUnit}
	_, err := cholupdate.Downdate(l, []float64{0, 1.5})
	var notPD *gram.NotPDError
	if errors.As(err, &notPD) {
		fmt.Println("pivot", notPD.Pivot, "factor", l.Data)
	}
	// Output:
	// pivot 1 factor [2 0 0 1]
}

// Without a copy of the factor a downdate that fails leaves numbers without a meaning. The factor
// of a matrix of float32 numbers takes half the memory.
func ExampleDowndateInPlace() {
	l := cholupdate.Triangular[float32]{N: 2, Stride: 2, Data: []float32{5, 0, 0, 1}, Uplo: blas.Lower, Diag: blas.NonUnit}
	margin, err := cholupdate.DowndateInPlace(l, []float32{4, 0})
	fmt.Printf("%.3f margin %.2f %v\n", l.Data, margin, err)
	// Output:
	// [3.000 0.000 0.000 1.000] margin 0.36 <nil>
}

// A change by ggᵀ takes the vector g; a change by XXᵀ takes the n×k matrix X.
func ExampleUpdateRank() {
	var c mat.Cholesky
	c.Factorize(mat.NewSymDense(2, []float64{16, 0, 0, 9}))
	u := c.RawU().(*mat.TriDense).RawTriangular()
	x := blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{3, 0, 0, 4}}
	if err := cholupdate.UpdateRank(u, x); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%.0f %.0f\n", u.Data[0], u.Data[3])
	margin, err := cholupdate.DowndateRank(u, x)
	fmt.Printf("%.0f %.0f, margin %.4f, %v\n", u.Data[0], u.Data[3], margin, err)
	// Output:
	// 5 5
	// 4 3, margin 0.2304, <nil>
}

// ApplyRight computes B ← B·chol(I + β·wwᵀ) in O(r) operations per row.
func ExampleIdentityPlusRankOne() {
	var l cholupdate.IdentityPlusRankOne[float64]
	margin, err := l.Set(3, []float64{1, 0})
	b := gram.Rows[float64]{Data: []float64{1, 2, 3, 4}, N: 2, D: 2, Stride: 2}
	l.ApplyRight(b, 1)
	fmt.Println(margin, err, b.Data)
	// Output:
	// 4 <nil> [2 2 6 4]
}

// After many changes the factor of a window of rows is compared with the rows themselves.
func ExampleResidual() {
	rows := [][]float64{{2, 0}, {1, 1}, {0, 3}}
	var f cholupdate.Factor[float64]
	_ = f.Set(mat.NewSymDense(2, []float64{1, 0, 0, 1})) // a penalty of 1
	for _, x := range rows {
		_ = f.Update(x)
	}
	_, _ = f.Downdate(rows[0])
	v := []float64{.3, -.7}
	av := slices.Clone(v)
	for _, x := range rows[1:] {
		floats.AddScaled(av, floats.Dot(x, v), x)
	}
	fmt.Println("factorize again:", cholupdate.Residual(f.Triangular(), v, av) > 1e-10)
	// Output:
	// factorize again: false
}

// A Gaussian process on a sliding window: the covariance of the last three values.
func ExampleFactor_Slide() {
	k := func(s, t float64) float64 { return math.Exp(-(s - t) * (s - t) / 8) }
	var f cholupdate.Factor[float64]
	values := []float64{0, .5, .87, 1, .87, .5, 0}
	for t := range values {
		lo := max(0, t-2) // the window is lo … t
		column := make([]float64, t-lo+1)
		for i := range column {
			column[i] = k(float64(lo+i), float64(t))
		}
		column[len(column)-1] += 1e-4 // the noise of a value
		var err error
		if f.Len() < 3 {
			_, err = f.Append(column)
		} else {
			_, err = f.Slide(column)
		}
		if err != nil {
			log.Fatal(err)
		}
		if t < 3 {
			continue
		}
		weights := append([]float64(nil), values[lo:t+1]...)
		f.SolveVec(weights)
		next := 0.
		for i, w := range weights {
			next += w * k(float64(lo+i), float64(t+1))
		}
		fmt.Printf("after %.2f comes about %.1f\n", values[t], next)
	}
	// Output:
	// after 1.00 comes about 0.8
	// after 0.87 comes about 0.6
	// after 0.50 comes about 0.1
	// after 0.00 comes about -0.3
}

// Recursive least squares: old rows are forgotten, the coefficients follow.
func ExampleFactor_Scale() {
	f, err := cholupdate.NewFactor[float64](mat.NewDiagDense(2, []float64{1e-6, 1e-6}))
	if err != nil {
		log.Fatal(err)
	}
	b := make([]float64, 2)
	for t := range 200 {
		slope := 1.
		if t >= 100 {
			slope = -2
		}
		x := []float64{1, float64(t % 7)}
		y := 3 + slope*x[1]
		f.Scale(.9)
		if err := f.Update(x); err != nil {
			log.Fatal(err)
		}
		for i := range b {
			b[i] = .9*b[i] + x[i]*y
		}
		if t == 99 || t == 199 {
			w := append([]float64(nil), b...)
			f.SolveVec(w)
			fmt.Printf("%.3f\n", w)
		}
	}
	// Output:
	// [3.000 1.000]
	// [3.000 -2.000]
}

// A step of a Kalman filter in square-root form: position and velocity move on, and a
// measurement of the position, with variance 1, makes both less uncertain.
func ExampleFactor_Propagate() {
	f, err := cholupdate.NewFactor[float64](mat.NewDiagDense(2, []float64{4, 1}))
	if err != nil {
		log.Fatal(err)
	}
	move := mat.NewDense(2, 2, []float64{1, 1, 0, 1})
	if err := f.Propagate(move, nil); err != nil {
		log.Fatal(err)
	}
	variance := func() (position, velocity float64) {
		u := f.Triangular()
		a, b, c := u.Data[0], u.Data[1], u.Data[u.Stride+1]
		return a * a, b*b + c*c
	}
	p, v := variance()
	fmt.Printf("before the measurement %.3f %.3f\n", p, v)
	u := f.Triangular()
	gain := []float64{u.Data[0] * u.Data[0], u.Data[0] * u.Data[1]} // the covariances with the position
	for i := range gain {
		gain[i] /= math.Sqrt(p + 1)
	}
	if _, err := f.Downdate(gain); err != nil {
		log.Fatal(err)
	}
	p, v = variance()
	fmt.Printf("after the measurement %.3f %.3f\n", p, v)
	// Output:
	// before the measurement 5.000 1.000
	// after the measurement 0.833 0.833
}

// A factor answers what its matrix would, without the matrix.
func ExampleFactor_Quad() {
	f, err := cholupdate.NewFactor[float32](mat.NewSymDense(2, []float64{2, 1, 1, 3}))
	if err != nil {
		log.Fatal(err)
	}
	x := []float32{1, 2}
	fmt.Printf("%.3f %.3f %.3f\n", f.Quad(x), f.InverseQuad(x), f.At(0, 1))
	f.MulVec(x)
	fmt.Printf("%.3f\n", x)
	var inverse mat.SymDense
	f.InverseTo(&inverse)
	fmt.Printf("%.1f\n", mat.Formatted(&inverse))
	// Output:
	// 18.000 1.400 1.000
	// [4.000 7.000]
	// ⎡ 0.6  -0.2⎤
	// ⎣-0.2   0.4⎦
}

// A line through points is kept up to date while points come and go.
func ExampleQR() {
	f, err := cholupdate.NewQR[float64](mat.NewDense(3, 2, []float64{1, 0, 1, 1, 1, 2}))
	if err != nil {
		log.Fatal(err)
	}
	y := []float64{1, 3, 5}
	line := make([]float64, 2)
	if err := f.SolveVec(line, y); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", line)
	if err := f.InsertRow(3, []float64{1, 3}); err != nil {
		log.Fatal(err)
	}
	f.DeleteRow(0)
	if err := f.SolveVec(line, []float64{3, 5, 10}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", line)
	// Output:
	// [1.000 2.000]
	// [-1.000 3.500]
}

// Position and velocity of something that moves, from noisy positions.
func ExampleKalman() {
	k, err := cholupdate.NewKalman([]float64{0, 0}, mat.NewDiagDense(2, []float64{100, 100}))
	if err != nil {
		log.Fatal(err)
	}
	move := mat.NewDense(2, 2, []float64{1, 1, 0, 1})
	jolt := mat.NewDense(2, 1, []float64{.005, .01})
	for t := 1; t <= 20; t++ {
		if err := k.Predict(move, jolt); err != nil {
			log.Fatal(err)
		}
		noise := .1 * float64(t%3-1)
		if _, _, err := k.Measure([]float64{1, 0}, 2*float64(t)+noise, .01); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("%.1f, velocity %.1f ± %.2f\n", k.Mean()[0], k.Mean()[1], math.Sqrt(k.Covariance().At(1, 1)))
	// Output:
	// 40.0, velocity 2.0 ± 0.02
}

// The slope of a line that changes: a tenth of the weight of a row is forgotten with each new one.
func ExampleLeastSquares() {
	l := cholupdate.NewLeastSquares(2, .9, 1e-6)
	beta := make([]float64, 2)
	for t := range 400 {
		slope := 1.
		if t >= 200 {
			slope = -2
		}
		x := float64(t % 7)
		if err := l.Observe([]float64{1, x}, 3+slope*x); err != nil {
			log.Fatal(err)
		}
		if t == 199 || t == 399 {
			l.Coef(beta)
			fmt.Printf("%.3f\n", beta)
		}
	}
	// Output:
	// [3.000 1.000]
	// [3.000 -2.000]
}

// A state of which nothing is known at first: two measurements of the position give it and the velocity.
func ExampleInformation() {
	f := cholupdate.NewInformation(2)
	move := mat.NewDense(2, 2, []float64{1, 1, 0, 1})
	jolt := mat.NewDense(2, 1, []float64{.005, .01})
	state := make([]float64, 2)
	for t := range 3 {
		if err := f.Predict(move, jolt); err != nil {
			log.Fatal(err)
		}
		if err := f.Measure([]float64{1, 0}, 2*float64(t), .01); err != nil {
			log.Fatal(err)
		}
		if err := f.Mean(state); err != nil {
			fmt.Println("not known yet:", err)
			continue
		}
		variance, err := f.Variance([]float64{0, 1})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.1f, velocity %.1f ± %.2f\n", state[0], state[1], math.Sqrt(variance))
	}
	// Output:
	// not known yet: not positive definite at pivot 1 (margin 0)
	// 2.0, velocity 2.0 ± 0.14
	// 4.0, velocity 2.0 ± 0.07
}
