package bench

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/num/rng"
)

// tolerance is how far above its ceiling, as a fraction, a kernel may seem to
// be before the measurement counts as failed: the noise of two clocks read on
// a shared machine.
const tolerance = 0.05

// A Case is one kernel at one size.
type Case struct {
	Kernel string // fwht, gemm, …
	Type   string // float32, float64
	N      int    // length or order
	Shape  string // all sizes
	Flops  float64
	op     operation
	bytes  float64
	memory traffic
	room   int  // bytes of memory that a call works on
	shared bool // runs on several threads
	// operands makes the operands. Nothing is allocated before.
	operands func() work
}

// work is what a case measures, bound to operands that are in memory.
type work struct {
	Run   func(threads int) // one call
	Reset func()            // puts the operands back, before each timed run; nil: not needed
}

// A Row is the measurement of a kernel at one size, level and number of threads: the median time of its runs.
type Row struct {
	Kernel     string  `json:"kernel"`
	Type       string  `json:"type"`
	N          int     `json:"n"`
	Shape      string  `json:"shape"`
	Level      string  `json:"level"`
	Threads    int     `json:"threads"`
	NS         float64 `json:"ns"`          // per call
	GFlops     float64 `json:"gflops"`      // 0 where flops are not counted
	GBs        float64 `json:"gbs"`         // bytes read and written
	VsGeneric  float64 `json:"vs_generic"`  // how many times as fast as the generic version
	PctCeiling float64 `json:"pct_ceiling"` // percent of the ceiling
	Ceiling    string  `json:"ceiling"`     // which one, and how high: "add 36.4 GFLOP/s"
	Note       string  `json:"note,omitempty"`
}

// noisy is the note of a row above its ceiling by no more than the noise of its
// measurement. A row whose level takes longer than the next lower one says how
// much longer in its note.
const noisy = "noisy, repeat"

// Options says which kernels are measured, how thoroughly, and who hears of the progress.
type Options struct {
	Match    *regexp.Regexp // kernels whose "kernel/type/n" matches; nil: all
	Quick    bool           // fewer sizes and runs: under half a minute in all
	Progress func(done, total int, name string)
}

// CeilingError says that kernels were measured above their ceilings by more than
// noise explains.
type CeilingError struct{ Rows []Row }

// Error names each kernel above its ceiling, its percentage and the ceiling.
func (e *CeilingError) Error() string {
	var b strings.Builder
	b.WriteString("measurement failed: above the ceiling")
	for i, r := range e.Rows {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %s %s %s %s (%.0f %% of %s)", r.Kernel, r.Type, r.Shape, r.Level, r.PctCeiling, r.Ceiling)
	}
	return b.String()
}

// suites is the list of everything that is measured.
var suites = []func(quick bool) []Case{
	fwhtCases,
	haarCases,
	gemmCases,
	batchCases,
	qrCases,
	vecCases,
	gaussCases,
	cholCases,
	eigCases,
	sketchCases,
}

// Cases returns the cases in the order in which Run takes them.
func Cases(o Options) []Case {
	var all []Case
	for _, s := range suites {
		for _, c := range s(o.Quick) {
			if o.Match == nil || o.Match.MatchString(fmt.Sprintf("%s/%s/%d", c.Kernel, c.Type, c.N)) {
				all = append(all, c)
			}
		}
	}
	return all
}

// Run measures all cases and passes on a row for each variant. It lowers the
// level of the whole process while it works. The error is a *CeilingError if
// all was measured and some rows are above their ceilings and not just Noisy,
// else ctx.Err() or what emit returned.
func Run(ctx context.Context, o Options, emit func(Row) error) error {
	cases := Cases(o)
	defer blas.SetThreads(0)
	var bad []Row
	m := newMeter(o.Quick)
	for i, c := range cases {
		if o.Progress != nil {
			o.Progress(i, len(cases), c.Kernel+" "+c.Type+" "+c.Shape)
		}
		rows, err := m.measure(ctx, c)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if r.above() && r.Note != noisy {
				bad = append(bad, r)
			}
			if err := emit(r); err != nil {
				return err
			}
		}
	}
	if o.Progress != nil {
		o.Progress(len(cases), len(cases), "")
	}
	if bad != nil {
		return &CeilingError{bad}
	}
	return nil
}

// variant is one way to run a case.
type variant struct {
	level   cpu.Level
	threads int
	reps    int // calls in a run
	runs    int
	ns      []float64 // per call, in the last round
	least   float64   // of all rounds
}

func (r Row) above() bool { return r.PctCeiling > 100*(1+tolerance) }

// meter measures. Its ceilings are kept from case to case.
type meter struct {
	quick    bool
	runs     int           // per variant
	target   time.Duration // one run
	slow     time.Duration // a variant with longer calls has fewRuns
	ceilings *ceilings
}

func newMeter(quick bool) *meter {
	if quick {
		return &meter{quick: true, runs: 5, target: 300 * time.Microsecond, slow: 20 * time.Millisecond, ceilings: newCeilings(50 * time.Microsecond)}
	}
	return &meter{runs: 11, target: 2 * time.Millisecond, slow: 500 * time.Millisecond, ceilings: newCeilings(500 * time.Microsecond)}
}

// fewRuns is the number of runs of variants that are slow: generic versions of
// large products, for the most part.
const fewRuns = 3

// attempts is how often a case with a row above its ceiling, or below the next
// lower level, is measured in all.
const attempts = 4

func (m *meter) measure(ctx context.Context, c Case) ([]Row, error) {
	runtime.GC()
	w := c.operands()
	variants := []*variant{}
	threads := []int{1}
	if t := runtime.GOMAXPROCS(0); c.shared && t > 1 && !(m.quick && c.memory == memUpdate) {
		threads = append(threads, t)
	}
	for _, t := range threads {
		for _, l := range slices.Backward(available()) { // the fast ones first, warm-up included
			variants = append(variants, &variant{level: l, threads: t, least: math.Inf(1)})
		}
	}
	var rows []Row
	m.ceilings.forget()
	for attempt := range attempts {
		if err := m.round(ctx, c, w, variants, attempt); err != nil {
			return nil, err
		}
		rows = m.rows(c, variants)
		if !slices.ContainsFunc(rows, func(r Row) bool { return r.above() || r.Note != "" }) {
			break
		}
	}
	return rows, nil
}

// available returns the levels from Generic to the one in force.
func available() []cpu.Level {
	return slices.DeleteFunc(cpu.Levels(), func(l cpu.Level) bool { return l > cpu.Current() })
}

// round runs all variants and their ceilings in turn.
func (m *meter) round(ctx context.Context, c Case, w work, variants []*variant, attempt int) error {
	for _, v := range variants {
		if err := ctx.Err(); err != nil {
			return err
		}
		if v.reps == 0 {
			m.calibrate(v, w)
		}
		v.ns = v.ns[:0]
	}
	for run := range m.runs {
		for _, v := range variants {
			if err := ctx.Err(); err != nil {
				return err
			}
			at(v.level, func() {
				if run < v.runs {
					ns := float64(timed(w, v)) / float64(v.reps)
					v.ns, v.least = append(v.ns, ns), min(v.least, ns)
				}
				if c.Flops > 0 {
					for _, k := range operations(c, v) {
						m.ceilings.measure(k)
					}
				}
				// One visit of memory too large for the caches takes as long
				// as many small ones; three runs of it show the best.
				if c.bytes > 0 && (run < 3 || c.room < 64<<20 || attempt > 0) {
					m.ceilings.measure(trafficKey(c, v))
				}
			})
		}
	}
	return nil
}

// calibrate finds how many calls last about as long as a run should.
func (m *meter) calibrate(v *variant, w work) {
	at(v.level, func() {
		for v.reps = 1; ; {
			t := timed(w, v)
			if t >= m.target/2 || v.reps >= 1<<24 {
				v.runs = m.runs
				if t > m.slow {
					v.runs = fewRuns
				}
				return
			}
			v.reps = min(100*v.reps, max(2*v.reps, int(float64(v.reps)*float64(m.target)/float64(t+1))))
		}
	})
}

// timed returns the time of v.reps calls together, after a Reset that is not timed.
func timed(w work, v *variant) time.Duration {
	if w.Reset != nil {
		w.Reset()
	}
	start := time.Now()
	for range v.reps {
		w.Run(v.threads)
	}
	return time.Since(start)
}

func (m *meter) rows(c Case, variants []*variant) []Row {
	generic := map[int]float64{}
	for _, v := range variants {
		if v.level == cpu.Generic {
			generic[v.threads] = median(v.ns)
		}
	}
	var rows []Row
	for _, v := range slices.Backward(variants) {
		ns := median(v.ns)
		r := Row{
			Kernel: c.Kernel, Type: c.Type, N: c.N, Shape: c.Shape, Level: v.level.String(), Threads: v.threads,
			NS: significant(ns), GFlops: significant(c.Flops / ns), GBs: significant(c.bytes / ns), VsGeneric: significant(generic[v.threads] / ns),
		}
		least, binds := 0.0, key{} // ns, by the ceiling that binds
		if c.Flops > 0 {
			binds = m.ceilings.highest(operations(c, v))
			rate := m.ceilings.best(binds)
			least, r.Ceiling = c.Flops/rate, fmt.Sprintf("%s %.4g GFLOP/s", binds.kind, rate)
		}
		if c.bytes > 0 {
			k := trafficKey(c, v)
			rate := m.ceilings.best(k)
			if t := c.bytes / rate; t > least {
				least, binds, r.Ceiling = t, k, fmt.Sprintf("%s %.4g GB/s", c.memory, rate)
			}
		}
		r.PctCeiling = significant(100 * least / ns)
		r.Note = slowerThanBelow(v, variants)
		if noise := max(m.ceilings.spread(binds), slices.Max(v.ns)/slices.Min(v.ns)); r.above() && r.PctCeiling <= 100*(1+tolerance)*noise {
			r.Note = noisy
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return a.Threads - b.Threads })
	return rows
}

// slowerThanBelow is the note of a variant that is slower than the one of the
// next lower level on as many threads, by the median and the least of its runs.
func slowerThanBelow(v *variant, variants []*variant) string {
	var below *variant
	for _, w := range variants {
		if w.threads == v.threads && w.level < v.level && (below == nil || w.level > below.level) {
			below = w
		}
	}
	if below == nil {
		return ""
	}
	ratio := min(v.least/below.least, median(v.ns)/median(below.ns))
	if !(ratio > 1+tolerance) {
		return ""
	}
	return fmt.Sprintf("slower than %s: %.2f times its time", below.level, ratio)
}

// at runs f at level l, which must be available, and restores the level.
func at(l cpu.Level, f func()) {
	restore, err := cpu.Lower(l)
	if err != nil {
		panic(err) // levels come from available
	}
	defer restore()
	f()
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	if n := len(x); n%2 == 0 {
		return (x[n/2-1] + x[n/2]) / 2
	}
	return x[len(x)/2]
}

// significant keeps four significant digits, more than any of these figures has.
func significant(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	p := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*p) / p
}

// typeName returns the name of F as reports print it: float32 or float64.
func typeName[F gram.Float]() string {
	var f F
	return fmt.Sprintf("%T", f)
}

// size is the size of an F in bytes.
func size[F gram.Float]() int {
	var f F
	if _, ok := any(f).(float32); ok {
		return 4
	}
	return 8
}

// random returns n standard normal values, the same ones in every call.
func random[F gram.Float](n int) []F {
	r := rng.New(1, 0)
	x := make([]F, n)
	for i := range x {
		x[i] = F(r.NormFloat64())
	}
	return x
}

// restored returns x and a function that puts its first values back: repeated
// transforms in place grow. (Within one run they may overflow, which changes
// no CPU's speed.)
func restored[F gram.Float](x []F) ([]F, func()) {
	first := slices.Clone(x)
	return x, func() { copy(x, first) }
}
