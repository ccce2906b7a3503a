package hadamard

import (
	"github.com/gramworks/gram/internal/race"
	"unsafe"

	"github.com/gramworks/gram/asm/hadamard/paley"
	"github.com/gramworks/gram/num"
)

// conference holds the conference matrices of orders 12, 20 and 28.
var conference = [...][][]int8{paley.Conference(12), paley.Conference(20), paley.Conference(28)}

// Base multiplies the first width ≤ h columns of x, whose m rows are x[r*h:], in
// place by the symmetric Hadamard matrix of order m = 12, 20 or 28 of package
// paley: y = H_m·x for each column. If every row was transformed before, Base of
// all columns makes x its transform by H_m ⊗ H_h. x may end with the last column
// of the last row.
//
// With p_i = x_2i + x_2i+1 and d_i = x_2i − x_2i+1 the result is
//
//	y_2i   = d_i + Σ_j S_ij·p_j
//	y_2i+1 = Σ_j S_ij·d_j − p_i
//
// where the sums run from left to right over ascending j ≠ i. This takes m/2
// additions per element. Accuracy class: exact, as for Transform.
func Base[F num.Float](x []F, m, h, width int) {
	x = x[:(m-1)*h+width]
	race.WriteRows(x, m, h, width)
	var f F
	size := int(unsafe.Sizeof(f))
	from := 0
	if limits[F]().row > 0 {
		from = width &^ (line[F]() - 1)
		step := max(line[F](), chunkBytes/(m*size)&^(line[F]()-1))
		for c := 0; c < from; c += step {
			baseKernel(x[c:], m, h, min(step, from-c))
		}
	}
	if from < width {
		baseGeneric(x, m, h, from, width)
	}
}

// baseGeneric computes Base for the columns from … width−1.
func baseGeneric[F num.Float](x []F, m, h, from, width int) {
	s := conference[m/8-1]
	var p, d [14]F
	for c := from; c < width; c++ {
		for i := range m / 2 {
			a, b := x[2*i*h+c], x[(2*i+1)*h+c]
			p[i], d[i] = a+b, a-b
		}
		for i, row := range s {
			first := 0
			if i == 0 {
				first = 1
			}
			even, odd := d[i]+p[first], d[first]-p[i]
			for j := first + 1; j < m/2; j++ {
				switch row[j] {
				case 1:
					even += p[j]
					odd += d[j]
				case -1:
					even -= p[j]
					odd -= d[j]
				}
			}
			x[2*i*h+c], x[(2*i+1)*h+c] = even, odd
		}
	}
}
