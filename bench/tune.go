package bench

import (
	"context"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/hadamard"
	"github.com/gramworks/gram/blas"
	"github.com/gramworks/gram/internal/tuning"
	gblas "gonum.org/v1/gonum/blas"
)

// Tuned is what the search found for one parameter.
type Tuned struct {
	Parameter string  `json:"parameter"`
	InForce   int     `json:"in_force"`  // at the start
	Best      int     `json:"best"`      // InForce if no other value is faster by more than LeastGain and Noise
	Gain      float64 `json:"gain_pct"`  // percent that Best is faster, over the cases together
	Noise     float64 `json:"noise_pct"` // percent that what is the same seemed to differ by
	Runs      int     `json:"runs"`      // of each value; 0: not measured, there was no time for it or it has no effect here
}

// leastGain is the gain, in percent, below which a value is not taken for better
// than the one in force.
const leastGain = 1

// trial is a call that a parameter bears on.
type trial func() func()

// search is the values of one parameter to compare and what to compare them by.
type search struct {
	parameter  tuning.Parameter
	threads    int // 0: all
	candidates []int
	trials     []trial
}

// searches is the list of everything that is tuned, in the order in which it is:
// what concerns one goroutine before what several share.
func searches() []search {
	squares := func(of func(m, n, k int) trial, sizes ...int) (all []trial) {
		for _, n := range sizes {
			all = append(all, of(n, n, n))
		}
		return all
	}
	cubes := func(sizes ...int) (all []int) {
		for _, n := range sizes {
			all = append(all, n*n*n)
		}
		return all
	}
	powers := func(from, to int) (all []int) {
		for p := from; p <= to; p++ {
			all = append(all, 1<<p)
		}
		return all
	}
	small := cubes(24, 40, 56, 80, 112, 160, 224, 320)
	panels := []int{2, 3, 4, 6, 8, 12, 16, 24, 32, 48}
	large64, large32 := productTrial[float64](1500, 1500, 512), productTrial[float32](1500, 1500, 1024)
	return []search{
		{tuning.Small64, 1, small, squares(productTrial[float64], 24, 32, 48, 64, 96, 128, 192, 256)},
		{tuning.Small32, 1, small, squares(productTrial[float32], 24, 32, 48, 64, 96, 128, 192, 256)},
		{tuning.Panels64, 1, panels, []trial{productTrial[float64](600, 600, 600), productTrial[float64](960, 960, 256)}},
		{tuning.Panels32, 1, panels, []trial{productTrial[float32](600, 600, 600), productTrial[float32](960, 960, 512)}},
		{tuning.Lines, 1, []int{240, 480, 960, 1920, 4080}, []trial{large64, large32}},
		{tuning.Packed, 1, powers(17, 22), []trial{large64, large32}},
		{tuning.KernelRows, 1, powers(15, 20), []trial{kernelTrial[float64](2048, 512, 16), kernelTrial[float64](1024, 512, 128), kernelTrial[float32](1024, 512, 256)}},
		{tuning.KernelColumns, 1, powers(15, 20), []trial{kernelTrial[float64](512, 1024, 128), kernelTrial[float64](512, 512, 784), kernelTrial[float32](512, 512, 784)}},
		{tuning.KernelStream, 1, powers(22, 28), []trial{storedTrial(1024, 1024, 8), storedTrial(4096, 1024, 8), storedTrial(8192, 1024, 8)}},
		{tuning.HadamardLeaf, 1, powers(13, 16), hadamards(11, 12, 13, 15)},
		{tuning.HadamardNear, 1, []int{2, 3, 4}, hadamards(14, 15, 16, 17)},
		{tuning.HadamardLast, 1, powers(20, 26), hadamards(18, 20, 22)},
		{tuning.ProductThreads, 0, powers(14, 23), slices.Concat(squares(productTrial[float64], 32, 48, 64, 80, 96, 128, 160), squares(productTrial[float32], 48, 64, 96, 128, 160))},
		{tuning.VectorThreads, 0, powers(14, 23), []trial{vectorTrial(128), vectorTrial(192), vectorTrial(256), vectorTrial(384), vectorTrial(512), vectorTrial(768), vectorTrial(1024), vectorTrial(1400)}},
		{tuning.SmallShared, 0, cubes(80, 128, 200, 280, 320, 400, 560), slices.Concat(squares(productTrial[float64], 112, 160, 256, 300, 384, 500), squares(productTrial[float32], 160, 300, 500))},
	}
}

func productTrial[F gram.Float](m, n, k int) trial {
	return func() func() {
		a, b, c := random[F](m*k), random[F](k*n), make([]F, m*n)
		switch a := any(a).(type) {
		case []float64:
			return func() {
				blas.Native.Float64().Dgemm(gblas.NoTrans, gblas.NoTrans, m, n, k, 1, a, k, any(b).([]float64), n, 0, any(c).([]float64), n)
			}
		case []float32:
			return func() {
				blas.Native.Float32().Sgemm(gblas.NoTrans, gblas.NoTrans, m, n, k, 1, a, k, any(b).([]float32), n, 0, any(c).([]float32), n)
			}
		}
		panic("unreachable")
	}
}

// hadamards has transforms of 2^k numbers of both types.
func hadamards(exponents ...int) (all []trial) {
	for _, k := range exponents {
		all = append(all, hadamardTrial[float64](1<<k), hadamardTrial[float32](2<<k))
	}
	return all
}

func hadamardTrial[F gram.Float](n int) trial {
	return func() func() {
		x := make([]F, n) // of zeros, which do not grow
		return func() { hadamard.Transform(x) }
	}
}

func vectorTrial(n int) trial {
	return func() func() {
		a, x, y := random[float64](n*n), random[float64](n), make([]float64, n)
		return func() { blas.Native.Float64().Dgemv(gblas.NoTrans, n, n, 1, a, n, x, 1, 0, y, 1) }
	}
}

func kernelTrial[F gram.Float](n, m, d int) trial {
	return func() func() {
		block, x := operands[F](opFMA, n, m, d)
		dst := gram.MakeRows[F](n, m)
		block = block.Limit(1)
		return func() { block.Fill(dst, gram.Dense(x)) }
	}
}

// storedTrial fills a block and multiplies it by a vector.
func storedTrial(n, m, d int) trial {
	return func() func() {
		block, x := operands[float64](opFMA, n, m, d)
		dst, v, product := gram.MakeRows[float64](n, m), random[float64](m), make([]float64, n)
		block = block.Limit(1)
		return func() {
			block.Fill(dst, gram.Dense(x))
			blas.Native.Float64().Dgemv(gblas.NoTrans, n, m, 1, dst.Data, m, v, 1, 0, product, 1)
		}
	}
}

// Tune looks for the values of the tuned parameters that are the fastest on
// this CPU at the level in force, in about the time given: one parameter after
// the other, the best of the former in force, starting with the values in force.
// The values of a parameter are compared in turn, A B C A B C …, by the geometric
// mean over the calls it bears on of the least of their times, relative to the
// value in force. The best is then measured against that once more: what is
// reported is this second measurement, as the first one flatters what it has
// picked. Calls that are too slow here for their share of the time are left out.
//
// How far to trust that is measured, too. In both comparisons the value in force
// takes part twice, as if it were two, and a fixed product runs in every round,
// whose rounds are then dealt out to four and their leasts compared. The largest
// of these differences between equals is the noise of the parameter.
//
// Tune changes values in force and the number of threads while it works; nothing
// else should be running. It returns the best values by the names of
// their parameters, and a report for each parameter.
func Tune(ctx context.Context, budget time.Duration, progress func(done, total int, name string)) (map[string]int, []Tuned, error) {
	best := *tuning.Current()
	restore := tuning.Set(best)
	defer restore()
	defer blas.Native.SetThreads(0)
	all := searches()
	var report []Tuned
	for i, s := range all {
		if progress != nil {
			progress(i, len(all), s.parameter.String())
		}
		t := Tuned{Parameter: s.parameter.String(), InForce: best[s.parameter], Best: best[s.parameter]}
		if s.threads == 1 || runtime.GOMAXPROCS(0) > 1 {
			blas.Native.SetThreads(s.threads)
			if err := s.run(ctx, best, budget/time.Duration(len(all)), &t); err != nil {
				return best.Named(), nil, err
			}
		}
		best[s.parameter] = t.Best
		report = append(report, t)
	}
	if progress != nil {
		progress(len(all), len(all), "")
	}
	return best.Named(), report, nil
}

// Least and most rounds of one comparison, in each of which every value is measured once.
const (
	leastRounds = 5
	mostRounds  = 41
)

// timing is a trial that is ready to run.
type timing struct {
	call func()
	reps int
	cost time.Duration // of reps calls
}

// run searches for the best value from the values in force on.
func (s search) run(ctx context.Context, inForce tuning.Values, share time.Duration, t *Tuned) error {
	runtime.GC()
	start := time.Now()
	var timings []timing
	for _, prepare := range s.trials {
		if err := ctx.Err(); err != nil {
			return err
		}
		timings = append(timings, calibrated(prepare()))
	}
	slices.SortStableFunc(timings, func(a, b timing) int { return int(a.cost - b.cost) })
	inForce[s.parameter] = t.InForce
	restore := tuning.Set(inForce)
	fixed := calibrated(productTrial[float64](96, 96, 96)())
	restore()
	values := slices.DeleteFunc(slices.Clone(s.candidates), func(v int) bool { return v == t.InForce })
	values = slices.Concat([]int{t.InForce}, values, []int{t.InForce})
	left := share - time.Since(start)
	rounds := func(values int, within time.Duration) int {
		var cost time.Duration
		for _, c := range timings {
			cost += c.cost*time.Duration(values) + fixed.cost
		}
		return min(int(within/(cost+1)), mostRounds)
	}
	n := rounds(len(values), left*2/3)
	for n < leastRounds {
		if timings = timings[:len(timings)-1]; len(timings) == 0 {
			return nil
		}
		n = rounds(len(values), left*2/3)
	}
	ratios, noise, err := s.compare(ctx, inForce, values, timings, fixed, n)
	if err != nil {
		return err
	}
	t.Runs = n
	t.Noise = significant(noise)
	pick := slices.Index(ratios, slices.Min(ratios))
	if values[pick] == t.InForce {
		return nil
	}
	ratios, noise, err = s.compare(ctx, inForce, []int{t.InForce, values[pick], t.InForce}, timings, fixed, max(rounds(3, left/3), leastRounds))
	if err != nil {
		return err
	}
	t.Noise = max(t.Noise, significant(noise))
	if gain := 100 * (1/ratios[1] - 1); gain > max(leastGain, t.Noise) {
		t.Best, t.Gain = values[pick], significant(gain)
	}
	return nil
}

// calibrated finds how many calls take long enough for the clock.
func calibrated(call func()) timing {
	const target = 200 * time.Microsecond
	for reps := 1; ; reps *= 2 {
		c := timing{call: call, reps: reps}
		if c.cost = c.time(); c.cost >= target {
			return c
		}
	}
}

func (c timing) time() time.Duration {
	start := time.Now()
	for range c.reps {
		c.call()
	}
	return time.Since(start)
}

// compare returns the times with each value relative to those with the first,
// and the percentage by which equal things seem to differ. The last value is the
// first one.
func (s search) compare(ctx context.Context, inForce tuning.Values, values []int, timings []timing, fixed timing, rounds int) (ratios []float64, noise float64, err error) {
	least := make([][]float64, len(values)) // by value and timing
	for i := range least {
		least[i] = slices.Repeat([]float64{math.Inf(1)}, len(timings))
	}
	quarter := slices.Repeat([]float64{math.Inf(1)}, 4)
	with := func(value int, c timing) float64 {
		inForce[s.parameter] = value
		defer tuning.Set(inForce)()
		return float64(c.time())
	}
	for r := range rounds {
		for j, c := range timings {
			for i := range values {
				if err := ctx.Err(); err != nil {
					return nil, 0, err
				}
				i = (i + r) % len(values) // none is always the one that runs after the first
				least[i][j] = min(least[i][j], with(values[i], c))
			}
			q := &quarter[(r*len(timings)+j)%len(quarter)]
			*q = min(*q, with(values[0], fixed))
		}
	}
	for i := range values {
		var sum float64
		for j := range timings {
			sum += math.Log(least[i][j] / least[0][j])
		}
		ratios = append(ratios, math.Exp(sum/float64(len(timings))))
	}
	again := ratios[len(ratios)-1]
	return ratios, 100 * (max(again, 1/again, slices.Max(quarter)/slices.Min(quarter)) - 1), nil
}
