package gram

import (
	"fmt"
	"math"
	"reflect"

	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Samples are n samples of d numbers each: dense rows, or the rows of a sparse.CSR,
// whose values stay float64 and are rounded to F where they are used. A Samples is a
// view: copying it copies no numbers. The zero value has no rows and no columns.
//
// All packages of the module pass data as Samples. There are two ways to make them
// from a matrix: Run.Samples checks the numbers, for a fit; Of does not, for a
// prediction. A Samples is itself a mat.Matrix, so that a landmark selector or a
// feature map written outside the module gets the data without a copy; Of returns the
// Samples again.
type Samples[F Float] struct {
	rows    Rows[F]     // for sparse samples: N, D and, in Stride, the row of csr that is sample 0
	csr     *sparse.CSR // nil for dense samples
	checked bool        // Run.Samples found all numbers in range
}

var _ mat.Matrix = Samples[float64]{}

// Dense returns the rows of r, which it does not copy.
func Dense[F Float](r Rows[F]) Samples[F] { return Samples[F]{rows: r} }

// Sparse returns the rows of a, which it does not copy.
func Sparse[F Float](a *sparse.CSR) Samples[F] {
	return Samples[F]{rows: Rows[F]{N: a.N, D: a.D}, csr: a}
}

// Of returns the rows of x for a prediction. The rows of a *sparse.CSR, a *mat.Dense or
// any other matrix with a method RawMatrix are not copied; those of other matrices are
// copied to dense rows. The numbers are not checked: a row with NaN predicts NaN. Of
// panics if x is nil.
func Of(x mat.Matrix) Samples[float64] {
	mustBe(x)
	switch x := x.(type) {
	case Samples[float64]:
		return x
	case *Samples[float64]:
		return *x
	case Samples[float32]:
		if x.csr != nil {
			return Samples[float64]{rows: Rows[float64]{N: x.rows.N, D: x.rows.D, Stride: x.rows.Stride}, csr: x.csr, checked: x.checked}
		}
	case *sparse.CSR:
		return Sparse[float64](x)
	case *mat.Dense: // also a mat.RawMatrixer, but this case is faster
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

// mustBe panics if x is nil, or a nil pointer.
func mustBe(x mat.Matrix) {
	if v := reflect.ValueOf(x); x == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		panic("gram: the matrix is nil")
	}
}

// Matrix returns s as a *mat.Dense. Dense samples share its memory; sparse ones are
// expanded. The matrix is empty if s has no rows or no columns.
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

// As returns s with numbers of type F. It copies nothing if F is float64 or s is
// sparse. Dense rows are rounded into *buffer, which is replaced if it is too small;
// a nil buffer is allocated.
func As[F Float](s Samples[float64], buffer *[]F) Samples[F] {
	if same, ok := any(&s).(*Samples[F]); ok {
		return *same
	}
	n, d := s.Dims()
	if s.csr != nil {
		return Samples[F]{rows: Rows[F]{N: n, D: d, Stride: s.rows.Stride}, csr: s.csr, checked: s.checked}
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

// Planner says what a fit to data of a given shape will cost. Every estimator's
// Config is a Planner.
type Planner interface {
	Plan(Shape) (Plan, error)
}

// Samples returns the rows of x for a fit with the settings c. It adds the copy that
// Of may make to the plan that c has for x and the number of outputs, compares the
// plan with r's memory limit, copies, and checks the numbers. Samples that have
// passed this check, and slices and selections of them, are not checked again. The
// error is a *ConfigError for rows without columns, the error of the plan, a
// *MemoryError, the *DataError of InRange, or an error of sparse.CSR.Validate. Samples
// panics if x is nil.
func (r Run) Samples(c Planner, x mat.Matrix, outputs int) (Samples[float64], error) {
	shape := ShapeOf(x, outputs)
	if shape.N > 0 && shape.D < 1 {
		return Samples[float64]{}, &ConfigError{Field: "columns", Value: shape.D, Want: "at least one"}
	}
	plan, err := c.Plan(shape)
	if err != nil {
		return Samples[float64]{}, err
	}
	plan.PeakBytes += shape.Copied
	if err := r.Check(plan); err != nil {
		return Samples[float64]{}, err
	}
	s := Of(x)
	if s.checked {
		return s, nil
	}
	if a := s.CSR(); a != nil {
		if err := a.Validate(); err != nil {
			return Samples[float64]{}, err
		}
	}
	if err := s.InRange(); err != nil {
		if e, is := err.(*DataError); is && e.Reason != "" {
			e.Reason += "; scale the columns to [0, 1] (--scale minmax, in Go dataset.MinMax)"
		}
		return Samples[float64]{}, err
	}
	s.checked = true
	return s, nil
}

// copied returns the size in bytes of the copy that Of makes of x; 0 if it makes
// none.
func copied(x mat.Matrix) int64 {
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

// ShapeOf returns the shape of a problem with the rows of x and the given number of
// outputs. It panics if x is nil.
func ShapeOf(x mat.Matrix, outputs int) Shape {
	mustBe(x)
	n, d := x.Dims()
	s := Shape{N: n, D: d, Outputs: outputs, Copied: copied(x)}
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

// N returns the number of samples, which are the rows.
func (s Samples[F]) N() int { return s.rows.N }

// At returns column j of sample i as a float64. It panics if i or j is out of range.
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

// T returns the transpose, d×n, which shares the memory of s.
func (s Samples[F]) T() mat.Matrix { return mat.Transpose{Matrix: s} }

// Dense returns the rows; ok is false if s is sparse.
func (s Samples[F]) Dense() (r Rows[F], ok bool) { return s.rows, s.csr == nil }

// CSR returns sparse rows as a matrix that shares their memory, and nil for dense ones.
func (s Samples[F]) CSR() *sparse.CSR {
	if s.csr == nil || s.rows.Stride == 0 && s.rows.N == s.csr.N {
		return s.csr
	}
	return s.csr.Slice(s.rows.Stride, s.rows.Stride+s.rows.N)
}

// IsSparse reports whether the rows are stored as their nonzeros, so that CSR and Nonzeros may be used instead of Dense.
func (s Samples[F]) IsSparse() bool { return s.csr != nil }

// Nonzeros returns the columns and values of the stored entries of sample i. It must
// not be called for dense samples. val is nil if all values are 1.
func (s Samples[F]) Nonzeros(i int) (col []int32, val []float64) { return s.csr.Row(s.rows.Stride + i) }

// Base returns the matrix that holds sparse samples, and the row of that matrix that is
// sample 0. It returns nil for dense samples.
func (s Samples[F]) Base() (a *sparse.CSR, first int) { return s.csr, s.rows.Stride }

// NNZ returns the number of stored entries of sparse samples, and 0 for dense ones.
func (s Samples[F]) NNZ() int {
	if s.csr == nil {
		return 0
	}
	return s.csr.Ptr[s.rows.Stride+s.rows.N] - s.csr.Ptr[s.rows.Stride]
}

// Valid reports whether dense rows fit their memory. It does not check sparse rows.
func (s Samples[F]) Valid() bool { return s.csr != nil || s.rows.Valid() }

// Slice returns the samples lo … hi−1 as a view.
func (s Samples[F]) Slice(lo, hi int) Samples[F] {
	if s.csr == nil {
		return Samples[F]{rows: s.rows.Slice(lo, hi), checked: s.checked}
	}
	if lo < 0 || hi < lo || hi > s.rows.N {
		panic(mat.ErrRowAccess)
	}
	return Samples[F]{rows: Rows[F]{N: hi - lo, D: s.rows.D, Stride: s.rows.Stride + lo}, csr: s.csr, checked: s.checked}
}

// Select returns a copy of the given samples.
func (s Samples[F]) Select(index []int) Samples[F] {
	if s.csr != nil {
		some := Sparse[F](s.CSR().Select(index))
		some.checked = s.checked
		return some
	}
	r := MakeRows[F](len(index), s.rows.D)
	for to, from := range index {
		copy(r.Row(to), s.rows.Row(from))
	}
	return Samples[F]{rows: r, checked: s.checked}
}

// Row returns sample i with numbers of type F. A dense sample is returned itself and
// must not be changed; a sparse one is written into the first d numbers of buffer,
// which are returned.
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

// Each calls f with column and value of every number of sample i that is not 0, in
// ascending order of columns.
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

// rangeLow and rangeHigh bound the largest number of a fit. Fits add up squares of numbers, times
// weights and numbers of rows; between these bounds the sums stay far from the ends of float64.
const rangeLow, rangeHigh = 1e-75, 1e75

// InRange returns a *DataError for the first number in row order that is NaN, infinite or larger
// than 1e75 in magnitude, or for the largest number if that is smaller than 1e-75 and not 0:
// squares of such numbers overflow or vanish, and with them the result of a fit. Run.Samples
// asks it of cells, and the methods of the module ask it of targets and weights, too.
func (s Samples[F]) InRange() error {
	if err := s.within(rangeHigh); err != nil {
		return err
	}
	var largest DataError
	for i := range s.N() {
		s.Each(i, func(j int, v float64) {
			if math.Abs(v) > math.Abs(largest.Value) {
				largest = DataError{Row: i, Col: j, Value: v}
			}
		})
		if math.Abs(largest.Value) >= rangeLow {
			return nil
		}
	}
	if largest.Value == 0 {
		return nil
	}
	largest.Reason = fmt.Sprintf("%v is the largest number, and squares of numbers below %v vanish", largest.Value, rangeLow)
	return &largest
}

// Finite returns a *DataError for the first NaN or infinity in row order, else nil.
func (s Samples[F]) Finite() error { return s.within(math.MaxFloat64) }

// within returns a *DataError for the first number in row order that is NaN or larger than most in
// magnitude, else nil.
func (s Samples[F]) within(most float64) error {
	for i := range s.N() {
		if s.csr == nil {
			for j, v := range s.rows.Row(i) {
				if !(math.Abs(float64(v)) <= most) {
					return beyond(i, j, float64(v))
				}
			}
			continue
		}
		columns, val := s.Nonzeros(i)
		for k, v := range val {
			if !(math.Abs(v) <= most) {
				return beyond(i, int(columns[k]), v)
			}
		}
	}
	return nil
}

// beyond returns the error for a number that is too large for a fit, or not finite.
func beyond(row, col int, v float64) error {
	e := &DataError{Row: row, Col: col, Value: v}
	if math.Abs(v) <= math.MaxFloat64 {
		e.Reason = fmt.Sprintf("%v is too large: squares of numbers above %v overflow", v, rangeHigh)
	}
	return e
}
