package columnar

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/parquet-go/parquet-go/format"
)

// arrowMessages reads the messages of a stream. Unlike the library's reader, it takes memory only
// for what is there, and hands on no message with a list that is longer than the message, for
// which the library would allocate memory until the process ends.
type arrowMessages struct {
	cells   *arrowCells
	mem     *boundedMemory
	started bool   // a message has been returned
	next    []byte // the head of the next message, if it has been read
	last    *ipc.Message
}

func (m *arrowMessages) Retain() {}

func (m *arrowMessages) Release() {
	if m.last != nil {
		m.last.Release()
		m.last = nil
	}
}

// bytes reads the next n bytes. Memory grows as they arrive, so that a false length in a damaged file takes none.
func (m *arrowMessages) bytes(n int64) ([]byte, error) {
	m.mem.check(n)
	var b bytes.Buffer
	if got, err := io.CopyN(&b, m.cells.in.Reader, n); got < n {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b.Bytes(), nil
}

// Message returns the next message, or io.EOF at the end of the stream. The first one is the schema.
func (m *arrowMessages) Message() (*ipc.Message, error) {
	m.Release()
	head, err := m.next, error(nil)
	if m.next = nil; head == nil {
		head, err = m.head()
	}
	if err != nil {
		return nil, err
	}
	kind, length, err := flat(head).message()
	if err == nil && !m.started && m.cells.isFile && kind != arrowSchema {
		m.next = head
		if head, err = m.schema(); err == nil {
			_, length, err = flat(head).message()
		}
	}
	if err != nil {
		return nil, err
	}
	m.started = true
	body, err := m.bytes(length)
	if err != nil {
		return nil, err
	}
	if err := flat(head).unpacks(body); err != nil {
		return nil, err
	}
	m.last = ipc.NewMessage(memory.NewBufferBytes(head), memory.NewBufferBytes(body))
	return m.last, nil
}

// head reads the head of the next message.
func (m *arrowMessages) head() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(m.cells.in.Reader, head[:]); err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size == 1<<32-1 { // the mark, which messages of old writers lack
		if _, err := io.ReadFull(m.cells.in.Reader, head[:]); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		size = binary.LittleEndian.Uint32(head[:])
	}
	switch {
	case size == 0:
		return nil, io.EOF
	case size > 1<<28:
		return nil, fmt.Errorf("a message has a head of %d bytes", size)
	}
	return m.bytes(int64(size))
}

// schema returns a message with the schema that is in the footer.
func (m *arrowMessages) schema() (_ []byte, err error) {
	data, size, err := m.cells.in.ReaderAt()
	if err != nil {
		return nil, err
	}
	end := make([]byte, 4+len(arrowMagic))
	if _, err := data.ReadAt(end, size-int64(len(end))); err != nil && err != io.EOF {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(end))
	if !bytes.Equal(end[4:], arrowMagic) || length > size-int64(len(end)) {
		return nil, io.ErrUnexpectedEOF
	}
	m.mem.check(length)
	// The head is a message of the version, the kind and the schema: places in the table that
	// begins at 16, and the table. What the schema refers to follows, as in the footer.
	const begin = 32
	b := make(flat, begin+length)
	if _, err := data.ReadAt(b[begin:], size-int64(len(end))-length); err != nil && err != io.EOF {
		return nil, err
	}
	defer func() {
		if recover() != nil {
			err = errors.New("the footer is damaged")
		}
	}()
	footer := b.follow(begin)
	for at, v := range map[int]uint16{4: 10, 6: 12, 8: 4, 10: 6, 12: 8, 22: arrowSchema} {
		binary.LittleEndian.PutUint16(b[at:], v)
	}
	if at := b.field(footer, 0); at > 0 {
		binary.LittleEndian.PutUint16(b[20:], uint16(b.u16(at)))
	}
	schema := b.follow(b.field(footer, 1))
	binary.LittleEndian.PutUint32(b, 16)
	binary.LittleEndian.PutUint32(b[16:], 12)
	binary.LittleEndian.PutUint32(b[24:], uint32(schema-24))
	return b, nil
}

// flat is a FlatBuffer. Its methods panic beyond its end.
type flat []byte

func (b flat) u16(at int) int { return int(binary.LittleEndian.Uint16(b[at:])) }

// follow returns the place that the offset at a place leads to.
func (b flat) follow(at int) int { return at + int(binary.LittleEndian.Uint32(b[at:])) }

func (b flat) i64(at int) int64 { return int64(binary.LittleEndian.Uint64(b[at:])) }

// field returns the place of a field of the table at a place, 0 if the table lacks it. Fields
// are numbered from 0.
func (b flat) field(table, number int) int {
	layout := table - int(int32(binary.LittleEndian.Uint32(b[table:])))
	slot := 4 + 2*number
	if slot >= b.u16(layout) {
		return 0
	}
	if at := b.u16(layout + slot); at > 0 {
		return table + at
	}
	return 0
}

var errFlat = errors.New("a message has a list that is longer than the message")

// list returns the place of the first element of a list, each of size bytes, and their number.
// at 0 is a list that is not there.
func (b flat) list(at, size int) (first, n int, err error) {
	if at == 0 {
		return 0, 0, nil
	}
	first = b.follow(at)
	n = int(binary.LittleEndian.Uint32(b[first:]))
	first += 4
	if n > (len(b)-first)/size {
		return 0, 0, errFlat
	}
	return first, n, nil
}

// The kinds of messages, by their numbers in Arrow's format.
const (
	arrowSchema     = 1
	arrowDictionary = 2
	arrowBatch      = 3
)

var errMessage = errors.New("a message is damaged")

// message checks the lists of a message that the library allocates memory for and returns the kind
// of the message and the length of its body.
func (b flat) message() (kind byte, body int64, err error) {
	defer func() {
		if recover() != nil {
			err = errMessage
		}
	}()
	message := b.follow(0)
	if at := b.field(message, 3); at > 0 {
		body = b.i64(at)
	}
	at, header := b.field(message, 1), b.field(message, 2)
	if body < 0 || at == 0 || header == 0 {
		return 0, 0, errMessage
	}
	kind = b[at]
	_, _, err = b.list(b.field(message, 4), 4)
	table := b.follow(header)
	switch kind {
	case arrowSchema:
		left := len(b) / 8
		_, _, extra := b.list(b.field(table, 2), 4)
		_, _, features := b.list(b.field(table, 3), 8)
		err = errors.Join(err, extra, features, b.fields(b.field(table, 1), 0, &left))
	case arrowDictionary:
		err = errors.Join(err, b.batch(b.follow(b.field(table, 1))))
	case arrowBatch:
		err = errors.Join(err, b.batch(table))
	}
	return kind, body, err
}

// arrowCodecs are the codecs of the buffers of a batch, by number.
var arrowCodecs = [...]format.CompressionCodec{format.Lz4Raw, format.Zstd}

// unpacks checks that no compressed buffer in the body of the message is said to have more bytes
// than its codec can make of it: the library takes memory for these before it reads them.
func (b flat) unpacks(body flat) (err error) {
	defer func() {
		if recover() != nil {
			err = errMessage
		}
	}()
	message := b.follow(0)
	table := b.follow(b.field(message, 2))
	switch b[b.field(message, 1)] {
	case arrowDictionary:
		table = b.follow(b.field(table, 1))
	case arrowBatch:
	default:
		return nil
	}
	at := b.field(table, 3)
	if at == 0 {
		return nil // the buffers are not compressed
	}
	codec := arrowCodecs[0]
	if at = b.field(b.follow(at), 0); at > 0 {
		codec = arrowCodecs[b[at]]
	}
	first, n, err := b.list(b.field(table, 2), 16)
	for at := first; at < first+16*n; at += 16 {
		from, length := b.i64(at), b.i64(at+8)
		if length == 0 {
			continue
		}
		packed := body[from : from+length]
		if size := packed.i64(0); size > expansion[codec]*(length-8) || size < -1 { // −1: this buffer is not compressed
			return fmt.Errorf("a buffer of %d bytes is said to be one of %d before it was compressed", length, size)
		}
	}
	return err
}

// fields checks a list of fields, at most *budget of them, for they may share their children.
func (b flat) fields(at, depth int, budget *int) error {
	first, n, err := b.list(at, 4)
	if *budget -= n; depth > 64 || *budget < 0 {
		return errFlat
	}
	for i := range n {
		table := b.follow(first + 4*i)
		_, _, extra := b.list(b.field(table, 6), 4)
		if err = errors.Join(err, extra, b.fields(b.field(table, 5), depth+1, budget)); err != nil {
			return err
		}
	}
	return err
}

// batch checks the lists of a record batch.
func (b flat) batch(table int) error {
	_, _, err := b.list(b.field(table, 1), 16)
	_, buffers, err2 := b.list(b.field(table, 2), 16)
	first, n, err3 := b.list(b.field(table, 4), 8)
	if err := errors.Join(err, err2, err3); err != nil {
		return err
	}
	for i := range n {
		if count := b.i64(first + 8*i); count < 0 || count > int64(buffers) {
			return errFlat
		}
	}
	return nil
}
