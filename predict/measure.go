package predict

import (
	"slices"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"gonum.org/v1/gonum/mat"
)

// Timing is what prediction takes on this machine, in one goroutine.
type Timing struct {
	Seconds float64 // a row of the program
	Linear  float64 // a row of a linear model with as many outputs, in the same type and from the same code
}

// Multiple returns how many times the time of a linear function the prediction takes: Seconds over Linear.
func (t Timing) Multiple() float64 { return t.Seconds / t.Linear }

// Measure times Rows of p on the first 1024 rows of x against those of a linear
// program, alternating, for about as long as told. The figures are those that a
// tenth of the calls does not reach: what else runs on the machine only adds to
// them.
func Measure[F gram.Float](p gram.Program[F], x gram.Samples[F], about time.Duration) Timing {
	d, k := p.Dims()
	n, have := x.Dims()
	if have != d || n == 0 {
		panic(panicColumns)
	}
	n = min(n, 1024)
	x = x.Slice(0, n)
	w := mat.NewDense(d, k, nil)
	for i := range d {
		row := w.RawRowView(i)
		for c := range row {
			row[c] = float64(1+(c*d+i)%7) / 8
		}
	}
	base := basis.With[F](basis.Identity(d), w, make([]float64, k))
	dst := gram.MakeRows[F](n, k)
	// A linear model can be done in less than a clock tells apart.
	repeat := 1 + int(20e-6/max(1e-9, once(base, dst, x, 3)))
	var ours, linear []float64
	once(p, dst, x, 1)
	for begin := time.Now(); len(ours) < 3 || time.Since(begin) < about; {
		linear = append(linear, once(base, dst, x, repeat))
		ours = append(ours, once(p, dst, x, 1))
	}
	return Timing{Seconds: tenth(ours) / float64(n), Linear: tenth(linear) / float64(n)}
}

// once returns the seconds that Rows takes, on average over a few calls.
func once[F gram.Float](p gram.Program[F], dst gram.Rows[F], x gram.Samples[F], calls int) float64 {
	begin := time.Now()
	for range calls {
		p.Rows(dst, x)
	}
	return time.Since(begin).Seconds() / float64(calls)
}

func tenth(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/10]
}
