package gbdt

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/gramworks/gram/asm/vec"
	"github.com/gramworks/gram/internal/bins"
	"github.com/gramworks/gram/internal/par"
)

// direct judges splits by the logistic loss itself ([S16] Algorithm 7).
type direct struct {
	g     *grower
	class []int
	score []float64 // F of all rows, within ±scoreLimit
	odds  []float64 // exp(−F) of all rows
	pool  sync.Pool // of *pair
}

// Limits of scores and of leaf values, so that no exponential overflows. The
// derivatives of the loss are below 1e-100 there.
const (
	scoreLimit = 300
	valueLimit = 400
)

func newDirect(g *grower, class []int) *direct {
	return &direct{g: g, class: class, score: make([]float64, g.t.N), odds: make([]float64, g.t.N),
		pool: sync.Pool{New: func() any { return new(pair) }}}
}

// prepare takes the scores that the next tree starts from.
func (d *direct) prepare(score []float64) {
	for i, f := range score {
		d.score[i] = max(-scoreLimit, min(scoreLimit, f))
	}
	for i, f := range d.score {
		d.odds[i] = -f
	}
	vec.SameExp(d.odds, d.odds)
}

// leaf returns the leaf value of rows and their least loss.
func (d *direct) leaf(rows []int32, s sum) (value, worth float64) {
	p := d.pool.Get().(*pair)
	defer d.pool.Put(p)
	side := &p[0]
	side.reset()
	for _, i := range rows {
		d.put(side, i)
	}
	return side.minimize(d.g.c.Lambda.Value(), d.g.newton(s))
}

// find sets the best split of l: of all of the list in exact mode, else of those
// with the largest second-order gain.
func (d *direct) find(l *leaf, list []candidate) error {
	if screen := d.g.c.Screen; !d.g.c.Exact && len(list) > screen {
		slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.gain, a.gain) })
		list = list[:screen]
	}
	rows := d.g.rows[l.lo:l.hi]
	err := par.Compute(d.g.ctx, d.g.workers(len(list)*len(rows)*16), len(list), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			d.solve(&list[i], rows, l)
		}
	})
	if err != nil {
		return err
	}
	for _, s := range list {
		if s.gain > l.best.gain {
			l.best = s
		}
	}
	return nil
}

// solve finds the best values of a split's children; its gain becomes what they
// take off the loss of l.
func (d *direct) solve(s *candidate, rows []int32, l *leaf) {
	p := d.pool.Get().(*pair)
	defer d.pool.Put(p)
	p[0].reset()
	p[1].reset()
	if t, goes := d.g.t, d.g.goes(s); t.Narrow != nil {
		fill(d, p, rows, t.Narrow[s.column], int(s.bin), goes)
	} else {
		fill(d, p, rows, t.Wide[s.column], int(s.bin), goes)
	}
	sums := [2]sum{s.left, l.sum.minus(s.left)}
	for c := range p {
		s.value[c], s.worth[c] = p[c].minimize(d.g.c.Lambda.Value(), d.g.newton(sums[c]))
	}
	s.gain = l.worth - s.worth[0] - s.worth[1]
}

func fill[C bins.Code](d *direct, p *pair, rows []int32, code []C, b int, goes []bool) {
	for _, i := range rows {
		if goes == nil && int(code[i]) <= b || goes != nil && goes[code[i]] {
			d.put(&p[0], i)
		} else {
			d.put(&p[1], i)
		}
	}
}

// pair is room for the two children of a split.
type pair [2]rowset

// rowset are the rows of a leaf as the problem of its value h sees them:
//
//	loss(h) = Σ w·(log(1+e^{F+h}) − y(F+h)) + ½λh²,  log(1+e^z) = log(1+e^{−z}) + z
//
// with e^{−z} = odds·e^{−h}, so that a Newton step takes a division for each row
// and no exponential.
type rowset struct {
	odds []float64
	w    []float64 // nil: ones
	// Sums over the rows of w, w·y, w·F and w·y·F.
	sw, swy, swf, swyf float64
	log                []float64 // room
}

func (r *rowset) reset() {
	r.odds, r.w = r.odds[:0], r.w[:0]
	r.sw, r.swy, r.swf, r.swyf = 0, 0, 0, 0
}

func (d *direct) put(r *rowset, i int32) {
	r.odds = append(r.odds, d.odds[i])
	w, f := 1.0, d.score[i]
	if d.g.w != nil {
		w = d.g.w[i]
		r.w = append(r.w, w)
	}
	r.sw += w
	r.swf += float64(w * f)
	if d.class[i] == 1 {
		r.swy += w
		r.swyf += float64(w * f)
	}
}

// slope returns the first two derivatives of the loss at h.
func (r *rowset) slope(h, lambda float64) (first, second float64) {
	e := exp(-h)
	var p, q float64
	if len(r.w) == 0 {
		for _, o := range r.odds {
			v := 1 / (1 + float64(o*e))
			p += v
			q += float64(v * (1 - v))
		}
	} else {
		for i, o := range r.odds {
			v := 1 / (1 + float64(o*e))
			p += float64(r.w[i] * v)
			q += float64(r.w[i] * v * (1 - v))
		}
	}
	return p - r.swy + float64(lambda*h), q + lambda
}

// loss returns the logistic loss of the rows, with h added to their scores, plus λh²/2.
func (r *rowset) loss(h, lambda float64) float64 {
	e := exp(-h)
	r.log = slices.Grow(r.log[:0], len(r.odds))[:len(r.odds)]
	for i, o := range r.odds {
		r.log[i] = 1 + float64(o*e)
	}
	vec.SameLog(r.log, r.log)
	var s float64
	for i, v := range r.log {
		if len(r.w) > 0 {
			v = float64(v * r.w[i])
		}
		s += v
	}
	return s + (r.swf - r.swyf) + float64(h*(r.sw-r.swy)) + float64(lambda*h*h/2)
}

// minimize returns the minimizer of the loss and its value. The derivative is
// increasing and changes its sign in ±sw/λ: Newton's iteration from h is kept
// inside a shrinking bracket by bisection.
func (r *rowset) minimize(lambda, h float64) (value, loss float64) {
	hi := min(r.sw/lambda, valueLimit)
	lo := -hi
	h = max(lo, min(hi, h))
	for range 100 {
		first, second := r.slope(h, lambda)
		if math.Abs(first) <= 1e-12*r.sw {
			break
		}
		if first > 0 {
			hi = h
		} else {
			lo = h
		}
		next := h - first/second
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		if math.Abs(next-h) <= 1e-14*(1+math.Abs(h)) {
			break
		}
		h = next
	}
	return h, r.loss(h, lambda)
}
