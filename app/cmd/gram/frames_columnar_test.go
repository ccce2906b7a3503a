//go:build parquet

package main

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	allocator "github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/parquet-go/parquet-go"
)

// columnar returns files of the frame in Arrow and in Parquet, and true: such files are read.
func (f frame) columnar(t *testing.T, name string) (files map[string]string, read bool) {
	t.Helper()
	files = map[string]string{name + "-go.arrows": f.arrow(t, false), name + "-go-dictionary.arrows": f.arrow(t, true)}
	if name == "orders" {
		files[name+"-go.parquet"] = orders(t, f)
	}
	return files, true
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
