package catalog_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gramworks/gram/app/internal/repo"
	"github.com/gramworks/gram/modelfile"
)

// TestModelsPage looks for every method and array of the golden files in docs/models.md.
func TestModelsPage(t *testing.T) {
	page, err := os.ReadFile(repo.Path(t, "docs/models.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	paths, err := filepath.Glob("testdata/*.gram")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d files: %v", len(paths), err)
	}
	for _, path := range append(paths, repo.Path(t, "sketch/testdata/rotation.v1.gram")) {
		f, err := modelfile.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Contents() {
			if c.Method == "golden" { // the rows and outputs of a test around a model
				continue
			}
			method, _, _ := strings.Cut(c.Method, ".")
			if !strings.Contains(text, "`"+c.Method+"`") && !strings.Contains(text, "`"+method+"`") {
				t.Errorf("%s: docs/models.md does not name the method %s", path, c.Method)
			}
			for _, a := range c.Arrays {
				name := a.Name[strings.LastIndexByte(a.Name, '/')+1:]
				for _, suffix := range []string{".ends", ".dims", ".ptr", ".col", ".val"} {
					if f.Has(c.Prefix+strings.TrimSuffix(a.Name, suffix)) || f.Has(c.Prefix+strings.TrimSuffix(a.Name, suffix)+".dims") {
						name = strings.TrimSuffix(name, suffix)
					}
				}
				if rest, isLeaf := strings.CutPrefix(name, "leaf0."); isLeaf {
					name = "leafI." + rest
				}
				if number := strings.TrimPrefix(name, "factor"); number != name && number != "" {
					name = "factorK"
				}
				if !strings.Contains(text, "`"+name+"`") && !strings.Contains(text, "`["+name+"]`") {
					t.Errorf("%s: docs/models.md does not name the array %s of %s", path, name, c.Method)
				}
			}
		}
	}
}
