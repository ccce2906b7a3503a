package linear

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// labeled returns n rows of d numbers of very different sizes, half of them 0, in the given
// number of classes that overlap, with weights, one of them 0.
func labeled(n, d, classes int) (x *mat.Dense, y gram.Labels, w []float64) {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	x, w = mat.NewDense(n, d, nil), make([]float64, n)
	for c := range classes {
		y.Names = append(y.Names, fmt.Sprint(c))
	}
	for i := range n {
		w[i] = 2 * r.Float64()
		c := r.IntN(classes)
		y.Class = append(y.Class, c)
		for j, row := 0, x.RawRowView(i); j < d; j++ {
			if r.IntN(2) == 0 {
				row[j] = (r.NormFloat64() + float64(j%classes/(1+c))) * math.Pow(4, float64(j))
			}
		}
	}
	w[n/2] = 0
	return x, y, w
}

// search makes all passes over the rows, which it adds in blocks of the given size, each to sums
// of its own. Between passes the search is written and read.
func search(t *testing.T, c Config, x mat.Matrix, y gram.Labels, w []float64, size int) *Newton {
	t.Helper()
	n, p := x.Dims()
	search := must.Have(c.Newton(p, len(y.Names)))(t)
	all := gram.Of(x)
	for !search.Done() {
		sum := search.Sums()
		for lo := 0; lo < n; lo += size {
			hi := min(lo+size, n)
			part := search.Sums()
			part.Add(all.Slice(lo, hi), y.Class[lo:hi], w[lo:hi])
			must.Do(t, sum.Merge(again(t, part, search.Sums())))
		}
		must.Do(t, search.Step(context.Background(), sum))
		search = again(t, search, &Newton{})
	}
	return search
}

// again returns what is read into the empty value after v was written.
func again[T interface{ Exchange(x *modelfile.Exchange) }](t *testing.T, v, empty T) T {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, exchanged(v.Exchange)))
	f := must.Have(modelfile.Read(&b))(t)
	must.Have(modelfile.Get(f, empty, T.Exchange))(t)
	return empty
}

type exchanged func(x *modelfile.Exchange)

func (e exchanged) Encode(w *modelfile.Writer) error { return modelfile.Put(w, e) }

// The objective is that of a fit with all rows in memory, for both losses, two and more classes,
// dense and sparse rows, with and without a constant; the same blocks give the same bits.
func TestNewton(t *testing.T) {
	const n, d = 300, 4
	for name, c := range map[string]Config{
		"svm":               {SVM: SVM{Tol: 1e-9}},
		"svm, large C":      {SVM: SVM{Tol: 1e-9, C: 1000, MaxIter: 5000}},
		"svm, origin":       {SVM: SVM{Tol: 1e-9, NoBias: true}},
		"logistic":          {Kind: LogisticRegression, Logistic: Logistic{Tol: 1e-9}},
		"logistic, large C": {Kind: LogisticRegression, Logistic: Logistic{Tol: 1e-9, C: 1000, Bias: 3}},
	} {
		for _, classes := range []int{2, 3} {
			x, y, w := labeled(n, d, classes)
			what := fmt.Sprintf("%s, %d classes", name, classes)
			memory, err := c.Fit(context.Background(), nil, x, y, w)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			s := search(t, c, x, y, w, 77)
			got, err := s.Model(nil, y.Names)
			if err != nil {
				t.Errorf("%s: %v", what, err)
			}
			var want, have float64
			for _, v := range memory.Stats().Primal {
				want += v
			}
			for _, v := range got.Stats().Primal {
				have += v
			}
			if !(math.Abs(have-want) <= 1e-7*want) || s.Passes() < 3 || s.Passes() > 25 {
				t.Errorf("%s: objective %v after %d passes, in memory %v", what, have, s.Passes(), want)
			}
			if a, b := got.Predict(nil, x), memory.Predict(nil, x); !slices.Equal(a, b) {
				t.Errorf("%s: other classes than in memory", what)
			}
			repeated := search(t, c, x, y, w, 77)
			if !slices.Equal(repeated.w.RawMatrix().Data, s.w.RawMatrix().Data) {
				t.Errorf("%s: other bits when it is repeated", what)
			}
			rows := search(t, c, sparse.FromDense(x), y, w, 150)
			if other, err := rows.Model(nil, y.Names); err != nil || !mat.EqualApprox(other.w, got.w, 1e-5*mat.Max(got.w)) {
				t.Errorf("%s: sparse rows give %v, dense ones %v; %v", what, mat.Formatted(other.w), mat.Formatted(got.w), err)
			}
		}
	}
}

// A step that is too long is shortened, the objective never rises, and every search reaches its
// tolerance on rows with weights and entries of very different sizes, some of them zeros.
func TestNewtonShortens(t *testing.T) {
	short := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		n, d := 3+r.IntN(20), 1+r.IntN(3)
		x, y, w := mat.NewDense(n, d, nil), make([]int, n), make([]float64, n)
		for i := range n {
			y[i], w[i] = r.IntN(2), math.Exp(4*r.NormFloat64())
			for j := range d {
				x.Set(i, j, math.Exp(2*r.NormFloat64())*r.NormFloat64())
			}
			if seed%2 == 1 && i%2 == 0 {
				clear(x.RawRowView(i)) // no step changes its loss
			}
		}
		for _, c := range []Config{
			{Kind: LogisticRegression, Logistic: Logistic{C: 1e4}},
			{Kind: LogisticRegression, Logistic: Logistic{C: 1e4, NoBias: true}},
			{SVM: SVM{C: 1e4}},
			{SVM: SVM{C: 1e4, NoBias: true}},
		} {
			s := must.Have(c.Newton(d, 2))(t)
			for last := math.Inf(1); !s.Done(); last = s.trials[0].value {
				sum := s.Sums()
				sum.Add(x, y, w)
				must.Do(t, s.Step(context.Background(), sum))
				f := s.trials[0]
				if !(f.value <= last*(1+1e-12)) {
					t.Errorf("seed %d, pass %d: the objective rises from %v to %v", seed, s.Passes(), last, f.value)
				}
				if f.state == searching && f.slope == 0 {
					short++
				}
			}
			if _, err := s.Model(nil, []string{"a", "b"}); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
	}
	if short == 0 {
		t.Error("no step was shortened")
	}
	// A search that may not make enough passes gives a model with an error.
	x, y, w := labeled(200, 3, 2)
	s := search(t, Config{Kind: LogisticRegression, Logistic: Logistic{MaxIter: 2}}, x, y, w, 1000)
	var limit *gram.ConvergenceError
	if m, err := s.Model(nil, y.Names); m == nil || s.Passes() != 2 || !errors.As(err, &limit) {
		t.Errorf("after %d passes: %v", s.Passes(), err)
	}
}

// What does not fit is refused.
func TestNewtonRefuses(t *testing.T) {
	ctx := context.Background()
	if _, err := (Config{Kind: LogisticRegression}).Newton(2000, 3); err == nil || !strings.Contains(err.Error(), "order 6003") {
		t.Errorf("a Hessian of order 6003: %v", err)
	}
	for _, c := range []Config{{Kind: RidgeRegression}, {SVM: SVM{Loss: Hinge}}, {SVM: SVM{C: -1}}} {
		if _, err := c.Newton(3, 2); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
	for _, shape := range [][2]int{{0, 2}, {3, 1}, {1 << 21, 2}} {
		if _, err := (Config{}).Newton(shape[0], shape[1]); err == nil {
			t.Errorf("%v features, classes: no error", shape)
		}
	}
	x, y, w := labeled(50, 3, 3)
	s := must.Have(Config{}.Newton(3, 3))(t)
	if err := s.Step(ctx, s.Sums()); err == nil {
		t.Error("no rows: no error")
	}
	first, stale := s.Sums(), s.Sums()
	first.Add(x, y.Class, w)
	stale.Add(x, y.Class, w)
	must.Do(t, s.Step(ctx, first))
	if err := s.Step(ctx, stale); err == nil {
		t.Error("sums of another pass: no error")
	}
	var sums []*NewtonSums
	for _, kind := range []Kind{SupportVectors, LogisticRegression} {
		for classes := 2; classes < 5; classes++ {
			problem := must.Have(Config{Kind: kind}.Newton(3, classes))(t)
			sums = append(sums, problem.Sums())
		}
	}
	for i, a := range sums {
		for j, b := range sums {
			if err := a.Merge(b); (err == nil) != (i == j) {
				t.Errorf("sums of problems %d and %d: %v", i, j, err)
			}
		}
	}
	fewer := s.Sums()
	fewer.Add(block(x, 0, 49), y.Class[:49], nil)
	if err := s.Step(ctx, fewer); err == nil || !strings.Contains(err.Error(), "49 rows, but 50") {
		t.Errorf("fewer rows: %v", err)
	}
	if _, err := s.Model(nil, []string{"a"}); err == nil {
		t.Error("one name: no error")
	}
	x.Set(3, 1, math.Inf(1))
	bad := s.Sums()
	bad.Add(x, y.Class, w)
	if err := s.Step(ctx, bad); err == nil || !strings.Contains(err.Error(), "not finite") {
		t.Errorf("an infinite feature: %v", err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	last := s.Sums()
	last.Add(block(x, 4, 50), y.Class[4:], nil)
	s.rows = 46
	if err := s.Step(canceled, last); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
