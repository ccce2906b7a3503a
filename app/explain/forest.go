package explain

import (
	"context"
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/labels/gbml"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/app/internal/par"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Node is a node of a tree of one output.
type Node struct {
	Left, Right int     // its children in the tree; 0 and 0: it is a leaf
	Feature     int     // of a split: a row goes to Left if its number in this column is at most Threshold
	Threshold   float64 // of a split
	Levels      []int   // of a split of a category: the levels that go to Left, ascending; nil: a split of numbers
	Missing     bool    // of a split: a cell that is NaN goes to Left
	Value       float64 // of a leaf
	Cover       float64 // number of background rows that reach the node
}

// Forest is one output of a model of trees: a constant and a sum of trees. It is immutable
// and safe for concurrent use.
type Forest struct {
	columns  int
	constant float64
	mean     float64 // of the background rows
	trees    [][]Node
	depth    int           // splits on the longest way to a leaf
	mixed    []gbdt.Column // nil: numbers alone
}

// NewForest returns a constant plus the sum of trees on rows with the given number of
// columns. The root of a tree is node 0, and children come after their parents. The covers
// are set to the numbers of rows of the background that reach the nodes; it has at least one
// row. NewForest panics for a tree that is none.
func NewForest(columns int, constant float64, trees [][]Node, background mat.Matrix) *Forest {
	f := &Forest{columns: columns, constant: constant, mean: constant}
	x := gram.Of(background)
	n, d := x.Dims()
	if d != columns || n < 1 {
		panic("explain: the background does not have the forest's columns")
	}
	row := make([]float64, d)
	for _, t := range trees {
		t = slices.Clone(t)
		level := make([]int, len(t))
		for i := range t {
			t[i].Cover = 0
			if c := &t[i]; c.Left != 0 {
				if c.Left <= i || c.Right <= i || c.Left >= len(t) || c.Right >= len(t) || c.Feature < 0 || c.Feature >= columns {
					panic("explain: the nodes are no tree")
				}
				level[c.Left], level[c.Right] = level[i]+1, level[i]+1
				f.depth = max(f.depth, level[i]+1)
			}
		}
		f.trees = append(f.trees, t)
	}
	for i := range n {
		v := x.Row(row, i)
		for _, t := range f.trees {
			at := 0
			for t[at].Cover++; t[at].Left != 0; t[at].Cover++ {
				at = t[at].next(v)
			}
			f.mean += t[at].Value / float64(n)
		}
	}
	return f
}

func (n *Node) next(row []float64) int {
	v := row[n.Feature]
	left := v <= n.Threshold
	switch {
	case v != v, n.Levels != nil && v < 0:
		left = n.Missing
	case n.Levels != nil:
		_, left = slices.BinarySearch(n.Levels, int(v))
	}
	if left {
		return n.Left
	}
	return n.Right
}

// shares returns the parts of a node's background rows that go to its children; halves if no
// row reaches the node.
func shares(t []Node, n *Node) (left, right float64) {
	if n.Cover == 0 {
		return .5, .5
	}
	return t[n.Left].Cover / n.Cover, t[n.Right].Cover / n.Cover
}

// Trees returns the forest of one output of a *gbdt.Regressor, a *gbdt.Classifier or a
// *gbml.Model: the value, of the loss Poisson its logarithm, the score of a class, or the score of a label. The error names
// another model, an output that there is not, or a *gbml.Model on projected rows, whose trees
// do not split columns.
func Trees(model any, output int, background mat.Matrix) (*Forest, error) {
	var trees [][]Node
	if m, ok := model.(*gbml.Model); ok {
		if w, _ := m.Projection(); w != nil {
			return nil, fmt.Errorf("explain: the trees split projections of the rows, not columns")
		}
		if output < 0 || output >= m.NumLabels() {
			return nil, settings.Refuse("output", output, "from 0 to %d", m.NumLabels()-1)
		}
		for t := range m.Stats().Trees {
			var nodes []Node
			for _, n := range m.Tree(t) {
				node := Node{Left: n.Left, Right: n.Right, Feature: n.Feature, Threshold: n.Threshold}
				for _, v := range n.Values {
					if v.Label == output {
						node.Value = v.Score
					}
				}
				nodes = append(nodes, node)
			}
			trees = append(trees, nodes)
		}
		return NewForest(m.Dim(), 0, trees, background), nil
	}
	m, ok := model.(interface {
		Dim() int
		Stats() gbdt.Stats
		Constants() []float64
		Tree(t int) []gbdt.Node
		Columns() []gbdt.Column
	})
	if !ok {
		return nil, fmt.Errorf("explain: a %T has no trees", model)
	}
	constants := m.Constants()
	k := len(constants)
	if output < 0 || output >= k {
		return nil, settings.Refuse("output", output, "from 0 to %d", k-1)
	}
	for t := output; t < m.Stats().Trees; t += k {
		var nodes []Node
		for _, n := range m.Tree(t) {
			nodes = append(nodes, Node{Left: n.Left, Right: n.Right, Feature: n.Feature, Threshold: n.Threshold, Levels: n.Levels, Missing: n.Missing, Value: n.Value})
		}
		trees = append(trees, nodes)
	}
	f := NewForest(m.Dim(), constants[output], trees, background)
	f.mixed = m.Columns()
	return f, nil
}

// Mean returns the mean of the output over the background rows, from which contributions are
// counted.
func (f *Forest) Mean() float64 { return f.mean }

// Contributions returns the n×d Shapley values of the columns for the rows of x. Those of a
// row add up to the output for this row less Mean. The value of column c is the mean, over all
// orders of the columns, of the change of E[f | columns so far] when c is added, where the
// expectation at a split by an unknown column is that over the background rows that reach the
// split (path-dependent TreeSHAP, [LEL18] Algorithm 2). A row takes O(L·D²) operations for
// each tree with L leaves and depth D. A row with NaN has NaN, unless the model was trained on
// missing cells in that column.
func (f *Forest) Contributions(ctx context.Context, workers int, x mat.Matrix) (*mat.Dense, error) {
	s := gram.Of(x)
	n, d := s.Dims()
	if d != f.columns {
		panic("explain: the rows do not have the forest's columns")
	}
	if n == 0 {
		return &mat.Dense{}, nil
	}
	out := mat.NewDense(n, d, nil)
	const block = 4
	err := par.Each(ctx, workers, (n+block-1)/block, func(k int) {
		lo, hi := k*block, min((k+1)*block, n)
		row := make([]float64, d)
		paths := make([]element, (f.depth+2)*(f.depth+3)/2)
		for i := lo; i < hi; i++ {
			v, phi := s.Row(row, i), out.RawRowView(i)
			if f.unknown(v) {
				for c := range phi {
					phi[c] = nan
				}
				continue
			}
			for _, t := range f.trees {
				descent{t, v, phi}.node(0, paths[:0:len(paths)], 1, 1, -1)
			}
		}
	}, func(int) {})
	return out, err
}

// unknown reports whether a row has NaN in a column that had none in training.
func (f *Forest) unknown(row []float64) bool {
	for c, v := range row {
		if v != v && (f.mixed == nil || !f.mixed[c].Missing && f.mixed[c].Levels == 0) {
			return true
		}
	}
	return false
}

// element is a column on the way to a node: the share of orders of the columns before it, in
// weight, as [LEL18] calls it, and the shares of rows that go this way if the column is
// unknown (zero) or known (one).
type element struct {
	column    int
	zero, one float64
	weight    float64
}

// descent is the descent of one row in one tree.
type descent struct {
	tree []Node
	row  []float64
	phi  []float64
}

// node adds the contributions of the leaves below node at. memory holds the path so far and
// has room for longer ones behind it.
func (w descent) node(at int, path []element, zero, one float64, column int) {
	// A path of its own, as the sibling needs the one so far.
	memory := path[len(path):cap(path)]
	path = append(memory[:0], path...)
	path = extend(path, zero, one, column)
	n := &w.tree[at]
	if n.Left == 0 {
		for i := 1; i < len(path); i++ {
			e := &path[i]
			w.phi[e.column] += unwound(path, i) * (e.one - e.zero) * n.Value
		}
		return
	}
	left, right := shares(w.tree, n)
	knownLeft, knownRight := 1.0, 0.0
	if n.next(w.row) == n.Right {
		knownLeft, knownRight = 0, 1
	}
	zero, one = 1, 1
	for i := 1; i < len(path); i++ {
		if path[i].column == n.Feature {
			zero, one = path[i].zero, path[i].one
			path = unwind(path, i)
			break
		}
	}
	// A way with both shares 0 is taken in no order of the columns.
	if left > 0 && zero > 0 || knownLeft*one > 0 {
		w.node(n.Left, path, zero*left, one*knownLeft, n.Feature)
	}
	if right > 0 && zero > 0 || knownRight*one > 0 {
		w.node(n.Right, path, zero*right, one*knownRight, n.Feature)
	}
}

// extend appends a column with the shares zero and one to the path, and updates the weights of all elements [LEL18].
func extend(path []element, zero, one float64, column int) []element {
	l := len(path)
	e := element{column, zero, one, 0}
	if l == 0 {
		e.weight = 1
	}
	path = append(path, e)
	for i := l - 1; i >= 0; i-- {
		path[i+1].weight += one * path[i].weight * float64(i+1) / float64(l+1)
		path[i].weight *= zero * float64(l-i) / float64(l+1)
	}
	return path
}

// unwind removes element i from the path and gives the others the weights that they have without it: the inverse of extend.
func unwind(path []element, i int) []element {
	l := len(path) - 1
	zero, one, n := path[i].zero, path[i].one, path[l].weight
	for j := l - 1; j >= 0; j-- {
		if one != 0 {
			t := path[j].weight
			path[j].weight = n * float64(l+1) / (float64(j+1) * one)
			n = t - path[j].weight*zero*float64(l-j)/float64(l+1)
		} else {
			path[j].weight *= float64(l+1) / (zero * float64(l-j))
		}
	}
	for j := i; j < l; j++ {
		path[j].column, path[j].zero, path[j].one = path[j+1].column, path[j+1].zero, path[j+1].one
	}
	return path[:l]
}

// unwound returns the sum of the weights of the path without element i.
func unwound(path []element, i int) float64 {
	l := len(path) - 1
	zero, one, n := path[i].zero, path[i].one, path[l].weight
	var sum float64
	for j := l - 1; j >= 0; j-- {
		if one != 0 {
			t := n * float64(l+1) / (float64(j+1) * one)
			sum += t
			n = path[j].weight - t*zero*float64(l-j)/float64(l+1)
		} else {
			sum += path[j].weight * float64(l+1) / (zero * float64(l-j))
		}
	}
	return sum
}
