package smo

import (
	"math"

	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
)

//go:generate go run github.com/gramworks/gram/internal/neon/gen
//go:generate go run github.com/gramworks/gram/asm/gen

// Lanes is the number of interleaved parts for each of which the best value is kept.
const Lanes = 8

// Tau is the least curvature of a pair.
const Tau = 1e-12

// limit is the largest number of variables in one call of assembly.
const limit = 1 << 12

// Best holds the best value of every lane and its index, or −1 if there is none.
type Best struct {
	Value [Lanes]float64
	Index [Lanes]int64
}

func (b *Best) reset(v float64) {
	for l := range Lanes {
		b.Value[l], b.Index[l] = v, -1
	}
}

// Least returns the smallest value and its index, the first of equal values. It
// returns +Inf and −1 if there is none.
func (b *Best) Least() (float64, int) {
	v, at := math.Inf(1), int64(-1)
	for l, w := range b.Value {
		if i := b.Index[l]; i >= 0 && (at < 0 || w < v || w == v && i < at) {
			v, at = w, i
		}
	}
	return v, int(at)
}

// Most returns the largest value and its index, the first of equal values. It returns
// −Inf and −1 if there is none.
func (b *Best) Most() (float64, int) {
	v, at := math.Inf(-1), int64(-1)
	for l, w := range b.Value {
		if i := b.Index[l]; i >= 0 && (at < 0 || w > v || w == v && i < at) {
			v, at = w, i
		}
	}
	return v, int(at)
}

// Step adds a·k+b·l to g. It sets least to the smallest values of g+u and most to the
// largest values of g+d. All slices have the same length.
func Step[F num.Float](g, u, d []float64, k, l []F, a, b float64, least, most *Best) {
	n := len(g)
	u, d, k, l = u[:n], d[:n], k[:n], l[:n]
	race.Write(g)
	race.Read(u)
	race.Read(d)
	race.Read(k)
	race.Read(l)
	least.reset(math.Inf(1))
	most.reset(math.Inf(-1))
	for t := 0; t < n; t += limit {
		e := min(t+limit, n)
		w := t + (e-t)&^(Lanes-1) // assembly takes a multiple of Lanes
		if t < w {
			step(g[t:w], u[t:w], d[t:w], k[t:w], l[t:w], a, b, least, most, t)
		}
		stepGeneric(g[w:e], u[w:e], d[w:e], k[w:e], l[w:e], a, b, least, most, w)
	}
}

// Pair sets best to the largest gains max(0, g_t+d_t−m)²/max(Tau, (kii+diag_t)−2k_t)
// that are positive. All slices have the same length.
func Pair[F num.Float](g, d, diag []float64, k []F, m, kii float64, best *Best) {
	n := len(g)
	d, diag, k = d[:n], diag[:n], k[:n]
	race.Read(g)
	race.Read(d)
	race.Read(diag)
	race.Read(k)
	best.reset(0)
	for t := 0; t < n; t += limit {
		e := min(t+limit, n)
		w := t + (e-t)&^(Lanes-1)
		if t < w {
			pair(g[t:w], d[t:w], diag[t:w], k[t:w], m, kii, best, t)
		}
		pairGeneric(g[w:e], d[w:e], diag[w:e], k[w:e], m, kii, best, w)
	}
}
