// Package rng makes the streams of random numbers of the module.
package rng

import (
	"math/rand/v2"

	"github.com/gramworks/gram/internal/draws"
)

// New returns the stream of seed with the given number (PCG-DXSM). Code that
// works on blocks uses one stream per block, with the number of the block, so
// that results do not depend on which goroutine does the work.
func New(seed, stream uint64) *rand.Rand {
	if t := draws.Trace.Load(); t != nil {
		t.New(seed, stream)
	}
	return rand.New(rand.NewPCG(mix(seed), mix(^stream)))
}

// Derive returns a seed for a named part of a computation that has the given
// seed, so that the parts of a method draw from unrelated streams.
func Derive(seed uint64, part string) uint64 {
	h := mix(seed)
	for i := range len(part) {
		h = mix(h ^ uint64(part[i]))
	}
	if t := draws.Trace.Load(); t != nil {
		t.Derive(seed, part, h)
	}
	return h
}

// mix is the output function of SplitMix64 (Steele, Lea, Flood 2014): similar
// inputs give unrelated outputs.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
