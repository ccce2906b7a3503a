package kernel

import (
	"fmt"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// problem returns n standard normal rows in F and m such rows as a matrix.
func problem[F gram.Float](n, m, d int) (gram.Rows[F], *mat.Dense) {
	r := rng.New(1, 0)
	x, z := gram.MakeRows[F](n, d), mat.NewDense(m, d, nil)
	for i := range x.Data {
		x.Data[i] = F(r.NormFloat64())
	}
	for i := range z.RawMatrix().Data {
		z.RawMatrix().Data[i] = float64(float32(r.NormFloat64()))
	}
	return x, z
}

// BenchmarkWrite only writes the block, which bounds the speed of Fill for
// few columns.
func BenchmarkWrite(b *testing.B) {
	b.Run("type=float64", benchmarkWrite[float64])
	b.Run("type=float32", benchmarkWrite[float32])
}

func benchmarkWrite[F gram.Float](b *testing.B) {
	const n, m = 8192, 1024
	dst := gram.MakeRows[F](n, m)
	k := Against[F](Linear{}, mat.NewDense(1, 1, nil))
	b.SetBytes(int64(n * m * sizeof[F]()))
	for b.Loop() {
		k.each(n, 240, func(lo, hi int) {
			s := dst.Data[lo*m : hi*m]
			for i := range s {
				s[i] = 1
			}
		})
	}
}

func BenchmarkFill(b *testing.B) {
	for _, d := range []int{8, 16, 54, 128, 784} {
		for _, l := range cpu.Levels() {
			b.Run(fmt.Sprintf("gaussian/type=float64/d=%d/isa=%s", d, l), func(b *testing.B) { benchmarkFill[float64](b, Gaussian{0.5 / float64(d)}, 8192, 1024, d, l) })
			b.Run(fmt.Sprintf("gaussian/type=float32/d=%d/isa=%s", d, l), func(b *testing.B) { benchmarkFill[float32](b, Gaussian{0.5 / float64(d)}, 8192, 1024, d, l) })
		}
	}
	for _, l := range cpu.Levels() {
		b.Run(fmt.Sprintf("laplacian/type=float64/d=16/isa=%s", l), func(b *testing.B) { benchmarkFill[float64](b, Laplacian{0.1}, 4096, 512, 16, l) })
		b.Run(fmt.Sprintf("polynomial/type=float64/d=16/isa=%s", l), func(b *testing.B) {
			benchmarkFill[float64](b, Polynomial{Degree: 3, Offset: 1}, 4096, 512, 16, l)
		})
	}
}

func benchmarkFill[F gram.Float](b *testing.B, k Kernel, n, m, d int, l cpu.Level) {
	if restore, err := cpu.Lower(l); err != nil {
		b.Skip(err)
	} else {
		defer restore()
	}
	x, z := problem[F](n, m, d)
	dst := gram.MakeRows[F](n, m)
	block := Against[F](k, z)
	b.ReportAllocs()
	b.SetBytes(int64(n * m * sizeof[F]()))
	for b.Loop() {
		block.Fill(dst, gram.Dense(x))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*m), "ns/value")
}

func BenchmarkMul(b *testing.B) {
	for _, d := range []int{8, 16, 54, 128, 784} {
		for _, l := range cpu.Levels() {
			b.Run(fmt.Sprintf("gaussian/type=float64/d=%d/isa=%s", d, l), func(b *testing.B) { benchmarkMul[float64](b, 8192, 1024, d, l) })
			b.Run(fmt.Sprintf("gaussian/type=float32/d=%d/isa=%s", d, l), func(b *testing.B) { benchmarkMul[float32](b, 8192, 1024, d, l) })
		}
	}
}

func benchmarkMul[F gram.Float](b *testing.B, n, m, d int, l cpu.Level) {
	if restore, err := cpu.Lower(l); err != nil {
		b.Skip(err)
	} else {
		defer restore()
	}
	x, z := problem[F](n, m, d)
	block := Against[F](Gaussian{0.5 / float64(d)}, z)
	v, dst := gram.MakeRows[F](m, 1), gram.MakeRows[F](n, 1)
	for i := range v.Data {
		v.Data[i] = 1
	}
	b.ReportAllocs()
	for b.Loop() {
		block.Mul(dst, gram.Dense(x), v)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*m), "ns/value")
}
