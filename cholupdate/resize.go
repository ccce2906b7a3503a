package cholupdate

import (
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/chol"
	"github.com/gramworks/gram/num"
	"gonum.org/v1/gonum/blas"
)

// appendTo returns the factor of order n+1 of
//
//	[ A   a ]
//	[ aᵀ  α ]
//
// where l is the factor of A, a = column[:n] and α = column[n], and the margin
// (α − aᵀA⁻¹a)/α. Like the built-in append it uses the memory of l if stride
// and capacity allow, and otherwise allocates memory with room to grow. Errors and
// panics are those of Factor.Append; l is unchanged then.
func appendTo[F num.Float](l Triangular[F], column []F) (grown Triangular[F], margin float64, err error) {
	f := factorOf(l)
	n := f.n
	if len(column) != n+1 {
		panic("cholupdate: the column has not the order of the grown factor")
	}
	if i := notFinite(column); i >= 0 {
		return l, 0, &gram.DataError{Row: i, Col: -4, Value: float64(column[i]), Argument: "column"}
	}
	if err := f.positive(); err != nil {
		return l, 0, err
	}
	w := borrow[F](n)
	defer giveBack(w)
	p := *w
	copy(p, column[:n])
	alpha := float64(column[n])
	if !(alpha > 0) {
		return l, min(0, alpha), &gram.NotPDError{Pivot: n, Margin: min(0, alpha)}
	}
	norm := 0.
	if n > 0 {
		trans := blas.NoTrans
		if !f.lower {
			trans = blas.Trans
		}
		trsv(trans, l, p)
		norm = nrm2(p)
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
		grown.Data = make([]F, (n+1)*grown.Stride, (n+1+n/2)*grown.Stride)
		storedFactor[F]{a: grown.Data, n: n, stride: grown.Stride, lower: f.lower}.copy(f)
	}
	g := factorOf(grown)
	for i, v := range p {
		g.a[g.at(n, i)] = v
	}
	g.a[g.at(n, n)] = F(root * math.Sqrt(margin))
	return grown, margin, nil
}

// deleteFrom overwrites the factor of A by the factor of A without row and column j
// and returns it: order n−1, in the memory of l with its stride. The part
// behind column j gets a rank-one update, which costs 2(n−j)² flops. It panics
// if j is not in [0, n). Before anything is written it returns a *gram.NotPDError
// if the diagonal of l is not positive and a *gram.DataError if that is not finite.
func deleteFrom[F num.Float](l Triangular[F], j int) (Triangular[F], error) {
	f := factorOf(l)
	n := f.n
	if j < 0 || j >= n {
		panic("cholupdate: index out of range")
	}
	if err := f.positive(); err != nil {
		return l, err
	}
	w := borrow[F](n - 1 - j)
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

// Residual measures the rounding errors that changes have left in a factor, with one vector v:
// it returns ‖LLᵀv − av‖/‖av‖ for av = A·v, which the caller computes from what A is made of, such as
// Σ x_i·(x_iᵀv) of the rows of a window. For a random v this is at least about the relative backward
// error ‖LLᵀ − A‖/‖A‖ in the Frobenius norm, and at most cond(A) times that. Factorize A again unless it
// is at most the error that may be: it is NaN if a number is. It panics if v or av has not the length of the factor. Cost: 2n² flops; it allocates
// n numbers.
func Residual[F num.Float](l Triangular[F], v, av []F) float64 {
	f := factorOf(l)
	if len(v) != f.n || len(av) != f.n {
		panic("cholupdate: the vectors have not the order of the factor")
	}
	if f.n == 0 {
		return 0
	}
	w := slices.Clone(v)
	first, second := blas.Trans, blas.NoTrans // of L; of U the other way around
	if !f.lower {
		first, second = second, first
	}
	trmv(first, l, w)
	trmv(second, l, w)
	for i, v := range av {
		w[i] -= v
	}
	gap := nrm2(w)
	if gap == 0 {
		return 0
	}
	return gap / nrm2(av)
}
