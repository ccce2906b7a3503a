package record

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gramworks/gram/app/papers"
	"github.com/gramworks/gram/asm/cpu"
)

func num(v float64) *float64 { return &v }

// A run takes the place of one of the same command and of the same rows of the same settings, and of nothing else.
func TestPut(t *testing.T) {
	run := func(revision string, settings map[string]string, rows ...string) papers.Stored {
		s := papers.Stored{Revision: revision, Settings: settings}
		for _, name := range rows {
			s.Rows = append(s.Rows, papers.Row{Dataset: name, Method: "m", Metric: "rmse", Got: num(1)})
		}
		return s
	}
	r := papers.Results{Reason: "none yet", Runs: []papers.Stored{
		run("a", nil, "x", "y"), run("b", map[string]string{"only": "z"}, "z"), run("c", map[string]string{"k": "5"}, "x"),
	}}
	put(&r, run("d", map[string]string{"only": "y"}, "y"))
	put(&r, run("e", map[string]string{"only": "z"}, "z"))
	put(&r, run("f", map[string]string{"k": "6"}, "x"))
	put(&r, run("g", map[string]string{"k": "5"}, "w"))
	var got []string
	for _, run := range r.Runs {
		s := run.Revision
		for _, row := range run.Rows {
			s += " " + row.Dataset
		}
		got = append(got, s)
	}
	if g, want := strings.Join(got, ", "), "d y, a x, e z, g w, f x"; g != want || r.Reason != "" {
		t.Errorf("%s, want %s; reason %q", g, want, r.Reason)
	}
}

// A row whose place on the horizontal axis is the time that it took is the same row when that is another time.
func TestPutByTime(t *testing.T) {
	row := func(only string, x, seconds float64) papers.Stored {
		return papers.Stored{Settings: map[string]string{"only": only}, Rows: []papers.Row{{Dataset: "a", Method: "m", Metric: "rmse", Got: num(1), X: x, Seconds: seconds}}}
	}
	r := papers.Results{}
	for _, run := range []papers.Stored{row("a", .123456, .123456), row("a,b", .2, .2), row("b", 16, .3), row("c", 32, .4)} {
		put(&r, run)
	}
	if len(r.Runs) != 3 || r.Runs[0].Rows[0].X != .2 {
		t.Errorf("%d runs, the first one with %+v; want the last one by time, and those with 16 and 32", len(r.Runs), r.Runs[0].Rows)
	}
}

// Nothing is stored of a program that may be of other code than the checkout.
func TestRecorderRefuses(t *testing.T) {
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		c := exec.Command("git", args...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git: ", err)
	}
	run("init", "-q")
	write("a.go", "package a\n")
	write(resultsDir+"/3.7.json", "{}")
	run("add", ".")
	run("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "a")
	revision, err := git(dir, "rev-parse", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if !inHistory(dir, revision[0]) || inHistory(dir, "0123456789ab") {
		t.Error("the history is not that of the clone")
	}
	refused := func(revision, want string) {
		t.Helper()
		if _, err := NewRecorder(dir, revision, "3.7"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	refused("", "clean checkout")
	refused(revision[0]+"+changes", "clean checkout")
	refused("0123456789ab", "0123456789ab")
	write(resultsDir+"/3.7.json", "{ }") // may change
	write("app/figures/results/one.json", "{}")
	write("docs/figures/one.md", "")
	if err := Unchanged(dir, revision[0]); err != nil {
		t.Error(err)
	}
	refused(revision[0], "go list") // all was well until there was no module
	write("b.go", "package a\n")
	refused(revision[0], "b.go")
	if err := os.Remove(filepath.Join(dir, "b.go")); err != nil {
		t.Fatal(err)
	}
	write("a.go", "package b\n")
	refused(revision[0], "a.go")
}

// A run is of the present code, of code before listed changes, or older; lists in a circle end.
func TestCompare(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, equalFile)
	if after, err := readEqual(root); after != nil || err != nil {
		t.Errorf("no list: %v, %v", after, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	list := func(text string) (map[[2]string]string, error) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return readEqual(root)
	}
	after, err := list("# why\n3.7\ta\tb\n\n3.7\tb\tc\n5.1\tx\ty\n5.1\ty\tx\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ table, was, is, want string }{
		{"3.7", "c", "c", current}, {"3.7", "b", "c", equal}, {"3.7", "a", "c", equal}, {"3.7", "a", "b", equal}, {"3.7", "c", "a", old}, {"3.7", "z", "c", old},
		{"5.1", "a", "c", old}, {"5.1", "x", "y", equal}, {"5.1", "x", "z", old},
	} {
		if got := compare(after, c.table, c.was, c.is); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	for _, bad := range []string{"3.7\ta\n", "3.7\ta\tb\tc\n", "3.7\ta\tb\n3.7\ta\tc\n"} {
		if _, err := list("# why\n" + bad); err == nil || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// A row that is not the stored one is an error.
func TestAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	table, err := papers.Find("fig-4.2")
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(3)
	run := papers.Stored{Seed: &seed, Quick: true, Level: "here", Repeats: 2}
	var env papers.Env
	env.Seed, env.Quick, env.Repeats = seed, true, 2
	if err := table.Run(t.Context(), env, func(r papers.Row) { run.Rows = append(run.Rows, r) }); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := (papers.Results{Table: table.ID, Runs: []papers.Stored{run}}).Write(&b); err != nil {
		t.Fatal(err)
	}
	r, err := papers.ReadResults(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	run.Rows = r.Runs[0].Rows
	pieces := piecesOf(table, run, 1e9)
	if len(pieces) != 1 || len(pieces[0].rows) < 2 {
		t.Fatalf("pieces %+v", pieces)
	}
	if none := piecesOf(table, run, 0); len(none) != 0 {
		t.Errorf("%d pieces of no time", len(none))
	}
	p, row := pieces[0], pieces[0].rows[1]
	var said bytes.Buffer
	if err := p.again(t.Context(), &said, papers.Env{}, "here", row); err != nil || !strings.HasSuffix(said.String(), "the same\n") {
		t.Errorf("%q, %v", &said, err)
	}
	near := row
	near.Got = num(*row.Got + *row.Std/20)
	if err := p.again(t.Context(), &said, papers.Env{}, "here", near); err == nil {
		t.Error("another figure passes at the same level")
	}
	if err := p.again(t.Context(), &said, papers.Env{}, "there", near); err != nil || !strings.HasSuffix(said.String(), "at level there instead of here\n") {
		t.Errorf("%q, %v", &said, err)
	}
	p.run.Level = cpu.Generic.String() // which every machine has, so that the level is no excuse
	if err := p.again(t.Context(), &said, papers.Env{}, "there", near); err == nil || cpu.Current() == cpu.Generic && len(cpu.Levels()) > 1 {
		t.Errorf("%v, and the level is %v", err, cpu.Current())
	}
	p.run.Level = "here"
	near.Got = num(*row.Got + 2**row.Std)
	if err := p.again(t.Context(), &said, papers.Env{}, "there", near); err == nil {
		t.Error("a figure that is elsewhere passes at another level")
	}
	gone := row
	gone.Method = "nobody's"
	if err := p.again(t.Context(), &said, papers.Env{}, "here", gone); err == nil || !strings.Contains(err.Error(), "no such row") {
		t.Errorf("%v", err)
	}
}

// A row of a set whose name has a comma comes from a run of that set.
func TestNameWithComma(t *testing.T) {
	table, err := papers.Find("6.3")
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(0)
	row := papers.Row{Dataset: "delicious, other split", Method: "centroids", Metric: "P@1", Got: num(.3)}
	run := papers.Stored{Seed: &seed, Quick: true, Settings: map[string]string{"method": "centroids"}, Rows: []papers.Row{row}}
	var said bytes.Buffer
	if err := piecesOf(table, run, 1)[0].again(t.Context(), &said, papers.Env{}, "here", row); err != nil || !strings.HasPrefix(said.String(), "6.3, "+row.Dataset) {
		t.Errorf("%q, %v", &said, err)
	}
}
