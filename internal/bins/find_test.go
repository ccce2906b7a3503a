package bins

import (
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram/num/rng"
)

// The bin of a number is the number of cuts that are less than it: of cuts in all places, numbers at them and beside them, and
// numbers that are not finite.
func TestFinder(t *testing.T) {
	r := rng.New(13, 0)
	draws := map[string]func(i int) float64{
		"normal":     func(int) float64 { return r.NormFloat64() },
		"uniform":    func(int) float64 { return r.Float64() },
		"integers":   func(i int) float64 { return float64(i) + .5 },
		"pairs":      func(i int) float64 { return float64(i/2) + float64(i%2)*1e-13 },
		"fours":      func(i int) float64 { return 1e9 + float64(i/crowd) + float64(i%crowd)*1e-6 },
		"fives":      func(i int) float64 { return float64(i/(crowd+1)) + float64(i%(crowd+1))*1e-13 },
		"magnitudes": func(int) float64 { return r.NormFloat64() * math.Pow(10, float64(r.IntN(600)-300)) },
		"tiny":       func(i int) float64 { return float64(i) * 5e-324 },
		"huge":       func(i int) float64 { return (float64(i) - 20) * 1e306 },
		"infinite":   func(i int) float64 { return []float64{math.Inf(-1), 1, 2, 3}[i%4] + float64(i) },
		"far":        func(i int) float64 { return 1 + float64(i)*0x1p-52 },
	}
	grids := map[string]int{}
	for name, draw := range draws {
		for _, n := range []int{0, 1, 2, fewestCuts - 1, fewestCuts, 31, 254, mostCuts, mostCuts + 1, 1000} {
			var cuts []float64
			for i := range n {
				cuts = append(cuts, draw(i))
			}
			slices.Sort(cuts)
			cuts = slices.Compact(cuts)
			f := newFinder(cuts)
			if f.before != nil {
				grids[name]++
			}
			values := []float64{math.Inf(-1), -math.MaxFloat64, -1, math.Copysign(0, -1), 0, 5e-324, 1, math.MaxFloat64, math.Inf(1), math.NaN()}
			for i, c := range cuts {
				values = append(values, c, math.Nextafter(c, math.Inf(-1)), math.Nextafter(c, math.Inf(1)), draw(i))
			}
			for _, v := range values {
				want := 0
				for _, c := range cuts {
					if c < v {
						want++
					}
				}
				if got := f.bin(v); got != want {
					t.Fatalf("%s, %d cuts: %g is in bin %d, want %d; a grid: %v", name, len(cuts), v, got, want, f.before != nil)
				}
			}
		}
	}
	for _, name := range []string{"normal", "uniform", "integers", "pairs", "fours", "far"} {
		if grids[name] < 2 {
			t.Errorf("%s cuts have a grid for %d numbers of them", name, grids[name])
		}
	}
	for _, name := range []string{"fives", "magnitudes"} {
		if grids[name] > 1 {
			t.Errorf("%s cuts have a grid for %d numbers of them", name, grids[name])
		}
	}
}
