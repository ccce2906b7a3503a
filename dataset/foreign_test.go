//go:build parquet

package dataset

import (
	"bytes"
	"encoding/binary"
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

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// foreignFiles returns the paths of the files of other writers.
func foreignFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/columnar/*.*[tr]")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	return files
}

// Files of other writers hold the table that their note describes, whatever their pages, encodings
// and codecs are: testdata/columnar/README.md.
func TestColumnarForeign(t *testing.T) {
	want := &Schema{Target: "price", Columns: []Column{
		{Name: "ripe", Kind: Category, Levels: []string{"false", "true"}},
		{Name: "sold", Kind: Category, Levels: []string{"false", "true"}, Missing: true},
		{Name: "weight", Missing: true},
		{Name: "color", Kind: Category, Levels: []string{"deep blue", "green", "red"}},
		{Name: "count"},
	}}
	truth := map[bool]float64{true: 1}
	for _, path := range foreignFiles(t) {
		o := Options{Table: true, Task: Regression}
		s, err := Open(path, o)
		if err != nil {
			t.Error(err)
			continue
		}
		if data, err := os.ReadFile(path); err != nil {
			t.Error(err)
		} else if again, err := Read(io.MultiReader(bytes.NewReader(data)), o); err != nil || !sameCells(again.X, s.X) {
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
		data := forged(t, leaf(format.Double, format.Required), codec, rows, page(len(body), many, format.Plain), body)
		n := allocated(func() {
			if _, err := Read(bytes.NewReader(data), Options{Task: NoTarget, MemoryLimit: damagedLimit}); err == nil {
				t.Error(codec)
			}
		})
		if n > damagedLimit {
			t.Errorf("%v: %d bytes", codec, n)
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
		{leaf(format.Int32, format.Required), format.DeltaBinaryPacked, list(4), "damaged"},
		{leaf(format.Int64, format.Required), format.DeltaBinaryPacked, list(1), "damaged"},
		{leaf(format.ByteArray, format.Required), format.DeltaLengthByteArray, list(4), "damaged"},
		{leaf(format.ByteArray, format.Required), format.DeltaByteArray, slices.Repeat(list(4), 2), "damaged"},
		{leaf(format.ByteArray, format.Required), format.RLEDictionary, append([]byte{32}, append(run, 0, 0, 0, 0)...), "damaged"},
	} {
		data := forged(t, c.column, format.Uncompressed, rows, page(len(c.body), len(c.body), c.encoding), c.body)
		var err error
		n := allocated(func() {
			_, err = Read(bytes.NewReader(data), Options{Table: true, Task: NoTarget, MemoryLimit: damagedLimit})
		})
		if n > damagedLimit || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %d bytes, %v", c.encoding, n, err)
		}
	}
}
