package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gramworks/gram/dataset"
)

// members packs a text into members of gzip of n bytes of it, wherever its lines end.
func members(t *testing.T, text []byte, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for len(text) > 0 {
		k := min(n, len(text))
		z.Reset(&b)
		if _, err := z.Write(text[:k]); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		text = text[k:]
	}
	return b.Bytes()
}

// inPieces makes a fit and the predictions for its rows with gram part, and returns the bytes of the model and the
// predictions. It wants more than one item.
func inPieces(t *testing.T, items ...string) (model, predictions []byte) {
	t.Helper()
	dir := t.TempDir()
	work, path := filepath.Join(dir, "w"), filepath.Join(dir, "m.gram")
	n, err := strconv.Atoi(strings.TrimSpace(ok(t, append([]string{"part", "items", "--work", work}, items...)...)))
	if err != nil || n < 3 {
		t.Fatalf("%d items, %v", n, err)
	}
	for {
		pass, _, _ := strings.Cut(ok(t, "part", "next", "--work", work), " ")
		if pass == "finish" {
			break
		}
		for k := range n {
			ok(t, "part", pass, "--work", work, "--item", strconv.Itoa(n-1-k))
		}
	}
	ok(t, "part", "finish", "--work", work, "-o", path)
	ok(t, "part", "predict", "--work", work, "--model", path)
	read := func(path string) []byte {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	names, err := filepath.Glob(filepath.Join(work, "predictions-*.txt"))
	if err != nil || len(names) != n {
		t.Fatalf("%d predictions, %v", len(names), err)
	}
	for _, name := range names {
		predictions = append(predictions, read(name)...)
	}
	return read(path), predictions
}

// samePieces fails unless the pieces of a fit by trees, whose sums are exact, give the bytes of the model that gram fit makes of the file path, and
// of its predictions.
func samePieces(t *testing.T, path string, pieces ...string) {
	t.Helper()
	dir := t.TempDir()
	model, predictions := filepath.Join(dir, "m.gram"), filepath.Join(dir, "p.txt")
	how := []string{"--task", "regression", "--target", "target", "--method", "gbdt", "--set", "rounds=3", "--set", "leaves=5"}
	if _, stderr, code := cli(t, append([]string{"fit", "--data", path, "-o", model}, how...)...); code != 0 { // it may warn of few rounds
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	ok(t, "predict", "--model", model, "--data", path, "--target", "target", "-o", predictions)
	haveModel, have := inPieces(t, append(pieces, how...)...)
	if want, err := os.ReadFile(model); err != nil || !bytes.Equal(haveModel, want) {
		t.Errorf("the pieces of %s give another model, %v", pieces, err)
	}
	if want, err := os.ReadFile(predictions); err != nil || !bytes.Equal(have, want) {
		t.Errorf("the pieces of %s predict otherwise, %v", pieces, err)
	}
}

// Pieces of a file of many members of gzip give what the text gives in one process; a file of one member is one item, and a
// line says so.
func TestPiecesOfMembers(t *testing.T) {
	dir := t.TempDir()
	plain, packed, one := filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv.gz"), filepath.Join(dir, "c.csv.gz")
	if err := dataset.Save(t.Context(), plain, dataset.Friedman1(1200, 6, .1, 1)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(plain)
	if err != nil {
		t.Fatal(err)
	}
	for path, n := range map[string]int{packed: 10007, one: len(text)} {
		if err := os.WriteFile(path, members(t, text, n), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	samePieces(t, plain, "--data", packed, "--item-bytes", "30kB")

	out := warned(t, one+" is one item: it is compressed as one member of gzip", "part", "items", "--work", filepath.Join(dir, "w"), "--data", one, "--item-bytes", "30kB", "--task", "regression", "--method", "linear")
	if out != "1\n" {
		t.Errorf("%q items of one member", out)
	}
}
