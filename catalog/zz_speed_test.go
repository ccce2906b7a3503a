package catalog

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/algotest"
	"gonum.org/v1/gonum/mat"
)

func TestZZSpeed(t *testing.T) {
	only := os.Getenv("ONLY")
	d := algotest.Problem(1, 4000, 16, 3)
	x := algotest.Problem(2, 1024, 16, 3).X.(*mat.Dense)
	for _, m := range Methods() {
		if only != "" && !strings.Contains(","+only+",", ","+m.Name+",") {
			continue
		}
		for kind, task := range map[algotest.Kind]dataset.Task{
			algotest.Classification: dataset.Classes, algotest.Regression: dataset.Regression, algotest.MultiLabel: dataset.MultiLabel,
		} {
			ok := false
			for _, tk := range m.Tasks {
				ok = ok || tk == task
			}
			if !ok || kind == algotest.Regression && len(m.Tasks) > 1 && m.Name != "gbdt" {
				continue
			}
			f := m.New()
			fs := Settings(f)
			if fs.Lookup("gamma") != nil {
				fs.Set("gamma", "0.05")
			}
			fit, err := Train(t.Context(), m, f, set(d, kind), NoScale, gram.Run{Workers: 1})
			if fit == nil {
				t.Log(m.Name, err)
				continue
			}
			c, is := fit.Model.(gram.Compiler)
			if !is {
				continue
			}
			p, err := c.Program64()
			if err != nil {
				continue
			}
			q, _ := c.Program32()
			_, k := p.Dims()
			x32 := gram.As[float32](gram.Of(x), nil)
			r32, _ := x32.Dense()
			d64, d32 := gram.MakeRows[float64](1024, k), gram.MakeRows[float32](1024, k)
			o64, o32 := make([]float64, k), make([]float32, k)
			var row = x.Slice(7, 8, 0, 16).(*mat.Dense)
			one := func(x mat.Matrix) func() {
				switch m := fit.Model.(type) {
				case gram.Classifier:
					return func() { m.Predict(nil, x) }
				case gram.Regressor:
					return func() { m.Predict(nil, x) }
				case gram.Ranker:
					return func() { m.Top(nil, x, 5) }
				}
				return nil
			}
			fns := []func(){one(row), func() { p.Row(o64, x.RawRowView(7)) }, func() { q.Row(o32, r32.Row(7)) },
				one(x), func() { p.Rows(d64, gram.Of(x)) }, func() { q.Rows(d32, x32) }}
			best := make([]float64, 6)
			reps := make([]int, 6)
			for i, f := range fns {
				f()
				b := time.Now()
				f()
				reps[i] = 1 + int(300e-6/max(1e-9, time.Since(b).Seconds()))
				best[i] = 1e9
			}
			for begin := time.Now(); time.Since(begin) < 1200*time.Millisecond; {
				for i, f := range fns {
					b := time.Now()
					for range reps[i] {
						f()
					}
					best[i] = min(best[i], time.Since(b).Seconds()/float64(reps[i]))
				}
			}
			fmt.Printf("%-10s %-8v one row: model %8.2f µs, f64 %8.2f, f32 %8.2f   1024 rows: model %9.1f µs, f64 %9.1f, f32 %9.1f\n", m.Name, task, best[0]*1e6, best[1]*1e6, best[2]*1e6, best[3]*1e6, best[4]*1e6, best[5]*1e6)
		}
	}
}
