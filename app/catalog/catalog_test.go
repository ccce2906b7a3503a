package catalog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/meka"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
	"gonum.org/v1/gonum/mat"
)

// Every method keeps the contract of estimators for each of its tasks, with
// scaling and without. One method of each kind is checked for all of it, and all are with GRAM_LONG.
func TestMethods(t *testing.T) {
	all := os.Getenv("GRAM_LONG") != ""
	cases := map[dataset.Task]struct {
		name  string
		kind  algotest.Kind
		scale training.Scale
	}{
		dataset.Classes:    {"classes", algotest.Classification, training.MinMax},
		dataset.Regression: {"values", algotest.Regression, training.NoScale},
		dataset.MultiLabel: {"labels", algotest.MultiLabel, training.NoScale},
	}
	for _, m := range catalog.Methods() {
		for _, task := range m.Tasks {
			c, ok := cases[task]
			if !ok {
				continue // no target
			}
			var settings []string
			// One of each kind; the packages check their methods.
			chosen := slices.Contains([]string{"nystrom/values", "svm/classes", "krr/classes", "gbml/labels"}, m.Name+"/"+c.name)
			if testing.Short() && !chosen {
				continue
			}
			for _, small := range []string{"m=8", "trees=8", "rounds=8", "learners=2", "steps=4"} {
				if name, _, _ := strings.Cut(small, "="); m.New().Settings().Lookup(name) != nil {
					settings = append(settings, small)
				}
			}
			switch m.Name {
			case "sleec":
				settings = append(settings, "rank=4")
			case "bregman":
				settings = append(settings, "pairs=40")
			case "goal-nys", "goal-rff":
				settings = append(settings, "max-iter=5")
			case "rfm":
				settings = []string{"lambda=0.1", "length=2", "rounds=2"}
			case "nu-svm":
				settings = append(settings, "svm-nu=0.2", "tol=0.1")
			case "pairwise":
				settings = append(settings, "lambda=1", "pairs=300", "starts=2")
			}
			stored := 0
			if m.Name+"/"+c.name == "gp/classes" { // a factor of all rows for each class
				stored = 30
			}
			// What many rows do is tested with each package, the choice of settings with two methods.
			chooses, rows := m.Name == "svm" || m.Name == "nystrom", 120
			if chooses {
				rows = 300
			}
			some := dataset.Sample(600, rows, 1)
			t.Run(m.Name+"/"+c.name, func(t *testing.T) {
				algotest.Check(t, algotest.Subject{
					Kind:       c.kind,
					TwoClasses: "a file of one class is a mistake",
					Fit: func(ctx context.Context, d algotest.Data, run gram.Run) (*algotest.Model, error) {
						fitter := m.New()
						if !chooses {
							fitter = catalog.Plain(fitter)
						}
						given := settings
						if n, _ := d.X.Dims(); n < 8 && m.Name != "alacarte" { // m is of landmarks
							given = slices.DeleteFunc(slices.Clone(settings), func(s string) bool { return s == "m=8" })
						}
						if err := fitter.Settings().Set(given...); err != nil {
							return nil, err
						}
						set := catalogtest.Set(d, c.kind)
						if n, _ := d.X.Dims(); n >= 600 { // of the checks of cancellation and of workers
							set = set.Select(some)
						}
						f, err := training.Train(ctx, m, fitter, set, c.scale, run)
						if ce := (*gram.ConfigError)(nil); m.Name == "nu-svm" && errors.As(err, &ce) && ce.Field == "svm-nu" {
							// Rows that are all the same, or a class of few, have no ν-SVC.
							f, err = training.Train(ctx, catalog.Must("svm"), catalog.Plain(catalog.Must("svm").New()), set, c.scale, run)
						}
						return catalogtest.Wrap(t, f), err
					},
					Decode: func(file *modelfile.File) (*algotest.Model, error) {
						f, err := pipeline.Decode(file, catalog.Registry())
						if err != nil {
							return nil, err
						}
						return catalogtest.Wrap(t, f), nil
					},
					Golden:     m.Name + "-" + c.name + "-v1.gram",
					GoldenRows: stored,
					DenseNaN:   true,
					AnyCells:   m.Name == "gbdt" || c.scale != training.NoScale,
					RowBytes:   40, // what belongs to blocks of rows; the packages hold their own to less
					Random:     []string{algotest.AnyStage},
					Brief:      !chosen && !all,
				})
			})
		}
	}
}

// Every model compiles in both precisions, is stored and read again, and the program
// says what the model says.
func TestPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("fits every method")
	}
	d := algotest.Problem(1, 90, 4, 3)
	for _, m := range catalog.Methods() {
		for kind, task := range map[algotest.Kind]dataset.Task{
			algotest.Classification: dataset.Classes, algotest.Regression: dataset.Regression, algotest.MultiLabel: dataset.MultiLabel,
		} {
			if !slices.Contains(m.Tasks, task) {
				continue
			}
			f, err := training.Train(t.Context(), m, catalogtest.Trainable(t, m, catalogtest.Quick(m)...), catalogtest.Set(d, kind), training.NoScale, gram.Run{})
			if f == nil {
				t.Fatal(err)
			}
			x := mat.DenseCopyOf(d.X)
			x.Set(0, 1, math.NaN())
			want, err := f.Predict(x, false, 99)
			if err != nil {
				t.Fatal(err)
			}
			largest := 0.0
			for _, v := range want.Value[min(1, len(want.Value)):] {
				largest = max(largest, math.Abs(v))
			}
			for _, precision := range []predict.Precision{predict.Float64, predict.Float32} {
				c, program, err := f.Compile(t.Context(), predict.Options{Method: predict.Exact, Precision: precision, Points: d.X})
				if m.Name == "gp" && task == dataset.Classes {
					if !errors.Is(err, predict.ErrNoProgram) || !strings.Contains(err.Error(), "depends on the variance") {
						t.Errorf("%s for %v: %v", m.Name, task, err)
					}
					continue
				}
				if err == nil && precision == predict.Float32 && !(program.Stats().Rounding <= .05) {
					t.Errorf("%s for %v: float32 costs %g of the largest output", m.Name, task, program.Stats().Rounding)
				}
				if err != nil {
					t.Errorf("%s for %v: %v", m.Name, task, err)
					continue
				}
				path := filepath.Join(t.TempDir(), "compiled.gram")
				if err := modelfile.Save(path, c); err != nil {
					t.Fatal(err)
				}
				back, err := catalog.LoadFitted(path)
				if err != nil {
					t.Fatalf("%s for %v: %v", m.Name, task, err)
				}
				got, err := back.Predict(x, false, 99)
				if err != nil {
					t.Fatal(err)
				}
				// What float32 costs is what the compilation said of these rows.
				bound := 1e-8 * (1 + largest)
				if precision == predict.Float32 {
					bound += 1.01 * program.Stats().Rounding * largest
				}
				other := 0
				for i := range 90 {
					switch {
					case want.Class != nil && got.Class[i] != want.Class[i],
						want.Top != nil && !slices.EqualFunc(got.Top[i], want.Top[i], func(a, b gram.Scored) bool { return a.Label == b.Label }),
						want.Value != nil && i == 0 && !(math.IsNaN(want.Value[0]) == math.IsNaN(got.Value[0])),
						want.Value != nil && i > 0 && !(math.Abs(got.Value[i]-want.Value[i]) <= bound):
						other++
						if i == 0 || precision == predict.Float64 && want.Class == nil {
							t.Errorf("%s for %v in %s: row %d is predicted otherwise", m.Name, task, precision, i)
						}
					}
				}
				if other > 1 { // of ties, rounding decides
					t.Errorf("%s for %v in %s: %d of 90 rows are predicted otherwise", m.Name, task, precision, other)
				}
			}
		}
	}
}

// The plan of a fit adds the plans of its parts and depends on the settings.
func TestPlans(t *testing.T) {
	s := gram.Shape{N: 10_000, D: 20, Outputs: 3}
	for _, m := range catalog.Methods() {
		f := m.New()
		b := f.Settings()
		p, err := f.Plan(m.Tasks[0], s, gram.Run{})
		if err != nil {
			t.Errorf("%s: %v", m.Name, err)
			continue
		}
		if !(p.Flops > 0) || p.PeakBytes <= 0 || p.ModelBytes <= 0 || p.Description == "" {
			t.Errorf("%s: plan %+v", m.Name, p)
		}
		if b.Lookup("m") == nil {
			continue
		}
		if err := b.Set("m=1600"); err != nil {
			t.Fatal(err)
		}
		if q, err := f.Plan(m.Tasks[0], s, gram.Run{}); err != nil || !(q.Flops > p.Flops) || q.ModelBytes <= p.ModelBytes {
			t.Errorf("%s: the plan for more features is %+v, %v, for fewer %+v", m.Name, q, err, p)
		}
	}
}

func TestGamma(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{0, 1, 3})
	for rule, want := range map[string]float64{"scale": 9.0 / 14, "mean": 3.0 / 14, "median": 1.0 / 8, "0.25": 0.25} {
		f := catalogtest.Trainable(t, catalog.Must("krr"), "gamma="+rule)
		got := completed(t, f, x).(catalog.Ridge).Kernel
		if g := got.Spec().Params["gamma"]; !(g > want-1e-12 && g < want+1e-12) {
			t.Errorf("gamma=%s is %v, want %v", rule, g, want)
		}
	}
}

// Load tells a whole model from a bare one, and both from anything else.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	d := catalogtest.Set(algotest.Problem(1, 60, 4, 3), algotest.Classification)
	f, err := training.Train(context.Background(), catalog.Must("nystrom"), catalogtest.Trainable(t, catalog.Must("nystrom"), "m=10"), d, training.Unit, gram.Run{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	whole, bare := filepath.Join(dir, "whole.gram"), filepath.Join(dir, "bare.gram")
	if err := errors.Join(modelfile.Save(whole, f), modelfile.Save(bare, f.Model)); err != nil {
		t.Fatal(err)
	}
	m, err := catalog.Load(whole)
	if err != nil {
		t.Fatal(err)
	}
	g, ok := m.(*pipeline.Model)
	if !ok || g.Method != "nystrom" || g.Dim != 4 || g.Task != dataset.Classes || !slices.Equal(g.Names, d.Labels.Names) || g.Scaling == nil {
		t.Errorf("loaded %+v", m)
	}
	if m, err = catalog.Load(bare); err != nil {
		t.Fatal(err)
	}
	if _, ok := m.(gram.Classifier); !ok {
		t.Errorf("the bare model is a %T", m)
	}
	other := filepath.Join(dir, "other.gram")
	if err := modelfile.Save(other, f.Scaling); err != nil {
		t.Fatal(err)
	}
	var format *modelfile.FormatError
	if _, err := catalog.Load(other); !errors.As(err, &format) || !strings.Contains(err.Error(), "scaling") {
		t.Errorf("a file without a model: %v", err)
	}
}

// forged is a Fitted whose parts do not fit together.
type forged struct {
	version int
	stored  stored
	names   []string
	model   modelfile.Model
	scaling *dataset.Scaling
}

func (f forged) Encode(w *modelfile.Writer) error {
	if f.names != nil {
		w.Strings("names", f.names)
	}
	if f.scaling != nil {
		if err := f.scaling.Encode(w.Sub("scaling")); err != nil {
			return err
		}
	}
	if f.model != nil {
		if err := f.model.Encode(w.Sub("model")); err != nil {
			return err
		}
	}
	return w.Header("fitted", f.version, f.stored)
}

// stored are the settings of a whole model in its file.
type stored struct {
	Task   string
	Dim    int
	Sparse bool
}

// other is a model of a method that is not known.
type other struct{}

func (other) Encode(w *modelfile.Writer) error { return w.Header("other", 1, struct{}{}) }

func TestForged(t *testing.T) {
	d := catalogtest.Set(algotest.Problem(1, 60, 4, 3), algotest.Classification)
	f, err := training.Train(context.Background(), catalog.Must("linear"), catalogtest.Trainable(t, catalog.Must("linear")), d, training.MinMax, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	good := forged{1, stored{"classes", 4, false}, f.Names, f.Model, f.Scaling}
	if err := decodeForged(t, good); err != nil {
		t.Fatalf("what is not forged: %v", err)
	}
	values, err := training.Train(context.Background(), catalog.Must("linear"), catalogtest.Trainable(t, catalog.Must("linear")), catalogtest.Set(algotest.Problem(1, 60, 4, 3), algotest.Regression), training.MinMax, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*forged){
		"no classifier":    func(f *forged) { f.model = values.Model },
		"newer version":    func(f *forged) { f.version = 2 },
		"unknown task":     func(f *forged) { f.stored.Task = "nope" },
		"other task":       func(f *forged) { f.stored.Task = "regression" },
		"no task":          func(f *forged) { f.stored.Task = "none" },
		"label sets":       func(f *forged) { f.stored.Task = "multilabel" },
		"no columns":       func(f *forged) { f.stored.Dim = 0 },
		"other columns":    func(f *forged) { f.stored.Dim = 5; f.scaling = nil },
		"other scaling":    func(f *forged) { f.scaling = &dataset.Scaling{Shift: []float64{1}, Divisor: []float64{1}, Width: 1} },
		"no names":         func(f *forged) { f.names = nil },
		"other names":      func(f *forged) { f.names = []string{"a", "b", "c"} },
		"fewer names":      func(f *forged) { f.names = f.names[:2] },
		"no model":         func(f *forged) { f.model = nil },
		"unknown method":   func(f *forged) { f.model = other{} },
		"a nested wrapper": func(f *forged) { f.model = good },
	} {
		bad := good
		change(&bad)
		var format *modelfile.FormatError
		if err := decodeForged(t, bad); !errors.As(err, &format) {
			t.Errorf("%s: error %v, want a *modelfile.FormatError", name, err)
		}
	}
}

// linked is a classifier on a MEKA model, which has no features unless repaired.
type linked struct {
	m *meka.Model
	c *linear.Classifier
}

func (l linked) Encode(w *modelfile.Writer) error {
	return errors.Join(w.Header("meka", 1, struct{}{}), l.m.Encode(w.Sub("map")), l.c.Encode(w.Sub("linear")))
}

func TestMEKAWithoutFeatures(t *testing.T) {
	d := algotest.Problem(1, 60, 4, 3)
	var features int
	for _, repaired := range []bool{true, false} {
		m, err := meka.Config{Kernel: kernel.Gaussian{Gamma: 0.3}, Clusters: 3, Rank: 4, NoRepair: !repaired}.Fit(t.Context(), d.X)
		if err != nil {
			t.Fatal(err)
		}
		if repaired {
			_, features = m.Dims()
		}
		c, err := linear.SVM{}.Fit(t.Context(), nil, algotest.Problem(2, 60, features, 3).X, d.Labels, nil)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := modelfile.Write(&b, linked{m, c}); err != nil {
			t.Fatal(err)
		}
		f, err := modelfile.Read(&b)
		if err != nil {
			t.Fatal(err)
		}
		var format *modelfile.FormatError
		if _, err := catalog.Must("meka").Decode(f); repaired != (err == nil) || err != nil && !errors.As(err, &format) {
			t.Errorf("repaired %t: %v", repaired, err)
		}
	}
	var ce *gram.ConfigError
	if _, err := catalogtest.Trainable(t, catalog.Must("meka"), "no-repair=true").Fit(t.Context(), catalogtest.Set(d, algotest.Classification), gram.Run{}); !errors.As(err, &ce) || ce.Field != "no-repair" {
		t.Errorf("a fit without features: %v", err)
	}
}

func decodeForged(t *testing.T, m modelfile.Model) error {
	t.Helper()
	var b bytes.Buffer
	if err := modelfile.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	f, err := modelfile.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	_, err = pipeline.Decode(f, catalog.Registry())
	return err
}

func TestScaled(t *testing.T) {
	f := &pipeline.Model{Dim: 3}
	_, err := f.Scaled(mat.NewDense(2, 5, nil))
	if err == nil || !strings.Contains(err.Error(), "5") || !strings.Contains(err.Error(), "3") {
		t.Errorf("error %v, want both numbers of columns", err)
	}
	for _, s := range []training.Scale{training.NoScale, training.MinMax, training.Unit, training.Standard} {
		if got, err := training.ParseScale(s.String()); err != nil || got != s {
			t.Errorf("ParseScale(%q) is %v, %v", s, got, err)
		}
	}
	if _, err := training.ParseScale("nope"); err == nil {
		t.Error("an unknown scaling is accepted")
	}
}

func ExampleMethod() {
	m, err := catalog.Find("nystrom")
	if err != nil {
		log.Fatal(err)
	}
	fitter := m.New()
	if err := fitter.Settings().Set("m=60", "gamma=2"); err != nil {
		log.Fatal(err)
	}
	data := dataset.Rings(300, 2, .1, 1)
	f, err := training.Train(context.Background(), m, fitter, data, training.NoScale, gram.Run{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	x := mat.NewDense(2, 2, []float64{1, 0, 0, 2})
	for _, c := range f.Model.(gram.Classifier).Predict(nil, x) {
		fmt.Println(f.Names[c])
	}
	// Output:
	// -1
	// 1
}

// The predictions are the model's, those that the task has and were asked for.
func TestPredictions(t *testing.T) {
	d := algotest.Problem(1, 60, 4, 3)
	for kind, m := range map[algotest.Kind]catalog.Method{algotest.Classification: catalog.Must("linear"), algotest.Regression: catalog.Must("linear"), algotest.MultiLabel: catalog.Must("leml")} {
		f, err := training.Train(t.Context(), m, catalogtest.Trainable(t, m), catalogtest.Set(d, kind), training.Standard, gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := f.Scaled(d.X)
		if err != nil {
			t.Fatal(err)
		}
		with, err := f.Predict(d.X, true, 2)
		if err != nil {
			t.Fatal(err)
		}
		without, err := f.Predict(d.X, false, 2)
		if err != nil || without.Scores != nil {
			t.Fatalf("scores that were not asked for: %v, %v", without.Scores, err)
		}
		switch m := f.Model.(type) {
		case gram.Classifier:
			if !slices.Equal(with.Class, m.Predict(nil, x)) || !mat.Equal(with.Scores, m.Scores(nil, x)) || with.Value != nil || with.Top != nil {
				t.Error("classes differ")
			}
		case gram.Regressor:
			if !slices.Equal(with.Value, m.Predict(nil, x)) || with.Class != nil || with.Scores != nil || with.Top != nil {
				t.Error("values differ")
			}
		case gram.Ranker:
			want := m.Top(nil, x, 2)
			for i, top := range with.Top {
				if !slices.Equal(top, want[i]) || len(top) != 2 {
					t.Fatal("labels differ")
				}
			}
			if with.Class != nil || with.Value != nil {
				t.Error("classes or values of a model of label sets")
			}
		}
		if _, err := f.Predict(mat.NewDense(2, 3, nil), false, 2); err == nil {
			t.Error("3 columns are accepted")
		}
	}
	f := &pipeline.Model{Method: "other", Dim: 4, Model: other{}}
	if _, err := f.Predict(d.X, false, 2); err == nil || !strings.Contains(err.Error(), "other do not predict") {
		t.Errorf("a model of no task: %v", err)
	}
}

// Bad labels and bad settings have an error that names what is wrong.
func TestBadData(t *testing.T) {
	algotest.Serial(t)
	for _, m := range catalog.Methods() {
		for _, task := range m.Tasks {
			p := algotest.Problem(1, 60, 4, 3)
			d := catalogtest.Set(p, map[dataset.Task]algotest.Kind{dataset.Classes: algotest.Classification, dataset.Regression: algotest.Regression, dataset.MultiLabel: algotest.MultiLabel}[task])
			wantAt := func(what string, row int) {
				t.Helper()
				_, err := catalogtest.Trainable(t, m).Fit(t.Context(), d, gram.Run{})
				var de *gram.DataError
				if !errors.As(err, &de) || de.Row != row || de.Col != -1 {
					t.Errorf("%s of %s: %v, want a *gram.DataError of row %d", what, m.Name, err, row)
				}
			}
			switch task {
			case dataset.Classes:
				d.Labels.Class[17] = 3
				wantAt("a class beyond the names", 17)
				d.Labels.Class[17] = -1
				wantAt("a negative class", 17)
				clear(d.Labels.Class)
				wantAt("one class", 0)
				d.Labels.Class = d.Labels.Class[:50]
				wantAt("50 classes of 60 rows", 50)
			case dataset.Regression:
				d.Value[17] = math.NaN()
				wantAt("a value of NaN", 17)
				d.Value = d.Value[:17]
				wantAt("17 values of 60 rows", 17)
			case dataset.MultiLabel:
				last := &d.Tags.Col[d.Tags.Ptr[18]-1] // of row 17
				*last = 5
				wantAt("a label beyond the last", 17)
				*last = -1
				wantAt("a negative label", 17)
				*last = 4
				d.Tags = d.Tags.Slice(0, 50)
				wantAt("50 sets of 60 rows", 50)
			}
		}
	}
}

// A number that makes no sense for a setting is refused by its name, before the fit
// and before the plan.
func TestBadNumbers(t *testing.T) {
	algotest.Serial(t)
	p := algotest.Problem(1, 60, 4, 3)
	for _, m := range catalog.Methods() {
		d := catalogtest.Set(p, map[dataset.Task]algotest.Kind{dataset.Classes: algotest.Classification, dataset.Regression: algotest.Regression, dataset.MultiLabel: algotest.MultiLabel}[m.Tasks[0]])
		shape := gram.Shape{N: 60, D: 4, Outputs: 3}
		for _, name := range []string{"c", "lambda", "tol", "gamma"} {
			if m.New().Settings().Lookup(name) == nil {
				continue
			}
			for _, v := range []string{"-1", "NaN", "Inf"} {
				f := m.New()
				if err := f.Settings().Set(name + "=" + v); err != nil {
					if !strings.Contains(err.Error(), name+"="+v) {
						t.Errorf("%s with %s=%s: %v", m.Name, name, v, err)
					}
					continue
				}
				_, fit := f.Fit(t.Context(), d, gram.Run{})
				_, plan := catalogtest.Trainable(t, m, name+"="+v).Plan(m.Tasks[0], shape, gram.Run{})
				for what, err := range map[string]error{"fit": fit, "plan": plan} {
					var ce *gram.ConfigError
					if !errors.As(err, &ce) || !strings.Contains(strings.ToLower(ce.Field), name) {
						t.Errorf("%s %s with %s=%s: %v", what, m.Name, name, v, err)
					}
				}
			}
		}
	}
}

// The plan of a linear model is that of the task: sets of labels have the one of linear.Config.FitTags.
func TestPlanOfTask(t *testing.T) {
	s := gram.Shape{N: 2000, D: 40, Outputs: 9}
	want, err := linear.Config{}.PlanTags(s)
	if err != nil {
		t.Fatal(err)
	}
	f := catalogtest.Trainable(t, catalog.Must("linear"))
	if got, err := f.Plan(dataset.MultiLabel, s, gram.Run{}); err != nil || got != want {
		t.Errorf("the plan of sets of labels is %+v, %v, want %+v", got, err, want)
	}
	if got, err := f.Plan(dataset.Classes, s, gram.Run{}); err != nil || got == want {
		t.Errorf("the plan of classes is %+v, %v", got, err)
	}
}

// The plans of two classes are those of one function, of three those of three.
func TestPlanOutputs(t *testing.T) {
	for _, name := range []string{"krr", "falkon", "dc-krr"} {
		var modelBytes []int64
		for _, outputs := range []int{1, 2, 3} {
			p, err := catalogtest.Trainable(t, catalog.Must(name)).Plan(dataset.Classes, gram.Shape{N: 2000, D: 4, Outputs: outputs}, gram.Run{})
			if err != nil {
				t.Fatal(err)
			}
			modelBytes = append(modelBytes, p.ModelBytes)
		}
		if modelBytes[0] != modelBytes[1] || modelBytes[2] <= modelBytes[1] {
			t.Errorf("%s: the models of 1, 2 and 3 outputs take %v bytes", name, modelBytes)
		}
	}
}
