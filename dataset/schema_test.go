package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

const fruits = "name,weight,color,price\nplum,3,blue,1.5\n\"pear, big\",NA,green,2.5\nplum, ?,,3.5\n"

func TestTable(t *testing.T) {
	o := Options{Table: true, Name: "fruits.csv"}
	want := &Schema{Target: "price", Columns: []Column{
		{Name: "name", Kind: Category, Levels: []string{"pear, big", "plum"}},
		{Name: "weight", Missing: true},
		{Name: "color", Kind: Category, Levels: []string{"blue", "green"}, Missing: true},
	}}
	nan := math.NaN()
	cells := denseRows(3, 3, 1, 3, 0, 0, nan, 1, 1, nan, nan)
	s := must.Have(Read(strings.NewReader(fruits), o))(t)
	if !reflect.DeepEqual(s.Schema, want) || !sameCells(s.X, cells) || !slices.Equal(s.Value, []float64{1.5, 2.5, 3.5}) {
		t.Errorf("%+v, %v, %v", s.Schema, mat.Formatted(s.X), s.Value)
	}
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, want))
	f := must.Have(modelfile.Read(&b))(t)
	stored, err := DecodeSchema(f)
	if err != nil || !reflect.DeepEqual(stored, want) {
		t.Errorf("stored: %+v, %v", stored, err)
	}
	path := filepath.Join(t.TempDir(), "fruits.csv")
	must.Do(t, Save(t.Context(), path, s))
	info, err := Scan(t.Context(), path, Options{Table: true})
	if err != nil || !reflect.DeepEqual(info.Schema, want) {
		t.Errorf("scanned: %+v, %v", info.Schema, err)
	}
	n := 0
	for block, err := range Blocks(t.Context(), path, Options{Table: true}, 2) {
		if err != nil {
			t.Fatal(err)
		}
		rows, _ := block.Dims()
		if !sameCells(block.X, cells.Slice(n, n+rows, 0, 3)) || !reflect.DeepEqual(block.Schema, want) {
			t.Errorf("block at %d: %v", n, mat.Formatted(block.X))
		}
		n += rows
	}

	// Another file has the columns in another order, and more of them.
	const other = "price,color,weight,taste,name\n9,red,5,3,plum\n"
	o = Options{Schema: &Schema{Target: "price", Columns: want.Columns, Ignored: []string{"taste"}}, Name: "other.csv", Task: Regression}
	if s, err = Read(strings.NewReader(other), o); err != nil || !sameCells(s.X, denseRows(1, 3, 1, 5, UnknownLevel)) || s.Value[0] != 9 {
		t.Errorf("%v, %v", s, err)
	}
	if _, err = Read(strings.NewReader("price,color,weight,smell,name\n9,red,5,3,plum\n"), o); err == nil || !strings.Contains(err.Error(), `there was no column "smell" in training`) {
		t.Errorf("a column that the schema neither has nor ignores: %v", err)
	}
	o.Task = NoTarget
	if s, err = Read(strings.NewReader(other), o); err != nil || s.Task() != NoTarget {
		t.Errorf("%v, %v", s, err)
	}
	o.NoHeader, o.Schema = true, want
	if s, err = Read(strings.NewReader("pear\t4\tgreen\n"), o); err != nil || !sameCells(s.X, denseRows(1, 3, UnknownLevel, 4, 1)) {
		t.Errorf("by position: %v, %v", s, err)
	}

	// A column without any cell has no levels, also if it is asked for as a category.
	if s, err := Read(strings.NewReader("c,a\n,1\n,2\n"), Options{Name: "a.csv", Table: true, Categories: []string{"c"}}); err != nil || !reflect.DeepEqual(s.Schema.Columns, []Column{{Name: "c", Missing: true}}) {
		t.Errorf("%+v, %v", s.Schema, err)
	}

	// Categories and cells that are missing are errors unless they are asked for.
	for text, reason := range map[string]string{fruits: `"plum" is not a number`, "a,b\n,2\n": "a number is missing"} {
		if _, err := Read(strings.NewReader(text), Options{Name: "a.csv"}); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := s.Append(&Set{X: denseRows(1, 3, 1, 2, 3)}); err == nil {
		t.Error("numbers are joined with categories")
	}
}

func sameCells(x, y mat.Matrix) bool {
	n, d := x.Dims()
	m, e := y.Dims()
	if n != m || d != e {
		return false
	}
	for i := range n {
		for j := range d {
			if a, b := x.At(i, j), y.At(i, j); a != b && (a == a || b == b) {
				return false
			}
		}
	}
	return true
}

func TestDates(t *testing.T) {
	for text, want := range map[string]bool{
		"2024-03-01": true, "1.3.2024": true, "03/01/24": true, "2024-03-01T10:00:00Z": true, "2024-03-01 10:00": true, "10:30": true, "10:30:05.5": true,
		"": false, "2024-03": false, "1.2.3.4": false, "12-34-56789": false, "red": false, "1-2/3": false, "a-b-c": false, "1.5": false, "2024-03-01x": false,
	} {
		if isDate(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}

// Reading never fails otherwise than with an error that names the place, and what was read
// fits its schema.
func FuzzTable(f *testing.F) {
	for _, text := range []string{fruits, "a,b\n1,2\nx,3\n", "a,b\nNaN,\"2\n3\"\n,4\n", "d,y\n2024-01-01,3\n"} {
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, in []byte, header bool) {
		s, err := Read(bytes.NewReader(in), Options{Format: CSV, Table: true, NoHeader: header, MaxLine: 1 << 12})
		if err != nil {
			if e := (*ParseError)(nil); !errors.As(err, &e) || e.Reason == "" {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		n, d := s.Dims()
		if len(s.Schema.Columns) != d {
			t.Fatalf("%d columns, the schema has %d", d, len(s.Schema.Columns))
		}
		for j, c := range s.Schema.Columns {
			for i := range n {
				v := s.X.At(i, j)
				level := v == math.Trunc(v) && v >= 0 && v < float64(len(c.Levels))
				if v != v && !c.Missing || v == v && c.Kind == Category && !level {
					t.Fatalf("cell %d, %d is %v in %+v", i, j, v, c)
				}
			}
		}
	})
}

// A table has the same schema and rows in JSON lines as in CSV.
func TestJSONLines(t *testing.T) {
	const objects = `{"name": "plum", "weight": 3, "color": "blue", "price": 1.5}

{"price": 2.5, "name": "pear, big", "color": "green"}
{"name": "plum", "weight": null, "color": null, "price": 3.5}
`
	want := must.Have(Read(strings.NewReader(fruits), Options{Table: true, Name: "fruits.csv"}))(t)
	for _, o := range []Options{{Table: true}, {Table: true, Format: JSONLines}, {Table: true, Name: "a.ndjson"}} {
		got, err := Read(strings.NewReader(objects), o)
		if err != nil || !reflect.DeepEqual(got.Schema, want.Schema) || !sameCells(got.X, want.X) || !slices.Equal(got.Value, want.Value) {
			t.Errorf("%+v: %+v, %v", o, got, err)
		}
	}
	if s, err := Read(strings.NewReader("[1, 2, \"a\"]\n[3, 4, \"b\"]\n"), Options{}); err != nil || !sameCells(s.X, denseRows(2, 2, 1, 2, 3, 4)) || s.Task() != Classes || s.Schema.Named() {
		t.Errorf("arrays: %+v, %v", s, err)
	}
	for text, want := range map[string]string{
		"{\"a\": 1, \"b\": 2}\n{\"a\": 1, \"c\": 2}\n": `a:2: "c" is not in the first row`, "{\"a\": 1, \"a\": 2}\n": `a:1: "a" is there twice`,
		"{\"a\": [1], \"b\": 2}\n": "a:1: a cell is", "[1, 2]\n[1]\n": "a:2: 1 cells, want 2", "[1, 2]\n[1, 2, 3]\n": "a:2: more cells", "[1, 2]\n{\"a\": 1}\n": "a:2: some rows are objects",
		"[1, 2\n": "a:1: the line is not JSON", "[1, 2] 3\n": "a:1: the line goes on", "": "empty", "3\n": "a:1: a row is", "[1e999, 2]\n": "a:1: ", "{\"a\": null, \"b\": 2}\n": "a:1: a number is missing",
	} {
		if _, err := Read(strings.NewReader(text), Options{Format: JSONLines, Name: "a"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A file that is one JSON value is recognized by its first line, and the error says what to do.
func TestJSONDocument(t *testing.T) {
	for text, want := range map[string]string{
		"[{\"a\": 1}, {\"a\": 2}]\n": "one JSON array", "[\n{\"a\": 1},\n{\"a\": 2}\n]\n": "one JSON array", " [ [1, 2], [3, 4]]\n": "one JSON array",
		"{\n  \"a\": 1,\n  \"b\": 2\n}\n": "goes on in the next line",
	} {
		if _, err := Read(strings.NewReader(text), Options{Name: "a"}); err == nil || !strings.Contains(err.Error(), "a:1: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A directory is no data file, which is said once.
func TestOpenDirectory(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir, Options{}); err == nil || err.Error() != dir+": is a directory" {
		t.Error(err)
	}
}

func FuzzJSONLines(f *testing.F) {
	f.Add([]byte("{\"a\": 1, \"b\": \"x\"}\n{\"b\": null, \"a\": true}\n"))
	f.Add([]byte("[1, 2.5]\n[3, -4e3]\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		s, err := Read(bytes.NewReader(in), Options{Format: JSONLines, Table: true, MaxLine: 1 << 12})
		if err != nil {
			if e := (*ParseError)(nil); !errors.As(err, &e) || e.Reason == "" {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		if _, d := s.Dims(); d != len(s.Schema.Columns) {
			t.Fatalf("%d columns, the schema has %d", d, len(s.Schema.Columns))
		}
	})
}

// A file from which DropMissing leaves rows out is the file without these rows, however it is read.
func TestDropMissing(t *testing.T) {
	whole := "a,kind,y\n1,x,1\n2,NA,2\n3,y,NA\nNA,x,3\n,z,\n5,y,2.5\n"
	objects := `{"a":1,"kind":"x","y":1}
{"a":2,"y":2}
{"a":3,"kind":"y","y":null}
{"a":null,"kind":"x","y":3}
{"kind":"z"}
{"a":5,"kind":"y","y":2.5}
`
	kept := map[string]string{ // the columns that are needed
		"y":   "a,kind,y\n1,x,1\n2,NA,2\nNA,x,3\n5,y,2.5\n",
		"3":   "a,kind,y\n1,x,1\n2,NA,2\nNA,x,3\n5,y,2.5\n",
		"y,a": "a,kind,y\n1,x,1\n2,NA,2\n5,y,2.5\n",
	}
	for columns, rest := range kept {
		want := must.Have(Read(strings.NewReader(rest), Options{Table: true}))(t)
		for format, text := range map[string]string{"csv": whole, "jsonl": objects} {
			o := Options{Table: true, DropMissing: strings.Split(columns, ",")}
			if format == "jsonl" {
				o.Target = "y"
			}
			path := filepath.Join(t.TempDir(), "t."+format)
			must.Do(t, os.WriteFile(path, []byte(text), 0o600))
			s, err := Open(path, o)
			if err != nil {
				t.Fatalf("%s, %s: %v", format, columns, err)
			}
			n, _ := s.Dims()
			if !reflect.DeepEqual(s.Schema, want.Schema) || !sameCells(s.X, want.X) || !slices.Equal(s.Value, want.Value) || n+s.Dropped != 6 {
				t.Errorf("%s, %s: %+v, %v, %v, %d rows left out", format, columns, s.Schema, mat.Formatted(s.X), s.Value, s.Dropped)
			}
			if info, err := Scan(t.Context(), path, o); err != nil || info.N != n || !reflect.DeepEqual(info.Schema, want.Schema) {
				t.Errorf("%s, %s: scanned %+v, %v", format, columns, info, err)
			}
			var values []float64
			for block, err := range Blocks(t.Context(), path, o, 2) {
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, block.Value...)
			}
			if !slices.Equal(values, want.Value) {
				t.Errorf("%s, %s: blocks of %v", format, columns, values)
			}
		}
	}
	for _, c := range []struct {
		text, want string
		o          Options
	}{
		{whole, `4:5: the target is missing: it is "NA", which the task classes takes for a class; such rows can be left out`, Options{Table: true}},
		{"a,y\n1,NA\n2,\n", "all 2 rows lack a cell that every row must have", Options{Table: true, DropMissing: []string{"y"}}},
		{whole, `no column is called "z"`, Options{Table: true, DropMissing: []string{"z"}}},
		{"1 1:2\n", "DropMissing", Options{Format: LIBSVM, DropMissing: []string{"1"}}},
	} {
		_, err := Read(strings.NewReader(c.text), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
		if wrong := (*ParseError)(nil); c.text == whole && c.o.DropMissing == nil && (!errors.As(err, &wrong) || !reflect.DeepEqual(Remedies(err), []Options{{DropMissing: []string{"y"}}})) {
			t.Errorf("remedies of %v", err)
		}
	}
}

// The first files of a pattern are numbers, and another one has a category: Scan begins again, and counts every row once.
func TestScanBeginsAgain(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "1.csv"), []byte("a,b,y\n1,2,1\n3,4,2\n"), 0o600))
	must.Do(t, os.WriteFile(filepath.Join(dir, "2.csv"), []byte("a,b,y\n5,red,3\n"), 0o600))
	info, err := Scan(t.Context(), filepath.Join(dir, "*.csv"), Options{Table: true, Target: "y", Task: Regression})
	if err != nil || info.N != 3 || info.D != 2 || !slices.Equal(info.Schema.Columns[1].Levels, []string{"2", "4", "red"}) {
		t.Errorf("%+v, %v", info, err)
	}
}

// A column of too many different texts is refused with their number, as far as they are counted.
func TestTooManyTexts(t *testing.T) {
	for n, want := range map[int]string{30: `column "c" has 30 different texts in 30 rows`, 5000: "has more than 4096 different texts in 5000 rows"} {
		var text strings.Builder
		text.WriteString("c,y\n")
		for i := range n {
			fmt.Fprintf(&text, "t%dx,1\n", i)
		}
		if _, err := Read(strings.NewReader(text.String()), Options{Name: "a.csv", Table: true}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d texts: %v, want %q in it", n, err, want)
		}
	}
}
