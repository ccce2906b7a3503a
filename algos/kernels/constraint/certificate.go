package constraint

import "fmt"

// Certificate says how good a learned kernel is, measured on the model that is
// returned, also after a fit that was cancelled or did not converge.
type Certificate struct {
	// Violation is the largest violation of a constraint, relative to its bound ξ, which
	// slack may have moved, if A is positive semidefinite and ξ > 0; else to
	// max(|ξ|, tr(K|A|)), the second being the sum of the absolute values of its terms in
	// the learned kernel.
	Violation float64
	// Gap is the sum over the constraints of |y·(tr(KA) − ξ)|, relative as the package
	// says that holds the model.
	Gap   float64
	Duals []float64 // y of every constraint: ≤ 0 for AtMost, ≥ 0 for AtLeast; 0 for those that are dropped
	// Bounds are ξ of every constraint: its bound, or where slack has moved that to.
	Bounds []float64
	// Dropped are the constraints whose value no learned kernel changes, as rows
	// coincide; with slack also those among them that cannot hold.
	Dropped []int
}

// InfeasibleError says that no kernel of the form that is learned keeps the
// constraints.
type InfeasibleError struct {
	Constraints []int // that contradict each other, or the one that cannot hold by itself; the one that weighs most first
	// Farkas is a multiplier d for each constraint of the problem that proves it: d ≤ 0
	// for AtMost, ≥ 0 for AtLeast, Σ d·A has no positive eigenvalue in the range of the
	// kernels, and Σ d·b > 0 (see the package comment).
	Farkas []float64
	Reason string
}

// Error names the first constraints and the reason.
func (e *InfeasibleError) Error() string {
	const most = 5
	list := fmt.Sprint(e.Constraints[:min(most, len(e.Constraints))])
	if len(e.Constraints) > most {
		list = fmt.Sprintf("%s and %d more", list, len(e.Constraints)-most)
	}
	return fmt.Sprintf("infeasible constraints %s: %s", list, e.Reason)
}
