package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFresh(t *testing.T) {
	for _, f := range families {
		got, err := os.ReadFile(filepath.Join("..", f.file))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != f.text() {
			t.Errorf("%s is stale: run go generate in its folder", f.file)
		}
	}
}
