package gram_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

// packages returns the folders of all packages of the root module and of the application.
func packages(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, l := range layerings(t) {
		for name := range l.line {
			if name == "gram" {
				name = "."
			}
			names = append(names, filepath.ToSlash(filepath.Join(l.folder, name)))
		}
	}
	slices.Sort(names)
	return names
}

// Every package that users import has an example that runs and whose output is
// checked.
func TestEveryPackageHasAnExample(t *testing.T) {
	for _, name := range packages(t) {
		switch first, _, _ := strings.Cut(strings.TrimPrefix(name, "app/"), "/"); {
		case slices.Contains(strings.Split(name, "/"), "internal"), first == "cmd", first == "examples", name == "app/capi", name == "app/page":
			continue // not for import
		case name == "asm", name == "asm/gen", name == "asm/hadamard/asmgen", name == "blas/gen":
			continue // a folder's documentation, programs
		case name == "blas/blastest", name == "app/catalog/catalogtest", name == "algos/algotest":
			continue // need a *testing.T, which no example has
		}
		files := must.Have(filepath.Glob(filepath.Join(name, "*_test.go")))(t)
		found := false
		for _, file := range files {
			text := must.Have(os.ReadFile(file))(t)
			if !strings.Contains(string(text), "\nfunc Example") {
				continue
			}
			f := must.Have(parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments))(t)
			for _, e := range doc.Examples(f) {
				found = found || e.Output != "" || e.EmptyOutput
			}
		}
		if !found {
			t.Errorf("package %s has no example with output", name)
		}
	}
}

// Every function of the engine is called in an example of its package that runs and whose
// output is checked.
func TestEveryFunctionOfTheEngineHasAnExample(t *testing.T) {
	for _, name := range []string{"blas", "blas/batch", "blas/small", "cholupdate", "eig", "fwht", "haar", "kernel", "num", "sketch", "sparse", "structured", "vec"} {
		files, err := filepath.Glob(filepath.Join(name, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		exported, called := map[string]bool{}, map[string]bool{}
		for _, file := range files {
			f := must.Have(parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments))(t)
			if !strings.HasSuffix(file, "_test.go") {
				for _, d := range f.Decls {
					if d, is := d.(*ast.FuncDecl); is && d.Recv == nil && d.Name.IsExported() {
						exported[d.Name.Name] = true
					}
				}
				continue
			}
			withOutput := false
			for _, e := range doc.Examples(f) {
				if e.Output != "" || e.EmptyOutput {
					withOutput = true
					collectCalls(called, e.Code, path.Base(name))
				}
			}
			if withOutput && strings.HasSuffix(file, "example_test.go") { // types and functions that examples use
				for _, d := range f.Decls {
					if d, is := d.(*ast.FuncDecl); is && !strings.HasPrefix(d.Name.Name, "Example") {
						collectCalls(called, d, path.Base(name))
					}
				}
			}
		}
		if len(exported) == 0 {
			t.Errorf("package %s exports no function", name)
		}
		for function := range exported {
			if !called[function] {
				t.Errorf("no example of package %s with output calls %s.%s", name, path.Base(name), function)
			}
		}
	}
}

// collectCalls adds the functions of the package that are called in n.
func collectCalls(called map[string]bool, n ast.Node, pkg string) {
	ast.Inspect(n, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is {
			return true
		}
		of := call.Fun
		switch x := of.(type) { // of a type that is given
		case *ast.IndexExpr:
			of = x.X
		case *ast.IndexListExpr:
			of = x.X
		}
		if s, is := of.(*ast.SelectorExpr); is {
			if x, is := s.X.(*ast.Ident); is && x.Name == pkg {
				called[s.Sel.Name] = true
			}
		}
		return true
	})
}

// Every package of kernels says that its API is not promised, and asm/cpu that its is.
func TestKernelsAreNotPromised(t *testing.T) {
	for _, name := range packages(t) {
		if !strings.HasPrefix(name, "asm/") || name == "asm/gen" || name == "asm/hadamard/asmgen" {
			continue
		}
		files, err := filepath.Glob(filepath.Join(name, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		text := ""
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f := must.Have(parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly))(t)
			text += f.Doc.Text()
		}
		want := "API of this package is not promised"
		if name == "asm/cpu" {
			want = "the only one below asm whose API is promised"
		}
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("the comment of package %s does not say %q", name, want)
		}
	}
}

// The README lists the kernels that have no routine of their own at a level.
func TestKernelsWithoutRoutine(t *testing.T) {
	want := map[string][]string{
		"arm64 NEON":   {},
		"amd64 AVX512": {"asm/gemm packRows", "asm/gemm packTransposed", "asm/hist add1", "asm/hist add2", "asm/hist add3", "asm/hist add4", "asm/hist addLists", "asm/hist divide", "asm/hist logistic", "asm/hist scan", "asm/hist subtract", "asm/hist words", "asm/panel axpy", "asm/secular octets", "asm/secular quads", "asm/secular rows4", "asm/structured deal", "asm/structured transpose", "asm/trees descend", "asm/trees walk", "asm/vec sameExp", "asm/vec sameLog"},
		"amd64 AVX2":   {"asm/gemm fewTransposed", "asm/panel gaussSums"},
	}
	function := regexp.MustCompile(`(?ms)^func (\w+)(?:\[[^\]]*\])?\([^{]*\{\n(.*?)^\}`)
	variant := regexp.MustCompile("AVX2|AVX512|NEON")
	for key, missing := range want {
		arch, level, _ := strings.Cut(key, " ")
		files, err := filepath.Glob("asm/*/dispatch_" + arch + ".go")
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		var got []string
		for _, file := range files {
			text := must.Have(os.ReadFile(file))(t)
			for _, m := range function.FindAllSubmatch(text, -1) {
				if !variant.Match(m[1]) && !strings.Contains(string(m[2]), level) {
					got = append(got, filepath.ToSlash(filepath.Dir(file))+" "+string(m[1]))
				}
			}
		}
		if slices.Sort(got); !slices.Equal(got, missing) {
			t.Errorf("%s: %q have no routine, README and this test say %q", key, got, missing)
		}
	}
}

// Every package with assembly, which may read and write an operand in any order, says
// which operands may overlap.
func TestOverlapIsDefined(t *testing.T) {
	routines, err := filepath.Glob("asm/*/*.s")
	if err != nil || len(routines) == 0 {
		t.Fatal(routines, err)
	}
	said := map[string]bool{}
	for _, path := range routines {
		dir := filepath.Dir(path)
		if said[dir] || dir == filepath.Join("asm", "cpu") { // it only asks the CPU
			continue
		}
		files := must.Have(filepath.Glob(filepath.Join(dir, "*.go")))(t)
		for _, file := range files {
			text := must.Have(os.ReadFile(file))(t)
			said[dir] = said[dir] || !strings.HasSuffix(file, "_test.go") && (strings.Contains(string(text), "overlap") || strings.Contains(string(text), "in place"))
		}
		if !said[dir] {
			t.Errorf("%s does not say which operands may overlap", dir)
			said[dir] = true
		}
	}
}

// String of an enumeration, a type on uint8 or int, neither panics nor prints a valid name for a
// value out of range: it calls enum.Name. No other String uses its receiver as an index.
func TestEnumerationsNameUnknownValues(t *testing.T) {
	bounded := []string{"asm/cpu.Level", "internal/tuning.Parameter"} // the first looks first, the second is for its constants alone
	seen := 0
	for _, name := range packages(t) {
		files := must.Have(filepath.Glob(filepath.Join(name, "*.go")))(t)
		parsed, enumerations := map[string]*ast.File{}, map[string]bool{}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f := must.Have(parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution))(t)
			parsed[file] = f
			ast.Inspect(f, func(n ast.Node) bool {
				if spec, is := n.(*ast.TypeSpec); is {
					if base, is := spec.Type.(*ast.Ident); is && (base.Name == "uint8" || base.Name == "int") {
						enumerations[spec.Name.Name] = true
					}
				}
				return true
			})
		}
		for file, f := range parsed {
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Name.Name != "String" || fn.Recv == nil || len(fn.Recv.List[0].Names) == 0 || fn.Body == nil {
					continue
				}
				kind, ok := fn.Recv.List[0].Type.(*ast.Ident)
				if !ok {
					continue
				}
				seen++
				receiver, named := fn.Recv.List[0].Names[0].Name, false
				ast.Inspect(fn.Body, func(n ast.Node) bool {
					if call, is := n.(*ast.CallExpr); is {
						if f, is := call.Fun.(*ast.SelectorExpr); is && f.Sel.Name == "Name" {
							from, is := f.X.(*ast.Ident)
							named = named || is && (from.Name == "enum" || from.Name == "settings")
						}
					}
					return true
				})
				if enumerations[kind.Name] && !named && !slices.Contains(bounded, name+"."+kind.Name) {
					t.Errorf("%s: String of %s does not call enum.Name", file, kind.Name)
				}
				ast.Inspect(fn.Body, func(n ast.Node) bool {
					index, is := n.(*ast.IndexExpr)
					if !is {
						return true
					}
					ast.Inspect(index.Index, func(n ast.Node) bool {
						if id, is := n.(*ast.Ident); is && id.Name == receiver && !slices.Contains(bounded, name+"."+kind.Name) {
							t.Errorf("%s: String of %s uses its value as an index", file, kind.Name)
						}
						return true
					})
					return true
				})
			}
		}
	}
	if seen < 30 {
		t.Errorf("%d methods String", seen)
	}
}
