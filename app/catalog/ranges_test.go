package catalog_test

import (
	"github.com/gramworks/gram/app/catalog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
)

// Settings of linear models that make no sense are refused by name, before a fit; those
// at the edge of their range are taken, by the model that has them.
func TestLinearRanges(t *testing.T) {
	for set, refused := range map[string]bool{
		"lambda=0": false, "lambda=1": false, "lambda=1e-300": false, "lambda=1e300": false, "lambda=-1": true, "lambda=NaN": true,
		"c=1e-300": false, "c=0": true, "c=-1": true, "bias=1e-9": false, "bias=0": true, "bias=Inf": true,
	} {
		field, _, _ := strings.Cut(set, "=")
		for task, outputs := range map[dataset.Task]int{dataset.Regression: 1, dataset.Classes: 3, dataset.MultiLabel: 3} {
			f := catalog.Must("linear").New()
			err := f.Settings().Set(set)
			if err == nil {
				_, err = f.Plan(task, gram.Shape{N: 10, D: 3, Outputs: outputs}, gram.Run{})
			}
			refused := refused || (field == "lambda") != (task != dataset.Classes)
			if refused != (err != nil) || refused && !strings.Contains(err.Error(), field) {
				t.Errorf("%s for %v: %v", set, task, err)
			}
		}
	}
}

// A model file of another program is closed, whatever is in it.
func TestForeignFileIsClosed(t *testing.T) {
	open := func() int {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("open files cannot be counted here")
		}
		return len(files)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it closes what is forgotten
	before := open()
	for _, text := range []string{"", "nothing", "svm_type c_svc\nkernel_type linear\n", "svm_type what\n", "tree\nversion=v4\n", `{"learner":{}}`} {
		path := filepath.Join(t.TempDir(), "model")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _ = catalog.Load(path)
		if after := open(); after != before {
			t.Errorf("%q: %d files are open, before there were %d", text, after, before)
		}
	}
}
