package chol

import (
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
)

//go:generate go run github.com/gramworks/gram/internal/neon/gen
//go:generate go run github.com/gramworks/gram/asm/gen

// Kind says how Rotate combines the rows of U with w: as in an update, in a downdate, or in either where L⁻¹x is known.
type Kind int

// The kinds of rotations. Solved is a downdate, or an update, whose L⁻¹x is known.
const (
	Update Kind = iota
	Downdate
	Solved
)

// Rotations holds the coefficients of four rotations. R is 1/C for downdates; updates do
// not use it. For Solved S is L⁻¹x, and C and R are d and c of doc.go.
type Rotations[F num.Float] struct{ C, S, R [4]F }

// maxWork bounds the columns (rows for a lower factor) in one call of assembly:
// four rows of 2048 float64 are 64 KiB.
const maxWork = 2048

// Rotate applies r to four rows of U and to w. For j = 0 … len(w)−1, and for
// each of them k = 0 … 3 with l = u[k·stride+j]:
//
//	Update    l, w_j ← c_k·l + s_k·w_j, c_k·w_j − s_k·l
//	Downdate  l ← (l − s_k·w_j)·r_k, then w_j ← c_k·w_j − s_k·l
//	Solved    w_j ← w_j − s_k·l, then l ← c_k·l + r_k·w_j
func Rotate[F num.Float](kind Kind, u []F, stride int, w []F, r *Rotations[F]) {
	race.Write(w)
	race.WriteRows(u, 4, stride, len(w))
	for lo := 0; lo < len(w); lo += maxWork {
		hi := min(lo+maxWork, len(w))
		rotate(kind, u[lo:3*stride+hi], stride, w[lo:hi], r)
	}
}

// RotateLower applies r to four neighboring columns of L and to w. It computes
// what Rotate computes, with l = l[i·stride+k] for rows i = 0 … len(w)−1.
func RotateLower[F num.Float](kind Kind, l []F, stride int, w []F, r *Rotations[F]) {
	race.Write(w)
	race.WriteRows(l, len(w), stride, 4)
	for lo := 0; lo < len(w); lo += maxWork {
		hi := min(lo+maxWork, len(w))
		rotateLower(kind, l[lo*stride:(hi-1)*stride+4], stride, w[lo:hi], r)
	}
}

// PanelRows is the length of w for which RotatePanel is made.
const PanelRows = 8

// maxQuads bounds the Rotations in one call of assembly: eight rows of 1024
// float64 are 64 KiB.
const maxQuads = 256

// RotatePanel applies the rotations r, one after the other, to 4·len(r)
// neighboring columns of L, as len(r) calls of RotateLower do, for Solved up to rounding. RotatePanel goes
// along the rows of l, which are contiguous, whereas RotateLower goes down the
// columns. len(w) is at most PanelRows.
func RotatePanel[F num.Float](kind Kind, l []F, stride int, w []F, r []Rotations[F]) {
	switch {
	case len(w) > PanelRows:
		panic("chol: too many rows")
	case len(w) < PanelRows:
		for k := 0; len(w) > 0 && k < len(r); k++ {
			RotateLower(kind, l[4*k:], stride, w, &r[k])
		}
		return
	}
	race.Write(w)
	race.WriteRows(l, len(w), stride, 4*len(r))
	for lo := 0; lo < len(r); lo += maxQuads {
		hi := min(lo+maxQuads, len(r))
		rotatePanel(kind, l[4*lo:(PanelRows-1)*stride+4*hi], stride, w, r[lo:hi])
	}
}

// Sweep replaces each of n rows b of length len(w), stride apart, by b·L with L
// = chol(I + β·wwᵀ). L is given by its diagonal d and the factors c of its
// columns: for j from the right, b_j ← d_j·b_j + c_j·Σ_{i>j} w_i·b_i with the
// old b_i.
func Sweep[F num.Float](b []F, n, stride int, w, d, c []F) {
	r := len(w)
	if n == 0 || r == 0 {
		return
	}
	d, c, b = d[:r], c[:r], b[:(n-1)*stride+r]
	race.Read(w)
	race.Read(d)
	race.Read(c)
	race.WriteRows(b, n, stride, r)
	step := max(1, 4*maxWork/r)
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		sweep(b[lo*stride:], hi-lo, stride, w, d, c)
	}
}
