package dataset

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// XML is the multi-label text of the Extreme Classification Repository.
var XML = Format{&codec{
	name:     "xml",
	summary:  "multi-label text of the Extreme Classification Repository",
	suffixes: []string{".xml.txt", ".xmlc"},
	sniff: func(head []byte) likelihood {
		if fields := bytes.Fields(firstLine(head)); len(fields) == 3 && allDigits(fields...) {
			return likely
		}
		return unlikely
	},
	open: newXML,
	write: func(w *bufio.Writer, _ string, info Info) (writer, error) {
		if info.Task != MultiLabel {
			return nil, refuse(info, "multilabel", "xml")
		}
		_, err := fmt.Fprintf(w, "%d %d %d\n", info.N, info.D, info.Tags)
		return &libsvmWriter{w: w, xml: true}, err
	},
}}

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

func newXML(in *textInput, o Options) (source, error) {
	if o.Task == Classes || o.Task == Regression {
		return nil, wrong("Task", o.Task, o.Format)
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
		v, end, large := parseInteger(fields[k], 0)
		if end < len(fields[k]) || large {
			return nil, in.fail(1, bytes.Index(line, fields[k])+1, "%s is not a number of at most %d", quote(fields[k]), maxDim)
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
		at := i
		k, end, large := parseInteger(line, at)
		i = end
		switch {
		case i == at || i == len(line) || line[i] != ':' || large:
			return bad(at, "%s", badPair(line[at:], large))
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
