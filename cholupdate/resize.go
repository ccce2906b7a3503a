package cholupdate

import (
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/chol"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Append returns the factor of order n+1 of
//
//	[ A   a ]
//	[ aᵀ  α ]
//
// where l is the factor of A, a = column[:n] and α = column[n], and the margin
// (α − aᵀA⁻¹a)/α. Like the built-in append it uses the memory of l if stride
// and capacity allow, and otherwise allocates memory with room to grow. Cost:
// n² flops.
//
// The error is a *gram.NotPDError with pivot n if the result is not positive
// definite and a *gram.DataError if column is not finite; l is unchanged then.
// It panics if column does not have length n+1.
func Append(l blas64.Triangular, column []float64) (grown blas64.Triangular, margin float64, err error) {
	f := factor64(l)
	n := f.n
	if len(column) != n+1 {
		panic("cholupdate: the column has not the order of the grown factor")
	}
	if i := notFinite(column); i >= 0 {
		return l, 0, &gram.DataError{Row: i, Value: column[i]}
	}
	if err := f.positive(); err != nil {
		return l, 0, err
	}
	w := borrow[float64](n)
	defer giveBack(w)
	p := *w
	copy(p, column[:n])
	alpha := column[n]
	if !(alpha > 0) {
		return l, min(0, alpha), &gram.NotPDError{Pivot: n, Margin: min(0, alpha)}
	}
	norm := 0.
	if n > 0 {
		v := blas64.Vector{N: n, Data: p, Inc: 1}
		trans := blas.NoTrans
		if !f.lower {
			trans = blas.Trans
		}
		blas64.Trsv(trans, l, v)
		norm = blas64.Nrm2(v)
	}
	root := math.Sqrt(alpha)
	margin = (root - norm) / root * ((root + norm) / root)
	if !(margin > 0) {
		return l, min(0, margin), &gram.NotPDError{Pivot: n, Margin: min(0, margin)}
	}
	grown = l
	grown.N = n + 1
	if need := n*l.Stride + n + 1; l.Stride > n && cap(l.Data) >= need {
		grown.Data = l.Data[:max(need, len(l.Data))]
	} else {
		grown.Stride = n + 1 + n/2
		grown.Data = make([]float64, (n+1)*grown.Stride, (n+1+n/2)*grown.Stride)
		factor[float64]{a: grown.Data, n: n, stride: grown.Stride, lower: f.lower}.copy(f)
	}
	g := factor64(grown)
	for i, v := range p {
		g.a[g.at(n, i)] = v
	}
	g.a[g.at(n, n)] = root * math.Sqrt(margin)
	return grown, margin, nil
}

// Delete overwrites the factor of A by the factor of A without row and column j
// and returns it: order n−1, in the memory of l with its stride. The part
// behind column j gets a rank-one update, which costs 2(n−j)² flops. It panics
// if j is not in [0, n). It returns a *gram.NotPDError before anything is
// written if the diagonal of l is not positive.
func Delete(l blas64.Triangular, j int) (blas64.Triangular, error) {
	f := factor64(l)
	n := f.n
	if j < 0 || j >= n {
		panic("cholupdate: index out of range")
	}
	if err := f.positive(); err != nil {
		return l, err
	}
	w := borrow[float64](n - 1 - j)
	defer giveBack(w)
	for i := range *w {
		(*w)[i] = f.a[f.at(j+1+i, j)]
	}
	if f.lower {
		for i := j; i < n-1; i++ {
			row := f.a[i*f.stride : i*f.stride+i+1]
			next := f.a[(i+1)*f.stride : (i+1)*f.stride+i+2]
			copy(row[:j], next[:j])
			copy(row[j:], next[j+1:])
		}
	} else {
		for i := range n - 1 {
			lo := max(i, j)
			src := i
			if i >= j {
				src = i + 1
			}
			copy(f.a[i*f.stride+lo:i*f.stride+n-1], f.a[src*f.stride+lo+1:src*f.stride+n])
		}
	}
	l.N = n - 1
	f.n = n - 1
	_, err := f.trailing(j).sweep(chol.Update, *w, 1)
	return l, err
}

// UpdateCholesky replaces the factorization of A in c by that of A + xxᵀ. It
// calls Update for the factor that c holds and estimates the condition number
// anew, which costs several times as much. If that is too slow, call Update on
// the blas64.Triangular of c.RawU instead.
func UpdateCholesky(c *mat.Cholesky, x mat.Vector) error {
	u := raw(c)
	if err := Update(u.RawTriangular(), values(x)); err != nil {
		return err
	}
	c.SetFromU(u)
	return nil
}

// DowndateCholesky replaces the factorization of A in c by that of A − xxᵀ.
// Results and errors are those of Downdate, and c is unchanged on error. The
// condition number is estimated anew, as in UpdateCholesky.
func DowndateCholesky(c *mat.Cholesky, x mat.Vector) (margin float64, err error) {
	u := raw(c)
	if margin, err = Downdate(u.RawTriangular(), values(x)); err != nil {
		return margin, err
	}
	c.SetFromU(u)
	return margin, nil
}

func raw(c *mat.Cholesky) *mat.TriDense {
	u, ok := c.RawU().(*mat.TriDense)
	if !ok {
		panic("cholupdate: the matrix is not factorized")
	}
	return u
}

func values(x mat.Vector) []float64 {
	if v, ok := x.(mat.RawVectorer); ok {
		if r := v.RawVector(); r.Inc == 1 {
			return r.Data[:r.N]
		}
	}
	out := make([]float64, x.Len())
	for i := range out {
		out[i] = x.AtVec(i)
	}
	return out
}

// Drift estimates the rounding errors that changes leave in a factor. After k
// changes by ±x_ix_iᵀ the relative backward error is about eps·(k +
// Σ‖x_i‖²/‖A‖) times a small constant. ‖A‖ is the smallest norm so far,
// estimated from below by the mean of the diagonal of A. The zero value is
// ready for use.
type Drift struct {
	// Tolerance is the relative error from which on Advised returns true; 0
	// means 1e-11.
	Tolerance float64

	changes float64
	mass    float64
	norm    float64
}

// Start forgets all changes: l has just been computed from the matrix itself.
func (d *Drift) Start(l blas64.Triangular) {
	d.changes, d.mass, d.norm = 0, 0, meanDiagonal(l)
}

// Add records a change by ±xxᵀ that gave the factor l. It takes O(n²)
// operations for the norm of the new matrix.
func (d *Drift) Add(l blas64.Triangular, x []float64) {
	d.changes++
	for _, v := range x {
		d.mass += v * v
	}
	if m := meanDiagonal(l); d.norm == 0 || m < d.norm {
		d.norm = m
	}
}

// Error returns the estimate of the relative backward error.
func (d *Drift) Error() float64 {
	if d.changes == 0 {
		return 0
	}
	return 0x1p-52 * (d.changes + d.mass/d.norm)
}

// Advised reports whether a new factorization is advised.
func (d *Drift) Advised() bool {
	tol := d.Tolerance
	if tol == 0 {
		tol = 1e-11
	}
	return !(d.Error() <= tol)
}

// meanDiagonal returns tr(A)/n = ‖L‖²_F/n.
func meanDiagonal(l blas64.Triangular) float64 {
	f := factor64(l)
	var s float64
	for i := range f.n {
		lo, hi := i, f.n
		if f.lower {
			lo, hi = 0, i+1
		}
		for _, v := range f.a[i*f.stride+lo : i*f.stride+hi] {
			s += v * v
		}
	}
	return s / float64(max(1, f.n))
}
