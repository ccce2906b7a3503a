package linear

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rows"
	"gonum.org/v1/gonum/mat"
)

const (
	blockBytes = 32 << 20 // of features of one block of rows that is mapped at a time
	mapRows    = 1024     // rows mapped between two looks at the context
)

// source gives the features of all rows, block after block. The cut into blocks
// depends on the number of rows and features only, not on whether the features
// are stored, so the order of all computations does not either.
type source struct {
	m     gram.FeatureMap // nil: the features are x
	x     mat.Matrix      // a result of rows.Of
	n, p  int
	block int        // rows of a block; the last may have fewer
	phi   *mat.Dense // all features, if they are stored
	buf   *mat.Dense // of the block mapped last
	held  int        // that block, −1: none
}

// blockRows is the number of rows of a block.
func blockRows(m gram.FeatureMap, n, p int) int {
	if m == nil {
		return n
	}
	return min(n, max(256, blockBytes/(8*p)))
}

// featureBytes is the memory that the features take when they are stored, and
// when they are mapped again each time.
func featureBytes(m gram.FeatureMap, n, p int) (stored, mapped int64) {
	if m == nil {
		return 0, 0
	}
	return 8 * int64(n) * int64(p), 8 * int64(blockRows(m, n, p)) * int64(p)
}

// width returns the number of features for rows of d numbers.
func width(m gram.FeatureMap, d int) (int, error) {
	if m == nil {
		return d, nil
	}
	md, p := m.Dims()
	if md != d {
		return 0, &gram.ConfigError{Field: "feature map", Value: fmt.Sprintf("for %d columns", md), Want: fmt.Sprintf("one for the data's %d", d)}
	}
	return p, nil
}

// newSource maps all rows now if the features are to be stored.
func newSource(ctx context.Context, m gram.FeatureMap, x mat.Matrix, store bool, meter *gram.Meter) (*source, error) {
	n, d := x.Dims()
	p, err := width(m, d)
	if err != nil {
		return nil, err
	}
	s := &source{m: m, x: x, n: n, p: p, block: blockRows(m, n, p), held: -1}
	if m == nil {
		return s, nil
	}
	if store {
		s.phi = mat.NewDense(n, p, nil)
		return s, s.mapTo(ctx, s.phi, 0, meter)
	}
	s.buf = mat.NewDense(s.block, p, nil)
	return s, nil
}

// mapTo writes the features of the rows from lo on into dst.
func (s *source) mapTo(ctx context.Context, dst *mat.Dense, lo int, meter *gram.Meter) error {
	n, _ := dst.Dims()
	for i := 0; i < n; i += mapRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		j := min(i+mapRows, n)
		s.m.Map(dst.Slice(i, j, 0, s.p).(*mat.Dense), rows.Slice(s.x, lo+i, lo+j))
		if meter != nil {
			meter.Report(gram.Event{Phase: "features", Done: int64(j), Total: int64(n)})
		}
	}
	return nil
}

// blocks is the number of blocks.
func (s *source) blocks() int { return (s.n + s.block - 1) / s.block }

// bounds returns the rows of block b.
func (s *source) bounds(b int) (lo, hi int) { return b * s.block, min((b+1)*s.block, s.n) }

// get returns the features of block b, to be used until the next call.
func (s *source) get(ctx context.Context, b int) (mat.Matrix, error) {
	lo, hi := s.bounds(b)
	switch {
	case s.m == nil:
		return rows.Slice(s.x, lo, hi), nil
	case s.phi != nil:
		return rows.Slice(s.phi, lo, hi), nil
	}
	part := s.buf.Slice(0, hi-lo, 0, s.p).(*mat.Dense)
	if s.held != b {
		s.held = -1
		if err := s.mapTo(ctx, part, lo, nil); err != nil {
			return nil, err
		}
		s.held = b
	}
	return part, nil
}

// each calls body for pieces of at most step rows of all blocks, in order.
func (s *source) each(ctx context.Context, step int, body func(phi mat.Matrix, lo, hi int)) error {
	for b := range s.blocks() {
		phi, err := s.get(ctx, b)
		if err != nil {
			return err
		}
		first, last := s.bounds(b)
		for lo := first; lo < last; lo += step {
			if err := ctx.Err(); err != nil {
				return err
			}
			hi := min(lo+step, last)
			body(rows.Slice(phi, lo-first, hi-first), lo, hi)
		}
	}
	return nil
}

// scores writes Φ·w+bias of the rows of x into dst, block by block.
func scores(dst *mat.Dense, m gram.FeatureMap, x mat.Matrix, w *mat.Dense, bias []float64) {
	n, _ := x.Dims()
	p, k := w.Dims()
	x = rows.Of(x)
	var buf *mat.Dense
	for lo := 0; lo < n; lo += mapRows {
		hi := min(lo+mapRows, n)
		phi := rows.Slice(x, lo, hi)
		if m != nil {
			if buf == nil {
				buf = mat.NewDense(min(n, mapRows), p, nil)
			}
			part := buf.Slice(0, hi-lo, 0, p).(*mat.Dense)
			m.Map(part, phi)
			phi = part
		}
		out := dst.Slice(lo, hi, 0, k).(*mat.Dense)
		rows.Mul(out, phi, w)
		for i := range hi - lo {
			row := out.RawRowView(i)
			for c, b := range bias {
				row[c] += b
			}
		}
	}
}
