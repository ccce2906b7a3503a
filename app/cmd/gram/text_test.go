package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/settings"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
)

// figuresIn matches the numbers of a text that depend on the clock.
var figuresIn = regexp.MustCompile(`[0-9.e+-]+ s\b`)

type listed struct{ catalog.Fitter }

func (listed) Settings() *settings.Bound { return settings.Bind(&listedConfig{}) }

type listedConfig struct {
	rounds int
	c      float64
	mode   any
	off    bool
}

func (l *listedConfig) Settings(s *settings.Fields) {
	s.Int(&l.rounds, "rounds", "how often").DefaultRule(s.Shape.N, "rows").AtLeast(1)
	s.Float(&l.c, "c", "weight of the loss").Default(1.5)
	settings.OneOf(s, &l.mode, "mode", "how", settings.Option[any]{Name: "fast", Value: 1}, settings.Option[any]{Name: "slow", Value: 2})
	s.Bool(&l.off, "off", "nothing is done")
}

// The line of every setting has its default, or - if there is none.
func TestListText(t *testing.T) {
	var out bytes.Buffer
	if err := listSettings(&out, catalog.Method{Name: "some", Summary: "a method", New: func() catalog.Fitter { return listed{} }}); err != nil {
		t.Fatal(err)
	}
	want := `some: a method

Settings, --set NAME=VALUE, with their defaults:
  rounds  rows   how often (at least 1)
  c       1.5    weight of the loss
  mode    fast   how: fast|slow
  off     false  nothing is done
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
	list := ok(t, "fit", "--list")
	for _, m := range catalog.Methods() {
		if !regexp.MustCompile(`(?m)^` + m.Name + `  +` + regexp.QuoteMeta(m.Summary) + `$`).MatchString(list) {
			t.Errorf("%s is not in %s", m.Name, list)
		}
	}
	if !strings.HasSuffix(list, "\n\ngram fit --list --method NAME shows the settings of one.\n") {
		t.Errorf("the list is %q", list)
	}
}

// Every figure of the plan is that of the method's Plan for the shape of the file.
func TestPlanText(t *testing.T) {
	dir := small(t)
	x := mat.NewDense(60, 20, nil)
	for i := range 60 {
		x.Set(i, i%20, 1)
	}
	thin, tags := filepath.Join(dir, "thin.libsvm"), filepath.Join(dir, "t.xml.txt")
	labels := make([]int, 60)
	labels[0] = 1
	if err := dataset.Save(t.Context(), thin, &dataset.Set{X: x, Labels: gram.Labels{Class: labels, Names: []string{"0", "1"}}}); err != nil {
		t.Fatal(err)
	}
	if err := dataset.Save(t.Context(), tags, dataset.SparseMultiLabel(60, 20, 8, 1)); err != nil {
		t.Fatal(err)
	}
	labeled, err := dataset.Open(tags, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method, data string
		task         dataset.Task
		args         []string
		shape        gram.Shape
	}{
		{"krr", filepath.Join(dir, "rings.libsvm"), dataset.Classes, nil, gram.Shape{N: 120, D: 2, Outputs: 3}},
		{"krr", filepath.Join(dir, "friedman.csv"), dataset.Regression, []string{"--task", "regression"}, gram.Shape{N: 150, D: 6, Outputs: 1}},
		{"linear", thin, dataset.Classes, []string{"--dim", "30"}, gram.Shape{N: 60, D: 30, Outputs: 2, NNZ: 60}},
		{"linear", thin, dataset.Classes, []string{"--dim", "20"}, gram.Shape{N: 60, D: 20, Outputs: 2, NNZ: 60}},
		{"leml", tags, dataset.MultiLabel, nil, gram.Shape{N: 60, D: 20, Outputs: 8, NNZ: int64(gram.Of(labeled.X).NNZ())}},
		{"linear", tags, dataset.MultiLabel, nil, gram.Shape{N: 60, D: 20, Outputs: 8, NNZ: int64(gram.Of(labeled.X).NNZ())}},
	} {
		m, err := catalog.Find(c.method)
		if err != nil {
			t.Fatal(err)
		}
		f := m.New()
		p, err := f.Plan(c.task, c.shape, gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		args := append([]string{"fit", "--method", c.method, "--data", c.data, "--plan"}, c.args...)
		var got planned
		if err := json.Unmarshal([]byte(ok(t, append(args, "--json")...)), &got); err != nil {
			t.Fatal(err)
		}
		if want := (planned{c.method, c.shape.N, c.shape.D, p.Flops, p.PeakBytes, p.ModelBytes, p.FullKernel, p.Description, got.Seconds, runtime.GOMAXPROCS(0), 0, 0, 0, 0}); got != want || !(got.Seconds > 0 && got.Seconds < 600) {
			t.Errorf("%s: the plan is\n%+v, want\n%+v", c.data, got, want)
		}
		kernel := ""
		if p.FullKernel {
			kernel = ", the full kernel matrix among them"
		}
		want := fmt.Sprintf("%s on %d rows, %d columns: %s\nabout %.3g flops; %s of memory beyond the data%s; model of %s\n",
			c.method, c.shape.N, c.shape.D, p.Description, p.Flops, num.FormatBytes(p.PeakBytes), kernel, num.FormatBytes(p.ModelBytes))
		text := ok(t, args...)
		rest, begins := strings.CutPrefix(text, want)
		if !begins || !regexp.MustCompile(`^(about [0-9.]+ (s|min)|less than 0\.1 s) on this machine \([0-9]+ threads?\), within a factor of four as a rule\n$`).MatchString(rest) {
			t.Errorf("the plan is\n%s, want\n%s and a time", text, want)
		}
	}
}

// The plan of a search and of methods that are compared names each method with the time of a fit, the number of fits and what
// the budget says.
func TestPlanOfChoices(t *testing.T) {
	data := filepath.Join(small(t), "rings.libsvm")
	for _, c := range []struct {
		args          []string
		methods, fits int
		budget        float64
		says          string
	}{
		{nil, 6, 0, 60, "a budget of 60 s of CPU time and the fit of the best to all rows: "},
		{[]string{"--budget", "90m"}, 6, 0, 5400, "a budget of 5400 s of CPU time"},
		{[]string{"--method", "krr", "--search", "gamma=1,2;lambda=1,2,3"}, 1, 31, 0, "31 fits: "},
		{[]string{"--method", "krr", "--search", "auto", "--folds", "3", "--repeats", "2"}, 1, 121, 0, "121 fits: "},
		{[]string{"--search", "auto", "--trials", "7"}, 6, 36, 0, "36 fits: "},
		{[]string{"--method", "krr", "--search", "auto", "--budget", "10s"}, 1, 0, 10, "a budget of 10 s"},
	} {
		args := append([]string{"fit", "--data", data, "--plan"}, c.args...)
		var got plannedChoice
		if err := json.Unmarshal([]byte(ok(t, append(args, "--json")...)), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Methods) != c.methods || got.Fits != c.fits || got.Budget != c.budget {
			t.Errorf("%v: %+v", c.args, got)
		}
		longest := 0.0
		for _, m := range got.Methods {
			longest = max(longest, m.Seconds)
		}
		if most := c.budget + float64(c.fits)*longest + longest; !(longest > 0) || !(got.Seconds > longest) || !(got.Seconds <= most) {
			t.Errorf("%v: %g s, at most %g s, one fit %g s", c.args, got.Seconds, most, longest)
		}
		if text := ok(t, args...); !strings.Contains(text, c.says) || strings.Count(text, "\n") != 2+c.methods || !strings.Contains(text, " at most on this machine (") {
			t.Errorf("%v: %q, want %q", c.args, text, c.says)
		}
	}
}

// A Gaussian process says that the width of its kernel is not chosen, unless it is given or there is none.
func TestWidthIsNotChosen(t *testing.T) {
	dir := small(t)
	data := filepath.Join(dir, "rings.libsvm")
	for _, c := range []struct {
		set  []string
		says string
	}{
		{nil, "--search 'gamma=…'"}, {[]string{"--set", "kernel=matern"}, "--search 'length=…'"},
		{[]string{"--set", "gamma=0.5"}, ""}, {[]string{"--set", "kernel=linear"}, ""},
	} {
		args := append([]string{"fit", "--method", "gp", "--task", "regression", "--data", data, "-o", filepath.Join(dir, "gp.gram")}, c.set...)
		if out := ok(t, args...); strings.Contains(out, "is chosen") != (c.says != "") || !strings.Contains(out, c.says) {
			t.Errorf("%v: %q, want %q", c.set, out, c.says)
		}
	}
}

// The line that a fit prints describes its data and its model, and the JSON object agrees
// with it. A search reports the best settings.
func TestFitText(t *testing.T) {
	dir := small(t)
	rings, model := filepath.Join(dir, "rings.libsvm"), filepath.Join(dir, "m.gram")
	args := []string{"fit", "--method", "linear", "--data", rings, "--scale", "none", "-o", model}
	text := ok(t, args...)
	info, err := os.Stat(model)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("linear: 120 rows, 2 columns, 3 classes; _; %s: %s\nconverged: relative gradient ", model, num.FormatBytes(info.Size()))
	if got := figuresIn.ReplaceAllString(text, "_"); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, " Newton steps\n") {
		t.Errorf("fit says %q, want %q", got, want)
	}
	var f fitted
	if err := json.Unmarshal([]byte(ok(t, append(args, "--json")...)), &f); err != nil {
		t.Fatal(err)
	}
	if !(f.Seconds > 0) || f.SearchSeconds != 0 {
		t.Errorf("%+v", f)
	}
	if f.Seconds = 0; !strings.HasSuffix(text, f.Certificate+"\n") || f.Certificate == "" {
		t.Errorf("the certificate is %q, as text %q", f.Certificate, text)
	}
	f.Certificate = ""
	if want := (fitted{Method: "linear", N: 120, D: 2, Classes: 3, Converged: true, ModelBytes: info.Size()}); f != want {
		t.Errorf("fit says %+v, want %+v", f, want)
	}
	args = append(args, "--search", "c=0.01,1", "--folds", "3")
	text = ok(t, args...)
	if err := json.Unmarshal([]byte(ok(t, append(args, "--json")...)), &f); err != nil {
		t.Fatal(err)
	}
	best := f.Search.Trials[f.Search.Best]
	_, c, _ := strings.Cut(best.Settings[0], "=")
	edge := map[string]string{"0.01": "smallest", "1": "largest"}[c]
	want = fmt.Sprintf("best of 2: c=%s: accuracy %.4g ± %.2g in 3 folds; _\n%s is the %s c tried: values beyond may do better\n", c, best.Score, best.Std, c, edge)
	if got := figuresIn.ReplaceAllString(text, "_"); !strings.HasPrefix(got, want) || !(f.SearchSeconds > 0) || len(f.Search.Trials) != 2 {
		t.Errorf("a search says %q, want %q; %+v", got, want, f)
	}
}

// For a file without a target the error names the file and says how to name a target.
func TestNothingToLearn(t *testing.T) {
	npy := filepath.Join(t.TempDir(), "x.npy")
	if err := dataset.Save(t.Context(), npy, &dataset.Set{X: mat.NewDense(3, 6, nil)}); err != nil {
		t.Fatal(err)
	}
	fails(t, 1, []string{"x.npy: there is no target to learn (--target"}, "fit", "--method", "linear", "--data", npy, "-o", filepath.Join(t.TempDir(), "m.gram"))
}

// The tables of a comparison and of a curve are compared letter by letter.
func TestTablesText(t *testing.T) {
	e := 0.12345
	var out bytes.Buffer
	if err := writeComparison(&out, []comparison{
		{Model: "linear", Metric: "rmse", Value: 1.23456, FitSeconds: 0.0123, PredictSeconds: 4, Bytes: 2048},
		{Model: "nystrom uniform", M: 16, Error: &e, Metric: "rmse", Value: 0.5, FitSeconds: 1, PredictSeconds: 2, Bytes: 100, Note: "a remark"},
	}); err != nil {
		t.Fatal(err)
	}
	want := "model            m   kernel error  rmse   fit s   predict s  model    note\n" +
		"linear           -   -             1.235  0.0123  4          2.0 KiB  \n" +
		"nystrom uniform  16  0.123         0.5    1       2          100 B    a remark\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
	agreement, value := 0.98765, 0.75
	c := &curve{linear: 2e-9, bytes: 16, test: &dataset.Set{X: mat.NewDense(7, 2, nil)}}
	lines := []compiled{
		{Method: "exact", FlopMultiple: 100.06, Multiple: 50.04, Nanoseconds: 123.6, Bytes: 2048, Agreement: &agreement, Metric: "accuracy", Value: &value},
		{Method: "rff", Size: 30, FlopMultiple: 9, Multiple: 8, Nanoseconds: 7, Bytes: 6, Error: 0.0123, Agreement: &agreement, Metric: "accuracy", Value: &value, Chosen: true},
	}
	o := compileFlags{output: "x"}
	out.Reset()
	if err := o.print(&out, c, lines); err != nil {
		t.Fatal(err)
	}
	want = "agreement and error on 7 rows that programs were not fitted to; a linear model takes 2 ns a row (8 GB/s of rows)\n" +
		"method  m   flops/linear  time/linear  ns/row  size     agreement  error  accuracy\n" +
		"exact   -   100.1         50.0         124     2.0 KiB  0.9877     0      0.75\n" +
		"rff     30  9.0           8.0          7       6 B      0.9877     0.012  0.75  <- stored\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
	c.test, o.output = nil, ""
	for i := range lines {
		lines[i].Agreement, lines[i].Metric, lines[i].Value = nil, "", nil
	}
	out.Reset()
	if err := o.print(&out, c, lines[:1]); err != nil {
		t.Fatal(err)
	}
	want = "agreement and error on the model's own points; a linear model takes 2 ns a row (8 GB/s of rows)\n" +
		"method  m  flops/linear  time/linear  ns/row  size     agreement  error\n" +
		"exact   -  100.1         50.0         124     2.0 KiB  -          0\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
	o.asJSON = true
	out.Reset()
	if err := o.print(&out, c, lines); err != nil || strings.Count(out.String(), "\n") != 2 || !strings.Contains(out.String(), `"m":30`) || !strings.Contains(out.String(), `"chosen":true`) {
		t.Errorf("%q, %v", &out, err)
	}
	if err := o.print(full{}, c, lines); err == nil {
		t.Error("no error from a full output")
	}
}

// The text of a problem names rows, columns, classes, and how its models are set.
func TestProblemText(t *testing.T) {
	dir := small(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--data", filepath.Join(dir, "rings.libsvm"), "--set", "gamma=2"}, "84 rows to train, 36 to test, 2 columns, 3 classes; scale=auto gamma=2"},
		{[]string{"--data", filepath.Join(dir, "friedman.csv"), "--task", "regression", "--set", "kernel=polynomial", "--set", "degree=3", "--scale", "unit"}, "105 rows to train, 45 to test, 6 columns, regression; scale=unit kernel=polynomial degree=3"},
		{nil, "2000 rows to train, 2000 to test, 2 columns, 2 classes; scale=auto gamma=16"},
	} {
		var o compareFlags
		parsed(t, o.define, c.args...)
		p, err := o.problem(t.Context(), &bar{})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.String(); !strings.Contains(got, ": "+c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	// A test file without rows is refused.
	empty := write(t, "empty.csv", "x1,x2,x3,x4,x5,x6,target\n")
	fails(t, 1, []string{"empty.csv: there are no rows"}, "compare", "--data", filepath.Join(dir, "friedman.csv"), "--task", "regression", "--test", empty)
}

// The place of a profile is checked before the measurements: a file that is no profile is
// not overwritten, and without a directory there is no place.
func TestTunePlace(t *testing.T) {
	broken := write(t, "broken", "x")
	t.Setenv("GRAM_PROFILE", broken)
	fails(t, 1, []string{broken + " is left as it is"}, "tune")
	fails(t, 1, []string{broken + " is left as it is"}, "tune", "--check", "--out", broken)
	t.Setenv("GRAM_PROFILE", "")
	t.Setenv("HOME", "")
	t.Setenv("XDG_CONFIG_HOME", "")
	fails(t, 1, []string{"there is no configuration folder for a profile"}, "tune")
	for _, args := range [][]string{{"--time", "0.9s"}, {"--threshold", "3"}, {"--check", "--threshold", "NaN"}, {"--check", "--threshold", "-1"}} {
		fails(t, 2, []string{args[len(args)-2]}, append([]string{"tune"}, args...)...)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"--check", "--time", "1s"}, {"--check", "--threshold", "0"}} {
		if _, stderr, code := cliContext(t, ctx, append([]string{"tune"}, args...)...); code != 1 || stderr != "gram tune: interrupted\n" {
			t.Errorf("%v: %d, %q", args, code, stderr)
		}
	}
}

// The flags of a server become its limits; senseless values are refused with the name of
// the flag.
func TestServeFlags(t *testing.T) {
	for _, args := range [][]string{{"--max-rows", "0"}, {"--max-top", "0"}, {"--max-connections", "0"}, {"--timeout", "0s"}, {"--timeout", "-1s"}, {"--grace", "-1s"}} {
		fails(t, 2, []string{args[0]}, append([]string{"serve", "--model", "x"}, args...)...)
	}
	fails(t, 2, []string{"--model is missing"}, "serve")
	for _, args := range [][]string{{"--max-rows", "1"}, {"--max-top", "1"}, {"--max-connections", "1"}, {"--timeout", "1ns"}, {"--grace", "0s"}} {
		fails(t, 1, []string{"missing.gram"}, append([]string{"serve", "--model", "missing.gram"}, args...)...)
	}
}

// An error of the command line refers to help, a failure does not, however they are
// wrapped. An error of a context that is not done is no interruption.
func TestErrorKinds(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
		want string
	}{
		{usagef("a mistake\nin two lines"), 2, "gram fit: a mistake; in two lines (see gram fit --help)\n"},
		{fmt.Errorf("around: %w", usagef("a mistake")), 2, "gram fit: around: a mistake (see gram fit --help)\n"},
		{errors.New("it\r\nfails"), 1, "gram fit: it; fails\n"},
		{context.Canceled, 1, "gram fit: context canceled\n"},
		{&undecided{errors.New("who knows")}, 3, "gram fit: who knows\n"},
	} {
		root := newRoot(nil)
		fit, _, err := root.Find([]string{"fit"})
		if err != nil {
			t.Fatal(err)
		}
		fit.RunE = action(func(context.Context, *cobra.Command, []string) error { return c.err }).runE
		var stderr bytes.Buffer
		if code := execute(t.Context(), root, []string{"fit"}, &stderr, &stderr); code != c.code || stderr.String() != c.want {
			t.Errorf("%v: %d, %q, want %d, %q", c.err, code, stderr.String(), c.code, c.want)
		}
	}
	if got := reflect.TypeOf(usagef("x")); got != reflect.TypeFor[usageError]() {
		t.Errorf("usagef returns a %v", got)
	}
}
