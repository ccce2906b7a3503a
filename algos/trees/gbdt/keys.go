package gbdt

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/trees"
	"github.com/gramworks/gram/internal/program"
)

// keyed is a forest on keys of one byte instead of numbers: how many of the column's thresholds a number exceeds.
// Comparisons of keys have the results of those of the numbers, so rows reach the same leaves.
type keyed[F gram.Float] struct {
	columns []keyColumn[F]
	keys    int // of a row
	value   []F // of the leaves, in the order of their numbers in their trees
	starts  []int32

	// For a row alone: the nodes of trees.Walk, and the trees in the order of their depths.
	nodes []uint64
	leaf  []F // values, by node
	order []keyedTree

	// For many rows: the trees as choices, some trees at a time. nil: some tree has more than mostLanes leaves.
	tiles        []keyedTile
	first, lines int // the line of the first leaf, and all lines
	out          int // the line of the first tree of a tile
}

// keyedTile is the trees from … to−1.
type keyedTile struct {
	from, to int
	program  *trees.Program
}

// keyedTree is a tree for a row alone.
type keyedTree struct{ root, depth, tree int32 }

// keyColumn makes keys of a column.
type keyColumn[F gram.Float] struct {
	feature    int
	above      bool // missing cells are above all thresholds, and not below them
	first      int  // key, of which each stands for keyValues thresholds
	thresholds []F  // ascending, and +Inf up to a power of 2, less 1
	count      int  // of thresholds without these +Inf
}

const (
	keyValues = 255 // thresholds of a key
	mostLanes = 256 // leaves of a tree whose numbers are bytes
	tileTrees = 64
	mostKey   = 255
)

// newKeyed returns f on keys, or nil if that would not be faster or there are splits of categories.
func newKeyed[F gram.Float](f *forest[F]) *keyed[F] {
	type column struct {
		feature int32
		above   bool
	}
	k, where := &keyed[F]{}, map[column]int{}
	columnOf := make([]int, len(f.nodes))
	for i, n := range f.nodes {
		if n.leaf(int32(i)) {
			continue
		}
		c := column{n.feature, f.kinds != nil && f.kinds[i] == missingNode}
		if f.kinds != nil && f.kinds[i] >= levelNode {
			return nil
		}
		at, known := where[c]
		if !known {
			at = len(k.columns)
			where[c] = at
			k.columns = append(k.columns, keyColumn[F]{feature: int(c.feature), above: c.above})
		}
		k.columns[at].thresholds = append(k.columns[at].thresholds, n.threshold)
		columnOf[i] = at
	}
	steps, search := 0, 0
	for _, depth := range f.depth {
		steps += int(depth)
	}
	for j := range k.columns {
		c := &k.columns[j]
		slices.Sort(c.thresholds)
		c.thresholds = slices.Compact(c.thresholds)
		c.first, c.count = k.keys, len(c.thresholds)
		k.keys += (c.count + keyValues - 1) / keyValues
		for len(c.thresholds)&(len(c.thresholds)+1) != 0 {
			c.thresholds = append(c.thresholds, F(math.Inf(1)))
		}
		search += bits.Len(uint(len(c.thresholds))) + 2
	}
	if steps < 2*search || k.keys > trees.Keys {
		return nil
	}
	k.plant(f, columnOf)
	k.sow(f)
	return k
}

// plant makes the nodes for a row alone.
func (k *keyed[F]) plant(f *forest[F], columnOf []int) {
	k.nodes, k.leaf = make([]uint64, len(f.nodes)), f.value
	for t, root := range f.roots {
		k.order = append(k.order, keyedTree{root, f.depth[t], int32(t)})
		k.starts = append(k.starts, int32(len(k.value)))
		for i := root; i < f.end(t); i++ {
			n := f.nodes[i]
			if n.leaf(i) {
				k.nodes[i] = uint64(i)<<32 | mostKey<<16
				k.value = append(k.value, f.value[i])
				continue
			}
			c := &k.columns[columnOf[i]]
			at, _ := slices.BinarySearch(c.thresholds[:c.count], n.threshold)
			k.nodes[i] = uint64(n.left)<<32 | uint64(at%keyValues)<<16 | uint64(c.first+at/keyValues)
		}
	}
	slices.SortStableFunc(k.order, func(a, b keyedTree) int { return cmp.Compare(a.depth, b.depth) })
}

// sow makes the tiles for many rows.
func (k *keyed[F]) sow(f *forest[F]) {
	leaves, splits := 0, 0
	for t := range f.roots {
		nodes := int(f.end(t) - f.roots[t])
		leaves, splits = max(leaves, (nodes+1)/2), max(splits, nodes/2)
	}
	if leaves > mostLanes {
		return
	}
	k.first, k.out = k.keys, k.keys+leaves+splits
	k.lines = k.out + tileTrees
	line := func(i int) uint32 { return uint32(i * trees.Lanes) }
	to := make([]uint32, len(f.nodes)) // the line of each node
	for from := 0; from < len(f.roots); from += tileTrees {
		end := min(from+tileTrees, len(f.roots))
		var choices []trees.Choice
		for t := from; t < end; t++ {
			root, scratch, leaf := f.roots[t], k.first+leaves, k.first+int(f.end(t)-f.roots[t])/2
			for i := f.end(t) - 1; i >= root; i-- {
				n := k.nodes[i]
				left := uint32(n >> 32)
				if left == uint32(i) {
					to[i] = line(leaf)
					if leaf--; i > root {
						continue
					}
					choices = append(choices, trees.Choice{Low: to[i], High: to[i], To: line(k.out + t - from)})
					continue
				}
				to[i] = line(scratch)
				if scratch++; i == root {
					to[i] = line(k.out + t - from)
				}
				choices = append(choices, trees.Choice{Key: line(int(n & 0xffff)), Low: to[left], High: to[left+1], To: to[i], Limit: int32(n>>16&0xffff) - 127})
			}
		}
		k.tiles = append(k.tiles, keyedTile{from, end, trees.New(choices, k.lines)})
	}
}

// end is the end of the nodes of tree t.
func (f *forest[F]) end(t int) int32 {
	if t+1 < len(f.roots) {
		return f.roots[t+1]
	}
	return int32(len(f.nodes))
}

// bytes is the memory of k.
func (k *keyed[F]) bytes() int64 {
	if k == nil {
		return 0
	}
	floats, b := len(k.value), 8*len(k.nodes)+12*len(k.order)+4*len(k.starts)
	for _, c := range k.columns {
		floats, b = floats+len(c.thresholds), b+64
	}
	for _, t := range k.tiles {
		b += 56 + t.program.Bytes()
	}
	return program.Size[F](floats) + int64(b)
}

// work is memory for predictions.
type work[F gram.Float] struct {
	buffer []uint8
	value  []F
}

func (k *keyed[F]) work() *work[F] {
	w := &work[F]{buffer: make([]uint8, max(trees.Keys, k.lines*trees.Lanes)), value: make([]F, len(k.order))}
	for leaf := k.first; leaf < k.out; leaf++ {
		for i := range trees.Lanes {
			w.buffer[leaf*trees.Lanes+i] = uint8(leaf - k.first)
		}
	}
	return w
}

// add adds the values of all trees to dst for the rows of x.
func (k *keyed[F]) add(dst, x gram.Rows[F], w *work[F]) {
	i := 0
	if k.tiles != nil && k.tiles[0].program.Fast() {
		for ; x.N-i >= fewestLanes; i += min(trees.Lanes, x.N-i) {
			end := min(i+trees.Lanes, x.N)
			k.together(dst.Slice(i, end), x.Slice(i, end), w)
		}
	}
	for ; i < x.N; i++ {
		k.alone(dst.Row(i), x.Row(i), w)
	}
}

// fewestLanes is the number of rows from which they are evaluated together.
const fewestLanes = 12

// together adds the values of all trees to dst for at most Lanes rows.
func (k *keyed[F]) together(dst, x gram.Rows[F], w *work[F]) {
	for j := range k.columns {
		k.columns[j].put(w.buffer, x, trees.Lanes, 0x80)
	}
	for _, tile := range k.tiles {
		tile.program.Run(w.buffer)
		leaves := w.buffer[k.out*trees.Lanes:]
		i := 0
		for ; i+4 <= x.N; i += 4 {
			d0, d1, d2, d3 := dst.Row(i), dst.Row(i+1), dst.Row(i+2), dst.Row(i+3)
			c := tile.from % len(d0)
			for t, start := range k.starts[tile.from:tile.to] {
				value := k.value[start:]
				of := leaves[t*trees.Lanes+i:][:4]
				d0[c] += value[of[0]]
				d1[c] += value[of[1]]
				d2[c] += value[of[2]]
				d3[c] += value[of[3]]
				if c++; c == len(d0) {
					c = 0
				}
			}
		}
		for ; i < x.N; i++ {
			d := dst.Row(i)
			for t, start := range k.starts[tile.from:tile.to] {
				d[(tile.from+t)%len(d)] += k.value[start:][leaves[t*trees.Lanes+i]]
			}
		}
	}
}

// put sets the keys of the column for the rows of x, those of a key side by side, those of a row stride apart, with the bits
// turn turned.
func (c *keyColumn[F]) put(keys []uint8, x gram.Rows[F], stride int, turn uint8) {
	last := (c.count - 1) / keyValues
	for i := range x.N {
		at := c.search(x.Data[i*x.Stride+c.feature])
		for p := 0; p <= last; p++ {
			keys[(c.first+p)*stride+i] = uint8(max(0, min(at-p*keyValues, keyValues))) ^ turn
		}
	}
}

// search returns how many thresholds v exceeds.
func (c *keyColumn[F]) search(v F) int {
	if v != v && c.above {
		return c.count
	}
	t, at := c.thresholds, 0
	for step := len(t)/2 + 1; step > 0; step >>= 1 {
		at += int(above(v, t[at+step-1])) * step
	}
	return at
}

// alone adds the values of all trees to dst for a single row: eight trees of about the same depth go on together, and
// their values are added in the order of the trees.
func (k *keyed[F]) alone(dst, x []F, w *work[F]) {
	keys := (*[trees.Keys]uint8)(w.buffer)
	row := gram.Rows[F]{Data: x, N: 1, D: len(x), Stride: len(x)}
	for j := range k.columns {
		k.columns[j].put(w.buffer, row, 1, 0)
	}
	var at [trees.Walks]uint64
	for q := 0; q < len(k.order); q += trees.Walks {
		some := k.order[q:min(q+trees.Walks, len(k.order))]
		for i, a := range some {
			at[i] = uint64(a.root)
		}
		trees.Walk(k.nodes, keys, &at, int(some[len(some)-1].depth))
		for i, a := range some {
			w.value[a.tree] = k.leaf[at[i]]
		}
	}
	if len(dst) == 1 {
		sum := dst[0]
		for _, v := range w.value {
			sum += v
		}
		dst[0] = sum
		return
	}
	for t := 0; t < len(w.value); t += len(dst) {
		for c, v := range w.value[t : t+len(dst)] {
			dst[c] += v
		}
	}
}
