package record

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"slices"
)

// sum is the SHA-256 hash of a declaration.
type sum [sha256.Size]byte

// site says where an object is declared: it is the nth name that a declaration declares.
type site struct {
	in  ast.Node
	nth uint32
}

// declaration is one of the project, as it is hashed: its tokens, where names are replaced by what they mean, and the
// declarations of the project that it names, in their order.
type declaration struct {
	own   sum
	named []ast.Node
}

// depth is how far from a declaration a difference between two that it may name changes its hash. Two that are equal that far
// and differ beyond are told apart by the rest of what a table reaches.
const depth = 8

// decls returns the declarations of the project without those of other modules, each once, in no fixed order.
func (s *Sources) decls() []ast.Node {
	seen := map[ast.Node]bool{}
	add := func(d ast.Node) {
		if d != nil && s.pkgs[s.packageOf(d)].ours() {
			seen[d] = true
		}
	}
	for _, d := range s.decl {
		add(d)
	}
	for _, all := range s.start {
		for _, d := range all {
			add(d)
		}
	}
	out := make([]ast.Node, 0, len(seen))
	for d := range seen {
		out = append(out, d)
	}
	return out
}

// sumsOf hashes declarations by what they say and by what those say that they name, up to depth.
func (s *Sources) sumsOf(decls []ast.Node) map[ast.Node]sum {
	names := map[ast.Node][]*ast.Ident{}
	switched := map[token.Pos]site{} // the variable of a type switch is declared once for all of its cases
	for _, d := range decls {
		names[d] = namesIn(d)
		var n uint32
		for _, name := range names[d] {
			if o, is := s.defs[name]; is {
				s.place[o], switched[name.Pos()] = site{d, n}, site{d, n}
				n++
			}
		}
	}
	for _, o := range s.implicits {
		if of, is := switched[o.Pos()]; is {
			s.place[o] = of
		}
	}
	own := map[ast.Node]declaration{}
	sums := map[ast.Node]sum{}
	for _, d := range decls {
		own[d] = s.declaration(d, names[d])
		sums[d] = own[d].own
	}
	for range depth {
		next := make(map[ast.Node]sum, len(sums))
		for d, is := range own {
			h := sha256.New()
			h.Write(is.own[:])
			for _, n := range is.named {
				of := sums[n]
				h.Write(of[:])
			}
			next[d] = sum(h.Sum(nil))
		}
		sums = next
	}
	return sums
}

// namesIn are the names in a declaration, in their order.
func namesIn(d ast.Node) []*ast.Ident {
	var out []*ast.Ident
	ast.Inspect(d, func(n ast.Node) bool {
		if id, is := n.(*ast.Ident); is {
			out = append(out, id)
		}
		return true
	})
	slices.SortStableFunc(out, func(a, b *ast.Ident) int { return cmp.Compare(a.Pos(), b.Pos()) })
	return out
}

// declaration hashes a declaration without comments and layout. A name stands for the declaration of its object and for the
// object's place in it, and only where code can ask for the name itself, or others declare it, for its letters.
func (s *Sources) declaration(d ast.Node, names []*ast.Ident) declaration {
	from, to := s.fset.Position(d.Pos()), s.fset.Position(d.End())
	text := s.text[from.Filename][from.Offset:to.Offset]
	var out declaration
	h := sha256.New()
	var scan scanner.Scanner
	files := token.NewFileSet()
	scan.Init(files.AddFile("", files.Base(), len(text)), text, nil, 0)
	ended := false // a statement, if another one follows
	for {
		_, kind, literal := scan.Scan()
		if ended && kind != token.RBRACE && kind != token.RPAREN {
			fmt.Fprintln(h, token.SEMICOLON)
		}
		ended = kind == token.SEMICOLON
		switch kind {
		case token.EOF:
			out.own = sum(h.Sum(nil))
			return out
		case token.SEMICOLON:
			continue
		case token.IDENT:
			var o types.Object
			if len(names) > 0 {
				o = cmp.Or(s.uses[names[0]], s.defs[names[0]])
				if _, switched := s.defs[names[0]]; switched && o == nil {
					literal = "" // of a type switch
				}
				names = names[1:]
			}
			of, known := s.place[origin(o)]
			switch {
			case o == nil || o.Pkg() == nil:
			case s.imported(o):
				scan.Scan() // its dot: where an object of the project is declared does not matter
				continue
			case isPackage(o):
				literal = ""
			case s.pkgs[o.Pkg().Path()] == nil || !s.pkgs[o.Pkg().Path()].ours() || isReader(o):
				literal = o.Pkg().Path() + "." + literal
			case known:
				if !s.spelt(o) {
					literal = ""
				}
				if of.in != d {
					out.named = append(out.named, of.in)
					literal += " elsewhere"
				}
				fmt.Fprint(h, "name ")
				binary.Write(h, binary.LittleEndian, of.nth)
			}
		}
		fmt.Fprintln(h, kind, literal)
	}
}

// origin is the object that a generic type or function declares, of which o may be that with types for its parameters.
func origin(o types.Object) types.Object {
	switch o := o.(type) {
	case *types.Func:
		return o.Origin()
	case *types.Var:
		return o.Origin()
	}
	return o
}

// isPackage reports whether the name stands for an imported package.
func isPackage(o types.Object) bool {
	_, is := o.(*types.PkgName)
	return is
}

// imported reports whether the name stands for an imported package of this project.
func (s *Sources) imported(o types.Object) bool {
	p, is := o.(*types.PkgName)
	return is && s.pkgs[p.Imported().Path()] != nil && s.pkgs[p.Imported().Path()].ours()
}

// spelt says that the letters of an object's name matter: those of a method, which interfaces ask for, of an exported field,
// which reflection finds, and of a function without a body, which is a routine of assembly.
func (s *Sources) spelt(o types.Object) bool {
	switch o := o.(type) {
	case *types.Func:
		f, is := s.decl[o.Origin()].(*ast.FuncDecl)
		return !is || f.Recv != nil || f.Body == nil
	case *types.Var:
		return o.IsField() && o.Exported()
	}
	return false
}
