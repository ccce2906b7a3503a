//go:build cgo

package main

/*
#define GRAM_TYPES_ONLY
#include "gram.h"
*/
import "C"

import (
	"unsafe"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/cholupdate"
	"github.com/gramworks/gram/fwht"
	"github.com/gramworks/gram/haar"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/blas"
)

//export gram_fwht
func gram_fwht(x *C.gram_matrix, kind C.int32_t, workers C.int64_t, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		if single(x) {
			return transform(x, kind, workers, hadamard[float32])
		}
		return transform(x, kind, workers, hadamard[float64])
	})
}

//export gram_haar
func gram_haar(x *C.gram_matrix, kind C.int32_t, workers C.int64_t, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		if single(x) {
			return transform(x, kind, workers, wavelet[float32])
		}
		return transform(x, kind, workers, wavelet[float64])
	})
}

//export gram_fwht_length
func gram_fwht_length(n C.int64_t) (length C.int64_t) {
	defer func() {
		if recover() != nil { // a length that does not fit an int
			length = 0
		}
	}()
	m, err := number("n", n)
	if err != nil || m == 0 {
		return 0
	}
	return C.int64_t(fwht.NextLength(m))
}

func hadamard[F gram.Float](kind C.int32_t, d int) func(gram.Rows[F], int) {
	switch {
	case !fwht.Supported(d):
		return nil
	case kind == C.GRAM_TRANSFORM:
		return fwht.TransformRows[F]
	case kind == C.GRAM_ORTHONORMAL:
		return fwht.OrthonormalRows[F]
	case kind == C.GRAM_INVERSE:
		return fwht.InverseRows[F]
	case kind == C.GRAM_SEQUENCY && fwht.Pad(d) == d:
		return fwht.SequencyRows[F]
	}
	return nil
}

func wavelet[F gram.Float](kind C.int32_t, d int) func(gram.Rows[F], int) {
	if haar.Pad(d) != d {
		return nil
	}
	switch kind {
	case C.GRAM_TRANSFORM:
		return haar.TransformRows[F]
	case C.GRAM_ORTHONORMAL:
		return haar.OrthonormalRows[F]
	case C.GRAM_INVERSE:
		return haar.InverseRows[F]
	case C.GRAM_TRANSPOSE:
		return haar.TransposeRows[F]
	case C.GRAM_INVERSE_ORTHONORMAL:
		return haar.InverseOrthonormalRows[F]
	}
	return nil
}

// transform applies the transform that of returns for the kind and the length of the rows.
func transform[F gram.Float](x *C.gram_matrix, kind C.int32_t, workers C.int64_t, of func(kind C.int32_t, d int) func(gram.Rows[F], int)) error {
	rows, err := dense[F]("x", x)
	if err != nil {
		return err
	}
	w, err := number("workers", workers)
	if err != nil {
		return err
	}
	if rows.N == 0 {
		return nil
	}
	if rows.D == 0 {
		return invalid("x has no columns")
	}
	f := of(kind, rows.D)
	if f == nil {
		return invalid("there is no transform of kind %d for rows of %d numbers", int32(kind), rows.D)
	}
	f(rows, w)
	return nil
}

// chosen is a kernel that is chosen by settings.
type chosen struct{ kernel kernel.Kernel }

// Settings describes the setting kernel and the parameters of the kernels.
func (c *chosen) Settings(s *settings.Fields) { kernel.Setting(s, &c.kernel) }

//export gram_kernel
func gram_kernel(config **C.char, x, z, out *C.gram_matrix, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		if single(out) {
			return block[float32](texts(config), x, z, out)
		}
		return block[float64](texts(config), x, z, out)
	})
}

func block[F gram.Float](config []string, x, z, out *C.gram_matrix) error {
	a, err := typed[F]("x", x, out)
	if err != nil {
		return err
	}
	b, err := typed[F]("z", z, out)
	if err != nil {
		return err
	}
	to, err := dense[F]("out", out)
	if err != nil {
		return err
	}
	n, d := a.Dims()
	m, width := b.Dims()
	switch {
	case d != width:
		return invalid("x has %d columns, z has %d", d, width)
	case to.N != n || to.D != m:
		return invalid("out is %d×%d, want %d×%d", to.N, to.D, n, m)
	}
	var c chosen
	bound := settings.Bind(&c)
	if err := assigned(bound, config); err != nil {
		return err
	}
	if n == 0 || m == 0 {
		return nil
	}
	if d == 0 {
		return invalid("x has no columns")
	}
	if err := bound.Complete(b, 0); err != nil {
		return err
	}
	kernel.Against[F](c.kernel, b).Fill(to, a)
	return nil
}

// typed returns the samples of m, whose dense rows must have the type of out.
func typed[F gram.Float](name string, m, out *C.gram_matrix) (gram.Samples[F], error) {
	if m != nil && m.ptr == nil && single(m) != single(out) {
		return gram.Samples[F]{}, invalid("%s and out have different types", name)
	}
	return samples[F](name, m)
}

//export gram_cholesky_update
func gram_cholesky_update(factor *C.gram_matrix, lower C.int32_t, x unsafe.Pointer, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		if single(factor) {
			return update[float32](factor, lower, x)
		}
		return update[float64](factor, lower, x)
	})
}

func update[F gram.Float](factor *C.gram_matrix, lower C.int32_t, x unsafe.Pointer) error {
	l, v, err := triangle[F](factor, lower, x)
	if err != nil {
		return err
	}
	return cholupdate.Update(l, v)
}

//export gram_cholesky_downdate
func gram_cholesky_downdate(factor *C.gram_matrix, lower C.int32_t, x unsafe.Pointer, margin *C.double, e *C.gram_error) C.gram_status {
	return call(e, func() (err error) {
		var left float64
		if single(factor) {
			left, err = downdate[float32](factor, lower, x)
		} else {
			left, err = downdate[float64](factor, lower, x)
		}
		if err == nil && margin != nil {
			*margin = C.double(left)
		}
		return err
	})
}

func downdate[F gram.Float](factor *C.gram_matrix, lower C.int32_t, x unsafe.Pointer) (margin float64, err error) {
	l, v, err := triangle[F](factor, lower, x)
	if err != nil {
		return 0, err
	}
	return cholupdate.Downdate(l, v)
}

// triangle returns a factor and the vector of its length.
func triangle[F gram.Float](factor *C.gram_matrix, lower C.int32_t, x unsafe.Pointer) (t cholupdate.Triangular[F], v []F, err error) {
	l, err := dense[F]("factor", factor)
	if err != nil {
		return t, nil, err
	}
	if l.N != l.D {
		return t, nil, invalid("the factor is %d×%d, want a square", l.N, l.D)
	}
	if v, err = array[F]("x", x, l.N); err != nil {
		return t, nil, err
	}
	t = cholupdate.Triangular[F]{Uplo: blas.Upper, Diag: blas.NonUnit, N: l.N, Stride: l.Stride, Data: l.Data}
	if lower != 0 {
		t.Uplo = blas.Lower
	}
	return t, v, nil
}
