package gbdt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// written32 fits models of every kind, and returns them with rows of float32 numbers and what they predict for these.
func written32(t *testing.T) (models []modelfile.Model, x *mat.Dense, want []*mat.Dense) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	n := 300
	x = mat.NewDense(n, 5, nil)
	value, class, three := make([]float64, n), make([]int, n), make([]int, n)
	for i := range n {
		for j := range 4 {
			x.Set(i, j, float64(float32(r.NormFloat64()*math.Pow(10, float64(3*j-3)))))
		}
		x.Set(i, 4, float64(r.IntN(7)))
		value[i] = 1000 + math.Sin(3*x.At(i, 1)) + x.At(i, 0) + float64(int(x.At(i, 4))%3)
		class[i] = map[bool]int{true: 1}[value[i] > 1001]
		three[i] = class[i] + map[bool]int{true: 1}[value[i] > 1002]
	}
	mixed := []Column{{Missing: true}, {}, {Missing: true}, {}, {Levels: 7}}
	holes := mat.DenseCopyOf(x)
	for i := range n {
		if i%4 == 1 {
			holes.Set(i, 0, math.NaN())
		}
		if i%9 == 2 {
			holes.Set(i, 4, math.NaN())
		}
	}
	keep := func(m modelfile.Model, err error, x *mat.Dense) {
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, m)
		switch m := m.(type) {
		case *Regressor:
			want = append(want, mat.NewDense(n, 1, m.Predict(nil, x)))
		case *Classifier:
			want = append(want, calibration.Softmax(len(m.names)).Probabilities(nil, m.Scores(nil, x)))
		}
	}
	c := Config{Rounds: 12, Shrinkage: .3}
	regression, err := c.FitValues(t.Context(), x, value, nil)
	keep(regression, err, x)
	none := *regression
	none.model = regression.truncated(0)
	keep(&none, nil, x)
	c.Loss = Absolute
	absolute, err := c.FitValues(t.Context(), x, value, nil)
	keep(absolute, err, x)
	c.Loss = Poisson
	counted, err := c.FitValues(t.Context(), x, value, nil)
	keep(counted, err, x)
	c.Loss = Squared
	for _, y := range []gram.Labels{{Names: []string{"no", "yes"}, Class: class}, {Names: []string{"a", "b", "c"}, Class: three}} {
		m, err := c.Fit(t.Context(), x, y, nil)
		keep(m, err, x)
	}
	c.Columns = mixed
	holed, err := c.FitValues(t.Context(), holes, value, nil)
	keep(holed, err, holes)
	m, err := c.Fit(t.Context(), holes, gram.Labels{Names: []string{"a", "b", "c"}, Class: three}, nil)
	keep(m, err, holes)
	return models, holes, want
}

// text returns what the model writes for XGBoost.
func text(t *testing.T, m modelfile.Model) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, m.(interface{ WriteXGBoost(io.Writer) error }).WriteXGBoost(&b))
	return b.String()
}

// differ returns the largest difference from want, in units of 1 + |want|, where x has no missing cell or the model takes them.
func differ(got, want, x *mat.Dense, takes bool) (worst float64) {
	n, k := want.Dims()
	for i := range n {
		if !takes && strings.Contains(fmt.Sprint(x.RawRowView(i)), "NaN") {
			continue
		}
		for c := range k {
			if e := math.Abs(got.At(i, c)-want.At(i, c)) / (1 + math.Abs(want.At(i, c))); !(e <= worst) {
				worst = e
			}
		}
	}
	return worst
}

// A model that is written for XGBoost and read again predicts the same up to the roundings to float32.
func TestWriteXGBoost(t *testing.T) {
	models, x, want := written32(t)
	for i, m := range models {
		_, got := scoresOf(t, text(t, m), x)
		if c, is := m.(*Classifier); is {
			got = calibration.Softmax(len(c.names)).Probabilities(nil, got)
		}
		if worst := differ(got, want[i], x, i >= 6); !(worst <= 1e-6) {
			t.Errorf("model %d: the predictions differ by %v of their size", i, worst)
		}
	}
	for _, v := range []float64{0, 1, -1, .1, 1e-50, -1e-50, 1e30, math.Nextafter(1, 2), -math.MaxFloat64} {
		if c := next32(v); !(float64(c) > v) || float64(math.Nextafter32(c, float32(math.Inf(-1)))) > v {
			t.Errorf("the smallest float32 above %v is not %v", v, c)
		}
	}
	far := *models[0].(*Regressor)
	far.forest.value = []float64{1e300}
	far.forest.nodes, far.forest.roots, far.forest.kinds = far.forest.nodes[:0:0], []int32{0}, nil
	far.forest.nodes = append(far.forest.nodes, programNode[float64]{left: 0})
	if err := far.WriteXGBoost(io.Discard); err == nil || !strings.Contains(err.Error(), "1e+300 of node 0 is beyond the range of float32") {
		t.Errorf("a leaf beyond float32: %v", err)
	}
}

// readsXGBoost reads models and writes what XGBoost predicts with them.
const readsXGBoost = `
import json, sys
import numpy as np, xgboost as xgb
x = np.array(json.load(open(f"{sys.argv[1]}/x")), dtype=float)
for i in range(int(sys.argv[2])):
    b = xgb.Booster(model_file=f"{sys.argv[1]}/{i}.json")
    types = b.feature_types
    p = b.predict(xgb.DMatrix(x, feature_types=types, enable_categorical=types is not None)).astype(float)
    json.dump(p.reshape(len(x), -1).tolist(), open(f"{sys.argv[1]}/{i}.got", "w"))
`

// XGBoost predicts with the models what they predict here.
func TestXGBoostReads(t *testing.T) {
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	python := pythonWithXGBoost(t)
	models, x, want := written32(t)
	dir := t.TempDir()
	rows := "["
	for i := range 300 {
		row := strings.ReplaceAll(strings.ReplaceAll(fmt.Sprint(x.RawRowView(i)), " ", ","), "NaN", "null")
		rows += row + ","
	}
	files := map[string]string{"x": strings.TrimSuffix(rows, ",") + "]"}
	for i, m := range models {
		files[fmt.Sprint(i, ".json")] = text(t, m)
	}
	for name, text := range files {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	if out, err := exec.Command(python, "-c", readsXGBoost, dir, fmt.Sprint(len(models))).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, m := range models {
		b := must.Have(os.ReadFile(filepath.Join(dir, fmt.Sprint(i, ".got"))))(t)
		var p [][]float64
		must.Do(t, json.Unmarshal(b, &p))
		_, k := want[i].Dims()
		got := mat.NewDense(len(p), k, nil)
		for r, row := range p {
			if c, is := m.(*Classifier); is && len(c.names) == 2 {
				row = []float64{1 - row[0], row[0]}
			}
			got.SetRow(r, row)
		}
		tol := 1e-6
		if r, is := m.(*Regressor); is && r.cfg.Loss == Poisson { // the logarithm is rounded, which is 7
			tol = 5e-6
		}
		if worst := differ(got, want[i], x, i >= 6); !(worst <= tol) {
			t.Errorf("model %d: XGBoost's predictions differ by %v of their size", i, worst)
		}
	}
}
