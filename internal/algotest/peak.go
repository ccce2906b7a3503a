package algotest

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/gramworks/gram"
)

// CheckPeak fails the test unless the planned number of bytes is within a factor
// of two of the memory that f uses at its peak.
//
// That memory lies between two numbers that can be measured: the largest live
// heap at a garbage collection, which misses memory that is used only between
// two collections, and the largest heap, which includes garbage. The plan is too
// small if it is too small for the first, and too large if it is too large for
// the second. On a busy machine both contain more garbage, so f is run again a
// few times if the plan seems too small for the least live heap.
func CheckPeak(t *testing.T, plan int64, f func()) {
	t.Helper()
	const slack = 256 << 10 // goroutines, small vectors, the runtime system
	live, heap := peaks(f)
	for runs := 1; plan > 2*heap+slack || live > 2*plan+slack; runs++ {
		if runs == 12 {
			t.Errorf("the plan says %s, in use were at least %s and at most %s",
				gram.FormatBytes(plan), gram.FormatBytes(live), gram.FormatBytes(heap))
			return
		}
		l, h := peaks(f)
		live, heap = min(live, l), max(heap, h)
	}
}

// peaks runs f and returns the largest growth of the live heap and of the heap
// with its garbage, in bytes. Collections run often by their pace setting, and
// also whenever the heap exceeds the largest live heap so far.
func peaks(f func()) (live, heap int64) {
	defer debug.SetGCPercent(debug.SetGCPercent(4))
	runtime.GC()
	runtime.GC()
	read := func() (live, heap int64) {
		s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return int64(s[0].Value.Uint64()), int64(s[1].Value.Uint64())
	}
	base, _ := read()
	live, heap = base, base
	sample := func() (full bool) {
		l, h := read()
		live, heap = max(live, l), max(heap, h)
		return h > live+live/25
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Microsecond):
			}
			if sample() {
				runtime.GC()
				sample()
			}
		}
	}()
	f()
	close(stop)
	<-stopped
	sample() // a fit that ended before the first tick has left its garbage
	return live - base, heap - base
}
