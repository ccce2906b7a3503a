package completion

import (
	"context"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/internal/descent"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Config returns the settings with all defaults filled in.
func (m *Model) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model read from a file has none.
func (m *Model) Stats() Stats { return m.stats }

// Sides tells for which sides of the matrix predictions take rows x and z.
func (m *Model) Sides() (rows, columns bool) { return m.rows.side, m.cols.side }

// RowFeatures returns φ_U, *basis.Values or *basis.Fourier, nil where the rows' side information is taken as it is
// or there is none.
func (m *Model) RowFeatures() basis.Learnable { return m.rows.f }

// ColumnFeatures returns φ_V, *basis.Values or *basis.Fourier, nil where the columns' side information is taken as it is or there
// is none.
func (m *Model) ColumnFeatures() basis.Learnable { return m.cols.f }

// Variables returns what the fit has found. U and V are copies, W and H are the model's own and must
// not be changed.
func (m *Model) Variables() Variables {
	return Variables{points(m.rows.f), points(m.cols.f), m.rows.w, m.cols.w}
}

// RowFunction returns φ_U and W, for which P = φ_U(x)W. It panics where the rows have no side
// information. W is the model's own and must not be changed.
func (m *Model) RowFunction() (phi basis.Basis, w *mat.Dense) {
	if !m.rows.side {
		panic("completion: the model was fitted without side information of the rows")
	}
	if m.rows.f != nil {
		return m.rows.f, m.rows.w
	}
	d, _ := m.rows.w.Dims()
	return basis.Identity(d), m.rows.w
}

// Rows returns P = φ_U(x)W, n×k, for the side information of any rows, new ones
// among them. Where there is none x is nil, and P holds the rows of the fit.
func (m *Model) Rows(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	return m.rows.apply(dst, x, m.cfg.Workers)
}

// Columns returns Q = φ_V(y)H, n×k, for the side information of any columns, new ones among them. Where there is none y is nil,
// and Q holds the columns of the fit.
func (m *Model) Columns(dst *mat.Dense, y mat.Matrix) *mat.Dense {
	return m.cols.apply(dst, y, m.cfg.Workers)
}

// Predict returns the scores PQᵀ of all rows of x against all rows of y. For the
// logistic loss a score is the logarithm of the odds of a 1. The score of a pair
// depends on its two rows alone. Where they are many, Entries computes those that
// matter.
func (m *Model) Predict(dst *mat.Dense, x, y mat.Matrix) *mat.Dense {
	n, k := m.rows.shape(x)
	q := m.Columns(nil, y)
	l, _ := q.Dims()
	if n == 0 || l == 0 { // a matrix without rows has no columns either
		n, l = 0, 0
	}
	switch {
	case dst != nil:
		if r, c := dst.Dims(); r != n || c != l {
			panic("completion: the destination has the wrong shape")
		}
	case n == 0:
		return &mat.Dense{}
	default:
		dst = mat.NewDense(n, l, nil)
	}
	if !m.rows.side {
		if n > 0 {
			dst.Mul(m.rows.w, q.T())
		}
		return dst
	}
	s, step := gram.Of(x), rows.BlockRows(n, k)
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		p := rows.Borrow(hi-lo, k)
		dst.Slice(lo, hi, 0, l).(*mat.Dense).Mul(m.Rows(p, s.Slice(lo, hi)), q.T())
		rows.Return(p)
	}
	return dst
}

// Entries returns ⟨p_i, q_j⟩ for the stored entries (i, j) of at, in their order;
// their values are not looked at. p and q are results of Rows and Columns.
func Entries(dst []float64, p, q *mat.Dense, at *sparse.CSR) []float64 {
	if dst == nil {
		dst = make([]float64, at.NNZ())
	}
	n, k := p.Dims()
	if l, kq := q.Dims(); len(dst) != at.NNZ() || n != at.N || l != at.D || k != kq {
		panic("completion: shapes do not fit")
	}
	first := at.Ptr[0]
	_ = par.For(context.Background(), 0, n, 256, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			col, _ := at.Row(i)
			for e, j := range col {
				dst[at.Ptr[i]-first+e] = blas64.Dot(linalg.Vector(p.RawRowView(i)), linalg.Vector(q.RawRowView(int(j))))
			}
		}
	})
	return dst
}

// shape returns how many rows of the factor there are for x, and their length.
func (f *factor) shape(x mat.Matrix) (n, k int) {
	if (x != nil) != f.side {
		panic("completion: side information is missing, or the model was fitted without")
	}
	n, k = f.w.Dims()
	if f.side {
		var d int
		want := n
		n, d = x.Dims()
		if f.f != nil {
			want, _ = f.f.Dims()
		}
		if d != want {
			panic("completion: x has the wrong number of columns")
		}
	}
	return n, k
}

func (f *factor) apply(dst *mat.Dense, x mat.Matrix, workers int) *mat.Dense {
	n, k := f.shape(x)
	features, _ := f.w.Dims()
	if dst == nil {
		if n == 0 {
			return &mat.Dense{}
		}
		dst = mat.NewDense(n, k, nil)
	}
	if r, c := dst.Dims(); r != n || n > 0 && c != k {
		panic("completion: the destination has the wrong shape")
	}
	if !f.side {
		dst.Copy(f.w)
		return dst
	}
	s := gram.Of(x)
	const block = 1024
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		part := s.Slice(lo, hi)
		out := dst.Slice(lo, hi, 0, k).(*mat.Dense)
		if f.f == nil {
			rows.Mul(out, part, f.w)
			continue
		}
		phi := rows.Borrow(hi-lo, features)
		_ = f.f.Fill(context.Background(), workers, phi, part)
		rows.Mul(out, gram.Of(phi), f.w)
		rows.Return(phi)
	}
	return dst
}

// Encode writes the settings, the maps and the factors.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads a Model that Encode has written. The error says what is wrong with a damaged file.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, &Model{}, (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	stored := struct {
		RowSide, ColumnSide bool
		ThinRows            bool `json:",omitempty"` // landmarks are for sparse rows
		ThinColumns         bool `json:",omitempty"`
		*Config
	}{m.rows.side, m.cols.side, descent.Thin(m.rows.f), descent.Thin(m.cols.f), &m.cfg}
	x.Header("imc", 1, &stored)
	m.rows.side, m.cols.side = stored.RowSide, stored.ColumnSide
	m.rows.exchange(x, "rows", m.cfg.Rows, m.cfg.Rank, stored.ThinRows)
	m.cols.exchange(x, "columns", m.cfg.Columns, m.cfg.Rank, stored.ThinColumns)
	if x.Reading() {
		_, p := m.rows.w.Dims()
		_, q := m.cols.w.Dims()
		x.Require(p == q, "columns.factor", "factors of %d and %d columns", p, q)
	}
}

func (f *factor) exchange(x *modelfile.Exchange, name string, s Side, rank int, thin bool) {
	x.Dense(name+".factor", &f.w, -1, rank)
	x.Require(f.side || s.Map == Linear, name+".features", "the settings name a map, but there is no side information")
	x.Require(s.Map <= Fourier || s.Map == Nystrom && s.Gamma > 0, name+".features", "the settings name no map with parameters: %s, γ %v", s.Map, s.Gamma)
	if s.Map == Linear {
		return
	}
	r, c := -1, s.M
	if s.Map == Nystrom {
		r, c = c, r
	}
	var u *mat.Dense
	if x.Writing() {
		u = descent.Parameters(f.f)
	}
	x.Dense(name+".features", &u, r, c)
	if x.Reading() {
		f.f = s.Map.Basis(u, s.Gamma, thin, 0)
		_, features := f.f.Dims()
		n, _ := f.w.Dims()
		x.Require(n == features, name+".factor", "%d rows for %d features", n, features)
	}
}
