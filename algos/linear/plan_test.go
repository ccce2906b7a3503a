package linear

import (
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
)

// A feature map for another number of columns is an error of every plan, with
// its name, and so are settings; without either the plan is not empty.
func TestPlanErrors(t *testing.T) {
	m := newCosines(2, 5)
	for name, plan := range map[string]func(m gram.FeatureMap, s gram.Shape) (gram.Plan, error){
		"SVM":      SVM{}.Plan,
		"Logistic": Logistic{}.Plan,
		"Ridge":    Ridge{}.Plan,
	} {
		var ce *gram.ConfigError
		if p, err := plan(m, gram.Shape{N: 100, D: 3, Outputs: 2}); !errors.As(err, &ce) || ce.Field != "feature map" || p != (gram.Plan{}) {
			t.Errorf("%s: error %v of a map for other columns", name, err)
		}
		if p, err := plan(m, gram.Shape{N: 100, D: 2, Outputs: 2}); err != nil || p.PeakBytes <= 0 || p.ModelBytes <= 0 || p.Flops <= 0 || p.Description == "" {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	for field, plan := range map[string]func(m gram.FeatureMap, s gram.Shape) (gram.Plan, error){
		"C": SVM{C: -1}.Plan, "Tol": Logistic{Tol: math.NaN()}.Plan, "Lambda": Ridge{Lambda: gram.Set(-1.)}.Plan,
	} {
		var ce *gram.ConfigError
		if _, err := plan(nil, gram.Shape{N: 10, D: 3}); !errors.As(err, &ce) || ce.Field != field {
			t.Errorf("%s: error %v", field, err)
		}
	}
}
