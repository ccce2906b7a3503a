package papers

import (
	"bytes"
	"github.com/gramworks/gram/app/internal/repo"
	"os"
	"path/filepath"
	"slices"
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
	files, err := stored.ReadDir("results")
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

// The summary counts what has a figure of the paper, and says where ours is elsewhere.
func TestTally(t *testing.T) {
	row := func(metric string, paper, got, std float64) Row {
		r := Row{Table: "id", Dataset: "d", Method: metric, Metric: metric, Paper: value(paper), Got: value(got)}
		if std > 0 {
			r.Std = value(std)
		}
		return r
	}
	rounded := row("pair_error", .1897, .18972, 1e-17)
	rounded.Table, rounded.Dataset, rounded.Method = "5.8", "mushrooms", "k-means |Ω|=5n"
	drawn := row("rmse", 1, 9, .1)
	drawn.Dataset = "generated, n 5"
	var all tally
	for _, r := range []Row{
		row("accuracy", .9, .85, .03), row("accuracy", .9, .8, .03), row("rmse", 1, .5, .1), row("rmse", 1, 2, .1), row("rmse", 1, 2, 0), rounded, drawn,
		row("seconds", 1, 9, .1), {Metric: "rmse", Got: value(1)}, {Metric: "rmse", Got: value(9), Paper: value(1), Std: value(.1), Seen: "all"},
	} {
		all.add(r)
	}
	if all.rows != 6 || all.single != 1 || all.within != 2 || all.better != 1 || all.worse != 2 || len(all.outside) != 4 {
		t.Errorf("%+v", all)
	}
	var b bytes.Buffer
	all.write(&b)
	for _, want := range []string{"Of 6 rows", "5 have repeats. 2 (40 %)", "1 (20 %) are better", "2 (40 %) are worse", "| id | d | accuracy | accuracy | 0.9 | 0.8 ± 0.03 |  |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %q", want, b.String())
		}
	}
}

// Every row that is elsewhere than the paper has a reason, and every reason has a row.
func TestReasons(t *testing.T) {
	var all tally
	for _, table := range All() {
		r, _, err := table.Stored()
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range r.Runs {
			for _, row := range run.Rows {
				all.add(row)
			}
		}
	}
	used := map[int]bool{}
	for _, o := range all.outside {
		i := why(o.Row)
		if i < 0 {
			t.Errorf("%s, %s, %s, %s: %g is not %g, and nothing says why", o.Table, o.Dataset, o.Method, o.Metric, *o.Got, *o.Paper)
		}
		used[i] = true
	}
	for i, e := range allReasons() {
		if !used[i] {
			t.Errorf("no row for the reason %+v", e)
		}
		if !slices.ContainsFunc(causes, func(c [2]string) bool { return c[0] == e.cause }) || !strings.HasSuffix(e.text, ".") {
			t.Errorf("%+v", e)
		}
	}
}
