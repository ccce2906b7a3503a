package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/bench"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/predict/approx"
	"github.com/gramworks/gram/sparse"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"
)

// recorder finds a single method, which trains like linear and records its arguments.
type recorder struct {
	mu       sync.Mutex
	asked    []string
	runs     []gram.Run
	sets     []*dataset.Set
	settings []string // c, at each fit
	shapes   []gram.Shape
	err      error
}

func (r *recorder) find(name string) (catalog.Method, error) {
	r.asked = append(r.asked, name)
	m, err := catalog.Find("linear")
	if err != nil {
		return m, err
	}
	linear := m.New
	m.New = func() catalog.Fitter { return &recording{Fitter: linear(), r: r} }
	return m, nil
}

type recording struct {
	catalog.Fitter
	r *recorder
}

func (f *recording) Plan(task dataset.Task, s gram.Shape, run gram.Run) (gram.Plan, error) {
	f.r.mu.Lock()
	defer f.r.mu.Unlock()
	f.r.shapes = append(f.r.shapes, s)
	return f.Fitter.Plan(task, s, run)
}

func (f *recording) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	f.r.mu.Lock()
	f.r.runs, f.r.sets, f.r.settings = append(f.r.runs, run), append(f.r.sets, d), append(f.r.settings, f.Settings().Lookup("c").String())
	f.r.mu.Unlock()
	m, err := f.Fitter.Fit(ctx, d, run)
	if f.r.err != nil {
		err = f.r.err
	}
	return m, err
}

// fit runs gram fit with a recorder.
func (r *recorder) fit(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = execute(t.Context(), newRoot(r.find), append([]string{"fit"}, args...), &out, &errs)
	return out.String(), errs.String(), code
}

// Every flag of gram fit that says how a fit runs reaches the fit.
func TestFitFlagsArrive(t *testing.T) {
	dir := small(t)
	rings, model := filepath.Join(dir, "rings.libsvm"), filepath.Join(dir, "m.gram")
	fit := func(args ...string) *recorder {
		t.Helper()
		r := &recorder{}
		args = append([]string{"--method", "any", "--data", rings, "--scale", "none", "-o", model}, args...)
		if _, stderr, code := r.fit(t, args...); code != 0 || stderr != "" {
			t.Fatalf("gram fit %v: %d, %q", args, code, stderr)
		}
		if !slices.Equal(r.asked, []string{"any"}) {
			t.Errorf("methods %q were asked for", r.asked)
		}
		return r
	}
	for _, c := range []struct {
		args []string
		want gram.Run
	}{
		{nil, gram.Run{Seed: 1}},
		{[]string{"--seed", "77"}, gram.Run{Seed: 77}},
		{[]string{"--seed", "0"}, gram.Run{}},
		{[]string{"--workers", "3"}, gram.Run{Seed: 1, Workers: 3}},
		{[]string{"--memory-limit", "3GiB"}, gram.Run{Seed: 1, MemoryLimit: 3<<30 - standing}},
		{[]string{"--memory-limit", "500MB", "--workers", "2", "--seed", "5"}, gram.Run{Seed: 5, Workers: 2, MemoryLimit: 5e8 - standing}},
	} {
		if c.want.MemoryLimit == 0 {
			c.want.MemoryLimit = bench.Memory()/5*4 - standing
		}
		r := fit(c.args...)
		if len(r.runs) == 1 {
			c.want.MemoryLimit -= r.sets[0].Bytes()
		}
		if len(r.runs) != 1 || !reflect.DeepEqual(r.runs[0], c.want) {
			t.Errorf("%v: runs %+v, want %+v", c.args, r.runs, c.want)
		}
		if n, d := r.sets[0].Dims(); n != 120 || d != 2 || r.sets[0].Task() != dataset.Classes || len(r.sets[0].Labels.Names) != 3 {
			t.Errorf("%v: trained on %d×%d, %s", c.args, n, d, r.sets[0].Task())
		}
	}
	if r := fit("--set", "c=3", "--set", "c=7"); r.settings[0] != "7" {
		t.Errorf("c is %s", r.settings[0])
	}
	if _, d := fit("--dim", "5").sets[0].Dims(); d != 5 {
		t.Errorf("--dim 5 gives %d columns", d)
	}
	if r := fit("--task", "regression"); r.sets[0].Task() != dataset.Regression {
		t.Errorf("--task regression gives %s", r.sets[0].Task())
	}
	lo, hi := mat.Min(fit().sets[0].X), mat.Max(fit().sets[0].X)
	if r := fit("--scale", "minmax"); mat.Min(r.sets[0].X) != 0 || mat.Max(r.sets[0].X) != 1 || lo == 0 || hi == 1 {
		t.Errorf("--scale minmax gives cells from %g to %g", mat.Min(r.sets[0].X), mat.Max(r.sets[0].X))
	}
	if r := fit("--scale", "standard"); !(mat.Sum(r.sets[0].X) < 1e-9) {
		t.Error("--scale standard leaves a mean")
	}

	// A search fits every fold and then all rows with the best settings, with the seed
	// and limits of the command line.
	r := fit("--search", "c=0.1,10", "--set", "tol=0.01", "--folds", "4", "--seed", "6", "--workers", "1", "--memory-limit", "1GiB")
	if len(r.runs) != 9 {
		t.Fatalf("%d fits, want 9", len(r.runs))
	}
	want := gram.Run{Seed: 6, Workers: 1}
	for i, run := range r.runs {
		n, _ := r.sets[i].Dims()
		if run.MemoryLimit >= 1<<30-standing || run.MemoryLimit < 1<<30-standing-1<<17 { // less the data
			t.Errorf("fit %d has a limit of %d", i, run.MemoryLimit)
		}
		run.MemoryLimit = 0
		if !reflect.DeepEqual(run, want) || n != 90 && i < 8 || n != 120 && i == 8 {
			t.Errorf("fit %d is on %d rows with %+v, want %+v", i, n, run, want)
		}
	}
	for i, c := range []string{"0.1", "0.1", "0.1", "0.1", "10", "10", "10", "10"} {
		if r.settings[i] != c {
			t.Errorf("fit %d has c=%s, want %s", i, r.settings[i], c)
		}
	}

	// The plan is computed for the shape of the file, and nothing is trained.
	r = &recorder{}
	if out, _, code := r.fit(t, "--method", "any", "--data", rings, "--plan", "--dim", "9"); code != 0 || !strings.Contains(out, "120 rows, 9 columns") || len(r.runs) != 0 ||
		!slices.Equal(r.shapes, []gram.Shape{{N: 120, D: 9, Outputs: 3, NNZ: r.shapes[0].NNZ}}) {
		t.Errorf("%+v, %q", r.shapes, out)
	}
}

// The model of a method that stops early is stored with a warning. It is a failure with
// --strict or if there is no model.
func TestNotConverged(t *testing.T) {
	dir := small(t)
	rings, model := filepath.Join(dir, "rings.libsvm"), filepath.Join(t.TempDir(), "m.gram")
	args := []string{"--method", "any", "--data", rings, "-o", model}
	r := &recorder{err: fmt.Errorf("wrapped: %w", &gram.ConvergenceError{Iter: 7, Residual: 1, Tol: .1})}
	out, stderr, code := r.fit(t, append(args, "--json")...)
	if code != 0 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "warning: wrapped: not converged after 7") || !strings.Contains(out, `"converged":false`) {
		t.Errorf("%d, %q, %q", code, out, stderr)
	}
	onlyFiles(t, filepath.Dir(model), "m.gram")
	model = filepath.Join(t.TempDir(), "m.gram")
	args[5] = model
	if _, stderr, code := r.fit(t, append(args, "--strict")...); code != 1 || !strings.Contains(stderr, "not converged") || strings.Contains(stderr, "warning") {
		t.Errorf("--strict: %d, %q", code, stderr)
	}
	r.err = &gram.DataError{Row: 3, Col: 1, Reason: "bad"}
	if _, stderr, code := r.fit(t, args...); code != 1 || !strings.Contains(stderr, "rings.libsvm: row 4, column 2: bad") {
		t.Errorf("an error of the data: %d, %q", code, stderr)
	}
	onlyFiles(t, filepath.Dir(model))
}

// parsed parses a command line for flags.
func parsed(t *testing.T, define func(*pflag.FlagSet), args ...string) *pflag.FlagSet {
	t.Helper()
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	define(f)
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	return f
}

// shown returns a bar on a terminal.
func shown() *bar { return &bar{w: new(bytes.Buffer), width: 80, now: time.Now} }

func TestRunFlags(t *testing.T) {
	var r runFlags
	parsed(t, r.define, "--workers", "3", "--seed", "18446744073709551615")
	run, err := r.run(standing+77, shown())
	if err != nil || run.Workers != 3 || run.Seed != 1<<64-1 || run.MemoryLimit != 77 || run.Progress == nil {
		t.Errorf("%+v, %v", run, err)
	}
	for limit, want := range map[memoryLimit]int64{0: bench.Memory()/5*4 - standing, -1: 0} {
		if run, _ := r.run(limit, &bar{}); run.Progress != nil || run.MemoryLimit != want {
			t.Errorf("%+v, want %d", run, want)
		}
	}
}

func TestDataFlags(t *testing.T) {
	for _, c := range []struct {
		args []string
		want dataset.Options
	}{
		{nil, dataset.Options{}},
		{[]string{"--format", "csv"}, dataset.Options{Format: dataset.CSV}},
		{[]string{"--task", "multilabel"}, dataset.Options{Task: dataset.MultiLabel}},
		{[]string{"--target", "price"}, dataset.Options{Target: "price"}},
		{[]string{"--target-file", "y.npy"}, dataset.Options{TargetFile: "y.npy"}},
		{[]string{"--no-header"}, dataset.Options{NoHeader: true}},
		{[]string{"--header"}, dataset.Options{Header: true}},
		{[]string{"--dim", "7"}, dataset.Options{Dim: 7}},
		{[]string{"--memory-limit", above("1k")}, dataset.Options{MemoryLimit: 1024}},
	} {
		c.want.Table = true
		if c.want.MemoryLimit == 0 {
			c.want.MemoryLimit = bench.Memory()/5*4 - standing
		}
		var d dataFlags
		parsed(t, func(f *pflag.FlagSet) { d.define(f); d.training(f) }, append(c.args, "--data", "x")...)
		got, err := d.options()
		if err != nil || !reflect.DeepEqual(got, c.want) || d.path != "x" {
			t.Errorf("%v: %+v, %v, want %+v", c.args, got, err, c.want)
		}
	}
}

// The flags of gram compare reach the problem that all models share.
func TestCompareFlagsArrive(t *testing.T) {
	rings := filepath.Join(small(t), "rings.libsvm")
	of := func(args ...string) *problem {
		t.Helper()
		var o compareFlags
		parsed(t, o.define, args...)
		p, err := o.problem(t.Context(), shown())
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := of("--data", rings, "--seed", "4", "--workers", "3", "--memory-limit", "2GiB", "--set", "gamma=3", "--scale", "minmax")
	if r := p.run; r.Seed != 4 || r.Workers != 3 || r.MemoryLimit != 2<<30-standing || r.Progress == nil {
		t.Errorf("run %+v", r)
	}
	if !slices.Equal(p.kernel, []string{"gamma=3"}) || p.prepare.Scale != training.MinMax {
		t.Errorf("kernel %q, scale %v", p.kernel, p.prepare.Scale)
	}
	if n, _ := p.train.Dims(); n != 84 {
		t.Errorf("%d rows to train on", n)
	}
	if q := of("--data", rings, "--seed", "5"); mat.Equal(p.train.X, q.train.X) {
		t.Error("another seed divides the rows in the same way")
	}
	// The generated problem depends on the seed, test rows differ from training rows, and
	// the kernel suits it.
	p, q := of(), of("--seed", "2")
	if mat.Equal(p.train.X, q.train.X) || mat.Equal(p.test.X, q.test.X) || mat.Equal(p.train.X, p.test.X) || !slices.Equal(p.kernel, []string{"gamma=16"}) {
		t.Errorf("two spirals: %v", p)
	}
	p = of("--data", rings, "--test", rings, "--dim", "4", "--task", "regression")
	if _, d := p.test.Dims(); d != 4 || p.test.Task() != dataset.Regression {
		t.Errorf("--dim 4 gives %d columns of the test, task %s", d, p.test.Task())
	}
	seeds, runs := map[string]bool{}, 0
	for _, sel := range []string{"uniform", "kmeans"} {
		for _, seed := range []string{"1", "2"} {
			p := of("--data", rings, "--test", rings, "--seed", seed)
			r, err := p.fit(t.Context(), p.entries([]int{5}, 0)[1+slices.Index([]string{"uniform", "kmeans"}, sel)])
			if err != nil || r.Model != "nystrom "+sel || r.M != 5 {
				t.Fatalf("%+v, %v", r, err)
			}
			seeds[fmt.Sprint(sel, *r.Error)] = true
			runs++
		}
	}
	if len(seeds) != runs {
		t.Errorf("another seed gives the same landmarks: %v", seeds)
	}
}

// The flags of gram compile reach the options of the programs.
func TestCompileFlagsArrive(t *testing.T) {
	dir := small(t)
	rings, model := filepath.Join(dir, "rings.libsvm"), filepath.Join(dir, "m.gram")
	ok(t, "fit", "--method", "svm", "--data", rings, "-o", model)
	of := func(args ...string) *curve {
		t.Helper()
		var o compileFlags
		parsed(t, o.define, append([]string{"--model", model}, args...)...)
		c, err := o.curve(t.Context(), shown())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := of("--method", "nystrom", "--precision", "float32", "--m", "7", "--budget", "20", "--seed", "4", "--workers", "3", "--memory-limit", "2GiB")
	o := c.options
	if o.Method != approx.Nystrom || o.Precision != predict.Float32 || o.M != 7 || o.Budget != 20 || o.Points != nil || c.test != nil || c.labeled {
		t.Errorf("options %+v", o)
	}
	if o.Seed != 4 || o.Workers != 3 || o.MemoryLimit != 2<<30-standing || o.Progress == nil {
		t.Errorf("run %+v", o.Run)
	}
	if o := of().options; o.Method != predict.Auto || o.Precision != predict.Float64 || o.M != 0 || o.Budget != 0 || o.Seed != 1 {
		t.Errorf("without flags %+v", o)
	}
	// The data are divided into halves by the seed, and keep the training scaling.
	c = of("--data", rings)
	n, d := c.options.Points.Dims()
	k, _ := c.test.Dims()
	if n != 60 || d != 2 || k != 60 || !c.labeled || !slices.Equal(c.test.Labels.Names, c.model.Names) {
		t.Errorf("%d×%d points, %d rows to test on", n, d, k)
	}
	if other := of("--data", rings, "--seed", "2"); mat.Equal(c.test.X, other.test.X) {
		t.Error("another seed makes the same halves")
	}
	if c := of("--data", rings, "--unlabelled"); c.labeled || c.test.Task() != dataset.NoTarget {
		t.Error("--unlabelled has labels")
	}
	var o2 compileFlags
	parsed(t, o2.define, "--model", model, "--data", rings, "--memory-limit", above("100"))
	if _, err := o2.curve(t.Context(), &bar{}); err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("--memory-limit 100 while reading: %v", err)
	}
}

// The flags of gram table reach the environment that a table runs in.
func TestTableFlagsArrive(t *testing.T) {
	dir := t.TempDir()
	var o tableFlags
	parsed(t, o.define, "--data", dir, "--repeats", "3", "--quick", "--seed", "4", "--workers", "2", "--set", "k=64", "--set", "m=a=b")
	e, err := o.env(shown())
	if err != nil || e.Data.Dir() != dir || e.Repeats != 3 || !e.Quick || e.Seed != 4 || e.Workers != 2 || e.Progress == nil || e.Set["k"] != "64" || e.Set["m"] != "a=b" {
		t.Errorf("%+v, %v", e, err)
	}
	t.Setenv("GRAM_DATA", dir)
	e, err = new(tableFlags).env(&bar{})
	if err != nil || e.Data.Dir() != dir || e.Repeats != 0 || e.Quick || e.Seed != 0 || e.Workers != 0 || e.Progress != nil || len(e.Set) != 0 {
		t.Errorf("without flags %+v, %v", e, err)
	}
}

// Sparse data stay sparse until the fit.
func TestSparseArrives(t *testing.T) {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "%d %d:1\n", i%2, 1+i)
	}
	r := &recorder{}
	if _, stderr, code := r.fit(t, "--method", "any", "--data", write(t, "s.libsvm", b.String()), "-o", filepath.Join(t.TempDir(), "m.gram")); code != 0 {
		t.Fatal(stderr)
	}
	if x, is := r.sets[0].X.(*sparse.CSR); !is || x.NNZ() != 60 {
		t.Errorf("trained on a %T", r.sets[0].X)
	}
}

// The exact model has as many rows as it may have, and says how to leave it out if there is no memory for them.
// Each model ends when it is told to.
func TestCompareExactRows(t *testing.T) {
	rings := filepath.Join(small(t), "rings.libsvm")
	var o compareFlags
	parsed(t, o.define, "--data", rings, "--test", rings, "--set", "gamma=2")
	p, err := o.problem(t.Context(), &bar{})
	if err != nil {
		t.Fatal(err)
	}
	for rows, note := range map[int]string{120: "", 119: "119 of 120 rows"} {
		r, err := p.fit(t.Context(), p.entries([]int{5}, rows)[1])
		if err != nil || r.Rows != rows || r.Note != note || *r.Error != 0 || r.M != 0 {
			t.Errorf("%+v, %v", r, err)
		}
	}
	p.run.MemoryLimit = 8 * 120
	if _, err := p.fit(t.Context(), p.entries([]int{5}, 120)[1]); !tooLarge(err) || !strings.Contains(err.Error(), "--exact-rows 0") {
		t.Errorf("too little memory: %v", err)
	}
	p.run.MemoryLimit, p.run.Workers = 0, 1
	for _, e := range p.entries([]int{5}, 120) {
		algotest.Obeys(t, func(ctx context.Context) error {
			_, err := p.fit(ctx, e)
			return err
		})
	}
}

// The row of a model that stopped early has a remark; without a model there is an error.
func TestCompareNote(t *testing.T) {
	var r comparison
	early := fmt.Errorf("wrapped: %w", &gram.ConvergenceError{Iter: 7})
	if err := r.note(early, true); err != nil || !strings.HasPrefix(r.Note, "wrapped: not converged after 7") {
		t.Errorf("%v, %q", err, r.Note)
	}
	r = comparison{}
	if err := r.note(early, false); err != early || r.Note != "" {
		t.Errorf("%v, %q", err, r.Note)
	}
	if err := r.note(nil, true); err != nil || r.Note != "" {
		t.Errorf("%v, %q", err, r.Note)
	}
}

// The plots have a point for every row of the table that they show; a model without
// landmarks is a line from the least to the greatest number of landmarks.
func TestComparisonPage(t *testing.T) {
	friedman := filepath.Join(small(t), "friedman.csv")
	var o compareFlags
	parsed(t, o.define, "--data", friedman, "--test", friedman, "--task", "regression")
	p, err := o.problem(t.Context(), &bar{})
	if err != nil {
		t.Fatal(err)
	}
	zero, some := 0.0, 0.25
	var out bytes.Buffer
	err = comparisonPage(&out, p, []comparison{
		{Model: "whole", Error: &zero, Metric: "rmse", Value: 1, FitSeconds: 1, Bytes: 9},
		{Model: "some", M: 30, Error: &some, Metric: "rmse", Value: 3, FitSeconds: 1, Bytes: 9},
		{Model: "some", M: 10, Metric: "rmse", Value: 2, FitSeconds: 2, Bytes: 9},
		{Model: "some", M: 90, Error: &some, Metric: "rmse", Value: 2, FitSeconds: 2, Bytes: 9},
	}, story{})
	if err != nil {
		t.Fatal(err)
	}
	plots := strings.Split(out.String(), "<figure>")[1:]
	if len(plots) != 4 {
		t.Fatalf("%d plots", len(plots))
	}
	for i, plot := range plots {
		// The kernel error of the whole is none to show.
		if whole := strings.Contains(plot, `data-name="whole"`); whole != (i != 1) {
			t.Errorf("plot %d has a line without landmarks: %t", i, whole)
		}
		for _, m := range []string{">10<", ">30<", ">90<"} {
			if !strings.Contains(plot, m+"/text>") && i != 1 {
				t.Errorf("plot %d has no tick %s", i, m)
			}
		}
	}

	// Of accuracies the plot has the shares of wrong rows.
	out.Reset()
	if err := comparisonPage(&out, p, []comparison{{Model: "a", M: 10, Metric: "accuracy", Value: .98}, {Model: "a", M: 20, Metric: "accuracy", Value: .7}}, story{}); err != nil {
		t.Fatal(err)
	}
	if plot := strings.Split(out.String(), "<figure>")[1]; !strings.Contains(plot, ">5\u00a0%<") || !strings.Contains(plot, ">20\u00a0%<") {
		t.Errorf("the axis from 2 to 30 %% has no ticks at 5 and 20 %%: %s", plot)
	}
}

func TestCompareErrors(t *testing.T) {
	dir := small(t)
	rings := filepath.Join(dir, "rings.libsvm")
	for _, c := range []struct {
		code int
		want []string
		args []string
	}{
		{2, []string{"format"}, []string{"--data", rings, "--format", "nope"}},
		{2, []string{"minmax"}, []string{"--scale", "nope"}},
		{2, []string{"--workers"}, []string{"--workers", "-1"}},
		{2, []string{"--exact-rows"}, []string{"--exact-rows", "-1"}},
		{2, []string{"nope"}, []string{"--set", "nope=1"}},
		{1, []string{"amma", "-1"}, []string{"--set", "gamma=-1"}},
		{2, []string{"lambda"}, []string{"--set", "lambda=1"}},
		{1, []string{"missing"}, []string{"--data", filepath.Join(dir, "missing")}},
		{1, []string{"missing"}, []string{"--data", rings, "--test", filepath.Join(dir, "missing")}},
		{1, []string{"single row"}, []string{"--data", write(t, "one.libsvm", "0 1:1\n")}},
		{1, []string{"one class"}, []string{"--data", write(t, "same.libsvm", "1 1:1\n1 1:2\n1 1:3\n1 1:4\n")}},
		{1, []string{"other.libsvm:1", "17"}, []string{"--data", rings, "--test", write(t, "other.libsvm", "17 1:1\n")}},
	} {
		fails(t, c.code, c.want, append([]string{"compare"}, c.args...)...)
	}
}
