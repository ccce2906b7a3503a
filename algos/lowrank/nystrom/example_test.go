package nystrom_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"gonum.org/v1/gonum/mat"
)

// Two rings cannot be separated by a line, and can be with Nyström features.
func ExampleConfig() {
	ctx := context.Background()
	s := dataset.Rings(400, 2, 0.05, 1)
	m, err := nystrom.Config{Kernel: kernel.Gaussian{Gamma: 1}, M: 30}.Fit(ctx, s.X)
	if err != nil {
		panic(err)
	}
	for _, f := range []gram.FeatureMap{nil, m} {
		c, err := linear.SVM{C: 10}.Fit(ctx, f, s.X, s.Labels, nil)
		if err != nil {
			panic(err)
		}
		fmt.Println(metric.Accuracy(c.Predict(nil, s.X), s.Labels.Class) > 0.99)
	}
	// Output:
	// false
	// true
}

func ExampleEnsemble() {
	x := dataset.Rings(300, 2, 0.05, 1).X
	m, err := nystrom.Ensemble{
		Config:  nystrom.Config{Kernel: kernel.Gaussian{Gamma: 0.5}, M: 10, Landmarks: landmark.Uniform{}},
		Experts: 3,
	}.Fit(context.Background(), x)
	if err != nil {
		panic(err)
	}
	d, features := m.Dims()
	fmt.Println(d, "columns,", features, "features")
	// Output: 2 columns, 30 features
}

// The main job on real files: k-means Nyström features and a linear model beat
// the linear model on the data.
func TestRealData(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir, err := dataset.FindDir()
	if err != nil {
		t.Skip("no data: ", err)
	}
	ctx := context.Background()
	for _, c := range []struct {
		name   string
		scale  func(x mat.Matrix) (*dataset.Scaling, error)
		gamma  float64
		margin float64 // by which accuracy, or the root mean squared error, is better
	}{
		{"pendigits", func(x mat.Matrix) (*dataset.Scaling, error) { return dataset.MinMax(x, 0, 1) }, 2, 0.06},
		{"cadata", dataset.Standardize, 0.25, 5000},
	} {
		t.Run(c.name, func(t *testing.T) {
			train, test, err := dir.Load(c.name, dataset.Options{})
			if err != nil {
				t.Skip("no data: ", err)
			}
			if test == nil {
				train, test = train.Split(0.25, 1)
			}
			s := must.Have(c.scale(train.X))(t)
			x, z := s.Apply(train.X), s.Apply(test.X)
			f := must.Have(nystrom.Config{Kernel: kernel.Gaussian{Gamma: c.gamma}, M: 512}.Fit(ctx, x))(t)
			var score [2]float64
			for i, m := range []gram.FeatureMap{nil, f} {
				if train.Value != nil {
					r := must.Have(linear.Ridge{Lambda: gram.Set(1e-2)}.Fit(ctx, m, x, train.Value, nil))(t)
					score[i] = -metric.RMSE(r.Predict(nil, z), test.Value)
					continue
				}
				r := must.Have(linear.SVM{}.Fit(ctx, m, x, train.Labels, nil))(t)
				score[i] = metric.Accuracy(r.Predict(nil, z), test.Labels.Class)
			}
			t.Logf("linear %.4g, with 512 Nyström features %.4g", score[0], score[1])
			if !(score[1] >= score[0]+c.margin) {
				t.Errorf("linear %.4g, with 512 Nyström features %.4g: the margin is less than %g", score[0], score[1], c.margin)
			}
		})
	}
}
