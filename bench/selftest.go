package bench

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/asm/vec"
	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/cholupdate"
	"github.com/gramworks/gram/fwht"
	"github.com/gramworks/gram/haar"
	"github.com/gramworks/gram/kernel"
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// Agreement is the outcome of comparing a kernel at one level with the generic
// version on the same input.
type Agreement struct {
	Kernel  string  `json:"kernel"`
	Level   string  `json:"level"`
	Worst   float64 `json:"worst"`   // largest difference seen, relative to the largest value
	Allowed float64 `json:"allowed"` // 0: the same bits
	OK      bool    `json:"ok"`
}

// check computes a result that all levels must agree on.
type check struct {
	kernel  string
	allowed float64
	run     func() []float64
}

// checks is the list of what SelfTest compares. Tolerances are those of
// rounding: exact kernels have 0, functions a few units in the last place,
// sums of n products n of them.
func checks() []check {
	const n = 1 << 12
	x := random[float64](n)
	x32 := random[float32](n)
	return slices.Concat(
		pair("fwht", 0, 0, x, x32, func(y []float64) { fwht.Transform(y) }, func(y []float32) { fwht.Transform(y) }),
		pair("haar", 0, 0, x, x32, func(y []float64) { haar.Orthonormal(y) }, func(y []float32) { haar.Orthonormal(y) }),
		pair("exp", 1e-15, 5e-7, x, x32, func(y []float64) { vec.Exp(y, y) }, func(y []float32) { vec.Exp(y, y) }),
		pair("log", 1e-15, 5e-7, squares(x), squares(x32), func(y []float64) { vec.Log(y, y) }, func(y []float32) { vec.Log(y, y) }),
		pair("sincos", 1e-15, 5e-7, x, x32,
			func(y []float64) { vec.SinCos(y, make([]float64, n), y) }, func(y []float32) { vec.SinCos(y, make([]float32, n), y) }),
		pair("gemm", 1e-13, 1e-5, x, x32, product[float64], product[float32]),
		pair("gaussian", 1e-13, 1e-5, x, x32, gramMatrix[float64](kernel.Gaussian{Gamma: .05}), gramMatrix[float32](kernel.Gaussian{Gamma: .05})),
		pair("laplacian", 1e-13, 1e-5, x, x32, gramMatrix[float64](kernel.Laplacian{Gamma: .05}), gramMatrix[float32](kernel.Laplacian{Gamma: .05})),
		pair("chol update", 1e-12, 1e-5, x, x32, updated[float64](true), updated[float32](true)),
		pair("chol downdate", 1e-12, 1e-5, x, x32, updated[float64](false), updated[float32](false)),
	)
}

// pair are the checks of a kernel for both types: f changes its argument in
// place.
func pair(kernel string, allowed64, allowed32 float64, x []float64, x32 []float32, f64 func([]float64), f32 func([]float32)) []check {
	return []check{
		{kernel + " float64", allowed64, func() []float64 {
			y := slices.Clone(x)
			f64(y)
			return y
		}},
		{kernel + " float32", allowed32, func() []float64 {
			y := slices.Clone(x32)
			f32(y)
			return widen(y)
		}},
	}
}

func squares[F gram.Float](x []F) []F {
	y := slices.Clone(x)
	for i, v := range y {
		y[i] = v*v + 1e-3
	}
	return y
}

// product replaces the 64×64 matrix y by y·y.
func product[F gram.Float](y []F) {
	const n = 64
	switch y := any(y).(type) {
	case []float64:
		blas.Current().Float64().Dgemm(gblas.NoTrans, gblas.NoTrans, n, n, n, 1, slices.Clone(y), n, slices.Clone(y), n, 0, y, n)
	case []float32:
		blas.Current().Float32().Sgemm(gblas.NoTrans, gblas.NoTrans, n, n, n, 1, slices.Clone(y), n, slices.Clone(y), n, 0, y, n)
	}
}

// gramMatrix replaces 64 rows of length 64 by their kernel matrix.
func gramMatrix[F gram.Float](k kernel.Kernel) func(y []F) {
	return func(y []F) {
		const n = 64
		z := mat.NewDense(n, n, nil)
		for i, v := range y {
			z.RawMatrix().Data[i] = float64(v)
		}
		x := gram.Rows[F]{Data: slices.Clone(y), N: n, D: n, Stride: n}
		kernel.Against[F](k, z).Fill(gram.Rows[F]{Data: y, N: n, D: n, Stride: n}, gram.Dense(x))
	}
}

// updated replaces y, a 64×64 matrix, by the factor of a well-conditioned matrix
// after a change along the first row of y.
func updated[F gram.Float](up bool) func(y []F) {
	return func(y []F) {
		const n = 64
		x := slices.Clone(y[:n])
		for i := range n {
			for j := range n {
				y[i*n+j] *= 0.01
			}
			y[i*n+i] = F(10 + i)
		}
		var err error
		t := cholupdate.Triangular[F]{Uplo: gblas.Upper, Diag: gblas.NonUnit, N: n, Stride: n, Data: y}
		if up {
			err = cholupdate.Update(t, x)
		} else {
			_, err = cholupdate.Downdate(t, x)
		}
		if err != nil {
			y[0] = F(math.NaN()) // which agrees with nothing
		}
	}
}

// SelfTest compares all kernels at all levels with the generic versions, again
// and again with the levels in turn, for about the given time or until ctx
// ends. It lowers the level of the whole process while it works. Where there is
// no level but the generic one it returns nothing at once.
func SelfTest(ctx context.Context, limit time.Duration) []Agreement {
	start := time.Now()
	var out []Agreement
	if len(available()) == 1 {
		return out
	}
	all := checks()
	want := make([][]float64, len(all))
	at(cpu.Generic, func() {
		for i, c := range all {
			want[i] = c.run()
		}
	})
	for round := 0; round == 0 || time.Since(start) < limit; round++ {
		k := 0
		for i, c := range all {
			for _, l := range available() {
				if l == cpu.Generic {
					continue
				}
				if ctx.Err() != nil {
					return out
				}
				if round == 0 {
					out = append(out, Agreement{Kernel: c.kernel, Level: l.String(), Allowed: c.allowed, OK: true})
				}
				at(l, func() {
					a := &out[k]
					d := difference(c.run(), want[i])
					a.Worst = max(a.Worst, d)
					a.OK = a.OK && d <= c.allowed
				})
				k++
			}
		}
	}
	return out
}

// difference is max|a−b| / max|b|, and as good as infinite if one of the two has
// a NaN or an infinity that the other one has not.
func difference(a, b []float64) float64 {
	var worst, scale float64
	for i, v := range b {
		d := math.Abs(a[i] - v)
		switch {
		case a[i] == v || a[i] != a[i] && v != v:
			continue
		case math.IsNaN(d) || math.IsInf(d, 0):
			return math.MaxFloat64
		}
		worst = max(worst, d)
	}
	for _, v := range b {
		if !math.IsInf(v, 0) && v == v {
			scale = max(scale, math.Abs(v))
		}
	}
	switch {
	case worst == 0:
		return 0
	case scale == 0:
		return math.MaxFloat64
	}
	return worst / scale
}

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}
