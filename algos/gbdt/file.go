package gbdt

import (
	"math"

	"github.com/gramworks/gram/modelfile"
)

// encode writes the settings and the trees. Thresholds and values keep all their
// bits.
func (m *model) encode(w *modelfile.Writer) error {
	if err := w.Header("gbdt", 1, m.cfg); err != nil {
		return err
	}
	nodes := m.forest.nodes
	threshold, feature, left := make([]float64, len(nodes)), make([]int32, len(nodes)), make([]int32, len(nodes))
	for i, n := range nodes {
		threshold[i], feature[i], left[i] = n.threshold, n.feature, n.left
	}
	w.Ints("columns", []int{m.d})
	w.Float64("first", m.first)
	w.Int32("roots", m.forest.roots)
	w.Float64("threshold", threshold)
	w.Int32("feature", feature)
	w.Int32("left", left)
	w.Float64("value", m.forest.value)
	return nil
}

func (m *model) decode(f *modelfile.File) error {
	if err := f.Expect("gbdt", 1, &m.cfg, "threshold"); err != nil {
		return err
	}
	columns, err := f.Ints("columns", 1)
	if err != nil {
		return err
	}
	m.d = columns[0]
	if m.first, err = f.Float64("first", -1); err != nil {
		return err
	}
	t := &m.forest
	if t.roots, err = f.Int32("roots", -1); err != nil {
		return err
	}
	if m.d < 1 || len(m.first) == 0 || len(t.roots)%len(m.first) != 0 {
		return f.Errorf("roots", "%d trees for %d outputs of %d columns", len(t.roots), len(m.first), m.d)
	}
	threshold, err := f.Float64("threshold", -1)
	if err != nil {
		return err
	}
	feature, err := f.Int32("feature", len(threshold))
	if err != nil {
		return err
	}
	left, err := f.Int32("left", len(threshold))
	if err != nil {
		return err
	}
	if t.value, err = f.Float64("value", len(threshold)); err != nil {
		return err
	}
	t.nodes = make([]node[float64], len(threshold))
	for i, v := range threshold {
		t.nodes[i] = node[float64]{v, feature[i], left[i]}
	}
	// Every tree is the nodes from its root to the next root, and children come
	// after their parents, so no walk leaves the tree or goes round.
	for k, root := range t.roots {
		end := int32(len(t.nodes))
		if k+1 < len(t.roots) {
			end = t.roots[k+1]
		}
		if root >= end || end > int32(len(t.nodes)) || k == 0 && root != 0 {
			return f.Errorf("roots", "tree %d starts at node %d", k, root)
		}
		for i := root; i < end; i++ {
			if n := t.nodes[i]; !n.leaf(i) && (n.left <= i || n.left >= end-1) || n.feature < 0 || int(n.feature) >= m.d {
				return f.Errorf("left", "node %d: column %d, children from %d", i, n.feature, n.left)
			} else if finite := math.Abs(n.threshold) <= math.MaxFloat64; n.leaf(i) && n.threshold != math.Inf(1) || !n.leaf(i) && !finite {
				return f.Errorf("threshold", "node %d has the threshold %v; of leaves it is infinite, of others finite", i, n.threshold)
			}
		}
		t.depth = append(t.depth, t.height(root, end))
	}
	m.complete()
	return nil
}

// Encode writes the settings and the trees.
func (m *Regressor) Encode(w *modelfile.Writer) error { return m.encode(w) }

// DecodeRegressor reads what Regressor.Encode wrote.
func DecodeRegressor(f *modelfile.File) (*Regressor, error) {
	m := &Regressor{}
	if err := m.decode(f); err != nil {
		return nil, err
	}
	if f.Has("classes") || len(m.first) != 1 {
		return nil, f.Errorf("first", "a classifier, not a regression")
	}
	return m, nil
}

// Encode writes the settings, the trees and the names of the classes.
func (m *Classifier) Encode(w *modelfile.Writer) error {
	if err := m.encode(w); err != nil {
		return err
	}
	w.Strings("classes", m.names)
	return nil
}

// DecodeClassifier reads what Classifier.Encode wrote.
func DecodeClassifier(f *modelfile.File) (*Classifier, error) {
	m := &Classifier{}
	if err := m.decode(f); err != nil {
		return nil, err
	}
	var err error
	if m.names, err = f.Strings("classes"); err != nil {
		return nil, err
	}
	if len(m.names) < 2 || len(m.first) != trees(len(m.names)) {
		return nil, f.Errorf("classes", "%d classes for %d outputs", len(m.names), len(m.first))
	}
	return m, nil
}
