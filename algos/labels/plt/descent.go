package plt

import (
	"context"
	"math"
	"math/rand/v2"
)

// problem is what the children of a node share: its rows.
type problem struct {
	names []int32 // of the columns
	ptr   []int   // of the entries of a row
	col   []int32
	val   []float32
	diag  []float64 // ‖x̃_i‖² + 1/2C
}

// descent minimizes ½‖w‖² + C·Σ max(0, 1−y_i·w·x̃_i)² by coordinate descent on the dual.
type descent struct {
	*problem
	c      Config
	y      []float64 // 1 for the rows of the child, which run makes −1 again
	w      []float64
	bias   float64
	alpha  []float64
	active []int32
}

func newDescent(p *problem, c Config) *descent {
	n := len(p.diag)
	d := &descent{problem: p, c: c, y: make([]float64, n), w: make([]float64, len(p.names)), alpha: make([]float64, n), active: make([]int32, n)}
	for i := range d.y {
		d.y[i] = -1
	}
	return d
}

// run sets w and bias for the y at hand, and makes y −1 again. It stops when the projected
// gradients of a pass over all rows lie within Tol, after Passes, or with the error of ctx.
func (d *descent) run(ctx context.Context, r *rand.Rand) error {
	const often = 1 << 14 // rows between looks at ctx
	clear(d.w)
	clear(d.alpha)
	d.bias = 0
	for i := range d.active {
		d.active[i] = int32(i)
	}
	half := .5 / d.c.C
	active, top := d.active, math.Inf(1)
	for range d.c.Passes {
		r.Shuffle(len(active), func(a, b int) { active[a], active[b] = active[b], active[a] })
		high, low := math.Inf(-1), math.Inf(1)
		for at := 0; at < len(active); at++ {
			if at%often == 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			i := active[at]
			lo, hi := d.ptr[i], d.ptr[i+1]
			col, val := d.col[lo:hi], d.val[lo:hi]
			val = val[:len(col)]
			s := d.bias
			for q, j := range col {
				s += float64(d.w[j] * float64(val[q]))
			}
			y, a := d.y[i], d.alpha[i]
			g := y*s - 1 + float64(a*half)
			if a == 0 && g > 0 {
				if g > top { // the row does not matter, to judge by the last pass
					last := len(active) - 1
					active[at], active[last] = active[last], active[at]
					active = active[:last]
					at--
				} else {
					high, low = max(high, 0), min(low, 0)
				}
				continue
			}
			high, low = max(high, g), min(low, g)
			next := max(0, a-g/d.diag[i])
			d.alpha[i] = next
			if step := (next - a) * y; step != 0 {
				d.bias += step
				for q, j := range col {
					d.w[j] += float64(step * float64(val[q]))
				}
			}
		}
		if high-low <= d.c.Tol || len(active) == 0 {
			if len(active) == len(d.active) {
				break
			}
			active, top = d.active, math.Inf(1)
			continue
		}
		if top = high; top <= 0 {
			top = math.Inf(1)
		}
	}
	for i := range d.y {
		d.y[i] = -1
	}
	return nil
}

// kept returns the weights that are larger than Cut, and the constant.
func (d *descent) kept() (vector, float32) {
	var v vector
	cut := d.c.Cut.Value()
	for j, w := range d.w {
		if math.Abs(w) > cut && float32(w) != 0 {
			v.col, v.val = append(v.col, int32(j)), append(v.val, float32(w))
		}
	}
	return v, float32(d.bias)
}
