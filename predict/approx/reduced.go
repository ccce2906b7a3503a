package approx

import (
	"cmp"
	"context"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/cholupdate"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/predict"
	"gonum.org/v1/gonum/mat"
)

// maxReduced is the largest reduced set: m points take m² products with the starts.
const maxReduced = 256

func planReduced(m predict.Machine, size int) (gram.Plan, bool) {
	_, gaussian := m.Kernel.(kernel.Gaussian)
	p, ok := planNystrom(m, size)
	return p, ok && gaussian && size <= maxReduced
}

// fitReduced takes as landmarks the points of a reduced set.
func fitReduced(ctx context.Context, p predict.Problem, size int) (basis.Basis, error) {
	d, k := p.Dims()
	starts := min(p.Size(), maxStarts)
	if err := p.Check(gram.Plan{PeakBytes: 8 * (int64(p.Size())*int64(d+1) + int64(starts)*int64(d+2*k) + int64(size)*int64(2*d+3*k+size))}); err != nil {
		return nil, err
	}
	z, err := newReducer(p.Machine).points(ctx, size)
	if err != nil {
		return nil, err
	}
	m, _ := z.Dims()
	return nystrom.Config{Kernel: p.Kernel, Landmarks: landmark.Fixed{U: z}, M: m, Cut: cut(p), Run: p.Run}.Fit(ctx, z)
}

// reducer finds the points z of a reduced set of a machine f with a Gaussian kernel, one
// after the other ([SKSB98]). With the rest r = f − f̃ of the k functions, where f̃ is the
// projection of f on the span of the K(·,z) so far, the next point is a local maximum of
// ‖r(z)‖², which is what the squared norm of the rest loses if the new K(·,z) were
// orthogonal to the others. A maximum is a fixed point of
//
//	z ← Σ_j c_j·u_j / Σ_j c_j,   c_j = K(u_j,z)·⟨r(z), a_j⟩,
//
// over the terms Σ_j a_j·K(u_j,·) of r, the machine's and the found points'.
type reducer struct {
	predict.Machine
	block  *kernel.Block[float64]     // against the machine's points
	starts *mat.Dense                 // points of the machine where the search may begin
	value  *mat.Dense                 // f at the starts
	rest   *mat.Dense                 // f − f̃ at the starts
	z      *mat.Dense                 // the points found
	coef   *mat.Dense                 // of f̃
	at     *mat.Dense                 // f at the points found
	factor cholupdate.Factor[float64] // of K(z,z)
}

// maxStarts bounds the points at which the rest is known.
const maxStarts = 2000

func newReducer(m predict.Machine) *reducer {
	r := &reducer{Machine: m, block: kernel.Against[float64](m.Kernel, m.Points)}
	// The points with the largest coefficients.
	weight := mass(m)
	order := make([]int, m.Size())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	r.starts = rows.Dense(gram.Of(m.Points), order[:min(len(order), maxStarts)])
	s, _ := r.starts.Dims()
	_, k := m.Coef.Dims()
	r.value = mat.NewDense(s, k, nil)
	r.block.Mul(gram.View(r.value), gram.Of(r.starts), gram.View(m.Coef))
	r.rest = mat.DenseCopyOf(r.value)
	return r
}

// points returns at most size points. There are fewer if the others would be, up to
// rounding, in the span of these.
func (r *reducer) points(ctx context.Context, size int) (*mat.Dense, error) {
	s, d := r.starts.Dims()
	_, k := r.Coef.Dims()
	r.z, r.at = mat.NewDense(size, d, nil), mat.NewDense(size, k, nil)
	used := make([]bool, s)
	found := 0
	for found < size {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		best, most := -1, 0.0
		for i := range s {
			if v := squares(r.rest.RawRowView(i)); !used[i] && v > most {
				best, most = i, v
			}
		}
		if best < 0 {
			break
		}
		used[best] = true
		z := r.climb(ctx, r.starts.RawRowView(best), found)
		if r.add(z, found) || r.add(r.starts.RawRowView(best), found) {
			found++
			r.project(found)
		}
	}
	return mat.DenseCopyOf(r.z.Slice(0, max(found, 1), 0, d)), nil
}

// add appends a point unless it lies in the span of the found ones.
func (r *reducer) add(z []float64, found int) bool {
	const least = 1e-10 // of the squared norm that is new
	column := make([]float64, found+1)
	for i := range found {
		column[i] = r.Kernel.Eval(r.z.RawRowView(i), z)
	}
	column[found] = 1
	if found > 0 {
		half := slices.Clone(column[:found])
		r.factor.HalfSolveVec(half)
		if !(1-squares(half) > least) {
			return false
		}
	}
	if _, err := r.factor.Append(column); err != nil {
		return false
	}
	r.z.SetRow(found, z)
	r.block.Mul(gram.View(r.at).Slice(found, found+1), gram.Of(mat.NewDense(1, len(z), slices.Clone(z))), gram.View(r.Coef))
	return true
}

// project computes the projection on the first points, and the rest at the starts.
func (r *reducer) project(found int) {
	_, d := r.z.Dims()
	s, k := r.value.Dims()
	r.coef = mat.DenseCopyOf(r.at.Slice(0, found, 0, k))
	r.factor.Solve(r.coef)
	near := kernel.Against[float64](r.Kernel, r.z.Slice(0, found, 0, d))
	near.Mul(gram.View(r.rest), gram.Of(r.starts), gram.View(r.coef))
	for i := range s {
		to := r.rest.RawRowView(i)
		for j, v := range r.value.RawRowView(i) {
			to[j] = v - to[j]
		}
	}
}

// climb returns the local maximum of ‖r(z)‖² that it reaches from a start. The direction to the
// iteration's next point is the direction of the gradient, since Σ_j c_j = ‖r(z)‖²; a step that does
// not climb is halved. After ctx is done it returns the point that it has reached.
func (r *reducer) climb(ctx context.Context, start []float64, found int) []float64 {
	n, d := r.Points.Dims()
	_, k := r.Coef.Dims()
	far, near, rest := make([]float64, n), make([]float64, found), make([]float64, k)
	// height sets rest to the rest at z and returns its square.
	height := func(z []float64) float64 {
		r.block.FillSerial(gram.Rows[float64]{Data: far, N: 1, D: n, Stride: n}, gram.Of(mat.NewDense(1, d, z)))
		clear(rest)
		for j, v := range far {
			for t, a := range r.Coef.RawRowView(j) {
				rest[t] += v * a
			}
		}
		for j := range near {
			near[j] = r.Kernel.Eval(r.z.RawRowView(j), z)
			for t, a := range r.coef.RawRowView(j) {
				rest[t] -= near[j] * a
			}
		}
		return squares(rest)
	}
	z, next, to := slices.Clone(start), make([]float64, d), make([]float64, d)
	top := height(z)
	for range 30 {
		clear(to)
		add := func(u, a []float64, v float64) {
			var c float64
			for t, w := range a {
				c += w * rest[t]
			}
			for j, w := range u {
				to[j] += c * v / top * w
			}
		}
		for j, v := range far {
			add(r.Points.RawRowView(j), r.Coef.RawRowView(j), v)
		}
		for j, v := range near {
			add(r.z.RawRowView(j), r.coef.RawRowView(j), -v)
		}
		reached := false
		for step := 1.0; step > 1e-3 && !reached && ctx.Err() == nil; step /= 2 {
			for j, v := range z {
				next[j] = v + step*(to[j]-v)
			}
			if h := height(next); h > top*(1+1e-6) {
				top, reached = h, true
				copy(z, next)
			}
		}
		if !reached {
			break
		}
	}
	return z
}

// squares returns the sum of the squares of x.
func squares(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v * v
	}
	return sum
}
