// Package serve answers predictions of a fitted model over HTTP, as gram serve
// does. A Go program loads a model, calls New and mounts the Server in its own
// http.Server, or has it served by Serve:
//
//	m, err := catalog.LoadFitted("model.gram")
//	…
//	err = serve.New(m, serve.Limits{}, nil).Serve(ctx, listener)
//
// The requests are:
//
//	POST /v1/predict   {"row": ROW} or {"rows": [ROW, …]}; "scores": true adds the
//	                   scores of the classes, "top": k gives k labels of a model
//	                   of label sets. With Content-Type application/x-ndjson: one
//	                   ROW a line, answered line by line as they arrive; scores
//	                   and top are then parameters of the URL, which JSON requests
//	                   may use, too.
//	GET  /v1/model     what the model is: columns, classes, limits
//	GET  /healthz      200, and 503 while the server stops
//
// ROW is an array with a number for every column, an object of column numbers
// from 1 and values, {"3": 0.5, "17": 1}, or {"indices": [3, 17], "values":
// [0.5, 1]}; columns that it leaves out are 0. They are the columns of the data
// file that the model was trained on: its scaling is applied here.
//
// The answer to a row is {"class": NAME}, with "scores" in the order of the
// classes (one number for two classes: positive means the second), {"value": v}
// or {"labels": [{"label": l, "score": s}, …]}; that to rows {"predictions":
// […]}. Anything else gets {"error": REASON}, with "row" (or "line") and "column"
// where there is one, both from 1. In a stream such a line takes the place of the
// answer, and the stream goes on.
package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/pipeline"
)

// Limits are what a request may ask for, and the server of its machine. A field
// that is 0 has the value of DefaultLimits.
type Limits struct {
	Body        int64         // bytes of a request, and of a line of a stream
	Rows        int           // rows of a request; a stream has no such limit
	Top         int           // labels for a row
	Timeout     time.Duration // to receive a request and to predict it, each; for a stream, between lines
	Connections int           // connections that are open together; more wait to be accepted
	Grace       time.Duration // for the requests in flight when Serve is told to end
}

// DefaultLimits are the limits of a server that sets none.
var DefaultLimits = Limits{
	Body:        8 << 20,
	Rows:        10_000,
	Top:         1000,
	Timeout:     10 * time.Second,
	Connections: 256,
	Grace:       30 * time.Second,
}

func (l Limits) resolve() Limits {
	d := DefaultLimits
	return Limits{
		Body: cmp.Or(l.Body, d.Body), Rows: cmp.Or(l.Rows, d.Rows), Top: cmp.Or(l.Top, d.Top),
		Timeout: cmp.Or(l.Timeout, d.Timeout), Connections: cmp.Or(l.Connections, d.Connections), Grace: cmp.Or(l.Grace, d.Grace),
	}
}

// Server is an http.Handler that answers the requests of this package's comment.
// It is safe for concurrent use. Serve runs it as a server of its own.
type Server struct {
	model  *pipeline.Model
	limits Limits
	log    *log.Logger
	names  [][]byte // classes as JSON
	block  int      // rows that are predicted together
	mux    *http.ServeMux
	stop   context.Context
	end    context.CancelFunc
}

// blockBytes is the most that dense rows take that are predicted together.
const blockBytes = 4 << 20

// New returns the handler of a model. What goes wrong in the server itself is
// written to l; nil means the standard logger.
func New(m *pipeline.Model, limits Limits, l *log.Logger) *Server {
	limits = limits.resolve()
	if l == nil {
		l = log.Default()
	}
	s := &Server{model: m, limits: limits, log: l, mux: http.NewServeMux()}
	s.block = min(max(1, blockBytes/(8*m.Dim)), 1024)
	s.stop, s.end = context.WithCancel(context.Background())
	for _, name := range m.Names {
		text, err := json.Marshal(name)
		if err != nil {
			panic(err) // a string
		}
		s.names = append(s.names, text)
	}
	s.mux.HandleFunc("/v1/predict", s.only(http.MethodPost, s.predict))
	s.mux.HandleFunc("/v1/model", s.only(http.MethodGet, s.describe))
	s.mux.HandleFunc("/healthz", s.only(http.MethodGet, s.health))
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, &problem{status: http.StatusNotFound, Error: "there are /v1/predict, /v1/model and /healthz"})
	})
	return s
}

// Stop ends streams after the rows that they have received, and makes the server
// unhealthy. Other requests go on: http.Server.Shutdown waits for them. Serve
// calls it; a program that runs an http.Server of its own does so before Shutdown.
func (s *Server) Stop() { s.end() }

// problem is an answer that is an error.
type problem struct {
	status int
	Error  string `json:"error"`
	Row    int    `json:"row,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

func problemf(status int, format string, args ...any) *problem {
	return &problem{status: status, Error: fmt.Sprintf(format, args...)}
}

func (s *Server) fail(w http.ResponseWriter, p *problem) { s.answer(w, p.status, p) }

func (s *Server) answer(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // structs of strings and numbers
	}
	s.write(w, status, append(text, '\n'))
}

func (s *Server) write(w http.ResponseWriter, status int, text []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) // a client that has gone needs no answer
}

// ServeHTTP answers a request. A panic is answered, too, and ends nothing else.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			s.log.Printf("internal error: %v\n%s", p, debug.Stack())
			s.fail(w, problemf(http.StatusInternalServerError, "internal error"))
		}
	}()
	s.mux.ServeHTTP(w, r)
}

// only answers other methods with 405.
func (s *Server) only(method string, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != method && (method != http.MethodGet || r.Method != http.MethodHead) {
			w.Header().Set("Allow", method)
			s.fail(w, problemf(http.StatusMethodNotAllowed, "%s takes %s", r.URL.Path, method))
			return
		}
		h(w, r)
	}
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	type state struct {
		Status string `json:"status"`
	}
	if s.stop.Err() != nil {
		s.answer(w, http.StatusServiceUnavailable, state{"stopping"})
		return
	}
	s.answer(w, http.StatusOK, state{"ok"})
}

func (s *Server) describe(w http.ResponseWriter, _ *http.Request) {
	labels := 0
	if r, ok := s.model.Model.(gram.Ranker); ok {
		labels = r.NumLabels()
	}
	s.answer(w, http.StatusOK, struct {
		Method  string   `json:"method"`
		Task    string   `json:"task"`
		Columns int      `json:"columns"`
		Classes []string `json:"classes,omitempty"`
		Labels  int      `json:"labels,omitempty"`
		Scaled  bool     `json:"scaled"` // the model scales the columns itself
		Body    int64    `json:"max_body"`
		Rows    int      `json:"max_rows"`
		Seconds float64  `json:"timeout_seconds"`
	}{
		s.model.Method, s.model.Task.String(), s.model.Dim, s.model.Names, labels, s.model.Scaling != nil,
		s.limits.Body, s.limits.Rows, s.limits.Timeout.Seconds(),
	})
}

// wish is what a request wants to know.
type wish struct {
	scores bool
	top    int
}

const defaultTop = 5

// wishOf reads the parameters of the URL.
func (s *Server) wishOf(r *http.Request) (wish, *problem) {
	w := wish{top: min(defaultTop, s.limits.Top)}
	for name, values := range r.URL.Query() {
		value := values[len(values)-1]
		var err error
		switch name {
		case "scores":
			w.scores, err = strconv.ParseBool(value)
		case "top":
			w.top, err = strconv.Atoi(value)
		default:
			return w, problemf(http.StatusBadRequest, "there is no parameter %.40q: scores, top", name)
		}
		if err != nil {
			return w, problemf(http.StatusBadRequest, "parameter %s is %.40q", name, value)
		}
	}
	return w, nil
}

// check compares the wish with the model.
func (s *Server) check(w wish) *problem {
	switch {
	case w.scores && s.model.Task != dataset.Classes:
		return problemf(http.StatusBadRequest, "scores are for models of classes")
	case w.top < 1 || w.top > s.limits.Top:
		return problemf(http.StatusBadRequest, "top is %d, want 1 to %d", w.top, s.limits.Top)
	}
	return nil
}

// newBatch returns an empty batch of rows of the model.
func (s *Server) newBatch() *batch { return newBatch(s.model.Dim, s.model.Storage == dataset.Sparse) }

// predictBatch predicts the rows of b and calls use with the answer to each, or
// with what is wrong with it. The text is good until the next call.
func (s *Server) predictBatch(b *batch, w wish, use func(i int, text []byte, err error)) error {
	p, err := s.model.Predict(b.matrix(), w.scores, w.top)
	if err != nil {
		return err
	}
	var text []byte
	for i := range b.n {
		var ok bool
		if text, ok = s.appendAnswer(text[:0], p, i); ok {
			use(i, text, nil)
		} else {
			use(i, nil, errOverflow)
		}
	}
	return nil
}

var errOverflow = errors.New("the prediction is not a finite number: the values are too large for the model")

// appendAnswer appends the answer to row i as JSON; false if a number in it is
// not finite.
func (s *Server) appendAnswer(text []byte, p pipeline.Predictions, i int) ([]byte, bool) {
	finite := true
	float := func(v float64) {
		finite = finite && !math.IsNaN(v) && !math.IsInf(v, 0)
		text = strconv.AppendFloat(text, v, 'g', -1, 64)
	}
	switch {
	case p.Class != nil:
		if p.Class[i] < 0 {
			return text, false
		}
		text = append(append(text, `{"class":`...), s.names[p.Class[i]]...)
		if p.Scores != nil {
			text = append(text, `,"scores":[`...)
			for c, v := range p.Scores.RawRowView(i) {
				if c > 0 {
					text = append(text, ',')
				}
				float(v)
			}
			text = append(text, ']')
		}
	case p.Value != nil:
		text = append(text, `{"value":`...)
		float(p.Value[i])
	default:
		text = append(text, `{"labels":[`...)
		for k, t := range p.Top[i] {
			if k > 0 {
				text = append(text, ',')
			}
			text = strconv.AppendInt(append(text, `{"label":`...), int64(t.Label), 10)
			text = append(text, `,"score":`...)
			float(t.Score)
			text = append(text, '}')
		}
		text = append(text, ']')
	}
	return append(text, '}'), finite
}

// timedOut reports whether err is that of a read deadline.
func timedOut(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
