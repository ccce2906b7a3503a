package program

import (
	"fmt"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Expansion is the program of functions Σ_j coef_j·K(u_j,x) + bias.
type Expansion[F gram.Float] struct {
	name    string
	d       int
	product *kernel.Product[F]
	bias    []F
	cost    gram.Plan
}

// NewExpansion returns the program of k functions with the m×d points u and the m×k
// coefficients. Points whose coefficients are all 0 are left out. name is the package
// that panics name.
func NewExpansion[F gram.Float](name string, kern kernel.Kernel, points mat.Matrix, coef *mat.Dense, bias []float64) *Expansion[F] {
	points, coef = used(points, coef)
	m, d := points.Dims()
	k := len(bias)
	p := &Expansion[F]{name: name, d: d, bias: Convert[F](bias)}
	block := kernel.Against[F](kern, points)
	p.product = block.Times(Rows[F](coef))
	p.cost = gram.Plan{
		Flops:       float64(m)*(kernel.Flops(kern, d)+2*float64(k)) + float64(k),
		ModelBytes:  p.product.Bytes() + Size[F](k),
		PeakBytes:   max(256<<10, Size[F](48*d)) + 12<<10 + Size[F](240*k), // a packed block of rows and a strip of the kernel matrix
		Description: fmt.Sprintf("%d points of the %s kernel", m, kern.Spec().Name),
	}
	return p
}

// used returns the points with coefficients other than 0, one at least.
func used(points mat.Matrix, coef *mat.Dense) (mat.Matrix, *mat.Dense) {
	m, k := coef.Dims()
	var keep []int
	for j := range m {
		if slices.ContainsFunc(coef.RawRowView(j), func(v float64) bool { return v != 0 }) {
			keep = append(keep, j)
		}
	}
	switch {
	case len(keep) == m:
		return points, coef
	case len(keep) == 0:
		keep = []int{0}
	}
	c := mat.NewDense(len(keep), k, nil)
	for to, from := range keep {
		c.SetRow(to, coef.RawRowView(from))
	}
	return gram.Of(points).Select(keep), c
}

// Dims returns the number of columns and of functions.
func (p *Expansion[F]) Dims() (d, outputs int) { return p.d, len(p.bias) }

// Cost is that of one row.
func (p *Expansion[F]) Cost() gram.Plan { return p.cost }

// Row sets dst to the values for x.
func (p *Expansion[F]) Row(dst, x []F) { Row(p, dst, x) }

// Rows sets dst to the values for the rows of x.
func (p *Expansion[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	Check(p.name, p, dst, x)
	p.product.Rows(dst, x)
	for i := range dst.N {
		row := dst.Row(i)
		for c, b := range p.bias {
			row[c] += b
		}
	}
}
