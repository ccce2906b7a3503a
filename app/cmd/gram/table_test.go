package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gramworks/gram/app/papers"
)

// The table of these tests needs no data and takes a tenth of a second.
const quickTable = "5.3"

// A table is printed as text, as JSON with the same rows, and as a page.
func TestTable(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "t.html")
	args := []string{"table", quickTable, "--quick", "--data", dir}
	out := ok(t, append(args, "--json", "--html", page)...)
	r, err := papers.ReadResults([]byte(out))
	if err != nil || r.Table != quickTable || len(r.Runs) != 1 {
		t.Fatalf("%q: %v", out, err)
	}
	run := r.Runs[0]
	if run.Level == "" || run.Go == "" || run.Date == "" || run.Seed == nil || !run.Quick || run.Workers < 1 {
		t.Errorf("the run is not described: %+v", run)
	}
	rows := run.Rows
	if len(rows) < 3 {
		t.Fatalf("%d rows", len(rows))
	}
	text := ok(t, args...)
	if strings.Contains(text, "{") {
		t.Errorf("JSON in the text %q", text)
	}
	for _, r := range rows {
		if !strings.Contains(text, r.Method) {
			t.Errorf("%s is not in %q", r.Method, text)
		}
	}
	if b, err := os.ReadFile(page); err != nil || !bytes.Contains(b, []byte(rows[0].Method)) {
		t.Errorf("the page has no %s: %v", rows[0].Method, err)
	}
	onlyFiles(t, dir, "t.html")
}

// Without data the table has rows that say so.
func TestTableWithoutData(t *testing.T) {
	out := ok(t, "table", "3.8", "--json", "--data", t.TempDir())
	r, err := papers.ReadResults([]byte(out))
	if err != nil || len(r.Runs) != 1 || len(r.Runs[0].Rows) < 2 {
		t.Fatalf("%q: %v", out, err)
	}
	for _, row := range r.Runs[0].Rows {
		if row.Note != "no data" || row.Got != nil {
			t.Errorf("row %+v", row)
		}
	}
}

// --docs writes the page and its pictures, and fails if the directory does not
// exist.
func TestTableDocs(t *testing.T) {
	dir := t.TempDir()
	ok(t, "table", "--docs", dir)
	b, err := os.ReadFile(filepath.Join(dir, "tables.md"))
	if err != nil || !bytes.Contains(b, []byte("## 3.7: ")) {
		t.Errorf("tables.md: %v", err)
	}
	fails(t, 1, []string{"no such file"}, "table", "--docs", filepath.Join(dir, "no"))
}

func TestTableErrors(t *testing.T) {
	dir := t.TempDir()
	file := write(t, "file", "x")
	table := func(args ...string) []string { return append([]string{"table", "--data", dir}, args...) }
	for _, c := range []struct {
		code int
		want []string
		args []string
	}{
		{2, []string{"--list"}, table()},
		{2, []string{"nope", quickTable}, table("nope")},
		{2, []string{"arg"}, table(quickTable, "3.7")},
		{2, []string{"--repeats", "-1"}, table(quickTable, "--repeats", "-1")},
		{2, []string{"--workers", "-1"}, table(quickTable, "--workers", "-1")},
		{2, []string{"--set", "k=v"}, table(quickTable, "--set", "k")},
		{2, []string{"--set", "k=v"}, table(quickTable, "--set", "=3")},
		{1, []string{"nothing"}, table(quickTable, "--set", "nothing=3")},
		{1, []string{"only", "pendigits, ijcnn1, covtype"}, table("3.7", "--set", "only=nothing")},
		{1, []string{"missing"}, []string{"table", quickTable, "--data", filepath.Join(dir, "missing")}},
		{1, []string{"not a directory"}, []string{"table", quickTable, "--data", file}},
	} {
		fails(t, c.code, c.want, c.args...)
	}
	fails(t, 1, []string{"there is no folder"}, table(quickTable, "--quick", "--html", filepath.Join(dir, "no", "t.html"))...)
	for _, args := range [][]string{{quickTable}, {quickTable, "--json"}, {"fig-3.11", "--json"}} {
		var stderr bytes.Buffer
		if code := run(t.Context(), table(append(args, "--quick")...), full{}, &stderr); code != 1 || !strings.HasSuffix(stderr.String(), "no space left\n") {
			t.Errorf("%v into a full output: %d, %q", args, code, stderr.String())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, stderr, code := cliContext(t, ctx, table("fig-3.11", "--quick")...); code != 1 || stderr != "gram table: interrupted\n" {
		t.Errorf("cancelled: %d, %q", code, stderr)
	}
	onlyFiles(t, dir)
	if out := ok(t, "table", "--list"); strings.Count(out, "\n") != len(papers.All()) || !strings.Contains(out, quickTable+" ") {
		t.Errorf("--list shows %q", out)
	}
}

// A checkout says which of its stored runs are of its code; a run of a program without a
// revision is not stored, and nothing is computed for it.
func TestTableOfCheckout(t *testing.T) {
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	out := ok(t, "table", "--check", "0")
	for _, want := range []string{"stored runs: of the present code\n", "stored runs: of code before changes that move no figure (app/papers/record/equal.tsv)\n", "stored runs: older than its code\n", "stored runs: not recorded\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %q", want, out)
		}
	}
	fails(t, 1, []string{"build one from a clean checkout"}, "table", quickTable, "--record")
	t.Chdir(t.TempDir())
	fails(t, 1, []string{"call this in one"}, "table", "--check", "0")
	fails(t, 2, []string{"--most is for --check"}, "table", quickTable, "--most", "3")
}
