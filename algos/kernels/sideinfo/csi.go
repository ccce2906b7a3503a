package sideinfo

import (
	"context"
	"fmt"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// CSI are the settings of Cholesky with side information ([BJ05]): an incomplete
// Cholesky decomposition GGᵀ of the kernel matrix whose pivots are chosen one by
// one, each to reduce
//
//	(1−Kappa)·tr(K − GGᵀ)/tr K + Kappa·min_B ‖Y − GB‖²/‖Y‖²
//
// the most, with the centered indicators Y of the classes and G centered likewise. [BJ05]
// has a class for every row; here the second term is of the labeled rows alone and the
// first of all of them.
//
// What a pivot gains is computed from the residual matrix K − GGᵀ that Look further
// steps of a plain incomplete Cholesky decomposition give.
type CSI struct {
	Kernel kernel.Kernel     // no default
	M      int               // pivots at most; default a tenth of the rows, from 1 to 500
	Kappa  gram.Opt[float64] // weight of the classes, from 0 to 1; default 0.99; 0: incomplete Cholesky without classes
	Look   int               // columns to look ahead; default 40
	gram.Run
}

// pivotCut is the size of a residual, relative to the largest K_ii, below which a
// row is no pivot.
const pivotCut = 1e-10

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *CSI) Settings(s *settings.Fields) {
	kernel.Setting(s, &c.Kernel)
	describeM(s, &c.M, nil)
	s.OptFloat(&c.Kappa, "kappa", "weight of the classes in the choice").Default(0.99).AtLeast(0).AtMost(1)
	s.Int(&c.Look, "look", "columns to look ahead").Default(40).AtLeast(1)
}

// Plan returns what Fit will cost if all rows have labels.
func (c CSI) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	n, d, m, l := float64(s.N), float64(s.D), float64(c.M), float64(min(c.Look, s.N))
	return gram.Plan{
		Flops: (m+l)*2*n*(d+m+l) + m*(8*n*l*l+2*n*m*l), PeakBytes: check.Bytes(8 * (n*d + 2*n*m + 6*n*l + m*(m+d))), ModelBytes: check.Bytes(8 * m * (m + d)),
		Description: fmt.Sprintf("incomplete Cholesky decomposition with %d pivots chosen by classes", c.M),
	}, nil
}

// Fit chooses the pivots. A Class of −1 says that it is not known. The model maps
// any row to its features: the row of G for a row of x. It has fewer than M where
// K has no higher rank. With one class pivots are chosen for tr(K − GGᵀ) alone. A
// *gram.DataError is returned if no row has a class.
func (c CSI) Fit(ctx context.Context, x mat.Matrix, y gram.Labels) (*Model, error) {
	index, class, err := labeled(x, y)
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	if c, err = settings.Resolved(c, gram.Shape{N: n}); err != nil {
		return nil, err
	}
	s, err := c.Samples(c, x, 0)
	if err != nil {
		return nil, err
	}
	t := newPivots(c, s, index, class, len(y.Names))
	if !(t.top > 0) {
		return nil, &gram.DataError{Row: 0, Col: -1, Reason: "the kernel of every row with itself is 0"}
	}
	meter := c.Meter()
	for len(t.chosen) < c.M {
		if err := t.lookAhead(ctx); err != nil {
			return nil, err
		}
		p, err := t.best(ctx)
		if err != nil {
			return nil, err
		}
		if p < 0 {
			break
		}
		t.take(p)
		meter.Report(gram.Event{Phase: "pivots", Done: int64(len(t.chosen)), Total: int64(c.M)})
	}
	return t.model(), nil
}

// pivots is a decomposition that grows. All matrices hold their columns as rows, and the
// first rows of them are in use.
type pivots struct {
	cfg      CSI
	x        gram.Samples[float64]
	n        int
	index    []int      // of labeled rows
	y        *mat.Dense // labeled×classes, centered
	traceK   float64
	traceY   float64
	top      float64 // the largest K_ii
	left     []float64
	chosen   []int
	isChosen []bool
	g        *mat.Dense // columns of G, one for each of chosen
	q        *mat.Dense // orthonormal basis of the centered labeled rows of G
	rank     int        // of q
	look     *mat.Dense // columns L, K − GGᵀ ≈ LLᵀ
	part     *mat.Dense // labeled rows of L, centered and orthogonal to q
	ahead    int        // of look and part
	coef     []float64
}

func newPivots(c CSI, x gram.Samples[float64], index, class []int, classes int) *pivots {
	n, d := x.Dims()
	c.Look = min(c.Look, n)
	l := len(index)
	t := &pivots{
		cfg: c, x: x, n: n, index: index, left: make([]float64, n), isChosen: make([]bool, n), coef: make([]float64, max(c.M, c.Look)),
		g: mat.NewDense(c.M, n, nil), q: mat.NewDense(c.M, l, nil), look: mat.NewDense(c.Look, n, nil), part: mat.NewDense(c.Look, l, nil),
	}
	row := make([]float64, d)
	for i := range n {
		x.CopyRow(row, i)
		t.left[i] = c.Kernel.Eval(row, row)
		t.traceK += t.left[i]
		t.top = max(t.top, t.left[i])
	}
	t.y = multiclass.OneHot(class, classes)
	col := make([]float64, len(index))
	for k := range classes {
		mat.Col(col, k, t.y)
		centerVec(col)
		t.y.SetCol(k, col)
	}
	t.traceY = dot(t.y, t.y)
	return t
}

func centerVec(v []float64) {
	var mean float64
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for i := range v {
		v[i] -= mean
	}
}

// column is column p of K − GGᵀ.
func (t *pivots) column(p int) []float64 {
	k := mat.NewDense(t.n, 1, nil)
	kernel.Against[float64](t.cfg.Kernel, t.x.Select([]int{p})).Limit(t.cfg.Workers).Fill(gram.View(k), t.x)
	v := k.RawMatrix().Data
	t.subtract(v, t.g, len(t.chosen), p)
	return v
}

// first is the first k rows of a.
func first(a *mat.Dense, k int) *mat.Dense {
	_, n := a.Dims()
	return a.Slice(0, k, 0, n).(*mat.Dense)
}

// subtract takes Σ a_jp·a_j for the first k rows a_j of a off v.
func (t *pivots) subtract(v []float64, a *mat.Dense, k, p int) {
	if k == 0 {
		return
	}
	coef := t.coef[:k]
	mat.Col(coef, p, first(a, k))
	blas64.Gemv(blas.Trans, -1, first(a, k).RawMatrix(), linalg.Vector(coef), 1, linalg.Vector(v))
}

// lookAhead takes steps of the plain decomposition until L has Look columns. The
// error is ctx.Err().
func (t *pivots) lookAhead(ctx context.Context) error {
	rest := make([]float64, t.n)
	copy(rest, t.left)
	for j := range t.ahead {
		for i, v := range t.look.RawRowView(j) {
			rest[i] -= v * v
		}
	}
	for t.ahead < t.cfg.Look {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := 0
		for i, v := range rest {
			if v > rest[p] {
				p = i
			}
		}
		if !(rest[p] > pivotCut*t.top) {
			return nil
		}
		v := t.column(p)
		t.subtract(v, t.look, t.ahead, p)
		f := 1 / math.Sqrt(rest[p])
		for i := range v {
			v[i] *= f
			rest[i] -= v[i] * v[i]
		}
		rest[p] = 0
		t.look.SetRow(t.ahead, v)
		t.labeledPart(t.part.RawRowView(t.ahead), v)
		t.ahead++
	}
	return nil
}

// best is the pivot that gains the most, the first of equals, or −1. With l_i row
// i of L the column of pivot i is Ll_i/‖l_i‖, which takes l_iᵀLᵀLl_i/‖l_i‖² from the
// trace; with P = L_l less its part in the span of what is there, ‖YᵀPl_i‖²/‖Pl_i‖² is
// taken from the residual of Y. The error is ctx.Err().
func (t *pivots) best(ctx context.Context) (int, error) {
	if t.ahead == 0 {
		return -1, ctx.Err()
	}
	l, p := first(t.look, t.ahead), first(t.part, t.ahead)
	length, trace, size, target := make([]float64, t.n), make([]float64, t.n), make([]float64, t.n), make([]float64, t.n)
	var a, la mat.Dense
	for _, term := range []struct {
		sum     []float64
		factors [2]mat.Matrix
		other   bool // the sum of products with L
	}{{trace, [2]mat.Matrix{l, l.T()}, true}, {size, [2]mat.Matrix{p, p.T()}, true}, {target, [2]mat.Matrix{t.y.T(), p.T()}, false}} {
		if err := ctx.Err(); err != nil {
			return -1, err
		}
		a.Reset()
		la.Reset()
		a.Mul(term.factors[0], term.factors[1])
		la.Mul(&a, l)
		k, _ := la.Dims()
		for j := range k {
			u := la.RawRowView(j)
			v := u
			if term.other {
				v = l.RawRowView(j)
			}
			for i := range u {
				term.sum[i] += u[i] * v[i]
			}
		}
	}
	for j := range t.ahead {
		for i, v := range l.RawRowView(j) {
			length[i] += v * v
		}
	}
	most, at := 0.0, -1
	for i, s := range length {
		if t.isChosen[i] || !(t.left[i] > pivotCut*t.top) || !(s > 0) {
			continue
		}
		gain := (1 - t.cfg.Kappa.Value()) * trace[i] / s / t.traceK
		if t.traceY > 0 && size[i] > 1e-12*s*float64(len(t.index)) {
			gain += t.cfg.Kappa.Value() * target[i] / size[i] / t.traceY
		}
		if gain > most {
			most, at = gain, i
		}
	}
	if at < 0 { // no gain in sight: the largest residual
		for i, v := range t.left {
			if !t.isChosen[i] && v > pivotCut*t.top && (at < 0 || v > t.left[at]) {
				at = i
			}
		}
	}
	return at, nil
}

func inner(a, b []float64) float64 {
	var sum float64
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// labeledPart sets dst to the labeled elements of v, centered and orthogonal to q. What is
// taken off is taken off again if little is left.
func (t *pivots) labeledPart(dst, v []float64) {
	for i, at := range t.index {
		dst[i] = v[at]
	}
	centerVec(dst)
	if t.rank == 0 {
		return
	}
	q, coef, to := first(t.q, t.rank).RawMatrix(), linalg.Vector(t.coef[:t.rank]), linalg.Vector(dst)
	for range 2 {
		before := blas64.Nrm2(to)
		blas64.Gemv(blas.NoTrans, 1, q, to, 0, coef)
		blas64.Gemv(blas.Trans, -1, q, coef, 1, to)
		if blas64.Nrm2(to) > before/2 {
			break
		}
	}
}

// take makes p a pivot. LLᵀ loses the part of p, by a reflection that turns l_p to
// the first coordinate, which is dropped.
func (t *pivots) take(p int) {
	v := t.column(p)
	f := 1 / math.Sqrt(t.left[p])
	for i := range v {
		v[i] *= f
		t.left[i] = max(0, t.left[i]-v[i]*v[i])
	}
	t.left[p], t.isChosen[p] = 0, true
	t.g.SetRow(len(t.chosen), v)
	t.chosen = append(t.chosen, p)

	if t.ahead > 0 {
		h := t.coef[:t.ahead]
		mat.Col(h, p, first(t.look, t.ahead))
		if length := blas64.Nrm2(linalg.Vector(h)); length > 0 {
			h[0] += math.Copysign(length, h[0])
			square := inner(h, h)
			for _, a := range []*mat.Dense{t.look, t.part} {
				_, n := a.Dims()
				sum := make([]float64, n)
				blas64.Gemv(blas.Trans, 1, first(a, t.ahead).RawMatrix(), linalg.Vector(h), 0, linalg.Vector(sum))
				blas64.Ger(-2/square, linalg.Vector(h), linalg.Vector(sum), first(a, t.ahead).RawMatrix())
			}
		}
		t.ahead--
		for _, a := range []*mat.Dense{t.look, t.part} {
			for j := range t.ahead {
				copy(a.RawRowView(j), a.RawRowView(j+1))
			}
		}
	}

	col := make([]float64, len(t.index))
	t.labeledPart(col, v)
	size := math.Sqrt(inner(col, col))
	if !(size > 1e-10*math.Sqrt(t.top*float64(len(col)))) {
		return
	}
	for i := range col {
		col[i] /= size
	}
	t.q.SetRow(t.rank, col)
	t.rank++
	if t.ahead > 0 {
		part, coef := first(t.part, t.ahead).RawMatrix(), linalg.Vector(t.coef[:t.ahead])
		blas64.Gemv(blas.NoTrans, 1, part, linalg.Vector(col), 0, coef)
		blas64.Ger(-1, coef, linalg.Vector(col), part)
	}
}

// model has the features K(x,U)·G_U^−ᵀ for the pivots U.
func (t *pivots) model() *Model {
	m := len(t.chosen)
	lower := mat.NewTriDense(m, mat.Lower, nil)
	for i, p := range t.chosen {
		for j := range i + 1 {
			lower.SetTri(i, j, t.g.At(j, p))
		}
	}
	// The pivots, above the cut, keep it regular: an error tells the condition.
	_ = lower.InverseTri(lower)
	u := rows.Dense(t.x, t.chosen)
	root := mat.DenseCopyOf(lower.T())
	c := Config{Kernel: t.cfg.Kernel, M: m, Landmarks: landmark.Fixed{U: u}, Run: t.cfg.Run}
	values := basis.NewValues(c.Kernel, u, c.Workers)
	out := &Model{Rooted: basis.NewRooted(values, root), cfg: c, values: values}
	out.stats.Rank = m
	return out
}
