package gbdt

import (
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// scores sets dst, n×outputs, to the scores of the rows of x; those of a row
// with NaN are NaN. O(trees·depth) for each row and d for a look at it.
func (m *model) scores(dst *mat.Dense, x mat.Matrix) {
	if _, d := x.Dims(); d != m.d {
		panic("gbdt: x has the wrong number of columns")
	}
	program.Evaluate(m.cfg.Workers, m.program.rows, m.program, dst, x)
}

// First returns the model after its first rounds, which shares the trees.
func (m *Classifier) First(rounds int) *Classifier {
	out := *m
	out.model = m.truncated(rounds)
	return &out
}

// First returns the model after its first rounds, which shares the trees.
func (m *Regressor) First(rounds int) *Regressor { return &Regressor{m.truncated(rounds)} }

func (m *model) truncated(rounds int) model {
	if rounds < 0 || rounds > m.stats.Rounds {
		panic("gbdt: the model does not have so many rounds")
	}
	out := *m
	trees := rounds * len(m.first)
	out.forest.roots, out.forest.depth = m.forest.roots[:trees], m.forest.depth[:trees]
	if trees < len(m.forest.roots) {
		end := m.forest.roots[trees]
		out.forest.nodes, out.forest.value = m.forest.nodes[:end], m.forest.value[:end]
		if m.gain != nil {
			out.gain = m.gain[:end]
		}
		if m.forest.kinds != nil {
			out.forest.kinds = m.forest.kinds[:end]
		}
	}
	out.complete()
	if m.stats.Splits != nil {
		out.tally()
	}
	return out
}

// Predict returns F(x) of every row, or e^F(x), the mean, with the loss Poisson.
func (m *Regressor) Predict(dst []float64, x mat.Matrix) []float64 {
	n, _ := x.Dims()
	if dst == nil {
		dst = make([]float64, n)
	}
	if len(dst) != n {
		panic("gbdt: dst has the wrong length")
	}
	if n > 0 {
		m.scores(mat.NewDense(n, 1, dst), x)
	}
	return dst
}

// Classes returns the names of the classes in the order of their numbers. The slice belongs to the model and must
// not be changed.
func (m *Classifier) Classes() []string { return m.names }

// Scores returns F(x): the log-odds of class 1 for two classes, else one number
// a class, the logarithm of its probability up to a constant of the row.
func (m *Classifier) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	dst = rows.Destination("gbdt", dst, x, m.d, len(m.first))
	m.scores(dst, x)
	return dst
}

// Calibration returns the map from scores to probabilities: scores are logarithms of odds.
func (m *Classifier) Calibration() *calibration.Map { return calibration.Softmax(len(m.names)) }

// Predict returns the class of largest score of every row, the first of equals,
// and −1 for a row with NaN.
func (m *Classifier) Predict(dst []int, x mat.Matrix) []int {
	return rows.Decide("gbdt", dst, x, len(m.first), m.Scores)
}
