package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A family is a test program with all faults of a draw in the functions of a package, of which the variable
// GRAM_FAULT turns one on. So the package is compiled and linked once.
type family struct {
	sync.Mutex
	mutants []mutant    // of the draw
	numbers map[key]int // of those in the program, from 1; 0 for those that do not compile
	program string      // empty: not built
	err     error
}

// gather prepares the families of a draw, with some more faults for those that do not compile.
func (b *bench) gather(quotas []*quota) {
	b.families = map[string]*family{}
	for _, q := range quotas {
		for _, m := range q.order[:min(len(q.order), q.want+q.want/8+1)] {
			if filepath.Ext(m.File) != ".go" {
				continue
			}
			f := b.families[m.Package]
			if f == nil {
				f = &family{}
				b.families[m.Package] = f
			}
			f.mutants = append(f.mutants, m)
		}
	}
	maps.DeleteFunc(b.families, func(_ string, f *family) bool { return len(f.mutants) < 3 })
}

// family returns the program with the fault m and its number in it, 0 if the fault does not compile. Without a
// program it is to be built alone.
func (b *bench) family(ctx context.Context, m mutant) (program string, number int, err error) {
	f := b.families[m.Package]
	if f == nil {
		return "", 0, nil
	}
	f.Lock()
	defer f.Unlock()
	if f.numbers == nil && f.err == nil {
		f.err = b.buildFamily(ctx, m.Package, f)
	}
	number, ok := f.numbers[m.key()]
	if !ok {
		return "", 0, f.err
	}
	return f.program, number, f.err
}

// buildFamily builds the program of f, without the faults that the compiler refuses.
func (b *bench) buildFamily(ctx context.Context, dir string, f *family) error {
	f.numbers = map[key]int{}
	tmp, err := os.MkdirTemp(b.tmp, "family")
	if err != nil {
		return err
	}
	byFile := map[string][]int{}
	for k, m := range f.mutants {
		byFile[m.File] = append(byFile[m.File], k)
	}
	for refused := map[int]bool{}; ; {
		replaced, lines := map[string]string{}, map[string][]int{} // by file: the number of the fault of each line
		add := func(file, text string) error {
			to := filepath.Join(tmp, filepath.Base(file))
			replaced[filepath.Join(b.root, filepath.FromSlash(file))] = to
			return os.WriteFile(to, []byte(text), 0o600)
		}
		name := ""
		for file, members := range byFile {
			text, err := os.ReadFile(filepath.Join(b.root, filepath.FromSlash(file)))
			if err != nil {
				return err
			}
			set := token.NewFileSet()
			parsed, err := parser.ParseFile(set, file, text, 0)
			if err != nil {
				return err
			}
			name = parsed.Name.Name
			out := &strings.Builder{}
			heads := map[int]string{} // by offset behind the brace of a function: the calls of its faults
			tail := &strings.Builder{}
			for _, k := range members {
				m := f.mutants[k]
				d := around(set, parsed, m)
				if d == nil || refused[k+1] {
					continue
				}
				call, ok := forward(d, fmt.Sprint(d.Name.Name, "Fault", k+1))
				if !ok {
					continue
				}
				at := func(p token.Pos) int { return set.PositionFor(p, false).Offset }
				heads[at(d.Body.Lbrace)+1] += fmt.Sprintf(" if theFault == %d { %s };", k+1, call)
				first := 1 + strings.Count(string(text), "\n") + strings.Count(tail.String(), "\n")
				fmt.Fprintf(tail, "\n%sFault%d%s%s%s\n", text[at(d.Pos()):at(d.Name.End())], k+1, text[at(d.Name.End()):m.lo], m.text, text[m.hi:at(d.End())])
				for len(lines[file]) < first {
					lines[file] = append(lines[file], 0)
				}
				for range strings.Count(string(text[at(d.Pos()):at(d.End())]), "\n") + 2 {
					lines[file] = append(lines[file], k+1)
				}
				f.numbers[m.key()] = k + 1
			}
			from := 0
			for _, offset := range slices.Sorted(maps.Keys(heads)) {
				out.Write(text[from:offset])
				out.WriteString(heads[offset])
				from = offset
			}
			out.Write(text[from:])
			if err := add(file, out.String()+tail.String()); err != nil {
				return err
			}
		}
		if err := add(dir+"/the_fault.go", "package "+name+"\n\nimport (\n\t\"os\"\n\t\"strconv\"\n)\n\nvar theFault, _ = strconv.Atoi(os.Getenv(\"GRAM_FAULT\"))\n"); err != nil {
			return err
		}
		j, err := json.Marshal(map[string]any{"Replace": replaced})
		if err != nil {
			return err
		}
		overlay := filepath.Join(tmp, "overlay.json")
		if err := os.WriteFile(overlay, j, 0o600); err != nil {
			return err
		}
		p := &programs{bench: b, flags: []string{"-gcflags=-e", "-overlay=" + overlay}, built: map[string]string{}}
		program, text, err := p.build(ctx, dir)
		if err == nil {
			f.program = program
			return nil
		}
		found := false
		for _, e := range compileError.FindAllStringSubmatch(text, -1) {
			line, _ := strconv.Atoi(e[2])
			for file, of := range lines {
				if filepath.Base(file) == filepath.Base(e[1]) && line <= len(of) && of[line-1] > 0 {
					refused[of[line-1]], found = true, true
					f.numbers[f.mutants[of[line-1]-1].key()] = 0
				}
			}
		}
		if !found || ctx.Err() != nil {
			return errors.Join(fmt.Errorf("the faults of %s do not build together:\n%s", dir, text), ctx.Err())
		}
	}
}

var compileError = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):\d+: `)

// around returns the function in whose body a fault is, nil if there is none.
func around(set *token.FileSet, f *ast.File, m mutant) *ast.FuncDecl {
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && set.PositionFor(d.Body.Lbrace, false).Offset < m.lo && m.hi < set.PositionFor(d.End(), false).Offset {
			return d
		}
	}
	return nil
}

// forward returns the statements at the head of a function that go on in another one with its arguments. ok is
// false for a function that cannot be called so.
func forward(d *ast.FuncDecl, name string) (call string, ok bool) {
	if d.Type.TypeParams != nil || d.Name.Name == "init" || d.Name.Name == "main" {
		return "", false
	}
	var arguments []string
	for _, field := range d.Type.Params.List {
		if len(field.Names) == 0 {
			return "", false
		}
		for _, n := range field.Names {
			if n.Name == "_" {
				return "", false
			}
			argument := n.Name
			if _, variadic := field.Type.(*ast.Ellipsis); variadic {
				argument += "..."
			}
			arguments = append(arguments, argument)
		}
	}
	if d.Recv != nil {
		if len(d.Recv.List[0].Names) == 0 || d.Recv.List[0].Names[0].Name == "_" {
			return "", false
		}
		name = d.Recv.List[0].Names[0].Name + "." + name
	}
	call = name + "(" + strings.Join(arguments, ", ") + ")"
	if d.Type.Results == nil {
		return call + "; return", true
	}
	return "return " + call, true
}
