package gbdt

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/trees"
	"github.com/gramworks/gram/internal/program"
)

// keyed is a forest on keys of one byte instead of numbers: how many of the column's thresholds a number exceeds.
// Comparisons of keys have the results of those of the numbers, so rows reach the same leaves.
type keyed[F gram.Float] struct {
	ranks  *trees.Ranks[F]
	keys   int  // of a row
	slow   bool // without assembly for the ranks these take longer than the trees without keys
	value  []F  // of the leaves, in the order of their numbers in their trees, and trees.Leaves zeros
	starts []int32
	leaves int // of the tree with most

	// For a row alone: small trees, or nil, and for others and levels without assembly the nodes of trees.Walk, and
	// the trees in the order of their depths.
	row   *trees.Row
	nodes []uint64
	leaf  []F // values, by node
	order []keyedTree

	// For many rows: the trees as choices, some trees at a time. nil: some tree has more than trees.Leaves leaves.
	tiles        []keyedTile
	first, lines int // the line of the first leaf, and all lines
	out          int // the line of the first tree of a tile
}

// keyedTile holds the program that evaluates the trees from … to−1, at most tileTrees of them.
type keyedTile struct {
	from, to int
	program  *trees.Program
}

// keyedTree is a tree for a row alone.
type keyedTree struct{ root, depth, tree int32 }

// keyColumn is a column with all thresholds at which trees split it.
type keyColumn[F gram.Float] struct {
	feature    int
	above      bool // missing cells are above all thresholds, and not below them
	first      int  // key, of which each stands for trees.MostRank thresholds
	thresholds []F  // ascending
}

const (
	tileTrees = 64
	maxKey    = 255
)

// newKeyed returns f on keys, or nil if that would not be faster or there are splits of categories.
func newKeyed[F gram.Float](f *forest[F]) *keyed[F] {
	type column struct {
		feature int32
		above   bool
	}
	k, where := &keyed[F]{}, map[column]int{}
	var columns []keyColumn[F]
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
			at = len(columns)
			where[c] = at
			columns = append(columns, keyColumn[F]{feature: int(c.feature), above: c.above})
		}
		columns[at].thresholds = append(columns[at].thresholds, n.threshold)
		columnOf[i] = at
	}
	steps, search := 0, 0
	for _, depth := range f.depth {
		steps += int(depth)
	}
	var keys []trees.Column[F]
	for j := range columns {
		c := &columns[j]
		slices.Sort(c.thresholds)
		c.thresholds, c.first = slices.Compact(c.thresholds), len(keys)
		for some := range slices.Chunk(c.thresholds, trees.MostRank) {
			keys = append(keys, trees.Column[F]{Feature: c.feature, Key: len(keys), Thresholds: some, Above: c.above})
		}
		search += bits.Len(uint(len(c.thresholds))) + 2
	}
	if steps < 4*len(keys) || len(keys) > trees.Keys {
		return nil
	}
	k.slow = steps < 2*search
	k.ranks, k.keys = trees.NewRanks(keys), len(keys)
	k.makeNodes(f, columns, columnOf)
	k.makeTiles(f)
	k.makeRow(f)
	return k
}

// makeNodes makes the nodes for a row alone.
func (k *keyed[F]) makeNodes(f *forest[F], columns []keyColumn[F], columnOf []int) {
	k.nodes, k.leaf = make([]uint64, len(f.nodes)), f.value
	for t, root := range f.roots {
		k.order = append(k.order, keyedTree{root, f.depth[t], int32(t)})
		k.starts = append(k.starts, int32(len(k.value)))
		for i := root; i < f.end(t); i++ {
			n := f.nodes[i]
			if n.leaf(i) {
				k.nodes[i] = uint64(i)<<32 | maxKey<<16
				k.value = append(k.value, f.value[i])
				continue
			}
			c := &columns[columnOf[i]]
			at, _ := slices.BinarySearch(c.thresholds, n.threshold)
			k.nodes[i] = uint64(n.left)<<32 | uint64(at%trees.MostRank)<<16 | uint64(c.first+at/trees.MostRank)
		}
		k.leaves = max(k.leaves, len(k.value)-int(k.starts[t]))
	}
	k.value = append(k.value, make([]F, trees.Leaves)...)
	slices.SortStableFunc(k.order, func(a, b keyedTree) int { return cmp.Compare(a.depth, b.depth) })
}

// makeTiles compiles the trees into tiles for many rows. It makes none if a tree has more than trees.Leaves leaves.
func (k *keyed[F]) makeTiles(f *forest[F]) {
	if k.leaves > trees.Leaves {
		return
	}
	k.first, k.out = k.keys, k.keys+2*k.leaves-1
	k.lines = k.out + tileTrees
	line := func(i int) uint32 { return uint32(i * trees.Lanes) }
	to := make([]uint32, len(f.nodes)) // the line of each node
	for from := 0; from < len(f.roots); from += tileTrees {
		end := min(from+tileTrees, len(f.roots))
		var choices []trees.Choice
		for t := from; t < end; t++ {
			root, scratch, leaf := f.roots[t], k.first+k.leaves, k.first+int(f.end(t)-f.roots[t])/2
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

// makeRow makes the small trees for a row alone.
func (k *keyed[F]) makeRow(f *forest[F]) {
	if k.leaves > trees.MostLeaves || k.keys > trees.RowKeys {
		return
	}
	small, places := make([]trees.Splits, len(f.roots)), make([]uint8, len(f.nodes))
	for t, root := range f.roots {
		split, leaf := uint8(0), uint8(trees.MostLeaves)
		for i := root; i < f.end(t); i++ {
			if f.nodes[i].leaf(i) {
				places[i] = leaf
				leaf++
				continue
			}
			places[i] = split
			split++
		}
		s := &small[t]
		s.Low[0], s.High[0] = trees.MostLeaves, trees.MostLeaves // a root that is a leaf
		for i := root; i < f.end(t); i++ {
			if n, at := k.nodes[i], places[i]; at < trees.MostLeaves {
				left := n >> 32
				s.Key[at], s.Limit[at], s.Low[at], s.High[at] = uint8(n), int8(n>>16&0xff-128), places[left], places[left+1]
			}
		}
	}
	k.row = trees.NewRow(small, f.depth, k.keys)
}

// end is the end of the nodes of tree t.
func (f *forest[F]) end(t int) int32 {
	if t+1 < len(f.roots) {
		return f.roots[t+1]
	}
	return int32(len(f.nodes))
}

// bytes returns the memory of k in bytes, 0 for nil.
func (k *keyed[F]) bytes() int64 {
	if k == nil {
		return 0
	}
	b := k.ranks.Bytes() + 8*len(k.nodes) + 12*len(k.order) + 4*len(k.starts)
	if k.row != nil {
		b += k.row.Bytes()
	}
	for _, t := range k.tiles {
		b += 56 + t.program.Bytes()
	}
	return program.Size[F](len(k.value)) + int64(b)
}

// work is the scratch memory of a prediction, which one goroutine uses at a time.
type work[F gram.Float] struct {
	buffer []uint8
	sums   [][trees.Lanes]F // of each output
	leaves []uint8          // of a row alone
	places []uint8
	value  []F
}

func (k *keyed[F]) work(outputs int) *work[F] {
	w := &work[F]{buffer: make([]uint8, max(trees.Keys, k.lines*trees.Lanes)), sums: make([][trees.Lanes]F, outputs), value: make([]F, len(k.order))}
	for leaf := range k.leaves {
		for i := range trees.Lanes {
			w.buffer[(k.first+leaf)*trees.Lanes+i] = uint8(leaf)
		}
	}
	if k.row != nil {
		w.leaves, w.places = make([]uint8, k.row.Leaves()), k.row.Places()
	}
	return w
}

// add adds the values of all trees to dst for the rows of x.
func (k *keyed[F]) add(dst, x gram.Rows[F], w *work[F]) {
	i := 0
	if k.tiles != nil && k.tiles[0].program.Fast() {
		for ; x.N-i >= minLanes; i += min(trees.Lanes, x.N-i) {
			end := min(i+trees.Lanes, x.N)
			k.together(dst.Slice(i, end), x.Slice(i, end), w)
		}
	}
	for ; i < x.N; i++ {
		k.alone(dst.Row(i), x.Row(i), w)
	}
}

// minLanes is the number of rows from which they are evaluated together.
const minLanes = 12

// together adds the values of all trees to dst for at most Lanes rows.
func (k *keyed[F]) together(dst, x gram.Rows[F], w *work[F]) {
	k.ranks.Put(w.buffer, trees.Lanes, x.Data, x.Stride, x.N)
	for c := range w.sums {
		for i := range x.N {
			w.sums[c][i] = dst.Data[i*dst.Stride+c]
		}
	}
	for _, tile := range k.tiles {
		tile.program.Run(w.buffer)
		for t := tile.from; t < min(tile.from+len(w.sums), tile.to); t++ {
			leaves := w.buffer[(k.out+t-tile.from)*trees.Lanes:]
			trees.Add(&w.sums[t%len(w.sums)], leaves, k.value, k.starts[t:tile.to], len(w.sums), k.leaves)
		}
	}
	for c := range w.sums {
		for i := range x.N {
			dst.Data[i*dst.Stride+c] = w.sums[c][i]
		}
	}
}

// alone adds the values of all trees to dst for a single row, in the order of the trees.
func (k *keyed[F]) alone(dst, x []F, w *work[F]) {
	k.ranks.Put(w.buffer, 1, x, len(x), 1)
	if k.row != nil && k.row.Fast() {
		k.row.Run(w.leaves, w.places, w.buffer)
		for t, start := range k.starts {
			w.value[t] = k.value[int(start)+int(w.leaves[t])-trees.MostLeaves]
		}
	} else {
		k.walk(w)
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

// walk sets w.value to the values of a row of the keys w.buffer: eight trees of about the same depth go on together.
func (k *keyed[F]) walk(w *work[F]) {
	keys := (*[trees.Keys]uint8)(w.buffer)
	for j := range k.keys {
		keys[j] ^= 0x80
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
}
