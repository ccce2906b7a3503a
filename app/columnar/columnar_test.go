package columnar

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/parquet-go/parquet-go"
	codecs "github.com/parquet-go/parquet-go/compress"
	"gonum.org/v1/gonum/mat"
)

// fruit is a row of a Parquet file.
type fruit struct {
	Weight *float64 `parquet:"weight,optional"`
	Color  *string  `parquet:"color,optional,dict"`
	Ripe   bool     `parquet:"ripe"`
	Count  uint8    `parquet:"count"`
	Tree   int64    `parquet:"tree"`
	Price  float32  `parquet:"price"`
}

// fruitsOf makes n rows.
func fruitsOf(n int) []fruit {
	colors := []string{"red", "green", "deep blue"}
	rows := make([]fruit, n)
	for i := range rows {
		weight := float64(i) / 4
		rows[i] = fruit{&weight, &colors[i%3], i%2 == 1, uint8(i), -int64(i), float32(i) + 0.5}
		if i%7 == 3 {
			rows[i].Weight = nil
		}
		if i%5 == 2 {
			rows[i].Color = nil
		}
	}
	return rows
}

// wantFruits is what they become.
func wantFruits(n int) (*dataset.Schema, *mat.Dense, []float64) {
	s := &dataset.Schema{Target: "price", Columns: []dataset.Column{
		{Name: "weight", Missing: true},
		{Name: "color", Kind: dataset.Category, Levels: []string{"deep blue", "green", "red"}, Missing: true},
		{Name: "ripe", Kind: dataset.Category, Levels: []string{"false", "true"}},
		{Name: "count"}, {Name: "tree"},
	}}
	x, y := mat.NewDense(n, 5, nil), make([]float64, n)
	for i := range n {
		x.SetRow(i, []float64{float64(i) / 4, float64(2 - i%3), float64(i % 2), float64(i % 256), -float64(i)})
		if i%7 == 3 {
			x.Set(i, 0, math.NaN())
		}
		if i%5 == 2 {
			x.Set(i, 1, math.NaN())
		}
		y[i] = float64(i) + 0.5
	}
	return s, x, y
}

// writeParquet returns a file with groups of rows of the given size.
func writeParquet[T any](t testing.TB, rows []T, group int, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, append(options, parquet.PageBufferSize(256))...)
	for part := range slices.Chunk(rows, group) {
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
	return b.Bytes()
}

// writeArrow returns a file or a stream of fruits in batches of the given size. Colors are a
// dictionary.
func writeArrow(t testing.TB, rows []fruit, size int, file bool, options ...ipc.Option) []byte {
	t.Helper()
	pool := memory.NewGoAllocator()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "weight", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "color", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, Nullable: true},
		{Name: "ripe", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "count", Type: arrow.PrimitiveTypes.Uint8},
		{Name: "tree", Type: arrow.PrimitiveTypes.Int64},
		{Name: "price", Type: arrow.PrimitiveTypes.Float32},
	}, nil)
	var b bytes.Buffer
	options = append(options, ipc.WithSchema(schema), ipc.WithDictionaryDeltas(true))
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	}
	var err error
	if file {
		w, err = ipc.NewFileWriter(&b, options...)
	} else {
		w = ipc.NewWriter(&b, options...)
	}
	if err != nil {
		t.Fatal(err)
	}
	build := array.NewRecordBuilder(pool, schema)
	for part := range slices.Chunk(rows, size) {
		for _, r := range part {
			if weight := build.Field(0).(*array.Float64Builder); r.Weight == nil {
				weight.AppendNull()
			} else {
				weight.Append(*r.Weight)
			}
			if color := build.Field(1).(*array.BinaryDictionaryBuilder); r.Color == nil {
				color.AppendNull()
			} else if err := color.AppendString(*r.Color); err != nil {
				t.Fatal(err)
			}
			build.Field(2).(*array.BooleanBuilder).Append(r.Ripe)
			build.Field(3).(*array.Uint8Builder).Append(r.Count)
			build.Field(4).(*array.Int64Builder).Append(r.Tree)
			build.Field(5).(*array.Float32Builder).Append(r.Price)
		}
		if err := w.Write(build.NewRecordBatch()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Files of all codecs, with many groups of rows, pages and batches, hold the same table.
func TestColumnar(t *testing.T) {
	const n = 2500
	rows := fruitsOf(n)
	wantSchema, wantX, wantY := wantFruits(n)
	files := map[string][]byte{
		"a.arrow":  writeArrow(t, rows, 700, true),
		"b.arrows": writeArrow(t, rows, 999, false),
		"c.arrow":  writeArrow(t, rows, 1300, true, ipc.WithZstd()),
		"d.arrow":  writeArrow(t, rows, 1300, false, ipc.WithLZ4()),
	}
	for _, codec := range []codecs.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Zstd, &parquet.Lz4Raw, &parquet.Brotli} {
		files[codec.String()+".parquet"] = writeParquet(t, rows, 800, parquet.Compression(codec))
	}
	files["v1.parquet"] = writeParquet(t, rows, 5000, parquet.DataPageVersion(1))
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		o := dataset.Options{Table: true}
		s, err := dataset.Open(path, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(s.Schema, wantSchema) || !sameCells(s.X, wantX) || !slices.Equal(s.Value, wantY) {
			t.Errorf("%s: %+v", name, s.Schema)
		}
		at := 0
		for block, err := range dataset.Blocks(t.Context(), path, o, 300) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			m, _ := block.Dims()
			if !sameCells(block.X, wantX.Slice(at, at+m, 0, 5)) {
				t.Errorf("%s: block at %d", name, at)
			}
			at += m
		}
		if at != n {
			t.Errorf("%s: blocks of %d rows", name, at)
		}
		// What can be read only once, or is compressed, and columns by name in another order.
		reversed := &dataset.Schema{Target: "count", Columns: []dataset.Column{wantSchema.Columns[4], wantSchema.Columns[0]}, Ignored: []string{"color", "ripe", "price"}}
		if s, err = dataset.Read(io.MultiReader(bytes.NewReader(data)), dataset.Options{Schema: reversed, Task: dataset.Regression}); err != nil || s.X.At(9, 0) != -9 || s.X.At(9, 1) != 9.0/4 || s.Value[9] != 9 {
			t.Errorf("%s: by name: %v, %v", name, s, err)
		}
	}
}

// Wide types, and those that are refused, which stand in no way if they are left out.
func TestColumnarTypes(t *testing.T) {
	type row struct {
		Half    float32   `parquet:"half"`
		Money   int64     `parquet:"money,decimal(2:18)"`
		Small   int8      `parquet:"small"`
		Large   uint64    `parquet:"large"`
		Kind    string    `parquet:"kind,enum"`
		Day     int32     `parquet:"day,date"`
		Moment  int64     `parquet:"moment,timestamp(millisecond)"`
		Clock   int64     `parquet:"clock,time(microsecond)"`
		List    []float64 `parquet:"list,list"`
		Pair    struct{ A, B int32 }
		Raw     [3]byte `parquet:"raw"`
		Index   int64   `parquet:"__index_level_0__"`
		Y       int32   `parquet:"y"`
		private int     //lint:ignore U1000 the writer passes over it
	}
	data := writeParquet(t, []row{{Half: 1.5, Money: -12345, Small: -7, Large: 1 << 53, Kind: "1", Day: -1, Moment: -500, Y: 2}, {Half: 2, Money: 1 << 60, Small: 100, Large: 3, Kind: "2", Y: 3}}, 1)
	refused := []string{"clock", "list", "Pair", "raw"}
	for k, name := range refused {
		_, err := dataset.Read(bytes.NewReader(data), dataset.Options{Table: true, Target: "y", Ignore: slices.Delete(slices.Clone(refused), k, k+1)})
		want := map[string]string{"clock": "holds times of day", "list": "is nested", "Pair": "is nested", "raw": "holds bytes"}[name]
		var place *dataset.ParseError
		if !errors.As(err, &place) || !strings.Contains(err.Error(), `column "`+name+`" `+want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s, err := dataset.Read(bytes.NewReader(data), dataset.Options{Table: true, Target: "y", Ignore: refused, Task: dataset.Regression})
	if err != nil {
		t.Fatal(err)
	}
	if !sameCells(s.X, mat.NewDense(2, 7, []float64{1.5, -123.45, -7, 1 << 53, 0, -1, -.5 / 86400, 2, (1 << 60) / 100.0, 100, 3, 1, 0, 0})) || !slices.Equal(s.Schema.Columns[4].Levels, []string{"1", "2"}) || s.Schema.Columns[5].Kind != dataset.Date || s.Schema.Columns[6].First != -.5/86400 {
		t.Errorf("%v %+v", mat.Formatted(s.X), s.Schema)
	}

	pool := memory.NewGoAllocator()
	types := []arrow.DataType{arrow.FixedWidthTypes.Float16, &arrow.Decimal128Type{Precision: 30, Scale: 3}, arrow.PrimitiveTypes.Uint64, arrow.FixedWidthTypes.Time64us, arrow.ListOf(arrow.PrimitiveTypes.Int8), arrow.BinaryTypes.Binary}
	var fields []arrow.Field
	for _, typ := range types {
		fields = append(fields, arrow.Field{Name: typ.Name(), Type: typ})
	}
	schema := arrow.NewSchema(fields, nil)
	build := array.NewRecordBuilder(pool, schema)
	build.Field(0).(*array.Float16Builder).Append(float16.New(0.25))
	build.Field(1).(*array.Decimal128Builder).Append(decimal128.FromI64(-1234567))
	build.Field(2).(*array.Uint64Builder).Append(1<<53 + 1)
	build.Field(3).(*array.Time64Builder).Append(5)
	build.Field(4).(*array.ListBuilder).Append(true)
	build.Field(5).(*array.BinaryBuilder).Append([]byte("a"))
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(schema))
	if err := errors.Join(w.Write(build.NewRecordBatch()), w.Close()); err != nil {
		t.Fatal(err)
	}
	o := dataset.Options{Task: dataset.NoTarget, Ignore: []string{"3", "4", "5", "6"}}
	if s, err = dataset.Read(bytes.NewReader(b.Bytes()), o); err != nil || !sameCells(s.X, mat.NewDense(1, 2, []float64{0.25, -1234.567})) {
		t.Errorf("%v, %v", s, err)
	}
	// An identifier that no float64 is can be kept as it is.
	if s, err = dataset.Read(bytes.NewReader(b.Bytes()), dataset.Options{Task: dataset.NoTarget, Ignore: o.Ignore, Keep: []string{"3"}, Schema: s.Schema}); err != nil || s.Kept[0].Cells[0] != "9007199254740993" {
		t.Errorf("%v, %v", s, err)
	}
	for column, want := range map[int]string{3: `row 1, column "uint64": 9007199254740993 is above 2^53`, 4: `column "time64" holds times of day`, 5: `column "list" is nested`, 6: `column "binary" holds values of the type binary`} {
		o.Ignore = slices.DeleteFunc([]string{"3", "4", "5", "6"}, func(s string) bool { return s == string(rune('0'+column)) })
		if _, err := dataset.Read(bytes.NewReader(b.Bytes()), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("column %d: %v", column, err)
		}
	}
}

// An empty text is a missing cell, as in CSV, when levels are found and when they are known.
func TestColumnarEmptyTexts(t *testing.T) {
	type row struct {
		Color *string `parquet:"color,optional"`
		Price float64 `parquet:"price"`
	}
	texts := []string{"red", "", "green", " ", "red"}
	var rows []row
	want := "color,price\n"
	for i := range texts {
		rows = append(rows, row{&texts[i], float64(i) + .5})
		want += fmt.Sprintf("%s,%v\n", texts[i], float64(i)+.5)
	}
	csv, err := dataset.Read(strings.NewReader(want), dataset.Options{Table: true})
	if err != nil {
		t.Fatal(err)
	}
	data := writeParquet(t, rows, 5)
	for _, o := range []dataset.Options{{Table: true}, {Schema: csv.Schema}} {
		s, err := dataset.Read(bytes.NewReader(data), o)
		if err != nil || !reflect.DeepEqual(s.Schema, csv.Schema) || !sameCells(s.X, csv.X) || s.Unknown != nil {
			t.Errorf("%v, %v, want %v", s, err, csv)
		}
	}
}

// Errors name the row and the column.
func TestColumnarErrors(t *testing.T) {
	type row struct {
		A *float64 `parquet:"a,optional"`
		B string   `parquet:"b"`
	}
	one, infinite := 1.0, math.Inf(1)
	data := writeParquet(t, []row{{&one, "1"}, {&infinite, "x"}}, 5)
	for o, want := range map[*dataset.Options]string{
		{Name: "f"}:                                     `f: row 2, column "a": the number is not finite`,
		{Name: "f", Table: true, Target: "c"}:           `f: no column is called "c"`,
		{Name: "f", Target: "1"}:                        `f: row 1, column "b": "1" is not a number`,
		{Name: "f", Ignore: []string{"a"}, Target: "a"}: `column "a" is the target`,
		{Name: "f", Schema: &dataset.Schema{Columns: []dataset.Column{{Name: "z"}}}, Task: dataset.NoTarget}: `there was no column "a" in training`,
	} {
		if _, err := dataset.Read(bytes.NewReader(data), *o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	data = writeParquet(t, []row{{&one, "1"}, {nil, "2"}}, 5)
	if _, err := dataset.Read(bytes.NewReader(data), dataset.Options{Table: true, Target: "a", Ignore: []string{"b"}}); err == nil || !strings.Contains(err.Error(), `row 2, column "a": the target is missing`) {
		t.Error(err)
	}
	var limit *gram.MemoryError
	for _, data := range [][]byte{writeParquet(t, fruitsOf(5000), 5000), writeArrow(t, fruitsOf(5000), 5000, true)} {
		if _, err := dataset.Read(bytes.NewReader(data), dataset.Options{Table: true, MemoryLimit: 1 << 10}); !errors.As(err, &limit) {
			t.Error(err)
		}
	}
}

// What is damaged, cut or forged gives an error that is a *ParseError, whatever the libraries
// do, or another table.
func TestColumnarDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, data := range [][]byte{
		writeParquet(t, fruitsOf(60), 25, parquet.Compression(&parquet.Snappy)), writeParquet(t, fruitsOf(60), 25, parquet.DataPageVersion(1)),
		writeArrow(t, fruitsOf(60), 25, true), writeArrow(t, fruitsOf(60), 25, false, ipc.WithZstd()),
	} {
		isFile := data[0] != 0xff
		for _, cut := range []int{0, 1, 8, 12, 100, len(data) / 2, len(data) - 1} {
			if _, err := dataset.Read(bytes.NewReader(data[:cut]), dataset.Options{Table: true, Name: "f"}); isFile && err == nil {
				t.Errorf("%.6q…: %d of %d bytes are read", data, cut, len(data))
			}
			readDamaged(t, data[:cut])
		}
		for range 300 {
			bad := slices.Clone(data)
			for range 1 + r.IntN(3) {
				bad[r.IntN(len(bad))] = byte(r.Uint32())
			}
			readDamaged(t, bad)
		}
	}
	// A list of 2³¹−1 groups of rows in 14 bytes.
	forged := append([]byte("PAR1"), 0x49, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0, 6+1, 0, 0, 0)
	if _, err := dataset.Read(bytes.NewReader(append(forged, "PAR1"...)), dataset.Options{}); err == nil || !strings.Contains(err.Error(), "footer cannot be read") {
		t.Error(err)
	}
}

// damagedLimit is the memory limit for files that are damaged.
const damagedLimit = 1 << 24

func readDamaged(t *testing.T, data []byte) {
	t.Helper()
	s, err := dataset.Read(bytes.NewReader(data), dataset.Options{Table: true, MemoryLimit: damagedLimit})
	var place *dataset.ParseError
	var limit *gram.MemoryError
	if err != nil && !errors.As(err, &place) && !errors.As(err, &limit) {
		t.Errorf("%T %v", err, err)
	}
	for _, word := range []string{"runtime error", "strconv", "arrow/", "unexpected EOF"} { // of a program, not of a file
		if err != nil && strings.Contains(err.Error(), word) {
			t.Error(err)
		}
	}
	if err == nil {
		if _, d := s.Dims(); s.Schema == nil || len(s.Schema.Columns) != d {
			t.Errorf("%v with the schema %v", s, s.Schema)
		}
	}
}

func FuzzColumnar(f *testing.F) {
	f.Add(writeParquet(f, fruitsOf(9), 5))
	f.Add(writeParquet(f, fruitsOf(9), 5, parquet.DataPageVersion(1), parquet.Compression(&parquet.Gzip)))
	f.Add(writeArrow(f, fruitsOf(9), 9, true))
	f.Add(writeArrow(f, fruitsOf(9), 9, false, ipc.WithLZ4()))
	for _, path := range foreignFiles(f) {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(readDamaged)
}

// Files of other writers: parquet-mr, Impala, Spark, Arrow in C++ and in Rust. They come with
// the library.
func TestParquetOfOthers(t *testing.T) {
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/parquet-go/parquet-go").Output()
	dir := filepath.Join(strings.TrimSpace(string(out)), "testdata")
	if _, exists := os.Stat(dir); err != nil || exists != nil {
		t.Skip("the library's sources are not here: ", err)
	}
	for _, f := range []struct {
		name     string
		o        dataset.Options
		n, d     int
		cell     float64 // of the last row, last column
		refusals string
	}{
		{"alltypes_plain.parquet", dataset.Options{Ignore: []string{"timestamp_col", "date_string_col"}, Target: "id", Task: dataset.Regression}, 8, 8, 1, ""},
		{"alltypes_plain.parquet", dataset.Options{Ignore: []string{"date_string_col"}, Target: "id", Task: dataset.Regression}, 8, 9, 14245 + 1.0/1440, ""},
		{"alltypes_plain.parquet", dataset.Options{}, 0, 0, 0, `column "date_string_col" holds dates or times such as "03/01/09": write dates as 2024-01-31`},
		{"alltypes_dictionary.parquet", dataset.Options{Ignore: []string{"timestamp_col", "date_string_col"}, Target: "id", Task: dataset.Regression}, 2, 8, 1, ""},
		{"int32_decimal.parquet", dataset.Options{Task: dataset.NoTarget}, 24, 1, 24, ""},
		{"int64_decimal.parquet", dataset.Options{Task: dataset.NoTarget}, 24, 1, 24, ""},
		{"fixed_length_decimal.parquet", dataset.Options{Task: dataset.NoTarget}, 24, 1, 24, ""},
		{"byte_array_decimal.parquet", dataset.Options{Task: dataset.NoTarget}, 24, 1, 24, ""},
		{"datapage_v2.snappy.parquet", dataset.Options{Ignore: []string{"e"}, Target: "d", Task: dataset.Classes}, 5, 3, 2, ""},
		{"nested_lists.snappy.parquet", dataset.Options{Task: dataset.NoTarget}, 0, 0, 0, `column "a" is nested`},
		{"nested_structs.rust.parquet", dataset.Options{Task: dataset.NoTarget}, 0, 0, 0, `is nested`},
		{"repeated_no_annotation.parquet", dataset.Options{Task: dataset.NoTarget}, 0, 0, 0, `column "phoneNumbers" is nested`},
		{"delta_binary_packed.parquet", dataset.Options{Task: dataset.NoTarget, Ignore: []string{"bitwidth0"}}, 200, 65, 0, "above 2^53"},
		{"malformed/negative_page_size.parquet", dataset.Options{Task: dataset.NoTarget}, 0, 0, 0, "damaged"},
		{"malformed/num_values_exceeds_data.parquet", dataset.Options{Task: dataset.NoTarget}, 0, 0, 0, "damaged"},
	} {
		f.o.Table = true
		s, err := dataset.Open(filepath.Join(dir, f.name), f.o)
		if f.refusals != "" {
			if err == nil || !strings.Contains(err.Error(), f.refusals) {
				t.Errorf("%s: %v, want %s", f.name, err, f.refusals)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		n, d := s.Dims()
		if n != f.n || d != f.d || s.X.At(n-1, d-1) != f.cell {
			t.Errorf("%s: %d×%d, %v", f.name, n, d, mat.Formatted(s.X))
		}
	}
}

// sameCells compares matrices in which NaN is a missing cell.
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
