package figures

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/internal/repo"
	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/dataset"
)

// The pages and their pictures are what the stored runs make of them.
func TestDocsAreFresh(t *testing.T) {
	dir := repo.Path(t, "docs")
	tables := 0
	files, err := Docs(func(name string) ([]byte, error) {
		b, err := os.ReadFile(filepath.Join(dir, name))
		tables += len(marker.FindAll(b, -1))
		if n := bytes.Count(b, []byte("<!-- figures: ")); n != len(marker.FindAll(b, -1)) {
			t.Errorf("docs/%s has %d tables, and not all have an end", name, n)
		}
		return b, err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("docs/%s is not what the stored runs make: run gram table --docs docs (%v)", name, err)
		}
	}
	old, err := filepath.Glob(filepath.Join(dir, "figures", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range old {
		if files["figures/"+filepath.Base(name)] == nil {
			t.Errorf("docs/figures/%s is of no stored run", filepath.Base(name))
		}
	}
	if want := len(studies) + 3; tables != want {
		t.Errorf("the pages have %d tables, want %d", tables, want)
	}
}

// Every kernel that is measured stands in one section, and a section has no other.
func TestSections(t *testing.T) {
	of := map[string]string{}
	for _, s := range sections {
		for _, k := range s.kernels {
			if of[k] != "" {
				t.Errorf("%s is in %q and in %q", k, of[k], s.title)
			}
			of[k] = s.title
		}
	}
	measured := map[string]bool{}
	for _, c := range bench.Cases(bench.Options{}) {
		if measured[c.Kernel] = true; of[c.Kernel] == "" {
			t.Errorf("%s is in no section", c.Kernel)
		}
	}
	for k := range of {
		if !measured[k] {
			t.Errorf("%s is not measured", k)
		}
	}
}

// The libraries that a page says are missing are those that bench/peers compares with.
func TestLibraries(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(repo.Path(t, "bench/peers"), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`o\.peer\("([^"]+)"`).FindAllSubmatch(b, -1) {
			found = append(found, string(m[1]))
		}
	}
	if want := slices.Sorted(slices.Values(libraries)); !slices.Equal(slices.Compact(slices.Sorted(slices.Values(found))), want) {
		t.Errorf("%q, want %q", found, want)
	}
}

// stampOf is the stamp of a machine with that processor.
func stampOf(cpu, date string) bench.Stamp {
	others := .25
	return bench.Stamp{Machine: bench.Machine{CPU: cpu, Cores: 2, Level: "avx2"}, Revision: "abc", Date: date, Others: &others}
}

// A run takes the place of the one of the same kind, and what is read is what was stored.
func TestRecord(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, filepath.FromSlash(Dir)), 0o755); err != nil {
		t.Fatal(err)
	}
	read := func() Machine {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(Dir), "one.json"))
		if err != nil {
			t.Fatal(err)
		}
		m, err := decode("one", b)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	ok := func(runs ...Run) {
		t.Helper()
		if err := Record(root, "one", "abc", runs...); err != nil {
			t.Fatal(err)
		}
	}
	peers := func(name string, threads int, ns float64) Peers {
		return Peers{bench.Peers{Stamp: stampOf("A", "2026-01-02"), Peer: name, Version: `1 \"{[,`, Threads: threads, Rows: []bench.PeerRow{{Work: "w", NS: ns}, {Work: `},{\`, NS: ns}}}}
	}
	fits := func(data string, seconds float64) Methods {
		return Methods{Stamp: stampOf("A", "2026-01-02"), Data: data, Rows: []Fit{{Flags: "--method linear", Scores: []float64{.5}, Seconds: seconds}}}
	}
	ok(&Kernels{Stamp: stampOf("A", "2026-01-01"), Rows: []bench.Row{{Kernel: "gemm"}, {Kernel: "exp"}}}, peers("P", 1, 1), peers("P", 2, 2), fits("x", 1), fits("y", 2))
	ok(peers("P", 2, 3), peers("Q", 1, 4), fits("x", 3), &Defaults{Stamp: stampOf("A", "2026-01-02"), Rows: []Default{{Data: "x"}}})
	want := Machine{Name: "one", Kernels: &Kernels{Stamp: stampOf("A", "2026-01-01"), Rows: []bench.Row{{Kernel: "gemm"}, {Kernel: "exp"}}},
		Peers: []Peers{peers("P", 1, 1), peers("P", 2, 3), peers("Q", 1, 4)}, Methods: []Methods{fits("x", 3), fits("y", 2)},
		Defaults: &Defaults{Stamp: stampOf("A", "2026-01-02"), Rows: []Default{{Data: "x"}}}}
	if got := read(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, c := range []struct {
		name, want string
		run        Run
	}{
		{"one", "give this one another name", &Kernels{Stamp: stampOf("B", "")}},
		{"one", `revision ""`, &Kernels{}},
		{"One!", "small letters", &Kernels{Stamp: stampOf("A", "")}},
	} {
		if err := Record(root, c.name, "abc", c.run); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if got := read(); !reflect.DeepEqual(got, want) {
		t.Error("a run that was refused has changed the file")
	}
	var b bytes.Buffer
	if err := want.write(&b); err != nil || strings.Count(b.String(), "\n") < 12 {
		t.Errorf("%d lines, %v", strings.Count(b.String(), "\n"), err)
	}
}

// The tables are of the newest run, and what is missing is said.
func TestTables(t *testing.T) {
	score := 2.0
	all := []Machine{
		{Name: "old", Methods: []Methods{{Stamp: stampOf("A", "2026-01-01"), Data: "a9a", Rows: []Fit{{Flags: "--method svm", Scores: []float64{.1}}}}}},
		{Name: "new", Methods: []Methods{{Stamp: stampOf("B", "2026-01-02"), Data: "a9a", Rows: []Fit{{Flags: "--method linear", Scores: []float64{.84988}, Seconds: .7512, Operations: 13082, Bytes: 2118}}}},
			Defaults: &Defaults{Stamp: stampOf("B", "2026-01-02"), Quick: true, Rows: []Default{
				{Data: "boston", Method: "krr", Default: 1.05, Best: 1}, {Data: "boston", Method: "gbdt", Fixed: &score, Default: 1.01, Best: 1},
				{Data: "a9a", Method: "svm", Classes: true, Default: .8, Best: .8 + .015},
			}}},
	}
	text := []byte("<!-- figures: machines -->\n<!-- end of figures -->\nbefore\n<!-- figures: methods a9a -->\nold\n<!-- end of figures -->\nbetween\n<!-- figures: defaults values -->\n<!-- end of figures -->\n" +
		"<!-- figures: defaults classes -->\n<!-- end of figures -->\n<!-- figures: methods bibtex -->\n<!-- end of figures -->\nafter\n")
	out, err := fill(text, all)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n- [new](figures/new.md): B, 2 cores", "before\n<!-- figures: methods a9a -->\n", "B, level avx2", "Other programs took 25 % of the time of all cores.", "| `--method linear` | 0.8499 | 0.75 | 13082 | 0.0021 |",
		"| flags | accuracy | CPU seconds | operations | MB |\n| --- | ---: | ---: | ---: | ---: |\n", "| `krr` | **5.0** |", "| `gbdt` | 100.0 → 1.0 |", "gram bench defaults --quick", "| `svm` | **1.5** |", "No run is recorded: `gram bench methods", "<!-- end of figures -->\nafter\n",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if strings.Contains(string(out), "--method svm") {
		t.Error("the older run is shown")
	}
	if again, err := fill(out, all); err != nil || !bytes.Equal(again, out) {
		t.Errorf("a second time it is not the same, %v", err)
	}
	for _, key := range []string{"methods nothing", "nothing a9a"} {
		if _, err := fill([]byte("<!-- figures: "+key+" -->\n<!-- end of figures -->"), all); err == nil || !strings.Contains(err.Error(), "nothing") {
			t.Errorf("%q: %v", key, err)
		}
	}
}

// What a page says of a machine: sections, sources, pictures, libraries that are missing.
func TestPage(t *testing.T) {
	row := func(n int, level string, ns float64) bench.Row {
		return bench.Row{Kernel: "gemm", Type: "float64", N: n, Shape: fmt.Sprint(n), Level: level, Threads: 1, NS: ns, GFlops: 1e4 / ns, VsGeneric: 2, PctCeiling: 50, Ceiling: "fma 9 GFLOP/s"}
	}
	m := Machine{Name: "one", Kernels: &Kernels{Stamp: stampOf("A", "2026-01-01"), Quick: true}, Peers: []Peers{{bench.Peers{Stamp: stampOf("A", "2026-01-01"), Peer: "OpenBLAS", Version: "0.3", Build: "here", Threads: 2, Rounds: 7,
		Rows: []bench.PeerRow{{Work: "lu", Type: "float64", Shape: "64", NS: 2000, PeerNS: 3000, Ratio: 1.4}}}}}}
	for n := range 3 {
		m.Kernels.Rows = append(m.Kernels.Rows, row(n+1, "generic", 4000), row(n+1, "avx2", 2000))
	}
	files := map[string][]byte{}
	if err := m.page(files); err != nil {
		t.Fatal(err)
	}
	text := string(files["figures/one.md"])
	for _, want := range []string{"# Figures of one", "`gram bench --quick`: A, level avx2", "![gemm, float64, threads: 1](one-gemm.svg)", "| gemm | float64 | 1 | avx2 | 1 | 2 µs | 5 |",
		"### OpenBLAS 0.3, level avx2, 2 threads", "here: 7 rounds. `bench/peers -json -threads 2`", "| lu | float64 | 64 | 2 µs | 3 µs | 1.4 |", "Not compared on this machine: FFHT; "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "| generic |") || strings.Contains(text, "note |") {
		t.Errorf("rows of the generic level or an empty column in\n%s", text)
	}
	if !bytes.HasPrefix(files["figures/one-gemm.svg"], []byte("<svg")) {
		t.Error("there is no picture")
	}
}

// Comparisons are read one after the other, and what is none is refused.
func TestReadPeers(t *testing.T) {
	runs, err := ReadPeers(strings.NewReader(`{"peer":"P","cpu":"A","rows":[{"work":"w","ns":1}]}` + "\n" + `{"peer":"Q"}`))
	if err != nil || len(runs) != 2 || runs[0].(Peers).Rows[0].NS != 1 || runs[1].(Peers).Peer != "Q" {
		t.Errorf("%+v, %v", runs, err)
	}
	if _, err := ReadPeers(strings.NewReader(`{"peer":"P"} {"pear":"Q"}`)); err == nil || !strings.Contains(err.Error(), "comparison 2") {
		t.Errorf("%v", err)
	}
}

// folder writes small data sets under the names of those of the studies.
func folder(t *testing.T) dataset.Dir {
	t.Helper()
	dir := t.TempDir()
	save := func(name string, d *dataset.Set) {
		t.Helper()
		if err := dataset.Save(t.Context(), filepath.Join(dir, name), d); err != nil {
			t.Fatal(err)
		}
	}
	x, y := dataset.Smooth(80, 3, .1, 1)
	for _, name := range []string{"cadata", "boston", "airfoil"} {
		save(name+".libsvm", &dataset.Set{X: x, Value: y})
	}
	bx, by := dataset.Blobs(90, 3, 3, 4, 1)
	for _, name := range []string{"a9a", "pendigits"} {
		for _, part := range []string{"train", "test"} {
			save(name+"."+part+".libsvm", &dataset.Set{X: bx, Labels: by})
		}
	}
	tx, tags := dataset.Tagged(40, 20, 5, 8, 2, 1)
	for _, part := range []string{"train", "test"} {
		save("bibtex."+part+".xml.txt", &dataset.Set{X: tx, Tags: tags})
	}
	return dataset.Dir(dir)
}

// Every fit is one of gram fit with its flags, judged on the test part; a model without a program has no operations.
func TestMeasureMethods(t *testing.T) {
	var last string
	commands := map[string]int{}
	command := func(_ context.Context, args ...string) ([]byte, float64, error) {
		commands[args[0]]++
		value := func(flag string) string { return args[slices.Index(args, flag)+1] }
		switch args[0] {
		case "fit":
			last = value("--method")
			d, err := dataset.Open(value("--data"), dataset.Options{})
			if err != nil {
				return nil, 0, err
			}
			if n, _ := d.Dims(); last == "krr" && n != 60 {
				t.Errorf("%d training rows, want three fourths of 80", n)
			}
			return nil, 1.5, os.WriteFile(value("-o"), make([]byte, 123), 0o600)
		case "eval":
			if _, err := dataset.Open(value("--data"), dataset.Options{}); err != nil {
				return nil, 0, err
			}
			return []byte(`{"metric":"other","value":9} {"metric":"accuracy","value":0.75} {"metric":"rmse","value":12345.678} {"metric":"p@1","value":0.5} {"metric":"p@3","value":0.25}`), 0, nil
		}
		if last == "fastxml" {
			return nil, 0, fmt.Errorf("no program")
		}
		return []byte(`{"flop_multiple":3.5}`), 0, nil
	}
	all, err := MeasureMethods(t.Context(), command, folder(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for i, s := range studies {
		want += len(s.flags)
		if len(all) != len(studies) || all[i].Data != s.data || len(all[i].Rows) != len(s.flags) || all[i].Date == "" {
			t.Fatalf("%+v", all)
		}
		for k, f := range all[i].Rows {
			operations := 3.5
			if strings.Contains(f.Flags, "fastxml") {
				operations = 0
			}
			scores := map[string][]float64{"a9a": {.75}, "pendigits": {.75}, "cadata": {12346}, "bibtex": {.5, .25}}[s.data]
			if !reflect.DeepEqual(f, Fit{s.flags[k], scores, 1.5, operations, 123}) {
				t.Errorf("%s: %+v", s.data, f)
			}
		}
	}
	if commands["fit"] != want || commands["eval"] != want || commands["compile"] != want {
		t.Errorf("%v, want %d of each", commands, want)
	}
	silent := func(_ context.Context, args ...string) ([]byte, float64, error) {
		if args[0] == "fit" {
			return nil, 0, os.WriteFile(args[slices.Index(args, "-o")+1], nil, 0o600)
		}
		return nil, 0, nil
	}
	if _, err := MeasureMethods(t.Context(), silent, folder(t), nil); err == nil || !strings.Contains(err.Error(), "did not print accuracy") {
		t.Errorf("%v", err)
	}
	if _, err := MeasureMethods(t.Context(), command, dataset.Dir(t.TempDir()), nil); err == nil {
		t.Error("no error without data")
	}
}

// A method that chooses defaults by folds is judged with the fixed ones, too; another is not.
func TestMeasureDefaults(t *testing.T) {
	var rows []Default
	d, err := MeasureDefaults(t.Context(), folder(t), true, regexp.MustCompile(`/(svr|linear|svm)$`), func(r Default) error { rows = append(rows, r); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(rows, d.Rows) || !d.Quick || d.Date == "" {
		t.Errorf("emitted %+v, returned %+v", rows, d)
	}
	var names []string
	for _, r := range rows {
		names = append(names, r.Data+"/"+r.Method)
		m, err := catalog.Find(r.Method)
		if err != nil {
			t.Fatal(err)
		}
		if _, chooses := catalog.Chosen(m.New()); chooses != (r.Fixed != nil) {
			t.Errorf("%s: fixed %v", r.Method, r.Fixed)
		}
		if r.behind(r.Default) < 0 || r.Fixed != nil && r.behind(*r.Fixed) < 0 || r.Classes != (r.Data == "pendigits") || !(r.Seconds > 0) {
			t.Errorf("%+v", r)
		}
	}
	if want := []string{"airfoil/linear", "airfoil/svr", "boston/linear", "boston/svr", "pendigits/linear", "pendigits/svm"}; !slices.Equal(slices.Sorted(slices.Values(names)), want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// Defaults that are worse than a constant are an error.
func TestWorseThanConstant(t *testing.T) {
	dir := folder(t)
	if err := dataset.Save(t.Context(), filepath.Join(string(dir), "pendigits.train.libsvm"), dataset.Rings(80, 3, .1, 1)); err != nil {
		t.Fatal(err)
	}
	_, err := MeasureDefaults(t.Context(), dir, true, regexp.MustCompile(`^pendigits/linear$`), func(Default) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "pendigits, linear: ") || !strings.Contains(err.Error(), "by a constant") {
		t.Errorf("%v", err)
	}
}

// A default is far behind by more than three percent, or more than one point.
func TestBehind(t *testing.T) {
	for _, c := range []struct {
		d      Default
		behind float64
		far    bool
	}{
		{Default{Default: 1.02, Best: 1}, 2, false}, {Default{Default: 1.04, Best: 1}, 4, true},
		{Default{Default: .5, Best: .505, Classes: true}, .5, false}, {Default{Default: .5, Best: .52, Classes: true}, 2, true},
	} {
		if b := c.d.behind(c.d.Default); !(b > c.behind-1e-9 && b < c.behind+1e-9) || c.d.far() != c.far {
			t.Errorf("%+v: %v, %v", c.d, b, c.d.far())
		}
	}
	if !worse(.4, .5, true) || worse(.6, .5, true) || worse(.4, .5, false) || !worse(.6, .5, false) {
		t.Error("less accuracy is worse, less error is not")
	}
}
