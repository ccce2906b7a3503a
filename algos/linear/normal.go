package linear

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// BlockRows is the number of rows that a fit adds to a Normal at a time. A program that adds
// blocks of so many rows gets the bits of Ridge.Fit.
const BlockRows = mapRows

// Normal holds what a ridge regression has to know of rows with p features φ and t targets y:
// the sum of the weights and
//
//	φ̄ = Σ w_iφ_i/Σw,  ȳ = Σ w_iy_i/Σw,  Σ w_i(φ_i−φ̄)(φ_i−φ̄)ᵀ,  Σ w_i(φ_i−φ̄)(y_i−ȳ)ᵀ.
//
// Its size, about 4p² bytes in a file and 8p² in memory, does not depend on the number of rows.
// Rows are added in blocks, and the states of two sets of rows are merged, by the formula of
// [CGL83], which keeps the sums centered, so that features far from 0 lose no digits. A state
// of a regression without a constant has sums that are not centered, with φ̄ = 0 and ȳ = 0.
//
// The same blocks and the same order of merges give the same bits at one level and backend.
// A Normal is not safe for concurrent use.
type Normal struct {
	p, t   int
	noBias bool
	rows   int64
	total  float64   // sum of the weights
	mean   []float64 // φ̄
	target []float64 // ȳ
	a      []float64 // p×p, the upper triangle
	b      []float64 // p×t
}

// NewNormal returns the state of no rows with p features and t targets. noBias is the NoBias of the Ridge that the state is for.
func NewNormal(p, t int, noBias bool) *Normal {
	if p < 1 || t < 1 {
		panic("linear: a regression needs features and targets")
	}
	return &Normal{p: p, t: t, noBias: noBias, mean: make([]float64, p), target: make([]float64, t), a: make([]float64, p*p), b: make([]float64, p*t)}
}

// Rows returns the number of rows that the state holds.
func (s *Normal) Rows() int64 { return s.rows }

func (s *Normal) matrix() blas64.Symmetric {
	return blas64.Symmetric{Uplo: blas.Upper, N: s.p, Stride: s.p, Data: s.a}
}

func (s *Normal) right() *mat.Dense { return mat.NewDense(s.p, s.t, s.b) }

// Add adds n rows: the n×p features phi, the n×t targets y and the weights w, nil for ones. It
// changes none of them. It takes n·p² flops and work memory for a copy of the block. It panics if
// the shapes do not fit.
func (s *Normal) Add(phi mat.Matrix, y *mat.Dense, w []float64) {
	n, p := phi.Dims()
	yn, t := y.Dims()
	if p != s.p || t != s.t || yn != n || (w != nil && len(w) != n) {
		panic("linear: the rows have another shape than the sums")
	}
	s.add(gram.Of(phi), y, w)
}

func (s *Normal) add(phi gram.Samples[float64], y *mat.Dense, w []float64) {
	n := phi.N()
	if n == 0 {
		return
	}
	weight := func(i int) float64 {
		if w == nil {
			return 1
		}
		return w[i]
	}
	mean, target := make([]float64, s.p), make([]float64, s.t)
	var total float64
	for i := range n {
		total += weight(i)
	}
	if !s.noBias && total > 0 {
		for i := range n {
			rows.Add(mean, weight(i), phi, i)
			for t, v := range y.RawRowView(i) {
				target[t] += float64(weight(i) * v)
			}
		}
		blas64.Scal(1/total, linalg.Vector(mean))
		blas64.Scal(1/total, linalg.Vector(target))
	}
	xb, yb := rows.Borrow(n, s.p), rows.Borrow(n, s.t)
	defer rows.Return(xb)
	defer rows.Return(yb)
	for i := range n {
		root := math.Sqrt(weight(i))
		row := xb.RawRowView(i)
		phi.CopyRow(row, i)
		if !s.noBias {
			blas64.Axpy(-1, linalg.Vector(mean), linalg.Vector(row))
		}
		out := yb.RawRowView(i)
		for t, v := range y.RawRowView(i) {
			out[t] = root * (v - target[t])
		}
		if root != 1 {
			blas64.Scal(root, linalg.Vector(row))
		}
	}
	blas64.Syrk(blas.Trans, 1, xb.RawMatrix(), 1, s.matrix())
	rows.AddMulTrans(s.right(), gram.Of(xb), yb)
	s.shift(int64(n), total, mean, target)
}

// shift makes the centered sums of two sets of rows, which have been added up, those of the
// union. The rows that join have the given means, which are overwritten.
func (s *Normal) shift(n int64, weight float64, mean, target []float64) {
	s.rows += n
	before := s.total
	s.total += weight
	if s.noBias || weight == 0 {
		return
	}
	share := weight / s.total
	blas64.Axpy(-1, linalg.Vector(s.mean), linalg.Vector(mean)) // from here on the differences of the means
	blas64.Axpy(-1, linalg.Vector(s.target), linalg.Vector(target))
	if before > 0 {
		blas64.Syr(before*share, linalg.Vector(mean), s.matrix())
		blas64.Ger(before*share, linalg.Vector(mean), linalg.Vector(target), s.right().RawMatrix())
	}
	blas64.Axpy(share, linalg.Vector(mean), linalg.Vector(s.mean))
	blas64.Axpy(share, linalg.Vector(target), linalg.Vector(s.target))
}

// Merge adds the rows of o, which stays as it is. The error says which of the numbers of
// features, targets or constants differ.
func (s *Normal) Merge(o *Normal) error {
	switch {
	case s.p != o.p || s.t != o.t:
		return fmt.Errorf("linear: sums over %d features and %d targets do not go with sums over %d features and %d targets", o.p, o.t, s.p, s.t)
	case s.noBias != o.noBias:
		return fmt.Errorf("linear: sums for a regression with a constant do not go with sums for one without")
	}
	blas64.Axpy(1, linalg.Vector(o.a), linalg.Vector(s.a))
	blas64.Axpy(1, linalg.Vector(o.b), linalg.Vector(s.b))
	s.shift(o.rows, o.total, slices.Clone(o.mean), slices.Clone(o.target))
	return nil
}

// mergeNormals adds b to a by Merge and returns a.
func mergeNormals(a, b *Normal) (*Normal, error) { return a, a.Merge(b) }

// MarshalBinary returns the state in the form of a model file, which has a checksum for each
// array. Only the upper triangle of the matrix is stored.
func (s *Normal) MarshalBinary() ([]byte, error) {
	var b bytes.Buffer
	err := modelfile.Write(&b, s)
	return b.Bytes(), err
}

// UnmarshalBinary reads what MarshalBinary has written. On an error s stays as it is.
func (s *Normal) UnmarshalBinary(b []byte) error {
	f, err := modelfile.Read(bytes.NewReader(b))
	if err != nil {
		return err
	}
	o, err := decodeNormal(f)
	if err == nil {
		*s = *o
	}
	return err
}

// Encode writes the numbers of rows, features and targets, the means and the sums.
func (s *Normal) Encode(w *modelfile.Writer) error { return modelfile.Put(w, s.Exchange) }

// decodeNormal reads a Normal that Encode wrote.
func decodeNormal(f *modelfile.File) (*Normal, error) {
	return modelfile.Get(f, &Normal{}, (*Normal).Exchange)
}

// Exchange lists what a file holds of the state. Writing and reading a file go through these same statements.
func (s *Normal) Exchange(x *modelfile.Exchange) {
	head := struct {
		Features, Targets int
		NoBias            bool
		Rows              int64
		Weight            float64
	}{s.p, s.t, s.noBias, s.rows, s.total}
	x.Header("linear.normal", 1, &head)
	p := head.Features
	x.Require(p > 0 && p <= 1<<20 && head.Targets > 0, "", "%d features and %d targets", p, head.Targets)
	x.Require(head.Rows >= 0 && head.Weight >= 0, "", "%d rows of weight %v", head.Rows, head.Weight)
	s.p, s.t, s.noBias, s.rows, s.total = p, head.Targets, head.NoBias, head.Rows, head.Weight
	x.Float64("mean", &s.mean, p)
	x.Float64("target", &s.target, s.t)
	x.Float64("right", &s.b, p*s.t)
	exchangeUpper(x, "matrix", &s.a, p)
}

// exchangeUpper describes the upper triangle of the p×p matrix a in a file. A matrix that is not there
// is made when the file has proved to hold it.
func exchangeUpper(x *modelfile.Exchange, name string, a *[]float64, p int) {
	var upper []float64
	if x.Writing() {
		upper = make([]float64, 0, p*(p+1)/2)
		for i := range p {
			upper = append(upper, (*a)[i*p+i:(i+1)*p]...)
		}
	}
	x.Float64(name, &upper, p*(p+1)/2)
	if x.Reading() {
		if len(*a) != p*p {
			*a = make([]float64, p*p)
		}
		for i := range p {
			upper = upper[copy((*a)[i*p+i:(i+1)*p], upper):]
		}
	}
}
