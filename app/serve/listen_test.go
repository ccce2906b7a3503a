package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gramworks/gram/dataset"
)

// TestAtMost checks that connections beyond the limit wait until one closes.
func TestAtMost(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := atMost(inner, 2, new(atomic.Bool))
	accepted := make(chan net.Conn, 8)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	})
	for range 3 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	first := <-accepted
	second := <-accepted
	select {
	case <-accepted:
		t.Error("a third connection")
	case <-time.After(50 * time.Millisecond):
	}
	first.Close()
	first.Close() // counts once
	third := <-accepted
	second.Close()
	third.Close()
	l.state(&net.TCPConn{}, http.StateIdle) // a connection that it has not accepted counts for nothing
	l.Close()
	wg.Wait()
}

// A client whose connection is the only one allowed keeps it from request to request. When
// another one comes, it gets the place with the next answer, or after a while without
// requests, and no request is lost.
func TestCrowded(t *testing.T) {
	const request = "POST /v1/predict HTTP/1.1\r\nHost: x\r\nContent-Length: 15\r\n\r\n" + `{"row":[1,2,3]}`
	synctest.Test(t, func(t *testing.T) {
		l := testLimits
		l.Connections = 1
		listener := &pipes{ch: make(chan net.Conn)}
		ctx, cancel := context.WithCancel(t.Context())
		end := make(chan error, 1)
		go func() { end <- New(values(dataset.Dense), Config{Limits: l, Log: quiet()}).Serve(ctx, listener) }()
		dial := func() (net.Conn, *bufio.Reader) {
			here, there := net.Pipe()
			listener.ch <- there
			return here, bufio.NewReader(here)
		}
		ask := func(c net.Conn, r *bufio.Reader) *http.Response {
			go fmt.Fprint(c, request)
			a, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(a.Body); err != nil || !strings.Contains(string(text), `{"value":6}`) {
				t.Fatalf("%q, %v", text, err)
			}
			return a
		}
		first, r := dial()
		for range 3 {
			if ask(first, r).Close {
				t.Error("the only connection is closed while nobody waits")
			}
			time.Sleep(2 * lull)
		}
		ask(first, r)
		time.Sleep(lull / 2)
		second, r2 := dial()
		synctest.Wait()
		if !ask(first, r).Close {
			t.Error("a connection is kept while another one waits")
		}
		ask(second, r2)
		third, r3 := dial()
		begin := time.Now()
		ask(third, r3) // the second has no more requests
		if took := time.Since(begin); took < lull || took > 2*lull {
			t.Errorf("an idle connection makes room after %v", took)
		}
		first.Close()
		second.Close()
		third.Close()
		cancel()
		if err := <-end; err != nil {
			t.Error(err)
		}
	})
}

// broken is a listener that fails.
type broken struct{ net.Listener }

func (broken) Accept() (net.Conn, error) { return nil, errors.New("broken") }
func (broken) Close() error              { return nil }
func (broken) Addr() net.Addr            { return &net.TCPAddr{} }

// A listener that fails ends the server. The place of a connection that could not be
// accepted is free again.
func TestBrokenListener(t *testing.T) {
	if err := New(values(dataset.Dense), testConfig).Serve(t.Context(), broken{}); err == nil || err.Error() != "broken" {
		t.Errorf("Serve: %v", err)
	}
	l := atMost(broken{}, 1, new(atomic.Bool))
	for range 3 {
		if _, err := l.Accept(); err == nil || err.Error() != "broken" {
			t.Errorf("Accept: %v", err)
		}
	}
}

// pipes is a listener whose connections come from a channel.
type pipes struct {
	ch   chan net.Conn
	once sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	c, ok := <-p.ch
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.ch) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// Serve finishes a request in flight within the grace period and drops it after that. A
// request whose head does not end is dropped after five seconds or Limits.Timeout, one
// whose body does not end after Limits.Timeout. A client has three times that long to take
// an answer, a connection may be idle for half a minute, and a head may have 64 KiB.
func TestServeTimes(t *testing.T) {
	const head = "POST /v1/predict HTTP/1.1\r\nHost: x\r\nContent-Length: 15\r\n\r\n"
	const last = "POST /v1/predict HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 15\r\n\r\n" + `{"row":[1,2,3]}`
	for _, c := range []struct {
		what      string
		slow      time.Duration // of the model
		send      string
		interrupt time.Duration // 0: never
		after     time.Duration // that the connection or the server ends
		want      string        // of the answer
		fails     string        // of Serve
		deaf      time.Duration // before the answer is read
		timeout   time.Duration // for a request; 0: ten seconds
	}{
		{"a request in flight", 2 * time.Second, head + `{"row":[1,2,3]}`, time.Second, 2 * time.Second, `{"value":6}`, "", 0, 0},
		{"a request that takes long", 9 * time.Second, head + `{"row":[1,2,3]}`, time.Second, 6 * time.Second, "", "still in flight after 3s", 0, 0},
		{"half a head", 0, "POST /v1", 0, 5 * time.Second, "", "", 0, 0},
		{"half a head in less time", 0, "POST /v1", 0, 2 * time.Second, "", "", 0, 2 * time.Second},
		{"half a body", 0, head + `{"row"`, 0, 10 * time.Second, "error", "", 0, 0},
		{"an answer that is taken late", 0, last, 0, 29 * time.Second, `{"value":6}`, "", 29 * time.Second, 0},
		{"an answer that is not taken", 0, last, 0, 31 * time.Second, "", "", 31 * time.Second, 0},
		{"a connection without requests", 0, head + `{"row":[1,2,3]}`, 0, 30 * time.Second, `{"value":6}`, "", 0, 0},
		{"a long head", 0, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: " + strings.Repeat("x", 60<<10) + "\r\n\r\n", 0, 0, "200 OK", "", 0, 0},
		{"a head that is too long", 0, "GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 80<<10) + "\r\n\r\n", 0, 0, "431 ", "", 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := values(dataset.Dense)
			m.Model = regressor{slow: c.slow}
			l := testLimits
			l.Grace = 3 * time.Second
			if c.timeout > 0 {
				l.Timeout = c.timeout
			}
			listener := &pipes{ch: make(chan net.Conn, 1)}
			here, there := net.Pipe()
			listener.ch <- there
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			end := make(chan error, 1)
			begin := time.Now()
			go func() { end <- New(m, Config{Limits: l, Log: quiet()}).Serve(ctx, listener) }()
			go fmt.Fprint(here, c.send)
			var answer []byte
			closed := make(chan time.Duration, 1)
			go func() {
				time.Sleep(c.deaf)
				answer, _ = io.ReadAll(bufio.NewReader(here))
				closed <- time.Since(begin)
			}()
			var took time.Duration
			var err error
			if c.interrupt > 0 {
				time.Sleep(c.interrupt)
				cancel()
				err = <-end
				took = time.Since(begin)
				here.Close()
				<-closed
			} else {
				took = <-closed
				cancel()
				err = <-end
			}
			if took < c.after || took > c.after+time.Second || !strings.Contains(string(answer), c.want) || c.deaf > 0 && c.want == "" && len(answer) > 0 {
				t.Errorf("%s: %q after %v, want %q after %v", c.what, answer, took, c.want, c.after)
			}
			if c.fails == "" && err != nil || c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) {
				t.Errorf("%s: Serve ends with %v", c.what, err)
			}
			time.Sleep(time.Minute) // until the model has answered
		})
	}
}
