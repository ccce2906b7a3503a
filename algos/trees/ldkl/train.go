package ldkl

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// layout says where the coefficients of a tree are: those of a node lie in consecutive rows
// of a matrix with d columns, the last of which is for the constant. The children of node i
// are 2i+1 and 2i+2.
type layout struct {
	depth int
	d     int // columns of the data and 1
	k     int // functions
}

// The rows of the coefficients of a node, counted from layout.row of the node.
const (
	decision = iota // θ; not used on the last level
	argument        // v
	function        // the first of k rows w
)

func (l layout) nodes() int       { return 1<<l.depth - 1 }
func (l layout) row(i int) int    { return i * (function + l.k) }
func (l layout) rows() int        { return l.row(l.nodes()) }
func (l layout) inner(i int) bool { return i < l.nodes()/2 }

// training is the state of stages 1 and 2.
type training struct {
	layout
	cfg    Config
	x      gram.Samples[float64]
	y      *mat.Dense
	weight []float64 // nil: ones
	total  float64   // of the weights
	p      *mat.Dense
	g      *mat.Dense // gradient
	mean   *mat.Dense // of the gradients
	square *mat.Dense // mean of their squares
	trace  []float64
	length float64 // root mean square of the lengths of the rows with their 1
	work   work
}

// work is the memory for the gradient of a batch, which all batches share.
type work struct {
	x, z, dz *mat.Dense
	share    []float64 // of a row that reaches each node
	gain     []float64 // derivative of the loss by the share
	delta    []float64 // derivative of the loss by the functions
	tanh     []float64 // of the nodes' arguments
	turn     []float64 // tanh of the decisions
}

// newTraining returns the state before the first step. It draws the coefficients from a normal distribution with standard
// deviation 1/length.
func newTraining(c Config, x gram.Samples[float64], y *mat.Dense, weight []float64) *training {
	n, d := x.Dims()
	_, k := y.Dims()
	t := &training{layout: layout{c.Depth, d + 1, k}, cfg: c, x: x, y: y, weight: weight, total: float64(n)}
	if weight != nil {
		t.total = 0
		for _, v := range weight {
			t.total += v
		}
	}
	var squares float64
	for i := range n {
		squares += t.weightOf(i) * (1 + rows.SumSquares(x, i))
	}
	t.length = math.Sqrt(squares / t.total)
	r := rng.New(rng.Derive(c.Seed, "coefficients"), 0)
	t.p, t.g = mat.NewDense(t.rows(), t.d, nil), mat.NewDense(t.rows(), t.d, nil)
	t.mean, t.square = mat.NewDense(t.rows(), t.d, nil), mat.NewDense(t.rows(), t.d, nil)
	for i := range t.nodes() {
		for j := range function + t.k {
			if j == decision && !t.inner(i) {
				continue
			}
			row := t.p.RawRowView(t.row(i) + j)
			for q := range row {
				row[q] = r.NormFloat64() / t.length
			}
		}
	}
	b := min(c.Batch, n)
	t.work = work{
		x: mat.NewDense(b, t.d, nil), z: mat.NewDense(b, t.rows(), nil), dz: mat.NewDense(b, t.rows(), nil),
		share: make([]float64, t.nodes()), gain: make([]float64, t.nodes()), delta: make([]float64, k),
		tanh: make([]float64, t.nodes()), turn: make([]float64, t.nodes()),
	}
	return t
}

func (t *training) weightOf(i int) float64 {
	if t.weight == nil {
		return 1
	}
	return t.weight[i]
}

// descend takes the steps of stages 1 and 2.
func (t *training) descend(ctx context.Context) error {
	n := t.x.N()
	r := rng.New(rng.Derive(t.cfg.Seed, "batches"), 0)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	meter := t.cfg.Meter()
	batch := t.work.x.RawMatrix().Rows
	perPass := (n + batch - 1) / batch
	steps := perPass * t.cfg.Passes
	soft := (2*steps + 2) / 3 // steps of stage 1
	for step := 0; step < steps; {
		r.Shuffle(n, func(a, b int) { order[a], order[b] = order[b], order[a] })
		var sum float64
		for lo := 0; lo < n; lo += batch {
			if err := ctx.Err(); err != nil {
				return err
			}
			sharpness := math.Inf(1)
			if step < soft {
				// From Soft to 100·Soft.
				sharpness = t.cfg.Soft * math.Pow(100, float64(step)/float64(soft))
			}
			sum += t.gradient(order[lo:min(lo+batch, n)], sharpness)
			step++
			// The steps become shorter like a cosine.
			t.step(step, .5*(1+math.Cos(math.Pi*float64(step-1)/float64(steps))))
		}
		t.trace = append(t.trace, sum/float64(perPass))
		meter.Report(gram.Event{Phase: "gradient steps", Done: int64(step), Total: int64(steps), Objective: sum / float64(perPass)})
	}
	return nil
}

// gradient returns the objective, with the loss of a batch in place of that of all rows, and sets
// g to its gradient divided by C·Σw. The loss of the batch is scaled to the number of all rows.
func (t *training) gradient(batch []int, sharpness float64) float64 {
	b, l, w := len(batch), t.layout, &t.work
	x, z, dz := w.x.Slice(0, b, 0, t.d).(*mat.Dense), w.z.Slice(0, b, 0, t.rows()).(*mat.Dense), w.dz.Slice(0, b, 0, t.rows()).(*mat.Dense)
	for i, row := range batch {
		to := x.RawRowView(i)
		t.x.CopyRow(to[:t.d-1], row)
		to[t.d-1] = 1
	}
	z.Mul(x, t.p.T())
	inner := l.nodes() / 2
	mean := t.total / float64(t.x.N()) // of the weights
	var loss float64
	for i, row := range batch {
		z, dz, y := z.RawRowView(i), dz.RawRowView(i), t.y.RawRowView(row)
		clear(dz)
		w.share[0] = 1
		for k := range inner {
			switch v := z[l.row(k)+decision]; {
			case !math.IsInf(sharpness, 1):
				w.turn[k] = math.Tanh(sharpness * v)
			case v > 0:
				w.turn[k] = 1
			default: // as a prediction does at 0
				w.turn[k] = -1
			}
			w.share[2*k+1] = w.share[k] * (1 - w.turn[k]) / 2
			w.share[2*k+2] = w.share[k] * (1 + w.turn[k]) / 2
		}
		for f := range w.delta {
			w.delta[f] = 0
		}
		for k, share := range w.share {
			if share == 0 {
				continue
			}
			w.tanh[k] = math.Tanh(t.cfg.Sigma * z[l.row(k)+argument])
			for f := range w.delta {
				w.delta[f] += share * w.tanh[k] * z[l.row(k)+function+f]
			}
		}
		relative := t.weightOf(row) / (mean * float64(b))
		for f, value := range w.delta { // from here on the derivatives
			margin := 1 - y[f]*value
			w.delta[f] = 0
			if margin > 0 {
				loss += relative * margin
				w.delta[f] = -relative * y[f]
			}
		}
		for k := l.nodes() - 1; k >= 0; k-- {
			w.gain[k] = 0
			if share := w.share[k]; share > 0 {
				var sum float64
				for f, v := range w.delta {
					sum += v * z[l.row(k)+function+f]
					dz[l.row(k)+function+f] = share * w.tanh[k] * v
				}
				dz[l.row(k)+argument] = share * sum * t.cfg.Sigma * (1 - w.tanh[k]*w.tanh[k])
				w.gain[k] = w.tanh[k] * sum
			}
			if k >= inner {
				continue
			}
			left, right, turn := w.gain[2*k+1], w.gain[2*k+2], w.turn[k]
			w.gain[k] += (1-turn)/2*left + (1+turn)/2*right
			if !math.IsInf(sharpness, 1) {
				dz[l.row(k)+decision] = w.share[k] * (right - left) / 2 * sharpness * (1 - turn*turn)
			}
		}
	}
	t.g.Mul(dz.T(), x)
	// ½λ‖·‖² with the λ for a loss that is a mean.
	lambda := 1 / (t.cfg.C * t.total)
	var norm float64
	for r := range t.rows() {
		factor := lambda
		if r%(function+t.k) < function {
			factor *= t.cfg.Ridge.Value()
		}
		g := t.g.RawRowView(r)
		for j, v := range t.p.RawRowView(r) {
			g[j] += factor * v
			norm += factor * v * v / 2
		}
	}
	return (loss + norm) / lambda
}

// step changes the coefficients by the share of the first step size, as [KB15] does.
func (t *training) step(number int, share float64) {
	const decay1, decay2, tiny = .9, .999, 1e-12
	one, two := 1-math.Pow(decay1, float64(number)), 1-math.Pow(decay2, float64(number))
	// A step changes all columns by about the same: a product with a row of typical length
	// by at most size·√d·length.
	size := share * t.cfg.Step / (t.length * math.Sqrt(float64(t.d)))
	p, g := t.p.RawMatrix().Data, t.g.RawMatrix().Data
	mean, square := t.mean.RawMatrix().Data, t.square.RawMatrix().Data
	for i, v := range g {
		mean[i] = decay1*mean[i] + (1-decay1)*v
		square[i] = decay2*square[i] + (1-decay2)*v*v
		p[i] -= size * mean[i] / one / (math.Sqrt(square[i]/two) + tiny)
	}
}
