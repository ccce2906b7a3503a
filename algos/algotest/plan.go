package algotest

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/gramworks/gram"
)

// plan checks that a plan grows with the problem, that it gives the size of the
// model, and that its numbers are those of its fingerprint, whatever the goroutines of the machine.
func (s Subject) plan(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(5))
	plan := func(shape gram.Shape) gram.Plan {
		t.Helper()
		r := run
		r.Workers = 2
		p, err := s.Plan(shape, r)
		if err != nil {
			t.Fatalf("%+v: %v", shape, err)
		}
		if !(p.Flops > 0) || math.IsInf(p.Flops, 0) || p.PeakBytes <= 0 || p.ModelBytes <= 0 || p.Description == "" {
			t.Errorf("%+v: the plan is %+v", shape, p)
		}
		return p
	}
	base := gram.Shape{N: 4000, D: 16, Outputs: 3}
	var items []any
	var first gram.Plan
	for i, shape := range []gram.Shape{
		base,
		{N: 8000, D: 16, Outputs: 3},
		{N: 4000, D: 32, Outputs: 3},
		{N: 4000, D: 16, Outputs: 6},
		{N: 4000, D: 16, Outputs: 3, NNZ: 4000},
		{N: 100_000, D: 300, Outputs: 3},
		{N: 100_000, D: 300, Outputs: 10, NNZ: 2_000_000},
	} {
		p := plan(shape)
		items = append(items, fmt.Sprintf("%d×%d,outputs=%d,nnz=%d", shape.N, shape.D, shape.Outputs, shape.NNZ),
			fmt.Sprintf("flops %.12g peak %d model %d kernel %t: %s", p.Flops, p.PeakBytes, p.ModelBytes, p.FullKernel, p.Description))
		switch {
		case i == 0:
			first = p
		case i < 4 && !(p.Flops >= first.Flops && p.Flops <= 8.01*first.Flops), // one size is doubled, and no method takes the fourth power of a size
			i == 4 && !(p.Flops <= first.Flops): // sparse rows
			t.Errorf("%+v: %.4g flops, %.4g for %+v", shape, p.Flops, first.Flops, base)
		}
	}
	Fingerprint(t, items...)
	if s.Decode == nil || testing.Short() {
		return
	}
	// A file also has a header, and the data determine the numbers of support
	// vectors, trees and clusters.
	d := Problem(9, 1500, 8, 3)
	shape := gram.Shape{N: 1500, D: 8, Outputs: 3}
	switch s.Kind {
	case Regression:
		shape.Outputs = 1
	case MultiLabel:
		shape.Outputs = d.Tags.D
	}
	const header = 2 << 10
	factor := max(2, s.Kept)
	want, got := float64(plan(shape).ModelBytes), float64(len(s.bytes(t, s.fit(t, d, run))))
	if want > factor*got+header || !(got <= 2.5*want+header) {
		t.Errorf("the plan says that the model takes %.0f bytes, its file has %.0f", want, got)
	}
}
