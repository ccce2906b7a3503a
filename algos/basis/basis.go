package basis

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Basis maps samples of d numbers to features, and makes programs of linear functions of
// these features. It is immutable and safe for concurrent use.
type Basis interface {
	gram.FeatureMap
	modelfile.Model
	// With64 and With32 return the program of φ(x)·coef + bias in either precision.
	// coef is features×k and bias has k numbers; the program keeps neither.
	With64(coef *mat.Dense, bias []float64) gram.Program[float64]
	With32(coef *mat.Dense, bias []float64) gram.Program[float32]
	// Cost returns the cost for one row of such a program with k outputs in numbers of
	// size bytes.
	Cost(k, size int) gram.Plan
}

// Learnable is a Basis with m points in R^d, such as landmarks or frequencies, that can
// be optimized by gradients.
type Learnable interface {
	Basis
	// Points returns the points as the columns of a d×m matrix. It is the basis' own
	// and must not be changed.
	Points() *mat.Dense
	// With returns the basis of the same kind with other points, d×m, which it keeps.
	With(points *mat.Dense) Learnable
	// Fill sets dst to the features of x on up to workers goroutines (≤ 0:
	// GOMAXPROCS). If ctx ends the error is ctx.Err().
	Fill(ctx context.Context, workers int, dst *mat.Dense, x gram.Samples[float64]) error
	// Chain computes the derivative with respect to the points up to a product with the
	// samples. Given e = ∂f/∂φ and the features phi of n samples, both n×features, it
	// overwrites the first m columns of e by a matrix B and adds to s, of length m, the
	// numbers for which
	//
	//	∂f/∂U = XᵀB − U·diag(s).
	Chain(e, phi *mat.Dense, s []float64)
	// Scale returns the length by which steps of the points are measured: the norm of all
	// frequencies, or the width of the kernel for all landmarks together.
	Scale() float64
}

// Shift subtracts U·diag(s) from g; all matrices are d×m. This completes the derivative
// with respect to the points U that Chain begins.
func Shift(g, u *mat.Dense, s []float64) {
	d, _ := g.Dims()
	for c := range d {
		row, point := g.RawRowView(c), u.RawRowView(c)
		for j, v := range s {
			row[j] -= float64(v * point[j])
		}
	}
}

// Function is φ(x)·Coef + Bias: one linear function of the features of a basis, or k of
// them.
type Function struct {
	Basis Basis
	Coef  *mat.Dense // features×k
	Bias  []float64  // k
}

var _ gram.Compiler = Function{}

// Dims returns the number of columns of the data and the number of outputs.
func (f Function) Dims() (d, outputs int) {
	d, _ = f.Basis.Dims()
	return d, len(f.Bias)
}

// Cost returns the cost for one row in numbers of size bytes.
func (f Function) Cost(size int) gram.Plan { return f.Basis.Cost(len(f.Bias), size) }

// Program64 returns a program in float64 that computes the values of all functions for rows.
func (f Function) Program64() (gram.Program[float64], error) {
	return f.Basis.With64(f.Coef, f.Bias), nil
}

// Program32 returns a program in float32 that computes the same values as Program64, up to rounding.
func (f Function) Program32() (gram.Program[float32], error) {
	return f.Basis.With32(f.Coef, f.Bias), nil
}

// Folded returns the same function of a simpler basis: without a root, without the
// division by √m of Fourier features, and without points whose coefficients are all 0,
// of which at least one is kept.
func (f Function) Folded() Function {
	for {
		r, ok := f.Basis.(Outer)
		if !ok {
			break
		}
		inner, root := r.Inner()
		if f.Basis = inner; root != nil {
			f.Coef = folded(root, f.Coef)
		}
	}
	switch b := f.Basis.(type) {
	case *Values:
		f.Basis, f.Coef = b.without(f.Coef)
	case *Fourier:
		f.Basis, f.Coef = b.folded(f.Coef)
	}
	return f
}

// Finite reports whether all coefficients and constants are finite.
func (f Function) Finite() bool {
	var s float64
	for i, n := 0, f.Coef.RawMatrix().Rows; i < n; i++ {
		for _, v := range f.Coef.RawRowView(i) {
			s += v - v
		}
	}
	for _, v := range f.Bias {
		s += v - v
	}
	return s == 0
}

// Expansion returns Σ_j coef_j·k(u_j,x) + bias for the points u_j in the rows of an m×d
// matrix and m×k coefficients. It keeps its arguments.
func Expansion(k kernel.Kernel, points, coef *mat.Dense, bias []float64) Function {
	return Function{NewValues(k, points, 0), coef, bias}
}
