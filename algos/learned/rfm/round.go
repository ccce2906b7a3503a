package rfm

import (
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/vec"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

const (
	blockRows   = 128   // rows whose gradients are computed together, and summed in their order
	medianRows  = 512   // rows whose distances the median is of
	nearest     = 1e-10 // pairs of a smaller distance have no gradient
	leastEigen  = 1e-12 // eigenvalues of M below that share of the largest are 0
	fillNumbers = 1e8   // work between two looks at ctx while distances are computed
)

// part holds the rows of a fit, and those it is judged by.
type part struct {
	x, y       *mat.Dense // n×d and n×t
	w          []float64  // weights; nil: ones
	held, want *mat.Dense // held-out rows and their targets; nil: none
	heldW      []float64
	rank       [][]int32  // of each column, the ranks of its numbers; only for Manhattan
	space      *mat.Dense // n×n: the distances below the diagonal, the kernel matrix and its factor above
	workers    int
	meter      *gram.Meter
}

// fitted is the fit of one round.
type fitted struct {
	at     mapping
	a      *mat.Dense // mapped rows
	alpha  *mat.Dense // n×t
	bias   []float64
	length float64
	loss   float64
}

// kernelOf returns the kernel of mapped rows for the width l.
func kernelOf(m Metric, l float64) kernel.Kernel {
	if m == Manhattan {
		return kernel.Laplacian{Gamma: 1 / l}
	}
	return kernel.Matern{Nu: .5, Length: l}
}

// euclid has distances in place of kernel values.
type euclid struct{}

// Spec has a name that no kernel has: it is not stored.
func (euclid) Spec() kernel.Spec { return kernel.Spec{Name: "distance"} }

// Eval returns ‖x−y‖.
func (euclid) Eval(x, y []float64) float64 { return math.Sqrt(vec.SquaredDistance(x, y)) }

// Radial replaces squared distances by distances.
func (euclid) Radial(s []float64) {
	for i, v := range s {
		s[i] = math.Sqrt(v)
	}
}

// distances fills p.space with the distances of the mapped rows.
func (p *part) distances(ctx context.Context, m Metric, a *mat.Dense) error {
	n, d := a.Dims()
	var k kernel.Kernel = euclid{}
	far := 0.0
	if m == Manhattan { // distances are −log(k)·far with k of about 1/e or more
		for j := range d {
			col := mat.Col(nil, j, a)
			far += slices.Max(col) - slices.Min(col)
		}
		far = max(far, math.SmallestNonzeroFloat32)
		k = kernel.Laplacian{Gamma: 1 / far}
	}
	block := kernel.Against[float64](k, a).Limit(p.workers)
	piece := max(1, min(n, int(fillNumbers/(float64(n)*float64(d+16)))))
	for lo := 0; lo < n; lo += piece {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+piece, n)
		block.Fill(gram.View(p.space.Slice(lo, hi, 0, n).(*mat.Dense)), gram.Of(a).Slice(lo, hi))
		if m == Manhattan {
			for i := lo; i < hi; i++ {
				row := p.space.RawRowView(i)
				vec.Log(row, row)
				blas64.Scal(-far, blas64.Vector{N: n, Data: row, Inc: 1})
			}
		}
	}
	return nil
}

// median returns the median distance of two rows, of 512 rows if there are more, or 1 if it is 0.
func (p *part) median() float64 {
	n, _ := p.space.Dims()
	step := max(1, float64(n)/medianRows)
	var all []float64
	for i := 0.; int(i) < n; i += step {
		row := p.space.RawRowView(int(i))
		for j := 0.; int(j) < int(i); j += step {
			all = append(all, row[int(j)])
		}
	}
	if len(all) == 0 {
		return 1
	}
	slices.Sort(all)
	m := (all[(len(all)-1)/2] + all[len(all)/2]) / 2
	if !(m > 1e-14) {
		return 1
	}
	return m
}

// fit solves for the coefficients under the mapping, with the width length, in medians if
// relative. It leaves the distances below the diagonal of p.space.
func (p *part) fit(ctx context.Context, at mapping, length float64, relative bool, lambda float64) (*fitted, error) {
	f := &fitted{at: at, length: length}
	f.a = at.rows(p.x)
	n, t := p.y.Dims()
	if p.space == nil {
		p.space = mat.NewDense(n, n, nil)
	}
	if err := p.distances(ctx, at.metric, f.a); err != nil {
		return nil, err
	}
	if relative {
		f.length *= p.median()
	}
	root := make([]float64, n)
	for i := range root {
		root[i] = 1
		if p.w != nil {
			root[i] = math.Sqrt(p.w[i])
		}
	}
	if err := par.For(ctx, p.workers, n, blockRows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := p.space.RawRowView(i)[i:]
			decay(row, row, f.length)
			if p.w != nil {
				for j := range row {
					row[j] *= root[i] * root[i+j]
				}
			}
			row[0] += lambda
		}
	}); err != nil {
		return nil, err
	}
	if err := solve.Cholesky(ctx, p.space, p.meter); err != nil {
		return nil, err
	}
	f.bias = p.means()
	f.alpha = mat.NewDense(n, t, nil)
	for i := range n {
		for l, v := range p.y.RawRowView(i) {
			f.alpha.Set(i, l, root[i]*(v-f.bias[l]))
		}
	}
	if err := solve.CholeskySolve(ctx, p.space, f.alpha); err != nil {
		return nil, err
	}
	for i := range n {
		blas64.Scal(root[i], blas64.Vector{N: t, Data: f.alpha.RawRowView(i), Inc: 1})
	}
	f.loss = p.loss(f)
	return f, ctx.Err()
}

// decay sets dst = exp(−src/l).
func decay(dst, src []float64, l float64) {
	for i, v := range src {
		dst[i] = v * (-1 / l)
	}
	vec.Exp(dst, dst)
}

// means returns the weighted means of the targets.
func (p *part) means() []float64 {
	n, t := p.y.Dims()
	mean, total := make([]float64, t), 0.0
	for i := range n {
		w := 1.0
		if p.w != nil {
			w = p.w[i]
		}
		total += w
		for l, v := range p.y.RawRowView(i) {
			mean[l] += float64(w * v)
		}
	}
	for l := range mean {
		mean[l] /= total
	}
	return mean
}

// loss returns the weighted mean squared error of the held-out rows, 0 without any.
func (p *part) loss(f *fitted) float64 {
	if p.held == nil {
		return 0
	}
	n, t := p.want.Dims()
	values := mat.NewDense(n, t, nil)
	block := kernel.Against[float64](kernelOf(f.at.metric, f.length), f.a).Limit(p.workers)
	block.Mul(gram.View(values), gram.Of(f.at.rows(p.held)), gram.View(f.alpha))
	var sum, total float64
	for i := range n {
		w := 1.0
		if p.heldW != nil {
			w = p.heldW[i]
		}
		total += w
		for l, v := range values.RawRowView(i) {
			e := v + f.bias[l] - p.want.At(i, l)
			sum += w * float64(e*e)
		}
	}
	return sum / total
}

// gradient sets row j − lo of the b×(t·r) matrix g, r numbers an output, to the gradients at row j
// with respect to the mapped columns, for b rows from lo on.
func (p *part) gradient(g *mat.Dense, f *fitted, products *mat.Dense, lo int) {
	n, r := f.a.Dims()
	b, _ := g.Dims()
	_, t := f.alpha.Dims()
	far := rows.Borrow(b, n)
	defer rows.Return(far)
	for j := range b {
		copy(far.RawRowView(j), p.space.RawRowView(lo + j)[:lo+j])
		far.Set(j, lo+j, 0)
	}
	for i := lo + 1; i < n; i++ {
		for j, v := range p.space.RawRowView(i)[lo:min(lo+b, i)] {
			far.Set(j, i, v)
		}
	}
	k := make([]float64, n)
	for j := range b {
		row := far.RawRowView(j)
		decay(k, row, f.length)
		for i, v := range row {
			switch {
			case v <= nearest:
				row[i] = 0
			case f.at.metric == Manhattan:
				row[i] = -k[i] / f.length
			default:
				row[i] = -k[i] / (f.length * v)
			}
		}
	}
	if f.at.metric == Manhattan {
		p.signed(g, far, f.alpha, lo)
		return
	}
	sums := mat.NewDense(b, t*(r+1), nil)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, far.RawMatrix(), products.RawMatrix(), 0, sums.RawMatrix())
	own := mat.NewDense(1, r, nil).RawRowView(0)
	for j := range b {
		for c := range own {
			own[c] = f.a.At(lo+j, c)
		}
		from, to := sums.RawRowView(j), g.RawRowView(j)
		for l := range t {
			part := from[l*(r+1) : (l+1)*(r+1)]
			for c, v := range own {
				to[l*r+c] = float64(part[r]*v) - part[c]
			}
		}
	}
}

// signed sets g to Σ_i v_ji·α_il·sign(x_jk − x_ik).
func (p *part) signed(g, v, alpha *mat.Dense, lo int) {
	b, n := v.Dims()
	_, t := alpha.Dims()
	d := len(p.rank)
	weighed := make([]float64, n)
	for j := range b {
		row := v.RawRowView(j)
		for l := range t {
			for i, u := range row {
				weighed[i] = u * alpha.At(i, l)
			}
			to := g.RawRowView(j)[l*d : (l+1)*d]
			for k, rank := range p.rank {
				to[k] = signedSum(weighed, rank, rank[lo+j])
			}
		}
	}
}

// signedSum returns the sum of v over ranks below at minus the sum over ranks above at. It
// has no branches, which would be mispredicted.
func signedSum(v []float64, rank []int32, at int32) float64 {
	var even, odd float64
	rank = rank[:len(v)]
	i := 0
	for ; i+1 < len(v); i += 2 {
		below, above := uint64(int64(rank[i]-at)>>63), uint64(int64(at-rank[i])>>63)
		even += math.Float64frombits(math.Float64bits(v[i])&(below|above) ^ above&(1<<63))
		below, above = uint64(int64(rank[i+1]-at)>>63), uint64(int64(at-rank[i+1])>>63)
		odd += math.Float64frombits(math.Float64bits(v[i+1])&(below|above) ^ above&(1<<63))
	}
	if i < len(v) {
		below, above := uint64(int64(rank[i]-at)>>63), uint64(int64(at-rank[i])>>63)
		even += math.Float64frombits(math.Float64bits(v[i])&(below|above) ^ above&(1<<63))
	}
	return even + odd
}

// ranks returns, for each column, the ranks of its numbers; equal numbers have equal ranks.
func ranks(x *mat.Dense) [][]int32 {
	n, d := x.Dims()
	out := make([][]int32, d)
	order := make([]int, n)
	for k := range d {
		col := mat.Col(nil, k, x)
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int {
			switch {
			case col[a] < col[b]:
				return -1
			case col[a] > col[b]:
				return 1
			}
			return 0
		})
		out[k] = make([]int32, n)
		at := int32(0)
		for i, o := range order {
			if i > 0 && col[o] != col[order[i-1]] {
				at++
			}
			out[k][o] = at
		}
	}
	return out
}

// agop returns the sum of the outer products of the gradients of f with respect to the
// columns of x, divided by its largest entry; only its diagonal unless full. It is empty if all
// gradients are 0. The distances of f must be in p.space.
func (p *part) agop(ctx context.Context, f *fitted, full bool, groups []int) (matrix, error) {
	n, r := f.a.Dims()
	_, t := f.alpha.Dims()
	var products *mat.Dense
	if f.at.metric == Manhattan {
		if p.rank == nil {
			p.rank = ranks(p.x)
		}
	} else {
		products = mat.NewDense(n, t*(r+1), nil)
		for i := range n {
			a, to := f.a.RawRowView(i), products.RawRowView(i)
			for l, u := range f.alpha.RawRowView(i) {
				for c, v := range a {
					to[l*(r+1)+c] = u * v
				}
				to[l*(r+1)+r] = u
			}
		}
	}
	sum, err := par.Sum(ctx, p.workers, n, blockRows, func(lo, hi int) *mat.Dense {
		g := rows.Borrow(hi-lo, t*r)
		defer rows.Return(g)
		p.gradient(g, f, products, lo)
		return p.outer(g, lo, r, t, full)
	}, func(a, b *mat.Dense) *mat.Dense {
		if a == nil {
			return b
		}
		a.Add(a, b)
		return a
	})
	if err != nil {
		return matrix{}, err
	}
	return f.at.back(sum, full, groups), nil
}

// outer returns Σ w_j·g_jl·g_jlᵀ over rows and outputs, or its diagonal as one row.
func (p *part) outer(g *mat.Dense, lo, r, t int, full bool) *mat.Dense {
	b, _ := g.Dims()
	if p.w != nil {
		for j := range b {
			blas64.Scal(math.Sqrt(p.w[lo+j]), blas64.Vector{N: t * r, Data: g.RawRowView(j), Inc: 1})
		}
	}
	if full {
		out := mat.NewDense(r, r, nil)
		raw := g.RawMatrix()
		for l := range t {
			part := blas64.General{Rows: b, Cols: r, Stride: raw.Stride, Data: raw.Data[l*r : (b-1)*raw.Stride+(l+1)*r]}
			blas64.Gemm(blas.Trans, blas.NoTrans, 1, part, part, 1, out.RawMatrix())
		}
		return out
	}
	out := mat.NewDense(1, r, nil)
	to := out.RawRowView(0)
	for j := range b {
		for c, v := range g.RawRowView(j) {
			to[c%r] += float64(v * v)
		}
	}
	return out
}

// topValues is the number of eigenvalues that a Round has.
const topValues = 5

// matrix is M, or its diagonal.
type matrix struct {
	full     *mat.SymDense
	diagonal []float64
}

func (m matrix) empty() bool { return m.full == nil && m.diagonal == nil }

// mapping is a metric with a root of it: distances are those of the mapped rows.
type mapping struct {
	metric Metric
	m      *mat.SymDense // Full: M
	root   *mat.Dense    // Full: d×r with root·rootᵀ = M
	scale  []float64     // other metrics: √M_kk
	values []float64     // largest eigenvalues of M
}

// newMapping returns the mapping of the form given by metric for M, or its diagonal.
func newMapping(ctx context.Context, metric Metric, m matrix) (mapping, error) {
	out := mapping{metric: metric}
	if metric != Full {
		diagonal := m.diagonal
		if m.full != nil {
			diagonal = make([]float64, m.full.SymmetricDim())
			for k := range diagonal {
				diagonal[k] = m.full.At(k, k)
			}
		}
		for _, v := range diagonal {
			out.scale = append(out.scale, math.Sqrt(max(0, v)))
		}
		out.values = slices.Clone(diagonal)
		slices.Sort(out.values)
		slices.Reverse(out.values)
		out.values = out.values[:min(topValues, len(out.values))]
		return out, nil
	}
	d := m.full.SymmetricDim()
	values, q, err := eig.SymAll(ctx, m.full)
	if err != nil {
		return out, err
	}
	first := 0
	for first < d-1 && !(values[first] > leastEigen*values[d-1]) {
		first++
	}
	out.m, out.root = m.full, mat.NewDense(d, d-first, nil)
	for j := first; j < d; j++ {
		s := math.Sqrt(max(0, values[j]))
		for k := range d {
			out.root.Set(k, j-first, s*q.At(k, j))
		}
	}
	for j := d - 1; j >= max(0, d-topValues); j-- {
		out.values = append(out.values, values[j])
	}
	return out, nil
}

// rows returns the mapped rows of x.
func (m mapping) rows(x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	if m.root != nil {
		_, r := m.root.Dims()
		a := mat.NewDense(n, r, nil)
		rows.Mul(a, gram.Of(x), m.root)
		return a
	}
	a := mat.NewDense(n, d, nil)
	for i := range n {
		to := a.RawRowView(i)
		for k, v := range x.RawRowView(i) {
			to[k] = v * m.scale[k]
		}
	}
	return a
}

// back returns R·sum·Rᵀ without the entries between different groups, divided by its largest
// entry; the diagonal of that if sum is a row. It is empty if the largest entry is 0.
func (m mapping) back(sum *mat.Dense, full bool, groups []int) matrix {
	if !full {
		out := make([]float64, len(m.scale))
		for k, s := range m.scale {
			out[k] = s * s * sum.At(0, k)
		}
		top := slices.Max(out)
		if !(top > 0) || math.IsInf(top, 1) {
			return matrix{}
		}
		for k := range out {
			out[k] /= top
		}
		return matrix{diagonal: out}
	}
	d, r := m.root.Dims()
	half, whole := mat.NewDense(d, r, nil), mat.NewDense(d, d, nil)
	half.Mul(m.root, sum)
	whole.Mul(half, m.root.T())
	var top float64
	for k := range d {
		top = max(top, whole.At(k, k))
	}
	if !(top > 0) || math.IsInf(top, 1) {
		return matrix{}
	}
	out := mat.NewSymDense(d, nil)
	for k := range d {
		for l := k; l < d; l++ {
			if groups == nil || groups[k] == groups[l] {
				out.SetSym(k, l, (whole.At(k, l)+whole.At(l, k))/2/top)
			}
		}
	}
	return matrix{full: out}
}
