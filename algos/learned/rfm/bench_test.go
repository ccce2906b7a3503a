package rfm

import (
	"fmt"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/machine"
	"gonum.org/v1/gonum/mat"
)

// A round is a fit with its loss, the products of its gradients and the next metric; a search is the whole fit.
func BenchmarkRound(b *testing.B) {
	const n, d, held = 2500, 26, 800
	train, other := dataset.Friedman1(n, d, .1, 1), dataset.Friedman1(held, d, .1, 2)
	for _, metric := range []Metric{Full, Diagonal, Manhattan} {
		b.Run(fmt.Sprintf("n=%d/d=%d/metric=%v", n, d, metric), func(b *testing.B) {
			p := &part{x: mat.DenseCopyOf(train.X), y: mat.NewDense(n, 1, train.Value), held: mat.DenseCopyOf(other.X), want: mat.NewDense(held, 1, other.Value), meter: gram.Run{}.Meter()}
			at, err := Config{}.start(b.Context(), metric, d, nil)
			if err != nil {
				b.Fatal(err)
			}
			begin, _ := machine.CPUTime()
			for b.Loop() {
				f, err := p.fit(b.Context(), at, 2, true, 1e-3)
				if err != nil {
					b.Fatal(err)
				}
				m, err := p.agop(b.Context(), f, metric == Full)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := newMapping(b.Context(), metric, m); err != nil {
					b.Fatal(err)
				}
			}
			end, _ := machine.CPUTime()
			b.ReportMetric((end-begin).Seconds()/float64(b.N), "CPU-s/op")
			b.ReportMetric(1e-9*(n*n*n/3+n*n*(2*d+4+2*d))*float64(b.N)/(end-begin).Seconds(), "GFLOP/CPU-s")
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	train := dataset.Friedman1(3125, 26, .1, 1)
	begin, _ := machine.CPUTime()
	for b.Loop() {
		if _, err := (Config{}).Fit(b.Context(), train.X, train.Value, nil); err != nil {
			b.Fatal(err)
		}
	}
	end, _ := machine.CPUTime()
	b.ReportMetric((end-begin).Seconds()/float64(b.N), "CPU-s/op")
}
