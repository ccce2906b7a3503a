package record

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// checkout is a small project with a table, whose code calls another module, which calls it back.
var checkout = map[string]string{
	"app/go.mod":   "module github.com/gramworks/gram/app\n\ngo 1.26\n\nrequire other.example v1.0.0\n\nreplace other.example => ../other\n",
	"other/go.mod": "module other.example\n\ngo 1.26\n",
	"other/other.go": `package other

type Solver interface { Used(); Unused(); Inherited(); Lent() }
type Second interface { Other() }

var installed Solver

func Use(s Solver) { installed = s }
func Solve() { installed.Used(); installed.Inherited(); installed.Lent() }
func Never(s Solver) { s.Unused() }
func Again(s Second) { s.Other() }
func Every[T interface { ByParameter(T) }](x T) { x.ByParameter(x) }
`,
	"app/papers/tables.go": `package papers

import ("fmt"; "other.example")

type Table struct { ID string; run func() }

func All() []Table { return []Table{{ID: "1", run: table1}} }

type whole struct { part; Lender }
func (whole) Used() { _ = 1 }
func (whole) Unused() { _ = 2 }
func (whole) String() string { return "" }
func (whole) Read([]byte) {}

type part struct{}
func (part) Inherited() {}
func (part) Apart() {}

type Lender interface { Lent() }
type lending struct{}
func (lending) Lent() {}

type stranger struct{}
func (stranger) Used() {}
func (stranger) Other() {}

type parameter struct{}
func (parameter) ByParameter(parameter) {}

type failure struct{}
func (failure) Error() string { return "" }
func (failure) Unwrap() error { return nil }

func table1() {
	w := whole{Lender: lending{}}
	other.Use(w)
	other.Solve()
	other.Every(parameter{})
	fmt.Sprint(w, failure{})
	other.Again(stranger{})
}
`,
}

// write writes the files of a project.
func write(t *testing.T, root string, files map[string]string) {
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A method is in the hash if code that is reached, of another module, too, calls it on an interface that its type, or a
// struct that has its methods, satisfies. One that only code calls which is not reached is not in it.
func TestMethodsThatAreCalled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	root := t.TempDir()
	write(t, root, checkout)
	t.Setenv("GOWORK", "off")
	s, err := ReadSources(filepath.Join(root, "app"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for d := range s.of("1").decls {
		if s.pkgs[s.packageOf(d)].ours() {
			names[nameOf(d)] = true
		}
	}
	for _, name := range []string{"whole.Used", "part.Inherited", "lending.Lent", "whole.String", "failure.Error", "failure.Unwrap", "stranger.Other", "parameter.ByParameter"} {
		if !names[name] {
			t.Errorf("without %s", name)
		}
	}
	for _, name := range []string{
		"whole.Unused",  // which a function calls that nothing reaches
		"whole.Read",    // is not io.Reader's
		"part.Apart",    // nobody's
		"stranger.Used", // whose type is no Solver
	} {
		if names[name] {
			t.Errorf("with %s", name)
		}
	}
	hash, err := s.Hash("1")
	if err != nil {
		t.Fatal(err)
	}
	for from, same := range map[string]bool{"_ = 1": false, "_ = 2": true} {
		for path, text := range s.text {
			s.text[path] = bytes.Replace(text, []byte(from), []byte("_ = 3"), 1)
			s.sums = nil
			if got, err := s.Hash("1"); err != nil || (got == hash) != same {
				t.Errorf("%q changed: the same hash: %v", from, got == hash)
			}
			s.text[path] = text
		}
	}
}
