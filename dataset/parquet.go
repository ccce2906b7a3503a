//go:build parquet

package dataset

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// parquetCells reads a Parquet file, a page of each column at a time.
type parquetCells struct {
	columnarRows
	file   *parquet.File
	leaf   []parquetLeaf // of the fields
	groups []parquet.RowGroup
	left   int64 // rows of the group at hand
	values []parquet.Value
}

// parquetLeaf reads the column of a field.
type parquetLeaf struct {
	number int // among the leaves of the file
	cell   func(f *field, v parquet.Value) tableCell
	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader // of the page; nil: there is none
}

func newParquet(in *input, o Options) (cells, error) {
	c := &parquetCells{columnarRows: columnarRows{in: in, limit: o.MemoryLimit}, values: make([]parquet.Value, 1024)}
	c.fill = c.read
	data, size, err := c.random()
	if err != nil {
		return nil, err
	}
	if err := c.checkFooter(data, size); err != nil {
		return nil, err
	}
	err = c.guarded(func() error {
		c.file, err = parquet.OpenFile(data, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		if err != nil {
			return c.damaged(err)
		}
		c.groups = c.file.RowGroups()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return c, c.describe()
}

// random returns the file, which is read into memory if it cannot be read at any place.
func (c *parquetCells) random() (io.ReaderAt, int64, error) {
	if f := c.in.file; f != nil {
		at, err := f.Seek(0, io.SeekCurrent)
		if err == nil {
			size, err := f.Seek(0, io.SeekEnd)
			if err == nil {
				_, err = f.Seek(at, io.SeekStart)
			}
			return f, size, err
		}
	}
	r := io.Reader(c.in.r)
	if c.limit > 0 {
		r = io.LimitReader(r, c.limit+1)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, 0, c.in.wrap(err, 0)
	}
	return bytes.NewReader(data), int64(len(data)), c.check(int64(len(data)))
}

// checkFooter checks what the library believes: that the footer is as long as the file says, and
// that no list in it has more elements than it has bytes.
func (c *parquetCells) checkFooter(data io.ReaderAt, size int64) error {
	var end [8]byte
	if size < 12 {
		return c.in.fail(0, 0, "the file ends too early")
	}
	if _, err := data.ReadAt(end[:], size-8); err != nil && err != io.EOF {
		return c.in.wrap(err, 0)
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	switch mark := string(end[4:]); {
	case mark == "PARE":
		return c.in.fail(0, 0, "the file is encrypted")
	case mark != "PAR1":
		return c.in.fail(0, 0, "the file ends too early: a Parquet file ends with PAR1")
	case length > size-12:
		return c.in.fail(0, 0, "the file is damaged: its footer is longer than the file")
	}
	if err := c.check(length); err != nil {
		return err
	}
	footer := make([]byte, length)
	if _, err := data.ReadAt(footer, size-8-length); err != nil && err != io.EOF {
		return c.in.wrap(err, 0)
	}
	if t := (thrift{footer}); !t.skip(thriftStruct, 0) {
		return c.in.fail(0, 0, "the file is damaged: its footer cannot be read")
	}
	return nil
}

// describe finds the fields: the columns at the top of the schema.
func (c *parquetCells) describe() error {
	schema := c.file.Metadata().Schema
	if len(schema) == 0 {
		return c.in.fail(0, 0, "the file has no schema")
	}
	var fields []field
	leaves := 0
	for at := 1; at < len(schema); {
		e := &schema[at]
		f, leaf := parquetField(e)
		leaf.number = leaves
		for open := 1; open > 0 && at < len(schema); at++ { // the element and what is below it
			if k := schema[at].NumChildren; k.Valid && k.V > 0 {
				open += int(min(k.V, 1<<30))
			} else {
				leaves++
			}
			open--
		}
		if leaf.cell == nil {
			f.reason = cmp.Or(f.reason, noNested)
		}
		fields = append(fields, f)
		c.leaf = append(c.leaf, leaf)
	}
	for at, k := range c.begin(fields) {
		c.leaf[at] = c.leaf[k]
	}
	c.leaf = c.leaf[:len(c.fields)]
	return nil
}

// parquetField says how the cells of a column are read.
func parquetField(e *format.SchemaElement) (field, parquetLeaf) {
	f := field{name: e.Name}
	var cell func(*field, parquet.Value) tableCell
	refuse := func(reason string) { f.reason = reason }
	converted := deprecated.ConvertedType(-1)
	if e.ConvertedType.Valid {
		converted = e.ConvertedType.V
	}
	if e.NumChildren.Valid && e.NumChildren.V > 0 || !e.Type.Valid || e.RepetitionType.V == format.Repeated {
		return f, parquetLeaf{}
	}
	scale := e.Scale.V
	decimal, unsigned := converted == deprecated.Decimal, converted >= deprecated.Uint8 && converted <= deprecated.Uint64
	half := false
	switch t := e.LogicalType.Value.(type) {
	case *format.DecimalType:
		decimal, scale = true, t.Scale
	case *format.IntType:
		unsigned = !t.IsSigned
	case *format.Float16Type:
		half = true
	case *format.EnumType:
		f.category = true
	case *format.DateType, *format.TimeType, *format.TimestampType:
		refuse(noDates)
	case *format.UUIDType:
		refuse(fmt.Sprintf(noBytes, "UUIDs"))
	case *format.JsonType, *format.BsonType, *format.VariantType:
		refuse(noNested)
	case *format.GeometryType, *format.GeographyType:
		refuse(fmt.Sprintf(noBytes, "shapes"))
	}
	switch {
	case converted == deprecated.Enum:
		f.category = true
	case converted >= deprecated.Date && converted <= deprecated.TimestampMicros, e.Type.V == format.Int96:
		refuse(noDates)
	case converted == deprecated.Interval:
		refuse(noDates)
	case converted == deprecated.Json, converted == deprecated.Bson:
		refuse(noNested)
	}
	switch kind := e.Type.V; {
	case f.reason != "":
		cell = func(*field, parquet.Value) tableCell { return tableCell{kind: absentCell} }
	case kind == format.Boolean:
		cell = func(f *field, v parquet.Value) tableCell { return f.boolCell(v.Boolean()) }
	case decimal:
		cell = func(_ *field, v parquet.Value) tableCell { return decimalCell(unscaled(v), scale) }
	case kind == format.Int32 && unsigned:
		cell = func(_ *field, v parquet.Value) tableCell { return uintCell(uint64(v.Uint32())) }
	case kind == format.Int32:
		cell = func(_ *field, v parquet.Value) tableCell { return intCell(int64(v.Int32())) }
	case kind == format.Int64 && unsigned:
		cell = func(_ *field, v parquet.Value) tableCell { return uintCell(v.Uint64()) }
	case kind == format.Int64:
		cell = func(_ *field, v parquet.Value) tableCell { return intCell(v.Int64()) }
	case kind == format.Float:
		cell = func(_ *field, v parquet.Value) tableCell { return floatCell(float64(v.Float())) }
	case kind == format.Double:
		cell = func(_ *field, v parquet.Value) tableCell { return floatCell(v.Double()) }
	case kind == format.FixedLenByteArray && half && e.TypeLength.V == 2:
		cell = func(_ *field, v parquet.Value) tableCell {
			return floatCell(float64(float16.FromBits(binary.LittleEndian.Uint16(v.ByteArray())).Float32()))
		}
	case kind == format.ByteArray:
		cell = func(f *field, v parquet.Value) tableCell { return f.textCell(string(v.ByteArray())) }
	default:
		refuse(fmt.Sprintf(noBytes, "bytes"))
	}
	return f, parquetLeaf{cell: cell}
}

// unscaled is the integer of a decimal number.
func unscaled(v parquet.Value) *big.Int {
	switch v.Kind() {
	case parquet.Int32:
		return big.NewInt(int64(v.Int32()))
	case parquet.Int64:
		return big.NewInt(v.Int64())
	}
	b := v.ByteArray() // two's complement, the most significant byte first
	x := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return x
}

// read reads the next rows of the group at hand.
func (c *parquetCells) read() (int, error) {
	for c.left == 0 {
		c.shut()
		if len(c.groups) == 0 {
			return 0, io.EOF
		}
		group := c.groups[0]
		c.groups, c.left = c.groups[1:], group.NumRows()
		chunks := group.ColumnChunks()
		for k := range c.fields {
			if !c.fields[k].used {
				continue
			}
			if c.leaf[k].number >= len(chunks) || chunks[c.leaf[k].number].NumValues() != c.left {
				return 0, c.damaged(fmt.Sprintf("column %q does not have a cell for each row", c.fields[k].name))
			}
			c.leaf[k].pages = chunks[c.leaf[k].number].Pages()
		}
	}
	n := int(min(c.left, int64(len(c.values))))
	for k := range c.fields {
		if c.fields[k].used {
			n = min(n, len(c.fields[k].cells))
		}
	}
	for k := range c.fields {
		if f := &c.fields[k]; f.used {
			if err := c.column(f, &c.leaf[k], n); err != nil {
				return 0, err
			}
		}
	}
	c.left -= int64(n)
	return n, nil
}

// column reads n cells of a field.
func (c *parquetCells) column(f *field, l *parquetLeaf, n int) error {
	for got, idle := 0, 0; got < n; {
		if l.values == nil {
			page, err := l.pages.ReadPage()
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			if err != nil {
				return c.damaged(fmt.Sprintf("column %q: %v", f.name, err))
			}
			l.page, l.values = page, page.Values()
			held := int64(0)
			for _, other := range c.leaf {
				if other.page != nil {
					held += other.page.Size()
				}
			}
			if err := c.check(held); err != nil {
				return err
			}
		}
		k, err := l.values.ReadValues(c.values[:n-got])
		for _, v := range c.values[:k] {
			f.cells[got] = tableCell{kind: absentCell}
			if !v.IsNull() {
				f.cells[got] = l.cell(f, v)
			}
			got++
		}
		if idle++; k > 0 {
			idle = 0
		}
		switch {
		case err == io.EOF:
			l.drop()
		case err != nil:
			return c.damaged(fmt.Sprintf("column %q: %v", f.name, err))
		}
		if idle > 1<<16 {
			return c.damaged(fmt.Sprintf("column %q has empty pages alone", f.name))
		}
	}
	return nil
}

// drop gives the page back.
func (l *parquetLeaf) drop() {
	parquet.Release(l.page)
	l.page, l.values = nil, nil
}

// shut ends the group at hand.
func (c *parquetCells) shut() {
	for k := range c.leaf {
		l := &c.leaf[k]
		if l.page != nil {
			l.drop()
		}
		if l.pages != nil {
			_ = l.pages.Close()
			l.pages = nil
		}
	}
}

func (c *parquetCells) close() error {
	return c.guarded(func() error { c.shut(); return nil })
}

// thrift is a text in the compact protocol of Apache Thrift, which Parquet's footer is written
// in.
type thrift struct{ b []byte }

// Types of the protocol that hold others.
const (
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// skip passes by a value and reports whether it is there. The values of a list that its bytes
// cannot hold are not.
func (t *thrift) skip(kind byte, depth int) bool {
	if depth > 64 {
		return false
	}
	switch kind {
	case 1, 2, 3: // of a list; as fields, booleans have no byte
		return t.pass(1)
	case 4, 5, 6:
		_, ok := t.varint()
		return ok
	case 7:
		return t.pass(8)
	case 8:
		n, ok := t.varint()
		return ok && t.pass(n)
	case 13:
		return t.pass(16)
	case thriftList, thriftSet:
		head, ok := t.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n, ok = t.varint()
		}
		return ok && t.many(n, depth, head&15)
	case thriftMap:
		n, ok := t.varint()
		if !ok || n == 0 {
			return ok
		}
		kinds, ok := t.byte()
		return ok && t.many(n, depth, kinds>>4, kinds&15)
	case thriftStruct:
		for {
			head, ok := t.byte()
			if !ok || head == 0 {
				return ok
			}
			if head>>4 == 0 {
				if _, ok = t.varint(); !ok {
					return false
				}
			}
			if kind := head & 15; kind > 2 && !t.skip(kind, depth+1) {
				return false
			}
		}
	}
	return false
}

// many passes by n values, or pairs of values.
func (t *thrift) many(n uint64, depth int, kinds ...byte) bool {
	if n > uint64(len(t.b)) {
		return false
	}
	for range n {
		for _, kind := range kinds {
			if !t.skip(kind, depth+1) {
				return false
			}
		}
	}
	return true
}

func (t *thrift) byte() (byte, bool) {
	if len(t.b) == 0 {
		return 0, false
	}
	v := t.b[0]
	t.b = t.b[1:]
	return v, true
}

func (t *thrift) pass(n uint64) bool {
	if n > uint64(len(t.b)) {
		return false
	}
	t.b = t.b[n:]
	return true
}

func (t *thrift) varint() (uint64, bool) {
	v, n := binary.Uvarint(t.b)
	if n <= 0 {
		return 0, false
	}
	t.b = t.b[n:]
	return v, true
}
