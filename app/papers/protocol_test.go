package papers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What the types of package protocol cannot keep from a table function is kept by
// this test: reading files, reading published numbers, being the model that is asked
// about test rows.
func TestTablesKeepTheProtocol(t *testing.T) {
	imports := map[string][]string{ // the files that may
		"os":            {"table_3_2.go"},
		"encoding/json": {"results.go"},
		"io/fs":         {"results.go"},
		"reflect":       nil, "unsafe": nil, "encoding/gob": nil,
	}
	calls := map[string][]string{
		"protocol.Publish": {"run.go"}, "protocol.Difference": nil, "protocol.At": nil,
		"dataset.Open": nil, "dataset.OpenPair": nil, "dataset.Read": nil, "dataset.FindDir": nil, "dataset.Dir": nil, "dataset.Blocks": nil,
	}
	methods := map[string][]string{"Predict": {"table_5_1.go"}, "Top": {"baselines.go"}, "Scores": nil, "Plane": nil}
	methodCalls := map[string][]string{"Plane": {"docs.go"}, "MarshalJSON": nil}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	may := func(rules map[string][]string, what, file string) {
		if allowed, rule := rules[what]; rule && !slices.Contains(allowed, file) {
			t.Errorf("%s uses %s", file, what)
		}
	}
	checked := 0
	for _, e := range files {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		checked++
		for _, spec := range f.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			may(imports, path, name)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok {
					may(calls, x.Name+"."+n.Sel.Name, name)
				}
				may(methodCalls, n.Sel.Name, name)
			case *ast.FuncDecl:
				if n.Recv != nil {
					may(methods, n.Name.Name, name)
				}
			}
			return true
		})
	}
	if checked < 14 {
		t.Errorf("%d files", checked)
	}
}
