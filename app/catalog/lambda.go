package catalog

import (
	"fmt"

	"github.com/gramworks/gram/algos/divide/dckrr"
	"github.com/gramworks/gram/algos/divide/dcpred"
	"github.com/gramworks/gram/algos/falkon"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/algos/labels/sleec"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
)

// HeldOut returns the name and the value of the setting that held-out rows choose where it is not
// given: c of linear machines on features, rounds of boosted trees, lambda of leml and k of sleec. The name is empty for
// other models, and for a value that is the default of few rows, too.
func HeldOut(m modelfile.Model) (name string, value float64) {
	var c settings.Described
	switch m := m.(type) {
	case *pipeline.Classifier:
		if m.FeatureMap() == nil {
			return "", 0
		}
		switch l := m.Config().(type) {
		case linear.SVM:
			name, value, c = "c", l.C, &linear.SVM{}
		case linear.Logistic:
			name, value, c = "c", l.C, &linear.Logistic{}
		}
	case interface{ Stats() gbdt.Stats }:
		if s := m.Stats(); s.Held > 0 {
			return "rounds", float64(s.Rounds)
		}
	case *leml.Model:
		name, value, c = "lambda", m.Config().Lambda.Value(), &leml.Config{}
	case *sleec.Model:
		name, value, c = "k", float64(m.Config().K), &sleec.Config{}
	}
	if c == nil || fmt.Sprint(value) == settings.Bind(c).Lookup(name).Default {
		return "", 0
	}
	return name, value
}

// Lambda returns the weight of the squared norm that a model of kernel ridge regression, or
// of ridge regression on features, was trained with, and whether it has one.
func Lambda(m modelfile.Model) (lambda float64, ok bool) {
	switch m := m.(type) {
	case *krr.Regressor:
		return lambdaOf(m.Model())
	case *krr.Classifier:
		return lambdaOf(m.Model())
	case *dcpred.Regressor:
		return m.Config().Lambda.Value(), true
	case *pipeline.Regressor:
		return m.Config().Lambda.Value(), m.FeatureMap() != nil
	}
	return 0, false
}

func lambdaOf(m krr.Functions) (lambda float64, ok bool) {
	switch m := m.(type) {
	case *krr.Model:
		return m.Config().Lambda.Value(), true
	case *dckrr.Model:
		return m.Config().Local.Lambda.Value(), true
	case *falkon.Model:
		return m.Config().Lambda.Value(), true
	}
	return 0, false
}
