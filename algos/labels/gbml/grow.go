package gbml

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/gramworks/gram/internal/bins"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/topk"
)

// planter takes the trees that grow: a forest.
type planter interface {
	begin() mark
	undo(m mark)
	split(at int32, column int, cut, gain float64) (left int32)
	finish(at int32, list []entry) (leaf int32)
	subtract(workers int, r *residual, leaves []int32)
}

// grower grows trees; its buffers serve all of them.
type grower struct {
	ctx    context.Context
	c      Config
	z      *bins.Table
	rows   []int32
	spare  []int32
	leaves []int32 // of each row

	// These fields belong to the node that is being split.
	node  local
	index []int32 // of a label: its number in the node + 1; 0: none yet
	names []int32 // the labels of the node by number
	total []float64
	count []int32
}

// local are the residuals of the rows of a node, in the order of its rows, with
// the labels that at least two of them have, renumbered.
type local struct {
	rows   []shared
	label  arena[int32]   // of rows
	value  arena[float64] // of rows that have labels of their own; others show the residuals
	size   int            // entries
	square []float64      // ‖c_i‖², all labels
	dot    []float64      // ⟨c_i, Σc⟩ over the node, all labels
	whole  float64        // ‖Σc‖²
	labels int
}

// shared are the entries of a row whose labels other rows of the node have, too.
type shared struct {
	label []int32
	value []float64
}

// arena lends memory in pieces and takes it all back at once, so that nothing is left behind when
// it grows.
type arena[T any] struct {
	chunks [][]T
	used   int // chunks
}

// chunkSize is the least size of a chunk.
const chunkSize = 1 << 15

// take returns n numbers, which may hold anything.
func (a *arena[T]) take(n int) []T {
	for ; a.used < len(a.chunks); a.used++ {
		c := &a.chunks[a.used]
		if at := len(*c); cap(*c)-at >= n {
			*c = (*c)[:at+n]
			return (*c)[at : at+n : at+n]
		}
	}
	a.chunks = append(a.chunks, make([]T, n, max(n, chunkSize)))
	return a.chunks[a.used][:n:n]
}

// give returns the last n numbers that were taken.
func (a *arena[T]) give(n int) {
	c := &a.chunks[a.used]
	*c = (*c)[:len(*c)-n]
}

// reset makes all memory of the arena free again, whose earlier slices must not be used any more.
func (a *arena[T]) reset() {
	for i := range a.chunks {
		a.chunks[i] = a.chunks[i][:0]
	}
	a.used = 0
}

func newGrower(ctx context.Context, c Config, z *bins.Table, labels int) *grower {
	return &grower{ctx: ctx, c: c, z: z, rows: make([]int32, z.N), spare: make([]int32, z.N),
		leaves: make([]int32, z.N), index: make([]int32, labels)}
}

// grow adds a tree to f and returns the leaf of each row.
func (g *grower) grow(f planter, res *residual, r *rand.Rand) ([]int32, error) {
	for i := range g.rows {
		g.rows[i] = int32(i)
	}
	t := f.begin()
	if err := g.split(f, t.root(), res, 0, len(g.rows), 0, r); err != nil {
		f.undo(t)
		return nil, err
	}
	return g.leaves, nil
}

// split finishes node at, which holds rows lo…hi−1 of g.rows.
func (g *grower) split(f planter, at int32, res *residual, lo, hi, depth int, r *rand.Rand) error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	rows := g.rows[lo:hi]
	g.gather(rows, res)
	if depth < g.c.Depth && len(rows) >= 2*g.c.MinRows {
		best, err := g.best(rows, draw(len(g.z.Cuts), g.c.ColumnSample, r))
		if err != nil {
			return err
		}
		if best.gain > 0 {
			k := g.partition(rows, best)
			left := f.split(at, best.column, g.z.Cuts[best.column][best.bin], best.gain)
			if err := g.split(f, left, res, lo, lo+k, depth+1, r); err != nil {
				return err
			}
			return g.split(f, left+1, res, lo+k, hi, depth+1, r)
		}
	}
	leaf := f.finish(at, g.leaf(len(rows)))
	for _, i := range rows {
		g.leaves[i] = leaf
	}
	return nil
}

// gather makes g.node the residuals of rows, and g.total their sum by g.names.
func (g *grower) gather(rows []int32, res *residual) {
	for _, l := range g.names {
		g.index[l] = 0
	}
	g.names, g.total, g.count = g.names[:0], g.total[:0], g.count[:0]
	for _, i := range rows {
		label, value := res.row(i)
		for p, l := range label {
			k := g.index[l]
			if k == 0 {
				g.names, g.total, g.count = append(g.names, l), append(g.total, 0), append(g.count, 0)
				k = int32(len(g.names))
				g.index[l] = k
			}
			g.total[k-1] += value[p]
			g.count[k-1]++
		}
	}
	n := &g.node
	n.rows, n.size = n.rows[:0], 0
	n.label.reset()
	n.value.reset()
	n.square, n.dot, n.whole = n.square[:0], n.dot[:0], 0
	for _, t := range g.total {
		n.whole += t * t
	}
	// Numbers in the node, without the labels of one row.
	n.labels = 0
	for k, c := range g.count {
		if c > 1 {
			g.count[k] = int32(n.labels)
			n.labels++
		} else {
			g.count[k] = -1
		}
	}
	for _, i := range rows {
		label, value := res.row(i)
		var square, dot float64
		own := shared{n.label.take(len(label)), value}
		met := 0
		for p, l := range label {
			v := value[p]
			k := g.index[l] - 1
			square += v * v
			dot += v * g.total[k]
			if local := g.count[k]; local >= 0 {
				own.label[met] = local
				met++
			}
		}
		if met < len(label) {
			n.label.give(len(label) - met)
			own = shared{own.label[:met], n.value.take(met)[:0]}
			for p, l := range label {
				if g.count[g.index[l]-1] >= 0 {
					own.value = append(own.value, value[p])
				}
			}
		}
		n.rows = append(n.rows, own)
		n.size += met
		n.square, n.dot = append(n.square, square), append(n.dot, dot)
	}
}

// candidate is a split: rows of column with a bin of at most bin go left.
type candidate struct {
	column, bin int
	gain        float64
}

// best returns the best split by columns, the first of equals; its gain is not
// positive if there is none.
func (g *grower) best(rows []int32, columns []int) (candidate, error) {
	work := (g.node.size + 4*len(rows)) * len(columns)
	workers := g.c.NumWorkers()
	if work < 1<<15 {
		workers = 1
	}
	found := make([]candidate, len(columns))
	err := par.For(g.ctx, workers, len(columns), max(1, (1<<20)*len(columns)/(work+1)/4), func(lo, hi int) {
		s := make([]float64, g.node.labels)
		order := make([]int32, len(rows))
		for j := lo; j < hi; j++ {
			clear(s)
			found[j] = g.node.sweep(g.c, g.z.Narrow[columns[j]], g.z.Bins(columns[j]), rows, order, s)
			found[j].column = columns[j]
		}
	})
	var best candidate
	for _, f := range found {
		if f.gain > best.gain {
			best = f
		}
	}
	return best, err
}

// sweep moves the rows from right to left in the order of their codes and
// returns the best place to stop. s, zero at first, is the sum on the left.
func (n *local) sweep(c Config, code []uint8, size int, rows, order []int32, s []float64) candidate {
	// Positions in rows sorted by code: first where each code starts.
	var begin [257]int32
	for _, i := range rows {
		begin[int(code[i])+1]++
	}
	for b := range size {
		begin[b+1] += begin[b]
	}
	next := begin
	for p, i := range rows {
		b := code[i]
		order[next[b]] = int32(p)
		next[b]++
	}
	var best candidate
	all := float64(len(rows))
	parent := n.whole / (c.Lambda.Value() + all)
	var left, cross float64 // ‖s‖² and ⟨s, Σc⟩
	for b := range size - 1 {
		from, to := begin[b], begin[b+1]
		if from == to {
			continue
		}
		if len(rows)-int(to) < c.MinRows {
			break
		}
		for _, p := range order[from:to] {
			label, value := n.rows[p].label, n.rows[p].value
			value = value[:len(label)]
			var meet float64
			for q, l := range label {
				v, w := value[q], s[l]
				meet += float64(v * w)
				s[l] = w + v
			}
			left += 2*meet + n.square[p]
			cross += n.dot[p]
		}
		if int(to) < c.MinRows {
			continue
		}
		right := n.whole - 2*cross + left
		nl := float64(to)
		if gain := left/(c.Lambda.Value()+nl) + right/(c.Lambda.Value()+all-nl) - parent; gain > best.gain {
			best = candidate{bin: b, gain: gain}
		}
	}
	// A gain that is no larger than rounding errors does not count.
	if !(best.gain > 1e-12*parent) {
		best.gain = 0
	}
	return best
}

// partition moves the rows that go left to the front and returns how many there
// are. The order on each side stays.
func (g *grower) partition(rows []int32, s candidate) int {
	code := g.z.Narrow[s.column]
	l, r := 0, 0
	for _, i := range rows {
		if int(code[i]) <= s.bin {
			rows[l] = i
			l++
		} else {
			g.spare[r] = i
			r++
		}
	}
	copy(rows[l:], g.spare[:r])
	return l
}

// entry is a label of a leaf with its value.
type entry struct {
	label int32
	value float64
}

// leaf returns the sparse vector of a leaf of n rows whose residuals have been
// gathered, labels ascending.
func (g *grower) leaf(n int) []entry {
	var top topk.List
	top.Reset(g.c.Keep)
	for k, l := range g.names {
		if t := g.total[k]; t != 0 {
			top.Add(int(l), max(t, -t))
		}
	}
	var out []entry
	for _, s := range top.Take(nil) {
		t := g.total[g.index[s.Label]-1]
		out = append(out, entry{int32(s.Label), g.c.Shrinkage * t / (g.c.Lambda.Value() + float64(n))})
	}
	slices.SortFunc(out, func(a, b entry) int { return int(a.label) - int(b.label) })
	return out
}
