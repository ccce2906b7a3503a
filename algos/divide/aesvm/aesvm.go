package aesvm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/internal/parts"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Config holds the settings of a fit.
//
// A fit takes settings that are not given at their defaults; crossval.Tune chooses C by the data.
type Config struct {
	Machine svm.Config
	Part    int               // rows of a part at most; default 100
	Epsilon gram.Opt[float64] // largest squared distance, in the space of the kernel, of a row to the convex hull of its representatives, in units of the mean of K(x,x); default 0.01; 0: only copies of rows are left out, and the machine is the exact one
}

// Stats holds figures of a finished fit, for reports and comparisons. Predictions do not depend on them.
type Stats struct {
	Parts           int
	Representatives int
	Error           float64   // largest squared distance of a row to its convex combination; at most Epsilon times the mean of K(x,x)
	Beta            []float64 // weight of each row in the machine's problem; 0 for those that are represented
	Seconds         float64   // time to choose
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	s.Embedded(&c.Machine, "start")
	kernel.NoMatrix(s, &c.Machine.Kernel)
	if s.Resolving() {
		c.Machine.Start = svm.ZeroStart // representatives are few
	}
	s.Int(&c.Part, "part", "rows that representatives are chosen from together").Default(100).AtLeast(2).AtMost(1 << 14)
	s.OptFloat(&c.Epsilon, "epsilon", "squared distance to the representatives' convex hull, relative to K(x,x)").Default(.01).AtLeast(0)
}

// SetRun sets the seed, the workers, the memory limit and the progress function of a fit.
func (c *Config) SetRun(run gram.Run) { c.Machine.SetRun(run) }

// GetRun returns the seed, the workers, the memory limit and the progress function of a fit.
func (c *Config) GetRun() gram.Run { return c.Machine.Run }

// Plan returns the expected cost of Fit for data of shape s. It assumes that all rows are
// representatives.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	most := int64(min(c.Part, s.N))
	own := 8*int64(4*s.N) + int64(c.Machine.NumWorkers())*8*most*(most+int64(s.D)+8)
	if c.Machine.MemoryLimit > 0 {
		c.Machine.MemoryLimit = max(1, c.Machine.MemoryLimit-own)
	}
	p, err := c.Machine.Plan(s)
	if err != nil {
		return gram.Plan{}, err
	}
	n, part, columns := float64(s.N), float64(c.Part), float64(s.D)
	if s.NNZ > 0 {
		columns = float64(s.NNZ) / max(1, n)
	}
	p.Flops += 2*n*columns*(2*max(1, math.Log2(n/part))+part) + 10*n*part*part
	p.PeakBytes += own
	p.Description += fmt.Sprintf("; at most all rows, of parts of %d", c.Part)
	return p, nil
}

// Fit chooses the representatives and trains on them. w are weights of the rows; nil means ones.
// If ctx ends the fit, or the machine does not converge, it returns what svm.Config.Fit does.
func (c Config) Fit(ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*svm.Model, Stats, error) {
	var stats Stats
	start, err := rows.Begin(&c, c.Machine.Run, x, y, w)
	if err != nil {
		return nil, stats, err
	}
	begin := time.Now()
	if err := c.represent(ctx, start.X, start.Y, start.W, &stats); err != nil {
		return nil, stats, err
	}
	stats.Seconds = time.Since(begin).Seconds()
	if start.Kept != nil {
		beta := make([]float64, len(y.Class))
		for k, i := range start.Kept {
			beta[i] = stats.Beta[k]
		}
		stats.Beta = beta
	}
	var index []int
	var beta []float64
	for i, b := range stats.Beta {
		if b > 0 {
			index, beta = append(index, i), append(beta, b)
		}
	}
	m, err := c.Machine.FitRows(ctx, x, y, beta, index)
	return m, stats, err
}

// represent divides the rows of each class into parts and sets stats.Beta to the weights of the representatives of all parts, 0
// for every other row. It also sets Parts, Representatives and Error.
func (c Config) represent(ctx context.Context, x gram.Samples[float64], y gram.Labels, w []float64, stats *Stats) error {
	var groups [][]int
	for _, index := range rows.Groups(y.Class, len(y.Names)) {
		var err error
		if groups, err = c.divide(ctx, groups, x, index); err != nil {
			return err
		}
	}
	n, _ := x.Dims()
	tolerance := c.Epsilon.Value() * meanDiagonal(c.Machine.Kernel, x)
	stats.Parts = len(groups)
	stats.Beta = make([]float64, n)
	worst, _, err := parts.Fit(ctx, c.Machine.Run, "representatives", c.Machine.Workers, groups, func(_ int, index []int) (float64, error) {
		return c.hull(ctx, x, index, w, tolerance, stats.Beta)
	})
	if err != nil {
		return err
	}
	stats.Error = slices.Max(append(worst, 0))
	for _, b := range stats.Beta {
		if b > 0 {
			stats.Representatives++
		}
	}
	return nil
}

// meanDiagonal returns the mean of K(x,x) over the rows of x.
func meanDiagonal(k kernel.Kernel, x gram.Samples[float64]) float64 {
	values := make([]float64, x.N())
	kernel.Diagonal(values, k, x)
	var mean float64
	for i, v := range values {
		mean += (v - mean) / float64(i+1)
	}
	return mean
}

// divide appends the parts of the rows of a class.
func (c Config) divide(ctx context.Context, groups [][]int, x gram.Samples[float64], index []int) ([][]int, error) {
	if len(index) <= c.Part {
		if len(index) > 0 {
			groups = append(groups, index)
		}
		return groups, nil
	}
	from, err := c.distances(ctx, x, index, index[0])
	if err != nil {
		return nil, err
	}
	a := argmax(from)
	if from, err = c.distances(ctx, x, index, index[a]); err != nil {
		return nil, err
	}
	to, err := c.distances(ctx, x, index, index[argmax(from)])
	if err != nil {
		return nil, err
	}
	order := make([]int, len(index))
	for i := range order {
		order[i] = i
		from[i] -= to[i]
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(from[i], from[j]) })
	for i, o := range order {
		order[i] = index[o]
	}
	half := len(order) / 2
	if groups, err = c.divide(ctx, groups, x, order[:half]); err != nil {
		return nil, err
	}
	return c.divide(ctx, groups, x, order[half:])
}

// distances returns the squared distances of rows to a row.
func (c Config) distances(ctx context.Context, x gram.Samples[float64], index []int, to int) ([]float64, error) {
	_, d := x.Dims()
	center := make([]float64, d)
	x.CopyRow(center, to)
	norm := rows.SumSquares(x, to)
	out := make([]float64, len(index))
	err := par.For(ctx, c.Machine.Workers, len(index), 1024, func(lo, hi int) {
		v := rows.NewVectors(x)
		for k := lo; k < hi; k++ {
			out[k] = norm + rows.SumSquares(x, index[k]) - 2*v.Dot(index[k], center)
		}
	})
	return out, err
}

// argmax returns the position of the largest number, the first of equals.
func argmax(x []float64) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}

// fillRows is the number of rows of a kernel matrix between two looks at the context.
const fillRows = 128

// hull chooses the representatives of a part and adds the weights of its rows to beta. It
// returns the largest squared distance of a row to its convex combination, or ctx.Err().
func (c Config) hull(ctx context.Context, x gram.Samples[float64], index []int, w []float64, tolerance float64, beta []float64) (float64, error) {
	v := len(index)
	part := x.Select(index)
	k := mat.NewDense(v, v, nil)
	block, all := kernel.Against[float64](c.Machine.Kernel, part), gram.View(k)
	for lo := 0; lo < v; lo += fillRows {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		hi := min(lo+fillRows, v)
		block.FillSerial(all.Slice(lo, hi), part.Slice(lo, hi))
	}
	// The distances to the mean, but for a constant.
	far, order := make([]float64, v), make([]int, v)
	for i := range order {
		order[i] = i
		far[i] = k.At(i, i)
		for _, u := range k.RawRowView(i) {
			far[i] -= 2 * u / float64(v)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(far[j], far[i]) })
	chosen := order[:0:0]
	in := make([]bool, v)
	q := newQuadratic(k)
	for _, t := range order {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if len(chosen) == 0 || q.nearest(chosen, t, tolerance) > tolerance {
			chosen = append(chosen, t)
			in[t] = true
		}
	}
	weight := func(t int) float64 {
		if w == nil {
			return 1
		}
		return w[index[t]]
	}
	var worst float64
	for _, t := range order {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if in[t] {
			beta[index[t]] += weight(t)
			continue
		}
		distance := q.nearest(chosen, t, tolerance)
		if distance > tolerance { // by what the search leaves
			beta[index[t]] += weight(t)
			continue
		}
		worst = max(worst, distance)
		for i, mu := range q.mu[:len(chosen)] {
			beta[index[chosen[i]]] += weight(t) * mu
		}
	}
	return worst, nil
}

// quadratic finds, in the kernel's space, the point of the convex hull of some rows that is nearest to another row. It holds the
// work memory of that search.
type quadratic struct {
	k    *mat.Dense // kernel matrix of a part
	mu   []float64
	grad []float64 // ½ of the gradient, Σ_j K_ij·μ_j − K_it
}

func newQuadratic(k *mat.Dense) *quadratic {
	n, _ := k.Dims()
	return &quadratic{k, make([]float64, n), make([]float64, n)}
}

// nearest sets mu to the convex combination of the chosen rows that is nearest to row t and
// returns its squared distance. The search moves weight between the two rows of the largest
// and the smallest derivative. It ends when the distance is within a hundredth of the
// tolerance of the smallest, or certainly above the tolerance.
func (q *quadratic) nearest(chosen []int, t int, tolerance float64) float64 {
	mu, grad := q.mu[:len(chosen)], q.grad[:len(chosen)]
	clear(mu)
	start := 0
	for i, r := range chosen {
		if q.k.At(r, r)-2*q.k.At(r, t) < q.k.At(chosen[start], chosen[start])-2*q.k.At(chosen[start], t) {
			start = i
		}
	}
	mu[start] = 1
	for i, r := range chosen {
		grad[i] = q.k.At(r, chosen[start]) - q.k.At(r, t)
	}
	distance := q.k.At(chosen[start], chosen[start]) - 2*q.k.At(chosen[start], t) + q.k.At(t, t)
	for range 100 * len(chosen) {
		up, down := -1, 0
		var inner float64 // ⟨gradient, μ⟩
		for i, g := range grad {
			inner += mu[i] * g
			if mu[i] > 0 && (up < 0 || g > grad[up]) {
				up = i
			}
			if g < grad[down] {
				down = i
			}
		}
		gap := 2 * (inner - grad[down]) // the distance is at most that much above the smallest
		if gap <= tolerance/100 || distance-gap > tolerance {
			break
		}
		a, b := chosen[up], chosen[down]
		curvature := q.k.At(a, a) + q.k.At(b, b) - 2*q.k.At(a, b)
		slope := grad[up] - grad[down]
		step := mu[up]
		if curvature > 0 {
			step = min(step, slope/curvature)
		}
		if !(step > 0) {
			break
		}
		distance += step * (step*curvature - 2*slope)
		if mu[down] += step; step == mu[up] {
			mu[up] = 0
		} else {
			mu[up] -= step
		}
		for i, r := range chosen {
			grad[i] += step * (q.k.At(r, b) - q.k.At(r, a))
		}
	}
	return max(distance, 0)
}
