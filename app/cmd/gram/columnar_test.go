//go:build parquet

package main

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

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
