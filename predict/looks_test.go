package predict_test

import (
	"context"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/predict/approx"
)

// Compile ends with the error of its context at whichever look it ends, or makes the program that it would
// have made, exact and by every approximation.
func TestCompileLooks(t *testing.T) {
	x := random(1, 120, 3)
	m := &testMachine{kernel.Gaussian{Gamma: .5}, random(2, 20, 3), random(3, 20, 1), []float64{.5}}
	all := map[predict.Method]predict.Options{predict.Exact: {Method: predict.Exact, Points: x}}
	for _, c := range approx.Candidates() {
		all[c.Method] = predict.Options{Method: c.Method, Candidates: approx.Candidates(), M: 8, Points: x}
	}
	for name, o := range all {
		t.Run(string(name), func(t *testing.T) {
			looktest.Every(t, func(ctx context.Context) (any, error) {
				p, err := predict.Compile(ctx, &testRegressor{*m}, o)
				return looktest.Unless(err, func() any { return p.(gram.Regressor).Predict(nil, x) })
			})
		})
	}
}
