package kmeans

import (
	"context"
	"fmt"
	"testing"

	"github.com/gramworks/gram/algos/algotest"
)

func BenchmarkFit(b *testing.B) {
	for _, s := range [][3]int{{10_000, 16, 128}, {8000, 256, 512}, {20_000, 22, 128}} {
		x := algotest.Problem(1, s[0], s[1], 3).X
		b.Run(fmt.Sprintf("n=%d/d=%d/k=%d", s[0], s[1], s[2]), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m, err := Config{K: s[2], MaxIter: 10}.Fit(context.Background(), x)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(m.Stats().Objective, "objective")
			}
		})
	}
}
