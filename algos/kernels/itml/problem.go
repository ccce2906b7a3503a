package itml

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/kernels/internal/dual"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// problem is the learning problem in coordinates. Atom k is the z of one term.
// Φz_k has the coordinates t_k (row k of T) in an orthonormal basis Q of the r
// dimensions in which W is learned, W = αI + Q(X − αI)Qᵀ, and constraint i is on
//
//	offset + Σ_k weight_k·t_kᵀXt_k,   offset = α·Σ_k weight_k·(z_kᵀKz_k − ‖t_k‖²):
//
// the offset is what W does outside of the r dimensions.
type problem struct {
	dual.Problem
	dropped []int

	x     *mat.Dense          // the rows that occur in atoms
	atoms []constraint.Vector // on these rows
	size  []float64           // zᵀKz of each

	index []int      // the rows that are points, nil if these are no rows
	j     *mat.Dense // J; nil for the identity and for landmarks

	// back returns the points and, for r×q coordinates u of vectors in the r
	// dimensions and the atoms×q coefficients w of the same vectors in the Φz_k,
	// their coefficients V in the points: Q·u = Φ_points·V.
	back func(u, w *mat.Dense) (points, v *mat.Dense)
}

// compile sets up the problem. Constraints whose value is the same in every learned
// kernel, such as distances of points that coincide, are dropped where they hold, and
// where there is slack.
func (c Config) compile(ctx context.Context, x gram.Samples[float64], cons []constraint.Linear) (*problem, error) {
	p := &problem{Problem: dual.Problem{F: c.Regularizer.function(c.Tau.Value()), N: len(cons)}}
	n := x.N()
	var atoms []constraint.Vector
	for i, con := range cons {
		r := dual.Row{At: i, First: len(atoms), Relation: con.Relation, Bound: dual.Bound{B: con.Bound}}
		add := func(weight float64, z constraint.Vector) {
			if weight != 0 && len(z.Index) > 0 {
				atoms, r.Weight = append(atoms, z), append(r.Weight, weight)
			}
		}
		for _, t := range con.Terms {
			z := t.Z
			if z.Index == nil {
				z.Index = indices(n)
			}
			add(t.Weight, z)
		}
		if con.Identity != 0 {
			for j := range n {
				add(con.Identity, constraint.Vector{Index: []int{j}, Value: []float64{1}})
			}
		}
		p.Rows = append(p.Rows, r)
	}
	var size []float64 // zᵀKz
	var err error
	switch {
	case len(atoms) == 0:
		p.index = []int{0}
		points := rows.Dense(x, p.index)
		p.T = mat.NewDense(1, 1, nil)
		p.back = func(_, w *mat.Dense) (*mat.Dense, *mat.Dense) { return points, w }
	case !c.reduces():
		size, err = c.full(ctx, p, x, atoms)
	default:
		size, err = c.reduced(ctx, p, x, atoms)
	}
	if err != nil {
		return nil, err
	}
	p.size = size
	kept := p.Rows[:0]
	for _, r := range p.Rows {
		var scale, inside, square float64 // Σ|weight|·zᵀKz, Σ|weight|·‖t‖² and ‖Σ weight·ttᵀ‖²
		for k, weight := range r.Weight {
			at := r.First + k
			t := p.T.RawRowView(at)
			inside += math.Abs(weight) * linalg.Dot(t, t)
			for l, other := range r.Weight {
				v := linalg.Dot(t, p.T.RawRowView(r.First+l))
				square += weight * other * v * v
			}
			if c.reduces() {
				r.Offset += c.Regularizer.alpha() * weight * (size[at] - linalg.Dot(t, t))
			}
			scale += math.Abs(weight) * size[at]
		}
		b := r.Bound.B
		if scale == 0 || inside <= 1e-14*scale || square <= 16*0x1p-53*inside*inside {
			if r.Relation.Excess(r.Offset, b) != 0 && c.Slack == 0 {
				proof := make([]float64, len(cons))
				proof[r.At] = math.Copysign(1, b-r.Offset)
				return nil, &constraint.InfeasibleError{Constraints: []int{r.At}, Farkas: proof,
					Reason: fmt.Sprintf("its value is %v in every learned kernel, and it asks for %s %v (points coincide, its terms cancel, or they lie outside of the basis)", r.Offset, r.Relation, b)}
			}
			p.dropped = append(p.dropped, r.At)
			continue
		}
		r.Bound = c.Regularizer.bound(b, c.Slack, scale)
		kept = append(kept, r)
	}
	p.Rows = kept
	return p, nil
}

// order is that in which sweeps project on the rows.
func (p *problem) order(seed uint64) []int {
	return rng.New(rng.Derive(seed, "order"), 0).Perm(len(p.Rows))
}

// sweep solves a LogDet problem by cyclic projections alone. Where these do not get to the end, it looks for a proof that the
// rows contradict each other.
func (p *problem) sweep(ctx context.Context, o dual.Options) (*dual.State, int, error) {
	if err := p.Alone(); err != nil {
		return nil, 0, err
	}
	s, report, err := p.Sweep(ctx, o)
	var short *gram.ConvergenceError
	if errors.As(err, &short) {
		err = cmp.Or(p.Feasible(ctx, o), err)
	}
	return s, report.Iterations, err
}

// certify measures the constraints on f, the kernel that s was turned into.
func (p *problem) certify(ctx context.Context, s *dual.State, f *Function) error {
	if p.x == nil { // no constraint has a term
		return nil
	}
	n, _ := p.x.Dims()
	_, r := f.Dims()
	features := mat.NewDense(n, r, nil)
	const step = 256
	for lo := 0; lo < n; lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+step, n)
		f.Features(features.Slice(lo, hi, 0, r).(*mat.Dense), p.x.Slice(lo, hi, 0, p.x.RawMatrix().Cols))
	}
	of := combine(p.atoms, features)
	value, size := make([]float64, len(p.Rows)), make([]float64, len(p.Rows))
	for i := range p.Rows {
		row := &p.Rows[i]
		for k, weight := range row.Weight {
			v := f.alpha * p.size[row.First+k]
			for j, t := range of.RawRowView(row.First + k) {
				v += f.sign[j] * t * t
			}
			value[i] += weight * v
			size[i] += math.Abs(weight * v)
		}
	}
	s.Certify(value, size)
	return nil
}

// indices returns 0, …, n−1.
func indices(n int) []int {
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	return index
}

// full takes the span of the Φz of all atoms. The factor is one of the Gram
// matrix of the atoms or of the rows they concern, whichever is smaller; the
// inverse of neither is formed. For the linear kernel in few dimensions the
// coordinates are those of the rows.
func (c Config) full(ctx context.Context, p *problem, x gram.Samples[float64], atoms []constraint.Vector) ([]float64, error) {
	used, local := concerned(atoms)
	xu := rows.Dense(x, used)
	p.x, p.atoms, p.index = xu, local, used
	_, d := xu.Dims()
	p.back = func(_, w *mat.Dense) (*mat.Dense, *mat.Dense) {
		_, q := w.Dims()
		v := mat.NewDense(len(used), q, nil)
		for k, z := range local {
			for j, i := range z.Index {
				blas64.Axpy(z.Value[j], linalg.Vector(w.RawRowView(k)), linalg.Vector(v.RawRowView(i)))
			}
		}
		return xu, v
	}
	if _, is := c.Kernel.(kernel.Linear); is && d <= min(len(used), len(atoms)) {
		p.T = combine(local, xu)
		return squares(p.T, nil), ctx.Err()
	}
	b := kernel.Against[float64](c.Kernel, xu).Limit(c.Workers)
	size, nonzeros := make([]float64, len(atoms)), 0
	for _, z := range local {
		nonzeros += len(z.Index)
	}
	if len(atoms) < len(used) && nonzeros <= 8*len(atoms) {
		g, err := between(ctx, b, xu, local, size)
		if err != nil {
			return nil, err
		}
		p.T, _, _ = factor(g, 0)
		return size, ctx.Err()
	}
	g := mat.NewDense(len(used), len(used), nil)
	if err := fill(ctx, g, b, xu); err != nil {
		return nil, err
	}
	for k, z := range local {
		var s, bound, diag float64
		for j, i := range z.Index {
			for l, h := range z.Index {
				s += z.Value[j] * z.Value[l] * g.At(i, h)
			}
			bound += math.Abs(z.Value[j])
			diag = max(diag, math.Abs(g.At(i, i)))
		}
		size[k] = beyond(s, bound, diag)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l, _, _ := factor(g, 0)
	p.T = combine(local, l)
	return size, ctx.Err()
}

// beyond is s = zᵀKz, 0 where that is what rounding makes of 0: bound is Σ|z_i| and
// diag the largest K_ii.
func beyond(s, bound, diag float64) float64 {
	if s > 8*0x1p-53*bound*bound*diag {
		return s
	}
	return 0
}

// between returns the Gram matrix z_kᵀKz_l of atoms on the rows of x and sets size to its
// diagonal. Of K there are the rows of some atoms at a time.
func between(ctx context.Context, b *kernel.Block[float64], x *mat.Dense, atoms []constraint.Vector, size []float64) (*mat.Dense, error) {
	n, _ := x.Dims()
	g := mat.NewDense(len(atoms), len(atoms), nil)
	const step = 64
	for lo := 0; lo < len(atoms); lo += step {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+step, len(atoms))
		part, local := concerned(atoms[lo:hi])
		kx := mat.NewDense(len(part), n, nil)
		b.Fill(gram.View(kx), gram.Of(rows.Dense(gram.Of(x), part)))
		kz := combine(local, kx) // row k is Kz_k
		for k := lo; k < hi; k++ {
			row := g.RawRowView(k)
			for l, z := range atoms {
				for j, i := range z.Index {
					row[l] += z.Value[j] * kz.At(k-lo, i)
				}
			}
			var bound, diag float64
			for j, i := range local[k-lo].Index {
				bound += math.Abs(local[k-lo].Value[j])
				diag = max(diag, math.Abs(kx.At(i, part[i])))
			}
			size[k] = beyond(row[k], bound, diag)
		}
	}
	return g, nil
}

// reduced takes the span of ΦJ: with JᵀKJ = RᵀR, row i has the coordinates
// R⁻ᵀJᵀk_i [J10, Theorem 2]. R comes from a Cholesky factorization with
// pivoting that stops at 10⁻¹² of the largest pivot.
func (c Config) reduced(ctx context.Context, p *problem, x gram.Samples[float64], atoms []constraint.Vector) ([]float64, error) {
	used, local := concerned(atoms)
	points, j, err := c.basis(ctx, p, x)
	if err != nil {
		return nil, err
	}
	xu := rows.Dense(x, used)
	p.x, p.atoms = xu, local
	m := c.M
	h, kj := mat.NewDense(len(used), m, nil), mat.NewDense(m, m, nil)
	if j == nil {
		b := kernel.Against[float64](c.Kernel, points).Limit(c.Workers)
		if err := fill(ctx, h, b, xu); err != nil {
			return nil, err
		}
		if err := fill(ctx, kj, b, points); err != nil {
			return nil, err
		}
	} else {
		onto := &embedding{NewFunction(c.Kernel, 0, points, j, make([]float64, m), c.Workers)}
		if h, err = solve.Features(ctx, onto, xu); err != nil {
			return nil, err
		}
		kpj, err := solve.Features(ctx, onto, points)
		if err != nil {
			return nil, err
		}
		kj.Mul(j.T(), kpj)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	_, r, pivots := factor(kj, 1e-12)
	rank := r.N
	e := mat.NewDense(rank, len(used), nil)
	for k := range rank {
		for i := range used {
			e.Set(k, i, h.At(i, pivots[k]))
		}
	}
	blas64.Trsm(left, trans, 1, r, e.RawMatrix())
	p.T = combine(local, mat.DenseCopyOf(e.T()))
	p.back = func(u, _ *mat.Dense) (*mat.Dense, *mat.Dense) {
		_, q := u.Dims()
		s := mat.DenseCopyOf(u)
		blas64.Trsm(left, noTrans, 1, r, s.RawMatrix())
		v := mat.NewDense(m, q, nil)
		for k := range rank {
			v.SetRow(pivots[k], s.RawRowView(k))
		}
		if j == nil {
			return points, v
		}
		np, _ := points.Dims()
		full := mat.NewDense(np, q, nil)
		full.Mul(j, v)
		return points, full
	}
	size := make([]float64, len(atoms))
	for k, z := range atoms {
		if k%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		xz := rows.Dense(x, z.Index)
		g := mat.NewDense(len(z.Index), len(z.Index), nil)
		kernel.Against[float64](c.Kernel, xz).FillSerial(gram.View(g), gram.Of(xz))
		w := mat.NewVecDense(len(z.Value), z.Value)
		size[k] = max(0, mat.Inner(w, g, w))
		var bound float64
		for i, v := range z.Value {
			bound += math.Abs(v) * math.Sqrt(math.Abs(g.At(i, i)))
		}
		if size[k] <= 8*0x1p-53*bound*bound {
			size[k] = 0
		}
	}
	return size, nil
}

// basis returns points and J; nil stands for the identity. p is told the rows that are points, and J.
func (c Config) basis(ctx context.Context, p *problem, x gram.Samples[float64]) (points, j *mat.Dense, err error) {
	n, _ := x.Dims()
	if p.j = c.Given.J; p.j != nil {
		if err := gram.Of(p.j).Finite(); err != nil {
			return nil, nil, fmt.Errorf("Given.J: %w", err)
		}
		for i := range n {
			if v := p.j.RawRowView(i); linalg.Dot(v, v) != 0 {
				p.index = append(p.index, i)
			}
		}
		if p.index == nil { // there must be a point
			p.index = []int{0}
		}
		return rows.Dense(x, p.index), rows.Dense(gram.Of(p.j), p.index), nil
	}
	run := c.Run
	run.Seed = rng.Derive(c.Seed, "reduction")
	if c.Reduction == Subset {
		chosen, err := c.Landmarks.Select(ctx, c.Kernel, x, nil, c.M, run)
		if err != nil {
			return nil, nil, err
		}
		p.index = chosen.Index
		return chosen.U, nil, nil
	}
	p.index = indices(n)
	points, j = rows.Dense(x, p.index), mat.NewDense(n, c.M, nil)
	p.j = j
	if c.Reduction == Random {
		r := rng.New(run.Seed, 0)
		for i := range n {
			for k := range c.M {
				j.Set(i, k, r.NormFloat64()/math.Sqrt(float64(n)))
			}
		}
		return points, j, nil
	}
	cluster, err := c.clusters(ctx, x, run)
	if err != nil {
		return nil, nil, err
	}
	count := make([]float64, c.M)
	for _, k := range cluster {
		count[k]++
	}
	for i, k := range cluster {
		j.Set(i, k, 1/math.Sqrt(count[k]))
	}
	return points, j, nil
}

// concerned returns the rows that occur in the atoms, ascending, and the atoms
// with the rows numbered by their place in that list.
func concerned(atoms []constraint.Vector) (used []int, local []constraint.Vector) {
	for _, z := range atoms {
		used = append(used, z.Index...)
	}
	slices.Sort(used)
	used = slices.Compact(used)
	for _, z := range atoms {
		t := constraint.Vector{Index: make([]int, len(z.Index)), Value: z.Value}
		for j, i := range z.Index {
			t.Index[j], _ = slices.BinarySearch(used, i)
		}
		local = append(local, t)
	}
	return used, local
}

// combine returns the matrix whose row k is Σ_j Value_j·(row Index_j of a).
func combine(atoms []constraint.Vector, a *mat.Dense) *mat.Dense {
	_, d := a.Dims()
	out := mat.NewDense(len(atoms), d, nil)
	for k, z := range atoms {
		for j, i := range z.Index {
			blas64.Axpy(z.Value[j], linalg.Vector(a.RawRowView(i)), linalg.Vector(out.RawRowView(k)))
		}
	}
	return out
}

// factor returns the n×r factor l of the positive semidefinite g = l·lᵀ by a
// Cholesky factorization with pivoting, which stops when no pivot is above cut
// times the largest (0: n·u), and the same as the triangle r, rᵀr being the part
// of g at the pivots.
func factor(g *mat.Dense, cut float64) (l *mat.Dense, r blas64.Triangular, pivots []int) {
	n, _ := g.Dims()
	s := mat.NewSymDense(n, nil)
	top := 0.
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (g.At(i, j)+g.At(j, i))/2)
		}
		top = max(top, g.At(i, i))
	}
	if !(top > 0) { // a matrix of zeros
		return mat.NewDense(n, 1, nil), blas64.Triangular{N: 1, Stride: 1, Data: []float64{1}, Uplo: upper, Diag: nonUnit}, []int{0}
	}
	if cut == 0 {
		cut = float64(n) * 0x1p-53
	}
	var c mat.PivotedCholesky
	c.Factorize(s, cut*top)
	rank := c.Rank()
	u := c.RawU()
	pivots = c.ColumnPivots(nil)
	l = mat.NewDense(n, rank, nil)
	for k := range rank {
		for j := k; j < n; j++ {
			l.Set(pivots[j], k, u.(*mat.TriDense).At(k, j))
		}
	}
	r = u.(*mat.TriDense).RawTriangular()
	r.N = rank
	return l, r, pivots[:rank]
}

// fill is b.Fill in blocks of rows, between which it looks at ctx.
func fill(ctx context.Context, dst *mat.Dense, b *kernel.Block[float64], x *mat.Dense) error {
	n, _ := x.Dims()
	const step = 256
	for lo := 0; lo < n; lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+step, n)
		b.Fill(gram.View(dst).Slice(lo, hi), gram.Of(x).Slice(lo, hi))
	}
	return nil
}

func squares(t *mat.Dense, dst []float64) []float64 {
	n, _ := t.Dims()
	for i := range n {
		v := t.RawRowView(i)
		dst = append(dst, linalg.Dot(v, v))
	}
	return dst
}
