package bka

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/algos/solve"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// The class of a cluster is that of the most weight, the lowest of equals.
func TestCommonest(t *testing.T) {
	class := []int{2, 1, 1, 2, 0, 2}
	for _, c := range []struct {
		w     []float64
		index []int
		best  int
		only  bool
	}{
		{nil, nil, 2, false},
		{nil, []int{0, 1, 2}, 1, false},
		{nil, []int{0, 1, 4}, 0, false},
		{nil, []int{0, 3, 5}, 2, true},
		{[]float64{1, 5, 5, 1, 1, 1}, nil, 1, false},
		{[]float64{1, 1, 1, 1, 3, 1}, nil, 0, false},
		{[]float64{9, 1, 1, 1, 1, 1}, []int{0, 1, 2}, 2, false},
	} {
		if best, only := commonest(class, c.w, c.index, 3); best != c.best || only != c.only {
			t.Errorf("weights %v of rows %v: class %d, the only one: %t, want %d, %t", c.w, c.index, best, only, c.best, c.only)
		}
	}
}

// A label for every row, none of them negative.
func TestOfPanics(t *testing.T) {
	x := mat.NewDense(3, 2, nil)
	for want, label := range map[string][]int{
		"bka: there are not as many labels as rows": {0, 1},
		"bka: negative label":                       {0, 1, -1},
	} {
		if p := must.Recovered(func() { Of(kernel.Linear{}, x, label) }); p != want {
			t.Errorf("labels %v: panic %v, want %q", label, p, want)
		}
	}
}

// TestApproximation compares products, rows and error with the matrix by Eval.
func TestApproximation(t *testing.T) {
	const n = 60
	x := gen.Normal(n, 4, 1)
	k := kernel.Gaussian{Gamma: 0.4}
	label := kmeans.Random(n, 5, 3)
	for i := range label {
		if label[i] == 2 {
			label[i] = 4 // an empty part
		}
	}
	exact, want := fixture.KernelMatrix(k, x, x), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			if label[i] == label[j] {
				want.Set(i, j, exact.At(i, j))
			}
		}
	}
	for _, data := range []mat.Matrix{x, sparse.FromDense(x)} {
		a := Of(k, data, label)
		v := gen.Normal(n, 3, 2)
		got, dense := mat.NewDense(n, 3, nil), mat.NewDense(n, 3, nil)
		a.Apply(got, v)
		dense.Mul(want, v)
		if !mat.EqualApprox(got, dense, 1e-12) {
			t.Error("another product")
		}
		index := []int{5, 0, 59, 17}
		part := mat.NewDense(len(index), n, nil)
		a.Rows(part, index)
		for r, i := range index {
			for j := range n {
				if !(math.Abs(part.At(r, j)-want.At(i, j)) <= 1e-13) {
					t.Fatalf("row %d, column %d: %v, want %v", i, j, part.At(r, j), want.At(i, j))
				}
			}
		}
		e, err := solve.RelativeError(context.Background(), k, data, a, solve.ErrorOptions{})
		if err != nil || !(math.Abs(e.Value-algotest.Relative(exact, want)) <= 1e-12) {
			t.Errorf("error %v, %v", e.Value, err)
		}
		var entries int64
		for _, s := range a.Sizes() {
			entries += int64(s) * int64(s)
		}
		if len(a.Sizes()) != 4 || a.Entries() != entries {
			t.Errorf("sizes %v, %d entries", a.Sizes(), a.Entries())
		}
	}
}

// TestClustersBeatRandomParts is the point of the method: k-means leaves less out.
func TestClustersBeatRandomParts(t *testing.T) {
	x, _ := gen.Blobs(400, 3, 6, 3, 2)
	k := kernel.Gaussian{Gamma: 0.5}
	a := must.Have(Config{Kernel: k, Partition: Partition{Clusters: 6}}.Fit(context.Background(), x))(t)
	relative := func(a *Approximation) float64 {
		e := must.Have(solve.RelativeError(context.Background(), k, x, a, solve.ErrorOptions{}))(t)
		return e.Value
	}
	random := relative(Of(k, x, kmeans.Random(400, 6, 1)))
	if got := relative(a); !(got < 0.5*random) {
		t.Errorf("error %v with k-means, %v with random parts", got, random)
	}
}

// TestBlocks holds that the solution of (3.9) is that of each cluster's problem, and
// that the whole model is their sum.
func TestBlocks(t *testing.T) {
	x, y := gen.Blobs(200, 2, 2, 1, 5)
	c := svm.Config{Kernel: kernel.Gaussian{Gamma: 1}, C: 2, NoBias: true, Tol: 1e-8}
	whole := must.Have(SVM{Machine: c, Partition: Partition{Clusters: 5}, Whole: true}.Fit(context.Background(), x, y, nil))(t)
	early := must.Have(SVM{Machine: c, Partition: Partition{Clusters: 5}}.Fit(context.Background(), x, y, nil))(t)
	label := whole.Given().Router.Assign(nil, x)
	if !slices.Equal(label, early.Given().Router.Assign(nil, x)) {
		t.Fatal("other clusters")
	}
	want := mat.NewDense(200, 1, nil)
	var sum Stats // of the problems by themselves
	for part := range whole.Clusters() {
		var index []int
		for i, l := range label {
			if l == part {
				index = append(index, i)
			}
		}
		if whole.Stats().Sizes[part] != len(index) {
			t.Errorf("cluster %d: trained on %d rows, %d are routed there", part, whole.Stats().Sizes[part], len(index))
		}
		sub := mat.NewDense(len(index), 2, nil)
		for k, i := range index {
			sub.SetRow(k, x.RawRowView(i))
		}
		p := svm.Problem{Kernel: c.Kernel, X: sub, NoBias: true, Tol: 1e-8}
		for _, i := range index {
			s := 2*float64(y.Class[i]) - 1
			p.Target = append(p.Target, s)
			p.Lower, p.Upper = append(p.Lower, min(0, 2*s)), append(p.Upper, max(0, 2*s))
		}
		s := must.Have(svm.Solve(context.Background(), p))(t)
		sum.Objective += s.Stats.Objective
		sum.Support += s.Stats.Support
		sum.Violation = max(sum.Violation, s.Stats.Violation)
		local := make([]float64, 200)
		for i := range 200 {
			for j, b := range s.Coef {
				local[i] += b * c.Kernel.Eval(x.RawRowView(i), sub.RawRowView(j))
			}
			want.Set(i, 0, want.At(i, 0)+local[i])
		}
		_, class := early.Local(part)
		for _, i := range index {
			got := early.Scores(nil, x.Slice(i, i+1, 0, 2)).At(0, 0)
			if class < 0 && !(math.Abs(got-local[i]) <= 1e-6) {
				t.Errorf("row %d of cluster %d: %v, want %v", i, part, got, local[i])
			}
			if class >= 0 && got != float64(2*class-1) {
				t.Errorf("row %d of cluster %d of class %d alone: %v", i, part, class, got)
			}
		}
	}
	if !mat.EqualApprox(whole.Scores(nil, x), want, 1e-6) {
		t.Error("the whole model is not the sum of the clusters'")
	}
	for name, m := range map[string]*Model{"whole": whole, "early": early} {
		st := m.Stats()
		if !(math.Abs(st.Objective-sum.Objective) <= 1e-6*math.Abs(sum.Objective)) || st.Support != sum.Support || st.Violation > 1e-8 || st.Violation <= 0 ||
			st.Iterations < 5 || st.PartitionSeconds <= 0 || st.SolveSeconds <= 0 {
			t.Errorf("%s: %+v, the clusters by themselves have %+v", name, st, sum)
		}
	}
	if whole.Whole() == nil || early.Whole() != nil || !whole.Config().Whole {
		t.Error("the model of all coefficients is not where it was asked for")
	}
}

// TestSingleClassAndEmptyClusters has clusters of one class, and fewer different
// rows than clusters.
func TestSingleClassAndEmptyClusters(t *testing.T) {
	x, y := gen.Blobs(300, 2, 3, 12, 5) // far apart: every cluster is of one class
	m := must.Have(SVM{Machine: svm.Config{Kernel: kernel.Gaussian{Gamma: 1}}, Partition: Partition{Clusters: 3}}.Fit(context.Background(), x, y, nil))(t)
	if m.Stats().Constant != 3 {
		t.Errorf("%d clusters of one class, want 3", m.Stats().Constant)
	}
	for i, c := range m.Predict(nil, x) {
		if c != y.Class[i] {
			t.Errorf("row %d is of class %d, not %d", i, c, y.Class[i])
		}
	}
	few, _ := gen.Duplicates(gen.Normal(4, 2, 1), 100, 4, 2)
	labels := gram.Labels{Names: []string{"a", "b"}, Class: make([]int, 100)}
	for i := range 100 {
		if few.At(i, 0) > 0 {
			labels.Class[i] = 1
		}
	}
	m = must.Have(SVM{Machine: svm.Config{Kernel: kernel.Gaussian{Gamma: 1}}, Partition: Partition{Clusters: 10}}.Fit(context.Background(), few, labels, nil))(t)
	if !slices.Contains(m.Stats().Sizes, 0) {
		t.Errorf("no empty cluster: %v", m.Stats().Sizes)
	}
	for i, c := range m.Predict(nil, few) {
		if c != labels.Class[i] {
			t.Errorf("row %d is of class %d, not %d", i, c, labels.Class[i])
		}
	}
}

func TestBalance(t *testing.T) {
	x, y := gen.Blobs(1000, 2, 3, 6, 5)
	for i := range 700 { // most rows in a corner
		x.Set(i, 0, 0.01*x.At(i, 0))
		x.Set(i, 1, 0.01*x.At(i, 1))
	}
	m := must.Have(SVM{Machine: svm.Config{Kernel: kernel.Gaussian{Gamma: 1}}, Partition: Partition{Clusters: 10, Balance: 1.3}}.Fit(context.Background(), x, y, nil))(t)
	if most := slices.Max(m.Stats().Sizes); most > 130 {
		t.Errorf("a cluster of %d rows, want at most 130", most)
	}
	count := make([]int, m.Clusters())
	for _, c := range m.Given().Router.Assign(nil, x) {
		count[c]++
	}
	if !slices.Equal(count, m.Stats().Sizes) {
		t.Errorf("trained on %v rows, routed are %v", m.Stats().Sizes, count)
	}
}

func TestConfigErrors(t *testing.T) {
	x, y := gen.Blobs(40, 2, 2, 2, 3)
	k := svm.Config{Kernel: kernel.Gaussian{Gamma: 1}}
	for field, err := range map[string]error{
		"Clusters":       second(SVM{Machine: k, Partition: Partition{Clusters: 41}}.Fit(context.Background(), x, y, nil)),
		"Balance":        second(SVM{Machine: k, Partition: Partition{Balance: 0.5}}.Fit(context.Background(), x, y, nil)),
		"Machine.NoBias": second(SVM{Machine: k, Whole: true}.Fit(context.Background(), x, y, nil)),
		"Kernel":         second(SVM{}.Fit(context.Background(), x, y, nil)),
	} {
		var ce *gram.ConfigError
		if !errors.As(err, &ce) || ce.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func second[A any](_ A, err error) error { return err }
