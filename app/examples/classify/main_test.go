package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), []string{"-model", filepath.Join(t.TempDir(), "m.gram"), "-m", "50"}, &out); err != nil {
		t.Fatal(err)
	}
	if want := "3 classes, 250 test rows, accuracy 1.00\n"; out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
}
