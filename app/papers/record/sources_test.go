package record

import (
	"go/ast"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/app/internal/repo"
	"github.com/gramworks/gram/app/papers"
)

// The hash of a table is that of the declarations that it reaches and of no others.
func TestSources(t *testing.T) {
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	s, err := ReadSources(repo.Path(t, "."))
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/gramworks/gram/"
	for id, c := range map[string]struct{ with, without []string }{
		"3.7":    {[]string{"algos/lowrank/meka.Config.Fit", "kernel.Against", "app/papers/protocol.Data.Rows", "blas.gemv", "blas.nativeLapack.Dgeqrf"}, []string{"algos/lowrank/meka.Read", "blas.nativeLapack.Dgeev", "dataset.builder.add", "dataset.input"}},
		"jain-1": {[]string{"algos/kernels/itml.Config.Fit"}, []string{"algos/lowrank/meka.Config.Fit", "blas.nativeLapack.Dgesvd"}},
	} {
		names := map[string]bool{}
		if r := s.of(id); bodiless(t, s, r.decls) < 10 || !slices.ContainsFunc(slices.Collect(maps.Keys(r.asm)), func(part string) bool { return strings.Contains(part, " expConst64\n") }) {
			t.Errorf("%s without assembly", id)
		}
		for d := range s.of(id).decls {
			names[strings.TrimPrefix(s.packageOf(d), module)+"."+nameOf(d)] = true
		}
		for _, name := range c.with {
			if !names[name] {
				t.Errorf("%s without %s", id, name)
			}
		}
		for _, name := range c.without {
			if names[name] {
				t.Errorf("%s needs %s", id, name)
			}
		}
	}
	hashes := map[string]string{}
	for _, table := range papers.All() {
		h, err := s.Hash(table.ID)
		if err != nil || len(h) != 16 {
			t.Fatalf("%s: %q, %v", table.ID, h, err)
		}
		if hashes[h] != "" {
			t.Errorf("%s and %s have one hash", table.ID, hashes[h])
		}
		hashes[h] = table.ID
		if again, _ := s.Hash(table.ID); again != h {
			t.Errorf("%s: %s, then %s", table.ID, h, again)
		}
	}
	// Code changes the hash of the tables that reach it, a comment none.
	s.sums = nil
	for name, b := range s.text {
		s.text[name] = append(b[:len(b):len(b)], "// more"...)
	}
	changed := ""
	for name, b := range s.text {
		if filepath.Base(name) == "jain_1.go" {
			changed, s.text[name] = name, []byte(strings.Replace(string(b), "{.1, 1}", "{.2, 1}", 1))
		}
	}
	if changed == "" {
		t.Fatal("no jain_1.go")
	}
	for _, table := range papers.All() {
		h, err := s.Hash(table.ID)
		if err != nil {
			t.Fatal(err)
		}
		if same := hashes[h] == table.ID; same == (table.ID == "jain-1") {
			t.Errorf("%s: the same hash: %v", table.ID, same)
		}
	}
}

// nameOf is the name of a function, with that of its receiver's type, or of a type.
func nameOf(d ast.Node) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return d.Name.Name
		}
		of := d.Recv.List[0].Type
		if p, is := of.(*ast.StarExpr); is {
			of = p.X
		}
		if of, is := of.(*ast.Ident); is {
			return of.Name + "." + d.Name.Name
		}
	case *ast.TypeSpec:
		return d.Name.Name
	}
	return ""
}
