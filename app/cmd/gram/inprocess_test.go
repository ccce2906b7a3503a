package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
)

// lines is an output that sends its lines to a channel.
type lines struct {
	mu   sync.Mutex
	rest bytes.Buffer
	ch   chan string
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest.Write(p)
	for bytes.IndexByte(l.rest.Bytes(), '\n') >= 0 {
		s, _ := l.rest.ReadString('\n')
		l.ch <- s
	}
	return len(p), nil
}

// gram serve in this process reports its address and model, obeys the limits of its
// flags, and ends when it is interrupted.
func TestServeInProcess(t *testing.T) {
	dir := small(t)
	model := filepath.Join(dir, "m.gram")
	ok(t, "fit", "--method", "linear", "--data", filepath.Join(dir, "rings.libsvm"), "-o", model)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &lines{ch: make(chan string, 9)}
	var stderr bytes.Buffer
	end := make(chan int, 1)
	go func() {
		end <- run(ctx, []string{"serve", "--model", model, "--addr", "127.0.0.1:0", "--max-rows", "3", "--max-body", "2k", "--timeout", "7s", "--max-top", "2", "--max-connections", "1"}, out, &stderr)
	}()
	var first string
	select {
	case first = <-out.ch:
	case code := <-end:
		t.Fatalf("gram serve ends with %d, %q", code, stderr.String())
	}
	url := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(first)
	if first != fmt.Sprintf("%s: linear, 2 columns, 3 classes on %s\n", model, url) || url == "" {
		t.Fatalf("gram serve prints %q", first)
	}
	// There is one connection, so the client closes it after each request.
	once := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func(path, body string) (int, string) {
		t.Helper()
		var r *http.Response
		var err error
		if body == "" {
			r, err = once.Get(url + path)
		} else {
			r, err = once.Post(url+path, "application/json", strings.NewReader(body))
		}
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(text)
	}
	var about struct {
		Columns int     `json:"columns"`
		Body    int64   `json:"max_body"`
		Rows    int     `json:"max_rows"`
		Seconds float64 `json:"timeout_seconds"`
	}
	if status, text := get("/v1/model", ""); status != 200 || json.Unmarshal([]byte(text), &about) != nil || about.Columns != 2 || about.Body != 2<<10 || about.Rows != 3 || about.Seconds != 7 {
		t.Errorf("the model is %d %s", status, text)
	}
	if status, text := get("/healthz", ""); status != 200 {
		t.Errorf("health is %d %s", status, text)
	}
	row := `[0.5,0.1]`
	if status, text := get("/v1/predict", `{"rows":[`+strings.Repeat(row+",", 2)+row+`]}`); status != 200 || strings.Count(text, `"class"`) != 3 {
		t.Errorf("3 rows: %d %s", status, text)
	}
	if status, text := get("/v1/predict", `{"rows":[`+strings.Repeat(row+",", 3)+row+`]}`); status != http.StatusRequestEntityTooLarge {
		t.Errorf("4 rows: %d %s", status, text)
	}
	if status, text := get("/v1/predict", `{"row":[`+strings.Repeat(" ", 3000)+`]}`); status != http.StatusRequestEntityTooLarge {
		t.Errorf("3000 bytes: %d %s", status, text)
	}
	// A connection that is kept makes room for another one, which has a request, and so
	// keeps out a third until it closes.
	var kept http.Client
	if r, err := kept.Get(url + "/healthz"); err != nil || r.StatusCode != 200 {
		t.Errorf("a connection that is kept: %v", err)
	} else {
		r.Body.Close()
	}
	open := func(text string) net.Conn {
		t.Helper()
		c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(c, text)
		return c
	}
	busy := open("POST /v1/predict HTTP/1.1\r\nHost: x\r\nContent-Length: 15\r\nExpect: 100-continue\r\n\r\n")
	if _, err := busy.Read(make([]byte, 1)); err != nil { // it is asked for its body
		t.Fatal(err)
	}
	c := open("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	answer := make(chan error, 1)
	go func() {
		_, err := c.Read(make([]byte, 1))
		answer <- err
	}()
	select {
	case err := <-answer:
		t.Errorf("a second connection is answered: %v", err)
	case <-time.After(50 * time.Millisecond):
		busy.Close()
		if err := <-answer; err != nil {
			t.Errorf("a second connection after the first: %v", err)
		}
	}
	c.Close()
	cancel()
	if code := <-end; code != 0 || stderr.Len() != 0 {
		t.Errorf("gram serve ends with %d, %q", code, stderr.String())
	}
	if c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://")); err == nil {
		c.Close()
		t.Error("it still listens")
	}
}

// The description of a model names classes only if there are some.
func TestDescribe(t *testing.T) {
	for want, f := range map[string]*pipeline.Model{
		"svr, 3 columns":            {Method: "svr", Dim: 3},
		"svm, 2 columns, 2 classes": {Method: "svm", Dim: 2, Names: []string{"a", "b"}},
	} {
		if got := describe(f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A panic is reported in one line unless GOTRACEBACK asks for more.
func TestInternalError(t *testing.T) {
	t.Setenv("GOTRACEBACK", "")
	find := func(string) (catalog.Method, error) { panic("two\nlines") }
	var stderr bytes.Buffer
	if code := execute(t.Context(), newRoot(find), []string{"fit", "--method", "x"}, io.Discard, &stderr); code != 1 || stderr.String() != "gram: internal error: two; lines (GOTRACEBACK=all shows where)\n" {
		t.Errorf("%d, %q", code, stderr.String())
	}
	t.Setenv("GOTRACEBACK", "all")
	defer func() {
		if p := recover(); p != "two\nlines" {
			t.Errorf("panic %v", p)
		}
	}()
	execute(t.Context(), newRoot(find), []string{"fit", "--method", "x"}, io.Discard, &stderr)
}
