package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gramworks/gram/app/internal/par"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/serve"
	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/dataset"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"
)

type serveFlags struct {
	models       []string
	addr, admin  string
	limits       serve.Limits
	body, bodies byteSize
	cert, key    string
	token        string // file
	hosts        []string
	watch        time.Duration
	requests     bool
	memory       limit // of one model; 0: a quarter of the machine's
	explain      []string
}

func newServe() *cobra.Command {
	o := serveFlags{limits: serve.DefaultLimits, body: byteSize(serve.DefaultLimits.Body), bodies: byteSize(serve.DefaultLimits.Bodies)}
	c := &cobra.Command{
		Use:   "serve --model MODEL",
		Short: "Answer predictions over HTTP",
		Long: `serve answers predictions of stored models over HTTP.

  POST /v1/predict                {"row": ROW} or {"rows": [ROW, ...]}
  GET  /v1/model                  columns, classes and limits
  GET  /v1/models                 names of the models
  GET  /v1/models/NAME            the same of one of several models
  POST /v1/models/NAME/predict
  GET  /                          a page on which a person can try a row
  GET  /openapi.json              what the paths take and give (OpenAPI 3.1)
  GET  /v2, ...                   the Open Inference Protocol, version 2
  POST /v2/models/NAME/infer      with binary tensors, as KServe and Triton clients speak it
  GET  /metrics                   counts and times for Prometheus
  GET  /livez                     200 while the process runs
  GET  /readyz, /healthz          200, and 503 while the server stops

ROW is an array with a number for every column of the data that the model was trained
on, or an object: {"3": 0.5, "17": 1} or {"indices": [3, 17], "values": [0.5, 1]}, in
which columns count from 1, as in LIBSVM text, and missing columns are 0. For a model of a
table it names the columns, {"age": 30, "city": "Bern"}, and null is a missing cell. A
scaling that is stored with the model is applied. "scores": true adds the scores of the
classes, "probabilities": true their probabilities, "interval": LEVEL intervals or sets as
gram predict does, "top": K asks for K labels of a model of label sets, and "unknown": true
adds the numbers of the columns whose text was not in training. "explain": true adds what each
column contributes to the score, the probability or the value, from its mean over rows that
--explain FILE gives: Shapley values for trees, and otherwise an estimate, which takes as long
as 10 000 predictions. With Content-Type application/x-ndjson the body has any number of lines with one ROW each, and every line
is answered as it arrives; the URL then takes ?scores=true and ?top=K.

The answer to a row is {"class": NAME}, {"value": V} or {"labels": [...]}, and the answer
to rows is {"predictions": [...]}. A request that cannot be answered gets
{"error": REASON} and a status 4xx; a busy server answers 503 with Retry-After.

The answer's header Model-Version is the beginning of the SHA-256 sum of the model, which
/v1/model and /v2/models/NAME tell, too. With --log-requests the log has the trace of
requests that come with the header traceparent.

--model may be given several times, as FILE or NAME=FILE (default: the name of the file).
The first model also answers /v1/predict. The models are read again on SIGHUP, and with
--watch whenever a file has changed; if a file cannot be read, its old model stays. Replace
a file by renaming a new one, as gram fit does. A file that needs more memory than
--model-memory is refused, so that two models, the old and the new one, find room.

After SIGTERM or Ctrl-C /readyz answers 503 and each connection is closed with its next
answer; then the server stops listening, finishes the requests in flight and ends.
gram compile makes models that answer faster.`,
		Example: `  gram serve --model model.gram --addr 127.0.0.1:8080
  curl --json '{"row": [5.1, 3.5, 1.4, 0.2], "scores": true}' http://127.0.0.1:8080/v1/predict
  curl -T rows.ndjson -X POST -H 'Content-Type: application/x-ndjson' http://127.0.0.1:8080/v1/predict
  gram serve --model a.gram --model b=other.gram --admin 127.0.0.1:8081 --token-file token --watch 10s`,
		Args: cobra.NoArgs,
	}
	o.define(c.Flags())
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error { return o.run(ctx, c) }).runE
	return c
}

func (o *serveFlags) define(f *pflag.FlagSet) {
	d := serve.DefaultLimits
	f.StringArrayVar(&o.models, "model", nil, "model `FILE`, or NAME=FILE; may be repeated")
	f.StringVar(&o.addr, "addr", "127.0.0.1:8080", "`HOST:PORT` to listen on; port 0: any free port")
	f.StringVar(&o.admin, "admin", "", "`HOST:PORT` for /livez, /readyz and /metrics alone, without a token (default: --addr has them)")
	f.Var(&o.body, "max-body", "largest size of a request, or of a line of a stream")
	f.Var(&o.bodies, "max-bodies", "largest size of all large requests together; further ones get 503")
	f.IntVar(&o.limits.Rows, "max-rows", d.Rows, "largest number of rows in a request; a stream has no limit")
	f.IntVar(&o.limits.Top, "max-top", d.Top, "largest number of labels for a row")
	f.IntVar(&o.limits.Active, "max-active", d.Active, "requests that are predicted at the same time; further ones wait")
	f.IntVar(&o.limits.Queue, "max-queue", d.Queue, "largest number of requests that wait; further ones get 503")
	f.IntVar(&o.limits.Connections, "max-connections", d.Connections, "largest number of open connections; idle ones are closed to make room for new ones")
	f.DurationVar(&o.limits.Timeout, "timeout", d.Timeout, "time to receive a request, and to answer it; for a stream, between lines")
	f.DurationVar(&o.limits.Drain, "drain", d.Drain, "time after SIGTERM in which clients are still answered, and told to leave")
	f.DurationVar(&o.limits.Grace, "grace", d.Grace, "time for the requests in flight after that")
	f.StringVar(&o.cert, "tls-cert", "", "`FILE` with the certificates of the server (PEM); read again on SIGHUP")
	f.StringVar(&o.key, "tls-key", "", "`FILE` with their key (PEM)")
	f.StringVar(&o.token, "token-file", "", "`FILE` with a token that requests must bring as Authorization: Bearer TOKEN")
	f.StringSliceVar(&o.hosts, "host", nil, "`HOST` that requests may name as theirs; may be repeated (default: any)")
	f.Var(&o.memory, "model-memory", "most memory to read a model with, for example 500MB or 2GiB, or none (default: a quarter of the memory of the machine or the container)")
	f.StringArrayVar(&o.explain, "explain", nil, "`FILE`, or NAME=FILE, with rows and targets like those the first model, or that of this NAME, was trained on: up to 200 are drawn, beside which predictions are explained; may be repeated")
	f.IntVar(&o.limits.Explain, "max-explain", d.Explain, "largest number of rows in a request that wants explanations")
	f.DurationVar(&o.watch, "watch", 0, "how often to look whether model files have changed (default: only on SIGHUP)")
	f.BoolVar(&o.requests, "log-requests", false, "write a line for every request to standard error")
}

// check returns an error for a flag that is missing, out of range, or given without another that it needs.
func (o *serveFlags) check() error {
	if len(o.models) == 0 {
		return usagef("--model is missing")
	}
	for _, c := range []struct {
		name  string
		value int
	}{
		{"max-rows", o.limits.Rows}, {"max-top", o.limits.Top}, {"max-active", o.limits.Active}, {"max-queue", o.limits.Queue},
		{"max-explain", o.limits.Explain}, {"max-connections", o.limits.Connections}, {"max-body", int(min(o.body, 1))}, {"max-bodies", int(min(o.bodies, 1))},
	} {
		if c.value < 1 {
			return usagef("--%s is %d, want at least 1", c.name, c.value)
		}
	}
	switch {
	case o.limits.Timeout <= 0:
		return usagef("--timeout is %v, want more than 0", o.limits.Timeout)
	case o.limits.Grace < 0:
		return usagef("--grace is %v, want at least 0", o.limits.Grace)
	case o.limits.Drain < 0:
		return usagef("--drain is %v, want at least 0", o.limits.Drain)
	case o.watch < 0:
		return usagef("--watch is %v, want at least 0", o.watch)
	case (o.cert == "") != (o.key == ""):
		return usagef("--tls-cert and --tls-key go together")
	}
	o.limits.Body, o.limits.Bodies = int64(o.body), int64(o.bodies)
	o.limits.Grace, o.limits.Drain = max(o.limits.Grace, 1), max(o.limits.Drain, 1) // 0 would mean the default
	return nil
}

func (o *serveFlags) run(ctx context.Context, c *cobra.Command) error {
	if err := o.check(); err != nil {
		return err
	}
	level := slog.LevelInfo
	if o.requests {
		level = slog.LevelDebug
	}
	config := serve.Config{Limits: o.limits, Hosts: o.hosts, Version: thisVersion().Version, Log: slog.New(slog.NewTextHandler(c.ErrOrStderr(), &slog.HandlerOptions{Level: level}))}
	if o.token != "" {
		text, err := par.Await(ctx, func() ([]byte, error) { return os.ReadFile(o.token) })
		if err != nil {
			return err
		}
		if config.Token = strings.TrimSpace(string(text)); config.Token == "" {
			return fmt.Errorf("%s: there is no token in it", o.token)
		}
	}
	if o.memory == 0 {
		o.memory = limit(bench.Memory() / 4)
	}
	files, err := openModels(ctx, o.models, max(0, int64(o.memory)))
	if err != nil {
		return err
	}
	if err := explainedBy(files, o.explain); err != nil {
		return err
	}
	server := serve.New(files[0].model, config)
	for i, f := range files {
		f.first = i == 0
		if err := f.give(ctx, server); err != nil {
			return err
		}
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.addr)
	if err != nil {
		return err
	}
	scheme := "http"
	certificate := &certificate{cert: o.cert, key: o.key}
	if o.cert != "" {
		if err := certificate.read(); err != nil {
			l.Close()
			return err
		}
		scheme, l = "https", tls.NewListener(l, &tls.Config{GetCertificate: certificate.get, MinVersion: tls.VersionTLS12})
	}
	if o.admin != "" {
		admin, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.admin)
		if err != nil {
			l.Close()
			return err
		}
		side := &http.Server{Handler: server.Admin(), ReadHeaderTimeout: 5 * time.Second, ErrorLog: slog.NewLogLogger(config.Log.Handler(), slog.LevelWarn)}
		go side.Serve(admin) // until Close
		defer side.Close()
		fmt.Fprintf(c.OutOrStdout(), "admin on http://%s\n", admin.Addr())
	}
	for _, f := range files {
		fmt.Fprintf(c.OutOrStdout(), "%s: %s on %s://%s\n", f.path, describe(f.model), scheme, l.Addr())
	}
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGHUP)
	defer signal.Stop(again)
	go o.reload(ctx, again, files, server, certificate, config.Log)
	return server.Serve(ctx, l)
}

// modelFile is a file that is served under a name.
type modelFile struct {
	name, path string
	model      *pipeline.Model
	info       os.FileInfo // when it was read
	first      bool
	memory     int64  // limit of what reading it takes; 0: none
	explain    string // file with rows beside which predictions are explained, empty: none
}

// backgroundRows are the rows beside which predictions are explained, at most.
const backgroundRows = 200

// explainedBy notes which files hold the rows for explanations: FILE is for the first model, NAME=FILE for that of the name.
func explainedBy(files []*modelFile, args []string) error {
	for _, arg := range args {
		name, path, found := strings.Cut(arg, "=")
		if !found || strings.ContainsAny(name, `/\`) {
			name, path = files[0].name, arg
		}
		k := slices.IndexFunc(files, func(f *modelFile) bool { return f.name == name })
		switch {
		case k < 0:
			return usagef("--explain %s: there is no --model of the name %q", arg, name)
		case files[k].explain != "":
			return usagef("--explain %s: the model %s has rows already", arg, name)
		}
		files[k].explain = path
	}
	return nil
}

// give gives the model to a server, with the rows for explanations. With an error the server has the model without rows.
func (f *modelFile) give(ctx context.Context, s *serve.Server) error {
	names := []string{f.name}
	if f.first {
		names = append(names, "")
	}
	rows, err := f.background(ctx)
	for _, name := range names {
		if rows != nil && err == nil {
			if err = s.SetExplained(name, f.model, rows); err == nil {
				continue
			}
			err = fmt.Errorf("%s: %w", f.explain, err)
		}
		s.Set(name, f.model)
	}
	return err
}

// background is the rows beside which predictions are explained, nil if there is no file of them.
func (f *modelFile) background(ctx context.Context) (mat.Matrix, error) {
	if f.explain == "" {
		return nil, nil
	}
	read := dataset.Options{Task: f.model.Task}
	if f.model.Task == dataset.Classes {
		read.Names = f.model.Names
	}
	rows, err := drawRows(ctx, f.explain, f.model.Options(read), backgroundRows, 1)
	if err != nil {
		return nil, err
	}
	return rows.X, nil
}

// openModels reads the models of FILE or NAME=FILE, each within the limit of memory; 0: none.
func openModels(ctx context.Context, args []string, memory int64) ([]*modelFile, error) {
	var files []*modelFile
	for _, arg := range args {
		name, path, found := strings.Cut(arg, "=")
		if !found || strings.ContainsAny(name, `/\`) {
			path = arg
			name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		}
		if name == "" || slices.ContainsFunc(files, func(f *modelFile) bool { return f.name == name }) {
			return nil, usagef("--model %s: want a name of its own, as in NAME=FILE", arg)
		}
		f := &modelFile{name: name, path: path, memory: memory}
		if err := f.read(ctx); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// read reads the model within the memory limit, and notes the state of the file for changed. After an error the old model stays.
func (f *modelFile) read(ctx context.Context) error {
	info, err := os.Stat(f.path)
	if err != nil {
		return err
	}
	f.info = info // also if it cannot be read: it is not read again before it changes
	m, err := load(ctx, f.path, f.memory)
	if err != nil {
		return err
	}
	f.model = m
	return nil
}

// changed reports whether the file is another one than was read.
func (f *modelFile) changed() bool {
	info, err := os.Stat(f.path)
	return err == nil && (!os.SameFile(info, f.info) || info.Size() != f.info.Size() || !info.ModTime().Equal(f.info.ModTime()))
}

// reload reads the models again at a signal, and looks every o.watch for those that have
// changed, until ctx is done.
func (o *serveFlags) reload(ctx context.Context, hangups <-chan os.Signal, files []*modelFile, s *serve.Server, c *certificate, log *slog.Logger) {
	var tick <-chan time.Time
	if o.watch > 0 {
		t := time.NewTicker(o.watch)
		defer t.Stop()
		tick = t.C
	}
	for {
		all := true
		select {
		case <-ctx.Done():
			return
		case <-hangups:
			if o.cert != "" {
				if err := c.read(); err != nil {
					log.Error("the certificate stays", "error", err)
				}
			}
		case <-tick:
			all = false
		}
		for _, f := range files {
			if !all && !f.changed() {
				continue
			}
			if err := f.read(ctx); err != nil {
				log.Error("the model stays", "model", f.name, "error", err)
				continue
			}
			if err := f.give(ctx, s); err != nil {
				log.Error("predictions are not explained", "model", f.name, "error", err)
			}
			log.Info("model read", "model", f.name, "is", describe(f.model))
		}
	}
}

// certificate is what a server proves its name with over TLS; its files are read again on SIGHUP.
type certificate struct {
	cert, key string
	now       atomic.Pointer[tls.Certificate]
}

func (c *certificate) read() error {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err == nil {
		c.now.Store(&pair)
	}
	return err
}

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.now.Load(), nil }

// describe returns a short description of a model.
func describe(m *pipeline.Model) string {
	s := fmt.Sprintf("%s, %d columns", m.Method, m.Dim)
	if len(m.Names) > 0 {
		s += fmt.Sprintf(", %d classes", len(m.Names))
	}
	return s
}
