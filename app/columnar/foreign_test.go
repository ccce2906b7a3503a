package columnar

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// foreignFiles returns the paths of the files of other writers.
func foreignFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.*[tr]")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	return files
}

// Files of other writers hold the table that their note describes, whatever their pages, encodings
// and codecs are: testdata/README.md.
func TestColumnarForeign(t *testing.T) {
	want := &dataset.Schema{Target: "price", Columns: []dataset.Column{
		{Name: "ripe", Kind: dataset.Category, Levels: []string{"false", "true"}},
		{Name: "sold", Kind: dataset.Category, Levels: []string{"false", "true"}, Missing: true},
		{Name: "weight", Missing: true},
		{Name: "color", Kind: dataset.Category, Levels: []string{"deep blue", "green", "red"}},
		{Name: "count"},
	}}
	truth := map[bool]float64{true: 1}
	for _, path := range foreignFiles(t) {
		o := dataset.Options{Table: true, Task: dataset.Regression}
		s, err := dataset.Open(path, o)
		if err != nil {
			t.Error(err)
			continue
		}
		if data, err := os.ReadFile(path); err != nil {
			t.Error(err)
		} else if again, err := dataset.Read(io.MultiReader(bytes.NewReader(data)), o); err != nil || !sameCells(again.X, s.X) {
			t.Errorf("%s: read once, as a stream: %v", path, err)
		}
		if n, _ := s.Dims(); n != 60 || !reflect.DeepEqual(s.Schema, want) {
			t.Errorf("%s: %d rows, %+v", path, n, s.Schema)
			continue
		}
		for i := range 60 {
			row := []float64{truth[i%20 < 12], truth[i >= 30 || i%2 == 0], float64(i) / 4, float64(2 - i%3), float64(i * i)}
			if i%7 == 3 {
				row[1] = math.NaN()
			}
			if i%5 == 2 {
				row[2] = math.NaN()
			}
			for j, v := range row {
				if got := s.X.At(i, j); got != v && !(got != got && v != v) {
					t.Errorf("%s: row %d, column %s: %v, want %v", path, i, want.Columns[j].Name, got, v)
				}
			}
			if s.Value[i] != float64(i)+.5 {
				t.Errorf("%s: row %d: the target is %v", path, i, s.Value[i])
			}
		}
	}
}

// allocated returns the memory that f takes in all.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// Damaged pages of every codec and encoding take no more memory than the limit allows.
func TestColumnarForeignDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, path := range foreignFiles(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			bad := slices.Clone(data)
			for range 1 + r.IntN(3) {
				bad[r.IntN(len(bad))] = byte(r.Uint32())
			}
			if n := allocated(func() { readDamaged(t, bad) }); n > 4*damagedLimit {
				t.Errorf("%s: %d bytes", path, n)
			}
		}
	}
}

// forged returns a file of a column of so many rows whose pages are the given ones.
func forged(t *testing.T, column format.SchemaElement, codec format.CompressionCodec, rows int64, pages ...any) []byte {
	t.Helper()
	encode := func(v any) []byte {
		b, err := thrift.Marshal(&thrift.CompactProtocol{}, v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	b := []byte("PAR1")
	for _, p := range pages {
		if body, is := p.([]byte); is {
			b = append(b, body...)
		} else {
			b = append(b, encode(p)...)
		}
	}
	column.Name = "a"
	footer := encode(&format.FileMetaData{
		Schema:  []format.SchemaElement{{Name: "root", NumChildren: thrift.New[int32](1)}, column},
		NumRows: rows,
		RowGroups: []format.RowGroup{{NumRows: rows, Columns: []format.ColumnChunk{{MetaData: format.ColumnMetaData{
			Type: column.Type.V, Codec: codec, NumValues: rows, DataPageOffset: 4, TotalCompressedSize: int64(len(b) - 4),
		}}}}},
	})
	return append(binary.LittleEndian.AppendUint32(append(b, footer...), uint32(len(footer))), "PAR1"...)
}

// Counts and sizes that a file only claims take no memory.
func TestColumnarForged(t *testing.T) {
	const many, rows = math.MaxInt32, 1 << 12
	run := binary.AppendUvarint(nil, many<<1)
	prefixed := func(b ...byte) []byte { return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...) }
	page := func(packed, size int, encoding format.Encoding) *format.PageHeader {
		return &format.PageHeader{Type: format.DataPage, CompressedPageSize: int32(packed), UncompressedPageSize: int32(size), DataPageHeader: thrift.New(format.DataPageHeader{
			NumValues: rows, Encoding: encoding, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
		})}
	}
	leaf := func(kind format.Type, repetition format.FieldRepetitionType) format.SchemaElement {
		return format.SchemaElement{Type: thrift.New(kind), RepetitionType: thrift.New(repetition)}
	}
	for _, codec := range []format.CompressionCodec{format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd, format.Lz4Raw, format.LZO, format.Lz4, 99} {
		body := []byte{0xff, 0xff, 0xff, 0xff, 0x07, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
		for _, size := range []int{many, 100} {
			data := forged(t, leaf(format.Double, format.Required), codec, rows, page(len(body), size, format.Plain), body)
			for _, limit := range []int64{damagedLimit, 0} {
				if codec == format.Brotli && limit == 0 {
					continue // 20 bytes can become 64 MiB
				}
				n := allocated(func() {
					if _, err := dataset.Read(bytes.NewReader(data), dataset.Options{Task: dataset.NoTarget, MemoryLimit: limit}); err == nil {
						t.Error(codec)
					}
				})
				if n > damagedLimit {
					t.Errorf("%v: %d bytes with the limit %d", codec, n, limit)
				}
			}
		}
	}
	// Ten zeros in all, or fewer, of which each list claims many: the first ones are there.
	list := func(parts byte) []byte {
		return append(binary.AppendUvarint([]byte{128, 1, parts}, many), make([]byte, 10)...)
	}
	for _, c := range []struct {
		column   format.SchemaElement
		encoding format.Encoding
		body     []byte
		want     string // "": the rows are read
	}{
		{leaf(format.Boolean, format.Required), format.RLE, prefixed(append(run, 1)...), ""},
		{leaf(format.Double, format.Optional), format.Plain, prefixed(append(run, 0)...), ""},
		{leaf(format.Double, format.Optional), format.Plain, prefixed(append(run, 1)...), "a page ends too early"}, // no cell is missing, and there are no values
		{leaf(format.Int32, format.Required), format.DeltaBinaryPacked, list(4), "damaged"},
		{leaf(format.Int64, format.Required), format.DeltaBinaryPacked, list(1), "damaged"},
		{leaf(format.ByteArray, format.Required), format.DeltaLengthByteArray, list(4), "damaged"},
		{leaf(format.ByteArray, format.Required), format.DeltaByteArray, slices.Repeat(list(4), 2), "damaged"},
		{leaf(format.ByteArray, format.Required), format.RLEDictionary, append([]byte{32}, append(run, 0, 0, 0, 0)...), "damaged"},
	} {
		data := forged(t, c.column, format.Uncompressed, rows, page(len(c.body), len(c.body), c.encoding), c.body)
		var err error
		n := allocated(func() {
			_, err = dataset.Read(bytes.NewReader(data), dataset.Options{Table: true, Task: dataset.NoTarget, MemoryLimit: damagedLimit})
		})
		if n > damagedLimit || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %d bytes, %v", c.encoding, n, err)
		}
	}
}

// A file says how many rows it has. No number of them goes on for ever, or beyond the cells that there are.
func TestColumnarForgedRows(t *testing.T) {
	body := binary.LittleEndian.AppendUint32(nil, 6)
	body = append(binary.AppendUvarint(body, math.MaxInt32<<1), 0) // a run of missing cells
	page := &format.PageHeader{Type: format.DataPage, CompressedPageSize: int32(len(body)), UncompressedPageSize: int32(len(body)), DataPageHeader: thrift.New(format.DataPageHeader{
		NumValues: math.MaxInt32, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
	})}
	column := format.SchemaElement{Type: thrift.New(format.Double), RepetitionType: thrift.New(format.Optional)}
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.Null, Nullable: true}}, nil)
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(schema))
	nulls := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	for range 999 {
		nulls.Field(0).AppendNull()
	}
	if err := errors.Join(w.Write(nulls.NewRecordBatch()), w.Close()); err != nil {
		t.Fatal(err)
	}
	number := func(n int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(n)) }
	for _, n := range []int64{-1, -999, math.MinInt64, math.MaxInt64} {
		for name, data := range map[string][]byte{
			"parquet": forged(t, column, format.Uncompressed, n, page, body), "arrow": bytes.ReplaceAll(b.Bytes(), number(999), number(n)),
		} {
			for _, ignore := range [][]string{nil, {"a"}} {
				_, err := dataset.Read(bytes.NewReader(data), dataset.Options{Table: true, Task: dataset.NoTarget, Ignore: ignore, MemoryLimit: damagedLimit})
				var place *dataset.ParseError
				var limit *gram.MemoryError
				if !errors.As(err, &place) && !errors.As(err, &limit) {
					t.Errorf("%s: %d rows, without %v: %v", name, n, ignore, err)
				}
			}
		}
	}
}

// What a footer or a buffer is said to become takes no memory beyond the limit, or beyond what its
// bytes can become.
func TestColumnarForgedSizes(t *testing.T) {
	column := format.SchemaElement{Name: "a", Type: thrift.New(format.Boolean)}
	footer, err := thrift.Marshal(&thrift.CompactProtocol{}, format.FileMetaData{
		Schema:    []format.SchemaElement{{Name: "root", NumChildren: thrift.New[int32](1)}, column},
		RowGroups: []format.RowGroup{{Columns: []format.ColumnChunk{{MetaData: format.ColumnMetaData{PathInSchema: make([]string, 1<<20)}}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	data := append([]byte("PAR1"), footer...)
	data = append(binary.LittleEndian.AppendUint32(data, uint32(len(footer))), "PAR1"...)
	var limit *gram.MemoryError
	n := allocated(func() {
		_, err = dataset.Read(bytes.NewReader(data), dataset.Options{Table: true, MemoryLimit: damagedLimit})
	})
	if !errors.As(err, &limit) || n > damagedLimit {
		t.Errorf("%d texts in a footer: %d bytes, %v", 1<<20, n, err)
	}
	for _, codec := range []ipc.Option{ipc.WithZstd(), ipc.WithLZ4()} {
		data := writeArrow(t, fruitsOf(1000), 1000, false, codec)
		long := binary.LittleEndian.AppendUint64(nil, 8000) // of the column tree
		if bytes.Count(data, long) != 2 {
			t.Fatalf("%d buffers of 8000 bytes", bytes.Count(data, long))
		}
		for _, size := range []uint64{1 << 30, 1 << 62, 1<<64 - 8000} {
			bad := bytes.ReplaceAll(data, long, binary.LittleEndian.AppendUint64(nil, size))
			var place *dataset.ParseError
			n := allocated(func() { _, err = dataset.Read(bytes.NewReader(bad), dataset.Options{Table: true}) })
			if !errors.As(err, &place) || n > damagedLimit {
				t.Errorf("a buffer of %d bytes: %d bytes, %v", size, n, err)
			}
		}
	}
}
