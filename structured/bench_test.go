package structured

import (
	"fmt"
	"testing"

	"github.com/gramworks/gram/asm/haar"
	"github.com/gramworks/gram/fwht"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/num/rng"

	"github.com/gramworks/gram/asm/cpu"
)

// BenchmarkForward measures U·x for 256 rows. op=unfused forms every v∘x and
// transforms it with the row batches of packages haar and fwht; op=read only
// adds up the rows of x.
func BenchmarkForward(b *testing.B) {
	b.Run("f64", benchmarkForward[float64])
	b.Run("f32", benchmarkForward[float32])
}

func benchmarkForward[F num.Float](b *testing.B) {
	const n = 256
	for _, c := range [][3]int{{784, 8, 20}, {784, 8, 16}, {1024, 16, 8}, {256, 256, 20}, {1024, 1024, 20}} {
		d, rows, s := c[0], c[1], c[2]
		r := rng.New(1, 1)
		v, x := filled(asmtest.Normal[F](r, s*d), s, d, d), filled(asmtest.Normal[F](r, n*d), n, d, d)
		dst := num.MakeRows[F](n, s*rows)
		order := 1
		for order < d {
			order *= 2
		}
		scratch := make([]F, order*s+haar.Scratch(order))
		for _, h := range []Matrix{Haar, Hadamard} {
			z := New(h, v, rows)
			for _, l := range asmtest.Available(cpu.Levels()[1:]) {
				name := fmt.Sprintf("h=%s/d=%d/b=%d/s=%d/isa=%s", names[h], d, rows, s, l)
				b.Run("op=fused/"+name, func(b *testing.B) {
					b.ReportAllocs()
					b.SetBytes(int64(n * s * rows))
					asmtest.At(l, func() {
						for b.Loop() {
							z.Forward(dst, x, 1)
						}
					})
				})
				b.Run("op=unfused/"+name, func(b *testing.B) {
					b.SetBytes(int64(n * s * rows))
					asmtest.At(l, func() {
						for b.Loop() {
							unfused(z, dst, x, scratch, order)
						}
					})
				})
			}
		}
	}
}

func unfused[F num.Float](z *Stack[F], dst, x num.Rows[F], scratch []F, order int) {
	y := num.Rows[F]{Data: scratch, N: z.s, D: order, Stride: order}
	full := z.b == order
	for i := range x.N {
		row := x.Row(i)
		to := y
		if full {
			to.Data = dst.Row(i)
		}
		for g := range z.s {
			p := to.Row(g)
			v := z.v.Row(g)[:len(row)]
			for j, a := range row {
				p[j] = a * v[j]
			}
			clear(p[len(row):])
		}
		if z.h == Haar {
			haar.Forward(to.Data, order, to.Data, order, z.s, order, haar.Ones, scratch[order*z.s:])
		} else {
			fwht.TransformRows(to, 1)
		}
		if !full {
			for g := range z.s {
				copy(dst.Row(i)[g*z.b:][:z.b], y.Row(g))
			}
		}
	}
}
