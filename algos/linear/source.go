package linear

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

const mapRows = 1024 // rows that are mapped between two looks at the context

// source returns the features of rows in pieces of mapRows rows. Features are stored, or
// computed again when they are needed. Results are the same either way, because the
// features of a row do not depend on other rows.
type source struct {
	m    gram.FeatureMap // nil: the features are x
	x    gram.Samples[float64]
	n, p int
	phi  gram.Samples[float64] // all features: stored, or x itself
	buf  *mat.Dense            // features of the piece mapped last; nil: phi has all features
}

// planner returns the plan of a fit together with its feature map.
type planner func(gram.Shape) (gram.Plan, error)

// Plan returns the plan that p computes for data of shape s.
func (p planner) Plan(s gram.Shape) (gram.Plan, error) { return p(s) }

// samples checks the data of a fit against its plan. plan takes the number of bytes of a
// copy of x; it returns the cost of the fit and whether the features are stored.
func samples(run gram.Run, x mat.Matrix, outputs int, plan func(s gram.Shape, extra int64) (gram.Plan, bool, error)) (s gram.Samples[float64], store bool, err error) {
	s, err = run.Samples(planner(func(shape gram.Shape) (gram.Plan, error) {
		p, stored, err := plan(shape, shape.Copied)
		store = stored
		p.PeakBytes -= shape.Copied // Run.Samples adds it
		return p, err
	}), x, outputs)
	return s, store, err
}

// featureBytes returns the memory for features: if they are stored, and if they are
// computed again each time.
func featureBytes(m gram.FeatureMap, n, p int) (stored, mapped int64) {
	if m == nil {
		return 0, 0
	}
	return 8 * int64(n) * int64(p), 8 * int64(min(n, mapRows)) * int64(p)
}

// width returns the number of features for rows of d numbers.
func width(m gram.FeatureMap, d int) (int, error) {
	if m == nil {
		return d, nil
	}
	md, p := m.Dims()
	if md != d {
		return 0, settings.Refuse("feature map", fmt.Sprintf("for %d columns", md), "one for the data's %d", d)
	}
	return p, nil
}

// newSource makes the source. It maps all rows at once if the features are to be stored.
func newSource(ctx context.Context, m gram.FeatureMap, x gram.Samples[float64], store bool, meter *gram.Meter) (*source, error) {
	n, d := x.Dims()
	p, err := width(m, d)
	if err != nil {
		return nil, err
	}
	s := &source{m: m, x: x, n: n, p: p}
	if m == nil {
		s.phi = x
		return s, nil
	}
	if !store {
		s.buf = mat.NewDense(min(n, mapRows), p, nil)
		return s, nil
	}
	phi := mat.NewDense(n, p, nil)
	for lo := 0; lo < n; lo += mapRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+mapRows, n)
		m.Map(phi.Slice(lo, hi, 0, p).(*mat.Dense), x.Slice(lo, hi))
		meter.Report(gram.Event{Phase: "features", Done: int64(hi), Total: int64(n)})
	}
	s.phi = gram.Of(phi)
	return s, nil
}

// each calls body for all pieces of the rows in order.
func (s *source) each(ctx context.Context, body func(phi gram.Samples[float64], lo, hi int)) error {
	return s.eachOf(ctx, 0, s.n, body)
}

// eachOf calls body for all pieces of the rows from first to last−1 in order.
func (s *source) eachOf(ctx context.Context, first, last int, body func(phi gram.Samples[float64], lo, hi int)) error {
	for lo := first; lo < last; lo += mapRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+mapRows, last)
		if s.buf == nil {
			body(s.phi.Slice(lo, hi), lo, hi)
			continue
		}
		part := s.buf.Slice(0, hi-lo, 0, s.p).(*mat.Dense)
		s.m.Map(part, s.x.Slice(lo, hi))
		body(gram.Of(part), lo, hi)
	}
	return nil
}

// pick returns the features of up to mapRows rows: row index[j] is row at(j) of the
// result, which is valid until the next call.
func (s *source) pick(index []int) (phi gram.Samples[float64], at func(j int) int) {
	if s.buf == nil {
		return s.phi, func(j int) int { return index[j] }
	}
	if len(index) == 0 {
		return gram.Of(s.buf), nil
	}
	part := s.buf.Slice(0, len(index), 0, s.p).(*mat.Dense)
	s.m.Map(part, s.x.Select(index))
	return gram.Of(part), func(j int) int { return j }
}

// factored is a feature map x ↦ raw(x)·a.
type factored interface {
	Factor() (raw gram.FeatureMap, a *mat.Dense)
}

// functions holds linear functions in the form that predictions use. If the features are
// linear functions of other features, it refers to these, which saves a product with a.
type functions struct {
	m gram.FeatureMap
	w *mat.Dense
}

func through(m gram.FeatureMap, w *mat.Dense) functions {
	if f, is := m.(factored); is {
		raw, a := f.Factor()
		return functions{raw, folded(raw, a, w)}
	}
	return functions{m, w}
}

// scores writes Φ·w+bias for the rows of x into dst. It maps features block by block.
func scores(dst *mat.Dense, f functions, x mat.Matrix, bias []float64) {
	if n, _ := x.Dims(); n == 0 {
		return
	}
	if f.m == nil {
		rows.Mul(dst, gram.Of(x), f.w)
	} else {
		rows.MulFilled(dst, x, f.w, func(phi *mat.Dense, x mat.Matrix) { f.m.Map(phi, x) })
	}
	rows.AddToAll(dst, bias)
}
