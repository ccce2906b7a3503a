package main

import (
	"encoding/json"
	"github.com/gramworks/gram/app/internal/repo"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInspect(t *testing.T) {
	dir := small(t)
	model := filepath.Join(dir, "m.gram")
	ok(t, "fit", "--method", "gbdt", "--data", filepath.Join(dir, "rings.libsvm"), "-o", model, "--set", "rounds=2", "--scale", "minmax")
	text := ok(t, "inspect", model)
	for _, want := range []string{"the model: fitted, version ", "model: gbdt, version 2\n", `"Criterion":"`, "  roots ", "I32", "scaling: scaling, version 1"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	var r inspection
	if err := json.Unmarshal([]byte(ok(t, "inspect", model, "--json")), &r); err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	methods := map[string]string{}
	for _, p := range r.Parts {
		methods[p.Prefix] = p.Method
		for _, a := range p.Arrays {
			total += a.Bytes
		}
	}
	if r.File != model || r.Bytes != total || total == 0 || methods["model/"] != "gbdt" || methods["scaling/"] != "scaling" {
		t.Errorf("%+v", r)
	}
	// A file of a method that the program does not know, and one that is damaged.
	data, err := os.ReadFile(repo.Path(t, "modelfile/testdata/tree-v3.gram"))
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other.gram")
	if err := os.WriteFile(other, data, 0o666); err != nil {
		t.Fatal(err)
	}
	if text := ok(t, "inspect", other); !strings.Contains(text, "tree, version 3") {
		t.Errorf("an unknown method:\n%s", text)
	}
	data[len(data)-1] ^= 1
	if err := os.WriteFile(other, data, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := cli(t, "inspect", other); code != 1 || !strings.Contains(stderr, "checksum") {
		t.Errorf("a damaged file: code %d, %s", code, stderr)
	}
}
