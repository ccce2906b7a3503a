package catalog

import (
	"github.com/gramworks/gram/algos/divide/bka"
	"github.com/gramworks/gram/algos/divide/dckrr"
	"github.com/gramworks/gram/algos/falkon"
	"github.com/gramworks/gram/algos/kernels/itml"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/modelfile"
)

// Iterations returns how many iterations each problem of the fit of m took: one number for each function of support vector
// machines and of linear classifiers, the rounds of boosted trees that were kept, the products of conjugate gradients. It
// returns nil for a fit without iterations, and for a model that was read from a file.
func Iterations(m modelfile.Model) []int {
	one := func(n int) []int {
		if n == 0 {
			return nil
		}
		return []int{n}
	}
	switch m := m.(type) {
	case *krr.Classifier:
		return one(products(m.Model()))
	case *krr.Regressor:
		return one(products(m.Model()))
	case fittedWith[linear.Stats]:
		return m.Stats().Iterations
	case fittedWith[linear.RidgeStats]:
		return one(m.Stats().Iterations)
	case fittedWith[linear.RankerStats]:
		if s := m.Stats(); s.Iterations == nil {
			return one(s.Ridge.Iterations)
		}
		return m.Stats().Iterations
	case fittedWith[svm.Stats]:
		var all []int
		for _, p := range m.Stats().Problems {
			all = append(all, p.Iterations)
		}
		return all
	case fittedWith[bka.Stats]:
		return one(m.Stats().Iterations)
	case fittedWith[gbdt.Stats]:
		return one(m.Stats().Rounds)
	case fittedWith[itml.Stats]:
		return one(m.Stats().Iterations)
	}
	return nil
}

// products returns how many products the fit of a model of kernel ridge regression took.
func products(m krr.Functions) int {
	switch m := m.(type) {
	case *krr.Model:
		return m.Stats().Iterations
	case *dckrr.Model:
		return m.Stats().Iterations
	case *falkon.Model:
		return m.Stats().Iterations
	}
	return 0
}
