package kernel

import (
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// TestShapes calls every method with operands that are one row or column too
// many or too few, and with memory that is too short for its shape.
func TestShapes(t *testing.T) {
	t.Run("float64", testShapes[float64])
	t.Run("float32", testShapes[float32])
}

func testShapes[F gram.Float](t *testing.T) {
	const n, m, d, s = 4, 3, 2, 5
	const columns, destination, rowsOfV = "kernel: x has the wrong number of columns", "kernel: the destination has the wrong shape", "kernel: v has the wrong number of rows"
	b := Against[F](Gaussian{1}, mat.NewDense(m, d, nil))
	r := gram.MakeRows[F]
	short := func(n, d int) gram.Rows[F] { return gram.Rows[F]{Data: make([]F, n*d-1), N: n, D: d, Stride: d} }
	const shortX, shortV, shortDst = "kernel: the shape of x does not fit its memory", "kernel: the shape of v does not fit its memory", "kernel: the shape of the destination does not fit its memory"
	each := func(n, m int) [][]F {
		rows := make([][]F, n)
		for i := range rows {
			rows[i] = make([]F, m)
		}
		return rows
	}
	uneven := each(n, m)
	uneven[n-1] = uneven[n-1][:m-1]
	p := b.Times(r(m, s))
	panics := func(what, want string, f func()) {
		t.Helper()
		if got := must.Recovered(f); got != want {
			t.Errorf("%s: panic %v, want %q", what, got, want)
		}
	}
	ok := func(f func()) {
		t.Helper()
		if got := must.Recovered(f); got != nil {
			t.Errorf("right shapes: panic %v", got)
		}
	}
	for kind, x := range map[string]func(n, d int) gram.Samples[F]{
		"dense":  func(n, d int) gram.Samples[F] { return gram.Dense(r(n, d)) },
		"sparse": func(n, d int) gram.Samples[F] { return gram.Sparse[F](&sparse.CSR{N: n, D: d, Ptr: make([]int, n+1)}) },
	} {
		type fill = func(dst gram.Rows[F], x gram.Samples[F])
		for name, f := range map[string]fill{"Fill": b.Fill, "FillSerial": b.FillSerial} {
			name = kind + " " + name
			ok(func() { f(r(n, m), x(n, d)) })
			panics(name, columns, func() { f(r(n, m), x(n, d-1)) })
			panics(name, columns, func() { f(r(n, m), x(n, d+1)) })
			panics(name, shortX, func() { f(r(n, m), gram.Dense(short(n, d))) })
			panics(name, shortDst, func() { f(short(n, m), x(n, d)) })
			for _, shape := range [][2]int{{n - 1, m}, {n + 1, m}, {n, m - 1}, {n, m + 1}} {
				panics(name, destination, func() { f(r(shape[0], shape[1]), x(n, d)) })
			}
		}
		ok(func() { b.FillEach(each(n, m), x(n, d)) })
		panics(kind+" FillEach", columns, func() { b.FillEach(each(n, m), x(n, d+1)) })
		for _, dst := range [][][]F{each(n-1, m), each(n+1, m), each(n, m-1), each(n, m+1), uneven} {
			panics(kind+" FillEach", destination, func() { b.FillEach(dst, x(n, d)) })
		}
		for _, q := range []struct {
			name   string
			dst, v int // rows
			f      func(dst gram.Rows[F], x gram.Samples[F], v gram.Rows[F])
		}{{"Mul", n, m, b.Mul}, {"MulT", m, n, b.MulT}} {
			q.name = kind + " " + q.name
			ok(func() { q.f(r(q.dst, s), x(n, d), r(q.v, s)) })
			panics(q.name, columns, func() { q.f(r(q.dst, s), x(n, d+1), r(q.v, s)) })
			panics(q.name, shortV, func() { q.f(r(q.dst, s), x(n, d), short(q.v, s)) })
			for _, by := range []int{-1, 1} {
				panics(q.name, rowsOfV, func() { q.f(r(q.dst, s), x(n, d), r(q.v+by, s)) })
				for _, dst := range []gram.Rows[F]{r(q.dst+by, s), r(q.dst, s+by)} {
					panics(q.name, destination, func() { q.f(dst, x(n, d), r(q.v, s)) })
				}
			}
		}
		ok(func() { p.Rows(r(n, s), x(n, d)) })
		panics(kind+" Rows", columns, func() { p.Rows(r(n, s), x(n, d+1)) })
		for _, dst := range []gram.Rows[F]{r(n-1, s), r(n+1, s), r(n, s-1), r(n, s+1)} {
			panics(kind+" Rows", destination, func() { p.Rows(dst, x(n, d)) })
		}
	}
	// dst shares its last number with the first of another operand, or the first with the last.
	const overlap = "kernel: the destination and an operand overlap"
	apart := func(a, b [2]int) (x, y gram.Rows[F]) {
		memory := make([]F, a[0]*a[1]+b[0]*b[1])
		return gram.Rows[F]{Data: memory, N: a[0], D: a[1], Stride: a[1]}, gram.Rows[F]{Data: memory[a[0]*a[1]-1:], N: b[0], D: b[1], Stride: b[1]}
	}
	for name, f := range map[string]func(swap bool){
		"Fill": func(swap bool) {
			dst, x := apart([2]int{n, m}, [2]int{n, d})
			if swap {
				x, dst = apart([2]int{n, d}, [2]int{n, m})
			}
			b.Fill(dst, gram.Dense(x))
		},
		"FillSerial": func(swap bool) {
			dst, x := apart([2]int{n, m}, [2]int{n, d})
			if swap {
				x, dst = apart([2]int{n, d}, [2]int{n, m})
			}
			b.FillSerial(dst, gram.Dense(x))
		},
		"Mul": func(swap bool) {
			if swap {
				dst, v := apart([2]int{n, s}, [2]int{m, s})
				b.Mul(dst, gram.Dense(r(n, d)), v)
			}
			dst, x := apart([2]int{n, s}, [2]int{n, d})
			b.Mul(dst, gram.Dense(x), r(m, s))
		},
		"MulT": func(swap bool) {
			if swap {
				dst, v := apart([2]int{m, s}, [2]int{n, s})
				b.MulT(dst, gram.Dense(r(n, d)), v)
			}
			dst, x := apart([2]int{m, s}, [2]int{n, d})
			b.MulT(dst, gram.Dense(x), r(n, s))
		},
		"Product": func(swap bool) {
			dst, x := apart([2]int{n, s}, [2]int{n, d})
			if swap {
				p.Rows(dst, gram.Dense(x))
			}
			p.Mul(dst, gram.Dense(x))
		},
	} {
		panics(name, overlap, func() { f(false) })
		panics(name, overlap, func() { f(true) })
	}
	panics("Times", rowsOfV, func() { b.Times(r(m+1, s)) })
	panics("Times", shortV, func() { b.Times(short(m, s)) })
	ok(func() { p.Row(make([]F, s), make([]F, d)) })
	panics("Row", columns, func() { p.Row(make([]F, s), make([]F, d+1)) })
	panics("Row", destination, func() { p.Row(make([]F, s+1), make([]F, d)) })
	for _, k := range []Kernel{Linear{}, Gaussian{1}} {
		for _, length := range []int{1, 3} {
			panics("Diagonal", destination, func() { Diagonal(make([]float64, length), k, gram.Of(mat.NewDense(2, 1, nil))) })
		}
	}
	for _, index := range [][]int{{-1}, {0, m}} {
		panics("Select", "kernel: row out of range", func() { b.Select(index) })
	}
}
