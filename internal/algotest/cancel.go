package algotest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/race"
)

// watch is a context that is never done and knows the longest processor time that
// passed between two looks at it.
type watch struct {
	context.Context
	mu            sync.Mutex
	last, longest time.Duration
	from          [6]uintptr // the callers of the last look
	before, after [6]uintptr // those of the looks around the longest time
}

func (w *watch) look() {
	now, _ := cpuTime()
	w.mu.Lock()
	defer w.mu.Unlock()
	var at [6]uintptr
	runtime.Callers(3, at[:])
	if d := now - w.last; d > w.longest {
		w.longest, w.before, w.after = d, w.from, at
	}
	w.from = at
	w.last, _ = cpuTime()
}

func (w *watch) Err() error {
	w.look()
	return nil
}

func (w *watch) Done() <-chan struct{} {
	w.look()
	return nil
}

// lines names the lines of the nearest callers in the module's packages.
func lines(callers [6]uintptr) string {
	var names []string
	frames := runtime.CallersFrames(callers[:])
	for {
		f, more := frames.Next()
		if strings.Contains(f.Function, "gramworks") && !strings.Contains(f.File, "algotest") {
			names = append(names, fmt.Sprintf("%s:%d", f.File[strings.LastIndex(f.File, "/")+1:], f.Line))
		}
		if !more {
			break
		}
	}
	if names == nil {
		return "the caller"
	}
	return strings.Join(names, ", called at ")
}

// defaultShare is the part of a fit that may pass between two looks at the
// context. Blocks take far less, but fits of tests are short.
const defaultShare = 0.2

// interruptible checks that the work of a fit is cut by looks at its context.
func (s Subject) interruptible(t *testing.T) {
	shape := s.Long
	if shape.N == 0 {
		shape = s.Memory
	}
	if shape.N == 0 {
		shape = gram.Shape{N: 20_000, D: 16, Outputs: 3}
	}
	d := Problem(9, shape.N, shape.D, max(2, min(shape.Outputs, 4)))
	Looks(t, s.Share, func(ctx context.Context) error {
		r := run
		r.Workers = 1
		_, err := s.Fit(ctx, d, r)
		var ce *gram.ConvergenceError
		if errors.As(err, &ce) {
			return nil
		}
		return err
	})
}

// Looks runs f, which should take some 0.1 s, and checks that no more than a share
// of its work, 0 meaning 0.2, lies between two looks at the context. Work is the
// processor time of the process without garbage collection: other processes do
// not count, and a slow machine changes no share.
func Looks(t *testing.T, share float64, f func(ctx context.Context) error) {
	t.Helper()
	if _, known := cpuTime(); !known || race.Enabled || testing.Short() || !asmtest.InForce() {
		t.Skip("takes the time of a larger fit on a system that knows the processor time")
	}
	if share == 0 {
		share = defaultShare
	}
	const block = 10 * time.Millisecond // a share that takes less is no fault
	// Disturbances only add to a time: the best of three counts.
	var report string
	for range 3 {
		w := &watch{Context: context.Background()}
		runtime.GC()
		percent := debug.SetGCPercent(-1)
		begin, _ := cpuTime()
		w.last = begin
		err := f(w)
		w.look()
		total := w.last - begin
		debug.SetGCPercent(percent)
		if err != nil {
			t.Fatal(err)
		}
		if testing.Verbose() {
			t.Logf("%v of %v between %s and %s", w.longest, total, lines(w.before), lines(w.after))
		}
		if w.longest <= block || float64(w.longest) <= share*float64(total) {
			return
		}
		report = fmt.Sprintf("%v of %v are between a look at the context by %s and one by %s", w.longest, total, lines(w.before), lines(w.after))
	}
	t.Error(report)
}
