package pairwise

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/learned/completion"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"gonum.org/v1/gonum/mat"
)

func TestObserved(t *testing.T) {
	s := must.Have(observed(5, []constraint.Pair{{I: 3, J: 1, Same: true}, {I: 0, J: 4, Same: false}, {I: 1, J: 3, Same: true}, {I: 1, J: 2, Same: false}}))(t)
	must.Do(t, s.Validate())
	known := map[[2]int]float64{{1, 3}: 1, {3, 1}: 1, {0, 4}: 0, {4, 0}: 0, {1, 2}: 0, {2, 1}: 0}
	if s.NNZ() != len(known) {
		t.Errorf("%d entries are stored, want %d", s.NNZ(), len(known))
	}
	for i := range 5 {
		col, val := s.Row(i)
		for k, j := range col {
			if v, ok := known[[2]int{i, int(j)}]; !ok || v != val[k] {
				t.Errorf("entry %d, %d is %v, known %v", i, j, val[k], ok)
			}
		}
	}
}

func TestContradictions(t *testing.T) {
	class := []int{0, 1, 0, 2, 1, 0}
	pairs := constraint.Sample(class, 300, 1)
	if c := Contradictions(class, pairs); c != 0 {
		t.Errorf("the classes contradict %v of their own pairs", c)
	}
	if c := Contradictions([]int{0, 0, 0, 0, 0, 0}, []constraint.Pair{{I: 0, J: 1, Same: false}, {I: 0, J: 2, Same: true}, {I: 3, J: 4, Same: false}, {I: 1, J: 4, Same: true}}); c != .5 {
		t.Errorf("contradictions %v, want .5", c)
	}
}

// Rings are no clusters for k-means, nor for linear maps, even with pairs; random
// features with pairs find them, new rows too.
func TestRings(t *testing.T) {
	algotest.Serial(t)
	s, fresh := dataset.Rings(240, 3, .02, 1), dataset.Rings(240, 3, .02, 2)
	pairs := constraint.Sample(s.Labels.Class, 2400, 3)
	fit := func(side completion.Side) *Model {
		m := must.Have(Config{K: 3, Map: side, Lambda: []float64{.1, 1}, Steps: 5}.Fit(t.Context(), s.X, pairs))(t)
		if c := Contradictions(m.Labels(), pairs); c != slices.Min(m.Stats().Contradictions) {
			t.Errorf("%v: the clusters contradict %v of the pairs, of all λ %v", side.Map, c, m.Stats().Contradictions)
		}
		return m
	}
	plain := must.Have(kmeans.Config{K: 3, Starts: 10}.Fit(t.Context(), s.X))(t)
	linear, learned := fit(completion.Side{}), fit(completion.Side{Map: completion.Fourier, M: 40, Gamma: 1, Learn: true})
	a, b, c := metric.PairError(plain.Labels(), s.Labels.Class), metric.PairError(linear.Labels(), s.Labels.Class), metric.PairError(learned.Labels(), s.Labels.Class)
	if !(a > .3 && b > .3 && c < .01) {
		t.Errorf("error of k-means %.3f, MCCC %.3f, GIMC-LFF %.3f", a, b, c)
	}
	if e := metric.PairError(learned.Assign(nil, fresh.X), fresh.Labels.Class); !(e < .02) {
		t.Errorf("error on new rows %.3f", e)
	}
	same := learned.Assign(nil, s.X)
	for i, k := range learned.Labels() {
		if same[i] != k {
			t.Fatalf("row %d is assigned to %d after the fit, %d in it", i, same[i], k)
		}
	}
	v := learned.Vectors(s.X)
	var product mat.Dense
	product.Mul(v.T(), v)
	_, r := v.Dims()
	for i := range r {
		for j := range r {
			want := 0.0
			if i == j {
				want = 1
			}
			if !(math.Abs(product.At(i, j)-want) < 1e-6) {
				t.Errorf("product of vectors %d and %d is %v", i, j, product.At(i, j))
			}
		}
	}
}

// Where most of the variance is that of other clusters, k-means finds those, and
// MCCC the ones of the pairs.
func TestLinear(t *testing.T) {
	const n = 300
	x, class := mat.NewDense(n, 4, nil), make([]int, n)
	r := rng.New(1, 1)
	for i := range n {
		class[i] = r.IntN(2)
		for j := range 2 {
			x.Set(i, j, .1*r.NormFloat64())
			x.Set(i, 2+j, 5*float64(r.IntN(2))+.1*r.NormFloat64())
		}
		x.Set(i, class[i], 1+x.At(i, class[i]))
	}
	m := must.Have(Config{K: 2}.Fit(t.Context(), x, constraint.Sample(class, 1500, 1)))(t)
	plain := must.Have(kmeans.Config{K: 2, Starts: 10}.Fit(t.Context(), x))(t)
	a, b := metric.PairError(plain.Labels(), class), metric.PairError(m.Labels(), class)
	if !(b < .01 && a > .3) {
		t.Errorf("error %.3f, of k-means %.3f", b, a)
	}
}

func TestErrors(t *testing.T) {
	d := algotest.Problem(8, 30, 3, 3)
	pairs := constraint.Sample(d.Labels.Class, 40, 1)
	for name, c := range map[string]Config{
		"K":       {},
		"Starts":  {K: 2, Starts: -1},
		"Lambda":  {K: 2, Lambda: []float64{1, -1}},
		"Map.Map": {K: 2, Map: completion.Side{Map: 9}},
	} {
		var ce *gram.ConfigError
		if _, err := c.Fit(t.Context(), d.X, pairs); !errors.As(err, &ce) || ce.Field != name {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for name, p := range map[string][]constraint.Pair{
		"pairs":    {{I: 1, J: 2, Same: true}, {I: 2, J: 1, Same: false}},
		"pairs[1]": {{I: 1, J: 2, Same: true}, {I: 2, J: 30, Same: false}},
		"pairs[0]": {{I: 2, J: 2, Same: true}},
	} {
		var ce *gram.ConfigError
		if _, err := (Config{K: 2}).Fit(t.Context(), d.X, p); !errors.As(err, &ce) || ce.Field != name {
			t.Errorf("%s: error %v", name, err)
		}
	}
	var ce *gram.ConfigError
	if _, err := (Config{K: 2}).Fit(t.Context(), d.X, nil); !errors.As(err, &ce) || ce.Field != "pairs" {
		t.Errorf("no pairs: error %v", err)
	}
}

// assigned is algotest.Fitted with the clusters as output.
func assigned(m *Model, err error) (*algotest.Model, error) {
	if m == nil {
		return nil, err
	}
	return &algotest.Model{Public: m, Encode: m.Encode, Output: func(x mat.Matrix) *mat.Dense {
		n, _ := x.Dims()
		out := mat.NewDense(n, 1, nil)
		for i, c := range m.Assign(nil, x) {
			out.Set(i, 0, float64(c))
		}
		return out
	}}, err
}

// As a classifier a model says of rows what their clusters are, for one cluster, two and more.
func TestClassifier(t *testing.T) {
	d, fresh := algotest.Problem(8, 60, 3, 3), algotest.Problem(9, 50, 3, 3).X.(*mat.Dense)
	fresh.Set(4, 1, math.NaN())
	pairs := constraint.Sample(d.Labels.Class, 300, 1)
	for k := 1; k <= 4; k++ {
		for _, side := range []completion.Side{{}, {Map: completion.Fourier, M: 8, Gamma: .2}, {Map: completion.Nystrom, M: 8, Gamma: .2}} {
			m := must.Have(Config{K: k, Map: side, Lambda: []float64{1}, Starts: 2}.Fit(t.Context(), d.X, pairs))(t)
			if got, want := m.Predict(nil, fresh), m.Assign(nil, fresh); !slices.Equal(got, want) || got[4] != -1 {
				t.Errorf("%d clusters, %v features: predicted %v, assigned %v", k, side.Map, got, want)
			}
			if _, width := m.Scores(nil, fresh).Dims(); width != multiclass.Functions(k) || len(m.Classes()) != k || m.Dim() != 3 {
				t.Errorf("%d clusters: %d scores, classes %v, %d columns", k, width, m.Classes(), m.Dim())
			}
		}
	}
}

func TestContract(t *testing.T) {
	for _, s := range []struct {
		name string
		side completion.Side
		gold string
	}{{"MCCC", completion.Side{}, ""}, {"GIMC-LFF", completion.Side{Map: completion.Fourier, M: 8, Gamma: .2, Learn: true}, "ssc.v1.gram"}} {
		t.Run(s.name, func(t *testing.T) {
			if testing.Short() && s.gold == "" {
				t.Skip("the other is enough")
			}
			at := func(run gram.Run) Config {
				return Config{K: 3, Map: s.side, Lambda: []float64{.1, 1}, Rounds: 3, Steps: 2, Starts: 2, Run: run}
			}
			subject := algotest.Subject{
				RowBytes: 16, // products of 64 rows
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					var pairs []constraint.Pair
					if n, _ := d.X.Dims(); n > 1 {
						pairs = constraint.Sample(d.Labels.Class, 3*n, run.Seed)
					}
					return assigned(at(run).Fit(ctx, d.X, pairs))
				},
				Decode: func(f *modelfile.File) (*algotest.Model, error) { return assigned(Decode(f)) },
				Golden: s.gold,
				Kept:   8, // a model in memory has the clusters of the rows, too
				Random: []string{"clusters", "completion/columns", "completion/rows", "pairs"},
			}
			if s.side.Map != completion.Linear {
				subject.Random = append(subject.Random, "completion/columns features", "completion/rows features")
			}
			// Each Lambda begins with the same features, factors and clusters.
			subject.Redrawn = subject.Random
			if s.gold == "" {
				subject.Plan = func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(run).Plan(s, 3*s.N) }
				subject.Memory = gram.Shape{N: 8000, D: 16}
			}
			algotest.Check(t, subject)
		})
	}
}
