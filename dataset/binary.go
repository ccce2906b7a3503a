package dataset

import (
	"encoding/binary"
	"io"
	"math"
	"strings"

	"github.com/gramworks/gram/store"
)

// binarySource reads rows of d numbers of one type: IDX and NPY.
type binarySource struct {
	in     *textInput
	n, d   int // d: all columns, the target's among them
	kind   elementType
	order  binary.ByteOrder
	buf    []byte
	val    []float64
	seen   int
	column int           // the target's, −1: none
	target *binarySource // the target's file, nil: none
	file   store.File    // of other
}

// elementType is the type of the numbers in a binary file, such as float64 (f64) or unsigned bytes (u8).
type elementType uint8

const (
	f64 elementType = iota
	f32
	i64
	i32
	i16
	i8
	u64
	u32
	u16
	u8
)

func (k elementType) size() int { return [...]int{8, 4, 8, 4, 2, 1, 8, 4, 2, 1}[k] }

func (s *binarySource) size() (n, d, tags int) {
	if s.column >= 0 {
		return s.n, s.d - 1, -1
	}
	return s.n, s.d, -1
}

func (s *binarySource) fail(r *row, reason string, args ...any) error {
	if s.target != nil {
		return s.target.in.fail(0, 0, "row %d: "+reason, append([]any{s.seen}, args...)...)
	}
	return s.in.fail(0, 0, "row %d: "+reason, append([]any{s.seen}, args...)...)
}

func (s *binarySource) close() error {
	if s.file != nil {
		return s.file.Close()
	}
	return nil
}

// numbers returns the s.d numbers of the next row, which the call after it overwrites, or io.EOF after row s.n. A file that ends
// early or goes on, and a number that is not finite or an integer above 2⁵³ in magnitude, is an error.
func (s *binarySource) numbers() ([]float64, error) {
	if s.seen == s.n {
		if _, err := s.in.r.ReadByte(); err != io.EOF {
			if err != nil {
				return nil, s.in.wrap(err, 0)
			}
			return nil, s.in.fail(0, 0, "the file goes on after %d rows of %d numbers", s.n, s.d)
		}
		return nil, io.EOF
	}
	size := s.kind.size()
	s.val = s.val[:0]
	for len(s.val) < s.d {
		// A chunk at a time: a header may claim a row that is not there.
		chunk := min(s.d-len(s.val), 1<<13)
		if cap(s.buf) < chunk*size {
			s.buf = make([]byte, chunk*size)
		}
		b := s.buf[:chunk*size]
		if _, err := io.ReadFull(s.in.r, b); err != nil {
			if err == io.EOF || err == io.ErrUnexpectedEOF && !s.in.gzip {
				return nil, s.in.fail(0, 0, "the file ends in row %d of %d", s.seen+1, s.n)
			}
			return nil, s.in.wrap(err, 0)
		}
		first := len(s.val)
		s.val = decode(s.val, b, s.kind, s.order)
		for j, v := range s.val[first:] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, s.in.fail(0, 0, "row %d, column %d is %v", s.seen+1, first+j+1, v)
			}
			if (s.kind == i64 || s.kind == u64) && math.Abs(v) > 1<<53 {
				return nil, s.in.fail(0, 0, "row %d, column %d is above 2^53 and would lose digits", s.seen+1, first+j+1)
			}
		}
	}
	s.seen++
	return s.val, nil
}

// decode appends to dst the numbers of type k in b, in byte order o; bytes at the end that are not a whole number are left out.
func decode(dst []float64, b []byte, k elementType, o binary.ByteOrder) []float64 {
	switch k {
	case f64:
		for ; len(b) >= 8; b = b[8:] {
			dst = append(dst, math.Float64frombits(o.Uint64(b)))
		}
	case f32:
		for ; len(b) >= 4; b = b[4:] {
			dst = append(dst, float64(math.Float32frombits(o.Uint32(b))))
		}
	case i64:
		for ; len(b) >= 8; b = b[8:] {
			dst = append(dst, float64(int64(o.Uint64(b))))
		}
	case u64:
		for ; len(b) >= 8; b = b[8:] {
			dst = append(dst, float64(o.Uint64(b)))
		}
	case i32:
		for ; len(b) >= 4; b = b[4:] {
			dst = append(dst, float64(int32(o.Uint32(b))))
		}
	case u32:
		for ; len(b) >= 4; b = b[4:] {
			dst = append(dst, float64(o.Uint32(b)))
		}
	case i16:
		for ; len(b) >= 2; b = b[2:] {
			dst = append(dst, float64(int16(o.Uint16(b))))
		}
	case u16:
		for ; len(b) >= 2; b = b[2:] {
			dst = append(dst, float64(o.Uint16(b)))
		}
	case i8:
		for _, v := range b {
			dst = append(dst, float64(int8(v)))
		}
	case u8:
		for _, v := range b {
			dst = append(dst, float64(v))
		}
	}
	return dst
}

func (s *binarySource) next(r *row) error {
	val, err := s.numbers()
	if err == io.EOF && s.target != nil {
		if _, err := s.target.numbers(); err != io.EOF {
			return err
		}
	}
	if err != nil {
		return err
	}
	*r = row{dense: true, val: val}
	if s.column >= 0 {
		r.value, r.hasValue = val[s.column], true
		copy(val[s.column:], val[s.column+1:])
		r.val = val[:s.d-1]
	}
	r.maxIndex = len(r.val)
	if s.target != nil {
		t, err := s.target.numbers()
		if err != nil {
			return err
		}
		r.value, r.hasValue = t[0], true
	}
	return nil
}

// openTarget attaches the target's file. path names the file of the rows.
func (s *binarySource) openTarget(o Options, guess string) error {
	if o.Task == NoTarget {
		if o.TargetFile != "" {
			return wrong("TargetFile", o.TargetFile, o.Format)
		}
		return nil
	}
	path := o.TargetFile
	if path == "" {
		if guess == "" || s.in.name == "" {
			return nil
		}
		for _, p := range []string{guess, guess + ".gz", strings.TrimSuffix(guess, ".gz")} {
			if info, err := store.Stat(p); err == nil && info.Mode().IsRegular() {
				path = p
				break
			}
		}
		if path == "" {
			return nil
		}
	}
	f, err := store.Open(path)
	if err != nil {
		return err
	}
	t, err := newTarget(f, path)
	if err != nil {
		f.Close()
		return err
	}
	if t.d != 1 || t.n != s.n {
		f.Close()
		return t.in.fail(0, 0, "%d rows of %d numbers, want one for each of %d rows", t.n, t.d, s.n)
	}
	s.target, s.file = t, f
	return nil
}

// newTarget opens a column of numbers in any of the binary formats.
func newTarget(f io.Reader, path string) (*binarySource, error) {
	in, err := newInput(f, path)
	if err != nil {
		return nil, err
	}
	src, err := newSource(in, &Options{Task: NoTarget, MaxDim: maxDim, MaxLine: inputBuffer})
	if err != nil {
		return nil, err
	}
	t, ok := src.(*binarySource)
	if !ok {
		return nil, in.fail(0, 0, "a file of targets must be of a binary format")
	}
	return t, nil
}

// checkDim returns an error if the options name columns or a task that the file cannot have.
func (s *binarySource) checkDim(o Options) error {
	_, d, _ := s.size()
	switch {
	case o.Task == MultiLabel:
		return wrong("Task", o.Task, o.Format)
	case o.Dim > 0 && o.Dim != d:
		return s.in.fail(0, 0, "the file has %d columns, want %d", d, o.Dim)
	case d > o.MaxDim:
		return s.in.fail(0, 0, "%d columns are above the limit of %d", d, o.MaxDim)
	case s.n == 0:
		return s.in.fail(0, 0, "there are no rows")
	}
	return nil
}
