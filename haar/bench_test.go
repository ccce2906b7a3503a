package haar

import (
	"fmt"
	"testing"

	"github.com/gramworks/gram/num"
)

func BenchmarkDecomposition(b *testing.B) {
	for _, n := range []int{1000, 1 << 16} {
		d, x := NewDecomposition[float64](n, 3, Symmetric), num.MakeRows[float64](1, n)
		y := make([]float64, d.Len())
		b.Run(fmt.Sprintf("Forward/n=%d/levels=3", n), func(b *testing.B) {
			for b.Loop() {
				d.Forward(y, x.Data)
			}
		})
		b.Run(fmt.Sprintf("Inverse/n=%d/levels=3", n), func(b *testing.B) {
			for b.Loop() {
				d.Inverse(x.Data, y)
			}
		})
	}
	x, y := num.MakeRows[float64](512, 512), num.MakeRows[float64](512, 512)
	d, p := NewDecomposition[float64](512, 3, Symmetric), NewPyramid[float64](512, 512, 3, Symmetric)
	for name, f := range map[string]func(){
		"Rows":           func() { d.ForwardRows(y, x, 1) },
		"Columns":        func() { d.ForwardColumns(y, x, 1) },
		"Pyramid":        func() { p.Forward(y, x, 1) },
		"InversePyramid": func() { p.Inverse(x, y, 1) },
	} {
		b.Run(name+"/n=512/levels=3", func(b *testing.B) {
			for b.Loop() {
				f()
			}
		})
	}
}
