package ldkl

import (
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/asm/level2"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// tree is the function that a model evaluates along the path of a row from the root to a leaf.
type tree struct {
	layout
	sigma float64
	p     *mat.Dense
}

// path sets nodes to those on the way of a row with its 1.
func (t *tree) path(nodes []int, x []float64) {
	at := 0
	for i := range nodes {
		nodes[i] = at
		if t.inner(at) {
			at = next(at, level2.Dot(t.p.RawRowView(t.row(at)+decision), x))
		}
	}
}

// next returns the child of a node for a decision.
func next[F gram.Float](at int, decision F) int {
	if decision > 0 {
		return 2*at + 2
	}
	return 2*at + 1
}

// local returns the feature of a node on the path of x.
func (t *tree) local(at int, x []float64) float64 {
	return math.Tanh(t.sigma * level2.Dot(t.p.RawRowView(t.row(at)+argument), x))
}

// Classifier is a trained classifier. It keeps no rows and is safe for concurrent use.
type Classifier struct {
	tree
	cfg     Config
	names   []string
	stats   Stats
	program gram.Program[float64]
}

var (
	_ gram.Classifier = (*Classifier)(nil)
	_ gram.Compiler   = (*Classifier)(nil)
)

// ready makes the program of a model that has all else.
func (m *Classifier) ready() *Classifier {
	m.program = newScorer[float64](&m.tree)
	return m
}

// Dim returns the number of columns of the data.
func (m *Classifier) Dim() int { return m.d - 1 }

// Classes returns the names of the classes in the order of their numbers. The slice belongs to the model and must
// not be changed.
func (m *Classifier) Classes() []string { return m.names }

// Scores returns the values of the functions: n×1 for two classes, positive for class 1,
// else n×classes.
func (m *Classifier) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	dst = rows.Destination("ldkl", dst, x, m.Dim(), m.k)
	if n > 0 {
		program.Evaluate(m.cfg.Workers, 256, m.program, dst, x)
	}
	return dst
}

// Predict returns the class with the largest score for every row, the first of equals, and
// −1 for a row with NaN.
func (m *Classifier) Predict(dst []int, x mat.Matrix) []int {
	return rows.Decide("ldkl", dst, x, m.k, m.Scores)
}

// Config returns the settings with all defaults filled in.
func (m *Classifier) Config() Config { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has none.
func (m *Classifier) Stats() Stats { return m.stats }

// Nodes returns the coefficients, 2 + functions rows for each node: θ, which is 0 on the
// last level, v, and a w for each function. The children of node i are 2i+1 and 2i+2; the
// last column is the constant. It must not be changed.
func (m *Classifier) Nodes() *mat.Dense { return m.p }

// Leaves returns for every row of x the last node on its way, a number of Nodes, and −1 for a row with
// NaN. A nil dst is allocated.
func (m *Classifier) Leaves(dst []int, x mat.Matrix) []int {
	n, d := x.Dims()
	if d != m.Dim() {
		panic("ldkl: rows of the wrong length")
	}
	if dst == nil {
		dst = make([]int, n)
	}
	if len(dst) != n {
		panic("ldkl: the destination has the wrong length")
	}
	s, row, path := gram.Of(x), make([]float64, m.d), make([]int, m.depth)
	row[d] = 1
	for i := range dst {
		s.CopyRow(row[:d], i)
		if dst[i] = -1; !program.HasNaN(row) {
			m.path(path, row)
			dst[i] = path[m.depth-1]
		}
	}
	return dst
}

// Program64 returns the program of the scores, which is the model's own.
func (m *Classifier) Program64() (gram.Program[float64], error) { return m.program, nil }

// Program32 returns the program of the scores in float32.
func (m *Classifier) Program32() (gram.Program[float32], error) {
	return newScorer[float32](&m.tree), nil
}

// Encode writes the settings, the names and the nodes.
func (m *Classifier) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads a Classifier that Encode has written. The error says what is wrong with a damaged file.
func Decode(f *modelfile.File) (*Classifier, error) {
	return modelfile.Get(f, new(Classifier), (*Classifier).form)
}

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Classifier) form(x *modelfile.Exchange) {
	x.Header("ldkl", 1, &m.cfg)
	c := &m.cfg
	x.Require(c.Depth >= 1 && c.Depth <= maxDepth && c.Sigma > 0 && !math.IsInf(c.Sigma, 1), "", "depth %d and sigma %g", c.Depth, c.Sigma)
	x.Strings("classes", &m.names)
	x.Require(len(m.names) >= 2, "classes", "%d classes", len(m.names))
	if !x.Writing() {
		m.layout = layout{depth: min(max(c.Depth, 1), maxDepth), k: multiclass.Functions(len(m.names))}
		m.sigma = c.Sigma
	}
	x.Dense("nodes", &m.p, m.rows(), -1)
	if x.Reading() {
		_, m.d = m.p.Dims()
		if x.Require(m.d > 1, "nodes", "%d columns", m.d); x.Reading() {
			m.ready()
		}
	}
}
