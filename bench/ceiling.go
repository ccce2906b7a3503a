package bench

import (
	"runtime"
	"sync"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/asm/peak"
	"github.com/gramworks/gram/internal/enum"
)

// operation is what the flops of a kernel are made of.
type operation int

// The operations, each of which has a ceiling of its own.
const (
	opFMA operation = iota // products inside sums: two flops each
	opAdd                  // additions and subtractions alone
)

// String returns the name as reports print it.
func (o operation) String() string { return enum.Name(o, "fma", "add") }

// traffic says how a kernel uses memory, and so which bandwidth bounds it.
type traffic int

// The kinds of traffic, each of which has a ceiling of its own.
const (
	memRead   traffic = iota // operands are read, next to nothing is written
	memCopy                  // one operand is read, another one written
	memUpdate                // an operand is read and written in place
	memFill                  // next to nothing is read
)

// String returns the name as reports print it.
func (t traffic) String() string { return enum.Name(t, "read", "copy", "update", "fill") }

// key names a ceiling: what is done, on which type, at which level, by how many threads and on how much memory.
type key struct {
	kind, typ string
	level     cpu.Level
	threads   int
	room      int // bytes; 0 for operations
}

// smallest is the least memory that bandwidth is measured with. It fits the
// first cache of any CPU; for less the calls themselves would be measured.
const smallest = 16 << 10

// mixed is the ceiling of additions that are done by two kinds of units at once,
// some of them as multiply-adds by one.
const mixed = "add+fma"

// operations are the ceilings of what c computes; the highest one counts.
func operations(c Case, v *variant) []key {
	kinds := []string{c.op.String()}
	if c.op == opAdd {
		kinds = append(kinds, mixed)
	}
	var keys []key
	for _, k := range kinds {
		keys = append(keys, key{kind: k, typ: c.Type, level: v.level, threads: v.threads})
	}
	return keys
}

func trafficKey(c Case, v *variant) key {
	return key{kind: c.memory.String(), typ: c.Type, level: v.level, threads: v.threads, room: max(c.room, smallest*v.threads)}
}

// ceilings holds the best rate seen of each ceiling, in GFLOP/s or GB/s, and the
// worst one since the last call of forget.
type ceilings struct {
	target time.Duration
	rate   map[key]float64
	worst  map[key]float64
	mem32  [][2][]float32 // one pair per thread
	mem64  [][2][]float64
}

func newCeilings(target time.Duration) *ceilings {
	return &ceilings{target: target, rate: map[key]float64{}, worst: map[key]float64{}}
}

func (c *ceilings) best(k key) float64 { return c.rate[k] }

// spread is how many times as high the best rate is as the worst one.
func (c *ceilings) spread(k key) float64 { return c.rate[k] / c.worst[k] }

func (c *ceilings) forget() { clear(c.worst) }

// highest returns that of some ceilings which has the best rate: the first one,
// unless another is above it by more than Tolerance.
func (c *ceilings) highest(keys []key) key {
	best := keys[0]
	for _, k := range keys[1:] {
		if c.rate[k] > (1+tolerance)*c.rate[best] {
			best = k
		}
	}
	return best
}

// measure runs ceiling k once more, at the level in force, which is k.level.
func (c *ceilings) measure(k key) {
	var rate float64
	if k.typ == "float32" {
		rate = measure(c, k, &c.mem32)
	} else {
		rate = measure(c, k, &c.mem64)
	}
	c.rate[k] = max(c.rate[k], rate)
	if worst, ok := c.worst[k]; !ok || rate < worst {
		c.worst[k] = rate
	}
}

func measure[F gram.Float](c *ceilings, k key, mem *[][2][]F) float64 {
	switch k.kind {
	case opFMA.String():
		return c.registers(k, 2, func(x []F, rounds int) { peak.FMA(x, 0x1p-10, 0x1p-10, rounds) })
	case opAdd.String():
		return c.registers(k, 1, func(x []F, rounds int) { peak.Add(x, 0x1p-10, rounds) })
	case mixed: // a multiply-add counts as the addition that it could be
		return c.registers(k, 2, func(x []F, rounds int) { peak.Mix(x, 0x1p-10, 0x1p-10, rounds) })
	}
	half := k.room / size[F]() / k.threads / 2
	for len(*mem) < k.threads {
		*mem = append(*mem, [2][]F{})
	}
	for t := range *mem {
		for i := range (*mem)[t] {
			if b := &(*mem)[t][i]; len(*b) < half {
				*b = make([]F, half)
				peak.Fill(*b, 1) // pages that were never written are all the same one
			}
		}
	}
	var best float64
	for _, way := range ways[F](k.kind) {
		best = max(best, c.memory(k, func(t int) {
			m := (*mem)[t]
			way(m[0][:half], m[1][:half])
		}))
	}
	return best
}

// ways returns the candidates for the fastest way to move two halves of the
// memory of a case.
func ways[F gram.Float](kind string) []func(a, b []F) {
	switch kind {
	case memRead.String():
		return []func(a, b []F){func(a, b []F) { sink(peak.Sum(a) + peak.Sum(b)) }}
	case memCopy.String():
		return []func(a, b []F){
			func(a, b []F) { peak.Copy(a, b) },
			func(a, b []F) { copy(a, b) },
		}
	case memUpdate.String():
		return []func(a, b []F){func(a, b []F) { peak.Shift(a, 1); peak.Shift(b, 1) }}
	default:
		return []func(a, b []F){
			func(a, b []F) { peak.Fill(a, 1); peak.Fill(b, 1) },
			func(a, b []F) { peak.Stream(a, 1); peak.Stream(b, 1) },
			func(a, b []F) { clear(a); clear(b) },
		}
	}
}

// registers measures f, which does flops operations per element and round.
func (c *ceilings) registers(k key, flops int, f any) float64 {
	const rounds = 1000
	n := 0
	var body func(t int)
	switch f := f.(type) {
	case func(x []float32, rounds int):
		n = peak.Width[float32]()
		body = func(int) { f(make([]float32, n), rounds) }
	case func(x []float64, rounds int):
		n = peak.Width[float64]()
		body = func(int) { f(make([]float64, n), rounds) }
	}
	calls, ns := c.parallel(k.threads, body)
	return float64(calls) * float64(flops*rounds*n) / ns
}

// memory measures one way to move the memory of a case; update counts bytes
// twice, once read and once written.
func (c *ceilings) memory(k key, body func(t int)) float64 {
	calls, ns := c.parallel(k.threads, body)
	bytes := float64(k.room / k.threads)
	if k.kind == memUpdate.String() {
		bytes *= 2
	}
	return float64(calls) * bytes / ns
}

// parallel calls body on so many threads at once until each has worked for the
// target time, and returns the number of calls in all and the time of the
// slowest in nanoseconds. The first call of each, which fills the caches, does
// not count.
func (c *ceilings) parallel(threads int, body func(t int)) (calls int, ns float64) {
	type result struct {
		calls int
		ns    time.Duration
	}
	results := make([]result, threads)
	var ready, done sync.WaitGroup
	ready.Add(threads)
	work := func(t int) {
		body(t)
		ready.Done()
		ready.Wait()
		batch := 1
		start := time.Now()
		for {
			for range batch {
				body(t)
			}
			results[t].calls += batch
			results[t].ns = time.Since(start)
			if results[t].ns >= c.target {
				return
			}
			batch *= 2
		}
	}
	for t := 1; t < threads; t++ {
		done.Go(func() { work(t) })
	}
	work(0)
	done.Wait()
	rate := 0.0
	for _, r := range results {
		calls += r.calls
		rate += float64(r.calls) / float64(max(r.ns, 1))
	}
	return calls, float64(calls) / rate
}

// sink uses a result, so that computing it cannot be left out.
func sink[F gram.Float](v F) { runtime.KeepAlive(v) }
