package eig

import (
	"slices"
	"testing"
)

// The best values come first, by their size or by their magnitude, and equal ones stay in
// their order.
func TestOrder(t *testing.T) {
	values := []float64{3, -5, -1, 4, 0, 5, 3, -3}
	for magnitude, want := range map[bool][]int{false: {5, 3, 0, 6, 4, 2, 7, 1}, true: {1, 5, 3, 0, 6, 7, 2, 4}} {
		if got := (&Options{Magnitude: magnitude}).order(values); !slices.Equal(got, want) {
			t.Errorf("magnitude %t: order %v, want %v", magnitude, got, want)
		}
	}
}
