package smo

import "github.com/gramworks/gram/num"

// stepGeneric computes Step for variables first, first+1, …, where first is a
// multiple of Lanes.
func stepGeneric[F num.Float](g, u, d []float64, k, l []F, a, b float64, least, most *Best, first int) {
	for t, v := range g {
		v += float64(a * float64(k[t]))
		v += float64(b * float64(l[t]))
		g[t] = v
		lane := t % Lanes
		if w := v + u[t]; w < least.Value[lane] {
			least.Value[lane], least.Index[lane] = w, int64(first+t)
		}
		if w := v + d[t]; w > most.Value[lane] {
			most.Value[lane], most.Index[lane] = w, int64(first+t)
		}
	}
}

// pairGeneric computes Pair for variables first, first+1, …, where first is a
// multiple of Lanes.
func pairGeneric[F num.Float](g, d, diag []float64, k []F, m, kii float64, best *Best, first int) {
	for t, v := range g {
		b := max(0, (v+d[t])-m)
		a := max(Tau, (kii+diag[t])-2*float64(k[t]))
		lane := t % Lanes
		if w := float64(b*b) / a; w > best.Value[lane] {
			best.Value[lane], best.Index[lane] = w, int64(first+t)
		}
	}
}
