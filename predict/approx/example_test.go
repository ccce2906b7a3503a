package approx_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/predict/approx"
)

// These approximations exist for a machine with a Gaussian kernel.
func ExampleCandidates() {
	d := dataset.Friedman1(100, 5, 0, 1)
	m, err := krr.Config{Kernel: kernel.Gaussian{Gamma: 0.1}}.Fit(context.Background(), d.X, d.Value, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(predict.Methods(m, approx.Candidates()))
	// Output: [nystrom rff fastnys dcpred reduced] <nil>
}
