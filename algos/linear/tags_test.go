package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/internal/looktest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

var (
	_ gram.Ranker   = (*Ranker)(nil)
	_ gram.Compiler = (*Ranker)(nil)
)

func ExampleConfig_FitTags() {
	// Rows with the first column have the labels 0 and 2, the others the label 1.
	x := mat.NewDense(4, 2, []float64{1, 0, 0, 1, 1, 0, 0, 1})
	y := &sparse.CSR{N: 4, D: 3, Ptr: []int{0, 2, 3, 5, 6}, Col: []int32{0, 2, 1, 0, 2, 1}}
	m, err := Config{Kind: SupportVectors}.FitTags(context.Background(), x, y)
	if err != nil {
		panic(err)
	}
	for _, best := range m.Top(nil, x, 2)[:2] {
		fmt.Println(best[0].Label, best[0].Score > 0, best[1].Score > 0)
	}
	// Output:
	// 0 true true
	// 1 true false
}

func TestTagsContract(t *testing.T) {
	wrap := algotest.Ranking[*Ranker](math.NaN())
	for name, c := range map[string]Config{"ranker": {}, "ranker svm": {Kind: SupportVectors, SVM: SVM{Loss: Hinge, Tol: 1e-2}}} {
		t.Run(name, func(t *testing.T) {
			at := func(run gram.Run) Config { c := c; c.Run = run; return c }
			s := algotest.Subject{
				RowBytes: 40, // scores of 64 rows, and the best of them
				Kind:     algotest.MultiLabel,
				Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
					return wrap(at(run).FitTags(ctx, d.X, d.Tags))
				},
				Plan:   func(s gram.Shape, run gram.Run) (gram.Plan, error) { return at(run).PlanTags(s) },
				Decode: func(f *modelfile.File) (*algotest.Model, error) { return wrap(DecodeRanker(f)) },
			}
			if c.Kind == Any {
				s.Golden = "ranker.v1.gram"
			} else {
				s.Random, s.Redrawn = []string{"order of rows"}, []string{"order of rows"} // all labels have the same order
			}
			algotest.Check(t, s)
		})
	}
}

// Sets of labels that are the classes of rows give the functions of the classes, in every bit: ridge regression those of the signs of
// the labels, whichever way it is solved.
func TestTagsAreTargets(t *testing.T) {
	d := algotest.Problem(3, 2500, 4, 3)
	for _, c := range []Ridge{{Lambda: gram.Set(2.)}, {NoBias: true, Penalty: solve.PerRow}, {Solver: CG, Lambda: gram.Set(1.)}} {
		got := must.Have(Config{Ridge: c}.FitTags(t.Context(), d.X, d.Tags))(t)
		want := must.Have(c.FitAll(t.Context(), nil, d.X, signs(d.Tags, 0, 2500), nil))(t)
		w, bias := want.Weights()
		if !mat.Equal(got.w, w) || !slices.Equal(got.bias, bias) {
			t.Errorf("%+v: other functions than those of the targets", c)
		}
	}
	y := signs(d.Tags, 0, 2500)
	for i := range 2500 {
		for l := range d.Tags.D {
			if want := 2*d.Tags.At(i, l) - 1; d.Tags.Val != nil && y.At(i, l) != want {
				t.Fatalf("row %d has the target %v for label %d", i, y.At(i, l), l)
			}
		}
	}
}

// Ridge regression on sets of labels has λ = 1 unless λ is set or counted per row.
func TestTagsLambda(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 3)
	for want, c := range map[float64]Ridge{1: {}, 0: {Lambda: gram.Set(0.)}, 1e-3: {Penalty: solve.PerRow}} {
		m := must.Have(Config{Ridge: c}.FitTags(t.Context(), d.X, d.Tags))(t)
		if got := m.Config().Ridge.Lambda.Value(); got != want || m.Stats().Ridge.Lambda != c.Penalty.Scale(want, 60) {
			t.Errorf("λ is %v and %v, want %v", got, m.Stats().Ridge.Lambda, want)
		}
	}
}

// The functions of each label are within their duality gap of the best ones: by the definition of the objective for the functions that are
// returned, and a lower bound from the dual of a fit to a gap of 10⁻⁹.
func TestTagsGap(t *testing.T) {
	d := algotest.Problem(5, 300, 4, 3)
	x := d.X.(*mat.Dense)
	y := signs(d.Tags, 0, 300)
	for _, loss := range []Loss{SquaredHinge, Hinge} {
		c := SVM{Loss: loss, C: .7, Tol: 1e-3, MaxIter: 100_000}
		m := must.Have(Config{Kind: SupportVectors, SVM: c}.FitTags(t.Context(), d.X, d.Tags))(t)
		for l := range d.Tags.D {
			class := make([]int, 300)
			primal := m.bias[l] * m.bias[l] / 2
			for j := range 4 {
				primal += m.w.At(j, l) * m.w.At(j, l) / 2
			}
			for i := range class {
				if y.At(i, l) > 0 {
					class[i] = 1
				}
				f := m.bias[l] + mat.Dot(mat.NewVecDense(4, x.RawRowView(i)), m.w.ColView(l))
				xi := max(0, 1-y.At(i, l)*f)
				if loss == SquaredHinge {
					xi *= xi
				}
				primal += c.C * xi
			}
			tight := c
			tight.Tol = 1e-9
			best := must.Have(tight.Fit(t.Context(), nil, d.X, gram.Labels{Class: class, Names: []string{"a", "b"}}, nil))(t).Stats().Dual[0]
			if gap := (primal - best) / primal; !(gap >= -1e-8) || !(gap <= m.Stats().Gap[l]+1e-9) || !(m.Stats().Gap[l] <= 1e-3) {
				t.Errorf("%v, label %d: gap %g, stated %g", loss, l, gap, m.Stats().Gap[l])
			}
		}
	}
}

// The functions do not depend on the number of goroutines, and sparse rows give those of the same rows in a dense matrix to rounding.
func TestTagsWorkers(t *testing.T) {
	d := algotest.Problem(7, 200, 4, 3)
	for _, c := range []Config{{}, {Kind: SupportVectors}, {Kind: LogisticRegression}} {
		c.Run = gram.Run{Workers: 1}
		one := must.Have(c.FitTags(t.Context(), d.X, d.Tags))(t)
		c.Run.Workers = 3
		three := must.Have(c.FitTags(t.Context(), d.X, d.Tags))(t)
		if !mat.Equal(one.w, three.w) || !slices.Equal(one.bias, three.bias) {
			t.Errorf("%v: other functions with three goroutines", c.Kind)
		}
		s := must.Have(c.FitTags(t.Context(), sparse.FromDense(d.X), d.Tags))(t)
		var off mat.Dense
		if off.Sub(s.w, one.w); !(blas64.Nrm2(blas64.Vector{N: 20, Inc: 1, Data: off.RawMatrix().Data}) <= 1e-6*mat.Norm(one.w, 2)) {
			t.Errorf("%v: other functions of sparse rows", c.Kind)
		}
	}
}

// Fits of sets of labels end with the error of their context at whichever look it ends.
func TestTagsLooks(t *testing.T) {
	d := algotest.Problem(3, 60, 3, 3)
	for _, c := range []Config{{}, {Ridge: Ridge{Solver: CG}}, {Kind: SupportVectors}, {Kind: LogisticRegression}} {
		t.Run(c.Kind.String(), func(t *testing.T) {
			c.Run = gram.Run{Workers: 1}
			looktest.Every(t, func(ctx context.Context) (any, error) {
				m, err := c.FitTags(ctx, d.X, d.Tags)
				return looktest.Unless(err, func() any { return m.Scores(nil, d.X) })
			})
		})
	}
}

// A label that does not reach its gap is named by the error, with the model; settings of other kinds are refused.
func TestTagsErrors(t *testing.T) {
	d := algotest.Problem(5, 100, 4, 3)
	m, err := Config{Kind: SupportVectors, SVM: SVM{Loss: Hinge, MaxIter: 1, Tol: 1e-9}}.FitTags(t.Context(), d.X, d.Tags)
	var short *gram.ConvergenceError
	if !errors.As(err, &short) || m == nil || short.Residual != slices.Max(m.Stats().Gap) {
		t.Errorf("%v, want the worst gap and the model", err)
	}
	var bad *gram.ConfigError
	for _, c := range []Config{{SVM: SVM{C: 2}}, {Kind: SupportVectors, Ridge: Ridge{Lambda: gram.Set(2.)}}, {Ridge: Ridge{Tol: -1}}} {
		if _, err := c.FitTags(t.Context(), d.X, d.Tags); !errors.As(err, &bad) {
			t.Errorf("%+v: %v", c, err)
		}
		if _, err := c.PlanTags(gram.Shape{N: 100, D: 4, Outputs: 5}); !errors.As(err, &bad) {
			t.Errorf("plan of %+v: %v", c, err)
		}
	}
}
