package machine

import (
	"runtime"
	"testing"
	"time"
)

// The processor time of work grows, and that of waiting does not.
func TestCPUTime(t *testing.T) {
	begin, known := CPUTime()
	if !known {
		t.Skip("not known on this system")
	}
	for sum := 0.0; ; sum++ {
		if now, _ := CPUTime(); now-begin > 5*time.Millisecond {
			break
		}
	}
}

// Memory that is in use at a collection is live; the heap has all of it, but for the few objects of the
// runtime and the tests that were there at the beginning and are freed meanwhile.
func TestPeak(t *testing.T) {
	const size, freed = 8 << 20, 64 << 10
	var held []byte
	live, heap := Peak(func() {
		held = make([]byte, size)
		runtime.GC()
	})
	if live < size-freed || live > size+size/4 || heap < size-freed || heap > size+size/4 {
		t.Errorf("live %d, heap %d", live, heap)
	}
	held[0] = 1
	live, heap = Peak(func() { held = make([]byte, size/8) })
	if heap < size/16 {
		t.Errorf("garbage: live %d, heap %d", live, heap)
	}
	runtime.KeepAlive(held)
}
