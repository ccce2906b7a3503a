package columnar

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/gramworks/gram/dataset"
)

// Record batches in memory are read as their file is, and what a column holds that cannot be read is said.
func TestRecords(t *testing.T) {
	file := writeArrow(t, fruitsOf(60), 25, false)
	path := filepath.Join(t.TempDir(), "fruits.arrow")
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	o := dataset.Options{Table: true, Target: "price", Task: dataset.Regression}
	want, err := dataset.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	batches := func() (dataset.Table, error) {
		r, err := ipc.NewReader(bytes.NewReader(file))
		if err != nil {
			return nil, err
		}
		return Records(r), nil
	}
	got, err := dataset.ReadTable(batches, o)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Schema, want.Schema) || !reflect.DeepEqual(got.Value, want.Value) {
		t.Errorf("the schema and the target are %v and %v, want %v and %v", got.Schema, got.Value, want.Schema, want.Value)
	}
	if !sameCells(got.X, want.X) {
		t.Error("the cells are not those of the file")
	}

	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "y", Type: arrow.PrimitiveTypes.Float64}, {Name: "wait", Type: arrow.FixedWidthTypes.Duration_s}}, nil))
	b.Field(0).(*array.Float64Builder).Append(1)
	b.Field(1).(*array.DurationBuilder).Append(7)
	_, err = dataset.ReadTable(func() (dataset.Table, error) {
		r, err := array.NewRecordReader(b.Schema(), []arrow.RecordBatch{b.NewRecordBatch()})
		return Records(r), err
	}, dataset.Options{Table: true, Target: "y"})
	if err == nil || !strings.Contains(err.Error(), "wait") || !strings.Contains(err.Error(), "durations") {
		t.Errorf("a column of durations: %v", err)
	}
}
