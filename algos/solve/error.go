package solve

import (
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Approximation is a symmetric n×n matrix G̃ that approximates a kernel matrix.
type Approximation interface {
	Dim() int
	Rows(dst *mat.Dense, index []int) // sets dst, len(index)×n, to these rows of G̃
}

// Error is a relative error ‖G−G̃‖/‖G‖ in the Frobenius norm, or an estimate of
// it.
type Error struct {
	Value    float64
	StdError float64 // standard error of Value due to the choice of rows; 0 if all rows were used
	Rows     int     // number of rows that Value was computed from
}

// ErrorOptions are the settings of RelativeError. The zero value gives the defaults.
type ErrorOptions struct {
	MaxRows  int // largest number of rows of G that are compared, drawn at random if there are more; default 20 000
	gram.Run `json:"-"`
}

// RelativeError compares the approximation a with the n×n kernel matrix G of
// the rows of x. It stores neither matrix but computes blocks of rows over all
// n columns. The result is exact if n ≤ MaxRows. Otherwise it is the ratio over
// MaxRows rows drawn without replacement, with the standard error by
// linearization. Cost: MaxRows·n kernel values and 40 MiB.
func RelativeError(ctx context.Context, k kernel.Kernel, x mat.Matrix, a Approximation, o ErrorOptions) (Error, error) {
	n, _ := x.Dims()
	if a.Dim() != n {
		panic("solve: the approximation is of another order")
	}
	if o.MaxRows <= 0 {
		o.MaxRows = 20_000
	}
	s := gram.Of(x)
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	if n > o.MaxRows {
		index = rng.New(o.Seed, 0).Perm(n)[:o.MaxRows]
		slices.Sort(index)
	}
	// The rows of x are the landmarks of a block and are taken in tiles, so
	// that a block fits the caches and the memory stated above.
	block := max(1, min(len(index), (16<<20)/(8*n)))
	g, h := mat.NewDense(block, n, nil), mat.NewDense(block, n, nil)
	all := kernel.Against[float64](k, s).Limit(o.Workers)
	num, den := make([]float64, len(index)), make([]float64, len(index))
	meter := o.Meter()
	for lo := 0; lo < len(index); lo += block {
		if err := ctx.Err(); err != nil {
			return Error{}, err
		}
		hi := min(lo+block, len(index))
		gb, hb := g.Slice(0, hi-lo, 0, n).(*mat.Dense), h.Slice(0, hi-lo, 0, n).(*mat.Dense)
		all.Fill(gram.View(gb), s.Select(index[lo:hi]))
		a.Rows(hb, index[lo:hi])
		for i := lo; i < hi; i++ {
			u, v := blas64.Vector{N: n, Data: gb.RawRowView(i - lo), Inc: 1}, blas64.Vector{N: n, Data: hb.RawRowView(i - lo), Inc: 1}
			den[i] = blas64.Dot(u, u)
			blas64.Axpy(-1, u, v)
			num[i] = blas64.Dot(v, v)
		}
		meter.Report(gram.Event{Phase: "relative error", Done: int64(hi), Total: int64(len(index))})
	}
	return ratio(num, den, n), nil
}

// powerOfTwo returns 2ᵏ ≤ v < 2ᵏ⁺¹, k ≥ −1000, by which multiplication and division are exact, and 1 for 0
// and for what is not finite.
func powerOfTwo(v float64) float64 {
	if v == 0 || v-v != 0 {
		return 1
	}
	_, exponent := math.Frexp(v)
	return math.Ldexp(1, max(exponent-1, -1000))
}

// ratio returns √(Σnum/Σden) with its standard error for a sample of n rows. Both are +Inf where the sums
// say nothing, because a number is not finite.
func ratio(num, den []float64, n int) Error {
	var sn, sd float64
	for i := range num {
		sn += num[i]
		sd += den[i]
	}
	if sn-sn != 0 || sd-sd != 0 {
		return Error{Value: math.Inf(1), StdError: math.Inf(1), Rows: len(num)}
	}
	if sd == 0 {
		if sn == 0 {
			return Error{Rows: len(num)}
		}
		return Error{Value: math.Inf(1), Rows: len(num)}
	}
	q := sn / sd
	e := Error{Value: math.Sqrt(q), Rows: len(num)}
	if s := len(num); s < n && s > 1 {
		// Var(q) ≈ (1−s/n)·s/(s−1)·Σ(num−q·den)²/(Σden)²; d√q = dq/(2√q).
		var v float64
		for i := range num {
			t := num[i] - q*den[i]
			v += t * t
		}
		v *= (1 - float64(s)/float64(n)) * float64(s) / float64(s-1) / (sd * sd)
		if q > 0 {
			e.StdError = math.Sqrt(v) / (2 * e.Value)
		}
	}
	return e
}

// Certificate estimates the relative error of the kernel matrix Φ·Φᵀ that the
// features of m give for the rows of x. It uses s rows (all if there are
// fewer), s² kernel values and s rows of features, whatever n is. The entries
// between the sampled rows represent all entries: those on the diagonal n, the
// others n(n−1). StdError is the standard error of this U-statistic by its
// Hájek projection. It panics if there are no rows.
func Certificate(ctx context.Context, k kernel.Kernel, m gram.FeatureMap, x mat.Matrix, s int, run gram.Run) (Error, error) {
	return CertificateOf(ctx, k, func(x mat.Matrix) *LowRank { return &LowRank{Phi: m.Map(nil, x)} }, x, s, run)
}

// CertificateOf estimates the error like Certificate for any approximation:
// approximate returns it for the rows that it is given.
func CertificateOf[A Approximation](ctx context.Context, k kernel.Kernel, approximate func(x mat.Matrix) A, x mat.Matrix, s int, run gram.Run) (Error, error) {
	n, _ := x.Dims()
	s = min(s, n)
	if s < 1 {
		panic("solve: a certificate needs rows")
	}
	if err := ctx.Err(); err != nil {
		return Error{}, err
	}
	index := rng.New(run.Seed, 0).Perm(n)[:s]
	slices.Sort(index)
	return CertificateFor(ctx, n, k, approximate, gram.Of(x).Select(index), run)
}

// CertificateFor estimates the error like CertificateOf from all rows of x, which represent n rows
// of their kind, such as those of a fit that did not see them.
func CertificateFor[A Approximation](ctx context.Context, n int, k kernel.Kernel, approximate func(x mat.Matrix) A, x mat.Matrix, run gram.Run) (Error, error) {
	part := gram.Of(x)
	s := part.N()
	g := mat.NewDense(s, s, nil)
	kernel.Against[float64](k, part).Limit(run.Workers).Fill(gram.View(g), part)
	approx := approximate(part)
	if err := ctx.Err(); err != nil {
		return Error{}, err
	}
	h := mat.NewDense(s, s, nil)
	all := make([]int, s)
	for i := range all {
		all[i] = i
	}
	approx.Rows(h, all)
	unit := 1 / powerOfTwo(max(mat.Max(g), -mat.Min(g))) // without it squares of large or small values overflow or vanish
	num, den := make([]float64, s), make([]float64, s)
	// w is the number of entries that an entry of the sample represents. With
	// it the sum over a row of the sample is, in the mean, the sum over a row
	// of the whole matrix.
	w := 1.0
	if s > 1 {
		w = float64(n-1) / float64(s-1)
	}
	for i := range s {
		gi, hi := g.RawRowView(i), h.RawRowView(i)
		for j, v := range gi {
			v *= unit
			t, f := v-unit*hi[j], w
			if i == j {
				f = 1
			}
			num[i] += f * t * t
			den[i] += f * v * v
		}
	}
	e := ratio(num, den, n)
	// The row sums of a U-statistic of degree two share their entries, so its
	// variance is four times that of the mean of independent row sums.
	e.StdError *= 2
	return e, nil
}
