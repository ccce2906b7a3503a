package gbdt

import (
	"math"

	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/modelfile"
)

// exchange describes the settings and the trees in a file. Thresholds and values keep all
// their bits.
func (m *model) exchange(x *modelfile.Exchange) {
	t := &m.forest
	threshold, feature, left := make([]float64, len(t.nodes)), make([]int32, len(t.nodes)), make([]int32, len(t.nodes))
	for i, n := range t.nodes {
		threshold[i], feature[i], left[i] = n.threshold, n.feature, n.left
	}
	version := 2 // which older programs read
	if x.Reading() || m.mixed != nil {
		version = 3
	}
	x.Header("gbdt", version, &m.cfg, modelfile.Retired("NoPenalty"), modelfile.Formerly("gbdt.classifier", "gbdt.regressor"))
	x.Int("columns", &m.d, 1, modelfile.MaxCount)
	x.Float64("first", &m.first, -1)
	x.Int32("roots", &t.roots, -1, 0, modelfile.MaxInt)
	x.Require(len(m.first) > 0 && len(t.roots)%max(1, len(m.first)) == 0, "roots", "%d trees for %d outputs", len(t.roots), len(m.first))
	x.AnyFloat64("threshold", &threshold, -1)
	x.Int32("feature", &feature, len(threshold), 0, int32(m.d)-1)
	x.Int32("left", &left, len(threshold), 0, modelfile.MaxInt)
	x.Float64("value", &t.value, len(threshold))
	if x.Optional("gain", m.gain != nil) { // not in files of version 1
		x.Float64("gain", &m.gain, len(threshold))
	}
	if x.Optional("levels", m.mixed != nil) { // not in files before version 3
		m.exchangeMixed(x, len(threshold))
	}
	if x.Reading() {
		m.grow(x, threshold, feature, left)
	}
}

// exchangeMixed describes what columns of categories and missing cells need.
func (m *model) exchangeMixed(x *modelfile.Exchange, nodes int) {
	f := &m.forest
	levels, missing := make([]int, len(m.mixed)), make([]int, len(m.mixed))
	for j, c := range m.mixed {
		if levels[j] = c.Levels; c.Missing {
			missing[j] = 1
		}
	}
	x.Ints("levels", &levels, m.d, 0, maxLevels)
	x.Ints("missing", &missing, m.d, 0, 1)
	if x.Optional("kinds", f.kinds != nil) {
		x.Int32("set_starts", &f.starts, -1, 0, modelfile.MaxInt)
		x.Int32("sets", &f.sets, -1, math.MinInt32, math.MaxInt32)
		x.Int32("kinds", &f.kinds, nodes, 0, int32(levelNode+len(f.starts)-1))
	}
	if !x.Reading() {
		return
	}
	for k, start := range f.starts {
		end := int32(len(f.sets))
		if k+1 < len(f.starts) {
			end = f.starts[k+1]
		}
		x.Require(start < end && end <= int32(len(f.sets)) && (k > 0 || start == 0), "set_starts", "set %d goes from %d to %d", k, start, end)
	}
	m.mixed = make([]Column, m.d)
	for j := range m.mixed {
		m.mixed[j] = Column{levels[j], missing[j] == 1}
	}
}

// grow makes the trees of the arrays of a file.
func (m *model) grow(x *modelfile.Exchange, threshold []float64, feature, left []int32) {
	t := &m.forest
	t.nodes = make([]programNode[float64], len(threshold))
	for i, v := range threshold {
		t.nodes[i] = programNode[float64]{v, feature[i], left[i]}
	}
	// Every tree is the nodes from its root to the next root, and children come
	// after their parents, so no walk leaves the tree or goes round.
	for k, root := range t.roots {
		end := int32(len(t.nodes))
		if k+1 < len(t.roots) {
			end = t.roots[k+1]
		}
		if root >= end || end > int32(len(t.nodes)) || k == 0 && root != 0 {
			x.Errorf("roots", "tree %d starts at node %d", k, root)
			return
		}
		for i := root; i < end; i++ {
			if t.kinds != nil && t.kinds[i] != plainNode && (t.nodes[i].leaf(i) || !m.mixed[t.nodes[i].feature].takesMissing()) {
				x.Errorf("kinds", "node %d is a leaf, or splits a column without missing cells, and of kind %d", i, t.kinds[i])
				return
			}
			if n := t.nodes[i]; !n.leaf(i) && (n.left <= i || n.left >= end-1) {
				x.Errorf("left", "node %d has children from %d", i, n.left)
				return
			} else if finite := math.Abs(n.threshold) <= math.MaxFloat64; n.leaf(i) && n.threshold != math.Inf(1) || !n.leaf(i) && !finite {
				x.Errorf("threshold", "node %d has the threshold %v; of leaves it is infinite, of others finite", i, n.threshold)
				return
			}
		}
		t.depth = append(t.depth, t.height(root, end))
	}
	m.complete()
}

// Encode writes the settings and the trees.
func (m *Regressor) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// DecodeRegressor reads a Regressor that Encode has written. The error says what is wrong with a damaged file.
func DecodeRegressor(f *modelfile.File) (*Regressor, error) {
	return modelfile.Get(f, &Regressor{}, (*Regressor).form)
}

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Regressor) form(x *modelfile.Exchange) {
	m.exchange(x)
	x.Require(!x.Optional("classes", false) && len(m.first) == 1, "first", "a classifier, not a regression")
}

// Encode writes the settings, the trees and the names of the classes.
func (m *Classifier) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

// DecodeClassifier reads a Classifier that Encode has written. The error says what is wrong with a damaged file.
func DecodeClassifier(f *modelfile.File) (*Classifier, error) {
	return modelfile.Get(f, &Classifier{}, (*Classifier).form)
}

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (m *Classifier) form(x *modelfile.Exchange) {
	m.exchange(x)
	x.Strings("classes", &m.names)
	x.Require(len(m.names) > 1 && len(m.first) == multiclass.Functions(len(m.names)), "classes", "%d classes for %d outputs", len(m.names), len(m.first))
}
