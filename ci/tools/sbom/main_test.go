package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The bill of this test program has all its modules, the same each time; a module whose
// license is not known is an error.
func TestBill(t *testing.T) {
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	info, err := buildinfo.ReadFile(os.Args[0])
	if err != nil {
		t.Skip("the program does not know its modules: ", err)
	}
	var first, again bytes.Buffer
	for _, w := range []*bytes.Buffer{&first, &again} {
		if err := write(w, os.Args[0], "../../../docs/licenses.md"); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), again.Bytes()) {
		t.Error("two bills differ")
	}
	var d document
	if err := json.Unmarshal(first.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Packages) != 2+len(info.Deps) || len(d.Relationships) != len(d.Packages) || d.Packages[0].Name != info.Main.Path || len(d.Packages[0].Checksums) != 1 {
		t.Errorf("the bill is %s", first.Bytes())
	}
	none := filepath.Join(t.TempDir(), "none.md")
	if err := os.WriteFile(none, []byte("| a | b |\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := write(&again, os.Args[0], none); len(info.Deps) > 0 && (err == nil || !strings.Contains(err.Error(), "license")) {
		t.Errorf("unknown licenses: %v", err)
	}
	if got, err := readLicenses("../../../docs/licenses.md"); err != nil || got["github.com/golang/freetype"] != "FTL OR GPL-2.0-or-later" || got["codeberg.org/go-fonts/liberation"] != "BSD-3-Clause AND OFL-1.1" {
		t.Errorf("%v, %v", got, err)
	}
}
