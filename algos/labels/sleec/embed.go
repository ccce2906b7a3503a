package sleec

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/internal/topk"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// neighbors returns the inner products G_ij of unit label vectors on Ω, as a
// symmetric matrix.
func (c Config) neighbors(ctx context.Context, y *sparse.CSR) (*sparse.CSR, error) {
	n := y.N
	scale := make([]float64, n) // 1/‖y_i‖
	for i := range n {
		if k := y.Ptr[i+1] - y.Ptr[i]; k > 0 {
			scale[i] = 1 / math.Sqrt(float64(k))
		}
	}
	byLabel := y.Transpose()
	near := make([][]int32, n)
	const grain = 64
	err := par.For(ctx, c.Workers, n, grain, func(lo, hi int) {
		common := make([]int32, n)
		var met []int32
		var top topk.List
		var best []gram.Scored
		for i := lo; i < hi; i++ {
			labels, _ := y.Row(i)
			for _, l := range labels {
				others, _ := byLabel.Row(int(l))
				for _, j := range others {
					if common[j] == 0 {
						met = append(met, j)
					}
					common[j]++
				}
			}
			top.Reset(c.Neighbors)
			for _, j := range met {
				if int(j) != i {
					top.Add(int(j), float64(common[j])*scale[j])
				}
				common[j] = 0
			}
			met = met[:0]
			best = top.Take(best[:0])
			for _, s := range best {
				near[i] = append(near[i], int32(s.Label))
			}
		}
	})
	if err != nil {
		return nil, err
	}
	// (i,j) if either has the other, and (i,i).
	both := make([][]int32, n)
	for i := range n {
		both[i] = append(both[i], int32(i))
		for _, j := range near[i] {
			both[i] = append(both[i], j)
			both[j] = append(both[j], int32(i))
		}
	}
	g := &sparse.CSR{N: n, D: n, Ptr: make([]int, n+1)}
	for i := range n {
		slices.Sort(both[i])
		for _, j := range slices.Compact(both[i]) {
			g.Col = append(g.Col, j)
			g.Val = append(g.Val, float64(intersection(y, i, int(j)))*scale[i]*scale[j])
		}
		g.Ptr[i+1] = len(g.Col)
	}
	return g, ctx.Err()
}

// intersection is the number of labels that rows i and j share.
func intersection(y *sparse.CSR, i, j int) int {
	a, _ := y.Row(i)
	b, _ := y.Row(j)
	k := 0
	for p, q := 0, 0; p < len(a) && q < len(b); {
		switch {
		case a[p] < b[q]:
			p++
		case a[p] > b[q]:
			q++
		default:
			p, q, k = p+1, q+1, k+1
		}
	}
	return k
}

// embed returns Z for the rows of y and the objective at the start and after each
// step.
func (c Config) embed(ctx context.Context, y *sparse.CSR, seed uint64) (*mat.Dense, []float64, error) {
	g, err := c.neighbors(ctx, y)
	if err != nil {
		return nil, nil, err
	}
	n, r := y.N, min(c.Rank, y.N)
	p := &completion{ctx: ctx, workers: c.Workers, g: g, rest: g.Clone()}
	p.z = mat.NewDense(n, r, nil) // M = 0
	p.start = mat.NewDense(n, r, nil)
	random := rng.New(seed, 0)
	for i := range n {
		row := p.start.RawRowView(i)
		for j := range row {
			row[j] = random.NormFloat64()
		}
	}
	objective, err := p.residual(p.z)
	if err != nil {
		return nil, nil, err
	}
	history := []float64{objective}
	eta := 1.0
	for step := 0; step < c.Steps; {
		next, err := p.step(eta)
		if err != nil {
			return nil, nil, err
		}
		now, err := p.residual(next)
		if err != nil {
			return nil, nil, err
		}
		if now > objective {
			if eta <= 1 {
				break // at the accuracy of the subspace iteration
			}
			eta = max(1, eta/4)
			if _, err := p.residual(p.z); err != nil {
				return nil, nil, err
			}
			continue
		}
		step++
		p.z, p.start = next, next
		history = append(history, now)
		if objective-now <= c.Tol*objective {
			break
		}
		objective = now
		eta *= 1.5
	}
	return p.z, history, nil
}

// completion is the matrix M + η·P_Ω(G − M), M = ZZᵀ, as an operator.
type completion struct {
	ctx     context.Context
	workers int
	g       *sparse.CSR
	rest    *sparse.CSR // G − M on Ω
	z       *mat.Dense
	start   *mat.Dense // spans about the space of the largest eigenvalues
	eta     float64
}

// residual makes p.rest that of Z, and returns the mean of its squares.
func (p *completion) residual(z *mat.Dense) (float64, error) {
	n := p.g.N
	s, err := par.Sum(p.ctx, p.workers, n, 256, func(lo, hi int) (s float64) {
		for i := lo; i < hi; i++ {
			a := blas64.Vector{N: z.RawMatrix().Cols, Data: z.RawRowView(i), Inc: 1}
			col, val := p.g.Row(i)
			_, rest := p.rest.Row(i)
			for q, j := range col {
				v := val[q] - blas64.Dot(a, blas64.Vector{N: a.N, Data: z.RawRowView(int(j)), Inc: 1})
				rest[q] = v
				s += v * v
			}
		}
		return s
	}, func(a, b float64) float64 { return a + b })
	return s / float64(max(1, p.g.NNZ())), err
}

// apply sets dst to the matrix times x.
func (p *completion) apply(dst, x *mat.Dense) error {
	if err := p.rest.Mul(p.ctx, p.workers, dst, x); err != nil {
		return err
	}
	dst.Scale(p.eta, dst)
	var t, low mat.Dense
	t.Mul(p.z.T(), x)
	low.Mul(p.z, &t)
	dst.Add(dst, &low)
	return p.ctx.Err()
}

// step returns the Z of P_r(M + η·P_Ω(G−M)), by two products of subspace
// iteration from p.start.
func (p *completion) step(eta float64) (*mat.Dense, error) {
	p.eta = eta
	n, r := p.start.Dims()
	q, y := mat.DenseCopyOf(p.start), mat.NewDense(n, r, nil)
	for range 2 {
		eig.Orthonormal(q)
		if err := p.apply(y, q); err != nil {
			return nil, err
		}
		q, y = y, q
	}
	// q = A·y with y orthonormal: the eigenpairs of yᵀAy.
	var small mat.Dense
	small.Mul(y.T(), q)
	b := mat.NewSymDense(r, nil)
	for i := range r {
		for j := i; j < r; j++ {
			b.SetSym(i, j, (small.At(i, j)+small.At(j, i))/2)
		}
	}
	values, vectors, err := eig.SymAll(p.ctx, b)
	if err != nil {
		return nil, err
	}
	for j, v := range values {
		s := math.Sqrt(max(0, v))
		for i := range r {
			vectors.Set(i, j, vectors.At(i, j)*s)
		}
	}
	q.Mul(y, vectors)
	return q, p.ctx.Err()
}

// normal is the operator v ↦ XᵀXv, which does not form XᵀX.
type normal struct {
	ctx     context.Context
	workers int
	x       gram.Samples[float64]
	xt      *sparse.CSR // of a sparse x
	room    *mat.Dense  // n×r
	err     error
}

// Dim returns the number of columns of X.
func (a *normal) Dim() int { _, d := a.x.Dims(); return d }

// Apply sets dst to XᵀX·v. The first error is kept, since an operator returns none.
func (a *normal) Apply(dst, v *mat.Dense) {
	if err := a.apply(dst, v); err != nil && a.err == nil {
		a.err = err
	}
}

func (a *normal) apply(dst, v *mat.Dense) error {
	n, _ := a.x.Dims()
	_, s := v.Dims()
	room := a.room.Slice(0, n, 0, s).(*mat.Dense)
	if err := a.product(room, v); err != nil {
		return err
	}
	return a.trans(dst, room)
}

// product sets dst = X·v.
func (a *normal) product(dst, v *mat.Dense) error {
	if x := a.x.CSR(); x != nil {
		return x.Mul(a.ctx, a.workers, dst, v)
	}
	rows.Mul(dst, a.x, v)
	return a.ctx.Err()
}

// trans sets dst = Xᵀ·b.
func (a *normal) trans(dst, b *mat.Dense) error {
	if a.xt != nil {
		return a.xt.Mul(a.ctx, a.workers, dst, b)
	}
	dst.Zero()
	rows.AddMulTrans(dst, a.x, b)
	return a.ctx.Err()
}

// regress returns V of min ‖Z − XV‖² + λ‖V‖² + μ‖XV‖₁, to the accuracy that neighbors
// need.
func (c Config) regress(ctx context.Context, x gram.Samples[float64], z *mat.Dense) (*mat.Dense, error) {
	_, d := x.Dims()
	n, r := z.Dims()
	a := &normal{ctx: ctx, workers: c.Workers, x: x, room: mat.NewDense(n, r, nil)}
	if s := x.CSR(); s != nil {
		a.xt = s.Transpose()
	}
	v := mat.NewDense(d, r, nil)
	if err := a.ridge(v, z, c.Lambda.Value()); err != nil || c.Mu == 0 {
		return v, err
	}
	return v, c.sparsify(a, v, z)
}

// ridge sets v, which is where the search starts, to the V of min ‖Z − XV‖² + λ‖V‖².
func (a *normal) ridge(v, z *mat.Dense, lambda float64) error {
	d, r := v.Dims()
	b := mat.NewDense(d, r, nil)
	if err := a.trans(b, z); err != nil {
		return err
	}
	_, err := solve.CG(a.ctx, v, a, lambda, b, solve.Options{Tol: 1e-4, MaxIter: 300})
	var ce *gram.ConvergenceError
	switch {
	case a.err != nil:
		return a.err
	case err != nil && !errors.As(err, &ce):
		return err
	}
	return nil
}

// sparsify takes v from the solution for μ = 0 to the one for c.Mu. It uses the method of multipliers for W = XV, whose penalty
// is ‖XV − W + U‖². For given W and U, V solves a ridge regression, and W is XV + U with each absolute value lowered by μ/2, but
// not below 0.
func (c Config) sparsify(a *normal, v, z *mat.Dense) error {
	n, r := z.Dims()
	xv, w, u, target := mat.NewDense(n, r, nil), mat.NewDense(n, r, nil), mat.NewDense(n, r, nil), mat.NewDense(n, r, nil)
	const rounds, tolerance = 100, 1e-3
	for round := range rounds {
		if round > 0 {
			// ‖Z − XV‖² + ‖W − U − XV‖² = 2‖(Z + W − U)/2 − XV‖² + …
			target.Sub(w, u)
			target.Add(target, z)
			target.Scale(.5, target)
			if err := a.ridge(v, target, c.Lambda.Value()/2); err != nil {
				return err
			}
		}
		if err := a.product(xv, v); err != nil {
			return err
		}
		var apart, size float64
		for i := range n {
			to, of, rest := w.RawRowView(i), xv.RawRowView(i), u.RawRowView(i)
			for j, p := range of {
				s := p + rest[j]
				to[j] = math.Copysign(max(0, math.Abs(s)-c.Mu/2), s)
				rest[j] = s - to[j]
				apart += (p - to[j]) * (p - to[j])
				size += p * p
			}
		}
		if apart <= tolerance*tolerance*size {
			break
		}
	}
	return nil
}
