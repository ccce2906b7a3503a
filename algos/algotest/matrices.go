package algotest

import "gonum.org/v1/gonum/mat"

// KernelMatrix returns the values of the kernel k for the rows of x and those of z, by
// its Eval.
func KernelMatrix(k interface{ Eval(x, y []float64) float64 }, x, z *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	m, _ := z.Dims()
	g := mat.NewDense(n, m, nil)
	for i := range n {
		row := g.RawRowView(i)
		for j := range row {
			row[j] = k.Eval(x.RawRowView(i), z.RawRowView(j))
		}
	}
	return g
}

// Relative returns the Frobenius norm of want−got divided by that of want.
func Relative(want, got mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(want, got)
	return mat.Norm(&d, 2) / mat.Norm(want, 2)
}

// InnerProducts returns Φ·Φᵀ, the kernel matrix of the features phi.
func InnerProducts(phi mat.Matrix) *mat.Dense {
	var g mat.Dense
	g.Mul(phi, phi.T())
	return &g
}
