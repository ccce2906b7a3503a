package dataset

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/safefile"
	"gonum.org/v1/gonum/mat"
)

// Write writes s to w. Numbers are written with as many digits as it takes to
// read the same bits back.
//
//	LIBSVM  zeros are left out; without a target the label is 0; class names must be numbers
//	CSV     a header x1,x2,…,target, then all cells; no multi-label sets
//	XML     multi-label sets only
//	NPY     X alone, as float64 in C order; Save writes the target beside it
//
// A value that is not finite is a *gram.DataError, a set that the format cannot
// hold a *gram.ConfigError. IDX is not written.
func Write(w io.Writer, s *Set, f Format) error {
	b := bufio.NewWriterSize(w, 1<<16)
	out, err := newWriter(b, f, s.info())
	if err != nil {
		return err
	}
	if err := out.write(s, 0); err != nil {
		return err
	}
	return b.Flush()
}

func (s *Set) info() Info {
	n, d := s.Dims()
	i := Info{N: n, D: d, Task: s.Task(), Names: s.Labels.Names}
	if s.Tags != nil {
		i.Tags = s.Tags.D
	}
	return i
}

// Save writes s to path in the format of its extension, compressed if it ends
// in .gz. For NAME.npy a target goes to NAME.target.npy: values, or the class
// names as numbers. Files are complete or not there at all.
func Save(path string, s *Set) error {
	return save(path, AutoFormat, s.info(), func(yield func(*Set, error) bool) { yield(s, nil) })
}

// Convert reads the file in and writes out, block by block, so that files may be
// larger than memory. The format of out is to, or that of its extension. in is
// read with o, twice if o leaves anything open. out appears when it is
// complete. run.Progress is told of the rows done.
func Convert(ctx context.Context, in, out string, o Options, to Format, run gram.Run) (Info, error) {
	if to == AutoFormat {
		to = extension(out)
	}
	if err := writable(out, to); err != nil {
		return Info{}, err
	}
	o.Storage = Sparse
	if to == CSV || to == NPY {
		o.Storage = Dense
	}
	if st, err := os.Stat(in); err == nil && !st.IsDir() && !st.Mode().IsRegular() {
		return Info{}, &fs.PathError{Op: "convert", Path: in, Err: errors.New("not a regular file; it is read twice")}
	}
	info, err := Scan(ctx, in, o)
	if err != nil {
		return info, err
	}
	rows := max(1, min(1<<14, 1<<20/max(1, info.D)))
	if o.Storage == Sparse {
		rows = max(1, min(1<<14, int(float64(1<<20)*float64(info.N)/float64(info.NNZ+1))))
	}
	meter := run.Meter()
	done := int64(0)
	err = save(out, to, info, func(yield func(*Set, error) bool) {
		for s, err := range Blocks(ctx, in, info.Options(o), rows) {
			if !yield(s, err) {
				return
			}
			if s != nil {
				n, _ := s.Dims()
				done += int64(n)
				meter.Report(gram.Event{Phase: "convert", Done: done, Total: int64(info.N)})
			}
		}
	})
	return info, err
}

func writable(path string, f Format) error {
	switch f {
	case AutoFormat:
		return &gram.ConfigError{Field: "format", Value: path, Want: "an extension of a known format: .libsvm .csv .tsv .xml.txt .npy"}
	case IDX:
		return &gram.ConfigError{Field: "format", Value: f, Want: "a format that can be written: libsvm, csv, xml or npy"}
	}
	return nil
}

// save writes all blocks to path and, if the format needs it, the target.
func save(path string, f Format, info Info, blocks func(yield func(*Set, error) bool)) error {
	if f == AutoFormat {
		f = extension(path)
	}
	if err := writable(path, f); err != nil {
		return err
	}
	if f != NPY {
		return compressed(path, func(w *bufio.Writer) error {
			return writeBlocks(w, f, path, info, blocks)
		})
	}
	target := targetPath(path)
	if info.Task == NoTarget {
		if _, err := os.Stat(target); err == nil {
			return fmt.Errorf("%s would be read as the target of %s: %w", target, path, fs.ErrExist)
		}
		return compressed(path, func(w *bufio.Writer) error { return writeBlocks(w, f, path, info, blocks) })
	}
	values, err := newTargetWriter(info)
	if err != nil {
		return err
	}
	return compressed(path, func(w *bufio.Writer) error {
		return compressed(target, func(t *bufio.Writer) error {
			if err := npyStart(t, info.N, 0); err != nil {
				return err
			}
			return writeBlocks(w, f, path, info, func(yield func(*Set, error) bool) {
				blocks(func(s *Set, err error) bool {
					if err == nil {
						if err = values(t, s); err != nil {
							s = nil
						}
					}
					return yield(s, err)
				})
			})
		})
	})
}

func writeBlocks(w *bufio.Writer, f Format, path string, info Info, blocks func(yield func(*Set, error) bool)) error {
	out, err := newWriter(w, f, info)
	if err != nil {
		return err
	}
	if c, ok := out.(*csvWriter); ok && strings.HasSuffix(strings.TrimSuffix(strings.ToLower(path), ".gz"), ".tsv") {
		c.w.Comma = '\t'
	}
	var failed error
	at := 0
	blocks(func(s *Set, err error) bool {
		if err == nil {
			err = out.write(s, at)
		}
		if failed = err; err != nil {
			return false
		}
		n, _ := s.Dims()
		at += n
		return true
	})
	if failed == nil && at != info.N {
		failed = fmt.Errorf("%d rows, the first pass saw %d: the file has changed", at, info.N)
	}
	return failed
}

// compressed is safefile.Write with gzip if the name asks for it.
func compressed(path string, write func(w *bufio.Writer) error) error {
	return safefile.Write(path, func(w io.Writer) error {
		if !strings.HasSuffix(strings.ToLower(path), ".gz") {
			b := bufio.NewWriterSize(w, 1<<16)
			if err := write(b); err != nil {
				return err
			}
			return b.Flush()
		}
		z := gzip.NewWriter(w)
		b := bufio.NewWriterSize(z, 1<<16)
		if err := write(b); err != nil {
			return err
		}
		if err := b.Flush(); err != nil {
			return err
		}
		return z.Close()
	})
}

// targetPath is where the target of an NPY file lies.
func targetPath(path string) string {
	base, gz := strings.CutSuffix(path, ".gz")
	base = strings.TrimSuffix(base, ".npy") + targetSuffix + ".npy"
	if gz {
		base += ".gz"
	}
	return base
}

// writer writes blocks of one set; first is the number of the block's first row.
type writer interface {
	write(s *Set, first int) error
}

func newWriter(w *bufio.Writer, f Format, info Info) (writer, error) {
	refuse := func(want string) error {
		return &gram.ConfigError{Field: "task", Value: info.Task, Want: want + " for a file of format " + f.String()}
	}
	switch f {
	case LIBSVM:
		if info.Task == Classes {
			for _, name := range info.Names {
				if _, reason := number([]byte(name)); reason != "" {
					return nil, &gram.ConfigError{Field: "class", Value: strconv.Quote(name), Want: "class names that are numbers for a file of format libsvm"}
				}
			}
		}
		return &libsvmWriter{w: w}, nil
	case CSV:
		if info.Task == MultiLabel {
			return nil, refuse("one target at most")
		}
		return newCSVWriter(w, info)
	case XML:
		if info.Task != MultiLabel {
			return nil, refuse("multilabel")
		}
		_, err := fmt.Fprintf(w, "%d %d %d\n", info.N, info.D, info.Tags)
		return &libsvmWriter{w: w, xml: true}, err
	case NPY:
		return &npyWriter{w}, npyStart(w, info.N, info.D)
	}
	return nil, writable("", f)
}

// cell checks a value that is about to be written.
func cell(row, col int, v float64) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return &gram.DataError{Row: row, Col: col, Value: v}
	}
	return nil
}

// libsvmWriter writes LIBSVM text, or the body of an XML-repository file.
type libsvmWriter struct {
	w   *bufio.Writer
	buf []byte
	xml bool
}

func (l *libsvmWriter) write(s *Set, first int) error {
	n, _ := s.Dims()
	base := 1
	if l.xml {
		base = 0
	}
	x := gram.Of(s.X)
	for i := range n {
		b := l.buf[:0]
		switch s.Task() {
		case Classes:
			b = append(b, s.Labels.Names[s.Labels.Class[i]]...)
		case Regression:
			if err := cell(first+i, -1, s.Value[i]); err != nil {
				return err
			}
			b = strconv.AppendFloat(b, s.Value[i], 'g', -1, 64)
		case MultiLabel:
			tags, _ := s.Tags.Row(i)
			for k, t := range tags {
				if k > 0 {
					b = append(b, ',')
				}
				b = strconv.AppendInt(b, int64(t), 10)
			}
		default:
			b = append(b, '0')
		}
		start := len(b)
		var bad error
		x.Each(i, func(j int, v float64) {
			b = append(b, ' ')
			b = strconv.AppendInt(b, int64(j+base), 10)
			b = append(b, ':')
			b = strconv.AppendFloat(b, v, 'g', -1, 64)
			if bad == nil {
				bad = cell(first+i, j, v)
			}
		})
		if bad != nil {
			return bad
		}
		if len(b) == start {
			if l.xml {
				b = append(b, ' ')
			} else if start == 0 {
				return &gram.DataError{Row: first + i, Col: -3, Reason: "a row without labels and features cannot be written as LIBSVM text"}
			}
		}
		b = append(b, '\n')
		l.buf = b
		if _, err := l.w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

type csvWriter struct {
	w      *csv.Writer
	record []string
	row    []float64
}

func newCSVWriter(w io.Writer, info Info) (*csvWriter, error) {
	c := &csvWriter{w: csv.NewWriter(w), row: make([]float64, info.D)}
	for j := range info.D {
		c.record = append(c.record, "x"+strconv.Itoa(j+1))
	}
	if info.Task != NoTarget {
		c.record = append(c.record, "target")
	}
	return c, nil
}

func (c *csvWriter) write(s *Set, first int) error {
	if first == 0 {
		if err := c.w.Write(c.record); err != nil {
			return err
		}
	}
	n, _ := s.Dims()
	for i := range n {
		for j, v := range mat.Row(c.row, i, s.X) {
			if err := cell(first+i, j, v); err != nil {
				return err
			}
			c.record[j] = strconv.FormatFloat(v, 'g', -1, 64)
		}
		last := len(c.record) - 1
		switch s.Task() {
		case Classes:
			name := s.Labels.Names[s.Labels.Class[i]]
			if strings.TrimSpace(name) != name || name == "" {
				return &gram.DataError{Row: first + i, Col: -1, Reason: fmt.Sprintf("class %q cannot be written as CSV, spaces would be lost", name)}
			}
			c.record[last] = name
		case Regression:
			if err := cell(first+i, -1, s.Value[i]); err != nil {
				return err
			}
			c.record[last] = strconv.FormatFloat(s.Value[i], 'g', -1, 64)
		}
		if err := c.w.Write(c.record); err != nil {
			return err
		}
	}
	c.w.Flush()
	return c.w.Error()
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
			if err := cell(first+i, j, v); err != nil {
				return err
			}
			if err := npyNumber(p.w, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// newTargetWriter returns a function that writes the targets of a block as
// numbers.
func newTargetWriter(info Info) (func(w *bufio.Writer, s *Set) error, error) {
	switch info.Task {
	case MultiLabel:
		return nil, &gram.ConfigError{Field: "task", Value: info.Task, Want: "one target at most for a file of format npy"}
	case Regression:
		return func(w *bufio.Writer, s *Set) error {
			for i, v := range s.Value {
				if err := cell(i, -1, v); err != nil {
					return err
				}
				if err := npyNumber(w, v); err != nil {
					return err
				}
			}
			return nil
		}, nil
	}
	values := make([]float64, len(info.Names))
	for c, name := range info.Names {
		v, reason := number([]byte(name))
		if reason != "" {
			return nil, &gram.ConfigError{Field: "class", Value: strconv.Quote(name), Want: "class names that are numbers for a file of format npy"}
		}
		values[c] = v
	}
	return func(w *bufio.Writer, s *Set) error {
		if len(s.Labels.Names) != len(values) {
			return errors.New("the classes differ between blocks")
		}
		for _, c := range s.Labels.Class {
			if err := npyNumber(w, values[c]); err != nil {
				return err
			}
		}
		return nil
	}, nil
}
