package gram_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

const module = "github.com/gramworks/gram"

// A layering is the list of layers of a module in docs/architecture.md.
type layering struct {
	title, folder, path string
	line                map[string]int // of each package, counted from the top; the root package is called gram
	floors              int
}

// layerings reads the lists of both modules. The application's is left out where its folder is
// not there, as in a module that was downloaded.
func layerings(t *testing.T) []layering {
	t.Helper()
	text := must.Have(os.ReadFile("docs/architecture.md"))(t)
	all := []layering{{title: "The root module", folder: ".", path: module}, {title: "The application", folder: "app", path: module + "/app"}}
	if _, err := os.Stat("app/go.mod"); err != nil {
		all = all[:1]
	}
	for k := range all {
		l := &all[k]
		l.line = map[string]int{}
		_, list, found := strings.Cut(string(text), "\n### "+l.title+"\n\n```\n")
		list, _, _ = strings.Cut(list, "\n```\n")
		if !found {
			t.Fatalf("docs/architecture.md has no list of %q", l.title)
		}
		for i, line := range strings.Split(list, "\n") {
			names, _, listed := strings.Cut(line, ": ")
			if !strings.HasPrefix(line, "    ") {
				l.floors++
				continue
			}
			if !listed {
				t.Errorf("docs/architecture.md: %q is no line of packages", line)
			}
			for _, name := range strings.Fields(names) {
				if _, twice := l.line[name]; twice {
					t.Errorf("docs/architecture.md lists %s twice", name)
				}
				l.line[name] = i
			}
		}
	}
	return all
}

// goFiles calls visit with the files of a module, under every build constraint, and their
// imports.
func goFiles(t *testing.T, folder string, visit func(name string, imports []string)) {
	t.Helper()
	must.Do(t, filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			hidden := name != "." && strings.HasPrefix(e.Name(), ".")
			if hidden || e.Name() == "testdata" || err == nil && name != folder {
				return filepath.SkipDir // other modules and the programs of the tests
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		var imports []string
		for _, spec := range f.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports = append(imports, to)
		}
		visit(filepath.ToSlash(name), imports)
		return nil
	}))
}

// TestLayers compares the lists of layers with the imports of all files except tests.
func TestLayers(t *testing.T) {
	for _, l := range layerings(t) {
		if l.floors > 10 {
			t.Errorf("%s has %d floors", l.title, l.floors)
		}
		seen := map[string]bool{}
		goFiles(t, l.folder, func(name string, imports []string) {
			if strings.HasSuffix(name, "_test.go") {
				return
			}
			from := must.Have(filepath.Rel(l.folder, path.Dir(name)))(t)
			if from = filepath.ToSlash(from); from == "." {
				from = "gram"
			}
			seen[from] = true
			at, ok := l.line[from]
			if !ok {
				t.Errorf("%s: docs/architecture.md does not list the package %s", name, from)
				return
			}
			for _, to := range imports {
				to, ours := strings.CutPrefix(to, l.path)
				if !ours || to != "" && to[0] != '/' {
					continue
				}
				if to = strings.TrimPrefix(to, "/"); to == "" {
					to = "gram"
				}
				if below, ok := l.line[to]; !ok || below <= at {
					t.Errorf("%s imports %s, which is not below %s in docs/architecture.md", name, to, from)
				}
				if l.folder == "." && strings.HasPrefix(from, "algos/") && to == "dataset" {
					t.Errorf("%s imports %s: methods take rows, and do not know files", name, to)
				}
				if l.folder == "." && strings.HasPrefix(from, "internal/") && grounded(to) && !mayUseKernels[from] {
					t.Errorf("%s imports %s: internal packages stand below the kernels and the data", name, to)
				}
			}
		})
		for name := range l.line {
			if !seen[name] {
				t.Errorf("docs/architecture.md lists %s, which is not there", name)
			}
		}
	}
}

// The application uses the root as any other program would: not even its tests import an internal
// package of the root, although Go would let them. The root does not know the application.
func TestDoors(t *testing.T) {
	for _, folder := range []string{".", "app"} {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err != nil {
			continue
		}
		goFiles(t, folder, func(name string, imports []string) {
			for _, to := range imports {
				own := strings.HasPrefix(to, module+"/app/")
				closed := strings.HasPrefix(to, module+"/") && strings.Contains(to, "/internal/")
				if folder == "app" && closed && !own || folder == "." && own {
					t.Errorf("%s imports %s", name, to)
				}
			}
		})
	}
}

// The root module needs four others.
func TestRequirements(t *testing.T) {
	text := must.Have(os.ReadFile("go.mod"))(t)
	var direct []string
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); strings.HasPrefix(line, "\t") && len(f) == 2 {
			direct = append(direct, f[0])
		}
	}
	if want := []string{"github.com/klauspost/cpuid/v2", "golang.org/x/sys", "gonum.org/v1/gonum", "gonum.org/v1/netlib"}; !slices.Equal(direct, want) {
		t.Errorf("go.mod requires %q, want %q", direct, want)
	}
}

// The modules that are installed by their version replace nothing, and the workspace replaces
// the version of each that the others require.
func TestWorkspace(t *testing.T) {
	work, err := os.ReadFile("go.work")
	if err != nil {
		t.Skip("there is no workspace: ", err)
	}
	required := regexp.MustCompile(`(?m)^\s*(?:require )?(` + regexp.QuoteMeta(module) + `[/\w]*) (v\S+)`)
	for _, name := range []string{"go.mod", "app/go.mod", "ci/tools/go.mod"} {
		text := must.Have(os.ReadFile(name))(t)
		if strings.Contains(string(text), "replace") {
			t.Errorf("%s replaces a module: go install refuses it", name)
		}
		for _, m := range required.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(string(work), "\t"+m[1]+" "+m[2]+" => ./") {
				t.Errorf("%s requires %s %s, which go.work does not replace", name, m[1], m[2])
			}
		}
	}
}

// mayUseKernels lists the internal packages that deal with kernels and may
// import them.
var mayUseKernels = map[string]bool{"internal/asmtest": true, "internal/tuning": true, "internal/secular": true}

// grounded reports whether the other internal packages must not import the
// named package.
func grounded(name string) bool {
	return name == "dataset" || name == "asm" || strings.HasPrefix(name, "asm/")
}
