package rows

import (
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/check"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Targets are what a fit learns: None for a fit without targets.
type Targets interface {
	None | []float64 | *mat.Dense | gram.Labels
}

// None is the type of the targets of a fit that has none.
type None struct{}

// Weighted leaves out the rows of weight 0, with which every fit with weights begins, so that no
// default, sample, partition or threshold counts them. It returns the other rows with their targets
// and weights, and their numbers in kept. If no weight is 0, it returns x, y and w as they are and
// nil; the fit checks them.
//
// The rows are copied. Weighted therefore checks all data and settings first, so that errors name
// the rows of x, and the copy together with the plan of c. The error is that of run.Samples, of the
// weights or of the targets.
func Weighted[T Targets](c gram.Planner, run gram.Run, x mat.Matrix, y T, w []float64) (some mat.Matrix, targets T, weights []float64, kept []int, err error) {
	if !slices.Contains(w, 0) {
		return x, y, w, nil, nil
	}
	n, _ := check.Dims(x)
	s, err := run.Samples(copying{c}, x, outputsOf(y))
	if err == nil {
		err = checked(y, w, n)
	}
	if err != nil {
		return x, y, w, nil, err
	}
	for i, v := range w {
		if v > 0 {
			kept = append(kept, i)
		}
	}
	switch old := any(y).(type) {
	case []float64:
		y = any(Pick(old, kept)).(T)
	case *mat.Dense:
		y = any(Dense(gram.Of(old), kept)).(T)
	case gram.Labels:
		y = any(gram.Labels{Class: Pick(old.Class, kept), Names: old.Names}).(T)
	}
	return s.Select(kept), y, Pick(w, kept), kept, nil
}

// copying adds a copy of the rows, their targets and weights to the plan of a fit.
type copying struct{ of gram.Planner }

// Plan returns the plan of the fit with the memory of the copies added to its peak.
func (c copying) Plan(s gram.Shape) (gram.Plan, error) {
	p, err := c.of.Plan(s)
	p.PeakBytes += 8 * int64(s.N) * int64(s.Outputs+2)
	if s.NNZ > 0 {
		p.PeakBytes += 12*s.NNZ + 8*int64(s.N)
	} else {
		p.PeakBytes += 8 * int64(s.N) * int64(s.D)
	}
	return p, err
}

// Pick returns the elements of x with the given numbers, nil for nil.
func Pick[T any](x []T, index []int) []T {
	if x == nil {
		return nil
	}
	out := make([]T, len(index))
	for i, r := range index {
		out[i] = x[r]
	}
	return out
}

// Places turns numbers of rows, ascending, into their places among the rows that Weighted kept: the
// inverse of Renumber. The error is a *gram.ConfigError of the given field for another row.
func Places(field string, index, kept []int) ([]int, error) {
	if kept == nil || index == nil {
		return index, nil
	}
	at := make([]int, len(index))
	for j, i := range index {
		place, found := slices.BinarySearch(kept, i)
		if !found {
			return nil, settings.Refuse(field, fmt.Sprintf("row %d", i), "rows that have a weight")
		}
		at[j] = place
	}
	return at, nil
}

// Number returns the number, of all rows, of the one at a place among the rows that Weighted kept.
func Number(place int, kept []int) int {
	if kept == nil {
		return place
	}
	return kept[place]
}

// Renumber turns places among the rows that Weighted kept into numbers of rows of all. It does
// nothing if kept is nil.
func Renumber(index, kept []int) {
	if kept != nil {
		for i, k := range index {
			index[i] = kept[k]
		}
	}
}
