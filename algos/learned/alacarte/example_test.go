package alacarte_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/learned/alacarte"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

func ExampleConfig() {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := mat.NewDense(200, 3, nil), make([]float64, 200)
	for i := range y {
		x.SetRow(i, []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()})
		y[i] = math.Sin(2*x.At(i, 0)) + .1*r.NormFloat64() // columns 1 and 2 do not matter
	}
	m, err := alacarte.Config{Kernel: kernel.Gaussian{Gamma: .3}, M: 16, MaxIter: gram.Set(30)}.Fit(context.Background(), x, y, nil)
	var rough *gram.ConvergenceError
	if err != nil && !errors.As(err, &rough) {
		log.Fatal(err)
	}
	l := m.Stats().Scales
	fmt.Printf("the scales of the other columns are longer: %v\n", l[1] > 2*l[0] && l[2] > 2*l[0])
	fmt.Printf("standard deviation of the noise between .08 and .12: %v\n", math.Abs(math.Sqrt(m.Stats().Noise)-.1) < .02)
	// Output:
	// the scales of the other columns are longer: true
	// standard deviation of the noise between .08 and .12: true
}
