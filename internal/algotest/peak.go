package algotest

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/gramworks/gram"
)

// CheckPeak fails unless the plan of f, in bytes, is within a factor of two of
// the memory that f has in use at its peak.
//
// That memory lies between two numbers that can be measured: the largest live
// heap that a garbage collection found, which misses what is in use only between
// two collections, and the largest heap, which counts garbage. The plan is too
// small if it is too small for the first, and too large if it is too large for
// the second. A busy machine adds garbage to both, so f runs again, a few times,
// as long as the plan seems too small for the least live heap.
func CheckPeak(t *testing.T, plan int64, f func()) {
	t.Helper()
	const slack = 256 << 10 // goroutines, small vectors, the run-time system
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

// peaks runs f and returns by how many bytes the live heap and the heap with its
// garbage grew at most. Collections run often by the setting of their pace, and
// besides whenever the heap exceeds the largest live heap so far.
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
