package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFresh compares the generated files with the tables, and finds files of
// families that no longer exist.
func TestFresh(t *testing.T) {
	known := map[string]bool{}
	for _, f := range families {
		for name, want := range f.files() {
			name = filepath.Join("..", f.name, name)
			known[name] = true
			if got, err := os.ReadFile(name); err != nil {
				t.Error(err)
			} else if string(got) != string(want) {
				t.Errorf("%s is stale: run go generate in its folder", name)
			}
		}
	}
	for _, a := range arches {
		found, err := filepath.Glob("../*/" + a.file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			if !known[name] {
				t.Errorf("%s belongs to no table", name)
			}
		}
	}
}

// everything is a family that uses all features of a table.
var everything = family{"everything", []routine{
	{Func: "plain(x []float64) float64", Cases: on(AVX512 | NEON)},
	{
		Func: "rows(dst, x []F, n int, s F, f *[4]F, at []int32) F",
		Doc:  "does rows",
		Cases: []variant{
			{Levels: AVX2 | AVX512, When: "n >= lanes", Stub: "all#x4(dst, x *F, bytes int, s F, f *F, at *int32)", Args: "dst, x, n*size, s, &f[0], at"},
			{Levels: AVX2, Only: 32, Stub: "few(x []F) F"},
			{Levels: NEON, When: "n < size", Go: "rows#NEON"},
			{Levels: NEON, Go: "rowsNEON"},
		},
		Generic: "rowsGeneric(dst, x)",
	},
	{Func: "part(x []F)", Cases: on(AVX2), Direct: true},
	{Func: "piece(x []float32)", Cases: on(NEON), Direct: true},
}}

func TestEverything(t *testing.T) {
	for name, got := range everything.files() {
		file := filepath.Join("testdata", name+".txt")
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is otherwise, is it meant?\n%s", file, got)
		}
	}
}
