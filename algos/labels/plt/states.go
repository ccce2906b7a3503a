package plt

import (
	"slices"

	"github.com/gramworks/gram/modelfile"
)

// Tree is a tree of labels without its functions; see Pieces.Divide.
type Tree struct {
	order    []int32 // the labels that have rows
	nodes    []span  // of order
	children [][]span
}

// Exchange describes the tree in a file: the order of the labels, and the nodes as the numbers of their children that are nodes, and the
// numbers of labels of these.
func (t *Tree) Exchange(x *modelfile.Exchange) {
	x.Header("plt.tree", 1, &struct{}{})
	var parts, sizes []int32
	for _, list := range t.children {
		parts = append(parts, int32(len(list)))
		for _, s := range list {
			sizes = append(sizes, int32(s.hi-s.lo))
		}
	}
	x.Int32("order", &t.order, -1, 0, modelfile.MaxInt)
	x.Int32("parts", &parts, -1, 0, modelfile.MaxInt)
	x.Int32("sizes", &sizes, -1, 1, modelfile.MaxInt)
	if x.Reading() {
		x.Require(t.grow(parts, sizes), "sizes", "the nodes do not have the labels of their children")
	}
}

// grow makes the nodes of the tree, parents before their children, and reports whether the children of each have its labels.
func (t *Tree) grow(parts, sizes []int32) bool {
	t.nodes, t.children = []span{{0, len(t.order)}}, nil
	for _, n := range parts {
		v := len(t.children)
		if v == len(t.nodes) || int(n) > len(sizes) {
			return false
		}
		var list []span
		lo := t.nodes[v].lo
		for _, size := range sizes[:n] {
			if int(size) > t.nodes[v].hi-lo {
				return false
			}
			list = append(list, span{lo, lo + int(size)})
			lo += int(size)
		}
		if n > 0 && lo != t.nodes[v].hi {
			return false
		}
		t.nodes, t.children, sizes = append(t.nodes, list...), append(t.children, list), sizes[n:]
	}
	return len(t.children) == len(t.nodes) && len(sizes) == 0
}

// has reports whether the labels of the tree are those given, which ascend.
func (t *Tree) has(labels []int32) bool {
	sorted := slices.Clone(t.order)
	slices.Sort(sorted)
	return slices.Equal(sorted, labels)
}

// walk calls visit with each node, and with those below it before its neighbor.
func (t *Tree) walk(visit func(v int)) {
	first := make([]int, len(t.nodes)) // child of a node
	next := 1
	for v, list := range t.children {
		first[v] = next
		next += len(list)
	}
	var down func(v int)
	down = func(v int) {
		visit(v)
		for k := range t.children[v] {
			down(first[v] + k)
		}
	}
	down(0)
}

// Piece is the functions of some children of nodes; see Pieces.Train.
type Piece struct{ chunks []*chunk }

// Exchange describes the functions in a file, as those of a model.
func (p *Piece) Exchange(x *modelfile.Exchange) {
	x.Header("plt.piece", 1, &struct{}{})
	f := functions{}
	if x.Writing() {
		f = functions{first: []int32{0}, at: []int32{0}, ptr: []int32{0}}
		for _, c := range p.chunks {
			f.add(c)
		}
	}
	f.exchange(x, modelfile.MaxInt, func(int) {})
	if x.Reading() {
		f.check(x)
	}
	if x.Reading() {
		p.chunks = f.chunks()
	}
}

// chunks returns the functions node by node. They share the memory of f, except for ptr.
func (f *functions) chunks() (chunks []*chunk) {
	for v := range len(f.first) - 1 {
		a, b := f.at[v], f.at[v+1]
		from, to := f.ptr[a], f.ptr[b]
		c := &chunk{bias: f.bias[f.first[v]:f.first[v+1]], column: f.column[a:b], child: f.which[from:to], value: f.value[from:to]}
		for _, p := range f.ptr[a : b+1] {
			c.ptr = append(c.ptr, p-from)
		}
		chunks = append(chunks, c)
	}
	return chunks
}

// is reports whether the functions are of as many children of as many nodes, and of columns below d.
func (p *Piece) is(places []place, d int) bool {
	return slices.EqualFunc(p.chunks, places, func(c *chunk, at place) bool {
		return len(c.bias) == at.hi-at.lo && (len(c.column) == 0 || int(c.column[len(c.column)-1]) < d)
	})
}
