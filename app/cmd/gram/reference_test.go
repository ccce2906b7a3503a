package main

import (
	"bytes"
	"flag"
	"github.com/gramworks/gram/app/internal/repo"
	"os"
	"testing"
)

// The page of all settings is what the command prints. go test -renew writes it.
func TestReference(t *testing.T) {
	path := repo.Path(t, "docs/settings.md")
	have := []byte(ok(t, "fit", "--list", "--markdown"))
	if flag.Lookup("renew").Value.String() == "true" {
		if err := os.WriteFile(path, have, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Errorf("%s is not what gram fit --list --markdown prints", path)
	}
}
