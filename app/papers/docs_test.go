package papers

import (
	"bytes"
	"github.com/gramworks/gram/app/internal/repo"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The page and its pictures are what the stored results make of them.
func TestDocsAreFresh(t *testing.T) {
	files, err := Docs()
	if err != nil {
		t.Fatal(err)
	}
	dir := repo.Path(t, "docs")
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("docs/%s is not what the stored results make: run gram table --docs docs (%v)", name, err)
		}
	}
	for _, table := range All() {
		old, err := filepath.Glob(filepath.Join(dir, table.ID+"-*.svg"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range old {
			if files[filepath.Base(name)] == nil {
				t.Errorf("%s is no picture of the page", name)
			}
		}
	}
}

// Every table has results or says why not, and there are no others.
func TestStoredResults(t *testing.T) {
	known := map[string]bool{}
	for _, table := range All() {
		known[table.ID] = true
		r, _, err := table.Stored()
		if err != nil {
			t.Errorf("%s: %v", table.ID, err)
			continue
		}
		if r.Table != table.ID {
			t.Errorf("%s has the results of %s", table.ID, r.Table)
		}
		rows := 0
		for _, run := range r.Runs {
			rows += len(run.Rows)
			for _, row := range run.Rows {
				if row.Table != table.ID || row.Dataset == "" || row.Method == "" || row.Metric == "" || row.Got == nil && row.Note == "" {
					t.Errorf("%s: incomplete row %+v", table.ID, row)
				}
			}
		}
		if rows == 0 && strings.TrimSpace(r.Reason) == "" {
			t.Errorf("%s has neither results nor a reason", table.ID)
		}
		var b bytes.Buffer
		if err := r.Write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := ReadResults(b.Bytes())
		if err != nil || len(again.Runs) != len(r.Runs) {
			t.Errorf("%s: %v after a round trip", table.ID, err)
		}
	}
	files, err := storedFiles.ReadDir("results")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		id := strings.TrimSuffix(strings.TrimSuffix(f.Name(), ".json"), ".md")
		if !known[id] {
			t.Errorf("results/%s belongs to no table", f.Name())
		}
	}
}

// A column of errors that are all 0 stays, where one of times that were not taken goes.
func TestZerosAreShown(t *testing.T) {
	paper, got := .5, 0.
	var w bytes.Buffer
	Stored{Rows: []Row{{Dataset: "a", Method: "b", Metric: "error", Paper: &paper, Got: &got}}}.table(&w, false)
	if text := w.String(); !strings.Contains(text, "| got |") || strings.Contains(text, "seconds") {
		t.Error(text)
	}
}
