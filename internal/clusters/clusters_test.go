package clusters

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram/num/rng"
)

// Samples are different indices in ascending order and depend on the seed.
func TestSample(t *testing.T) {
	s := Sample(50, 20, rng.New(1, 0))
	if len(s) != 20 || !slices.IsSorted(s) || len(slices.Compact(slices.Clone(s))) != 20 || s[0] < 0 || s[19] >= 50 {
		t.Errorf("the sample %v", s)
	}
	if slices.Equal(s, Sample(50, 20, rng.New(2, 0))) {
		t.Error("the same sample for another seed")
	}
}

// Draws have the frequencies of the masses. Without a finite positive sum there is no
// draw.
func TestDraw(t *testing.T) {
	r := rng.New(3, 0)
	count := make([]int, 4)
	for range 6000 {
		count[Draw([]float64{0, 1, 0, 2}, r)]++
	}
	if count[0] != 0 || count[2] != 0 || count[1] < 1800 || count[1] > 2200 {
		t.Errorf("draws %v for the masses 0, 1, 0 and 2", count)
	}
	for _, mass := range [][]float64{nil, {0, 0}, {math.NaN()}, {math.Inf(1)}} {
		if i := Draw(mass, r); i != -1 {
			t.Errorf("%d is drawn from %v", i, mass)
		}
	}
}

func TestObjective(t *testing.T) {
	if o := Objective(nil, []float64{1, 2, 4}); o != 7 {
		t.Errorf("objective %g without weights", o)
	}
	if o := Objective([]float64{0, 3, 1}, []float64{1, 2, 4}); o != 10 {
		t.Errorf("objective %g with weights", o)
	}
}

func TestSizes(t *testing.T) {
	if s := Sizes([]int{2, 0, -1, 2}, 4); !slices.Equal(s, []int{1, 0, 2, 0}) {
		t.Errorf("sizes %v", s)
	}
}
