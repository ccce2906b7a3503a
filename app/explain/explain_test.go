package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/gp"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/labels/gbml"
	"github.com/gramworks/gram/algos/learned/rfm"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// expectation returns E[f | the columns in set] of a tree for a row: the known columns decide,
// and at a split by an unknown one the background rows do.
func expectation(t []Node, at int, row []float64, set uint) float64 {
	n := &t[at]
	if n.Left == 0 {
		return n.Value
	}
	if set>>n.Feature&1 == 1 {
		return expectation(t, n.next(row), row, set)
	}
	left, right := shares(t, n)
	return left*expectation(t, n.Left, row, set) + right*expectation(t, n.Right, row, set)
}

// shapley returns the Shapley values of a row by their definition, over all subsets.
func shapley(f *Forest, row []float64) []float64 {
	d := f.columns
	phi := make([]float64, d)
	factorial := []float64{1}
	for i := 1; i <= d; i++ {
		factorial = append(factorial, factorial[i-1]*float64(i))
	}
	for set := range uint(1) << d {
		var known float64
		for _, t := range f.trees {
			known += expectation(t, 0, row, set)
		}
		k := bits.OnesCount(set)
		for c := range d {
			if set>>c&1 == 1 {
				phi[c] += factorial[k-1] * factorial[d-k] / factorial[d] * known
			} else {
				phi[c] -= factorial[k] * factorial[d-k-1] / factorial[d] * known
			}
		}
	}
	return phi
}

// grown returns a random tree on d columns, in which columns may come again.
func grown(r *rand.Rand, d, leaves int) []Node {
	t := []Node{{Value: r.NormFloat64()}}
	for range leaves - 1 {
		at := r.IntN(len(t))
		for t[at].Left != 0 {
			at = r.IntN(len(t))
		}
		t[at].Left, t[at].Right, t[at].Feature, t[at].Threshold = len(t), len(t)+1, r.IntN(d), r.NormFloat64()
		t = append(t, Node{Value: r.NormFloat64()}, Node{Value: r.NormFloat64()})
	}
	return t
}

func normal(r *rand.Rand, n, d int) *mat.Dense {
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for c := range d {
			x.Set(i, c, r.NormFloat64())
		}
	}
	return x
}

// Contributions are the Shapley values by their definition, also with columns that come again
// on a way and with nodes that no background row reaches, and add up to the output.
func TestShapley(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for trial := range 40 {
		d := 1 + r.IntN(6)
		var trees [][]Node
		for range 1 + r.IntN(3) {
			trees = append(trees, grown(r, d, 1+r.IntN(12)))
		}
		background := 1 + r.IntN(30) // few rows leave nodes without any
		f := NewForest(d, r.NormFloat64(), trees, normal(r, background, d))
		x := normal(r, 8, d)
		phi, err := f.Contributions(t.Context(), 2, x)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 8 {
			row := x.RawRowView(i)
			want := shapley(f, row)
			output, sum := f.constant, f.mean
			for _, tree := range f.trees {
				output += expectation(tree, 0, row, 1<<d-1)
			}
			for c, v := range phi.RawRowView(i) {
				sum += v
				if !(math.Abs(v-want[c]) <= 1e-10) {
					t.Fatalf("trial %d: column %d of row %d has %v, by definition %v", trial, c, i, v, want[c])
				}
			}
			if !(math.Abs(sum-output) <= 1e-10) {
				t.Fatalf("trial %d: the contributions of row %d add up to %v, the output is %v", trial, i, sum, output)
			}
		}
	}
	f := NewForest(2, 0, [][]Node{grown(r, 2, 4)}, normal(r, 5, 2))
	phi, err := f.Contributions(t.Context(), 1, mat.NewDense(1, 2, []float64{0, math.NaN()}))
	if err != nil || phi.At(0, 0) == phi.At(0, 0) {
		t.Errorf("a row with NaN has %v, %v", phi, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Contributions(ctx, 1, normal(r, 9, 2)); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
}

// The contributions of the trees of this module add up to what the models say, and are the
// Shapley values of their trees.
func TestModels(t *testing.T) {
	p := algotest.Problem(3, 150, 5, 3)
	check := func(what string, model any, output int, scores *mat.Dense) {
		t.Helper()
		f, err := Trees(model, output, p.X)
		if err != nil {
			t.Fatal(err)
		}
		phi, err := f.Contributions(t.Context(), 0, p.X)
		if err != nil {
			t.Fatal(err)
		}
		var mean float64
		for i := range 150 {
			mean += scores.At(i, output) / 150
			if got := f.Mean() + mat.Sum(phi.RowView(i)); !(math.Abs(got-scores.At(i, output)) <= 1e-6) {
				t.Fatalf("%s: the contributions of row %d add up to %v, the model says %v", what, i, got, scores.At(i, output))
			}
		}
		if !(math.Abs(mean-f.Mean()) <= 1e-6) {
			t.Errorf("%s: the mean is %v, that of the model %v", what, f.Mean(), mean)
		}
		for c, v := range shapley(f, mat.Row(nil, 7, p.X)) {
			if !(math.Abs(v-phi.At(7, c)) <= 1e-10) {
				t.Errorf("%s: column %d has %v, by definition %v", what, c, phi.At(7, c), v)
			}
		}
	}
	c := gbdt.Config{Rounds: 10, MinRows: 5}
	classes, err := c.Fit(t.Context(), p.X, p.Labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	values, err := c.FitValues(t.Context(), p.X, p.Value, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 3 {
		check(fmt.Sprint("class ", k), classes, k, classes.Scores(nil, p.X))
	}
	check("values", values, 0, mat.NewDense(150, 1, values.Predict(nil, p.X)))
	labels, err := gbml.Config{Trees: 10, Given: gbml.Given{Columns: true}}.Fit(t.Context(), p.X, p.Tags)
	if err != nil {
		t.Fatal(err)
	}
	scores := labels.Scores(nil, p.X)
	for i := range 150 {
		for l, v := range scores.RawRowView(i) {
			if math.IsInf(v, -1) { // a label that no leaf of the row names
				scores.Set(i, l, 0)
			}
		}
	}
	check("a label", labels, 1, scores)
	projected, err := gbml.Config{Trees: 3}.Fit(t.Context(), p.X, p.Tags)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Trees(projected, 0, p.X); err == nil || !strings.Contains(err.Error(), "projections") {
		t.Errorf("trees on projections: %v", err)
	}
	var config *gram.ConfigError
	if _, err := Trees(classes, 3, p.X); !errors.As(err, &config) {
		t.Errorf("a class that there is not: %v", err)
	}
	if _, err := Trees(labels, -1, p.X); !errors.As(err, &config) {
		t.Errorf("a label that there is not: %v", err)
	}
	if _, err := Trees(struct{}{}, 0, p.X); err == nil {
		t.Error("a model without trees")
	}
}

// A column that the predictions do not use has no importance, one that they use more has more,
// and for a sum of columns the loss is what the variances say.
func TestPermutation(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	const n = 4000
	x := normal(r, n, 3)
	before := mat.DenseCopyOf(x)
	f := func(x *mat.Dense, i int) float64 { return 3*x.At(i, 0) + x.At(i, 1) }
	score := func(m *mat.Dense) (float64, error) {
		var s float64
		for i := range n {
			s += math.Pow(f(m, i)-f(x, i), 2) / n
		}
		return s, nil
	}
	got, err := Permutation(t.Context(), x, 4, false, gram.Run{Seed: 1}, score)
	if err != nil {
		t.Fatal(err)
	}
	for c, want := range []float64{18, 2, 0} { // 2·coef² times the variance
		if !(math.Abs(got[c].Mean-want) <= .1*want) || c < 2 && !(got[c].Std > 0) {
			t.Errorf("column %d: %+v, want about %v", c, got[c], want)
		}
	}
	if !mat.Equal(x, before) {
		t.Error("the rows have changed")
	}
	larger, err := Permutation(t.Context(), x, 4, true, gram.Run{Seed: 1}, func(m *mat.Dense) (float64, error) { v, err := score(m); return -v, err })
	if err != nil || !slices.Equal(larger, got) {
		t.Errorf("with the opposite measure: %v, %v", larger, err)
	}
	var config *gram.ConfigError
	if _, err := Permutation(t.Context(), x, 0, true, gram.Run{}, score); !errors.As(err, &config) {
		t.Errorf("no repetition: %v", err)
	}
}

// The standard deviation between the repetitions is that of the losses, of which it has the unit.
func TestPermutationStd(t *testing.T) {
	measures := []float64{10, 9, 5, 10, 10} // of the rows as they are, and of two repetitions for each column
	got, err := Permutation(t.Context(), mat.NewDense(3, 2, nil), 2, true, gram.Run{}, func(*mat.Dense) (float64, error) {
		v := measures[0]
		measures = measures[1:]
		return v, nil
	})
	if want := []Importance{{Mean: 3, Std: 2}, {}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

// The dependence of a function of one column and of another is that function plus a mean.
func TestPartial(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	x := normal(r, 50, 2)
	var mean float64
	for i := range 50 {
		mean += x.At(i, 1) / 50
	}
	grid := Grid(x, 0, 7)
	p, err := Partial(t.Context(), x, 0, grid, func(x *mat.Dense) (*mat.Dense, error) {
		n, _ := x.Dims()
		out := mat.NewDense(n, 2, nil)
		for i := range n {
			out.SetRow(i, []float64{math.Sin(x.At(i, 0)) + x.At(i, 1), 1})
		}
		return out, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if col := mat.Col(nil, 0, x); len(grid) != 7 || grid[0] != slices.Min(col) || grid[6] != slices.Max(col) || !slices.IsSorted(grid) {
		t.Errorf("the grid is %v", grid)
	}
	for g, v := range grid {
		if !(math.Abs(p.At(g, 0)-math.Sin(v)-mean) <= 1e-12) || !(math.Abs(p.At(g, 1)-1) <= 1e-12) {
			t.Errorf("at %v: %v", v, p.RawRowView(g))
		}
	}
	if g := Grid(mat.NewDense(4, 1, []float64{2, 1, math.NaN(), 1}), 0, 9); !slices.Equal(g, []float64{1, 2}) {
		t.Errorf("the grid of few numbers is %v", g)
	}
	if _, err := Partial(t.Context(), x, 2, grid, nil); err == nil {
		t.Error("a column that there is not")
	}
}

// The relevance is that of slopes by differences, for values and for several outputs; models
// without a Gaussian kernel are refused.
func TestRelevance(t *testing.T) {
	p := algotest.Problem(6, 40, 3, 3)
	value, err := krr.Config{Kernel: kernel.Gaussian{Gamma: .3}}.Fit(t.Context(), p.X, p.Value, nil)
	if err != nil {
		t.Fatal(err)
	}
	class, err := svm.Config{Kernel: kernel.Gaussian{Gamma: .3}}.Fit(t.Context(), p.X, p.Labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := gram.Matrix(gram.Of(p.X))
	for what, c := range map[string]struct {
		model any
		f     func(x mat.Matrix) *mat.Dense
	}{
		"values":  {value, func(x mat.Matrix) *mat.Dense { return value.PredictAll(nil, x) }},
		"classes": {class, func(x mat.Matrix) *mat.Dense { return class.Values(nil, x) }},
	} {
		got, err := Relevance(t.Context(), c.model, p.X)
		if err != nil {
			t.Fatal(err)
		}
		for col, v := range got {
			const h = 1e-5
			var squares, mean, variance float64
			up, down := mat.DenseCopyOf(x), mat.DenseCopyOf(x)
			for i := range 40 {
				up.Set(i, col, x.At(i, col)+h)
				down.Set(i, col, x.At(i, col)-h)
				mean += x.At(i, col) / 40
			}
			for i := range 40 {
				variance += math.Pow(x.At(i, col)-mean, 2) / 40
			}
			a, b := c.f(up), c.f(down)
			_, k := a.Dims()
			for i := range 40 {
				for o := range k {
					squares += math.Pow((a.At(i, o)-b.At(i, o))/(2*h), 2) / float64(40*k)
				}
			}
			if want := math.Sqrt(squares * variance); !(math.Abs(v-want) <= 1e-6*want) {
				t.Errorf("%s: column %d has %v, by differences %v", what, col, v, want)
			}
		}
	}
	flat, err := linear.Config{}.Fit(t.Context(), nil, p.X, p.Labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := krr.Config{Kernel: kernel.Laplacian{Gamma: .3}, NoBias: true}.Fit(t.Context(), p.X, p.Value, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, model := range []any{flat, other, struct{}{}} {
		if _, err := Relevance(t.Context(), model, p.X); err == nil {
			t.Errorf("a %T has relevance of a Gaussian kernel", model)
		}
	}
}

// Nodes that come before their parents, are their own parents or are none of the tree, and columns that are none, are refused.
func TestNoTree(t *testing.T) {
	refused := func(columns int, tree []Node) (is bool) {
		defer func() { is = recover() != nil }()
		NewForest(columns, 0, [][]Node{tree}, mat.NewDense(1, 1, nil))
		return false
	}
	good := []Node{{Left: 1, Right: 2}, {Left: 3, Right: 4}, {}, {}, {}}
	if refused(1, good) || !refused(2, good) {
		t.Error("a tree is refused, or a background of one column serves a forest of two")
	}
	for _, bad := range []Node{{Left: 1, Right: 4}, {Left: 3, Right: 1}, {Left: 3, Right: 0}, {Left: 5, Right: 4}, {Left: 3, Right: 5}, {Left: 3, Right: 4, Feature: -1}, {Left: 3, Right: 4, Feature: 1}} {
		tree := slices.Clone(good)
		tree[1] = bad
		if !refused(1, tree) {
			t.Errorf("%+v is a node", bad)
		}
	}
}

func ExampleForest() {
	x := mat.NewDense(4, 2, []float64{0, 0, 0, 1, 1, 0, 1, 1})
	tree := []Node{{Left: 1, Right: 2, Feature: 0, Threshold: .5}, {Value: 10}, {Left: 3, Right: 4, Feature: 1, Threshold: .5}, {Value: 20}, {Value: 40}}
	f := NewForest(2, 0, [][]Node{tree}, x)
	phi, err := f.Contributions(context.Background(), 1, x.Slice(3, 4, 0, 2))
	fmt.Printf("mean %.0f, contributions %.1f, %v\n", f.Mean(), phi.RawRowView(0), err)
	// Output: mean 20, contributions [12.5 7.5], <nil>
}

// The share of a learned metric is that of the model, its directions are eigenvectors, and a classifier's functions
// are looked at; models without a metric are refused.
func TestLearned(t *testing.T) {
	p := algotest.Problem(6, 40, 3, 3)
	c := rfm.Config{Metric: rfm.Full, Length: gram.Set(2.), Lambda: gram.Set(.1), Rounds: gram.Set(2)}
	value, err := c.Fit(t.Context(), p.X, p.Value, nil)
	if err != nil {
		t.Fatal(err)
	}
	class, err := c.FitClasses(t.Context(), p.X, p.Labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, model := range []any{value, class} {
		learned, err := Learned(t.Context(), model)
		if err != nil {
			t.Fatal(err)
		}
		metric := value.Metric()
		if model == any(class) {
			metric = class.Model().(*rfm.Model).Metric()
		}
		var product, values, total = mat.Dense{}, 0.0, mat.Trace(metric)
		product.Mul(metric, learned.Directions)
		for k, v := range learned.Values {
			values += v
			if !(math.Abs(learned.Share[k]-metric.At(k, k)/total) <= 1e-12) {
				t.Errorf("%T: column %d has the share %v", model, k, learned.Share[k])
			}
			for i := range learned.Values {
				if !(math.Abs(product.At(i, k)-v*total*learned.Directions.At(i, k)) <= 1e-12) {
					t.Errorf("%T: direction %d is no eigenvector", model, k)
				}
			}
			if column := mat.Col(nil, k, learned.Directions); slices.Max(column) < -slices.Min(column) {
				t.Errorf("%T: direction %d is %v", model, k, column)
			}
		}
		if !(math.Abs(values-1) <= 1e-12) || !slices.IsSortedFunc(learned.Values, func(a, b float64) int { return cmp.Compare(b, a) }) {
			t.Errorf("%T: values %v", model, learned.Values)
		}
	}
	k, err := kernel.NewScaled(kernel.Gaussian{Gamma: .5}, []float64{1, 0, 3})
	if err != nil {
		t.Fatal(err)
	}
	for name, g := range map[string]kernel.Kernel{"learned": k, "given": k.Base()} {
		model, err := gp.Config{Kernel: g}.Fit(t.Context(), p.X, p.Value, nil)
		if err != nil {
			t.Fatal(err)
		}
		switch learned, err := Learned(t.Context(), model); {
		case name == "given" && err == nil:
			t.Error("a kernel without factors has a metric")
		case name == "learned" && (err != nil || !slices.Equal(learned.Share, []float64{.1, 0, .9})):
			t.Errorf("widths have the shares %v, %v", learned, err)
		}
	}
	if _, err := Learned(t.Context(), struct{}{}); err == nil {
		t.Error("a model without a metric has one")
	}
}
