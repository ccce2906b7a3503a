package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// sample has one place at least for every kind of fault in Go code.
const sample = `package p

import "sort"

func Sum(ctx context.Context, x, w []float64, n int, c Config) (float64, error) {
	if err := ctx.Err(); err != nil {
		return 41, err
	}
	if n < 0 {
		return 43, &Error{Field: "n", Want: "positive"}
	}
	if w == x {
		panic(47) // cannot happen: they are different
	}
	v, err := load(x, w)
	fmt.Fprint(w, 1)
	if err != nil {
		return 0, err
	}
	sort.Float64s(x)
	defer c.Close()
	for v = 0; v < n; v++ {
	}
	for i := range n {
		if x[i] == 0 {
			continue
		}
		if x[i] > 1 && c.Big {
			v = max(v, math.Abs(x[i]))
		} else {
			v += 2 * x[i]
		}
	}
	c.Report(Event{Done: n, Last: true})
	c.Report(Event{Sum: n, First: 0})
	r := rng.New(c.Seed, 3)
	_ = make([]int, 0, 7)
	par.For(ctx, 11, n, 13, nil)
	race.ReadRows(x[23:], n, n, 29)
	return v + r.Float64() + tune[17], nil
}

func quiet(p *int) {
	*p++
	mu.Lock()
}

func init() { counter = 19 }
`

func texts(ms []mutant) map[string][]string {
	out := map[string][]string{}
	for _, m := range ms {
		out[m.Kind] = append(out[m.Kind], m.New)
	}
	return out
}

// TestGoKinds checks what each kind of fault does to a line, that every kind
// occurs, and that settings of speed and texts get no faults.
func TestGoKinds(t *testing.T) {
	ms, err := goMutants("p.go", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	got := texts(ms)
	want := map[string]string{
		"context":    "if err := ctx.Err(); false && (err != nil) {",
		"check":      "if false && (n < 0) {",
		"error":      "return 41, nil",
		"compare":    "if n <= 0 {",
		"logic":      "if x[i] > 1 || c.Big {",
		"negate":     "if !(x[i] == 0) {",
		"skip":       "if false && (x[i] == 0) {",
		"arithmetic": "v -= 2 * x[i]",
		"bound":      "for i := range n-1 {",
		"index":      "v += 2 * x[i-1]",
		"constant":   "v += 3 * x[i]",
		"assign":     "_ = 2 * x[i]",
		"call":       "{}",
		"defer":      "{}",
		"return":     "func quiet(p *int) { return;",
		"sort":       "{}",
		"option":     "c.Report(Event{Done: n})",
		"flag":       "c.Report(Event{Done: n, Last: false})",
		"seed":       "r := rng.New(c.Seed, 0)",
		"weight":     "v, err := load(x, nil)",
		"function":   "v = min(v, math.Abs(x[i]))",
	}
	for _, k := range goKinds {
		if want[k.name] == "" || !slices.Contains(got[k.name], want[k.name]) {
			t.Errorf("kind %s: %q is not among %q", k.name, want[k.name], got[k.name])
		}
	}
	for _, m := range ms {
		for _, never := range []string{"make([]int, 0, 8)", "12, n", "14, nil", "tune[18]", "20", "42", "44", `{Field: "n"}`, `"n", W`, "Fprint(nil", "n; {}", "w != x", "(w == x)", "Event{Sum: n})"} {
			if strings.Contains(m.New, never) && !strings.Contains(m.Old, never) {
				t.Errorf("%s changes nothing that a test should notice:\n%s", m.Kind, m)
			}
		}
		if s := string(m.apply([]byte(sample))); s == sample || strings.Count(s, "\n") != strings.Count(sample, "\n") {
			t.Errorf("%s changes no text, or the number of lines", m)
		}
	}
	if got["call"] == nil || slices.ContainsFunc(ms, func(m mutant) bool { return m.Kind == "call" && strings.Contains(m.Old, "Lock") }) {
		t.Error("a lock is a fault that only the race detector sees")
	}
	if _, err := goMutants("p.go", []byte("package")); err == nil {
		t.Error("a file that does not parse has mutants")
	}
}

const kernel = `#include "textflag.h"
// func sum(x []float64) float64, ADDQ $1, SI is not code
DATA one<>+0(SB)/8, $0x3ff0000000000000 // 1
DATA two<>+0(SB)/4, $0x40000000
GLOBL one<>(SB), RODATA, $8
#define W 32
#define V0 Y0
#define PLUS VADDPD
#define STEP(A, B) \
	VADDPD A, B, B; \
	VFMADD231PS 8(SI)(CX*4), A, B // eight on
/* MULPD $3, X0
   is not code */
TEXT ·sum(SB), NOSPLIT, $0-32
	PREFETCHT0 (SI)
loop:
	CMPQ CX, $-4
	JLT  done
	STEP(Y0, Y1)
	ADDQ $0x20, SI
	JMP  loop
done:
	VZEROUPPER
	RET
`

// TestAsmKinds checks what the kinds of faults do to assembly.
func TestAsmKinds(t *testing.T) {
	ms := asmMutants("sum_amd64.s", []byte(kernel))
	var got []string
	for _, m := range ms {
		got = append(got, m.Kind+" "+m.Func+": "+m.New)
	}
	want := []string{
		"table -: DATA one<>+0(SB)/8, $0x3ff0200000000000 // 1",
		"table -: DATA two<>+0(SB)/4, $0x40010000",
		"swap PLUS: #define PLUS VSUBPD",
		`drop STEP: ; \`,
		`swap STEP: VSUBPD A, B, B; \`,
		"drop STEP: // eight on",
		"swap STEP: VFNMADD231PS 8(SI)(CX*4), A, B // eight on",
		"displacement STEP: VFMADD231PS 16(SI)(CX*4), A, B // eight on",
		"drop sum: ",
		"immediate sum: CMPQ CX, $-3",
		"jump sum: JLE done",
		"drop sum: ",
		"drop sum: ",
		"swap sum: SUBQ $0x20, SI",
		"immediate sum: ADDQ $33, SI",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, m := range ms {
		if asmKinds[m.Kind] == 0 {
			t.Errorf("kind %s has no weight", m.Kind)
		}
	}
}

const script = `"""Text == text."""
import x


class Rows:
    def __init__(self, rows, *, workers=0):  # more == less
        self.rows = rows
        if rows is None and workers < 2:
            raise ValueError("%d + %d" % (1, workers + 3))
        call(
            rows, copy=True, order="C")
        return rows[workers + 4]
`

// TestPythonKinds checks what the kinds of faults do to Python code. Texts, comments and
// what an error says get none.
func TestPythonKinds(t *testing.T) {
	ms := pythonMutants("app/python/gram/x.py", []byte(script))
	var got []string
	for _, m := range ms {
		got = append(got, m.Kind+" "+m.Func+": "+m.New)
		if pythonKinds[m.Kind] == 0 {
			t.Errorf("kind %s has no weight", m.Kind)
		}
	}
	want := []string{
		"constant __init__: def __init__(self, rows, *, workers=1): # more == less",
		"drop __init__: pass",
		"negate __init__: if not (rows is None and workers < 2):",
		"compare __init__: if rows is not None and workers < 2:",
		"logic __init__: if rows is None or workers < 2:",
		"compare __init__: if rows is None and workers <= 2:",
		"constant __init__: if rows is None and workers < 3:",
		"check __init__: pass",
		"constant __init__: rows, copy=False, order=\"C\")",
		"option __init__: rows, order=\"C\")",
		"option __init__: rows, copy=True)",
		"arithmetic __init__: return rows[workers - 4]",
		"constant __init__: return rows[workers + 5]",
		"return __init__: return None",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestPythonCopy checks that the test of a Python fault finds the fault where
// GRAM_PYTHON says, and the other files without one.
func TestPythonCopy(t *testing.T) {
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	units, left, err := loadPython(root, []string{"./app/python/gram", "./eig"})
	if err != nil || len(units) != 1 || !slices.Equal(left, []string{"./eig"}) {
		t.Fatalf("%d units, %q left: %v", len(units), left, err)
	}
	m := units[0].mutants[0]
	b := &bench{root: root, tmp: t.TempDir()}
	env, remove, err := b.overlay(m)
	if err != nil {
		t.Fatal(err)
	}
	dir := strings.TrimPrefix(env, "GRAM_PYTHON=")
	differ := ""
	for name, text := range content(t, filepath.Join(root, "app/python")) {
		rel, _ := filepath.Rel(filepath.Join(root, "app/python"), name)
		got, err := os.ReadFile(filepath.Join(dir, rel))
		if filepath.Ext(name) == ".py" && (err != nil || string(got) != text) {
			differ += "app/python/" + filepath.ToSlash(rel)
		}
	}
	if differ != m.File {
		t.Errorf("%q differs, want %s", differ, m.File)
	}
	remove()
	if left := content(t, b.tmp); len(left) > 0 {
		t.Errorf("files remain: %v", slices.Sorted(maps.Keys(left)))
	}
}

// TestNear checks which tests run first.
func TestNear(t *testing.T) {
	dir := module(t)
	for name, text := range map[string]string{
		"b.go":      "package a\n\nfunc near() int { return 1 }\n",
		"b_test.go": "package a\n\nimport \"testing\"\n\nfunc TestOfB(*testing.T) {}\n\nfunc ExampleOther() { near() }\n\nfunc helper() { near() }\n",
		"c_test.go": "package a\n\nimport \"testing\"\n\nfunc TestMain(m *testing.M) { near() }\n\nfunc TestFar(*testing.T) {}\n\nfunc FuzzNear(*testing.F) { near() }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, "algos/a", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := &bench{root: dir}
	for file, want := range map[string]string{"b.go": "[TestOfB ExampleOther FuzzNear] [TestHalf TestLoop TestFar]",
		"d.go": "[ExampleOther FuzzNear] [TestHalf TestLoop TestOfB TestFar]"} {
		near, others, err := b.near(mutant{Package: "algos/a", File: "algos/a/" + file, Func: "near"})
		if got := fmt.Sprint(near, others); got != want || err != nil {
			t.Errorf("%s: got %s, want %s: %v", file, got, want, err)
		}
	}
}

// TestBatches checks which tests run for a place: those that run its block or, between blocks, its
// function, and those that may start a program; the near and quick ones first, the slow ones alone.
func TestBatches(t *testing.T) {
	dir := module(t)
	text := "package a\n\nfunc Near(n int) int {\n\tif n > 1 {\n\t\treturn 2\n\t}\n\treturn 3\n}\n"
	for name, text := range map[string]string{"e.go": text, "f.go": "package a\n\nfunc f() int { return leafAVX2(1) }\n"} {
		if err := os.WriteFile(filepath.Join(dir, "algos/a", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := &profile{
		Blocks: []block{{"e.go", 3, 22, 4, 11}, {"e.go", 4, 11, 6, 3}, {"e.go", 7, 2, 7, 10}, {"f.go", 3, 16, 3, 38}},
		Tests: []timed{{"TestSlow", 9, false, []int{1}}, {"TestStarts", 0.1, true, nil}, {"TestQuick", 0.1, false, []int{0, 1}},
			{"TestNear", 0.1, false, []int{0, 1, 2}}, {"TestPassed", 0.1, false, []int{0, 1, 2, 3}}, {"TestOther", 0.1, false, []int{2}}},
	}
	b := &bench{root: dir}
	at := func(old string) mutant {
		lo := strings.LastIndex(text, old)
		return mutant{Package: "algos/a", File: "algos/a/e.go", Line: 1 + strings.Count(text[:lo], "\n"), lo: lo}
	}
	for _, c := range []struct {
		m    mutant
		want string
		seen bool
	}{
		{at("2\n"), "TestNear 6s; TestStarts TestQuick 7s; TestSlow 1m35s", true},
		{at("n > 1"), "TestNear 6s; TestStarts TestQuick 7s", true},
		{at("3\n"), "TestNear 6s; TestStarts TestOther 7s", true},
		{at("}\n\treturn 3"), "TestNear 6s; TestStarts TestQuick 7s; TestSlow 1m35s", true},
		{at("}\n"), "TestNear 6s; TestStarts TestQuick TestOther 8s; TestSlow 1m35s", true}, // behind all blocks
		{mutant{Package: "algos/a", File: "algos/a/x_amd64.s", Func: "leafAVX2"}, "TestStarts 6s", true},
		{mutant{Package: "algos/a", File: "algos/a/x_amd64.s", Func: "MACRO"}, "TestNear 6s; TestStarts TestQuick TestOther 8s; TestSlow 1m35s", true},
	} {
		got, seen, err := b.order(p, c.m, []string{"TestNear"}, []string{"TestPassed"}, true)
		var parts []string
		for _, s := range got {
			parts = append(parts, strings.Join(s.tests, " ")+" "+s.limit.String())
		}
		if s := strings.Join(parts, "; "); s != c.want || seen != c.seen || err != nil {
			t.Errorf("line %d of %s %s: got %q, %v, want %q, %v: %v", c.m.Line, c.m.File, c.m.Func, s, seen, c.want, c.seen, err)
		}
	}
	p.Tests = []timed{{"TestOther", 0.1, false, []int{2}}}
	if got, seen, err := b.order(p, at("2\n"), nil, nil, true); len(got) > 0 || seen || err != nil {
		t.Errorf("no test runs the place, got %v, %v, %v", got, seen, err)
	}
}

// TestProfile checks that a profile has the tests with the blocks that they run, that it comes from the
// cache while the code is the same, and that tests which start a program are known, which prints what it prints otherwise.
func TestProfile(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	dir := module(t)
	more := `package a

import (
	"os"
	"os/exec"
	"testing"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 1 {
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func start(t *testing.T) {
	if out, err := exec.Command(os.Args[0]).CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v: %s", err, out)
	}
}

func TestStarts(t *testing.T) { start(t) }

func TestReads(t *testing.T) { os.Getenv("GRAM_TREE") }

func TestNothing(t *testing.T) {}
`
	path := filepath.Join(dir, "algos/a/b_test.go")
	if err := os.WriteFile(path, []byte(more), 0o644); err != nil {
		t.Fatal(err)
	}
	b := &bench{root: dir, tmp: t.TempDir(), cache: t.TempDir(), procs: 1}
	look := func() string {
		p, err := b.profile(t.Context(), "algos/a", "algos/a", false)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, one := range p.Tests {
			lines := []int{}
			for _, i := range one.Runs {
				lines = append(lines, p.Blocks[i].Line)
			}
			out = append(out, fmt.Sprintf("%s %v %v", one.Name, one.Starts, lines))
		}
		return strings.Join(out, " ")
	}
	const want = "TestHalf false [3 4 7] TestLoop false [10 11] TestStarts true [] TestReads true [] TestNothing false []"
	if got := look(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	files := content(t, b.cache)
	if got := look(); got != want || !maps.Equal(files, content(t, b.cache)) || len(files) != 1 {
		t.Errorf("the second time: %s, with %d files in the cache", got, len(files))
	}
	if err := os.WriteFile(path, []byte("package a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.names.Clear() // the tree does not change while a program runs
	if got := look(); got != "TestHalf false [3 4 7] TestLoop false [10 11]" {
		t.Errorf("after a change: %s", got)
	}
	if left := content(t, b.tmp); len(left) > 0 {
		t.Errorf("files remain: %v", slices.Sorted(maps.Keys(left)))
	}
}

// TestInline checks that a header's text replaces its inclusions, also in other
// headers.
func TestInline(t *testing.T) {
	files := map[string]string{"d/outer.h": "a\n#include \"inner.h\"\nb\n", "d/inner.h": "c\n"}
	read := func(path string) (string, error) {
		if s, ok := files[filepath.ToSlash(path)]; ok {
			return s, nil
		}
		return "", os.ErrNotExist
	}
	text := "#include \"textflag.h\"\n#include \"outer.h\"\nd\n#include \"inner.h\"\n"
	if got, ok := inline("d", text, "inner.h", "C\n", read); !ok || got != "#include \"textflag.h\"\na\nC\nb\nd\nC\n" {
		t.Errorf("%v\n%s", ok, got)
	}
	if got, ok := inline("d", text, "other.h", "C\n", read); ok || got != text {
		t.Errorf("%v\n%s", ok, got)
	}
}

func TestLayers(t *testing.T) {
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	for folder, want := range map[string]string{".": "root", "algos/krr": "algos", "asm/panel": "wrappers", "asm": "wrappers",
		"asm/hadamard": "wrappers", "asm/hadamard/asmgen": "", "blas": "blas", "blas/gen": "", "ci/tools/mutate": "", "eig": "transforms",
		"internal/par": "internal", "app/cmd/gram": "cmd", "app/explain": "predict", "sparse": "data", "eigen": ""} {
		if got, _ := layerOf(folder); got != want {
			t.Errorf("%s is of layer %q, want %q", folder, got, want)
		}
	}
	folders, err := os.ReadDir("../../..")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, l := range layers {
		listed[l.folder] = true
	}
	for _, f := range folders {
		if f.IsDir() && f.Name()[0] != '.' && !listed[f.Name()] {
			t.Errorf("%s has no place in the list of layers", f.Name())
		}
	}
}

// The packages from which faults are drawn by default are of all layers, and the C interface, whose
// files import C, is among them.
func TestWorkHasAllLayers(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	units, err := load(t.Context(), root, []string{"work"})
	if err != nil {
		t.Fatal(err)
	}
	by := groups(units)
	for _, l := range layers {
		if l.name != "" && len(by[l.name]) == 0 {
			t.Errorf("no fault is of layer %s", l.name)
		}
	}
	if len(by[pythonLayer]) != len(pythonFolders) {
		t.Errorf("%d folders with Python code, want %d", len(by[pythonLayer]), len(pythonFolders))
	}
	for _, u := range units {
		if u.dir == "algos/algotest" {
			t.Error("helpers of tests get faults")
		}
	}
	if !slices.ContainsFunc(by["cmd"], func(u unit) bool {
		return slices.ContainsFunc(u.mutants, func(m mutant) bool { return m.File == "app/capi/capi.go" })
	}) {
		t.Error("no fault is of app/capi/capi.go")
	}
}

// TestDraw checks that the draw depends only on the seed, gives every layer its
// share, and draws every candidate once.
func TestDraw(t *testing.T) {
	units := func() []unit {
		ms, err := goMutants("p.go", []byte(sample))
		if err != nil {
			t.Fatal(err)
		}
		for i := range ms {
			ms[i].Layer = "algos"
		}
		as := asmMutants("sum_amd64.s", []byte(kernel))
		return []unit{{"algos", "a", 20, ms}, {assembly, "b", 10, as}}
	}
	total := len(units()[0].mutants) + len(units()[1].mutants)
	keys := func(seed uint64, n int) (out []key) {
		for _, q := range draw(units(), seed, n) {
			for _, m := range q.order[:q.want] {
				out = append(out, m.key())
			}
		}
		return out
	}
	a, b, c := keys(1, 12), keys(1, 12), keys(2, 12)
	if len(a) != 12 || !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Errorf("draws of seeds 1, 1 and 2:\n%v\n%v\n%v", a, b, c)
	}
	qs := draw(units(), 1, 12)
	if qs[0].layer != "algos" || qs[0].want != 8 || qs[1].want != 4 {
		t.Errorf("12 are divided as %d and %d, want 8 and 4", qs[0].want, qs[1].want)
	}
	seen := map[key]bool{}
	for _, k := range keys(1, 1000) {
		seen[k] = true
	}
	if len(seen) != total {
		t.Errorf("%d different candidates of %d", len(seen), total)
	}
}

func TestEquivalents(t *testing.T) {
	list, err := parseEquivalents([]byte(`# comment

p.go Sum
	- if n < 0 {
	+ if n <= 0 {
	The sum of nothing
	is 0 as well.
gone.go f
	- a
	+ b
	It is elsewhere now.
`))
	if err != nil {
		t.Fatal(err)
	}
	if got := list[key{file: "p.go", fn: "Sum", old: "if n < 0 {", new: "if n <= 0 {"}]; got != "The sum of nothing is 0 as well." {
		t.Errorf("reason %q of %v", got, list)
	}
	ms, err := goMutants("p.go", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	units := []unit{{dir: ".", mutants: ms}}
	left, stale := list.remove(units)
	if left != 1 || len(units[0].mutants) != len(ms)-1 {
		t.Errorf("%d are left out", left)
	}
	if len(stale) != 1 || !strings.HasPrefix(stale[0], "gone.go f\n") {
		t.Errorf("stale entries %q", stale)
	}
	for _, bad := range []string{"p.go\n", "p.go f\n\t- a\n\t+ b\n", "p.go f\n\t- a\n\treason\n", "p.go f\n\t- a\n\t+ b\nq.go g\n"} {
		if _, err := parseEquivalents([]byte(bad)); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
	if _, err := readEquivalents("equivalent.txt"); err != nil {
		t.Error(err)
	}
}

// module writes a module with one package under algos and returns its
// directory.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"algos/a/a.go": `package a

func Half(n int) int {
	if n < 0 {
		panic("negative")
	}
	return n / 2
}

func Loop(n int) {
	for n > 0 {
		n--
	}
}
`,
		"algos/a/a_test.go": `package a

import "testing"

func TestHalf(t *testing.T) {
	if Half(8) != 4 {
		t.Error()
	}
	if testing.Short() {
		return
	}
	defer func() { recover() }()
	Half(-1)
	t.Error()
}

func TestLoop(t *testing.T) { Loop(3) }
`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// content returns the text of every file of a tree.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	if err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			var b []byte
			b, err = os.ReadFile(path)
			out[path] = string(b)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRun tries all faults of a small package. Faults that its tests find are
// killed, and so is a loop without end. The tree is unchanged, no file remains,
// and mutants with known results are not tried again.
func TestRun(t *testing.T) {
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	dir := module(t)
	before := content(t, dir)
	t.Chdir(dir)
	tmp, cache := t.TempDir(), filepath.Join(t.TempDir(), "r.jsonl")
	t.Setenv("TMPDIR", tmp)
	units, err := load(t.Context(), dir, []string{"./..."})
	if err != nil {
		t.Fatal(err)
	}
	wanted := []string{"return n * 2", "for n >= 0 {", "for n > 0-1 {", "if false && (n < 0) {", "{}"}
	units[0].mutants = slices.DeleteFunc(units[0].mutants, func(m mutant) bool { return !slices.Contains(wanted, m.New) })
	s := settings{count: 10, par: 2, rate: 90, layerRate: 80, minRate: 2}
	b := &bench{root: dir, tmp: tmp, cache: t.TempDir(), procs: 1, long: true, limit: time.Second}
	known, out, err := open(cache, false)
	if err != nil {
		t.Fatal(err)
	}
	results, err := tryAll(t.Context(), s, draw(units, 1, s.count), known, b, func(r result) error {
		j, err := json.Marshal(r)
		if err == nil {
			_, err = out.Write(append(j, '\n'))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	out.Close()
	got := map[string]string{}
	for _, r := range results {
		got[r.New] = r.Status
		if r.Long != (r.New == wanted[3]) {
			t.Errorf("%s needed the long tests: %v", r.New, r.Long)
		}
	}
	want := map[string]string{wanted[0]: killed, wanted[1]: survived, wanted[2]: survived, wanted[3]: killed, wanted[4]: hung}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	var text strings.Builder
	if report(&text, results, 0, nil, s) || !strings.Contains(text.String(), "survivors in algos/a\nalgos/a/a.go:11 Loop (compare)\n\t- for n > 0 {\n\t+ for n >= 0 {\n") ||
		!strings.Contains(text.String(), "algos              5       3   60 %        1          1         0  below 80 %") {
		t.Errorf("the report is\n%s", &text)
	}
	if !maps.Equal(before, content(t, dir)) {
		t.Error("the tree has changed")
	}
	if left := content(t, tmp); len(left) > 0 {
		t.Errorf("files remain: %v", slices.Sorted(maps.Keys(left)))
	}
	for retry, tried := range map[bool]int{false: 0, true: 2} {
		known, out, err := open(cache, retry)
		if err != nil {
			t.Fatal(err)
		}
		out.Close()
		if missing := len(got) - len(known); missing != tried {
			t.Errorf("%d results would be tried again with -retry=%v, want %d", missing, retry, tried)
		}
	}
}

// TestFamily checks that the faults of a package are found in one program as they are alone, that those which do not
// compile do not count, and that a fault for which there is no such program is built alone.
func TestFamily(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	dir := module(t)
	more := "package a\n\ntype T struct{ n int }\n\nfunc (t *T) Add(v ...int) {\n\tfor len(v) > 0 && t.less(v) {\n\t\tt.n, v = t.n+v[0], v[1:]\n\t}\n}\n\n" +
		"func (t *T) less(v []int) bool { return t.n < v[0] }\n\nfunc Double[V int | string](v V) V { return v + v }\n"
	test := "package a\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tvar a T\n\ta.Add(1, 2, 9, 3)\n\tif a.n != 12 || Double(2) != 4 {\n\t\tt.Error(a)\n\t}\n}\n"
	for name, text := range map[string]string{"c.go": more, "c_test.go": test} {
		if err := os.WriteFile(filepath.Join(dir, "algos/a", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	units, err := load(t.Context(), dir, []string{"./..."})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"return n * 2": killed, "for n >= 0 {": survived, "for len(v) > 0 && t.less(v)-1 {": unbuilt, "for len(v) > 0 || t.less(v) {": killed,
		"func (t *T) less(v []int) bool { return t.n <= v[0] }": survived, "func Double[V int | string](v V) V { return v - v }": unbuilt,
	}
	ms := slices.DeleteFunc(units[0].mutants, func(m mutant) bool { return want[m.New] == "" })
	if len(ms) != len(want) {
		t.Fatalf("the faults are %v", ms)
	}
	b := &bench{root: dir, tmp: t.TempDir(), cache: t.TempDir(), procs: 1, limit: time.Minute}
	b.gather([]*quota{{order: ms, want: len(ms)}})
	for _, m := range ms {
		program, number, err := b.family(t.Context(), m)
		if _, _, generic := strings.Cut(m.New, "Double"); err != nil || (program == "") != generic || !generic && (number == 0) != (want[m.New] == unbuilt) {
			t.Errorf("%s: program %q, fault %d, %v", m.New, program, number, err)
		}
		if r, err := b.try(t.Context(), m); err != nil || r.Status != want[m.New] {
			t.Errorf("%s: %s, want %s: %v", m.New, r.Status, want[m.New], err)
		}
	}
	if found := (result{mutant: ms[0], Status: killed, By: "TestHalf"}); b.confirm(t.Context(), []result{found}) != nil {
		t.Error("the program does not pass without a fault")
	}
}

// TestBroken checks that tests that fail without a fault are an error, at the end of a run and
// where a profile is made.
func TestBroken(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	dir := module(t)
	if err := os.WriteFile(filepath.Join(dir, "algos/a/b_test.go"), []byte("package a\n\nimport \"testing\"\n\nfunc TestNo(t *testing.T) { t.Fatal() }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	units, err := load(t.Context(), dir, []string{"./..."})
	if err != nil {
		t.Fatal(err)
	}
	units[0].mutants = slices.DeleteFunc(units[0].mutants, func(m mutant) bool { return m.New != "for n >= 0 {" }) // which no test near it finds
	b := &bench{root: dir, tmp: t.TempDir(), cache: t.TempDir(), procs: 1, limit: time.Minute}
	results, err := tryAll(t.Context(), settings{count: 1, par: 1}, draw(units, 1, 1), nil, b, func(result) error { return nil })
	if err != nil || len(results) != 1 || results[0].By != "TestNo" {
		t.Fatal(results, err)
	}
	_, late := b.profile(t.Context(), "algos/a", "algos/a", true)
	for _, err := range []error{b.confirm(t.Context(), results), late} {
		if err == nil || !strings.Contains(err.Error(), "do not pass without a fault") {
			t.Errorf("got %v", err)
		}
	}
}

// TestInterrupt checks that the end of the context ends a test that loops
// without end, with all processes that the test has started.
func TestInterrupt(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("runs the go command, and looks for processes in /proc")
	}
	dir := module(t)
	mark := filepath.Join(dir, "started")
	loop := "package a\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestLoops(t *testing.T) {\n\tos.WriteFile(" + "`" + mark + "`" + ", nil, 0o600)\n\tfor {\n\t}\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "algos/a/b_test.go"), []byte(loop), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(mark); err == nil {
				cancel()
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	p := &programs{bench: &bench{root: dir, tmp: t.TempDir(), procs: 1}, built: map[string]string{}}
	if status, _ := p.run(ctx, "algos/a", batch{[]string{"TestLoops"}, true, time.Minute}); status == survived || ctx.Err() == nil {
		t.Errorf("status %s, context %v", status, ctx.Err())
	}
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		if to, err := os.Readlink(l); err == nil && strings.HasPrefix(to, dir) {
			t.Errorf("%s still runs in %s", l, to)
		}
	}
}
