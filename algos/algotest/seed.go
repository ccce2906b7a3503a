package algotest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/draws"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// AnyStage is the only element of Subject.Random if the stages that draw belong
// to other packages.
const AnyStage = "any"

var number = regexp.MustCompile(`[0-9]+`)

// draw is a stream that was made. path has the labels of rng.Derive by which its
// seed follows from another seed, from the first to the last; it is nil if the
// seed does not.
type draw struct {
	seed, stream uint64
	path         []string
}

// record returns the streams that f makes, in no fixed order, with the paths of
// their seeds from seed.
func record(seed uint64, f func()) []draw {
	var (
		mu    sync.Mutex
		paths = map[uint64][]string{seed: {}}
		made  []draw
	)
	tracer := &draws.Tracer{
		New: func(seed, stream uint64) {
			mu.Lock()
			defer mu.Unlock()
			made = append(made, draw{seed, stream, paths[seed]})
		},
		Derive: func(seed uint64, part string, derived uint64) {
			mu.Lock()
			defer mu.Unlock()
			if path := paths[seed]; path != nil {
				paths[derived] = append(slices.Clip(path), part)
			}
		},
	}
	if !draws.Trace.CompareAndSwap(nil, tracer) {
		panic("algotest: two records at a time")
	}
	defer draws.Trace.Store(nil)
	f()
	return made
}

// stage returns the name of what draws a stream: its path with # in place of
// numbers, or "seed" if the path is empty.
func (d draw) stage() string {
	if len(d.path) == 0 {
		return "seed"
	}
	return number.ReplaceAllString(strings.Join(d.path, "/"), "#")
}

// seeds checks with Draws that a fit draws its random numbers from streams that follow from the seed, for dense and for sparse
// rows.
func (s Subject) seeds(t *testing.T) {
	d := Problem(10, 250, 4, 3)
	for _, x := range []mat.Matrix{d.X, sparse.FromDense(d.X)} {
		d.X = x
		Draws(t, fmt.Sprintf("%T", x), s.Random, s.Redrawn, func(run gram.Run) { s.fit(t, d, run) })
	}
}

// Draws runs f and checks three things: every stream that f draws follows from
// the given seed, so that another seed changes every draw; no stream is made
// twice except by the stages redrawn, so that stages do not share streams; and
// the stages that draw are those of random, named as stage does.
func Draws(t *testing.T, what string, random, redrawn []string, f func(run gram.Run)) {
	t.Helper()
	const seed = 0x9d1f_0b5c_77e2_4a63 // a number that code does not use by chance
	found, foreign, again := map[string]bool{}, map[uint64]bool{}, map[string]bool{}
	drawn := map[[2]uint64]bool{}
	for _, w := range record(seed, func() { f(gram.Run{Seed: seed, Workers: 2}) }) {
		if w.path == nil {
			foreign[w.seed] = true
			continue
		}
		name, key := w.stage(), [2]uint64{w.seed, w.stream}
		found[name] = true
		again[name] = again[name] || drawn[key]
		drawn[key] = true
	}
	for constant := range foreign {
		t.Errorf("%s: streams of seed %#x, which does not follow from the seed of the run", what, constant)
	}
	for name, twice := range again {
		if twice && !slices.Contains(redrawn, name) {
			t.Errorf("%s: %q makes the same stream twice, or two stages of this name share one", what, name)
		}
	}
	stages, want := slices.Sorted(maps.Keys(found)), slices.Sorted(slices.Values(random))
	if !slices.Equal(stages, want) && !slices.Equal(want, []string{AnyStage}) {
		t.Errorf("%s: %q draw random numbers, want %q", what, stages, want)
	}
}
