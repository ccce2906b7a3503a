package pairwise

import (
	"strconv"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// Model implements gram.Classifier with the clusters as classes, so that everything made for
// classifiers can be used for clusters.
var (
	_ gram.Classifier = (*Model)(nil)
	_ gram.Compiler   = (*Model)(nil)
)

// Classes returns the names of the clusters: their numbers, counted from 0.
func (m *Model) Classes() []string {
	names := make([]string, m.cfg.K)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}

// Dim returns the number of columns of the data.
func (m *Model) Dim() int {
	phi, _ := m.complete.RowFunction()
	d, _ := phi.Dims()
	return d
}

// Function returns the scores of the clusters as linear functions of the features of the rows.
// The score of a cluster with center c is t·c − ½‖c‖² for the row t of T; it is largest for the
// nearest center. Two clusters have one function, which is positive for the second cluster.
func (m *Model) Function() (basis.Function, error) {
	phi, w := m.complete.RowFunction()
	centers := m.clusters.Centers()
	k, _ := centers.Dims()
	var a, coef mat.Dense
	a.Mul(w, m.basis)
	coef.Mul(&a, centers.T())
	bias := make([]float64, k)
	for i := range bias {
		c := centers.RowView(i)
		bias[i] = -mat.Dot(c, c) / 2
	}
	if k > 1 && multiclass.Functions(k) == k {
		return basis.Function{Basis: phi, Coef: &coef, Bias: bias}, nil
	}
	n, _ := coef.Dims()
	one := mat.NewDense(n, 1, nil)
	if k == 1 {
		return basis.Function{Basis: phi, Coef: one, Bias: []float64{0}}, nil
	}
	one.Sub(coef.Slice(0, n, 1, 2), coef.Slice(0, n, 0, 1))
	return basis.Function{Basis: phi, Coef: one, Bias: []float64{bias[1] - bias[0]}}, nil
}

// Program64 returns a program in float64 that computes the scores of rows.
func (m *Model) Program64() (gram.Program[float64], error) {
	f, err := m.Function()
	if err != nil {
		return nil, err
	}
	return f.Program64()
}

// Program32 returns the program of the scores for rows of float32.
func (m *Model) Program32() (gram.Program[float32], error) {
	f, err := m.Function()
	if err != nil {
		return nil, err
	}
	return f.Program32()
}

// Scores returns the values of Function, n×K, or n×1 for two clusters.
func (m *Model) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = rows.Destination("pairwise", dst, x, m.Dim(), multiclass.Functions(m.cfg.K))
	if n > 0 {
		m.scores.Rows(gram.View(dst), gram.Of(x))
	}
	return dst
}

// Predict returns the cluster of each row, −1 for a row with NaN.
func (m *Model) Predict(dst []int, x mat.Matrix) []int {
	return rows.Decide("pairwise", dst, x, multiclass.Functions(m.cfg.K), m.Scores)
}

// prepare sets m.scores to the program by which Scores computes its values.
func (m *Model) prepare() (err error) {
	m.scores, err = m.Program64()
	return err
}
