package rng

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Draw is a stream that was made while Record ran.
type Draw struct {
	Seed, Stream uint64
	// Path is how Seed follows from the seed that Record was given: the labels of
	// Derive from the first to the last. It is empty for that seed itself.
	Path []string
	// Foreign is true for a seed that does not follow from the one given.
	Foreign bool
}

// Record runs f and returns the streams that were made meanwhile by any
// goroutine, in no fixed order. It is for tests of code that has seed, and one
// test at a time.
func Record(seed uint64, f func()) []Draw {
	r := &recorder{paths: map[uint64][]string{seed: {}}}
	if !recording.CompareAndSwap(nil, r) {
		panic("rng: two records at a time")
	}
	defer recording.Store(nil)
	f()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.draws
}

// recording is nil except while Record runs, that is, in tests. It changes no
// stream.
var recording atomic.Pointer[recorder]

type recorder struct {
	mu    sync.Mutex
	paths map[uint64][]string // from a seed to the labels that lead to it
	draws []Draw
}

func (r *recorder) derived(from uint64, part string, to uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if path, known := r.paths[from]; known {
		r.paths[to] = append(slices.Clip(path), part)
	}
}

func (r *recorder) drawn(seed, stream uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	path, known := r.paths[seed]
	r.draws = append(r.draws, Draw{Seed: seed, Stream: stream, Path: path, Foreign: !known})
}
