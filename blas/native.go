package blas

import (
	"runtime"
	"sync/atomic"

	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/tuning"
	gblas "gonum.org/v1/gonum/blas"
	bgonum "gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/lapack"
)

// nativeBackend is the type of Native. threads is the largest number of goroutines of a call; 0 stands for GOMAXPROCS.
type nativeBackend struct{ threads atomic.Int32 }

// Name returns "native", under which reports name the backend.
func (*nativeBackend) Name() string { return "native" }

// Float64 returns the BLAS routines for float64, which share the number of threads with those for float32.
func (b *nativeBackend) Float64() gblas.Float64 { return implementation{b: b} }

// Float32 returns the BLAS routines for float32, which share the number of threads with those for float64.
func (b *nativeBackend) Float32() gblas.Float32 { return implementation{b: b} }

// Lapack returns gonum's LAPACK for float64 with the routines of this package in place of some.
func (b *nativeBackend) Lapack() lapack.Float64 { return nativeLapack{b: b} }

// SetThreads sets the largest number of goroutines of a call; 0 stands for GOMAXPROCS.
func (b *nativeBackend) SetThreads(n int) {
	if n < 0 {
		panic("blas: negative number of threads")
	}
	b.threads.Store(int32(n))
}

// leastShared is the least limit that a profile can set; less work is decided
// without a look at it.
const leastShared = 1 << 10

// asleep is how many times more work a call must have to wake other goroutines than
// to share it with those that are awake.
const asleep = 4

// workers returns how many goroutines a call with this many multiply-adds may
// use. Below a limit it stays on its own: to wake another one takes 10 to 100 µs.
func (b *nativeBackend) workers(limit tuning.Parameter, work float64) int {
	if work < leastShared {
		return 1
	}
	if least := float64(tuning.Current()[limit]); work < least || work < asleep*least && !par.Awake() {
		return 1
	}
	if n := int(b.threads.Load()); n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// implementation is gonum's with the routines below replaced.
type implementation struct {
	bgonum.Implementation
	b *nativeBackend
}
