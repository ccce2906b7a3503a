package bka

import (
	"context"
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Config holds the settings of the block approximation of a kernel matrix, by k-means clusters
// or by a given partition.
type Config struct {
	Kernel    kernel.Kernel `json:"-"` // no default
	Partition               // k-means
	gram.Run  `json:"-"`
}

// Settings gives the name, default, range and help of every setting, from which fits, flags and the reference page
// follow.
func (c *Config) Settings(s *settings.Fields) {
	kernel.Setting(s, &c.Kernel)
	s.Embedded(&c.Partition)
}

// Plan returns the expected cost of Fit for data of shape s.
func (c Config) Plan(s gram.Shape) (gram.Plan, error) {
	c, err := settings.Resolved(c, s)
	if err != nil {
		return gram.Plan{}, err
	}
	p, err := c.plan(s, c.Run)
	if err != nil {
		return gram.Plan{}, err
	}
	blocks := 16*int64(s.N)*int64(s.D) + 24*int64(s.N)
	p.PeakBytes = max(p.PeakBytes, blocks)
	p.ModelBytes = blocks
	p.Description = fmt.Sprintf("diagonal blocks of %d clusters; %s", c.Clusters, p.Description)
	return p, nil
}

// Fit divides the rows of x. The result holds copies of them.
func (c Config) Fit(ctx context.Context, x mat.Matrix) (*Approximation, error) {
	n, d := check.Dims(x)
	c, err := settings.Resolved(c, gram.Shape{N: n, D: d})
	if err != nil {
		return nil, err
	}
	s, err := c.Run.Samples(c, x, 0)
	if err != nil {
		return nil, err
	}
	run := c.Run
	run.Seed = rng.Derive(c.Seed, "partition")
	label, parts, _, err := c.divide(ctx, s, run)
	if err != nil {
		return nil, err
	}
	return newApproximation(c.Kernel, s, rows.Groups(label, parts), c.Workers), nil
}

// Approximation is a kernel matrix in which the entries of rows of different parts are 0.
// Entries are computed when they are needed. It is safe for concurrent use.
type Approximation struct {
	n      int
	parts  []part
	part   []int // the part of every row
	place  []int // the index of every row in its part
	kernel kernel.Kernel
}

type part struct {
	index []int
	x     gram.Samples[float64]
	block *kernel.Block[float64]
}

var (
	_ gram.Operator       = (*Approximation)(nil)
	_ solve.Approximation = (*Approximation)(nil)
)

// Of returns the approximation for a given partition: row i of x belongs to part label[i] ≥ 0.
// It holds copies of the rows.
func Of(k kernel.Kernel, x mat.Matrix, label []int) *Approximation {
	n, _ := x.Dims()
	if len(label) != n {
		panic("bka: there are not as many labels as rows")
	}
	if n > 0 && slices.Min(label) < 0 {
		panic("bka: negative label")
	}
	parts := 0
	if n > 0 {
		parts = slices.Max(label) + 1
	}
	return newApproximation(k, gram.Of(x), rows.Groups(label, parts), 0)
}

func newApproximation(k kernel.Kernel, x gram.Samples[float64], index [][]int, workers int) *Approximation {
	n := x.N()
	a := &Approximation{n: n, kernel: k, part: make([]int, n), place: make([]int, n)}
	for _, list := range index {
		if len(list) == 0 {
			continue
		}
		for j, i := range list {
			a.part[i], a.place[i] = len(a.parts), j
		}
		p := part{index: list, x: x.Select(list)}
		p.block = kernel.Against[float64](k, p.x).Limit(workers)
		a.parts = append(a.parts, p)
	}
	return a
}

// Dim returns the number of rows n.
func (a *Approximation) Dim() int { return a.n }

// Sizes returns the number of rows of every part that is not empty.
func (a *Approximation) Sizes() []int {
	var s []int
	for _, p := range a.parts {
		s = append(s, len(p.index))
	}
	return s
}

// Entries returns the number Σ|V_s|² of entries in the blocks.
func (a *Approximation) Entries() int64 {
	var sum int64
	for _, p := range a.parts {
		sum += int64(len(p.index)) * int64(len(p.index))
	}
	return sum
}

// Apply sets dst = G̃·x, both n×s. It computes every block once and stores none.
func (a *Approximation) Apply(dst, x *mat.Dense) {
	n, s := x.Dims()
	if dn, ds := dst.Dims(); dn != a.n || n != a.n || ds != s {
		panic("bka: the shapes of the product do not fit")
	}
	for _, p := range a.parts {
		v := gram.View(rows.Dense(gram.Of(x), p.index))
		out := gram.MakeRows[float64](len(p.index), s)
		p.block.Mul(out, p.x, v)
		for j, i := range p.index {
			dst.SetRow(i, out.Row(j))
		}
	}
}

// Rows sets dst, len(index)×n, to the rows of G̃ with the given indices.
func (a *Approximation) Rows(dst *mat.Dense, index []int) {
	if r, c := dst.Dims(); r != len(index) || c != a.n {
		panic("bka: the destination has the wrong shape")
	}
	dst.Zero()
	for c, p := range a.parts {
		var ask, to []int
		for k, i := range index {
			if a.part[i] == c {
				ask, to = append(ask, a.place[i]), append(to, k)
			}
		}
		if len(ask) == 0 {
			continue
		}
		g := mat.NewDense(len(ask), len(p.index), nil)
		p.block.Fill(gram.View(g), p.x.Select(ask))
		for k, r := range to {
			row := dst.RawRowView(r)
			for j, v := range g.RawRowView(k) {
				row[p.index[j]] = v
			}
		}
	}
}
