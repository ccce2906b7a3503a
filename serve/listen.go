package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Serve answers requests from l until ctx is done. Then it takes no more
// connections, ends streams after the rows that they have received, finishes the
// requests in flight and returns nil, or an error if some are still in flight
// after Limits.Grace. It closes l. A Server serves once.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	timeout := s.limits.Timeout
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: min(timeout, 5*time.Second),
		ReadTimeout:       timeout,
		WriteTimeout:      3 * timeout, // to receive, to predict and to send
		IdleTimeout:       30 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          s.log,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(atMost(l, s.limits.Connections)) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.Stop()
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
