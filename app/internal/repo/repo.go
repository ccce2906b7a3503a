// Package repo finds files of the repository for tests that read more than their own
// module.
package repo

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of a file of the repository, named from its root with slashes. The
// test is skipped where there is no repository, as in a module that was downloaded. Path reads GRAM_TREE,
// because the go command takes results of tests from its cache whatever is in files outside their module.
func Path(t testing.TB, name string) string {
	t.Helper()
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return filepath.Join(dir, filepath.FromSlash(name))
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skip("not in a clone of the repository, which has ", name)
		}
		dir = up
	}
}
