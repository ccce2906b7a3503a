package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	allocator "github.com/apache/arrow-go/v18/arrow/memory"
	_ "github.com/gramworks/gram/app/columnar"
	"github.com/parquet-go/parquet-go"
)

// frame is a table of testdata/frames: rows of cells, which are a float64, a bool, a string or nil.
type frame struct {
	names []string
	rows  [][]any
}

// readFrame reads JSON lines.
func readFrame(t *testing.T, path string) (f frame) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		d := json.NewDecoder(bytes.NewReader(line))
		var cells []any
		names := f.names[:0:0]
		for {
			token, err := d.Token()
			if err != nil {
				break
			}
			if _, is := token.(json.Delim); !is {
				cells = append(cells, token)
			}
		}
		var row []any
		for k := 0; k < len(cells); k += 2 {
			names, row = append(names, cells[k].(string)), append(row, cells[k+1])
		}
		f.names, f.rows = names, append(f.rows, row)
	}
	return f
}

// separated writes the frame as text whose cells are written by cell.
func (f frame) separated(comma, end string, cell func(v any) string) string {
	var b strings.Builder
	line := func(cells []string) {
		for k, c := range cells {
			if strings.ContainsAny(c, `"`+comma) {
				cells[k] = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
			}
		}
		b.WriteString(strings.Join(cells, comma) + end)
	}
	line(append([]string(nil), f.names...))
	for _, row := range f.rows {
		var cells []string
		for _, v := range row {
			cells = append(cells, cell(v))
		}
		line(cells)
	}
	return b.String()
}

// german writes a cell as spreadsheets with German settings do, with separators of thousands.
func german(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case bool:
		return strings.ToUpper(fmt.Sprint(v))
	case float64:
		whole, part, found := strings.Cut(strings.TrimPrefix(fmt.Sprintf("%.10f", v), "-"), ".")
		for k := len(whole) - 3; k > 0; k -= 3 {
			whole = whole[:k] + "." + whole[k:]
		}
		if part = strings.TrimRight(part, "0"); found && part != "" {
			whole += "," + part
		}
		if v < 0 {
			whole = "-" + whole
		}
		return whole
	}
	return fmt.Sprint(v)
}

// arrow writes the frame with arrow-go, texts as categories if dictionaries says so.
func (f frame) arrow(t *testing.T, dictionaries bool) string {
	t.Helper()
	var fields []arrow.Field
	for k, name := range f.names {
		field := arrow.Field{Name: name, Nullable: true}
		for _, row := range f.rows {
			switch v := row[k].(type) {
			case float64:
				field.Type = arrow.PrimitiveTypes.Float64
			case bool:
				field.Type = arrow.FixedWidthTypes.Boolean
			case string:
				field.Type = arrow.BinaryTypes.String
				if _, err := time.Parse(time.DateOnly, v); err == nil {
					field.Type = arrow.FixedWidthTypes.Date32
				} else if _, err := time.Parse("2006-01-02T15:04:05", v); err == nil {
					field.Type = arrow.FixedWidthTypes.Timestamp_ns
				} else if dictionaries {
					field.Type = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
				}
			}
		}
		fields = append(fields, field)
	}
	schema := arrow.NewSchema(fields, nil)
	build := array.NewRecordBuilder(allocator.NewGoAllocator(), schema)
	for _, row := range f.rows {
		for k, v := range row {
			to := build.Field(k)
			switch to := to.(type) {
			case *array.TimestampBuilder:
				if v != nil {
					at, _ := time.Parse("2006-01-02T15:04:05", v.(string))
					to.Append(arrow.Timestamp(at.UnixNano()))
					continue
				}
			case *array.Date32Builder:
				at, _ := time.Parse(time.DateOnly, v.(string))
				to.Append(arrow.Date32FromTime(at))
				continue
			}
			if v == nil {
				to.AppendNull()
			} else if err := to.AppendValueFromString(fmt.Sprint(v)); err != nil {
				t.Fatal(err)
			}
		}
	}
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(schema))
	if err := errors.Join(w.Write(build.NewRecordBatch()), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// order is a row of the first frame for parquet-go.
type order struct {
	Day     int32    `parquet:"day,date"`
	Weight  *float64 `parquet:"weight,optional"`
	Fragile bool     `parquet:"fragile"`
	City    string   `parquet:"city,dict"`
	Pieces  uint8    `parquet:"pieces"`
	Price   float64  `parquet:"price"`
}

func orders(t *testing.T, f frame) string {
	t.Helper()
	var rows []order
	for _, r := range f.rows {
		at, _ := time.Parse(time.DateOnly, r[0].(string))
		o := order{Day: int32(at.Unix() / 86400), Fragile: r[2].(bool), City: r[3].(string), Pieces: uint8(r[4].(float64)), Price: r[5].(float64)}
		if v, is := r[1].(float64); is {
			o.Weight = &v
		}
		rows = append(rows, o)
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A table gives the same model, to the byte, through whichever format and writer it comes, and each
// model predicts each of the files alike: testdata/frames/README.md.
func TestFrames(t *testing.T) {
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	for _, name := range []string{"orders", "visits", "sensors"} {
		f := readFrame(t, filepath.Join("testdata/frames", name+".jsonl"))
		files, err := filepath.Glob("testdata/frames/" + name + "-*")
		if err != nil || len(files) != 11 {
			t.Fatal(files, err)
		}
		flags := map[string][]string{}
		add := func(file, text string, more ...string) {
			path := write(t, file, text)
			files, flags[path] = append(files, path), more
		}
		plain := func(v any) string {
			if v == nil {
				return ""
			}
			return fmt.Sprint(v)
		}
		add(name+"-excel.csv", "\ufeff"+f.separated(";", "\r\n", german), "--decimal-comma", "--formatted-numbers")
		add(name+"-nan.csv", f.separated(",", "\n", func(v any) string {
			if v == nil {
				return "NaN"
			}
			return fmt.Sprint(v)
		}))
		add(name+".tsv", f.separated("\t", "\n", plain))
		add(name+"-go.arrows", f.arrow(t, false))
		add(name+"-go-dictionary.arrows", f.arrow(t, true))
		if name == "orders" {
			add(name+"-go.parquet", orders(t, f))
		}
		fit := func(path string) ([]byte, string) {
			if strings.HasSuffix(path, "-semicolon.csv") {
				flags[path] = []string{"--decimal-comma"}
			}
			model := filepath.Join(t.TempDir(), "m.gram")
			out := ok(t, append([]string{"fit", "--method", "linear", "--data", path, "-o", model}, flags[path]...)...)
			bytes, err := os.ReadFile(model)
			if err != nil {
				t.Fatal(err)
			}
			return bytes, out
		}
		first := filepath.Join("testdata/frames", name+".jsonl")
		want, out := fit(first)
		if !strings.Contains(out, "1 date (as year, month, weekday and days)") {
			t.Errorf("%s: fit says %q", name, out)
		}
		model := write(t, "first.gram", string(want))
		predictions := ok(t, "predict", "--model", model, "--data", first, "-o", "-")
		for _, path := range files {
			got, out := fit(path)
			if !bytes.Equal(got, want) {
				t.Errorf("%s gives another model than %s: %s", path, first, out)
			}
			if left := strings.Contains(out, "is left out: it has the numbers or names of the rows"); left != (strings.HasSuffix(path, "-index.csv") || strings.HasSuffix(path, "-r.csv")) {
				t.Errorf("%s: fit says %q", path, out)
			}
			if again := ok(t, append([]string{"predict", "--model", model, "--data", path, "-o", "-"}, flags[path]...)...); again != predictions {
				t.Errorf("%s is predicted otherwise than %s", path, first)
			}
		}
		var wide strings.Builder
		for _, unit := range utf16.Encode([]rune("\ufeff" + f.separated("\t", "\r\n", german))) {
			wide.Write([]byte{byte(unit), byte(unit >> 8)})
		}
		if _, stderr, code := cli(t, "fit", "--data", write(t, "unicode.txt", wide.String()), "-o", model); code != 1 || !strings.Contains(stderr, "the text is UTF-16: save it as UTF-8") {
			t.Errorf("a text in UTF-16: exit code %d, %s", code, stderr)
		}
	}
}

// A cell that is no date is refused with its place where dates were learned, and a missing one where none was missing.
func TestDatesRefused(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.gram")
	ok(t, "fit", "--method", "linear", "--data", "testdata/frames/orders.jsonl", "-o", model)
	const header = "day,weight,fragile,city,pieces\n"
	for cell, want := range map[string]string{
		"31.01.2024": `x.csv:2:1: "31.01.2024" is not a date such as 2024-01-31, as the cells of column "day" are`,
		"19700":      `"19700" is not a date`,
		"2023-02-29": `"2023-02-29" is not a date`,
		"":           `a cell of column "day" is missing, as none was in training`,
	} {
		if _, stderr, code := cli(t, "predict", "--model", model, "--data", write(t, "x.csv", header+cell+",1,true,Zürich,2\n"), "-o", "-"); code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit code %d, %s", cell, code, stderr)
		}
	}
}
