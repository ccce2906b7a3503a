package gbdt

import (
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// block is the number of rows that are predicted together; of rows with many
// columns fewer, so that the block stays in cache.
const block = 256

// scores sets dst, n×outputs, to the scores of the rows of x; those of a row
// with NaN are NaN. O(trees·depth) for each row and d for a look at it.
func (m *model) scores(dst *mat.Dense, x mat.Matrix) {
	n, d := x.Dims()
	if d != m.d {
		panic("gbdt: x has the wrong number of columns")
	}
	x = rows.Of(x)
	k := len(m.first)
	size := max(8, min(block, (1<<19)/(8*d+1)))
	par.For(context.Background(), m.cfg.Workers, n, size, func(lo, hi int) {
		data := make([]float64, (hi-lo)*d)
		for i := lo; i < hi; i++ {
			row := data[(i-lo)*d : (i-lo+1)*d]
			if a, ok := x.(*sparse.CSR); ok {
				a.DenseRow(row, i)
			} else {
				rows.Copy(row, x, i)
			}
		}
		score := make([]float64, hi-lo)
		for c, f := range m.first {
			for i := range score {
				score[i] = f
			}
			m.forest.predict(score, data, d, c, k)
			for i, v := range score {
				dst.Set(lo+i, c, v)
			}
		}
		for i := lo; i < hi; i++ {
			if slices.ContainsFunc(data[(i-lo)*d:(i-lo+1)*d], math.IsNaN) {
				for c := range k {
					dst.Set(i, c, math.NaN())
				}
			}
		}
	})
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
	}
	out.count()
	return out
}

// Predict returns F(x) of every row.
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

// Classes returns the names of the classes.
func (m *Classifier) Classes() []string { return m.names }

// Scores returns F(x): the log-odds of class 1 for two classes, else one number
// a class, the logarithm of its probability up to a constant of the row.
func (m *Classifier) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	dst = rows.Destination("gbdt", dst, x, m.d, len(m.first))
	m.scores(dst, x)
	return dst
}

// Predict returns the class of largest score of every row, the first of equals,
// and −1 for a row with NaN.
func (m *Classifier) Predict(dst []int, x mat.Matrix) []int {
	n, _ := x.Dims()
	if dst == nil {
		dst = make([]int, n)
	}
	if len(dst) != n {
		panic("gbdt: dst has the wrong length")
	}
	if n == 0 {
		return dst
	}
	s := m.Scores(nil, x)
	for i := range dst {
		dst[i] = gram.Decide(s.RawRowView(i))
	}
	return dst
}
