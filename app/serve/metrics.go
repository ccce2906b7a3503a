package serve

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics holds the metrics of one server, in a registry of their own.
type metrics struct {
	handler  http.Handler
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	phases   [phases]prometheus.Observer
	rows     *prometheus.CounterVec
	unknown  *prometheus.CounterVec

	known atomic.Pointer[map[answered]series]
}

// answered is what requests and seconds tell apart.
type answered struct {
	path   string
	status int
}

// series holds the metrics of answered requests to one path: requests is of one status, seconds of all.
type series struct {
	requests prometheus.Counter
	seconds  prometheus.Observer
}

// of returns the metrics of requests to a path with a status, of which there are few.
func (m *metrics) of(a answered) series {
	for {
		known := m.known.Load()
		if s, is := (*known)[a]; is {
			return s
		}
		more := maps.Clone(*known)
		more[a] = series{m.requests.WithLabelValues(a.path, strconv.Itoa(a.status)), m.seconds.WithLabelValues(a.path)}
		m.known.CompareAndSwap(known, &more)
	}
}

// phase is a part of the time of a request that is answered as a whole.
type phase int

const (
	reading    phase = iota // its body
	waiting                 // for its turn
	predicting              // with what it takes to parse the rows and to write down the answers
	sending                 // the answer
	phases
)

var phaseNames = [phases]string{reading: "read", waiting: "wait", predicting: "predict", sending: "send"}

func newMetrics(s *Server) *metrics {
	times := []float64{1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, .1, .25, .5, 1, 2.5, 5, 10}
	parts := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "gram_phase_seconds", Help: "Time of a request for predictions, but a stream, to read its body, to wait for its turn, to predict and to send the answer.", Buckets: times,
	}, []string{"phase"})
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gram_requests_total", Help: "Requests by path and status code.",
		}, []string{"path", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "gram_request_seconds", Help: "Time from the head of a request to the end of its answer, by path.",
			Buckets: times[3:],
		}, []string{"path"}),
		rows: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gram_rows_total", Help: "Rows that were predicted, by name of the model; the empty name is that of /v1/predict.",
		}, []string{"model"}),
		unknown: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gram_unknown_levels_total", Help: "Cells whose text was not in the column in training, by name of the model and column.",
		}, []string{"model", "column"}),
	}
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	r := prometheus.NewRegistry()
	r.MustRegister(m.requests, m.seconds, parts, m.rows, m.unknown,
		gauge("gram_requests_active", "Requests that are being predicted.", func() float64 { return float64(len(s.slots)) }),
		gauge("gram_requests_waiting", "Requests that wait for their turn.", func() float64 { return float64(s.waiting.Load()) }),
		gauge("gram_body_bytes", "Memory that large requests have reserved.", func() float64 { return float64(s.bodies.Load()) }))
	for p, name := range phaseNames {
		m.phases[p] = parts.WithLabelValues(name)
	}
	m.known.Store(&map[answered]series{})
	m.handler = promhttp.HandlerFor(r, promhttp.HandlerOpts{})
	return m
}

// phase notes that a part of a request has taken the time since then, and returns the time at which it ended.
func (s *Server) phase(p phase, since time.Time) time.Time {
	now := time.Now()
	s.metrics.phases[p].Observe(now.Sub(since).Seconds())
	return now
}

// traceID returns the trace of a request that comes with the header traceparent of the W3C's Trace Context, or "".
func traceID(h http.Header) string {
	part := strings.Split(h.Get("Traceparent"), "-")
	if len(part) < 4 || len(part[0]) != 2 || part[0] == "ff" || part[0] == "00" && len(part) > 4 || len(part[1]) != 32 || len(part[2]) != 16 || len(part[3]) != 2 {
		return ""
	}
	for _, p := range part[:4] {
		if strings.Trim(p, "0123456789abcdef") != "" {
			return ""
		}
	}
	if strings.Trim(part[1], "0") == "" || strings.Trim(part[2], "0") == "" {
		return ""
	}
	return part[1]
}

// noted is a writer that keeps the status of the answer.
type noted struct {
	http.ResponseWriter
	begin  time.Time
	status int
}

// WriteHeader keeps the status for note, and writes it.
func (n *noted) WriteHeader(status int) {
	n.status = status
	n.ResponseWriter.WriteHeader(status)
}

// Unwrap returns the writer below, as http.ResponseController wants it.
func (n *noted) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// note counts and logs a request that has been answered.
func (s *Server) note(n *noted, r *http.Request) {
	took := time.Since(n.begin)
	status := n.status
	if status == 0 {
		status = http.StatusOK
	}
	path := r.Pattern
	if path == "" {
		path = "/"
	}
	series := s.metrics.of(answered{path, status})
	series.requests.Inc()
	series.seconds.Observe(took.Seconds())
	if s.log.Enabled(context.Background(), slog.LevelDebug) {
		about := []any{"method", r.Method, "path", r.URL.Path, "status", status, "seconds", took.Seconds(), "from", r.RemoteAddr}
		if id := traceID(r.Header); id != "" {
			about = append(about, "trace", id)
		}
		s.log.Debug("request", about...)
	}
}
