package catalog_test

import (
	"bytes"
	"context"
	"os"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/algos/divide/aesvm"
	"github.com/gramworks/gram/algos/divide/bka"
	"github.com/gramworks/gram/algos/divide/dckrr"
	"github.com/gramworks/gram/algos/divide/dcpred"
	"github.com/gramworks/gram/algos/divide/dcsvm"
	"github.com/gramworks/gram/algos/falkon"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/labels/leml"
	"github.com/gramworks/gram/algos/labels/sleec"
	"github.com/gramworks/gram/algos/learned/goal"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/fastnys"
	"github.com/gramworks/gram/algos/lowrank/machine"
	"github.com/gramworks/gram/algos/lowrank/meka"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/algos/lowrank/pseudo"
	"github.com/gramworks/gram/algos/lowrank/rff"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/algos/trees/ldkl"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// inGo is a fit of a method, and its plan, as a Go program writes them.
type inGo struct {
	fit  func(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error)
	plan func(s gram.Shape) (gram.Plan, error)
}

// tunedOn is the fit of the configuration with its choices, which set makes.
func tunedOn[C any, Y crossval.Targets, M comparable, P crossval.Method[C]](c C, fit crossval.Fit[C, Y, M], targets func(*dataset.Set) Y, model func(M) modelfile.Model) inGo {
	return inGo{func(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
		P(&c).SetRun(run)
		m, err := crossval.Tune[C, Y, M, P](c, fit).Fit(ctx, d.X, targets(d), d.Weight)
		if m == *new(M) {
			return nil, err
		}
		return model(m), err
	}, crossval.Tune[C, Y, M, P](c, fit).Plan}
}

func itself[M modelfile.Model](m M) modelfile.Model { return m }

func classesOf[C any, M interface {
	comparable
	modelfile.Model
}, P crossval.Method[C]](c C, fit crossval.Fit[C, gram.Labels, M]) inGo {
	return tunedOn[C, gram.Labels, M, P](c, fit, func(d *dataset.Set) gram.Labels { return d.Labels }, itself[M])
}

func valuesOf[C any, M interface {
	comparable
	modelfile.Model
}, P crossval.Method[C]](c C, fit crossval.Fit[C, []float64, M]) inGo {
	return tunedOn[C, []float64, M, P](c, fit, func(d *dataset.Set) []float64 { return d.Value }, itself[M])
}

func labelsOf[C any, M interface {
	comparable
	modelfile.Model
}, P crossval.Method[C]](c C, fit func(C, context.Context, mat.Matrix, *sparse.CSR) (M, error)) inGo {
	return tunedOn[C, *sparse.CSR, M, P](c, crossval.Unweighted(fit), func(d *dataset.Set) *sparse.CSR { return d.Tags }, itself[M])
}

// onMap are the fits of linear machines on a map.
func onMap[C any, M pipeline.Map, P interface {
	*C
	machine.Map
}](method string, c C, fit func(C, context.Context, mat.Matrix) (M, error)) map[dataset.Task]inGo {
	on := machine.On[C, M, P](c, fit, linear.Config{})
	stored := func(l interface{ Map() gram.FeatureMap }) modelfile.Model {
		m := l.Map().(pipeline.Map)
		joined := pipeline.On(method, m, l)
		if o, outer := m.(basis.Outer); outer && (method == "fastnys" || method == "pseudo") { // whose features are functions of others
			inner, root := o.Inner()
			joined = pipeline.Onto(joined, inner, root)
		}
		return joined
	}
	return map[dataset.Task]inGo{
		dataset.Classes: tunedOn(on, machine.Config[C, M, P].Fit, func(d *dataset.Set) gram.Labels { return d.Labels },
			func(l *linear.Classifier) modelfile.Model { return stored(l) }),
		dataset.Regression: tunedOn(on, machine.Config[C, M, P].FitValues, func(d *dataset.Set) []float64 { return d.Value },
			func(l *linear.Regressor) modelfile.Model { return stored(l) }),
	}
}

// tuned lists the fits of methods that choose settings, for classes, for values and for sets of labels.
func tuned(method string) map[dataset.Task]inGo {
	type of = map[dataset.Task]inGo
	values := func(d *dataset.Set) []float64 { return d.Value }
	switch method {
	case "svm":
		return of{dataset.Classes: classesOf(svm.Config{}, svm.Config.Fit)}
	case "svr":
		return of{dataset.Regression: valuesOf(svm.Regression{}, svm.Regression.Fit)}
	case "nu-svr":
		return of{dataset.Regression: valuesOf(svm.NuSVR{}, svm.NuSVR.Fit)}
	case "bka-svm":
		return of{dataset.Classes: classesOf(bka.SVM{}, bka.SVM.Fit)}
	case "dc-svm":
		return of{dataset.Classes: classesOf(dcsvm.Config{}, func(c dcsvm.Config, ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*svm.Model, error) {
			m, _, err := c.Fit(ctx, x, y, w)
			return m, err
		})}
	case "aesvm":
		return of{dataset.Classes: classesOf(aesvm.Config{}, func(c aesvm.Config, ctx context.Context, x mat.Matrix, y gram.Labels, w []float64) (*svm.Model, error) {
			m, _, err := c.Fit(ctx, x, y, w)
			return m, err
		})}
	case "krr":
		c := krr.Config{}
		return of{dataset.Classes: classesOf(c, krr.Config.FitClasses), dataset.Regression: tunedOn(c, krr.Config.Fit, values,
			func(m *krr.Model) modelfile.Model { return krr.NewRegressor(m, krr.Method) })}
	case "falkon":
		c := falkon.Config{}
		return of{dataset.Classes: classesOf(c, falkon.Config.FitClasses), dataset.Regression: tunedOn(c, falkon.Config.Fit, values,
			func(m *falkon.Model) modelfile.Model { return krr.NewRegressor(m, falkon.Method) })}
	case "dc-krr":
		c := dckrr.Config{}
		return of{dataset.Classes: classesOf(c, dckrr.Config.FitClasses), dataset.Regression: tunedOn(c, dckrr.Config.Fit, values,
			func(m *dckrr.Model) modelfile.Model { return krr.NewRegressor(m, dckrr.Method) })}
	case "goal-nys", "goal-rff":
		c := goal.Config{}
		if method == "goal-rff" {
			c.Features = goal.Fourier
		}
		return of{dataset.Classes: classesOf(c, goal.Config.Fit), dataset.Regression: valuesOf(c, goal.Config.FitValues)}
	case "gbdt":
		return of{dataset.Classes: classesOf(gbdt.Config{}, gbdt.Config.Fit), dataset.Regression: valuesOf(gbdt.Config{}, gbdt.Config.FitValues)}
	case "nystrom":
		return onMap(method, nystrom.Config{}, nystrom.Config.Fit)
	case "rff":
		return onMap(method, rff.Config{}, rff.Config.Fit)
	case "meka":
		return onMap(method, meka.Config{}, meka.Config.Fit)
	case "fastnys":
		return onMap(method, fastnys.Config{}, fastnys.Config.Fit)
	case "pseudo":
		return onMap(method, pseudo.Config{}, pseudo.Config.Fit)
	case "leml":
		return of{dataset.MultiLabel: labelsOf(leml.Config{}, leml.Config.Fit)}
	case "sleec":
		return of{dataset.MultiLabel: labelsOf(sleec.Config{}, sleec.Config.Fit)}
	case "dcpred":
		return of{dataset.Classes: classesOf(dcpred.Config{}, dcpred.Config.Fit), dataset.Regression: valuesOf(dcpred.Config{}, dcpred.Config.FitValues)}
	case "ldkl":
		return of{dataset.Classes: classesOf(ldkl.Config{}, ldkl.Config.Fit)}
	}
	return nil
}

// What a Go program gets from crossval.Tune is, byte for byte, the model of the command, for every method that chooses
// settings by the data.
func TestTunedIsTheCommand(t *testing.T) {
	if os.Getenv("GRAM_LONG") == "" {
		t.Skip("takes long: needs GRAM_LONG")
	}
	data := func(task dataset.Task) *dataset.Set {
		switch p := algotest.Problem(3, 240, 3, 3); task {
		case dataset.Classes:
			d := dataset.Rings(240, 3, .3, 1) // of fewer rows the defaults are chosen
			d.Weight = p.Weights
			return d
		case dataset.Regression:
			p = algotest.Problem(3, 120, 3, 3)
			return &dataset.Set{X: p.X, Value: p.Value, Weight: p.Weights}
		}
		return dataset.SparseMultiLabel(80, 40, 8, 1)
	}
	encoded := func(m modelfile.Model, err error) []byte {
		if m == nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := modelfile.Write(&b, m); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	chose := 0
	for _, m := range catalog.Methods() {
		if len(m.New().Settings().Candidates) == 0 || testing.Short() && !slices.Contains([]string{"svm", "krr", "leml"}, m.Name) {
			continue
		}
		all := tuned(m.Name)
		for _, task := range m.Tasks {
			tune, there := all[task]
			if !there {
				t.Errorf("%s for %v: no fit in Go", m.Name, task)
				continue
			}
			d, f := data(task), m.New()
			for _, rows := range []int{240, 5000} {
				shape := d.Shape()
				shape.N, shape.NNZ = rows, shape.NNZ*int64(rows)/int64(shape.N)
				want, err := f.Plan(task, shape, gram.Run{Seed: 5})
				if err != nil {
					t.Fatal(err)
				}
				if got, err := tune.plan(shape); err != nil || got != want {
					t.Errorf("%s for %v, %d rows: the plan in Go is %+v, %v, want %+v", m.Name, task, rows, got, err, want)
				}
			}
			want := encoded(f.Fit(t.Context(), d, gram.Run{Seed: 5}))
			if got := encoded(tune.fit(t.Context(), d, gram.Run{Seed: 5})); !bytes.Equal(got, want) {
				t.Errorf("%s for %v: another model in Go", m.Name, task)
			}
			if chosen, _ := catalog.Chosen(f); len(chosen) > 0 {
				chose++
			}
		}
	}
	if chose < 3 && !testing.Short() {
		t.Errorf("only %d choices by folds were not the default", chose)
	}
}
