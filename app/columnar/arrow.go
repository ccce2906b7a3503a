package columnar

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/big"
	"time"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
)

var (
	arrowMagic   = []byte("ARROW1")
	featherMagic = []byte("FEA1") // version 1, which is not read
)

// arrowCells reads a file or a stream of Arrow, a record batch at a time. A file is read as the
// stream that it contains, so that it may be compressed with gzip; its footer is read first only
// where the stream lacks the schema, as that of Arrow's JavaScript library does.
type arrowCells struct {
	blocks
	reader   array.RecordReader
	isFile   bool
	places   []int                      // the columns of the fields in a batch
	cell     []func(i int) dataset.Cell // of the batch at hand, by field
	from, to int                        // the rows of the batch that are left
}

// openArrow opens a file or a stream of Arrow as a table and reads its schema. It refuses Feather of version 1.
func openArrow(in *dataset.Input) (dataset.Table, error) {
	c := &arrowCells{blocks: blocks{in: in, fail: in.Errorf}}
	c.fill = c.read
	head, _ := in.Reader.Peek(8)
	switch {
	case bytes.HasPrefix(head, featherMagic):
		return nil, in.Errorf("this is Feather of version 1; write version 2")
	case bytes.HasPrefix(head, arrowMagic):
		c.isFile = true
		if _, err := in.Reader.Discard(8); err != nil {
			return nil, err
		}
	}
	err := c.guarded(func() error {
		alloc := &boundedMemory{limit: in.Memory}
		reader, err := ipc.NewReaderFromMessageReader(&arrowMessages{cells: c, mem: alloc}, ipc.WithAllocator(alloc))
		if err != nil {
			return c.damaged(err)
		}
		c.start(reader)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Records returns the record batches that r gives as a table for dataset.ReadTable, with the same columns as an Arrow file of
// these batches. r.Release is called when the table is closed.
func Records(r array.RecordReader) dataset.Table {
	c := &arrowCells{blocks: blocks{in: &dataset.Input{Memory: math.MaxInt64}, fail: fmt.Errorf}}
	c.fill = c.read
	c.start(r)
	return c
}

// start takes the columns of r as the columns of the table, or notes why a column cannot be one.
func (c *arrowCells) start(r array.RecordReader) {
	var fields []field
	for _, f := range r.Schema().Fields() {
		category, reason := arrowKind(f.Type)
		fields = append(fields, field{name: f.Name, category: category, reason: reason})
	}
	c.reader, c.places = r, c.begin(fields)
	c.cell = make([]func(int) dataset.Cell, len(c.fields))
}

// boundedMemory panics with a *gram.MemoryError before it holds more than limit bytes.
type boundedMemory struct {
	memory.GoAllocator
	limit, used int64
}

// check panics if n bytes more are too many.
func (m *boundedMemory) check(n int64) {
	if n > m.limit-m.used {
		panic(&gram.MemoryError{Need: m.used + min(n, math.MaxInt64-m.used), Limit: m.limit})
	}
}

func (m *boundedMemory) hold(n int) {
	m.check(int64(n))
	m.used += int64(n)
}

// Allocate counts the bytes, and refuses them above the bound.
func (m *boundedMemory) Allocate(size int) []byte {
	m.hold(size)
	return m.GoAllocator.Allocate(size)
}

// Reallocate counts the bytes that are added, and refuses them above the bound.
func (m *boundedMemory) Reallocate(size int, b []byte) []byte {
	m.hold(size - len(b))
	return m.GoAllocator.Reallocate(size, b)
}

// Free frees b and subtracts its bytes from the count.
func (m *boundedMemory) Free(b []byte) {
	m.hold(-len(b))
	m.GoAllocator.Free(b)
}

// arrowKind says what the cells of a type are.
func arrowKind(t arrow.DataType) (category bool, reason string) {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		_, reason = arrowKind(t.ValueType)
		return true, reason
	case *arrow.NullType, *arrow.BooleanType, *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType,
		*arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type,
		*arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type, *arrow.Uint64Type,
		*arrow.Float16Type, *arrow.Float32Type, *arrow.Float64Type,
		*arrow.Decimal32Type, *arrow.Decimal64Type, *arrow.Decimal128Type, *arrow.Decimal256Type,
		*arrow.Date32Type, *arrow.Date64Type, *arrow.TimestampType:
		return false, ""
	case *arrow.Time32Type, *arrow.Time64Type, *arrow.DurationType, *arrow.MonthIntervalType, *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType:
		return false, noDates
	case arrow.NestedType:
		return false, noNested
	}
	return false, fmt.Sprintf(noBytes, "values of the type "+t.String())
}

// bytesIn returns the bytes of a text, which must not be changed.
func bytesIn(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// cellOf returns the function of the cells of a column.
func cellOf(a arrow.Array) func(i int) dataset.Cell {
	absent := dataset.Cell{}
	var of func(i int) dataset.Cell
	switch a := a.(type) {
	case *array.Null:
		return func(int) dataset.Cell { return absent }
	case *array.Boolean:
		of = func(i int) dataset.Cell { return boolCell(a.Value(i)) }
	case *array.String:
		of = func(i int) dataset.Cell { return dataset.TextCell(bytesIn(a.Value(i))) }
	case *array.LargeString:
		of = func(i int) dataset.Cell { return dataset.TextCell(bytesIn(a.Value(i))) }
	case *array.StringView:
		of = func(i int) dataset.Cell { return dataset.TextCell(bytesIn(a.Value(i))) }
	case *array.Int8:
		of = func(i int) dataset.Cell { return intCell(int64(a.Value(i))) }
	case *array.Int16:
		of = func(i int) dataset.Cell { return intCell(int64(a.Value(i))) }
	case *array.Int32:
		of = func(i int) dataset.Cell { return intCell(int64(a.Value(i))) }
	case *array.Int64:
		of = func(i int) dataset.Cell { return intCell(a.Value(i)) }
	case *array.Uint8:
		of = func(i int) dataset.Cell { return uintCell(uint64(a.Value(i))) }
	case *array.Uint16:
		of = func(i int) dataset.Cell { return uintCell(uint64(a.Value(i))) }
	case *array.Uint32:
		of = func(i int) dataset.Cell { return uintCell(uint64(a.Value(i))) }
	case *array.Uint64:
		of = func(i int) dataset.Cell { return uintCell(a.Value(i)) }
	case *array.Float16:
		of = func(i int) dataset.Cell { return dataset.NumberCell(float64(a.Value(i).Float32())) }
	case *array.Float32:
		of = func(i int) dataset.Cell { return dataset.NumberCell(float64(a.Value(i))) }
	case *array.Float64:
		of = func(i int) dataset.Cell { return dataset.NumberCell(a.Value(i)) }
	case *array.Decimal32:
		scale := a.DataType().(*arrow.Decimal32Type).Scale
		of = func(i int) dataset.Cell { return decimalCell(big.NewInt(int64(a.Value(i))), scale) }
	case *array.Decimal64:
		scale := a.DataType().(*arrow.Decimal64Type).Scale
		of = func(i int) dataset.Cell { return decimalCell(big.NewInt(int64(a.Value(i))), scale) }
	case *array.Decimal128:
		scale := a.DataType().(*arrow.Decimal128Type).Scale
		of = func(i int) dataset.Cell { return decimalCell(a.Value(i).BigInt(), scale) }
	case *array.Decimal256:
		scale := a.DataType().(*arrow.Decimal256Type).Scale
		of = func(i int) dataset.Cell { return decimalCell(a.Value(i).BigInt(), scale) }
	case *array.Date32:
		of = func(i int) dataset.Cell { return dayCell(int32(a.Value(i))) }
	case *array.Date64:
		of = func(i int) dataset.Cell { return dateCell(int64(a.Value(i)), 1e3) }
	case *array.Timestamp:
		unit := int64(time.Second / a.DataType().(*arrow.TimestampType).Unit.Multiplier())
		of = func(i int) dataset.Cell { return dateCell(int64(a.Value(i)), unit) }
	case *array.Dictionary:
		of = cellOf(a.Dictionary())
		values := of
		of = func(i int) dataset.Cell { return values(a.GetValueIndex(i)) }
	default:
		panic(fmt.Sprintf("a column of the type %v", a.DataType()))
	}
	return func(i int) dataset.Cell {
		if a.IsNull(i) {
			return absent
		}
		return of(i)
	}
}

// read reads the next rows of the batch at hand.
func (c *arrowCells) read() (int, error) {
	for c.from == c.to {
		if !c.reader.Next() {
			return 0, c.end()
		}
		batch := c.reader.RecordBatch()
		c.from, c.to = 0, int(batch.NumRows())
		if err := c.check(int64(c.to) / 8); err != nil { // only the rows of a column of the type null take no bit
			return 0, err
		}
		for k, at := range c.places {
			if f := &c.fields[k]; f.used {
				column := batch.Column(at)
				if column.Len() != c.to {
					return 0, c.damaged(fmt.Sprintf("column %q does not have a cell for each row", f.name))
				}
				c.cell[k] = cellOf(column)
			}
		}
	}
	n := min(c.to-c.from, blockRows)
	for k := range c.fields {
		if c.fields[k].used {
			n = min(n, len(c.fields[k].cells))
		}
	}
	for k := range c.fields {
		if f := &c.fields[k]; f.used {
			for i := range n {
				f.cells[i] = c.cell[k](c.from + i)
			}
		}
	}
	c.from += n
	return n, nil
}

// end returns io.EOF if the data ended as they should.
func (c *arrowCells) end() error {
	if err := c.reader.Err(); err != nil {
		return c.damaged(err)
	}
	if !c.isFile {
		return io.EOF
	}
	last := make([]byte, 0, 1<<13)
	for { // the footer, which repeats what is known
		n, err := c.in.Reader.Read(last[len(last):cap(last)])
		last = last[:len(last)+n]
		if over := len(last) - len(arrowMagic); over > 0 {
			last = last[:copy(last, last[over:])]
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if !bytes.Equal(last, arrowMagic) {
		return c.in.Errorf("the file ends too early: an Arrow file ends with %s", arrowMagic)
	}
	return io.EOF
}

// Close releases the reader with the batch at hand.
func (c *arrowCells) Close() error {
	return c.guarded(func() error { c.reader.Release(); return nil })
}
