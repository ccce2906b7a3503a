package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFresh(t *testing.T) {
	for _, f := range families {
		for name, text := range f.texts() {
			got, err := os.ReadFile(filepath.Join("..", name))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != text {
				t.Errorf("%s is stale: run go generate in its folder", name)
			}
		}
	}
}
