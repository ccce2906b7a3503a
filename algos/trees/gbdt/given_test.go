package gbdt

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// A fit goes on from the scores of another: ten rounds and ten more make the trees that twenty
// rounds make, for every loss.
func TestFitGoesOn(t *testing.T) {
	x, y, two := problem(3, 400)
	three := gram.Labels{Class: make([]int, len(y)), Names: []string{"a", "b", "c"}}
	for i, v := range y {
		three.Class[i] = max(0, min(2, int(v+1)))
	}
	type fit func(c Config) (*model, *mat.Dense)
	classes := func(l gram.Labels, criterion Criterion) fit {
		return func(c Config) (*model, *mat.Dense) {
			c.Criterion = criterion
			m := must.Have(c.Fit(t.Context(), x, l, nil))(t)
			return &m.model, m.Scores(nil, x)
		}
	}
	for name, f := range map[string]fit{
		"squared": func(c Config) (*model, *mat.Dense) {
			m := must.Have(c.FitValues(t.Context(), x, y, nil))(t)
			return &m.model, mat.NewDense(len(y), 1, m.Predict(nil, x))
		},
		"logistic": classes(two, SecondOrder), "direct": classes(two, DirectLoss), "softmax": classes(three, SecondOrder),
	} {
		base := Config{Rounds: 10, MaxLeaves: 6}
		_, start := f(base)
		on := base
		on.Given.Scores = start
		second, added := f(on)
		base.Rounds = 20
		whole, want := f(base)
		added.Add(added, start)
		if !mat.EqualApprox(added, want, 1e-12) {
			t.Errorf("%s: ten rounds and ten more are not twenty", name)
		}
		if got, want := second.stats.Objective, whole.stats.Objective[10:]; !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*b }) {
			t.Errorf("%s: objectives %v, want %v", name, got, want)
		}
		if slices.Max(second.first) != 0 || second.cfg.Given.Scores != nil {
			t.Errorf("%s: F₀ = %v, or the scores are kept", name, second.first)
		}
	}
	c := Config{Given: Given{Scores: mat.NewDense(400, 2, nil)}}
	_, err := c.FitValues(t.Context(), x, y, nil)
	algotest.Names(t, "Scores", "400×2", err)
	c.Given.Scores = mat.NewDense(400, 1, nil)
	c.Given.Scores.Set(7, 0, math.Inf(1))
	if _, err := c.FitValues(t.Context(), x, y, nil); err == nil {
		t.Error("an infinite score is accepted")
	}
	// One class has infinite odds, but trees that start from scores, or from 0, have minimizers.
	alone := gram.Labels{Class: slices.Repeat([]int{1}, 400), Names: two.Names}
	var de *gram.DataError
	if _, err := (Config{}).Fit(t.Context(), x, alone, nil); !errors.As(err, &de) {
		t.Errorf("one class: %v", err)
	}
	for _, c := range []Config{{Rounds: 2, Shrinkage: 1, FromZero: true}, {Rounds: 2, Shrinkage: 1, Given: Given{Scores: mat.NewDense(400, 1, nil)}}} {
		m := must.Have(c.Fit(t.Context(), x, alone, nil))(t)
		h := 200 / (100. + 1) // −G/(H+λ); a tree without a split is the last one
		for _, v := range m.Scores(nil, x).RawMatrix().Data {
			if !(math.Abs(v-h) <= 1e-9) {
				t.Fatalf("from zero %t: the score of one class is %v, want %v", c.FromZero, v, h)
			}
		}
	}
	// Far from 0 the logistic loss has no curvature left, nor has the leaf a value then.
	far := mat.NewDense(400, 1, slices.Repeat([]float64{1000}, 400))
	m := must.Have(Config{Lambda: gram.Set(0.), Given: Given{Scores: far}}.Fit(t.Context(), x, two, nil))(t)
	for _, v := range m.Scores(nil, x).RawMatrix().Data {
		if v != 0 {
			t.Fatalf("the leaf of rows without curvature is %v", v)
		}
	}
}

// walk returns the leaf of a row by the nodes of a tree.
func walk(nodes []Node, row []float64) int {
	at := 0
	for n := nodes[0]; n.Left > 0; n = nodes[at] {
		if at = n.Left; row[n.Feature] > n.Threshold {
			at = n.Right
		}
	}
	return at
}

// Tree shows what predicts: a walk down the nodes gives the scores, the gains add up to those
// of Stats, and a file keeps all of it.
func TestTrees(t *testing.T) {
	x, _, labels := problem(4, 300)
	m := must.Have(Config{Rounds: 6, MaxLeaves: 5}.Fit(t.Context(), x, labels, nil))(t)
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, m))
	f := must.Have(modelfile.Read(&b))(t)
	again := must.Have(DecodeClassifier(f))(t)
	gain := make([]float64, 4)
	for tree := range m.Stats().Trees {
		nodes := m.Tree(tree)
		if !reflect.DeepEqual(nodes, again.Tree(tree)) {
			t.Fatalf("tree %d of the file is another", tree)
		}
		for _, n := range nodes {
			if n.Left > 0 {
				gain[n.Feature] += n.Gain
			}
		}
	}
	for j, want := range m.Stats().Gain {
		if !(math.Abs(gain[j]-want) <= 1e-12*want) {
			t.Errorf("gain %v of column %d, want %v", gain[j], j, want)
		}
	}
	for i, want := range m.Scores(nil, x).RawMatrix().Data {
		score := m.first[0]
		for tree := range m.Stats().Trees {
			nodes := m.Tree(tree)
			score += nodes[walk(nodes, x.RawRowView(i))].Value
		}
		for tree, leaf := range m.Leaves(x)[i] {
			if nodes := m.Tree(tree); nodes[leaf].Left > 0 || leaf != walk(nodes, x.RawRowView(i)) {
				t.Fatalf("row %d is in leaf %d of tree %d", i, leaf, tree)
			}
		}
		if score != want {
			t.Fatalf("row %d: the trees say %v, the model %v", i, score, want)
		}
	}
	// Files of version 1 have no gains.
	old := must.Have(modelfile.ReadFile("testdata/classifier.v1.gram"))(t)
	old = must.Have(old.Sub("model"))(t)
	first := must.Have(DecodeClassifier(old))(t)
	if n := first.Tree(0)[0]; n.Left == 0 || !math.IsNaN(n.Gain) {
		t.Errorf("the first node of the old file is %+v", n)
	}
}

// The direct criterion looks at the loss of every split, also where the second derivatives of a
// side nearly vanish: one row that is wrong by far decides.
func TestDirectSolvesEverySplit(t *testing.T) {
	const n = 40
	x, scores, l := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil), gram.Labels{Class: make([]int, n), Names: []string{"a", "b"}}
	for i := range n {
		x.Set(i, 0, float64(i))
		scores.Set(i, 0, 12) // second derivatives of 6e-6
		if i > 2 {
			l.Class[i] = 1
		}
	}
	for _, exact := range []bool{false, true} {
		c := Config{Rounds: 1, MaxLeaves: 2, MinRows: 1, Exact: exact, Criterion: DirectLoss, Given: Given{Scores: scores}}
		m := must.Have(c.Fit(t.Context(), x, l, nil))(t)
		if root := m.Tree(0)[0]; root.Left == 0 || root.Threshold < 2 || root.Threshold >= 3 {
			t.Errorf("exact %t: the root is %+v, want a split between 2 and 3", exact, root)
		}
	}
}
