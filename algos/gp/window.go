package gp

import (
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/cholupdate"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
)

// A Window is the posterior of a Gaussian process on the last rows of a stream. It is the exact posterior that Config.Fit finds for these
// rows, but a new row takes O(m²) operations for a window of m rows and not m³/3, and so does a prediction: the factor of C
// slides ([cholupdate.Factor]). λ is given and stays; the amplitude and the constant are those of the rows in the window.
//
// Once the window is full, Append and Predict allocate nothing if Eval of the kernel does not. Rounding errors of many rows add up,
// each about eps·‖C‖ at most; Refactor starts anew. A Window is not safe for concurrent use.
type Window struct {
	cfg    Config
	size   int
	d      int
	first  int         // row of x and y at which the window begins
	x      [][]float64 // rows, at most twice as many as the window has
	y      []float64
	factor cholupdate.Factor[float64]
	column []float64 // of kernel values
	mean   float64   // of the targets
	alpha  []float64 // C⁻¹(y − mean·1) and then less bias·s
	s      []float64 // C⁻¹1; without a bias empty
	bias   float64   // of the targets less their mean
	ones   float64   // sᵀ1
	scale  float64   // the amplitude
	fresh  bool      // alpha, s and what follows from them are those of the rows
}

// NewWindow returns an empty window for the last size rows of a stream of rows with the given number of columns. Of the settings it uses Kernel, Lambda,
// which must be given and positive, and NoBias. The error is a *gram.ConfigError if settings do not fit.
func NewWindow(c Config, size, columns int) (*Window, error) {
	switch _, table := c.Kernel.(*kernel.Precomputed); {
	case size < 1:
		return nil, settings.Refuse("size", size, "at least 1")
	case columns < 1:
		return nil, settings.Refuse("columns", columns, "at least 1")
	case table:
		return nil, settings.Refuse("Kernel", "known by its columns", "a function of two rows")
	case c.Approximation != Exact:
		return nil, settings.Refuse("Approximation", c.Approximation, "exact for a window")
	case c.ARD:
		return nil, settings.Refuse("ARD", true, "a kernel with given widths for a window")
	case !c.Lambda.Given() || !(c.Lambda.Value() > 0):
		return nil, settings.Refuse("Lambda", c.Lambda, "a positive number for a window")
	}
	c, err := settings.Resolved(c, gram.Shape{N: size, D: columns})
	if err != nil {
		return nil, err
	}
	w := &Window{cfg: c, size: size, d: columns, x: make([][]float64, 2*size), y: make([]float64, 2*size),
		column: make([]float64, size), alpha: make([]float64, size)}
	data := make([]float64, 2*size*columns)
	for i := range w.x {
		w.x[i] = data[i*columns : (i+1)*columns : (i+1)*columns]
	}
	if !c.NoBias {
		w.s = make([]float64, size)
	}
	return w, nil
}

// Len returns the number of rows in the window.
func (w *Window) Len() int { return w.factor.Len() }

// Append takes in a row x with its target y, and forgets the first row if the window is full. x is copied. The error is a *gram.DataError if a
// number is not finite or the kernel gives such a value; w is unchanged then. It is a *gram.NotPDError if rounding errors exceed
// λ; the row is not taken in then, but the first row of a full window is forgotten. Append panics if x has not the columns of the
// window. Cost: m values of the kernel and 3m² flops.
func (w *Window) Append(x []float64, y float64) error {
	if err := w.accepts(x); err != nil {
		return err
	}
	if y-y != 0 {
		return &gram.DataError{Row: -1, Value: y, Argument: "y"}
	}
	n := w.Len()
	forget := 0
	if n == w.size {
		forget = 1
	}
	column := w.values(x, forget)
	own := w.cfg.Kernel.Eval(x, x) + w.cfg.Lambda.Value()
	column = append(column, own) // there is room for size numbers
	for i, v := range column {
		if v-v != 0 {
			return &gram.DataError{Row: i, Col: -4, Value: v, Argument: "the kernel values of the row"}
		}
	}
	w.Forget(forget)
	if _, err := w.factor.Append(column); err != nil {
		return err
	}
	n = w.Len()
	if w.first+n > len(w.x) { // moves the rows to the front
		for i := range n - 1 {
			w.x[i], w.x[w.first+i] = w.x[w.first+i], w.x[i]
			w.y[i] = w.y[w.first+i]
		}
		w.first = 0
	}
	copy(w.x[w.first+n-1], x)
	w.y[w.first+n-1] = y
	w.fresh = false
	return nil
}

// Forget takes the first k rows out of the window. It panics unless 0 ≤ k ≤ Len(). Cost: 2k·m² flops.
func (w *Window) Forget(k int) {
	w.factor.DeleteFirst(k)
	w.first += k
	w.fresh = w.fresh && k == 0
}

// accepts returns the error of a row that is not finite.
func (w *Window) accepts(x []float64) error {
	if len(x) != w.d {
		panic("gp: the row has not the columns of the window")
	}
	for i, v := range x {
		if v-v != 0 {
			return &gram.DataError{Row: i, Col: -4, Value: v, Argument: "x"}
		}
	}
	return nil
}

// values returns the kernel values of x with the rows of the window from the given one on.
func (w *Window) values(x []float64, from int) []float64 {
	column := w.column[:w.Len()-from]
	for i := range column {
		column[i] = w.cfg.Kernel.Eval(w.x[w.first+from+i], x)
	}
	return column
}

// refresh computes the constant, the coefficients and the amplitude from the rows and the targets in the window, at most 4m² flops;
// it does nothing if they are up to date.
func (w *Window) refresh() {
	if w.fresh {
		return
	}
	n := w.Len()
	y, alpha := w.y[w.first:w.first+n], w.alpha[:n]
	w.mean, w.bias, w.ones = 0, 0, 0
	if w.s != nil {
		for _, v := range y {
			w.mean += v / float64(n)
		}
	}
	for i, v := range y {
		alpha[i] = v - w.mean
	}
	w.factor.SolveVec(alpha)
	square, free, sum := 0., float64(n), 0.
	for i, v := range y {
		square += (v - w.mean) * alpha[i]
		sum += alpha[i]
	}
	if w.s != nil {
		s := w.s[:n]
		for i := range s {
			s[i] = 1
		}
		w.factor.SolveVec(s)
		for _, v := range s {
			w.ones += v
		}
		w.bias = sum / w.ones
		for i, v := range s {
			alpha[i] -= w.bias * v
		}
		square -= sum * w.bias
		free--
	}
	w.scale = max(square/max(free, 1), math.SmallestNonzeroFloat64)
	w.fresh = true
}

// Predict returns the mean of the posterior at x and its deviation, the root of the variance without that of the noise; see Noise. The
// error is a *gram.DataError if a number of x is not finite. Predict panics if x has not the columns of the window or if the window is
// empty. Cost: m values of the kernel and m² flops, and 4m² more for the first call after a change.
func (w *Window) Predict(x []float64) (mean, deviation float64, err error) {
	if err := w.accepts(x); err != nil {
		return 0, 0, err
	}
	if w.Len() == 0 {
		panic("gp: the window is empty")
	}
	w.refresh()
	k := w.values(x, 0)
	mean = w.mean + w.bias + linalg.Dot(k, w.alpha[:len(k)])
	variance := w.cfg.Kernel.Eval(x, x)
	constant := 0.
	if w.s != nil {
		c := 1 - linalg.Dot(k, w.s[:len(k)])
		constant = c * c / w.ones
	}
	w.factor.HalfSolveVec(k)
	variance = max(variance-linalg.Dot(k, k), 0) + constant
	return mean, math.Sqrt(w.scale * variance), nil
}

// Noise returns a·λ, the variance of a target about the function. It panics if the window is empty.
func (w *Window) Noise() float64 {
	if w.Len() == 0 {
		panic("gp: the window is empty")
	}
	w.refresh()
	return w.scale * w.cfg.Lambda.Value()
}

// Refactor computes the factor from the rows of the window again. The error is a *gram.NotPDError if rounding errors exceed λ; w is unchanged
// then. Cost: m²/2 values of the kernel and m³/3 flops; it allocates the factor.
func (w *Window) Refactor() error {
	var factor cholupdate.Factor[float64]
	n := w.Len()
	for j := range n {
		column := w.column[:j+1]
		for i := range column {
			column[i] = w.cfg.Kernel.Eval(w.x[w.first+i], w.x[w.first+j])
		}
		column[j] += w.cfg.Lambda.Value()
		if _, err := factor.Append(column); err != nil {
			return err
		}
	}
	w.factor, w.fresh = factor, false
	return nil
}
