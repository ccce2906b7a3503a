package papers

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/lowrank/fastnys"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/asm/peak"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/structured"
	"gonum.org/v1/gonum/mat"
)

// steps41 holds the columns of Table 4.1 of one method: the seconds of each step, and the error.
type steps41 struct {
	product float64 // U·x for all rows
	value   float64 // functions of these, norms and centering included
	inverse float64 // W and its decomposition
	learn   float64 // choice of landmarks, seeds
	error   float64 // relative, the mean over repeats
	errors  *protocol.Figure
}

func (s steps41) total() float64 { return s.product + s.value + s.inverse + s.learn }

// metrics41 are the figures of a method in the order of the rows; the paper's Tg
// and rest are one.
var metrics41 = []string{"Ux_seconds", "value_seconds", "inverse_seconds", "seed_seconds", "total_seconds", "rel_error"}

func (s steps41) metrics() []float64 {
	return []float64{s.product, s.value, s.inverse, s.learn, s.total(), s.error}
}

// mnist41 holds the rows and the kernel that the methods of Table 4.1 are measured with.
type mnist41 struct {
	*run
	k       kernel.Gaussian
	x       *mat.Dense
	rows    int // that the error is computed from
	repeats int
}

// Table 4.1 of [S16]: the seconds of the steps of the Nyström method with
// uniform and with structured landmarks (Haar, seeds learned, 8 rows of the matrix
// for each, data centered) on MNIST, pixels/255, γ = 2⁻¹⁰. Everything takes one
// goroutine. The last rows compare the products U·x in both types with the ceiling
// of reading X, and the errors at the total time of Fast-Nys with m = 160.
func table41(r *run) {
	n := r.int("n", cut(r, "rows", 0, 10_000), 0, "training rows; 0: all")
	rows := r.int("error-rows", cut(r, "rows for the error", 5000, 1000), 1, "rows that the error is computed from")
	repeats := r.repeats(5, 2)
	eachSet(r, []kernelSet{gauss("mnist", 1./1024)}, func(s kernelSet) {
		x := s.load(r)
		note := noData
		if x != nil {
			if n > 0 {
				x = sampled(x, n, r.Seed)
			}
			count, _ := x.Dims()
			note = fmt.Sprintf("%d rows, error from %d, %d repeats", count, min(rows, count), repeats)
		}
		t := mnist41{r, s.kernel.(kernel.Gaussian), x, rows, repeats}
		var plain, last steps41             // Nys and Fast-Nys
		var landmarkSeconds, always float64 // of a landmark of Nys, and without any
		for _, m := range []int{40, 80, 160} {
			plain = t.steps("Nys", m, note, func(run gram.Run) steps41 { return t.plain(landmark.Uniform{}, m, run) })
			last = t.steps("Fast-Nys", m, note, func(run gram.Run) steps41 { return t.structured(m, run) })
			if m == 40 {
				always = plain.total()
			} else {
				landmarkSeconds = (plain.total() - always) / float64(m-40)
			}
		}
		if x == nil {
			return
		}
		t.products(160)
		// Landmarks of their own in the time that 160 structured ones take.
		equal := max(8, 40+int((last.total()-always)/landmarkSeconds))
		for _, m := range []struct {
			name string
			by   landmark.Selector
		}{{"Nys", landmark.Uniform{}}, {"KNys", landmark.KMeans{}}} {
			other := t.mean(func(run gram.Run) steps41 { return t.plain(m.by, equal, run) })
			row := Row{Dataset: "mnist", Method: fmt.Sprintf("%s m=%d", m.name, equal), Metric: "rel_error",
				Note: notes(note, fmt.Sprintf("Fast-Nys m=160 takes %.3g s and has %.2f of this error; choice of landmarks %.3g s", last.total(), last.error/other.error, other.learn))}
			r.emit(row.Of(other.errors))
		}
	})
}

// steps emits the rows of a method and returns their figures, zeros without data.
func (t mnist41) steps(name string, m int, note string, fit func(gram.Run) steps41) (s steps41) {
	if t.x != nil {
		s = t.mean(fit)
	}
	for i, row := range metrics(Row{Dataset: "mnist", Method: fmt.Sprintf("%s m=%d", name, m), Note: note}, metrics41...) {
		switch {
		case t.x == nil:
		case row.Metric == "rel_error":
			row = row.Of(s.errors)
		default:
			row.Got = value(s.metrics()[i])
		}
		t.emit(row)
	}
	return s
}

// mean returns the means over repeats, of the errors, and the medians of times.
func (t mnist41) mean(fit func(gram.Run) steps41) steps41 {
	var all []steps41
	errors, mean := protocol.NewFigure(t.repeats), 0.
	for i := range t.repeats {
		run := t.repeat(i)
		run.Workers = 1
		s := fit(run)
		all = append(all, s)
		errors.AddValue(s.error, s.total(), 0)
		mean += s.error / float64(t.repeats)
	}
	slices.SortFunc(all, func(a, b steps41) int { return cmp.Compare(a.total(), b.total()) })
	middle := all[(t.repeats-1)/2]
	middle.error, middle.errors = mean, errors
	return middle
}

// plain measures the steps with landmarks that a selector chooses and that have no structure.
func (t mnist41) plain(by landmark.Selector, m int, run gram.Run) steps41 {
	model := must(nystrom.Config{Kernel: t.k, Landmarks: by, M: m, Run: run}.Fit(t.ctx, t.x))
	s := steps41{learn: model.Stats().SelectSeconds, inverse: model.Stats().CoreSeconds}
	product := kernel.Against[float64](kernel.Linear{}, model.Landmarks())
	values := kernel.Against[float64](t.k, model.Landmarks())
	return t.timed(s, m, ofRows(product.FillSerial), ofRows(values.FillSerial), model, run)
}

// structured measures the steps with the structured landmarks of Fast-Nys.
func (t mnist41) structured(m int, run gram.Run) steps41 {
	model := must(fastnys.Config{Kernel: t.k, M: m, Rows: 8, Run: run}.Fit(t.ctx, t.x))
	s := steps41{learn: model.Stats().SeedSeconds, inverse: model.Stats().CoreSeconds}
	h, v, b := model.Landmarks().Seeds()
	set := structured.New(h, gram.View(v), b)
	values := basis.NewStructuredBlock[float64](model.Landmarks()).Limit(1)
	product := func(dst, x gram.Rows[float64]) { set.Forward(dst, x, 1) }
	return t.timed(s, m, product, ofRows(values.Fill), model, run)
}

// timed adds the seconds of the products and of the values to s, and the error.
func (t mnist41) timed(s steps41, m int, product, values func(dst, x gram.Rows[float64]), phi gram.FeatureMap, run gram.Run) steps41 {
	s.product = overRows(gram.View(t.x), m, product)
	s.value = max(0, overRows(gram.View(t.x), m, values)-s.product)
	x := sampled(t.x, t.rows, run.Seed)
	run.Workers = t.Workers
	s.error = must(solve.RelativeError(t.ctx, t.k, x, must(solve.Approximate(t.ctx, phi, x)), solve.ErrorOptions{MaxRows: t.rows, Run: run})).Value
	return s
}

// overRows returns the seconds that body takes for all rows of x: the median over
// blocks of 512 rows, times their number.
func overRows[F gram.Float](x gram.Rows[F], m int, body func(dst, x gram.Rows[F])) float64 {
	dst := gram.MakeRows[F](min(512, x.N), m)
	body(dst, x.Slice(0, dst.N))
	var times []float64
	for lo := 0; lo+dst.N <= x.N; lo += dst.N {
		begin := time.Now()
		body(dst, x.Slice(lo, lo+dst.N))
		times = append(times, time.Since(begin).Seconds())
	}
	slices.Sort(times)
	return times[len(times)/2] * float64(x.N) / float64(dst.N)
}

// ofRows returns fill as a function of dense rows.
func ofRows[F gram.Float](fill func(dst gram.Rows[F], x gram.Samples[F])) func(dst, x gram.Rows[F]) {
	return func(dst, x gram.Rows[F]) { fill(dst, gram.Dense(x)) }
}

// products compares the two ways of computing U·x.
func (t mnist41) products(m int) {
	run := t.repeat(0)
	run.Workers = 1
	model := must(fastnys.Config{Kernel: t.k, M: m, Rows: 8, Run: run}.Fit(t.ctx, t.x))
	n, _ := t.x.Dims()
	x := gram.View(t.x).Slice(0, min(n, 8192))
	t.emit(product41(model.Landmarks(), x, "float64"))
	t.emit(product41(model.Landmarks(), inType[float32](x), "float32"))
}

// inType is a copy of x in type F.
func inType[F gram.Float](x gram.Rows[float64]) gram.Rows[F] {
	out := gram.MakeRows[F](x.N, x.D)
	for i := range x.N {
		for j, v := range x.Row(i) {
			out.Row(i)[j] = F(v)
		}
	}
	return out
}

// product41 measures a product with structured and with plain landmarks in turn and returns the medians.
func product41[F gram.Float](l *basis.Structured, x gram.Rows[F], name string) Row {
	h, v, b := l.Seeds()
	_, m := l.Dims()
	set := structured.New(h, inType[F](gram.View(v)), b)
	block := kernel.Against[F](kernel.Linear{}, l.Points())
	var fast, dense, read []float64
	for range 11 {
		fast = append(fast, overRows(x, m, func(dst, x gram.Rows[F]) { set.Forward(dst, x, 1) }))
		dense = append(dense, overRows(x, m, ofRows(block.FillSerial)))
		read = append(read, overRows(x, 1, func(_, x gram.Rows[F]) {
			whole := x.N * x.D / peak.Width[F]() * peak.Width[F]()
			runtime.KeepAlive(peak.Sum(x.Data[:whole])) // so that it is not left out
		}))
	}
	for _, s := range [][]float64{fast, dense, read} {
		slices.Sort(s)
	}
	middle := len(fast) / 2
	structuredFlops, plain := l.Flops()
	return Row{
		Dataset: "mnist", Method: fmt.Sprintf("Fast-Nys m=%d, %s", m, name), Metric: "Ux_gain", Got: value(dense[middle] / fast[middle]), Seconds: fast[middle],
		Note: fmt.Sprintf("%d rows in %.3g ms, with landmarks of their own %.3g ms (%.1f GFLOP/s); reading them takes %.3g ms, %.0f %% of that ceiling; %.0f operations a row against %.0f",
			x.N, 1e3*fast[middle], 1e3*dense[middle], plain*float64(x.N)/dense[middle]/1e9, 1e3*read[middle], 100*read[middle]/fast[middle], structuredFlops, plain),
	}
}

// Table 5.3 of [S16], which is Table 4.2 again: what the products of a row
// with m = s·d landmarks cost, whole blocks of the matrices. The paper gives the
// orders Θ(md), Θ(m) and Θ(m·log d); here they are counted and timed for d from
// 256 to 4 096 (64 and 256 with --quick), two seeds, generated rows, one
// goroutine. The exponent is that of d in the time for a landmark between the
// smallest and the largest d.
func table53(r *run) {
	r.check()
	const s = 2
	dims := cut(r, "columns", []int{256, 1024, 4096}, []int{64, 256})
	first := map[string]float64{}
	for _, d := range dims {
		draw := rng.New(rng.Derive(r.Seed, "rows"), uint64(d))
		v := mat.NewDense(s, d, nil)
		x := gram.MakeRows[float64](64, d)
		for _, to := range [][]float64{v.RawMatrix().Data, x.Data} {
			for i := range to {
				to[i] = draw.NormFloat64()
			}
		}
		m := s * d
		haar, hadamard := structured.New(structured.Haar, gram.View(v), d), structured.New(structured.Hadamard, gram.View(v), d)
		u := gram.MakeRows[float64](m, d)
		haar.Landmarks(u)
		dense := kernel.Against[float64](kernel.Linear{}, mat.NewDense(m, d, u.Data))
		for _, c := range []struct {
			name       string
			operations float64 // for a landmark
			body       func(dst, x gram.Rows[float64])
		}{
			{"landmarks of their own", 2 * float64(d), ofRows(dense.FillSerial)},
			{"Haar", (float64(d) + 2*float64(d-1)) / float64(d), func(dst, x gram.Rows[float64]) { haar.Forward(dst, x, 1) }},
			{"Hadamard", 1 + math.Log2(float64(d)), func(dst, x gram.Rows[float64]) { hadamard.Forward(dst, x, 1) }},
		} {
			var times []float64
			for range 11 {
				times = append(times, overRows(x, m, c.body))
			}
			seconds := median(times)
			ns := 1e9 * seconds / float64(x.N*m)
			row := Row{Dataset: fmt.Sprintf("d=%d", d), Method: c.name, Metric: "ns_per_landmark", Got: value(ns), Seconds: seconds, Series: c.name, X: float64(d)}
			row.Note = fmt.Sprintf("%.4g operations", c.operations)
			if d == dims[0] {
				first[c.name] = ns
			} else if d == dims[len(dims)-1] {
				row.Note = notes(row.Note, fmt.Sprintf("exponent %.2f", math.Log(ns/first[c.name])/math.Log(float64(d)/float64(dims[0]))))
			}
			r.emit(row)
		}
	}
}
