package papers

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

// TestRanks: the places are those of the figures, the mean ranks those of the places, and kernel ridge regression with
// the settings that the note names, fitted here by hand to columns that are standardized by the training rows, has the figure of the table.
func TestRanks(t *testing.T) {
	dir := dataset.Dir(t.TempDir())
	x, y := dataset.Smooth(120, 3, .1, 1)
	for i := range y {
		x.Set(i, 1, 100+5*x.At(i, 1))
	}
	values := &dataset.Set{X: x, Value: y}
	z, labels := dataset.Blobs(120, 4, 2, 2, 1)
	for name, d := range map[string]*dataset.Set{"airfoil": values, "german.numer": {X: z, Labels: labels}} {
		if err := dataset.Save(t.Context(), filepath.Join(string(dir), name+".libsvm"), d); err != nil {
			t.Fatal(err)
		}
	}
	env := Env{Data: protocol.At(dir), Repeats: 1, Set: map[string]string{"only": "airfoil,german.numer", "rows": "80", "test": "20"}}
	got := map[string]Row{}
	for _, r := range rowsOf(t, "ranks", env) {
		if r.Got == nil {
			t.Fatalf("no figure: %+v", r)
		}
		got[r.Dataset+"|"+r.Method+"|"+r.Metric] = r
	}
	for _, c := range contenders {
		sum := 0.
		for _, s := range []ranked{{"airfoil", denseValues}, {"german.numer", denseClasses}} {
			measure, larger := s.metric()
			mine, place := *got[s.String()+"|"+c.name+"|"+measure].Got, 1.
			for _, o := range contenders {
				other := *got[s.String()+"|"+o.name+"|"+measure].Got
				if o.name != c.name && other == mine {
					place += .5
				} else if other != mine && other > mine == larger {
					place++
				}
			}
			if v := *got[s.String()+"|"+c.name+"|rank"].Got; v != place {
				t.Errorf("%s on %s has rank %g, want %g", c.name, s, v, place)
			}
			sum += place
		}
		if v := *got["all sets|"+c.name+"|mean rank"].Got; v != sum/2 {
			t.Errorf("%s has the mean rank %g, want %g", c.name, v, sum/2)
		}
	}
	row := got["airfoil|krr, Gaussian|rmse"]
	if want := ridgeByHand(t, values, row.Note); !(math.Abs(*row.Got-want) <= 1e-6*want) {
		t.Errorf("%g with %s, by hand %g", *row.Got, row.Note, want)
	}
}

// ridgeByHand returns the error of ridge regression with the settings of a note of the table on 80 and 20 of the rows of d.
func ridgeByHand(t *testing.T, d *dataset.Set, note string) float64 {
	t.Helper()
	var gamma, lambda float64
	if _, err := fmt.Sscanf(strings.NewReplacer("kernel=gaussian(gamma=", "", "*scale); lambda=", " ", "scale); lambda=", "1 ").Replace(note), "%g %g", &gamma, &lambda); err != nil {
		t.Fatalf("note %q: %v", note, err)
	}
	seed := rng.Derive(0, "repeat 0")
	train, test := d.SplitRows(.2, seed)
	part, rest := d.Select(train), d.Select(test)
	part = part.Select(dataset.Sample(len(train), 80, rng.Derive(seed, "limit")))
	rest = rest.Select(dataset.Sample(len(test), 20, rng.Derive(seed, "test")))
	a, b := mat.DenseCopyOf(part.X), mat.DenseCopyOf(rest.X)
	_, columns := a.Dims()
	for j := range columns {
		mean, square := 0., 0.
		for i := range 80 {
			mean += a.At(i, j) / 80
		}
		for i := range 80 {
			square += math.Pow(a.At(i, j)-mean, 2) / 80
		}
		for _, m := range []*mat.Dense{a, b} {
			n, _ := m.Dims()
			for i := range n {
				m.Set(i, j, (m.At(i, j)-mean)/math.Sqrt(square))
			}
		}
	}
	// The scale is 1/(columns · variance of all cells), and standardized cells have the variance 1.
	m, err := krr.Config{Kernel: kernel.Gaussian{Gamma: gamma / float64(columns)}, Lambda: gram.Set(lambda)}.Fit(t.Context(), a, part.Value, nil)
	if err != nil {
		t.Fatal(err)
	}
	return metric.RMSE(m.Predict(nil, b), rest.Value)
}
