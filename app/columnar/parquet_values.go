package columnar

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/gramworks/gram/dataset"
	"github.com/parquet-go/parquet-go/format"
)

// values returns the function of the next value of a page. Texts are parts of b, or are counted.
func (p *parquetChunk) values(encoding format.Encoding, b []byte) (func() (dataset.Cell, error), error) {
	var next func() ([]byte, error)
	var err error
	kind, size := p.leaf.kind, p.leaf.size
	fixed := kind == format.FixedLenByteArray
	older := format.PlainDictionary //lint:ignore SA1019 what older writers call RLEDictionary
	switch {
	case len(b) == 0: // all cells are missing
		next = func() ([]byte, error) { return nil, errPageEnd }
	case encoding == older || encoding == format.RLEDictionary:
		return p.places(b)
	case encoding == format.Plain && kind == format.Boolean:
		next = bytesOf((&bits{b: b, width: 1}).next, 1)
	case encoding == format.RLE && kind == format.Boolean:
		if b, _, err = cutPrefixed(b); err == nil {
			next = bytesOf((&hybrid{b: b, width: 1}).next, 1)
		}
	case encoding == format.Plain && kind == format.ByteArray:
		next = func() (v []byte, err error) { v, b, err = cutPrefixed(b); return v, err }
	case encoding == format.Plain:
		next = func() (v []byte, err error) { v, b, err = cut(b, int64(size)); return v, err }
	case encoding == format.ByteStreamSplit && size > 0:
		next = splitBytes(b, size)
	case encoding == format.DeltaBinaryPacked && (kind == format.Int32 || kind == format.Int64):
		d, wrong := newDeltas(b)
		next, err = bytesOf(d.next, size), wrong
	case encoding == format.DeltaLengthByteArray && kind == format.ByteArray:
		next, err = deltaLengths(b)
	case encoding == format.DeltaByteArray && (kind == format.ByteArray || fixed):
		next, err = p.deltaBytes(b)
	default:
		err = fmt.Errorf("its pages are in the encoding %d (%[1]v), which is not supported for values of the type %v", encoding, kind)
	}
	if err != nil {
		return nil, err
	}
	return func() (dataset.Cell, error) {
		v, err := next()
		if err == nil && size > 0 && len(v) != size {
			err = errPageEnd
		}
		if err != nil {
			return dataset.Cell{}, err
		}
		return p.leaf.cell(v), nil
	}, nil
}

// places returns the function of the next value of a page of places in the dictionary.
func (p *parquetChunk) places(b []byte) (func() (dataset.Cell, error), error) {
	at := &hybrid{width: int(b[0]), b: b[1:]}
	if at.width > 32 {
		return nil, fmt.Errorf("the places in a dictionary have %d bits", at.width)
	}
	return func() (dataset.Cell, error) {
		k, err := at.next()
		if err == nil && k >= uint64(len(p.words)) {
			err = fmt.Errorf("a cell is number %d of a dictionary of %d", k+1, len(p.words))
		}
		if err != nil {
			return dataset.Cell{}, err
		}
		return p.words[k], nil
	}, nil
}

// cut divides b after n bytes, in place. The error is errPageEnd if b has fewer.
func cut(b []byte, n int64) (head, rest []byte, err error) {
	if n < 0 || n > int64(len(b)) {
		return nil, nil, errPageEnd
	}
	return b[:n:n], b[n:], nil
}

// cutPrefixed cuts bytes off whose number is before them.
func cutPrefixed(b []byte) (head, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, errPageEnd
	}
	return cut(b[4:], int64(binary.LittleEndian.Uint32(b)))
}

// bytesOf makes the lowest size bytes of the next number.
func bytesOf(next func() (uint64, error), size int) func() ([]byte, error) {
	var b [8]byte
	return func() ([]byte, error) {
		v, err := next()
		binary.LittleEndian.PutUint64(b[:], v)
		return b[:size], err
	}
}

// splitBytes reads BYTE_STREAM_SPLIT: the first bytes of all values, then the second ones.
func splitBytes(b []byte, size int) func() ([]byte, error) {
	n, i := len(b)/size, 0
	v := make([]byte, min(size, len(b)))
	return func() ([]byte, error) {
		if i == n {
			return nil, errPageEnd
		}
		for k := range v {
			v[k] = b[k*n+i]
		}
		i++
		return v, nil
	}
}

// bits reads numbers of width bits each, the lowest bit first.
type bits struct {
	b     []byte
	at    int64 // bit
	width int
}

func (r *bits) next() (uint64, error) {
	if r.at+int64(r.width) > 8*int64(len(r.b)) {
		return 0, errPageEnd
	}
	var v uint64
	for have := 0; have < r.width; {
		shift := int(r.at & 7)
		k := min(8-shift, r.width-have)
		v |= uint64(r.b[r.at>>3]>>shift&(1<<k-1)) << have
		have += k
		r.at += int64(k)
	}
	return v, nil
}

// hybrid reads numbers of width bits each in the encoding RLE: of runs, each a number that is
// repeated, and of groups of eight numbers.
type hybrid struct {
	b         []byte
	width     int
	remaining int64 // numbers of the run, or of the groups, at hand
	run       bool
	value     uint64 // of the run
	groups    bits
}

func (h *hybrid) next() (uint64, error) {
	for h.remaining == 0 {
		if err := h.begin(); err != nil {
			return 0, err
		}
	}
	h.remaining--
	if h.run {
		return h.value, nil
	}
	return h.groups.next()
}

// begin reads the next run, or the next groups. The last of these may lack bytes that no number
// needs: not every writer fills it up.
func (h *hybrid) begin() error {
	head, k := binary.Uvarint(h.b)
	if k <= 0 || head>>1 > math.MaxInt32 {
		return errPageEnd
	}
	h.b = h.b[k:]
	h.remaining, h.run = int64(head>>1), head&1 == 0
	if h.run {
		v, rest, err := cut(h.b, int64(h.width+7)/8)
		h.value, h.b = 0, rest
		for i, c := range v {
			h.value |= uint64(c) << (8 * i)
		}
		return err
	}
	size := min(h.remaining*int64(h.width), int64(len(h.b)))
	h.remaining *= 8
	h.groups = bits{b: h.b[:size], width: h.width}
	h.b = h.b[size:]
	return nil
}

// deltas reads integers in the encoding DELTA_BINARY_PACKED: the first one, and the differences
// between one and the next less the smallest of their block, packed into parts of the block with as
// many bits as the largest of the part takes.
type deltas struct {
	b         []byte
	remaining int64  // integers
	parts     int64  // of a block
	size      int64  // differences of a part
	last      uint64 // integer
	first     bool   // it has not been returned
	least     uint64 // difference of the block
	widths    []byte // of the parts of the block that are not at hand
	n         int64  // differences of the part at hand that are not read
	part      bits
}

var errDeltas = errors.New("the head of a list of differences is damaged")

func newDeltas(b []byte) (*deltas, error) {
	var head [4]uint64 // block size, parts, integers, first integer
	for i := range head {
		v, k := binary.Uvarint(b)
		if k <= 0 {
			return nil, errDeltas
		}
		head[i], b = v, b[k:]
	}
	block, parts := head[0], head[1]
	if parts == 0 || parts > block || block > math.MaxInt32 || block%parts != 0 || block/parts%8 != 0 || head[2] > math.MaxInt32 {
		return nil, errDeltas
	}
	return &deltas{b: b, remaining: int64(head[2]), parts: int64(parts), size: int64(block / parts), last: unzigzag(head[3]), first: true}, nil
}

func unzigzag(v uint64) uint64 { return v>>1 ^ -(v & 1) }

func (d *deltas) next() (uint64, error) {
	if d.remaining == 0 {
		return 0, errPageEnd
	}
	d.remaining--
	if d.first {
		d.first = false
		return d.last, nil
	}
	if d.n == 0 {
		if err := d.begin(); err != nil {
			return 0, err
		}
	}
	d.n--
	v, err := d.part.next()
	d.last += d.least + v
	return d.last, err
}

// begin reads the next part, and the head of the next block where it begins one. The last part may
// lack bytes that no integer needs.
func (d *deltas) begin() (err error) {
	if len(d.widths) == 0 {
		least, k := binary.Uvarint(d.b)
		if k <= 0 {
			return errPageEnd
		}
		d.least = unzigzag(least)
		if d.widths, d.b, err = cut(d.b[k:], d.parts); err != nil {
			return err
		}
	}
	d.n, d.part = d.size, bits{width: int(d.widths[0])}
	d.widths = d.widths[1:]
	if d.part.width > 64 {
		return fmt.Errorf("differences of %d bits", d.part.width)
	}
	size := min(d.size/8*int64(d.part.width), int64(len(d.b)))
	d.part.b, d.b = d.b[:size], d.b[size:]
	return nil
}

// rest returns the bytes after the list of integers, of which none was read yet; d stays at its beginning.
func (d deltas) rest() ([]byte, error) {
	for d.remaining--; d.remaining > 0; d.remaining -= d.size {
		if err := d.begin(); err != nil {
			return nil, err
		}
	}
	return d.b, nil
}

// deltaLengths reads DELTA_LENGTH_BYTE_ARRAY: the lengths of the texts, then the texts.
func deltaLengths(b []byte) (func() ([]byte, error), error) {
	lengths, err := newDeltas(b)
	if err != nil {
		return nil, err
	}
	b, err = lengths.rest()
	return func() (v []byte, err error) {
		n, err := lengths.next()
		if err == nil {
			v, b, err = cut(b, int64(n))
		}
		return v, err
	}, err
}

// deltaBytes reads DELTA_BYTE_ARRAY: how many bytes each text has of the one before it, and the
// others in DELTA_LENGTH_BYTE_ARRAY.
func (p *parquetChunk) deltaBytes(b []byte) (func() ([]byte, error), error) {
	shared, err := newDeltas(b)
	if err != nil {
		return nil, err
	}
	if b, err = shared.rest(); err != nil {
		return nil, err
	}
	other, err := deltaLengths(b)
	var text []byte
	return func() ([]byte, error) {
		n, err := shared.next()
		if err != nil {
			return nil, err
		}
		end, err := other()
		if err != nil {
			return nil, err
		}
		head, _, err := cut(text, int64(n))
		if err != nil {
			return nil, err
		}
		p.grown += int64(len(head) + len(end))
		if err := p.check(p.grown); err != nil {
			return nil, err
		}
		text = append(head, end...) // which copies, for head has no room behind it
		return text, nil
	}, err
}
