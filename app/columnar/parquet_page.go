package columnar

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/gramworks/gram/dataset"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// parquetChunk reads the cells of a column in one group of rows. It holds a page and the
// dictionary, and decodes a value when it is asked for: the counts in a file, of values or of the
// repetitions of one, take no memory.
//
// parquet-go, which describes the file, has a reader of pages, too. That of version 0.32 is not
// used: it fills a run of booleans with the byte 1, so that one value in eight is true
// (rle.decodeBits); it doubles the memory for a page of LZ4 until the page fits, which a damaged
// one never does (lz4.Codec.Decode); and it takes memory for as many values as a run or a list of
// differences is said to have.
type parquetChunk struct {
	leaf      *parquetLeaf
	data      io.ReaderAt
	at, end   int64 // of the bytes that are not read
	codec     format.CompressionCodec
	remaining int64                  // cells of the pages that are not read
	check     func(need int64) error // whether so many bytes more can be held

	words     []dataset.Cell               // the dictionary
	wordBytes int64                        // of the dictionary
	used      int64                        // bytes of the dictionary and of the page
	grown     int64                        // bytes of texts that were put together for a block of cells
	n         int64                        // cells of the page that are not read
	levels    *hybrid                      // of the page: 0 for a cell that is missing; nil: none is
	value     func() (dataset.Cell, error) // the next one of the page
}

// next returns the next cell, an empty one where it is missing; it reads the next page if the last one ends.
func (p *parquetChunk) next() (dataset.Cell, error) {
	for p.n == 0 {
		if err := p.page(); err != nil {
			return dataset.Cell{}, err
		}
	}
	p.n--
	if p.levels != nil {
		if level, err := p.levels.next(); err != nil || level == 0 {
			return dataset.Cell{}, err
		}
	}
	return p.value()
}

var (
	errHeader  = errors.New("the header of a page cannot be read")
	errPageEnd = errors.New("a page ends too early")
)

// mostHeader is the largest size of the header of a page, in which the smallest and the largest of
// its values may be. Arrow's readers have the same bound.
const mostHeader = 1 << 24

// header reads the header of the next page.
func (p *parquetChunk) header() (*format.PageHeader, error) {
	for size := int64(1 << 8); ; size *= 4 {
		head := make([]byte, min(size, p.end-p.at))
		if _, err := p.data.ReadAt(head, p.at); err != nil && err != io.EOF {
			return nil, err
		}
		t := compact{b: head}
		if t.skip(compactStruct, 0) {
			head = head[:len(head)-len(t.b)]
			p.at += int64(len(head))
			h := &format.PageHeader{}
			if thrift.Unmarshal(&thrift.CompactProtocol{}, head, h) != nil {
				return nil, errHeader
			}
			return h, nil
		}
		if size >= min(p.end-p.at, mostHeader) {
			return nil, errHeader
		}
	}
}

// page reads the next page, which may be the dictionary.
func (p *parquetChunk) page() error {
	h, err := p.header()
	if err != nil {
		return err
	}
	packed, size := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
	if packed < 0 || size < 0 || packed > p.end-p.at {
		return errPageEnd
	}
	p.used, p.value = p.wordBytes, nil
	if err := p.check(packed + size); err != nil {
		return err
	}
	p.used += size
	b := make([]byte, packed)
	if n, err := p.data.ReadAt(b, p.at); n < len(b) {
		return err
	}
	p.at += packed
	if h.CRC != 0 && crc32.ChecksumIEEE(b) != uint32(h.CRC) {
		return errors.New("a page is not the one that its check sum is of")
	}
	switch h.Type {
	case format.DictionaryPage:
		if b, err = unpack(p.codec, b, size); err != nil {
			return err
		}
		return p.dictionary(int64(h.DictionaryPageHeader.V.NumValues), b)
	case format.DataPage:
		v1 := &h.DataPageHeader.V
		if b, err = unpack(p.codec, b, size); err != nil {
			return err
		}
		var levels []byte
		if p.leaf.optional {
			if v1.DefinitionLevelEncoding != format.RLE {
				return fmt.Errorf("the levels of a page are in the encoding %d (%[1]v), which is not supported", v1.DefinitionLevelEncoding)
			}
			if levels, b, err = cutPrefixed(b); err != nil {
				return err
			}
		}
		return p.begin(v1.NumValues, levels, v1.Encoding, b)
	case format.DataPageV2: // whose levels are not compressed
		v2 := &h.DataPageHeaderV2.V
		repetition, definition := int64(v2.RepetitionLevelsByteLength), int64(v2.DefinitionLevelsByteLength)
		above := repetition + definition
		if repetition < 0 || definition < 0 || above > min(packed, size) {
			return errPageEnd
		}
		codec, levels := p.codec, b[repetition:above]
		if v2.IsCompressed.Valid && !v2.IsCompressed.V {
			codec = format.Uncompressed
		}
		if b, err = unpack(codec, b[above:], size-above); err != nil {
			return err
		}
		return p.begin(v2.NumValues, levels, v2.Encoding, b)
	}
	return nil // an index, which is not needed
}

// dictionary takes the page of the n values that the other pages refer to.
func (p *parquetChunk) dictionary(n int64, b []byte) error {
	const cellBytes = 48
	if n < 0 || n > int64(len(b)) { // each takes a byte or more
		return errPageEnd
	}
	if err := p.check(n * cellBytes); err != nil {
		return err
	}
	p.used += n * cellBytes
	p.wordBytes, p.words = p.used, make([]dataset.Cell, n)
	next, err := p.values(format.Plain, b)
	for k := range p.words {
		if err != nil {
			return err
		}
		p.words[k], err = next()
	}
	return err
}

// begin starts a page of n cells with the given levels, encoding and bytes.
func (p *parquetChunk) begin(n int32, levels []byte, encoding format.Encoding, b []byte) (err error) {
	if n < 0 || int64(n) > p.remaining {
		return errors.New("its pages hold more cells than the rows are")
	}
	p.n = int64(n)
	p.remaining -= p.n
	if n == 0 {
		return nil
	}
	if p.leaf.optional {
		p.levels = &hybrid{b: levels, width: 1}
	}
	p.value, err = p.values(encoding, b)
	return err
}

// expansion is the largest number of bytes that a compressed byte can become.
var expansion = map[format.CompressionCodec]int64{
	format.Uncompressed: 1,
	format.Snappy:       22,      // 64 for a copy of three bytes
	format.Lz4Raw:       255,     // for a byte of the length of a copy
	format.Gzip:         1032,    // 258 for two bits
	format.Zstd:         1 << 15, // 2¹⁷ for a block of four bytes
	format.Brotli:       1 << 24, // for a block
}

var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true))
})

// unpack returns the bytes that b was made of by the codec, which are size ones. It takes no memory
// for more, nor for a size that b cannot have.
func unpack(codec format.CompressionCodec, b []byte, size int64) ([]byte, error) {
	most, known := expansion[codec]
	switch {
	case !known:
		return nil, fmt.Errorf("its pages are compressed with codec %d (%[1]v), which is not supported: write them with zstd or snappy", codec)
	case size > most*int64(len(b)) || codec == format.Uncompressed && size < int64(len(b)):
		return nil, fmt.Errorf("a page of %d bytes is said to hold %d, compressed with %v", len(b), size, codec)
	case codec == format.Uncompressed:
		return b, nil
	}
	out := make([]byte, size)
	n := 0
	var err error
	switch codec {
	case format.Snappy:
		if n, err = snappy.DecodedLen(b); err == nil && n == len(out) {
			_, err = snappy.Decode(out, b)
		}
	case format.Lz4Raw:
		n, err = lz4.UncompressBlock(b, out)
	case format.Zstd:
		var d *zstd.Decoder
		if d, err = zstdDecoder(); err == nil {
			out, err = d.DecodeAll(b, out[:0])
			n = len(out)
		}
	case format.Gzip:
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(b)); err == nil {
			n, err = readAll(z, out)
		}
	case format.Brotli:
		n, err = readAll(brotli.NewReader(bytes.NewReader(b)), out)
	}
	if err != nil || int64(n) != size {
		return nil, fmt.Errorf("a page cannot be decompressed with %v", codec)
	}
	return out, nil
}

// readAll reads all that r has, which fits dst or is an error.
func readAll(r io.Reader, dst []byte) (n int, err error) {
	if n, err = io.ReadFull(r, dst); err != nil && err != io.EOF {
		return n, err
	}
	if k, err := io.CopyN(io.Discard, r, 1); k > 0 || err != io.EOF {
		return n, errPageEnd
	}
	return n, nil
}
