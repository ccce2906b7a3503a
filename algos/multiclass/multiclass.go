// Package multiclass says how classes become targets of real functions and how values of such
// functions become classes again: one function for two classes, for more of them one a class
// against all others, or one a pair with votes.
package multiclass

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Functions returns the number of real functions that tell the given number of classes
// apart: 1 for two classes or fewer, otherwise one per class, each against all others.
func Functions(classes int) int {
	if classes <= 2 {
		return 1
	}
	return classes
}

// Sign returns the target of one of those functions for a row of the given class: 1 if the
// function stands for that class, else −1. A single function stands for class 1.
func Sign(class, function, functions int) float64 {
	if functions == 1 {
		function = 1
	}
	if class == function {
		return 1
	}
	return -1
}

// Signs returns the targets Sign for every row and function: an n×Functions(classes)
// matrix for the n ≥ 1 classes in class. Decide turns the values of functions that were
// fitted to these targets back into classes.
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

// OneHot returns an n×classes matrix for n ≥ 1 rows: 1 in the column of the row's class,
// else 0.
func OneHot(class []int, classes int) *mat.Dense {
	y := mat.NewDense(len(class), classes, nil)
	for i, c := range class {
		y.Set(i, c, 1)
	}
	return y
}

// Decide returns the class that the scores of a row stand for. For a single score that
// is class 1 if the score is positive, else class 0. For several scores it is the class
// of the largest one, the lowest such class for a tie. A NaN among the scores gives −1.
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

// Vote counts the votes of one-against-one machines. The values belong to the pairs of
// classes (0,1), (0,2), …, (1,2), …; a positive value is a vote for the second class of
// its pair, any other for the first. votes has one element per class and is overwritten.
// A NaN among the values sets all votes to NaN.
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
