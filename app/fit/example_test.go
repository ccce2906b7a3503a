package fit_test

import (
	"context"
	"fmt"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/fit"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
)

// The methods of the portfolio race on rows in memory; the best is fitted to all of them.
func ExampleDo() {
	r, err := fit.Do(context.Background(), fit.Request{Set: dataset.Rings(300, 2, .1, 1), Prepare: training.Prepare{Scale: training.AutoScale}, Run: gram.Run{Seed: 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	best := r.Compared.Methods[r.Compared.Best]
	fmt.Println(r.Method.Name == best.Method, best.Score > .95)
	// Output: true true
}
