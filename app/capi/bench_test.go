//go:build cgo

package main

import (
	"flag"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
)

var models = flag.String("models", "", "folder that python/bench.py has written")

// BenchmarkPredict reports the shortest time of predictions of the rows that python/bench.py
// times, in Go.
func BenchmarkPredict(b *testing.B) {
	paths, err := filepath.Glob(filepath.Join(*models, "*.gram"))
	if err != nil || len(paths) == 0 {
		b.Skip("needs -models")
	}
	rows, err := dataset.Open(filepath.Join(*models, "rows.npy"), dataset.Options{Task: dataset.NoTarget})
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range paths {
		m, err := catalog.LoadFitted(path)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strings.TrimSuffix(filepath.Base(path), ".gram"), func(b *testing.B) {
			best := time.Duration(math.MaxInt64)
			for b.Loop() {
				start := time.Now()
				if _, err := m.Answer(rows.X, pipeline.Want{}); err != nil {
					b.Fatal(err)
				}
				best = min(best, time.Since(start))
			}
			b.ReportMetric(float64(best)/1e3, "least-us")
		})
	}
}
