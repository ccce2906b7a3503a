package meka

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// links is L. Of cluster s the columns first[s+1]−first[s] of W⁽ˢ⁾ that come
// first are linked: they have the rows from first[s] of the symmetric matrix l.
// For all other columns L is the identity.
type links struct {
	first []int
	l     *mat.Dense // p×p; nil if p = 0
	root  *mat.Dense // p×q: L = F·Fᵀ; nil without a repair
}

func (l *links) linked(s int) int { return l.first[s+1] - l.first[s] }

func (l *links) total() int { return l.first[len(l.first)-1] }

// rootOf returns the rows of F that belong to cluster s, of which there are some.
func (l *links) rootOf(s int) *mat.Dense {
	_, q := l.root.Dims()
	return l.root.Slice(l.first[s], l.first[s+1], 0, q).(*mat.Dense)
}

// linkSample is what the links of a cluster are fitted to.
type linkSample struct {
	x    gram.Samples[float64]  // the rows v
	z    *kernel.Block[float64] // K(·, x_v)
	pinv *mat.Dense             // p×|v|: Σ·W_v†
}

// link decides which columns have links and computes them. It returns ΣLΣ for
// these columns: Σ² on the diagonal and, between clusters s ≠ t,
//
//	Σ⁽ˢ⁾W_v⁽ˢ⁾† · K(x_v⁽ˢ⁾, x_v⁽ᵗ⁾) · (Σ⁽ᵗ⁾W_v⁽ᵗ⁾†)ᵀ.
func (m *Model) link(ctx context.Context, x gram.Samples[float64], sigma [][]float64) (*mat.SymDense, error) {
	c := m.cfg
	m.links.first = make([]int, len(m.basis)+1)
	for s, v := range sigma {
		p := 0
		for p < len(v) && v[p] > c.Cut*v[0] {
			p++
		}
		m.links.first[s+1] = m.links.first[s] + p
		m.stats.Linked = append(m.stats.Linked, p)
	}
	total := m.links.total()
	if total == 0 {
		return nil, nil
	}
	core := mat.NewSymDense(total, nil)
	for s, v := range sigma {
		for j := range m.links.linked(s) {
			core.SetSym(m.links.first[s]+j, m.links.first[s]+j, v[j]*v[j])
		}
	}
	pairs := m.Linked()
	samples := make([]linkSample, len(m.basis))
	m.samples = make([]Sample, len(m.basis))
	fail := make([]error, len(m.basis))
	err := par.For(ctx, c.Workers, len(m.basis), 1, func(s, _ int) {
		if m.links.linked(s) > 0 && len(pairs) > 0 {
			samples[s], fail[s] = m.sample(x, sigma[s], s)
		}
	})
	if err != nil {
		return nil, err
	}
	for _, err := range fail {
		if err != nil {
			return nil, err
		}
	}
	for _, p := range pairs {
		vs, _ := samples[p[0]].x.Dims()
		vt, _ := samples[p[1]].x.Dims()
		m.stats.KernelValues += int64(vs) * int64(vt)
	}
	m.stats.Links = len(pairs)
	return core, par.For(ctx, c.Workers, len(pairs), 1, func(i, _ int) {
		s, t := pairs[i][0], pairs[i][1]
		a, b := &samples[s], &samples[t]
		vs, _ := a.x.Dims()
		ps, vt := b.pinv.Dims()
		g := mat.NewDense(vs, vt, nil)
		b.z.Fill(gram.View(g), a.x)
		var half, l mat.Dense
		half.Mul(g, b.pinv.T())
		l.Mul(a.pinv, &half)
		for j := range m.links.linked(s) {
			for k := range ps {
				core.SetSym(m.links.first[s]+j, m.links.first[t]+k, l.At(j, k))
			}
		}
	})
}

// Linked returns the pairs of clusters s < t that are linked, those of the smallest t first: the ones of
// Stats.Links, whose blocks L⁽ˢᵗ⁾ are fitted. A repair makes blocks of L for other pairs, too.
func (m *Model) Linked() [][2]int {
	center := m.clusters.Centers()
	var out [][2]int
	for t := range m.basis {
		for s := range t {
			if m.links.linked(s) == 0 || m.links.linked(t) == 0 {
				continue
			}
			if m.cfg.Epsilon > 0 && m.cfg.Kernel.Eval(center.RawRowView(s), center.RawRowView(t)) <= m.cfg.Epsilon {
				continue
			}
			out = append(out, [2]int{s, t})
		}
	}
	return out
}

// sample draws the rows v of cluster s and computes Σ·W_v† for the columns with
// links, without the singular values of W_v below the relative cut-off.
func (m *Model) sample(x gram.Samples[float64], sigma []float64, s int) (linkSample, error) {
	p := m.links.linked(s)
	member := m.op.member[s]
	w := m.op.w[s].Slice(0, len(member), 0, p).(*mat.Dense)
	var at []int
	var weight []float64
	if g := m.cfg.Given.sample(s); len(g.Rows) > 0 {
		if at, weight = g.places(member), g.Weights; weight == nil {
			weight = slices.Repeat([]float64{1}, len(at))
		}
	} else {
		want := int(math.Ceil((1 + m.cfg.Rho.Value()) * float64(m.basis[s].rank())))
		at, weight = byLeverage(w, sigma, want, rng.New(rng.Derive(m.cfg.Seed, "links"), uint64(s)))
	}
	v := mat.NewDense(len(at), p, nil)
	index := make([]int, len(at))
	for b, i := range at {
		v.SetRow(b, w.RawRowView(i))
		blas64.Scal(math.Sqrt(weight[b]), row(v, b))
		index[b] = member[i]
	}
	var svd mat.SVD
	if !svd.Factorize(v, mat.SVDThin) {
		return linkSample{}, &gram.ConvergenceError{Residual: math.NaN()}
	}
	var left, right mat.Dense
	svd.UTo(&left)
	svd.VTo(&right)
	values := svd.Values(nil)
	kept := 0
	for kept < len(values) && values[kept] > m.cfg.Cut*values[0] {
		kept++
	}
	m.samples[s] = Sample{Rows: index, Weights: weight}
	out := linkSample{x: x.Select(index), pinv: mat.NewDense(p, len(at), nil)}
	if kept > 0 { // Σ·V·S⁻¹·Uᵀ, times the weights
		for j := range kept {
			blas64.Scal(1/values[j], column(&right, j))
		}
		for i := range p {
			blas64.Scal(sigma[i], row(&right, i))
		}
		out.pinv.Mul(right.Slice(0, p, 0, kept), left.Slice(0, len(at), 0, kept).T())
		for b, t := range weight {
			blas64.Scal(math.Sqrt(t), column(out.pinv, b))
		}
	}
	out.z = kernel.Against[float64](m.cfg.Kernel, out.x).Limit(m.cfg.Workers)
	return out, nil
}

// byLeverage draws about m rows of w, whose columns are orthogonal with the
// lengths sigma, and returns them with their weights in the least-squares problem,
// which are the numbers of rows that each stands for. A row is drawn with
// probability m times the mean of 1/n and its share of the leverage scores
// ‖wΣ⁻¹‖²; all are taken if there are no more than m.
func byLeverage(w *mat.Dense, sigma []float64, m int, r *rand.Rand) (index []int, weight []float64) {
	n, p := w.Dims()
	if m >= n {
		for i := range n {
			index, weight = append(index, i), append(weight, 1)
		}
		return index, weight
	}
	chance := make([]float64, n)
	for i := range n {
		var score float64
		for j, v := range w.RawRowView(i) {
			v /= sigma[j]
			score += v * v
		}
		chance[i] = min(1, float64(m)*(score/float64(p)+1/float64(n))/2)
	}
	// Systematic sampling in random order: a row is drawn where the sum of the
	// chances so far passes another integer plus one random number.
	sum := r.Float64()
	for _, i := range r.Perm(n) {
		before := math.Floor(sum)
		if sum += chance[i]; math.Floor(sum) > before {
			index = append(index, i)
		}
	}
	slices.Sort(index)
	for _, i := range index {
		weight = append(weight, 1/chance[i])
	}
	return index, weight
}

// repair turns core = ΣLΣ into L, the nearest positive semi-definite one unless
// the settings say otherwise. What has no links has positive eigenvalues, the
// squares of the lengths.
func (m *Model) repair(ctx context.Context, core *mat.SymDense, sigma [][]float64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.stats.MinEigen, m.stats.Repaired = math.Inf(1), math.NaN()
	inverse := make([]float64, 0, m.links.total()) // 1/σ of the columns with links
	for s, v := range sigma {
		for j, t := range v {
			if j < m.links.linked(s) {
				inverse = append(inverse, 1/t)
			} else {
				m.stats.MinEigen = min(m.stats.MinEigen, t*t)
				m.spectrum = append(m.spectrum, t*t)
			}
		}
	}
	if core == nil { // no basis has a column that is not zero
		m.stats.MinEigen, m.stats.Repaired = 0, 0
		if !m.cfg.NoRepair {
			m.links.root = &mat.Dense{}
		}
		return nil
	}
	p := len(inverse)
	values, v, err := eig.SymAll(ctx, core)
	if err != nil {
		return err
	}
	m.stats.MaxEigen, m.stats.MinEigen = values[p-1], min(m.stats.MinEigen, values[0])
	m.spectrum = append(m.spectrum, values...)
	slices.Sort(m.spectrum)
	for m.stats.Clipped < p && values[m.stats.Clipped] < 0 {
		m.stats.Clipped++
	}
	m.links.l = mat.NewDense(p, p, nil)
	if m.cfg.NoRepair {
		for i := range p {
			row := m.links.l.RawRowView(i)
			for j := range row {
				row[j] = inverse[i] * core.At(i, j) * inverse[j]
			}
		}
		return nil
	}
	m.stats.Repaired = max(0, m.stats.MinEigen)
	m.links.root = positive(v, values, inverse)
	m.links.square()
	return nil
}

// positive returns Σ⁻¹·V₊Λ₊^{1/2}, of the positive eigenvalues, largest first.
// As there are no matrices without columns, it is a column of zeros if none is
// positive.
func positive(v *mat.Dense, values, inverse []float64) *mat.Dense {
	p := len(values)
	q := 0
	for q < p && values[p-1-q] > 0 {
		q++
	}
	root := mat.NewDense(p, max(1, q), nil)
	for i := range p {
		row := root.RawRowView(i)
		for j := range q {
			row[j] = inverse[i] * v.At(i, p-1-j) * math.Sqrt(values[p-1-j])
		}
	}
	return root
}

// square sets L = F·Fᵀ.
func (l *links) square() {
	p, _ := l.root.Dims()
	l.l = mat.NewDense(p, p, nil)
	sym := blas64.Symmetric{N: p, Stride: p, Data: l.l.RawMatrix().Data, Uplo: blas.Upper}
	blas64.Syrk(blas.NoTrans, 1, l.root.RawMatrix(), 0, sym)
	for i := range p {
		for j := range i {
			l.l.Set(i, j, l.l.At(j, i))
		}
	}
}

func row(a *mat.Dense, i int) blas64.Vector {
	r := a.RawRowView(i)
	return blas64.Vector{N: len(r), Data: r, Inc: 1}
}

func column(a *mat.Dense, j int) blas64.Vector {
	r := a.RawMatrix()
	return blas64.Vector{N: r.Rows, Data: r.Data[j:], Inc: r.Stride}
}
