package dataset

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// NPY is the format of a NumPy array.
var NPY = Format{&codec{
	name:     "npy",
	summary:  "array of NumPy; the target is in NAME.target.npy",
	suffixes: []string{".npy"},
	sniff: func(head []byte) likelihood {
		if bytes.HasPrefix(head, npyMagic) {
			return certain
		}
		return unlikely
	},
	target:     true,
	targetFile: true,
	open:       newNPY,
	write: func(w *bufio.Writer, _ string, info Info) (writer, error) {
		return &npyWriter{w}, npyStart(w, info.N, info.D)
	},
	dense:       true,
	targetPath:  npyTargetPath,
	writeTarget: newNPYTargetWriter,
}}

var npyMagic = []byte("\x93NUMPY")

// npyHeader reads the header: magic, version, length, and a Python dictionary.
func npyHeader(in *textInput) (*binarySource, error) {
	var head [8]byte
	if _, err := io.ReadFull(in.r, head[:]); err != nil {
		return nil, in.wrap(err, 0)
	}
	if !bytes.HasPrefix(head[:], npyMagic) {
		return nil, in.fail(0, 0, "not an NPY file: it starts with % x", head)
	}
	var size int64
	switch v := head[6]; {
	case v == 1 && head[7] == 0:
		var b [2]byte
		if _, err := io.ReadFull(in.r, b[:]); err != nil {
			return nil, in.wrap(err, 0)
		}
		size = int64(binary.LittleEndian.Uint16(b[:]))
	case (v == 2 || v == 3) && head[7] == 0:
		var b [4]byte
		if _, err := io.ReadFull(in.r, b[:]); err != nil {
			return nil, in.wrap(err, 0)
		}
		size = int64(binary.LittleEndian.Uint32(b[:]))
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
	s := &binarySource{in: in, column: -1, d: 1}
	kinds := map[string]elementType{"f8": f64, "f4": f32, "i8": i64, "i4": i32, "i2": i16, "i1": i8, "u8": u64, "u4": u32, "u2": u16, "u1": u8, "b1": u8}
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

func newNPY(in *textInput, o Options) (source, error) {
	s, err := npyHeader(in)
	if err != nil {
		return nil, err
	}
	if o.Target != "" {
		if o.TargetFile != "" || o.Task == NoTarget {
			return nil, wrong("Target", o.Target, o.Format)
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

// npyTargetPath is where the target of the NPY file at path lies.
func npyTargetPath(path string) string {
	base, gz := strings.CutSuffix(path, ".gz")
	base = strings.TrimSuffix(base, ".npy") + targetSuffix + ".npy"
	if gz {
		base += ".gz"
	}
	return base
}

type npyWriter struct{ w *bufio.Writer }

// npyStart writes the header of version 1.0 for n rows of d numbers, d = 0: one
// dimension.
func npyStart(w *bufio.Writer, n, d int) error {
	shape := fmt.Sprintf("(%d, %d)", n, d)
	if d == 0 {
		shape = fmt.Sprintf("(%d,)", n)
	}
	text := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': %s, }", shape)
	for (10+len(text)+1)%64 != 0 {
		text += " "
	}
	text += "\n"
	head := append(append([]byte{}, npyMagic...), 1, 0)
	head = binary.LittleEndian.AppendUint16(head, uint16(len(text)))
	_, err := w.Write(append(head, text...))
	return err
}

func npyNumber(w *bufio.Writer, v float64) error {
	_, err := w.Write(binary.LittleEndian.AppendUint64(w.AvailableBuffer(), math.Float64bits(v)))
	return err
}

func (p *npyWriter) write(s *Set, first int) error {
	n, d := s.Dims()
	row := make([]float64, d)
	for i := range n {
		for j, v := range mat.Row(row, i, s.X) {
			if err := checkCell(first+i, j, v); err != nil {
				return err
			}
			if err := npyNumber(p.w, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// npyTargetWriter writes the targets of rows as numbers.
type npyTargetWriter struct {
	w       *bufio.Writer
	classes []float64 // the classes' numbers
}

func newNPYTargetWriter(w *bufio.Writer, info Info) (writer, error) {
	if info.Task == MultiLabel {
		return nil, refuse(info, "one target at most", "npy")
	}
	classes, err := classNumbers(info, "npy")
	if err != nil {
		return nil, err
	}
	return &npyTargetWriter{w, classes}, npyStart(w, info.N, 0)
}

func (t *npyTargetWriter) write(s *Set, first int) error {
	for i, v := range s.Value {
		if err := checkCell(first+i, -1, v); err != nil {
			return err
		}
		if err := npyNumber(t.w, v); err != nil {
			return err
		}
	}
	if len(s.Labels.Names) != len(t.classes) {
		return errors.New("the classes differ between blocks")
	}
	for _, c := range s.Labels.Class {
		if err := npyNumber(t.w, t.classes[c]); err != nil {
			return err
		}
	}
	return nil
}
