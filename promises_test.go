package gram_test

import (
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every package that users import has an example that runs and whose output is
// checked.
func TestEveryPackageHasAnExample(t *testing.T) {
	for name := range layers(t) {
		if name == "gram" {
			name = "."
		}
		switch first, _, _ := strings.Cut(name, "/"); {
		case first == "internal", first == "cmd", first == "examples":
			continue // not for import
		case name == "asm", name == "asm/gen", name == "asm/hadamard/asmgen":
			continue // a folder's documentation, programs
		case name == "blas/blastest":
			continue // needs a *testing.T, which no example has
		}
		files, err := filepath.Glob(filepath.Join(name, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), "\nfunc Example") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range doc.Examples(f) {
				found = found || e.Output != "" || e.EmptyOutput
			}
		}
		if !found {
			t.Errorf("package %s has no example with output", name)
		}
	}
}
