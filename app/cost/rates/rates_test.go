package rates_test

import (
	"fmt"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/cost/rates"
	"github.com/gramworks/gram/dataset"
)

// A fit of no method that is not measured is estimated.
func ExampleEstimate() {
	p := gram.Plan{Flops: 1e12}
	seconds, known := rates.Estimate("krr", dataset.Regression, p, 2)
	fmt.Println(known, seconds > 0)
	_, known = rates.Estimate("forest", dataset.Regression, p, 2)
	fmt.Println(known)
	// Output:
	// true true
	// false
}

// Sets of labels, which linear learns as values unless another model is asked for, take the seconds of as many operations for values.
func TestSetsOfLabels(t *testing.T) {
	p := gram.Plan{Flops: 2e10}
	got, _ := rates.Estimate("linear", dataset.MultiLabel, p, 2)
	if want, known := rates.Estimate("linear", dataset.Regression, p, 2); !known || got != want {
		t.Errorf("%g s, for values %g", got, want)
	}
}

// Every method has an estimate for all its kinds of targets, which more flops do not lessen and more goroutines do not raise. That of a
// thousand rows is no hour, and that of a billion flops no microsecond.
func TestEstimates(t *testing.T) {
	for _, m := range catalog.Methods() {
		for _, task := range append(m.Tasks, dataset.Classes) {
			s := gram.Shape{N: 1000, D: 20, Outputs: 1}
			switch task {
			case dataset.Classes:
				s.Outputs = 3
			case dataset.MultiLabel:
				s.Outputs, s.NNZ = 50, 5000
			}
			p, err := m.New().Plan(task, s, gram.Run{})
			if err != nil {
				t.Fatalf("%s: %v", m.Name, err)
			}
			at := func(flops float64, goroutines int) float64 {
				s, known := rates.Estimate(m.Name, task, gram.Plan{Flops: flops}, goroutines)
				if !known {
					t.Errorf("%s of %s has no rate", m.Name, task)
				}
				return s
			}
			if s := at(p.Flops, 1); !(s > 0 && s < 3600) {
				t.Errorf("%s of %s, 1000 rows: %g s", m.Name, task, s)
			}
			if s := at(1e9, 1); !(s > 1e-6) {
				t.Errorf("%s of %s, 10⁹ flops: %g s", m.Name, task, s)
			}
			if !(at(1e12, 1) >= at(1e11, 1)) || !(at(1e12, 4) <= at(1e12, 1)) || !(at(1e12, 4) >= at(1e12, 1)/4.0001) {
				t.Errorf("%s of %s: %g s of 10¹¹ flops, %g of 10¹², %g with four goroutines", m.Name, task, at(1e11, 1), at(1e12, 1), at(1e12, 4))
			}
		}
	}
}
