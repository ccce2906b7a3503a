package rfm

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/vec"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

const (
	blockRows    = 128   // rows whose gradients are computed together, and summed in their order
	distanceRows = 256   // rows whose distances are computed together
	mirrorRows   = 8     // rows that are mirrored together: a line of the cache
	medianRows   = 512   // rows whose distances the median is of
	nearest      = 1e-10 // pairs of a smaller distance have no gradient
	leastEigen   = 1e-12 // eigenvalues of M below that share of the largest are 0
)

// part holds the rows of a fit, and those it is judged by.
type part struct {
	layout     *layout
	x, y       *mat.Dense // n×d and n×t; of x the columns that are numbers, nil if there are none
	coded      []*coded   // the categories
	w          []float64  // weights; nil: ones
	held, want *mat.Dense // held-out rows with all columns, and their targets; nil: none
	heldW      []float64
	sorted     []column   // only for Manhattan
	space      *mat.Dense // n×n: the distances below the diagonal, the kernel matrix and its factor above; agop puts its weights there
	workers    int
	meter      *gram.Meter
}

// fitted is the function that one round has fitted, with its loss on the held-out rows.
type fitted struct {
	at     mapping
	a      *mat.Dense // mapped rows, nil if no columns are numbers
	tables []*table   // of the categories
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

// euclid has distances, or their squares, in place of kernel values.
type euclid struct{ squared bool }

// Spec has a name that no kernel has: it is not stored.
func (euclid) Spec() kernel.Spec { return kernel.Spec{Name: "distance"} }

// Eval returns ‖x−y‖, or its square.
func (e euclid) Eval(x, y []float64) float64 {
	s := []float64{vec.SquaredDistance(x, y)}
	e.Radial(s)
	return s[0]
}

// Radial replaces squared distances by distances, unless e.squared is set.
func (e euclid) Radial(s []float64) {
	if e.squared {
		return
	}
	for i, v := range s {
		s[i] = math.Sqrt(v)
	}
}

// distances fills the lower triangle of p.space with the distances of the rows under the mapping of f.
func (p *part) distances(ctx context.Context, f *fitted) error {
	n, _ := p.space.Dims()
	var k kernel.Kernel = euclid{squared: len(p.coded) > 0}
	far := 0.0
	if f.at.metric == Manhattan && f.a != nil { // distances are −log(k)·far with k of about 1/e or more
		_, d := f.a.Dims()
		for j := range d {
			col := mat.Col(nil, j, f.a)
			far += slices.Max(col) - slices.Min(col)
		}
		far = max(far, math.SmallestNonzeroFloat32)
		k = kernel.Laplacian{Gamma: 1 / far}
	}
	for lo := 0; lo < n; lo += distanceRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+distanceRows, n)
		if f.a != nil {
			block := kernel.Against[float64](k, f.a.Slice(0, hi, 0, f.a.RawMatrix().Cols)).Limit(p.workers)
			block.Fill(gram.View(p.space.Slice(lo, hi, 0, hi).(*mat.Dense)), gram.Of(f.a).Slice(lo, hi))
		}
		for i := lo; i < hi; i++ {
			row := p.space.RawRowView(i)[:i+1]
			switch {
			case f.a == nil:
				clear(row)
			case f.at.metric == Manhattan:
				vec.Log(row, row)
				blas64.Scal(-far, blas64.Vector{N: i + 1, Data: row, Inc: 1})
			}
			row[i] = 0 // round-off may have left something
		}
		if len(p.coded) == 0 {
			continue
		}
		if err := p.addLevels(ctx, f, lo, hi); err != nil {
			return err
		}
	}
	return nil
}

// mirror sets the upper triangle of p.space with the diagonal: element (j, i) to the element j of what
// fill(i, dst, src) writes to dst, where src is row i up to the diagonal, which fill may change.
func (p *part) mirror(ctx context.Context, fill func(i int, dst, src []float64)) error {
	n, _ := p.space.Dims()
	return par.For(ctx, p.workers, n, blockRows, func(lo, hi int) {
		buffer := make([]float64, mirrorRows*hi)
		for first := lo; first < hi; first += mirrorRows {
			last := min(first+mirrorRows, hi)
			for i := first; i < last; i++ {
				fill(i, buffer[(i-first)*hi:][:i+1], p.space.RawRowView(i)[:i+1])
			}
			for j := range last {
				to := p.space.RawRowView(j)[:last]
				for i := max(first, j); i < last; i++ {
					to[i] = buffer[(i-first)*hi+j]
				}
			}
		}
	})
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
	above := nth(all, len(all)/2)
	m := above
	if len(all)%2 == 0 {
		m = (slices.Max(all[:len(all)/2]) + above) / 2
	}
	if !(m > 1e-14) {
		return 1
	}
	return m
}

// nth reorders x so that x[k] is where sorting would put it, with nothing larger before and nothing
// smaller behind it, and returns x[k].
func nth(x []float64, k int) float64 {
	for lo, hi := 0, len(x)-1; lo < hi; {
		pivot := x[lo+(hi-lo)/2]
		i, j := lo, hi
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return x[k]
		}
	}
	return x[k]
}

// fit solves for the coefficients under the mapping, with the width length, in medians if
// relative. It leaves the distances below the diagonal of p.space.
func (p *part) fit(ctx context.Context, at mapping, length float64, relative bool, lambda float64) (*fitted, error) {
	f := &fitted{at: at, length: length, a: at.rows(p.x), tables: p.tables(at)}
	n, _ := p.y.Dims()
	if p.space == nil {
		p.space = mat.NewDense(n, n, nil)
	} else if have, _ := p.space.Dims(); have != n {
		p.space = fitting(p.space, n)
	}
	if err := p.distances(ctx, f); err != nil {
		return nil, err
	}
	return f, p.solve(ctx, f, relative, lambda)
}

// fitting returns an n×n matrix in the memory of m if that is large enough.
func fitting(m *mat.Dense, n int) *mat.Dense {
	if have := m.RawMatrix().Data; cap(have) >= n*n {
		return mat.NewDense(n, n, have[:n*n])
	}
	return mat.NewDense(n, n, nil)
}

// again is fit under the mapping of f, whose distances must be in p.space.
func (p *part) again(ctx context.Context, f *fitted, length float64, relative bool, lambda float64) (*fitted, error) {
	out := &fitted{at: f.at, a: f.a, tables: f.tables, length: length}
	for i := range p.y.RawMatrix().Rows {
		p.space.RawRowView(i)[i] = 0 // where the factor had its diagonal
	}
	return out, p.solve(ctx, out, relative, lambda)
}

// solve sets the coefficients of f, whose distances must be in p.space.
func (p *part) solve(ctx context.Context, f *fitted, relative bool, lambda float64) error {
	n, t := p.y.Dims()
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
	if err := p.mirror(ctx, func(i int, k, far []float64) {
		decay(k, far, f.length)
		if p.w != nil {
			for j := range k {
				k[j] *= root[i] * root[j]
			}
		}
		k[i] += lambda
	}); err != nil {
		return err
	}
	if err := solve.Cholesky(ctx, p.space, p.meter); err != nil {
		return err
	}
	f.bias = p.means()
	f.alpha = mat.NewDense(n, t, nil)
	for i := range n {
		for l, v := range p.y.RawRowView(i) {
			f.alpha.Set(i, l, root[i]*(v-f.bias[l]))
		}
	}
	if err := solve.CholeskySolve(ctx, p.space, f.alpha); err != nil {
		return err
	}
	for i := range n {
		blas64.Scal(root[i], blas64.Vector{N: t, Data: f.alpha.RawRowView(i), Inc: 1})
	}
	f.loss = p.loss(f)
	return ctx.Err()
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
	values, bias := mat.NewDense(n, t, nil), f.bias
	if len(p.coded) > 0 {
		program.Evaluate(p.workers, 4*mappedRows, newLevelled[float64](p.expansion(f)), values, p.held)
		bias = make([]float64, t)
	} else {
		block := kernel.Against[float64](kernelOf(f.at.metric, f.length), f.a).Limit(p.workers)
		block.Mul(gram.View(values), gram.Of(f.at.rows(p.held)), gram.View(f.alpha))
	}
	var sum, total float64
	for i := range n {
		w := 1.0
		if p.heldW != nil {
			w = p.heldW[i]
		}
		total += w
		for l, v := range values.RawRowView(i) {
			e := v + bias[l] - p.want.At(i, l)
			sum += w * float64(e*e)
		}
	}
	return sum / total
}

// weigh replaces p.space, whose lower triangle holds the distances of f, by the weights of pairs of rows
// in a gradient.
func (p *part) weigh(ctx context.Context, f *fitted) error {
	return p.mirror(ctx, func(i int, k, far []float64) {
		far[i] = 0 // where the factor had its diagonal
		decay(k, far, f.length)
		for j, v := range far {
			switch {
			case v <= nearest:
				k[j] = 0
			case f.at.metric == Manhattan:
				k[j] /= -f.length
			default:
				k[j] /= -f.length * v
			}
		}
		copy(far, k)
	})
}

// gradient sets row j − lo of the b×(t·r) matrix g, r numbers an output, to the gradients at row j
// with respect to the mapped columns, and then those of the categories, for b rows from lo on. The weights of f must be in p.space.
func (p *part) gradient(g *mat.Dense, f *fitted, products *mat.Dense, lo int) {
	n, _ := p.y.Dims()
	b, _ := g.Dims()
	_, t := f.alpha.Dims()
	w := p.space.Slice(lo, lo+b, 0, n).(*mat.Dense)
	r, _, all := p.widths(f)
	if all > r {
		p.levelGradients(g, w, f, lo)
	}
	switch {
	case r == 0:
		return
	case f.at.metric == Manhattan:
		p.signed(g, w, f.alpha, lo)
		return
	}
	sums := mat.NewDense(b, t*(r+1), nil)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, w.RawMatrix(), products.RawMatrix(), 0, sums.RawMatrix())
	for j := range b {
		own, from, to := f.a.RawRowView(lo+j), sums.RawRowView(j), g.RawRowView(j)
		for l := range t {
			part := from[l*(r+1) : (l+1)*(r+1)]
			for c, v := range own {
				to[l*all+c] = float64(part[r]*v) - part[c]
			}
		}
	}
}

// signed sets g to Σ_i v_ji·α_il·sign(x_jk − x_ik).
func (p *part) signed(g, v, alpha *mat.Dense, lo int) {
	b, n := v.Dims()
	_, t := alpha.Dims()
	_, columns := g.Dims()
	all := columns / t
	weighed := make([]float64, n)
	for j := range b {
		row := v.RawRowView(j)
		for l := range t {
			total := 0.0
			for i, u := range row {
				weighed[i] = u * alpha.At(i, l)
				total += weighed[i]
			}
			to := g.RawRowView(j)[l*all : (l+1)*all]
			for k := range p.sorted {
				to[k] = p.sorted[k].signed(weighed, total, lo+j)
			}
		}
	}
}

// column is the order of the numbers of a column.
type column struct {
	order        []int32 // rows by their numbers
	first, after []int32 // of each row, the places of its number and of those equal to it
}

// signed returns the sum of v, which is total, over the rows with smaller numbers than row at minus that
// over the rows with larger ones. It leaves out the largest of the three sums that make up the total.
func (c *column) signed(v []float64, total float64, at int) float64 {
	lo, hi := c.first[at], c.after[at]
	below, equal, above := c.order[:lo], c.order[lo:hi], c.order[hi:]
	switch most := max(len(below), len(equal), len(above)); most {
	case len(above):
		return 2*sumOf(v, below) + sumOf(v, equal) - total
	case len(below):
		return total - sumOf(v, equal) - 2*sumOf(v, above)
	default:
		return sumOf(v, below) - sumOf(v, above)
	}
}

// sumOf returns the sum of the elements of v with these numbers.
func sumOf(v []float64, index []int32) float64 {
	var a, b, c, d float64
	for ; len(index) >= 4; index = index[4:] {
		a += v[index[0]]
		b += v[index[1]]
		c += v[index[2]]
		d += v[index[3]]
	}
	for _, i := range index {
		a += v[i]
	}
	return a + b + (c + d)
}

// sorted returns the order of each column of x.
func sorted(x *mat.Dense) []column {
	n, d := x.Dims()
	out := make([]column, d)
	for k := range out {
		col := mat.Col(nil, k, x)
		c := column{order: make([]int32, n), first: make([]int32, n), after: make([]int32, n)}
		for i := range c.order {
			c.order[i] = int32(i)
		}
		slices.SortStableFunc(c.order, func(a, b int32) int { return cmp.Compare(col[a], col[b]) })
		for lo := 0; lo < n; {
			hi := lo + 1
			for hi < n && col[c.order[hi]] == col[c.order[lo]] {
				hi++
			}
			for _, i := range c.order[lo:hi] {
				c.first[i], c.after[i] = int32(lo), int32(hi)
			}
			lo = hi
		}
		out[k] = c
	}
	return out
}

// some returns the part with that many of the training rows, drawn at random.
func (p *part) some(n int, seed uint64) *part {
	all, _ := p.y.Dims()
	index := rng.New(seed, 0).Perm(all)[:n]
	slices.Sort(index)
	out := &part{layout: p.layout, y: rows.Dense(gram.Of(p.y), index), w: rows.Pick(p.w, index),
		held: p.held, want: p.want, heldW: p.heldW, workers: p.workers, meter: p.meter}
	if p.x != nil {
		out.x = rows.Dense(gram.Of(p.x), index)
	}
	for _, c := range p.coded {
		out.coded = append(out.coded, c.pick(index))
	}
	return out
}

// agop returns the sum of the outer products of the gradients of f with respect to the
// columns of x, divided by its largest entry; only its diagonal unless full. It is empty if all
// gradients are 0. The distances of f must be in p.space, which then holds other numbers.
func (p *part) agop(ctx context.Context, f *fitted, full bool) (matrix, error) {
	n, t := f.alpha.Dims()
	r, widths, all := p.widths(f)
	var products *mat.Dense
	switch {
	case r == 0:
	case f.at.metric == Manhattan:
		if p.sorted == nil {
			p.sorted = sorted(p.x)
		}
	default:
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
	if err := p.weigh(ctx, f); err != nil {
		return matrix{}, err
	}
	sums, err := par.Sum(ctx, p.workers, n, blockRows, func(lo, hi int) []*mat.Dense {
		g := rows.Borrow(hi-lo, t*all)
		defer rows.Return(g)
		p.gradient(g, f, products, lo)
		if p.w != nil {
			for j := range hi - lo {
				blas64.Scal(math.Sqrt(p.w[lo+j]), blas64.Vector{N: t * all, Data: g.RawRowView(j), Inc: 1})
			}
		}
		var out []*mat.Dense
		at := 0
		for _, width := range append([]int{r}, widths...) {
			out = append(out, outer(g, at, width, all, full))
			at += width
		}
		return out
	}, func(a, b []*mat.Dense) []*mat.Dense {
		for k := range a {
			if a[k] != nil {
				a[k].Add(a[k], b[k])
			}
		}
		return a
	})
	if err != nil {
		return matrix{}, err
	}
	return f.at.back(sums, full, p.layout.blocks()), nil
}

// outer returns Σ g_jl·g_jlᵀ over rows and outputs, or its diagonal as one row, for the numbers from at on that belong together of the
// all numbers of an output; nil of none.
func outer(g *mat.Dense, at, width, all int, full bool) *mat.Dense {
	if width == 0 {
		return nil
	}
	raw := g.RawMatrix()
	if full {
		out := mat.NewDense(width, width, nil)
		for l := at; l < raw.Cols; l += all {
			part := blas64.General{Rows: raw.Rows, Cols: width, Stride: raw.Stride, Data: raw.Data[l : (raw.Rows-1)*raw.Stride+l+width]}
			blas64.Gemm(blas.Trans, blas.NoTrans, 1, part, part, 1, out.RawMatrix())
		}
		return out
	}
	out := mat.NewDense(1, width, nil)
	to := out.RawRowView(0)
	for j := range raw.Rows {
		row := g.RawRowView(j)
		for l := at; l < raw.Cols; l += all {
			for c, v := range row[l : l+width] {
				to[c] += float64(v * v)
			}
		}
	}
	return out
}

// topValues is the number of eigenvalues that a Round has.
const topValues = 5

// matrix is M, or its diagonal, for the columns that are numbers, and its blocks for the categories.
type matrix struct {
	full     *mat.SymDense
	diagonal []float64
	levels   []square
}

func (m matrix) empty() bool { return m.full == nil && m.diagonal == nil && m.levels == nil }

// mapping is a metric in the form by which rows are mapped: distances in the metric are distances of mapped rows. For categories
// it holds the blocks of M.
type mapping struct {
	metric Metric
	root   *mat.Dense // Full: d×r with root·rootᵀ = M
	scale  []float64  // other metrics: √M_kk
	levels []square
	values []float64 // largest eigenvalues of M
}

// newMapping returns the mapping of the form given by metric for M, or its diagonal.
func newMapping(ctx context.Context, metric Metric, m matrix) (mapping, error) {
	out := mapping{metric: metric}
	for _, s := range m.levels {
		if metric != Full {
			s = s.only()
		}
		values, err := s.top(ctx)
		if err != nil {
			return out, err
		}
		out.levels, out.values = append(out.levels, s), append(out.values, values...)
	}
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
		out.values = append(out.values, diagonal...)
		return out.largest(), nil
	}
	if m.full == nil && len(m.diagonal) > 0 {
		m.full = mat.NewSymDense(len(m.diagonal), nil)
		for k, v := range m.diagonal {
			m.full.SetSym(k, k, v)
		}
	}
	if m.full == nil {
		return out.largest(), nil
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
	out.root = mat.NewDense(d, d-first, nil)
	for j := first; j < d; j++ {
		s := math.Sqrt(max(0, values[j]))
		for k := range d {
			out.root.Set(k, j-first, s*q.At(k, j))
		}
	}
	out.values = append(out.values, values...)
	return out.largest(), nil
}

// largest keeps the largest of the values, in descending order.
func (m mapping) largest() mapping {
	slices.Sort(m.values)
	slices.Reverse(m.values)
	m.values = slices.Clone(m.values[:min(topValues, len(m.values))])
	return m
}

// matrix returns M, or its diagonal, computed from the root or the scale. It shares the blocks of the categories.
func (m mapping) matrix() matrix {
	out := matrix{levels: m.levels}
	if m.root == nil {
		for _, v := range m.scale {
			out.diagonal = append(out.diagonal, v*v)
		}
		return out
	}
	d, _ := m.root.Dims()
	out.full = mat.NewSymDense(d, nil)
	out.full.SymOuterK(1, m.root)
	return out
}

// descending returns the eigenvectors of m as columns, those of the largest eigenvalues first.
func descending(ctx context.Context, m *mat.SymDense) (*mat.Dense, error) {
	d := m.SymmetricDim()
	_, q, err := eig.SymAll(ctx, m)
	if err != nil {
		return nil, err
	}
	out := mat.NewDense(d, d, nil)
	for j := range d {
		for k := range d {
			out.Set(k, j, q.At(k, d-1-j))
		}
	}
	return out, nil
}

// rows returns the mapped rows of x, nil of nil.
func (m mapping) rows(x *mat.Dense) *mat.Dense {
	if x == nil {
		return nil
	}
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

// back returns R·sum·Rᵀ divided by its largest entry, without the entries between different groups, and only its diagonal unless
// full. sums[0] belongs to the numbers, and is nil if there are none; sums[1+g] belongs to category g. The result is empty if the
// largest entry is 0 or not finite.
func (m mapping) back(sums []*mat.Dense, full bool, groups []int) matrix {
	var out matrix
	var top float64
	for g, block := range m.levels {
		s := block.back(sums[1+g], full, m.metric == Manhattan)
		for k := range s.size() {
			top = max(top, s.at(k))
		}
		out.levels = append(out.levels, s)
	}
	var whole *mat.Dense
	switch sum := sums[0]; {
	case sum == nil:
	case full:
		d, r := m.root.Dims()
		half := mat.NewDense(d, r, nil)
		whole = mat.NewDense(d, d, nil)
		half.Mul(m.root, sum)
		whole.Mul(half, m.root.T())
		for k := range d {
			top = max(top, whole.At(k, k))
		}
	default:
		for k, s := range m.scale {
			out.diagonal = append(out.diagonal, s*s*sum.At(0, k))
			top = max(top, out.diagonal[k])
		}
	}
	if !(top > 0) || math.IsInf(top, 1) {
		return matrix{}
	}
	for k := range out.diagonal {
		out.diagonal[k] /= top
	}
	for _, s := range out.levels {
		s.scale(top)
	}
	if whole == nil {
		return out
	}
	d, _ := whole.Dims()
	out.full = mat.NewSymDense(d, nil)
	for k := range d {
		for l := k; l < d; l++ {
			if groups == nil || groups[k] == groups[l] {
				out.full.SetSym(k, l, (whole.At(k, l)+whole.At(l, k))/2/top)
			}
		}
	}
	return out
}
