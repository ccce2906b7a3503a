// Package serve answers requests for predictions of a fitted model over HTTP, as
// gram serve does. A Go program loads a model and calls New; it then mounts the
// Server in an http.Server of its own, or calls Serve:
//
//	m, err := catalog.LoadFitted("model.gram")
//	…
//	err = serve.New(m, serve.Config{}).Serve(ctx, listener)
//
// The requests are
//
//	POST /v1/predict   {"row": ROW} or {"rows": [ROW, …]}; "scores": true adds the
//	                   scores of the classes, "probabilities": true their
//	                   probabilities, "interval": .9 an interval or a set that
//	                   holds the truth with this probability, "top": k gives k
//	                   labels of a model of label sets, "unknown": true the
//	                   columns whose text was not in training, "explain": true what
//	                   each column contributes to the prediction, of a model that has
//	                   rows for that, see Server.SetExplained. With Content-Type
//	                   application/x-ndjson the body has one ROW per line, and
//	                   every line is answered as it arrives; the wishes are then
//	                   parameters of the URL, which is also allowed in JSON
//	                   requests.
//	GET  /v1/model     columns, classes and limits of the model
//	GET  /v1/models    the names of further models, see Server.Set;
//	                   /v1/models/NAME and /v1/models/NAME/predict are theirs
//	GET  /             a page on which a person can try a row of the first model
//	GET  /openapi.json what these paths take and give (OpenAPI 3.1)
//	GET  /v2, …        the Open Inference Protocol with binary tensors, for all models
//	                   that have names: /v2/models/NAME/infer. Inputs are tensors of
//	                   [rows,1], one for each column by its name, or, for a model of
//	                   numbers, one tensor of [rows,columns]. Outputs are class,
//	                   scores, probabilities and set (a row of truth values), or
//	                   value, low and high, or labels and scores; those that are not
//	                   asked for by name are left out if they are scores of classes.
//	                   The parameters interval, top and explain of a request are as above;
//	                   explain adds mean and contributions.
//	GET  /metrics      requests, times and rows for Prometheus
//	GET  /livez        200
//	GET  /readyz       200, and 503 while the server stops; also /healthz
//
// ROW is an array with a cell for every column, or an object that maps the names of
// all columns to cells in any order, {"age": 52, "color": "red"}. The columns are those
// of the data file that the model was trained on; the server encodes and scales them. A
// cell is a number, or a text if the column is a category, or null if cells of the column
// were missing in training, too. If the training file had no names, an object maps
// column numbers from 1 to values, {"3": 0.5, "17": 1}. A model of numbers alone also
// takes {"indices": [3, 17], "values": [0.5, 1]}. In the last two forms columns that are
// left out are 0.
//
// The version of a model is the beginning of the SHA-256 sum of its file as this program
// writes it. Answers have it in the header Model-Version or in the field model_version.
// The trace of a request with the header traceparent (W3C Trace Context) goes into the log.
//
// The answer to a row is {"class": NAME}, with "scores" in the order of the
// classes (a single number for two classes; a positive one means the second),
// "probabilities" in that order and "set", the names of classes, {"value": v}, with the
// bounds "low" and "high" of an interval, or {"labels": [{"label": l, "score": s}, …]}; "unknown" has
// the numbers of columns, from 1. "explanation" is {"output": NAME, "unit": "score", "probability" or
// "value", "mean": m, "contributions": […]}, a number for each column, which with the mean of the rows of
// Server.SetExplained add up to the score or the probability of the class, the score of the best label, or the value;
// "exact" says that they are Shapley values by TreeSHAP, and not an estimate. The answer to rows
// is {"predictions": […]}. A request that cannot be answered gets {"error":
// REASON}, with "row" (or "line") and "column", both from 1, if the reason
// concerns one. In a stream such a line takes the place of the answer, and the
// stream goes on.
package serve

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/explain"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/prometheus/client_golang/prometheus"
	"gonum.org/v1/gonum/mat"
)

// Limits bound what a request may ask for and what the server takes of its
// machine. A field that is 0 has the value of DefaultLimits.
type Limits struct {
	Body        int64         // largest request, and largest line of a stream, in bytes
	Bodies      int64         // bytes of all requests together that have more than 64 KiB; further ones get 503
	Rows        int           // rows of a request; a stream may have any number
	Top         int           // labels for a row
	Explain     int           // rows of a request that are explained
	Timeout     time.Duration // to receive a request, and again to predict it; for a stream, between two lines
	Active      int           // requests that are predicted at a time; further ones wait for their turn
	Queue       int           // requests that wait for their turn; further ones get 503
	Connections int           // open connections; for a further one, that without a request for longest is closed
	Drain       time.Duration // how long Serve still answers when it is told to end, closing each connection with its answer
	Grace       time.Duration // how long Serve waits after that for the requests in flight
}

// DefaultLimits has the limits that a server uses if none are given.
var DefaultLimits = Limits{
	Body:        8 << 20,
	Bodies:      256 << 20,
	Rows:        10_000,
	Top:         1000,
	Explain:     16,
	Timeout:     10 * time.Second,
	Active:      2 * runtime.GOMAXPROCS(0),
	Queue:       1024,
	Connections: 2048,
	Drain:       2 * time.Second,
	Grace:       30 * time.Second,
}

func (l Limits) resolve() Limits {
	d := DefaultLimits
	return Limits{
		Body: cmp.Or(l.Body, d.Body), Bodies: cmp.Or(l.Bodies, d.Bodies), Rows: cmp.Or(l.Rows, d.Rows), Top: cmp.Or(l.Top, d.Top), Explain: cmp.Or(l.Explain, d.Explain),
		Timeout: cmp.Or(l.Timeout, d.Timeout), Active: cmp.Or(l.Active, d.Active), Queue: cmp.Or(l.Queue, d.Queue),
		Connections: cmp.Or(l.Connections, d.Connections), Drain: cmp.Or(l.Drain, d.Drain), Grace: cmp.Or(l.Grace, d.Grace),
	}
}

// Config are the settings of a server. The zero Config answers everybody.
type Config struct {
	Limits
	// Token, if set, must come with every request as "Authorization: Bearer TOKEN",
	// but for those of /livez, /readyz and /healthz.
	Token string
	// Hosts, if set, are the values of the header Host that are answered, without
	// port. They keep a web page of another name from asking a server on the
	// machine of its reader.
	Hosts []string
	// Log takes what goes wrong in the server itself, as errors, and every request
	// at level debug. Nil is slog.Default().
	Log *slog.Logger
	// Version is the version of the program; GET /v2 reports it.
	Version string
}

// Server is an http.Handler that answers the requests of this package's comment.
// It is safe for concurrent use. Serve runs it as a server of its own.
type Server struct {
	limits  Limits
	token   [sha256.Size]byte // of Config.Token
	guarded bool
	hosts   []string
	log     *slog.Logger
	program string // version of the program, from Config.Version
	metrics *metrics
	models  atomic.Pointer[[]*served] // the first is that of /v1/predict
	change  sync.Mutex                // held while models are replaced
	mux     *http.ServeMux
	open    *http.ServeMux // paths that need no token; see openPaths
	slots   chan struct{}
	waiting atomic.Int64
	bodies  atomic.Int64 // bytes of requests that are read or answered
	crowded atomic.Bool  // a client waits for a connection
	stop    context.Context
	end     context.CancelFunc
}

// served is a model under a name, with what answers need of it.
type served struct {
	*Server
	name        string
	version     string // the first digits of hash
	hash        string // SHA-256 of the file that the model makes, "" if it makes none
	model       *pipeline.Model
	begin       []byte   // of the answers of the protocol: the name and the version as JSON
	names       [][]byte // classes as JSON
	columns     *columns
	block       int // rows that are predicted together
	rows        prometheus.Counter
	numbers     bool      // no column has texts or missing cells
	scratchPool sync.Pool // of *scratch

	explainer *explain.Rows // nil: predictions are not explained
}

// blockBytes is the largest size of dense rows that are predicted together.
const blockBytes = 4 << 20

// New returns a server with the model m, which /v1/predict answers with.
func New(m *pipeline.Model, c Config) *Server {
	s := &Server{limits: c.Limits.resolve(), guarded: c.Token != "", token: sha256.Sum256([]byte(c.Token)), hosts: c.Hosts, log: c.Log, program: c.Version}
	if s.log == nil {
		s.log = slog.Default()
	}
	s.metrics = newMetrics(s)
	s.slots = make(chan struct{}, s.limits.Active)
	s.stop, s.end = context.WithCancel(context.Background())
	s.models.Store(&[]*served{})
	s.Set("", m)
	s.mux, s.open = http.NewServeMux(), http.NewServeMux()
	s.handle(http.MethodPost, "/v1/predict", func(w http.ResponseWriter, r *http.Request) { s.first().predict(w, r) })
	s.handle(http.MethodGet, "/v1/model", func(w http.ResponseWriter, _ *http.Request) { s.first().describe(w) })
	s.handle(http.MethodGet, "/v1/models", s.list)
	s.handle(http.MethodGet, "/v1/models/{name}", s.named(func(m *served, w http.ResponseWriter, _ *http.Request) { m.describe(w) }))
	s.handle(http.MethodPost, "/v1/models/{name}/predict", s.named((*served).predict))
	s.protocolPaths()
	s.handle(http.MethodGet, "/{$}", s.index)
	s.handle(http.MethodGet, "/openapi.json", s.openAPI)
	s.handle(http.MethodGet, "/metrics", s.metrics.handler.ServeHTTP)
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, problemf(http.StatusNotFound, "there are /, /openapi.json, /v1/predict, /v1/model, /v1/models, /v1/models/NAME, /v1/models/NAME/predict, /v2 and what the Open Inference Protocol has below it, /metrics, /livez, /readyz and /healthz"))
	})
	for _, path := range openPaths {
		answer := s.ready
		if strings.HasSuffix(path, "/live") || path == "/livez" {
			answer = s.live
		}
		s.open.HandleFunc(path, s.only(http.MethodGet, answer))
	}
	return s
}

// openPaths are the paths that need no token: they say whether the server is up, and nothing of a model.
var openPaths = []string{"/livez", "/readyz", "/healthz", "/v2/health/live", "/v2/health/ready"}

// Set gives the server a model under a name, in place of one that has this name already: requests that are being answered keep
// the model that they began with. The name "" stands for the model of /v1/predict, any other name for that of /v1/models/NAME.
func (s *Server) Set(name string, m *pipeline.Model) { s.set(name, m, nil) }

// SetExplained is Set with rows of the model's data, encoded but not scaled, beside which its predictions are explained from
// the first request on. A request then takes as many predictions as 10 000 rows for each row that it wants explained, of
// Limits.Explain at most. The error says why the model cannot be explained: the server then keeps what it has under the name.
func (s *Server) SetExplained(name string, m *pipeline.Model, rows mat.Matrix) error {
	e, err := explain.NewRows(m, rows)
	if err == nil {
		s.set(name, m, e)
	}
	return err
}

func (s *Server) set(name string, m *pipeline.Model, e *explain.Rows) {
	n := &served{Server: s, name: name, model: m, names: m.JSONNames(), columns: newColumns(m.Schema, func(column string) { s.metrics.unknown.WithLabelValues(name, column).Inc() }), block: min(max(1, blockBytes/(8*m.Width())), 1024), rows: s.metrics.rows.WithLabelValues(name), explainer: e}
	n.numbers = n.columns == nil || !m.Schema.Mixed()
	if h := sha256.New(); modelfile.Write(h, m) == nil {
		n.hash = hex.EncodeToString(h.Sum(nil))
		n.version = n.hash[:12]
	}
	quoted, _ := json.Marshal(name) // a string
	n.begin = fmt.Appendf(nil, `{"model_name":%s,"model_version":%q`, quoted, n.version)
	s.change.Lock()
	defer s.change.Unlock()
	models := slices.Clone(*s.models.Load())
	if at := slices.IndexFunc(models, func(o *served) bool { return o.name == name }); at >= 0 {
		models[at] = n
	} else {
		models = append(models, n)
	}
	s.models.Store(&models)
}

// explain returns the explanation of row i of a batch, whose predictions are p, as JSON.
func (m *served) explain(ctx context.Context, b *batch, p pipeline.Predictions, i int) ([]byte, error) {
	e, err := m.explainRow(ctx, b, p, i)
	if err != nil {
		return nil, err
	}
	return json.Marshal(e)
}

func (m *served) explainRow(ctx context.Context, b *batch, p pipeline.Predictions, i int) (*explain.Explanation, error) {
	row := slices.Clone(gram.Of(b.matrix()).Row(make([]float64, b.dim), i))
	e, err := m.explainer.Row(ctx, row, p, i)
	if err != nil {
		return nil, err
	}
	for _, v := range append(e.Contributions, e.Mean) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, errOverflow
		}
	}
	return e, nil
}

func (s *Server) first() *served { return (*s.models.Load())[0] }

// named returns the handler that looks up the model that the path names and calls h with it.
func (s *Server) named(h func(m *served, w http.ResponseWriter, r *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, m := range (*s.models.Load())[1:] {
			if m.name != r.PathValue("name") {
				continue
			}
			if v := r.PathValue("version"); v != "" && v != m.version {
				s.fail(w, problemf(http.StatusNotFound, "model %.80q has the version %q, not %.40q", m.name, m.version, v))
				return
			}
			h(m, w, r)
			return
		}
		s.fail(w, problemf(http.StatusNotFound, "there is no model %.80q; GET /v1/models lists them", r.PathValue("name")))
	}
}

// list answers GET /v1/models with the names and versions of all models but that of /v1/predict.
func (s *Server) list(w http.ResponseWriter, _ *http.Request) {
	names, versions := []string{}, map[string]string{}
	for _, m := range (*s.models.Load())[1:] {
		names = append(names, m.name)
		versions[m.name] = m.version
	}
	s.answer(w, http.StatusOK, struct {
		Models   []string          `json:"models"`
		Versions map[string]string `json:"versions"`
	}{names, versions})
}

// Admin returns a handler of /livez, /readyz and /metrics alone, for a listener of
// its own. It asks for no token.
func (s *Server) Admin() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", s.open)
	mux.Handle("/metrics", s.only(http.MethodGet, s.metrics.handler.ServeHTTP))
	return mux
}

// handle answers a path that is for those who have the token.
func (s *Server) handle(method, path string, h http.HandlerFunc) {
	s.mux.HandleFunc(path, s.only(method, h))
}

// enter waits for the turn of a request from begin until deadline, and returns when the turn came. leave ends it.
func (s *Server) enter(ctx context.Context, begin, deadline time.Time) (turn time.Time, p *problem) {
	defer func() { turn = s.phase(waiting, begin) }()
	select {
	case s.slots <- struct{}{}:
		return turn, nil
	default:
	}
	defer s.waiting.Add(-1)
	if s.waiting.Add(1) > int64(s.limits.Queue) {
		return turn, busy("%d requests are waiting", s.limits.Queue)
	}
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case s.slots <- struct{}{}:
		return turn, nil
	case <-timer.C:
		return turn, busy("it was not the request's turn within %v", s.limits.Timeout)
	case <-ctx.Done():
		return turn, busy("the client has gone")
	}
}

// leave frees the slot that enter has taken, so that a waiting request can begin.
func (s *Server) leave() { <-s.slots }

// busy is the answer to a request that may come again in a second.
func busy(format string, args ...any) *problem {
	p := problemf(http.StatusServiceUnavailable, format, args...)
	p.Error = "the server is busy: " + p.Error
	p.retry = true
	return p
}

// Stop ends streams after the rows that they have received, and makes the server
// not ready. Other requests go on and are answered with Connection: close, so that
// their clients leave; http.Server.Shutdown waits for them. Serve calls Stop; a
// program that runs an http.Server of its own does so before Shutdown.
func (s *Server) Stop() { s.end() }

// problem is an answer that reports an error.
type problem struct {
	status int
	retry  bool   // later, it may be answered
	Error  string `json:"error"`
	Row    int    `json:"row,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

func problemf(status int, format string, args ...any) *problem {
	return &problem{status: status, Error: fmt.Sprintf(format, args...)}
}

func (s *Server) fail(w http.ResponseWriter, p *problem) {
	if p.retry {
		w.Header().Set("Retry-After", "1")
	}
	s.answer(w, p.status, p)
}

func (s *Server) answer(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot happen: v has only strings and numbers
	}
	s.write(w, status, append(text, '\n'))
}

func (s *Server) write(w http.ResponseWriter, status int, text []byte) {
	s.send(w, status, kindJSON, text)
}

// The values of Content-Type in answers, as net/http takes them: nobody changes them.
var kindJSON, kindBytes = []string{"application/json"}, []string{"application/octet-stream"}

// shortAnswer is the length in bytes up to which net/http finds the Content-Length of an answer itself.
const shortAnswer = 2 << 10

func (s *Server) send(w http.ResponseWriter, status int, kind []string, text []byte) {
	h := w.Header()
	h["Content-Type"] = kind
	if len(text) > shortAnswer {
		h.Set("Content-Length", strconv.Itoa(len(text)))
	}
	if s.stop.Err() != nil || s.crowded.Load() {
		h.Set("Connection", "close")
	}
	w.WriteHeader(status)
	_, _ = w.Write(text) // an error means that the client has gone
}

// ServeHTTP answers a request. A panic while answering gives status 500 and does
// not affect other requests.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := &noted{ResponseWriter: w, begin: time.Now()}
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			s.log.Error("internal error", "panic", p, "stack", string(debug.Stack()))
			s.fail(n, problemf(http.StatusInternalServerError, "internal error"))
		}
		s.note(n, r)
	}()
	if slices.Contains(openPaths, r.URL.Path) {
		s.open.ServeHTTP(n, r)
		return
	}
	if p := s.refuse(r); p != nil {
		s.fail(n, p)
		return
	}
	if m := s.inferring(r); m != nil {
		m.infer(n, r)
		return
	}
	s.mux.ServeHTTP(n, r)
}

// refuse is the answer to a request that may not ask; nil if it may.
func (s *Server) refuse(r *http.Request) *problem {
	if s.hosts != nil {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if !slices.Contains(s.hosts, host) {
			return problemf(http.StatusMisdirectedRequest, "the host %.80q is not served here", r.Host)
		}
	}
	if s.guarded {
		token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		sum := sha256.Sum256([]byte(token)) // so that the comparison takes the same time for all lengths
		if !found || subtle.ConstantTimeCompare(sum[:], s.token[:]) != 1 {
			return problemf(http.StatusUnauthorized, "want the header Authorization: Bearer with the token of this server")
		}
	}
	return nil
}

// only answers requests with other methods with status 405.
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

type state struct {
	Status string `json:"status"`
}

// live answers with status 200 as long as the process runs.
func (s *Server) live(w http.ResponseWriter, _ *http.Request) {
	s.answer(w, http.StatusOK, state{"ok"})
}

// ready answers with status 200, or 503 once the server has begun to stop.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	if s.stop.Err() != nil {
		s.answer(w, http.StatusServiceUnavailable, state{"stopping"})
		return
	}
	s.answer(w, http.StatusOK, state{"ok"})
}

func (m *served) describe(w http.ResponseWriter) {
	var names []string
	target := ""
	if m.columns.named() {
		target = m.model.Schema.Target
		for _, c := range m.model.Schema.Columns {
			names = append(names, c.Name)
		}
	}
	m.answer(w, http.StatusOK, struct {
		Method  string   `json:"method"`
		Task    string   `json:"task"`
		Columns int      `json:"columns"`
		Names   []string `json:"names,omitempty"` // of the columns
		Target  string   `json:"target,omitempty"`
		Classes []string `json:"classes,omitempty"`
		Labels  int      `json:"labels,omitempty"`
		Scaled  bool     `json:"scaled"` // the model scales the columns itself
		Proba   bool     `json:"probabilities"`
		Sets    bool     `json:"intervals"` // of values, or sets of classes
		Explain bool     `json:"explains"`
		Body    int64    `json:"max_body"`
		Rows    int      `json:"max_rows"`
		Seconds float64  `json:"timeout_seconds"`
		Version string   `json:"version,omitempty"`
		Hash    string   `json:"sha256,omitempty"`
	}{
		m.model.Method, m.model.Task.String(), m.model.Dim, names, target, m.model.Names, m.labels(), m.model.Scaling != nil, m.model.Probabilities() != nil, m.model.Intervals(), m.explainer != nil,
		m.limits.Body, m.limits.Rows, m.limits.Timeout.Seconds(), m.version, m.hash,
	})
}

// labels returns the number of labels of a model of label sets, else 0.
func (m *served) labels() int {
	if r, ok := m.model.Model.(gram.Ranker); ok {
		return r.NumLabels()
	}
	return 0
}

// answerOptions says what the answer to a request is to hold.
type answerOptions struct {
	pipeline.Want
	Explain bool // what the columns contribute to each prediction
}

const defaultTop = 5

// defaultOptions returns what the answer holds if the request asks for nothing in particular.
func (s *Server) defaultOptions() answerOptions {
	return answerOptions{Want: pipeline.Want{Top: min(defaultTop, s.limits.Top)}}
}

// optionsOf reads from the parameters of the URL what the answer is to hold; the last one of a name counts, and an unknown one is
// a problem.
func (s *Server) optionsOf(r *http.Request) (answerOptions, *problem) {
	w := s.defaultOptions()
	for name, values := range r.URL.Query() {
		value := values[len(values)-1]
		var err error
		switch name {
		case "scores":
			w.Scores, err = strconv.ParseBool(value)
		case "unknown":
			w.Unknown, err = strconv.ParseBool(value)
		case "probabilities":
			w.Probability, err = strconv.ParseBool(value)
		case "interval":
			w.Level, err = strconv.ParseFloat(value, 64)
		case "top":
			w.Top, err = strconv.Atoi(value)
		case "explain":
			w.Explain, err = strconv.ParseBool(value)
		default:
			return w, problemf(http.StatusBadRequest, "there is no parameter %.40q: scores, probabilities, interval, top, unknown, explain", name)
		}
		if err != nil {
			return w, problemf(http.StatusBadRequest, "parameter %s is %.40q", name, value)
		}
	}
	return w, nil
}

// check returns a problem if the model cannot give what w asks for.
func (m *served) check(w answerOptions) *problem {
	switch {
	case w.Scores && m.model.Task != dataset.Classes:
		return problemf(http.StatusBadRequest, "scores are for models of classes")
	case w.Top < 1 || w.Top > m.limits.Top:
		return problemf(http.StatusBadRequest, "top is %d, want 1 to %d", w.Top, m.limits.Top)
	}
	if w.Explain {
		if m.explainer == nil {
			return problemf(http.StatusBadRequest, "the server has no rows beside which predictions are explained: gram serve --explain FILE gives it some")
		}
	}
	if err := m.model.Check(w.Want); err != nil {
		return problemf(http.StatusBadRequest, "%v", err)
	}
	return nil
}

// mostDense is the largest number of columns of dense rows that do not come as a table.
const mostDense = 1 << 20

// newBatch returns an empty batch of rows of the model. Rows of very many columns are sparse whatever
// the file of the model says, as a row may name few of them.
func (m *served) newBatch() *batch {
	wide := m.model.Dim > mostDense && !m.columns.named()
	return newBatch(m.columns, m.model.Dim, wide || m.model.Storage == dataset.Sparse)
}

// predictBatch predicts the rows of b and calls use with the answer to each, or
// with what is wrong with it. The text is good until the next call.
func (m *served) predictBatch(ctx context.Context, b *batch, w answerOptions, use func(i int, text []byte, err error)) error {
	m.rows.Add(float64(b.n))
	p, err := m.model.Answer(b.matrix(), w.Want)
	if err != nil {
		return err
	}
	var text []byte
	for i := range b.n {
		var ok bool
		if text, ok = p.AppendJSON(text[:0], i, m.names); !ok {
			use(i, nil, errOverflow)
			continue
		}
		if w.Explain {
			e, err := m.explain(ctx, b, p, i)
			if err != nil {
				return err
			}
			text = append(append(append(text[:len(text)-1], `,"explanation":`...), e...), '}')
		}
		use(i, text, nil)
	}
	return nil
}

var errOverflow = errors.New("the prediction is not a finite number: the values are too large for the model")

// timedOut reports whether err says that a read deadline has passed.
func timedOut(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
