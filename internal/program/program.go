// Package program has parts that programs of several models share: the check of shapes,
// conversions, rows that are gathered, and programs that send every row to one of
// several other programs.
package program

import (
	"context"
	"math"
	"unsafe"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
	"gonum.org/v1/gonum/mat"
)

// Check panics unless x and dst have the shapes that p takes. The message begins with
// name, the name of a package.
func Check[F gram.Float](name string, p gram.Program[F], dst gram.Rows[F], x gram.Samples[F]) {
	d, k := p.Dims()
	n, columns := x.Dims()
	if columns != d || dst.D != k || dst.N != n || !x.Valid() || !dst.Valid() {
		panic(name + ": the shapes of the rows and their destination do not fit the program")
	}
}

// Row sets dst to the outputs of p for the single row x.
func Row[F gram.Float](p gram.Program[F], dst, x []F) { p.Rows(one(dst), gram.Dense(one(x))) }

func one[F gram.Float](x []F) gram.Rows[F] {
	return gram.Rows[F]{Data: x, N: 1, D: len(x), Stride: max(1, len(x))}
}

// Evaluate sets dst to the outputs of p for the rows of x. It takes grain rows at a time
// and runs on up to workers goroutines. dst may have no rows.
func Evaluate(workers, grain int, p gram.Program[float64], dst *mat.Dense, x mat.Matrix) {
	s := gram.Of(x)
	to := gram.View(dst)
	if n := s.N(); 0 < n && n <= grain {
		p.Rows(to, s)
		return
	}
	_ = par.For(context.Background(), workers, s.N(), grain, func(lo, hi int) {
		p.Rows(to.Slice(lo, hi), s.Slice(lo, hi))
	})
}

// Convert returns x with numbers of type F. Finite numbers that are too large for F
// become its largest finite number, with their sign.
func Convert[F gram.Float](x []float64) []F {
	y := make([]F, len(x))
	for i, v := range x {
		y[i] = F(v)
		if math.IsInf(float64(y[i]), 0) && !math.IsInf(v, 0) { // F is float32 here
			y[i] = F(math.Copysign(math.MaxFloat32, v))
		}
	}
	return y
}

// Rows returns a matrix with numbers of type F.
func Rows[F gram.Float](x mat.Matrix) gram.Rows[F] {
	n, d := x.Dims()
	r := gram.MakeRows[F](n, d)
	for i := range n {
		row := r.Row(i)
		for j := range row {
			row[j] = F(x.At(i, j))
		}
	}
	return r
}

// Floor returns the largest number of type F that is not above v. A number x of type F
// is therefore above v exactly if it is above Floor(v).
func Floor[F gram.Float](v float64) F {
	f := F(v)
	if float64(f) > v { // F is float32 here
		f = F(math.Nextafter32(float32(f), float32(math.Inf(-1))))
	}
	return f
}

// Size returns the number of bytes of n numbers of type F.
func Size[F gram.Float](n int) int64 {
	var v F
	return int64(n) * int64(unsafe.Sizeof(v))
}

// Grow returns a slice of length n, which shares the memory of s if its capacity is
// enough.
func Grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// HasNaN reports whether a dense row, or the values of a sparse row, contain a NaN.
func HasNaN[F gram.Float](row []F) bool {
	var s F // stays 0 if all numbers are finite
	for _, v := range row {
		s += v - v
	}
	if s == s {
		return false
	}
	for _, v := range row { // an infinity makes s NaN, too
		if v != v {
			return true
		}
	}
	return false
}

// Fill sets every number of a row to v.
func Fill[F gram.Float](row []F, v F) {
	for i := range row {
		row[i] = v
	}
}

// Of returns the program of c for numbers of type F.
func Of[F gram.Float](c gram.Compiler) (gram.Program[F], error) {
	var p any
	var err error
	switch any(*new(F)).(type) {
	case float64:
		p, err = c.Program64()
	default:
		p, err = c.Program32()
	}
	if err != nil {
		return nil, err
	}
	return p.(gram.Program[F]), nil
}
