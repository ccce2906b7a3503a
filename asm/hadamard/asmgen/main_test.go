package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

func TestFresh(t *testing.T) {
	for _, f := range families {
		for name, text := range f.texts() {
			got := must.Have(os.ReadFile(filepath.Join("..", name)))(t)
			if string(got) != text {
				t.Errorf("%s is stale: run go generate in its folder", name)
			}
		}
	}
}
