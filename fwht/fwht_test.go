package fwht

import (
	"math/rand/v2"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/asmtest"
)

func TestTransformRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, workers := range []int{0, 1, 2, 7} {
		x := gram.Rows[float64]{Data: asmtest.Normal[float64](r, 3000*67), N: 3000, D: 64, Stride: 67}
		want := append([]float64(nil), x.Data...)
		for i := range x.N {
			Transform(want[i*67 : i*67+64])
		}
		TransformRows(x, workers)
		for i, v := range x.Data {
			if v != want[i] {
				t.Fatalf("workers %d: element %d is %v, want %v", workers, i, v, want[i])
			}
		}
	}
}
