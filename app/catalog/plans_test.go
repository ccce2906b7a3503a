package catalog_test

import (
	"fmt"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/dataset"
)

// A setting that asks for more bytes than can be counted has a plan that every limit refuses: with the
// largest settings that a method takes, its plan is neither negative nor below that of large ones.
func TestPlansOfHugeSettings(t *testing.T) {
	seen := 0
	for _, m := range catalog.Methods() {
		outputs := 3
		if m.Tasks[0] == dataset.Regression {
			outputs = 1
		}
		shape := gram.Shape{N: 1 << 20, D: 100, Outputs: outputs}
		plan := func(set string) (gram.Plan, bool) {
			f := m.New()
			if f.Settings().Set(set) != nil {
				return gram.Plan{}, false
			}
			p, err := f.Plan(m.Tasks[0], shape, gram.Run{Workers: 2})
			return p, err == nil
		}
		for _, s := range m.New().Settings().Settings {
			if s.Kind != "integer" || s.Name == "leaf" || s.Name == "min-rows" { // more of these is less to keep
				continue
			}
			var before gram.Plan
			for bits := 20; bits < 62; bits += 3 {
				p, ok := plan(fmt.Sprintf("%s=%d", s.Name, int64(1)<<bits))
				if !ok {
					break
				}
				seen++
				if p.PeakBytes < before.PeakBytes || p.ModelBytes < 0 {
					t.Errorf("%s, %s=2^%d: %d bytes, a model of %d; 2^%d: %d", m.Name, s.Name, bits, p.PeakBytes, p.ModelBytes, bits-3, before.PeakBytes)
					break
				}
				before = p
			}
		}
	}
	if seen < 500 {
		t.Errorf("only %d plans", seen)
	}
}
