package rows

import (
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Start is the data that a fit works on after Begin.
type Start[T Targets] struct {
	X    gram.Samples[float64] // the rows that have a weight
	Y    T
	W    []float64
	Kept []int // their numbers among all rows; nil: all

	all mat.Matrix
}

// Begin does the steps with which a fit to the rows of x with targets y and weights w begins. It
// leaves out the rows of weight 0; if there are any it calls keep with the numbers of the others, for
// fields of c that name rows; resolves the settings c for the shape of the others; and checks the plan
// against the limit of memory, the rows, the targets and the weights, in this order. The error is
// that of the first check that fails.
func Begin[C any, T Targets, P interface {
	*C
	settings.Described
	gram.Planner
}](c P, run gram.Run, x mat.Matrix, y T, w []float64, keep ...func(kept []int) error) (s Start[T], err error) {
	s.all = x
	if x, s.Y, s.W, s.Kept, err = Weighted(c, run, x, y, w); err != nil {
		return s, err
	}
	for _, keep := range keep {
		if s.Kept != nil {
			err = keep(s.Kept)
		}
		if err != nil {
			return s, err
		}
	}
	n, d := check.Dims(x)
	shape := gram.Shape{N: n, D: d}
	if y, is := any(y).(gram.Labels); is {
		shape.Outputs = len(y.Names)
	}
	if *c, err = settings.Resolved[C, P](*c, shape); err != nil {
		return s, err
	}
	if s.X, err = run.Samples(c, x, outputsOf(y)); err != nil {
		return s, err
	}
	return s, checked(s.Y, s.W, n)
}

// Picked leaves in label, which has a number for each row, the elements of the rows that are kept.
func Picked(label *[]int) func(kept []int) error {
	return func(kept []int) error {
		*label = Pick(*label, kept)
		return nil
	}
}

// outputsOf returns the number of outputs of a fit to the targets y.
func outputsOf[T Targets](y T) (outputs int) {
	switch y := any(y).(type) {
	case []float64:
		outputs = 1
	case *mat.Dense:
		_, outputs = check.Dims(y)
	case gram.Labels:
		outputs = max(2, len(y.Names))
	}
	return outputs
}

// Column returns y, whose elements it shares, as a matrix of one column.
func Column(y []float64) *mat.Dense {
	if len(y) == 0 {
		return new(mat.Dense) // gonum has no matrix of one column without rows
	}
	return mat.NewDense(len(y), 1, y)
}

// checked checks the targets and the weights of n rows.
func checked[T Targets](y T, w []float64, n int) (err error) {
	switch y := any(y).(type) {
	case []float64:
		err = check.Target(y, n)
	case *mat.Dense:
		err = check.Targets(y, n)
	case gram.Labels:
		return check.Labeled(y, w, n)
	}
	if err != nil {
		return err
	}
	return check.Weights(w, n)
}

// Labels returns the parts of all rows after a fit to those that have a weight, whose parts are
// label: a copy of the parts that are given, or else for the rows without weight what assign finds.
// It returns label if all rows have a weight.
func (s *Start[T]) Labels(label, given []int, assign func(dst []int, x mat.Matrix) []int) []int {
	switch {
	case s.Kept == nil || label == nil:
		return label
	case given != nil:
		return slices.Clone(given)
	}
	x := gram.Of(s.all)
	all := make([]int, x.N())
	var left []int
	for i, k := 0, 0; i < len(all); i++ {
		if k < len(s.Kept) && s.Kept[k] == i {
			all[i] = label[k]
			k++
		} else {
			left = append(left, i)
		}
	}
	for j, part := range assign(nil, x.Select(left)) {
		all[left[j]] = part
	}
	return all
}
