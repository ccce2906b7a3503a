//go:build cgo

// The package capi is the C interface of the module. Built as a shared library it has the
// functions that gram.h describes:
//
//	go build -buildmode=c-shared -o libgram.so ./app/capi
//
// The functions take views of the caller's memory, check them, call the packages of the
// module, and return a status with a message. A panic becomes a status, too. Models are
// handles: C never holds a Go pointer.
package main

/*
#define GRAM_TYPES_ONLY
#include "gram.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// main is not called: the package is built as a library.
func main() {}

// handles holds what C knows by numbers. A number is not used again.
var handles struct {
	last   atomic.Uint64
	values sync.Map // uint64 → any
}

func newHandle(v any) C.uint64_t {
	h := handles.last.Add(1)
	handles.values.Store(h, v)
	return C.uint64_t(h)
}

func release(h C.uint64_t) { handles.values.Delete(uint64(h)) }

// at returns the value of a handle; what names its kind in the error.
func at[T any](h C.uint64_t, what string) (v T, err error) {
	held, _ := handles.values.Load(uint64(h))
	v, ok := held.(T)
	if !ok {
		return v, invalid("%d is no %s, or one that was released", uint64(h), what)
	}
	return v, nil
}

// invalidError is a mistake in a call, which C sees as GRAM_INVALID.
type invalidError string

// Error returns the message.
func (e invalidError) Error() string { return string(e) }

func invalid(format string, args ...any) error { return invalidError(fmt.Sprintf(format, args...)) }

// call runs f and returns the status of its error, whose message goes to e.
func call(e *C.gram_error, f func() error) (status C.gram_status) {
	defer func() {
		if p := recover(); p != nil {
			if text, ok := p.(string); ok { // a shape that a package refuses
				status = report(e, C.GRAM_INVALID, text)
				return
			}
			status = report(e, C.GRAM_INTERNAL, fmt.Sprint(p))
		}
	}()
	err := f()
	if err == nil {
		return report(e, C.GRAM_OK, "")
	}
	return report(e, statusOf(err), err.Error())
}

// statusOf returns the status that tells C of which kind an error is: GRAM_FAILED if it is of none of the kinds with a status of
// their own.
func statusOf(err error) C.gram_status {
	var (
		mistake invalidError
		config  *gram.ConfigError
		data    *gram.DataError
		memory  *gram.MemoryError
		notPD   *gram.NotPDError
		slow    *gram.ConvergenceError
	)
	switch {
	case errors.As(err, &mistake), errors.As(err, &config):
		return C.GRAM_INVALID
	case errors.As(err, &data):
		return C.GRAM_DATA
	case errors.As(err, &memory):
		return C.GRAM_MEMORY
	case errors.As(err, &notPD):
		return C.GRAM_NOT_DEFINITE
	case errors.As(err, &slow):
		return C.GRAM_NOT_CONVERGED
	case errors.Is(err, context.Canceled):
		return C.GRAM_CANCELED
	}
	return C.GRAM_FAILED
}

// report copies a message to e and returns the status.
func report(e *C.gram_error, status C.gram_status, text string) C.gram_status {
	if e != nil {
		room := unsafe.Slice((*byte)(unsafe.Pointer(&e.message[0])), len(e.message))
		room[copyText(room[:len(room)-1], text)] = 0
	}
	return status
}

// copyText copies as many whole characters of s as fit, and returns the number of bytes.
func copyText(dst []byte, s string) int {
	n := min(len(s), len(dst))
	for n < len(s) && n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return copy(dst[:n], s)
}

// number returns v as an int, from 0 on.
func number(name string, v C.int64_t) (int, error) {
	if v < 0 || int64(int(v)) != int64(v) {
		return 0, invalid("%s is %d, want a number from 0 on", name, int64(v))
	}
	return int(v), nil
}

// array returns the n elements at p, which must be aligned to them.
func array[T any](name string, p unsafe.Pointer, n int) ([]T, error) {
	var element T
	switch size, align := unsafe.Sizeof(element), unsafe.Alignof(element); {
	case n == 0:
		return []T{}, nil
	case p == nil:
		return nil, invalid("%s is NULL", name)
	case uintptr(p)%align != 0:
		return nil, invalid("%s is not aligned to %d bytes", name, align)
	case uint64(n) > math.MaxInt/uint64(size):
		return nil, invalid("%s has %d elements, which no memory holds", name, n)
	}
	return unsafe.Slice((*T)(p), n), nil
}

// outputs returns the caller's memory at p as n·k elements; errors call the argument by its name.
func outputs[T any](name string, p unsafe.Pointer, n, k int) ([]T, error) {
	if k > 0 && n > math.MaxInt/k {
		return nil, invalid("%s has %d×%d elements, which no memory holds", name, n, k)
	}
	return array[T](name, p, n*k)
}

// dense returns the dense rows of m, which has numbers of type F.
func dense[F gram.Float](name string, m *C.gram_matrix) (gram.Rows[F], error) {
	none := gram.Rows[F]{}
	n, d, err := shape(name, m)
	if err != nil {
		return none, err
	}
	if m.ptr != nil {
		return none, invalid("%s is sparse, want dense rows", name)
	}
	stride, err := number(name+".stride", m.stride)
	if err != nil {
		return none, err
	}
	if n > 0 && d == 0 {
		return none, invalid("%s has no columns", name)
	}
	if stride == 0 {
		stride = max(1, d)
	}
	if stride < d {
		return none, invalid("%s.stride is %d, want at least %d", name, stride, d)
	}
	if n > 1 && (n-1) > (math.MaxInt-d)/stride {
		return none, invalid("%s has %d rows of %d elements, which no memory holds", name, n, stride)
	}
	length := 0
	if n > 0 && d > 0 {
		length = (n-1)*stride + d
	}
	data, err := array[F](name+".data", m.data, length)
	return gram.Rows[F]{Data: data, N: n, D: d, Stride: stride}, err
}

func shape(name string, m *C.gram_matrix) (n, d int, err error) {
	if m == nil {
		return 0, 0, invalid("%s is NULL", name)
	}
	if m._type != C.GRAM_FLOAT64 && m._type != C.GRAM_FLOAT32 {
		return 0, 0, invalid("%s.type is %d, want GRAM_FLOAT64 or GRAM_FLOAT32", name, int32(m._type))
	}
	if n, err = number(name+".n", m.n); err == nil {
		d, err = number(name+".d", m.d)
	}
	return n, d, err
}

// compressed returns the sparse rows of m, which have been checked.
func compressed(name string, m *C.gram_matrix) (*sparse.CSR, error) {
	n, d, err := shape(name, m)
	if err != nil {
		return nil, err
	}
	if m.ptr == nil {
		return nil, invalid("%s is dense, want sparse rows", name)
	}
	if m._type != C.GRAM_FLOAT64 {
		return nil, invalid("%s has float32 values, want float64 for sparse rows", name)
	}
	if n == math.MaxInt {
		return nil, invalid("%s has too many rows", name)
	}
	starts, err := array[int64](name+".ptr", unsafe.Pointer(m.ptr), n+1)
	if err != nil {
		return nil, err
	}
	a := &sparse.CSR{N: n, D: d}
	if unsafe.Sizeof(0) == unsafe.Sizeof(starts[0]) {
		a.Ptr = unsafe.Slice((*int)(unsafe.Pointer(&starts[0])), n+1)
	} else {
		a.Ptr = make([]int, n+1)
		for i, v := range starts {
			if a.Ptr[i], err = number(name+".ptr", C.int64_t(v)); err != nil {
				return nil, err
			}
		}
	}
	entries, err := number(name+".ptr", C.int64_t(starts[n]))
	if err != nil {
		return nil, err
	}
	if a.Col, err = array[int32](name+".col", unsafe.Pointer(m.col), entries); err != nil {
		return nil, err
	}
	if m.data != nil {
		if a.Val, err = array[float64](name+".data", m.data, entries); err != nil {
			return nil, err
		}
	}
	if err := a.Validate(); err != nil {
		return nil, invalid("%s: %v", name, err)
	}
	return a, nil
}

// samples returns the rows of m in numbers of type F; dense rows must have that type.
func samples[F gram.Float](name string, m *C.gram_matrix) (gram.Samples[F], error) {
	if m != nil && m.ptr != nil {
		a, err := compressed(name, m)
		if err != nil {
			return gram.Samples[F]{}, err
		}
		return gram.Sparse[F](a), nil
	}
	r, err := dense[F](name, m)
	return gram.Dense(r), err
}

// single reports whether m has dense rows of float32.
func single(m *C.gram_matrix) bool {
	return m != nil && m.ptr == nil && m._type == C.GRAM_FLOAT32
}

// matrix returns the rows of m in float64; those of float32 are copied.
func matrix(name string, m *C.gram_matrix) (mat.Matrix, error) {
	if !single(m) {
		if m != nil && m.ptr != nil {
			return compressed(name, m)
		}
		s, err := samples[float64](name, m)
		if err != nil || s.N() == 0 {
			return s, err
		}
		if r, _ := s.Dense(); r.D > 0 {
			return gram.Matrix(s), nil
		}
		return s, nil
	}
	r, err := dense[float32](name, m)
	if err != nil {
		return nil, err
	}
	return widened(r), nil
}

// widened returns a copy of r in float64.
func widened(r gram.Rows[float32]) gram.Samples[float64] {
	w := gram.MakeRows[float64](r.N, r.D)
	for i := range r.N {
		to := w.Row(i)
		for j, v := range r.Row(i) {
			to[j] = float64(v)
		}
	}
	return gram.Dense(w)
}

// texts returns the strings of an array that ends with NULL.
func texts(p **C.char) []string {
	var all []string
	for ; p != nil && *p != nil; p = (**C.char)(unsafe.Add(unsafe.Pointer(p), unsafe.Sizeof(*p))) {
		all = append(all, C.GoString(*p))
	}
	return all
}

//export gram_version
func gram_version(text *C.char, size C.int64_t) {
	if text == nil || size <= 0 {
		return
	}
	v := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	room := unsafe.Slice((*byte)(unsafe.Pointer(text)), min(size, 256))
	room[copyText(room[:len(room)-1], v+" "+runtime.Version())] = 0
}

//export gram_api
func gram_api() C.int32_t { return C.GRAM_API }
