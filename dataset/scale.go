package dataset

import (
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// Scaling maps every column j of a matrix by its own affine function
//
//	x′ = (x − Shift[j]) / Divisor[j] · Width + Low
//
// A column that was constant when the scaling was made has Divisor 0 and
// becomes 0 everywhere. With Rows each row is then divided by its Euclidean length; rows of zeros
// stay. It is a modelfile.Model, to be stored as a part of the
// model that was trained on the scaled data.
type Scaling struct {
	Shift, Divisor []float64
	Width, Low     float64
	Rows           bool
}

// UnitRows returns the scaling that divides each row of d columns by its Euclidean length, as
// NormalizeRows does, and leaves the columns as they are.
func UnitRows(d int) *Scaling {
	return &Scaling{Shift: make([]float64, d), Divisor: slices.Repeat([]float64{1}, d), Width: 1, Rows: true}
}

// MinMax returns the scaling that maps the smallest value of each column of x
// to low and the largest to high, exactly. The zeros of a *sparse.CSR count as
// values. The error is a *gram.DataError for a value that is not finite, and
// for a column whose range overflows.
func MinMax(x mat.Matrix, low, high float64) (*Scaling, error) {
	if !(low < high) || math.IsInf(high-low, 0) {
		panic("dataset: low is not below high")
	}
	if err := gram.Of(x).Finite(); err != nil {
		return nil, err
	}
	n, d := x.Dims()
	s := &Scaling{Shift: make([]float64, d), Divisor: make([]float64, d), Width: high - low, Low: low}
	smallest, largest := s.Shift, s.Divisor
	for j := range d {
		smallest[j], largest[j] = math.Inf(1), math.Inf(-1)
	}
	count := make([]int, d)
	eachValue(x, func(j int, v float64) {
		smallest[j], largest[j] = min(smallest[j], v), max(largest[j], v)
		count[j]++
	})
	for j := range d {
		if count[j] < n {
			smallest[j], largest[j] = min(smallest[j], 0), max(largest[j], 0)
		}
		if n == 0 {
			smallest[j], largest[j] = 0, 0
		}
		s.Divisor[j] = largest[j] - smallest[j]
		if math.IsInf(s.Divisor[j], 0) {
			return nil, &gram.DataError{Row: 0, Col: j, Value: largest[j], Reason: "the range of the column overflows"}
		}
	}
	return s, nil
}

// Standardize returns the scaling to mean 0 and variance 1 (with divisor n) for
// each column of x.
func Standardize(x mat.Matrix) (*Scaling, error) { return columnMoments(x, true) }

// UnitVariance returns the scaling that divides each column by its standard
// deviation (with divisor n) and does not shift it, so that a *sparse.CSR stays
// sparse.
func UnitVariance(x mat.Matrix) (*Scaling, error) { return columnMoments(x, false) }

func columnMoments(x mat.Matrix, center bool) (*Scaling, error) {
	if err := gram.Of(x).Finite(); err != nil {
		return nil, err
	}
	n, d := x.Dims()
	s := &Scaling{Shift: make([]float64, d), Divisor: make([]float64, d), Width: 1}
	if n == 0 {
		return s, nil
	}
	mean, variance := make([]float64, d), s.Divisor
	count := make([]int, d)
	eachValue(x, func(j int, v float64) {
		count[j]++
		mean[j] += v / float64(n)
	})
	// The second pass takes the mean's rounding error out of the variance and
	// out of the mean.
	rest, far := make([]float64, d), make([]float64, d)
	eachValue(x, func(j int, v float64) {
		e := v - mean[j]
		far[j] = max(far[j], math.Abs(e))
		rest[j] += e
		variance[j] += float64(e * e)
	})
	for j := range d {
		zeros := float64(n - count[j])
		if zeros > 0 {
			far[j] = max(far[j], math.Abs(mean[j]))
		}
		rest[j] -= float64(zeros * mean[j])
		variance[j] += float64(zeros * float64(mean[j]*mean[j]))
		r := rest[j] / float64(n)
		variance[j] = variance[j]/float64(n) - float64(r*r)
		divisor, err := deviation(j, mean[j], variance[j], far[j])
		if err != nil {
			return nil, err
		}
		s.Divisor[j] = divisor
		if center {
			s.Shift[j] = mean[j] + r
		}
	}
	return s, nil
}

// deviation returns the standard deviation of column j, 0 if the column is constant but for
// rounding. extreme is about the largest distance of a value from the mean.
func deviation(j int, mean, variance, extreme float64) (float64, error) {
	wrong := ""
	switch {
	case math.IsNaN(variance) || math.IsInf(variance, 0) || math.IsInf(mean, 0):
		wrong = "overflows"
	case extreme > 0x1p-40*math.Abs(mean) && !(variance >= 0x1p-960): // else rounding alone
		wrong = "vanishes"
	}
	if wrong != "" {
		return 0, &gram.DataError{Row: 0, Col: j, Value: extreme, Reason: "the variance of the column " + wrong + "; scale the columns to [0, 1] (--scale minmax, in Go dataset.MinMax)"}
	}
	if d := math.Sqrt(max(0, variance)); !(d <= 4*math.Abs(mean)*0x1p-52) {
		return d, nil
	}
	return 0, nil
}

// eachValue calls f for every stored value of x, row by row.
func eachValue(x mat.Matrix, f func(j int, v float64)) {
	if a := gram.CSR(x); a != nil {
		a.DoNonZero(func(_, j int, v float64) { f(j, v) })
		return
	}
	s := gram.Of(x)
	for i := range s.N() {
		for j, v := range s.Row(nil, i) {
			f(j, v)
		}
	}
}

// Value maps one value of column j, but does not divide by the length of its row.
func (s *Scaling) Value(j int, v float64) float64 {
	if s.Divisor[j] == 0 {
		return 0
	}
	return float64((v-s.Shift[j])/s.Divisor[j]*s.Width) + s.Low
}

// Densifies reports whether some column maps 0 to another value, so that Apply
// turns a *sparse.CSR into a *mat.Dense.
func (s *Scaling) Densifies() bool {
	for j := range s.Shift {
		if s.Value(j, 0) != 0 {
			return true
		}
	}
	return false
}

// Apply returns x scaled; x stays as it is. A *sparse.CSR gives a *sparse.CSR
// unless s.Densifies(); everything else gives a *mat.Dense. Values outside the
// range that the scaling was made from are not clipped; NaN stays NaN. It
// panics if x has another number of columns.
func (s *Scaling) Apply(x mat.Matrix) mat.Matrix {
	n, d := x.Dims()
	if d != len(s.Shift) {
		panic("dataset: the matrix has another number of columns than the scaling")
	}
	if a := gram.CSR(x); a != nil && !s.Densifies() {
		return s.applyCSR(a)
	}
	if n == 0 || d == 0 {
		return &mat.Dense{}
	}
	dst := mat.NewDense(n, d, nil)
	for i := range n {
		row := dst.RawRowView(i)
		mat.Row(row, i, x)
		s.Row(row)
	}
	return dst
}

// ApplyInPlace scales the rows of x in place: they become those of Apply. It panics if x has
// another number of columns.
func (s *Scaling) ApplyInPlace(x *mat.Dense) {
	n, _ := x.Dims()
	for i := range n {
		s.Row(x.RawRowView(i))
	}
}

// Row scales a row of all columns in place.
func (s *Scaling) Row(x []float64) {
	if len(x) != len(s.Shift) {
		panic("dataset: the row has another number of columns than the scaling")
	}
	for j, v := range x {
		x[j] = s.Value(j, v)
		if v != v {
			x[j] = v
		}
	}
	if s.Rows {
		normalize(x)
	}
}

func (s *Scaling) applyCSR(a *sparse.CSR) *sparse.CSR {
	out := &sparse.CSR{N: a.N, D: a.D, Ptr: make([]int, 1, a.N+1), Col: make([]int32, 0, a.NNZ()), Val: make([]float64, 0, a.NNZ())}
	for i := range a.N {
		col, val := a.Row(i)
		for k, j := range col {
			v := 1.0
			if val != nil {
				v = val[k]
			}
			if v == v {
				v = s.Value(int(j), v)
			}
			if v != 0 {
				out.Col = append(out.Col, j)
				out.Val = append(out.Val, v)
			}
		}
		out.Ptr = append(out.Ptr, len(out.Col))
		if s.Rows {
			normalize(out.Val[out.Ptr[i]:])
		}
	}
	return out
}

// Encode stores the scaling; usually into w.Sub("scaling") of a model.
func (s *Scaling) Encode(w *modelfile.Writer) error {
	w.Float64("shift", s.Shift)
	w.Float64("divisor", s.Divisor)
	version := 1
	if s.Rows { // which older programs would ignore
		version = 2
	}
	return w.Header("scaling", version, scalingConfig{s.Width, s.Low, s.Rows})
}

type scalingConfig struct {
	Width, Low float64
	Rows       bool `json:",omitempty"`
}

// DecodeScaling reads a scaling that Encode wrote, and checks that no divisor is negative.
func DecodeScaling(f *modelfile.File) (*Scaling, error) {
	var c scalingConfig
	if err := f.Expect("scaling", 2, &c); err != nil {
		return nil, err
	}
	s := &Scaling{Width: c.Width, Low: c.Low, Rows: c.Rows}
	var err error
	if s.Shift, err = f.Float64("shift", -1); err != nil {
		return nil, err
	}
	if s.Divisor, err = f.Float64("divisor", len(s.Shift)); err != nil {
		return nil, err
	}
	for j, v := range s.Divisor {
		if v < 0 {
			return nil, f.Errorf("divisor", "column %d has the divisor %v", j, v)
		}
	}
	return s, nil
}

// NormalizeRows returns x with every row divided by its Euclidean length; rows
// of zeros stay. The result is a *sparse.CSR if x is one, else a *mat.Dense.
func NormalizeRows(x mat.Matrix) mat.Matrix {
	if a := gram.CSR(x); a != nil {
		out := &sparse.CSR{N: a.N, D: a.D, Ptr: make([]int, a.N+1), Col: a.Col[a.Ptr[0]:a.Ptr[a.N]:a.Ptr[a.N]], Val: make([]float64, a.NNZ())}
		for i := range a.N {
			col, val := a.Row(i)
			at := out.Ptr[i]
			out.Ptr[i+1] = at + len(col)
			row := out.Val[at:out.Ptr[i+1]]
			if val == nil {
				for k := range row {
					row[k] = 1
				}
			} else {
				copy(row, val)
			}
			normalize(row)
		}
		return out
	}
	n, d := x.Dims()
	if n == 0 || d == 0 {
		return &mat.Dense{}
	}
	dst := mat.NewDense(n, d, nil)
	for i := range n {
		row := dst.RawRowView(i)
		mat.Row(row, i, x)
		normalize(row)
	}
	return dst
}

// normalize scales by the largest element first, so that no square overflows.
func normalize(x []float64) {
	var most float64
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	if most == 0 || math.IsInf(most, 0) || math.IsNaN(most) {
		return
	}
	var sum float64
	for _, v := range x {
		r := v / most
		sum += float64(r * r)
	}
	length := math.Sqrt(sum)
	for j, v := range x {
		x[j] = v / most / length
	}
}
