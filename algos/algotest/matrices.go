package algotest

import "gonum.org/v1/gonum/mat"

// Relative returns the Frobenius norm of want−got divided by that of want.
func Relative(want, got mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(want, got)
	return mat.Norm(&d, 2) / mat.Norm(want, 2)
}
