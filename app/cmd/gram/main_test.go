package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/blas"
)

// cli runs a command line in this process.
func cli(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return cliContext(t, context.Background(), args...)
}

func cliContext(t *testing.T, ctx context.Context, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(ctx, args, &out, &err)
	return out.String(), err.String(), code
}

// ok runs a command line that must succeed and print nothing on standard error.
func ok(t *testing.T, args ...string) string {
	t.Helper()
	out, stderr, code := cli(t, args...)
	if code != 0 || stderr != "" {
		t.Fatalf("gram %s: exit code %d, standard error %q", strings.Join(args, " "), code, stderr)
	}
	return out
}

// warned runs a command line that must succeed with a warning that contains want.
func warned(t *testing.T, want string, args ...string) string {
	t.Helper()
	out, stderr, code := cli(t, args...)
	if code != 0 || !strings.Contains(stderr, "warning: ") || !strings.Contains(stderr, want) {
		t.Fatalf("gram %s: exit code %d, standard error %q, want a warning with %q", strings.Join(args, " "), code, stderr, want)
	}
	return out
}

// fails runs a command line that must end with the exit code and one line on
// standard error that contains all of want.
func fails(t *testing.T, code int, want []string, args ...string) {
	t.Helper()
	out, stderr, got := cli(t, args...)
	line := "gram " + strings.Join(args, " ")
	if got != code {
		t.Errorf("%s: exit code %d, want %d (%q)", line, got, code, stderr)
	}
	if strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "\n") || !strings.HasPrefix(stderr, "gram") {
		t.Errorf("%s: standard error is %q, want one line", line, stderr)
	}
	if strings.Contains(stderr, "internal error") {
		t.Errorf("%s: %s", line, stderr)
	}
	for _, w := range want {
		if !strings.Contains(stderr, w) {
			t.Errorf("%s: standard error is %q, want %q in it", line, stderr, w)
		}
	}
	if out != "" {
		t.Errorf("%s: standard output is %q", line, out)
	}
}

// onlyFiles fails the test if dir holds anything but the named files.
func onlyFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("the directory holds %q, want %q", got, names)
	}
}

func TestUsage(t *testing.T) {
	fails(t, 2, []string{"unknown command", "nope"}, "nope")
	fails(t, 2, []string{"unknown flag", "--nope"}, "bench", "--nope")
	fails(t, 2, []string{"extra", "the form: gram info [flags]"}, "info", "extra")
	fails(t, 2, []string{"arguments are missing, the form is: gram split DATA TRAIN TEST [flags]"}, "split")
	fails(t, 2, []string{"unknown command", "(did you mean fit?)"}, "fti")
	fails(t, 2, []string{"--dim is a flag of gram fit; a stored model remembers"}, "eval", "--dim", "3")
	fails(t, 2, []string{"unknown flag: --quite (did you mean --quiet?)"}, "predict", "--quite")
	fails(t, 2, []string{`--seed is "-1", want an integer of at least 0`}, "fit", "--seed", "-1")
	fails(t, 2, []string{`--budget is "5", want a time with its unit`}, "fit", "--budget", "5")
	fails(t, 2, []string{`--memory-limit is "much": want a size such as`}, "fit", "--memory-limit", "much")
	fails(t, 2, []string{"--run", "missing closing"}, "bench", "--run", "(")
	fails(t, 2, []string{"matches no kernel"}, "bench", "--run", "^nothing$")
}

// TestLevel starts this test again with values of GRAM_LEVEL and runs every
// command there. With a bad value each command ends with one line and exit code
// 2.
func TestLevel(t *testing.T) {
	if os.Getenv("GRAM_TEST_RUN_COMMANDS") != "" {
		for _, c := range newRoot(catalog.Find).Commands() {
			if c.Name() == "completion" || c.Name() == "help" {
				continue
			}
			var out, stderr bytes.Buffer
			code := run(context.Background(), append([]string{c.Name()}, enough[c.Name()]...), &out, &stderr)
			fmt.Printf("%s: %d %q %q\n", c.Name(), code, out.String(), stderr.String())
		}
		os.Exit(0)
	}
	above := "avx512"
	switch cpu.Detected() {
	case cpu.AVX512:
		above = "neon"
	}
	for _, level := range []string{"sse", above, "AVX2", "generic"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLevel$")
		cmd.Env = append(os.Environ(), "GRAM_TEST_RUN_COMMANDS=1", "GRAM_LEVEL="+level)
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("the test cannot start itself under an emulator: ", err)
		}
		if err != nil {
			t.Fatalf("GRAM_LEVEL=%s: %v in %s", level, err, out)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if want := len(enough); len(lines) != want {
			t.Errorf("GRAM_LEVEL=%s: %d commands ran, want %d", level, len(lines), want)
		}
		for _, l := range lines {
			name, _, _ := strings.Cut(l, ":")
			stopped := strings.HasPrefix(l, name+`: 2 "" "gram `+name) && strings.Contains(l, `: GRAM_LEVEL`) && strings.HasSuffix(l, `\n"`) && strings.Count(l, `\n`) == 1
			if stopped != (level != "generic") {
				t.Errorf("GRAM_LEVEL=%s: %s", level, l)
			}
		}
	}
}

// enough holds arguments for each command with which it runs or at least looks
// for a file.
var enough = map[string][]string{
	"fit":       {"--list"},
	"predict":   {"--model", "none", "--data", "none"},
	"eval":      {"--model", "none", "--data", "none"},
	"explain":   {"--model", "none", "--data", "none"},
	"compile":   {"--model", "none"},
	"serve":     {"--model", "none"},
	"compare":   {"--data", "none"},
	"bench":     {"--list"},
	"info":      {"--backend", "none"},
	"tune":      {"--time", "1ms"},
	"table":     {"--list"},
	"convert":   {"none", "none.csv"},
	"part":      {"items", "--data", "none"},
	"split":     {"none", "a.csv", "b.csv"},
	"inspect":   {"none"},
	"version":   nil,
	"signature": nil,
	"man":       {"none"},
}

func TestBackend(t *testing.T) {
	defer blas.Use(blas.Native)
	fails(t, 2, []string{"--backend", "nope"}, "info", "--backend", "nope")
	if out, stderr, code := cli(t, "fit", "--list", "--backend", "openblas"); code == 1 && !strings.Contains(stderr, "openblas") || code > 1 {
		t.Errorf("exit code %d, %q, %q", code, out, stderr)
	}
	ok(t, "fit", "--list", "--backend", "gonum")
	if b := bench.Here().Backend; !strings.HasPrefix(b, "gonum") {
		t.Errorf("the backend is %s", b)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// An error of standard output is a failure, whichever command writes there.
func TestFullOutput(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.gram")
	data := filepath.Join(small(t), "rings.libsvm")
	ok(t, "fit", "--method", "linear", "--data", data, "-o", model)
	for _, args := range [][]string{
		{"--help"},
		{"fit", "--list"},
		{"fit", "--method", "linear", "--data", data, "--plan"},
		{"fit", "--method", "linear", "--data", data, "-o", model},
		{"eval", "--model", model, "--data", data},
		{"predict", "--model", model, "--data", data, "-o", "-"},
		{"convert", data, filepath.Join(t.TempDir(), "x.csv")},
		{"table", "--list"},
		{"bench", "--list"},
	} {
		var stderr bytes.Buffer
		if code := run(t.Context(), args, full{}, &stderr); code != 1 || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("gram %s: exit code %d, standard error %q", strings.Join(args, " "), code, stderr.String())
		}
	}
}

// Every command has a description, an example and a help text that names it.
func TestHelp(t *testing.T) {
	root := newRoot(catalog.Find)
	for _, c := range root.Commands() {
		if c.Hidden || c.Name() == "completion" || c.Name() == "help" {
			continue
		}
		if c.Long == "" || !strings.Contains(c.Example, "gram "+c.Name()) {
			t.Errorf("%s has no description or no example", c.Name())
		}
		if out := ok(t, c.Name(), "--help"); !strings.Contains(out, "Usage:") {
			t.Errorf("the help of %s has no usage", c.Name())
		}
	}
	if out := ok(t); !strings.Contains(out, "Available Commands") {
		t.Errorf("gram without arguments shows %q", out)
	}
	if out := ok(t, "help", "part", "scan"); !strings.Contains(out, "gram part scan") {
		t.Errorf("gram help part scan shows %q", out)
	}
	fails(t, 2, []string{`gram part has no command "nope"`}, "help", "part", "nope")
}

func TestBench(t *testing.T) {
	page := filepath.Join(t.TempDir(), "bench.html")
	out, stderr, code := cli(t, "bench", "--quick", "--run", "^fwht/float64/64$", "--json", "--html", page)
	if code == 1 && strings.Contains(stderr, "above the ceiling") {
		t.Skip("this machine is too busy to measure anything")
	}
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	for _, l := range lines {
		d := json.NewDecoder(strings.NewReader(l))
		d.DisallowUnknownFields()
		var r bench.Row
		if err := d.Decode(&r); err != nil || r.Kernel != "fwht" || r.N != 64 || r.NS <= 0 {
			t.Errorf("line %q: %v", l, err)
		}
	}
	html, err := os.ReadFile(page)
	if err != nil || !bytes.Contains(html, []byte("<figure>")) {
		t.Errorf("the page has no plot: %v", err)
	}
	if out := ok(t, "bench", "--list", "--run", "^fwht/float64/64$"); out != "fwht/float64/64\t64\n" {
		t.Errorf("--list shows %q", out)
	}
}

func TestInfo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes two seconds")
	}
	var r report
	if err := json.Unmarshal([]byte(ok(t, "info", "--json")), &r); err != nil {
		t.Fatal(err)
	}
	if !r.OK || r.Go == "" || r.Level == "" || r.Backend == "" {
		t.Errorf("report %+v", r)
	}
	if out := ok(t, "info"); !strings.Contains(out, "level") || !strings.Contains(out, "backend") {
		t.Errorf("no level or backend in %q", out)
	}
}

// above returns the value of --memory-limit that leaves size to data and fits.
func above(size string) string {
	var b byteSize
	if err := b.Set(size); err != nil {
		panic(err)
	}
	return fmt.Sprint(standing + int64(b))
}
