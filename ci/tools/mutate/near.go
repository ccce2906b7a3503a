package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// tests matches the functions of a test file that -run selects.
var tests = regexp.MustCompile(`^(Test|Example|Fuzz)`)

// near returns the tests that find a fault most likely: those in the test file that is named
// after the file of the fault, and those that name its function. There are none for Python code.
func (b *bench) near(m mutant) ([]string, error) {
	if _, ok := pythonOf(m.File); ok {
		return nil, nil
	}
	files, err := filepath.Glob(filepath.Join(b.root, filepath.FromSlash(m.Package), "*_test.go"))
	if err != nil {
		return nil, err
	}
	own := strings.TrimSuffix(filepath.Base(m.File), filepath.Ext(m.File)) + "_test.go"
	found := map[string]bool{}
	for _, path := range files {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Recv != nil || d.Body == nil || !tests.MatchString(d.Name.Name) || d.Name.Name == "TestMain" {
				continue
			}
			if filepath.Base(path) == own || names(d.Body, map[string]bool{m.Func: true}) {
				found[d.Name.Name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// names reports whether one of the names occurs in a body.
func names(body ast.Node, of map[string]bool) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && of[id.Name]
		return !found
	})
	return found
}

// anyOf returns the pattern that matches the tests with these names alone.
func anyOf(names []string) string { return "^(" + strings.Join(names, "|") + ")$" }
