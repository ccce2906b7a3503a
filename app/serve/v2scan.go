package serve

import (
	"math"
	"strconv"

	"github.com/gramworks/gram/app/pipeline"
)

// scratch is the memory of a request of the protocol, which the next one uses again.
type scratch struct {
	body, out []byte
	batch     *batch
	plain     inference // of requests that scan reads, with the outputs that come without being asked for
}

// scratch returns memory that no other request uses until give.
func (m *served) scratch() *scratch {
	if s, is := m.scratchPool.Get().(*scratch); is {
		return s
	}
	s := &scratch{batch: m.newBatch()}
	q := &s.plain
	q.answerOptions = m.defaultOptions()
	if q.choose(m, nil) != nil || m.check(q.answerOptions) != nil {
		q.outputs = nil // scan leaves all requests to parseInference, which says what is wrong
	}
	q.cell = func(int) (float64, error) {
		v := q.values[0]
		q.values = q.values[1:]
		return v, nil
	}
	return s
}

// give takes memory back, unless a large request has made it large.
func (m *served) give(s *scratch) {
	q := &s.plain
	size := cap(s.body) + cap(s.out) + 8*(cap(q.numbers)+cap(s.batch.dense)) + 12*cap(s.batch.val)
	for _, o := range q.outputs {
		size += cap(o.text)
		o.text, o.bad, o.explanation = o.text[:0], false, nil
	}
	q.predictions = pipeline.Predictions{}
	if size <= 4*fewBytes {
		m.scratchPool.Put(s)
	}
}

// scan reads a request as most clients send it: an object with inputs, which are one tensor of numbers in JSON without
// parameters, and at most an id. It reports false for every other body, right or wrong, which parseInference then reads.
func (q *inference) scan(body []byte, m *served) bool {
	if q.outputs == nil || !m.numbers || m.columns.named() && m.model.Dim == 1 {
		return false
	}
	s := scanner{rest: body}
	q.id = nil
	inputs := false
	ok := s.object(func(key []byte) bool {
		switch {
		case string(key) == "id" && q.id == nil:
			q.id = s.text()
			return q.id != nil
		case string(key) == "inputs" && !inputs:
			inputs = true
			return s.next('[') && q.scanTensor(&s, m) && s.next(']')
		}
		return false
	})
	return ok && inputs && s.end()
}

// scanTensor reads the only tensor of a request, and reports false for anything that parseInference is to read.
func (q *inference) scanTensor(s *scanner, m *served) bool {
	var name, datatype []byte
	var shape [2]int
	width := -1
	ok := s.object(func(key []byte) bool {
		switch {
		case string(key) == "name" && name == nil:
			name = s.text()
			return name != nil
		case string(key) == "datatype" && datatype == nil:
			datatype = s.text()
			return datatype != nil
		case string(key) == "shape" && shape[0] == 0:
			return s.next('[') && s.length(&shape[0]) && s.next(',') && s.length(&shape[1]) && s.next(']')
		case string(key) == "data" && width < 0:
			q.numbers, width = s.numbers(q.numbers[:0])
			return width >= 0
		}
		return false
	})
	if len(datatype) < 2 || width < 0 || width > 0 && width != shape[1] {
		return false
	}
	switch string(datatype[1 : len(datatype)-1]) {
	case "FP64", "FP32", "INT64", "INT32", "INT16", "INT8", "UINT64", "UINT32", "UINT16", "UINT8":
	default:
		return false
	}
	q.n, q.values = shape[0], q.numbers
	return ok && shape[1] == m.model.Dim && q.n <= m.limits.Rows && len(q.values) == q.n*shape[1]
}

// scanner reads a part of JSON: objects, numbers, and texts without escapes. Its methods return false, or nil, where
// the text is anything else.
type scanner struct{ rest []byte }

// peek returns the next byte after white space, 0 at the end.
func (s *scanner) peek() byte {
	for i, c := range s.rest {
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			s.rest = s.rest[i:]
			return c
		}
	}
	s.rest = nil
	return 0
}

// end reports whether nothing but white space is left.
func (s *scanner) end() bool { return s.peek() == 0 && len(s.rest) == 0 }

// next goes beyond c, if that is next.
func (s *scanner) next(c byte) bool {
	if s.peek() != c || len(s.rest) == 0 {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// object reads an object, whose members use reads from the scanner.
func (s *scanner) object(use func(key []byte) bool) bool {
	if !s.next('{') {
		return false
	}
	for {
		key := s.text()
		if key == nil || !s.next(':') || !use(key[1:len(key)-1]) {
			return false
		}
		if !s.next(',') {
			return s.next('}')
		}
	}
}

// text reads a string and returns it with its quotes; nil if there is none, or one with escapes.
func (s *scanner) text() []byte {
	if s.peek() != '"' {
		return nil
	}
	for i, c := range s.rest[1:] {
		switch {
		case c == '"':
			text := s.rest[:i+2]
			s.rest = s.rest[i+2:]
			return text
		case c == '\\' || c < ' ':
			return nil
		}
	}
	return nil
}

// length reads a number of rows or columns, which has up to nine digits.
func (s *scanner) length(n *int) bool {
	s.peek()
	raw := s.number()
	if len(raw) == 0 || len(raw) > 9 {
		return false
	}
	for _, c := range raw {
		if c < '0' || c > '9' {
			return false
		}
		*n = 10**n + int(c-'0')
	}
	return *n > 0
}

// numbers reads an array of numbers, or of arrays of as many numbers, and appends them to dst. width is the length of
// the inner arrays, 0 if there are none, and −1 if this is something else.
func (s *scanner) numbers(dst []float64) (all []float64, width int) {
	if !s.next('[') {
		return dst, -1
	}
	if s.peek() != '[' {
		dst, ok := s.row(dst)
		if !ok {
			return dst, -1
		}
		return dst, 0
	}
	for s.next('[') {
		before := len(dst)
		var ok bool
		if dst, ok = s.row(dst); !ok || width > 0 && len(dst)-before != width {
			return dst, -1
		}
		width = len(dst) - before
		if !s.next(',') {
			if s.next(']') {
				return dst, width
			}
			break
		}
	}
	return dst, -1
}

// row reads one or more numbers, and the bracket that ends them.
func (s *scanner) row(dst []float64) ([]float64, bool) {
	for {
		s.peek()
		raw := s.number()
		if raw == nil {
			return dst, false
		}
		v, err := strconv.ParseFloat(string(raw), 64)
		if err != nil || math.IsInf(v, 0) {
			return dst, false
		}
		dst = append(dst, v)
		if !s.next(',') {
			return dst, s.next(']')
		}
	}
}

// number reads a number as JSON writes it.
func (s *scanner) number() []byte {
	b, i := s.rest, 0
	digits := func() bool {
		from := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if !digits() {
		return nil
	}
	if i < len(b) && b[i] == '.' {
		if i++; !digits() {
			return nil
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return nil
		}
	}
	s.rest = b[i:]
	return b[:i]
}
