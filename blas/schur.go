package blas

import (
	"math"

	gblas "gonum.org/v1/gonum/blas"
)

// The Schur form of a Hessenberg matrix by QR sweeps with many shifts at a time
// and aggressive early deflation. The bulges of a sweep form a chain that is
// chased from one diagonal window to the next: within a window by reflectors, which
// are collected, and outside by products with the collected matrix.
//
//	K. Braman, R. Byers, R. Mathias, "The multishift QR algorithm. Part I:
//	maintaining well-focused shifts and level 3 performance", "Part II:
//	aggressive early deflation", SIAM J. Matrix Anal. Appl. 23 (2002).
type schurForm struct {
	f        implementation
	n        int
	h        []float64 // n×n at distance ldh
	ldh      int
	z        []float64 // transformations are multiplied from the right; nil if not wanted
	ldz      int
	wantForm bool // H becomes the Schur form; else only its eigenvalues are found
	window   []float64
	u        []float64 // of the window, transposed
	work     []float64 // products
}

// Settings of the iteration, as in LAPACK but with fewer shifts: a product costs
// less here compared with a reflector than there.
const (
	schurLeaf   = 75 // order up to which one double shift at a time is used
	schurPairs  = 16 // pairs of shifts of a sweep, at most
	schurNibble = 14 // percent of a deflation window that make a sweep unnecessary
)

// deflationWindow is the order of the deflation window for an active block of
// order n.
func deflationWindow(n int) int { return max(2, min((n-1)/3, 16+n/32)) }

// sweepPairs is how many pairs of shifts a sweep of an active block of order n has.
func sweepPairs(n int) int { return max(1, min((n-4)/9, 6+n/96, schurPairs)) }

// schurSpace returns the length of the work space that iterate needs.
func schurSpace(n int) int {
	w := max(windowOrder(sweepPairs(n)), schurLeaf, deflationWindow(n)+1, 2)
	return 3*w*w + 2*w*n
}

// windowOrder is the order of a window for so many pairs of shifts.
func windowOrder(pairs int) int { return 6*pairs + 6 }

// iterate reduces rows and columns [lo, hi] of H and sets wr + i·wi to their
// eigenvalues. It returns 0, or how many eigenvalues from the first on have not
// been found.
func (c *schurForm) iterate(lo, hi int, wr, wi, space []float64) (unconverged int) {
	w := max(windowOrder(sweepPairs(c.n)), schurLeaf, deflationWindow(c.n)+1, 2)
	c.window, c.u, c.work = space[:w*w], space[w*w:2*w*w], space[2*w*w:]
	const patience = 30 // sweeps for each eigenvalue, on average
	idle := 0           // iterations since eigenvalues were last found
	bot := hi
	for it := 0; bot >= lo; it++ {
		if it == patience*max(10, hi-lo+1) {
			return bot + 1
		}
		top := bot
		for top > lo && !negligible(c.h, c.ldh, c.n, top) {
			top--
		}
		order := bot - top + 1
		if order <= schurLeaf {
			if c.small(top, bot, wr, wi) {
				bot, idle = top-1, 0
				continue
			}
			return bot + 1
		}
		window := deflationWindow(order)
		if idle >= 5 { // vary it
			window = max(2, min(deflationWindow(c.n), order/2)-idle%7)
		}
		shifts, found := c.deflate(top, bot, window, wr, wi)
		bot -= found
		if found > 0 {
			idle = 0
			if 100*found > schurNibble*window || bot-top+1 <= schurLeaf {
				continue
			}
		} else {
			idle++
		}
		first := bot - shifts + 1
		pairs := sweepPairs(bot - top + 1)
		switch {
		case idle%6 == 5: // exceptional shifts
			first = max(top, bot-2*pairs+1)
			for i := bot; i > first; i -= 2 {
				s := math.Abs(c.h[i*c.ldh+i-1]) + math.Abs(c.h[(i-1)*c.ldh+i-2])
				a := 0.75*s + c.h[i*c.ldh+i]
				_, _, _, _, wr[i-1], wi[i-1], wr[i], wi[i], _, _ = lapackGonum.Dlanv2(a, s, -0.4375*s, a)
			}
		case shifts <= pairs:
			first = c.trailing(max(top, bot-2*pairs+1), bot, wr, wi)
		}
		c.sweep(top, bot, pairs, wr[first:bot+1], wi[first:bot+1])
	}
	return 0
}

// negligible reports whether the element left of the diagonal in row k of a Hessenberg
// matrix of order n is as good as zero, by the criterion of Ahues and Tisseur, and sets
// it to zero then.
func negligible(h []float64, ld, n, k int) bool {
	x := h[k*ld+k-1]
	if x == 0 {
		return true
	}
	const ulp, least = 0x1p-52, 0x1p-1022 / 0x1p-52
	a, b := math.Abs(x), math.Abs(h[(k-1)*ld+k])
	p, q := h[(k-1)*ld+k-1], h[k*ld+k]
	sum := math.Abs(p) + math.Abs(q)
	if sum == 0 {
		if k >= 2 {
			sum += math.Abs(h[(k-1)*ld+k-2])
		}
		if k+1 < n {
			sum += math.Abs(h[(k+1)*ld+k])
		}
	}
	if a > max(least*float64(n), ulp*sum) {
		return false
	}
	d := math.Abs(p - q)
	big, little := max(math.Abs(q), d), min(math.Abs(q), d)
	scale := big + max(a, b)
	if t := little * (big / scale); t == 0 || min(a, b)*(max(a, b)/scale) <= max(least*float64(n), ulp*t) {
		h[k*ld+k-1] = 0
		return true
	}
	return false
}

// load copies the diagonal block of rows [lo, lo+w) to the window, without what lies
// below its subdiagonal, and sets u to the identity.
func (c *schurForm) load(lo, w int) (window, u []float64) {
	window, u = c.window[:w*w], c.u[:w*w]
	clear(u)
	for i := range w {
		copy(window[i*w:(i+1)*w], c.h[(lo+i)*c.ldh+lo:])
		u[i*w+i] = 1
	}
	return window, u
}

// store copies the window back and applies its transformation to the rest of H,
// in columns up to end and rows from start on, and to Z.
func (c *schurForm) store(lo, w, start, end int, trans gblas.Transpose) {
	for i := range w {
		copy(c.h[(lo+i)*c.ldh+lo:][:w], c.window[i*w:])
	}
	other := gblas.NoTrans
	if trans == gblas.NoTrans {
		other = gblas.Trans
	}
	if n := end - lo - w; n > 0 {
		x := c.h[lo*c.ldh+lo+w:]
		c.f.Dgemm(other, gblas.NoTrans, w, n, w, 1, c.u, w, x, c.ldh, 0, c.work, n)
		for i := range w {
			copy(x[i*c.ldh:][:n], c.work[i*n:])
		}
	}
	right := func(rows int, x []float64, ld int) {
		if rows <= 0 {
			return
		}
		c.f.Dgemm(gblas.NoTrans, trans, rows, w, w, 1, x, ld, c.u, w, 0, c.work, w)
		for i := range rows {
			copy(x[i*ld:][:w], c.work[i*w:])
		}
	}
	right(lo-start, c.h[start*c.ldh+lo:], c.ldh)
	if c.z != nil {
		right(c.n, c.z[lo:], c.ldz)
	}
}

// small finds the eigenvalues of rows [top, bot] one pair at a time.
func (c *schurForm) small(top, bot int, wr, wi []float64) bool {
	w := bot - top + 1
	t, u := c.load(top, w)
	if !c.wantForm {
		return francis(w, t, nil, wr[top:], wi[top:]) == 0
	}
	if francis(w, t, u, wr[top:], wi[top:]) > 0 {
		return false
	}
	c.store(top, w, 0, c.n, gblas.Trans)
	return true
}

// deflate looks for eigenvalues of rows [top, bot] that have converged in the last
// w of them. It returns how many others of the window may be shifts, in
// wr[bot−found−shifts+1:] and how many were found.
func (c *schurForm) deflate(top, bot, w int, wr, wi []float64) (shifts, found int) {
	n := c.n
	v, t := c.window[:w*w], c.u[:w*w]
	wv, work := c.work[:w*w], c.work[w*w:]
	work = work[:min(len(work), 64*w)]
	z, ldz := c.z, c.ldz
	if z == nil {
		ldz = 1
	}
	return lapackGonum.Dlaqr23(c.wantForm, z != nil, n, top, bot, w, c.h, c.ldh, 0, n-1, z, ldz, wr[:bot+1], wi[:bot+1],
		v, w, w, t, w, w, wv, w, work, len(work), 0)
}

// trailing sets the shifts to the eigenvalues of rows [first, bot] and returns the
// first of those that were found.
func (c *schurForm) trailing(first, bot int, wr, wi []float64) int {
	w := bot - first + 1
	t, _ := c.load(first, w)
	first += francis(w, t, nil, wr[first:], wi[first:])
	if first >= bot {
		first = bot - 1
		h := c.h[first*c.ldh+first:]
		_, _, _, _, wr[first], wi[first], wr[bot], wi[bot], _, _ = lapackGonum.Dlanv2(h[0], h[1], h[c.ldh], h[c.ldh+1])
	}
	return first
}

// sweep chases up to pairs bulges, of the pairs of shifts of the smallest
// magnitude, through rows [top, bot].
func (c *schurForm) sweep(top, bot, pairs int, sr, si []float64) {
	sr, si = sortShifts(sr, si)
	if len(sr) > 2*pairs {
		sr, si = sr[len(sr)-2*pairs:], si[len(si)-2*pairs:]
	}
	pairs = len(sr) / 2
	if pairs == 1 && si[0] == 0 { // of two real shifts the better one is used twice
		last := c.h[bot*c.ldh+bot]
		if math.Abs(sr[1]-last) < math.Abs(sr[0]-last) {
			sr[0] = sr[1]
		} else {
			sr[1] = sr[0]
		}
	}
	var at [schurPairs]int // the column in which a bulge begins
	for m := range pairs {
		at[m] = top - 1
	}
	start, end := top, bot+1
	if c.wantForm {
		start, end = 0, c.n
	}
	for lo := top; ; {
		w := min(windowOrder(pairs), bot+1-lo)
		last := lo+w == bot+1
		t, u := c.load(lo, w)
		for m := range pairs {
			to := bot - 1 // past the last column that has a reflector
			if !last {
				to = lo + w - 5 - 3*m
			}
			for k := at[m]; k < to; k++ {
				c.step(t, u, w, k-lo, k < top, sr[2*m:2*m+2], si[2*m:2*m+2])
			}
			at[m] = to
		}
		c.store(lo, w, start, end, gblas.Trans)
		if last {
			return
		}
		lo = at[pairs-1]
	}
}

// step moves the bulge that begins in column k of the window, or with first a new
// one before column 0, by one column.
func (c *schurForm) step(t, u []float64, w, k int, first bool, sr, si []float64) {
	var v [3]float64
	rows := min(3, w-k-1)
	if first {
		lapackGonum.Dlaqr1(rows, t, w, sr[0], si[0], sr[1], si[1], v[:rows])
	} else {
		for i := range rows {
			v[i] = t[(k+1+i)*w+k]
		}
	}
	beta, tau := reflector3(v[:rows])
	if tau == 0 {
		return
	}
	if !first {
		t[(k+1)*w+k] = beta
		t[(k+2)*w+k] = 0
		if rows == 3 {
			t[(k+3)*w+k] = 0
		}
	}
	reflectRows(t, w, k+1, k+1, w, v[:rows], tau)
	reflectRows(u, w, k+1, 0, w, v[:rows], tau)
	reflectColumns(t, w, k+1, 0, min(k+5, w), v[:rows], tau)
}

// sortShifts puts the shifts in descending order of magnitude and so that pairs
// of conjugate shifts and of real ones follow each other; an odd one is left out.
func sortShifts(sr, si []float64) ([]float64, []float64) {
	for end := len(sr) - 1; end > 0; end-- {
		for i := range end {
			if math.Abs(sr[i])+math.Abs(si[i]) < math.Abs(sr[i+1])+math.Abs(si[i+1]) {
				sr[i], sr[i+1], si[i], si[i+1] = sr[i+1], sr[i], si[i+1], si[i]
			}
		}
	}
	for i := len(sr) - 1; i > 1; i -= 2 {
		if si[i] != -si[i-1] {
			sr[i], sr[i-1], sr[i-2] = sr[i-1], sr[i-2], sr[i]
			si[i], si[i-1], si[i-2] = si[i-1], si[i-2], si[i]
		}
	}
	odd := len(sr) % 2
	return sr[odd:], si[odd:]
}
