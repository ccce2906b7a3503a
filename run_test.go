package gram_test

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gramworks/gram"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		limit, peak int64
		fits        bool
	}{{0, 1 << 50, true}, {1, 2, false}, {100, 100, true}, {100, 101, false}, {1, 0, true}, {-1, 5, true}, {100, math.MinInt64, false}, {0, -1, true}} {
		err := gram.Run{MemoryLimit: c.limit}.Check(gram.Plan{PeakBytes: c.peak, ModelBytes: 1 << 60})
		var me *gram.MemoryError
		switch {
		case c.fits && err != nil:
			t.Errorf("%d bytes under a limit of %d: %v", c.peak, c.limit, err)
		case !c.fits && (!errors.As(err, &me) || c.peak >= 0 && me.Need != c.peak || me.Need <= c.limit || me.Limit != c.limit):
			t.Errorf("%d bytes over a limit of %d: %v", c.peak, c.limit, err)
		}
	}
}

func TestNumWorkers(t *testing.T) {
	for _, c := range []struct{ workers, want int }{{3, 3}, {1, 1}, {0, runtime.GOMAXPROCS(0)}, {-1, runtime.GOMAXPROCS(0)}} {
		if got := (gram.Run{Workers: c.workers}).NumWorkers(); got != c.want {
			t.Errorf("Workers %d are %d, want %d", c.workers, got, c.want)
		}
	}
}

// Run.Report passes every event on. A Meter passes the first event on, then one
// every 100 ms and every end of a phase, unchanged.
func TestProgress(t *testing.T) {
	var got []gram.Event
	run := gram.Run{Progress: func(e gram.Event) { got = append(got, e) }}
	whole := gram.Event{Phase: "phase", Done: 3, Total: 9, Objective: 1.5}
	run.Report(whole)
	run.Report(whole)
	if !slices.Equal(got, []gram.Event{whole, whole}) {
		t.Errorf("Report passes on %+v", got)
	}
	gram.Run{}.Report(whole) // no Progress function
	gram.Run{}.Meter().Report(whole)
	new(gram.Meter).Report(whole)

	synctest.Test(t, func(t *testing.T) {
		got = nil
		m := run.Meter()
		at := func(ms int, done, total int64) {
			time.Sleep(time.Duration(ms) * time.Millisecond)
			m.Report(gram.Event{Phase: "a", Done: done, Total: total, Objective: float64(done)})
		}
		at(0, 1, 9)   // the first
		at(99, 2, 9)  // too early
		at(1, 3, 9)   // 100 ms after the first
		at(99, 4, 9)  // too early
		at(0, 9, 9)   // the end of the phase
		at(99, 10, 0) // too early, and no end is known
		at(0, 0, 0)   // Done equals Total, but no end is known
		at(1, 11, 0)
		var done []int64
		for _, e := range got {
			if e.Phase != "a" || e.Objective != float64(e.Done) {
				t.Errorf("the meter has changed an event to %+v", e)
			}
			done = append(done, e.Done)
		}
		if !slices.Equal(done, []int64{1, 3, 9, 11}) {
			t.Errorf("the meter passes on %v", done)
		}
	})
}
