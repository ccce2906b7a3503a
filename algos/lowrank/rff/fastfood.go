package rff

import (
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/fwht"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// fastfoodMatrix are features of m frequencies in blocks of size, which are held as diagonals
// and permutations.
type fastfoodMatrix struct {
	d, m, size, workers int
	sign                []float64 // B, one block after the other
	perm                []int32   // Π: element j comes from place perm[j] of the block
	gauss               []float64 // G
	scale               []float64 // S/(σ√D)
}

var _ basis.Basis = (*fastfoodMatrix)(nil)

// fastfood returns the blocks that are given, or else draws them, each from a stream of its own, so that they do not depend on
// the number of workers.
func (c Config) fastfood(ctx context.Context, d int) (*fastfoodMatrix, error) {
	size := padded(d)
	blocks := (c.M-1)/size + 1
	total := blocks * size
	s := &fastfoodMatrix{d: d, m: c.M, size: size, workers: c.Workers, sign: make([]float64, total), perm: make([]int32, total), gauss: make([]float64, total), scale: make([]float64, total)}
	unit := scaleOf(c.Kernel.(kernel.Gaussian).Gamma, size)
	for i, b := range c.Given.Blocks {
		at := i * size
		copy(s.sign[at:], b.B)
		copy(s.gauss[at:], b.G)
		length := unit / norm(b.G)
		for j, p := range b.P {
			s.perm[at+j], s.scale[at+j] = int32(p), b.Chi[j]*length
		}
	}
	if c.Given.Blocks != nil {
		return s, nil
	}
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

// scaleOf returns 1/(σ√D) with σ = 1/√(2γ), where D is size.
func scaleOf(gamma float64, size int) float64 {
	return math.Sqrt(2*gamma) / math.Sqrt(float64(size))
}

// norm is the length of g; 1 for zeros, of which all frequencies are.
func norm(g []float64) float64 {
	if v := blas64.Nrm2(blas64.Vector{N: len(g), Data: g, Inc: 1}); v > 0 {
		return v
	}
	return 1
}

// blocks returns the ingredients of the frequencies as Given.Blocks takes them: the inverse of fastfood, up to rounding.
func (s *fastfoodMatrix) blocks(gamma float64) []Block {
	var all []Block
	for at := 0; at < len(s.sign); at += s.size {
		g := s.gauss[at : at+s.size]
		b := Block{B: slices.Clone(s.sign[at : at+s.size]), G: slices.Clone(g), P: make([]int, s.size), Chi: make([]float64, s.size)}
		length := norm(g) / scaleOf(gamma, s.size)
		for j := range b.P {
			b.P[j], b.Chi[j] = int(s.perm[at+j]), s.scale[at+j]*length
		}
		all = append(all, b)
	}
	return all
}

// Dims returns the number of columns of x and the number of features, 2m.
func (s *fastfoodMatrix) Dims() (d, features int) { return s.d, 2 * s.m }

// blockRows is the number of rows that are mapped together; blocks are spread over
// the goroutines.
const blockRows = 64

// Map computes the features of the rows of x: the m cosines, then the m sines.
// The features of a row do not depend on the other rows.
func (s *fastfoodMatrix) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	dst = rows.Destination("rff", dst, x, s.d, 2*s.m)
	from := gram.Of(x)
	_ = par.For(context.Background(), s.workers, from.N(), blockRows, func(lo, hi int) {
		z := rows.Borrow(hi-lo, s.m)
		s.apply(gram.View(z), from.Slice(lo, hi))
		for i := range hi - lo {
			basis.Waves(dst.RawRowView(lo+i), z.RawRowView(i))
		}
		rows.Return(z)
	})
	return dst
}

// Points works out the frequencies, the columns of a d×m matrix.
func (s *fastfoodMatrix) Points() *mat.Dense {
	omega := mat.NewDense(s.d, s.m, nil)
	for lo := 0; lo < s.d; lo += blockRows {
		hi := min(lo+blockRows, s.d)
		unit := gram.MakeRows[float64](hi-lo, s.d)
		for i := range hi - lo {
			unit.Row(i)[lo+i] = 1
		}
		s.apply(gram.View(omega).Slice(lo, hi), gram.Dense(unit))
	}
	return omega
}

// fourier are the same features, of frequencies that are worked out: for a few
// outputs they are as fast, and a program needs no more.
func (s *fastfoodMatrix) fourier() *basis.Fourier { return basis.NewFourier(s.Points(), s.workers) }

// With64 returns the program of φ(x)·coef + bias in float64.
func (s *fastfoodMatrix) With64(coef *mat.Dense, bias []float64) gram.Program[float64] {
	return s.fourier().With64(coef, bias)
}

// With32 returns a program in float32 that computes linear functions of the features, with coefficients coef and
// constants bias.
func (s *fastfoodMatrix) With32(coef *mat.Dense, bias []float64) gram.Program[float32] {
	return s.fourier().With32(coef, bias)
}

// Cost returns the cost of the same features with the frequencies written out as a dense matrix.
func (s *fastfoodMatrix) Cost(k, size int) gram.Plan { return s.fourier().Cost(k, size) }

// Encode writes the diagonals and permutations.
func (s *fastfoodMatrix) Encode(w *modelfile.Writer) error {
	return modelfile.Put(w, func(x *modelfile.Exchange) {
		total := len(s.sign)
		x.Float64("sign", &s.sign, total)
		x.Int32("perm", &s.perm, total, 0, int32(s.size)-1)
		x.Float64("gauss", &s.gauss, total)
		x.Float64("scale", &s.scale, total)
	})
}

// apply works on all rows of x for one block of frequencies at a time, in two
// scratch rows each.
func (s *fastfoodMatrix) apply(z gram.Rows[float64], x gram.Samples[float64]) {
	n, m := z.N, z.D
	first, second, dense := rows.Borrow(n, s.size), rows.Borrow(n, s.size), rows.Borrow(n, s.d)
	u, v := gram.View(first), gram.View(second)
	for i := range n {
		x.CopyRow(dense.RawRowView(i), i)
	}
	for at := 0; at < m; at += s.size {
		sign, perm, gauss := s.sign[at:at+s.size], s.perm[at:at+s.size], s.gauss[at:at+s.size]
		for i := range n {
			row := u.Row(i)
			for j, w := range dense.RawRowView(i) {
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
			out := z.Row(i)[at:min(at+s.size, m)]
			for j, w := range v.Row(i)[:len(out)] {
				out[j] = w * scale[j]
			}
		}
	}
	rows.Return(first)
	rows.Return(second)
	rows.Return(dense)
}
