package gram_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/gramworks/gram"

// layers reads the list of layers in this package's comment. It returns the
// line of each package, counted from the top; the root package is called gram.
func layers(t *testing.T) map[string]int {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	layer := map[string]int{}
	for i, line := range strings.Split(f.Doc.Text(), "\n") {
		names, _, listed := strings.Cut(line, ": ")
		if !listed || !strings.HasPrefix(line, "\t") {
			continue
		}
		for _, name := range strings.Fields(names) {
			if _, twice := layer[name]; twice {
				t.Errorf("doc.go lists %s twice", name)
			}
			layer[name] = i
		}
	}
	return layer
}

// TestLayers compares the list of layers with the imports of all files except
// tests, under every build constraint.
func TestLayers(t *testing.T) {
	layer := layers(t)
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			hidden := name != "." && strings.HasPrefix(e.Name(), ".")
			if hidden || e.Name() == "testdata" || e.Name() == "ci" || err == nil && name != "." {
				return filepath.SkipDir // other modules and the programs of the tests
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		from := path.Dir(filepath.ToSlash(name))
		if from == "." {
			from = "gram"
		}
		seen[from] = true
		at, ok := layer[from]
		if !ok {
			t.Errorf("%s: doc.go does not list the package %s", name, from)
			return nil
		}
		for _, spec := range f.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			to, ours := strings.CutPrefix(to, module)
			if !ours {
				continue
			}
			if to = strings.TrimPrefix(to, "/"); to == "" {
				to = "gram"
			}
			if below, ok := layer[to]; !ok || below <= at {
				t.Errorf("%s imports %s, which is not below %s in the list of doc.go", name, to, from)
			}
			if strings.HasPrefix(from, "internal/") && grounded(to) && !mayUseKernels[from] {
				t.Errorf("%s imports %s: internal packages stand below the kernels and the data", name, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range layer {
		if !seen[name] {
			t.Errorf("doc.go lists %s, which is not there", name)
		}
	}
}

// mayUseKernels lists the internal packages that deal with kernels and may
// import them.
var mayUseKernels = map[string]bool{"internal/asmtest": true, "internal/tuning": true, "internal/secular": true}

// grounded reports whether the other internal packages must not import the
// named package.
func grounded(name string) bool {
	return name == "app/catalog" || name == "dataset" || name == "asm" || strings.HasPrefix(name, "asm/")
}
