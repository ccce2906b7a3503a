package gram_test

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

var renewAPI = flag.Bool("renew", false, "write the exported names of the module to api/root.txt")

// What the root module exports is in api/root.txt, a line for each function, method, type, field,
// constant and variable with its types, and every one has a doc comment. A name that appears,
// changes or goes is a change of that file: go test . -run TestAPI -renew. Packages and types whose
// comment says that they are not promised are left out.
func TestAPI(t *testing.T) {
	const file = "api/root.txt"
	var lines []string
	for _, name := range packages(t) {
		if parts := strings.Split(name, "/"); slices.Contains(parts, "internal") || slices.Contains([]string{"app", "examples", "reference"}, parts[0]) {
			continue
		}
		lines = append(lines, exports(t, name)...)
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	got := strings.Join(lines, "\n") + "\n"
	if *renewAPI {
		must.Do(t, os.WriteFile(file, []byte(got), 0o666))
		return
	}
	text := must.Have(os.ReadFile(file))(t)
	if got == string(text) {
		return
	}
	want := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for _, l := range lines {
		if !slices.Contains(want, l) {
			t.Errorf("not in %s: %s", file, l)
		}
	}
	for _, l := range want {
		if !slices.Contains(lines, l) {
			t.Errorf("only in %s: %s", file, l)
		}
	}
	t.Error("is this what users are to see? go test . -run TestAPI -renew")
}

// exports returns a line for every exported name of the package in a folder.
func exports(t *testing.T, folder string) []string {
	t.Helper()
	paths := must.Have(filepath.Glob(filepath.Join(folder, "*.go")))(t)
	var files []*ast.File
	fset := token.NewFileSet()
	hidden := map[string]bool{} // types that are not promised
	for _, file := range paths {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f := must.Have(parser.ParseFile(fset, file, nil, parser.ParseComments))(t)
		if f.Name.Name == "main" || strings.Contains(f.Doc.Text(), "not promised and may change") {
			return nil
		}
		files = append(files, f)
	}
	var lines []string
	e := exporter{t: t, fset: fset, folder: folder, hidden: hidden, out: &lines}
	for _, f := range files { // the types first
		for _, d := range f.Decls {
			if d, is := d.(*ast.GenDecl); is {
				e.group(d)
			}
		}
	}
	for _, f := range files {
		for _, d := range f.Decls {
			if d, is := d.(*ast.FuncDecl); is {
				e.function(d)
			}
		}
	}
	return lines
}

type exporter struct {
	t      *testing.T
	fset   *token.FileSet
	folder string
	hidden map[string]bool
	out    *[]string
}

// add adds a line; doc are the comments of which one has to be there.
func (e exporter) add(line string, doc ...*ast.CommentGroup) {
	e.t.Helper()
	if !slices.ContainsFunc(doc, func(d *ast.CommentGroup) bool { return d.Text() != "" }) {
		e.t.Errorf("%s: %s has no comment", e.folder, line)
	}
	*e.out = append(*e.out, path.Join("gram", e.folder)+": "+line)
}

// text prints n in one line, without what it does not export.
func (e exporter) text(n any) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, e.fset, n); err != nil {
		e.t.Fatal(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func unpromised(doc *ast.CommentGroup) bool { return strings.Contains(doc.Text(), "is not promised") }

func (e exporter) function(d *ast.FuncDecl) {
	if !d.Name.IsExported() || unpromised(d.Doc) {
		return
	}
	if d.Recv != nil {
		of := d.Recv.List[0].Type
		if p, is := of.(*ast.StarExpr); is {
			of = p.X
		}
		switch x := of.(type) {
		case *ast.IndexExpr:
			of = x.X
		case *ast.IndexListExpr:
			of = x.X
		}
		if name := of.(*ast.Ident); !name.IsExported() || e.hidden[name.Name] {
			return
		}
	}
	doc := d.Doc
	d.Doc, d.Body = nil, nil
	e.add(e.text(d), doc)
}

func (e exporter) group(d *ast.GenDecl) {
	var of ast.Expr // the type of a list of constants
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.ValueSpec:
			if s.Type != nil || len(s.Values) > 0 {
				of = s.Type
			}
			for _, name := range s.Names {
				if name.IsExported() && !unpromised(s.Doc) && !unpromised(d.Doc) {
					line := d.Tok.String() + " " + name.Name
					if of != nil {
						line += " " + e.text(of)
					}
					e.add(line, d.Doc, s.Doc, s.Comment)
				}
			}
		case *ast.TypeSpec:
			switch {
			case !s.Name.IsExported():
			case unpromised(s.Doc) || unpromised(d.Doc):
				e.hidden[s.Name.Name] = true
			default:
				e.kind(s, d.Doc)
			}
		}
	}
}

// kind adds a type, and the fields of a struct and the methods of an interface one by one.
func (e exporter) kind(s *ast.TypeSpec, doc *ast.CommentGroup) {
	list, what := (*ast.FieldList)(nil), ""
	switch of := s.Type.(type) {
	case *ast.StructType:
		list, what = of.Fields, "field"
		of.Fields = &ast.FieldList{Opening: of.Fields.Opening, Closing: of.Fields.Opening}
	case *ast.InterfaceType:
		list, what = of.Methods, "method"
		of.Methods = &ast.FieldList{Opening: of.Methods.Opening, Closing: of.Methods.Opening}
	}
	documented := []*ast.CommentGroup{doc, s.Doc, s.Comment}
	s.Doc, s.Comment = nil, nil
	e.add("type "+e.text(s), documented...)
	if list == nil {
		return
	}
	for _, f := range list.List {
		of := f.Type
		if p, is := of.(*ast.StarExpr); is {
			of = p.X
		}
		if name, is := of.(*ast.Ident); len(f.Names) == 0 && (!is || name.IsExported()) {
			e.add("type "+s.Name.Name+" embeds "+e.text(f.Type), documented...)
		}
		for _, name := range f.Names {
			if name.IsExported() {
				line := what + " " + s.Name.Name + "." + name.Name
				if of := e.text(f.Type); what == "method" {
					line += strings.TrimPrefix(of, "func")
				} else {
					line += " " + of
				}
				e.add(line, documented...)
			}
		}
	}
}
