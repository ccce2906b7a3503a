package num

import "testing"

// Overlap of all pairs of small views is what a list of their elements says where the strides are
// equal, and never less than that.
func TestOverlap(t *testing.T) {
	memory := make([]float64, 24)
	var views []Rows[float64]
	var places [][]bool
	for first := range 8 {
		for n := range 3 {
			for d := range 4 {
				for stride := max(1, d); stride <= 5; stride++ {
					v := Rows[float64]{Data: memory[first:], N: n, D: d, Stride: stride}
					in := make([]bool, len(memory))
					for i := range n {
						for j := range d {
							in[first+i*stride+j] = true
						}
					}
					views, places = append(views, v), append(places, in)
				}
			}
		}
	}
	for i, a := range views {
		for j, b := range views {
			common := false
			for k, in := range places[i] {
				common = common || in && places[j][k]
			}
			if got := Overlap(a, b); got != common && (common || a.Stride == b.Stride) {
				t.Fatalf("Overlap of %d×%d, stride %d, at %d and %d×%d, stride %d, at %d is %v",
					a.N, a.D, a.Stride, len(memory)-len(a.Data), b.N, b.D, b.Stride, len(memory)-len(b.Data), got)
			}
		}
	}
}
