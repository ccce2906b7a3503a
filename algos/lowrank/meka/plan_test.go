package meka

import (
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/kernel"
)

// Where the links are what takes most, the peak is that of the basis, of the maps and of
// the matrices of their order: two, or six with a repair. Their eigendecomposition is what
// a repair adds to the work, and a certificate takes no more memory than its samples.
func TestPlanOfLinks(t *testing.T) {
	const n, d, clusters, k = 4000, 3, 20, 100
	const r, m, v = clusters * k, 2 * k, 3 * k // Columns is 2, Rho 2
	s := gram.Shape{N: n, D: d, Outputs: 1}
	c := Config{Kernel: kernel.Gaussian{Gamma: 1}, Clusters: clusters, Rank: k, Columns: 2, Rho: gram.Set(2.), Run: gram.Run{Workers: 1}}
	var flops [2]float64
	for i, without := range []bool{true, false} {
		c.NoRepair = without
		p, err := c.Plan(s)
		if err != nil {
			t.Fatal(err)
		}
		flops[i] = p.Flops
		matrices, model := int64(2), int64(1)
		if !without {
			matrices, model = 6, 2
		}
		kept := int64(16*n + 8*n*k + 8*clusters*(2*m*d+m*k))
		if want := kept + clusters*8*v*(2*d+k) + matrices*8*r*r; p.PeakBytes != want || p.ModelBytes != kept+model*8*r*r {
			t.Errorf("repair %t: %d bytes at most and %d in the model, want %d and %d", !without, p.PeakBytes, p.ModelBytes, want, kept+model*8*r*r)
		}
	}
	if extra := flops[1] - flops[0]; extra != 10*r*r*r {
		t.Errorf("a repair takes %g flops, want %g", extra, 10.*r*r*r)
	}
}
