package catalog_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"github.com/gramworks/gram/app/internal/repo"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Stored models never change: they show that files which were written once can be read for ever, so
// a file that is written over hides that the old one cannot. testdata/golden.txt has their checksums;
// -renew adds those of new files and changes none.
func TestGoldenFilesAreWhatTheyWere(t *testing.T) {
	const path = "testdata/golden.txt"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, line := range lines {
		sum, name, _ := strings.Cut(line, " ")
		want[name] = sum
	}
	renewed := flag.Lookup("renew").Value.String() == "true"
	root := repo.Path(t, "")
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		if d.IsDir() || filepath.Ext(path) != ".gram" || !strings.Contains(name, "testdata/") || strings.Contains(name, "testdata/fuzz/") {
			return nil
		}
		model, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		sum := fmt.Sprintf("%x", sha256.Sum256(model))
		switch before, there := want[name]; {
		case !there && renewed:
			lines = append(lines, sum+" "+name)
		case !there:
			t.Errorf("%s is not in testdata/golden.txt; -renew adds it", name)
		case before != sum:
			t.Errorf("%s is not the file that was stored: put it back, and give a new version a name of its own", name)
		}
		delete(want, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range want {
		t.Errorf("%s was removed", name)
	}
	if renewed {
		slices.SortFunc(lines, func(a, b string) int {
			return strings.Compare(a[strings.IndexByte(a, ' ')+1:], b[strings.IndexByte(b, ' ')+1:])
		})
		if err := os.WriteFile(path, []byte(strings.TrimSpace(strings.Join(lines, "\n"))+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
