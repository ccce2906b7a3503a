package fastxml

import (
	"math"
	"slices"

	"github.com/gramworks/gram/sparse"
)

// weight is a nonzero of the weights w of a node, with its column.
type weight struct {
	column int32
	value  float32
}

// columns are the rows of a node by column: the columns that occur, renumbered
// in ascending order, and the constant one last.
type columns struct {
	number []int32 // by column of x: 1 + its number; 0: does not occur
	names  []int32
	ptr    []int
	row    []int32 // positions in the node
	value  []float64
}

// gather makes c the columns of rows of x.
func (c *columns) gather(x *sparse.CSR, rows []int32) {
	for _, j := range c.names {
		c.number[j] = 0
	}
	c.names = c.names[:0]
	for _, i := range rows {
		col, _ := x.Row(int(i))
		for _, j := range col {
			if c.number[j] == 0 {
				c.names = append(c.names, j)
			}
			c.number[j]++
		}
	}
	slices.Sort(c.names)
	d := len(c.names)
	c.ptr = resize(c.ptr, d+2)
	c.ptr[0] = 0
	for k, j := range c.names {
		c.ptr[k+1] = c.ptr[k] + int(c.number[j])
		c.number[j] = int32(k) + 1
	}
	c.ptr[d+1] = c.ptr[d] + len(rows)
	c.row, c.value = resize(c.row, c.ptr[d+1]), resize(c.value, c.ptr[d+1])
	next := append([]int(nil), c.ptr...)
	for p, i := range rows {
		col, val := x.Row(int(i))
		for q, j := range col {
			k := c.number[j] - 1
			at := next[k]
			c.row[at], c.value[at] = int32(p), float64(entry(val, q))
			next[k]++
		}
		c.row[c.ptr[d]+p], c.value[c.ptr[d]+p] = int32(p), 1
	}
}

func (c *columns) column(j int) ([]int32, []float64) {
	lo, hi := c.ptr[j], c.ptr[j+1]
	return c.row[lo:hi], c.value[lo:hi:hi]
}

// separate returns the w of the node and its constant, with weight c of the loss.
func (g *grower) separate(rows []int32, side []float64, c float64) ([]weight, float32, error) {
	g.columns.gather(g.x, rows)
	p := problem{columns: &g.columns, side: side, c: c}
	w, err := p.solve(g.ctx.Err)
	if err != nil {
		return nil, 0, err
	}
	var out []weight
	for k, j := range g.columns.names {
		if v := float32(w[k]); v != 0 {
			out = append(out, weight{j, v})
		}
	}
	return out, float32(w[len(w)-1]), nil
}

// problem is min ‖w‖₁ + C·Σ log(1+exp(−δ_i·w·x̃_i)).
type problem struct {
	*columns
	side []float64 // δ
	c    float64   // C
}

// softplus is log(1+exp(t)).
func softplus(t float64) float64 {
	if t > 0 {
		return t + math.Log1p(math.Exp(-t))
	}
	return math.Log1p(math.Exp(t))
}

// violation is how far the smallest subgradient of ‖w‖₁ + f is from zero in a
// coordinate with derivative g of f.
func violation(w, g float64) float64 {
	switch {
	case w > 0:
		return math.Abs(g + 1)
	case w < 0:
		return math.Abs(g - 1)
	}
	return max(0, g-1, -1-g)
}

// solve stops when the violations have fallen to a hundredth of those at zero.
// stop ends it with an error.
func (p *problem) solve(stop func() error) ([]float64, error) {
	const (
		tol        = 0.01
		steps      = 100 // Newton steps at most
		sweeps     = 50  // of coordinate descent in a step at most
		ridge      = 1e-12
		sufficient = 0.01
	)
	n, d := len(p.side), len(p.ptr)-1
	w, next := make([]float64, d), make([]float64, d)
	grad, hess := make([]float64, d), make([]float64, d)
	margin := make([]float64, n) // δ_i·w·x̃_i
	slope := make([]float64, n)  // −Cδ_i·τ_i, τ = σ(−margin)
	curve := make([]float64, n)  // C·τ_i(1−τ_i)
	move := make([]float64, n)   // (next−w)·x̃_i
	active := make([]int, d)
	first, inner := 0.0, math.Inf(1)
	for step := range steps {
		if err := stop(); err != nil {
			return nil, err
		}
		loss := 0.0
		for i, t := range margin {
			tau := 1 / (1 + math.Exp(t))
			slope[i], curve[i] = -p.c*p.side[i]*tau, p.c*tau*(1-tau)
			loss += p.c * softplus(-t)
		}
		norm, total := 0.0, 0.0
		active = active[:0]
		for j := range d {
			row, value := p.column(j)
			var g, h float64
			for q, i := range row {
				v := value[q]
				g += slope[i] * v
				h += curve[i] * v * v
			}
			grad[j], hess[j] = g, h+ridge
			norm += math.Abs(w[j])
			v := violation(w[j], g)
			total += v
			if w[j] != 0 || v > 0 || math.Abs(g) > 0.9 {
				active = append(active, j)
			}
		}
		if step == 0 {
			first = total
			inner = total
		}
		if total <= tol*first {
			break
		}
		// Minimize the quadratic model over the active columns.
		copy(next, w)
		clear(move)
		for sweep := range sweeps {
			worst := 0.0
			for _, j := range active {
				row, value := p.column(j)
				g := grad[j] + ridge*(next[j]-w[j])
				for q, i := range row {
					g += curve[i] * value[q] * move[i]
				}
				worst += violation(next[j], g)
				h := hess[j]
				var delta float64
				switch {
				case g+1 < h*next[j]:
					delta = -(g + 1) / h
				case g-1 > h*next[j]:
					delta = -(g - 1) / h
				default:
					delta = -next[j]
				}
				if delta == 0 {
					continue
				}
				delta = max(-10, min(10, delta))
				next[j] += delta
				for q, i := range row {
					move[i] += delta * value[q]
				}
			}
			if worst <= inner {
				if sweep == 0 {
					inner /= 4
				}
				break
			}
		}
		// Go as far as the objective falls.
		slopeAlong, newNorm := 0.0, 0.0
		for j := range d {
			slopeAlong += grad[j] * (next[j] - w[j])
			newNorm += math.Abs(next[j])
		}
		decrease := slopeAlong + newNorm - norm
		if !(decrease < 0) {
			break
		}
		size := 1.0
		for ; size > 1e-10; size /= 2 {
			value := 0.0
			for i, t := range margin {
				value += p.c * softplus(-(t + size*p.side[i]*move[i]))
			}
			for j := range d {
				value += math.Abs(w[j] + size*(next[j]-w[j]))
			}
			if value-loss-norm <= sufficient*size*decrease {
				break
			}
		}
		if size <= 1e-10 {
			break
		}
		for j := range d {
			w[j] += size * (next[j] - w[j])
		}
		for i := range margin {
			margin[i] += size * p.side[i] * move[i]
		}
	}
	return w, nil
}

// resize returns a slice of that length, in the room of s if there is enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}
