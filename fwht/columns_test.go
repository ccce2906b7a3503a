package fwht

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num"
)

func TestTransformColumns(t *testing.T) {
	for _, l := range cpu.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			restore, err := cpu.Lower(l)
			if err != nil {
				t.Skip("the level is not available: ", err)
			}
			defer restore()
			checkTransformColumns[float32](t)
			checkTransformColumns[float64](t)
		})
	}
}

// checkTransformColumns compares with transforms of the transposed matrix, which
// are exact for integers, for matrices of one block of rows and of several.
func checkTransformColumns[F num.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for _, c := range [][3]int{{1, 5, 0}, {2, 1, 3}, {64, 50, 2}, {12, 9, 0}, {20, 17, 1}, {448, 3, 4}, {4096, 37, 0}, {2560, 70, 3}} {
		n, d, stride := c[0], c[1], c[1]+c[2]
		x := num.Rows[F]{Data: asmtest.Integers[F](r, (n-1)*stride+d, 100), N: n, D: d, Stride: stride}
		want := slices.Clone(x.Data)
		column := make([]F, n)
		for j := range d {
			for i := range column {
				column[i] = want[i*stride+j]
			}
			Transform(column)
			for i, v := range column {
				want[i*stride+j] = v
			}
		}
		for _, workers := range []int{1, 3} {
			got := x
			got.Data = slices.Clone(x.Data)
			TransformColumns(got, workers)
			for i, v := range got.Data {
				if !asmtest.SameBits(v, want[i]) {
					t.Fatalf("%d×%d %T, stride %d, %d workers: element %d is %v, want %v", n, d, v, stride, workers, i, v, want[i])
				}
			}
		}
	}
	if p := must.Recovered(func() { TransformColumns(num.MakeRows[F](3, 4), 1) }); p == nil {
		t.Error("three rows were accepted")
	}
}

func ExampleTransformColumns() {
	x := num.Rows[float64]{Data: []float64{1, 10, 2, 20, 3, 30, 4, 40}, N: 4, D: 2, Stride: 2}
	TransformColumns(x, 0)
	fmt.Println(x.Data)
	// Output: [10 100 -2 -20 -4 -40 0 0]
}
