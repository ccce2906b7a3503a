package kmeans

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gramworks/gram"
	_ "github.com/gramworks/gram/blas" // makes products run on the module's own backend
	"github.com/gramworks/gram/internal/clusters"
	"github.com/gramworks/gram/internal/linalg"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// points holds the rows to be clustered. Centers are represented relative to the mean of the
// rows, e = c−mean, so that a large common offset of the data does not cost digits:
//
//	‖x−c‖² = ‖x−mean‖² + h(c) − 2⟨x,e⟩,   h(c) = ‖e‖² + 2⟨mean,e⟩.
type points struct {
	x       gram.Samples[float64]
	row     *rows.Vectors // of x
	n, d    int
	w       []float64 // nil: ones
	mean    []float64
	sq      []float64 // ‖x−mean‖²
	workers int
}

const (
	assignGrain = 256  // rows whose distances to all centers are held at a time
	rowGrain    = 1024 // rows of a block in passes over the data
)

func newPoints(ctx context.Context, x gram.Samples[float64], w []float64, workers int) (*points, error) {
	n, d := x.Dims()
	p := &points{x: x, row: rows.NewVectors(x), n: n, d: d, w: w, workers: workers}
	mean, err := par.Sum(ctx, workers, n, rowGrain, func(lo, hi int) []float64 {
		sum := make([]float64, d+1)
		for i := lo; i < hi; i++ {
			rows.Add(sum[:d], p.weight(i), x, i)
			sum[d] += p.weight(i)
		}
		return sum
	}, add)
	if err != nil {
		return nil, err
	}
	blas64.Scal(1/mean[d], linalg.Vector(mean[:d]))
	p.mean = mean[:d]
	p.sq, err = shifted(ctx, x, p.mean, workers)
	return p, err
}

// shifted returns the squared distance of each row to the mean, ‖x_i−mean‖².
func shifted(ctx context.Context, x gram.Samples[float64], mean []float64, workers int) ([]float64, error) {
	n, d := x.Dims()
	sq := make([]float64, n)
	mm := linalg.Dot(mean, mean)
	dense, isDense := x.Dense()
	err := par.For(ctx, workers, n, rowGrain, func(lo, hi int) {
		y := make([]float64, d)
		for i := lo; i < hi; i++ {
			if isDense {
				copy(y, dense.Row(i))
				blas64.Axpy(-1, linalg.Vector(mean), linalg.Vector(y))
				sq[i] = linalg.Dot(y, y)
			} else {
				sq[i] = max(0, rows.SumSquares(x, i)-2*rows.Dot(x, i, mean)+mm)
			}
		}
	})
	return sq, err
}

func (p *points) weight(i int) float64 {
	if p.w == nil {
		return 1
	}
	return p.w[i]
}

// offset returns what the expanded squared distance to each center adds to the product with it: h_c = ‖e_c‖² + 2⟨mean, e_c⟩.
func (p *points) offset(e *mat.Dense) []float64 {
	k, _ := e.Dims()
	h := make([]float64, k)
	for c := range h {
		v := linalg.Vector(e.RawRowView(c))
		h[c] = blas64.Dot(v, v) + 2*blas64.Dot(linalg.Vector(p.mean), v)
	}
	return h
}

// nearest sets label[i] to the center nearest to row i, the first of equals or −1 for a row
// with NaN, and dist[i] to the squared distance.
func (p *points) nearest(ctx context.Context, e *mat.Dense, label []int, dist []float64) error {
	return p.products(ctx, e, func(i int, g, h []float64) {
		var best float64
		label[i], best = closest(g, h)
		dist[i] = max(0, p.sq[i]+best)
	})
}

// closest returns the center with the least h−2g and that number; −1 if all are NaN.
func closest(g, h []float64) (at int, best float64) {
	best, at = math.Inf(1), -1
	for c, v := range g {
		if t := h[c] - 2*v; t < best {
			best, at = t, c
		}
	}
	return at, best
}

// products calls body for every row with the inner products of the row with all centers.
func (p *points) products(ctx context.Context, e *mat.Dense, body func(i int, g, h []float64)) error {
	k, _ := e.Dims()
	h := p.offset(e)
	et := mat.DenseCopyOf(e.T())
	return par.For(ctx, p.workers, p.n, assignGrain, func(lo, hi int) {
		g := rows.Borrow(hi-lo, k)
		rows.Mul(g, p.x.Slice(lo, hi), et)
		for i := lo; i < hi; i++ {
			body(i, g.RawRowView(i-lo), h)
		}
		rows.Return(g)
	})
}

// distance returns ‖x_i−c‖² for a center e with h(e) = h.
func (p *points) distance(i int, e []float64, h float64) float64 {
	return max(0, p.sq[i]+h-2*p.row.Dot(i, e))
}

// center sets e to row i less the mean of all rows, the coordinates in which centers are kept.
func (p *points) center(e []float64, i int) {
	p.x.CopyRow(e, i)
	blas64.Axpy(-1, linalg.Vector(p.mean), linalg.Vector(e))
}

// means moves every center to the weighted mean of its rows. A center whose rows have no weight
// stays where it is.
func (p *points) means(ctx context.Context, e *mat.Dense, label []int) error {
	k, d := e.Dims()
	first, member := groups(label, k)
	return par.For(ctx, p.workers, k, 1, func(lo, hi int) {
		sum := make([]float64, d)
		for c := lo; c < hi; c++ {
			clear(sum)
			var total float64
			for _, i := range member[first[c]:first[c+1]] {
				rows.Add(sum, p.weight(i), p.x, i)
				total += p.weight(i)
			}
			if total == 0 {
				continue
			}
			blas64.Axpy(-total, linalg.Vector(p.mean), linalg.Vector(sum))
			blas64.Scal(1/total, linalg.Vector(sum))
			copy(e.RawRowView(c), sum)
		}
	})
}

// groups sorts rows by label: cluster c has the rows member[first[c]:first[c+1]], which ascend.
// It leaves out rows with label −1.
func groups(label []int, k int) (first, member []int) {
	first = make([]int, k+2)
	for _, c := range label {
		if c >= 0 {
			first[c+2]++
		}
	}
	for c := range k {
		first[c+2] += first[c+1]
	}
	member = make([]int, first[k+1])
	for i, c := range label {
		if c >= 0 {
			member[first[c+1]] = i
			first[c+1]++
		}
	}
	return first[:k+1], member
}

// reseed gives every empty cluster the row that contributes most to the objective. Each
// cluster gets a different row, taken from a cluster that keeps at least one. reseed updates
// labels, distances and centers, and returns how many clusters got a row.
func (p *points) reseed(e *mat.Dense, label []int, dist []float64) int {
	k, _ := e.Dims()
	size := clusters.Sizes(label, k)
	if !slices.Contains(size, 0) {
		return 0
	}
	order := make([]int, 0, p.n)
	for i, v := range dist {
		// A row whose distance is round-off is a copy of its center.
		if p.weight(i) > 0 && v > 1e-13*p.sq[i] {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		va, vb := p.weight(a)*dist[a], p.weight(b)*dist[b]
		switch {
		case va > vb:
			return -1
		case va < vb:
			return 1
		}
		return a - b
	})
	moved := 0
	for c := range k {
		if size[c] != 0 {
			continue
		}
		for len(order) > 0 {
			i := order[0]
			order = order[1:]
			if size[label[i]] > 1 {
				size[label[i]]--
				size[c], label[i], dist[i] = 1, c, 0
				p.center(e.RawRowView(c), i)
				moved++
				break
			}
		}
	}
	return moved
}

// plusPlus chooses k rows as centers by k-means++ [AV07]. Candidates for a center are drawn with
// probability proportional to the weight times the squared distance from the nearest center so
// far. Of the given number of candidates, the one that lowers the sum of these products most
// becomes the center. Rows that are nearer to their center than to the new one according to the
// triangle inequality are skipped [Raff21].
func (p *points) plusPlus(ctx context.Context, k, candidates int, r *rand.Rand) (*mat.Dense, error) {
	e := mat.NewDense(k, p.d, nil)
	dist, own := make([]float64, p.n), make([]int, p.n)
	chosen := make([]bool, p.n)
	for i := range dist {
		dist[i], own[i] = math.Inf(1), -1
	}
	mass := make([]float64, p.n)
	gap := make([]float64, k) // squared distances of the new center from the others
	for c := range k {
		for i := range mass {
			switch {
			case chosen[i]:
				mass[i] = 0
			case c == 0:
				mass[i] = p.weight(i)
			default:
				mass[i] = p.weight(i) * dist[i]
			}
		}
		i := clusters.Draw(mass, r)
		if i >= 0 && c > 0 && candidates > 1 {
			rivals := []int{i}
			for range candidates - 1 {
				rivals = append(rivals, clusters.Draw(mass, r))
			}
			var err error
			if i, err = p.best(ctx, rivals, dist); err != nil {
				return nil, err
			}
		}
		if i < 0 { // every row coincides with a center
			for i := range mass {
				mass[i] = p.weight(i)
				if chosen[i] {
					mass[i] = 0
				}
			}
			i = clusters.Draw(mass, r)
		}
		if i < 0 { // the remaining rows have no weight
			i = slices.Index(chosen, false)
		}
		chosen[i] = true
		ec := e.RawRowView(c)
		p.center(ec, i)
		if c == k-1 {
			break
		}
		h := p.offset(e.Slice(c, c+1, 0, p.d).(*mat.Dense))[0]
		for b := range c {
			gap[b] = squaredDistance(e.RawRowView(b), ec)
		}
		err := par.For(ctx, p.workers, p.n, rowGrain, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				if o := own[i]; o >= 0 && gap[o] >= 4.000001*dist[i] {
					continue
				}
				if v := p.distance(i, ec, h); v < dist[i] {
					dist[i], own[i] = v, c
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return e, nil
}

// best returns the candidate that as a new center lowers the sum of weighted distances most, the
// first of equals.
func (p *points) best(ctx context.Context, rivals []int, dist []float64) (int, error) {
	k := len(rivals)
	e := mat.NewDense(k, p.d, nil)
	for c, i := range rivals {
		p.center(e.RawRowView(c), i)
	}
	h := p.offset(e)
	et := mat.DenseCopyOf(e.T())
	sums, err := par.Sum(ctx, p.workers, p.n, rowGrain, func(lo, hi int) []float64 {
		g := rows.Borrow(hi-lo, k)
		rows.Mul(g, p.x.Slice(lo, hi), et)
		sum := make([]float64, k)
		for i := lo; i < hi; i++ {
			w := p.weight(i)
			for c, v := range g.RawRowView(i - lo) {
				sum[c] += w * min(dist[i], max(0, p.sq[i]+h[c]-2*v))
			}
		}
		rows.Return(g)
		return sum
	}, add)
	if err != nil {
		return 0, err
	}
	at := 0
	for c, v := range sums {
		if v < sums[at] {
			at = c
		}
	}
	return rivals[at], nil
}

func squaredDistance(a, b []float64) float64 {
	va, vb := linalg.Vector(a), linalg.Vector(b)
	return max(0, blas64.Dot(va, va)+blas64.Dot(vb, vb)-2*blas64.Dot(va, vb))
}

func add(a, b []float64) []float64 {
	blas64.Axpy(1, linalg.Vector(b), linalg.Vector(a))
	return a
}
