package tables

import (
	"context"
	"fmt"
	"time"

	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/metric"
)

// Figure 3.12 of [Si 2016]: test RMSE against the number of parts on the toy
// problems: that of the noisy test values, as the thesis has it, and that of the
// function without noise.
var fig312 = Table{
	ID:    "fig-3.12",
	Title: "Test RMSE against the number of parts on the toy problems",
	Run:   runFig312,
	X:     "parts", Y: "RMSE",
}

func runFig312(ctx context.Context, env Env, emit func(Row)) error {
	f := env.flags()
	most := f.Int("parts", 10, "parts at most")
	if err := env.parse(f); err != nil {
		return err
	}
	repeats := env.repeats(20, 20)
	counts := []int{2, 3, 4, 5, 6, 8, 10, 15, 20}
	if env.Quick {
		counts = []int{2, 3, 5, 10}
	}
	for _, t := range toys {
		for _, method := range []string{"Whole", "Random", "DC"} {
			var whole [2]sample
			for k, parts := range counts {
				if parts > *most {
					continue
				}
				got := [2]sample{}
				if method == "Whole" && k > 0 {
					got = whole // it has no parts: a level line
				} else {
					for i := range repeats {
						run := env.repeat(i)
						train, _ := t.toy.Draw(toyRows, run.Seed)
						test, clean := t.toy.Draw(toyTest, rng.Derive(run.Seed, "test"))
						begin := time.Now()
						m, err := t.fit(ctx, method, train, parts, run)
						if err != nil {
							return err
						}
						seconds := time.Since(begin).Seconds()
						p := m.Predict(nil, test.X)
						got[0].add(metric.RMSE(p, test.Value), seconds, 0)
						got[1].add(metric.RMSE(p, clean), seconds, 0)
					}
					whole = got
				}
				for j, name := range []string{"rmse", "rmse without noise"} {
					emit(got[j].into(Row{Table: "fig-3.12", Dataset: t.name, Method: fmt.Sprintf("%s parts=%d", method, parts), Metric: name,
						Series: method, X: float64(parts), Note: notes(toyNote, counted(repeats, "repeat"))}))
				}
			}
		}
	}
	return nil
}
