package dataset

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"

	"github.com/gramworks/gram"
)

// LIBSVM is the text that LIBSVM and SVMlight read.
var LIBSVM = Format{&codec{
	name:     "libsvm",
	summary:  "LIBSVM (SVMlight) text: label index:value ..., indices from 1",
	suffixes: []string{".libsvm", ".svm", ".svmlight"},
	sniff:    sniffLIBSVM,
	open:     newLIBSVM,
	write:    newLIBSVMWriter,
	lines:    true,
}}

func sniffLIBSVM(head []byte) likelihood {
	line := firstLine(head)
	switch fields := bytes.Fields(line); {
	case len(fields) == 1 && !bytes.ContainsAny(line, ",;"):
		if _, reason := parseNumber(line); reason == "" {
			return likely
		}
	case len(fields) > 1:
		if name, _, ok := bytes.Cut(fields[1], []byte{':'}); ok && (string(name) == "qid" || allDigits(name)) {
			return likely
		}
	}
	return unlikely
}

// libsvmSource reads rows of the form "label index:value …".
type libsvmSource struct {
	textSource
	lines *lines
	o     Options
	tags  int8 // 1: labels are lists, −1: they are not, 0: the first row decides
	index []int32
	val   []float64
	list  []int32
}

func newLIBSVM(in *textInput, o Options) (source, error) {
	s := &libsvmSource{textSource: textSource{in}, lines: newLines(in, o.MaxLine), o: o}
	switch o.Task {
	case MultiLabel:
		s.tags = 1
	case Classes, Regression:
		s.tags = -1
	}
	return s, nil
}

func (s *libsvmSource) size() (n, d, tags int) { return -1, -1, -1 }

func blank(c byte) bool { return c == ' ' || c == '\t' }

func (s *libsvmSource) next(r *row) error {
	for {
		line, err := s.lines.next()
		if err != nil {
			return err
		}
		if k := bytes.IndexByte(line, '#'); k >= 0 {
			line = line[:k]
		}
		i := 0
		for i < len(line) && blank(line[i]) {
			i++
		}
		if i == len(line) {
			continue
		}
		return s.parse(r, line, i)
	}
}

// parse reads a line whose first character that is not blank is at i.
func (s *libsvmSource) parse(r *row, line []byte, i int) error {
	bad := func(at int, reason string, args ...any) error {
		return s.in.fail(s.lines.number, at+1, reason, args...)
	}
	*r = row{line: s.lines.number, col: i + 1}
	start := i
	for i < len(line) && !blank(line[i]) {
		i++
	}
	label := line[start:i]
	colon := bytes.IndexByte(label, ':') >= 0
	if s.tags == 0 {
		s.tags = -1
		if bytes.IndexByte(label, ',') >= 0 {
			s.tags = 1
		}
	}
	switch {
	case s.tags > 0:
		if colon {
			label, i = nil, start
		}
		list, at, reason := tagList(s.list[:0], label)
		if reason != "" {
			return bad(start+at, "%s", reason)
		}
		s.list = list
		r.tags, r.isTags = list, true
		if n := len(list); s.o.Tags > 0 && n > 0 && int(list[n-1]) >= s.o.Tags {
			return bad(start, "label %d, but labels are numbered from 0 to %d", list[n-1], s.o.Tags-1)
		}
	case colon:
		return bad(start, "the label is missing: the line starts with %s", quote(label))
	default:
		if s.o.Task != NoTarget {
			r.target, r.hasText = label, true
		}
	}

	limit := s.o.MaxDim
	if s.o.Dim > 0 {
		limit = s.o.Dim
	}
	index, val := s.index[:0], s.val[:0]
	last := 0
	for {
		for i < len(line) && blank(line[i]) {
			i++
		}
		if i == len(line) {
			break
		}
		at := i
		k, end, large := parseInteger(line, at)
		if i = end; i == at || i == len(line) || line[i] != ':' || large {
			return bad(at, "%s", badPair(line[at:], large))
		}
		if k <= last || k > limit {
			return bad(at, "%s", s.badIndex(k, last))
		}
		last = k
		i++
		first := i
		v, end, reason := numberAt(line, i)
		if reason != "" {
			return bad(first, "%s", reason)
		}
		i = end
		if v != 0 {
			index = append(index, int32(k-1))
			val = append(val, v)
		}
	}
	s.index, s.val = index, val
	r.index, r.val, r.maxIndex = index, val, last
	return nil
}

func (s *libsvmSource) badIndex(k, last int) string {
	switch {
	case k == 0:
		return "index 0; indices start at 1"
	case k <= last:
		return fmt.Sprintf("index %d after %d; indices must ascend", k, last)
	case s.o.Dim > 0:
		return fmt.Sprintf("index %d, but there are %d columns", k, s.o.Dim)
	}
	return fmt.Sprintf("index %d is above the limit of %d", k, s.o.MaxDim)
}

func badPair(rest []byte, large bool) string {
	token, _, _ := bytes.Cut(rest, []byte{' '})
	token, _, _ = bytes.Cut(token, []byte{'\t'})
	name, _, ok := bytes.Cut(token, []byte{':'})
	switch {
	case large && allDigits(name):
		return fmt.Sprintf("index %s is above the limit of %d", name, maxDim)
	case ok && string(name) == "qid":
		return "qid (groups of a ranking problem) is not supported"
	case ok:
		return quote(name) + " is not an index"
	}
	return quote(token) + " is not index:value"
}

// tagList parses "3,7,9": numbers from 0, ascending. at is where reason
// applies.
func tagList(dst []int32, s []byte) (list []int32, at int, reason string) {
	if len(s) == 0 {
		return dst, 0, ""
	}
	last := -1
	for i := 0; ; i++ {
		start := i
		k, end, _ := parseInteger(s, start)
		i = end
		switch {
		case k == maxDim:
			return dst, start, fmt.Sprintf("a label is above the limit of %d", maxDim-1)
		case i == start || (i < len(s) && s[i] != ','):
			return dst, start, quote(s[start:]) + " is not a list of label numbers"
		case k <= last:
			return dst, start, fmt.Sprintf("label %d after %d; labels must ascend", k, last)
		}
		last = k
		dst = append(dst, int32(k))
		if i == len(s) {
			return dst, 0, ""
		}
	}
}

func newLIBSVMWriter(w *bufio.Writer, _ string, info Info) (writer, error) {
	_, err := classNumbers(info, "libsvm")
	return &libsvmWriter{w: w}, err
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
			if err := checkCell(first+i, -1, s.Value[i]); err != nil {
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
				bad = checkCell(first+i, j, v)
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
