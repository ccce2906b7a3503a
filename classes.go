package gram

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Functions is how many functions tell that many classes apart, each one class from all
// others: one for two classes, else one for each. Values have one.
func Functions(classes int) int {
	if classes <= 2 {
		return 1
	}
	return classes
}

// Sign is the target of one of Functions for a row of that class: 1 if it is the
// function's class, else −1. The class of a single function is 1.
func Sign(class, function, functions int) float64 {
	if functions == 1 {
		function = 1
	}
	if class == function {
		return 1
	}
	return -1
}

// Signs returns the Sign of every row and function, n×Functions(classes) for n ≥ 1 rows.
// Decide takes the values of functions that were fitted to them back to classes.
func Signs(class []int, classes int) *mat.Dense {
	k := Functions(classes)
	y := mat.NewDense(len(class), k, nil)
	for i, c := range class {
		row := y.RawRowView(i)
		for f := range row {
			row[f] = Sign(c, f, k)
		}
	}
	return y
}

// OneHot returns 1 for the class of a row and 0 for the others, n×classes for n ≥ 1 rows.
func OneHot(class []int, classes int) *mat.Dense {
	y := mat.NewDense(len(class), classes, nil)
	for i, c := range class {
		y.Set(i, c, 1)
	}
	return y
}

// Decide returns the class that the scores of a row stand for: of one score class
// 1 if it is positive, else 0; of several the largest, the first of equals. It
// is −1 if a score is NaN.
func Decide(scores []float64) int {
	if len(scores) == 1 {
		switch v := scores[0]; {
		case v > 0:
			return 1
		case v <= 0:
			return 0
		}
		return -1
	}
	at := -1
	for c, v := range scores {
		if v != v {
			return -1
		}
		if at < 0 || v > scores[at] {
			at = c
		}
	}
	return at
}

// Vote sets votes, one for each class, to how many of the values of pairs of
// classes (0,1), (0,2), …, (1,2), … speak for it: a positive one for the second of
// its pair, others for the first. NaN among the values makes all NaN.
func Vote(votes, values []float64) {
	clear(votes)
	f := 0
	for a := range votes {
		for b := a + 1; b < len(votes); b++ {
			switch v := values[f]; {
			case v > 0:
				votes[b]++
			case v <= 0:
				votes[a]++
			default:
				for c := range votes {
					votes[c] = math.NaN()
				}
				return
			}
			f++
		}
	}
}
