package papers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"
)

// unsplit are functions that scale rows that no part is tested on, and why.
var unsplit = map[string]string{
	"load": "errors of approximations are those on the rows themselves",
}

// A scaling is fitted to training rows: by Split.Scaled, which is given a function of rows, or to train.X, in a choice whose rows are all of
// the training part.
func TestScalingsAreFittedToTrainingRows(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen, used := 0, map[string]bool{}
	for _, file := range files {
		if matched, _ := filepath.Match("*_test.go", file); matched {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, is := d.(*ast.FuncDecl)
			if !is {
				continue
			}
			given := map[string]bool{} // parameters of functions that make a scaling of rows
			ast.Inspect(fn, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					makesScaling(n.Type, given)
				case *ast.FuncLit:
					makesScaling(n.Type, given)
				case *ast.CallExpr:
					name := ""
					switch f := n.Fun.(type) {
					case *ast.SelectorExpr:
						name = f.Sel.Name
					case *ast.Ident:
						name = f.Name
					}
					if !slices.Contains([]string{"Standardize", "UnitVariance", "MinMax", "unitRange"}, name) {
						return true
					}
					seen++
					if unsplit[fn.Name.Name] != "" {
						used[fn.Name.Name] = true
						return true
					}
					switch rows := n.Args[0].(type) {
					case *ast.Ident:
						if given[rows.Name] {
							return true
						}
					case *ast.SelectorExpr:
						if of, is := rows.X.(*ast.Ident); is && of.Name == "train" && rows.Sel.Name == "X" {
							return true
						}
					}
					t.Errorf("%s: %s fits %s to other rows than train.X; Split.Scaled fits it to those for training", file, fn.Name.Name, name)
				}
				return true
			})
		}
	}
	if seen < 4 {
		t.Errorf("%d scalings are fitted", seen)
	}
	for name := range unsplit {
		if !used[name] {
			t.Errorf("%s scales nothing any more", name)
		}
	}
}

// makesScaling notes the parameter of a function that returns a *dataset.Scaling.
func makesScaling(f *ast.FuncType, given map[string]bool) {
	if f.Results == nil || len(f.Params.List) != 1 || len(f.Params.List[0].Names) != 1 {
		return
	}
	p, is := f.Results.List[0].Type.(*ast.StarExpr)
	if !is {
		return
	}
	if s, is := p.X.(*ast.SelectorExpr); is && s.Sel.Name == "Scaling" {
		given[f.Params.List[0].Names[0].Name] = true
	}
}
