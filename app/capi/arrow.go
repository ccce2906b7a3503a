//go:build cgo && parquet

package main

import (
	"sync"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	arrays "github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/cdata"
	"github.com/gramworks/gram/app/columnar"
	"github.com/gramworks/gram/dataset"
)

// arrowTable holds the record batches of a stream.
type arrowTable struct {
	schema  *arrow.Schema
	batches []arrow.RecordBatch
	n       int
	reading sync.RWMutex // while it is read; free waits for that
}

// importArrow reads the stream to its end and releases it.
func importArrow(stream unsafe.Pointer) (arrowRows, int, error) {
	imported, err := cdata.ImportCRecordReader((*cdata.CArrowArrayStream)(stream), nil)
	if err != nil {
		return nil, 0, invalid("the stream of Arrow: %v", err)
	}
	r := imported.(arrays.RecordReader)
	defer r.Release()
	t := &arrowTable{schema: r.Schema()}
	for r.Next() {
		batch := r.RecordBatch()
		batch.Retain()
		t.batches, t.n = append(t.batches, batch), t.n+int(batch.NumRows())
	}
	if err := r.Err(); err != nil {
		t.free()
		return nil, 0, invalid("the stream of Arrow, after row %d: %v", t.n, err)
	}
	return t, t.n, nil
}

// rows gives the rows from the first one on. It must be told when they are not read any more.
func (t *arrowTable) rows() source {
	t.reading.RLock()
	return source{n: t.n, end: t.reading.RUnlock, open: func() (dataset.Table, error) {
		r, err := arrays.NewRecordReader(t.schema, t.batches)
		if err != nil {
			return nil, invalid("%v", err)
		}
		return columnar.Records(r), nil
	}}
}

// free gives the memory of the batches back.
func (t *arrowTable) free() {
	t.reading.Lock()
	defer t.reading.Unlock()
	for _, batch := range t.batches {
		batch.Release()
	}
	t.batches, t.n = nil, 0
}
