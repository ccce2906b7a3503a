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
	return &limited{Listener: l, limit: n, crowded: crowded, begin: time.Now(), open: map[*counted]struct{}{}, changed: make(chan struct{})}
}

// lull is how long a connection is without a request before it makes room for another.
const lull = 100 * time.Millisecond

type limited struct {
	net.Listener
	limit   int
	crowded *atomic.Bool // a connection waits for a place
	begin   time.Time

	mu      sync.Mutex
	open    map[*counted]struct{}
	closed  bool
	changed chan struct{} // closed when the fields above change, and when a connection becomes idle while another waits
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
		l.wait(func() bool { return len(l.open) == 0 || l.closed })
		close(done)
	}()
	return done
}

// Accept waits for a connection and a place for it, and counts it.
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
	in := &counted{Conn: c, l: l}
	l.change(func() { l.open[in] = struct{}{} })
	return in, nil
}

// room reports whether there is a place for one more connection. If not, it sees to it
// that there will be. It is called with the lock.
func (l *limited) room() bool {
	if len(l.open) < l.limit {
		return true
	}
	l.crowded.Store(true) // before the connections are looked at: one that becomes idle after that tells
	var oldest *counted
	var since time.Duration
	for c := range l.open {
		if idle := time.Duration(c.idle.Load()); idle != 0 && (oldest == nil || idle < since) {
			oldest, since = c, idle
		}
	}
	if oldest == nil {
		return false
	}
	if rest := lull - (time.Since(l.begin) - since); rest > 0 {
		time.AfterFunc(rest, func() { l.change(func() {}) })
		return false
	}
	if oldest.idle.CompareAndSwap(int64(since), 0) { // it has not begun a request meanwhile
		go oldest.Close()
	}
	return false
}

// state is called when the state of a connection changes. It notes since when the connection has no request, so that room can
// close the one that has none for the longest time.
func (l *limited) state(conn net.Conn, state http.ConnState) {
	c, ok := conn.(*counted)
	if !ok {
		return
	}
	if state != http.StateIdle {
		c.idle.Store(0)
		return
	}
	c.idle.Store(max(1, int64(time.Since(l.begin))))
	if l.crowded.Load() {
		l.change(func() {})
	}
}

// Close ends the listener, and what waits for its connections.
func (l *limited) Close() error {
	l.change(func() { l.closed = true })
	return l.Listener.Close()
}

type counted struct {
	net.Conn
	l    *limited
	idle atomic.Int64 // since when it is without a request, in nanoseconds after the listener began; 0: it has one
	once sync.Once
}

// Close closes the connection, which the listener no longer counts.
func (c *counted) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { c.l.change(func() { delete(c.l.open, c) }) })
	return err
}
