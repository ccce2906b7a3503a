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
	"go/scanner"
	"go/token"
	"go/types"
	"hash"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Sources knows what every table is computed with: the declarations of package papers
// that its function reaches, and all files of the project's packages that those need.
type Sources struct {
	root string
	pkgs map[string]*goPackage
	self *types.Package
	info *types.Info
	fset *token.FileSet
	decl map[types.Object]ast.Node // of the objects of package papers
	runs map[string]types.Object   // the functions of the tables
	text map[string][]byte         // its files
	sums map[string][]byte         // hashes of packages
}

// goPackage is what go list says of a package.
type goPackage struct {
	ImportPath, Dir, Export      string
	GoFiles, EmbedFiles, Imports []string
	Standard                     bool
	Module                       *struct {
		Path, Version string
		Main          bool
	}
}

// tables is the package of the tables.
const tables = "github.com/gramworks/gram/app/papers"

// ReadSources reads the checkout of the project with that root. It runs go list for
// linux/amd64, so that every machine finds the same.
func ReadSources(root string) (*Sources, error) {
	list := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles,EmbedFiles,Imports,Standard,Module", tables)
	list.Dir = root
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	var said bytes.Buffer
	list.Stderr = &said
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w\n%s", root, err, &said)
	}
	s := &Sources{root: root, pkgs: map[string]*goPackage{}, fset: token.NewFileSet(), decl: map[types.Object]ast.Node{}, runs: map[string]types.Object{}, text: map[string][]byte{}, sums: map[string][]byte{}}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(goPackage)
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		s.pkgs[p.ImportPath] = p
	}
	return s, s.check()
}

// check finds the objects that every declaration of package papers uses.
func (s *Sources) check() error {
	p := s.pkgs[tables]
	if p == nil {
		return fmt.Errorf("%s is no checkout with %s", s.root, tables)
	}
	var files []*ast.File
	for _, name := range p.GoFiles {
		b, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(s.fset, name, b, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files, s.text[name] = append(files, f), b
	}
	exported := func(path string) (io.ReadCloser, error) {
		p := s.pkgs[path]
		if p == nil {
			return nil, fmt.Errorf("go list did not name %s", path)
		}
		return os.Open(p.Export)
	}
	s.info = &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	var err error
	s.self, err = (&types.Config{Importer: importer.ForCompiler(s.fset, "gc", exported)}).Check(tables, s.fset, files, s.info)
	if err != nil {
		return err
	}
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				s.decl[s.info.Defs[d.Name]] = d
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						s.decl[s.info.Defs[spec.Name]] = spec
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							s.decl[s.info.Defs[name]] = d // a constant may continue the one above
						}
					}
				}
			}
		}
	}
	// All lists every table as {ID: "3.7", …, run: table37}.
	ast.Inspect(s.decl[s.self.Scope().Lookup("All")], func(n ast.Node) bool {
		list, is := n.(*ast.CompositeLit)
		if !is {
			return true
		}
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
					s.runs[id] = s.info.Uses[v]
				}
			}
		}
		return true
	})
	return nil
}

// of returns the declarations that a table reaches and the packages that they need.
func (s *Sources) of(id string) (decls []ast.Node, packages []string) {
	work := []types.Object{s.runs[id]}
	seen, needs := map[types.Object]bool{}, map[string]bool{}
	for len(work) > 0 {
		o := work[len(work)-1]
		work = work[:len(work)-1]
		node := s.decl[o]
		if node == nil || seen[o] {
			continue
		}
		seen[o] = true
		if !slices.Contains(decls, node) {
			decls = append(decls, node)
		}
		// Methods of a type may be called through an interface. Those of run, which
		// all tables have in common, are called by their names.
		if named, is := o.Type().(*types.Named); is && named.Obj() == o && o.Name() != "run" {
			for m := range named.Methods() {
				work = append(work, m)
			}
		}
		ast.Inspect(node, func(n ast.Node) bool {
			id, is := n.(*ast.Ident)
			if !is {
				return true
			}
			switch o := s.info.Uses[id].(type) {
			case nil:
			case *types.PkgName:
				needs[o.Imported().Path()] = true
			case *types.Func:
				work = append(work, o.Origin())
			default:
				work = append(work, o)
			}
			if o := s.info.Uses[id]; o != nil && o.Pkg() != nil && o.Pkg() != s.self {
				needs[o.Pkg().Path()] = true
			}
			return true
		})
	}
	slices.SortFunc(decls, func(a, b ast.Node) int { return int(a.Pos() - b.Pos()) })
	var add func(path string)
	add = func(path string) {
		p := s.pkgs[path]
		if p == nil || p.Standard || slices.Contains(packages, path) {
			return
		}
		packages = append(packages, path)
		for _, i := range p.Imports {
			add(i)
		}
	}
	for path := range needs {
		add(path)
	}
	slices.Sort(packages)
	return decls, packages
}

// Hash is a hash of what the table is computed with. Comments and the way code is laid
// out do not change it, nor does what the paper prints.
func (s *Sources) Hash(id string) (string, error) {
	if s.runs[id] == nil {
		return "", fmt.Errorf("%s has no table %s", s.root, id)
	}
	decls, packages := s.of(id)
	h := sha256.New()
	for _, d := range decls {
		from, to := s.fset.Position(d.Pos()), s.fset.Position(d.End())
		tokens(h, s.text[from.Filename][from.Offset:to.Offset])
	}
	for _, path := range packages {
		if s.sums[path] == nil {
			sum, err := s.pkgs[path].sum()
			if err != nil {
				return "", err
			}
			s.sums[path] = sum
		}
		h.Write(s.sums[path])
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// sum is a hash of the package: of a package of the project that of its files for every
// processor, without tests, of another that of its version.
func (p *goPackage) sum() ([]byte, error) {
	h := sha256.New()
	fmt.Fprintln(h, p.ImportPath)
	if p.Module != nil && !p.Module.Main {
		fmt.Fprintln(h, p.Module.Version)
		return h.Sum(nil), nil
	}
	all, err := os.ReadDir(p.Dir)
	if err != nil {
		return nil, err
	}
	names := slices.Clone(p.EmbedFiles)
	for _, e := range all {
		switch name := e.Name(); filepath.Ext(name) {
		case ".go", ".s", ".h":
			if !strings.HasSuffix(name, "_test.go") {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		fmt.Fprintln(h, name)
		switch filepath.Ext(name) {
		case ".go":
			tokens(h, b)
		case ".s", ".h":
			for line := range bytes.Lines(b) {
				line, _, _ = bytes.Cut(line, []byte("//"))
				fmt.Fprintf(h, "%s\n", bytes.Join(bytes.Fields(line), []byte(" ")))
			}
		default:
			h.Write(b)
		}
	}
	return h.Sum(nil), nil
}

// tokens hashes Go code without its comments and its layout.
func tokens(h hash.Hash, text []byte) {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", files.Base(), len(text)), text, nil, 0)
	for {
		_, kind, literal := s.Scan()
		if kind == token.EOF {
			return
		}
		if kind == token.SEMICOLON {
			literal = "" // written or not
		}
		fmt.Fprintln(h, kind, literal)
	}
}
