package catalog

import (
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/dataset"
)

// Large problems start from those of clusters, and end at the same optimum.
func TestStartedSVM(t *testing.T) {
	for _, c := range []struct {
		n, classes int
		multi      svm.Multi
		want       bool
	}{
		{dividedRows, 2, svm.OneVsOne, true}, {dividedRows - 1, 2, svm.OneVsOne, false},
		{2 * dividedRows, 4, svm.OneVsOne, true}, {2*dividedRows - 2, 4, svm.OneVsOne, false},
		{dividedRows, 4, svm.OneVsRest, true},
	} {
		if got := (startedSVM{svm.Config{Multi: c.multi}}).divided(c.n, c.classes); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
	if testing.Short() {
		return
	}
	x, y := dataset.Blobs(dividedRows, 3, 2, 5, 1)
	objective := func(d *dataset.Set) (dual float64, clusters bool) {
		f := svmMethod.New()
		if err := f.Settings().Set("c=1"); err != nil {
			t.Fatal(err)
		}
		m, err := f.Fit(t.Context(), d, gram.Run{Progress: func(e gram.Event) { clusters = clusters || strings.Contains(e.Phase, "clusters") }})
		if err != nil {
			t.Fatal(err)
		}
		return m.(*svm.Model).Stats().Problems[0].Objective, clusters
	}
	whole := &dataset.Set{X: x, Labels: y}
	got, clusters := objective(whole)
	if !clusters {
		t.Error("no clusters")
	}
	f := Plain(svmMethod.New()).(*estimator[startedSVM, *startedSVM])
	if _, err := f.complete(x, gram.Run{}); err != nil {
		t.Fatal(err)
	}
	m, err := f.config.Config.Fit(t.Context(), x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := m.Stats().Problems[0].Objective; !(got <= want*(1-1e-4)) || !(got >= want*(1+1e-4)) {
		t.Errorf("objective %v, want %v", got, want)
	}
	if _, clusters := objective(whole.Select(dataset.Sample(dividedRows, 500, 1))); clusters {
		t.Error("500 rows have clusters")
	}
}
