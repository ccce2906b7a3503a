package tables

import (
	"fmt"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/structured"
	"gonum.org/v1/gonum/mat"
)

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
