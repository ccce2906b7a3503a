package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"time"
)

// versionHead is the header with the version of the model that answered.
const versionHead = "Model-Version"

// predict answers a POST to /v1/predict or /v1/models/NAME/predict: one JSON object, or a stream with a row in each line.
func (m *served) predict(w http.ResponseWriter, r *http.Request) {
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		m.fail(w, problemf(http.StatusUnsupportedMediaType, "the body is encoded as %.40q: send it plain", e))
		return
	}
	options, p := m.optionsOf(r)
	if p != nil {
		m.fail(w, p)
		return
	}
	switch kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); {
	case kind == "application/json" || r.Header.Get("Content-Type") == "":
	case kind != "application/x-ndjson" && kind != "application/ndjson" && kind != "application/jsonl", err != nil:
		m.fail(w, problemf(http.StatusUnsupportedMediaType, "the body has Content-Type %.80q, want application/json (curl --json) or application/x-ndjson", r.Header.Get("Content-Type")))
		return
	default:
		if p = m.check(options); p == nil && options.Explain {
			p = problemf(http.StatusBadRequest, "the rows of a stream are not explained")
		}
		if p != nil {
			m.fail(w, p)
			return
		}
		m.stream(w, r, options)
		return
	}
	text, p := m.one(w, r, options)
	if p != nil {
		m.fail(w, p)
		return
	}
	w.Header().Set(versionHead, m.version)
	defer m.phase(sending, time.Now())
	m.write(w, http.StatusOK, text)
}

// fewBytes is the length of a body that is read without a share of Limits.Bodies.
const fewBytes = 64 << 10

// body reads the whole body, into the memory of buffer if that is enough. done gives the share of Limits.Bodies back.
func (s *Server) body(w http.ResponseWriter, r *http.Request, buffer []byte) (text []byte, done func(), p *problem) {
	need := r.ContentLength
	switch {
	case need > s.limits.Body:
		return nil, nil, problemf(http.StatusRequestEntityTooLarge, "the body has %d bytes, the limit is %d", need, s.limits.Body)
	case need < 0:
		need = s.limits.Body
	}
	done = nothing
	if need > fewBytes {
		if s.bodies.Add(need) > s.limits.Bodies {
			s.bodies.Add(-need)
			return nil, nil, busy("the bodies of other requests take the memory that there is")
		}
		done = func() { s.bodies.Add(-need) }
	}
	if text, p = s.readBody(w, r, buffer); p != nil {
		done()
	}
	return text, done, p
}

func nothing() {}

func (s *Server) readBody(w http.ResponseWriter, r *http.Request, buffer []byte) ([]byte, *problem) {
	body := r.Body
	if r.ContentLength < 0 { // net/http reads no more than a length that is given
		body = http.MaxBytesReader(w, body, s.limits.Body)
	}
	text := slices.Grow(buffer[:0], int(min(max(r.ContentLength, 0), fewBytes))+1)
	var err error
	for err == nil {
		var n int
		text = slices.Grow(text, 1)
		n, err = body.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
	}
	var large *http.MaxBytesError
	switch {
	case err == io.EOF:
		return text, nil
	case errors.As(err, &large):
		return nil, problemf(http.StatusRequestEntityTooLarge, "the body has more than %d bytes", s.limits.Body)
	case timedOut(err):
		return nil, problemf(http.StatusRequestTimeout, "the body did not arrive within %v", s.limits.Timeout)
	}
	return nil, problemf(http.StatusBadRequest, "the body ends early")
}

// one answers a request whose body is one JSON object, and returns the text of the answer.
func (m *served) one(w http.ResponseWriter, r *http.Request, options answerOptions) ([]byte, *problem) {
	begin := time.Now()
	text, done, p := m.body(w, r, nil)
	if p != nil {
		return nil, p
	}
	defer done()
	late := m.phase(reading, begin).Add(m.limits.Timeout)
	q, p := parse(text, &options)
	if p != nil {
		return nil, p
	}
	if p := m.check(options); p != nil {
		return nil, p
	}
	begin, p = m.enter(r.Context(), time.Now(), late)
	if p != nil {
		return nil, p
	}
	defer m.leave()
	defer m.phase(predicting, begin)
	ctx, cancel := context.WithDeadline(r.Context(), late)
	defer cancel()
	a := &answering{served: m, ctx: ctx, options: options, deadline: late, single: q.rows == nil, batch: m.newBatch()}
	if a.single {
		q.rows = append(append([]byte{'['}, q.row...), ']')
	} else {
		a.out = append(a.out, `{"predictions":[`...)
	}
	var found *problem
	stop := errors.New("stop")
	err := elements(q.rows, func(i int, raw []byte) error {
		if found = a.take(i, raw); found != nil {
			return stop
		}
		return nil
	})
	if err == nil && a.batch.n > 0 {
		found = a.flush()
	}
	if found != nil {
		return nil, found
	}
	if !a.single {
		a.out = append(a.out, ']', '}')
	}
	return append(a.out, '\n'), nil
}

// answering is the state of the answer to a JSON request.
type answering struct {
	*served
	ctx      context.Context // ends at the deadline, or when the client goes away
	options  answerOptions
	deadline time.Time // when the answer must be written
	single   bool      // the request has "row", and its answer is one prediction
	batch    *batch
	before   int // number of rows whose answers are in out
	out      []byte
}

// take reads row i of the request and adds it to the batch.
func (a *answering) take(i int, raw []byte) *problem {
	if i == a.limits.Rows {
		return problemf(http.StatusRequestEntityTooLarge, "more than %d rows in a request", a.limits.Rows)
	}
	if a.options.Explain && i == a.limits.Explain {
		return problemf(http.StatusRequestEntityTooLarge, "more than %d rows to explain in a request", a.limits.Explain)
	}
	if err := a.batch.add(raw); err != nil {
		return a.wrong(i, err)
	}
	if a.batch.n == a.block {
		return a.flush()
	}
	return nil
}

// wrong returns the problem that the client is told when row i is refused.
func (a *answering) wrong(i int, err error) *problem {
	p := a.badRow(err)
	if !a.single {
		p.at(i + 1)
	}
	return p
}

// flush predicts the rows of the batch, appends their answers to a.out, and empties the batch. It returns a problem after the
// deadline.
func (a *answering) flush() (p *problem) {
	if time.Now().After(a.deadline) {
		return problemf(http.StatusServiceUnavailable, "prediction took more than %v, at row %d", a.limits.Timeout, a.before+1)
	}
	err := a.predictBatch(a.ctx, a.batch, a.options, func(i int, answer []byte, err error) {
		if err != nil && p == nil {
			p = a.wrong(a.before+i, err)
		}
		if a.before+i > 0 {
			a.out = append(a.out, ',')
		}
		a.out = append(a.out, answer...)
	})
	if err != nil {
		return a.failed(a.ctx, err)
	}
	a.before += a.batch.n
	a.batch.reset()
	return p
}

// failed is the answer to a request whose rows could not be predicted or explained.
func (m *served) failed(ctx context.Context, err error) *problem {
	switch {
	case errors.Is(err, errOverflow):
		return m.badRow(err)
	case ctx.Err() != nil:
		return problemf(http.StatusServiceUnavailable, "the answer took more than %v", m.limits.Timeout)
	}
	return problemf(http.StatusInternalServerError, "%v", err)
}

// request is the body of a JSON request: a row or rows.
type request struct{ row, rows []byte }

// parse reads the body of a JSON request; what the answer is to hold goes to options.
func parse(text []byte, options *answerOptions) (request, *problem) {
	var q request
	refuse := func(format string, args ...any) (request, *problem) {
		return q, problemf(http.StatusBadRequest, format, args...)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	var raw json.RawMessage
	if err := d.Decode(&raw); err == io.EOF {
		return refuse("the body is empty, want an object")
	} else if err == io.ErrUnexpectedEOF {
		return refuse("the body is not JSON: it ends too early")
	} else if err != nil {
		return refuse("the body is not JSON: %v", err)
	}
	if len(bytes.TrimLeft(text[d.InputOffset():], space)) > 0 {
		return refuse("the body goes on after the object; streams have Content-Type application/x-ndjson")
	}
	if kindOf(raw) != "an object" {
		return refuse("the body is %s, want an object", kindOf(raw))
	}
	seen := map[string]bool{}
	err := members(raw, func(key string, value []byte) error {
		var err error
		switch {
		case seen[key]:
			err = fmt.Errorf("%s is there twice", key)
		case key == "row":
			q.row = value
		case key == "rows" && kindOf(value) != "an array":
			err = fmt.Errorf("rows is %s, want an array of rows", kindOf(value))
		case key == "rows":
			q.rows = value
		case key == "scores":
			if json.Unmarshal(value, &options.Scores) != nil {
				err = fmt.Errorf("scores is %s, want true or false", kindOf(value))
			}
		case key == "unknown":
			if json.Unmarshal(value, &options.Unknown) != nil {
				err = fmt.Errorf("unknown is %s, want true or false", kindOf(value))
			}
		case key == "probabilities":
			if json.Unmarshal(value, &options.Probability) != nil {
				err = fmt.Errorf("probabilities is %s, want true or false", kindOf(value))
			}
		case key == "explain":
			if json.Unmarshal(value, &options.Explain) != nil {
				err = fmt.Errorf("explain is %s, want true or false", kindOf(value))
			}
		case key == "interval":
			if json.Unmarshal(value, &options.Level) != nil {
				err = fmt.Errorf("interval is %.40s, want a number", value)
			}
		case key == "top":
			if json.Unmarshal(value, &options.Top) != nil {
				err = fmt.Errorf("top is %.40s, want a whole number", value)
			}
		default:
			err = fmt.Errorf("unknown field %.40q: there are row, rows, scores, probabilities, interval, top, unknown, explain", key)
		}
		seen[key] = true
		return err
	})
	switch {
	case err != nil:
		return refuse("%v", err)
	case seen["row"] == seen["rows"]:
		return refuse(`want {"row": …} or {"rows": […]}`)
	}
	return q, nil
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

// at adds to p that it is about row i, counted from 1.
func (p *problem) at(i int) {
	p.Row, p.Error = i, fmt.Sprintf("row %d: %s", i, p.Error)
}
