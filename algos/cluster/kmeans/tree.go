package kmeans

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Tree holds the settings of hierarchical k-means, which splits the rows into Branch clusters,
// splits each of these again, and so on.
type Tree struct {
	Branch   int    // number of children of a node; default 4
	Depth    int    // largest number of levels of splits; default 20
	Leaf     int    // nodes with at most this many rows are not split; default 1000
	Split    Config `json:",omitempty"` // settings of the splits; its K, Seed and Workers are ignored
	gram.Run `json:"-"`
}

// TreeStats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type TreeStats struct {
	Nodes, Leaves, Depth int
	Sizes                []int // number of rows of each leaf
	Seconds              float64
}

// TreeModel is a tree of clusters. Nodes are numbered level by level; the root is 0. It is safe
// for concurrent use.
type TreeModel struct {
	cfg    Tree
	d      int // columns of x
	nodes  []node
	leaves []int // the nodes that are leaves, ascending
	labels []int // the leaf of every row
	stats  TreeStats
}

type node struct {
	split  *Model // its centers are those of the children; nil for a leaf
	first  int    // the first child; children are consecutive
	parent int    // −1 for the root
	leaf   int    // number of the leaf; −1: not a leaf
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Tree) Settings(s *settings.Fields) {
	s.Int(&c.Branch, "branch", "children of a node of the tree").Default(4).AtLeast(2)
	s.Int(&c.Depth, "depth", "levels of the tree").Default(20).AtLeast(1)
	s.Int(&c.Leaf, "leaf", "nodes of at most that many rows are not split").Default(1000).AtLeast(1)
	if s.Resolving() {
		c.Split.K, c.Split.Run = c.Branch, gram.Run{}
		s.Shape.N = math.MaxInt // a node with fewer rows than children is not split
	}
	s.Embedded(&c.Split, "k")
}

// Plan returns the expected cost of Fit for data of shape s. It assumes clusters of equal size.
func (c Tree) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	levels, nodes := 0, 1.0
	for size := float64(s.N); levels < c.Depth && size > float64(c.Leaf); levels++ {
		size /= float64(c.Branch)
		nodes *= float64(c.Branch)
	}
	split := c.Split
	split.Workers = c.Workers
	root, err := split.Plan(gram.Shape{N: max(s.N, c.Branch), D: s.D, NNZ: s.NNZ})
	if err != nil {
		return gram.Plan{}, err
	}
	copies := 8 * int64(s.N) * int64(s.D)
	if s.NNZ > 0 {
		copies = 12 * s.NNZ
	}
	model := check.Bytes(12 * nodes * float64(s.D))
	return gram.Plan{
		Flops:       float64(levels) * root.Flops,
		PeakBytes:   root.PeakBytes + copies + 24*int64(s.N) + model,
		ModelBytes:  model + 8*int64(s.N),
		Description: fmt.Sprintf("tree of k-means clusters, %d level(s) of %d", levels, c.Branch),
	}, nil
}

// Fit builds the tree for the rows of x. If ctx ends the fit, Fit returns ctx.Err() and no model.
func (c Tree) Fit(ctx context.Context, x mat.Matrix) (*TreeModel, error) {
	return c.FitWeighted(ctx, x, nil)
}

// FitWeighted is Fit with a weight ≥ 0 for every row; w nil means ones.
func (c Tree) FitWeighted(ctx context.Context, x mat.Matrix, w []float64) (*TreeModel, error) {
	begin := time.Now()
	start, err := rows.Begin(&c, c.Run, x, rows.None{}, w)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all, w := start.X, start.W
	n, d := all.Dims()
	t := &TreeModel{cfg: c, d: d, labels: make([]int, n)}
	type job struct{ node, depth int }
	index := map[int][]int{0: make([]int, n)}
	for i := range n {
		index[0][i] = i
	}
	t.nodes = []node{{parent: -1, leaf: -1}}
	meter := c.Meter()
	for queue := []job{{0, 0}}; len(queue) > 0; queue = queue[1:] {
		j := queue[0]
		own := index[j.node]
		delete(index, j.node)
		t.stats.Depth = max(t.stats.Depth, j.depth)
		leaf := func() {
			t.nodes[j.node].leaf = len(t.leaves)
			for _, i := range own {
				t.labels[i] = len(t.leaves)
			}
			t.leaves = append(t.leaves, j.node)
			t.stats.Sizes = append(t.stats.Sizes, len(own))
		}
		if len(own) <= c.Leaf || len(own) < c.Branch || j.depth == c.Depth {
			leaf()
			continue
		}
		split := c.Split
		split.Run = gram.Run{Seed: rng.Derive(c.Seed, fmt.Sprint("node ", j.node)), Workers: c.Workers}
		y := all
		if len(own) < n {
			y = all.Select(own)
		}
		m, err := split.FitWeighted(ctx, y, rows.Pick(w, own))
		if err != nil {
			return nil, err
		}
		children := make([][]int, c.Branch)
		largest := 0
		for k, b := range m.labels {
			children[b] = append(children[b], own[k])
			largest = max(largest, len(children[b]))
		}
		if largest == len(own) { // all rows are copies of one row
			leaf()
			continue
		}
		m.labels, m.stats = nil, Stats{}
		t.nodes[j.node].split, t.nodes[j.node].first = m, len(t.nodes)
		for b, members := range children {
			id := len(t.nodes)
			t.nodes = append(t.nodes, node{parent: j.node, leaf: -1})
			index[id] = members
			queue = append(queue, job{t.nodes[j.node].first + b, j.depth + 1})
		}
		meter.Report(gram.Event{Phase: "k-means tree", Done: int64(len(t.nodes))})
	}
	meter.Report(gram.Event{Phase: "k-means tree", Done: int64(len(t.nodes)), Total: int64(len(t.nodes))})
	t.stats.Nodes, t.stats.Leaves = len(t.nodes), len(t.leaves)
	t.labels = start.Labels(t.labels, nil, t.Assign)
	t.stats.Seconds = time.Since(begin).Seconds()
	return t, nil
}

// Leaves returns the number of leaves, which Assign numbers from 0.
func (t *TreeModel) Leaves() int { return len(t.leaves) }

// Dims returns the number of leaves and of columns of the data.
func (t *TreeModel) Dims() (leaves, d int) { return len(t.leaves), t.d }

// Labels returns the leaf of every row that the tree was fitted to. The slice must not be
// changed. A model read from a file has no labels.
func (t *TreeModel) Labels() []int { return t.labels }

// Level returns the partition at the given depth. part holds, for every leaf, the number of its
// ancestor at that depth, or of the leaf itself if it is not that deep, from 0 to parts−1. Depth
// 0 has one part.
func (t *TreeModel) Level(depth int) (part []int, parts int) {
	at := make([]int, len(t.nodes)) // depth of a node
	number := map[int]int{}
	part = make([]int, len(t.leaves))
	for i := 1; i < len(t.nodes); i++ {
		at[i] = at[t.nodes[i].parent] + 1
	}
	for l, i := range t.leaves {
		for at[i] > depth {
			i = t.nodes[i].parent
		}
		p, ok := number[i]
		if !ok {
			p = len(number)
			number[i] = p
		}
		part[l] = p
	}
	return part, len(number)
}

// Assign returns the leaf of every row of x. Beginning at the root, a row goes to the child with
// the nearest center. A row with NaN gets −1.
func (t *TreeModel) Assign(dst []int, x mat.Matrix) []int {
	n, d := x.Dims()
	if d != t.d {
		panic("kmeans: x has the wrong number of columns")
	}
	if dst == nil {
		dst = make([]int, n)
	}
	if len(dst) != n {
		panic("kmeans: the destination has the wrong length")
	}
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	t.walk(dst, gram.Of(x), 0, index)
	return dst
}

// walk assigns the given rows, which have reached node at.
func (t *TreeModel) walk(dst []int, x gram.Samples[float64], at int, index []int) {
	nd := t.nodes[at]
	if nd.split == nil || len(index) == 0 {
		for _, i := range index {
			dst[i] = nd.leaf
		}
		return
	}
	y := x
	if len(index) < x.N() {
		y = x.Select(index)
	}
	children := make([][]int, t.cfg.Branch)
	for k, b := range nd.split.Assign(nil, y) {
		if b < 0 {
			dst[index[k]] = -1
			continue
		}
		children[b] = append(children[b], index[k])
	}
	for b, members := range children {
		t.walk(dst, x, nd.first+b, members)
	}
}

// Config returns the settings with all defaults filled in.
func (t *TreeModel) Config() Tree { return t.cfg }

// Stats returns statistics of the fit. A model that was read from a file has none.
func (t *TreeModel) Stats() TreeStats { return t.stats }

// Nodes returns the tree as arrays: the number of the first child of every node, 0 for a leaf,
// and the centers of all nodes, zeros for the root. Node i has the children
// first[i] … first[i]+Branch−1. Leaves are numbered in the order of the nodes.
func (t *TreeModel) Nodes() (first []int, centers *mat.Dense) {
	first = make([]int, len(t.nodes))
	centers = mat.NewDense(len(t.nodes), t.d, nil)
	for i, nd := range t.nodes {
		first[i] = nd.first
		if nd.split != nil {
			for b := range t.cfg.Branch {
				centers.SetRow(nd.first+b, nd.split.centers.RawRowView(b))
			}
		}
	}
	return first, centers
}

// Encode writes the settings, the number of the first child of every node (0
// for a leaf) and the centers of all nodes (zeros for the root).
func (t *TreeModel) Encode(w *modelfile.Writer) error { return modelfile.Put(w, t.form) }

// DecodeTree reads a TreeModel that Encode has written. The error says what is wrong with a damaged file.
func DecodeTree(f *modelfile.File) (*TreeModel, error) {
	return modelfile.Get(f, new(TreeModel), (*TreeModel).form)
}

// form lists what a file holds of the model. Writing and reading a file go through these same statements.
func (t *TreeModel) form(x *modelfile.Exchange) {
	var first []int
	var centers *mat.Dense
	if x.Writing() {
		first, centers = t.Nodes()
	}
	x.Header("kmeans.tree", 1, &t.cfg)
	x.Require(t.cfg.Branch > 1, "", "a tree with %d children a node", t.cfg.Branch)
	x.Ints("first", &first, -1, 0, math.MaxInt)
	x.Dense("centers", &centers, len(first), -1)
	if !x.Reading() {
		return
	}
	if err := t.link(first, centers); err != nil {
		x.Errorf("first", "%v", err)
	}
}

// link makes the nodes from the numbers of their first children and their centers. There must be
// at least one node.
func (t *TreeModel) link(first []int, centers *mat.Dense) error {
	_, t.d = centers.Dims()
	t.nodes = make([]node, len(first))
	t.nodes[0].parent = -1
	next := 1
	for i, c := range first {
		nd := &t.nodes[i]
		nd.leaf = -1
		if c == 0 {
			nd.leaf = len(t.leaves)
			t.leaves = append(t.leaves, i)
			continue
		}
		if c != next || i >= c || t.cfg.Branch > len(first)-c {
			return fmt.Errorf("the children of node %d start at %d, want %d", i, c, next)
		}
		next += t.cfg.Branch
		nd.first = c
		nd.split = &Model{cfg: t.cfg.Split, centers: centers.Slice(c, c+t.cfg.Branch, 0, t.d).(*mat.Dense)}
		for b := range t.cfg.Branch {
			t.nodes[c+b].parent = i
		}
	}
	if next != len(first) {
		return fmt.Errorf("%d nodes, %d of them are children", len(first), next-1)
	}
	return nil
}
