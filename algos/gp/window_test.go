package gp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// stream returns row and target t of a stream of two columns far from 0.
func stream(r *rand.Rand, t int) ([]float64, float64) {
	x := []float64{float64(t) / 10, r.NormFloat64()}
	return x, 100 + math.Sin(x[0]) + .5*x[1] + .1*r.NormFloat64()
}

// TestWindow compares a window, while it fills, when it slides and after rows were forgotten, with a fit of its rows.
func TestWindow(t *testing.T) {
	for _, c := range []Config{
		{Kernel: kernel.Gaussian{Gamma: .5}, Lambda: gram.Set(.05)},
		{Kernel: kernel.Matern{Nu: 1.5, Length: 1}, Lambda: gram.Set(1e-3), NoBias: true},
		{Kernel: kernel.Linear{}, Lambda: gram.Set(1.)},
	} {
		const size = 20
		w := must.Have(NewWindow(c, size, 2))(t)
		r := rand.New(rand.NewPCG(1, 3))
		var rows, targets []float64
		for step := range 95 {
			x, y := stream(r, step)
			must.Do(t, w.Append(x, y))
			rows, targets = append(rows, x...), append(targets, y)
			if step == 50 {
				_, _, _ = w.Predict(x)
				w.Forget(7)
			}
			if step == 70 {
				must.Do(t, w.Refactor())
			}
			n := min(step+1, size)
			if step >= 50 {
				n = min(size, step-50+size-7)
			}
			if w.Len() != n {
				t.Fatalf("step %d: %d rows, not %d", step, w.Len(), n)
			}
			if step%2 == 1 && step < 90 { // several changes between predictions
				continue
			}
			m := must.Have(c.Fit(context.Background(), mat.NewDense(n, 2, rows[len(rows)-2*n:]), targets[len(targets)-n:], nil))(t)
			at := mat.NewDense(3, 2, append([]float64{float64(step)/10 + .3, .2, -50, 9}, x...))
			means, variances := m.Predict(nil, at), m.Variance(nil, at)
			for i := range 3 {
				mean, deviation := must.Have2(w.Predict(at.RawRowView(i)))(t)
				if want := math.Sqrt(variances[i]); !(math.Abs(mean-means[i]) <= 1e-9*(1+math.Abs(means[i]))) || !(math.Abs(deviation-want) <= 1e-7*(want+math.Sqrt(m.Amplitude()))) {
					t.Fatalf("%v, step %d, row %d: %g ± %g, not %g ± %g", c.Kernel, step, i, mean, deviation, means[i], want)
				}
			}
			if !(math.Abs(w.Noise()-m.Noise()) <= 1e-9*m.Noise()) {
				t.Fatalf("%v, step %d: noise %g, not %g", c.Kernel, step, w.Noise(), m.Noise())
			}
		}
	}
}

// TestWindowDrifts slides a window over many rows: rounding errors stay far below what Refactor would change.
func TestWindowDrifts(t *testing.T) {
	w := must.Have(NewWindow(Config{Kernel: kernel.Gaussian{Gamma: .5}, Lambda: gram.Set(1e-4)}, 30, 2))(t)
	r, steps := rand.New(rand.NewPCG(5, 3)), 20000
	if testing.Short() {
		steps = 2000
	}
	for step := range steps {
		must.Do(t, w.Append(stream(r, step)))
	}
	at := []float64{float64(steps) / 10, .3}
	mean, deviation, _ := w.Predict(at)
	must.Do(t, w.Refactor())
	again, least, _ := w.Predict(at)
	if !(math.Abs(mean-again) <= 1e-8*deviation) || !(math.Abs(deviation-least) <= 1e-8*least) {
		t.Errorf("%g ± %g became %g ± %g", mean, deviation, again, least)
	}
}

// refuses is a kernel that is not finite at one row.
type refuses struct{ kernel.Gaussian }

func (k refuses) Eval(x, y []float64) float64 {
	if x[0] == 13 && y[0] == 13 {
		return math.Inf(1)
	}
	return k.Gaussian.Eval(x, y)
}

// TestWindowErrors says what a window refuses, and that it is unchanged then.
func TestWindowErrors(t *testing.T) {
	good := Config{Kernel: kernel.Gaussian{Gamma: 1}, Lambda: gram.Set(.1)}
	for field, change := range map[string]func(c *Config){
		"Kernel":        func(c *Config) { c.Kernel = nil },
		"Lambda":        func(c *Config) { c.Lambda = gram.Opt[float64]{} },
		"ARD":           func(c *Config) { c.ARD = true },
		"Approximation": func(c *Config) { c.Approximation = FITC },
	} {
		c := good
		change(&c)
		var failed *gram.ConfigError
		if _, err := NewWindow(c, 3, 2); !errors.As(err, &failed) || failed.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, shape := range [][2]int{{0, 1}, {1, 0}} {
		if _, err := NewWindow(good, shape[0], shape[1]); err == nil {
			t.Errorf("a window of %v", shape)
		}
	}
	good.Kernel, good.NoBias = refuses{kernel.Gaussian{Gamma: 1}}, modelfile.Not(true)
	w := must.Have(NewWindow(good, 2, 1))(t)
	for x := range 2 {
		must.Do(t, w.Append([]float64{float64(x)}, 1))
	}
	before, _, _ := w.Predict([]float64{.5})
	var data *gram.DataError
	_, _, err := w.Predict([]float64{math.NaN()})
	for i, err := range []error{err, w.Append([]float64{math.Inf(1)}, 1), w.Append([]float64{1}, math.NaN()), w.Append([]float64{13}, 1)} {
		if !errors.As(err, &data) {
			t.Errorf("call %d: %v", i, err)
		}
	}
	if after, _, _ := w.Predict([]float64{.5}); after != before || w.Len() != 2 {
		t.Errorf("an error has changed the window: %g, was %g", after, before)
	}
	w.Forget(2)
	for i, call := range []func(){
		func() { _, _, _ = w.Predict([]float64{1}) }, func() { w.Noise() }, func() { w.Forget(1) }, func() { _ = w.Append(nil, 1) },
	} {
		if must.Recovered(call) == nil {
			t.Errorf("call %d does not panic", i)
		}
	}
	if err := w.Append([]float64{3}, 2); err != nil || w.Len() != 1 {
		t.Errorf("a window that was emptied: %v", err)
	}
}

// sick is a Gaussian kernel that for a row with itself becomes −1.
type sick struct {
	kernel.Gaussian
	on *bool
}

func (k sick) Eval(x, y []float64) float64 {
	if *k.on && x[0] == y[0] {
		return -1
	}
	return k.Gaussian.Eval(x, y)
}

// A row with which the factor has no root is not taken in, but the first row of a full window is forgotten; Refactor then leaves the window
// as it is.
func TestWindowWithoutRoot(t *testing.T) {
	on := false
	good := Config{Kernel: kernel.Gaussian{Gamma: 1}, Lambda: gram.Set(.1)}
	c := good
	c.Kernel = sick{kernel.Gaussian{Gamma: 1}, &on}
	w, rest := must.Have(NewWindow(c, 3, 1))(t), must.Have(NewWindow(good, 3, 1))(t)
	for i := range 3 {
		must.Do(t, w.Append([]float64{float64(i)}, float64(i*i)))
		if i > 0 {
			must.Do(t, rest.Append([]float64{float64(i)}, float64(i*i)))
		}
	}
	on = true
	var none *gram.NotPDError
	if err := w.Append([]float64{7}, 1); !errors.As(err, &none) {
		t.Errorf("a row is taken in: %v", err)
	}
	if err := w.Refactor(); !errors.As(err, &none) {
		t.Errorf("a factor without a root: %v", err)
	}
	on = false
	mean, deviation, _ := w.Predict([]float64{1.5})
	want, least, _ := rest.Predict([]float64{1.5})
	if w.Len() != 2 || !(math.Abs(mean-want) <= 1e-9) || !(math.Abs(deviation-least) <= 1e-9) {
		t.Errorf("%d rows, %v ± %v, want %v ± %v of the last two", w.Len(), mean, deviation, want, least)
	}
	table := good
	table.Kernel = kernel.Columns(func(dst []float64, j int) { dst[j] = 1 }, 3)
	var refused *gram.ConfigError
	if _, err := NewWindow(table, 3, 1); !errors.As(err, &refused) || refused.Field != "Kernel" || refused.Want != "a function of two rows" {
		t.Errorf("a kernel by its columns: %v", err)
	}
}

func TestWindowAllocates(t *testing.T) {
	if race.Enabled {
		t.Skip("under the detector a sync.Pool drops what it is given")
	}
	w, x := filled(t, 30)
	if n := testing.AllocsPerRun(200, func() {
		x[0] += .1
		_ = w.Append(x, 1)
		_, _, _ = w.Predict(x)
	}); n >= 1 {
		t.Errorf("%g allocations", n)
	}
}

// filled returns a window that has slid over twice as many rows as it has, and the last row.
func filled(t testing.TB, size int) (*Window, []float64) {
	w := must.Have(NewWindow(Config{Kernel: kernel.Gaussian{Gamma: .5}, Lambda: gram.Set(.01)}, size, 2))(t)
	r := rand.New(rand.NewPCG(2, 2))
	var last []float64
	for step := range 3 * size {
		x, y := stream(r, step)
		must.Do(t, w.Append(x, y))
		last = x
	}
	return w, last
}

func BenchmarkWindow(b *testing.B) {
	for _, size := range []int{64, 256, 1024} {
		w, x := filled(b, size)
		b.Run(fmt.Sprintf("Append/m=%d", size), func(b *testing.B) {
			for b.Loop() {
				x[0] += .1
				_ = w.Append(x, math.Sin(x[0]))
				_, _, _ = w.Predict(x)
			}
		})
		b.Run(fmt.Sprintf("Refit/m=%d", size), func(b *testing.B) {
			rows, targets := mat.NewDense(size, 2, nil), make([]float64, size)
			r := rand.New(rand.NewPCG(2, 2))
			for i := range size {
				row, y := stream(r, i)
				rows.SetRow(i, row)
				targets[i] = y
			}
			c := w.cfg
			c.Workers = 1
			for b.Loop() {
				m, err := c.Fit(b.Context(), rows, targets, nil)
				if err != nil {
					b.Fatal(err)
				}
				at := rows.Slice(0, 1, 0, 2)
				m.Predict(nil, at)
				m.Variance(nil, at)
			}
		})
	}
}

// A window over the last 50 rows of a stream says what comes next.
func ExampleNewWindow() {
	w, err := NewWindow(Config{Kernel: kernel.Gaussian{Gamma: 2}, Lambda: gram.Set(1e-4)}, 50, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for t := range 1000 {
		x := float64(t) / 10
		if err := w.Append([]float64{x}, 20+math.Sin(x)); err != nil {
			fmt.Println(err)
			return
		}
	}
	for _, x := range []float64{99.95, 100, 110} {
		mean, deviation, err := w.Predict([]float64{x})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%.2f ± %.2f, the truth is %.2f\n", mean, deviation, 20+math.Sin(x))
	}
	// Output:
	// 19.45 ± 0.00, the truth is 19.45
	// 19.49 ± 0.01, the truth is 19.49
	// 20.00 ± 0.26, the truth is 19.96
}
