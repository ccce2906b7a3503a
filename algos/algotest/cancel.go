package algotest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/machine"
	"github.com/gramworks/gram/internal/race"
)

// countdown is a context that is canceled after a number of calls of Err or Done:
// it cancels in the middle of a fit without a clock.
type countdown struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
	asked  func() // called by every such call; nil: not called
}

func newCountdown(asks int64) *countdown {
	c := &countdown{}
	c.Context, c.cancel = context.WithCancel(context.Background())
	c.left.Store(asks)
	return c
}

// Err returns nil as often as it was told to; from then on the context has ended and Err says so.
func (c *countdown) Err() error {
	if c.asked != nil {
		c.asked()
	}
	if c.left.Add(-1) < 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// callers holds the functions that led to a check of a context.
type callers [40]uintptr

// callersOf omits the innermost functions and, if their number is known, those
// below the watched function.
func callersOf(skip, below int) (c callers) {
	var all [128]uintptr
	n := runtime.Callers(skip+2, all[:])
	if n > below {
		n -= below
	}
	copy(c[:], all[:n])
	return c
}

// stackDepth returns the number of functions on the stack, beginning with its caller; at most 128 are counted.
func stackDepth() int {
	var all [128]uintptr
	return runtime.Callers(2, all[:])
}

// frames returns the callers in the packages of the module, without loops on
// goroutines.
func (c callers) frames() []runtime.Frame {
	var out []runtime.Frame
	for all := runtime.CallersFrames(c[:]); ; {
		f, more := all.Next()
		if strings.Contains(f.Function, "gramworks") && !strings.Contains(f.File, "algotest") && !strings.Contains(f.File, "internal/par") {
			out = append(out, f)
		}
		if !more {
			return out
		}
	}
}

// within reports whether a check was made by the call of the function that had been
// told before, or below that call. The same line, or the next one, which returns
// the error, does not count.
func (c callers) within(told callers) bool {
	now, then := c.frames(), told.frames()
	for i, f := range now {
		if len(then) == 0 || f.Function != then[0].Function || len(now)-i != len(then) {
			continue
		}
		for k := 1; k < len(then); k++ {
			if now[i+k].Function != then[k].Function || now[i+k].Line != then[k].Line {
				return false
			}
		}
		return i > 0 || f.Line < then[0].Line || f.Line > then[0].Line+1
	}
	return false
}

// Obeys checks that f, which works in one goroutine, ends at the first check of its
// context that tells it to. For every place in the module that checks the context,
// the context is done from the first check at this place on. The call that was told
// must return without another check; its callers may check again, and may call it
// once more.
func Obeys(t *testing.T, f func(ctx context.Context) error) {
	t.Helper()
	var places []string
	first := map[string]int64{} // number of the first check at each place
	seen := map[callers]bool{}  // naming the lines of callers takes far more time than looking them up
	var asks int64
	c := newCountdown(math.MaxInt64)
	c.asked = func() {
		if at := callersOf(2, 0); !seen[at] {
			seen[at] = true
			place := lines(at, 2)
			if _, known := first[place]; !known {
				first[place] = asks
				places = append(places, place)
			}
		}
		asks++
	}
	_ = f(c)
	c.cancel()
	for _, place := range places {
		c := newCountdown(first[place])
		var told callers
		looks, same, again := int64(0), 0, ""
		c.asked = func() {
			if looks == first[place] {
				told = callersOf(2, 0)
			} else if looks > first[place] && again == "" {
				at := callersOf(2, 0)
				if at == told {
					same++
				}
				if same > 1 || at.within(told) {
					again = lines(at, 4)
				}
			}
			looks++
		}
		if err := f(c); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled by the look of %s: error %v", place, err)
		}
		if again != "" {
			t.Errorf("told by the look of %s it goes on to that of %s", place, again)
		}
	}
}

// watch is a context that records the longest processor time between two checks of
// it. It is done from the check number until on, or never.
type watch struct {
	context.Context
	cancel        context.CancelFunc
	until         callers
	below         int // number of callers of the function that is watched
	mu            sync.Mutex
	last, longest time.Duration
	from          callers                   // of the last check
	before, after callers                   // of the checks around the longest time
	following     map[callers]time.Duration // time between a check and the next one
	told          time.Duration             // when the context became done; 0: it is not
}

func newWatch(until callers) *watch {
	w := &watch{until: until, below: stackDepth(), following: map[callers]time.Duration{}}
	w.Context, w.cancel = context.WithCancel(context.Background())
	return w
}

func (w *watch) look() {
	now, _ := machine.CPUTime()
	w.mu.Lock()
	defer w.mu.Unlock()
	at := callersOf(2, w.below)
	d := now - w.last
	if d > w.longest {
		w.longest, w.before, w.after = d, w.from, at
	}
	w.following[w.from] += d
	w.from = at
	w.last, _ = machine.CPUTime()
	if at == w.until && w.told == 0 {
		w.told = w.last
		w.cancel()
	}
}

// Err notes who asks and answers as the context does.
func (w *watch) Err() error {
	w.look()
	return w.Context.Err()
}

// Done notes who asks and answers as the context does.
func (w *watch) Done() <-chan struct{} {
	w.look()
	return w.Context.Done()
}

// lines names the lines of the nearest callers in the packages of the module, at
// most the given number.
func lines(c callers, most int) string {
	var names []string
	for i, f := range c.frames() {
		if i < most {
			names = append(names, fmt.Sprintf("%s:%d", f.File[strings.LastIndex(f.File, "/")+1:], f.Line))
		}
	}
	if names == nil {
		return "the caller"
	}
	return strings.Join(names, ", called at ")
}

// defaultShare is the share of a fit that may pass between two checks of the
// context. Blocks take far less time, but the fits of tests are short.
const defaultShare = 0.2

// interruptible checks that a fit checks its context often enough.
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

// Looks runs f, which should take about 0.1 s, and checks that at most the given
// share of its work (0 means 0.2) lies between two checks of the context. It also
// checks this for the time until f returns if the context is done at those checks
// after which most of the work follows. Work is the processor time of the process
// without garbage collection: other processes do not count, and a slow machine does
// not change the shares. It is skipped without the option -large.
func Looks(t *testing.T, share float64, f func(ctx context.Context) error) {
	t.Helper()
	onlyLarge(t)
	if _, known := machine.CPUTime(); !known || race.Enabled || !asmtest.InForce() {
		t.Skip("larger fits: not with the race detector, nor where the processor time is not known")
	}
	if share == 0 {
		share = defaultShare
	}
	const block = 10 * time.Millisecond // a share that takes less time is accepted
	run := func(until callers) (w *watch, total time.Duration, err error) {
		w = newWatch(until)
		defer w.cancel()
		runtime.GC()
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		begin, _ := machine.CPUTime()
		w.last = begin
		err = f(w)
		w.look()
		return w, w.last - begin, err
	}
	// Disturbances only add to a time, so the best of three runs counts.
	best := func(try func() (fault string)) {
		t.Helper()
		var fault string
		for range 3 {
			if fault = try(); fault == "" {
				return
			}
		}
		t.Error(fault)
	}
	var total time.Duration
	var following map[callers]time.Duration
	best(func() string {
		w, all, err := run(callers{})
		if err != nil {
			t.Fatal(err)
		}
		total, following = all, w.following
		if testing.Verbose() {
			t.Logf("%v of %v between %s and %s", w.longest, total, lines(w.before, 6), lines(w.after, 6))
		}
		if w.longest <= block || float64(w.longest) <= share*float64(total) {
			return ""
		}
		return fmt.Sprintf("%v of %v are between a look at the context by %s and one by %s", w.longest, total, lines(w.before, 6), lines(w.after, 6))
	})
	busy := slices.SortedFunc(maps.Keys(following), func(a, b callers) int { return cmp.Compare(following[b], following[a]) })
	for _, at := range busy[:min(3, len(busy))] {
		if at == (callers{}) || following[at] <= block {
			continue
		}
		best(func() string {
			w, _, err := run(at)
			if w.told == 0 {
				return "" // another fit, which divides its work by time
			}
			if !errors.Is(err, context.Canceled) {
				return fmt.Sprintf("told by the look of %s: error %v", lines(at, 6), err)
			}
			if rest := w.last - w.told; rest > block && float64(rest) > share*float64(total) {
				return fmt.Sprintf("told by the look of %s it works on for %v of %v", lines(at, 6), rest, total)
			}
			return ""
		})
	}
}
