package panel

import (
	"fmt"
	"testing"

	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/num"
)

func eachLevel(b *testing.B, name string, f64, f32 func(b *testing.B)) {
	for _, l := range asmtest.Available(levels) {
		for _, t := range []struct {
			name string
			body func(b *testing.B)
		}{{"float64", f64}, {"float32", f32}} {
			b.Run(fmt.Sprintf("%s/type=%s/isa=%s", name, t.name, l), func(b *testing.B) {
				asmtest.At(l, func() { t.body(b) })
			})
		}
	}
}

// BenchmarkSums multiplies 12 rows by 8 panels. The ceiling is the
// multiply-add rate (package peak), of which Squares can reach a half and
// Absolute a third.
func BenchmarkSums(b *testing.B) {
	for op, name := range []string{"dot", "squares", "absolute"} {
		for _, d := range []int{8, 54, 256} {
			eachLevel(b, fmt.Sprintf("op=%s/d=%d", name, d),
				func(b *testing.B) { measureSums[float64](b, d, Op(op)) }, func(b *testing.B) { measureSums[float32](b, d, Op(op)) })
		}
	}
}

func measureSums[F num.Float](b *testing.B, d int, op Op) {
	const panels = 8
	c := Cols[F]()
	x, z, dst := make([]F, Rows*d), make([]F, panels*c*d), make([]F, Rows*panels*c)
	b.ReportAllocs()
	for b.Loop() {
		Sums(dst, panels*c, x, z, d, Rows, panels, op)
	}
	b.ReportMetric(2*float64(len(dst)*d)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
}

// BenchmarkSparseDot multiplies a row with one nonzero in ten by 8 panels.
func BenchmarkSparseDot(b *testing.B) {
	eachLevel(b, "d=1000", measureSparseDot[float64], measureSparseDot[float32])
}

func measureSparseDot[F num.Float](b *testing.B) {
	const d, panels = 1000, 8
	c := Cols[F]()
	val, col := make([]F, d/10), make([]int32, d/10)
	for i := range col {
		val[i], col[i] = 1, int32(10*i)
	}
	z, dst := make([]F, panels*c*d), make([]F, panels*c)
	for b.Loop() {
		SparseDot(dst, z, d, panels, val, col, col)
	}
	b.ReportMetric(2*float64(len(dst)*len(val))*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
}

// BenchmarkValues works on 12 rows of 128 float64 or 256 float32, in L1.
func BenchmarkValues(b *testing.B) {
	eachLevel(b, "f=gauss", func(b *testing.B) { measureValues[float64](b, 0) }, func(b *testing.B) { measureValues[float32](b, 0) })
	eachLevel(b, "f=exp", func(b *testing.B) { measureValues[float64](b, 1) }, func(b *testing.B) { measureValues[float32](b, 1) })
	eachLevel(b, "f=gausssums", func(b *testing.B) { measureValues[float64](b, 5) }, func(b *testing.B) { measureValues[float32](b, 5) })
	eachLevel(b, "f=power3", func(b *testing.B) { measureValues[float64](b, 2) }, func(b *testing.B) { measureValues[float32](b, 2) })
	eachLevel(b, "f=rowsums", func(b *testing.B) { measureValues[float64](b, 3) }, func(b *testing.B) { measureValues[float32](b, 3) })
	eachLevel(b, "f=colsums", func(b *testing.B) { measureValues[float64](b, 4) }, func(b *testing.B) { measureValues[float32](b, 4) })
}

func measureValues[F num.Float](b *testing.B, f int) {
	cols := 8 * Cols[F]()
	s, dst := make([]F, Rows*cols), make([]F, Rows*cols)
	for i := range s {
		s[i] = F(i%50) / 10
	}
	xn, zn, row, col := make([]F, Rows), make([]F, cols), make([]F, Rows), make([]F, cols)
	for b.Loop() {
		switch f {
		case 0:
			Gauss(dst, cols, s, cols, xn, zn, Rows, cols, 0.5, false)
		case 1:
			Exp(dst, cols, s, cols, Rows, cols, 0.5, false)
		case 2:
			Power(dst, cols, s, cols, Rows, cols, 0.5, 3)
		case 3:
			RowSums(xn, s, cols, zn, Rows, cols)
		case 4:
			ColSums(zn, s, cols, xn, Rows, cols)
		case 5:
			GaussSums(row, col, s, cols, xn, zn, zn, xn, Rows, cols, 0.5)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(s)), "ns/value")
}
