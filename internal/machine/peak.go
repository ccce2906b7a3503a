package machine

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Peak runs f and returns the largest growth of the live heap and of the heap with its
// garbage, in bytes. The memory that f needs lies between the two: the first misses what
// is used between two collections alone, the second includes garbage. Collections run
// often by their pace setting, and also whenever the heap exceeds the largest live heap
// so far, so f takes longer than by itself.
func Peak(f func()) (live, heap int64) {
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
	func() {
		defer func() { // whatever way f ends
			close(stop)
			<-stopped
		}()
		f()
	}()
	sample() // f may have ended before the first tick and left its garbage
	return live - base, heap - base
}
