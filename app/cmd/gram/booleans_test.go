package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A frame with truth values gives the same model whether pandas wrote it as CSV or as JSON lines,
// each model is evaluated on the other file, and texts that were not in training are said in a line.
func TestTruthValues(t *testing.T) {
	csv, lines := "ripe,weight,sold\n", ""
	for i := range 80 {
		ripe, sold := i%3 == 0, i%4 == 0 || i%3 == 0
		csv += strings.ReplaceAll(strings.ReplaceAll(fmt.Sprintf("%v,%d,%v\n", ripe, i%7, sold), "true", "True"), "false", "False")
		lines += fmt.Sprintf(`{"ripe":%v,"weight":%d,"sold":%v}`+"\n", ripe, i%7, sold)
	}
	files := []string{write(t, "train.csv", csv), write(t, "train.jsonl", lines)}
	var models [2][]byte
	for k, path := range files {
		model := filepath.Join(t.TempDir(), "m.gram")
		ok(t, "fit", "--method", "gbdt", "--data", path, "-o", model, "--set", "rounds=5")
		var err error
		if models[k], err = os.ReadFile(model); err != nil {
			t.Fatal(err)
		}
		if f := figuresOf(t, ok(t, "eval", "--model", model, "--data", files[1-k], "--json")); !(f["accuracy"].Value >= .8) {
			t.Errorf("accuracy %v of the model of %s on %s", f["accuracy"].Value, path, files[1-k])
		}
		odd := write(t, "odd.csv", "ripe,weight,sold\nTRUE,1,true\nxyz,2,False\nmaybe,3,False\n")
		line := fmt.Sprintf("warning: %s: 2 of 3 rows have a text in column \"ripe\" that was not in training, such as \"xyz\"\n", odd)
		warned(t, line, "predict", "--model", model, "--data", odd, "-o", "-")
		warned(t, line, "eval", "--model", model, "--data", odd)
	}
	if !bytes.Equal(models[0], models[1]) {
		t.Errorf("the models of %d and %d bytes differ", len(models[0]), len(models[1]))
	}
}
