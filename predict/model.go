package predict

import (
	"context"
	"fmt"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/internal/topk"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// core is what compiled models have in common.
type core struct {
	*target // rounded to float32 if that is the precision
	o       Options
	stats   Stats
}

func newCore(t *target, o Options, s Stats) *core {
	o.Points, o.Candidates, o.Run = nil, nil, gram.Run{Workers: o.Workers}
	return &core{t, o, s}
}

// must returns the program of a model that has been found to have one.
func must[F gram.Float](p gram.Program[F], err error) gram.Program[F] {
	if err != nil {
		panic(err)
	}
	return p
}

func (c *core) compiled() *core { return c }

// as returns the model as a classifier, a regressor or a ranker.
func (c *core) as() Compiled {
	switch {
	case c.names != nil:
		return &classifier{c}
	case c.labels:
		return &ranker{c}
	}
	if p, ok := c.model.(gram.Posterior); ok {
		return &posterior{regressor{c}, p}
	}
	return &regressor{c}
}

// Dim returns the number d of columns that rows to predict must have.
func (c *core) Dim() int { return c.d }

// Float64 returns the program in float64. If the model was compiled to Float32, the first call makes it.
func (c *core) Float64() gram.Program[float64] { return must(c.program.wide()) }

// Float32 returns the program in float32. If the model was compiled to Float64, the first call makes it.
func (c *core) Float32() gram.Program[float32] { return must(c.program.narrow()) }

// Function returns the linear function of the features of a basis that the program computes,
// in the numbers of its precision, or in those of the Source. The error is for a Source that is
// no such function.
func (c *core) Function() (basis.Function, error) {
	if c.function == nil {
		return basis.Function{}, fmt.Errorf("predict: %T is compiled as it is", c.model)
	}
	return *c.function, nil
}

// Source returns the model that was compiled as it is, because it is no linear function of
// the features of a basis, or has a faster program of its own; nil for others.
func (c *core) Source() modelfile.Model { return c.model }

// Options returns the settings with all defaults filled in.
func (c *core) Options() Options { return c.o }

// Stats returns the figures of the compilation, such as the error of the approximation and the time it took. A model that was read from a file
// has none.
func (c *core) Stats() Stats { return c.stats }

// Cost returns the flops and bytes of one row in the precision that the model was compiled for.
func (c *core) Cost() gram.Plan {
	if c.o.Precision == Float32 {
		return c.Float32().Cost()
	}
	return c.Float64().Cost()
}

func linearFlops(d, k int) float64 { return max(1, basis.LinearFlops(d, k)) }

// Multiple is the cost of a row in the flops of a linear model with as many
// outputs.
func (c *core) Multiple() float64 { return c.Cost().Flops / linearFlops(c.d, c.outputs) }

// scores are the outputs of at least one row in the model's own precision.
func (c *core) scores(ctx context.Context, x gram.Samples[float64]) (*mat.Dense, error) {
	out := mat.NewDense(x.N(), c.outputs, nil)
	return out, c.fill(ctx, gram.View(out), x)
}

// fill sets dst to the outputs in the model's own precision.
func (c *core) fill(ctx context.Context, dst gram.Rows[float64], x gram.Samples[float64]) error {
	if c.o.Precision == Float32 {
		return fill(ctx, c.o.Workers, c.Float32(), dst, x)
	}
	return fill(ctx, c.o.Workers, c.Float64(), dst, x)
}

// blockRows is the number of rows that one goroutine takes at a time.
const blockRows = 240

// evaluate returns the outputs of p for all rows of x, at least one.
func evaluate[F gram.Float](ctx context.Context, workers int, p gram.Program[F], x gram.Samples[float64]) (*mat.Dense, error) {
	_, k := p.Dims()
	out := mat.NewDense(x.N(), k, nil)
	return out, fill(ctx, workers, p, gram.View(out), x)
}

// fill sets to to the outputs of p for all rows of x.
func fill[F gram.Float](ctx context.Context, workers int, p gram.Program[F], to gram.Rows[float64], x gram.Samples[float64]) error {
	n, d := x.Dims()
	k := to.D
	if p, ok := p.(gram.Program[float64]); ok {
		return par.For(ctx, workers, n, blockRows, func(lo, hi int) { p.Rows(to.Slice(lo, hi), x.Slice(lo, hi)) })
	}
	room := k + d // numbers of a row
	if x.IsSparse() {
		room = k
	}
	pool := sync.Pool{New: func() any { return new([]F) }}
	return par.For(ctx, workers, n, blockRows, func(lo, hi int) {
		w := pool.Get().(*[]F)
		if need := min(n, blockRows) * room; len(*w) < need {
			*w = make([]F, need)
		}
		values := gram.Rows[F]{Data: (*w)[:(hi-lo)*k], N: hi - lo, D: k, Stride: max(1, k)}
		if dense, ok := x.Dense(); !ok {
			p.Rows(values, gram.As[F](x.Slice(lo, hi), nil))
		} else {
			from := gram.Rows[F]{Data: (*w)[(hi-lo)*k:][:(hi-lo)*d], N: hi - lo, D: d, Stride: max(1, d)}
			for i := range hi - lo {
				row := from.Row(i)
				for j, v := range dense.Row(lo + i) {
					row[j] = F(v)
				}
			}
			p.Rows(values, gram.Dense(from))
		}
		for i := range hi - lo {
			row := to.Row(lo + i)
			for c, v := range values.Row(i) {
				row[c] = float64(v)
			}
		}
		pool.Put(w)
	})
}

const (
	panicColumns = "predict: x has the wrong number of columns"
	panicDst     = "predict: the destination has the wrong shape"
)

// all is scores for a destination that may be nil.
func (c *core) all(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	wd, k := c.d, c.outputs
	if d != wd {
		panic(panicColumns)
	}
	if dst != nil {
		if dn, dk := dst.Dims(); dn != n || n > 0 && dk != k {
			panic(panicDst)
		}
	}
	if dst == nil {
		if n == 0 {
			return &mat.Dense{}
		}
		dst = mat.NewDense(n, k, nil)
	}
	if n > 0 {
		c.into(dst, gram.Of(x))
	}
	return dst
}

func (c *core) into(dst *mat.Dense, x gram.Samples[float64]) {
	_ = c.fill(context.Background(), gram.View(dst), x)
}

// eachBlock calls use with the outputs of blocks of rows from row lo on, which may be
// used until use returns.
func (c *core) eachBlock(x mat.Matrix, use func(lo int, values *mat.Dense)) {
	n, d := x.Dims()
	if d != c.d {
		panic(panicColumns)
	}
	s, step := gram.Of(x), rows.BlockRows(n, c.outputs)
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		block := rows.Borrow(hi-lo, c.outputs)
		c.into(block, s.Slice(lo, hi))
		use(lo, block)
		rows.Return(block)
	}
}

// classifier is a compiled classifier. It is safe for concurrent use.
type classifier struct{ *core }

var _ gram.Classifier = (*classifier)(nil)

// Classes returns the names of the classes in the order of their numbers. The slice belongs to the model and must
// not be changed.
func (m *classifier) Classes() []string { return m.names }

// Pairs reports whether there is a function for each pair of classes.
func (m *classifier) Pairs() bool { return m.pairs }

// Values returns the n×functions outputs: one for each pair of classes if Pairs is true, else
// the scores.
func (m *classifier) Values(dst *mat.Dense, x mat.Matrix) *mat.Dense { return m.all(dst, x) }

// Scores returns n×1 outputs for two classes, positive for class 1, else
// n×classes: the outputs, or the votes of the pairs.
func (m *classifier) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	if !m.pairs {
		return m.all(dst, x)
	}
	n, _ := x.Dims()
	if dst != nil {
		if dn, dk := dst.Dims(); dn != n || n > 0 && dk != len(m.names) {
			panic(panicDst)
		}
	}
	if n == 0 {
		return m.all(dst, x)
	}
	if dst == nil {
		dst = mat.NewDense(n, len(m.names), nil)
	}
	m.eachBlock(x, func(lo int, values *mat.Dense) {
		for i := range values.RawMatrix().Rows {
			multiclass.Vote(dst.RawRowView(lo+i), values.RawRowView(i))
		}
	})
	return dst
}

// Predict returns the class with the largest score for every row, the first
// of equals, and −1 for a row whose scores are NaN.
func (m *classifier) Predict(dst []int, x mat.Matrix) []int {
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
	votes := space(m.names, m.pairs)
	m.eachBlock(x, func(lo int, values *mat.Dense) {
		for i := range values.RawMatrix().Rows {
			dst[lo+i] = classOf(values.RawRowView(i), votes)
		}
	})
	return dst
}

// space returns the memory that classOf needs to turn the scores of a row into a class.
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
		multiclass.Vote(votes, values)
		values = votes
	}
	return multiclass.Decide(values)
}

// regressor is a compiled function, or several. It is safe for concurrent use.
type regressor struct{ *core }

var _ gram.Regressor = (*regressor)(nil)

// Predict returns the first output of every row.
func (m *regressor) Predict(dst []float64, x mat.Matrix) []float64 {
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
	m.eachBlock(x, func(lo int, values *mat.Dense) {
		for i := range values.RawMatrix().Rows {
			dst[lo+i] = values.At(i, 0)
		}
	})
	return dst
}

// PredictAll returns all outputs of every row, n×k, in dst; a nil dst is allocated.
func (m *regressor) PredictAll(dst *mat.Dense, x mat.Matrix) *mat.Dense { return m.all(dst, x) }

// posterior is the compiled mean of a gram.Posterior, together with the variances of the model
// itself, which are computed in float64. It is safe for concurrent use.
type posterior struct {
	regressor
	model gram.Posterior
}

var _ gram.Posterior = (*posterior)(nil)

// Variance returns the variance of the function for every row of x, without that of the noise.
// It takes the time that it takes the model that was compiled.
func (m *posterior) Variance(dst []float64, x mat.Matrix) []float64 { return m.model.Variance(dst, x) }

// Noise returns the variance of a target about the function.
func (m *posterior) Noise() float64 { return m.model.Noise() }

// ranker is a compiled model that ranks labels. It is safe for concurrent use.
type ranker struct{ *core }

var _ gram.Ranker = (*ranker)(nil)

// NumLabels returns the number L of labels that the model ranks.
func (m *ranker) NumLabels() int { return m.outputs }

// Scores returns the scores of all labels, n×labels: −Inf for those that the model does not name for
// a row, NaN for a row with NaN.
func (m *ranker) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense { return m.all(dst, x) }

// rankBytes bounds the scores that are held at a time, but for one row.
const rankBytes = 8 << 20

// Top returns the k labels with the highest scores for every row, the lower one of
// equals first. Labels that the model does not name for a row, whose score is −Inf, are
// left out, and a row with NaN has none.
func (m *ranker) Top(dst [][]gram.Scored, x mat.Matrix, k int) [][]gram.Scored {
	n, d := x.Dims()
	if d != m.d {
		panic(panicColumns)
	}
	if dst == nil {
		dst = make([][]gram.Scored, n)
	}
	if len(dst) != n {
		panic(panicDst)
	}
	s := gram.Of(x)
	step := max(1, rankBytes/(8*max(1, m.outputs)))
	var best topk.List
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		scores, _ := m.scores(context.Background(), s.Slice(lo, hi))
		for i := range hi - lo {
			dst[lo+i] = best.Rank(dst[lo+i][:0], scores.RawRowView(i), k)
		}
	}
	return dst
}
