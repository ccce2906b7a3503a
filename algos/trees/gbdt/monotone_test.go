package gbdt

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// waves returns rows with a category and missing cells, and values that rise and fall with each column of numbers.
func waves(n int) (x *mat.Dense, y []float64, columns []Column) {
	r := rand.New(rand.NewPCG(8, 1))
	x, y = mat.NewDense(n, 4, nil), make([]float64, n)
	for i := range n {
		row := x.RawRowView(i)
		for j := range 3 {
			row[j] = 4 * r.Float64()
		}
		row[3] = float64(r.IntN(5))
		y[i] = 3 + math.Sin(2*row[0]) + .6*row[0] + math.Cos(2*row[1]) - .4*row[1] + .5*math.Sin(2*row[2])*row[0] + .3*float64(int(row[3])%2) + .3*r.NormFloat64()
		y[i] = max(0, y[i]*(1+.5*row[2]))
		if i%9 == 0 {
			row[i/9%3] = math.NaN()
		}
	}
	return x, y, []Column{{Missing: true}, {Missing: true}, {Missing: true}, {Levels: 5}}
}

// breaks counts the steps of walks along a column, from some rows, at which a prediction goes against the sign.
func breaks(predict func(x mat.Matrix) []float64, x *mat.Dense, column, sign int) (breaks int) {
	n, d := x.Dims()
	var at []float64
	for i := 0; i < n; i += 3 {
		if v := x.At(i, column); v == v {
			at = append(at, v)
		}
	}
	slices.Sort(at)
	walk := mat.NewDense(len(at), d, nil)
	for start := 0; start < n; start += n / 40 {
		for k, v := range at {
			walk.SetRow(k, x.RawRowView(start))
			walk.Set(k, column, v)
		}
		p := predict(walk)
		for k := range p[1:] {
			if float64(sign)*(p[k+1]-p[k]) < 0 {
				breaks++
			}
		}
	}
	return breaks
}

// Predictions rise and fall with the columns as their signs say, from whatever row one walks, for every loss, with categories, missing cells
// and samples of rows; without signs they do not.
func TestMonotone(t *testing.T) {
	algotest.Serial(t)
	x, y, columns := waves(600)
	w, two := make([]float64, 600), gram.Labels{Names: []string{"low", "high"}, Class: make([]int, 600)}
	for i, v := range y {
		if w[i] = float64(1 + i%3); v > 6 {
			two.Class[i] = 1
		}
	}
	classes := func(c Config) (func(x mat.Matrix) []float64, error) {
		m, err := c.Fit(t.Context(), x, two, w)
		return func(x mat.Matrix) []float64 { return m.Scores(nil, x).RawMatrix().Data }, err
	}
	values := func(c Config) (func(x mat.Matrix) []float64, error) {
		m, err := c.FitValues(t.Context(), x, y, w)
		return func(x mat.Matrix) []float64 { return m.Predict(nil, x) }, err
	}
	for name, s := range map[string]struct {
		c   Config
		fit func(c Config) (func(x mat.Matrix) []float64, error)
	}{
		"squared": {Config{}, values}, "absolute": {Config{Loss: Absolute}, values}, "quantile": {Config{Loss: Quantile, Level: .9}, values},
		"huber": {Config{Loss: Huber}, values}, "poisson": {Config{Loss: Poisson}, values}, "poisson, λ 0": {Config{Loss: Poisson, Lambda: gram.Set(0.)}, values},
		"logistic": {Config{}, classes}, "few rows of each round": {Config{Loss: Absolute, RowSample: .4}, values}, "exact": {Config{Exact: true}, values},
	} {
		s.c.Rounds, s.c.MinRows, s.c.Shrinkage, s.c.Columns = 30, 4, .3, columns
		free := must.Have(s.fit(s.c))(t)
		s.c.Monotone = []int{1, -1}
		p := must.Have(s.fit(s.c))(t)
		for column, sign := range s.c.Monotone {
			if b := breaks(p, x, column, sign); b > 0 {
				t.Errorf("%s: %d steps along column %d go against its sign", name, b, column)
			}
			if breaks(free, x, column, sign) == 0 {
				t.Errorf("%s: without a sign no step along column %d goes against it", name, column)
			}
		}
		if breaks(p, x, 2, 1) == 0 || breaks(p, x, 2, -1) == 0 {
			t.Errorf("%s: predictions are monotone in a column without a sign", name)
		}
	}
}

// Where the values rise with a column, a sign costs hardly any accuracy, and smooths what noise has left.
func TestMonotoneIsAccurate(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	const n = 1000
	x, y, truth := mat.NewDense(n, 2, nil), make([]float64, n), make([]float64, n)
	for i := range n {
		x.SetRow(i, []float64{r.Float64(), r.Float64()})
		truth[i] = math.Exp(2*x.At(i, 0)) + math.Sin(6*x.At(i, 1))
		y[i] = truth[i] + r.NormFloat64()
	}
	var off [2]float64
	for k, signs := range [][]int{nil, {1}} {
		m := must.Have(Config{Rounds: 60, Monotone: signs}.FitValues(t.Context(), x, y, nil))(t)
		for i, p := range m.Predict(nil, x) {
			off[k] += (p - truth[i]) * (p - truth[i]) / n
		}
	}
	if !(off[1] < .9*off[0]) {
		t.Errorf("the mean square error is %g with a sign, %g without", off[1], off[0])
	}
}

// The trees with signs of rows on disk are those of the same rows in memory, bit for bit.
func TestMonotoneOnDisk(t *testing.T) {
	x, y, columns := waves(6000)
	for _, c := range []Config{{}, {Loss: Poisson}} {
		c.Rounds, c.Columns, c.Monotone, c.Bins = 5, columns, []int{1, -1}, 40
		want := must.Have(c.FitValues(t.Context(), x, y, nil))(t)
		have := must.Have(onDisk(t, c, &dataset.Set{X: x, Value: y}, x, leastBlock))(t)
		var a, b bytes.Buffer
		must.Do(t, errors.Join(modelfile.Write(&a, want), modelfile.Write(&b, have)))
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%v: the models differ", c.Loss)
		}
	}
}

// Signs that the data cannot have are errors, and the text of the setting is what it was set to.
func TestMonotoneIsRefused(t *testing.T) {
	x, y, columns := waves(100)
	three := gram.Labels{Names: []string{"a", "b", "c"}, Class: make([]int, 100)}
	two := gram.Labels{Names: []string{"a", "b"}, Class: make([]int, 100)}
	for i := range three.Class {
		three.Class[i], two.Class[i] = i%3, i%2
	}
	refused := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "Monotone") || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error about Monotone with %q: %v", want, err)
		}
	}
	c := Config{Rounds: 1, Columns: columns}
	for signs, want := range map[*[]int]string{{0, 2}: "column 1", {0, 0, 0, 0, 1}: "4 columns", {0, 0, 0, 1}: "categories"} {
		c.Monotone = *signs
		_, err := c.FitValues(t.Context(), x, y, nil)
		refused(err, want)
		_, err = c.NewDisk(t.Context(), x, nil, nil)
		refused(err, want)
	}
	c.Monotone = []int{1}
	_, err := c.Fit(t.Context(), x, three, nil)
	refused(err, "classes")
	c.Criterion = DirectLoss
	_, err = c.Fit(t.Context(), x, two, nil)
	refused(err, "direct")

	var set Config
	bound := settings.Bind(&set)
	for text, want := range map[string]string{"2:1": "2:1", "3:-1,1:1": "1:1,3:-1", "age:1": "age:1", "size:-1, 2:1": "size:-1,2:1", "a:b:1": "a:b:1"} {
		if err := bound.Set("monotone=" + text); err != nil || bound.Lookup("monotone").String() != want {
			t.Errorf("%q is %q: %v", text, bound.Lookup("monotone").String(), err)
		}
	}
	for _, text := range []string{"1", "age", "2:2", "0:1", ":1", "2:1,", "99999999:1"} {
		if err := bound.Set("monotone=" + text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	must.Do(t, bound.Set("monotone=age:1"))
	_, err = set.FitValues(t.Context(), x, y, nil)
	refused(err, "age:1")
}
