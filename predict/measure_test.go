package predict_test

import (
	"math"
	"testing"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/predict"
)

// sleepy is a program that takes a time told for each call, then a millisecond.
type sleepy struct {
	formula[float64]
	calls []time.Duration
	rows  []int
}

func (p *sleepy) Rows(dst gram.Rows[float64], x gram.Samples[float64]) {
	d := time.Millisecond
	if len(p.rows) < len(p.calls) {
		d = p.calls[len(p.rows)]
	}
	p.rows = append(p.rows, dst.N)
	time.Sleep(d)
}

// A program is timed on at most 1024 rows, three times at least, and what a tenth of the
// calls does not reach is what it takes.
func TestMeasured(t *testing.T) {
	const slow = 60 * time.Millisecond
	for n, most := range map[int]int{3: 3, 1024: 1024, 1025: 1024} {
		p := &sleepy{formula: formula[float64]{d: 6, k: 2}, calls: []time.Duration{slow, slow, 1}}
		m := predict.Measure(p, gram.Of(random(1, n, 6)), 0)
		if len(p.rows) != 4 {
			t.Errorf("%d calls for no time, want one and three timed ones", len(p.rows))
		}
		for _, k := range p.rows {
			if k != most {
				t.Fatalf("it is timed on %d rows, want %d", k, most)
			}
		}
		if got := m.Seconds * float64(most); !(got < slow.Seconds()/2) || !(m.Linear > 0) || !(math.Abs(m.Multiple()*m.Linear/m.Seconds-1) < 1e-12) {
			t.Errorf("%d rows: %+v, the fastest call takes no time", n, m)
		}
	}
	for _, d := range []int{5, 7} {
		panics(t, "predict: x has the wrong number of columns", func() { predict.Measure(formula[float64]{d: 6, k: 2}, gram.Of(random(1, 3, d)), 0) })
	}
	panics(t, "predict: x has the wrong number of columns", func() { predict.Measure(formula[float64]{d: 2, k: 2}, gram.Of(noRows), 0) })
}
