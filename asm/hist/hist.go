package hist

//go:generate go run github.com/gramworks/gram/asm/gen

// Cell is the word of a row, or a sum of words.
type Cell [2]uint64

// Plus returns a+b.
func (a Cell) Plus(b Cell) Cell { return Cell{a[0] + b[0], a[1] + b[1]} }

// Minus returns a−b.
func (a Cell) Minus(b Cell) Cell { return Cell{a[0] - b[0], a[1] - b[1]} }

// Most is the largest number of columns that are done together.
const Most = 4

// limit is the number of additions in a call of assembly, about.
const limit = 1 << 14

// Add adds v[p] to cell code[c][rows[p]] of h[c], for the first k columns c and all p. v is at least as
// long as rows. Codes of 16 bits take Go code.
func Add[C uint8 | uint16](k int, h *[Most][]Cell, code *[Most][]C, rows []int32, v []Cell) {
	v = v[:len(rows)]
	narrow, ok := any(code).(*[Most][]uint8)
	if !ok {
		addGeneric(k, h, code, rows, v)
		return
	}
	for lo := 0; lo < len(rows); lo += limit / Most {
		hi := min(lo+limit/Most, len(rows))
		switch k {
		case 1:
			add1(h, narrow, rows[lo:hi], v[lo:hi])
		case 2:
			add2(h, narrow, rows[lo:hi], v[lo:hi])
		case 3:
			add3(h, narrow, rows[lo:hi], v[lo:hi])
		case 4:
			add4(h, narrow, rows[lo:hi], v[lo:hi])
		}
	}
}

// AddLists adds v[p] to the cells of h whose numbers are bin[start[i]:start[i+1]], with i = rows[p], for
// all p. v is at least as long as rows.
func AddLists(h []Cell, bin []uint32, start []int, rows []int32, v []Cell) {
	v = v[:len(rows)]
	take := max(1, limit*len(start)/(len(bin)+len(start)))
	for lo := 0; lo < len(rows); lo += take {
		hi := min(lo+take, len(rows))
		addLists(h, bin, start, rows[lo:hi], v[lo:hi])
	}
}
