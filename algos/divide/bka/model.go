package bka

import (
	"fmt"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// Model is a classifier with one model for each cluster, or with the coefficients of all clusters
// together. It is safe for concurrent use.
type Model struct {
	cfg      SVM
	names    []string
	router   kmeans.Centered
	labels   []int        // the cluster of every row of the fit
	local    []*svm.Model // the model of each cluster; nil for a constant cluster, or with whole
	constant []int        // the class of a cluster without a model; −1 if it has a model
	whole    *svm.Model   // the model of all coefficients, with Whole
	stats    Stats

	once    sync.Once
	program gram.Program[float64] // of the scores, without whole
}

var _ gram.Classifier = (*Model)(nil)

// Classes returns the names of the classes in the order of their numbers. The slice belongs to the model and must
// not be changed.
func (m *Model) Classes() []string { return m.names }

// Config returns the settings with all defaults filled in.
func (m *Model) Config() SVM { return m.cfg }

// Stats returns statistics of the fit. A model that was read from a file has none.
func (m *Model) Stats() Stats { return m.stats }

// Whole returns the model of all coefficients together, or nil unless the settings ask for it.
func (m *Model) Whole() *svm.Model { return m.whole }

// Clusters returns the number of clusters, empty ones included.
func (m *Model) Clusters() int { return len(m.constant) }

// Local returns the model of a cluster. If the cluster has no model, Local returns nil and the
// class that it predicts.
func (m *Model) Local(cluster int) (*svm.Model, int) { return m.local[cluster], m.constant[cluster] }

// Given returns the partition that the model was fitted with, in the form of Partition.Given. It
// must not be changed. That of a model read from a file has no labels.
func (m *Model) Given() kmeans.Partition {
	return kmeans.Partition{Labels: m.labels, Router: m.router}
}

// width returns the number of scores of a row.
func (m *Model) width() int { return multiclass.Functions(len(m.names)) }

// Scores returns n×1 values for two classes, positive for class 1, else n×classes. They are the
// values of svm.Model.Scores for the cluster of the row. A cluster with a single class has the
// score ±1, or all votes.
func (m *Model) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	if m.whole != nil {
		return m.whole.Scores(dst, x)
	}
	m.once.Do(func() {
		var err error
		if m.program, err = m.Program64(); err != nil {
			panic(err) // programs in float64 always exist
		}
	})
	d, k := m.program.Dims()
	dst = rows.Destination("bka", dst, x, d, k)
	program.Evaluate(m.cfg.Machine.Workers, evaluateRows, m.program, dst, x)
	return dst
}

// evaluateRows is the number of rows that a goroutine takes at a time.
const evaluateRows = 1024

// Certain returns the scores of the rows of a cluster that has a single class.
func (m *Model) Certain(class int) []float64 {
	row := make([]float64, m.width())
	m.certain(row, class)
	return row
}

// certain writes the scores of a cluster that has a single class.
func (m *Model) certain(row []float64, class int) {
	low, high := -1.0, 1.0
	if len(row) > 1 && m.cfg.Machine.Multi == svm.OneVsOne {
		low, high = 0, float64(len(row)-1)
	}
	if len(row) == 1 {
		row[0] = low
		if class == 1 {
			row[0] = high
		}
		return
	}
	for c := range row {
		row[c] = low
	}
	row[class] = high
}

// Predict returns the class of every row, −1 for a row with NaN.
func (m *Model) Predict(dst []int, x mat.Matrix) []int {
	return rows.Decide("bka", dst, x, m.width(), m.Scores)
}

// Dim returns the number of columns of a row.
func (m *Model) Dim() int {
	_, d := m.router.Dims()
	return d
}

// Encode writes the settings, the clusters and their models.
func (m *Model) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// Decode reads what Encode wrote. The kernel must be one that kernel.Decode makes.
func Decode(f *modelfile.File) (*Model, error) { return modelfile.Get(f, new(Model), (*Model).form) }

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Model) form(x *modelfile.Exchange) {
	x.Header("bka-svm", 1, &m.cfg, kernel.Stored(&m.cfg.Machine.Kernel))
	x.Strings("classes", &m.names)
	x.Require(len(m.names) > 1, "classes", "%d classes", len(m.names))
	x.Ints("constant", &m.constant, -1, -1, len(m.names)-1)
	modelfile.Part(x, "clusters", &m.router, kmeans.DecodeCentered)
	if x.Reading() {
		parts, _ := m.router.Dims()
		x.Require(len(m.constant) == parts, "constant", "%d classes of %d clusters", len(m.constant), parts)
	}
	if m.cfg.Whole {
		m.exchangePart(x, "whole", &m.whole)
		return
	}
	if x.Reading() {
		m.local = make([]*svm.Model, len(m.constant))
	}
	for c := range m.local {
		name := fmt.Sprint("cluster", c)
		if x.OptionalPart(name, m.local[c] != nil) {
			m.exchangePart(x, name, &m.local[c])
		} else {
			x.Require(m.constant[c] >= 0, "constant", "cluster %d has neither a model nor a class", c)
		}
	}
}

// exchangePart describes the model of a cluster, or the model of all coefficients.
func (m *Model) exchangePart(x *modelfile.Exchange, name string, part **svm.Model) {
	if modelfile.Part(x, name, part, svm.Decode); x.Reading() {
		x.Require(len((*part).Classes()) == len(m.names) && (*part).Config().Multi == m.cfg.Machine.Multi, "classes", "%s has other classes", name)
		x.Require((*part).Dim() == m.Dim(), "clusters", "%s has %d columns, the clusters %d", name, (*part).Dim(), m.Dim())
	}
}
