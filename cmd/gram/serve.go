package main

import (
	"context"
	"fmt"
	"log"
	"net"

	"github.com/gramworks/gram/catalog"
	"github.com/gramworks/gram/pipeline"
	"github.com/gramworks/gram/serve"
	"github.com/spf13/cobra"
)

func newServe() *cobra.Command {
	var (
		model, addr string
		limits      serve.Limits
		body        = byteSize(serve.DefaultLimits.Body)
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
	f.IntVar(&limits.Rows, "max-rows", serve.DefaultLimits.Rows, "rows of a request at most; a stream has no limit")
	f.IntVar(&limits.Top, "max-top", serve.DefaultLimits.Top, "labels for a row at most")
	f.IntVar(&limits.Connections, "max-connections", serve.DefaultLimits.Connections, "connections at most; more wait")
	f.DurationVar(&limits.Timeout, "timeout", serve.DefaultLimits.Timeout, "time to receive a request, and to answer it; for a stream, between lines")
	f.DurationVar(&limits.Grace, "grace", serve.DefaultLimits.Grace, "time for the requests in flight after SIGTERM")
	c.RunE = action(func(ctx context.Context, c *cobra.Command, _ []string) error {
		switch {
		case model == "":
			return usagef("--model is missing")
		case limits.Rows < 1:
			return usagef("--max-rows is %d, want at least 1", limits.Rows)
		case limits.Top < 1:
			return usagef("--max-top is %d, want at least 1", limits.Top)
		case limits.Connections < 1:
			return usagef("--max-connections is %d, want at least 1", limits.Connections)
		case limits.Timeout <= 0:
			return usagef("--timeout is %v, want more than 0", limits.Timeout)
		case limits.Grace < 0:
			return usagef("--grace is %v, want at least 0", limits.Grace)
		}
		limits.Body = int64(body)
		limits.Grace = max(limits.Grace, 1) // 0 would be the default
		m, err := catalog.LoadFitted(model)
		if err != nil {
			return err
		}
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
		if err != nil {
			return err
		}
		errs := log.New(c.ErrOrStderr(), c.CommandPath()+": ", 0)
		fmt.Fprintf(c.OutOrStdout(), "%s: %s on http://%s\n", model, describe(m), l.Addr())
		return serve.New(m, limits, errs).Serve(ctx, l)
	}).runE
	return c
}

// describe says in a few words what a model is.
func describe(m *pipeline.Model) string {
	s := fmt.Sprintf("%s, %d columns", m.Method, m.Dim)
	if len(m.Names) > 0 {
		s += fmt.Sprintf(", %d classes", len(m.Names))
	}
	return s
}
