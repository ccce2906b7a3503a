package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// binarySource reads rows of d numbers of one type: IDX and NPY.
type binarySource struct {
	in     *input
	n, d   int // d: all columns, the target's among them
	kind   kind
	order  binary.ByteOrder
	buf    []byte
	val    []float64
	seen   int
	column int           // the target's, −1: none
	other  *binarySource // the target's file, nil: none
	file   *os.File      // of other
	npy    bool
}

// kind is a type of number.
type kind uint8

const (
	f64 kind = iota
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

func (k kind) size() int { return [...]int{8, 4, 8, 4, 2, 1, 8, 4, 2, 1}[k] }

func (s *binarySource) size() (n, d, tags int) {
	if s.column >= 0 {
		return s.n, s.d - 1, -1
	}
	return s.n, s.d, -1
}

func (s *binarySource) fail(r *row, reason string, args ...any) error {
	if s.other != nil {
		return s.other.in.fail(0, 0, "row %d: "+reason, append([]any{s.seen}, args...)...)
	}
	return s.in.fail(0, 0, "row %d: "+reason, append([]any{s.seen}, args...)...)
}

func (s *binarySource) close() error {
	if s.file != nil {
		return s.file.Close()
	}
	return nil
}

// numbers reads the next row.
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

// decode appends the numbers in b.
func decode(dst []float64, b []byte, k kind, o binary.ByteOrder) []float64 {
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
	if err == io.EOF && s.other != nil {
		if _, err := s.other.numbers(); err != io.EOF {
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
	if s.other != nil {
		t, err := s.other.numbers()
		if err != nil {
			return err
		}
		r.value, r.hasValue = t[0], true
	}
	return nil
}

// openTarget attaches the target's file. path is that of the rows.
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
			if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
				path = p
				break
			}
		}
		if path == "" {
			return nil
		}
	}
	f, err := os.Open(path)
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
	s.other, s.file = t, f
	return nil
}

// newTarget opens a column of numbers in any of the binary formats.
func newTarget(f io.Reader, path string) (*binarySource, error) {
	in, err := newInput(f, path)
	if err != nil {
		return nil, err
	}
	format, err := detect(in)
	if err != nil {
		return nil, err
	}
	switch format {
	case IDX:
		return idxHeader(in)
	case NPY:
		return npyHeader(in)
	}
	return nil, in.fail(0, 0, "a file of targets must be IDX or NPY")
}

// checkDim applies the options on columns.
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

// idxSize is the size of the numbers of an IDX type code; 0: no such type.
func idxSize(code byte) int {
	if k, ok := idxKinds[code]; ok {
		return k.size()
	}
	return 0
}

var idxKinds = map[byte]kind{0x08: u8, 0x09: i8, 0x0b: i16, 0x0c: i32, 0x0d: f32, 0x0e: f64}

// idxHeader reads the header: 0, 0, type, dimensions, then each dimension as a
// big-endian 32-bit number.
func idxHeader(in *input) (*binarySource, error) {
	var head [4]byte
	if _, err := io.ReadFull(in.r, head[:]); err != nil {
		return nil, in.wrap(err, 0)
	}
	k, ok := idxKinds[head[2]]
	if head[0] != 0 || head[1] != 0 || !ok || head[3] == 0 {
		return nil, in.fail(0, 0, "not an IDX file: it starts with % x", head)
	}
	s := &binarySource{in: in, kind: k, order: binary.BigEndian, column: -1, d: 1}
	for i := range int(head[3]) {
		var b [4]byte
		if _, err := io.ReadFull(in.r, b[:]); err != nil {
			return nil, in.wrap(err, 0)
		}
		v := int(binary.BigEndian.Uint32(b[:]))
		if i == 0 {
			s.n = v
			continue
		}
		if s.d *= v; s.d < 1 || s.d > maxDim {
			return nil, in.fail(0, 0, "a row has %d numbers, want 1 to %d", s.d, maxDim)
		}
	}
	return s, nil
}

func newIDX(in *input, o Options) (source, error) {
	if o.Target != "" {
		return nil, wrong("Target", o.Target, IDX)
	}
	s, err := idxHeader(in)
	if err != nil {
		return nil, err
	}
	if err := s.checkDim(o); err != nil {
		return nil, err
	}
	dir, base := filepath.Split(in.name)
	guess := strings.Replace(base, "images-idx3", "labels-idx1", 1)
	if guess == base {
		guess = ""
	} else {
		guess = dir + guess
	}
	return s, s.openTarget(o, guess)
}

var npyMagic = []byte("\x93NUMPY")

// npyHeader reads the header: magic, version, length, and a Python dictionary.
func npyHeader(in *input) (*binarySource, error) {
	var head [8]byte
	if _, err := io.ReadFull(in.r, head[:]); err != nil {
		return nil, in.wrap(err, 0)
	}
	if !bytes.HasPrefix(head[:], npyMagic) {
		return nil, in.fail(0, 0, "not an NPY file: it starts with % x", head)
	}
	var size int
	switch v := head[6]; {
	case v == 1 && head[7] == 0:
		var b [2]byte
		if _, err := io.ReadFull(in.r, b[:]); err != nil {
			return nil, in.wrap(err, 0)
		}
		size = int(binary.LittleEndian.Uint16(b[:]))
	case (v == 2 || v == 3) && head[7] == 0:
		var b [4]byte
		if _, err := io.ReadFull(in.r, b[:]); err != nil {
			return nil, in.wrap(err, 0)
		}
		size = int(binary.LittleEndian.Uint32(b[:]))
	default:
		return nil, in.fail(0, 0, "NPY version %d.%d is not known", v, head[7])
	}
	if size > 1<<16 {
		return nil, in.fail(0, 0, "a header of %d bytes is above the limit of %d", size, 1<<16)
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(in.r, text); err != nil {
		return nil, in.wrap(err, 0)
	}
	descr, fortran, shape, err := npyDict(string(text))
	if err != nil {
		return nil, in.fail(0, 0, "the header is not valid: %v", err)
	}
	s := &binarySource{in: in, column: -1, d: 1, npy: true}
	kinds := map[string]kind{"f8": f64, "f4": f32, "i8": i64, "i4": i32, "i2": i16, "i1": i8, "u8": u64, "u4": u32, "u2": u16, "u1": u8, "b1": u8}
	if len(descr) != 3 {
		return nil, in.fail(0, 0, "numbers of type %q are not supported", descr)
	}
	var ok bool
	if s.kind, ok = kinds[descr[1:]]; !ok {
		return nil, in.fail(0, 0, "numbers of type %q are not supported", descr)
	}
	switch descr[0] {
	case '<', '=':
		s.order = binary.LittleEndian
	case '>':
		s.order = binary.BigEndian
	case '|':
		s.order = binary.LittleEndian
		if s.kind.size() > 1 {
			return nil, in.fail(0, 0, "type %q has no order of bytes", descr)
		}
	default:
		return nil, in.fail(0, 0, "numbers of type %q are not supported", descr)
	}
	if fortran && len(shape) > 1 {
		return nil, in.fail(0, 0, "the array is in Fortran order; save it in C order")
	}
	if len(shape) == 0 {
		return nil, in.fail(0, 0, "the array has no dimensions")
	}
	s.n = shape[0]
	for _, v := range shape[1:] {
		if v > 0 && s.d > maxDim/v || v == 0 {
			return nil, in.fail(0, 0, "a row has %v numbers, want 1 to %d", shape[1:], maxDim)
		}
		s.d *= v
	}
	return s, nil
}

// npyDict parses {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
func npyDict(s string) (descr string, fortran bool, shape []int, err error) {
	s = strings.TrimRight(s, " \n\x00")
	s, ok := strings.CutPrefix(s, "{")
	if ok {
		s, ok = strings.CutSuffix(s, "}")
	}
	if !ok {
		return "", false, nil, fmt.Errorf("%s is not a dictionary", quote([]byte(s)))
	}
	seen := map[string]bool{}
	for {
		s = strings.TrimLeft(s, " ")
		if s == "" {
			break
		}
		key, rest, quoted := cutQuoted(s)
		rest, ok := strings.CutPrefix(strings.TrimLeft(rest, " "), ":")
		if !quoted || !ok || seen[key] {
			return "", false, nil, fmt.Errorf("no entry at %s", quote([]byte(s)))
		}
		seen[key] = true
		s = strings.TrimLeft(rest, " ")
		switch key {
		case "descr":
			if descr, s, ok = cutQuoted(s); !ok {
				return "", false, nil, fmt.Errorf("descr is %s, want a plain type", quote([]byte(s)))
			}
		case "fortran_order":
			if s, ok = strings.CutPrefix(s, "False"); !ok {
				if s, ok = strings.CutPrefix(s, "True"); !ok {
					return "", false, nil, fmt.Errorf("fortran_order is %s", quote([]byte(s)))
				}
				fortran = true
			}
		case "shape":
			var inside string
			if s, ok = strings.CutPrefix(s, "("); ok {
				inside, s, ok = strings.Cut(s, ")")
			}
			if !ok {
				return "", false, nil, fmt.Errorf("shape is %s", quote([]byte(s)))
			}
			inside = strings.TrimSpace(inside)
			if shape == nil {
				shape = []int{}
			}
			for inside != "" {
				part, rest, _ := strings.Cut(inside, ",")
				inside = strings.TrimSpace(rest)
				v, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(part), "L"))
				if err != nil || v < 0 {
					return "", false, nil, fmt.Errorf("shape has %s", quote([]byte(part)))
				}
				shape = append(shape, v)
			}
		default:
			return "", false, nil, fmt.Errorf("entry %s is not known", quote([]byte(key)))
		}
		s = strings.TrimLeft(s, " ")
		if s != "" {
			if s, ok = strings.CutPrefix(s, ","); !ok {
				return "", false, nil, fmt.Errorf("no comma at %s", quote([]byte(s)))
			}
		}
	}
	if !seen["descr"] || !seen["fortran_order"] || !seen["shape"] {
		return "", false, nil, fmt.Errorf("descr, fortran_order or shape is missing")
	}
	return descr, fortran, shape, nil
}

// cutQuoted cuts a string in single or double quotes off the front of s.
func cutQuoted(s string) (text, rest string, ok bool) {
	if s == "" || (s[0] != '\'' && s[0] != '"') {
		return "", s, false
	}
	k := strings.IndexByte(s[1:], s[0])
	if k < 0 {
		return "", s, false
	}
	return s[1 : k+1], s[k+2:], true
}

func newNPY(in *input, o Options) (source, error) {
	s, err := npyHeader(in)
	if err != nil {
		return nil, err
	}
	if o.Target != "" {
		if o.TargetFile != "" || o.Task == NoTarget {
			return nil, wrong("Target", o.Target, NPY)
		}
		k, err := strconv.Atoi(o.Target)
		if err != nil || k < 1 || k > s.d || s.d == 1 {
			return nil, in.fail(0, 0, "there is no column %q beside others, there are %d", o.Target, s.d)
		}
		s.column = k - 1
	}
	if err := s.checkDim(o); err != nil {
		return nil, err
	}
	if s.column >= 0 {
		return s, nil
	}
	guess := ""
	if base, ok := strings.CutSuffix(strings.TrimSuffix(in.name, ".gz"), ".npy"); ok && !strings.HasSuffix(base, targetSuffix) {
		guess = base + targetSuffix + ".npy"
	}
	return s, s.openTarget(o, guess)
}

// targetSuffix marks the file that holds the target of an NPY file.
const targetSuffix = ".target"
