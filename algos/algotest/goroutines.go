package algotest

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// NoGoroutines fails if goroutines that the module's code has started do not end.
func NoGoroutines(t *testing.T) {
	var left []string
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		if left = started(); len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			break
		}
	}
	t.Errorf("%d goroutines do not end:\n%s", len(left), strings.Join(left, "\n\n"))
}

// started returns the stacks of the goroutines that the module's code has started.
func started() []string {
	buf := make([]byte, 1<<16)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	var left []string
	for _, stack := range strings.Split(string(buf), "\n\n") {
		if strings.Contains(stack, "\ncreated by github.com/gramworks/gram/") {
			left = append(left, stack)
		}
	}
	return left
}
