package predict

import (
	"context"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
	"gonum.org/v1/gonum/mat"
)

// core is what compiled models have in common.
type core struct {
	form   *form // rounded to float32 if that is the precision
	o      Options
	stats  Stats
	double func() Program[float64]
	single func() Program[float32]
}

func newCore(f *form, o Options, s Stats) *core {
	o.Points, o.Run = nil, gram.Run{Workers: o.Workers}
	return &core{form: f, o: o, stats: s,
		double: sync.OnceValue(func() Program[float64] { return newProgram[float64](f) }),
		single: sync.OnceValue(func() Program[float32] { return newProgram[float32](f) })}
}

func (c *core) compiled() *core { return c }

// Dim is the number of columns.
func (c *core) Dim() int {
	d, _ := c.form.dims()
	return d
}

// Float64 returns the program in float64.
func (c *core) Float64() Program[float64] { return c.double() }

// Float32 returns the program in float32.
func (c *core) Float32() Program[float32] { return c.single() }

// Options returns the settings with all defaults filled in.
func (c *core) Options() Options { return c.o }

// Stats says how the compilation went.
func (c *core) Stats() Stats { return c.stats }

// Cost is that of a row in the model's own precision.
func (c *core) Cost() gram.Plan {
	if c.o.Precision == Float32 {
		return c.single().Cost()
	}
	return c.double().Cost()
}

// Multiple is the cost of a row in the flops of a linear model with as many
// outputs.
func (c *core) Multiple() float64 { return c.form.flops() / linearFlops(c.form.dims()) }

func (c *core) bytes() int {
	if c.o.Precision == Float32 {
		return 4
	}
	return 8
}

// scores are the outputs in the model's own precision.
func (c *core) scores(ctx context.Context, x mat.Matrix) (*mat.Dense, error) {
	if c.o.Precision == Float32 {
		return evaluate(ctx, c.o.Workers, c.single(), x)
	}
	return evaluate(ctx, c.o.Workers, c.double(), x)
}

// blockRows is the number of rows that one goroutine takes at a time.
const blockRows = 240

// evaluate returns the outputs of p for all rows of x.
func evaluate[F gram.Float](ctx context.Context, workers int, p Program[F], x mat.Matrix) (*mat.Dense, error) {
	n, _ := x.Dims()
	_, k := p.Dims()
	if n == 0 {
		return &mat.Dense{}, ctx.Err()
	}
	all := gram.Of(x)
	out := mat.NewDense(n, k, nil)
	err := par.For(ctx, workers, n, blockRows, func(lo, hi int) {
		block, part := all.Slice(lo, hi), gram.View(out).Slice(lo, hi)
		if p, ok := any(p).(Program[float64]); ok {
			p.Rows(part, block)
			return
		}
		to := gram.MakeRows[F](hi-lo, k)
		p.Rows(to, gram.As[F](block, nil))
		for i := range hi - lo {
			row := part.Row(i)
			for c, v := range to.Row(i) {
				row[c] = float64(v)
			}
		}
	})
	return out, err
}

const (
	panicColumns = "predict: x has the wrong number of columns"
	panicDst     = "predict: the destination has the wrong shape"
)

// all is scores for a destination that may be nil.
func (c *core) all(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	wd, k := c.form.dims()
	if d != wd {
		panic(panicColumns)
	}
	if dst != nil {
		if dn, dk := dst.Dims(); dn != n || n > 0 && dk != k {
			panic(panicDst)
		}
	}
	s, err := c.scores(context.Background(), x)
	if err != nil {
		panic(err) // the background context is never done
	}
	if dst == nil {
		return s
	}
	if n > 0 {
		dst.Copy(s)
	}
	return dst
}

// Classifier is a compiled classifier. It is safe for concurrent use.
type Classifier struct {
	*core
	names []string
	pairs bool
}

var _ gram.Classifier = (*Classifier)(nil)

// Classes returns the names of the classes.
func (m *Classifier) Classes() []string { return m.names }

// Pairs reports whether there is a function for each pair of classes.
func (m *Classifier) Pairs() bool { return m.pairs }

// Scores returns n×1 outputs for two classes, positive for class 1, else
// n×classes: the outputs, or the votes of the pairs.
func (m *Classifier) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	if !m.pairs {
		return m.all(dst, x)
	}
	n, _ := x.Dims()
	if dst != nil {
		if dn, dk := dst.Dims(); dn != n || n > 0 && dk != len(m.names) {
			panic(panicDst)
		}
	}
	values := m.all(nil, x)
	if n == 0 {
		return values
	}
	if dst == nil {
		dst = mat.NewDense(n, len(m.names), nil)
	}
	for i := range n {
		gram.Vote(dst.RawRowView(i), values.RawRowView(i))
	}
	return dst
}

// Predict returns the class with the largest score for every row, the lower one
// of equals, and −1 for a row whose scores are NaN.
func (m *Classifier) Predict(dst []int, x mat.Matrix) []int {
	n, _ := x.Dims()
	if dst == nil {
		dst = make([]int, n)
	}
	if len(dst) != n {
		panic(panicDst)
	}
	if n == 0 {
		return dst
	}
	s := m.all(nil, x)
	votes := space(m.names, m.pairs)
	for i := range dst {
		dst[i] = classOf(s.RawRowView(i), votes)
	}
	return dst
}

// space is what classOf needs.
func space(names []string, pairs bool) []float64 {
	if !pairs {
		return nil
	}
	return make([]float64, len(names))
}

// classOf is the class of a row's outputs; votes is space for the votes of pairs,
// nil without them.
func classOf(values, votes []float64) int {
	if votes != nil {
		gram.Vote(votes, values)
		values = votes
	}
	return gram.Decide(values)
}

// Regressor is a compiled function, or several. It is safe for concurrent use.
type Regressor struct{ *core }

var _ gram.Regressor = (*Regressor)(nil)

// Predict returns the first output of every row.
func (m *Regressor) Predict(dst []float64, x mat.Matrix) []float64 {
	n, _ := x.Dims()
	if dst == nil {
		dst = make([]float64, n)
	}
	if len(dst) != n {
		panic(panicDst)
	}
	if n == 0 {
		return dst
	}
	s := m.all(nil, x)
	for i := range dst {
		dst[i] = s.At(i, 0)
	}
	return dst
}

// PredictAll returns all outputs, n×k.
func (m *Regressor) PredictAll(dst *mat.Dense, x mat.Matrix) *mat.Dense { return m.all(dst, x) }
