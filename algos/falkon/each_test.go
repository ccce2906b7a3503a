package falkon

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// passes returns run, which adds the passes over the rows in conjugate gradients to n.
func passes(run gram.Run, n *int) gram.Run {
	run.Progress = func(e gram.Event) {
		if e.Phase == "rows" && e.Done == e.Total {
			*n++
		}
	}
	return run
}

// Several λ take as many passes as the one among them that takes most, and the functions are those of separate fits within the sum of
// their bounds.
func TestEachSharesPasses(t *testing.T) {
	d := algotest.Problem(6, 1_200, 3, 3)
	y := two(d)
	lambda := []float64{1e-2, 10, 1e-4, .3, 1, 3, 30}
	for _, noBias := range []bool{false, true} {
		for _, w := range [][]float64{nil, d.Weights} {
			c := Config{Kernel: gauss, M: 60, Tol: 1e-9, NoBias: modelfile.Not(noBias)}
			together, apart, most := 0, 0, 0
			c.Run = passes(c.Run, &together)
			models := must.Have(c.FitEach(t.Context(), d.X, y, w, lambda))(t)
			for i, l := range lambda {
				one := c
				alone := 0
				one.Lambda, one.Run = gram.Set(l), passes(c.Run, &alone)
				m := must.Have(one.FitAll(t.Context(), d.X, y, w))(t)
				apart, most = apart+alone, max(most, alone)
				a, b := models[i].Stats(), m.Stats()
				if !(a.Residual <= c.Tol) || a.Shift != b.Shift {
					t.Errorf("λ %g: %+v, alone %+v", l, a, b)
				}
				if !(distance(models[i], m, d.X, w) <= 1.01*(a.RMSBound+b.RMSBound)) {
					t.Errorf("λ %g: distance %g, want at most %g and %g", l, distance(models[i], m, d.X, w), a.RMSBound, b.RMSBound)
				}
			}
			if together > most+1 || 3*together > apart {
				t.Errorf("%d passes, want those of the λ with most, %d, of %d in all", together, most, apart)
			}
		}
	}
}

// distance is the largest weighted root mean square of the difference of an output.
func distance(a, b *Model, x mat.Matrix, w []float64) (worst float64) {
	p, q := a.PredictAll(nil, x), b.PredictAll(nil, x)
	n, outputs := p.Dims()
	for j := range outputs {
		var sum, total float64
		for i := range n {
			weight := 1.
			if w != nil {
				weight = w[i]
			}
			total += weight
			sum += weight * (p.At(i, j) - q.At(i, j)) * (p.At(i, j) - q.At(i, j))
		}
		worst = max(worst, math.Sqrt(sum/total))
	}
	return worst
}

// Where memory has room for one preconditioner, every λ is solved for by itself; where it has room for all, the limit changes no bit.
func TestEachWithinMemory(t *testing.T) {
	d := algotest.Problem(6, 1_200, 3, 3)
	y := two(d)
	lambda := []float64{1, 1e-2, 30}
	c := Config{Kernel: gauss, M: 60}
	plan := must.Have(c.Plan(gram.Shape{N: 1200, D: 3, Outputs: 2}))(t)
	count := func(limit int64) (n int, m []*Model) {
		c.Run = passes(gram.Run{MemoryLimit: limit}, &n)
		m = must.Have(c.FitEach(t.Context(), d.X, y, nil, lambda))(t)
		return n, m
	}
	shared, want := count(0)
	copied := plan.PeakBytes + 8*int64(c.M*c.M) // several λ need the estimate of ΦᵀSΦ beside a preconditioner
	if n, _ := count(copied + 1000); n <= shared {
		t.Errorf("%d passes with little memory, %d without a limit", n, shared)
	}
	c.MemoryLimit = copied - 1
	var lack *gram.MemoryError
	if m, err := c.FitEach(t.Context(), d.X, y, nil, lambda); !errors.As(err, &lack) || lack.Need != copied || m != nil {
		t.Errorf("%d bytes for several λ: %v", c.MemoryLimit, err)
	}
	if one := must.Have(c.FitEach(t.Context(), d.X, y, nil, lambda[:1]))(t)[0]; !slices.Equal(one.Predict(nil, d.X), must.Have(Config{Kernel: gauss, M: 60, Lambda: gram.Set(lambda[0])}.FitAll(t.Context(), d.X, y, nil))(t).Predict(nil, d.X)) {
		t.Error("one λ has another function than Fit")
	}
	n, got := count(1 << 30)
	if n != shared {
		t.Errorf("%d passes with much memory, %d without a limit", n, shared)
	}
	for k := range got {
		if !slices.Equal(got[k].Predict(nil, d.X), want[k].Predict(nil, d.X)) {
			t.Errorf("λ %g: another function", lambda[k])
		}
	}
}

// Where passes do not suffice, the models of all λ are returned with the error, together or one by one.
func TestEachEndsEarly(t *testing.T) {
	d := algotest.Problem(6, 300, 3, 3)
	y := two(d)
	lambda := []float64{1e-6, 1, 1e-4}
	for _, single := range []bool{false, true} {
		c := Config{Kernel: gauss, M: 60, Tol: 1e-13, MaxIter: 2, Single: single}
		models, err := c.FitEach(t.Context(), d.X, y, nil, lambda)
		var short *gram.ConvergenceError
		if !errors.As(err, &short) || len(models) != 3 {
			t.Errorf("single %t: %d models, %v", single, len(models), err)
			continue
		}
		for i, m := range models {
			if m == nil || m.Config().Lambda.Value() != lambda[i] || m.Stats().Shift != lambda[i] {
				t.Errorf("single %t: model %d is not that of λ %g", single, i, lambda[i])
			}
		}
	}
}

// In float32, kernel values of whole blocks of rows are kept as far as the cache goes, or what a limit on memory leaves of it.
func TestPlanSingle(t *testing.T) {
	s := gram.Shape{N: 10_000, D: 3, Outputs: 1}
	peak := func(single bool, cache, limit int64) int64 {
		c := Config{Kernel: gauss, M: 100, Single: single, CacheBytes: cache, Run: gram.Run{Workers: 2, MemoryLimit: limit}}
		return must.Have(c.Plan(s))(t).PeakBytes
	}
	const row, block = 400, 1024 * 400 // bytes
	none := peak(true, 1, 0)
	rows, columns := partRows(100, 2), 2.
	if want := peak(false, 1, 0) + int64(4*100*3+2*(4*rows*103+12*rows*columns+4*100*columns)+4*100*columns); none != want {
		t.Errorf("%d bytes without a cache, want %d", none, want)
	}
	for cache, kept := range map[int64]int64{block - 1: 0, block: block, 3*block + 5: 3 * block, 10_000*row - 1: 9 * block, 10_000 * row: 10_000 * row, 1 << 30: 10_000 * row} {
		if got := peak(true, cache, 0) - none; got != kept {
			t.Errorf("a cache of %d bytes keeps %d, want %d", cache, got, kept)
		}
		if got := peak(true, 1<<30, none+cache) - none; got != kept {
			t.Errorf("with room for %d bytes %d are kept, want %d", cache, got, kept)
		}
	}
	if got := peak(true, 1<<30, none-1); got != none {
		t.Errorf("a peak of %d bytes with too little memory, want %d", got, none)
	}
}

// Columns that are what they were take no part in a product, and those that change do, wherever they change.
func TestStackedKeepsColumns(t *testing.T) {
	const m = 5
	eye := mat.NewDense(m, m, nil)
	for i := range m {
		eye.Set(i, i, 1)
	}
	var made []int
	double := func() *system {
		return &system{t: eye, product: func(dst, v *mat.Dense, _ bool) error {
			_, columns := v.Dims()
			made = append(made, columns)
			dst.Scale(2, v)
			return nil
		}}
	}
	shift := []float64{1, 10, 100}
	s := &stacked{system: double, shift: shift, z: mat.NewDense(m, 3, nil), az: mat.NewDense(m, 3, nil)}
	pre := inverses{each: []inverse{{eye}, {eye}, {eye}}, columns: 1, x: mat.NewDense(m, 3, nil), ax: mat.NewDense(m, 3, nil)}
	z, az, px := mat.NewDense(m, 3, nil), mat.NewDense(m, 3, nil), mat.NewDense(m, 3, nil)
	check := func() {
		t.Helper()
		s.Apply(az, z)
		pre.Apply(px, z)
		for i := range m {
			for j := range 3 {
				if want := (2 + shift[j]) * z.At(i, j); az.At(i, j) != want || px.At(i, j) != z.At(i, j) {
					t.Fatalf("element %d, %d: %v and %v of %v", i, j, az.At(i, j), px.At(i, j), z.At(i, j))
				}
			}
		}
	}
	check()
	z.Apply(func(i, j int, _ float64) float64 { return float64(1 + i + 7*j) }, z)
	check()
	check()
	for i := range m {
		z.Set(i, i%3, -float64(i)-2)
		check()
	}
	z.Set(0, 0, 5)
	z.Set(m-1, 2, 5)
	check()
	if want := []int{3, 1, 1, 1, 1, 1, 2}; !slices.Equal(made, want) {
		t.Errorf("products with %v columns, want %v", made, want)
	}
	pre.ax.Set(1, 1, 77) // what is kept is what is returned
	if pre.Apply(px, z); px.At(1, 1) != 77 {
		t.Error("the preconditioner of a column that is what it was is applied again")
	}
}
