package catalog_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/divide/bka"
	"github.com/gramworks/gram/algos/divide/dckrr"
	"github.com/gramworks/gram/algos/divide/dcpred"
	"github.com/gramworks/gram/algos/gp"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/algos/kernels/itml"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/labels/fastxml"
	"github.com/gramworks/gram/algos/labels/gbml"
	"github.com/gramworks/gram/algos/labels/gimc"
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/algos/labels/plt"
	"github.com/gramworks/gram/algos/labels/sleec"
	"github.com/gramworks/gram/algos/learned/alacarte"
	"github.com/gramworks/gram/algos/learned/goal"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/algos/trees/ldkl"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// of is a model of which there are only the statistics of its fit.
type of[S any] struct{ stats S }

func (m of[S]) Stats() S { return m.stats }

func (of[S]) Encode(*modelfile.Writer) error { return nil }

// The numbers of a certificate are those of the statistics, the worst of several functions. Statistics of a model that was read are
// empty and say nothing.
func TestCertificatesOfStatistics(t *testing.T) {
	losses := []float64{8.5, 4.25, 2.125, 1.0625}
	for _, c := range []struct {
		m          modelfile.Model
		want       string
		tol        bool
		iterations []int
	}{
		{of[linear.Stats]{linear.Stats{Iterations: []int{4, 9, 2}, Gap: []float64{.125, .5, .25}}}, "relative duality gap 0.5 after 9 passes", true, []int{4, 9, 2}},
		{of[linear.Stats]{linear.Stats{Iterations: []int{7}, Gradient: .25}}, "relative gradient 0.25 after 7 Newton steps", true, []int{7}},
		{of[linear.Stats]{}, "", false, nil},
		{of[linear.RidgeStats]{linear.RidgeStats{Features: 3}}, "solved by Cholesky factorization", true, nil},
		{of[linear.RidgeStats]{linear.RidgeStats{Features: 3, Iterations: 6, Residual: .125}}, "relative residual 0.12 after 6 steps of conjugate gradients", true, []int{6}},
		{of[linear.RidgeStats]{}, "", false, nil},
		{of[linear.RankerStats]{linear.RankerStats{Ridge: linear.RidgeStats{Features: 2, Iterations: 5, Residual: .5}}}, "relative residual 0.5 after 5 steps of conjugate gradients", true, []int{5}},
		{of[linear.RankerStats]{linear.RankerStats{Iterations: []int{3, 8}, Gap: []float64{.5, .25}}}, "relative duality gap 0.5 after 8 passes", true, []int{3, 8}},
		{of[linear.RankerStats]{linear.RankerStats{Iterations: []int{3}, Gradient: .75}}, "relative gradient 0.75 after 3 Newton steps", true, []int{3}},
		{of[svm.Stats]{svm.Stats{Support: 12, Problems: []svm.SolveStats{{Violation: .25, Gap: .125, Iterations: 20}, {Violation: .5, Gap: .0625, Iterations: 30}}}},
			"KKT violation 0.5, relative duality gap 0.12, 12 support vectors, 50 iterations", true, []int{20, 30}},
		{of[svm.Stats]{}, "", false, nil},
		{of[bka.Stats]{bka.Stats{Sizes: []int{3, 4}, Support: 5, Iterations: 60, Violation: .25}}, "KKT violation 0.25 within 2 clusters, 5 support vectors, 60 iterations", true, []int{60}},
		{of[bka.Stats]{}, "", false, nil},
		{of[gp.Stats]{gp.Stats{Evaluations: 1, LogLikelihood: -12.5}}, "log marginal likelihood -12.5, solved by Cholesky factorization", true, nil},
		{of[gp.Stats]{}, "", false, nil},
		{of[gp.ClassStats]{gp.ClassStats{Evaluations: 1, LogLikelihood: -12.5, Bound: .25}}, "approximate log marginal likelihood -12.5, mode within 0.25 deviations of the process", true, nil},
		{of[gp.ClassStats]{}, "", false, nil},
		{of[alacarte.Stats]{alacarte.Stats{LogLikelihood: []float64{-9, -7, -6}}}, "2 quasi-Newton steps, log marginal likelihood -6, at first -9", true, nil},
		{of[alacarte.Stats]{}, "", false, nil},
		{of[ldkl.Stats]{ldkl.Stats{Gap: []float64{.25, .5}, Leaves: []int{3, 4, 5, 6}}}, "relative duality gap 0.5 of the functions for the tree, of 4 leaves", true, nil},
		{of[ldkl.Stats]{}, "", false, nil},
		{of[goal.Stats]{goal.Stats{Iter: 3, Objective: losses, Final: 2.5, Residual: .125}}, "3 turns, objective 2.5; another Newton step would take 0.12 of it off", false, nil},
		{of[goal.Stats]{}, "", false, nil},
		{of[gbdt.Stats]{gbdt.Stats{Rounds: 2, Objective: losses}}, "2 rounds, mean training loss 2.125, at first 8.5", false, []int{2}},
		{of[gbdt.Stats]{gbdt.Stats{Rounds: 9, Objective: losses}}, "9 rounds, mean training loss 1.062, at first 8.5", false, []int{9}}, // those of a fit that went on
		{of[gbdt.Stats]{}, "", false, nil},
		{of[dcpred.Stats]{dcpred.Stats{Leaves: 7, Constant: 2}}, "7 leaves, 2 of one class", false, nil},
		{of[dcpred.Stats]{}, "", false, nil},
		{of[itml.Stats]{itml.Stats{Certificate: constraint.Certificate{Violation: .25, Gap: .5}, Iterations: 40}},
			"violation of constraints 0.25, relative gap 0.5 after 40 iterations", true, []int{40}},
		{of[itml.Stats]{}, "", false, nil},
		{of[leml.Stats]{leml.Stats{Objective: losses}}, "4 rounds, objective 1.062", false, nil},
		{of[leml.Stats]{}, "", false, nil},
		{of[gimc.Stats]{gimc.Stats{Objective: losses}}, "3 gradient steps, objective 1.062", false, nil},
		{of[gbml.Stats]{gbml.Stats{Loss: losses}}, "3 trees, objective 1.062", false, nil},
		{of[fastxml.Stats]{fastxml.Stats{Trees: 3, Leaves: 40}}, "3 trees, 40 leaves", false, nil},
		{of[fastxml.Stats]{}, "", false, nil},
		{of[plt.Stats]{plt.Stats{Trees: 2, Nodes: 30, Weights: 400, Near: .25}}, "2 tree(s) of 30 nodes, 400 weights, near 0.25", false, nil},
		{of[plt.Stats]{}, "", false, nil},
		{of[sleec.Stats]{sleec.Stats{Learners: 2, Clusters: 9}}, "2 learners, 9 clusters", false, nil},
		{of[sleec.Stats]{}, "", false, nil},
		{of[int]{}, "", false, nil},
	} {
		text, tol := catalog.Certificate(c.m)
		if text != c.want || tol != c.tol {
			t.Errorf("%T: %q, a tolerance: %v, want %q", c.m, text, tol, c.want)
		}
		if got := catalog.Iterations(c.m); !slices.Equal(got, c.iterations) || (got == nil) != (c.iterations == nil) {
			t.Errorf("%T: the iterations %v, want %v", c.m, got, c.iterations)
		}
	}
}

// Models of kernel ridge regression say how their systems were solved, and which λ they have; those that were read say nothing of the fit.
func TestReportsOfRidge(t *testing.T) {
	run := gram.Run{Seed: 3}
	for _, c := range []struct {
		method string
		set    []string
		words  []string // of the certificate, in their order
		count  bool     // there are iterations
		has    bool     // there is a λ
	}{
		{"krr", []string{"solver=cg", "lambda=0.25"}, []string{"relative residual ", " products", "values are at most ", "·max(1, √K(x,x))"}, true, true},
		{"krr", []string{"solver=cholesky", "lambda=0.25"}, []string{"solved by a factorization"}, false, true},
		{"dc-krr", []string{"solver=cg", "lambda=0.25", "parts=2"}, []string{"relative residual ", " products"}, true, true},
		{"dc-krr", []string{"solver=cholesky", "lambda=0.25", "parts=2"}, []string{"solved by a factorization"}, false, true},
		{"falkon", []string{"lambda=0.25", "m=20"}, []string{"relative residual ", " products; the root mean square distance "}, true, true},
		{"falkon", []string{"lambda=0.25", "m=20", "single=true"}, []string{"relative residual ", " products, ", " of them in float32; the root mean square distance "}, true, true},
		{"rfm", []string{"lambda=0.25", "length=2", "rounds=0", "metric=full"}, []string{"the metric of round 0, chosen by 24 held-out rows; solved by Cholesky factorization"}, false, false},
		{"rfm", []string{"lambda=0.25", "length=2", "metric=full"}, []string{"the metric of round ", ", chosen by 24 held-out rows; solved by Cholesky factorization"}, false, false},
		{"rfm", []string{"lambda=0.25", "length=2", "rounds=1", "metric=full", "leaf=40"},
			[]string{"the metric of round ", ", chosen by 24 held-out rows; solved by Cholesky factorization in each of 3 leaves"}, false, false},
	} {
		name := fmt.Sprint(c.method, c.set)
		for _, values := range []bool{true, false} {
			d := noisy(120, values)
			f := plain[catalog.Fitter](t, c.method)
			if err := f.Settings().Set(c.set...); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			m := must(f.Fit(t.Context(), d, run))(t)
			text, tol := catalog.Certificate(m)
			rest := text
			for _, word := range c.words {
				_, after, found := strings.Cut(rest, word)
				if !found {
					t.Errorf("%s: %q does not say %q", name, text, word)
				}
				rest = after
			}
			if !tol || !c.count && rest != "" {
				t.Errorf("%s: %q, a tolerance: %v", name, text, tol)
			}
			count := catalog.Iterations(m)
			if (len(count) == 1) != c.count || c.count && !strings.Contains(text, fmt.Sprintf("after %d products", count[0])) {
				t.Errorf("%s: %v iterations, %q", name, count, text)
			}
			lambda, has := catalog.Lambda(m)
			if has != c.has || has && lambda != .25 {
				t.Errorf("%s: lambda is %g, %v", name, lambda, has)
			}
			path := filepath.Join(t.TempDir(), "m.gram")
			must(0, modelfile.Save(path, m))(t)
			back := must(catalog.Load(path))(t)
			if text, tol := catalog.Certificate(back); text != "" || tol || catalog.Iterations(back) != nil {
				t.Errorf("%s, once read: %q, %v", name, text, tol)
			}
		}
	}
	m := must(plain[catalog.Fitter](t, "krr").Fit(t.Context(), noisy(120, true).Select([]int{0}), run))(t)
	if text, _ := catalog.Certificate(m); text != "solved by a factorization" {
		t.Errorf("one row: %q", text)
	}
}

// A machine on features has the λ or the c that it was trained with; one on the columns has none that was chosen.
func TestHeldOutAndLambda(t *testing.T) {
	run := gram.Run{Seed: 3}
	words, tags := dataset.Tagged(80, 30, 12, 12, 3, 1)
	labels, values, classes := &dataset.Set{X: words, Tags: tags}, noisy(120, true), noisy(120, false)
	features := []string{"m=12", "gamma=0.4"}
	for _, c := range []struct {
		method string
		set    []string
		d      *dataset.Set
		name   string // of what held-out rows choose
		value  float64
		lambda float64 // -1: none
	}{
		{"nystrom", append(features, "c=3"), classes, "c", 3, -1}, {"nystrom", append(features, "model=logistic", "c=3"), classes, "c", 3, -1},
		{"nystrom", append(features, "c=1"), classes, "", 0, -1}, {"nystrom", append(features, "lambda=0.25"), values, "", 0, .25},
		{"linear", []string{"model=svm", "c=3"}, classes, "", 0, -1}, {"linear", []string{"lambda=0.25"}, values, "", 0, -1},
		{"leml", []string{"lambda=0.25", "rank=3", "rounds=1"}, labels, "lambda", .25, -1}, {"sleec", []string{"k=3", "rank=3", "learners=1", "steps=2"}, labels, "k", 3, -1},
		{"gbdt", []string{"rounds=4", "min-rows=5"}, values, "", 0, -1}, {"gbdt", []string{"rounds=400", "min-rows=5", "holdout=0.3", "patience=1"}, values, "rounds", -1, -1},
		{"dcpred", []string{"lambda=0.25", "m=5"}, values, "", 0, .25}, {"svm", []string{"c=3"}, classes, "", 0, -1},
	} {
		name := fmt.Sprint(c.method, c.set)
		f := plain[catalog.Fitter](t, c.method, c.set...)
		m, err := f.Fit(t.Context(), c.d, run)
		if m == nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.value < 0 {
			s := m.(interface{ Stats() gbdt.Stats }).Stats()
			if c.value = float64(s.Rounds); s.Held != 36 || s.Rounds >= 400 {
				t.Errorf("%s: %d rows are held out and choose %d rounds", name, s.Held, s.Rounds)
			}
		}
		if of, v := catalog.HeldOut(m); of != c.name || c.name != "" && v != c.value {
			t.Errorf("%s: held-out rows choose %q %g, want %q %g", name, of, v, c.name, c.value)
		}
		lambda, has := catalog.Lambda(m)
		if has != (c.lambda > 0) || has && lambda != c.lambda {
			t.Errorf("%s: lambda is %g, %v", name, lambda, has)
		}
	}
	for name, d := range map[string]*dataset.Set{"lambda": labels, "k": labels} { // the defaults, which few rows do not choose
		m, err := plain[catalog.Fitter](t, map[string]string{"lambda": "leml", "k": "sleec"}[name], "rank=3").Fit(t.Context(), d, run)
		if m == nil {
			t.Fatal(err)
		}
		if of, v := catalog.HeldOut(m); of != "" {
			t.Errorf("by default held-out rows choose %s %g", of, v)
		}
	}
}

// What is said about a fit that stopped is a setting that its method has, with the tolerance if there is one.
func TestAdvice(t *testing.T) {
	for _, m := range catalog.Methods() {
		var has []string
		for _, name := range []string{"max-iter", "learn-iter", "rounds", "tol", "learn-tol"} {
			if m.New().Settings().Lookup(name) != nil {
				has = append(has, name)
			}
		}
		for tol, text := range map[float64]string{0: ",", .25: " (tol is 0.25),", math.Inf(1): ","} {
			want := ""
			if has != nil {
				want = "set a larger " + strings.Join(has, " or ") + text + " or scale the columns"
			}
			if got := catalog.Advice(m, fmt.Errorf("fit: %w", &gram.ConvergenceError{Tol: tol})); got != want {
				t.Errorf("%s: %q, want %q", m.Name, got, want)
			}
		}
	}
}

// A method takes the targets that it learns. The error for others names the method that learns them; weights are for methods that
// have a use for them.
func TestCheck(t *testing.T) {
	p := algotest.Problem(1, 20, 3, 2)
	kinds := map[dataset.Task]algotest.Kind{dataset.Classes: algotest.Classification, dataset.Regression: algotest.Regression, dataset.MultiLabel: algotest.MultiLabel, dataset.NoTarget: algotest.Unsupervised}
	for _, m := range catalog.Methods() {
		for task, kind := range kinds {
			d := catalogtest.Set(p, kind)
			takes := slices.Contains(m.Tasks, task)
			if err := m.Check(d); takes != (err == nil) {
				t.Errorf("%s for %v: %v", m.Name, task, err)
			} else if !takes {
				algotest.Names(t, "task", m.Name, err)
				if other := m.Counterpart(); m.WithoutTarget() != strings.Contains(err.Error(), "--task none") || (other != "") != strings.Contains(err.Error(), "did you mean "+other+"?") {
					t.Errorf("%s for %v: %v", m.Name, task, err)
				}
			}
			d.Weight = make([]float64, 20)
			if weighs := takes && !m.Clusters && task != dataset.MultiLabel; weighs != (m.Check(d) == nil) {
				t.Errorf("%s for %v with weights: %v", m.Name, task, m.Check(d))
			} else if takes && !weighs {
				algotest.Names(t, "weights", m.Name, m.Check(d))
			}
		}
	}
	for name, want := range map[string]string{
		"svm": "svr", "bka-svm": "svr", "dc-svm": "svr", "aesvm": "svr", "svr": "svm", "nu-svm": "nu-svr", "nu-svr": "nu-svm", "krr": "", "leml": "", "one-class": "",
	} {
		if got := catalog.Must(name).Counterpart(); got != want {
			t.Errorf("the counterpart of %s is %q, want %q", name, got, want)
		}
	}
	defer func() {
		if e := recover(); e == nil || !strings.HasPrefix(fmt.Sprint(e), "catalog: ") {
			t.Errorf("a method that is not there: %v", e)
		}
	}()
	catalog.Must("other")
}

// The first row that has a weight is named where all rows that have one are of the same class.
func TestOneClass(t *testing.T) {
	x := mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6})
	for _, c := range []struct {
		class  []int
		weight []float64
		row    int // -1: there are two classes
	}{
		{[]int{1, 1, 1, 1, 1, 1}, nil, 0}, {[]int{0, 1, 1, 1, 1, 1}, nil, -1}, {[]int{0, 0, 0, 0, 0, 1}, nil, -1},
		{[]int{0, 1, 1, 1, 1, 0}, []float64{0, 1, 1, 1, 1, 0}, 1}, {[]int{0, 1, 1, 1, 1, 0}, []float64{0, 1, 1, 1, 1, 1}, -1},
	} {
		d := &dataset.Set{X: x, Labels: gram.Labels{Class: c.class, Names: []string{"a", "b"}}, Weight: c.weight}
		m, err := plain[catalog.Fitter](t, "linear").Fit(t.Context(), d, gram.Run{})
		var wrong *gram.DataError
		if one := errors.As(err, &wrong); one != (c.row >= 0) || one && (m != nil || wrong.Row != c.row || wrong.Col >= 0) || !one && err != nil {
			t.Errorf("classes %v with weights %v: %v", c.class, c.weight, err)
		}
	}
}

// The range of a setting is in deviations of the target, with the weights of its rows, for settings that are declared so.
func TestUnit(t *testing.T) {
	d := &dataset.Set{X: mat.NewDense(4, 1, nil), Value: []float64{0, 0, 10, 10}}
	one := &dataset.Set{X: d.X, Value: []float64{3, 3, 3, 3}}
	weighted := &dataset.Set{X: d.X, Value: d.Value, Weight: []float64{3, 3, 1, 1}}
	f := plain[catalog.InUnits](t, "svr")
	for _, c := range []struct {
		setting string
		d       *dataset.Set
		want    float64
	}{{"c", d, 5}, {"epsilon", d, 5}, {"gamma", d, 1}, {"c", one, 1}, {"c", weighted, 10 * math.Sqrt(.25*.75)}} {
		if got := f.Unit(c.setting, c.d); !(math.Abs(got-c.want) <= 1e-12) {
			t.Errorf("the unit of %s for %v is %g, want %g", c.setting, c.d.Value, got, c.want)
		}
	}
}

// What is chosen for rows of which all are there is what the fit chooses; a method that chooses nothing by folds has no settings.
func TestChosenOn(t *testing.T) {
	d, run := dataset.Rings(400, 3, .1, 1), gram.Run{Seed: 1}
	f := catalogtest.Trainable(t, catalog.Must("svm"), "gamma=0.01")
	chosen := must(catalog.ChosenOn(t.Context(), f, d, 400, run))(t)
	if before, chooses := catalog.Chosen(f); !chooses || before != nil {
		t.Errorf("before a fit %q is chosen", before)
	}
	must(f.Fit(t.Context(), d, run))(t)
	if by, chooses := catalog.Chosen(f); !chooses || !slices.Equal(by, chosen) || len(chosen) != 1 {
		t.Errorf("the fit chooses %q, the rows %q", by, chosen)
	}
	if by, err := catalog.ChosenOn(t.Context(), plain[catalog.Fitter](t, "svm"), d, 400, run); by != nil || err != nil {
		t.Errorf("the plain Fitter chooses %q: %v", by, err)
	}
	if by, chooses := catalog.Chosen(plain[catalog.Fitter](t, "svm")); by != nil || chooses {
		t.Errorf("the plain Fitter chooses %q", by)
	}
	d.X = mat.NewDense(400, 2, nil)
	wide := catalogtest.Trainable(t, catalog.Must("svm"), "kernel=precomputed")
	if m, err := wide.Fit(t.Context(), d, run); err == nil || m != nil {
		t.Error("two columns are taken for a kernel matrix")
	}
}

// A file that is larger than the limit, or whose arrays are, is refused before it is read. Errors name the file.
func TestLoadLimited(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	d := noisy(60, true)
	p := must(training.Train(t.Context(), catalog.Must("krr"), catalogtest.Trainable(t, catalog.Must("krr"), "lambda=1"), d, training.NoScale, gram.Run{}))(t)
	must(0, modelfile.Save(path("whole.gram"), p))(t)
	must(0, modelfile.Save(path("bare.gram"), p.Model))(t)
	labels := gram.Labels{Class: noisy(60, false).Labels.Class, Names: []string{"1", "2"}}
	machine := must(svm.Config{Kernel: kernel.Gaussian{Gamma: 1}}.Fit(t.Context(), d.X, labels, nil))(t)
	file := must(os.Create(path("svm.model")))(t)
	must(0, errors.Join(machine.WriteLIBSVM(file), file.Close()))(t)
	for _, name := range []string{"whole.gram", "bare.gram", "svm.model"} {
		size := must(os.Stat(path(name)))(t).Size()
		for limit, fits := range map[int64]bool{0: true, size - 1: false, 1 << 20: true} {
			_, err := catalog.LoadLimited(path(name), limit)
			var large *gram.MemoryError
			if !fits && (!errors.As(err, &large) || large.Limit != limit || large.Need < size || !strings.Contains(err.Error(), name)) || fits && err != nil {
				t.Errorf("%s, of %d bytes, with the limit %d: %v", name, size, limit, err)
			}
		}
		if name != "bare.gram" {
			if _, err := catalog.LoadFittedLimited(path(name), size-1); !errors.As(err, new(*gram.MemoryError)) {
				t.Errorf("%s as a whole with too little memory: %v", name, err)
			}
		}
	}
	back := must(catalog.LoadFitted(path("whole.gram")))(t)
	if want := must(p.Predict(d.X, false, 0))(t); !slices.Equal(must(back.Predict(d.X, false, 0))(t).Value, want.Value) {
		t.Error("the model predicts otherwise once read")
	}
	if m, err := catalog.LoadFitted(path("bare.gram")); m != nil || err == nil || !strings.Contains(err.Error(), "bare.gram") {
		t.Errorf("a bare model: %v, %v", m, err)
	}
	if _, err := catalog.LoadFitted(path("none.gram")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// Model files of other programs become whole models with the task, the columns and the classes of theirs. What cannot be read names
// its file.
func TestForeignModels(t *testing.T) {
	const (
		classes = "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.25\nlabel 7 -1\nprobA -2\nprobB 0.5\nnr_sv 1 1\nSV\n1 1:1\n-1 3:2\n"
		values  = "svm_type epsilon_svr\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0.25\nSV\n0.5 1:1 3:2\n"
		nu      = "svm_type nu_svr\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0.25\nSV\n0.5 1:1 3:2\n"
		xgboost = `{"learner":{"gradient_booster":{"model":{"tree_info":[0],"trees":[{"left_children":[1,-1,-1],"right_children":[2,-1,-1],
			"split_indices":[1,0,0],"split_conditions":[2.5E0,1.5E0,-3E0]}]},"name":"gbtree"},
			"learner_model_param":{"base_score":"5E-1","num_class":"0","num_feature":"2"},"objective":{"name":"reg:squarederror"}}}`
	)
	path := filepath.Join(t.TempDir(), "model")
	load := func(text string) (*pipeline.Model, error) {
		t.Helper()
		must(0, os.WriteFile(path, []byte(text), 0o600))(t)
		return catalog.LoadFitted(path)
	}
	x := mat.NewDense(2, 3, []float64{1, 0, 2, 0, 5, 1})
	for text, name := range map[string]string{values: "values", nu: "nu"} {
		m := must(load(text))(t)
		got := must(m.Predict(x, false, 0))(t).Value
		if m.Method != "svr" || m.Task != dataset.Regression || m.Dim != 3 || m.Storage != dataset.Sparse || !slices.Equal(got, []float64{.5*5 - .25, .5*2 - .25}) {
			t.Errorf("%s: %+v predicts %v", name, m, got)
		}
	}
	m := must(load(classes))(t)
	a := must(m.Answer(x, pipeline.Want{Probability: true}))(t)
	f := math.Exp(-.5*4) - math.Exp(-.5*1) - .25 // of row 0: squared distances 4 and 1
	if m.Method != "svm" || m.Task != dataset.Classes || m.Dim != 3 || m.Storage != dataset.Sparse || !slices.Equal(m.Names, []string{"-1", "7"}) ||
		a.Class[0] != 0 || !(math.Abs(a.Probability.At(0, 1)-1/(1+math.Exp(-2*f+.5))) <= 1e-9) {
		t.Errorf("%+v has probabilities\n%v", m, mat.Formatted(a.Probability))
	}
	if m.Calibration == nil || m.Calibration.Kind() != calibration.Platt {
		t.Errorf("the probabilities are not those of the file: %v", m.Calibration)
	}
	m = must(load(xgboost))(t)
	if got := must(m.Predict(mat.NewDense(2, 2, []float64{0, 1, 0, 3}), false, 0))(t).Value; m.Task != dataset.Regression || m.Dim != 2 || !slices.Equal(got, []float64{2, -2.5}) {
		t.Errorf("trees of %d columns predict %v", m.Dim, got)
	}
	for _, text := range []string{"svm_type c_svc\nkernel_type other\n", "svm_type epsilon_svr\nkernel_type other\n", "svm_type nu_svr\n", `{"learner":{}}`, "", "nothing"} {
		if m, err := load(text); m != nil || err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v, %v", text, m, err)
		}
	}
}

// The plan of a fit of two machines counts both, and the plans of parts are those of the way the parts are made.
func TestPlansOfParts(t *testing.T) {
	s := gram.Shape{N: 3000, D: 8, Outputs: 3}
	plan := func(method string, set ...string) gram.Plan {
		t.Helper()
		return must(plain[catalog.Fitter](t, method, set...).Plan(dataset.Classes, s, gram.Run{Workers: 2}))(t)
	}
	near, both := plan("inductive", "gamma=1"), plan("inductive", "gamma=1", "svm=true")
	machine := must(svm.Config{Kernel: kernel.Gaussian{Gamma: 1}, Start: svm.ZeroStart}.Plan(s))(t)
	if both.Flops != near.Flops+machine.Flops || both.ModelBytes != near.ModelBytes+machine.ModelBytes ||
		both.PeakBytes != max(near.PeakBytes, near.ModelBytes+machine.PeakBytes) || both.Description != near.Description+"; "+machine.Description {
		t.Errorf("a machine in a learned kernel: %+v, neighbors %+v, the machine %+v", both, near, machine)
	}
	local := krr.Config{Kernel: kernel.Gaussian{Gamma: 1}, Lambda: gram.Set(1.)}
	run := gram.Run{Workers: 2}
	for by, want := range map[string]gram.Plan{
		"random":  must(dckrr.Random{Local: local, Parts: 4, Run: run}.PlanClasses(s))(t),
		"voronoi": must(dckrr.Config{Local: local, Parts: 4, Partition: dckrr.Voronoi, Run: run}.PlanClasses(s))(t),
	} {
		if got := plan("dc-krr", "gamma=1", "lambda=1", "parts=4", "partition="+by); got != want {
			t.Errorf("parts by %s: %+v, want %+v", by, got, want)
		}
	}
	few := gram.Shape{N: 10, D: 2, Outputs: 3}
	for method, set := range map[string][]string{"gp": {"landmarks=100"}, "bregman": {"neighbors=3", "m=100"}} {
		if _, err := catalogtest.Trainable(t, catalog.Must(method), set...).Plan(dataset.Classes, few, gram.Run{}); err == nil {
			t.Errorf("%s for ten rows: there is a plan of a hundred landmarks", method)
		}
	}
}

// Clusters need pairs: of classes that there are, or of a file.
func TestPairsOfClusters(t *testing.T) {
	p := algotest.Problem(1, 40, 3, 2)
	f := plain[catalog.Fitter](t, "pairwise", "lambda=1", "starts=1", "k=2")
	algotest.Names(t, "pairs-file", nil, failed(f.Fit(t.Context(), catalogtest.Set(p, algotest.Unsupervised), gram.Run{})))
	d := catalogtest.Set(p, algotest.Classification)
	d.Labels.Class = append([]int{2}, d.Labels.Class[1:]...)
	if m, err := f.Fit(t.Context(), d, gram.Run{}); err == nil || m != nil {
		t.Error("a class that has no name is taken")
	}
}
