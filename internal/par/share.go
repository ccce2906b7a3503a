package par

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gramworks/gram/internal/race"
)

// spins returns how often a goroutine looks for work, or whether the others have finished,
// before it sleeps: for 20 µs or so, less than it takes to wake it, which is up to 100 µs
// on virtual machines.
func spins() int {
	if race.Enabled {
		return 200 // each takes much longer
	}
	return 20000
}

// job is work that several goroutines share, of which the caller is number 0.
type job struct {
	work     func(me int) // me is the number of the goroutine, 0 for the caller
	helpers  atomic.Int32 // that have come
	workers  int
	inside   sync.RWMutex // held for reading by helpers in work; the caller takes it for ever at the end
	stop     atomic.Bool  // work has panicked
	once     sync.Once
	panicked any
}

// share calls work on the caller's goroutine and on workers−1 others, and returns
// when these calls have returned. Goroutines that are not running by then do not call
// work: it must do everything even if it is called once. A panic of work is passed on.
func (j *job) share() {
	for range j.workers - 1 {
		go j.help(func() {})
	}
	// Other threads wait before they take the goroutine that this one would run next.
	// Therefore this thread does so, and others take the caller, which is in the queue
	// of all threads then.
	runtime.Gosched()
	j.finish()
}

// finish works on the caller's goroutine, waits for the helpers that are at work, lets no more come, and passes a panic on.
func (j *job) finish() {
	j.run(0)
	patiently(j.inside.TryLock, j.inside.Lock)
	if j.stop.Load() {
		panic(j.panicked)
	}
}

// help is the part of another goroutine. It calls leave at the end, before the caller can
// see that.
func (j *job) help(leave func()) {
	if !j.inside.TryRLock() {
		leave()
		return
	}
	defer j.inside.RUnlock()
	defer leave()
	if me := int(j.helpers.Add(1)); me < j.workers {
		j.run(me)
	}
}

func (j *job) run(me int) {
	defer func() {
		if p := recover(); p != nil {
			j.once.Do(func() { j.panicked = p })
			j.stop.Store(true)
		}
	}()
	j.work(me)
}

// patiently waits until done returns true, or calls sleep if that takes long.
func patiently(done func() bool, sleep func()) {
	for range spins() {
		if done() {
			return
		}
	}
	sleep()
}

// A Phase is work on [0, N): Body(lo, hi) is called for parts of it, in no order and on
// any goroutine. The parts depend on what the goroutines find to do: results must not.
type Phase struct {
	N    int
	Body func(lo, hi int)
}

// Phases does the work of the phases, each after all of the one before, on up to
// workers goroutines including the caller's. Each goroutine has a range of its own and
// takes smaller and smaller parts of it, then parts of the others' ranges. The bodies
// must only compute: the other goroutines stay for some microseconds and take part in
// later calls. A panic of a body is passed on.
func Phases(workers int, phases ...Phase) {
	if workers == 1 {
		for _, p := range phases {
			if p.N > 0 {
				p.Body(0, p.N)
			}
		}
		return
	}
	c := newCrew(workers, phases...)
	waiting := 0
	if n := int(lingering.Load()); n > 0 && offer.CompareAndSwap(nil, c) {
		waiting = n
		defer offer.CompareAndSwap(c, nil)
	}
	if waiting < workers-1 {
		for range workers - 1 - waiting {
			go stay(c)
		}
		runtime.Gosched() // as in share
	}
	c.finish()
}

// Compute is For for bodies that only compute, see Phases. It hands out blocks in
// another order.
func Compute(ctx context.Context, workers, n, grain int, body func(lo, hi int)) error {
	if grain < 1 {
		panic("par: grain is not positive")
	}
	if n <= 0 {
		return ctx.Err()
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if workers = min(workers, (n-1)/grain+1); workers == 1 {
		return For(ctx, 1, n, grain, body)
	}
	return computeShared(ctx, workers, n, grain, body)
}

// computeShared is Compute for more than one worker.
func computeShared(ctx context.Context, workers, n, grain int, body func(lo, hi int)) error {
	var late atomic.Bool
	Phases(workers, Phase{(n-1)/grain + 1, func(from, to int) {
		for b := from; b < to; b++ {
			if ctx.Err() != nil {
				late.Store(true)
				return
			}
			body(b*grain, min((b+1)*grain, n))
		}
	}})
	if late.Load() {
		return ctx.Err()
	}
	return nil
}

// crew is a job that goroutines stay for.
type crew struct {
	job
	phases []running
}

func newCrew(workers int, phases ...Phase) *crew {
	c := &crew{job: job{workers: workers}, phases: make([]running, len(phases))}
	for i, p := range phases {
		if uint64(p.N)>>32 != 0 {
			panic("par: too many parts")
		}
		c.phases[i].Phase = p
		c.phases[i].ranges = make([]span, workers)
		for w := range workers {
			c.phases[i].ranges[w].store(p.N*w/workers, p.N*(w+1)/workers)
		}
	}
	c.work = c.phase
	return c
}

// running is a phase under way: the ranges that are left of it, and how much is done.
type running struct {
	Phase
	ranges []span
	done   atomic.Int64
	busy   sync.RWMutex // held for reading where a part may be in work
}

// span is what is left of a range: lo in the upper half, hi in the lower one.
type span struct {
	x atomic.Uint64
	_ [56]byte // a cache line
}

func (s *span) store(lo, hi int) { s.x.Store(uint64(lo)<<32 | uint64(hi)) }

// take takes a part from the beginning of the range or, for others than its owner, from
// the end. It returns lo == hi if nothing is left.
func (s *span) take(owner bool) (lo, hi int) {
	for {
		x := s.x.Load()
		lo, hi := int(x>>32), int(uint32(x))
		if lo >= hi {
			return 0, 0
		}
		n := (hi - lo + 3) / 4
		if owner {
			if s.x.CompareAndSwap(x, uint64(lo+n)<<32|uint64(hi)) {
				return lo, lo + n
			}
		} else if s.x.CompareAndSwap(x, uint64(lo)<<32|uint64(hi-n)) {
			return hi - n, hi
		}
	}
}

// phase works on the phases in turn, as goroutine me. It begins a phase when all of the one before is done, and returns early
// after a panic.
func (c *crew) phase(me int) {
	for i := range c.phases {
		p := &c.phases[i]
		done := func() bool { return int(p.done.Load()) == p.N }
		if !done() {
			p.work(me, &c.stop)
		}
		if i == len(c.phases)-1 {
			return
		}
		patiently(done, func() {
			p.busy.Lock() // waits for those that have parts
			//lint:ignore SA2001 there is nothing to do but to wait
			p.busy.Unlock()
		})
		if !done() { // one has panicked
			return
		}
	}
}

// work does parts as long as there are any, those of range me first.
func (p *running) work(me int, stop *atomic.Bool) {
	p.busy.RLock()
	defer p.busy.RUnlock()
	for i := 0; i < len(p.ranges); {
		lo, hi := p.ranges[(me+i)%len(p.ranges)].take(i == 0)
		if lo == hi || stop.Load() {
			i++
			continue
		}
		p.Body(lo, hi)
		p.done.Add(int64(hi - lo))
	}
}

var (
	lingering atomic.Int32         // goroutines that look for a crew
	offer     atomic.Pointer[crew] // a crew that they can join
)

// Awake reports whether goroutines wait for a call of Phases, so that it starts at once.
func Awake() bool { return lingering.Load() > 0 }

func linger() { lingering.Add(1) }

// stay helps a crew and those that are offered soon afterwards.
func stay(c *crew) {
	for c != nil {
		c.help(linger)
		c = another(c)
	}
}

// another waits for a crew other than c.
func another(c *crew) *crew {
	defer lingering.Add(-1)
	for range spins() {
		if o := offer.Load(); o != nil && o != c {
			return o
		}
	}
	return nil
}
