package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/divide/bka"
	"github.com/gramworks/gram/algos/divide/dckrr"
	"github.com/gramworks/gram/algos/divide/dcpred"
	"github.com/gramworks/gram/algos/falkon"
	"github.com/gramworks/gram/algos/gp"
	"github.com/gramworks/gram/algos/kernels/itml"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/labels/fastxml"
	"github.com/gramworks/gram/algos/labels/gbml"
	"github.com/gramworks/gram/algos/labels/gimc"
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/algos/labels/plt"
	"github.com/gramworks/gram/algos/labels/sleec"
	"github.com/gramworks/gram/algos/learned/alacarte"
	"github.com/gramworks/gram/algos/learned/goal"
	"github.com/gramworks/gram/algos/learned/rfm"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/algos/trees/ldkl"
	"github.com/gramworks/gram/modelfile"
)

// fittedWith is a model whose fit has statistics of type S.
type fittedWith[S any] interface{ Stats() S }

// Certificate says in a phrase how far the fit of m has come, by what its statistics hold: a
// duality gap, a residual, a violation of optimality conditions, or a number of rounds. It is
// empty for a model that was read from a file. tol reports whether the fit goes on until it
// meets a tolerance, or is exact.
func Certificate(m modelfile.Model) (text string, tol bool) {
	text = certificateOf(m)
	switch m.(type) {
	case fittedWith[gbdt.Stats], fittedWith[dcpred.Stats], fittedWith[gbml.Stats], fittedWith[fastxml.Stats], fittedWith[sleec.Stats], fittedWith[gimc.Stats], fittedWith[goal.Stats], fittedWith[leml.Stats], fittedWith[plt.Stats]:
		return text, false
	}
	return text, text != ""
}

func certificateOf(m modelfile.Model) string {
	switch m := m.(type) {
	case *krr.Classifier:
		return ridgeCertificate(m.Model())
	case *krr.Regressor:
		return ridgeCertificate(m.Model())
	case fittedWith[linear.Stats]:
		return linearCertificate(m.Stats())
	case fittedWith[linear.RidgeStats]:
		return valuesCertificate(m.Stats())
	case fittedWith[linear.RankerStats]:
		s := m.Stats()
		return cmp.Or(valuesCertificate(s.Ridge), linearCertificate(linear.Stats{Iterations: s.Iterations, Gap: s.Gap, Gradient: s.Gradient}))
	case fittedWith[svm.Stats]:
		return machineCertificate(m.Stats())
	case fittedWith[bka.Stats]:
		if s := m.Stats(); len(s.Sizes) > 0 {
			return fmt.Sprintf("KKT violation %.2g within %d clusters, %d support vectors, %d iterations", s.Violation, len(s.Sizes), s.Support, s.Iterations)
		}
	case fittedWith[gp.Stats]:
		if s := m.Stats(); s.Evaluations > 0 {
			return fmt.Sprintf("log marginal likelihood %.6g, solved by Cholesky factorization", s.LogLikelihood)
		}
	case fittedWith[gp.ClassStats]:
		if s := m.Stats(); s.Evaluations > 0 {
			return fmt.Sprintf("approximate log marginal likelihood %.6g, mode within %.2g deviations of the process", s.LogLikelihood, s.Bound)
		}
	case fittedWith[alacarte.Stats]:
		if s := m.Stats(); len(s.LogLikelihood) > 0 {
			steps := len(s.LogLikelihood) - 1
			return fmt.Sprintf("%d quasi-Newton steps, log marginal likelihood %.6g, at first %.6g", steps, s.LogLikelihood[steps], s.LogLikelihood[0])
		}
	case fittedWith[ldkl.Stats]:
		if s := m.Stats(); len(s.Gap) > 0 {
			return fmt.Sprintf("relative duality gap %.2g of the functions for the tree, of %d leaves", slices.Max(s.Gap), len(s.Leaves))
		}
	case fittedWith[goal.Stats]:
		if s := m.Stats(); len(s.Objective) > 0 {
			return fmt.Sprintf("%d turns, objective %.4g; another Newton step would take %.2g of it off", s.Iter, s.Final, s.Residual)
		}
	case fittedWith[gbdt.Stats]:
		if s := m.Stats(); len(s.Objective) > 0 {
			return fmt.Sprintf("%d rounds, mean training loss %.4g, at first %.4g", s.Rounds, s.Objective[min(s.Rounds, len(s.Objective)-1)], s.Objective[0])
		}
	case fittedWith[dcpred.Stats]:
		if s := m.Stats(); s.Leaves > 0 {
			return fmt.Sprintf("%d leaves, %d of one class", s.Leaves, s.Constant)
		}
	case fittedWith[itml.Stats]:
		if s := m.Stats(); s.Iterations > 0 {
			return fmt.Sprintf("violation of constraints %.2g, relative gap %.2g after %d iterations", s.Violation, s.Gap, s.Iterations)
		}
	case fittedWith[leml.Stats]:
		return rounds("rounds", 0, m.Stats().Objective)
	case fittedWith[gimc.Stats]:
		return rounds("gradient steps", 1, m.Stats().Objective)
	case fittedWith[gbml.Stats]:
		return rounds("trees", 1, m.Stats().Loss)
	case fittedWith[fastxml.Stats]:
		if s := m.Stats(); s.Trees > 0 {
			return fmt.Sprintf("%d trees, %d leaves", s.Trees, s.Leaves)
		}
	case fittedWith[plt.Stats]:
		if s := m.Stats(); s.Trees > 0 {
			return fmt.Sprintf("%d tree(s) of %d nodes, %d weights, near %.3g", s.Trees, s.Nodes, s.Weights, s.Near)
		}
	case fittedWith[sleec.Stats]:
		if s := m.Stats(); s.Learners > 0 {
			return fmt.Sprintf("%d learners, %d clusters", s.Learners, s.Clusters)
		}
	}
	return ""
}

// machineCertificate says how close to their optima the functions of a support vector machine were left.
func machineCertificate(s svm.Stats) string {
	if len(s.Problems) == 0 {
		return ""
	}
	var violation, gap float64
	iterations := 0
	for _, p := range s.Problems {
		violation, gap, iterations = max(violation, p.Violation), max(gap, p.Gap), iterations+p.Iterations
	}
	return fmt.Sprintf("KKT violation %.2g, relative duality gap %.2g, %d support vectors, %d iterations", violation, gap, s.Support, iterations)
}

// rounds says how an iteration went from the objective after each step, of which the first
// values are before any.
func rounds(of string, before int, objective []float64) string {
	if len(objective) == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s, objective %.4g", len(objective)-before, of, objective[len(objective)-1])
}

// valuesCertificate says how ridge regression was solved.
func valuesCertificate(s linear.RidgeStats) string {
	switch {
	case s.Iterations > 0:
		return fmt.Sprintf("relative residual %.2g after %d steps of conjugate gradients", s.Residual, s.Iterations)
	case s.Features > 0:
		return "solved by Cholesky factorization"
	}
	return ""
}

// linearCertificate says how close to its optimum a linear classifier was left: its duality gap or its gradient.
func linearCertificate(s linear.Stats) string {
	switch {
	case len(s.Iterations) == 0:
		return ""
	case s.Gap == nil:
		return fmt.Sprintf("relative gradient %.2g after %d Newton steps", s.Gradient, slices.Max(s.Iterations))
	}
	return fmt.Sprintf("relative duality gap %.2g after %d passes", slices.Max(s.Gap), slices.Max(s.Iterations))
}

// ridgeCertificate says how close to the solution of its system kernel ridge regression was left.
func ridgeCertificate(m krr.Functions) string {
	iterations, residual, fitted, bar := 0, 0., false, ""
	switch m := m.(type) {
	case *krr.Model:
		s := m.Stats()
		iterations, residual, fitted = s.Iterations, s.Residual, s.Rows > 0
		if s.Bound > 0 {
			bar = fmt.Sprintf("; values are at most %.2g·max(1, √K(x,x)) from the exact solution's", s.Bound)
		}
	case *dckrr.Model:
		s := m.Stats()
		iterations, residual, fitted = s.Iterations, s.Residual, s.FitSeconds > 0 // a file has the sizes of the parts alone
	case *rfm.Model:
		leaves := ""
		if k := len(m.Leaves()); k > 0 {
			leaves = fmt.Sprintf(" in each of %d leaves", k)
		}
		if s := m.Stats(); s.Held > 0 {
			return fmt.Sprintf("the metric of round %d, chosen by %d held-out rows; solved by Cholesky factorization%s", s.Chosen, s.Held, leaves)
		} else if s.Rows > 0 {
			return fmt.Sprintf("the metric of round %d; solved by Cholesky factorization%s", s.Chosen, leaves)
		}
	case *falkon.Model:
		s := m.Stats()
		iterations, residual, fitted = s.Iterations, s.Residual, s.Rows > 0
		if s.Single > 0 {
			bar = fmt.Sprintf(", %d of them in float32", s.Single)
		}
		if s.RMSBound > 0 {
			bar += fmt.Sprintf("; the root mean square distance of the rows' values from the exact solution's is at most %.2g", s.RMSBound)
		}
	}
	switch {
	case !fitted:
		return ""
	case iterations == 0:
		return "solved by a factorization"
	}
	return fmt.Sprintf("relative residual %.2g after %d products%s", residual, iterations, bar)
}

// Advice says what settings of a method let a fit go on that ended with err, and is empty for
// any other error.
func Advice(m Method, err error) string {
	var slow *gram.ConvergenceError
	if !errors.As(err, &slow) {
		return ""
	}
	var more []string
	all := m.New().Settings()
	for _, name := range []string{"max-iter", "learn-iter", "rounds", "tol", "learn-tol"} {
		if all.Lookup(name) != nil {
			more = append(more, name)
		}
	}
	if more == nil {
		return ""
	}
	tol := ""
	if slow.Tol > 0 && !math.IsInf(slow.Tol, 0) {
		tol = fmt.Sprintf(" (tol is %.2g)", slow.Tol)
	}
	return fmt.Sprintf("set a larger %s%s, or scale the columns", strings.Join(more, " or "), tol)
}
