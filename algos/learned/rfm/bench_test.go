package rfm

import (
	"fmt"
	"os"
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

// A round with categories: four of so many levels beside eight numbers, by distances of levels and by products of columns.
func BenchmarkLevels(b *testing.B) {
	const n = 2500
	for _, levels := range []int{30, 300, 1000} {
		x, y, groups := categories(n, 8, []int{levels, levels, levels, levels}, false, 1)
		_, d := x.Dims()
		c := Config{Given: Given{Groups: groups}}
		for by, l := range map[string]*layout{"levels": c.layout(x), "products": {d: d, groups: c.groups(d)}} {
			for _, metric := range []Metric{Full, Diagonal, Manhattan} {
				b.Run(fmt.Sprintf("levels=%d/metric=%v/by=%s", levels, metric, by), func(b *testing.B) {
					if by == "products" && metric == Full && levels > 30 && os.Getenv("GRAM_LONG") == "" {
						b.Skip("takes long: needs GRAM_LONG")
					}
					p := l.part(x, y, nil, 1, gram.Run{}.Meter())
					at, err := c.start(b.Context(), metric, d, l)
					if err != nil {
						b.Fatal(err)
					}
					begin, _ := machine.CPUTime()
					for b.Loop() {
						for range 2 { // the metric of the second one is not a diagonal
							f, err := p.fit(b.Context(), at, 2, true, 1e-3)
							if err != nil {
								b.Fatal(err)
							}
							m, err := p.agop(b.Context(), f, metric == Full)
							if err != nil {
								b.Fatal(err)
							}
							if at, err = newMapping(b.Context(), metric, m); err != nil {
								b.Fatal(err)
							}
						}
					}
					end, _ := machine.CPUTime()
					b.ReportMetric((end-begin).Seconds()/float64(2*b.N), "CPU-s/round")
				})
			}
		}
	}
}
