package rff

import (
	"context"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/fwht"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// structured holds blocks of size frequencies as diagonals and permutations.
type structured struct {
	d, size int
	sign    []float64 // B, one block after the other
	perm    []int32   // Π: element j comes from place perm[j] of the block
	gauss   []float64 // G
	scale   []float64 // S/(σ√D)
}

// fastfood draws one block from one stream.
func (c Config) fastfood(ctx context.Context, d int) (projection, error) {
	size := padded(d)
	blocks := (c.M-1)/size + 1
	total := blocks * size
	s := &structured{d: d, size: size, sign: make([]float64, total), perm: make([]int32, total), gauss: make([]float64, total), scale: make([]float64, total)}
	unit := math.Sqrt(2*c.Kernel.(kernel.Gaussian).Gamma) / math.Sqrt(float64(size))
	err := par.For(ctx, c.Workers, blocks, 1, func(lo, hi int) {
		for b := lo; b < hi; b++ {
			r := rng.New(c.Seed, uint64(b))
			at := b * size
			for j, p := range r.Perm(size) {
				s.perm[at+j] = int32(p)
			}
			var norm float64
			for j := at; j < at+size; j++ {
				s.sign[j] = float64(2*int(r.Uint64()>>63) - 1)
				s.gauss[j] = r.NormFloat64()
				norm += s.gauss[j] * s.gauss[j]
			}
			for j := at; j < at+size; j++ {
				s.scale[j] = unit * chi(size, r) / math.Sqrt(norm)
			}
		}
	})
	return s, err
}

// apply works on all rows of x for one block of frequencies at a time, in two
// scratch rows each.
func (s *structured) apply(z *mat.Dense, x mat.Matrix) {
	n, m := z.Dims()
	u, v := gram.MakeRows[float64](n, s.size), gram.MakeRows[float64](n, s.size)
	padded := make([]float64, n*s.d)
	for i := range n {
		rows.Copy(padded[i*s.d:(i+1)*s.d], x, i)
	}
	for at := 0; at < m; at += s.size {
		sign, perm, gauss := s.sign[at:at+s.size], s.perm[at:at+s.size], s.gauss[at:at+s.size]
		for i := range n {
			row := u.Row(i)
			for j, w := range padded[i*s.d : (i+1)*s.d] {
				row[j] = w * sign[j]
			}
			clear(row[s.d:])
		}
		fwht.TransformRows(u, 1)
		for i := range n {
			from, to := u.Row(i), v.Row(i)
			for j, p := range perm {
				to[j] = from[p] * gauss[j]
			}
		}
		fwht.TransformRows(v, 1)
		scale := s.scale[at:]
		for i := range n {
			out := z.RawRowView(i)[at:min(at+s.size, m)]
			for j, w := range v.Row(i)[:len(out)] {
				out[j] = w * scale[j]
			}
		}
	}
}
