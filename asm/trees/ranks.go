package trees

import (
	"math"
	"slices"
	"unsafe"

	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
)

// MostRank is the largest number of thresholds that a key orders.
const MostRank = 255

// fan is the number of thresholds in a block of a table.
const fan = 16

// A Column says how the numbers of a column become keys.
type Column[F num.Float] struct {
	Feature    int  // the place of the number in its row
	Key        int  // the line of its key
	Thresholds []F  // ascending, at most MostRank
	Above      bool // NaN exceeds all thresholds; otherwise none
}

// Ranks makes keys of the numbers of some columns.
type Ranks[F num.Float] struct {
	columns        []ranked
	above          []ranked // those with Above
	tables         []F      // for each column fan pivots, which are the last numbers of the full blocks, and its blocks; +Inf fills up
	features, keys int
}

// ranked is a Column as assembly reads it.
type ranked struct{ feature, key, table, count uint32 }

// NewRanks returns the ranks of the columns. It panics if a column has too many thresholds or a place below 0.
func NewRanks[F num.Float](columns []Column[F]) *Ranks[F] {
	r := &Ranks[F]{}
	for _, c := range columns {
		if len(c.Thresholds) > MostRank || !slices.IsSorted(c.Thresholds) || min(c.Feature, c.Key) < 0 || max(c.Feature, c.Key) > math.MaxInt32 {
			panic("trees: a column has too many thresholds, thresholds out of order, or places that are none")
		}
		as := ranked{uint32(c.Feature), uint32(c.Key), uint32(len(r.tables)), uint32(len(c.Thresholds))}
		r.columns = append(r.columns, as)
		if c.Above {
			r.above = append(r.above, as)
		}
		full := len(c.Thresholds) / fan
		table := make([]F, fan*(full+2))
		for i := range table {
			table[i] = F(math.Inf(1))
		}
		copy(table[fan:], c.Thresholds)
		for b := range full {
			table[b] = c.Thresholds[fan*b+fan-1]
		}
		r.tables = append(r.tables, table...)
		r.features, r.keys = max(r.features, c.Feature+1), max(r.keys, c.Key+1)
	}
	return r
}

// Put sets keys[c.Key*stride+i], for each column c and i < n, to how many thresholds of c the number x[i*step+c.Feature] exceeds,
// less 128, as a signed byte. It panics if a number or key is not there.
func (r *Ranks[F]) Put(keys []uint8, stride int, x []F, step, n int) {
	if n == 0 || len(r.columns) == 0 {
		return
	}
	keys, x = keys[:(r.keys-1)*stride+n], x[:(n-1)*step+r.features]
	race.ReadRows(x, n, step, r.features)
	const some = 64 // numbers of some rows and columns in one call of assembly
	for c := 0; c < len(r.columns); c += some {
		for i := 0; i < n; i += some {
			rank(keys[i:], stride, x[i*step:], step, min(some, n-i), r.tables, r.columns[c:min(c+some, len(r.columns))])
		}
	}
	for _, c := range r.above {
		for i := range n {
			if v := x[i*step+int(c.feature)]; v != v {
				keys[int(c.key)*stride+i] = uint8(c.count) ^ 0x80
			}
		}
	}
}

// Fast reports whether Put has assembly at the level in force.
func (r *Ranks[F]) Fast() bool { return vectors() }

// Bytes returns the memory of r in bytes: 16 for each column, and its tables.
func (r *Ranks[F]) Bytes() int {
	return 16*(len(r.columns)+len(r.above)) + int(unsafe.Sizeof(F(0)))*len(r.tables)
}
