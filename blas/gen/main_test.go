package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFresh(t *testing.T) {
	for _, from := range files {
		text, err := os.ReadFile(filepath.Join("..", from))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("..", nameOfTwin(from)))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != twin(from, string(text)) {
			t.Errorf("%s is stale: run go generate in blas", nameOfTwin(from))
		}
	}
}
