package dcpred

import (
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/fastnys"
	"github.com/gramworks/gram/algos/kmeans"
	"github.com/gramworks/gram/algos/pseudo"
	"github.com/gramworks/gram/asm/level2"
	"github.com/gramworks/gram/internal/program"
	"gonum.org/v1/gonum/mat"
)

var (
	_ gram.Compiler = (*Machine)(nil)
	_ gram.Compiler = (*Classifier)(nil)
	_ gram.Compiler = (*Regressor)(nil)
)

// Program64 returns the machine's own program.
func (m *Machine) Program64() (gram.Program[float64], error) { return m.program, nil }

// Program32 returns the machine's program in float32.
func (m *Machine) Program32() (gram.Program[float32], error) { return newProgram[float32](m), nil }

// Program64 returns the classifier's own program.
func (m *Classifier) Program64() (gram.Program[float64], error) { return m.m.Program64() }

// Program32 returns the classifier's program in float32.
func (m *Classifier) Program32() (gram.Program[float32], error) { return m.m.Program32() }

// Program64 returns the regressor's own program.
func (m *Regressor) Program64() (gram.Program[float64], error) { return m.m.Program64() }

// Program32 returns the regressor's program in float32.
func (m *Regressor) Program32() (gram.Program[float32], error) { return m.m.Program32() }

// newProgram returns the program that sends rows down the tree and evaluates their
// leaves.
func newProgram[F gram.Float](m *Machine) gram.Program[F] {
	leaves := make([]gram.Program[F], len(m.leaves))
	for i := range m.leaves {
		leaves[i] = newEvaluator[F](m, &m.leaves[i])
	}
	if m.tree == nil {
		return leaves[0]
	}
	return program.NewRouted("dcpred", kmeans.NewRouter[F](m.tree, nil), leaves, m.k, false)
}

// evaluator is a leaf: a linear function of its columns, or a constant.
type evaluator[F gram.Float] struct {
	d       int
	columns *pseudo.Product[F] // one of the two, or
	marks   *fastnys.Block[F]  // none for a constant
	width   int                // of marks
	coef    []F                // of marks: k×width
	bias    []F
	cost    gram.Plan
	pool    sync.Pool // *[]F: the values of some rows at the marks
}

func newEvaluator[F gram.Float](m *Machine, l *leaf) *evaluator[F] {
	e := &evaluator[F]{d: m.d, bias: program.Convert[F](l.bias)}
	e.cost = gram.Plan{ModelBytes: program.Size[F](m.k), Description: "a local model"}
	switch {
	case l.columns != nil:
		e.columns = pseudo.NewBlock[F](l.columns).Times(gram.View(l.coef))
		e.cost.ModelBytes += e.columns.Bytes()
	case l.marks != nil:
		e.marks = fastnys.NewBlock[F](l.marks).Limit(1)
		e.width, _ = e.marks.Dims()
		e.coef = program.Convert[F](mat.DenseCopyOf(l.coef.T()).RawMatrix().Data)
		e.cost.ModelBytes += e.marks.Bytes() + program.Size[F](len(e.coef))
	}
	if l.coef != nil {
		width, _ := l.coef.Dims()
		e.cost.Flops = l.flops(m.d) + 2*float64(width*m.k)
		e.cost.PeakBytes = program.Size[F](gatherRows * (m.d + width))
	}
	e.pool.New = func() any { s := make([]F, gatherRows*e.width); return &s }
	return e
}

// gatherRows is the number of rows whose values at the marks are held together.
const gatherRows = 48

// Dims returns the number of columns and of outputs.
func (e *evaluator[F]) Dims() (d, outputs int) { return e.d, len(e.bias) }

// Cost is that of one row, a kernel value beyond its inner product not counted.
func (e *evaluator[F]) Cost() gram.Plan { return e.cost }

// Row sets dst to the outputs for x.
func (e *evaluator[F]) Row(dst, x []F) { program.Row(e, dst, x) }

// Rows sets dst to the outputs for the rows of x.
func (e *evaluator[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	program.Check("dcpred", e, dst, x)
	switch {
	case e.columns != nil:
		e.columns.Rows(dst, x)
		for i := range dst.N {
			row := dst.Row(i)
			for f, b := range e.bias {
				row[f] += b
			}
		}
	case e.marks != nil:
		values := e.pool.Get().(*[]F)
		for lo := 0; lo < dst.N; lo += gatherRows {
			hi := min(lo+gatherRows, dst.N)
			c := gram.Rows[F]{Data: *values, N: hi - lo, D: e.width, Stride: e.width}
			e.marks.Fill(c, x.Slice(lo, hi))
			for i := range c.N {
				row := dst.Row(lo + i)
				copy(row, e.bias)
				level2.GemvN(row, e.coef, e.width, c.Row(i), 1)
			}
		}
		e.pool.Put(values)
	default:
		for i := range dst.N {
			copy(dst.Row(i), e.bias)
		}
	}
}
