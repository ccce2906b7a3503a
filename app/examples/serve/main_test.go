package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// The server is asked for a row of the inner ring, and stopped.
func TestRun(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"-addr", "127.0.0.1:0", "-budget", "30"}, w)
		w.CloseWithError(err)
		ended <- err
	}()
	url := ""
	for s := bufio.NewScanner(r); url == "" && s.Scan(); {
		_, url, _ = strings.Cut(s.Text(), "listening on ")
	}
	if url == "" {
		t.Fatal("no address: ", <-ended)
	}
	answer, err := http.Post(url+"/v1/predict", "application/json", strings.NewReader(`{"row": [1, 0]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(body), `"0"`) {
		t.Errorf("%s %q %v", answer.Status, body, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
