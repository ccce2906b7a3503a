package algotest

import (
	"strings"
	"testing"
)

// A goroutine of the module is found while it goes on.
func TestStarted(t *testing.T) {
	stop, stopped := make(chan int), make(chan int)
	go func() {
		<-stop
		close(stopped)
	}()
	found := false
	for _, stack := range started() {
		found = found || strings.Contains(stack, "TestStarted")
	}
	if !found {
		t.Error("it is not found")
	}
	close(stop)
	<-stopped
	NoGoroutines(t)
}
