package rfm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Pieces is a fit whose work is cut into pieces, which any processes may make that have the same rows, in any order and as often as they like. Divide
// makes what all leaves share: the metric, width and λ that are chosen on a sample, and the tree. SetDivision takes it. Train fits a
// leaf. Join makes the model of all, which has the bytes of that of FitAll, and chooses Soft by the predictions of all leaves.
//
// If the rows are not divided, Train fits them all in one piece, and Divide does nothing. Pieces are safe for concurrent use once SetDivision has returned.
type Pieces struct {
	c        Config
	x        gram.Samples[float64]
	y        *mat.Dense
	w        []float64
	split    crossval.Split
	layout   *layout
	division *Division
	copied   int64     // bytes of what is held beside the rows
	spaces   sync.Pool // *mat.Dense: distances of the rows of a leaf
}

// Pieces returns the fit of FitAll, cut into pieces. It keeps x, y and w, which must not change. It returns the errors of FitAll
// for settings and data.
func (c Config) Pieces(x mat.Matrix, y *mat.Dense, w []float64) (*Pieces, error) {
	c.MemoryLimit = 0 // each piece checks it
	c, s, targets, weights, err := c.checked(x, y, w)
	if err != nil {
		return nil, err
	}
	p := &Pieces{c: c, x: s, y: targets, w: weights}
	if c.divides(s.N()) {
		if p, err = c.pieces(s, targets, weights); err != nil {
			return nil, err
		}
	}
	n, outputs := targets.Dims()
	p.copied = gram.ShapeOf(x, outputs).Copied + 8*int64(n)*int64(outputs)
	if targets != y { // rows without a weight are left out
		p.copied += 8*int64(n) + copyOf(s)
	}
	return p, nil
}

// copyOf returns the bytes of a copy of the rows.
func copyOf(s gram.Samples[float64]) int64 {
	n, d := s.Dims()
	if a := s.CSR(); a != nil {
		return 12*int64(a.NNZ()) + 8*int64(n)
	}
	return 8 * int64(n) * int64(d)
}

// PiecesClasses is Pieces for the fit of FitClasses, whose classifier is krr.NewClassifier of the model that Join returns.
func (c Config) PiecesClasses(x mat.Matrix, y gram.Labels, w []float64) (*Pieces, error) {
	n, _ := check.Dims(x)
	if err := check.Rows(n); err != nil {
		return nil, err
	}
	if err := check.Labeled(y, w, n); err != nil {
		return nil, err
	}
	return c.Pieces(x, multiclass.Signs(y.Class, len(y.Names)), w)
}

// pieces returns the fit of a tree to the rows, with settings that are resolved.
func (c Config) pieces(s gram.Samples[float64], y *mat.Dense, w []float64) (*Pieces, error) {
	p := &Pieces{c: c, x: s, y: y, w: w, split: c.split(s.N())}
	if len(p.split.Train) == 0 {
		return nil, errors.New("rfm: all rows are held out")
	}
	if c.Given.Groups != nil {
		p.layout = c.layout(rows.Dense(s, p.sample()))
	}
	return p, nil
}

// sample returns the rows that the choice of metric, width and λ fits.
func (p *Pieces) sample() []int {
	return sampleOf(p.split.Train, maxSearchRows, rng.Derive(p.c.Seed, "searched"))
}

// part returns copies of these rows, in the layout l, with their targets and weights.
func (p *Pieces) part(l *layout, index []int, run gram.Run) *part {
	return l.part(rows.Dense(p.x, index), rows.Dense(gram.Of(p.y), index), rows.Pick(p.w, index), run.Workers, run.Meter())
}

// held returns the held-out rows, nil without any, their targets and weights.
func (p *Pieces) held(run gram.Run) (x, y *mat.Dense, w []float64) {
	if len(p.split.Held) == 0 {
		return nil, nil, nil
	}
	h := p.part(nil, p.split.Held, run)
	return h.x, h.y, h.w
}

// running returns the run of the fit with the workers and the progress of run.
func (p *Pieces) running(run gram.Run) gram.Run {
	out := p.c.Run
	out.Workers, out.Progress = run.Workers, run.Progress
	return out
}

// Divide makes what all leaves share. It returns ctx.Err(), a *gram.MemoryError if run.MemoryLimit is too low, or a
// *gram.NotPDError as Fit does.
func (p *Pieces) Divide(ctx context.Context, run gram.Run) (*Division, error) {
	if err := run.Check(p.PlanDivide(run)); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p.whole() {
		return &Division{}, nil
	}
	c := p.c
	c.Run = p.running(run)
	return p.divide(ctx, c)
}

// whole reports whether all rows are one piece.
func (p *Pieces) whole() bool { return !p.c.divides(p.x.N()) }

// SetDivision takes what Divide has made. The error is a *gram.ConfigError for a division of other rows.
func (p *Pieces) SetDivision(d *Division) error {
	if p.whole() != (d.parts == nil) || !p.whole() && !d.fits(p) {
		return settings.Refuse("division", fmt.Sprintf("%d leaves", len(d.parts)), "one of these rows")
	}
	p.division = d
	return nil
}

// Number is the number of leaves of the division, 0 before SetDivision.
func (p *Pieces) Number() int {
	switch {
	case p.division == nil:
		return 0
	case p.whole():
		return 1
	}
	return len(p.division.parts)
}

// Train fits leaf k. It returns ctx.Err(), a *gram.MemoryError if run.MemoryLimit is too low, a *gram.ConfigError if there is no
// such leaf, or a *gram.NotPDError as Fit does.
func (p *Pieces) Train(ctx context.Context, k int, run gram.Run) (*Leaf, error) {
	if k < 0 || k >= p.Number() {
		return nil, settings.Refuse("k", k, "one of the %d leaves of a division", p.Number())
	}
	if err := run.Check(p.PlanTrain(run)); err != nil {
		return nil, err
	}
	var m *Model
	var err error
	if p.whole() {
		c := p.c
		c.Run = p.running(run)
		m, err = c.fit(ctx, p.x, p.y, p.w)
	} else {
		m, err = p.leaf(ctx, k, p.running(run))
	}
	if err != nil {
		return nil, err
	}
	return &Leaf{m}, nil
}

// Join makes the model of all leaves, which it takes over. It calls leaf once for each, in their order, and returns the error of
// leaf, ctx.Err(), a *gram.MemoryError if run.MemoryLimit is too low, or a *gram.ConfigError if a leaf has other rows or
// SetDivision has not been called. Stats of the model lack what is not in files.
func (p *Pieces) Join(ctx context.Context, leaf func(k int) (*Leaf, error), run gram.Run) (*Model, error) {
	if p.division == nil {
		return nil, settings.Refuse("division", "not given", "that of Divide")
	}
	if err := run.Check(p.PlanJoin(run)); err != nil {
		return nil, err
	}
	leaves := make([]*Model, p.Number())
	of := p.shape()
	for k := range leaves {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l, err := leaf(k)
		if err != nil {
			return nil, err
		}
		if d, t := l.model.Dims(); l.model.tree != nil || d != of.D || t != of.Outputs {
			return nil, settings.Refuse("leaves", fmt.Sprintf("leaf %d of %d columns and %d functions", k, d, t), "%d columns and %d functions", of.D, of.Outputs)
		}
		leaves[k] = l.model
		leaves[k].cfg.Run = p.running(run)
	}
	if p.whole() {
		return leaves[0], nil
	}
	return p.join(ctx, leaves, p.running(run))
}

// shape returns the numbers of rows, columns and outputs of the training rows.
func (p *Pieces) shape() gram.Shape {
	n, d := p.x.Dims()
	_, outputs := p.y.Dims()
	return gram.Shape{N: n, D: d, Outputs: outputs}
}

// PlanDivide returns the bytes that Divide needs beside the rows.
func (p *Pieces) PlanDivide(run gram.Run) gram.Plan {
	out := gram.Plan{Description: "what the leaves share", PeakBytes: p.copied}
	if !p.whole() {
		s := p.shape()
		k := p.c.costs(s)
		places := 6 * float64(s.N) * (1 + 2*p.c.Overlap.Value())
		out.PeakBytes += k.peak(float64(min(len(p.split.Train), max(maxSearchRows, nodeRows))), run.NumWorkers(), places+float64(len(p.split.Held))*(k.d+2*k.t))
	}
	return out
}

// space returns memory for the distances of any leaf.
func (p *Pieces) space() *mat.Dense {
	if have, is := p.spaces.Get().(*mat.Dense); is {
		return have
	}
	n := p.largest()
	return mat.NewDense(n, n, nil)
}

// largest is the number of rows of the largest leaf.
func (p *Pieces) largest() int {
	if p.whole() || p.division == nil {
		return min(p.x.N(), p.c.Leaf.Value())
	}
	most := 0
	for _, index := range p.division.parts {
		most = max(most, len(index))
	}
	return most
}

// PlanTrain returns the bytes that Train needs for any leaf beside the rows.
func (p *Pieces) PlanTrain(run gram.Run) gram.Plan {
	return gram.Plan{Description: "a leaf", PeakBytes: p.copied + p.c.costs(p.shape()).peak(float64(p.largest()), run.NumWorkers(), 0)}
}

// PlanJoin returns the bytes that Join needs beside the rows, with the model.
func (p *Pieces) PlanJoin(run gram.Run) gram.Plan {
	k := p.c.costs(p.shape())
	held, leaves := float64(len(p.split.Held)), float64(p.Number())
	numbers := leaves*(held*k.t+2*k.own*k.own+k.levels) + held*(k.d+2*k.t+leaves)
	n := p.x.N()
	if !p.whole() && p.division != nil {
		n = 0
		for _, index := range p.division.parts {
			n += len(index)
		}
	}
	numbers += float64(n) * 2 * (k.columns + k.t)
	return gram.Plan{Description: "the model", PeakBytes: p.copied + check.Bytes(8*numbers)}
}

// Division is what the leaves of a tree share, and the rows of each; see Pieces.Divide.
type Division struct {
	cfg   Config // with what was chosen
	at    mapping
	tree  *tree   // nil: there is one leaf
	parts [][]int // rows of each leaf; nil: the rows are not divided
	stats Stats
}

// Exchange describes the division in a file, without the rounds of its statistics.
func (d *Division) Exchange(x *modelfile.Exchange) {
	head := struct {
		Config              Config
		Chosen, Held, Tried int
	}{d.cfg, d.stats.Chosen, d.stats.Held, d.stats.Tried}
	x.Header("rfm.division", 1, &head)
	if !x.OptionalPart("leaves", d.parts != nil) {
		return
	}
	d.cfg = head.Config
	x.Require(d.cfg.Metric >= Full && d.cfg.Metric <= Manhattan && d.cfg.Length.Value() > 0, "", "the settings are not of a fit")
	if x.OptionalPart("tree", d.tree != nil) {
		if d.tree == nil {
			d.tree = new(tree)
		}
		x.Part("tree", d.tree.form)
	}
	x.Part("metric", func(x *modelfile.Exchange) { d.at.form(x, d.cfg.Metric) })
	x.Part("leaves", d.places)
	if x.Reading() {
		d.stats = Stats{Chosen: head.Chosen, Held: head.Held, Tried: head.Tried}
	}
}

// places describes the rows of the leaves in a file.
func (d *Division) places(x *modelfile.Exchange) {
	ends, all := []int32{0}, []int(nil)
	for _, index := range d.parts {
		all = append(all, index...)
		ends = append(ends, int32(len(all)))
	}
	n := x.Offsets("ends", &ends, -1)
	x.Ints("rows", &all, n, 0, math.MaxInt32)
	if !x.Reading() {
		return
	}
	x.Require(len(ends) > 1, "ends", "there are no leaves")
	for k := 1; k < len(ends); k++ {
		x.Require(ends[k-1] < ends[k], "ends", "leaf %d has no rows", k-1)
		d.parts = append(d.parts, all[ends[k-1]:ends[k]])
	}
}

// form lists what a file holds of the mapping. Writing and reading a file go through these same statements.
func (m *mapping) form(x *modelfile.Exchange, metric Metric) {
	m.metric = metric
	if x.Optional("root", m.root != nil) {
		x.Dense("root", &m.root, -1, -1)
	} else if x.Optional("scale", len(m.scale) > 0) {
		x.Float64("scale", &m.scale, -1)
	}
	for g := 0; x.OptionalPart(fmt.Sprint("category", g), g < len(m.levels)); g++ {
		if x.Reading() {
			m.levels = append(m.levels, square{})
		}
		x.Part(fmt.Sprint("category", g), func(x *modelfile.Exchange) { m.levels[g].form(x, -1) })
	}
}

// fits reports whether the division can be of the rows of p.
func (d *Division) fits(p *Pieces) bool {
	n, columns := p.x.Dims()
	leaves, numbers := 1, columns
	if d.tree != nil {
		leaves = d.tree.leaves()
		if _, width := d.tree.directions.Dims(); width != columns {
			return false
		}
	}
	for _, index := range d.parts {
		for _, i := range index {
			if i >= n {
				return false
			}
		}
	}
	categories := p.layout.coded()
	if len(categories) != len(d.at.levels) {
		return false
	}
	for g, s := range categories {
		if d.at.levels[g].size() != len(s.columns) {
			return false
		}
		numbers -= len(s.columns)
	}
	width := len(d.at.scale)
	if d.at.root != nil {
		width, _ = d.at.root.Dims()
	}
	return len(d.parts) == leaves && width == numbers && (d.at.root != nil) == (d.at.metric == Full && numbers > 0)
}

// Leaf is the fit of a leaf; see Pieces.Train.
type Leaf struct{ model *Model }

// Exchange describes the fit in a file, as a model.
func (l *Leaf) Exchange(x *modelfile.Exchange) {
	x.Header("rfm.leaf", 1, &struct{}{})
	modelfile.Part(x, "model", &l.model, Decode)
}
