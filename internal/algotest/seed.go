package algotest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// AnyStage stands alone in Subject.Random where the stages that draw are those of
// other packages.
const AnyStage = "any"

var number = regexp.MustCompile(`[0-9]+`)

// stage names what draws a stream: the labels of rng.Derive from the seed of the
// run on, with # for numbers, and "seed" for the seed of the run itself.
func stage(d rng.Draw) string {
	if len(d.Path) == 0 {
		return "seed"
	}
	return number.ReplaceAllString(strings.Join(d.Path, "/"), "#")
}

// seeds checks the draws of a fit.
func (s Subject) seeds(t *testing.T) {
	d := Problem(10, 250, 4, 3)
	for _, x := range []mat.Matrix{d.X, sparse.FromDense(d.X)} {
		d.X = x
		Draws(t, fmt.Sprintf("%T", x), s.Random, s.Redrawn, func(run gram.Run) { s.fit(t, d, run) })
	}
}

// Draws runs f and checks that each stream that it draws follows from the seed
// that it is given, so that another seed changes every draw; that no stream is
// made twice except by the stages redrawn, so that stages do not share one; and
// that the stages that draw are those of random, which are named by the labels of
// rng.Derive: see stage.
func Draws(t *testing.T, what string, random, redrawn []string, f func(run gram.Run)) {
	t.Helper()
	const seed = 0x9d1f_0b5c_77e2_4a63 // none that code would have by chance
	found, foreign, again := map[string]bool{}, map[uint64]bool{}, map[string]bool{}
	drawn := map[[2]uint64]bool{}
	for _, w := range rng.Record(seed, func() { f(gram.Run{Seed: seed, Workers: 2}) }) {
		if w.Foreign {
			foreign[w.Seed] = true
			continue
		}
		name, key := stage(w), [2]uint64{w.Seed, w.Stream}
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
