package gram

import (
	"math"

	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Samples are n samples of d numbers each: dense rows, or a sparse.CSR, whose
// values stay float64 and are rounded to F where they are used. A Samples is a
// view: copying it copies no numbers. The zero value has no rows and no columns.
//
// It is how the module hands data on. Data come in by two doors: Run.Samples for
// fits, which checks them, and Of for predictions, which does not. A Samples is a
// mat.Matrix, too, so that the selector or the feature map of a user gets the data
// without a copy, and Of gives the Samples back.
type Samples[F Float] struct {
	rows   Rows[F]     // of sparse samples N, D and, as Stride, the row of csr that is sample 0
	csr    *sparse.CSR // nil: dense
	finite bool        // passed Run.Samples
}

var _ mat.Matrix = Samples[float64]{}

// Dense returns the rows of r, which it does not copy.
func Dense[F Float](r Rows[F]) Samples[F] { return Samples[F]{rows: r} }

// Sparse returns the rows of a, which it does not copy.
func Sparse[F Float](a *sparse.CSR) Samples[F] {
	return Samples[F]{rows: Rows[F]{N: a.N, D: a.D}, csr: a}
}

// Of returns the rows of x for a prediction. Those of a *sparse.CSR, of a
// *mat.Dense and of anything else with a RawMatrix are not copied; those of other
// matrices are, to dense rows. No number is looked at: a row with NaN predicts NaN.
func Of(x mat.Matrix) Samples[float64] {
	switch x := x.(type) {
	case Samples[float64]:
		return x
	case *Samples[float64]:
		return *x
	case Samples[float32]:
		if x.csr != nil {
			return Samples[float64]{rows: Rows[float64]{N: x.rows.N, D: x.rows.D, Stride: x.rows.Stride}, csr: x.csr, finite: x.finite}
		}
	case *sparse.CSR:
		return Sparse[float64](x)
	case *mat.Dense: // a mat.RawMatrixer, found faster
		return ofRaw(x.RawMatrix())
	case mat.RawMatrixer:
		return ofRaw(x.RawMatrix())
	}
	n, d := x.Dims()
	r := MakeRows[float64](n, d)
	for i := range n {
		row := r.Row(i)
		for j := range row {
			row[j] = x.At(i, j)
		}
	}
	return Dense(r)
}

func ofRaw(r blas64.General) Samples[float64] {
	return Dense(Rows[float64]{Data: r.Data, N: r.Rows, D: r.Cols, Stride: max(1, r.Stride)})
}

// Matrix returns s as a *mat.Dense: dense samples share its memory, sparse ones are
// expanded into it. It has no rows and no columns if s lacks either.
func Matrix(s Samples[float64]) *mat.Dense {
	if s.csr != nil {
		return s.CSR().Dense()
	}
	m, r := new(mat.Dense), s.rows
	if r.N > 0 && r.D > 0 {
		m.SetRawMatrix(blas64.General{Rows: r.N, Cols: r.D, Stride: r.Stride, Data: r.Data})
	}
	return m
}

// As returns s in F: s itself if F is float64, and sparse samples without a copy.
// Dense ones are rounded into *buffer, which grows if it is too small; nil is
// allocated.
func As[F Float](s Samples[float64], buffer *[]F) Samples[F] {
	if same, ok := any(&s).(*Samples[F]); ok {
		return *same
	}
	n, d := s.Dims()
	if s.csr != nil {
		return Samples[F]{rows: Rows[F]{N: n, D: d, Stride: s.rows.Stride}, csr: s.csr, finite: s.finite}
	}
	if buffer == nil {
		buffer = new([]F)
	}
	if cap(*buffer) < n*d {
		*buffer = make([]F, n*d)
	}
	r := Rows[F]{Data: (*buffer)[:n*d], N: n, D: d, Stride: max(1, d)}
	for i := range n {
		to := r.Row(i)
		for j, v := range s.rows.Row(i) {
			to[j] = F(v)
		}
	}
	return Dense(r)
}

// Planner says what a fit to data of some shape will cost. The Config of every
// estimator is one.
type Planner interface {
	Plan(Shape) (Plan, error)
}

// Samples returns the rows of x for a fit with the settings c: the plan of c for x
// and that many outputs, with the copy that Of may make, is held against the limit
// of r; then the copy is made and the numbers are checked. Samples that have passed
// here, and parts of them, are not checked again. The error is a *ConfigError for rows
// without columns, that of the plan, a *MemoryError, a *DataError for the first NaN or
// infinity, or that of sparse.CSR.Validate.
func (r Run) Samples(c Planner, x mat.Matrix, outputs int) (Samples[float64], error) {
	if n, d := x.Dims(); n > 0 && d < 1 {
		return Samples[float64]{}, &ConfigError{Field: "columns", Value: d, Want: "at least one"}
	}
	plan, err := c.Plan(ShapeOf(x, outputs))
	if err != nil {
		return Samples[float64]{}, err
	}
	plan.PeakBytes += CopyBytes(x)
	if err := r.Check(plan); err != nil {
		return Samples[float64]{}, err
	}
	s := Of(x)
	if s.finite {
		return s, nil
	}
	if a := s.CSR(); a != nil {
		if err := a.Validate(); err != nil {
			return Samples[float64]{}, err
		}
	}
	if err := s.Finite(); err != nil {
		return Samples[float64]{}, err
	}
	s.finite = true
	return s, nil
}

// CopyBytes is the size of the copy that Of makes of x, in bytes.
func CopyBytes(x mat.Matrix) int64 {
	switch x := x.(type) {
	case Samples[float64], *Samples[float64], *sparse.CSR, mat.RawMatrixer:
		return 0
	case Samples[float32]:
		if x.csr != nil {
			return 0
		}
	}
	n, d := x.Dims()
	return 8 * int64(n) * int64(d)
}

// ShapeOf is the shape of a problem with the rows of x and that many outputs.
func ShapeOf(x mat.Matrix, outputs int) Shape {
	n, d := x.Dims()
	s := Shape{N: n, D: d, Outputs: outputs}
	if a := CSR(x); a != nil {
		s.NNZ = int64(a.NNZ())
	}
	return s
}

// CSR returns x if it is a *sparse.CSR or sparse Samples, else nil.
func CSR(x mat.Matrix) *sparse.CSR {
	switch x := x.(type) {
	case *sparse.CSR:
		return x
	case Samples[float64]:
		return x.CSR()
	case *Samples[float64]:
		return x.CSR()
	case Samples[float32]:
		return x.CSR()
	}
	return nil
}

// Dims returns the number of samples n and of columns d.
func (s Samples[F]) Dims() (n, d int) { return s.rows.N, s.rows.D }

// N returns the number of samples.
func (s Samples[F]) N() int { return s.rows.N }

// At returns column j of sample i.
func (s Samples[F]) At(i, j int) float64 {
	if uint(i) >= uint(s.rows.N) {
		panic(mat.ErrRowAccess)
	}
	if uint(j) >= uint(s.rows.D) {
		panic(mat.ErrColAccess)
	}
	if s.csr != nil {
		return s.csr.At(s.rows.Stride+i, j)
	}
	return float64(s.rows.Row(i)[j])
}

// T returns the transpose.
func (s Samples[F]) T() mat.Matrix { return mat.Transpose{Matrix: s} }

// Dense returns the rows; ok is false if they are sparse.
func (s Samples[F]) Dense() (r Rows[F], ok bool) { return s.rows, s.csr == nil }

// CSR returns the sparse rows as a matrix that shares their memory, nil if they are
// dense.
func (s Samples[F]) CSR() *sparse.CSR {
	if s.csr == nil || s.rows.Stride == 0 && s.rows.N == s.csr.N {
		return s.csr
	}
	return s.csr.Slice(s.rows.Stride, s.rows.Stride+s.rows.N)
}

// IsSparse reports whether the rows are sparse.
func (s Samples[F]) IsSparse() bool { return s.csr != nil }

// Nonzeros returns the columns and values of sample i, of sparse samples only. val
// is nil if all values are 1.
func (s Samples[F]) Nonzeros(i int) (col []int32, val []float64) { return s.csr.Row(s.rows.Stride + i) }

// Base returns the matrix that sparse samples are rows of and which of its rows is
// sample 0; nil if they are dense.
func (s Samples[F]) Base() (a *sparse.CSR, first int) { return s.csr, s.rows.Stride }

// NNZ is the number of stored entries of sparse samples, 0 for dense ones.
func (s Samples[F]) NNZ() int {
	if s.csr == nil {
		return 0
	}
	return s.csr.Ptr[s.rows.Stride+s.rows.N] - s.csr.Ptr[s.rows.Stride]
}

// Valid reports whether dense rows fit their memory. Sparse ones are not looked at.
func (s Samples[F]) Valid() bool { return s.csr != nil || s.rows.Valid() }

// Slice returns the samples lo … hi−1 as a view.
func (s Samples[F]) Slice(lo, hi int) Samples[F] {
	if s.csr == nil {
		return Samples[F]{rows: s.rows.Slice(lo, hi), finite: s.finite}
	}
	if lo < 0 || hi < lo || hi > s.rows.N {
		panic(mat.ErrRowAccess)
	}
	return Samples[F]{rows: Rows[F]{N: hi - lo, D: s.rows.D, Stride: s.rows.Stride + lo}, csr: s.csr, finite: s.finite}
}

// Select returns a copy of the given samples.
func (s Samples[F]) Select(index []int) Samples[F] {
	if s.csr != nil {
		some := Sparse[F](s.CSR().Select(index))
		some.finite = s.finite
		return some
	}
	r := MakeRows[F](len(index), s.rows.D)
	for to, from := range index {
		copy(r.Row(to), s.rows.Row(from))
	}
	return Samples[F]{rows: r, finite: s.finite}
}

// Row returns sample i in F: dense samples give the row itself, which is not to be
// changed, sparse ones write it into the first d numbers of buffer and return these.
func (s Samples[F]) Row(buffer []F, i int) []F {
	if s.csr == nil {
		return s.rows.Row(i)
	}
	row := buffer[:s.rows.D]
	clear(row)
	col, val := s.Nonzeros(i)
	for k, j := range col {
		row[j] = 1
		if val != nil {
			row[j] = F(val[k])
		}
	}
	return row
}

// Each calls f with the columns, ascending, and the values of the numbers of sample i
// that are not 0.
func (s Samples[F]) Each(i int, f func(j int, v float64)) {
	if s.csr == nil {
		for j, v := range s.rows.Row(i) {
			if v != 0 {
				f(j, float64(v))
			}
		}
		return
	}
	col, val := s.Nonzeros(i)
	for k, j := range col {
		if val == nil {
			f(int(j), 1)
		} else if v := val[k]; v != 0 {
			f(int(j), v)
		}
	}
}

// CopyRow writes sample i into dst, which has d numbers.
func (s Samples[F]) CopyRow(dst []float64, i int) {
	if s.csr != nil {
		s.csr.DenseRow(dst, s.rows.Stride+i)
		return
	}
	for j, v := range s.rows.Row(i) {
		dst[j] = float64(v)
	}
}

// Finite returns a *DataError for the first NaN or infinity, sample by sample.
func (s Samples[F]) Finite() error {
	for i := range s.N() {
		var sum float64 // v−v is 0 for finite v and NaN otherwise
		if s.csr == nil {
			for _, v := range s.rows.Row(i) {
				sum += float64(v - v)
			}
		} else {
			_, val := s.Nonzeros(i)
			for _, v := range val {
				sum += v - v
			}
		}
		if sum != 0 {
			return s.firstBad(i)
		}
	}
	return nil
}

// firstBad is the error for sample i.
func (s Samples[F]) firstBad(i int) error {
	bad := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	if s.csr == nil {
		for j, v := range s.rows.Row(i) {
			if bad(float64(v)) {
				return &DataError{Row: i, Col: j, Value: float64(v)}
			}
		}
		return nil
	}
	col, val := s.Nonzeros(i)
	for k, v := range val {
		if bad(v) {
			return &DataError{Row: i, Col: int(col[k]), Value: v}
		}
	}
	return nil
}
