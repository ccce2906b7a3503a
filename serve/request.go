package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"
)

// predict answers POST /v1/predict.
func (s *Server) predict(w http.ResponseWriter, r *http.Request) {
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		s.fail(w, problemf(http.StatusUnsupportedMediaType, "the body is encoded as %.40q: send it plain", e))
		return
	}
	what, p := s.wishOf(r)
	if p != nil {
		s.fail(w, p)
		return
	}
	switch kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind {
	case "application/x-ndjson", "application/ndjson", "application/jsonl":
		if p := s.check(what); p != nil {
			s.fail(w, p)
			return
		}
		s.stream(w, r, what)
		return
	}
	text, p := s.one(w, r, what)
	if p != nil {
		s.fail(w, p)
		return
	}
	s.write(w, http.StatusOK, text)
}

// request is the body of a JSON request.
type request struct {
	Row    json.RawMessage `json:"row"`
	Rows   json.RawMessage `json:"rows"`
	Scores *bool           `json:"scores"`
	Top    *int            `json:"top"`
}

// body reads the whole body.
func (s *Server) body(w http.ResponseWriter, r *http.Request) ([]byte, *problem) {
	if r.ContentLength > s.limits.Body {
		return nil, problemf(http.StatusRequestEntityTooLarge, "the body has %d bytes, the limit is %d", r.ContentLength, s.limits.Body)
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.limits.Body))
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return text, nil
	case errors.As(err, &large):
		return nil, problemf(http.StatusRequestEntityTooLarge, "the body has more than %d bytes", s.limits.Body)
	case timedOut(err):
		return nil, problemf(http.StatusRequestTimeout, "the body did not arrive within %v", s.limits.Timeout)
	}
	return nil, problemf(http.StatusBadRequest, "the body ends early")
}

// one answers a JSON request.
func (s *Server) one(w http.ResponseWriter, r *http.Request, what wish) ([]byte, *problem) {
	text, p := s.body(w, r)
	if p != nil {
		return nil, p
	}
	late := time.Now().Add(s.limits.Timeout)
	var q request
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		return nil, problemf(http.StatusBadRequest, "the body is not as it should be: %v", err)
	}
	if len(bytes.TrimLeft(text[d.InputOffset():], space)) > 0 {
		return nil, problemf(http.StatusBadRequest, "the body goes on after the object; streams have Content-Type application/x-ndjson")
	}
	if q.Scores != nil {
		what.scores = *q.Scores
	}
	if q.Top != nil {
		what.top = *q.Top
	}
	if p := s.check(what); p != nil {
		return nil, p
	}
	single := q.Rows == nil
	switch {
	case single == (q.Row == nil):
		return nil, problemf(http.StatusBadRequest, `want {"row": …} or {"rows": […]}`)
	case single:
		q.Rows = append(append([]byte{'['}, q.Row...), ']')
	case kindOf(q.Rows) != "an array":
		return nil, problemf(http.StatusBadRequest, "rows is %s, want an array of rows", kindOf(q.Rows))
	}
	var out []byte
	if !single {
		out = append(out, `{"predictions":[`...)
	}
	b := s.newBatch()
	done := 0
	flush := func() *problem {
		if time.Now().After(late) {
			return problemf(http.StatusServiceUnavailable, "prediction took more than %v, at row %d", s.limits.Timeout, done+1)
		}
		var p *problem
		err := s.predictBatch(b, what, func(i int, answer []byte, err error) {
			if err != nil && p == nil {
				p = s.badRow(err)
				if !single {
					p.at(done + i + 1)
				}
			}
			if done+i > 0 {
				out = append(out, ',')
			}
			out = append(out, answer...)
		})
		if err != nil {
			return problemf(http.StatusInternalServerError, "%v", err)
		}
		done += b.n
		b.reset()
		return p
	}
	var found *problem
	stop := errors.New("stop")
	err := elements(q.Rows, func(i int, raw []byte) error {
		if i == s.limits.Rows {
			found = problemf(http.StatusRequestEntityTooLarge, "more than %d rows in a request", s.limits.Rows)
			return stop
		}
		if err := b.add(raw); err != nil {
			found = s.badRow(err)
			if !single {
				found.at(i + 1)
			}
			return stop
		}
		if b.n == s.block {
			if found = flush(); found != nil {
				return stop
			}
		}
		return nil
	})
	if err == nil && b.n > 0 {
		found = flush()
	}
	if found != nil {
		return nil, found
	}
	if !single {
		out = append(out, ']', '}')
	}
	return append(out, '\n'), nil
}

// badRow is the answer to a row that cannot be used.
func (s *Server) badRow(err error) *problem {
	p := problemf(http.StatusUnprocessableEntity, "%v", err)
	var bad *badRow
	if errors.As(err, &bad) {
		p.Column = bad.column
	}
	return p
}

// at says that p is about row i, from 1.
func (p *problem) at(i int) {
	p.Row, p.Error = i, fmt.Sprintf("row %d: %s", i, p.Error)
}
