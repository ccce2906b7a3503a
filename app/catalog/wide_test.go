package catalog_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/dataset"
)

// Features that are too wide for the limit are refused before the rows that decide on λ are mapped, with
// the number of the plan.
func TestWideFeatures(t *testing.T) {
	const limit = 64 << 20
	d := dataset.Friedman1(600, 5, .1, 1)
	run := gram.Run{MemoryLimit: limit}
	f := catalogtest.Trainable(t, catalog.Must("rff"), "m=50000", "gamma=1")
	plan, err := f.Plan(d.Task(), d.Shape(), run)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = f.Fit(t.Context(), d, run)
	runtime.ReadMemStats(&after)
	var large *gram.MemoryError
	if !errors.As(err, &large) || large.Limit != limit || large.Need > plan.PeakBytes || large.Need < plan.PeakBytes/10*9 {
		t.Errorf("error %v, the plan is %d bytes", err, plan.PeakBytes)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > limit {
		t.Errorf("the refusal took %d bytes, the limit is %d", took, limit)
	}
}
