package kernel_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// trend is exp(−Gamma·‖x−y‖²) + Slope·⟨x,y⟩, which is a function neither of the
// distance nor of the inner product alone.
type trend struct{ Gamma, Slope float64 }

func (k trend) Eval(x, y []float64) float64 {
	return kernel.Gaussian{Gamma: k.Gamma}.Eval(x, y) + k.Slope*kernel.Linear{}.Eval(x, y)
}

func (k trend) Spec() kernel.Spec {
	return kernel.Spec{Name: "trend", Params: map[string]float64{"gamma": k.Gamma, "slope": k.Slope}}
}

func (k trend) Pack64(z gram.Samples[float64]) kernel.Tile[float64] { return packTrend[float64](k, z) }
func (k trend) Pack32(z gram.Samples[float64]) kernel.Tile[float32] { return packTrend[float32](k, z) }

// trendTile adds up the values of two blocks of this package.
type trendTile[F gram.Float] struct {
	near, linear *kernel.Block[F]
	slope        F
	work         sync.Pool // *[]F
}

func packTrend[F gram.Float](k trend, z gram.Samples[float64]) *trendTile[F] {
	t := &trendTile[F]{slope: F(k.Slope)}
	t.near, t.linear = kernel.Against[F](kernel.Gaussian{Gamma: k.Gamma}, z), kernel.Against[F](kernel.Linear{}, z)
	t.work.New = func() any { return new([]F) }
	return t
}

func (t *trendTile[F]) Fill(dst gram.Rows[F], x gram.Samples[F]) {
	t.near.FillSerial(dst, x)
	work := t.work.Get().(*[]F)
	if len(*work) < dst.N*dst.D {
		*work = make([]F, dst.N*dst.D)
	}
	products := gram.Rows[F]{Data: (*work)[:dst.N*dst.D], N: dst.N, D: dst.D, Stride: dst.D}
	t.linear.FillSerial(products, x)
	for i := range dst.N {
		to := dst.Row(i)
		for j, v := range products.Row(i) {
			to[j] += t.slope * v
		}
	}
	t.work.Put(work)
}

// A kernel of another package gets the speed of blocks from the methods Pack64 and
// Pack32.
func ExamplePacker() {
	x := mat.NewDense(8, 1, []float64{0, 1, 2, 3, 4, 5, 6, 7})
	y := []float64{0, 2, 3, 3, 4, 6, 7, 7} // a trend with waves on it
	model, err := krr.Config{Kernel: trend{Gamma: 0.5, Slope: 0.2}, Lambda: gram.Set(1e-4), NoBias: true}.Fit(context.Background(), x, y, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.1f\n", model.Predict(nil, mat.NewDense(3, 1, []float64{2.5, 4.5, 12})))
	// Output: [3.0 5.0 11.9]
}
