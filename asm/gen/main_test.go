package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gramworks/gram/internal/must"
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
	patterns := []string{"../*/entry_*.s"}
	for _, a := range arches {
		patterns = append(patterns, "../*/"+a.file)
	}
	for _, pattern := range patterns {
		found := must.Have(filepath.Glob(pattern))(t)
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

var everythingAssembly = assembly{
	Names: []names{
		{AVX2 | AVX512, "W V0-V2 SIZE=8|4 MOVE=VMOVUP?"},
		{AVX2, "SUM=SUM#"},
		{NEON, "T=D2|S4"},
	},
	Data: []data{
		{"ones", AVX512, 64, 2, "-0.5 // minus a half\n0x0008000000000000\n// the rest\n#-1 #3 1.5"},
		{"order", AVX512, 8, 0, "0 2 4 6 1 3 5 0x07"},
		{"few", AVX2, 32, 0, "1.5 0x7f #-2"},
	},
	Entries: []entry{
		{"plain", AVX512 | NEON, "LOAD=VMOVUP?; x=,CX; #plain_body\nMOVQ @x_base, AX; SUM(@x_cap)\nret=X0"},
		{"all#x4", AVX2 | AVX512, "locals 16; dst=DI; x=SI; bytes=CX; f=R8; at=R9; s=V0:all; s=AX; s=X1; SIZE=9; #rows; RET"},
		{"few32", AVX2, "x=SI,CX; ret=X0"},
		{"part", AVX2, "x=SI"},
		{"piece", NEON, "x=R0,R1"},
	},
}

func TestEverything(t *testing.T) {
	assemblies["everything"] = everythingAssembly
	defer delete(assemblies, "everything")
	for name, got := range everything.files() {
		file := filepath.Join("testdata", name+".txt")
		want := must.Have(os.ReadFile(file))(t)
		if string(got) != string(want) {
			t.Errorf("%s is otherwise, is it meant?\n%s", file, got)
		}
	}
}
