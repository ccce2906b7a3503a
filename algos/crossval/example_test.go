package crossval_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
)

// The width of a kernel and a penalty, by the root mean square error in five folds.
func ExampleSearch() {
	data, _ := dataset.Sine.Draw(400, 1)
	gammas, lambdas := []float64{.01, 1, 100}, []float64{1e-2, 1, 100}
	grid := crossval.Grid{len(gammas), len(lambdas)}
	search := crossval.Search{Splits: crossval.Folds(400, 5, nil, 1)}
	found, err := search.Do(context.Background(), crossval.Each(grid.Len()), func(ctx context.Context, t crossval.Task) ([]float64, error) {
		at := grid.At(t.Candidates[0])
		train, held := data.Select(t.Train), data.Select(t.Held)
		c := krr.Config{Kernel: kernel.Gaussian{Gamma: gammas[at[0]]}, Lambda: gram.Set(lambdas[at[1]]), Run: t.Run}
		m, err := c.Fit(ctx, train.X, train.Value, nil)
		if m == nil {
			return nil, err
		}
		return []float64{metric.RMSE(m.Predict(nil, held.X), held.Value)}, err
	})
	if err != nil {
		panic(err)
	}
	at := grid.At(found.Best)
	fmt.Printf("γ %g, λ %g: %.2f\n", gammas[at[0]], lambdas[at[1]], found.Trials[found.Best].Mean)
	// Output: γ 1, λ 0.01: 0.06
}

// Sixteen candidates, of which a quarter goes on to four times the rows: all sixteen on a
// quarter of the training rows, the best four on all.
func ExampleHalving() {
	search := crossval.Search{Splits: crossval.Folds(2000, 4, nil, 1), Halving: &crossval.Halving{Factor: 4}}
	found, err := search.Do(context.Background(), crossval.Each(16), func(_ context.Context, t crossval.Task) ([]float64, error) {
		c := float64(t.Candidates[0])
		return []float64{(c-5)*(c-5) + 10/float64(len(t.Train))}, nil // the error of a model that is best for 5
	})
	if err != nil {
		panic(err)
	}
	whole := 0
	for _, t := range found.Trials {
		if t.Share == 1 {
			whole++
		}
	}
	fmt.Println("best:", found.Best, "on all rows:", whole)
	// Output: best: 5 on all rows: 4
}

// Rounds go on until four in a row have not helped.
func ExampleCurve() {
	curve := crossval.Curve{Patience: 4}
	for _, loss := range []float64{.9, .5, .4, .45, .41, .42, .43, .1} {
		if !curve.Add(loss) {
			break
		}
	}
	fmt.Println(len(curve.Scores), "rounds, the best is", curve.Best())
	// Output: 7 rounds, the best is 2
}

// A support vector machine whose C is chosen by the data. The kernel is not given: its width follows from the data, too.
func ExampleTune() {
	train, test := dataset.Rings(400, 3, .3, 1), dataset.Rings(500, 3, .3, 2)
	tuned := crossval.Tune(svm.Config{Run: gram.Run{Seed: 5}}, svm.Config.Fit)
	chosen, err := tuned.Choose(context.Background(), train.X, train.Labels, nil)
	if err != nil {
		panic(err)
	}
	m, err := tuned.Fit(context.Background(), train.X, train.Labels, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%v, accuracy %.2f\n", chosen, metric.Accuracy(m.Predict(nil, test.X), test.Labels.Class))
	// Output: [c=100], accuracy 0.92
}
