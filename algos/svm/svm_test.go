package svm

import (
	"context"
	"fmt"
	"testing"

	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
)

func TestTry(t *testing.T) {
	dir, err := dataset.FindDir()
	if err != nil {
		t.Skip(err)
	}
	train, _, err := dir.Load("ijcnn1", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n, _ := train.Dims()
	fmt.Printf("%T\n", train.X)
	p := Problem{Kernel: kernel.Gaussian{Gamma: 2}, X: train.X, Target: make([]float64, n), Lower: make([]float64, n), Upper: make([]float64, n)}
	for i, c := range train.Labels.Class {
		if c == 1 {
			p.Target[i], p.Upper[i] = 1, 32
		} else {
			p.Target[i], p.Lower[i] = -1, -32
		}
	}
	s, err := Solve(context.Background(), p)
	fmt.Printf("%v %+v\n", err, s.Stats)
	fmt.Println(s.Bias)
}
