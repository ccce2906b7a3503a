package catalog

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/goal"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/nystrom"
	"github.com/gramworks/gram/algos/sideinfo"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/algotest"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/pipeline"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// configsOf are the estimators' configurations that the settings of f make: all that
// a fit may choose from by the task or by a setting.
func configsOf(t *testing.T, f Fitter, x mat.Matrix, run gram.Run) []any {
	t.Helper()
	var all []any
	var model *linearFlags
	add := func(c any, err error) {
		if err != nil {
			t.Fatalf("%T: %v", f, err)
		}
		all = append(all, c)
	}
	switch f := f.(type) {
	case interface {
		complete(mat.Matrix, gram.Run) (any, error)
	}:
		c, err := f.complete(x, run)
		add(c, err)
	case *rffFitter:
		model = &f.model
		add(f.config(x, run))
	case *sideinfoFitter:
		model = &f.model
		c, err := f.config(x, run)
		add(c, err)
		add(f.csiConfig(c), err)
	case *goalFitter:
		add(f.config(x, run))
	case *inductiveFitter:
		add(f.config(x, run))
	case *gbmlFitter:
		add(f.config(run), nil)
	case *gimcFitter:
		c := f.config()
		c.Run = run
		add(c, nil)
	case *fastxmlFitter:
		c := f.c
		c.Run = run
		add(c, nil)
	case *sleecFitter:
		c := f.c
		c.Run = run
		add(c, nil)
	default:
		t.Fatalf("no configuration of a %T is known here", f)
	}
	if model != nil {
		all = append(all, model.svm(run), model.logistic(run), model.ridge(run))
	}
	return all
}

// parts are the fields that hold a configuration of which the settings speak as if it
// were the whole.
var parts = []string{"Machine", "Local", "Partition", "Pairs", "Config"}

// fields are the exported fields of a configuration and their values, those of parts
// among them. A kernel and a selector count as one field; Run is left out.
func fields(c any) map[string]string {
	all := map[string]string{}
	var walk func(prefix string, v reflect.Value)
	walk = func(prefix string, v reflect.Value) {
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name, x := prefix+f.Name, v.Field(i).Interface()
			switch k, isKernel := x.(kernel.Kernel); {
			case f.Name == "Run":
			case isKernel:
				all[name] = fmt.Sprint(k.Spec())
			case f.Type.Kind() == reflect.Interface:
				all[name] = fmt.Sprintf("%T", x)
			case f.Type.Kind() == reflect.Struct && slices.Contains(parts, f.Name):
				walk(prefix, v.Field(i))
			case f.Type.Kind() == reflect.Struct:
				walk(name+".", v.Field(i))
			default:
				all[name] = fmt.Sprint(x)
			}
		}
	}
	walk("", reflect.ValueOf(c))
	return all
}

// changed names the fields that differ in any of the configurations, sorted.
func changed(a, b []any) []string {
	names := map[string]bool{}
	for i := range a {
		x, y := fields(a[i]), fields(b[i])
		for k, v := range x {
			if y[k] != v {
				names[k] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// fieldsOf names the fields that a setting goes to, as "field" or "field field". It
// is the setting's name in the form of a field's unless it is listed here, for all
// methods or as "method/setting".
func fieldsOf(method, setting string) string {
	listed := map[string]string{
		"alpha": "Kernel", "degree": "Kernel", "gamma": "Kernel", "length": "Kernel", "nu": "Kernel", "offset": "Kernel", "scale": "Kernel",
		"cache":                  "CacheBytes",
		"no-bias":                "Bias NoBias", // the constant feature has no value then
		"per-row":                "Penalty",
		"dc-svm/no-bias":         "NoBias",
		"bka-svm/no-bias":        "NoBias",
		"svm/no-bias":            "NoBias",
		"svr/no-bias":            "NoBias",
		"goal-nys/no-bias":       "NoBias",
		"goal-rff/no-bias":       "NoBias",
		"krr/no-bias":            "Bias",
		"dc-krr/no-bias":         "Bias",
		"krr/landmarks":          "M",
		"dc-krr/landmarks":       "M",
		"dcpred/landmarks":       "Structured",
		"gbdt/leaves":            "MaxLeaves",
		"gbdt/depth":             "MaxDepth",
		"gimc-lff/features":      "Map",
		"gimc-lff/gamma":         "Gamma",
		"inductive/basis":        "Reduction",
		"inductive/m":            "M Reduction",
		"inductive/pairs":        "Count",
		"meka/m":                 "Rank",
		"sideinfo/prior":         "Lambda",
		"gbml/rank":              "Projection.Rank",
		"gbml/projection-lambda": "Projection.Lambda",
		"gbml/projection-rounds": "Projection.Rounds",
	}
	if s, ok := Settings(mustFind(method).New()).Lookup(setting).Value.(*settings.Setting); ok {
		return s.Field
	}
	for _, name := range []string{method + "/" + setting, setting} {
		if f, ok := listed[name]; ok {
			return f
		}
	}
	var field strings.Builder
	for word := range strings.SplitSeq(setting, "-") {
		field.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return field.String()
}

// kinds are settings that choose between configurations; TestKinds has them.
var kinds = []string{"model", "dc-krr/partition=random", "sideinfo/csi"}

// besides are the settings that give another one a meaning.
func besides(method, setting string) [][]string {
	switch setting {
	case "degree":
		return [][]string{{"kernel=polynomial"}, {"kernel=homogeneous"}}
	case "offset":
		return [][]string{{"kernel=polynomial"}, {"kernel=sigmoid"}}
	case "nu":
		return [][]string{{"kernel=matern"}}
	case "length":
		return [][]string{{"kernel=matern"}, {"kernel=rational-quadratic"}}
	case "alpha":
		return [][]string{{"kernel=rational-quadratic"}}
	case "scale":
		return [][]string{{"kernel=sigmoid"}}
	case "basis":
		if method == "inductive" {
			return [][]string{{"m=7"}}
		}
	case "gamma":
		if method != "gimc-lff" && Settings(mustFind(method).New()).Lookup("kernel") != nil {
			if slices.Contains(choicesOf(method, "kernel"), "laplacian") {
				return [][]string{nil, {"kernel=laplacian"}}
			}
		}
	}
	return [][]string{nil}
}

func mustFind(method string) Method {
	m, err := Find(method)
	if err != nil {
		panic(err)
	}
	return m
}

func choicesOf(method, setting string) []string {
	if s, ok := Settings(mustFind(method).New()).Lookup(setting).Value.(*settings.Setting); ok {
		return s.Choices
	}
	c, _ := Settings(mustFind(method).New()).Lookup(setting).Value.(choice)
	return c.values
}

// othersThan are values of a setting that are not its default.
func othersThan(f *flag.Flag) []string {
	if c, ok := f.Value.(choice); ok {
		return c.values[1:]
	}
	if s, ok := f.Value.(*settings.Setting); ok {
		return others(s)
	}
	if f.Name == "nu" {
		return []string{"0.5", "2.5"}
	}
	switch f.Value.(type) {
	case *width:
		return []string{"0.7", "mean", "median"}
	}
	switch v := f.Value.(flag.Getter).Get().(type) {
	case bool:
		return []string{"true"}
	case int, int64:
		return []string{fmt.Sprint(reflect.ValueOf(v).Int() + 2)}
	case float64:
		if v == 0 {
			return []string{"0.25"}
		}
		return []string{fmt.Sprint(v / 2)}
	}
	panic("a setting of another type: " + f.Name)
}

// others are values of a setting that are in its range and not its default.
func others(s *settings.Setting) []string {
	switch {
	case len(s.Choices) > 0:
		return s.Choices[1:]
	case s.Kind == "bool":
		return []string{"true"}
	case s.Name == "nu":
		return []string{"0.5", "2.5"}
	case s.Name == "gamma":
		return []string{"0.7", "mean", "median"}
	case s.Kind == "numbers":
		return []string{"1,2,3"}
	}
	for _, v := range []string{"3", "0.25", "5"} {
		if v != s.Default && s.Set(v) == nil {
			return []string{v}
		}
	}
	panic("no value of " + s.Name + " is known")
}

// Every setting of every method reaches its field of the configuration and no other,
// and different values of a choice become different values there.
func TestSettingsReachConfig(t *testing.T) {
	x := algotest.Problem(1, 40, 4, 3).X
	make := func(m Method, settings ...string) []any {
		return configsOf(t, trainable(t, m, settings...), x, gram.Run{Seed: 3})
	}
	for _, m := range Methods() {
		owner := map[string]string{}
		Settings(m.New()).VisitAll(func(f *flag.Flag) {
			want := strings.Fields(fieldsOf(m.Name, f.Name))
			if slices.Contains(kinds, f.Name) || slices.Contains(kinds, m.Name+"/"+f.Name) {
				return
			}
			for _, others := range besides(m.Name, f.Name) {
				seen := map[string]string{}
				before := make(m, others...)
				for _, v := range othersThan(f) {
					set := f.Name + "=" + v
					if slices.Contains(kinds, m.Name+"/"+set) {
						continue
					}
					after := make(m, append(slices.Clone(others), set)...)
					if got := changed(before, after); !slices.Equal(got, want) {
						t.Errorf("%s: %v %s changes %v, want %v", m.Name, others, set, got, want)
					}
					var state []string
					for _, c := range after {
						state = append(state, fields(c)[want[0]])
					}
					if twin, ok := seen[fmt.Sprint(state)]; ok {
						t.Errorf("%s: %s is the same as %s", m.Name, set, twin)
					}
					seen[fmt.Sprint(state)] = set
				}
			}
			for _, field := range want {
				if twin, ok := owner[field]; ok && !slices.Contains([]string{"Kernel", "Lambda", "Bias", "Reduction"}, field) {
					t.Errorf("%s: %s and %s both go to %s", m.Name, f.Name, twin, field)
				}
				owner[field] = f.Name
			}
		})
	}
}

// A value of 0 that a setting explains as "none" is one in the configuration, too,
// where 0 stands for the default.
func TestNone(t *testing.T) {
	for set, field := range map[string]string{
		"linear/lambda=0": "NoPenalty", "nystrom/lambda=0": "NoPenalty", "gbdt/lambda=0": "NoPenalty", "gbml/lambda=0": "NoPenalty",
		"svr/epsilon=0": "NoEpsilon", "goal-nys/max-iter=0": "NoLearn", "goal-rff/max-iter=0": "NoLearn", "goal-nys/holdout=0": "NoHoldout",
	} {
		method, setting, _ := strings.Cut(set, "/")
		f := trainable(t, mustFind(method), setting)
		found := false
		for _, c := range configsOf(t, f, nil, gram.Run{}) {
			found = found || fields(c)[field] == "true"
		}
		if !found {
			t.Errorf("%s does not set %s", set, field)
		}
	}
}

// fitConfig fits a configuration of any estimator to d.
func fitConfig(t *testing.T, c any, d algotest.Data) modelfile.Model {
	t.Helper()
	v := reflect.ValueOf(c)
	fit := v.MethodByName("Fit")
	var args []reflect.Value
	for i := range fit.Type().NumIn() {
		in := fit.Type().In(i)
		var arg any
		switch in {
		case reflect.TypeFor[context.Context]():
			arg = t.Context()
		case reflect.TypeFor[mat.Matrix]():
			arg = d.X
		case reflect.TypeFor[gram.Labels]():
			arg = d.Labels
		case reflect.TypeOf(d.Tags):
			arg = d.Tags
		case reflect.TypeOf(d.Value):
			if i+1 < fit.Type().NumIn() { // the last are the weights
				arg = d.Value
			}
		}
		if arg == nil {
			args = append(args, reflect.Zero(in))
		} else {
			args = append(args, reflect.ValueOf(arg).Convert(in))
		}
	}
	out := fit.Call(args)
	err, _ := out[len(out)-1].Interface().(error)
	var ce *gram.ConvergenceError
	if err != nil && !errors.As(err, &ce) {
		t.Fatalf("%T: %v", c, err)
	}
	return out[0].Interface().(modelfile.Model)
}

// configOf is what the Config method of a model returns, nil if it has none.
func configOf(model any) any {
	m := reflect.ValueOf(model).MethodByName("Config")
	if !m.IsValid() {
		return nil
	}
	return m.Call(nil)[0].Interface()
}

// setField gives a field of v, at whatever depth of parts, a value; it reports whether
// there is one.
func setField(v reflect.Value, name string, value any) bool {
	found := false
	for i := range v.NumField() {
		switch f := v.Type().Field(i); {
		case f.Name == name && reflect.TypeOf(value).AssignableTo(f.Type):
			v.Field(i).Set(reflect.ValueOf(value))
			found = true
		case f.Type.Kind() == reflect.Struct && slices.Contains(parts, f.Name):
			found = setField(v.Field(i), name, value) || found
		}
	}
	return found
}

// The defaults of the settings are those of the configuration: a fit with the one has
// the resolved configuration of a fit with the zero value of the other, and the same
// model. The defaults in the help texts are the numbers that are found there.
func TestDefaults(t *testing.T) {
	algotest.Serial(t)
	d := algotest.Problem(1, 150, 4, 3)
	for _, m := range Methods() {
		t.Run(m.Name, func(t *testing.T) {
			resolved := map[string][]string{}
			defaults(t, m, nil, ownDefaults[m.Name], d, resolved)
			if m.Name == "dc-krr" { // the partition that the radius is for
				defaults(t, m, []string{"partition=voronoi"}, map[string]any{"Bias": true, "Partition": krr.Voronoi}, d, resolved)
			}
			Settings(m.New()).VisitAll(func(f *flag.Flag) {
				var have []float64
				for _, text := range resolved[strings.Fields(fieldsOf(m.Name, f.Name))[0]] {
					if v, err := strconv.ParseFloat(text, 64); err == nil {
						have = append(have, v)
					}
				}
				if len(have) == 0 {
					return
				}
				if want, err := strconv.ParseFloat(f.DefValue, 64); err == nil && want != 0 {
					if f.Name == "cache" {
						want *= 1 << 20
					}
					if !slices.Contains(have, want) {
						t.Errorf("setting %s: the default is %v, configurations have %v", f.Name, want, have)
					}
				}
				if text := helpDefault.FindStringSubmatch(f.Usage); text != nil {
					want, err := strconv.ParseFloat(text[1], 64)
					orLess := text[2] == ","
					if err != nil || !slices.ContainsFunc(have, func(v float64) bool { return v == want || orLess && v < want }) {
						t.Errorf("setting %s: the help says %q, configurations have %v", f.Name, text[0], have)
					}
				}
			})
		})
	}
}

var helpDefault = regexp.MustCompile(`\(default ([0-9.e-]+)([,)])`)

// ownDefaults are those that a method has reasons to give another value than the
// configuration does.
var ownDefaults = map[string]map[string]any{
	"krr":       {"Bias": true},
	"dc-krr":    {"Bias": true, "Radius": 0.5}, // Radius has no meaning for k-means
	"sideinfo":  {"Accelerated": true},
	"goal-rff":  {"Features": goal.Fourier},
	"inductive": {"Tol": 1e-4}, // neighbours do not need the distances to six digits
}

// defaults compares fits of all configurations that the method makes of settings with
// those of zero configurations that have own, and adds their fields to resolved.
func defaults(t *testing.T, m Method, settings []string, own map[string]any, d algotest.Data, resolved map[string][]string) {
	t.Helper()
	run := gram.Run{Seed: 3}
	for _, c := range configsOf(t, trainable(t, m, settings...), d.X, run) {
		zero := reflect.New(reflect.TypeOf(c)).Elem()
		setField(zero, "Kernel", kernel.Gaussian{Gamma: kernel.ScaleGamma(d.X)})
		setField(zero, "Run", run)
		for name, value := range own {
			setField(zero, name, value)
		}
		got, want := fitConfig(t, c, d), fitConfig(t, zero.Interface(), d)
		if a, b := configOf(got), configOf(want); a != nil {
			if diff := changed([]any{a}, []any{b}); len(diff) != 0 {
				t.Errorf("%T: by the settings %+v, of itself %+v: %v differ", c, a, b, diff)
			}
			for name, value := range fields(a) {
				resolved[name] = append(resolved[name], value)
			}
		}
		var a, b bytes.Buffer
		if err := errors.Join(modelfile.Write(&a, got), modelfile.Write(&b, want)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%T: the model by the settings is not that of the zero value", c)
		}
	}
}

// parted are the models that a model of the catalog is made of.
func parted(model any) []any {
	switch m := model.(type) {
	case *pipeline.Classifier:
		return mapped(m.Classifier, m.FeatureMap())
	case *pipeline.Regressor:
		return mapped(m.Regressor, m.FeatureMap())
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
// and the function for progress.
func TestRunReachesConfig(t *testing.T) {
	algotest.Serial(t)
	d := algotest.Problem(1, 60, 4, 3)
	kind := map[dataset.Task]algotest.Kind{dataset.Classes: algotest.Classification, dataset.Regression: algotest.Regression, dataset.MultiLabel: algotest.MultiLabel}
	for _, m := range Methods() {
		for _, task := range m.Tasks {
			for _, settings := range variants(m.Name, task) {
				name := strings.Join(append([]string{m.Name, task.String()}, settings...), " ")
				events := 0
				run := gram.Run{Seed: 9, Workers: 3, MemoryLimit: 1 << 50, Progress: func(gram.Event) { events++ }}
				model, err := trainable(t, m, settings...).Fit(t.Context(), set(d, kind[task]), run)
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
				if _, err := trainable(t, m, settings...).Fit(t.Context(), set(d, kind[task]), run); !errors.As(err, &me) || me.Limit != 1 {
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
		all = append(all, []string{"csi=true"})
	}
	if Settings(mustFind(method).New()).Lookup("model") != nil && task == dataset.Classes {
		all = append(all, []string{"model=logistic"}, []string{"no-bias=true"}, []string{"model=logistic", "no-bias=true"})
	}
	return all
}

// Settings that choose between estimators choose the one they name; a model without a
// constant has none.
func TestKinds(t *testing.T) {
	d := algotest.Problem(1, 60, 4, 3)
	classes, values := set(d, algotest.Classification), set(d, algotest.Regression)
	for _, c := range []struct {
		method string
		data   *dataset.Set
		set    string
		want   any // the configuration of the last part
	}{
		{"linear", classes, "model=auto", linear.SVM{}},
		{"linear", classes, "model=svm", linear.SVM{}},
		{"linear", classes, "model=logistic", linear.Logistic{}},
		{"linear", values, "model=auto", linear.Ridge{}},
		{"linear", values, "model=ridge", linear.Ridge{}},
		{"nystrom", classes, "model=logistic", nystrom.Config{}},
		{"dc-krr", values, "partition=kmeans", krr.Divided{}},
		{"dc-krr", values, "partition=random", krr.Config{}},
		{"dc-krr", classes, "partition=random", krr.Config{}},
		{"krr", classes, "solver=auto", krr.Config{}},
		{"sideinfo", classes, "csi=false", sideinfo.Config{}},
	} {
		m := mustFind(c.method)
		model, err := trainable(t, m, c.set).Fit(t.Context(), c.data, gram.Run{})
		if err != nil {
			t.Fatalf("%s %s: %v", c.method, c.set, err)
		}
		all := parted(model)
		if got := configOf(all[len(all)-1]); reflect.TypeOf(got) != reflect.TypeOf(c.want) {
			t.Errorf("%s %s fits a %T, want a %T", c.method, c.set, got, c.want)
		}
	}
	for kind, classes := range map[string]bool{"ridge": true, "svm": false, "logistic": false} {
		var ce *gram.ConfigError
		if got, err := (&linearFlags{kind: kind}).kindFor(classes); got != "" || !errors.As(err, &ce) || ce.Field != "model" || ce.Value != kind {
			t.Errorf("%s for classes %t: %q, %v", kind, classes, got, err)
		}
	}
	for set, d := range map[string]*dataset.Set{"model=svm": classes, "model=logistic": classes, "model=ridge": values} {
		for _, bias := range []bool{true, false} {
			model, err := trainable(t, linearMethod, set, fmt.Sprint("no-bias=", !bias)).Fit(t.Context(), d, gram.Run{})
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
	csi, err := trainable(t, sideinfoMethod, "csi=true", "m=7").Fit(t.Context(), classes, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := trainable(t, sideinfoMethod, "m=7").Fit(t.Context(), classes, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	a, b := csi.(gram.Classifier).Scores(nil, classes.X), plain.(gram.Classifier).Scores(nil, classes.X)
	if mat.Equal(a, b) {
		t.Error("csi=true changes nothing")
	}
}

// The settings of every method with defaults and explanations, as gram fit --list
// shows them, are those of the list in testdata: none gets lost or changes unseen.
// go test -update writes the list.
func TestSettingsList(t *testing.T) {
	var b strings.Builder
	for _, m := range Methods() {
		fmt.Fprintf(&b, "%s: %s\n", m.Name, m.Summary)
		Settings(m.New()).VisitAll(func(f *flag.Flag) {
			name, usage := flag.UnquoteUsage(f)
			fmt.Fprintf(&b, "  %s=%s\t%s\t%s\n", f.Name, f.DefValue, name, usage)
		})
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
