package main

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/internal/must"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	must.Do(t, run(t.Context(), []string{"-window", "400", "-seconds", "0.2", "-rate", "2000"}, &out))
	for _, want := range []string{"400 rows of 8 columns", " predictions, ", "in the band of 90 %"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, &out)
		}
	}
	if err := run(t.Context(), []string{"-window", "3"}, &out); err == nil || !strings.Contains(err.Error(), "-window is 3") {
		t.Errorf("a window of 3 rows: %v", err)
	}
}

// The window has the last rows, and a fit between two predictions changes the second.
func TestPredictor(t *testing.T) {
	s, p := &stream{random: rand.New(rand.NewPCG(1, 2))}, &predictor{window: 300, models: models}
	var rows [][]float64
	for range 700 {
		row, y := s.next()
		p.observe(row, y)
		if rows = append(rows, row); len(rows) == 300 {
			must.Do(t, p.fit(t.Context()))
		}
	}
	if len(p.y) != 300 || p.x[0] != rows[400][0] || len(p.x) != 300*columns {
		t.Errorf("the window has %d rows, the first of which begins with %v, want %v", len(p.y), p.x[0], rows[400][0])
	}
	before, low, high := p.predict(rows[699])
	if !(low < high) {
		t.Errorf("the band is from %v to %v", low, high)
	}
	must.Do(t, p.fit(t.Context()))
	if after, _, _ := p.predict(rows[699]); after == before {
		t.Error("the prediction is still that of the fit before")
	}
}

func fitted(b *testing.B, models []gbdt.Config) (p *predictor, row []float64) {
	b.Helper()
	s := &stream{random: rand.New(rand.NewPCG(1, 1))}
	p = &predictor{window: 5000, models: models}
	for range 5000 {
		p.observe(s.next())
	}
	must.Do(b, p.fit(b.Context()))
	row, _ = s.next()
	return p, row
}

// BenchmarkFit fits the three models to a window of 5000 rows.
func BenchmarkFit(b *testing.B) {
	p, _ := fitted(b, models)
	for b.Loop() {
		must.Do(b, p.fit(b.Context()))
	}
}

// BenchmarkPredict predicts a row and its band.
func BenchmarkPredict(b *testing.B) {
	p, row := fitted(b, models)
	b.ReportAllocs()
	for b.Loop() {
		p.predict(row)
	}
}
