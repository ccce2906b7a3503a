package gbdt

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// tabular returns rows of two numbers, one of which may be missing, and a category of levels
// levels, and their values. What is missing, and the level, say more than the numbers.
func tabular(seed uint64, n, levels int) (*mat.Dense, []float64, []Column) {
	r := rand.New(rand.NewPCG(seed, 3))
	x, y := mat.NewDense(n, 3, nil), make([]float64, n)
	for i := range n {
		a, b, level := r.NormFloat64(), r.NormFloat64(), r.IntN(levels)
		y[i] = a + 3*math.Sin(float64(7*level)) + 0.1*r.NormFloat64()
		x.SetRow(i, []float64{a, b, float64(level)})
		if r.IntN(4) == 0 {
			x.Set(i, 1, math.NaN())
			y[i] += 2
		}
		if r.IntN(20) == 0 {
			x.Set(i, 2, []float64{math.NaN(), -1}[r.IntN(2)])
			y[i] -= 4
		}
	}
	return x, y, []Column{{}, {Missing: true}, {Levels: levels}}
}

// follow is the definition of a prediction: a walk through the public nodes.
func follow(trees [][]Node, constant float64, row []float64) float64 {
	out := constant
	for _, nodes := range trees {
		at := 0
		for nodes[at].Left > 0 {
			n := nodes[at]
			left := row[n.Feature] <= n.Threshold
			if v := row[n.Feature]; n.Levels != nil {
				left = slices.Contains(n.Levels, int(v)) && v >= 0 || !(v >= 0) && n.Missing
			} else if v != v {
				left = n.Missing
			}
			if at = n.Right; left {
				at = n.Left
			}
		}
		out += nodes[at].Value
	}
	return out
}

// Trees on categories and missing cells learn from both, predict what their nodes say in every
// form, and are stored.
func TestMixed(t *testing.T) {
	for levels, configs := range map[int][]Config{
		300: {{Rounds: 40}}, // more than a byte of bins
		6:   {{Rounds: 40, RowSample: 0.7, ColumnSample: 0.8}, {Rounds: 4, Criterion: DirectLoss}, {Rounds: 2, Criterion: DirectLoss, Exact: true, MaxLeaves: 4}},
	} {
		for _, c := range configs {
			x, y, columns := tabular(1, 1500, levels)
			if c.Criterion == DirectLoss {
				x, y = x.Slice(0, 400, 0, 3).(*mat.Dense), y[:400]
			}
			c.Columns, c.Seed, c.Shrinkage = columns, 5, 0.3
			labels := gram.Labels{Class: make([]int, len(y)), Names: []string{"low", "high"}}
			for i, v := range y {
				if v > 0 {
					labels.Class[i] = 1
				}
			}
			classifier := must.Have(c.Fit(t.Context(), x, labels, nil))(t)
			trees := classifier.Stats().Trees
			for i, leaves := range classifier.Leaves(x) { // categories and missing cells, too
				if i%97 > 0 {
					continue
				}
				score := classifier.Constants()[0]
				for t := range trees {
					score += classifier.Tree(t)[leaves[t]].Value
				}
				if want := classifier.Scores(nil, x.Slice(i, i+1, 0, 3)).At(0, 0); score != want {
					t.Fatalf("the leaves of row %d have the score %g, it has %g", i, score, want)
				}
			}
			models := map[string]modelfile.Model{"classes": classifier}
			if c.Criterion == SecondOrder {
				m := must.Have(c.FitValues(t.Context(), x, y, nil))(t)
				models["values"] = m
				xt, yt, _ := tabular(2, 1000, levels)
				rest, all := 0.0, 0.0
				for i, v := range m.Predict(nil, xt) {
					rest += (v - yt[i]) * (v - yt[i])
					all += yt[i] * yt[i]
				}
				if !(rest < 0.3*all) {
					t.Errorf("%d levels: %v of %v is left", levels, rest, all)
				}
			}
			for what, m := range models {
				checkMixed(t, fmt.Sprintf("%d levels, %v, %s", levels, c.Criterion, what), m, x)
			}
		}
	}
}

// golden is a model with its predictions for the rows of tabular(2, 50, 6).
type golden struct {
	model  *Regressor
	values []float64
}

func (p golden) Encode(w *modelfile.Writer) error {
	if err := w.Header("golden", 1, struct{}{}); err != nil {
		return err
	}
	w.Float64("values", p.values)
	return p.model.Encode(w.Sub("model"))
}

// A stored model with categories and missing cells predicts what it did.
func TestMixedStored(t *testing.T) {
	const path = "testdata/mixed.v3.gram"
	xt, _, _ := tabular(2, 50, 6)
	if flag.Lookup("renew").Value.String() == "true" {
		x, y, columns := tabular(1, 300, 6)
		m := must.Have(Config{Rounds: 5, MaxLeaves: 6, Columns: columns}.FitValues(t.Context(), x, y, nil))(t)
		var b bytes.Buffer
		must.Do(t, modelfile.Write(&b, golden{m, m.Predict(nil, xt)}))
		must.Do(t, os.WriteFile(path, b.Bytes(), 0o644))
	}
	f := must.Have(modelfile.ReadFile(path))(t)
	want := must.Have(f.Float64("values", 50))(t)
	sub := must.Have(f.Sub("model"))(t)
	m := must.Have(DecodeRegressor(sub))(t)
	for i, v := range m.Predict(nil, xt) {
		if !(math.Abs(v-want[i]) <= 1e-12*(1+math.Abs(want[i]))) {
			t.Errorf("row %d: %v, want %v", i, v, want[i])
		}
	}
}

type mixedModel interface {
	gram.Compiler
	modelfile.Model
	Tree(t int) []Node
	Constants() []float64
	Stats() Stats
	Columns() []Column
}

func checkMixed(t *testing.T, what string, model modelfile.Model, x *mat.Dense) {
	t.Helper()
	m := model.(mixedModel)
	n, d := x.Dims()
	p64, err := m.Program64()
	if err != nil {
		t.Fatal(err)
	}
	got := gram.MakeRows[float64](n, 1)
	p64.Rows(got, gram.Of(x))
	csr := gram.MakeRows[float64](n, 1)
	p64.Rows(csr, gram.Of(sparse.FromDense(x)))
	p32 := must.Have(m.Program32())(t)
	kinds := map[bool]int{}
	var trees [][]Node
	for tree := range m.Stats().Trees {
		trees = append(trees, m.Tree(tree))
		for _, node := range trees[tree] {
			if node.Left > 0 {
				kinds[node.Levels != nil]++
			}
		}
	}
	if kinds[true] == 0 || kinds[false] == 0 {
		t.Errorf("%s: splits of categories and of others: %v", what, kinds)
	}
	single, row32 := make([]float32, 1), make([]float32, d)
	for i := range n {
		want := follow(trees, m.Constants()[0], x.RawRowView(i))
		if !(math.Abs(got.Data[i]-want) <= 1e-12*(1+math.Abs(want))) || csr.Data[i] != got.Data[i] {
			t.Fatalf("%s: row %d: %v, of sparse rows %v, want %v", what, i, got.Data[i], csr.Data[i], want)
		}
		for j, v := range x.RawRowView(i) {
			row32[j] = float32(v)
		}
		if p32.Row(single, row32); i < 50 && !(math.Abs(float64(single[0])-want) <= 1e-4*(1+math.Abs(want))) {
			t.Errorf("%s: row %d in float32: %v, want %v", what, i, single[0], want)
		}
	}
	// Unknown levels go like missing cells; NaN where none was missing has no score.
	row, other := []float64{0.3, 0.1, -1}, []float64{0.3, 0.1, math.NaN()}
	one, two := make([]float64, 1), make([]float64, 1)
	if p64.Row(one, row); one[0] != one[0] {
		t.Errorf("%s: an unknown level has no score", what)
	}
	if p64.Row(two, other); two[0] != one[0] {
		t.Errorf("%s: an unknown level %v, a missing one %v", what, one[0], two[0])
	}
	if p64.Row(one, []float64{math.NaN(), 0, 1}); one[0] == one[0] {
		t.Errorf("%s: NaN in a column of numbers gives %v", what, one[0])
	}

	var file bytes.Buffer
	must.Do(t, modelfile.Write(&file, model))
	f := must.Have(modelfile.Read(&file))(t)
	var again mixedModel
	if f.Has("classes") {
		again, err = DecodeClassifier(f)
	} else {
		again, err = DecodeRegressor(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again.Columns(), m.Columns()) {
		t.Errorf("%s: columns %v", what, again.Columns())
	}
	for tree := range m.Stats().Trees {
		if !reflect.DeepEqual(again.Tree(tree), m.Tree(tree)) {
			t.Fatalf("%s: tree %d of the file is another", what, tree)
		}
	}
}

// Columns without categories and missing cells give the bits of the fit without Columns.
func TestMixedOfNumbers(t *testing.T) {
	x, y, _ := tabular(1, 600, 6)
	for i := range y {
		for j := range 3 {
			if v := x.At(i, j); v != v {
				x.Set(i, j, 0)
			}
		}
	}
	plain := must.Have(Config{Rounds: 10}.FitValues(t.Context(), x, y, nil))(t)
	for _, missing := range []bool{false, true} { // cells may be missing, but none is
		m := must.Have(Config{Rounds: 10, Columns: []Column{{}, {Missing: missing}, {}}}.FitValues(t.Context(), x, y, nil))(t)
		if !slices.Equal(m.Predict(nil, x), plain.Predict(nil, x)) {
			t.Errorf("missing %t: other predictions", missing)
		}
	}
}

func TestMixedErrors(t *testing.T) {
	var cell *gram.DataError
	var config *gram.ConfigError
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		row     []float64
		columns []Column
		col     int // −1: the columns are at fault
	}{
		{[]float64{nan, 1, 1}, []Column{{}, {Missing: true}, {Levels: 3}}, 0},
		{[]float64{0, inf, 1}, []Column{{}, {Missing: true}, {Levels: 3}}, 1},
		{[]float64{0, 1, 3}, []Column{{}, {Missing: true}, {Levels: 3}}, 2},
		{[]float64{0, 1, 0.5}, []Column{{}, {Missing: true}, {Levels: 3}}, 2},
		{[]float64{0, 1, -inf}, []Column{{}, {Missing: true}, {Levels: 3}}, 2},
		{[]float64{0, 1, 0}, []Column{{}, {Missing: true}}, -1},
		{[]float64{0, 1, 0}, []Column{{}, {}, {Levels: 1 << 16}}, -1},
	} {
		_, err := Config{Columns: c.columns}.FitValues(t.Context(), mat.NewDense(1, 3, c.row), []float64{1}, nil)
		if c.col < 0 && !errors.As(err, &config) || c.col >= 0 && (!errors.As(err, &cell) || cell.Col != c.col) {
			t.Errorf("%v: %v", c.row, err)
		}
	}
}

// A column whose cells may be missing, and of which none is, sends missing cells where most rows go.
func TestMissingGoWithMostRows(t *testing.T) {
	const n = 40
	for _, left := range []int{30, 10} {
		x, y := mat.NewDense(n, 1, nil), make([]float64, n)
		for i := range n {
			x.Set(i, 0, float64(i))
			if i >= left {
				y[i] = 1
			}
		}
		c := Config{Rounds: 1, MaxLeaves: 2, MinRows: 1, Columns: []Column{{Missing: true}}}
		m := must.Have(c.FitValues(t.Context(), x, y, nil))(t)
		if root := m.Tree(0)[0]; root.Missing != (left > n/2) || root.Threshold < float64(left-1) || root.Threshold >= float64(left) {
			t.Errorf("%d of %d rows go left: %+v", left, n, root)
		}
	}
}
