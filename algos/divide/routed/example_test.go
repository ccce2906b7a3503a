package routed_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/divide/routed"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// models reads the models of parts.
type models struct{}

func (models) Model(f *modelfile.File) (modelfile.Model, error) { return krr.DecodeAny(f) }

// Kernel ridge regression in parts of at most 100 rows, each in a file of its own.
// pick returns the rows of x that have the given numbers.
func pick(x *mat.Dense, rows []int) *mat.Dense {
	_, d := x.Dims()
	some := mat.NewDense(len(rows), d, nil)
	for k, i := range rows {
		some.SetRow(k, x.RawRowView(i))
	}
	return some
}

func Example() {
	ctx := context.Background()
	x, y := mat.NewDense(600, 1, nil), make([]float64, 600)
	for i := range y {
		x.Set(i, 0, float64(i)/100)
		y[i] = math.Sin(x.At(i, 0))
	}
	tree, err := routed.Tree(ctx, x, 600, 100, gram.Run{})
	if err != nil {
		log.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "parts")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	local := krr.Config{Kernel: kernel.Gaussian{Gamma: 1}, Lambda: gram.Set(1e-6)}
	groups := make([][]int, tree.Leaves())
	for i, k := range tree.Labels() {
		groups[k] = append(groups[k], i)
	}
	largest := 0
	for k, index := range groups {
		largest = max(largest, len(index))
		part, err := routed.FitPart(ctx, pick(x, index), gram.Labels{}, 1, 100, gram.Run{}, func(ctx context.Context, own []int, _ gram.Labels) (modelfile.Model, error) {
			rows := make([]int, len(own))
			values := make([]float64, len(own))
			for k, i := range own {
				rows[k], values[k] = index[i], y[index[i]]
			}
			m, err := local.Fit(ctx, pick(x, rows), values, nil)
			if err != nil {
				return nil, err
			}
			return krr.NewRegressor(m, krr.Method), nil
		})
		if err != nil {
			log.Fatal(err)
		}
		if err := routed.WritePart(routed.PartPath(folder, k), "sine", k, part, models{}); err != nil {
			log.Fatal(err)
		}
	}
	m := routed.New(tree, tree.Leaves(), 1, nil, "sine", folder, models{})
	v, err := m.Evaluate(nil, mat.NewDense(2, 1, []float64{1, 4.5}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("at most 100 rows a part: %v; sin 1 = %.3f, sin 4.5 = %.3f\n", largest <= 100, v.At(0, 0), v.At(1, 0))
	// Output:
	// at most 100 rows a part: true; sin 1 = 0.841, sin 4.5 = -0.978
}
