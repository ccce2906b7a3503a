package catalog_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/falkon"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/learned/widths"
	"github.com/gramworks/gram/algos/lowrank/machine"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// written returns the file of a model.
func written(t *testing.T, m modelfile.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	must(0, modelfile.Write(&b, m))(t)
	return b.Bytes()
}

// noisy returns rows of noisy classes, or of values, with weights.
func noisy(n int, values bool) *dataset.Set {
	d := weighed(7, n, 3)
	if values {
		d.Labels, d.Value = gram.Labels{}, algotest.Problem(7, n, 3, 2).Value
		for i := range d.Value {
			d.Value[i] += float64(i % 5)
		}
	}
	return d
}

// plain is the Fitter of a method that chooses nothing by folds, with the settings.
func plain[F any](t *testing.T, method string, set ...string) F {
	t.Helper()
	return catalog.Plain(catalogtest.Trainable(t, catalog.Must(method), set...)).(F)
}

// The map of a sample that is all rows, with the settings that are chosen on its features and the functions, is the model of the fit.
func TestStreamedPartsAreTheFit(t *testing.T) {
	run := gram.Run{Seed: 3}
	maps := []string{"gamma=0.4", "m=12"}
	for _, c := range []struct {
		method          string
		set             []string
		values          bool
		chosen          string
		streams, mapped bool
	}{
		{"linear", nil, false, "", true, false}, {"linear", []string{"lambda=0.3"}, true, "", true, false},
		{"nystrom", maps, false, "c=", true, true}, {"nystrom", maps, true, "lambda=", true, true},
		{"nystrom", append(maps, "c=3"), false, "", true, true}, {"rff", append(maps, "lambda=0.3"), true, "", true, true},
		{"rff", append(maps, "model=logistic"), false, "c=", true, true}, {"fastnys", maps, true, "lambda=", true, true},
		{"meka", nil, false, "", false, true},
	} {
		name := fmt.Sprint(c.method, c.set, c.values)
		f := plain[catalog.Streamed](t, c.method, c.set...)
		if f.Streams() != c.streams || f.Mapped() != c.mapped {
			t.Errorf("%s: streams %v, has a map: %v", name, f.Streams(), f.Mapped())
		}
		if !f.Streams() {
			continue
		}
		d := noisy(150, c.values)
		want := written(t, must(plain[catalog.Fitter](t, c.method, c.set...).Fit(t.Context(), d, run))(t))
		m := must(f.FitMap(t.Context(), d.X, run))(t)
		if (m != nil) != c.mapped {
			t.Fatalf("%s: the map is %v", name, m)
		}
		chosen := must(f.Choose(t.Context(), m, d, 150, run))(t)
		if (c.chosen == "") != (chosen == nil) || len(chosen) > 1 || len(chosen) == 1 && !strings.HasPrefix(chosen[0], c.chosen) {
			t.Errorf("%s: the settings %q are chosen", name, chosen)
		}
		if c.chosen == "lambda=" { // for all rows, of which these are a part
			all := must(machine.ChooseLambda(t.Context(), f.Linear(d.Task()), m, d.X, d.Value, d.Weight, 1500))(t)
			if other := must(f.Choose(t.Context(), m, d, 1500, run))(t); !slices.Equal(other, []string{fmt.Sprint("lambda=", all)}) {
				t.Errorf("%s: %q is chosen for all rows, want lambda=%v", name, other, all)
			}
		}
		must(0, f.Settings().Set(chosen...))(t)
		linear := f.Linear(d.Task())
		linear.SetRun(run)
		var features gram.FeatureMap
		if m != nil {
			features = m
		}
		var l any
		if c.values {
			l = must(linear.FitValues(t.Context(), features, d.X, d.Value, d.Weight))(t)
		} else {
			l = must(linear.Fit(t.Context(), features, d.X, d.Labels, d.Weight))(t)
		}
		if got := written(t, f.Join(m, l)); !bytes.Equal(got, want) {
			t.Errorf("%s: the parts make another model than the fit", name)
		}
		without := *d
		without.Weight = nil
		if chosen != nil && c.values && slices.Equal(chosen, must(f.Choose(t.Context(), m, &without, 150, run))(t)) {
			t.Errorf("%s: weights do not reach the choice", name)
		}
	}
	for _, set := range []string{"degree=3", "kernel=precomputed"} { // of another kernel, and of rows that are none
		f := plain[catalog.Streamed](t, "nystrom")
		err := f.Settings().Set(set)
		if err == nil {
			_, err = f.FitMap(t.Context(), noisy(20, true).X, gram.Run{})
		}
		if err == nil {
			t.Errorf("a map with %s is fitted", set)
		}
	}
	algotest.Names(t, "m", "a map of few rows", failed(plain[catalog.Streamed](t, "nystrom", "m=30").FitMap(t.Context(), noisy(20, true).X, gram.Run{})))
}

// failed returns the error of a call.
func failed[T any](_ T, err error) error { return err }

// A fit that goes on keeps the map, whose settings it names, and has the functions that a fit on this map has; a model with another map
// is refused.
func TestContinuedMaps(t *testing.T) {
	run := gram.Run{Seed: 3}
	for _, values := range []bool{false, true} {
		first, d := noisy(100, values), noisy(150, values)
		from := must(plain[catalog.Fitter](t, "nystrom", "m=12", "gamma=0.4").Fit(t.Context(), first, run))(t)
		f := plain[catalog.Continued](t, "nystrom", "m=99", "gamma=7")
		more := must(f.Continue(t.Context(), from, d, run))(t)
		m := from.(interface{ FeatureMap() pipeline.Map }).FeatureMap()
		linear := plain[catalog.Streamed](t, "nystrom").Linear(d.Task())
		linear.SetRun(run)
		var l any
		if values {
			l = must(machine.FitValues(t.Context(), linear, m, d.X, d.Value, d.Weight))(t)
		} else {
			l = must(machine.Fit(t.Context(), linear, m, d.X, d.Labels, d.Weight))(t)
		}
		if want := pipeline.On("nystrom", m, l); !bytes.Equal(written(t, more), written(t, want)) {
			t.Errorf("values %v: another model than that of functions on the map", values)
		}
		other := must(plain[catalog.Fitter](t, "rff", "m=12", "gamma=0.4").Fit(t.Context(), first, run))(t)
		none := must(plain[catalog.Fitter](t, "gbdt", "rounds=1").Fit(t.Context(), first, run))(t)
		for what, wrong := range map[string]modelfile.Model{"another map": other, "no map": none} {
			algotest.Names(t, "warm", what, failed(f.Continue(t.Context(), wrong, d, run)))
		}
		algotest.Names(t, "warm", "no trees", failed(plain[catalog.Continued](t, "gbdt").Continue(t.Context(), other, d, run)))
		algotest.Names(t, "degree", "another kernel", failed(plain[catalog.Continued](t, "nystrom", "degree=3").Continue(t.Context(), from, d, run)))
	}
	kept := plain[catalog.Continued](t, "nystrom").Kept()
	for name, want := range map[string]bool{"m": true, "gamma": true, "kernel": true, "landmarks": true, "c": false, "lambda": false, "model": false, "tol": false} {
		if slices.Contains(kept, name) != want {
			t.Errorf("the setting %s is kept: %v", name, !want)
		}
	}
	if kept := plain[catalog.Continued](t, "gbdt").Kept(); kept != nil {
		t.Errorf("trees keep the settings %q", kept)
	}
}

// More rounds have the shape of the trees there are, their loss and their signs, unless others are given.
func TestContinuedTrees(t *testing.T) {
	run, values, classes := gram.Run{Seed: 3}, noisy(150, true), noisy(150, false)
	old := gbdt.Config{Rounds: 2, MinRows: 7, MaxLeaves: 5, ColumnSample: .5, Loss: gbdt.Huber, Delta: 2, Monotone: []int{1}, Run: run}
	from := must(old.FitValues(t.Context(), values.X, values.Value, values.Weight))(t)
	for set, change := range map[string]func(c *gbdt.Config){
		"":                          func(*gbdt.Config) {},
		"min-rows=9":                func(c *gbdt.Config) { c.MinRows = 9 },
		"leaves=3":                  func(c *gbdt.Config) { c.MaxLeaves = 3 },
		"column-sample=1":           func(c *gbdt.Config) { c.ColumnSample = 1 },
		"loss=squared":              func(c *gbdt.Config) { c.Loss, c.Delta = gbdt.Squared, 0 },
		"loss=quantile level=0.3":   func(c *gbdt.Config) { c.Loss, c.Level, c.Delta = gbdt.Quantile, .3, 0 },
		"monotone=1:-1":             func(c *gbdt.Config) { c.Monotone = []int{-1} },
		"delta=3":                   nil, // not of a huber loss that nobody gives
		"level=0.3":                 nil,
		"loss=poisson":              nil, // its trees add to logarithms
		"kernel=gaussian criterion": nil,
	} {
		f := plain[catalog.Continued](t, "gbdt", "rounds=3")
		err := f.Settings().Set(strings.Fields(set)...)
		var got modelfile.Model
		if err == nil {
			got, err = f.Continue(t.Context(), from, values, run)
		}
		if change == nil {
			if err == nil {
				t.Errorf("%s is taken", set)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", set, err)
			continue
		}
		c := old
		c.Rounds = 3
		change(&c)
		want := must(c.MoreValues(t.Context(), from, values.X, values.Value, values.Weight))(t)
		if !bytes.Equal(written(t, got), written(t, want)) {
			t.Errorf("%q: another model than one with the settings %+v", set, c)
		}
	}
	pair := must(gbdt.Config{Rounds: 2, MinRows: 7, Run: run}.Fit(t.Context(), classes.X, classes.Labels, classes.Weight))(t)
	want := must(gbdt.Config{Rounds: 1, MinRows: 7, MaxLeaves: 4, Run: run}.More(t.Context(), pair, classes.X, classes.Labels, classes.Weight))(t)
	if got := must(plain[catalog.Continued](t, "gbdt", "rounds=1", "leaves=4").Continue(t.Context(), pair, classes, run))(t); !bytes.Equal(written(t, got), written(t, want)) {
		t.Error("of classes: another model than one of the package")
	}
}

// Trees know the levels of categories and the cells that may be missing by the schema of the rows, in memory and in passes over files.
func TestColumnsOfTrees(t *testing.T) {
	run, d := gram.Run{Seed: 3}, noisy(120, true)
	x := mat.DenseCopyOf(d.X)
	for i := range 120 {
		x.Set(i, 1, float64(i%3))
		if i%7 == 0 {
			x.Set(i, 2, math.NaN())
		}
	}
	d.X = x
	kinds := &dataset.Schema{Columns: []dataset.Column{{}, {Kind: dataset.Category, Levels: []string{"a", "b", "c"}}, {Missing: true}}}
	columns := []gbdt.Column{{}, {Levels: 3}, {Missing: true}}
	config := gbdt.Config{Rounds: 3, MinRows: 5, Columns: columns, Run: run}
	f := plain[catalog.OnDisk](t, "gbdt", "rounds=3", "min-rows=5")
	d.Schema = kinds
	want := must(config.FitValues(t.Context(), d.X, d.Value, d.Weight))(t)
	if got := must(f.Fit(t.Context(), d, run))(t); !bytes.Equal(written(t, got), written(t, want)) {
		t.Error("another model than one with the kinds of the columns")
	}
	file := func(b *gbdt.Bins) []byte {
		return written(t, exchanged(b.Exchange))
	}
	bins := must(config.NewBins(t.Context(), d.X, nil))(t)
	if got := must(f.NewBins(t.Context(), d.X, kinds, nil, run))(t); !bytes.Equal(file(got), file(bins)) {
		t.Error("other bins than those of the kinds of the columns")
	}
	numbers := noisy(120, false)
	config.Columns = nil
	bins = must(config.NewBins(t.Context(), numbers.X, []string{"a", "b"}))(t)
	if got := must(f.NewBins(t.Context(), numbers.X, nil, []string{"a", "b"}, run))(t); !bytes.Equal(file(got), file(bins)) {
		t.Error("other bins than those of numbers")
	}
	algotest.Names(t, "exact", "passes", failed(plain[catalog.OnDisk](t, "gbdt", "exact=true").NewBins(t.Context(), numbers.X, nil, nil, run)))
}

// exchanged is a model whose form is a function.
type exchanged func(x *modelfile.Exchange)

func (e exchanged) Encode(w *modelfile.Writer) error { return modelfile.Put(w, e) }

// Ridge regressions for several λ at once are those for each, with the weights of the rows; with ard=true all have the widths of one choice.
func TestSweep(t *testing.T) {
	run := gram.Run{Seed: 3}
	for _, method := range []string{"krr", "falkon"} {
		for _, values := range []bool{false, true} {
			d := noisy(60, values)
			f := plain[catalog.Sweeper](t, method, "gamma=0.5")
			lambda := []string{"0.1", "7.5"}
			models := must(f.FitEach(t.Context(), d, lambda, run))(t)
			if f.Sweeps() != "lambda" || len(models) != 2 {
				t.Fatalf("%s: %d models for two values of %s", method, len(models), f.Sweeps())
			}
			for i, m := range models {
				one := must(plain[catalog.Fitter](t, method, "gamma=0.5", "lambda="+lambda[i]).Fit(t.Context(), d, run))(t)
				got, want := answers(m, d.X), answers(one, d.X)
				if v, is := catalog.Lambda(m); !is || fmt.Sprint(v) != lambda[i] || !mat.EqualApprox(got, want, 1e-5*mat.Norm(want, 2)) {
					t.Errorf("%s, values %v: the model of lambda=%s has lambda %v and answers otherwise", method, values, lambda[i], v)
				}
			}
			learned := must(plain[catalog.Sweeper](t, method, "ard=true").FitEach(t.Context(), d, lambda, run))(t)
			var scales [2][]float64
			for i, m := range learned {
				scaled, is := m.(interface{ Model() krr.Functions }).Model().(interface{ Kernel() kernel.Kernel }).Kernel().(*kernel.Scaled)
				if v, _ := catalog.Lambda(m); !is || fmt.Sprint(v) != lambda[i] {
					t.Fatalf("%s, values %v: lambda=%s has lambda %v and a kernel with widths: %v", method, values, lambda[i], v, is)
				}
				scales[i] = scaled.Scale()
			}
			if !slices.Equal(scales[0], scales[1]) || len(scales[0]) != 3 {
				t.Errorf("%s, values %v: the widths are %v", method, values, scales)
			}
			if values {
				d.Value[4] = math.NaN()
			} else {
				d.Labels.Class[4] = 2
			}
			if _, err := f.FitEach(t.Context(), d, lambda, run); err == nil {
				t.Errorf("%s: a target that is none is taken", method)
			}
		}
		d := noisy(60, true)
		if _, err := plain[catalog.Sweeper](t, method).FitEach(t.Context(), d, []string{"1", "x"}, run); err == nil {
			t.Errorf("%s: a λ that is no number is taken", method)
		}
		algotest.Names(t, "degree", "another kernel", failed(plain[catalog.Sweeper](t, method, "degree=3").FitEach(t.Context(), d, []string{"1"}, run)))
	}
}

// answers are the scores or the values of a model.
func answers(m modelfile.Model, x mat.Matrix) *mat.Dense {
	if c, is := m.(gram.Classifier); is {
		return c.Scores(nil, x)
	}
	v := m.(gram.Regressor).Predict(nil, x)
	return mat.NewDense(len(v), 1, v)
}

// The passes that are begun from all rows solve the problem of the fit. What is added to the diagonal does not depend on how many rows
// there are beside the sample.
func TestByPassesIsTheFit(t *testing.T) {
	run := gram.Run{Seed: 3}
	three := catalogtest.Set(algotest.Problem(5, 80, 3, 3), algotest.Classification)
	two := noisy(80, false)
	values := noisy(80, true)
	two.Weight, values.Weight = nil, nil
	for _, c := range []struct {
		d   *dataset.Set
		set []string
	}{
		{values, []string{"lambda=0.3"}}, {values, nil}, {values, []string{"per-row=true"}}, {values, []string{"lambda=0.01", "per-row=true"}},
		{values, []string{"ard=true"}}, {values, []string{"ard=true", "lambda=0.3"}}, {two, []string{"ard=true"}},
		{two, []string{"lambda=0.3"}}, {two, nil}, {three, []string{"lambda=0.3", "per-row=true"}}, {three, []string{"per-row=true"}},
	} {
		set := append([]string{"m=15"}, c.set...)
		names := c.d.Labels.Names
		f := plain[catalog.ByPasses](t, "falkon", set...)
		if !slices.Contains(c.set, "ard=true") {
			must(0, f.Settings().Set("gamma=0.5"))(t)
			set = append(set, "gamma=0.5")
		}
		if f.Sample() != 4*15 {
			t.Errorf("the passes are begun from %d rows", f.Sample())
		}
		y := mat.NewDense(80, 1, c.d.Value)
		if names != nil {
			y = multiclass.Signs(c.d.Labels.Class, len(names))
		}
		solved := func(times int) *falkon.Model {
			t.Helper()
			p, factors, err := f.Begin(t.Context(), c.d, len(names), times*80, run)
			if err != nil {
				t.Fatalf("%v: %v", c.set, err)
			}
			return must(p.Solve(t.Context(), factors, run, func(_ int, v *falkon.Coefficients) (*falkon.Sums, error) {
				s := p.Sums(v)
				var err error
				for range times {
					err = errors.Join(err, s.Add(t.Context(), c.d.X, y))
				}
				return s, err
			}))(t)
		}
		m := solved(1)
		want := must(plain[catalog.Fitter](t, "falkon", set...).Fit(t.Context(), c.d, run))(t)
		a, b := answers(f.Model(m, names), c.d.X), answers(want, c.d.X)
		v, _ := catalog.Lambda(want)
		if got := m.Config().Lambda.Value(); !(math.Abs(got-v) <= 1e-9*v) || !mat.EqualApprox(a, b, 1e-5*mat.Norm(b, 2)) {
			t.Errorf("%d classes, %v: lambda is %v and the values are others; of the fit it is %v", len(names), c.set, got, v)
		}
		shift := m.Stats().Shift
		wants := shift
		if slices.Contains(c.set, "lambda=0.3") && slices.Contains(c.set, "per-row=true") || slices.Contains(c.set, "lambda=0.01") {
			wants *= 3 // given for each row
		}
		if got := solved(3).Stats().Shift; !(math.Abs(got-wants) <= 1e-9*wants) {
			t.Errorf("%d classes, %v: %v is added to the diagonal for three times the rows, %v for these", len(names), c.set, got, shift)
		}
		if _, is := f.Model(m, names).(gram.Classifier); is != (names != nil) {
			t.Errorf("%v: the model is a classifier: %v", c.set, is)
		}
	}
	begin := func(set string, d *dataset.Set) error {
		_, _, err := plain[catalog.ByPasses](t, "falkon", "m=15", set).Begin(t.Context(), d, 0, 80, run)
		return err
	}
	algotest.Names(t, "degree", "another kernel", begin("degree=3", values))
	values.Value[3] = math.NaN()
	for _, set := range []string{"lambda=0.3", "gamma=0.5", "ard=true"} {
		if begin(set, values) == nil {
			t.Errorf("%s: a value that is none is taken", set)
		}
	}
}

// The plan of a fit by passes is that of the package, for the functions of the classes and the goroutines of the run.
func TestPlanPasses(t *testing.T) {
	for outputs, functions := range map[int]int{1: 1, 2: 1, 5: 5} {
		s := gram.Shape{N: 1 << 20, D: 9, Outputs: functions}
		run := gram.Run{Workers: 3}
		want := must(falkon.Config{M: 100, Run: run, Kernel: kernel.Gaussian{Gamma: 1}}.PlanPasses(s, 400))(t)
		s.Outputs = outputs
		if got := must(plain[catalog.ByPasses](t, "falkon", "m=100").PlanPasses(s, 400, run))(t); !reflect.DeepEqual(got, want) {
			t.Errorf("%d classes: the plan is %+v, want %+v", outputs, got, want)
		}
	}
	algotest.Names(t, "degree", "another kernel", failed(plain[catalog.ByPasses](t, "falkon", "degree=3").PlanPasses(gram.Shape{N: 100, D: 2, Outputs: 1}, 10, gram.Run{})))
}

// The pieces of a fit, made in any order with any seed of their own and stored between the passes, make the model of the fit.
func TestPiecesAreTheFit(t *testing.T) {
	run := gram.Run{Seed: 3}
	words, labels := dataset.Tagged(80, 30, 12, 12, 3, 1)
	values, classes := dataset.Friedman1(90, 5, .1, 1), noisy(90, false)
	blocks := *values
	blocks.Schema = &dataset.Schema{Columns: []dataset.Column{{Name: "1"}, {Name: "1"}, {}, {Name: "4"}, {Name: "4"}}}
	rfm := []string{"rounds=1", "leaf=40", "length=2", "lambda=0.1", "metric=full"}
	for _, c := range []struct {
		method string
		set    []string
		d      *dataset.Set
		passes []string
		first  int
	}{
		{"plt", []string{"leaf=3", "branch=2", "trees=3"}, &dataset.Set{X: words, Tags: labels}, []string{"divide", "nodes"}, 3},
		{"rfm", rfm, values, []string{"divide", "leaves"}, 1}, {"rfm", rfm, classes, []string{"divide", "leaves"}, 1},
		{"rfm", rfm, &blocks, []string{"divide", "leaves"}, 1},
	} {
		f := plain[catalog.InPieces](t, c.method, c.set...)
		if !slices.Equal(f.Passes(), c.passes) {
			t.Errorf("%s has the passes %q", c.method, f.Passes())
		}
		cut := must(f.Cut(c.d, run))(t)
		made := func(pass int) []catalog.Piece {
			all := make([]catalog.Piece, cut.Pieces(pass))
			for k := range all {
				k = len(all) - 1 - k
				piece := must(cut.Make(t.Context(), pass, k, run))(t)
				file := must(modelfile.Read(bytes.NewReader(written(t, exchanged(piece.Exchange)))))(t)
				all[k] = must(modelfile.Get(file, f.Piece(pass), catalog.Piece.Exchange))(t)
			}
			return all
		}
		if cut.Pieces(0) != c.first {
			t.Errorf("%s: the first pass has %d pieces", c.method, cut.Pieces(0))
		}
		divide := cut.Plan(0, 0, run)
		must(0, cut.Take(t.Context(), 0, made(0)))(t)
		pieces, boom := made(1), errors.New("boom")
		if train := cut.Plan(1, 0, run); divide.PeakBytes < 1 || train.PeakBytes < 1 || train == divide {
			t.Errorf("%s: the plans of both passes are %+v and %+v", c.method, divide, train)
		}
		if c.method == "rfm" && len(pieces) < 2 {
			t.Errorf("%d leaves", len(pieces))
		}
		got := must(cut.Join(t.Context(), func(k int) (catalog.Piece, error) { return pieces[k], nil }, run))(t)
		want := must(plain[catalog.Fitter](t, c.method, c.set...).Fit(t.Context(), c.d, run))(t)
		if !bytes.Equal(written(t, got), written(t, want)) {
			t.Errorf("%s for %v: the pieces make another model", c.method, c.d.Task())
		}
		if m, err := cut.Join(t.Context(), func(int) (catalog.Piece, error) { return nil, boom }, run); !errors.Is(err, boom) || m != nil {
			t.Errorf("%s without pieces: %v, %v", c.method, m, err)
		}
	}
	without := must(plain[catalog.Fitter](t, "rfm", rfm...).Fit(t.Context(), values, run))(t)
	if with := must(plain[catalog.Fitter](t, "rfm", rfm...).Fit(t.Context(), &blocks, run))(t); bytes.Equal(written(t, with), written(t, without)) {
		t.Error("blocks of columns do not matter here")
	}
	one := *classes
	one.Labels.Class = make([]int, 90)
	var wrong *gram.DataError
	if _, err := plain[catalog.InPieces](t, "rfm", rfm...).Cut(&one, run); !errors.As(err, &wrong) {
		t.Errorf("leaves of one class: %v", err)
	}
	short := &dataset.Set{X: words, Tags: labels.Slice(0, 79)}
	if _, err := plain[catalog.InPieces](t, "plt").Cut(short, run); err == nil {
		t.Error("a row without labels is taken")
	}
	for _, d := range []*dataset.Set{{X: values.X, Value: values.Value[1:]}, {X: values.X}, {X: classes.X, Labels: gram.Labels{Class: classes.Labels.Class[1:], Names: classes.Labels.Names}}} {
		if _, err := plain[catalog.InPieces](t, "rfm", rfm...).Cut(d, run); err == nil {
			t.Errorf("targets of other rows, %v, are taken", d.Task())
		}
	}
}

// Widths are learned for a fit by the leave-one-out error, of as many rows as ard-rows says.
func TestWidthsOfAFit(t *testing.T) {
	d := noisy(90, true)
	f := plain[catalog.Fitter](t, "krr", "ard=true", "ard-rows=40", "lambda=0.5", "gamma=0.5")
	m := must(f.Fit(t.Context(), d, gram.Run{Seed: 3}))(t)
	config := krr.Config{Kernel: kernel.Gaussian{Gamma: .5}, Lambda: gram.Set(.5), Run: gram.Run{Seed: 3}}
	by := widths.Config{Criterion: widths.LeaveOneOut, Rows: 40}
	c, _, err := config.WithWidths(t.Context(), by, d.X, mat.NewDense(90, 1, d.Value), d.Weight)
	if err != nil {
		t.Fatal(err)
	}
	want := must(c.Fit(t.Context(), d.X, d.Value, d.Weight))(t)
	if !mat.EqualApprox(answers(m, d.X), answers(want, d.X), 1e-9) {
		t.Error("another model than one with the widths of the package")
	}
	algotest.Names(t, "rows", "widths of a fit to no rows", failed(f.Fit(t.Context(), &dataset.Set{X: &mat.Dense{}, Value: []float64{}}, gram.Run{})))
}
