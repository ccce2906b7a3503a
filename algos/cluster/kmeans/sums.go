package kmeans

import (
	"bytes"
	"errors"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Sums holds what an iteration of Lloyd's [Lloyd82] has to know of rows x_i with weights w_i, of
// which a(i) is the nearest of k centers c: for each center
//
//	W_c = Σ_{a(i)=c} w_i and M_c = Σ_{a(i)=c} w_i·(x_i−c),
//
// and the objective Σ w_i·‖x_i−c_{a(i)}‖². The next centers are c + M_c/W_c.
//
// Rows are added in blocks, and the sums of two sets of rows are merged, so that rows need not be
// in memory together: an iteration takes one pass over them, and its size, 16·k·d bytes for d
// columns, does not depend on their number. The same blocks and the same order of merges give the
// same bits at one level and backend. A Sums is not safe for concurrent use.
type Sums struct {
	model     *Model
	rows      int64
	objective float64
	weight    []float64  // W
	moment    *mat.Dense // M, k×d
}

// NewSums returns the sums of no rows for the centers of m, such as those of a fit to a sample.
func NewSums(m *Model) *Sums {
	k, d := m.Dims()
	return &Sums{model: NewModel(mat.DenseCopyOf(m.centers)), weight: make([]float64, k), moment: mat.NewDense(k, d, nil)}
}

// Rows returns the number of rows that were added.
func (s *Sums) Rows() int64 { return s.rows }

// Objective returns the objective of the rows for the centers that s was made for.
func (s *Sums) Objective() float64 { return s.objective }

// Weights returns the sum of the weights of the rows of each center. It is the state's own and must
// not be changed.
func (s *Sums) Weights() []float64 { return s.weight }

// Add adds the rows of x with weights w ≥ 0, nil for ones. It takes 2·n·k·d flops for n rows. The
// error is a *gram.DataError for a row or a weight that is not as it must be; s is then as before.
// Add panics if the shapes do not fit.
func (s *Sums) Add(x mat.Matrix, w []float64) error {
	n, d := x.Dims()
	if w != nil && len(w) != n {
		panic("kmeans: there is not a weight for each row")
	}
	label := s.model.Assign(nil, x)
	samples := gram.Of(x)
	step := make([]float64, d)
	// from sets step to row i less its center and returns the squared length.
	from := func(i int) float64 {
		samples.CopyRow(step, i)
		blas64.Axpy(-1, linalg.Vector(s.model.centers.RawRowView(label[i])), linalg.Vector(step))
		return linalg.Dot(step, step)
	}
	var objective float64
	for i, c := range label {
		v := 1.
		if w != nil {
			v = w[i]
		}
		if !(v >= 0 && v <= math.MaxFloat64) {
			return &gram.DataError{Row: i, Col: -2, Value: v}
		}
		if c < 0 {
			return &gram.DataError{Row: i, Col: -3, Reason: "not finite"}
		}
		if objective += float64(v * from(i)); !(objective <= math.MaxFloat64) {
			return &gram.DataError{Row: i, Col: -3, Reason: "not finite, or too far from all centers"}
		}
	}
	for i, c := range label {
		v := 1.
		if w != nil {
			v = w[i]
		}
		from(i)
		blas64.Axpy(v, linalg.Vector(step), linalg.Vector(s.moment.RawRowView(c)))
		s.weight[c] += v
	}
	s.rows += int64(n)
	s.objective += objective
	return nil
}

// Merge adds the rows of o, which stays as it is. It is an error if o was made for other centers.
func (s *Sums) Merge(o *Sums) error {
	if !mat.Equal(s.model.centers, o.model.centers) {
		return errors.New("kmeans: sums for other centers cannot be merged")
	}
	s.moment.Add(s.moment, o.moment)
	blas64.Axpy(1, linalg.Vector(o.weight), linalg.Vector(s.weight))
	s.rows += o.rows
	s.objective += o.objective
	return nil
}

// Next returns the centers after the iteration, as a model without labels. A center whose rows have
// no weight stays where it is. The objective of the next iteration is at most that of this one, up
// to rounding.
func (s *Sums) Next() *Model {
	next := mat.DenseCopyOf(s.model.centers)
	for c, w := range s.weight {
		if w > 0 {
			blas64.Axpy(1/w, linalg.Vector(s.moment.RawRowView(c)), linalg.Vector(next.RawRowView(c)))
		}
	}
	return NewModel(next)
}

// MarshalBinary returns the sums and the centers in the form of a model file, which has a checksum
// for each array.
func (s *Sums) MarshalBinary() ([]byte, error) {
	var b bytes.Buffer
	err := modelfile.Write(&b, s)
	return b.Bytes(), err
}

// UnmarshalBinary reads what MarshalBinary has written. On an error s stays as it is.
func (s *Sums) UnmarshalBinary(b []byte) error {
	f, err := modelfile.Read(bytes.NewReader(b))
	if err != nil {
		return err
	}
	o, err := decodeSums(f)
	if err == nil {
		*s = *o
	}
	return err
}

// Encode writes the sums and the centers.
func (s *Sums) Encode(w *modelfile.Writer) error { return modelfile.Put(w, s.form) }

// decodeSums reads Sums that Encode has written. The error says what is wrong with a damaged file.
func decodeSums(f *modelfile.File) (*Sums, error) { return modelfile.Get(f, &Sums{}, (*Sums).form) }

// form lists what a file holds of the sums. Writing and reading a file go through these same statements.
func (s *Sums) form(x *modelfile.Exchange) {
	head := struct {
		Clusters, Columns int
		Rows              int64
		Objective         float64
	}{Rows: s.rows, Objective: s.objective}
	var centers *mat.Dense
	if s.model != nil {
		centers = s.model.centers
		head.Clusters, head.Columns = centers.Dims()
	}
	x.Header("kmeans.sums", 1, &head)
	k, d := head.Clusters, head.Columns
	x.Require(k > 0 && k <= modelfile.MaxCount && d > 0 && d <= modelfile.MaxCount, "", "%d clusters in %d columns", k, d)
	x.Require(head.Rows >= 0 && head.Objective >= 0, "", "%d rows with the objective %v", head.Rows, head.Objective)
	x.Dense("centers", &centers, k, d)
	x.Dense("moments", &s.moment, k, d)
	x.Float64("weights", &s.weight, k)
	for c, w := range s.weight {
		x.Require(w >= 0, "weights", "cluster %d has the weight %v", c, w)
	}
	if s.rows, s.objective = head.Rows, head.Objective; x.Reading() && centers != nil {
		s.model = NewModel(centers)
	}
}
