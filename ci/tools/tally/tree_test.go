package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A call of Skip or Skipf of a test. Its package is * if other packages have tests that call it.
type call struct {
	at, pkg, reason string
}

// calls returns the calls in the Go files of a folder and of the folders below it, except those
// of other modules that the workspace lacks, and of benchmarks.
func calls(t *testing.T, root string) []call {
	t.Helper()
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	var all []call
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		below, _ := filepath.Rel(root, path)
		below = filepath.ToSlash(below)
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || strings.HasPrefix(e.Name(), ".git") || below == "beam" || below == "bucket" || below == "bench/peers"):
			return fs.SkipDir
		case e.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), ".Skip") {
			return err
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, text, 0)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(below))
		if !strings.HasSuffix(path, "_test.go") {
			pkg = "*"
		}
		ast.Inspect(f, func(n ast.Node) bool {
			c, is := n.(*ast.CallExpr)
			if !is {
				return true
			}
			s, is := c.Fun.(*ast.SelectorExpr)
			if !is || s.Sel.Name != "Skip" && s.Sel.Name != "Skipf" && s.Sel.Name != "SkipNow" {
				return true
			}
			if of, is := s.X.(*ast.Ident); is && (of.Name == "t" || of.Name == "f") {
				all = append(all, call{files.Position(c.Pos()).String(), pkg, literal(c.Args)})
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// literal returns the beginning of a message that the text of the program has.
func literal(args []ast.Expr) string {
	if len(args) == 0 {
		return ""
	}
	x := args[0]
	for {
		sum, is := x.(*ast.BinaryExpr)
		if !is {
			break
		}
		x = sum.X
	}
	l, is := x.(*ast.BasicLit)
	if !is {
		return ""
	}
	s, err := strconv.Unquote(l.Value)
	if err != nil {
		return ""
	}
	s, _, _ = strings.Cut(s, "%")
	return s
}

// The list has what tests of the repository say and no more: each reason in it is what a test prints
// that is skipped, as far as the text of the program has it, and each such text is in the list.
func TestReasons(t *testing.T) {
	all := calls(t, filepath.Join("..", "..", ".."))
	if len(all) < 100 {
		t.Fatalf("only %d calls of Skip were found", len(all))
	}
	list, err := readList("../../skips")
	if err != nil {
		t.Fatal(err)
	}
	about := func(e entry, c call) bool {
		return strings.TrimSpace(e.reason) == strings.TrimSpace(c.reason) && (c.pkg == "*" || e.pkg == "*" || e.pkg == c.pkg)
	}
	for _, c := range all {
		switch {
		case c.reason == "":
			t.Errorf("%s: the reason of a skip must begin with words, which the list can have", c.at)
		case !slices.ContainsFunc(list, func(e entry) bool { return about(e, c) }):
			t.Errorf("%s: ci/skips has no line for the reason %q", c.at, c.reason)
		}
	}
	for _, e := range list {
		if !slices.ContainsFunc(all, func(c call) bool { return about(e, c) }) {
			t.Errorf("ci/skips: no test of package %s says %q when it is skipped", e.pkg, e.reason)
		}
	}
}
