package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"
)

var errLong = errors.New("the line is too long")

// lines reads lines of at most limit bytes.
type lines struct {
	r     *bufio.Reader
	limit int64
	buf   []byte
}

// next returns the next line without its end; it is valid until the next call.
// The last line of the input may lack its end. The error is io.EOF after the
// last line.
func (l *lines) next() ([]byte, error) {
	l.buf = l.buf[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		if int64(len(l.buf)+len(part)) > l.limit {
			return nil, errLong
		}
		l.buf = append(l.buf, part...)
		switch {
		case err == nil:
			return bytes.TrimRight(l.buf, space), nil
		case err == bufio.ErrBufferFull:
		case err == io.EOF && len(l.buf) > 0:
			return bytes.TrimRight(l.buf, space), nil
		default:
			return nil, err
		}
	}
}

// ready reports whether a whole line can be read without waiting.
func (l *lines) ready() bool {
	n := l.r.Buffered()
	if n == 0 {
		return false
	}
	have, err := l.r.Peek(n)
	return err == nil && bytes.IndexByte(have, '\n') >= 0
}

// deadlineWriter gives every write the same time limit.
type deadlineWriter struct {
	w       io.Writer
	c       *http.ResponseController
	timeout time.Duration
}

// Write writes b within the time limit from now on.
func (p *deadlineWriter) Write(b []byte) (int, error) {
	_ = p.c.SetWriteDeadline(time.Now().Add(p.timeout))
	return p.w.Write(b)
}

// stream answers a request line by line. Lines that have arrived together are
// predicted together, and answered before more are waited for.
func (m *served) stream(w http.ResponseWriter, r *http.Request, options answerOptions) {
	c := http.NewResponseController(w)
	// Answers are sent while the request still arrives. Where this is
	// impossible (HTTP/1.0, the recorder of a test), the request is read to
	// its end first.
	_ = c.EnableFullDuplex()
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set(versionHead, m.version)
	// The connection is closed after a stream, because net/http panics on the
	// next request of a connection whose full-duplex request was not read to
	// its end.
	w.Header().Set("Connection", "close")
	in := &lines{r: bufio.NewReaderSize(r.Body, 64<<10), limit: m.limits.Body}
	out := bufio.NewWriterSize(&deadlineWriter{w, c, m.limits.Timeout}, 64<<10)
	// The server's own deadlines are for whole requests.
	wait := func() {
		_ = c.SetReadDeadline(time.Now().Add(m.limits.Timeout))
		if m.stop.Err() != nil {
			_ = c.SetReadDeadline(time.Now())
		}
	}
	defer context.AfterFunc(m.stop, func() { _ = c.SetReadDeadline(time.Now()) })()
	s := &streaming{served: m, options: options, batch: m.newBatch(), out: out}
	flush := func() error {
		if err := out.Flush(); err != nil {
			return err
		}
		return c.Flush()
	}
	for {
		if !in.ready() {
			s.predict()
			if out.Buffered() > 0 && flush() != nil {
				return // the client has gone
			}
			wait()
		}
		raw, err := in.next()
		if err == io.EOF {
			break
		}
		s.line++
		if err != nil {
			s.predict()
			s.report(m.broken(err))
			break
		}
		s.take(raw)
	}
	s.predict()
	_ = flush()
}

// streaming is the state of the answer to a stream of rows, one in each line.
type streaming struct {
	*served
	options answerOptions
	batch   *batch
	place   []int  // lines of the rows in batch
	line    int    // number of the line that was read last, from 1
	answers []byte // text of the answers that are not written yet
	out     *bufio.Writer
}

// take takes a line. A row is predicted when the batch is full, or by predict.
func (s *streaming) take(raw []byte) {
	var err error
	switch {
	case len(raw) == 0:
		return
	case !json.Valid(raw):
		err = badf(0, "the line is not JSON")
	default:
		err = s.batch.add(raw)
	}
	if err != nil {
		s.predict()
		s.report(s.badRow(err))
		return
	}
	if s.place = append(s.place, s.line); s.batch.n == s.block {
		s.predict()
	}
}

// report appends a problem, with the number of the line that was read last, to the answers.
func (s *streaming) report(p *problem) {
	p.Line = s.line
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // cannot happen: p has only strings and numbers
	}
	s.answers = append(append(s.answers, text...), '\n')
}

// predict writes the answers to the rows of the batch, in whose turn nothing waits for the client.
func (s *streaming) predict() {
	if s.batch.n > 0 {
		last := s.line
		s.turn()
		s.line, s.place = last, s.place[:0]
		s.batch.reset()
	}
	s.out.Write(s.answers)
	s.answers = s.answers[:0]
}

// turn makes the answers to the rows of the batch when it is their turn. It ends before they are written: a client may be slow to
// read them.
func (s *streaming) turn() {
	s.slots <- struct{}{}
	defer func() { <-s.slots }()
	err := s.predictBatch(context.Background(), s.batch, s.options, func(i int, answer []byte, err error) {
		if s.line = s.place[i]; err != nil {
			s.report(s.badRow(err))
			return
		}
		s.answers = append(append(s.answers, answer...), '\n')
	})
	if err != nil {
		s.report(problemf(0, "%v", err))
	}
}

// broken returns the problem that ends a stream after err.
func (s *Server) broken(err error) *problem {
	switch {
	case err == errLong:
		return problemf(0, "the line has more than %d bytes", s.limits.Body)
	case timedOut(err) && s.stop.Err() != nil:
		return problemf(0, "the server stops")
	case timedOut(err):
		return problemf(0, "no line for %v", s.limits.Timeout)
	}
	return problemf(0, "the stream ends early")
}
