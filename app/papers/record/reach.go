package record

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
)

// readers read the data sets, or list the formats and what reads them. A table depends on them by the values that they return alone,
// whose hashes a test holds: what they are read with is not in the hash of a table, so that a faster reader makes no run old.
var readers = []string{"(github.com/gramworks/gram/dataset.Dir).Load", "github.com/gramworks/gram/dataset.ReadRows", "github.com/gramworks/gram/dataset.init", "github.com/gramworks/gram/dataset.codec"}

// isReader says that an object is one of readers.
func isReader(o types.Object) bool {
	switch o := o.(type) {
	case *types.Func:
		return slices.Contains(readers, o.FullName())
	case *types.TypeName:
		return slices.Contains(readers, o.Pkg().Path()+"."+o.Name())
	}
	return false
}

// calls are methods that are called on values whose type only the running program knows, by their names: the interfaces that
// they are called on, with nil for one that may be any, as in a generic function.
type calls map[string][]*types.Interface

// add adds a call and reports whether it is new.
func (c calls) add(method string, on *types.Interface) bool {
	if slices.Contains(c[method], on) {
		return false
	}
	c[method] = append(c[method], on)
	return true
}

// clone returns a copy of c that can grow without changing c.
func (c calls) clone() calls {
	out := calls{}
	for method, on := range c {
		out[method] = slices.Clone(on)
	}
	return out
}

// interfaces notes the methods of the interfaces of a package of Go's library: its functions, which are not looked at,
// may call them.
func (s *Sources) interfaces(p *types.Package) {
	for _, name := range p.Scope().Names() {
		t := p.Scope().Lookup(name).Type()
		i, is := t.Underlying().(*types.Interface)
		if !is {
			continue
		}
		on := i
		if named, is := t.(*types.Named); is && named.TypeParams().Len() > 0 {
			on = nil
		}
		for m := range i.Methods() {
			s.library.add(m.Name(), on)
		}
	}
}

// embeds notes the types that stand without a name in a struct.
func (s *Sources) embeds(n ast.Node) bool {
	st, is := n.(*ast.StructType)
	if !is {
		return true
	}
	for _, f := range st.Fields.List {
		if len(f.Names) > 0 {
			continue
		}
		o := s.uses[nameIn(f.Type)]
		if o == nil {
			continue
		}
		t := types.Unalias(o.Type())
		i, is := t.Underlying().(*types.Interface)
		if !is {
			if named, is := t.(*types.Named); is {
				s.embedded[named.Obj()] = true
			}
			continue
		}
		if named, is := t.(*types.Named); is && named.TypeParams().Len() > 0 {
			i = nil
		}
		for m := range t.Underlying().(*types.Interface).Methods() {
			s.lent.add(m.Name(), i)
		}
	}
	return true
}

// nameIn is the name of a type, without that of its package, its arguments and a star.
func nameIn(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.StarExpr:
		return nameIn(e.X)
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return nameIn(e.X)
	case *ast.IndexListExpr:
		return nameIn(e.X)
	}
	return nil
}

// generic says that a declaration has type parameters.
func generic(d ast.Node) bool {
	f, is := d.(*ast.FuncDecl)
	if !is || f.Recv == nil {
		return is && f.Type.TypeParams != nil
	}
	of := f.Recv.List[0].Type
	if p, is := of.(*ast.StarExpr); is {
		of = p.X
	}
	_, plain := of.(*ast.Ident)
	return !plain
}

// reached is what a table is computed with.
type reached struct {
	decls   map[ast.Node]bool
	files   map[string]bool // embedded files, by path
	asm     map[string]bool // parts of assembly
	modules map[string]bool // of others, with their versions
	seen    map[string]bool // packages
	work    []ast.Node      // still to be looked at
	called  calls
	waiting map[string][]*types.Func // methods of types, which nobody is known to call
}

// of returns what a table reaches. A method that nobody calls on its type is reached where its type
// is and reached code, of the project or of another module, calls a method of its name on an interface
// that the type satisfies; Go's library may call all methods of its interfaces. The
// tables' own run, which all have in common, is called by its methods' names.
func (s *Sources) of(id string) *reached {
	r := &reached{map[ast.Node]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, nil, s.library.clone(), map[string][]*types.Func{}}
	s.object(r, s.runs[id], false)
	for len(r.work) > 0 {
		node := r.work[len(r.work)-1]
		r.work = r.work[:len(r.work)-1]
		if node == nil || r.decls[node] {
			continue
		}
		r.decls[node] = true
		if f, is := node.(*ast.FuncDecl); is && f.Body == nil {
			path := s.packageOf(f)
			s.asm[path].reach(r.asm, path, f.Name.Name)
		}
		for _, o := range s.usedBy(node) {
			s.object(r, o, generic(node))
		}
	}
	return r
}

// usedBy are the objects that a declaration names.
func (s *Sources) usedBy(node ast.Node) []types.Object {
	if out, known := s.used[node]; known {
		return out
	}
	var out []types.Object
	ast.Inspect(node, func(n ast.Node) bool {
		if id, is := n.(*ast.Ident); is {
			if o := s.uses[id]; o != nil && o.Pkg() != nil && !slices.Contains(out, o) {
				out = append(out, o)
			}
		}
		return true
	})
	s.used[node] = out
	return out
}

// object adds an object that reached code names, which may have type parameters.
func (s *Sources) object(r *reached, o types.Object, generic bool) {
	s.enter(r, o.Pkg().Path())
	if isReader(o) {
		return
	}
	switch o := o.(type) {
	case *types.Func:
		r.work = append(r.work, s.decl[o.Origin()])
		if recv := o.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
			on := recv.Type().Underlying().(*types.Interface)
			if generic {
				on = nil
			}
			if r.called.add(o.Name(), on) {
				r.waiting[o.Name()] = slices.DeleteFunc(r.waiting[o.Name()], func(m *types.Func) bool { return s.callable(r, m) })
			}
		}
	case *types.TypeName:
		d := s.decl[o]
		r.work = append(r.work, d)
		named, is := o.Type().(*types.Named)
		if !is || d == nil || r.decls[d] || o.Pkg().Path() == tables && o.Name() == "run" {
			break
		}
		for m := range named.Origin().Methods() {
			if !s.callable(r, m) {
				r.waiting[m.Name()] = append(r.waiting[m.Name()], m)
			}
		}
	default:
		r.work = append(r.work, s.decl[o])
	}
}

// callable reaches a method of a type if it may be called on an interface. A struct has the methods of the types that stand in
// it, of which the struct, and not the type, may satisfy the interface; so has one with an interface in it, and calls its methods.
func (s *Sources) callable(r *reached, m *types.Func) bool {
	on := r.called[m.Name()]
	if len(on) == 0 {
		return false
	}
	t := m.Signature().Recv().Type()
	if p, is := t.(*types.Pointer); is {
		t = p.Elem()
	}
	named := t.(*types.Named)
	satisfies := func(i *types.Interface) bool { return i == nil || types.Implements(types.NewPointer(named), i) }
	may := named.TypeParams().Len() > 0 || s.embedded[named.Obj()] || slices.ContainsFunc(on, satisfies) || slices.ContainsFunc(s.lent[m.Name()], satisfies)
	if may {
		r.work = append(r.work, s.decl[m])
	}
	return may
}

// enter adds what a package brings as a whole: what it runs at its start and embeds, or, of others,
// the versions of its module and of those that it imports.
func (s *Sources) enter(r *reached, path string) {
	p := s.pkgs[path]
	if p == nil || p.Standard || r.seen[path] {
		return
	}
	r.seen[path] = true
	if !slices.Contains(readers, path+".init") {
		r.work = append(r.work, s.start[path]...)
	}
	if p.ours() {
		if path != tables { // whose files are what the papers print, and stored runs
			for _, name := range p.EmbedFiles {
				r.files[filepath.Join(p.Dir, name)] = true
			}
		}
		return
	}
	r.modules[p.Module.Path+" "+p.Module.Version] = true
	for _, i := range p.Imports {
		s.enter(r, i)
	}
}
