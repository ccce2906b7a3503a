//go:build parquet

package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/dataset"
	"github.com/parquet-go/parquet-go"
)

// A Parquet file is fitted, and a CSV file with its columns in another order is predicted; what
// cannot be read is said by name.
func TestColumnarFit(t *testing.T) {
	type flat struct {
		Rooms  *int32  `parquet:"rooms,optional"`
		Street string  `parquet:"street,dict"`
		Sold   int32   `parquet:"sold,time(millisecond)"`
		Price  float64 `parquet:"price"`
	}
	r := rand.New(rand.NewPCG(1, 1))
	var rows []flat
	for range 400 {
		rooms, street := 1+r.Int32N(6), r.IntN(3)
		row := flat{&rooms, []string{"Oak", "Elm", "Ash lane"}[street], 0, 50*float64(rooms) + []float64{0, 80, -40}[street] + r.NormFloat64()}
		if r.IntN(30) == 0 {
			row.Rooms = nil
		}
		rows = append(rows, row)
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	train, model := write(t, "train.parquet", b.String()), filepath.Join(t.TempDir(), "m.gram")
	fit := []string{"fit", "--method", "linear", "--data", train, "-o", model, "--set", "lambda=1e-3"}
	if _, stderr, code := cli(t, fit...); code != 1 || !strings.Contains(stderr, `train.parquet: column "sold" holds times of day`) {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if out := ok(t, append(fit, "--ignore", "sold")...); !strings.HasPrefix(out, "the target is \"price\", the last column; --target names another\n1 number, 1 category, 1 column with missing cells: 5 features\n") {
		t.Errorf("fit says %q", out)
	}
	if f := figuresOf(t, ok(t, "eval", "--model", model, "--data", train, "--json")); !(f["r2"].Value > .9) {
		t.Errorf("r2 is %v", f["r2"].Value)
	}
	if out := ok(t, "predict", "--model", model, "--data", write(t, "x.csv", "street,rooms\nElm,4\n"), "-o", "-"); !strings.HasPrefix(out, "27") && !strings.HasPrefix(out, "28") {
		t.Errorf("predict says %q, want about 280", out)
	}
	table := filepath.Join(t.TempDir(), "t.csv")
	ok(t, "convert", train, table, "--ignore", "sold")
	if _, stderr, code := cli(t, "convert", train, table); code != 1 || !strings.Contains(stderr, "sold") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// Pieces of groups of rows of a Parquet file give what its rows give in one process, and an error names the row of the
// file.
func TestColumnarPieces(t *testing.T) {
	type row struct {
		A, B, C float64
		Target  float64 `parquet:"target"`
	}
	d := dataset.Friedman1(3000, 5, .1, 1)
	rows := make([]row, len(d.Value))
	for i := range rows {
		rows[i] = row{d.X.At(i, 0), d.X.At(i, 1), d.X.At(i, 2), d.Value[i]}
	}
	groups := func(size int) string {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[row](&b)
		for part := range slices.Chunk(rows, size) {
			if _, err := w.Write(part); err != nil {
				t.Fatal(err)
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return write(t, "a.parquet", b.String())
	}
	samePieces(t, groups(3000), "--data", groups(90), "--item-bytes", "20kB")

	linear := []string{"--item-bytes", "20kB", "--task", "regression", "--method", "linear"}
	one := groups(3000)
	if out := warned(t, one+" is one item: it has one group of rows", append([]string{"part", "items", "--work", filepath.Join(t.TempDir(), "w"), "--data", one}, linear...)...); out != "1\n" {
		t.Errorf("%q items of one group", out)
	}
	rows[2003].B = math.Inf(1)
	work := filepath.Join(t.TempDir(), "w")
	ok(t, append([]string{"part", "items", "--work", work, "--data", groups(90)}, linear...)...)
	if _, stderr, code := cli(t, "part", "scan", "--work", work); code != 1 || !strings.Contains(stderr, `a.parquet: row 2004, column "B": the number is not finite`) {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}
