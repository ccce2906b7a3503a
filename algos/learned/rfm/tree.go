package rfm

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

const (
	maxShares   = 12   // leaves that a row is mixed of at most
	sharesOf    = .99  // weight at which the smaller shares of a row are left out
	leastShare  = 1e-4 // weight of a branch that is not followed
	leastOfNode = 4    // each side of a node has one of so many of its rows at least
)

// tree divides rows by projections: a row goes left in a node where its product with the node's direction is at most the threshold.
type tree struct {
	directions *mat.Dense // nodes×d
	thresholds []float64
	widths     []float64 // distance of the quartiles of the projections in each node
	children   []int     // two of each node, left and right: the number of a node, or −1 − that of a leaf
}

// leaves returns the number of leaves, one more than there are nodes.
func (t *tree) leaves() int { return len(t.thresholds) + 1 }

// growing is a tree to which grow adds nodes, with the rows of its leaves so far.
type growing struct {
	x       gram.Samples[float64]
	leaf    int     // rows of a leaf at most
	overlap float64 // share of a node's rows, on each side of the threshold, that go to both sides
	// directions returns those that a node may be divided along, the best first, as columns.
	directions func(ctx context.Context, index []int) (*mat.Dense, error)
	tree       tree
	nodes      [][]float64 // directions
	parts      [][]int     // rows of each leaf
}

// grow divides the rows at these places, and returns the number of the node or −1 − that of the leaf.
func (g *growing) grow(ctx context.Context, index []int) (int, error) {
	if len(index) > g.leaf {
		all, err := g.directions(ctx, index)
		if err != nil {
			return 0, err
		}
		d, count := all.Dims()
		share := leftShare(len(index), g.leaf)
		for k := range count {
			direction := mat.Col(make([]float64, d), k, all)
			values := make([]float64, len(index))
			for q, i := range index {
				values[q] = rows.Dot(g.x, i, direction)
			}
			if c, ok := cutAt(values, share, g.overlap); ok {
				return g.divide(ctx, index, values, direction, c)
			}
		}
		index = thin(index, g.leaf) // rows that are almost all equal
	}
	g.parts = append(g.parts, index)
	return -len(g.parts), nil
}

// divide adds a node that sends the rows at index by their values along direction to one side of the cut or to both, grows both
// sides, and returns the number of the node.
func (g *growing) divide(ctx context.Context, index []int, values, direction []float64, c cut) (int, error) {
	at := len(g.nodes)
	g.nodes = append(g.nodes, direction)
	g.tree.thresholds, g.tree.widths = append(g.tree.thresholds, c.threshold), append(g.tree.widths, c.width)
	g.tree.children = append(g.tree.children, 0, 0)
	var sides [2][]int
	for q, v := range values {
		if v <= c.left {
			sides[0] = append(sides[0], index[q])
		}
		if v > c.right {
			sides[1] = append(sides[1], index[q])
		}
	}
	for side, part := range sides {
		child, err := g.grow(ctx, part)
		if err != nil {
			return 0, err
		}
		g.tree.children[2*at+side] = child
	}
	return at, nil
}

// finish returns the tree, nil if there is one leaf.
func (g *growing) finish() *tree {
	if len(g.nodes) == 0 {
		return nil
	}
	t := g.tree
	t.directions = mat.NewDense(len(g.nodes), len(g.nodes[0]), nil)
	for i, v := range g.nodes {
		t.directions.SetRow(i, v)
	}
	return &t
}

// leftShare returns the share of n rows that goes left so that leaves of at most that many rows are about full: between a third and a half.
func leftShare(n, leaf int) float64 {
	count := (n + leaf - 1) / leaf
	return float64(count/2) / float64(count)
}

// cut divides projections: those up to threshold are left. Of the rows of a fit those up to left go left and those above right go right.
type cut struct{ threshold, left, right, width float64 }

// cutAt returns the cut between two different values where about that share of the values is left, and at least a quarter
// on each side; false if there is none.
func cutAt(values []float64, share, overlap float64) (cut, bool) {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	least := (n + leastOfNode - 1) / leastOfNode
	want, best := int(share*float64(n)+.5), -1
	for k := least; k <= n-least; k++ {
		if k > 0 && sorted[k-1] < sorted[k] && (best < 0 || abs(k-want) < abs(best-want)) {
			best = k
		}
	}
	if best < 0 {
		return cut{}, false
	}
	c := cut{threshold: sorted[best-1] + (sorted[best]-sorted[best-1])/2, width: sorted[3*n/4] - sorted[n/4]}
	if c.threshold >= sorted[best] {
		c.threshold = sorted[best-1]
	}
	if !(c.width > 0) {
		c.width = sorted[n-1] - sorted[0]
	}
	c.left, c.right = c.threshold, c.threshold
	if both := int(overlap * float64(n)); both > 0 {
		left, right := sorted[min(n-1, best-1+both)], sorted[max(0, best-1-both)]
		if sorted[n-least] > left { // at least a quarter stays on its own side
			c.left = left
		}
		if sorted[least-1] <= right {
			c.right = right
		}
	}
	return c, true
}

func abs(k int) int { return max(k, -k) }

// thin returns at most that many of the places, at even distances.
func thin(index []int, most int) []int {
	some := make([]int, min(most, len(index)))
	for k := range some {
		some[k] = index[int(int64(k)*int64(len(index))/int64(len(some)))]
	}
	return some
}

// share is the weight of a leaf in the prediction of a row.
type share struct {
	leaf   int
	weight float64
}

// shares appends the leaves of a row with these projections on the directions of all nodes, with their weights, the largest first. A
// node's sides have the weights 1/(1+exp(±(v−threshold)/(soft·width))), or 1 and 0 if soft is 0.
func (t *tree) shares(to []share, values []float64, soft float64) []share {
	to = t.follow(to, 0, 1, values, soft)
	if len(to) == 1 {
		to[0].weight = 1
		return to
	}
	slices.SortStableFunc(to, func(a, b share) int { return cmp.Compare(b.weight, a.weight) })
	to = to[:min(len(to), maxShares)]
	sum := 0.
	for k, s := range to {
		if sum += s.weight; sum >= sharesOf {
			to = to[:k+1]
			break
		}
	}
	for k := range to {
		to[k].weight /= sum
	}
	return to
}

// follow appends the leaves below the node, or the leaf, with the given weight.
func (t *tree) follow(to []share, node int, weight float64, values []float64, soft float64) []share {
	if node < 0 {
		return append(to, share{-1 - node, weight})
	}
	right := 0.
	switch far := values[node] - t.thresholds[node]; {
	case soft > 0:
		right = 1 / (1 + math.Exp(-far/(soft*t.widths[node])))
	case far > 0:
		right = 1
	}
	for side, part := range [2]float64{1 - right, right} {
		if part *= weight; part > leastShare || part > 0 && part >= weight/2 {
			to = t.follow(to, t.children[2*node+side], part, values, soft)
		}
	}
	return to
}

// form lists what a file holds of the tree. Writing and reading a file go through these same statements.
func (t *tree) form(x *modelfile.Exchange) {
	x.Dense("directions", &t.directions, -1, -1)
	nodes := -1
	if t.directions != nil {
		nodes, _ = t.directions.Dims()
	}
	x.Float64("thresholds", &t.thresholds, nodes)
	x.Float64("widths", &t.widths, nodes)
	x.Ints("children", &t.children, 2*nodes, -nodes-1, nodes-1)
	if !x.Reading() {
		return
	}
	seen := map[int]bool{0: true} // the root
	for k, child := range t.children {
		x.Require(!seen[child] && (child < 0 || child > k/2), "children", "node %d has the child %d", k/2, child)
		seen[child] = true
	}
	for _, w := range t.widths {
		x.Require(w > 0, "widths", "%v", w)
	}
}

// router sends rows down the tree to their leaves: each row to one leaf if soft is 0, else to up to maxShares leaves with
// weights.
type router[F gram.Float] struct {
	tree  *tree
	soft  float64
	block *kernel.Block[F]
	pool  sync.Pool // *routing[F]
}

// routing is the memory that one call of a Router needs to send rows down the tree.
type routing[F gram.Float] struct {
	projections []F
	values      []float64
	shares      []share
	rows        [][]int32 // of each leaf
	weights     [][]F
	none        []int32
}

func newRouter[F gram.Float](t *tree, soft float64) *router[F] {
	r := &router[F]{tree: t, soft: soft, block: kernel.Against[F](kernel.Linear{}, t.directions)}
	r.pool.New = func() any {
		return &routing[F]{values: make([]float64, len(t.thresholds)), rows: make([][]int32, t.leaves()), weights: make([][]F, t.leaves())}
	}
	return r
}

// Dims returns the number of columns and of leaves.
func (r *router[F]) Dims() (d, parts int) {
	_, d = r.tree.directions.Dims()
	return d, r.tree.leaves()
}

// Cost returns the flops of one row, the bytes that the program holds and the bytes of the workspace of one call.
func (r *router[F]) Cost() gram.Plan {
	nodes, d := r.tree.directions.Dims()
	return gram.Plan{Flops: 2 * float64(nodes*d), ModelBytes: program.Size[F](nodes * d), PeakBytes: program.Size[F](program.RoutedRows * (nodes + 2*maxShares))}
}

// routeRows is the number of rows whose projections are held together.
const routeRows = 48

// Route sends the rows of every leaf, with their weights, to the leaf's receiver.
func (r *router[F]) Route(to *program.Routes[F], x gram.Samples[F]) {
	w := r.pool.Get().(*routing[F])
	nodes := len(w.values)
	w.projections, w.none = program.Grow(w.projections, routeRows*nodes), w.none[:0]
	for k := range w.rows {
		w.rows[k], w.weights[k] = w.rows[k][:0], w.weights[k][:0]
	}
	for lo := 0; lo < x.N(); lo += routeRows {
		hi := min(lo+routeRows, x.N())
		projections := gram.Rows[F]{Data: w.projections, N: hi - lo, D: nodes, Stride: nodes}
		r.block.FillSerial(projections, x.Slice(lo, hi))
		for i := range projections.N {
			row := projections.Row(i)
			if program.HasNaN(row) {
				w.none = append(w.none, int32(lo+i))
				continue
			}
			for c, v := range row {
				w.values[c] = float64(v)
			}
			w.shares = r.tree.shares(w.shares[:0], w.values, r.soft)
			for _, s := range w.shares {
				w.rows[s.leaf], w.weights[s.leaf] = append(w.rows[s.leaf], int32(lo+i)), append(w.weights[s.leaf], F(s.weight))
			}
		}
	}
	to.None(w.none)
	for k, index := range w.rows {
		if len(index) > 0 {
			to.Part(k, index, w.weights[k])
		}
	}
	r.pool.Put(w)
}
