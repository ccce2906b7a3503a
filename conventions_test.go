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
)

// The table of given ingredients in docs/conventions.md has a row for each package under algos with
// a field Given, with the fields of the struct Given of this package, and no others.
func TestGivenIngredients(t *testing.T) {
	fields := map[string][]string{} // of the type Given, for each package with a field Given
	err := filepath.WalkDir("algos", func(path string, e fs.DirEntry, err error) error {
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
	})
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("docs/conventions.md")
	if err != nil {
		t.Fatal(err)
	}
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
			if !strings.Contains(name, "/") && name != "linear" || name == "cluster/kmeans" {
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
