package record

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// A routine is its text with the macros and tables that it names, wherever they stand.
func TestAssembly(t *testing.T) {
	read := func(files ...string) map[string]bool {
		a, parts := assembly{}, map[string]bool{}
		for _, f := range files {
			own := ""
			if before, after, is := strings.Cut(f, ":\n"); is {
				own, f = header(before), after
			}
			a.add(own, []byte(f))
		}
		a.reach(parts, "p", "one")
		return parts
	}
	const macros = "#define LOAD(x) \\\n\tMOVQ x, AX; \\\n\tSTEP\n#define STEP ADDQ $1, AX\n#define OTHER \\\n\tSUBQ $1, AX\n"
	const tables = "DATA numbers<>+0(SB)/8, $1\nDATA numbers<>+8(SB)/8, $2\nGLOBL numbers<>(SB), RODATA, $16\nDATA others<>+0(SB)/8, $3\n"
	const routines = "#include \"h.h\"\nTEXT ·one(SB), NOSPLIT, $0-8\n\tMOVQ x+0(FP), BX\n\tLOAD(numbers<>(SB))\n#include \"body.h\"\n\tRET\n\nTEXT ·two(SB), NOSPLIT, $0-8\n\tOTHER\n#include \"other.h\"\n\tMOVQ others<>(SB), AX\n\tRET\n"
	const body = "body.h:\nloop:\n\tINCQ BX\n\tJNZ loop\n"
	const other = "other.h:\nloop:\n\tINCQ CX\n\tJNZ loop\n"
	want := read(tables+routines, macros, body, other)
	if len(want) != 5 { // with STEP, LOAD, the numbers and the body
		t.Errorf("%q", slices.Collect(maps.Keys(want)))
	}
	for name, c := range map[string]struct {
		from, to string
		same     bool
	}{
		"its text":                 {"x+0(FP), BX", "x+0(FP), CX", false},
		"a macro":                  {"MOVQ x, AX", "MOVL x, AX", false},
		"a macro of a macro":       {"ADDQ $1", "ADDQ $2", false},
		"a number":                 {"/8, $2", "/8, $4", false},
		"another routine":          {"\tOTHER", "\tNOP", true},
		"a macro of the other one": {"SUBQ $1", "SUBQ $2", true},
		"numbers of the other one": {"/8, $3", "/8, $5", true},
		"its body":                 {"INCQ BX", "DECQ BX", false},
		"a body of the other one":  {"INCQ CX", "DECQ CX", true},
		"a comment":                {"\tRET\n\n", "\tRET // done\n\n", true},
		"layout":                   {"\tMOVQ x+0(FP), BX", "\tMOVQ   x+0(FP),   BX", true},
		"an included file":         {"#include", "#include \"more.h\"\n#include", true},
	} {
		change := func(text string) string { return strings.Replace(text, c.from, c.to, 1) }
		if got := read(change(tables+routines), change(macros), change(body), change(other)); maps.Equal(got, want) != c.same {
			t.Errorf("%s: the same parts: %v", name, !c.same)
		}
	}
	if got := read(other, body, macros, tables, routines); !maps.Equal(got, want) {
		t.Error("other files, other parts")
	}
}

// bodiless counts the routines and checks that every routine of the declarations is found in assembly.
func bodiless(t *testing.T, s *Sources, decls map[ast.Node]bool) (found int) {
	for d := range decls {
		if f, is := d.(*ast.FuncDecl); is && f.Body == nil && s.pkgs[s.packageOf(d)].ours() {
			path := s.packageOf(d)
			if linked := f.Doc != nil && strings.Contains(f.Doc.Text()+f.Doc.List[len(f.Doc.List)-1].Text, "go:linkname"); linked {
				continue
			}
			if found++; s.asm[path][f.Name.Name] == "" {
				t.Errorf("%s: no routine %s", path, f.Name.Name)
			}
		}
	}
	return found
}
