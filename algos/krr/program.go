package krr

import (
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/kmeans"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/kernel"
)

var (
	_ gram.Compiler = (*Model)(nil)
	_ gram.Compiler = (*DividedModel)(nil)
)

// Function returns the model as functions of its kernel values.
func (m *Model) Function() (basis.Function, error) {
	return basis.Expansion(m.cfg.Kernel, m.x, m.alpha, m.bias), nil
}

// Program64 returns the program of the functions.
func (m *Model) Program64() (gram.Program[float64], error) { return newProgram[float64](m), nil }

// Program32 returns the program of the functions in float32.
func (m *Model) Program32() (gram.Program[float32], error) { return newProgram[float32](m), nil }

// newProgram shares the packed rows of the model in float64.
func newProgram[F gram.Float](m *Model) gram.Program[F] {
	if block, same := any(m.block).(*kernel.Block[F]); same { // shares the packed rows
		return basis.NewProduct(block.Limit(1).Times(program.Rows[F](m.alpha)), m.bias)
	}
	f, _ := m.Function()
	return basis.With[F](f.Basis, f.Coef, f.Bias)
}

// Program64 returns the model's own program of the functions of all parts.
func (m *DividedModel) Program64() (gram.Program[float64], error) { return m.program, nil }

// Program32 returns the program of the functions of all parts in float32.
func (m *DividedModel) Program32() (gram.Program[float32], error) {
	return newDivided[float32](m), nil
}

func newDivided[F gram.Float](m *DividedModel) gram.Program[F] {
	parts := make([]gram.Program[F], len(m.parts))
	for i, p := range m.parts {
		parts[i] = newProgram[F](p)
	}
	r := &soft[F]{part: m.route.part, soft: m.cfg.Soft}
	if m.route.kernel != nil {
		r.distances = kmeans.NewKernelDistances[F](m.route.kernel)
	} else {
		r.distances = kmeans.NewDistances[F](m.route.means)
	}
	r.pool.New = func() any { return new(near[F]) }
	_, t := m.Dims()
	return program.NewRouted("krr", r, parts, t, m.cfg.Soft > 1)
}

// soft sends rows to their nearest parts, with the weights of shares.
type soft[F gram.Float] struct {
	distances gram.Program[F]
	part      []int
	soft      int
	pool      sync.Pool // *near[F]
}

// near is what one call needs.
type near[F gram.Float] struct {
	distances []F
	wide      []float64 // those of a row
	shares    []share
}

// softRows is the number of rows whose distances are held together.
const softRows = 240

// Dims returns the number of columns and of parts.
func (r *soft[F]) Dims() (d, parts int) {
	d, _ = r.distances.Dims()
	for _, p := range r.part {
		parts = max(parts, p+1)
	}
	return d, parts
}

// Cost is that of one row.
func (r *soft[F]) Cost() gram.Plan {
	c := r.distances.Cost()
	c.ModelBytes += 8 * int64(len(r.part))
	c.PeakBytes += program.Size[F](softRows * len(r.part))
	return c
}

// Route adds the nearest parts of the rows of x to routes.
func (r *soft[F]) Route(routes *program.Routes[F], x gram.Samples[F]) {
	w := r.pool.Get().(*near[F])
	k := len(r.part)
	w.distances, w.wide = program.Grow(w.distances, softRows*k), program.Grow(w.wide, k)
	for lo := 0; lo < x.N(); lo += softRows {
		hi := min(lo+softRows, x.N())
		distances := gram.Rows[F]{Data: w.distances, N: hi - lo, D: k, Stride: k}
		r.distances.Rows(distances, x.Slice(lo, hi))
		for i := range distances.N {
			for c, v := range distances.Row(i) {
				w.wide[c] = float64(v)
			}
			w.shares = shares(w.shares[:0], r.part, w.wide, r.soft)
			for _, s := range w.shares {
				routes.Add(lo+i, s.part, F(s.weight))
			}
		}
	}
	r.pool.Put(w)
}
