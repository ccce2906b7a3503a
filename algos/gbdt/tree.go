package gbdt

import "math"

// node of a tree: a row goes to left if its feature is at most threshold, else
// to left+1. A leaf's left is the leaf itself and its threshold +Inf, so that a
// row that has arrived stays.
type node struct {
	threshold float64
	feature   int32
	left      int32
}

func (n node) leaf(at int32) bool { return n.left == at }

// tree is a tree that is being grown; the root is node 0.
type tree struct {
	nodes []node
	value []float64 // of the leaves
	gain  []float64 // of the splits
	bin   []int32   // of the splits: codes of at most bin go left
}

// leaf adds a leaf.
func (t *tree) leaf() int {
	at := len(t.nodes)
	t.nodes = append(t.nodes, node{threshold: math.Inf(1), left: int32(at)})
	t.value, t.gain, t.bin = append(t.value, 0), append(t.gain, 0), append(t.bin, 0)
	return at
}

// split gives the leaf at two children.
func (t *tree) split(at, feature, bin int, threshold, gain float64) (left, right int) {
	left, right = t.leaf(), t.leaf()
	t.nodes[at] = node{threshold, int32(feature), int32(left)}
	t.value[at], t.gain[at], t.bin[at] = 0, gain, int32(bin)
	return left, right
}

// forest holds trees one after another. left is an index into all nodes.
type forest struct {
	nodes []node
	value []float64
	roots []int32
	depth []int32 // of each tree: splits on the longest way to a leaf
}

func (f *forest) add(t *tree) {
	base := int32(len(f.nodes))
	f.roots = append(f.roots, base)
	for _, n := range t.nodes {
		n.left += base
		f.nodes = append(f.nodes, n)
	}
	f.value = append(f.value, t.value...)
	f.depth = append(f.depth, f.height(base, int32(len(f.nodes))))
}

// height is the number of splits on the longest way from root to a leaf of the
// tree in nodes root…end−1, where children come after their parents.
func (f *forest) height(root, end int32) int32 {
	level := make([]int32, end-root)
	var h int32
	for i := root; i < end; i++ {
		if n := f.nodes[i]; !n.leaf(i) {
			l := level[i-root] + 1
			level[n.left-root], level[n.left+1-root] = l, l
			h = max(h, l)
		}
	}
	return h
}

// predict adds the values of trees tree, tree+step, … to dst for the rows of x,
// len(dst) of them, each of d numbers.
func (f *forest) predict(dst, x []float64, d, tree, step int) {
	for ; tree < len(f.roots); tree += step {
		root, depth := f.roots[tree], f.depth[tree]
		i := 0
		// Four rows at a time: their loads do not wait for one another, and the
		// loop has no branch that depends on the data.
		for ; i+4 <= len(dst); i += 4 {
			r0, r1, r2, r3 := x[i*d:(i+1)*d], x[(i+1)*d:(i+2)*d], x[(i+2)*d:(i+3)*d], x[(i+3)*d:(i+4)*d]
			a0, a1, a2, a3 := root, root, root, root
			for range depth {
				n0, n1, n2, n3 := &f.nodes[a0], &f.nodes[a1], &f.nodes[a2], &f.nodes[a3]
				a0 = n0.left + above(r0[n0.feature], n0.threshold)
				a1 = n1.left + above(r1[n1.feature], n1.threshold)
				a2 = n2.left + above(r2[n2.feature], n2.threshold)
				a3 = n3.left + above(r3[n3.feature], n3.threshold)
			}
			dst[i] += f.value[a0]
			dst[i+1] += f.value[a1]
			dst[i+2] += f.value[a2]
			dst[i+3] += f.value[a3]
		}
		for ; i < len(dst); i++ {
			row, at := x[i*d:(i+1)*d], root
			for range depth {
				n := &f.nodes[at]
				at = n.left + above(row[n.feature], n.threshold)
			}
			dst[i] += f.value[at]
		}
	}
}

func above(v, threshold float64) int32 {
	var a int32
	if v > threshold {
		a = 1
	}
	return a
}
