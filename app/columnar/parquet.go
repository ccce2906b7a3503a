package columnar

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"time"

	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/gramworks/gram/dataset"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// parquetCells reads a Parquet file, a page of each column at a time.
type parquetCells struct {
	blocks
	data      io.ReaderAt
	end       int64 // of the pages, where the footer begins
	file      format.FileMetaData
	leaf      []parquetLeaf // of the fields
	groups    []format.RowGroup
	remaining int64 // rows of the group at hand
}

// parquetLeaf is the column of the file that a field is read from, and how its values become cells.
type parquetLeaf struct {
	number   int // among the leaves of the file
	kind     format.Type
	size     int                             // bytes of each value; 0: they differ
	optional bool                            // cells may be missing
	cell     func(value []byte) dataset.Cell // of a value in the encoding PLAIN; nil: the column is not read
	chunk    *parquetChunk                   // of the group at hand
}

// openParquet opens a Parquet file as a table. It reads the footer, but no rows.
func openParquet(in *dataset.Input) (dataset.Table, error) {
	c := &parquetCells{blocks: blocks{in: in, fail: in.Errorf}}
	c.fill = c.read
	data, size, err := in.ReaderAt()
	if err != nil {
		return nil, err
	}
	c.data = data
	err = c.guarded(func() error {
		if err := c.footer(size); err != nil {
			return err
		}
		c.groups = c.file.RowGroups
		return c.describe()
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Groups returns the number of rows and the compressed bytes of each group of rows, in the order of the file.
func (c *parquetCells) Groups() []dataset.Group {
	var groups []dataset.Group
	for k := range c.file.RowGroups {
		g := &c.file.RowGroups[k]
		about := dataset.Group{Rows: max(0, g.NumRows)}
		for j := range g.Columns {
			about.Bytes += max(0, g.Columns[j].MetaData.TotalCompressedSize)
		}
		groups = append(groups, about)
	}
	return groups
}

// Select reads the groups lo … hi−1 alone.
func (c *parquetCells) Select(lo, hi int) {
	for _, g := range c.Groups()[:lo] {
		c.seen += int(g.Rows)
	}
	c.groups = c.file.RowGroups[lo:hi]
}

// footer reads the footer. It checks what the library believes: that the footer is as long as the
// file says, and that no list in it has more elements than it has bytes.
func (c *parquetCells) footer(size int64) error {
	var end [8]byte
	if size < 12 {
		return c.in.Errorf("the file ends too early")
	}
	if _, err := c.data.ReadAt(end[:], size-8); err != nil && err != io.EOF {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	switch mark := string(end[4:]); {
	case mark == "PARE":
		return c.in.Errorf("the file is encrypted")
	case mark != "PAR1":
		return c.in.Errorf("the file ends too early: a Parquet file ends with PAR1")
	case length > size-12:
		return c.in.Errorf("the file is damaged: its footer is longer than the file")
	}
	if err := c.check(length); err != nil {
		return err
	}
	footer := make([]byte, length)
	c.end = size - 8 - length
	if _, err := c.data.ReadAt(footer, c.end); err != nil && err != io.EOF {
		return err
	}
	const (
		structBytes  = 560 // of the largest of the library's, of a column in a group of rows
		elementBytes = 24  // of the head of a text or of bytes in a list
	)
	t := compact{b: footer}
	whole := t.skip(compactStruct, 0)
	if err := c.check(length + t.structs*structBytes + t.elements*elementBytes); err != nil {
		return err
	}
	if !whole || thrift.Unmarshal(&thrift.CompactProtocol{}, footer[:len(footer)-len(t.b)], &c.file) != nil {
		return c.in.Errorf("the file is damaged: its footer cannot be read")
	}
	return nil
}

// describe finds the fields: the columns at the top of the schema.
func (c *parquetCells) describe() error {
	schema := c.file.Schema
	if len(schema) == 0 {
		return c.in.Errorf("the file has no schema")
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
	refuse := func(reason string) { f.reason = reason }
	converted := deprecated.ConvertedType(-1)
	if e.ConvertedType.Valid {
		converted = e.ConvertedType.V
	}
	if e.NumChildren.Valid && e.NumChildren.V > 0 || !e.Type.Valid || e.RepetitionType.V == format.Repeated {
		return f, parquetLeaf{}
	}
	var n parquetNumbers
	n.scale, n.decimal, n.unsigned = e.Scale.V, converted == deprecated.Decimal, converted >= deprecated.Uint8 && converted <= deprecated.Uint64
	n.day, n.moment, f.reason = parquetDate(e, converted)
	switch t := e.LogicalType.Value.(type) {
	case *format.DecimalType:
		n.decimal, n.scale = true, t.Scale
	case *format.IntType:
		n.unsigned = !t.IsSigned
	case *format.Float16Type:
		n.half = e.TypeLength.V == 2
	case *format.EnumType:
		f.category = true
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
	case converted == deprecated.Interval:
		refuse(noDates)
	case converted == deprecated.Json, converted == deprecated.Bson:
		refuse(noNested)
	}
	leaf := parquetLeaf{kind: e.Type.V, optional: e.RepetitionType.V == format.Optional}
	if f.reason != "" {
		leaf.cell = func([]byte) dataset.Cell { return dataset.Cell{} }
		return f, leaf
	}
	leaf.size, leaf.cell = n.cells(leaf.kind, int(e.TypeLength.V))
	if leaf.cell == nil {
		refuse(fmt.Sprintf(noBytes, "bytes"))
	}
	return f, leaf
}

// parquetNumbers says what the bytes of a column are.
type parquetNumbers struct {
	decimal, unsigned, half, day bool
	scale                        int32 // of decimal numbers
	moment                       int64 // units of a second; 0: no moments
}

// cells returns the number of bytes of a cell, 0 if it varies, and what makes a cell of them; nil if nothing does.
func (n parquetNumbers) cells(kind format.Type, length int) (size int, cell func(v []byte) dataset.Cell) {
	order := binary.LittleEndian
	switch {
	case kind == format.Boolean:
		return 1, func(v []byte) dataset.Cell { return boolCell(v[0] == 1) }
	case kind == format.ByteArray && n.decimal:
		return 0, func(v []byte) dataset.Cell { return decimalCell(bigEndian(v), n.scale) }
	case kind == format.ByteArray:
		return 0, dataset.TextCell
	case kind == format.FixedLenByteArray && n.decimal:
		return length, func(v []byte) dataset.Cell { return decimalCell(bigEndian(v), n.scale) }
	case kind == format.FixedLenByteArray && n.half:
		return 2, func(v []byte) dataset.Cell {
			return dataset.NumberCell(float64(float16.FromBits(order.Uint16(v)).Float32()))
		}
	case kind == format.Int32 && n.day:
		return 4, func(v []byte) dataset.Cell { return dayCell(int32(order.Uint32(v))) }
	case kind == format.Int64 && n.moment > 0:
		return 8, func(v []byte) dataset.Cell { return dateCell(int64(order.Uint64(v)), n.moment) }
	case kind == format.Int96: // nanoseconds of a Julian day
		return 12, julianCell
	case kind == format.Int32 && n.decimal:
		return 4, func(v []byte) dataset.Cell { return decimalCell(big.NewInt(int64(int32(order.Uint32(v)))), n.scale) }
	case kind == format.Int32 && n.unsigned:
		return 4, func(v []byte) dataset.Cell { return uintCell(uint64(order.Uint32(v))) }
	case kind == format.Int32:
		return 4, func(v []byte) dataset.Cell { return intCell(int64(int32(order.Uint32(v)))) }
	case kind == format.Int64 && n.decimal:
		return 8, func(v []byte) dataset.Cell { return decimalCell(big.NewInt(int64(order.Uint64(v))), n.scale) }
	case kind == format.Int64 && n.unsigned:
		return 8, func(v []byte) dataset.Cell { return uintCell(order.Uint64(v)) }
	case kind == format.Int64:
		return 8, func(v []byte) dataset.Cell { return intCell(int64(order.Uint64(v))) }
	case kind == format.Float:
		return 4, func(v []byte) dataset.Cell { return dataset.NumberCell(float64(math.Float32frombits(order.Uint32(v)))) }
	case kind == format.Double:
		return 8, func(v []byte) dataset.Cell { return dataset.NumberCell(math.Float64frombits(order.Uint64(v))) }
	}
	return 0, nil
}

// parquetDate says whether a column holds days or else moments, in units of a second, and why not if it holds other times.
func parquetDate(e *format.SchemaElement, converted deprecated.ConvertedType) (day bool, moment int64, reason string) {
	switch t := e.LogicalType.Value.(type) {
	case *format.DateType:
		return true, 0, ""
	case *format.TimeType:
		return false, 0, noDates
	case *format.TimestampType:
		if t.Unit.Value == nil {
			return false, 0, "holds timestamps of an unknown unit: leave it out"
		}
		return false, int64(time.Second / t.Unit.Value.Duration()), ""
	}
	switch converted {
	case deprecated.Date:
		return true, 0, ""
	case deprecated.TimestampMillis:
		return false, 1e3, ""
	case deprecated.TimestampMicros:
		return false, 1e6, ""
	case deprecated.TimeMillis, deprecated.TimeMicros:
		return false, 0, noDates
	}
	return false, 0, ""
}

// julianCell is the date of 96 bits: nanoseconds, and a Julian day.
func julianCell(v []byte) dataset.Cell {
	const epoch, dayNanos = 2440588, 24 * 60 * 60 * 1e9
	days, nanos := int64(binary.LittleEndian.Uint32(v[8:]))-epoch, int64(binary.LittleEndian.Uint64(v))
	if days < -1e5 || days > 1e5 || nanos < 0 || nanos >= dayNanos {
		return dataset.RefusedCell("a timestamp of 96 bits outside of the years 1696 to 2243", "")
	}
	return dateCell(days*dayNanos+nanos, 1e9)
}

// bigEndian is an integer in two's complement, the most significant byte first.
func bigEndian(b []byte) *big.Int {
	x := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return x
}

// read reads the next rows of the group at hand.
func (c *parquetCells) read() (int, error) {
	for c.remaining == 0 {
		if len(c.groups) == 0 {
			return 0, io.EOF
		}
		group := &c.groups[0]
		c.groups, c.remaining = c.groups[1:], group.NumRows
		for k := range c.fields {
			if c.fields[k].used {
				if err := c.open(&c.leaf[k], group.Columns); err != nil {
					return 0, c.damaged(fmt.Sprintf("column %q %v", c.fields[k].name, err))
				}
			}
		}
	}
	n := int(min(c.remaining, blockRows))
	for k := range c.fields {
		if c.fields[k].used {
			n = min(n, len(c.fields[k].cells))
		}
	}
	for k := range c.fields {
		f, p := &c.fields[k], c.leaf[k].chunk
		if !f.used {
			continue
		}
		p.grown = 0
		for i := range n {
			var err error
			if f.cells[i], err = p.next(); err != nil {
				return 0, c.damaged(fmt.Errorf("column %q: %w", f.name, err))
			}
		}
	}
	c.remaining -= int64(n)
	return n, nil
}

// open begins to read the column of a group of rows. The error says what is wrong with it.
func (c *parquetCells) open(l *parquetLeaf, chunks []format.ColumnChunk) error {
	if l.number >= len(chunks) {
		return errors.New("is not in all groups of rows")
	}
	chunk := &chunks[l.number]
	about := &chunk.MetaData
	at := about.DataPageOffset
	if first := about.DictionaryPageOffset; first > 0 {
		at = min(at, first)
	}
	switch {
	case chunk.CryptoMetadata.Value != nil:
		return errors.New("is encrypted")
	case chunk.FilePath != "":
		return fmt.Errorf("is in another file, %q", chunk.FilePath)
	case about.NumValues != c.remaining:
		return errors.New("does not have a cell for each row")
	case about.Type != l.kind:
		return fmt.Errorf("is of the type %d (%[1]v), not %v", about.Type, l.kind)
	case at < 0 || at > c.end:
		return errors.New("is said to begin behind the end")
	}
	l.chunk = &parquetChunk{leaf: l, data: c.data, at: at, end: c.end, codec: about.Codec, remaining: c.remaining, check: c.reserve}
	return nil
}

// reserve returns an error if so many bytes more than those that the chunks hold are too many.
func (c *parquetCells) reserve(need int64) error {
	for k := range c.leaf {
		if p := c.leaf[k].chunk; p != nil {
			need += p.used
		}
	}
	return c.check(need)
}

// Close has nothing to release.
func (c *parquetCells) Close() error { return nil }

// compact is a text in the compact protocol of Apache Thrift, which the footer of a Parquet file and
// the headers of its pages are written in.
type compact struct {
	b        []byte
	structs  int64 // passed by
	elements int64 // of lists, passed by
}

// The types of values of the protocol that hold other values.
const (
	compactList   = 9
	compactSet    = 10
	compactMap    = 11
	compactStruct = 12
)

// skip passes by a value and reports whether it is there. The values of a list that its bytes
// cannot hold are not.
func (t *compact) skip(kind byte, depth int) bool {
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
	case compactList, compactSet:
		head, ok := t.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n, ok = t.varint()
		}
		return ok && t.many(n, depth, head&15)
	case compactMap:
		n, ok := t.varint()
		if !ok || n == 0 {
			return ok
		}
		kinds, ok := t.byte()
		return ok && t.many(n, depth, kinds>>4, kinds&15)
	case compactStruct:
		t.structs++
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
func (t *compact) many(n uint64, depth int, kinds ...byte) bool {
	if n > uint64(len(t.b)) {
		return false
	}
	t.elements += int64(n)
	for range n {
		for _, kind := range kinds {
			if !t.skip(kind, depth+1) {
				return false
			}
		}
	}
	return true
}

func (t *compact) byte() (byte, bool) {
	if len(t.b) == 0 {
		return 0, false
	}
	v := t.b[0]
	t.b = t.b[1:]
	return v, true
}

func (t *compact) pass(n uint64) bool {
	if n > uint64(len(t.b)) {
		return false
	}
	t.b = t.b[n:]
	return true
}

func (t *compact) varint() (uint64, bool) {
	v, n := binary.Uvarint(t.b)
	if n <= 0 {
		return 0, false
	}
	t.b = t.b[n:]
	return v, true
}
