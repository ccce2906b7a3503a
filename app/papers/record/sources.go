// Package record keeps the stored results of the papers' tables true: it stores runs
// together with a hash of the code that they come from, says which are older than that
// code, and runs rows again.
package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// Sources knows what every table is computed with: the declarations of the project that its
// function reaches, on linux and amd64, also by way of other modules, and the versions of the
// other modules that those need.
type Sources struct {
	root      string
	pkgs      map[string]*goPackage
	fset      *token.FileSet
	uses      map[*ast.Ident]types.Object
	decl      map[types.Object]ast.Node   // what declares an object, but of Go's library
	start     map[string][]ast.Node       // what a package runs at its start
	runs      map[string]types.Object     // the functions of the tables
	text      map[string][]byte           // files of the project by path
	used      map[ast.Node][]types.Object // the objects that each declaration names
	library   calls                       // methods of the interfaces of Go's library
	embedded  map[types.Object]bool       // types that stand in structs, which have their methods
	lent      calls                       // methods of the interfaces that structs embed
	folder    map[string]string           // the package of a folder
	defs      map[*ast.Ident]types.Object // what names declare
	implicits map[ast.Node]types.Object   // the variables of the cases of type switches
	place     map[types.Object]site       // where an object of the project is declared
	sums      map[ast.Node]sum            // hashes of declarations
	asm       map[string]assembly         // assembly of each package of the project, by its path
}

// goPackage is a package as go list -json describes it.
type goPackage struct {
	ImportPath, Dir, Export                      string
	GoFiles, SFiles, HFiles, EmbedFiles, Imports []string
	Standard                                     bool
	Module                                       *struct {
		Path, Version string
		Main          bool
	}
}

// ours says that the package is the project's.
func (p *goPackage) ours() bool { return p.Module != nil && p.Module.Main }

// tables is the import path of the package with the functions of the tables.
const tables = "github.com/gramworks/gram/app/papers"

// ReadSources reads the checkout of the project with that root. It runs go list for
// linux/amd64, so that every machine finds the same.
func ReadSources(root string) (*Sources, error) {
	list := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles,SFiles,HFiles,EmbedFiles,Imports,Standard,Module", tables)
	list.Dir = root
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	var said bytes.Buffer
	list.Stderr = &said
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w\n%s", root, err, &said)
	}
	s := &Sources{root: root, pkgs: map[string]*goPackage{}, fset: token.NewFileSet(), uses: map[*ast.Ident]types.Object{}, decl: map[types.Object]ast.Node{}, start: map[string][]ast.Node{}, runs: map[string]types.Object{}, text: map[string][]byte{}, used: map[ast.Node][]types.Object{}, library: calls{}, embedded: map[types.Object]bool{}, lent: calls{}, folder: map[string]string{}, defs: map[*ast.Ident]types.Object{}, place: map[types.Object]site{}, implicits: map[ast.Node]types.Object{}, asm: map[string]assembly{}}
	var order []*goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(goPackage)
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		s.pkgs[p.ImportPath], order = p, append(order, p)
	}
	if s.pkgs[tables] == nil {
		return nil, fmt.Errorf("%s is no checkout with %s", root, tables)
	}
	library := importer.ForCompiler(s.fset, "gc", func(path string) (io.ReadCloser, error) {
		p := s.pkgs[path]
		if p == nil {
			return nil, fmt.Errorf("go list did not name %s", path)
		}
		return os.Open(p.Export)
	})
	s.library.add("Error", types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
	for _, m := range []string{"Is", "As", "Unwrap"} { // package errors asks for interfaces without a name
		s.library.add(m, nil)
	}
	checked := packages{library: library, read: map[string]*types.Package{}}
	for _, p := range order { // dependencies come first
		if p.Standard {
			continue
		}
		if err := s.check(p, checked); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// packages are those whose sources have been read, and Go's library, of which what is exported is known.
type packages struct {
	library types.Importer
	read    map[string]*types.Package
}

// Import returns the package as it was read from its sources, or else as Go's library exports it; it makes packages a
// types.Importer.
func (p packages) Import(path string) (*types.Package, error) {
	if read := p.read[path]; read != nil {
		return read, nil
	}
	return p.library.Import(path)
}

// check finds the declarations of a package, of whichever module, and the objects that they use.
func (s *Sources) check(p *goPackage, checked packages) error {
	var files []*ast.File
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(s.fset, path, b, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
		if p.ours() {
			s.text[path] = b
		}
	}
	if p.ours() {
		a, err := readAssembly(p.Dir, slices.Concat(p.SFiles, p.HFiles))
		if err != nil {
			return err
		}
		s.asm[p.ImportPath] = a
	}
	info := &types.Info{Uses: s.uses, Defs: s.defs, Implicits: s.implicits}
	conf := types.Config{Importer: checked, Sizes: types.SizesFor("gc", "amd64")}
	read, err := conf.Check(p.ImportPath, s.fset, files, info)
	if err != nil {
		return err
	}
	checked.read[p.ImportPath], s.folder[p.Dir] = read, p.ImportPath
	for _, i := range read.Imports() {
		if s.pkgs[i.Path()].Standard {
			s.interfaces(i)
		}
	}
	for _, f := range files {
		ast.Inspect(f, s.embeds)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				s.decl[info.Defs[d.Name]] = d
				if d.Recv == nil && d.Name.Name == "init" {
					s.start[p.ImportPath] = append(s.start[p.ImportPath], d)
				}
			case *ast.GenDecl:
				s.specs(p.ImportPath, d, info)
			}
		}
	}
	if p.ImportPath == tables {
		s.tables(read)
	}
	return nil
}

// specs notes what a declaration of types, constants or variables declares.
func (s *Sources) specs(path string, d *ast.GenDecl, info *types.Info) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			s.decl[info.Defs[spec.Name]] = spec
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				s.decl[info.Defs[name]] = spec
				if d.Tok == token.CONST {
					s.decl[info.Defs[name]] = d // may continue the one above
				} else if name.Name == "_" {
					s.start[path] = append(s.start[path], spec)
				}
			}
		}
	}
}

// tables finds the functions of the tables: All and the functions that it calls list every one as {ID: "3.7", …, run: table37}.
func (s *Sources) tables(own *types.Package) {
	seen := map[types.Object]bool{}
	var list func(o types.Object)
	list = func(o types.Object) {
		f, is := s.decl[o].(*ast.FuncDecl)
		if !is || seen[o] {
			return
		}
		seen[o] = true
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if name, is := n.Fun.(*ast.Ident); is {
					list(s.uses[name])
				}
			case *ast.CompositeLit:
				s.table(n)
			}
			return true
		})
	}
	list(own.Scope().Lookup("All"))
}

// table notes in s.runs the function of the table that a literal with an ID and a run describes.
func (s *Sources) table(list *ast.CompositeLit) {
	var id string
	for _, e := range list.Elts {
		kv, is := e.(*ast.KeyValueExpr)
		if !is {
			continue
		}
		switch v := kv.Value.(type) {
		case *ast.BasicLit:
			if kv.Key.(*ast.Ident).Name == "ID" {
				id, _ = strconv.Unquote(v.Value)
			}
		case *ast.Ident:
			if kv.Key.(*ast.Ident).Name == "run" {
				s.runs[id] = s.uses[v]
			}
		}
	}
}

// packageOf is the package that a declaration is in.
func (s *Sources) packageOf(d ast.Node) string {
	return s.folder[filepath.Dir(s.fset.Position(d.Pos()).Filename)]
}

// Hash is a hash of what the table is computed with. Comments, the way code is laid out and where it stands do not change it,
// nor do names but for those of methods, exported fields and routines of assembly, nor does what the paper prints.
func (s *Sources) Hash(id string) (string, error) {
	if s.runs[id] == nil {
		return "", fmt.Errorf("%s has no table %s", s.root, id)
	}
	if s.sums == nil {
		s.sums = s.sumsOf(s.decls())
	}
	r := s.of(id)
	var parts []string
	for d := range r.decls {
		if !s.pkgs[s.packageOf(d)].ours() {
			continue // the version of its module stands for it
		}
		sum := s.sums[d]
		parts = append(parts, string(sum[:]))
	}
	for path := range r.files {
		b, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		name, err := filepath.Rel(s.root, path)
		if err != nil {
			return "", err
		}
		parts = append(parts, name+"\n"+string(b))
	}
	parts = slices.AppendSeq(slices.AppendSeq(parts, maps.Keys(r.modules)), maps.Keys(r.asm))
	slices.Sort(parts)
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d\n%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}
