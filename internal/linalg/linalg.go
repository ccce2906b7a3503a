// Package linalg has the words for dense vectors and matrices that algorithms share.
package linalg

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Vector is x as a vector of blas64.
func Vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Data: x, Inc: 1} }

// Dot returns the inner product Σ x_i·y_i of two vectors of one length.
func Dot(x, y []float64) float64 { return blas64.Dot(Vector(x), Vector(y)) }

// Elements are the elements of a matrix without gaps, row by row, as a vector.
func Elements(a *mat.Dense) blas64.Vector { return Vector(a.RawMatrix().Data) }

// Inner is Σ a_ij·b_ij for matrices of one shape without gaps.
func Inner(a, b *mat.Dense) float64 { return blas64.Dot(Elements(a), Elements(b)) }

// Symmetric is the symmetric part (A+Aᵀ)/2 of an n×n matrix.
func Symmetric(a *mat.Dense) *mat.SymDense {
	n, _ := a.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
	}
	return s
}
