package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
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

// A table gives the same model, to the byte, through whichever format and writer it comes, and each
// model predicts each of the files alike: testdata/frames/README.md. Those of Parquet and of Arrow are read with the tag parquet.
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
		written, read := f.columnar(t, name)
		if !read {
			files = slices.DeleteFunc(files, func(path string) bool {
				return slices.Contains([]string{".arrow", ".arrows", ".feather", ".parquet"}, filepath.Ext(path))
			})
		}
		for file, text := range written {
			add(file, text)
		}
		fit := func(path string) ([]byte, string) {
			if strings.HasSuffix(path, "-semicolon.csv") {
				flags[path] = []string{"--decimal-comma"}
			}
			model := filepath.Join(t.TempDir(), "m.gram")
			out := ok(t, append([]string{"fit", "--method", "linear", "--data", path, "-o", model}, flags[path]...)...)
			content, err := os.ReadFile(model)
			if err != nil {
				t.Fatal(err)
			}
			return content, out
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
