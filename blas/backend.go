package blas

import (
	"reflect"
	"sync"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	bgonum "gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/lapack"
	lgonum "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Backend is an implementation of BLAS and LAPACK. Its methods may be called
// from any number of goroutines.
type Backend interface {
	// Name is a short name in lower case.
	Name() string
	Float64() gblas.Float64
	Float32() gblas.Float32
	Lapack() lapack.Float64
	// SetThreads sets how many threads one call may use; 0 means as many as
	// GOMAXPROCS. A backend without such a setting ignores it. It must not be
	// called while other calls run.
	SetThreads(n int)
}

// Native is the default: level 3 and the main routines of levels 1 and 2 on this
// module's kernels, gonum's implementation for the rest.
var Native Backend = &nativeBackend{}

// Gonum is gonum's pure Go implementation. Its products use GOMAXPROCS
// goroutines whatever SetThreads says.
var Gonum Backend = pure{}

type pure struct{}

func (pure) Name() string           { return "gonum" }
func (pure) Float64() gblas.Float64 { return bgonum.Implementation{} }
func (pure) Float32() gblas.Float32 { return bgonum.Implementation{} }
func (pure) Lapack() lapack.Float64 { return lgonum.Implementation{} }
func (pure) SetThreads(int)         {}

// foreign is what the program has installed in blas64 or blas32 by itself.
type foreign struct {
	f64 gblas.Float64
	f32 gblas.Float32
	// under is the backend that was installed before, of which one of the two and
	// LAPACK may still be in use; nil if there was none.
	underlying Backend
}

func (foreign) Name() string             { return "foreign" }
func (f foreign) Float64() gblas.Float64 { return f.f64 }
func (f foreign) Float32() gblas.Float32 { return f.f32 }

func (f foreign) Lapack() lapack.Float64 {
	if f.underlying != nil {
		return f.underlying.Lapack()
	}
	return lgonum.Implementation{}
}

func (f foreign) SetThreads(n int) {
	if f.underlying != nil {
		f.underlying.SetThreads(n)
	}
}

var (
	mu       sync.Mutex
	selected Backend // that was installed by Use; nil if the program came first
)

func init() {
	_, plain64 := blas64.Implementation().(bgonum.Implementation)
	_, plain32 := blas32.Implementation().(bgonum.Implementation)
	if plain64 && plain32 {
		Use(Native)
	}
}

// Use makes b the backend of gonum's blas64, blas32 and lapack64 and with them
// of this module. It must be called before other goroutines use any of them.
func Use(b Backend) {
	if b == nil {
		panic("blas: nil backend")
	}
	mu.Lock()
	defer mu.Unlock()
	selected = b
	blas64.Use(b.Float64())
	blas32.Use(b.Float32())
	lapack64.Use(b.Lapack())
}

// Current returns the backend in use: the one that was given to Use, unless the
// program has since then, or before this package was initialized, put an
// implementation of its own into blas64 or blas32. Those are left in place then, and
// Current returns a Backend named "foreign" that consists of them. Its SetThreads
// reaches what is still in use of the backend before and nothing else.
func Current() Backend {
	mu.Lock()
	defer mu.Unlock()
	f64, f32 := blas64.Implementation(), blas32.Implementation()
	if selected != nil && equal(f64, selected.Float64()) && equal(f32, selected.Float32()) {
		return selected
	}
	return foreign{f64, f32, selected}
}

// equal reports whether two implementations are the same. Of a type whose values
// cannot be compared there is taken to be one.
func equal(a, b any) bool {
	t := reflect.TypeOf(a)
	return t == reflect.TypeOf(b) && (!t.Comparable() || a == b)
}

// SetThreads sets the largest number of threads of a call to the backend in use; 0 stands for GOMAXPROCS.
func SetThreads(n int) { Current().SetThreads(n) }
