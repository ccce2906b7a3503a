package dual

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/linalg"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// Problem is the least Σ f(λ_j(X)) − tr(X·Base) over positive semidefinite r×r
// matrices X that keep the rows,
//
//	Offset + tr(X·H) ≤, ≥ or = ξ,   H = Σ_k Weight_k·t_kt_kᵀ + Identity·I,
//
// for the vectors t_k that are the rows First, First+1, … of T.
type Problem struct {
	F    Function
	T    *mat.Dense // atoms×r
	Rows []Row
	Base []float64 // diagonal, nil for 0
	N    int       // constraints of the caller, which Row.At counts

	Constant float64 // part of the objective
	Unit     float64 // what the gap is relative to, beside |Objective|; 0: r
}

// Row is one constraint. Identity must be 0 for LogDet.
type Row struct {
	At       int
	First    int
	Weight   []float64
	Identity float64
	Relation constraint.Relation
	Bound    Bound
	Offset   float64
}

// vectors returns the vectors t_k of the terms of a row, as rows of a matrix that shares the memory of T.
func (p *Problem) vectors(r *Row) *mat.Dense {
	_, d := p.T.Dims()
	return p.T.Slice(r.First, r.First+len(r.Weight), 0, d).(*mat.Dense)
}

// Project returns the dual nearest to y that has the sign of the relation.
func (r *Row) Project(y float64) float64 {
	if r.Relation == constraint.AtMost && y > 0 || r.Relation == constraint.AtLeast && y < 0 {
		return 0
	}
	return y
}

// size is Σ|Weight|·‖t‖² and |Identity|·r: at least the trace norm of H.
func (p *Problem) size(r *Row) float64 {
	_, d := p.T.Dims()
	sum := math.Abs(r.Identity) * float64(d)
	for k, w := range r.Weight {
		t := p.T.RawRowView(r.First + k)
		sum += math.Abs(w) * linalg.Dot(t, t)
	}
	return sum
}

// definite tells whether the value is a sum of squares.
func (r *Row) definite() bool {
	ok := r.Identity >= 0 && r.Offset >= 0
	for _, w := range r.Weight {
		ok = ok && w > 0
	}
	return ok
}

// unit is what a gap is relative to, beside the objective.
func (p *Problem) unit() float64 {
	if p.Unit > 0 {
		return p.Unit
	}
	_, r := p.T.Dims()
	return float64(r)
}

// weighted returns Σ_c y_c·H_c for the vectors in the rows of t: T itself or T in other
// coordinates, with H's identity left out. Rows with y = 0 cost nothing.
func (p *Problem) weighted(t *mat.Dense, y []float64) *mat.SymDense {
	atoms, r := t.Dims()
	left, right := make([]float64, 0, atoms*r), make([]float64, 0, atoms*r)
	k := 0
	for i := range p.Rows {
		if y[i] == 0 {
			continue
		}
		row := &p.Rows[i]
		for j, w := range row.Weight {
			v := t.RawRowView(row.First + j)
			left, right = append(left, v...), append(right, v...)
			blas64.Scal(w*y[i], linalg.Vector(right[k*r:]))
			k++
		}
	}
	m := mat.NewSymDense(r, nil)
	if k > 0 {
		raw := m.RawSymmetric()
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, general(k, r, left), general(k, r, right), 0, general(r, r, raw.Data))
	}
	return m
}

// identity returns Σ y_c·Identity_c, the multiple of the identity in Σ y_cH_c.
func (p *Problem) identity(y []float64) (sum float64) {
	for i := range p.Rows {
		sum += y[i] * p.Rows[i].Identity
	}
	return sum
}

// State is the problem at the dual variables Y, whose X is the best for them.
type State struct {
	Y         []float64
	Value     []float64 // tr(X·H) + Offset of every row
	Xi        []float64 // the bound that it is held to
	Dual      float64   // a lower bound on the objective
	Objective float64   // that of X, with the price of the bounds that X needs
	Violation float64   // of the rows, relative to ξ, or to max(|ξ|, tr(X|H|)) where ξ or H has another sign
	Gap       float64   // Σ|y·(value − ξ)| relative to |Objective| + Unit

	p         *Problem
	low       []float64 // what Y leaves out of the duals, which are summed in twice the precision; nil: nothing
	conjugate float64   // Σ f*(σ)
	slope     []float64 // −ξ′
	grad      []float64 // of the dual: ξ − value

	// X = Σ_j lambda_j·u_ju_jᵀ with eigenvalues sigma of Base + Σ y_cH_c: all, or those
	// above the Tau of a Quadratic. R is T·U.
	sigma, lambda []float64
	u, r          *mat.Dense

	// For LogDet X = BBᵀ with log det X and r is T·B; B is upper triangular.
	b      *mat.Dense
	logdet float64
}

// Spectrum decomposes the matrix Σ y_cH_c + Base whose function X is.
type Spectrum func(ctx context.Context, p *Problem, y []float64) (sigma []float64, u *mat.Dense, err error)

// Dense computes all eigenvalues and eigenvectors, in 9r³ flops.
func Dense(ctx context.Context, p *Problem, y []float64) ([]float64, *mat.Dense, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	m := p.weighted(p.T, y)
	shift := p.identity(y)
	for j := range m.SymmetricDim() {
		v := m.At(j, j) + shift
		if p.Base != nil {
			v += p.Base[j]
		}
		m.SetSym(j, j, v)
	}
	return eig.SymAll(ctx, m)
}

// spectral evaluates the problem at y by the spectrum. Where the dual is −∞, or the matrix of y is
// beyond the range of numbers, only that is set.
func (p *Problem) spectral(ctx context.Context, y []float64, spec Spectrum) (*State, error) {
	s := &State{p: p, Y: y}
	var err error
	var beyond *gram.DataError
	if s.sigma, s.u, err = spec(ctx, p, y); errors.As(err, &beyond) {
		s.Dual = math.Inf(-1)
		return s, nil
	} else if err != nil {
		return nil, err
	}
	s.lambda = make([]float64, len(s.sigma))
	var conjugate float64
	for j, v := range s.sigma {
		var f float64
		f, s.lambda[j] = p.F.Conjugate(v)
		conjugate += f
	}
	if _, r := p.T.Dims(); len(s.sigma) < r {
		f, _ := p.F.Conjugate(math.Inf(-1))
		conjugate += f * float64(r-len(s.sigma))
	}
	if conjugate-conjugate != 0 {
		s.Dual = math.Inf(-1)
		return s, nil
	}
	atoms, _ := p.T.Dims()
	s.r = mat.NewDense(atoms, len(s.lambda), nil)
	s.r.Mul(p.T, s.u)
	s.measure(conjugate)
	return s, nil
}

// measure computes what follows from r, lambda and Y. conjugate is Σ f*(σ).
func (s *State) measure(conjugate float64) {
	p := s.p
	m := len(p.Rows)
	s.conjugate = conjugate
	s.Value, s.Xi, s.slope, s.grad = make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m)
	var trace float64
	for _, l := range s.lambda {
		trace += l
	}
	s.Dual = p.Constant - conjugate
	s.Objective = s.Dual
	s.Violation, s.Gap = 0, 0
	for i := range p.Rows {
		r := &p.Rows[i]
		value, size := r.Identity*trace, math.Abs(r.Identity)*trace
		for k, w := range r.Weight {
			var sum float64
			v := s.r.RawRowView(r.First + k)
			if s.lambda == nil {
				sum = linalg.Dot(v, v)
			} else {
				for j, x := range v {
					sum += s.lambda[j] * x * x
				}
			}
			value += w * sum
			size += math.Abs(w) * sum
		}
		y := s.Y[i]
		s.Objective += y * value
		value += r.Offset
		xi, least, slope := r.Bound.At(y)
		if s.low != nil {
			xi, _ = r.Bound.from(extended{y, s.low[i]}, 0).at(0)
		}
		s.Value[i], s.Xi[i], s.slope[i], s.grad[i] = value, xi, slope, xi-value
		s.Dual += least - y*r.Offset
		s.Objective += r.cost(value)
		s.Violation = max(s.Violation, r.violation(value, xi, size+math.Abs(r.Offset)))
		s.Gap += math.Abs(y * (value - xi))
	}
	if s.Gap /= math.Abs(s.Objective) + p.unit(); s.Gap != s.Gap {
		s.Gap = math.Inf(1)
	}
	if s.Dual != s.Dual {
		s.Dual = math.Inf(-1)
	}
}

// violation is how far the value is beyond ξ, relative to ξ, or to max(|ξ|, size) where ξ or H has
// another sign.
func (r *Row) violation(value, xi, size float64) float64 {
	e := r.Relation.Excess(value, xi)
	switch {
	case value-value != 0 || math.IsInf(e, 1):
		return math.Inf(1)
	case !(e > 0):
		return 0
	}
	return e / r.measure(xi, size)
}

// measure is what a violation is relative to: ξ, or max(|ξ|, size) where ξ or H has another sign and the value can be
// small by cancellation.
func (r *Row) measure(xi, size float64) float64 {
	if xi > 0 && r.definite() {
		return xi
	}
	return max(math.Abs(xi), size)
}

// Certify makes Violation that of the rows' values, and of the sizes |tr(X|H|)| + |Offset|, that the caller
// has measured on what X was turned into. It returns the gap of these values.
func (s *State) Certify(value, size []float64) (gap float64) {
	s.Violation = 0
	for i := range s.p.Rows {
		s.Violation = max(s.Violation, s.p.Rows[i].violation(value[i], s.Xi[i], size[i]))
		gap += math.Abs(s.Y[i] * (value[i] - s.Xi[i]))
	}
	if gap /= math.Abs(s.Objective) + s.p.unit(); gap != gap {
		return math.Inf(1)
	}
	return gap
}

// Price is what moving the bounds costs at Y.
func (s *State) Price() (sum float64) {
	for i := range s.p.Rows {
		sum += s.p.Rows[i].Bound.Cost(s.Xi[i])
	}
	return sum
}

// with is the state of a LogDet problem beside the duals y, which leave out low, with the triangular factor b of X. It
// keeps b.
func (p *Problem) with(y, low []float64, b *mat.Dense) *State {
	s := &State{p: p, Y: y, low: low, b: b, r: &mat.Dense{}}
	s.r.Mul(p.T, b)
	n, _ := b.Dims()
	for i := range n {
		s.logdet += 2 * math.Log(b.At(i, i))
	}
	s.measure(s.logdet)
	return s
}

// upperOf returns the U of I − step·m = UᵀU; false if that is not positive definite.
func upperOf(m *mat.SymDense, step float64) (u blas64.Triangular, logdet float64, ok bool) {
	r := m.SymmetricDim()
	raw := m.RawSymmetric()
	a := make([]float64, r*r)
	for i := range r {
		for j := i; j < r; j++ {
			a[i*r+j] = -step * raw.Data[i*raw.Stride+j]
		}
		a[i*r+i]++
	}
	u, ok = lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: r, Stride: r, Data: a})
	if !ok {
		return u, 0, false
	}
	for i := range r {
		logdet += 2 * math.Log(a[i*r+i])
	}
	return u, logdet, logdet-logdet == 0
}

// inverseFactor returns the upper triangular B with BBᵀ = (I − m)⁻¹.
func inverseFactor(m *mat.SymDense) (b *mat.Dense, ok bool) {
	u, _, ok := upperOf(m, 1)
	if !ok || !lapack64.Trtri(u) {
		return nil, false
	}
	return mat.NewDense(u.N, u.N, u.Data), true
}

// Factor returns B of X = BBᵀ, upper triangular, for LogDet. It is the state's own.
func (s *State) Factor() *mat.Dense { return s.b }

// Certificate returns the violation, the gap, the duals and the bounds of s for the constraints cs of the caller; dropped are the
// numbers of those that have no row in the problem.
func (s *State) Certificate(cs []constraint.Linear, dropped []int) constraint.Certificate {
	c := constraint.Certificate{Violation: s.Violation, Gap: s.Gap, Duals: make([]float64, len(cs)), Bounds: make([]float64, len(cs)), Dropped: dropped}
	for i := range cs {
		c.Bounds[i] = cs[i].Bound
	}
	for i := range s.p.Rows {
		c.Duals[s.p.Rows[i].At], c.Bounds[s.p.Rows[i].At] = s.Y[i], s.Xi[i]
	}
	return c
}

// Spectrum returns the eigenvalues λ of X, those σ of Base + Σ y_cH_c that they come
// from, the eigenvectors u and T·u. It takes an eigendecomposition for LogDet, or two.
func (s *State) Spectrum(ctx context.Context) (sigma, lambda []float64, u, r *mat.Dense, err error) {
	if s.b == nil {
		return s.sigma, s.lambda, s.u, s.r, nil
	}
	d, _ := s.b.Dims()
	x := mat.NewSymDense(d, nil)
	x.SymOuterK(1, s.b)
	if lambda, u, err = eig.SymAll(ctx, x); err != nil {
		return nil, nil, nil, nil, err
	}
	// Rounding leaves few digits of eigenvalues that are far below the largest. They are 1/(1−σ) for a
	// large −σ, which Σ y_cH_c has with all digits.
	sigma = make([]float64, d)
	from, top := 0, max(1, lambda[d-1])
	if !(lambda[0] > 0x1p-20*top) {
		low, v, err := Dense(ctx, s.p, s.Y)
		if err != nil {
			return nil, nil, nil, nil, err
		}
		split := math.Sqrt(top / (1 - low[0]))
		for ; from < d && 1/(1-low[from]) < split; from++ {
			sigma[from], lambda[from] = low[from], 1/(1-low[from])
			for i := range d {
				u.Set(i, from, v.At(i, from))
			}
		}
	}
	for j, l := range lambda[from:] {
		sigma[from+j] = (l - 1) / l
	}
	r = &mat.Dense{}
	r.Mul(s.p.T, u)
	return sigma, lambda, u, r, nil
}

// Truncated is the state with the k largest eigenvalues of X and 0 for the others, judged
// as it is: it is not the best X for Y. Not for LogDet.
func (s *State) Truncated(k int) *State {
	t := *s
	t.lambda = slices.Clone(s.lambda)
	order := make([]int, len(t.lambda))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s.lambda[j], s.lambda[i]) })
	for _, j := range order[min(k, len(order)):] {
		t.lambda[j] = 0
	}
	t.measure(s.conjugate)
	_, r := s.p.T.Dims()
	t.Objective = s.p.Constant + s.p.F.Value(0)*float64(r-len(t.lambda))
	for _, l := range t.lambda {
		t.Objective += s.p.F.Value(l)
	}
	for i := range t.Value {
		t.Objective += s.p.Rows[i].cost(t.Value[i])
	}
	t.Gap = math.Abs(t.Objective-t.Dual) / (math.Abs(t.Objective) + s.p.unit())
	return &t
}

// cost is what slack costs at best for a row with that value.
func (r *Row) cost(value float64) float64 {
	if r.Relation.Excess(value, r.Bound.B) == 0 {
		return 0
	}
	return r.Bound.Cost(value)
}

func general(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}
