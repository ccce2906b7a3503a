package gram_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

// contextOf returns the name of a parameter that is a context.
func contextOf(f *ast.FuncType) string {
	for _, p := range f.Params.List {
		if s, is := p.Type.(*ast.SelectorExpr); is && s.Sel.Name == "Context" && len(p.Names) > 0 {
			return p.Names[0].Name
		}
	}
	return ""
}

// uncanceled are functions with a context of which no test of their package ends it, and why.
var uncanceled = map[string]string{
	"bench.SelfTest":          "it has no error: TestSelfTest looks at what it returns",
	"bench.Tune":              "it takes seconds from one look to the next: TestTune ends it at the first one",
	"blas.SymEigen":           "TestSymEigen ends a context of its own at several looks",
	"internal/looktest.After": "it makes a context: TestAfter looks at that",
	"algos/kernels/internal/dual.Problem.Proof": "it has no error: TestLooks sees in Newton and Feasible that a proof is whole or none",
}

// Every exported function of the root module that takes a context has a test that ends this context: a call with the context of a function
// that the test hands to looktest.Every or to algotest.
func TestEveryContextIsEndedByATest(t *testing.T) {
	for _, folder := range packages(t) {
		if folder == "." || strings.HasPrefix(folder, "app") || folder == "algos/algotest" {
			continue
		}
		files := must.Have(filepath.Glob(filepath.Join(folder, "*.go")))(t)
		takes, ended := map[string]string{}, map[string]bool{}
		for _, file := range files {
			f := must.Have(parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution))(t)
			test := strings.HasSuffix(file, "_test.go")
			for _, d := range f.Decls {
				fn, is := d.(*ast.FuncDecl)
				if !is {
					continue
				}
				if !test {
					if fn.Name.IsExported() && contextOf(fn.Type) != "" {
						takes[receiver(fn)+fn.Name.Name] = fn.Name.Name
					}
					continue
				}
				ast.Inspect(fn, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.FuncDecl:
						collectContexts(ended, n.Body, contextOf(n.Type))
					case *ast.FuncLit:
						collectContexts(ended, n.Body, contextOf(n.Type))
					case *ast.CompositeLit: // a list of functions, each of which is called with a context
						for _, e := range n.Elts {
							if f, is := e.(*ast.SelectorExpr); is {
								ended[f.Sel.Name] = true
							}
						}
					}
					return true
				})
			}
		}
		for name, bare := range takes {
			if full := folder + "." + name; ended[bare] == (uncanceled[full] != "") {
				t.Errorf("%s: a test ends its context: %v, a reason why none does: %q", full, ended[bare], uncanceled[full])
			}
		}
	}
}

// receiver returns the type that a method is of, with a dot.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	t := f.Recv.List[0].Type
	for {
		switch of := t.(type) {
		case *ast.StarExpr:
			t = of.X
		case *ast.IndexExpr:
			t = of.X
		case *ast.IndexListExpr:
			t = of.X
		case *ast.Ident:
			return of.Name + "."
		default:
			return ""
		}
	}
}

// collectContexts notes the functions that are called with the context.
func collectContexts(ended map[string]bool, body ast.Node, ctx string) {
	if ctx == "" {
		return
	}
	ast.Inspect(body, func(n ast.Node) bool {
		c, is := n.(*ast.CallExpr)
		if !is || !slices.ContainsFunc(c.Args, func(a ast.Expr) bool { name, is := a.(*ast.Ident); return is && name.Name == ctx }) {
			return true
		}
		f := c.Fun
		if generic, is := f.(*ast.IndexExpr); is {
			f = generic.X
		}
		switch f := f.(type) {
		case *ast.SelectorExpr:
			ended[f.Sel.Name] = true
		case *ast.Ident:
			ended[f.Name] = true
		}
		return true
	})
}
