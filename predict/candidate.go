package predict

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Machine is a kernel machine, f(x) = Σ_j coef_j·k(u_j,x) + b with m points u_j and
// k outputs.
type Machine struct {
	Kernel kernel.Kernel
	Points *mat.Dense // m×d
	Coef   *mat.Dense // m×k
	Bias   []float64
}

// Dims returns the number of columns and of outputs.
func (m Machine) Dims() (d, outputs int) {
	_, d = m.Points.Dims()
	return d, len(m.Bias)
}

// Size returns the number of points, such as landmarks or support vectors, of the machine.
func (m Machine) Size() int { n, _ := m.Points.Dims(); return n }

// Problem is the input of a candidate: the machine, rows with its outputs to fit to, and other rows by
// which settings are chosen.
type Problem struct {
	Machine
	X, Held   gram.Samples[float64]
	Y, HeldY  *mat.Dense
	Precision Precision // precision of the program
	gram.Run            // its Seed is derived for the candidate
}

// Candidate is a way to approximate kernel machines by a linear function of cheaper features. Package
// predict/approx has those of this module.
type Candidate struct {
	Method Method // its name
	Usual  int    // size without a budget
	// Unit returns the number of which sizes must be multiples, for d columns; nil: 1.
	Unit func(d int) int
	// Plan returns the cost of a row for a size ≥ 1, which must increase with the size. ok is
	// false if the machine cannot be approximated in this way.
	Plan func(m Machine, size int) (p gram.Plan, ok bool)
	// Fit returns the function that approximates the machine, and the weight of the penalty,
	// per row, with which it was fitted.
	Fit func(ctx context.Context, p Problem, size int) (f basis.Function, penalty float64, err error)
}

// maxSize is the largest size of an approximation.
const maxSize = 1 << 24

// unit returns the number of which sizes for a machine must be multiples.
func (c Candidate) unit(m Machine) int {
	if c.Unit == nil {
		return 1
	}
	d, _ := m.Dims()
	return c.Unit(d)
}

// most returns the largest size with at most the given flops for a row, or 0 if there is none.
func (c Candidate) most(m Machine, flops float64) int {
	unit := c.unit(m)
	return unit * sort.Search(maxSize/unit, func(i int) bool {
		p, ok := c.Plan(m, unit*(i+1))
		return !ok || p.Flops > flops
	})
}

// applies reports whether the candidate can approximate a machine.
func (c Candidate) applies(m Machine) bool {
	_, ok := c.Plan(m, c.unit(m))
	return ok
}

// find returns the candidate of that method, or an error that lists the methods there are.
func find(m Method, candidates []Candidate) (Candidate, error) {
	names := []string{string(Auto), string(Exact)}
	for _, c := range candidates {
		if c.Method == m {
			return c, nil
		}
		names = append(names, string(c.Method))
	}
	return Candidate{}, settings.Refuse("Method", m, "one of %s", strings.Join(names, ", "))
}

// Methods returns the candidates that can approximate a model; there are none if only its exact program
// is possible. A model that has no program gives the error that Compile would return.
func Methods(model any, candidates []Candidate) ([]Method, error) {
	t, err := targetOf(model, Float64)
	if err != nil {
		return nil, err
	}
	m, ok := t.machine()
	if !ok {
		return nil, nil
	}
	var out []Method
	for _, c := range candidates {
		if c.applies(m) {
			out = append(out, c.Method)
		}
	}
	return out, nil
}

const (
	pointLimit = 20_000  // largest number of rows to which approximations are fitted
	leastHeld  = 20      // least number of rows for an approximation, since fewer are not informative
	autoSize   = 1 << 12 // largest size that is chosen because the budget allows it
)

// compiler is the state of one call of Compile that approximates.
type compiler struct {
	o       Options
	t       *target
	problem Problem
}

// prepare splits the rows and computes the model's outputs.
func (c *compiler) prepare(ctx context.Context) error {
	x := gram.Of(c.problem.Points)
	if c.o.Points != nil {
		x = gram.Of(c.o.Points)
	}
	n := x.N()
	if n < 5*leastHeld {
		have := "the machine has"
		if c.o.Points != nil {
			have = "there are"
		}
		return settings.Refuse("Points", fmt.Sprintf("%s %d rows", have, n), "%d at least for an approximation", 5*leastHeld)
	}
	pick := rng.New(rng.Derive(c.o.Seed, "points"), 0).Perm(n)[:min(n, pointLimit)]
	cut := len(pick) / 5
	p := &c.problem
	p.Held, p.X = x.Select(pick[:cut]), x.Select(pick[cut:])
	program, err := c.t.program.wide()
	if err != nil {
		return err
	}
	if p.HeldY, err = evaluate(ctx, c.o.Workers, program, p.Held); err != nil {
		return err
	}
	p.Y, err = evaluate(ctx, c.o.Workers, program, p.X)
	return err
}

// approximate returns the function that approximates the machine: that of the requested method or, with
// Auto, the one with the smallest error.
func (c *compiler) approximate(ctx context.Context) (*target, Options, Stats, error) {
	var best *target
	var chosen Options
	var figures Stats
	for _, candidate := range c.o.Candidates {
		o := c.o
		switch o.Method {
		case candidate.Method:
		case Auto:
			if o.M = min(autoSize, candidate.most(c.problem.Machine, c.o.limit(c.problem.Machine))); o.M == 0 {
				continue
			}
			o.Method = candidate.Method
		default:
			continue
		}
		p := c.problem
		p.Run = c.o.Run
		p.Seed = rng.Derive(c.o.Seed, string(o.Method))
		f, penalty, err := candidate.Fit(ctx, p, o.M)
		if err != nil {
			return nil, o, Stats{}, err
		}
		f = f.Folded()
		t := &target{function: &f, program: newPrograms(f), names: c.t.names, pairs: c.t.pairs, d: c.t.d, outputs: c.t.outputs}
		stats, err := c.figures(ctx, t)
		if err != nil {
			return nil, o, stats, err
		}
		stats.Penalty = penalty
		if best == nil || stats.Error < figures.Error {
			best, chosen, figures = t, o, stats
		}
	}
	if best == nil {
		return nil, chosen, figures, errors.New("predict: no candidate approximates the model")
	}
	return best, chosen, figures, nil
}

// limit returns the number of flops for a row that the budget allows.
func (o Options) limit(m Machine) float64 {
	if o.Budget == 0 {
		return math.Inf(1)
	}
	return o.Budget * basis.LinearFlops(m.Dims())
}

// figures compares the approximation with the model on the held-out rows.
func (c *compiler) figures(ctx context.Context, t *target) (Stats, error) {
	program, err := t.program.wide()
	if err != nil {
		return Stats{}, err
	}
	got, err := evaluate(ctx, c.o.Workers, program, c.problem.Held)
	if err != nil {
		return Stats{}, err
	}
	want := c.problem.HeldY
	n, k := want.Dims()
	s := Stats{Rows: c.problem.X.N(), Held: n, Agreement: 1}
	var total, off float64
	for t := range k {
		var mean float64
		for i := range n {
			mean += want.At(i, t) / float64(n)
		}
		for i := range n {
			v, e := want.At(i, t)-mean, want.At(i, t)-got.At(i, t)
			total += v * v
			off += e * e
		}
	}
	if off > 0 {
		s.Error = math.Sqrt(off / total)
	}
	if c.t.names == nil {
		return s, nil
	}
	equal, votes := 0, space(c.t.names, c.t.pairs)
	for i := range n {
		if classOf(got.RawRowView(i), votes) == classOf(want.RawRowView(i), votes) {
			equal++
		}
	}
	s.Agreement = float64(equal) / float64(n)
	return s, nil
}
