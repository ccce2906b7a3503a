package hist

//go:generate go run github.com/gramworks/gram/internal/neon/gen
//go:generate go run github.com/gramworks/gram/asm/gen

// Cell is the word of a row, or a sum of words.
type Cell [2]uint64

// Plus returns a+b, both integers modulo 2⁶⁴.
func (a Cell) Plus(b Cell) Cell { return Cell{a[0] + b[0], a[1] + b[1]} }

// Minus returns a−b, both integers modulo 2⁶⁴.
func (a Cell) Minus(b Cell) Cell { return Cell{a[0] - b[0], a[1] - b[1]} }

// Most is the largest number of columns that are done together.
const Most = 4

// limit is the number of additions in a call of assembly, about.
const limit = 1 << 14

// Add adds v[i], with i = rows[p], to cell code[c][i] of h[c], for the first k columns c and all p. Codes of 16 bits
// take Go code.
func Add[C uint8 | uint16](k int, h *[Most][]Cell, code *[Most][]C, rows []int32, v []Cell) {
	narrow, ok := any(code).(*[Most][]uint8)
	if !ok {
		addGeneric(k, h, code, rows, v)
		return
	}
	for lo := 0; lo < len(rows); lo += limit / Most {
		some := rows[lo:min(lo+limit/Most, len(rows))]
		switch k {
		case 1:
			add1(h, narrow, some, v)
		case 2:
			add2(h, narrow, some, v)
		case 3:
			add3(h, narrow, some, v)
		case 4:
			add4(h, narrow, some, v)
		}
	}
}

// AddLists adds v[i], with i = rows[p], to the cells of h whose numbers are bin[start[i]:start[i+1]], for all p.
func AddLists(h []Cell, bin []uint32, start []int, rows []int32, v []Cell) {
	take := max(1, limit*len(start)/(len(bin)+len(start)))
	for lo := 0; lo < len(rows); lo += take {
		addLists(h, bin, start, rows[lo:min(lo+take, len(rows))], v)
	}
}

// Divide copies the rows i with code[i] ≤ most to left and the others to right, in their order, and returns how many are in left.
// Both have room for all rows, and each may begin where rows begins or before it in the same memory; left and right do
// not overlap.
func Divide(left, right, rows []int32, code []uint8, most uint8) int {
	_, _ = left[:len(rows)], right[:len(rows)]
	l := 0
	for lo := 0; lo < len(rows); lo += limit {
		some := rows[lo:min(lo+limit, len(rows))]
		l += divide(left[l:], right[lo-l:], some, code, uint(most))
	}
	return l
}

// Units are the factors by which gradients and curvatures become integers, and the number of bits of a word that count rows.
type Units struct {
	G, C  float64
	Count uint
}

// Total is what Words finds of all rows.
type Total struct {
	Sum  Cell    // of the words
	G, C float64 // the largest magnitudes of gradients and curvatures; NaN is the largest number
}

// Words sets dst to the words of rows with gradients g and curvatures c: g·u.G in the first integer, and c·u.C above u.Count bits
// that hold 1 in the second, both rounded to even. The products must be below 2⁵¹ in magnitude, or the word is not right; the total
// of g and c is right in any case.
func Words(dst []Cell, g, c []float64, u Units) Total {
	var t lanes
	g, c = g[:len(dst)], c[:len(dst)]
	for lo := 0; lo < len(dst); lo += limit {
		hi := min(lo+limit, len(dst))
		four := lo + (hi-lo)&^3
		words(dst[lo:four], g[lo:four], c[lo:four], &u, &t)
		wordsGeneric(dst[four:hi], g[four:hi], c[four:hi], &u, &t)
	}
	return t.total()
}

// Logistic sets g and c to the first and second derivatives of the loss log(1+e^F) − yF at the scores F, times the weights w, and value to the losses,
// which are not weighted. y is 1 where class is 1, else 0. odds holds e^−|F|, and value its log(1+odds).
func Logistic(g, c, value, score, odds, w []float64, class []int) {
	n := len(g)
	c, value, score, odds, w, class = c[:n], value[:n], score[:n], odds[:n], w[:n], class[:n]
	for lo := 0; lo < n; lo += limit {
		hi := min(lo+limit, n)
		four := lo + (hi-lo)&^3
		logistic(g[lo:four], c[lo:four], value[lo:four], score[lo:four], odds[lo:four], w[lo:four], class[lo:four])
		logisticGeneric(g[four:hi], c[four:hi], value[four:hi], score[four:hi], odds[four:hi], w[four:hi], class[four:hi])
	}
}

// Subtract takes the cells of other, at least as many, off those of h.
func Subtract(h, other []Cell) {
	other = other[:len(h)]
	for lo := 0; lo < len(h); lo += limit {
		hi := min(lo+limit, len(h))
		four := lo + (hi-lo)&^3
		subtract(h[lo:four], other[lo:four])
		subtractGeneric(h[four:hi], other[four:hi])
	}
}

// Scan looks for the best split of a leaf whose words have the sums G and C, in units: integers below 2⁵¹ in magnitude.
type Scan struct {
	g, c, lambda, least, none [4]float64 // one for each lane, here and below
	mask                      [4]uint64
	low, high                 [4]int64
	shift                     uint64
	acc                       Cell
	gain                      [4]float64
	bin                       [4]int64
}

// NewScan returns a scan of a leaf of n rows. Children have at least rows rows and curvatures of at least least; lambda is added to curvatures,
// and count bits of a word count rows.
func NewScan(g, c, lambda, least float64, n, rows int, count uint) Scan {
	s := Scan{shift: uint64(count)}
	none := part(g, c+lambda)
	for i := range 4 {
		s.g[i], s.c[i], s.lambda[i], s.least[i], s.none[i] = g, c, lambda, least, none
		s.mask[i], s.low[i], s.high[i] = 1<<count-1, int64(rows)-1, int64(n)-int64(rows)
	}
	return s
}

// Best returns the bin b for which a split has the largest gain when the cells of bins up to b of h and acc are on the left: the sum of
// G²/(C+λ) of both sides less that of the leaf. Bins without rows do not count. If several gains are the largest, it returns the first bin; if none is
// above 0, −1.
func (s *Scan) Best(h []Cell, acc Cell) (bin int, gain float64) {
	if len(h) < fewBins {
		bin, gain, _ = s.plain(h, acc)
		return bin, gain
	}
	s.acc, s.gain, s.bin = acc, [4]float64{}, [4]int64{-1, -1, -1, -1}
	four := len(h) &^ 3
	scan(h[:four], s)
	bin = -1
	for i, b := range s.bin {
		if s.gain[i] > gain || s.gain[i] == gain && b >= 0 && int(b) < bin {
			bin, gain = int(b), s.gain[i]
		}
	}
	if b, better, _ := s.plain(h[four:], s.acc); better > gain {
		bin, gain = four+b, better
	}
	return bin, gain
}

// fewBins is the number of bins below which four lanes cost more than they save.
const fewBins = 8
