package catalog_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/mat"
)

// seen is what a fit shows of its settings: what the model says about other rows, its statistics
// without times, and the plan.
type seen struct {
	out         *mat.Dense
	stats, plan string
}

// In places where an effect of a setting can be seen; the first one is the best.
var places = []string{"output", "statistics", "plan"}

// differs reports whether b differs from a in the place, outputs by more than tol times the
// largest number.
func (a seen) differs(b seen, place string, tol float64) bool {
	switch place {
	case "output":
		x, y := a.out.RawMatrix().Data, b.out.RawMatrix().Data
		if len(x) != len(y) {
			return true
		}
		var most, off float64
		for i, v := range x {
			if math.IsNaN(v) != math.IsNaN(y[i]) {
				return true
			}
			if v != y[i] && !math.IsNaN(v) {
				off = max(off, cmp.Or(math.Abs(v-y[i]), 1))
			}
			most = max(most, math.Abs(v))
		}
		return off > tol*most
	case "statistics":
		return a.stats != b.stats
	}
	return a.plan != b.plan
}

// statistics prints what the methods Stats of the parts of a model return, without times.
func statistics(model any) string {
	var b strings.Builder
	var write func(v reflect.Value)
	write = func(v reflect.Value) {
		switch {
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				if name := v.Type().Field(i).Name; !strings.Contains(name, "Seconds") && !strings.Contains(name, "Time") {
					write(v.Field(i))
				}
			}
		case v.Kind() == reflect.Slice:
			for i := range v.Len() {
				write(v.Index(i))
			}
		case v.Type() != reflect.TypeFor[time.Duration]():
			fmt.Fprint(&b, v, " ")
		}
	}
	for _, part := range parted(model) {
		if stats := reflect.ValueOf(part).MethodByName("Stats"); stats.IsValid() {
			for _, v := range stats.Call(nil) {
				write(v)
			}
		}
	}
	return b.String()
}

// observe fits the method with the settings, apart from those that make a fit quick. It returns false if there is no such fit.
func observe(ctx context.Context, t *testing.T, m catalog.Method, task dataset.Task, run gram.Run, set ...string) (seen, bool) {
	f := m.New()
	quick := slices.DeleteFunc(catalogtest.Quick(m), func(set string) bool { return set == "max-iter=5" }) // patience has none in so few turns
	if m.Name == "pairwise" {
		quick = append(quick, "lambda=1", "pairs=300", "starts=2", "rounds=3")
	}
	for _, one := range append(quick, set...) {
		if f.Settings().Set(one) != nil {
			return seen{}, false
		}
	}
	classes := 3
	if m.Name == "gbdt" {
		classes = 2 // criterion=direct is for two
	}
	d := algotest.Problem(5, 60, 4, classes)
	kind, _ := effectKind(m, task)
	p, err := training.Train(ctx, m, f, catalogtest.Set(d, kind), training.NoScale, run)
	if converged := (*gram.ConvergenceError)(nil); p == nil || err != nil && !errors.As(err, &converged) {
		return seen{}, false
	}
	if task == dataset.Regression {
		classes = 1
	}
	plan, err := f.Plan(task, gram.Shape{N: 1000, D: 4, Outputs: classes}, run)
	if err != nil {
		return seen{}, false
	}
	return seen{catalogtest.Wrap(t, p).Output(algotest.Problem(6, 40, 4, 3).X), statistics(p.Model), fmt.Sprint(plan)}, true
}

var effectKinds = map[dataset.Task]algotest.Kind{dataset.Classes: algotest.Classification, dataset.Regression: algotest.Regression, dataset.MultiLabel: algotest.MultiLabel}

// effectKind is the kind of data of the test for a task; false for pairwise without a target, which needs a file of pairs.
func effectKind(m catalog.Method, task dataset.Task) (algotest.Kind, bool) {
	if m.WithoutTarget() {
		return algotest.Unsupervised, true
	}
	kind, known := effectKinds[task]
	return kind, known
}

// values are texts that a setting may take, some of which it refuses.
func values(m catalog.Method, name string) []string {
	s := m.New().Settings().Lookup(name)
	switch s.Name {
	case "gamma":
		return []string{"0.7"}
	case "nu":
		return []string{"2.5"}
	case "class-weights":
		return []string{"1,2,3"}
	}
	switch s.Kind {
	case "integer", "number", "numbers", "MiB":
		return []string{"2", "0.3", "1", "5", "0.01", "20", "0.9", "100", "1e-6", "0"}
	case "bool":
		return []string{"true"}
	case "columns":
		return []string{"1:1", "1:-1"}
	case "file":
		return nil
	}
	return s.Choices
}

// findEffect looks for settings under which a setting has an effect.
func findEffect(t *testing.T, m catalog.Method, task dataset.Task, name string) string {
	own := m.New().Settings().Settings
	besides := []string{""}
	for _, o := range own {
		if o.Name == name {
			continue
		}
		if len(o.Choices) == 0 && o.Kind != "bool" {
			continue
		}
		for _, v := range values(m, o.Name) {
			besides = append(besides, o.Name+"="+v)
		}
	}
	besides = append(besides, slices.Concat(pairs[name], pairs[m.Name], pairs[m.Name+" "+name])...)
	best, found := len(places), ""
	for _, other := range besides {
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
		before, ok := observe(ctx, t, m, task, gram.Run{Seed: 1}, strings.Fields(other)...)
		for _, v := range values(m, name) {
			if !ok {
				break
			}
			after, ok := observe(ctx, t, m, task, gram.Run{Seed: 1}, append(strings.Fields(other), name+"="+v)...)
			for i, place := range places[:best] {
				if ok && before.differs(after, place, 1e-6) {
					best, found = i, strings.Join([]string{m.Name, task.String(), name, v, place, other}, "\t")+"\n"
					break
				}
			}
			if best == 0 {
				break
			}
		}
		cancel()
		if best == 0 {
			break
		}
	}
	return found
}

var pairs = map[string][]string{
	"per-row":           {"lambda=0.1", "model=ridge lambda=0.1", "solver=cg lambda=0.1"},
	"bka-svm":           {"clusters=3", "clusters=3 c=100"},
	"dc-svm":            {"levels=2 branch=3", "levels=1 branch=3 max-iter=20", "levels=2 branch=3 tol=0.3"},
	"balance":           {"clusters=3 balance=0.3"},
	"dc-krr":            {"parts=3", "partition=voronoi", "partition=voronoi parts=3", "parts=3 soft=2", "parts=3 solver=cg", "parts=3 partition=random"},
	"rfm":               {"length=2 lambda=0.1 metric=full", "length=2 lambda=0.1", "length=2 lambda=0.1 metric=full holdout=0", "length=2 lambda=0.1 metric=full leaf=30"},
	"meka":              {"clusters=3", "clusters=3 m=4", "clusters=3 basis=kmeans", "clusters=3 columns=1"},
	"oversample":        {"core=randomised rank=3", "core=randomised rank=3 power=0"},
	"power":             {"core=randomised rank=3", "core=randomised rank=3 oversample=0"},
	"core":              {"rank=3 oversample=0 power=0"},
	"tol":               {"model=ridge solver=cg lambda=1e-6", "model=logistic", "max-iter=100 c=100", "solver=cg lambda=1e-6"},
	"solver":            {"lambda=1e-6", "tol=0.3", "model=ridge tol=0.3"},
	"max-iter":          {"solver=cg lambda=1e-6", "model=ridge solver=cg lambda=1e-6"},
	"rank":              {"solver=askotch", "solver=askotch block=20", "solver=askotch block=20 max-iter=3"},
	"block":             {"solver=askotch max-iter=3", "solver=askotch"},
	"landmarks":         {"solver=cg tol=0.3", "solver=askotch", "approximation=dtc", "approximation=fitc"},
	"selection":         {"solver=cg landmarks=5 tol=0.3", "approximation=dtc landmarks=5", "approximation=fitc landmarks=5"},
	"no-preconditioner": {"solver=cg tol=0.3"},
	"goal-nys":          {"holdout=0.3 max-iter=20", "holdout=0.3 patience=1", "holdout=0.3 folds=2"},
	"goal-rff":          {"holdout=0.3 max-iter=20", "holdout=0.3 patience=1", "holdout=0.3 folds=2"},
	"gbdt":              {"leaves=4", "holdout=0.3 rounds=40", "holdout=0.3 rounds=40 shrinkage=1", "min-rows=1 leaves=20", "criterion=direct min-rows=5 leaves=8", "bins=10", "min-rows=2"},
	"gbml":              {"min-rows=2", "min-rows=2 depth=3", "rank=2", "rank=2 projection-tol=0"},
	"leml":              {"rank=2", "rank=2 tol=0", "rank=2 rounds=2"},
	"fastxml":           {"leaf=2", "leaf=2 depth=20"},
	"plt":               {"leaf=2 branch=2", "leaf=1 branch=2 beam=1", "tol=1e-4"},
	"sleec":             {"rank=2", "rank=2 neighbors=5", "rank=2 cluster=20"},
	"gimc-lff":          {"features=nystrom m=8"},
	"dcpred":            {"leaf=20", "leaf=20 branch=2", "leaf=10 depth=2", "landmarks=structured m=4", "landmarks=structured leaf=30 m=4 rows=2"},
	"aesvm":             {"part=20", "part=20 epsilon=0.3"},
	"inductive":         {"svm=true", "hard=true", "regularizer=frobenius", "basis=random m=8", "basis=random m=8 rank=3", "m=8", "regularizer=trace m=8", "regularizer=trace tau=0.3", "regularizer=near-identity"},
	"sideinfo":          {"csi=true", "csi=true m=5", "prior=0.1", "prior=0.1 learn-solver=gradient", "prior=0.1 learn-solver=accelerated", "model=ridge", "neighbors=3", "model=svm", "model=logistic"},
	"bregman":           {"model=svm", "model=logistic", "learn-divergence=von-neumann", "hard=true"},
	"svm":               {"c=100", "kernel=linear c=100"},
	"pairwise":          {"features=nystrom", "learn=true"},
}

// unseen are settings without an effect that this test can see, and why.
var unseen = map[string]string{
	"bregman lambda":   "for ridge regression on values, which a method of classes has not",
	"bregman per-row":  "as lambda",
	"bregman solver":   "as lambda",
	"falkon cache":     "less than a MiB holds all kernel values of so few rows",
	"meka no-repair":   "leaves no features, so that a linear model on them is refused",
	"sideinfo lambda":  "for ridge regression on values, which a method of classes has not",
	"sideinfo per-row": "as lambda",
	"sideinfo solver":  "as lambda",
}

// Every setting of every method changes what the model says of other rows, by more than rounding
// does; of some it is the statistics or the plan that changes. The list in testdata has a line for each
// setting and task: a value, where its effect was seen, and the settings beside it without which there may be none.
// go test -update looks for them anew, which takes minutes. A setting that does not reach the fit has no
// effect, whatever the configuration says.
func TestSettingsHaveEffect(t *testing.T) {
	path := filepath.Join("testdata", "effects.tsv")
	if flag.Lookup("update").Value.String() == "true" {
		var b strings.Builder
		for _, m := range catalog.Methods() {
			for _, s := range m.New().Settings().Settings {
				for _, task := range m.Tasks {
					if _, known := effectKind(m, task); known {
						b.WriteString(findEffect(t, m, task, s.Name))
					}
				}
			}
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	run := gram.Run{Seed: 1, Workers: 2} // plans depend on the workers
	known, before := map[string]bool{}, map[string]seen{}
	for line := range strings.Lines(string(list)) {
		part := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		name, place, beside := part[0]+" "+part[2], part[4], strings.Fields(part[5])
		m := catalog.Must(part[0])
		if m.New().Settings().Lookup(part[2]) == nil {
			continue
		}
		// The race detector, which -short goes with, sees nothing here that it does not see in the methods' own tests.
		skip := testing.Short() && (known[name] || !slices.Contains([]string{"svm", "krr", "nystrom"}, m.Name))
		known[name] = true
		if skip {
			continue
		}
		task := m.Tasks[slices.IndexFunc(m.Tasks, func(task dataset.Task) bool { return task.String() == part[1] })]
		without := strings.Join([]string{part[0], part[1], part[5]}, "\t")
		a, ok := before[without]
		if !ok {
			if a, ok = observe(t.Context(), t, m, task, run, beside...); !ok {
				t.Errorf("%s for %v with %v cannot be fitted", m.Name, task, beside)
				continue
			}
			before[without] = a
		}
		set := part[2] + "=" + part[3]
		if b, ok := observe(t.Context(), t, m, task, run, append(beside, set)...); !ok || !a.differs(b, place, 0) {
			t.Errorf("%s for %v with %v: %s does not change the %s", m.Name, task, beside, set, place)
		}
	}
	for _, m := range catalog.Methods() {
		for _, s := range m.New().Settings().Settings {
			name := m.Name + " " + s.Name
			if s.Kind == "file" || len(s.Choices) == 1 {
				continue
			}
			if known[name] == (unseen[name] != "") {
				t.Errorf("%s: an effect is listed: %v, a reason why there is none: %q", name, known[name], unseen[name])
			}
		}
	}
}

// How a fit runs changes nothing of the model: goroutines, a limit of memory that is not reached, and a
// function for progress.
func TestRunHasNoEffect(t *testing.T) {
	for _, m := range catalog.Methods() {
		for _, task := range m.Tasks {
			if _, known := effectKind(m, task); !known {
				continue
			}
			a, ok := observe(t.Context(), t, m, task, gram.Run{Seed: 1, Workers: 1})
			b, also := observe(t.Context(), t, m, task, gram.Run{Seed: 1, Workers: 3, MemoryLimit: 1 << 40, Progress: func(gram.Event) {}})
			if !ok || !also || a.differs(b, "output", 0) {
				t.Errorf("%s for %v is another model with other goroutines, limits or progress", m.Name, task)
			}
		}
	}
}
