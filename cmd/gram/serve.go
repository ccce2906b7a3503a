package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gramworks/gram/catalog"
	"github.com/gramworks/gram/internal/serve"
	"github.com/spf13/cobra"
)

func newServe() *cobra.Command {
	var (
		model, addr string
		limits      serve.Limits
		body        = byteSize(8 << 20)
		connections int
		grace       time.Duration
	)
	c := &cobra.Command{
		Use:   "serve --model MODEL",
		Short: "Answer predictions over HTTP",
		Long: `serve answers predictions of a stored model over HTTP.

  POST /v1/predict   {"row": ROW} or {"rows": [ROW, ...]}
  GET  /v1/model     columns, classes and limits
  GET  /healthz      200, and 503 while the server stops

ROW is an array with a number for every column of the data the model was trained
on, or {"3": 0.5, "17": 1} or {"indices": [3, 17], "values": [0.5, 1]} with columns
from 1, as in LIBSVM text, and 0 elsewhere. A scaling stored with the model is
applied. "scores": true adds the scores of the classes, "top": K asks for K labels
of a model of label sets. With Content-Type application/x-ndjson the body is one
ROW a line, of any number, and is answered line by line as it arrives (?scores=true
and ?top=K in the URL).

Answers are {"class": NAME}, {"value": V} or {"labels": [...]}, {"predictions": [...]}
for rows, and {"error": REASON} with status 4xx for what cannot be answered.

On SIGTERM or Ctrl-C the server takes no more connections, finishes the requests in
flight and ends. gram compile makes models that answer faster.`,
		Example: `  gram serve --model model.gram --addr 127.0.0.1:8080
  curl -d '{"row": [5.1, 3.5, 1.4, 0.2], "scores": true}' http://127.0.0.1:8080/v1/predict
  curl -T rows.ndjson -X POST -H 'Content-Type: application/x-ndjson' http://127.0.0.1:8080/v1/predict`,
		Args: cobra.NoArgs,
	}
	f := c.Flags()
	f.StringVar(&model, "model", "", "model `FILE`")
	f.StringVar(&addr, "addr", "127.0.0.1:8080", "`HOST:PORT` to listen on; port 0: any that is free")
	f.Var(&body, "max-body", "bytes of a request, or of a line of a stream, at most")
	f.IntVar(&limits.Rows, "max-rows", 10_000, "rows of a request at most; a stream has no limit")
	f.IntVar(&limits.Top, "max-top", 1000, "labels for a row at most")
	f.IntVar(&connections, "max-connections", 256, "connections at most; more wait")
	f.DurationVar(&limits.Timeout, "timeout", 10*time.Second, "time to receive a request, and to answer it; for a stream, between lines")
	f.DurationVar(&grace, "grace", 30*time.Second, "time for the requests in flight after SIGTERM")
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error {
		switch {
		case model == "":
			return usagef("--model is missing")
		case limits.Rows < 1:
			return usagef("--max-rows is %d, want at least 1", limits.Rows)
		case limits.Top < 1:
			return usagef("--max-top is %d, want at least 1", limits.Top)
		case connections < 1:
			return usagef("--max-connections is %d, want at least 1", connections)
		case limits.Timeout <= 0:
			return usagef("--timeout is %v, want more than 0", limits.Timeout)
		case grace < 0:
			return usagef("--grace is %v, want at least 0", grace)
		}
		limits.Body = int64(body)
		m, err := loadFitted(model)
		if err != nil {
			return err
		}
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
		if err != nil {
			return err
		}
		errs := log.New(c.ErrOrStderr(), c.CommandPath()+": ", 0)
		handler := serve.New(m, limits, errs)
		server := newServer(handler, limits.Timeout, errs)
		fmt.Fprintf(c.OutOrStdout(), "%s: %s on http://%s\n", model, describe(m), l.Addr())
		return serveUntil(ctx, server, handler, atMost(l, connections), grace)
	}).runE
	return c
}

// describe says in a few words what a model is.
func describe(m *catalog.Fitted) string {
	s := fmt.Sprintf("%s, %d columns", m.Method, m.Dim)
	if len(m.Names) > 0 {
		s += fmt.Sprintf(", %d classes", len(m.Names))
	}
	return s
}

func newServer(h http.Handler, timeout time.Duration, errs *log.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: min(timeout, 5*time.Second),
		ReadTimeout:       timeout,
		WriteTimeout:      3 * timeout, // to receive, to predict and to send
		IdleTimeout:       30 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          errs,
	}
}

// serveUntil serves until ctx is done, then finishes the requests in flight.
func serveUntil(ctx context.Context, server *http.Server, handler *serve.Server, l net.Listener, grace time.Duration) error {
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	handler.Stop()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := server.Shutdown(last)
	<-failed // http.ErrServerClosed
	if errors.Is(err, context.DeadlineExceeded) {
		server.Close()
		return fmt.Errorf("requests were still in flight after %v", grace)
	}
	return err
}

// atMost returns a listener that has up to n connections open; more wait to be
// accepted.
func atMost(l net.Listener, n int) net.Listener {
	return &limited{Listener: l, free: make(chan struct{}, n), closed: make(chan struct{})}
}

type limited struct {
	net.Listener
	free   chan struct{}
	closed chan struct{}
	once   sync.Once
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.free <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &counted{Conn: c, l: l}, nil
}

func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type counted struct {
	net.Conn
	l    *limited
	once sync.Once
}

func (c *counted) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { <-c.l.free })
	return err
}
