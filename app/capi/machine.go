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
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
)

//export gram_iterations
func gram_iterations(h C.gram_model, iterations *C.int64_t, room C.int64_t, count *C.int64_t, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		m, err := at[*pipeline.Model](h, "model that predicts")
		if err != nil {
			return err
		}
		if count == nil {
			return invalid("the place of the number of iterations is NULL")
		}
		n, err := number("room", room)
		if err != nil {
			return err
		}
		to, err := array[int64]("iterations", unsafe.Pointer(iterations), n)
		if err != nil {
			return err
		}
		all := catalog.Iterations(m.Model)
		for i, v := range all[:min(n, len(all))] {
			to[i] = int64(v)
		}
		*count = C.int64_t(len(all))
		return nil
	})
}

// machine is a model that is a support vector machine.
type machine interface {
	Stored() (points gram.Samples[float64], coef gram.Rows[float64], counts []int, bias []float64)
	Support() []int
}

// machineOf returns the machine of a handle and the model whose it is.
func machineOf(h C.gram_model) (machine, *pipeline.Model, error) {
	m, err := at[*pipeline.Model](h, "model that predicts")
	if err != nil {
		return nil, nil, err
	}
	s, is := m.Model.(machine)
	if !is {
		return nil, nil, invalid("a model of %s is no support vector machine", m.Method)
	}
	return s, m, nil
}

//export gram_machine_size
func gram_machine_size(h C.gram_model, vectors, columns, width, functions *C.int64_t, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		s, _, err := machineOf(h)
		if err != nil {
			return err
		}
		if vectors == nil || columns == nil || width == nil || functions == nil {
			return invalid("the place of a size is NULL")
		}
		points, coef, _, bias := s.Stored()
		n, d := points.Dims()
		*vectors, *columns, *width, *functions = C.int64_t(n), C.int64_t(d), C.int64_t(coef.D), C.int64_t(len(bias))
		return nil
	})
}

//export gram_machine
func gram_machine(h C.gram_model, rows *C.int64_t, points, coefficients *C.double, counts *C.int64_t, constants *C.double, e *C.gram_error) C.gram_status {
	return call(e, func() error {
		s, m, err := machineOf(h)
		if err != nil {
			return err
		}
		vectors, coef, perClass, bias := s.Stored()
		n, d := vectors.Dims()
		if points != nil {
			to, err := outputs[float64]("points", unsafe.Pointer(points), n, d)
			if err != nil {
				return err
			}
			for i := range n {
				vectors.CopyRow(to[i*d:(i+1)*d], i)
			}
		}
		if coefficients != nil {
			to, err := outputs[float64]("coefficients", unsafe.Pointer(coefficients), n, coef.D)
			if err != nil {
				return err
			}
			for i := range n {
				copy(to[i*coef.D:], coef.Row(i))
			}
		}
		if constants != nil {
			to, err := array[float64]("constants", unsafe.Pointer(constants), len(bias))
			if err != nil {
				return err
			}
			copy(to, bias)
		}
		if err := wholes("rows", rows, s.Support(), n); err != nil {
			return err
		}
		return wholes("counts", counts, perClass, len(m.Names))
	})
}

// wholes writes n numbers, −1 if they are not known, unless there is no place for them.
func wholes(name string, place *C.int64_t, from []int, n int) error {
	if place == nil {
		return nil
	}
	to, err := array[int64](name, unsafe.Pointer(place), n)
	if err != nil {
		return err
	}
	for i := range to {
		to[i] = -1
		if from != nil {
			to[i] = int64(from[i])
		}
	}
	return nil
}
