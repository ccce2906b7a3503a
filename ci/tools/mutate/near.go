package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
)

// tests matches the functions of a test file that -run selects.
var tests = regexp.MustCompile(`^(Test|Example|Fuzz)`)

// near returns the tests that find a fault most likely: those in the test file that is named
// after the file of the fault, and those that name its function. others are those of the same
// folder. Faults in Python code are found by the tests whose names begin with that of its folder.
func (b *bench) near(m mutant) (near, others []string, err error) {
	python, isPython := pythonOf(m.File)
	files, err := filepath.Glob(filepath.Join(b.root, filepath.FromSlash(m.Package), "*_test.go"))
	if err != nil {
		return nil, nil, err
	}
	own := strings.TrimSuffix(filepath.Base(m.File), filepath.Ext(m.File)) + "_test.go"
	for _, path := range files {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return nil, nil, err
		}
		for _, d := range f.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Recv != nil || d.Body == nil || !tests.MatchString(d.Name.Name) || d.Name.Name == "TestMain" {
				continue
			}
			if isPython {
				if strings.HasPrefix(d.Name.Name, python.test) {
					near = append(near, d.Name.Name)
				}
			} else if filepath.Base(path) == own || names(d.Body, map[string]bool{m.Func: true}) {
				near = append(near, d.Name.Name)
			} else {
				others = append(others, d.Name.Name)
			}
		}
	}
	return near, others, nil
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
