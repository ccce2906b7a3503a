package training

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
	"gonum.org/v1/gonum/mat"
)

// Intervals and sets of every method hold the truth of other rows with the probability that
// was asked for, however good or bad the method is.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("fits every method")
	}
	const train, other = 160, 4000
	all := algotest.Problem(2, train+other+other, 3, 3)
	for _, m := range catalog.Methods() {
		for _, kind := range []algotest.Kind{algotest.Classification, algotest.Regression} {
			d := catalogtest.Set(all, kind)
			if m.Clusters || !slices.Contains(m.Tasks, d.Task()) {
				continue
			}
			n, _ := d.Dims()
			order := dataset.Permutation(n, 3)
			fitted, fresh := d.Select(order[:train+other]), d.Select(order[train+other:])
			p, err := Trust{Conformal: float64(other) / (train + other)}.Train(t.Context(), m, catalogtest.Quick(m), fitted, Standard, gram.Run{Seed: 1})
			if p == nil {
				t.Errorf("%s: %v", m.Name, err)
				continue
			}
			a, err := p.Answer(fresh.X, pipeline.Want{Level: .9})
			if err != nil {
				t.Errorf("%s: %v", m.Name, err)
				continue
			}
			held := 0
			for i := range other {
				if kind == algotest.Classification && slices.Contains(a.Set[i], fresh.Labels.Class[i]) ||
					kind == algotest.Regression && a.Low[i] <= fresh.Value[i] && fresh.Value[i] <= a.High[i] {
					held++
				}
			}
			got := float64(held) / other
			if ties := m.Name == "inductive" || m.Name == "bregman" || m.Name == "sideinfo" || m.Name == "bka-svm"; ties && got >= .88 { // votes of neighbors, and constants of clusters, are equal for many rows
				continue
			}
			if !(math.Abs(got-.9) <= .02) {
				t.Errorf("%s for %v: coverage %.4f", m.Name, d.Task(), got)
			}
		}
	}
}

// trusted are models with all that Trust adds, which are stored in testdata.
var trusted = []struct {
	method catalog.Method
	kind   algotest.Kind
	trust  Trust
	golden string
}{
	{catalog.Must("svm"), algotest.Classification, Trust{Proba: kind(calibration.Platt), Conformal: .2}, "svm-platt-classes-v2.gram"},
	{catalog.Must("linear"), algotest.Classification, Trust{Proba: kind(calibration.Isotonic), Conformal: .2}, "linear-isotonic-classes-v2.gram"},
	{catalog.Must("nystrom"), algotest.Classification, Trust{Proba: kind(calibration.Temperature)}, "nystrom-temperature-classes-v2.gram"},
	{catalog.Must("krr"), algotest.Regression, Trust{Conformal: .3}, "krr-conformal-values-v2.gram"},
}

func kind(k calibration.Kind) *calibration.Kind { return &k }

// trustedAnswers returns all numbers that the model answers about x, as a matrix.
func trustedAnswers(t *testing.T, p *pipeline.Model, x mat.Matrix) *mat.Dense {
	t.Helper()
	want := pipeline.Want{Probability: p.Calibration != nil}
	if p.Conformal != nil {
		want.Level = .7
	}
	a, err := p.Answer(x, want)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := x.Dims()
	out := mat.NewDense(n, 7, nil)
	for i := range n {
		var row []float64
		if a.Probability != nil {
			row = append(row, a.Probability.RawRowView(i)...)
		}
		if a.Set != nil {
			member := make([]float64, len(p.Names))
			for _, c := range a.Set[i] {
				member[c] = 1
			}
			row = append(row, member...)
		}
		if a.Low != nil {
			row = append(row, a.Low[i], a.High[i])
		}
		out.SetRow(i, append(row, make([]float64, 7-len(row))...))
	}
	return out
}

// Models with probabilities, intervals and sets are stored and read again, also those in
// testdata; they compile, and the programs answer as the models do.
func TestTrusted(t *testing.T) {
	for _, c := range trusted {
		d := catalogtest.Set(algotest.Problem(8, 40, 3, 3), c.kind)
		p, err := c.trust.Train(t.Context(), c.method, catalogtest.Quick(c.method), d, Standard, gram.Run{Seed: 1})
		if err != nil {
			t.Fatalf("%s: %v", c.golden, err)
		}
		rows := algotest.Problem(9, 40, 3, 3).X // others: the sets of calibration rows are decided by equalities
		answers := trustedAnswers(t, p, rows)
		if p.Calibration != nil {
			if e := metric.LogLoss(mustAnswer(t, p, d.X).Probability, d.Labels.Class); !(e < math.Log(3)) {
				t.Errorf("%s: log loss %v of the rows that it was trained on", c.golden, e)
			}
		}
		path := filepath.Join("..", "catalog", "testdata", c.golden)
		if flag.Lookup("update").Value.String() == "true" {
			if _, err := os.Stat(path); err == nil {
				t.Fatalf("%s exists: a new version gets a new file", path)
			}
			err := modelfile.Save(path, encoded(func(w *modelfile.Writer) error {
				if err := w.Header("golden", 1, struct{}{}); err != nil {
					return err
				}
				w.Dense("x", rows.(*mat.Dense))
				w.Dense("output", answers)
				return p.Encode(w.Sub("model"))
			}))
			if err != nil {
				t.Fatal(err)
			}
		}
		f, err := modelfile.ReadFile(path)
		if err != nil {
			t.Fatalf("%v (go test -run TestTrusted -update writes it)", err)
		}
		x, errX := f.Dense("x", -1, -1)
		output, errO := f.Dense("output", -1, -1)
		sub, errS := f.Sub("model")
		if err := errors.Join(errX, errO, errS); err != nil {
			t.Fatal(err)
		}
		back, err := pipeline.Decode(sub, catalog.Registry())
		if err != nil {
			t.Fatal(err)
		}
		if got := trustedAnswers(t, back, x); !mat.EqualApprox(got, output, 1e-9) {
			t.Errorf("%s answers\n%v\nit was\n%v", path, mat.Formatted(got), mat.Formatted(output))
		}

		for _, precision := range []predict.Precision{predict.Float64, predict.Float32} {
			compiled, _, err := p.Compile(t.Context(), predict.Options{Method: predict.Exact, Precision: precision})
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "compiled.gram")
			if err := modelfile.Save(file, compiled); err != nil {
				t.Fatal(err)
			}
			again, err := catalog.LoadFitted(file)
			if err != nil {
				t.Fatal(err)
			}
			tol := 1e-8
			if precision == predict.Float32 {
				tol = 1e-4
			}
			if got := trustedAnswers(t, again, rows); !mat.EqualApprox(got, answers, tol) {
				t.Errorf("%s compiled to %v answers\n%v\nthe model\n%v", c.golden, precision, mat.Formatted(got), mat.Formatted(answers))
			}
		}
	}
}

func mustAnswer(t *testing.T, p *pipeline.Model, x mat.Matrix) pipeline.Predictions {
	t.Helper()
	return mustAnswerWant(t, p, x, pipeline.Want{Probability: true})
}

func mustAnswerWant(t *testing.T, p *pipeline.Model, x mat.Matrix, w pipeline.Want) pipeline.Predictions {
	t.Helper()
	a, err := p.Answer(x, w)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// encoded is a model whose method Encode is a function.
type encoded func(w *modelfile.Writer) error

func (e encoded) Encode(w *modelfile.Writer) error { return e(w) }

// Rows that are given up are scaled where they are, to the same model, but not where more than one training needs them.
func TestInPlace(t *testing.T) {
	proba := calibration.Platt
	for _, c := range []struct {
		trust   Trust
		inPlace bool
	}{{Trust{}, true}, {Trust{Conformal: .2}, false}, {Trust{Proba: &proba}, false}} { // held-out rows are copies already
		read := dataset.TwoSpirals(120, .02, 1)
		d := *read
		d.X = mat.DenseCopyOf(read.X)
		want, err := c.trust.Train(t.Context(), catalog.Must("linear"), nil, &d, Standard, gram.Run{Seed: 1})
		if err != nil || !mat.Equal(d.X, read.X) {
			t.Fatalf("the rows are changed, or %v", err)
		}
		c.trust.InPlace = true
		got, err := c.trust.Train(t.Context(), catalog.Must("linear"), nil, &d, Standard, gram.Run{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		a, b := new(bytes.Buffer), new(bytes.Buffer)
		if err := errors.Join(modelfile.Write(a, want), modelfile.Write(b, got)); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%+v: another model in place, %v", c.trust, err)
		}
		if scaled := want.Scaling.Apply(read.X); c.inPlace && !mat.Equal(d.X, scaled) || !c.inPlace && !mat.Equal(d.X, read.X) {
			t.Errorf("%+v: the rows are not as they should be", c.trust)
		}
	}
}

// Probabilities come from rows that the scores were not trained on: a machine that knows its
// rows by heart, of classes that nothing tells, is as uncertain as it should be.
func TestCrossFitted(t *testing.T) {
	p := algotest.Problem(11, 300, 3, 2)
	d := catalogtest.Set(p, algotest.Classification)
	for i := range d.Labels.Class {
		d.Labels.Class[i] = i * i % 7 % 2
	}
	f, err := Trust{Proba: kind(calibration.Platt)}.Train(t.Context(), catalog.Must("svm"), []string{"gamma=50", "c=1000"}, d, Standard, gram.Run{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	a := mustAnswer(t, f, d.X)
	if right := metric.Accuracy(a.Class, d.Labels.Class); !(right > .99) {
		t.Errorf("%v of the rows are known", right)
	}
	if loss := metric.LogLoss(a.Probability, d.Labels.Class); !(loss > .4) {
		t.Errorf("log loss %v of classes that nothing tells", loss)
	}
}

// The program of an approximation keeps probabilities and drops intervals, which are about
// the errors of the model itself; a model with probabilities of its own keeps them.
func TestCompiledTrust(t *testing.T) {
	d := catalogtest.Set(algotest.Problem(8, 300, 3, 2), algotest.Classification)
	p, err := Trust{Proba: kind(calibration.Platt), Conformal: .2}.Train(t.Context(), catalog.Must("svm"), nil, d, Standard, gram.Run{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := p.Compile(t.Context(), predict.Options{Method: "nystrom", M: 8, Points: d.X})
	if err != nil {
		t.Fatal(err)
	}
	if c.Conformal != nil || c.Calibration == nil || p.Conformal == nil {
		t.Errorf("the approximation has intervals %v and probabilities %v", c.Conformal, c.Calibration)
	}
	trees, err := Train(t.Context(), catalog.Must("gbdt"), catalogtest.Trainable(t, catalog.Must("gbdt"), "rounds=4"), d, NoScale, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	if c, _, err = trees.Compile(t.Context(), predict.Options{}); err != nil {
		t.Fatal(err)
	}
	if got, want := mustAnswer(t, c, d.X).Probability, mustAnswer(t, trees, d.X).Probability; !mat.EqualApprox(got, want, 1e-9) {
		t.Error("compiled trees have other probabilities")
	}
}

// A Gaussian process has intervals of its own. Its exact program keeps them, also in a file, and an
// approximation has none.
func TestPosteriorIntervals(t *testing.T) {
	d := catalogtest.Set(algotest.Problem(2, 700, 3, 3), algotest.Regression)
	order := dataset.Permutation(700, 3)
	fitted, fresh := d.Select(order[:200]), d.Select(order[200:])
	for _, approximation := range []string{"exact", "fitc"} {
		p, err := Train(t.Context(), catalog.Must("gp"), catalogtest.Trainable(t, catalog.Must("gp"), "approximation="+approximation, "landmarks=30"), fitted, Standard, gram.Run{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		a := mustAnswerWant(t, p, fresh.X, pipeline.Want{Level: .9})
		held := 0
		for i, v := range fresh.Value {
			if a.Low[i] <= v && v <= a.High[i] {
				held++
			}
		}
		if share := float64(held) / 500; !(math.Abs(share-.9) <= .06) {
			t.Errorf("%s: coverage %v", approximation, share)
		}
		for _, level := range []float64{-1, 1, math.NaN()} {
			if _, err := p.Answer(fresh.X, pipeline.Want{Level: level}); err == nil {
				t.Errorf("an interval of level %v", level)
			}
		}
		for _, precision := range []predict.Precision{predict.Float64, predict.Float32} {
			c, _, err := p.Compile(t.Context(), predict.Options{Method: predict.Exact, Precision: precision})
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "c.gram")
			if err := modelfile.Save(path, c); err != nil {
				t.Fatal(err)
			}
			if c, err = catalog.LoadFitted(path); err != nil {
				t.Fatal(err)
			}
			got := mustAnswerWant(t, c, fresh.X, pipeline.Want{Level: .9})
			within := 1e-10
			if precision == predict.Float32 {
				within = 1e-3
			}
			for i := range got.Low {
				if !(math.Abs(got.Low[i]-a.Low[i])+math.Abs(got.High[i]-a.High[i]) <= within*(a.High[i]-a.Low[i])) {
					t.Fatalf("%s, %v: row %d is in [%v, %v], of the model [%v, %v]", approximation, precision, i, got.Low[i], got.High[i], a.Low[i], a.High[i])
				}
			}
			if c, _, err = c.Compile(t.Context(), predict.Options{Method: "nystrom", M: 10, Points: fresh.X}); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Answer(fresh.X, pipeline.Want{Level: .9}); err == nil || c.Intervals() {
				t.Errorf("an approximation has intervals: %v", err)
			}
		}
	}
}

// What Trust cannot do is refused.
func TestTrustRefuses(t *testing.T) {
	p := algotest.Problem(1, 60, 3, 3)
	classes, values, labels := catalogtest.Set(p, algotest.Classification), catalogtest.Set(p, algotest.Regression), catalogtest.Set(p, algotest.MultiLabel)
	platt := Trust{Proba: kind(calibration.Platt)}
	adaptive := Trust{Proba: platt.Proba, Adaptive: true}
	weighed := *labels
	weighed.Weight = make([]float64, 60)
	for what, fit := range map[string]func() error{
		"probabilities of values": func() error {
			return failure(platt.Train(t.Context(), catalog.Must("krr"), nil, values, NoScale, gram.Run{}))
		},
		"probabilities of label sets": func() error {
			return failure(platt.Train(t.Context(), catalog.Must("leml"), nil, labels, NoScale, gram.Run{}))
		},
		"sets of clusters": func() error {
			return failure(Trust{Conformal: .2}.Train(t.Context(), catalog.Must("pairwise"), nil, classes, NoScale, gram.Run{}))
		},
		"all rows held out": func() error {
			return failure(Trust{Conformal: 1}.Train(t.Context(), catalog.Must("svm"), nil, classes, NoScale, gram.Run{}))
		},
		"adaptive intervals": func() error {
			return failure(Trust{Conformal: .2, Adaptive: true}.Train(t.Context(), catalog.Must("krr"), nil, values, NoScale, gram.Run{}))
		},
		"adaptive sets without probabilities": func() error {
			return failure(Trust{Conformal: .2, Adaptive: true}.Train(t.Context(), catalog.Must("svm"), nil, classes, NoScale, gram.Run{}))
		},
		"no row held out": func() error {
			return failure(Trust{Conformal: 1e-9}.Train(t.Context(), catalog.Must("svm"), nil, classes, NoScale, gram.Run{}))
		},
		"one fold": func() error {
			return failure(Trust{Proba: platt.Proba, Folds: 1}.Train(t.Context(), catalog.Must("svm"), nil, classes, NoScale, gram.Run{}))
		},
		"fewer than no rows held out": func() error {
			return failure(Trust{Conformal: -.1}.Train(t.Context(), catalog.Must("svm"), nil, classes, NoScale, gram.Run{}))
		},
		"adaptive sets without rows held out": func() error {
			return failure(adaptive.Train(t.Context(), catalog.Must("svm"), nil, classes, NoScale, gram.Run{}))
		},
		"more folds than rows": func() error {
			return failure(Trust{Proba: platt.Proba, Folds: 61}.Train(t.Context(), catalog.Must("linear"), nil, classes, NoScale, gram.Run{}))
		},
		"a file of pairs": func() error {
			return failure(platt.Train(t.Context(), catalog.Must("bregman"), []string{"pairs-file=x"}, classes, NoScale, gram.Run{}))
		},
		"weights of label sets": func() error {
			return failure(Trust{}.Train(t.Context(), catalog.Must("leml"), nil, &weighed, NoScale, gram.Run{}))
		},
	} {
		var config *gram.ConfigError
		if err := fit(); !errors.As(err, &config) {
			t.Errorf("%s: %v", what, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := platt.Train(ctx, catalog.Must("svm"), nil, classes, NoScale, gram.Run{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
}

func failure(_ *pipeline.Model, err error) error { return err }

// Row weights reach every method that learns classes or values: with the weights of one
// class near zero, hardly any row is predicted to be of it.
func TestWeights(t *testing.T) {
	if testing.Short() {
		t.Skip("fits every method")
	}
	p := algotest.Problem(4, 120, 3, 2)
	d := catalogtest.Set(p, algotest.Classification)
	d.Weight = make([]float64, 120)
	for i, c := range d.Labels.Class {
		d.Weight[i] = []float64{1, 1e-6}[c]
	}
	if b := d.Balanced(); !(math.Abs(mat.Sum(mat.NewVecDense(120, b))-120) < 1e-9) {
		t.Errorf("balanced weights sum to %v", mat.Sum(mat.NewVecDense(120, b)))
	}
	for _, m := range catalog.Methods() {
		if m.Clusters || !slices.Contains(m.Tasks, dataset.Classes) || m.Name == "bka-svm" || m.Name == "inductive" || m.Name == "nu-svm" {
			continue // clusters and neighbors may all be of the one class; with such weights no ν is small enough
		}
		set := catalogtest.Quick(m)
		if m.Name == "linear" { // of few rows, the penalty of the constant draws rows far from all others to the other class
			set = append(slices.Clone(set), "bias=10")
		}
		f, err := Train(t.Context(), m, catalogtest.Trainable(t, m, set...), d, Standard, gram.Run{Seed: 1})
		if f == nil {
			t.Errorf("%s: %v", m.Name, err)
			continue
		}
		a, err := f.Predict(d.X, false, 1)
		if err != nil {
			t.Fatal(err)
		}
		seconds := 0
		for _, c := range a.Class {
			seconds += c
		}
		if seconds > 6 {
			t.Errorf("%s: %d rows of 120 are predicted to be of a class without weight", m.Name, seconds)
		}
	}
}

// Measures of the order of rows take the probabilities of more than two classes where the model has them,
// which tell more than votes, and the scores of two classes.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		classes int
		proba   bool
	}{{4, true}, {4, false}, {2, true}} {
		p := algotest.Problem(3, 300, 3, c.classes)
		trust := Trust{}
		if c.proba {
			platt := calibration.Platt
			trust.Proba = &platt
		}
		m, err := trust.Train(t.Context(), catalog.Must("svm"), nil, catalogtest.Set(p, algotest.Classification), Standard, gram.Run{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.Answer(p.X, pipeline.Want{Order: true, Scores: true, Probability: c.proba})
		if err != nil {
			t.Fatal(err)
		}
		want := a.Scores
		if c.proba && c.classes > 2 {
			want = a.Probability
		}
		if !mat.Equal(a.Order, want) {
			t.Errorf("%+v: the order is not that of probabilities, or of scores where there are none", c)
		}
	}
}

// Of fewer rows than folds that nobody has asked for, the rows are what is refused.
func TestFewRowsForProbabilities(t *testing.T) {
	platt := calibration.Platt
	few := catalogtest.Set(algotest.Problem(1, 4, 3, 2), algotest.Classification)
	_, err := Trust{Proba: &platt}.Train(t.Context(), catalog.Must("svm"), nil, few, NoScale, gram.Run{})
	var config *gram.ConfigError
	if !errors.As(err, &config) || config.Field != "rows" || config.Value != 4 {
		t.Errorf("probabilities of four rows: %v", err)
	}
}

// Adaptive intervals hold new values as often as those of equal width, with errors in the rows that scatter much as well, and are narrow where
// values scatter little. They are stored with the model.
func TestAdaptiveIntervals(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	draw := func(n int) *dataset.Set {
		x, y := mat.NewDense(n, 2, nil), make([]float64, n)
		for i := range n {
			x.SetRow(i, []float64{r.Float64(), r.Float64()})
			y[i] = math.Sin(6*x.At(i, 0)) + (.1+2*x.At(i, 1))*r.NormFloat64()
		}
		return &dataset.Set{X: x, Value: y}
	}
	d, fresh := draw(1500), draw(2000)
	settings := []string{"rounds=40", "leaves=8", "min-rows=20", "loss=huber", "delta=1"}
	p, err := Trust{Conformal: .4, Adaptive: true}.Train(t.Context(), catalog.Must("gbdt"), settings, d, AutoScale, gram.Run{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.gram")
	if err := pipeline.Save(path, p, catalog.Registry()); err != nil {
		t.Fatal(err)
	}
	read, err := pipeline.Load(path, catalog.Registry())
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []float64{.8, .95} {
		a, err := p.Answer(fresh.X, pipeline.Want{Level: level})
		if err != nil {
			t.Fatal(err)
		}
		b, err := read.Answer(fresh.X, pipeline.Want{Level: level})
		if err != nil || !slices.Equal(a.Low, b.Low) || !slices.Equal(a.High, b.High) {
			t.Errorf("level %g: a stored model has other intervals: %v", level, err)
		}
		var held, rows [2]float64
		var width [2]float64
		for i, y := range fresh.Value {
			side := int(2 * fresh.X.At(i, 1)) // values scatter little, or much
			rows[side]++
			width[side] += a.High[i] - a.Low[i]
			if a.Low[i] <= y && y <= a.High[i] {
				held[side]++
			}
		}
		if share := (held[0] + held[1]) / 2000; !(math.Abs(share-level) < .045) {
			t.Errorf("level %g: %g of the values are in their intervals", level, share)
		}
		if worst := min(held[0]/rows[0], held[1]/rows[1]); !(worst > level-.1) {
			t.Errorf("level %g: %g of the values of one half of the rows are in their intervals", level, worst)
		}
		if !(width[1]/rows[1] > 1.5*width[0]/rows[0]) {
			t.Errorf("level %g: intervals are %g wide where values scatter, %g elsewhere", level, width[1]/rows[1], width[0]/rows[0])
		}
	}
	if _, err := read.Answer(fresh.X, pipeline.Want{}); err != nil {
		t.Error(err)
	}
}

// bytesOf returns the file of a model.
func bytesOf(t *testing.T, m modelfile.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := modelfile.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Trainings that are made apart, in any order and by runs with other seeds, join to the model of Train. The settings that the model
// has chosen are those of the band, and whoever asks for them is told once for each training.
func TestPartsAreTrain(t *testing.T) {
	isotonic := calibration.Isotonic
	for name, c := range map[string]struct {
		trust    Trust
		method   string
		settings []string
		d        *dataset.Set
		number   int // of trainings that need no other
		band     int
		chooses  bool
	}{
		"classes": {Trust{Proba: &isotonic, Folds: 3, Conformal: .3, Adaptive: true}, "linear", []string{"model=svm", "tol=0.1"}, dataset.Rings(150, 3, .1, 1), 4, 0, false},
		"values": {Trust{Conformal: .5, Adaptive: true}, "gbdt", []string{"rounds=3", "loss=huber", "delta=1"},
			dataset.Friedman1(600, 6, .5, 2), 1, 2, true},
		"none": {Trust{}, "linear", []string{"lambda=2"}, dataset.Friedman1(50, 5, .5, 2), 1, 0, false},
	} {
		m := catalog.Must(c.method)
		told := 0
		c.trust.Chosen = func(chosen []string) {
			if told++; told > 1 && len(chosen) > 0 { // the sides of a band choose nothing themselves
				t.Errorf("%s: training %d has chosen %q", name, told, chosen)
			}
		}
		want, err := c.trust.Train(t.Context(), m, c.settings, c.d, Standard, gram.Run{Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		if all := map[bool]int{true: c.number + c.band}[c.chooses]; told != all {
			t.Errorf("%s: %d trainings have told what they have chosen, want %d", name, told, all)
		}
		c.trust.Chosen = nil
		p, err := c.trust.Parts(m, c.settings, c.d, Standard, 5)
		if err != nil || p.Number() != c.number || p.Band() != c.band {
			t.Fatalf("%s: %d and %d trainings: %v", name, p.Number(), p.Band(), err)
		}
		parts := make([]*Part, c.number+c.band)
		for k := c.number - 1; k >= 0; k-- {
			if parts[k], err = p.Make(t.Context(), k, nil, gram.Run{Seed: uint64(k)}); err != nil {
				t.Fatal(err)
			}
			if fold := k > 0; (parts[k].Model == nil) != fold || (parts[k].Scores != nil) != fold {
				t.Errorf("%s: training %d has the model %v", name, k, parts[k].Model)
			}
		}
		chosen := parts[0].Chosen
		if (chosen != nil) != c.chooses {
			t.Errorf("%s: the settings %q are chosen", name, chosen)
		}
		for k := c.number + c.band - 1; k >= c.number; k-- {
			if parts[k], err = p.Make(t.Context(), k, chosen, gram.Run{}); err != nil {
				t.Fatal(err)
			}
			of, side := parts[0].Model.Model.(*gbdt.Regressor).Config(), parts[k].Model.Model.(*gbdt.Regressor).Config()
			if side.Loss != gbdt.Quantile || side.Level != []float64{.05, .95}[k-c.number] || side.Delta != 0 {
				t.Errorf("side %d of the band has the loss %v of level %g with delta %g", k-c.number, side.Loss, side.Level, side.Delta)
			}
			if side.Loss, side.Level, side.Delta = of.Loss, of.Level, of.Delta; !reflect.DeepEqual(side, of) {
				t.Errorf("side %d of the band has the settings %+v, the model %+v", k-c.number, side, of)
			}
		}
		if c.band > 0 {
			side, err := p.Make(t.Context(), 1, []string{"leaves=3", "min-rows=9", "column-sample=0.5"}, gram.Run{})
			if err != nil {
				t.Fatal(err)
			}
			if of := side.Model.Model.(*gbdt.Regressor).Config(); of.MaxLeaves != 3 || of.MinRows != 9 || of.ColumnSample != .5 {
				t.Errorf("a side of the band has the settings %+v", of)
			}
		}
		var asked []int
		got, err := p.Join(t.Context(), func(k int) (*Part, error) { asked = append(asked, k); return parts[k], nil })
		if err != nil || !bytes.Equal(bytesOf(t, got), bytesOf(t, want)) {
			t.Errorf("%s: joined parts are another model than one of Train: %v", name, err)
		}
		if len(asked) != len(parts) || !slices.IsSorted(asked) {
			t.Errorf("%s: the trainings %v were asked for", name, asked)
		}
	}
}

// An error of a training ends the joining, and is the error of it. That of the model comes with the model there is; one
// that says only that its iteration has stopped does not end it.
func TestJoinPassesErrorsOn(t *testing.T) {
	platt, boom := calibration.Platt, errors.New("boom")
	classes, values := dataset.Rings(60, 2, .1, 1), dataset.Friedman1(60, 5, .1, 1)
	join := func(trust Trust, method string, settings []string, d *dataset.Set, at int, failed error, without bool) (*pipeline.Model, error) {
		t.Helper()
		p, err := trust.Parts(catalog.Must(method), settings, d, NoScale, 1)
		if err != nil {
			t.Fatal(err)
		}
		return p.Join(t.Context(), func(k int) (*Part, error) {
			part, err := p.Make(t.Context(), k, nil, gram.Run{})
			if k == at {
				err = failed
				if without {
					part = nil
				}
			} else if err != nil {
				t.Error(err)
			}
			return part, err
		})
	}
	quick := []string{"rounds=2", "min-rows=5"}
	probabilities, sides := Trust{Proba: &platt, Folds: 2}, Trust{Conformal: .5, Adaptive: true}
	for what, c := range map[string]struct {
		trust    Trust
		method   string
		settings []string
		d        *dataset.Set
		at       int
		without  bool
		model    bool
	}{
		"no model":      {probabilities, "linear", nil, classes, 0, true, false},
		"a model":       {probabilities, "linear", nil, classes, 0, false, true},
		"a fold":        {probabilities, "linear", nil, classes, 2, true, false},
		"a side":        {sides, "gbdt", quick, values, 1, true, false},
		"the last side": {sides, "gbdt", quick, values, 2, false, false},
	} {
		m, err := join(c.trust, c.method, c.settings, c.d, c.at, boom, c.without)
		if !errors.Is(err, boom) || (m != nil) != c.model || m != nil && m.Calibration != nil {
			t.Errorf("an error of %s: %v, %v", what, m, err)
		}
	}
	slow := &gram.ConvergenceError{Residual: .5}
	if m, err := join(probabilities, "linear", nil, classes, 0, slow, false); err != slow || m.Calibration == nil {
		t.Errorf("a model whose iteration has stopped: %v, %v", m, err)
	}

	// The same from Train: of the model the error is told, of folds it is not.
	short := []string{"model=svm", "max-iter=1", "tol=1e-12"}
	p, err := probabilities.Parts(catalog.Must("linear"), short, classes, NoScale, 1)
	if err != nil {
		t.Fatal(err)
	}
	var stopped *gram.ConvergenceError
	if first, err := p.Make(t.Context(), 0, nil, gram.Run{}); !errors.As(err, &stopped) || first.Model == nil || first.Short != stopped {
		t.Errorf("the part of the model: %+v, %v", first, err)
	}
	if fold, err := p.Make(t.Context(), 1, nil, gram.Run{}); err != nil || fold.Short != nil || fold.Scores == nil {
		t.Errorf("the part of a fold: %+v, %v", fold, err)
	}
	p.given = []string{"other=1"}
	if _, err := p.Make(t.Context(), 1, nil, gram.Run{}); err == nil {
		t.Error("a setting that is not there is taken")
	}
}

// A function in place of the fit gets the method's plain Fitter with the settings, the seed of the trainings and the rows as the fit gets them.
func TestThrough(t *testing.T) {
	d, boom := dataset.Friedman1(80, 5, .1, 1), errors.New("boom")
	m, given := catalog.Must("nystrom"), []string{"m=10", "gamma=0.5", "lambda=1"}
	trust := Trust{Conformal: .25}
	p, err := trust.Parts(m, given, d, MinMax, 7)
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.Make(t.Context(), 0, nil, gram.Run{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Through(t.Context(), gram.Run{Seed: 1}, func(f catalog.Fitter, rows *dataset.Set, run gram.Run) (modelfile.Model, error) {
		if _, chooses := catalog.Chosen(f); chooses || run.Seed != 7 || mat.Max(rows.X) > 1 || len(rows.Value) != 60 {
			t.Errorf("the Fitter chooses: %v; the seed is %d, of %d rows the largest value %g", chooses, run.Seed, len(rows.Value), mat.Max(rows.X))
		}
		return f.Fit(t.Context(), rows, run)
	})
	if err != nil || !bytes.Equal(bytesOf(t, got.Model), bytesOf(t, want.Model)) {
		t.Errorf("the model is another one than of the method itself: %v", err)
	}
	_, err = p.Through(t.Context(), gram.Run{}, func(catalog.Fitter, *dataset.Set, gram.Run) (modelfile.Model, error) { return nil, boom })
	if err != boom {
		t.Errorf("the error of the function is %v", err)
	}
	p.given = []string{"other=1"}
	if _, err := p.Through(t.Context(), gram.Run{}, nil); err == nil {
		t.Error("a setting that is not there is taken")
	}
}

// The rows that are held out are the share that is asked for, of every class, but not more than ten thousand. Those of a fold are
// one of five, of every class.
func TestHeldRows(t *testing.T) {
	platt := calibration.Platt
	draw := func(n int) *dataset.Set {
		d := &dataset.Set{X: mat.NewDense(n, 1, nil), Labels: gram.Labels{Class: make([]int, n), Names: []string{"a", "b"}}}
		for i := range n {
			d.Labels.Class[i] = (i % 10) / 9
			d.X.(*mat.Dense).Set(i, 0, float64(i))
		}
		return d
	}
	ones := func(class []int) (sum int) {
		for _, c := range class {
			sum += c
		}
		return sum
	}
	for n, held := range map[int]int{1000: 400, 40_000: 10_000} {
		p, err := Trust{Proba: &platt, Conformal: .4}.Parts(catalog.Must("linear"), nil, draw(n), NoScale, 1)
		if err != nil {
			t.Fatal(err)
		}
		train, _ := p.rows.Dims()
		other := p.calibration.Labels.Class
		if train != n-held || len(other) != held || ones(other) != held/10 || ones(p.rows.Labels.Class) != train/10 {
			t.Errorf("of %d rows %d are trained on, %d held out, %d of the second class", n, train, len(other), ones(other))
		}
		seen := make([]int, n)
		for _, rows := range []*dataset.Set{p.rows, p.calibration} {
			k, _ := rows.Dims()
			for i := range k {
				seen[int(rows.X.At(i, 0))]++
			}
		}
		if slices.Max(seen) > 1 || slices.Min(seen) < 1 {
			t.Errorf("of %d rows some are both trained on and held out, or neither", n)
		}
		for _, fold := range p.folds {
			second := 0
			for _, i := range fold.Held {
				second += p.rows.Labels.Class[i]
			}
			if len(p.folds) != 5 || len(fold.Held) != train/5 || second != train/50 {
				t.Errorf("one of %d folds has %d rows of %d, %d of the second class", len(p.folds), len(fold.Held), train, second)
			}
		}
	}
	for _, folds := range []int{2, 60} { // the least and the largest number
		p, err := Trust{Proba: &platt, Folds: folds}.Parts(catalog.Must("linear"), nil, draw(60), NoScale, 1)
		if err != nil || p.Number() != folds+1 {
			t.Errorf("%d folds of 60 rows: %v", folds, err)
		}
	}
	if p, err := (Trust{Proba: &platt}).Parts(catalog.Must("linear"), nil, draw(5), NoScale, 1); err != nil || p.Number() != 6 {
		t.Errorf("probabilities of five rows: %v", err)
	}
}

// The progress of a training with probabilities is that of the model and, behind it, the folds themselves.
func TestProgressOfFolds(t *testing.T) {
	platt := calibration.Platt
	var phases []string
	run := gram.Run{Progress: func(e gram.Event) {
		if phases = append(phases, e.Phase); e.Phase == "calibration" && (e.Total != 3 || e.Done < 0 || e.Done > 2) {
			t.Errorf("%d of %d folds are done", e.Done, e.Total)
		}
	}}
	settings := []string{"rounds=3", "min-rows=5", "leaves=4"}
	if _, err := (Trust{Proba: &platt, Folds: 3}).Train(t.Context(), catalog.Must("gbdt"), settings, dataset.Rings(90, 2, .1, 1), NoScale, run); err != nil {
		t.Fatal(err)
	}
	first := slices.Index(phases, "calibration")
	if first < 1 {
		t.Fatalf("the phases are %q", phases)
	}
	for _, phase := range phases[first:] {
		if phase != "calibration" {
			t.Errorf("a fold reports the phase %q", phase)
		}
	}
}
