package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gramworks/gram/internal/must"
)

func TestFresh(t *testing.T) {
	for _, from := range files {
		text := must.Have(os.ReadFile(filepath.Join("..", from)))(t)
		got := must.Have(os.ReadFile(filepath.Join("..", nameOfTwin(from))))(t)
		if string(got) != twin(from, string(text)) {
			t.Errorf("%s is stale: run go generate in blas", nameOfTwin(from))
		}
	}
}
