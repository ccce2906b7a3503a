package algotest

import "gonum.org/v1/gonum/mat"

// KernelMatrix returns the values of the kernel k, by its definition, of the rows of x
// with those of z.
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

// Relative returns the norm of want−got over that of want, Frobenius' norms.
func Relative(want, got mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(want, got)
	return mat.Norm(&d, 2) / mat.Norm(want, 2)
}

// InnerProducts returns Φ·Φᵀ: the kernel matrix that features stand for.
func InnerProducts(phi mat.Matrix) *mat.Dense {
	var g mat.Dense
	g.Mul(phi, phi.T())
	return &g
}
