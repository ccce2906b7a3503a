package par

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Each index of a phase is worked on once, and after all of the phase before.
func TestPhases(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 9} {
		for _, n := range []int{0, 1, 2, 5, 64, 1001} {
			seen := [3][]atomic.Int32{make([]atomic.Int32, n), make([]atomic.Int32, 7), make([]atomic.Int32, n)}
			var finished [3]atomic.Int64
			phase := func(i int) Phase {
				return Phase{len(seen[i]), func(lo, hi int) {
					for j := range i {
						if f := finished[j].Load(); int(f) != len(seen[j]) {
							t.Errorf("%d workers, %d: phase %d while %d of %d is done in phase %d", workers, n, i, f, len(seen[j]), j)
						}
					}
					if lo >= hi {
						t.Errorf("a part from %d to %d", lo, hi)
					}
					for e := lo; e < hi; e++ {
						seen[i][e].Add(1)
					}
					finished[i].Add(int64(hi - lo))
				}}
			}
			for call := range 20 {
				for i := range finished {
					finished[i].Store(0)
				}
				Phases(workers, phase(0), phase(1), phase(2))
				for i := range seen {
					for e := range seen[i] {
						if c := seen[i][e].Load(); int(c) != call+1 {
							t.Fatalf("%d workers, %d: element %d of phase %d was done %d times in %d calls", workers, n, e, i, c, call+1)
						}
					}
				}
			}
		}
	}
}

// Calls from several goroutines and from inside of bodies do not wait for each other.
func TestPhasesTogether(t *testing.T) {
	var wg sync.WaitGroup
	var sum atomic.Int64
	for range 4 {
		wg.Go(func() {
			for range 20 {
				Phases(3, Phase{10, func(lo, hi int) {
					Phases(2, Phase{hi - lo, func(from, to int) { sum.Add(int64(to - from)) }}, Phase{1, func(int, int) {}})
				}})
			}
		})
	}
	wg.Wait()
	if sum.Load() != 4*20*10 {
		t.Errorf("%d parts, want %d", sum.Load(), 4*20*10)
	}
}

func TestPhasesPanic(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		for range 20 {
			var after atomic.Bool
			func() {
				defer func() {
					if p := recover(); p != "boom" {
						t.Errorf("%d workers: recovered %v", workers, p)
					}
				}()
				Phases(workers, Phase{100, func(lo, hi int) {
					if lo <= 50 && 50 < hi {
						panic("boom")
					}
				}}, Phase{10, func(int, int) { after.Store(true) }})
			}()
			if after.Load() {
				t.Errorf("%d workers: the phase after a panic was begun", workers)
			}
		}
	}
}

// A goroutine that has helped counts as awake when the caller goes on. It takes the next
// call, not the same one again, and goes away if there is none. It does nothing for a call
// that has ended.
func TestAwake(t *testing.T) {
	// Goroutines of other tests, also those that have not begun yet, are to end first: what
	// remains is this test's and the one that runs the tests.
	for wait := 0; runtime.NumGoroutine() > 2; wait++ {
		if time.Sleep(time.Millisecond); wait == 10000 {
			t.Fatalf("%d goroutines remain", runtime.NumGoroutine())
		}
	}
	parts := 0
	c := newCrew(2, Phase{8, func(lo, hi int) { parts += hi - lo }})
	if c.help(linger); !Awake() || parts != 8 {
		t.Errorf("awake: %v, %d parts of 8", Awake(), parts)
	}
	next := newCrew(2, Phase{1, func(int, int) { t.Error("a part of a call that has ended") }})
	next.inside.Lock()
	for _, o := range []struct{ offered, want *crew }{{next, next}, {c, nil}, {nil, nil}} {
		offer.Store(o.offered)
		if got := another(c); got != o.want || Awake() {
			t.Errorf("%p is offered, %p taken, want %p; awake: %v", o.offered, got, o.want, Awake())
		}
		lingering.Add(1)
	}
	lingering.Add(-1)
	if next.help(linger); !Awake() {
		t.Error("a goroutine that came late does not wait for the next call")
	}
	lingering.Add(-1)
}

func TestComputeCoversOnce(t *testing.T) {
	coversOnce(t, Compute)
	ctx, cancel := context.WithCancel(t.Context())
	var ran atomic.Int32
	err := Compute(ctx, 3, 1000, 1, func(int, int) {
		if ran.Add(1) >= 10 {
			cancel()
		}
	})
	if err != context.Canceled || ran.Load() > 9+3 { // each of three goroutines finishes its block
		t.Errorf("%d blocks ran, cancelled at 10: %v", ran.Load(), err)
	}
}
