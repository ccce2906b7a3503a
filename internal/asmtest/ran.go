package asmtest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
)

// Call is a call of an exported function of a kernel family.
type Call struct {
	// Name is the name of the function; text after a space tells several calls
	// of one function apart.
	Name string
	// Levels are the levels that have assembly of their own for this call. Nil
	// means the levels of the family; an empty slice means none.
	Levels []cpu.Level
	// Without is part of the names of routines that this call must not run,
	// because they compute more than it asks for. If empty, there are none.
	Without string
	// Long says that the call takes too many instructions to count them.
	Long bool
	Run  func()
}

// Dispatch makes every call at Generic and at each of levels and records which
// routines in assembly run. It fails unless these are routines of the highest
// level for which the call has assembly, so that it notices calls that fall to
// a lower level and calls that run what the CPU of this level would not have.
// The calls together must run every routine of the package under test and use
// every exported function of it. The level of a routine is the end of its name.
// Registers hold no useful values when a routine starts.
func Dispatch(t *testing.T, levels []cpu.Level, calls []Call) {
	t.Helper()
	if level := os.Getenv(countLevel); level != "" {
		countCalls(t, level, calls)
		return
	}
	all, err := routines()
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		t.Skip("the routines that ran cannot be read back here")
	case err != nil:
		t.Fatal(err)
	}
	pkg := testedPackage()
	missing := map[string]bool{}
	for _, r := range all {
		if strings.HasPrefix(r.name, pkg+".") && slices.Contains(Available(levels), r.level) {
			missing[r.name] = true
		}
	}
	ForEachLevel(t, levels, func(t *testing.T) {
		for _, c := range calls {
			own := c.Levels
			if own == nil {
				own = levels
			}
			want := cpu.Generic
			for _, l := range own {
				if slices.Contains(levels, l) && l <= cpu.Current() {
					want = max(want, l)
				}
			}
			stop := watch(t, func(*routine) bool { return true })
			c.Run()
			ran := stop()
			for _, r := range ran {
				delete(missing, r.name)
				if c.Without != "" && strings.Contains(r.name[len(pkg):], c.Without) {
					t.Errorf("%s at level %s ran %s", c.Name, cpu.Current(), r.name)
				}
				if r.level != want {
					t.Errorf("%s at level %s ran %s, want %s", c.Name, cpu.Current(), r.name, want)
				}
			}
			if len(ran) == 0 && want != cpu.Generic {
				t.Errorf("%s at level %s ran no assembly, want %s", c.Name, cpu.Current(), want)
			}
		}
	})
	if !t.Failed() {
		for name := range missing {
			t.Errorf("no call ran %s", name)
		}
	}
	for _, name := range exported(t) {
		if !slices.ContainsFunc(calls, func(c Call) bool { f, _, _ := strings.Cut(c.Name, " "); return f == name }) {
			t.Errorf("no call of %s", name)
		}
	}
}

// countLevel names the variable with the level at which Dispatch only makes the calls, for
// TestInstructions, which counts what an emulator says that they run.
const countLevel = "GRAM_COUNT_LEVEL"

// countCalls makes every call that has assembly at a level, after a call of mark and a line with its name.
func countCalls(t *testing.T, level string, calls []Call) {
	l, err := cpu.ParseLevel(level)
	if err != nil {
		t.Fatal(err)
	}
	At(l, func() {
		for _, c := range calls {
			if c.Long || c.Levels != nil && !slices.Contains(c.Levels, l) {
				continue
			}
			fmt.Println(countLevel, c.Name)
			mark()
			c.Run()
		}
	})
}

// mark separates calls in what an emulator prints.
//
//go:noinline
func mark() {}

// testedPackage returns the path of the package from which Dispatch is called.
func testedPackage() string {
	pc, _, _, _ := runtime.Caller(2)
	name := runtime.FuncForPC(pc).Name()
	slash := strings.LastIndexByte(name, '/')
	return name[:slash+strings.IndexByte(name[slash:], '.')]
}

// exported returns the exported functions of the package in the working
// directory of the test.
func exported(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.IsExported() {
				names = append(names, fn.Name.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// routine is a function in assembly of a kernel family. The assembly knows the
// layout of the first four fields.
type routine struct {
	ran   uint64    // 1 after it has run while it was watched
	entry uint64    // its address
	text  [2]uint64 // its first 16 bytes
	armed bool
	name  string
	level cpu.Level
}

// levelOf returns the level that the name of a routine ends with.
func levelOf(name string) (cpu.Level, bool) {
	for _, l := range []cpu.Level{cpu.AVX2, cpu.AVX512, cpu.NEON} {
		if strings.HasSuffix(name, strings.ToUpper(l.String())) {
			return l, true
		}
	}
	return cpu.Generic, false
}
