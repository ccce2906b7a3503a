package program

import "github.com/gramworks/gram"

// Bounded is a program whose outputs are kept between two bounds each. NaN stays NaN.
type Bounded[F gram.Float] struct {
	gram.Program[F]
	Low, High []F
}

// Cost returns the cost of the program plus two comparisons for each output.
func (p *Bounded[F]) Cost() gram.Plan {
	c := p.Program.Cost()
	c.Flops += 2 * float64(len(p.Low))
	c.ModelBytes += Size[F](2 * len(p.Low))
	return c
}

// Row sets dst to the outputs of x.
func (p *Bounded[F]) Row(dst, x []F) {
	p.Program.Row(dst, x)
	p.keep(dst)
}

// Rows sets dst to the outputs of the rows of x.
func (p *Bounded[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	p.Program.Rows(dst, x)
	for i := range dst.N {
		p.keep(dst.Row(i))
	}
}

func (p *Bounded[F]) keep(row []F) {
	for j, v := range row {
		if v < p.Low[j] {
			row[j] = p.Low[j]
		} else if v > p.High[j] {
			row[j] = p.High[j]
		}
	}
}
