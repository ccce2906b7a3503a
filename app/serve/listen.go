package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Serve answers requests from l until ctx is done. Then it ends streams after the
// rows that they have received and, for Limits.Drain or until the last client has
// gone, answers on, closing each connection with its answer: no request of a client
// that keeps its connection is lost. At last it takes no more connections, finishes
// the requests in flight and returns nil, or an error if some are still in flight
// after Limits.Grace. It closes l. A Server serves once.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	timeout := s.limits.Timeout
	connections := atMost(l, s.limits.Connections, &s.crowded)
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: min(timeout, 5*time.Second),
		ReadTimeout:       timeout,
		WriteTimeout:      3 * timeout, // to receive, to predict and to send
		IdleTimeout:       30 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		ConnState:         connections.state,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(connections) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.Stop()
	select {
	case <-connections.none():
	case <-time.After(s.limits.Drain):
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.limits.Grace)
	defer cancel()
	err := server.Shutdown(last)
	<-failed // http.ErrServerClosed
	if errors.Is(err, context.DeadlineExceeded) {
		server.Close()
		return fmt.Errorf("requests were still in flight after %v", s.limits.Grace)
	}
	return err
}

// atMost returns a listener that has up to n connections open. One more, while it
// waits for a place, sets crowded, at which answers are to close their connections, and
// closes the connection that has been without a request for longest, if that is longer
// than lull: a client that goes on at once loses no request.
func atMost(l net.Listener, n int, crowded *atomic.Bool) *limited {
	return &limited{Listener: l, most: n, crowded: crowded, idle: map[*counted]time.Time{}, changed: make(chan struct{})}
}

// lull is how long a connection is without a request before it makes room for another.
const lull = 100 * time.Millisecond

type limited struct {
	net.Listener
	most    int
	crowded *atomic.Bool // a connection waits for a place

	mu      sync.Mutex
	open    int
	idle    map[*counted]time.Time // since when
	closed  bool
	changed chan struct{} // closed when the fields above change
}

// change makes a change and tells those who wait for it.
func (l *limited) change(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
	close(l.changed)
	l.changed = make(chan struct{})
}

// wait returns when ready, which is called with the lock, does.
func (l *limited) wait(ready func() bool) {
	for {
		l.mu.Lock()
		done, changed := ready(), l.changed
		l.mu.Unlock()
		if done {
			return
		}
		<-changed
	}
}

// none is closed when no connection is open.
func (l *limited) none() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		l.wait(func() bool { return l.open == 0 || l.closed })
		close(done)
	}()
	return done
}

func (l *limited) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	var closed bool
	l.wait(func() bool {
		closed = l.closed
		return closed || l.room()
	})
	l.crowded.Store(false)
	if closed {
		c.Close()
		return nil, net.ErrClosed
	}
	l.change(func() { l.open++ })
	return &counted{Conn: c, l: l}, nil
}

// room reports whether there is a place for one more connection. If not, it sees to it
// that there will be. It is called with the lock.
func (l *limited) room() bool {
	if l.open < l.most {
		return true
	}
	l.crowded.Store(true)
	var oldest *counted
	for c, since := range l.idle {
		if oldest == nil || since.Before(l.idle[oldest]) {
			oldest = c
		}
	}
	if oldest == nil {
		return false
	}
	if rest := lull - time.Since(l.idle[oldest]); rest > 0 {
		time.AfterFunc(rest, func() { l.change(func() {}) })
		return false
	}
	delete(l.idle, oldest)
	go oldest.Close()
	return false
}

// state notes which connections have no request.
func (l *limited) state(conn net.Conn, state http.ConnState) {
	c, ok := conn.(*counted)
	if !ok {
		return
	}
	switch state {
	case http.StateIdle:
		l.change(func() { l.idle[c] = time.Now() })
	default:
		l.mu.Lock()
		delete(l.idle, c)
		l.mu.Unlock()
	}
}

func (l *limited) Close() error {
	l.change(func() { l.closed = true })
	return l.Listener.Close()
}

type counted struct {
	net.Conn
	l    *limited
	once sync.Once
}

func (c *counted) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() {
		c.l.change(func() {
			c.l.open--
			delete(c.l.idle, c)
		})
	})
	return err
}
