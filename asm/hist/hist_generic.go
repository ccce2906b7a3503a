package hist

import "math"

func addGeneric[C uint8 | uint16](k int, h *[Most][]Cell, code *[Most][]C, rows []int32, v []Cell) {
	for c := range k {
		h, code := h[c], code[c]
		for _, i := range rows {
			cell, w := &h[code[i]], &v[i]
			cell[0] += w[0]
			cell[1] += w[1]
		}
	}
}

func addListsGeneric(h []Cell, bin []uint32, start []int, rows []int32, v []Cell) {
	for _, i := range rows {
		w := v[i]
		for _, b := range bin[start[i]:start[i+1]] {
			cell := &h[b]
			cell[0] += w[0]
			cell[1] += w[1]
		}
	}
}

func divideGeneric(left, right, rows []int32, code []uint8, most uint) int {
	l, r := 0, 0
	for _, i := range rows {
		left[l], right[r] = i, i // one of them is overwritten
		above := 0
		if uint(code[i]) > most {
			above = 1
		}
		l += 1 - above
		r += above
	}
	return l
}

// lanes holds four partial totals: lane i has the rows i, i+4, i+8, …
type lanes struct {
	sum  [2][4]uint64
	most [2][4]uint64 // bits of magnitudes, which are ordered like these
}

// total returns the total of all rows: the sums of the lanes, and the largest of their magnitudes.
func (t *lanes) total() (all Total) {
	var most [2]uint64
	for i := range 4 {
		for part := range 2 {
			all.Sum[part] += t.sum[part][i]
			most[part] = max(most[part], t.most[part][i])
		}
	}
	all.G, all.C = math.Float64frombits(most[0]), math.Float64frombits(most[1])
	return all
}

// magic makes the sum with a number below 2⁵¹ in magnitude an integer plus magic, rounded to even.
const magic = 0x1.8p52

func wordsGeneric(dst []Cell, g, c []float64, u *Units, t *lanes) {
	const sign = 1 << 63
	c = c[:len(g)]
	for i, g := range g {
		c := c[i]
		t.most[0][i%4] = max(t.most[0][i%4], math.Float64bits(g)&^sign)
		t.most[1][i%4] = max(t.most[1][i%4], math.Float64bits(c)&^sign)
		dst[i] = Cell{math.Float64bits(float64(g*u.G)+magic) - math.Float64bits(magic),
			(math.Float64bits(float64(c*u.C)+magic)-math.Float64bits(magic))<<(u.Count&63) | 1}
		t.sum[0][i%4] += dst[i][0]
		t.sum[1][i%4] += dst[i][1]
	}
}

func logisticGeneric(g, c, value, score, odds, w []float64, class []int) {
	for i, u := range odds {
		f, one := score[i], class[i] == 1
		p := 1 / (1 + u) // of the likelier class
		q := u * p
		residual := p // the probability of the class that is not the row's, with a sign
		if (f > 0) == one {
			residual = q
		} else {
			value[i] += math.Abs(f)
		}
		if one {
			residual = -residual
		}
		g[i], c[i] = w[i]*residual, w[i]*p*q
	}
}

func subtractGeneric(h, other []Cell) {
	other = other[:len(h)]
	for i := range h {
		h[i] = h[i].Minus(other[i])
	}
}

// part is G²/(H+λ), 0 where H+λ is 0.
func part(g, curvature float64) float64 {
	if curvature == 0 {
		return 0
	}
	return g * g / curvature
}

// scanGeneric scans all of h in the first lane of s and leaves the other lanes as they are.
func scanGeneric(h []Cell, s *Scan) {
	var bin int
	bin, s.gain[0], s.acc = s.plain(h, s.acc)
	s.bin[0] = int64(bin)
}

// plain returns the first of the best bins, −1 if no gain is above 0, and the sum of acc and of the cells up to the last bin that can be one.
func (s *Scan) plain(h []Cell, acc Cell) (bin int, best float64, sum Cell) {
	bin = -1
	shift, mask, low, high := s.shift&63, s.mask[0], s.low[0], s.high[0]
	for b := range h {
		c := &h[b]
		if c[1] == 0 {
			continue // the same split as the one before
		}
		acc[0], acc[1] = acc[0]+c[0], acc[1]+c[1]
		rows := int64(acc[1] & mask)
		if rows > high {
			break
		}
		if rows <= low {
			continue
		}
		g, curvature := float64(int64(acc[0])), float64(int64(acc[1]>>shift))
		right := s.c[0] - curvature
		if curvature < s.least[0] || right < s.least[0] {
			continue
		}
		if gain := part(g, curvature+s.lambda[0]) + part(s.g[0]-g, right+s.lambda[0]) - s.none[0]; gain > best {
			bin, best = b, gain
		}
	}
	return bin, best, acc
}
