package plt

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/program"
)

// forest holds the trees one after another in flat arrays. Children come after their parents.
type forest struct {
	roots []int32
	child []int32 // those of node v are child[first[v]:first[v+1]]: nodes, or ^label
	functions

	weight []float64 // of the columns; nil: 1
	near   nearby
}

// functions are the linear functions of the children of nodes.
type functions struct {
	// The constants of the children of node v are bias[first[v]:first[v+1]].
	first []int32
	bias  []float32
	// The columns of node v that have weights are column[at[v]:at[v+1]], ascending. The weights of
	// column q are value[ptr[q]:ptr[q+1]], of the children whose numbers in their node are in which.
	at     []int32
	column []int32
	ptr    []int32
	which  []int32
	value  []float32
}

// add appends the functions of the children of the next node.
func (f *functions) add(c *chunk) {
	base := int32(len(f.value))
	for _, p := range c.ptr[1:] {
		f.ptr = append(f.ptr, base+p)
	}
	f.bias, f.column = append(f.bias, c.bias...), append(f.column, c.column...)
	f.which, f.value = append(f.which, c.child...), append(f.value, c.value...)
	f.first, f.at = append(f.first, int32(len(f.bias))), append(f.at, int32(len(f.column)))
}

// nearby holds the features of the labels by column: those of column j are value[ptr[j]:ptr[j+1]], of the labels label. There are none without near.
type nearby struct {
	ptr, label []int32
	value      []float32
}

// append adds a tree. The nodes of a level follow each other, and so do their children.
func (f *forest) append(order []int32, nodes []span, children [][]span, chunks []*chunk) bool {
	if f.first == nil {
		f.first, f.at, f.ptr = []int32{0}, []int32{0}, []int32{0}
	}
	total := len(f.value)
	for _, c := range chunks {
		total += len(c.value)
	}
	if total > math.MaxInt32 {
		return false
	}
	root := int32(len(f.first) - 1)
	f.roots = append(f.roots, root)
	next := root + 1
	for v, s := range nodes {
		c := chunks[v]
		for range children[v] {
			f.child = append(f.child, next)
			next++
		}
		if children[v] == nil {
			for _, l := range order[s.lo:s.hi] {
				f.child = append(f.child, ^l)
			}
		}
		f.add(c)
		chunks[v] = nil
	}
	return true
}

func (f *forest) stats() Stats {
	return Stats{Trees: len(f.roots), Nodes: max(0, len(f.first)-1), Weights: len(f.value)}
}

// margins sets dst to w·x̃ of the children of node v for the row that is z at the columns of
// nonzero, ascending, and 0 elsewhere. The sums have the same order either way.
func (f *forest) margins(dst []float64, v int32, z []float64, nonzero []int32) {
	for k, b := range f.bias[f.first[v]:f.first[v+1]] {
		dst[k] = float64(b)
	}
	lo, hi := f.at[v], f.at[v+1]
	add := func(q int32, x float64) {
		a, b := f.ptr[q], f.ptr[q+1]
		value := f.value[a:b]
		for k, c := range f.which[a:b] {
			dst[c] += float64(float64(value[k]) * x)
		}
	}
	const search = 4 // times the logarithm is what a binary search costs, in steps of a scan
	if log := math.Log2(float64(hi - lo + 1)); search*log*float64(len(nonzero)) >= float64(hi-lo) {
		for q := lo; q < hi; q++ {
			if x := z[f.column[q]]; x != 0 {
				add(q, x)
			}
		}
		return
	}
	for _, j := range nonzero {
		k, found := slices.BinarySearch(f.column[lo:hi], j)
		if lo += int32(k); found {
			add(lo, z[j])
		}
	}
}

// step is a node or a label that a search has reached, with the logarithm of its probability.
type step struct {
	node int32
	log  float64
}

// searchWorkspace is the memory that one goroutine needs to search the trees for the labels of a row.
type searchWorkspace struct {
	nonzero    []int32
	margin     []float64
	beam, next []step
	label      []int32
	value      []float64
}

// search finds the most probable labels of a row in a forest by beam search.
type search struct {
	*forest
	beam int
	near float64   // times the number of trees, which the sums are divided by
	most int       // children of a node
	ways sync.Pool // *searchWorkspace
}

// least is the logarithm of the smallest probability, so that the order of probabilities never
// ends in zeros.
const least = -700

// descend adds the probabilities of the labels that the beam of one tree reaches.
func (s *search) descend(root int32, w *searchWorkspace, r *program.Room[float64]) {
	w.beam = append(w.beam[:0], step{root, 0})
	for len(w.beam) > 0 {
		w.next = w.next[:0]
		for _, b := range w.beam {
			children := s.child[s.first[b.node]:s.first[b.node+1]]
			s.margins(w.margin, b.node, r.Z, w.nonzero)
			w.label, w.value = w.label[:0], w.value[:0]
			for k, c := range children {
				log := b.log - math.Log1p(math.Exp(-2*w.margin[k]))
				if c >= 0 {
					w.next = append(w.next, step{c, log})
				} else {
					w.label, w.value = append(w.label, ^c), append(w.value, math.Exp(max(least, log)))
				}
			}
			r.Sums.Add(w.label, w.value)
		}
		if len(w.next) > s.beam {
			slices.SortFunc(w.next, func(a, b step) int {
				return cmp.Or(cmp.Compare(b.log, a.log), cmp.Compare(a.node, b.node))
			})
			w.next = w.next[:s.beam]
		}
		w.beam, w.next = w.next, w.beam
	}
}

// weigh sets the weight of the cosines of rows and labels beside the mean of the trees: times their number, by which the sum is divided.
func (s *search) weigh(near float64) { s.near = near * float64(max(1, len(s.roots))) }

// approach adds near times the cosine of the row and the feature of each label with which it shares a column.
func (s *search) approach(w *searchWorkspace, r *program.Room[float64]) {
	f := &s.forest.near
	for _, j := range w.nonzero {
		lo, hi := f.ptr[j], f.ptr[j+1]
		z := s.near * r.Z[j]
		w.value = w.value[:0]
		for _, v := range f.value[lo:hi] {
			w.value = append(w.value, z*float64(v))
		}
		r.Sums.Add(f.label[lo:hi], w.value)
	}
}

// collect adds up the scores of the labels that row i of x reaches. It reports whether the
// row is finite.
func collect[F gram.Float](s *search, r *program.Room[float64], x gram.Samples[F], i int) bool {
	w, _ := s.ways.Get().(*searchWorkspace)
	if w == nil {
		w = &searchWorkspace{margin: make([]float64, s.most)}
	}
	defer s.ways.Put(w)
	finite := false
	if rows, dense := x.Dense(); dense {
		finite = spread(w, s.weight, r.Z, nil, rows.Row(i))
	} else {
		col, val := x.Nonzeros(i)
		finite = spread(w, s.weight, r.Z, col, val)
	}
	if !finite {
		return false
	}
	for _, root := range s.roots {
		s.descend(root, w, r)
	}
	if s.near > 0 {
		s.approach(w, r)
	}
	for _, j := range w.nonzero {
		r.Z[j] = 0
	}
	return true
}

// spread sets z to the weighed row divided by its length, and w.nonzero to the columns where it is not
// zero. It reports whether the row is finite, and else changes nothing. Nil col stands for all
// columns, nil val for ones.
func spread[V gram.Float](w *searchWorkspace, weight, z []float64, col []int32, val []V) bool {
	w.nonzero = w.nonzero[:0]
	l := length(weight, col, val)
	if math.IsInf(l, 0) || program.HasNaN(val) {
		return false
	}
	if l == 0 {
		return true
	}
	for q := range max(len(col), len(val)) {
		j := int32(q)
		if col != nil {
			j = col[q]
		}
		if v := weighed(weight, col, val, q) / l; v != 0 {
			z[j] = v
			w.nonzero = append(w.nonzero, j)
		}
	}
	return true
}
