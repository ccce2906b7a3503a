package catalog_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/divide/dckrr"
	"github.com/gramworks/gram/algos/kernels/sideinfo"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// configOf is the configuration that f has after its settings, completed for x.
func completed(t *testing.T, f catalog.Fitter, x mat.Matrix) any {
	t.Helper()
	c, err := catalog.Completed(f, x, gram.Run{Seed: 3})
	if err != nil {
		t.Fatalf("%T: %v", f, err)
	}
	return c
}

// fields are the exported fields of a configuration and their values, as a setting names
// them: those of an embedded struct are the configuration's own, those of another one follow
// a point. A kernel and a selector count as one field; Run and functions are left out.
func fields(c any) map[string]string {
	all := map[string]string{}
	var walk func(prefix string, v reflect.Value)
	walk = func(prefix string, v reflect.Value) {
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() || f.Name == "Run" || f.Type.Kind() == reflect.Func {
				continue
			}
			name, x := prefix+f.Name, v.Field(i).Interface()
			k, isKernel := x.(kernel.Kernel)
			optional := strings.HasPrefix(f.Type.Name(), "Opt[")
			switch {
			case isKernel:
				all[name] = fmt.Sprint(k.Spec())
			case f.Type.Kind() == reflect.Interface:
				all[name] = fmt.Sprintf("%T", x)
			case f.Type.Kind() == reflect.Struct && f.Anonymous:
				walk(prefix, v.Field(i))
			case f.Type.Kind() == reflect.Struct && !optional:
				walk(name+".", v.Field(i))
			default:
				all[name] = fmt.Sprint(x)
			}
		}
	}
	walk("", reflect.ValueOf(c))
	return all
}

// changed names the fields that differ, sorted.
func changed(a, b any) []string {
	x, y := fields(a), fields(b)
	var names []string
	for _, k := range slices.Sorted(maps.Keys(x)) {
		if y[k] != x[k] {
			names = append(names, k)
		}
	}
	return names
}

// others are values of a setting that are in its range and not its default.
func others(t *testing.T, s *settings.Setting) []string {
	switch {
	case len(s.Choices) > 0:
		return slices.DeleteFunc(slices.Clone(s.Choices), func(c string) bool { return c == s.Default })
	case s.Kind == "bool":
		return []string{map[string]string{"true": "false", "false": "true"}[s.Default]}
	case s.Name == "nu":
		return []string{"0.5", "2.5"}
	case s.Name == "gamma" && strings.Contains(s.Help, "median"):
		return []string{"0.7", "mean", "median"}
	case s.Kind == "numbers":
		return []string{"1,2,3"}
	case s.Kind == "columns":
		return []string{"1:1"}
	}
	for _, v := range []string{"7", "0.25", "64", "0.5"} {
		if before := s.String(); v != s.Default && s.Set(v) == nil {
			if before != "" {
				_ = s.Set(before)
			}
			return []string{v}
		}
	}
	t.Fatalf("no value of %s is known", s.Name)
	return nil
}

// besides are settings of a method that give another one a meaning.
func besides(m catalog.Method, setting string) []string {
	if m.New().Settings().Lookup("kernel") == nil {
		return []string{""}
	}
	switch setting {
	case "degree":
		return []string{"kernel=polynomial", "kernel=homogeneous"}
	case "offset":
		return []string{"kernel=polynomial", "kernel=sigmoid"}
	case "nu":
		return []string{"kernel=matern"}
	case "length":
		return []string{"kernel=matern", "kernel=rational-quadratic"}
	case "alpha":
		return []string{"kernel=rational-quadratic"}
	case "scale":
		return []string{"kernel=sigmoid"}
	}
	return []string{""}
}

// last is the name of a field without the parts that it is in.
func last(field string) string { return field[strings.LastIndex(field, ".")+1:] }

// Every setting of every method reaches its field of the configuration and no other than
// fields of the same name in parts that share the setting, and different values of a
// choice become different values there.
func TestSettingsReachConfig(t *testing.T) {
	x := algotest.Problem(1, 40, 4, 3).X
	with := func(m catalog.Method, assignments ...string) any {
		return completed(t, catalogtest.Trainable(t, m, slices.DeleteFunc(assignments, func(s string) bool { return s == "" })...), x)
	}
	for _, m := range catalog.Methods() {
		for _, s := range m.New().Settings().Settings {
			for _, other := range besides(m, s.Name) {
				before, seen := with(m, other), map[string]string{}
				for _, v := range others(t, s) {
					set := s.Name + "=" + v
					after := with(m, other, set)
					got := changed(before, after)
					if !slices.Contains(got, s.Field) || slices.ContainsFunc(got, func(f string) bool { return last(f) != last(s.Field) }) {
						t.Errorf("%s: %s %s changes %v, want %s", m.Name, other, set, got, s.Field)
					}
					state := fields(after)[s.Field]
					if twin, ok := seen[state]; ok {
						t.Errorf("%s: %s is the same as %s", m.Name, set, twin)
					}
					seen[state] = set
				}
			}
		}
	}
}

// Settings have names that occur once, help, and no zero that stands for another value;
// what they say is their default is accepted as one.
func TestSettings(t *testing.T) {
	names := map[string]bool{}
	for _, m := range catalog.Methods() {
		if names[m.Name] || m.Name == "" || m.Summary == "" {
			t.Errorf("method %q: a name twice or no summary", m.Name)
		}
		names[m.Name] = true
		seen := map[string]bool{}
		b := m.New().Settings()
		for _, s := range b.Settings {
			if seen[s.Name] || s.Help == "" || s.Ambiguous() || b.Lookup(s.Name) != s {
				t.Errorf("%s: setting %s: twice %v, help %q, ambiguous %v", m.Name, s.Name, seen[s.Name], s.Help, s.Ambiguous())
			}
			seen[s.Name] = true
			if s.Default != "" && !strings.ContainsAny(s.Default, " :·") {
				if err := s.Set(s.Default); err != nil && len(s.Default) < 12 && s.Default != "m" && s.Default != "ones" {
					t.Errorf("%s: the default of %s, %s, is not accepted: %v", m.Name, s.Name, s.Default, err)
				}
			}
		}
		got, err := catalog.Find(m.Name)
		if err != nil || got.Name != m.Name {
			t.Errorf("Find(%q) is %q, %v", m.Name, got.Name, err)
		}
	}
	_, err := catalog.Find("nope")
	var config *gram.ConfigError
	if !errors.As(err, &config) || !strings.Contains(err.Error(), "nystrom") {
		t.Errorf("Find of no method: %v", err)
	}
}

// ownDefaults are the fields in which the configuration of a method differs from the zero value of its
// estimator's: what the command has reasons to do otherwise.
var ownDefaults = map[string][]string{
	"gimc-lff": {"Map"},
	"pairwise": {"Map.Map"},
	"goal-rff": {"Features"},
}

// Every setting that is listed has the default of the configuration's field.
func TestDefaults(t *testing.T) {
	for _, m := range catalog.Methods() {
		c := completed(t, m.New(), nil)
		got := slices.DeleteFunc(changed(c, reflect.New(reflect.TypeOf(c)).Elem().Interface()), func(name string) bool {
			return name == "Kernel" || strings.HasSuffix(name, ".Kernel")
		})
		if !slices.Equal(got, ownDefaults[m.Name]) {
			t.Errorf("%s: without settings the configuration differs from its zero value in %v, want %v", m.Name, got, ownDefaults[m.Name])
		}
	}
}

// configOf is what the Config method of a model returns, nil if it has none.
func configOf(model any) any {
	m := reflect.ValueOf(model).MethodByName("Config")
	if !m.IsValid() {
		return nil
	}
	return m.Call(nil)[0].Interface()
}

// parted are the models that a model of the catalog is made of.
func parted(model any) []any {
	switch m := model.(type) {
	case *pipeline.Classifier:
		return mapped(m.Classifier, m.FeatureMap())
	case *pipeline.Regressor:
		return mapped(m.Regressor, m.FeatureMap())
	case interface{ FeatureMap() predict.Map }:
		return []any{m.FeatureMap()}
	case interface{ Model() krr.Functions }:
		return []any{m.Model()}
	}
	return []any{model}
}

func mapped(model any, m pipeline.Map) []any {
	if m == nil {
		return []any{model}
	}
	return []any{model, m}
}

// How a fit runs reaches every part of every method: the limit, the workers, the seed
// and the function for progress. Three methods choose settings, which the others do in the same way.
func TestRunReachesConfig(t *testing.T) {
	algotest.Serial(t)
	d := algotest.Problem(1, 60, 4, 3)
	kind := map[dataset.Task]algotest.Kind{dataset.Classes: algotest.Classification, dataset.Regression: algotest.Regression, dataset.MultiLabel: algotest.MultiLabel}
	for _, m := range catalog.Methods() {
		for _, task := range m.Tasks {
			if task == dataset.NoTarget {
				continue
			}
			for _, variant := range variants(m.Name, task) {
				name := strings.Join(append([]string{m.Name, task.String()}, variant...), " ")
				events := 0
				run := gram.Run{Seed: 9, Workers: 3, MemoryLimit: 1 << 50, Progress: func(gram.Event) { events++ }}
				variant = append(catalogtest.Quick(m), variant...)
				fitter := catalogtest.Trainable(t, m, variant...)
				if m.Name != "krr" && m.Name != "nystrom" && m.Name != "leml" {
					fitter = catalog.Plain(fitter)
				}
				model, err := fitter.Fit(t.Context(), catalogtest.Set(d, kind[task]), run)
				var ce *gram.ConvergenceError
				if err != nil && !errors.As(err, &ce) {
					t.Fatalf("%s: %v", name, err)
				}
				if events == 0 {
					t.Errorf("%s: no progress", name)
				}
				for _, part := range parted(model) {
					c := reflect.ValueOf(configOf(part))
					if !c.IsValid() {
						continue
					}
					for c.FieldByName("Run") == (reflect.Value{}) {
						c = c.FieldByName("Machine")
					}
					r := c.FieldByName("Run").Interface().(gram.Run)
					if r.Seed != run.Seed || r.Workers != run.Workers || r.MemoryLimit != run.MemoryLimit || r.Progress == nil {
						t.Errorf("%s: the run of %T is %+v", name, part, r)
					}
				}
				var me *gram.MemoryError
				run.MemoryLimit = 1
				if _, err := catalogtest.Trainable(t, m, variant...).Fit(t.Context(), catalogtest.Set(d, kind[task]), run); !errors.As(err, &me) || me.Limit != 1 {
					t.Errorf("%s: error %v under a limit of one byte", name, err)
				}
			}
		}
	}
}

// variants are the settings under which a method takes different ways through the
// catalog.
func variants(method string, task dataset.Task) [][]string {
	all := [][]string{nil}
	switch {
	case method == "dc-krr":
		all = append(all, []string{"partition=random"})
	case method == "sideinfo":
		all = append(all, []string{"csi=true"}, []string{"neighbors=3"})
	case method == "inductive":
		all = append(all, []string{"svm=true"})
	}
	if catalog.Must(method).New().Settings().Lookup("model") != nil && task == dataset.Classes {
		all = append(all, []string{"model=logistic"}, []string{"no-bias=true"}, []string{"model=logistic", "no-bias=true"})
	}
	return all
}

// Settings that choose between estimators choose the one they name; a model without a
// constant has none.
func TestKinds(t *testing.T) {
	d := algotest.Problem(1, 60, 4, 3)
	classes, values := catalogtest.Set(d, algotest.Classification), catalogtest.Set(d, algotest.Regression)
	for _, c := range []struct {
		method string
		data   *dataset.Set
		set    string
		want   any // the configuration of the last part
	}{
		{"linear", classes, "model=auto", linear.Logistic{}},
		{"linear", classes, "model=svm", linear.SVM{}},
		{"linear", classes, "model=logistic", linear.Logistic{}},
		{"linear", values, "model=auto", linear.Ridge{}},
		{"linear", values, "model=ridge", linear.Ridge{}},
		{"nystrom", classes, "model=logistic", nystrom.Config{}},
		{"dc-krr", values, "partition=kmeans", dckrr.Config{}},
		{"dc-krr", values, "partition=random", krr.Config{}},
		{"dc-krr", classes, "partition=random", krr.Config{}},
		{"krr", classes, "solver=auto", krr.Config{}},
		{"sideinfo", classes, "csi=false", sideinfo.Config{}},
	} {
		m := catalog.Must(c.method)
		model, err := catalogtest.Trainable(t, m, c.set).Fit(t.Context(), c.data, gram.Run{})
		if err != nil {
			t.Fatalf("%s %s: %v", c.method, c.set, err)
		}
		all := parted(model)
		if got := configOf(all[len(all)-1]); reflect.TypeOf(got) != reflect.TypeOf(c.want) {
			t.Errorf("%s %s fits a %T, want a %T", c.method, c.set, got, c.want)
		}
	}
	for set, d := range map[string]*dataset.Set{"model=ridge": classes, "model=svm": values, "model=logistic": values} {
		f := catalogtest.Trainable(t, catalog.Must("linear"), set)
		_, fit := f.Fit(t.Context(), d, gram.Run{})
		_, plan := f.Plan(d.Task(), gram.Shape{N: 60, D: 4, Outputs: max(1, len(d.Labels.Names))}, gram.Run{})
		for what, err := range map[string]error{"fit": fit, "plan": plan} {
			var ce *gram.ConfigError
			if !errors.As(err, &ce) || ce.Field != "model" || "model="+fmt.Sprint(ce.Value) != set {
				t.Errorf("%s of %v with %s: %v", what, d.Task(), set, err)
			}
		}
	}
	for set, d := range map[string]*dataset.Set{"model=svm": classes, "model=logistic": classes, "model=ridge": values} {
		for _, bias := range []bool{true, false} {
			model, err := catalogtest.Trainable(t, catalog.Must("linear"), set, fmt.Sprint("no-bias=", !bias)).Fit(t.Context(), d, gram.Run{})
			if err != nil {
				t.Fatal(err)
			}
			_, constants := parted(model)[0].(interface {
				Weights() (*mat.Dense, []float64)
			}).Weights()
			for _, v := range constants {
				if (v != 0) != bias {
					t.Errorf("%s, no-bias=%v: the constants are %v", set, !bias, constants)
				}
			}
		}
	}
	csi, err := catalogtest.Trainable(t, catalog.Must("sideinfo"), "csi=true", "m=7").Fit(t.Context(), classes, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := catalogtest.Trainable(t, catalog.Must("sideinfo"), "m=7").Fit(t.Context(), classes, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	a, b := csi.(gram.Classifier).Scores(nil, classes.X), plain.(gram.Classifier).Scores(nil, classes.X)
	if mat.Equal(a, b) {
		t.Error("csi=true changes nothing")
	}
}

// The settings of every method with their fields, defaults, ranges and explanations are those of
// the list in testdata: none gets lost or changes unseen. go test -update writes the list.
func TestSettingsList(t *testing.T) {
	var b strings.Builder
	for _, m := range catalog.Methods() {
		fmt.Fprintf(&b, "%s: %s\n", m.Name, m.Summary)
		for _, s := range m.New().Settings().Settings {
			fmt.Fprintf(&b, "  %s\t%s\t%s\t%s\t%s\t%s\n", s.Name, s.Field, s.Default, s.Range, strings.Join(s.Choices, "|"), s.Help)
		}
	}
	path := filepath.Join("testdata", "settings.txt")
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	have := strings.Split(b.String(), "\n")
	for i, l := range strings.Split(string(want), "\n") {
		if i >= len(have) || have[i] != l {
			t.Fatalf("line %d of %s is %q, now %q", i+1, path, l, strings.Join(have[min(i, len(have)):min(i+1, len(have))], ""))
		}
	}
}
