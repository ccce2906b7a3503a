package trees

import "fmt"

const (
	// MostLeaves is the largest number of leaves of a tree of Splits.
	MostLeaves = 32
	// RowKeys is the largest number of keys of a row that Splits can name.
	RowKeys = 128

	places   = 2 * MostLeaves // of a tree: of its splits, and behind them of its leaves
	together = 8              // trees in which a row goes on together
	keyGroup = 16             // keys that a shuffle finds
)

// Splits are the splits of a tree, of which the root is number 0: a row whose key Key, a signed byte, is at most Limit is led to
// Low, and others to High. These are numbers of splits, or MostLeaves more than those of leaves. Splits that the tree does not have
// may be anything else.
type Splits struct {
	Key       [MostLeaves]uint8
	Limit     [MostLeaves]int8
	Low, High [MostLeaves]uint8
}

// Row is a forest of small trees that is evaluated for a row alone.
type Row struct {
	splits []Splits
	steps  []int32
	keys   int
}

// NewRow returns the forest of the trees, of which depth has the splits on the longest way to a leaf, on a number of keys. It panics
// if a split names another key or place, or there are too many keys. It changes the trees' capacity and keeps them.
func NewRow(trees []Splits, depth []int32, keys int) *Row {
	if keys > RowKeys || len(depth) != len(trees) {
		panic("trees: too many keys, or depths of other trees")
	}
	r := &Row{keys: max(1, (keys+keyGroup-1)/keyGroup) * keyGroup}
	for t := range trees {
		s := &trees[t]
		for i := range MostLeaves {
			if int(s.Key[i]) >= r.keys || max(s.Low[i], s.High[i]) >= places {
				panic(fmt.Sprintf("trees: split %d of tree %d names a key or a place that is none", i, t))
			}
		}
		if t%together == 0 {
			r.steps = append(r.steps, 1)
		}
		r.steps[t/together] = max(r.steps[t/together], depth[t])
	}
	for r.splits = trees; len(r.splits)%together != 0; {
		r.splits = append(r.splits, Splits{})
	}
	return r
}

// Keys returns the length of the keys of a row.
func (r *Row) Keys() int { return r.keys }

// Places returns the memory that Run needs, whose splits' places it overwrites.
func (r *Row) Places() []uint8 {
	p := make([]uint8, len(r.splits)*places)
	for i := range p {
		p[i] = uint8(i % places)
	}
	return p
}

// Leaves returns the length of the leaves that Run sets, which is at least the number of trees.
func (r *Row) Leaves() int { return len(r.splits) }

// Run sets leaves[t] to MostLeaves more than the number of the leaf that a row with the keys reaches in tree t.
func (r *Row) Run(leaves, to, keys []uint8) {
	leaves, to, keys = leaves[:len(r.splits)], to[:len(r.splits)*places], keys[:r.keys]
	const most = limit / 8
	for t := 0; t < len(r.splits); t += most {
		e := min(t+most, len(r.splits))
		descend(leaves[t:e], to[t*places:e*places], keys, r.splits[t:e], r.steps[t/together:e/together])
	}
}

// Fast reports whether Run has assembly at the level in force.
func (r *Row) Fast() bool { return vectors() }

// Bytes returns the memory of r in bytes.
func (r *Row) Bytes() int { return len(r.splits)*4*MostLeaves + 4*len(r.steps) }
