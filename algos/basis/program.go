package basis

import (
	"fmt"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/level2"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// evaluator computes the outputs for rows whose shapes have been checked.
type evaluator[F gram.Float] interface {
	rows(dst gram.Rows[F], x gram.Samples[F])
	// bytes returns the memory that the evaluator holds, without workspaces.
	bytes() int64
}

// basisProgram is the program of linear functions of features. It adds the shape and the cost
// to an evaluator.
type basisProgram[F gram.Float] struct {
	d, k int
	evaluator[F]
	cost gram.Plan
}

// programOf returns the program of k functions of the features of b.
func programOf[F gram.Float](b Basis, e evaluator[F], k int) gram.Program[F] {
	d, _ := b.Dims()
	cost := b.Cost(k, int(program.Size[F](1)))
	cost.ModelBytes = e.bytes()
	return &basisProgram[F]{d, k, e, cost}
}

// Dims returns the number of columns and of functions.
func (p *basisProgram[F]) Dims() (d, outputs int) { return p.d, p.k }

// Cost returns the flops of one row, the bytes that the program holds and the bytes of the workspace of one call.
func (p *basisProgram[F]) Cost() gram.Plan { return p.cost }

// Row sets dst to the values for x.
func (p *basisProgram[F]) Row(dst, x []F) { program.Row(p, dst, x) }

// Rows sets dst to the values for the rows of x.
func (p *basisProgram[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	program.Check("basis", p, dst, x)
	p.rows(dst, x)
}

// source computes features, or numbers that become features row by row, in the goroutine
// of the caller.
type source[F gram.Float] interface {
	fill(dst gram.Rows[F], x gram.Samples[F])
	bytes() int64
}

// blocks computes a block of features and then the linear functions of them.
type blocks[F gram.Float] struct {
	step int // rows that are processed together
	wide int // columns that the source computes
	from source[F]
	turn func(phi, row []F) // makes features of what the source computes; nil: the source computes the features
	coef gram.Rows[F]       // k×features
	bias []F
	all  *kernel.Block[F] // for many functions, in place of coef and bias: k×(features+1)
	pool sync.Pool        // *[]F: the features of one row or of all, and what the source computes
}

// manyOutputs is the number of functions from which on a block of rows is multiplied by
// the coefficients as a product of matrices. For many rows this is faster from two thirds
// of that number on, but for a single row it then takes up to twice as long.
const manyOutputs = 96

func (e *blocks[F]) rows(dst gram.Rows[F], x gram.Samples[F]) {
	for lo := 0; lo < dst.N; lo += e.step {
		hi := min(lo+e.step, dst.N)
		w := e.pool.Get().(*[]F)
		if e.all == nil {
			e.few(dst.Slice(lo, hi), x.Slice(lo, hi), w)
		} else {
			e.many(dst.Slice(lo, hi), x.Slice(lo, hi), w)
		}
		e.pool.Put(w)
	}
}

// few computes the functions row by row: the coefficients times the features of the row, plus the constants. w is the workspace,
// which grows as needed.
func (e *blocks[F]) few(dst gram.Rows[F], x gram.Samples[F], w *[]F) {
	one := 0
	if e.turn != nil {
		one = e.coef.D
	}
	*w = program.Grow(*w, one+dst.N*e.wide)
	phi := (*w)[:one]
	z := gram.Rows[F]{Data: (*w)[one:], N: dst.N, D: e.wide, Stride: max(1, e.wide)}
	e.from.fill(z, x)
	for i := range dst.N {
		features := z.Row(i)
		if e.turn != nil {
			e.turn(phi, features)
			features = phi
		}
		row := dst.Row(i)
		copy(row, e.bias)
		level2.GemvN(row, e.coef.Data, e.coef.Stride, features, 1)
	}
}

// many computes the functions as a product of matrices: the features with a column of
// ones times the coefficients and the constants.
func (e *blocks[F]) many(dst gram.Rows[F], x gram.Samples[F], w *[]F) {
	n := dst.N
	_, width := e.all.Dims()
	*w = program.Grow(*w, n*(width+e.wide))
	phi := gram.Rows[F]{Data: (*w)[:n*width], N: n, D: width, Stride: width}
	z := gram.Rows[F]{Data: phi.Data, N: n, D: e.wide, Stride: width} // in their places
	if e.turn != nil {
		z = gram.Rows[F]{Data: (*w)[n*width:], N: n, D: e.wide, Stride: max(1, e.wide)}
	}
	e.from.fill(z, x)
	for i := range n {
		row := phi.Row(i)
		if e.turn != nil {
			e.turn(row[:width-1], z.Row(i))
		}
		row[width-1] = 1
	}
	e.all.FillSerial(dst, gram.Dense(phi))
}

func (e *blocks[F]) bytes() int64 {
	b := e.from.bytes() + program.Size[F](len(e.coef.Data)+len(e.bias))
	if e.all != nil {
		b += e.all.Bytes()
	}
	return b
}

// NewProgram returns the program of φ(x)·coef + bias for a Basis b that a user implements.
// fill sets dst, n×features, to the features of at most 32 rows, in the goroutine of the
// caller. It must be safe for concurrent use and compute the features of a row from that
// row alone.
func NewProgram[F gram.Float](b Basis, coef *mat.Dense, bias []float64, fill func(dst gram.Rows[F], x gram.Samples[F])) gram.Program[F] {
	if _, k := coef.Dims(); len(bias) != k {
		panic("basis: there must be a constant for every column of coefficients")
	}
	m, k := coef.Dims()
	held := b.Cost(k, int(program.Size[F](1))).ModelBytes - program.Size[F](m*k)
	return programOf(b, newBlocks(blockRows, coef, bias, manyOutputs, own[F]{fill, max(0, held)}), k)
}

// own is the source for a basis that a user implements.
type own[F gram.Float] struct {
	function func(dst gram.Rows[F], x gram.Samples[F])
	held     int64
}

func (s own[F]) fill(dst gram.Rows[F], x gram.Samples[F]) { s.function(dst, x) }

func (s own[F]) bytes() int64 { return s.held }

// blockRows is the number of rows that are processed together.
const blockRows = 32

// newBlocks returns the evaluator of linear functions of the features that from computes.
// From many functions on it uses products of matrices.
func newBlocks[F gram.Float](step int, coef *mat.Dense, bias []float64, many int, from source[F]) *blocks[F] {
	m, k := coef.Dims()
	e := &blocks[F]{step: step, wide: m, from: from}
	e.pool.New = func() any { return new([]F) }
	if k < many {
		e.coef, e.bias = program.Rows[F](coef.T()), program.Convert[F](bias)
		return e
	}
	all := mat.NewDense(k, m+1, nil)
	for f := range k {
		row := all.RawRowView(f)
		for j := range m {
			row[j] = coef.At(j, f)
		}
		row[m] = bias[f]
	}
	e.all = kernel.Against[F](kernel.Linear{}, all).Limit(1)
	return e
}

// filled is the source of the values of a kernel block.
type filled[F gram.Float] struct{ block *kernel.Block[F] }

func valuesOf[F gram.Float](k kernel.Kernel, z mat.Matrix) filled[F] {
	return filled[F]{kernel.Against[F](k, z).Limit(1)}
}

func (a filled[F]) fill(dst gram.Rows[F], x gram.Samples[F]) { a.block.FillSerial(dst, x) }

func (a filled[F]) bytes() int64 { return a.block.Bytes() }

// describe returns the description of a program's cost.
func describe(d, k int, format string, args ...any) string {
	return fmt.Sprintf(format+", %d columns, %d outputs", append(args, d, k)...)
}

// With returns the program of φ(x)·coef + bias in F; it calls With64 or With32 of b.
func With[F gram.Float](b Basis, coef *mat.Dense, bias []float64) gram.Program[F] {
	var zero F
	if _, double := any(zero).(float64); double {
		return b.With64(coef, bias).(gram.Program[F])
	}
	return b.With32(coef, bias).(gram.Program[F])
}
