package gbdt

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/modelfile"
)

func TestContract(t *testing.T) {
	base := Config{Rounds: 8, MaxLeaves: 6, MinRows: 3}
	sampled := base
	sampled.RowSample, sampled.ColumnSample, sampled.Holdout = 0.7, 0.6, 0.2
	for _, s := range []struct {
		name   string
		kind   algotest.Kind
		c      Config
		golden string
		older  []string
	}{
		{"classes", algotest.Classification, base, "classifier.v2.gram", []string{"classifier.v1.gram"}},
		{"classes, sampled", algotest.Classification, sampled, "", nil},
		{"values", algotest.Regression, base, "regressor.v2.gram", []string{"regressor.v1.gram"}},
		{"values, exact", algotest.Regression, Config{Rounds: 4, Exact: true}, "", nil},
	} {
		t.Run(s.name, func(t *testing.T) {
			at := func(run gram.Run) Config {
				c := s.c
				c.Run = run
				return c
			}
			subject := algotest.Subject{
				AnyCells:   true,
				Kind:       s.kind,
				TwoClasses: "F₀ is the logarithm of the odds, which are infinite",
				Weighted:   true,
				Golden:     s.golden,
				Older:      s.older,
				Random:     []string{"seed"},
				Long:       gram.Shape{N: 8000, D: 8},
				Plan:       func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(run).Plan(s) },
			}
			exact := Config{Rounds: 5, MaxLeaves: 4, MinRows: 1, Exact: true} // in larger trees there are splits of the same gain, between which rounding decides
			subject.Exact = func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
				exact.Run = run
				if s.kind == algotest.Classification {
					return algotest.Fitted(exact.Fit(ctx, d.X, d.Labels, d.Weights))
				}
				return algotest.Fitted(exact.FitValues(ctx, d.X, d.Value, d.Weights))
			}
			if s.kind == algotest.Classification {
				subject.Fit = func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					return algotest.Fitted(at(run).Fit(ctx, d.X, d.Labels, d.Weights))
				}
				subject.Decode = func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(DecodeClassifier(f)) }
			} else {
				subject.Fit = func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					return algotest.Fitted(at(run).FitValues(ctx, d.X, d.Value, d.Weights))
				}
				subject.Decode = func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(DecodeRegressor(f)) }
			}
			algotest.Check(t, subject)
		})
	}
}
