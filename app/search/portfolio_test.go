package search

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/crossval"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// comparePortfolio compares the methods of the portfolio on d.
func comparePortfolio(t *testing.T, c Compare, d *dataset.Set) *Compared {
	t.Helper()
	var err error
	if c.Methods, err = Portfolio(d); err != nil {
		t.Fatal(err)
	}
	r, err := c.Do(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The methods are those of the task and the number of rows, and the best score wins: the
// largest accuracy and precision, the smallest error. Equal ones go to the first.
func TestCompare(t *testing.T) {
	constant := dataset.Friedman1(60, 5, 0, 1)
	for i := range constant.Value {
		constant.Value[i] = 3
	}
	for _, c := range []struct {
		d               *dataset.Set
		methods, metric string
	}{
		{dataset.Rings(150, 3, .1, 1), "gbdt krr linear nystrom rfm svm", "accuracy"},
		{dataset.Friedman1(150, 5, .1, 1), "gbdt krr linear nystrom rfm svr", "rmse"},
		{constant, "gbdt krr linear nystrom rfm svr", "rmse"},
		{dataset.SparseMultiLabel(60, 40, 5, 1), "fastxml gbml gimc-lff leml linear plt", "p@1"},
	} {
		r := comparePortfolio(t, Compare{Scale: training.AutoScale}, c.d)
		var names []string
		best := 0
		for i, m := range r.Methods {
			names = append(names, m.Method)
			if m.Failed != "" || !(m.Std >= 0) {
				t.Errorf("%s: %+v", c.metric, m)
			}
			if c.metric == "rmse" && m.Score < r.Methods[best].Score || c.metric != "rmse" && m.Score > r.Methods[best].Score {
				best = i
			}
		}
		slices.Sort(names)
		if strings.Join(names, " ") != c.methods || r.Metric != c.metric || r.Folds != 3 || r.Best != best {
			t.Errorf("%s: %+v, the best is %d", c.metric, r, best)
		}
	}
	if r := comparePortfolio(t, Compare{}, constant); !(r.Methods[r.Best].Score < 1e-6) {
		t.Errorf("a constant target has the error %v", r.Methods[r.Best].Score)
	}
	for _, c := range []struct {
		n, d, count int
		want        string
	}{{mostForKRR, 1, 5, "krr"}, {mostForKRR + 1, 1, 5, "falkon"}, {mostForRFM, cellsForRFM / mostForRFM, 6, "rfm"}, {mostForRFM + 1, 1, 5, "krr"}, {mostForRFM, cellsForRFM/mostForRFM + 1, 5, "krr"}} {
		m, err := Portfolio(&dataset.Set{X: mat.NewDense(c.n, c.d, nil), Value: make([]float64, c.n)})
		if err != nil || len(m) != c.count || !slices.ContainsFunc(m, func(m catalog.Method) bool { return m.Name == c.want }) {
			t.Errorf("%d rows of %d columns: %d methods without %s, %v", c.n, c.d, len(m), c.want, err)
		}
	}
}

// A method has the score that a search gives to its default settings with the same folds.
func TestCompareScores(t *testing.T) {
	d := dataset.Rings(150, 3, .2, 1)
	run := gram.Run{Seed: 4, Workers: 1}
	r := comparePortfolio(t, Compare{Scale: training.MinMax, Metric: "balanced_accuracy", Run: run}, d)
	for _, tried := range r.Methods {
		m, err := catalog.Find(tried.Method)
		if err != nil {
			t.Fatal(err)
		}
		all := m.New().Settings().Settings
		one := all[slices.IndexFunc(all, func(s *settings.Setting) bool { return s.String() != "" })]
		grid := []Choice{{one.Name, []string{one.String()}}}
		want := search(t, Config{Methods: []catalog.Method{m}, Grid: grid, Folds: 3, Scale: training.MinMax, Metric: "balanced_accuracy", Run: run}, d).Trials[0]
		if tried.Score != want.Score || tried.Std != want.Std || tried.Converged != want.Converged {
			t.Errorf("%+v, the search has %+v", tried, want)
		}
	}
}

// paced is a Fitter of linear that first does something.
type paced struct {
	catalog.Fitter
	before func(ctx context.Context, d *dataset.Set) error
}

func (p paced) Fit(ctx context.Context, d *dataset.Set, run gram.Run) (modelfile.Model, error) {
	if err := p.before(ctx, d); err != nil {
		return nil, err
	}
	return p.Fitter.Fit(ctx, d, run)
}

func pacedMethod(name string, before func(ctx context.Context, d *dataset.Set) error) catalog.Method {
	m := catalog.Must("linear")
	m.Name = name
	m.New = func() catalog.Fitter { return paced{catalog.Must("linear").New(), before} }
	return m
}

// A budget that is used up leaves out what has not been trained, but never the first; one that ends a later round
// lets the round before decide, and both are said.
func TestCompareBudget(t *testing.T) {
	d := dataset.Friedman1(1600, 5, .1, 1)
	spin := func(ctx context.Context, _ *dataset.Set) error { // until the budget ends
		for ctx.Err() == nil {
		}
		return ctx.Err()
	}
	large := func(ctx context.Context, d *dataset.Set) error {
		if n, _ := d.Dims(); n > 600 {
			return spin(ctx, d)
		}
		return nil
	}
	fine := func(context.Context, *dataset.Set) error { return nil }
	for _, c := range []struct {
		name    string
		methods []catalog.Method
		budget  time.Duration
		best    int
		out     string // Failed of the second
		ended   string
	}{
		{"one", []catalog.Method{pacedMethod("a", fine), pacedMethod("b", fine)}, 1, 0, "left out: the budget is 1ns of CPU time", "ended the comparison with 533 of 1066"},
		{"first", []catalog.Method{pacedMethod("a", fine), pacedMethod("b", spin)}, 200 * time.Millisecond, 0, "left out: the budget is 200ms of CPU time", "ended"},
		{"second", []catalog.Method{pacedMethod("a", fine), pacedMethod("b", large)}, time.Second, 0, "", "ended the comparison with 533 of 1066"},
		{"enough", []catalog.Method{pacedMethod("a", fine), pacedMethod("b", fine)}, time.Hour, 0, "", ""},
	} {
		r, err := Compare{Methods: c.methods, Budget: c.budget, Run: gram.Run{Workers: 1}}.Do(t.Context(), d)
		if err != nil || r.Best != c.best || r.Methods[1].Failed != c.out || !strings.Contains(r.LeftOut, c.ended) || (c.ended == "") != (r.LeftOut == "") {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
	}
}

// The rules of a race: who cannot catch up leaves, who costs more and gains no more leaves, and one stays.
func TestRace(t *testing.T) {
	few, many := dataset.Friedman1(4000, 5, .1, 1), &dataset.Set{X: mat.NewDense(fewestDear, 1, nil), Value: make([]float64, fewestDear)}
	linear := catalog.Must("linear")
	for _, c := range []struct {
		name           string
		before, losses []float64
		spent          []time.Duration
		budget         time.Duration
		want           []int
	}{
		{"many rows, the race is dear", []float64{1.2, 1.26}, []float64{1, 1.05}, []time.Duration{time.Second, 2 * time.Second}, 0, []int{0}},
		{"all may catch up", nil, []float64{1, 1.9}, []time.Duration{1, 1}, 0, []int{0, 1}},
		{"far behind", nil, []float64{1, 2.2}, []time.Duration{1, 1}, 0, []int{0}},
		{"flat", []float64{1.2, 1.05}, []float64{1, 1.04}, []time.Duration{time.Second, time.Second}, 0, []int{0}},
		{"steep", []float64{1.2, 2}, []float64{1, 1.2}, []time.Duration{1, 1}, 0, []int{0, 1}},
		{"steep and dear", []float64{1.2, 2}, []float64{1, 1.2}, []time.Duration{time.Second, 9 * time.Second}, 0, []int{0, 1}},
		{"as steep and dear", []float64{1.2, 1.26}, []float64{1, 1.05}, []time.Duration{time.Second, 9 * time.Second}, 0, []int{0}},
		{"as steep, not dear", []float64{1.2, 1.26}, []float64{1, 1.05}, []time.Duration{time.Second, time.Second}, 0, []int{0, 1}},
		{"second round, dear", []float64{1.2, 1.26}, []float64{1, 1.05}, []time.Duration{time.Second, 4 * time.Second}, 0, []int{0, 1}},
		{"second round, very dear", []float64{1.2, 1.26}, []float64{1, 1.05}, []time.Duration{time.Second, 9 * time.Second}, 0, []int{0}},
		{"as good and dear", []float64{1.2, 1.21}, []float64{1, 1.01}, []time.Duration{time.Second, 9 * time.Second}, 0, []int{0, 1}},
		{"too long on all rows", []float64{1.2, 1.21}, []float64{1, 1.01}, []time.Duration{time.Hour, 1}, time.Minute, []int{1}},
		{"too long in the first round", nil, []float64{1, 1.01}, []time.Duration{time.Hour, 1}, time.Minute, []int{0, 1}},
		{"all too long", []float64{1.2, 1.21}, []float64{1, 1.01}, []time.Duration{2 * time.Hour, time.Hour}, time.Minute, []int{1}},
	} {
		r := &race{d: few, methods: []catalog.Method{linear, linear}, splits: []crossval.Split{{Train: make([]int, 3200)}}, budget: c.budget, out: map[int]string{}, before: map[int]float64{}, lastTimes: map[int]time.Duration{}}
		for i, v := range c.before {
			r.before[i], r.rounds = v, 2
		}
		if strings.HasPrefix(c.name, "second round") {
			r.rounds = 1
		}
		if strings.HasPrefix(c.name, "many rows") {
			r.d, r.spent = many, time.Hour
		}
		trials := make([]crossval.Trial, 2)
		spent := map[int]time.Duration{}
		for i, v := range c.losses {
			trials[i].Mean, spent[i] = v, c.spent[i]
		}
		got := r.keep([]int{0, 1}, trials, .5, spent)
		if !slices.Equal(got, c.want) || len(r.out) != 2-len(got) {
			t.Errorf("%s: %v, want %v: %v", c.name, got, c.want, r.out)
		}
	}
}

// The time on all rows is that of a fold times a power of how many times as many rows they are: the power that the last round shows, but
// at least 1 and at most 2, and 1 if there was no round before.
func TestRaceWhole(t *testing.T) {
	const rows, folds = 1000, 2 // of the 4000 rows
	for _, c := range []struct {
		last, elapsed, want time.Duration
	}{
		{0, 60, 120}, {10, 20, 40}, {10, 30, 135}, {10, 40, 320}, {10, 80, 640}, {20, 10, 20},
	} {
		r := &race{d: &dataset.Set{X: mat.NewDense(4000, 1, nil)}, splits: make([]crossval.Split, folds), lastTimes: map[int]time.Duration{7: c.last * time.Second}}
		if got := r.whole(7, rows, c.elapsed*time.Second); got.Round(time.Microsecond) != c.want*time.Second {
			t.Errorf("%d s after %d s: %v on all rows, want %d s", c.elapsed, c.last, got, c.want)
		}
	}
}

// The settings that a method chooses by the data are those that it would choose for all rows, chosen once for each fold.
func TestRaceSettles(t *testing.T) {
	d := dataset.Rings(1600, 3, .2, 1)
	r := &race{d: d, settled: map[[2]int][]string{}}
	for range 2 {
		f, err := r.fitter(t.Context(), catalog.Must("svm").New(), d.Select(dataset.Sample(1600, 500, 1)), crossval.Task{Candidates: []int{0}, Fold: 1})
		if err != nil || f != catalog.Plain(f) {
			t.Fatal(err)
		}
	}
	if _, is := r.settled[[2]int{0, 1}]; !is || len(r.settled) != 1 {
		t.Errorf("settled %v", r.settled)
	}
}

// Of many rows some are held out once, and a quarter of the others is trained on.
func TestCompareManyRows(t *testing.T) {
	const n = 20_001
	d := &dataset.Set{X: mat.NewDense(n, 1, nil), Value: make([]float64, n)}
	for i := range n {
		d.X.(*mat.Dense).Set(i, 0, float64(i%7))
		d.Value[i] = float64(i % 7)
	}
	var rows []int
	m := pacedMethod("counted", func(_ context.Context, d *dataset.Set) error {
		n, _ := d.Dims()
		rows = append(rows, n)
		return nil
	})
	r, err := Compare{Methods: []catalog.Method{m}, Run: gram.Run{Workers: 1}}.Do(t.Context(), d)
	if err != nil || r.Folds != 1 || r.Methods[0].Std != 0 || !reflect.DeepEqual(rows, []int{(n - mostHeldOut) / 4}) {
		t.Errorf("%+v, %v, trained on %v rows", r, err, rows)
	}
}

func TestCompareRefuses(t *testing.T) {
	classes, values, labels := dataset.Rings(40, 2, .1, 1), dataset.Friedman1(40, 5, .1, 1), dataset.SparseMultiLabel(40, 30, 4, 1)
	weighed := *labels
	weighed.Weight = make([]float64, 40)
	probabilities := training.Trust{Proba: new(calibration.Platt)}
	linear := []catalog.Method{catalog.Must("linear")}
	lone := dataset.Rings(30, 2, .1, 1)
	for i := range lone.Labels.Class {
		lone.Labels.Class[i] = map[bool]int{i == 20: 1}[true]
	}
	if _, err := (Compare{Methods: linear}).Do(t.Context(), lone); err == nil || !strings.Contains(err.Error(), "target of row 21: no other row is of class") {
		t.Errorf("a class of one row: %v", err)
	}
	for what, c := range map[string]struct {
		Compare
		d *dataset.Set
	}{
		"no methods":           {Compare{}, values},
		"one row":              {Compare{Methods: linear}, values.Select([]int{0})},
		"a measure of classes": {Compare{Methods: linear, Metric: "accuracy"}, values},
		"another task":         {Compare{Methods: []catalog.Method{catalog.Must("leml")}}, values},
		"weights of labels":    {Compare{Methods: []catalog.Method{catalog.Must("leml")}}, &weighed},
		"chances of values":    {Compare{Methods: linear, Trust: probabilities}, values},
		"intervals of labels":  {Compare{Methods: []catalog.Method{catalog.Must("leml")}, Trust: training.Trust{Conformal: .2}}, labels},
	} {
		var config *gram.ConfigError
		if _, err := c.Do(t.Context(), c.d); !errors.As(err, &config) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := Portfolio(&dataset.Set{X: classes.X}); err == nil {
		t.Error("methods for no target")
	}

	// What a method alone needs is its own failure; what all need is that of the first.
	r := comparePortfolio(t, Compare{Run: gram.Run{MemoryLimit: 1 << 20}}, dataset.Rings(2000, 2, .1, 1))
	if r.Methods[0].Failed != "" || !strings.Contains(r.Methods[2].Failed, "needs") {
		t.Errorf("little memory: %+v", r.Methods)
	}
	var memory *gram.MemoryError
	if _, err := (Compare{Methods: linear, Run: gram.Run{MemoryLimit: 1}}).Do(t.Context(), values); !errors.As(err, &memory) || !strings.Contains(err.Error(), "linear") {
		t.Errorf("no memory: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stops := pacedMethod("stops", func(ctx context.Context, _ *dataset.Set) error { cancel(); return ctx.Err() })
	if _, err := (Compare{Methods: []catalog.Method{catalog.Must("linear"), stops, catalog.Must("linear")}, Budget: time.Hour}).Do(ctx, values); err != context.Canceled {
		t.Errorf("after a cancel: %v", err)
	}
}
