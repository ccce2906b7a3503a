package cholupdate

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/chol"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/num"
)

// IdentityPlusRankOne is the Cholesky factor L of I + β·wwᵀ = LLᵀ, r×r, held in
// O(r) memory: with s₀ = 1 and s_j = s_{j−1} + β·w_j²,
//
//	L_jj = d_j = √(s_j/s_{j−1}),  L_ij = c_j·w_i  (i > j),  c_j = β·w_j/√(s_{j−1}·s_j).
//
// The zero value is ready for Set. Set may be called repeatedly and then
// allocates only for larger r; it must not be called while other goroutines use
// the value. [KSD06] §4.
type IdentityPlusRankOne[F num.Float] struct {
	w, d, c []F
}

// Set makes l the factor for β and w, in O(r) operations. It keeps no reference
// to w. It returns the margin det(I + β·wwᵀ) = 1 + β‖w‖². The error is a
// *gram.NotPDError with the first failing pivot if the margin is not positive,
// or a *gram.DataError if β (row −1), an element of w or the margin is not finite; l is
// unchanged then.
func (l *IdentityPlusRankOne[F]) Set(beta float64, w []F) (margin float64, err error) {
	if beta-beta != 0 {
		return 0, &gram.DataError{Row: -1, Value: beta, Argument: "beta"}
	}
	if i := notFinite(w); i >= 0 {
		return 0, &gram.DataError{Row: i, Col: -4, Value: float64(w[i]), Argument: "w"}
	}
	s := 1.
	for j, v := range w {
		s += beta * float64(v) * float64(v)
		if math.IsInf(s, 1) {
			return 0, &gram.DataError{Row: -1, Value: beta, Argument: "beta", Reason: "β·‖w‖² is too large"}
		}
		if !(s > 0) {
			return min(0, s), &gram.NotPDError{Pivot: j, Margin: min(0, s)}
		}
	}
	l.resize(w)
	s = 1
	for j, v := range w {
		s = l.element(j, beta, s, s+beta*float64(v)*float64(v))
	}
	return s, nil
}

// SetMargin makes l the factor for w and the β that has the given margin,
// β = (margin−1)/‖w‖², in O(r), keeping no reference to w. Where the margin is known
// from elsewhere this is the accurate way: a margin below one is the start of a
// recurrence from the last s_j to the first, in which nothing cancels, and L has
// small relative errors for margins down to the smallest number. Only the direction of w
// matters, so that squares may be beyond the numbers; for w = 0 l is the identity.
//
// Errors as Set: *gram.NotPDError for a margin that is not positive, and
// *gram.DataError for one that is not finite (row −1) or for an element of w; l is
// then unchanged.
func (l *IdentityPlusRankOne[F]) SetMargin(margin float64, w []F) error {
	if margin-margin != 0 {
		return &gram.DataError{Row: -1, Value: margin, Argument: "margin"}
	}
	if i := notFinite(w); i >= 0 {
		return &gram.DataError{Row: i, Col: -4, Value: float64(w[i]), Argument: "w"}
	}
	r := len(w)
	if !(margin > 0) {
		return &gram.NotPDError{Pivot: max(0, r-1), Margin: margin}
	}
	l.resize(w)
	l.rescale()
	w = l.w
	var square float64
	for _, v := range w {
		square += float64(v) * float64(v)
	}
	beta := 0.
	if square > 0 {
		beta = (margin - 1) / square
	}
	s := 1.
	if margin >= 1 {
		for j := range r {
			s = l.element(j, beta, s, s+beta*float64(w[j])*float64(w[j]))
		}
		return nil
	}
	s = margin
	for j := r - 1; j >= 0; j-- {
		before := s - beta*float64(w[j])*float64(w[j])
		l.element(j, beta, before, s)
		s = before
	}
	return nil
}

// resize copies w to l.w and gives l.d and l.c its length. It allocates only if w is longer than any before.
func (l *IdentityPlusRankOne[F]) resize(w []F) {
	if r := len(w); cap(l.w) < r {
		l.w, l.d, l.c = make([]F, r), make([]F, r), make([]F, r)
	}
	l.w, l.d, l.c = l.w[:len(w)], l.d[:len(w)], l.c[:len(w)]
	copy(l.w, w)
}

// rescale multiplies w by a power of two if squares would overflow or vanish.
func (l *IdentityPlusRankOne[F]) rescale() {
	largest := 0.
	for _, v := range l.w {
		largest = max(largest, math.Abs(float64(v)))
	}
	if largest == 0 || largest > 0x1p-400 && largest < 0x1p400 {
		return
	}
	_, exponent := math.Frexp(largest)
	for i, v := range l.w {
		l.w[i] = F(math.Ldexp(float64(v), -exponent))
	}
}

// element sets d_j and c_j for s_{j−1} = before and s_j = s, which it returns.
func (l *IdentityPlusRankOne[F]) element(j int, beta, before, s float64) float64 {
	l.d[j] = F(math.Sqrt(s / before))
	l.c[j] = F(beta * float64(l.w[j]) / math.Sqrt(before*s))
	return s
}

// Len returns the order r of the factor.
func (l *IdentityPlusRankOne[F]) Len() int { return len(l.w) }

// ApplyRight overwrites the n×r matrix b by b·L. It takes 5nr flops and reads
// and writes b once. Large b are split over up to workers goroutines (0:
// GOMAXPROCS); the result does not depend on their number. It panics if the
// shapes do not fit.
func (l *IdentityPlusRankOne[F]) ApplyRight(b gram.Rows[F], workers int) {
	r := len(l.w)
	switch {
	case !b.Valid():
		panic("cholupdate: bad view")
	case b.D != r:
		panic("cholupdate: the matrix has not the factor's order")
	case b.N == 0 || r == 0:
		return
	}
	const grain = 1 << 16 // elements: 512 KiB of float64
	rows := max(1, grain/r)
	if workers == 1 || b.N <= rows {
		chol.Sweep(b.Data, b.N, b.Stride, l.w, l.d, l.c)
		return
	}
	_ = par.Compute(context.Background(), workers, b.N, rows, func(lo, hi int) {
		part := b.Slice(lo, hi)
		chol.Sweep(part.Data, part.N, part.Stride, l.w, l.d, l.c)
	})
}

// ApplyVec overwrites x by Lᵀx, which is the row xᵀ times L, in 5r flops. It
// panics if x does not have length r.
func (l *IdentityPlusRankOne[F]) ApplyVec(x []F) {
	if len(x) != len(l.w) {
		panic("cholupdate: the vector has not the factor's order")
	}
	chol.Sweep(x, 1, max(1, len(x)), l.w, l.d, l.c)
}
