package serve

import (
	"net"
	"sync"
	"testing"
	"time"
)

// TestAtMost: connections beyond the limit wait until one closes.
func TestAtMost(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := atMost(inner, 2)
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
	l.Close()
	wg.Wait()
}
