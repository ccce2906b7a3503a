package dataset

import (
	"bytes"
	"fmt"
	"io"
)

// libsvm reads "label index:value …".
type libsvm struct {
	textSource
	lines *lines
	o     Options
	tags  int8 // 1: labels are lists, −1: they are not, 0: the first row decides
	index []int32
	val   []float64
	list  []int32
}

func newLIBSVM(in *input, o Options) (source, error) {
	s := &libsvm{textSource: textSource{in}, lines: newLines(in, o.MaxLine), o: o}
	switch o.Task {
	case MultiLabel:
		s.tags = 1
	case Classes, Regression:
		s.tags = -1
	}
	return s, nil
}

func (s *libsvm) size() (n, d, tags int) { return -1, -1, -1 }

func blank(c byte) bool { return c == ' ' || c == '\t' }

func (s *libsvm) next(r *row) error {
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
func (s *libsvm) parse(r *row, line []byte, i int) error {
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
		at, k := i, 0
		for i < len(line) && line[i]-'0' < 10 && k <= maxDim {
			k = 10*k + int(line[i]-'0')
			i++
		}
		if i == at || i == len(line) || line[i] != ':' {
			return bad(at, "%s", badPair(line[at:], k > maxDim))
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

func (s *libsvm) badIndex(k, last int) string {
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
	case large && allDigits([][]byte{name}):
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
		start, k := i, 0
		for i < len(s) && s[i]-'0' < 10 && k < maxDim {
			k = 10*k + int(s[i]-'0')
			i++
		}
		switch {
		case k >= maxDim:
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

// xmlText reads the layout of the Extreme Classification Repository.
type xmlText struct {
	textSource
	lines   *lines
	n, d, l int
	seen    int
	index   []int32
	val     []float64
	list    []int32
}

func newXML(in *input, o Options) (source, error) {
	if o.Task == Classes || o.Task == Regression {
		return nil, wrong("Task", o.Task, XML)
	}
	s := &xmlText{textSource: textSource{in}, lines: newLines(in, o.MaxLine)}
	line, err := s.lines.next()
	if err == io.EOF {
		return nil, in.fail(0, 0, "the file is empty")
	}
	if err != nil {
		return nil, err
	}
	fields := bytes.Fields(line)
	if len(fields) != 3 {
		return nil, in.fail(1, 0, "the first line is not \"rows columns labels\"")
	}
	for k, to := range []*int{&s.n, &s.d, &s.l} {
		v := 0
		for _, c := range fields[k] {
			if c-'0' > 9 || v > maxDim {
				return nil, in.fail(1, bytes.Index(line, fields[k])+1, "%s is not a number of at most %d", quote(fields[k]), maxDim)
			}
			v = 10*v + int(c-'0')
		}
		if v > maxDim {
			return nil, in.fail(1, 0, "%d is above the limit of %d", v, maxDim)
		}
		*to = v
	}
	switch {
	case s.n == 0:
		return nil, in.fail(1, 1, "the number of rows is 0")
	case o.Dim > 0 && o.Dim != s.d:
		return nil, in.fail(1, 0, "the file has %d columns, want %d", s.d, o.Dim)
	case s.d > o.MaxDim:
		return nil, in.fail(1, 0, "%d columns are above the limit of %d", s.d, o.MaxDim)
	case o.Tags > 0 && o.Tags != s.l:
		return nil, in.fail(1, 0, "the file has %d labels, want %d", s.l, o.Tags)
	}
	return s, nil
}

func (s *xmlText) size() (n, d, tags int) { return s.n, s.d, s.l }

func (s *xmlText) next(r *row) error {
	line, err := s.lines.next()
	if err == io.EOF && s.seen < s.n {
		return s.in.fail(s.lines.number, 0, "the file ends after %d of %d rows", s.seen, s.n)
	}
	if err != nil {
		return err
	}
	if s.seen == s.n {
		for len(bytes.TrimSpace(line)) == 0 {
			if line, err = s.lines.next(); err != nil {
				return err
			}
		}
		return s.in.fail(s.lines.number, 1, "there are more rows than the %d of the first line", s.n)
	}
	s.seen++
	bad := func(at int, reason string, args ...any) error {
		return s.in.fail(s.lines.number, at+1, reason, args...)
	}
	*r = row{line: s.lines.number, col: 1, isTags: true}
	i := 0
	for i < len(line) && !blank(line[i]) {
		i++
	}
	if bytes.IndexByte(line[:i], ':') >= 0 {
		return bad(0, "a line without labels starts with a space")
	}
	if i == len(line) && i == 0 {
		return bad(0, "the line is empty")
	}
	list, at, reason := tagList(s.list[:0], line[:i])
	if reason != "" {
		return bad(at, "%s", reason)
	}
	if n := len(list); n > 0 && int(list[n-1]) >= s.l {
		return bad(0, "label %d, but labels are numbered from 0 to %d", list[n-1], s.l-1)
	}
	index, val := s.index[:0], s.val[:0]
	last := -1
	for {
		for i < len(line) && blank(line[i]) {
			i++
		}
		if i == len(line) {
			break
		}
		at, k := i, 0
		for i < len(line) && line[i]-'0' < 10 && k <= maxDim {
			k = 10*k + int(line[i]-'0')
			i++
		}
		switch {
		case i == at || i == len(line) || line[i] != ':':
			return bad(at, "%s", badPair(line[at:], k > maxDim))
		case k <= last:
			return bad(at, "feature %d after %d; features must ascend", k, last)
		case k >= s.d:
			return bad(at, "feature %d, but features are numbered from 0 to %d", k, s.d-1)
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
			index = append(index, int32(k))
			val = append(val, v)
		}
	}
	s.index, s.val, s.list = index, val, list
	r.index, r.val, r.tags, r.maxIndex = index, val, list, last+1
	return nil
}
