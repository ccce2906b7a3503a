package fwht

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/gramworks/gram/num"
)

// A loop runs on as many goroutines as asked for, including the caller's, but not on
// more than it has blocks.
func TestWorkers(t *testing.T) {
	for _, c := range [][4]int{{10, 1, 1, 0}, {10, 1, 3, 2}, {10, 3, 9, 3}, {9, 3, 9, 2}, {1, 5, 4, 0}} {
		n, grain, workers, want := c[0], c[1], c[2], c[3]
		j := &job[float64]{x: num.MakeRows[float64](n, 4), m: 1, scale: 1}
		var started atomic.Int32
		j.start = func() {
			started.Add(1)
			j.work()
			j.wait.Done()
		}
		j.x.Data[0] = 1
		j.run(n, grain, workers)
		time.Sleep(time.Millisecond)
		if got := int(started.Load()); got != want {
			t.Errorf("%d rows by %d on %d workers: %d goroutines are started, want %d", n, grain, workers, got, want)
		}
		if j.x.Data[3] != 1 {
			t.Error("a row is not transformed")
		}
	}
}
