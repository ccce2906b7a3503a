// Package draws lets tests see which streams of random numbers a computation makes.
package draws

import "sync/atomic"

// Trace receives every stream and every derived seed of package rng if it is set. Only tests set
// it, and it changes no stream.
var Trace atomic.Pointer[Tracer]

// Tracer holds the functions of Trace, which any goroutine may call.
type Tracer struct {
	New    func(seed, stream uint64)
	Derive func(seed uint64, part string, derived uint64)
}
