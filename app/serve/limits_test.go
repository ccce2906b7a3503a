package serve

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gramworks/gram/dataset"
)

// ask sends a GET with headers in pairs.
func ask(h http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Active requests are predicted at a time and Queue wait; the next is told to come
// again. Those that wait are answered in their turn.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := values(dataset.Dense)
		m.Model = regressor{slow: time.Second}
		l := testLimits
		l.Active, l.Queue = 2, 3
		h := New(m, Config{Limits: l, Log: quiet()})
		var wg sync.WaitGroup
		var answered, refused atomic.Int32
		for range 8 {
			wg.Go(func() {
				r := httptest.NewRequest(http.MethodPost, "/v1/predict", strings.NewReader(`{"row":[1,2,3]}`))
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				switch {
				case w.Code == 200:
					answered.Add(1)
				case w.Code == 503 && w.Header().Get("Retry-After") == "1" && strings.Contains(w.Body.String(), "3 requests are waiting"):
					refused.Add(1)
				default:
					t.Errorf("status %d: %s", w.Code, w.Body)
				}
			})
		}
		begin := time.Now()
		wg.Wait()
		if answered.Load() != 5 || refused.Load() != 3 || time.Since(begin) != 3*time.Second {
			t.Errorf("%d answered, %d refused, %v; want 5, 3 and 3s", answered.Load(), refused.Load(), time.Since(begin))
		}
		if h.waiting.Load() != 0 || len(h.slots) != 0 {
			t.Errorf("%d wait, %d are predicted", h.waiting.Load(), len(h.slots))
		}
	})
}

// Large bodies share Bodies bytes, and give them back.
func TestBodies(t *testing.T) {
	l := testLimits
	l.Body, l.Bodies = 200<<10, 250<<10
	h := New(values(dataset.Dense), Config{Limits: l, Log: quiet()})
	hold, release := io.Pipe()
	first := make(chan int)
	body := `{"row":[1,2,3]` + strings.Repeat(" ", 150<<10) + `}`
	go func() {
		r := httptest.NewRequest(http.MethodPost, "/v1/predict", hold)
		r.ContentLength = int64(len(body))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		first <- w.Code
	}()
	if _, err := release.Write([]byte(body[:1])); err != nil { // it is being read
		t.Fatal(err)
	}
	if status, text := post(h, "/v1/predict", "", body); status != 503 || !strings.Contains(text, "memory") {
		t.Errorf("a second large body: %d %s", status, text)
	}
	if status, text := post(h, "/v1/predict", "", `{"row":[1,2,3]}`); status != 200 {
		t.Errorf("a small body: %d %s", status, text)
	}
	go func() { _, _ = release.Write([]byte(body[1:])); release.Close() }()
	if status := <-first; status != 200 {
		t.Errorf("the first large body: %d", status)
	}
	if status, text := post(h, "/v1/predict", "", body); status != 200 || h.bodies.Load() != 0 {
		t.Errorf("afterwards: %d %s, %d bytes are taken", status, text, h.bodies.Load())
	}
}

// Connections without a request make room for new ones; those with one are left alone.
func TestIdleConnections(t *testing.T) {
	l := testLimits
	l.Connections = 4
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	end := make(chan error)
	go func() { end <- New(values(dataset.Dense), Config{Limits: l, Log: quiet()}).Serve(ctx, listener) }()
	const text = "POST /v1/predict HTTP/1.1\r\nHost: x\r\nContent-Length: 15\r\n\r\n" + `{"row":[1,2,3]}`
	for i := range 12 { // each stays open, and asks once
		c, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(10 * time.Second))
		fmt.Fprint(c, text)
		answer := make([]byte, 15)
		if _, err := io.ReadFull(c, answer); err != nil || string(answer) != "HTTP/1.1 200 OK" {
			t.Fatalf("connection %d: %q, %v", i, answer, err)
		}
	}
	stop()
	if err := <-end; err != nil {
		t.Error(err)
	}
}

// A client that keeps its connection loses no request when the server ends: the last
// answer says that the connection is closed.
func TestDrain(t *testing.T) {
	for range 10 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		s := New(values(dataset.Dense), testConfig)
		end := make(chan error)
		go func() { end <- s.Serve(ctx, listener) }()
		var wg, connected sync.WaitGroup
		var answered atomic.Int64
		connected.Add(4)
		for range 4 {
			wg.Go(func() {
				first := sync.OnceFunc(connected.Done)
				defer first()
				c := &http.Client{Transport: &http.Transport{}, Timeout: 10 * time.Second}
				for closed := false; !closed; {
					r, err := c.Post("http://"+listener.Addr().String()+"/v1/predict", "application/json", strings.NewReader(`{"row":[1,2,3]}`))
					if err != nil {
						t.Errorf("after %d answers: %v", answered.Load(), err)
						return
					}
					text, err := io.ReadAll(r.Body)
					r.Body.Close()
					if err != nil || string(text) != "{\"value\":6}\n" {
						t.Errorf("%q, %v", text, err)
					}
					answered.Add(1)
					first()
					closed = r.Close // what a client does that goes elsewhere then
				}
			})
		}
		connected.Wait()
		for answered.Load() < 40 {
			time.Sleep(time.Millisecond)
		}
		stop()
		wg.Wait()
		if err := <-end; err != nil {
			t.Error(err)
		}
		if w := ask(s, "/readyz"); w.Code != 503 {
			t.Errorf("ready after the end: %d", w.Code)
		}
		if w := ask(s, "/livez"); w.Code != 200 {
			t.Errorf("not alive: %d", w.Code)
		}
	}
}

// Models have names and are replaced while requests are answered.
func TestModels(t *testing.T) {
	h := New(values(dataset.Dense), testConfig)
	h.Set("letters", classes())
	for _, c := range []struct{ path, want string }{
		{"/v1/predict", `{"value":1}`}, {"/v1/models/letters/predict", `{"class":"b\""}`}, {"/v1/models/x/predict", `there is no model`}, {"/v1/models//predict", ``},
	} {
		if _, text := post(h, c.path, "", `{"row":[1,0,0]}`); !strings.Contains(text, c.want) {
			t.Errorf("%s: %s, want %s", c.path, text, c.want)
		}
	}
	if text := ask(h, "/v1/models").Body.String(); text != "{\"models\":[\"letters\"],\"versions\":{\"letters\":\"\"}}\n" {
		t.Errorf("the models are %s", text)
	}
	if text := ask(h, "/v1/models/letters").Body.String(); !strings.Contains(text, `"classes":["a","b\""`) {
		t.Errorf("the model is %s", text)
	}
	slow := values(dataset.Dense)
	slow.Model = regressor{slow: 20 * time.Millisecond}
	h.Set("letters", slow)
	answer := make(chan string)
	go func() {
		_, text := post(h, "/v1/models/letters/predict", "", `{"row":[1,0,0]}`)
		answer <- text
	}()
	time.Sleep(5 * time.Millisecond)
	h.Set("letters", classes())
	h.Set("", labels())
	if text := <-answer; text != "{\"value\":1}\n" {
		t.Errorf("a request during the change: %s", text)
	}
	if _, text := post(h, "/v1/models/letters/predict", "", `{"row":[1,0,0]}`); text != "{\"class\":\"b\\\"\"}\n" {
		t.Errorf("after the change: %s", text)
	}
	if _, text := post(h, "/v1/predict", "", `{"row":[1,0,0]}`); !strings.Contains(text, "labels") {
		t.Errorf("after the change: %s", text)
	}
}

// Only who has the token is answered, and only under the names of the server.
func TestAccess(t *testing.T) {
	h := New(values(dataset.Dense), Config{Limits: testLimits, Log: quiet(), Token: "secret", Hosts: []string{"models.test", "127.0.0.1"}})
	for _, c := range []struct {
		path, host, auth string
		want             int
	}{
		{"/v1/model", "models.test", "Bearer secret", 200}, {"/v1/model", "127.0.0.1:8080", "Bearer secret", 200},
		{"/v1/model", "models.test", "", 401}, {"/v1/model", "models.test", "Bearer secre", 401}, {"/v1/model", "models.test", "secret", 401}, {"/metrics", "models.test", "Bearer ", 401},
		{"/v1/model", "evil.test", "Bearer secret", 421}, {"/v1/model", "models.test.evil:80", "Bearer secret", 421},
		{"/readyz", "evil.test", "", 200}, {"/livez", "", "", 200},
	} {
		if w := ask(h, c.path, "Host", c.host, "Authorization", c.auth); w.Code != c.want {
			t.Errorf("%s at %s with %q: %d, want %d: %s", c.path, c.host, c.auth, w.Code, c.want, w.Body)
		}
	}
}

// A body must be said to be JSON, or nothing: a form of a web page is refused.
func TestContentType(t *testing.T) {
	h := New(values(dataset.Dense), testConfig)
	for kind, want := range map[string]int{
		"": 200, "application/json": 200, "application/json; charset=utf-8": 200, "text/plain": 415, "application/x-www-form-urlencoded": 415, "x": 415, "application/x-ndjson": 200,
	} {
		body := `{"row":[1,2,3]}`
		if kind == ndjson {
			body = "[1,2,3]\n"
		}
		if status, text := post(h, "/v1/predict", kind, body); status != want {
			t.Errorf("%q: %d, want %d: %s", kind, status, want, text)
		}
	}
}

// The metrics count requests and rows.
func TestMetrics(t *testing.T) {
	h := New(values(dataset.Dense), testConfig)
	post(h, "/v1/predict", "", `{"rows":[[1,2,3],[1,2,3]]}`)
	post(h, "/v1/predict", "", `{"rows":[[1,2,3]]}`)
	post(h, "/v1/predict", "", `{`)
	ask(h, "/nowhere")
	text := ask(h, "/metrics").Body.String()
	for _, want := range []string{
		`gram_requests_total{code="200",path="/v1/predict"} 2`, `gram_requests_total{code="400",path="/v1/predict"} 1`, `gram_requests_total{code="404",path="/"} 1`,
		`gram_rows_total{model=""} 3`, `gram_request_seconds_count{path="/v1/predict"} 3`, "gram_requests_active 0", "gram_requests_waiting 0", "gram_body_bytes 0",
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
}

// A stream whose client does not read its answers takes no turn from others.
func TestDeafStream(t *testing.T) {
	l := testLimits
	l.Active = 1
	m := classes() // whose answers to the rows that come together do not fit into a buffer
	for i := range m.Names {
		m.Names[i] += strings.Repeat("x", 1000)
	}
	h := New(m, Config{Limits: l, Log: quiet()})
	listener := &pipes{ch: make(chan net.Conn, 1)}
	here, there := net.Pipe()
	defer here.Close()
	listener.ch <- there
	ctx, stop := context.WithCancel(t.Context())
	end := make(chan error)
	go func() { end <- h.Serve(ctx, listener) }()
	body := strings.Repeat("[1,2,3]\n", 20_000)
	go fmt.Fprintf(here, "POST /v1/predict HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", ndjson, len(body), body)
	for strings.Contains(ask(h, "/metrics").Body.String(), `gram_rows_total{model=""} 0`) { // until the stream is predicted
		time.Sleep(time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond)
	begin := time.Now()
	status, text := post(h, "/v1/predict", "", `{"row":[1,2,3]}`)
	if took := time.Since(begin); status != 200 || took > l.Timeout/2 { // after Timeout the stream is given up
		t.Errorf("beside a stream that is not read: %d %.80s after %v", status, text, took)
	}
	here.Close()
	stop()
	<-end
}
