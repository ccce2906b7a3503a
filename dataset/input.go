package dataset

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// randomAccess is a file, or a part of one, or memory.
type randomAccess interface {
	io.ReaderAt
	io.Seeker
}

// textInput is the input of a format, with gzip removed; errors about it name its file and line.
type textInput struct {
	name string
	r    *bufio.Reader
	gzip bool
	file randomAccess // what r reads, unless that is compressed or can be read only once

	text     *bufio.Reader // of the bytes as they are stored
	consumed *counter
	total    int64 // stored bytes; 0: not known

	// Of a piece of a file: linesBefore counts the lines before it, and lead is the number of
	// lines that were put in front. nil: the input begins with line 1.
	linesBefore func() int
	lead        int
}

const inputBuffer = 1 << 15

// newInput looks at the first two bytes to see whether r is compressed.
func newInput(r io.Reader, name string) (*textInput, error) {
	taken := &counter{r: r}
	b := bufio.NewReaderSize(taken, inputBuffer)
	in := &textInput{name: name, r: b, text: b, consumed: taken}
	in.file, _ = r.(randomAccess)
	if f, is := r.(interface{ Stat() (fs.FileInfo, error) }); is {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			in.total = info.Size()
		}
	}
	magic, err := b.Peek(2)
	if err != nil && err != io.EOF {
		return nil, in.wrap(err, 0)
	}
	if len(magic) == 2 && magic[0] == 0x1f && magic[1] == 0x8b {
		in.gzip, in.file = true, nil
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, in.wrap(err, 0)
		}
		in.r = bufio.NewReaderSize(z, inputBuffer)
	}
	return in, nil
}

// counter counts the bytes that are read through it, so that progress is known while the input is decompressed.
type counter struct {
	r io.Reader
	n int64
}

// Read reads from r and counts the bytes.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// share is the share of the stored bytes that have been read, 0 if their number is not known.
func (in *textInput) share() float64 {
	if in.total <= 0 {
		return 0
	}
	return min(1, float64(in.consumed.n-int64(in.text.Buffered()))/float64(in.total))
}

// wrap turns an error of reading into a *ParseError where the file's contents
// are to blame, and adds the name to any other. line is 0 in binary files.
func (in *textInput) wrap(err error, line int) error {
	switch {
	case in.gzip && errors.Is(err, io.ErrUnexpectedEOF):
		return in.fail(line, 0, "the compressed data end too early")
	case err == io.EOF, !in.gzip && errors.Is(err, io.ErrUnexpectedEOF):
		return in.fail(line, 0, "the file ends too early")
	case in.damaged(err):
		return in.fail(line, 0, "the compressed data are damaged")
	}
	if in.name == "" {
		return err
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) && path.Path == in.name {
		err = path.Err // "read DIR: is a directory"
	}
	return fmt.Errorf("%s: %w", in.name, err)
}

// damaged reports whether err is one of data that gzip cannot unpack.
func (in *textInput) damaged(err error) bool {
	var corrupt flate.CorruptInputError
	return in.gzip && errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt)
}

func (in *textInput) fail(line, col int, reason string, args ...any) *ParseError {
	if len(args) > 0 {
		reason = fmt.Sprintf(reason, args...)
	}
	if in.linesBefore != nil && line > in.lead {
		line += in.linesBefore() - in.lead
	}
	return &ParseError{File: in.name, Line: line, Col: col, Reason: reason}
}

// lines cuts an input into lines. It holds one line and one buffer's worth of
// what follows in memory, whatever the input's size.
type lines struct {
	in     *textInput
	buf    []byte
	lo, hi int
	number int // of the line returned last, from 1
	max    int
	end    bool
}

func newLines(in *textInput, limit int) *lines {
	return &lines{in: in, buf: make([]byte, 1<<16), max: limit}
}

// next returns the next line without its end (\n or \r\n), valid until the next
// call, or io.EOF.
func (l *lines) next() ([]byte, error) {
	seen := 0
	for {
		if k := bytes.IndexByte(l.buf[l.lo+seen:l.hi], '\n'); k >= 0 {
			line := l.buf[l.lo : l.lo+seen+k]
			l.lo += seen + k + 1
			return l.finish(line)
		}
		seen = l.hi - l.lo
		if l.end {
			if seen == 0 {
				return nil, io.EOF
			}
			line := l.buf[l.lo:l.hi]
			l.lo = l.hi
			return l.finish(line)
		}
		if seen > l.max {
			return nil, l.tooLong()
		}
		if l.lo > 0 {
			copy(l.buf, l.buf[l.lo:l.hi])
			l.lo, l.hi = 0, seen
		}
		if l.hi == len(l.buf) {
			l.buf = append(l.buf, make([]byte, len(l.buf))...)
		}
		n, err := l.in.r.Read(l.buf[l.hi:])
		l.hi += n
		if err == io.EOF {
			l.end = true
		} else if err != nil {
			return nil, l.in.wrap(err, l.number+1)
		}
	}
}

func (l *lines) finish(line []byte) ([]byte, error) {
	if len(line) > l.max {
		return nil, l.tooLong()
	}
	l.number++
	if l.number == 1 && l.in.linesBefore == nil {
		line = bytes.TrimPrefix(line, byteOrderMark)
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, nil
}

func (l *lines) tooLong() error {
	return l.in.fail(l.number+1, 0, "the line is longer than the limit of %d bytes", l.max)
}

var byteOrderMark = []byte("\ufeff")
