package pseudo

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// Products of the kernel values of far landmarks are zero on nearly all rows: scaled to
// length one they once made features of 10¹⁰ out of rows that were held out. Features are
// as long as K(x,x) allows but for a few rows, and what is predicted from them is better
// than the mean.
func TestHeavyTails(t *testing.T) {
	const n, train = 1500, 1000
	x, y := gen.HeavyTailed(n, 12, 1)
	fit, held := x.Slice(0, train, 0, 12), x.Slice(train, n, 0, 12)
	for _, gamma := range []float64{0.1, 1} {
		for _, c := range []Config{{}, {Kind: Mid}, {Sample: 500}} {
			c.Kernel = kernel.Gaussian{Gamma: gamma}
			t.Run(fmt.Sprint(gamma, c.Kind, c.Sample), func(t *testing.T) {
				m := must.Have(c.Fit(context.Background(), fit))(t)
				phi := m.Map(nil, held)
				square := make([]float64, n-train)
				for i := range square {
					square[i] = mat.Dot(phi.RowView(i), phi.RowView(i))
				}
				slices.Sort(square)
				if !(square[len(square)*95/100] <= 1.3 && square[len(square)-1] <= 100) {
					t.Errorf("squared lengths of features: 95 %% up to %g, the largest %g", square[len(square)*95/100], square[len(square)-1])
				}
				r := must.Have(linear.Ridge{}.Fit(context.Background(), m, fit, y[:train], nil))(t)
				var squares, spread float64
				for i, v := range r.Predict(nil, held) {
					squares += (v - y[train+i]) * (v - y[train+i])
					spread += (y[train+i] - 50) * (y[train+i] - 50)
				}
				if !(squares < 0.95*spread) {
					t.Errorf("squared error %g of %g", squares, spread)
				}
			})
		}
	}
}
