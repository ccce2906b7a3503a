package gp

import (
	"flag"
	"math"
	"strings"
	"testing"

	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/machine"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

var (
	figures     = flag.String("figures", "", "fit these data sets of GRAM_DATA, separated by commas, and log test errors; takes minutes")
	figuresNu   = flag.Float64("figures-nu", 1.5, "smoothness of the Matérn kernel, or 0 for the Gaussian kernel")
	figuresRows = flag.Int("figures-rows", 2000, "rows that widths are learned from")
	figuresM    = flag.Int("figures-m", 4096, "landmarks for more than 12000 rows")
)

// TestFigures logs the errors on a fifth of the rows of fits to 64 % of them, in standard deviations of the
// training targets.
func TestFigures(t *testing.T) {
	if *figures == "" {
		t.Skip("-figures is not set")
	}
	dir, err := dataset.FindDir()
	if err != nil {
		t.Skip("no data: ", err)
	}
	for _, name := range strings.Split(*figures, ",") {
		d, _ := must.Have2(dir.Load(name, dataset.Options{Task: dataset.Regression}))(t)
		n, _ := d.Dims()
		order := rng.New(0, 0).Perm(n)
		train, test := d.Select(order[:n*64/100]), d.Select(order[n*80/100:])
		c := Config{Kernel: kernel.Gaussian{Gamma: 1}, ARD: true, ARDRows: *figuresRows}
		if *figuresNu > 0 {
			c.Kernel = kernel.Matern{Nu: *figuresNu, Length: 1}
		}
		if n, _ := train.Dims(); n > 12_000 {
			c.Approximation, c.M, c.Landmarks = DTC, *figuresM, landmark.Uniform{}
		}
		scale := must.Have(dataset.Standardize(train.X))(t)
		begin, _ := machine.CPUTime()
		m := must.Have(c.Fit(t.Context(), scale.Apply(train.X), train.Value, nil))(t)
		end, _ := machine.CPUTime()
		var wrong, density float64
		z := scale.Apply(test.X)
		deviation, variance := deviationOf(train.Value), m.Variance(nil, z)
		for i, v := range m.Predict(nil, z) {
			e := test.Value[i] - v
			wrong += e * e
			s := variance[i] + m.Noise()
			density += .5*(math.Log(2*math.Pi*s)+e*e/s) - math.Log(deviation)
		}
		count := float64(len(variance))
		rows, _ := train.Dims()
		s := m.Stats()
		t.Logf("%-10s nu %v, %d rows, %v, %d steps by %d rows in %.0f s: RMSE %.4f, negative log density %.3f, lambda %.2g, %.0f CPU s", name, *figuresNu,
			rows, c.Approximation, len(s.Widths.Criterion)-1, s.Widths.Rows, s.Widths.Seconds, math.Sqrt(wrong/count)/deviation, density/count, m.Config().Lambda.Value(), (end - begin).Seconds())
		t.Logf("factors %.3g", mat.Formatted(mat.NewVecDense(m.Dim(), m.Config().Kernel.(*kernel.Scaled).Scale()).T()))
	}
}

// deviationOf returns the standard deviation of y.
func deviationOf(y []float64) float64 {
	var mean, sum float64
	for i, v := range y {
		delta := v - mean
		mean += delta / float64(i+1)
		sum += delta * (v - mean)
	}
	return math.Sqrt(sum / float64(len(y)))
}
