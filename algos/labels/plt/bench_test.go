package plt

import "testing"

// BenchmarkMany fits 90 000 rows with 50 000 labels, four rows a label, and reports P@1 of
// 10 000 other rows and the time of a query.
func BenchmarkMany(b *testing.B) {
	x, y := generated(100_000, 100_000, 50_000, 7)
	const rows = 90_000
	train, tags, test, want := x.Slice(0, rows), y.Slice(0, rows), x.Slice(rows, x.N), y.Slice(rows, x.N)
	var m *Model
	b.Run("fit", func(b *testing.B) {
		for b.Loop() {
			var err error
			if m, err = (Config{}).Fit(b.Context(), train, tags); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(m.Stats().Weights)/1e6, "Mweights")
	})
	b.Run("top", func(b *testing.B) {
		hits := 0.0
		for b.Loop() {
			hits = precision(m, test, want)
		}
		b.ReportMetric(hits, "P@1")
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*test.N), "ns/row")
	})
}
