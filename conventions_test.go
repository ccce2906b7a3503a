package gram_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

// The table of given ingredients in docs/conventions.md has a row for each package under algos with
// a field Given, with the fields of the struct Given of this package, and no others.
func TestGivenIngredients(t *testing.T) {
	fields := map[string][]string{} // of the type Given, for each package with a field Given
	must.Do(t, filepath.WalkDir("algos", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "algos/")
		ast.Inspect(f, func(n ast.Node) bool {
			spec, is := n.(*ast.TypeSpec)
			if !is {
				return true
			}
			s, is := spec.Type.(*ast.StructType)
			if !is || !spec.Name.IsExported() {
				return false
			}
			for _, field := range s.Fields.List {
				for _, id := range field.Names {
					if id.Name == "Given" {
						fields[name] = append(fields[name], "")
					}
					if spec.Name.Name == "Given" {
						fields[name] = append(fields[name], id.Name)
					}
				}
				if of, is := field.Type.(*ast.SelectorExpr); is && len(field.Names) == 0 && spec.Name.Name == "Given" {
					fields[name] = append(fields[name], of.Sel.Name)
				}
			}
			return false
		})
		return nil
	}))
	page := must.Have(os.ReadFile("docs/conventions.md"))(t)
	_, section, found := strings.Cut(string(page), "## Given ingredients\n")
	if !found {
		t.Fatal("there is no section of given ingredients")
	}
	code := regexp.MustCompile("`[^`]*`")
	listed := map[string]bool{}
	for _, line := range strings.Split(section, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !strings.Contains(cells[1], "`") {
			continue
		}
		quoted := func(s string) (names []string) {
			for _, q := range code.FindAllString(s, -1) {
				names = append(names, strings.Trim(q, "`"))
			}
			return names
		}
		for _, name := range quoted(cells[1]) {
			if !strings.Contains(name, "/") && name != "linear" && name != "svm" || name == "cluster/kmeans" {
				continue // a type, or the partition that other packages are given
			}
			listed[name] = true
			want := slices.DeleteFunc(slices.Clone(fields[name]), func(s string) bool { return s == "" })
			got := quoted(cells[2])
			slices.Sort(want)
			slices.Sort(got)
			if fields[name] == nil || !slices.Equal(got, want) {
				t.Errorf("the table gives %s the fields %v, the code %v", name, got, want)
			}
		}
	}
	for name := range fields {
		if !listed[name] {
			t.Errorf("the table does not have %s, which takes given ingredients", name)
		}
	}
	if len(listed) < 10 {
		t.Errorf("%d packages are listed", len(listed))
	}
}

// The go command takes the result of a test from its cache if the files that the test has opened are
// the same. It does not know what other programs read, and does not look at files outside the module of the test.
// Tests with such input read GRAM_TREE, in which ci/lib.sh puts a sum of the whole tree, so that
// the cache has a result for this tree or none. The function Path of app/internal/repo reads it, too.
func TestInputsThatTheCacheMisses(t *testing.T) {
	program := regexp.MustCompile(`exec\.(?:CommandContext\(\w+(?:\.\w+\(\))?, |Command\()([^,)]*)`)
	upward := regexp.MustCompile(`"((\.\./)*\.\.)["/]`)
	checked := 0
	must.Do(t, filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		path = filepath.ToSlash(path)
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || strings.HasPrefix(e.Name(), ".git") || path == "beam" || path == "bucket" || path == "bench/peers"):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go") || path == "conventions_test.go":
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text, why := string(data), ""
		for _, m := range program.FindAllStringSubmatch(text, -1) {
			if p := m[1]; p != "os.Args[0]" && p != "self" && p != "own" { // the test itself
				why = "starts " + p
			}
		}
		module := "."
		for _, m := range []string{"app", "ci/tools"} {
			if strings.HasPrefix(path, m+"/") {
				module = m
			}
		}
		below, err := filepath.Rel(module, filepath.Dir(path))
		if err != nil {
			return err
		}
		depth := 0
		if below != "." {
			depth = 1 + strings.Count(filepath.ToSlash(below), "/")
		}
		for _, m := range upward.FindAllStringSubmatch(text, -1) {
			if strings.Count(m[1], "..") > depth {
				why = "reads files outside its module"
			}
		}
		if why == "" {
			return nil
		}
		checked++
		if !strings.Contains(text, `os.Getenv("GRAM_TREE")`) && !strings.Contains(text, "repo.Path(") {
			t.Errorf("%s %s and does not read GRAM_TREE", path, why)
		}
		return nil
	}))
	if checked < 10 {
		t.Errorf("only %d files of tests with such inputs were found", checked)
	}
}
