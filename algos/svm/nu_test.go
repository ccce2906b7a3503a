package svm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// The problems of the ν-machines are solved to their definition, however much the cache holds and whatever
// they start from, also where the tube has no width and with rows of which only some are active.
func TestNuOptimal(t *testing.T) {
	algotest.Serial(t)
	for _, n := range []int{60, 1200} {
		large := n > complete
		dense := gen.Normal(n, 3, 1)
		for i := range 25 { // some rows twice
			dense.SetRow(2*i+1, dense.RawRowView(2*i))
		}
		for _, sparse := range []bool{false, true} {
			x := mat.Matrix(dense)
			if sparse {
				x = fromDense(dense)
			}
			for _, nu := range []float64{.05, .4, .8, 1} {
				for name, p := range map[string]Problem{"classes": classes(x, 1, 3), "values": values(x, 2, 0, 4), "values, C small": values(x, .01, 0, 4),
					"values, a tube without width": values(x, 300, 0, 4), "one class": values(x, 1, 0, 5)} {
					positive, negative := p.sums()
					p.Kernel, p.Tol, p.MaxIter = kernel.Gaussian{Gamma: 1}, 1e-5, 3_000_000
					if large {
						p.Tol = 1e-3
					}
					switch {
					case name == "one class":
						clear(p.Target)
						clear(p.Lower)
						p.Sum = nu * positive
					case name == "classes":
						clear(p.Target)
						p.Half = nu * min(positive, negative)
					default:
						p.Half = nu * positive / 2
					}
					if p.Upper[0] > 100 && (large || sparse) || large && (sparse || nu > .1) {
						continue // these take long
					}
					for _, cache := range []int64{1, 0} {
						p.CacheBytes = cache
						what := fmt.Sprintf("%s, nu %g, %d rows, cache %d", name, nu, n, cache)
						s, err := Solve(t.Context(), p)
						if err != nil {
							t.Fatalf("%s: %v", what, err)
						}
						optimal(t, what, p, s)
						if large {
							continue
						}
						q := p
						q.Start = make([]float64, n)
						for i := range q.Start {
							q.Start[i] = s.Coef[i] + .1*float64(i%3-1)
						}
						warm, err := Solve(t.Context(), q)
						if err != nil {
							t.Fatalf("%s: %v", what, err)
						}
						optimal(t, what+", from a start", q, warm)
					}
				}
			}
		}
	}
}

func fromDense(x *mat.Dense) mat.Matrix { return sparse.FromDense(x) }

// ν bounds the shares of rows within the margin and of support vectors.
func TestNuBoundsShares(t *testing.T) {
	algotest.Serial(t)
	x, y := gen.Blobs(200, 3, 2, 1, 3)
	for _, nu := range []float64{.1, .3, .7} {
		m := must.Have(NuSVC{Kernel: gauss, Nu: nu, Tol: 1e-6}.Fit(t.Context(), x, y, nil))(t)
		within := 0
		values := m.Values(nil, x)
		for i, c := range y.Class {
			if values.At(i, 0)*float64(2*c-1) < 1-1e-4 {
				within++
			}
		}
		if s := m.Stats().Support; within > int(nu*200) || s < int(math.Ceil(nu*200)) {
			t.Errorf("nu %g: %d of 200 rows within the margin, %d support vectors", nu, within, s)
		}
		// It is a C-SVC.
		c := must.Have(Config{Kernel: gauss, C: m.Config().C, Tol: 1e-8}.Fit(t.Context(), x, y, nil))(t)
		if !mat.EqualApprox(values, c.Values(nil, x), 1e-5) {
			t.Errorf("nu %g: not the C-SVC with C %v", nu, m.Config().C)
		}
		outside := 0
		one := must.Have(OneClass{Kernel: gauss, Nu: nu}.Fit(t.Context(), x, nil))(t)
		scores := one.Scores(nil, x)
		for i, c := range one.Predict(nil, x) {
			if (c == 1) != (scores.At(i, 0) > 0) {
				t.Fatalf("score %v, class %s", scores.At(i, 0), one.Classes()[c])
			}
			if scores.At(i, 0) < -1e-2 {
				outside++
			}
		}
		if s := one.Stats().Support; outside > int(nu*200) || s < int(math.Ceil(nu*200)) {
			t.Errorf("one class, nu %g: %d of 200 rows outside, %d support vectors", nu, outside, s)
		}
	}
	sx, sy := gen.Smooth(200, 3, .3, 3)
	for _, nu := range []float64{.1, .5} {
		m := must.Have(NuSVR{Kernel: gauss, Nu: nu, C: 1, Tol: 1e-7}.Fit(t.Context(), sx, sy, nil))(t)
		e, outside := m.Config().Epsilon.Value(), 0
		for i, v := range m.Predict(nil, sx) {
			if math.Abs(v-sy[i]) > e+1e-5 {
				outside++
			}
		}
		if s := m.Stats().Support; !(e > 0) || outside > int(nu*200) || s < int(math.Ceil(nu*200)) {
			t.Errorf("values, nu %g: width %g, %d of 200 rows outside, %d support vectors", nu, e, outside, s)
		}
		r := must.Have(m.Config().Fit(t.Context(), sx, sy, nil))(t)
		if !mat.EqualApprox(mat.NewVecDense(200, r.Predict(nil, sx)), mat.NewVecDense(200, m.Predict(nil, sx)), 1e-5) {
			t.Errorf("nu %g: not the regression of width %g", nu, e)
		}
	}
}

// A ν that is too large names the classes and the largest ν for them, with which the fit succeeds.
func TestNuInfeasible(t *testing.T) {
	x, y := gen.Blobs(120, 3, 3, 2, 3)
	y.Names = []string{"ash", "birch", "oak"}
	w := make([]float64, 120)
	for i, c := range y.Class {
		w[i] = []float64{1, 1, .25}[c]
	}
	for _, multi := range []Multi{OneVsOne, OneVsRest} {
		c := NuSVC{Kernel: gauss, Nu: .9, Multi: multi}
		_, err := c.Fit(t.Context(), x, y, w)
		var ce *gram.ConfigError
		if !errors.As(err, &ce) || ce.Field != "Nu" || !strings.Contains(ce.Want, "classes ash and") {
			t.Fatalf("error %v", err)
		}
		if multi == OneVsOne && !strings.Contains(ce.Want, "at most 0.4 for the classes ash and oak") {
			t.Errorf("error %v", err)
		}
		c.Nu = .9
		for range 3 { // every function may have its own bound
			if _, err = c.Fit(t.Context(), x, y, w); err != nil {
				fmt.Sscanf(err.(*gram.ConfigError).Want, "at most %g", &c.Nu)
			}
		}
		if err != nil {
			t.Errorf("nu %v: %v", c.Nu, err)
		}
	}
	// Classes that overlap have no margin if ν is small.
	for i := range y.Class {
		y.Class[i] = i / 2 % 2
	}
	_, err := NuSVC{Kernel: kernel.Linear{}, Nu: .01}.Fit(t.Context(), x, y, nil)
	var ce *gram.ConfigError
	if !errors.As(err, &ce) || ce.Field != "Nu" || !strings.Contains(ce.Want, "margin is zero") {
		t.Errorf("error %v", err)
	}
	// A class without rows is never predicted, and bounds no ν.
	y.Names = append(y.Names, "yew")
	for i := range y.Class {
		y.Class[i] = i % 3
	}
	m := must.Have(NuSVC{Kernel: gauss, Nu: .5}.Fit(t.Context(), x, y, nil))(t)
	for _, c := range m.Predict(nil, x) {
		if c == 3 {
			t.Fatal("a class without rows is predicted")
		}
	}
}

func TestNuSettings(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 3)
	nan := math.NaN()
	for field, values := range map[string][]any{"Nu": {1.5, -.1, nan}, "Tol": {nan}, "Kernel": {nil}} {
		bad := map[string][]any{field: values}
		algotest.Refused(t, NuSVC{Kernel: gauss}, bad, func(c NuSVC) error {
			_, err := c.Fit(t.Context(), d.X, d.Labels, nil)
			return err
		})
		algotest.Refused(t, NuSVR{Kernel: gauss}, bad, func(c NuSVR) error {
			_, err := c.Fit(t.Context(), d.X, d.Value, nil)
			return err
		})
		algotest.Refused(t, OneClass{Kernel: gauss}, bad, func(c OneClass) error {
			_, err := c.Fit(t.Context(), d.X, nil)
			return err
		})
	}
	algotest.Described(t, &NuSVC{}, &NuSVR{}, &OneClass{})
}

// nuContract is what the subjects of the contract have in common.
func nuContract(s algotest.Subject) algotest.Subject {
	s.Share, s.Weighted, s.WeightTol = .5, true, 1e-6
	s.Memory = gram.Shape{N: 4000, D: 8, Outputs: 2}
	return s
}

func TestNuContract(t *testing.T) {
	with := func(run gram.Run) NuSVC { return NuSVC{Kernel: kernel.Gaussian{Gamma: .3}, Nu: .2, Run: run} }
	// Some data of the contract have no ν-SVC, because all rows are the same or a class has few; their C-SVC stands for it.
	fit := func(ctx context.Context, d algotest.Data, c NuSVC) (*algotest.Model, error) {
		m, err := c.Fit(ctx, d.X, d.Labels, d.Weights)
		var ce *gram.ConfigError
		if errors.As(err, &ce) && ce.Field == "Nu" {
			m, err = Config{Kernel: c.Kernel, Tol: c.Tol, Run: c.Run}.Fit(ctx, d.X, d.Labels, d.Weights)
		}
		return algotest.Fitted(m, err)
	}
	algotest.Check(t, nuContract(algotest.Subject{
		Kind: algotest.Classification,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			return fit(ctx, d, with(run))
		},
		Plan:   func(s gram.Shape, run gram.Run) (gram.Plan, error) { return with(run).Plan(s) },
		Decode: func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(Decode(f)) },
		Exact: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			c := with(run)
			c.Tol = 1e-9
			return fit(ctx, d, c)
		},
		Kept: 7, // the support vectors are not known before
	}))
}

func TestNuRegressionContract(t *testing.T) {
	with := func(run gram.Run) NuSVR { return NuSVR{Kernel: kernel.Gaussian{Gamma: .3}, Nu: .3, Run: run} }
	algotest.Check(t, nuContract(algotest.Subject{
		Kind: algotest.Regression,
		Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			return algotest.Fitted(with(run).Fit(ctx, d.X, d.Value, d.Weights))
		},
		Plan:   func(s gram.Shape, run gram.Run) (gram.Plan, error) { return with(run).Plan(s) },
		Decode: func(f *modelfile.File) (*algotest.Model, error) { return algotest.Fitted(DecodeRegressor(f)) },
		Exact: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
			c := with(run)
			c.Tol = 1e-9
			return algotest.Fitted(c.Fit(ctx, d.X, d.Value, d.Weights))
		},
		Units: true,
	}))
}

// TestLIBSVMNu trains with svm-train -s 1, 2 and 4, reads its models, compares them with ours and
// lets svm-predict read ours.
func TestLIBSVMNu(t *testing.T) {
	x, y := gen.Blobs(160, 6, 3, 1.5, 3)
	sx, sy := gen.Smooth(160, 6, .2, 3)
	for name, c := range map[string]struct {
		s       string
		x       mat.Matrix
		classes int
		value   []float64
		fit     func(k kernel.Kernel, d *dataset.Set) (machineModel, error)
	}{
		"two classes":   {"1", x, 2, nil, fitNuSVC},
		"three classes": {"1", x, 3, nil, fitNuSVC},
		"values": {"4", sx, 0, sy, func(k kernel.Kernel, d *dataset.Set) (machineModel, error) {
			return NuSVR{Kernel: k, Nu: .25, C: 2 * libsvmUnit(k), Tol: 1e-6}.Fit(t.Context(), d.X, d.Value, nil)
		}},
		"one class": {"2", x, 2, nil, func(k kernel.Kernel, d *dataset.Set) (machineModel, error) {
			return OneClass{Kernel: k, Nu: .25, Tol: 1e-6}.Fit(t.Context(), d.X, nil)
		}},
	} {
		of := func(lo, hi int) *dataset.Set {
			d := &dataset.Set{X: c.x.(*mat.Dense).Slice(lo, hi, 0, 6)}
			if c.value != nil {
				d.Value = c.value[lo:hi]
				return d
			}
			d.Labels.Names = []string{"-1", "1", "7"}[:c.classes]
			for _, class := range y.Class[lo:hi] {
				d.Labels.Class = append(d.Labels.Class, class%c.classes)
			}
			return d
		}
		train, test := of(0, 100), of(100, 160)
		dir := t.TempDir()
		file := func(name string) string { return filepath.Join(dir, name) }
		writeSet(t, file("train"), train)
		writeSet(t, file("test"), test)
		for _, p := range peers()[:3] {
			if p.name == "linear" && c.s != "4" {
				continue // the margin is zero, and svm-train takes seconds for one class
			}
			what := name + ", " + p.name
			run(t, "svm-train", append(append([]string{"-q", "-s", c.s, "-n", "0.25", "-c", "2", "-e", "1e-6"}, p.args...), file("train"), file("model"))...)
			run(t, "svm-predict", file("test"), file("model"), file("out"))
			theirs := mustRead(t, file("model"), c.s == "4")
			ours, err := c.fit(p.k, train)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			agree(t, what, theirs, test, lines(t, file("out")))
			a, b := theirs.values(nil, test.X), ours.values(nil, test.X)
			if m, is := theirs.(*Model); is && c.classes > 2 {
				reordered(a, m.Classes(), train.Labels.Names)
			}
			unit := 1.
			if c.s == "2" {
				unit = libsvmUnit(p.k) // of ours
			}
			b.Scale(unit, b)
			for i := range 60 {
				for f := range a.RawRowView(i) {
					if !(math.Abs(a.At(i, f)-b.At(i, f)) <= 2e-3*(1+math.Abs(a.At(i, f)))) {
						t.Fatalf("%s: row %d, function %d: %v, by svm-train %v", what, i, f, b.At(i, f), a.At(i, f))
					}
				}
			}
			var text bytes.Buffer
			must.Do(t, ours.WriteLIBSVM(&text))
			if is := strings.HasPrefix(text.String(), "svm_type one_class"); is != (c.s == "2") {
				t.Errorf("%s: written as %.20q", what, text.String())
			}
			must.Do(t, os.WriteFile(file("ours"), text.Bytes(), 0o600))
			run(t, "svm-predict", file("test"), file("ours"), file("out"))
			agree(t, what+", ours", ours, test, lines(t, file("out")))
			agree(t, what+", ours read again", mustRead(t, file("ours"), c.s == "4"), test, lines(t, file("out")))
		}
	}
}

func fitNuSVC(k kernel.Kernel, d *dataset.Set) (machineModel, error) {
	return NuSVC{Kernel: k, Nu: .25, Tol: 1e-6}.Fit(context.Background(), d.X, d.Labels, nil)
}

// libsvmUnit is what our kernel is of LIBSVM's.
func libsvmUnit(k kernel.Kernel) float64 {
	if _, is := k.(kernel.Polynomial); is {
		return 1. / 16
	}
	return 1
}

type machineModel interface {
	values(dst *mat.Dense, x mat.Matrix) *mat.Dense
	WriteLIBSVM(w io.Writer) error
}

func mustRead(t *testing.T, path string, regression bool) machineModel {
	t.Helper()
	f := must.Have(os.Open(path))(t)
	defer f.Close()
	if regression {
		m := must.Have(ReadLIBSVMRegressor(f, 6))(t)
		return m
	}
	m := must.Have(ReadLIBSVM(f, 6))(t)
	return m
}

// agree compares the predictions of a model with those of svm-predict.
func agree(t *testing.T, what string, m machineModel, test *dataset.Set, want []float64) {
	t.Helper()
	switch m := m.(type) {
	case *Model:
		for i, c := range m.Predict(nil, test.X) {
			if m.Classes()[c] != strconv.Itoa(int(want[i])) {
				t.Fatalf("%s: row %d is %s, by svm-predict %v", what, i, m.Classes()[c], want[i])
			}
		}
	case *Regressor:
		for i, v := range m.Predict(nil, test.X) {
			if !(math.Abs(v-want[i]) <= printed*(1+math.Abs(v))) {
				t.Fatalf("%s: row %d is %v, by svm-predict %v", what, i, v, want[i])
			}
		}
	}
}
