package rfm

import (
	"fmt"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/asm/level2"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Model is kernel ridge regression on mapped rows, or a tree of such models. It holds a mapped copy of the rows of the
// fit, and is safe for concurrent use.
type Model struct {
	cfg     Config
	tree    *tree      // nil: there is one leaf, the model itself
	leaves  []*Model   // of the tree
	root    *mat.Dense // d×r, Full: M = root·rootᵀ
	scale   []float64  // other metrics: √M_kk
	machine *krr.Model // of the mapped rows
	levels  *expansion // in place of these three if there are categories
	program gram.Program[float64]
	stats   Stats
}

var (
	_ krr.Functions = (*Model)(nil)
	_ gram.Compiler = (*Model)(nil)
)

// with sets the ridge regression on mapped rows and the program of m, and returns m.
func (m *Model) with(machine *krr.Model) *Model {
	m.machine = machine
	return m.compiled()
}

// compiled sets the program of m, in float64, and returns m.
func (m *Model) compiled() *Model {
	m.program = compile[float64](m)
	return m
}

// compile returns the program of a tree or of a single leaf, with its numbers in F.
func compile[F gram.Float](m *Model) gram.Program[F] {
	if m.tree != nil {
		return newDivided[F](m)
	}
	return newLeaf[F](m)
}

// newLeaf returns the program of a model that is no tree.
func newLeaf[F gram.Float](m *Model) gram.Program[F] {
	if m.levels != nil {
		return newLevelled[F](m.levels)
	}
	return newMapped[F](m)
}

// Leaves returns the models of the leaves of a tree, nil if there is no tree.
func (m *Model) Leaves() []*Model { return m.leaves }

// Config returns the settings with all defaults filled in, and those that were chosen.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has none.
func (m *Model) Stats() Stats { return m.stats }

// Dims returns the number of columns of the data and of outputs.
func (m *Model) Dims() (d, outputs int) {
	if m.tree != nil {
		return m.leaves[0].Dims()
	}
	if m.levels != nil {
		return m.levels.layout.d, len(m.levels.bias)
	}
	_, outputs = m.machine.Dims()
	if m.root == nil {
		return len(m.scale), outputs
	}
	d, _ = m.root.Dims()
	return d, outputs
}

// Dim returns the number of columns of the data.
func (m *Model) Dim() int { d, _ := m.Dims(); return d }

// Metric returns M, d×d. Its largest entry is 1 after the first round. Of a tree it is the mean over the leaves, weighted by
// their rows.
func (m *Model) Metric() *mat.SymDense {
	d := m.Dim()
	out := mat.NewSymDense(d, nil)
	if m.tree != nil {
		total := 0.
		for _, leaf := range m.leaves {
			total += leaf.size()
		}
		for _, leaf := range m.leaves {
			one := leaf.Metric()
			one.ScaleSym(leaf.size()/total, one)
			out.AddSym(out, one)
		}
		return out
	}
	if m.levels != nil {
		return m.levels.layout.whole(m.levels.at.matrix())
	}
	for k := range d {
		if m.root == nil {
			out.SetSym(k, k, m.scale[k]*m.scale[k])
			continue
		}
		for l := k; l < d; l++ {
			out.SetSym(k, l, mat.Dot(m.root.RowView(k), m.root.RowView(l)))
		}
	}
	return out
}

// Map returns the d×r matrix by which rows are multiplied before they reach the machine; M is its product with its transpose. It is nil
// of a tree. With categories it is computed in each call, which takes the cube of the number of levels.
func (m *Model) Map() *mat.Dense {
	if m.tree != nil {
		return nil
	}
	if m.levels != nil {
		root, _ := m.levels.plain(m.machineConfig())
		return root
	}
	if m.root == nil {
		return mat.DenseCopyOf(mat.NewDiagDense(len(m.scale), m.scale))
	}
	return mat.DenseCopyOf(m.root)
}

// Machine returns the ridge regression on the mapped rows, nil of a tree. With categories it is computed in each call, as Map is.
func (m *Model) Machine() *krr.Model {
	if m.levels != nil {
		_, machine := m.levels.plain(m.machineConfig())
		return machine
	}
	return m.machine
}

// machineConfig returns the settings of the machine of a model with categories.
func (m *Model) machineConfig() krr.Config {
	return krr.Config{Kernel: kernelOf(m.cfg.Metric, m.levels.length), Lambda: m.cfg.Lambda, NoBias: true, Run: gram.Run{Workers: m.cfg.Workers}}
}

// size returns the number of rows that the machine holds.
func (m *Model) size() float64 {
	if m.levels != nil {
		n, _ := m.levels.alpha.Dims()
		return float64(n)
	}
	points, _, _ := m.machine.Expand()
	return float64(points.N)
}

// Importance returns the diagonal of M divided by its sum: how much each column, in its unit,
// changes the function.
func (m *Model) Importance() []float64 {
	out := make([]float64, m.Dim())
	if m.levels != nil {
		out = m.levels.layout.diagonal(m.levels.at.matrix())
	} else {
		metric := m.Metric()
		for k := range out {
			out[k] = metric.At(k, k)
		}
	}
	floats.Scale(1/floats.Sum(out), out)
	return out
}

// Given returns the metric of the model, from which another fit may start.
func (m *Model) Given() Given { return Given{Metric: m.Metric()} }

// Predict returns the value of the first function for every row.
func (m *Model) Predict(dst []float64, x mat.Matrix) []float64 {
	_, t := m.Dims()
	return rows.First("rfm", dst, x, t, m.PredictAll)
}

// PredictAll returns the n×t values of all functions.
func (m *Model) PredictAll(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	d, t := m.Dims()
	dst = rows.Destination("rfm", dst, x, d, t)
	program.Evaluate(m.cfg.Workers, 4*mappedRows, m.program, dst, x)
	return dst
}

// Encode writes the settings, the map of the rows, and the machine on the mapped rows.
func (m *Model) Encode(w *modelfile.Writer) error {
	if err := modelfile.Put(w, m.form); err != nil {
		return err
	}
	for k, leaf := range m.leaves {
		if err := leaf.Encode(w.Sub(fmt.Sprint("leaf", k))); err != nil {
			return err
		}
	}
	if m.tree != nil || m.levels != nil {
		return nil
	}
	return m.machine.Encode(w.Sub("machine"))
}

// Decode reads a Model that Encode has written. The error says what is wrong with a damaged file.
func Decode(f *modelfile.File) (*Model, error) {
	m, err := modelfile.Get(f, new(Model), (*Model).form)
	if err != nil {
		return nil, err
	}
	if m.tree != nil {
		return m.decodeLeaves(f)
	}
	if m.levels != nil {
		m.levels.complete()
		return m.compiled(), nil
	}
	sub, err := f.Sub("machine")
	if err != nil {
		return nil, err
	}
	machine, err := krr.Decode(sub)
	if err != nil {
		return nil, err
	}
	width := len(m.scale)
	if m.root != nil {
		_, width = m.root.Dims()
	}
	if d, _ := machine.Dims(); d != width {
		return nil, f.Errorf("machine", "%d columns, and the map has %d", d, width)
	}
	return m.with(machine), nil
}

// decodeLeaves reads the models of all leaves of the tree. They must have the columns of the tree, and as many functions as each
// other.
func (m *Model) decodeLeaves(f *modelfile.File) (*Model, error) {
	_, d := m.tree.directions.Dims()
	for k := range m.tree.leaves() {
		name := fmt.Sprint("leaf", k)
		sub, err := f.Sub(name)
		if err != nil {
			return nil, err
		}
		leaf, err := Decode(sub)
		if err != nil {
			return nil, err
		}
		m.leaves = append(m.leaves, leaf)
		own, outputs := leaf.Dims()
		if _, all := m.leaves[0].Dims(); leaf.tree != nil || own != d || outputs != all {
			return nil, f.Errorf(name, "%d functions of %d columns, and the tree has %d columns", outputs, own, d)
		}
	}
	return m.compiled(), nil
}

// DecodeAny reads a model of this package: a *krr.Classifier, a *krr.Regressor or a *Model.
func DecodeAny(f *modelfile.File) (modelfile.Model, error) {
	return krr.DecodeNamed(f, Method, func(f *modelfile.File) (krr.Functions, error) {
		m, err := Decode(f)
		if err != nil {
			return nil, err
		}
		return m, nil
	})
}

// form lists what a file holds of the settings and the map. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	x.Header(Method, 1, &m.cfg)
	x.Require(m.cfg.Metric >= Full && m.cfg.Metric <= Manhattan, "", "the settings are not of a fit")
	if x.OptionalPart("tree", m.tree != nil) {
		if m.tree == nil {
			m.tree = new(tree)
		}
		x.Part("tree", m.tree.form)
		x.Require(m.cfg.Soft.Value() >= 0, "", "the softness is %v", m.cfg.Soft.Value())
		return
	}
	if x.OptionalPart("levels", m.levels != nil) {
		if m.levels == nil {
			m.levels = new(expansion)
		}
		x.Part("levels", func(x *modelfile.Exchange) { m.levels.form(x, m.cfg.Metric) })
		return
	}
	if m.cfg.Metric == Full {
		x.Dense("root", &m.root, -1, -1)
		return
	}
	x.Float64("scale", &m.scale, -1)
	x.Require(len(m.scale) > 0, "scale", "no columns")
}

// mappedRows is the number of rows that a program maps together.
const mappedRows = 60

// mapped is the gram.Program of a model without categories. It maps mappedRows rows at a time for the program of the ridge
// regression.
type mapped[F gram.Float] struct {
	inner gram.Program[F]
	d, r  int
	root  gram.Rows[F] // r×d; of no rows: scale
	scale []F
	pool  sync.Pool // *space[F]
}

// space is the work memory of one call of a mapped program.
type space[F gram.Float] struct{ row, mapped []F }

// Program64 returns a program in float64 that computes the values of all functions for rows.
func (m *Model) Program64() (gram.Program[float64], error) { return compile[float64](m), nil }

// Program32 returns the program of the functions in float32.
func (m *Model) Program32() (gram.Program[float32], error) { return compile[float32](m), nil }

func newMapped[F gram.Float](m *Model) gram.Program[F] {
	p := &mapped[F]{d: m.Dim()}
	p.inner, _ = program.Of[F](m.machine) // always compiles
	p.r, _ = p.inner.Dims()
	if m.root != nil {
		p.root = program.Rows[F](mat.DenseCopyOf(m.root.T()))
	} else {
		p.scale = program.Convert[F](m.scale)
	}
	p.pool.New = func() any {
		return &space[F]{make([]F, p.d), make([]F, mappedRows*p.r)}
	}
	return p
}

// Dims returns the number of columns and of functions.
func (p *mapped[F]) Dims() (d, outputs int) {
	_, outputs = p.inner.Dims()
	return p.d, outputs
}

// Cost returns the flops of one row, the bytes that the program holds and the bytes of the workspace of one call.
func (p *mapped[F]) Cost() gram.Plan {
	c := p.inner.Cost()
	numbers := len(p.scale) + p.root.N*p.root.D
	c.Flops += 2 * float64(numbers)
	c.ModelBytes += program.Size[F](numbers)
	c.PeakBytes += program.Size[F](mappedRows*p.r + p.d)
	c.Description = fmt.Sprintf("%s of %d mapped columns", c.Description, p.r)
	return c
}

// Row sets dst to the values for x.
func (p *mapped[F]) Row(dst, x []F) { program.Row(p, dst, x) }

// Rows sets dst to the values for the rows of x.
func (p *mapped[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	program.Check("rfm", p, dst, x)
	s := p.pool.Get().(*space[F])
	for lo := 0; lo < dst.N; lo += mappedRows {
		hi := min(lo+mappedRows, dst.N)
		z := gram.Rows[F]{Data: s.mapped[:(hi-lo)*p.r], N: hi - lo, D: p.r, Stride: p.r}
		for i := range z.N {
			row, to := x.Row(s.row, lo+i), z.Row(i)
			if p.scale != nil {
				for k, v := range p.scale {
					to[k] = v * row[k]
				}
				continue
			}
			clear(to)
			level2.GemvN(to, p.root.Data, p.root.Stride, row, 1)
		}
		p.inner.Rows(dst.Slice(lo, hi), gram.Dense(z))
	}
	p.pool.Put(s)
}
