package pipeline_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/conformal"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/encode"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/predict/approx"
	"gonum.org/v1/gonum/mat"
)

// dimless predicts values and does not say of how many columns.
type dimless struct{}

func (dimless) Predict(dst []float64, x mat.Matrix) []float64 { return dst }
func (dimless) Encode(w *modelfile.Writer) error              { return w.Header("dimless", 1, 0) }

// simple reads the models of these tests; classifiers get the map own.
func simple(own *calibration.Map) *pipeline.Registry {
	return &pipeline.Registry{Models: map[string]func(*modelfile.File) (modelfile.Model, error){
		"scoring": func(f *modelfile.File) (modelfile.Model, error) {
			var k int
			_, err := f.Header("scoring", 1, &k)
			return &scoring{abc[:k], own}, err
		},
		"dueling": func(f *modelfile.File) (modelfile.Model, error) { return &dueling{scoring{abc, own}}, nil },
		"picking": func(f *modelfile.File) (modelfile.Model, error) {
			var c []int
			if _, err := f.Header("picking", 1, &c); err != nil {
				return nil, err
			}
			return &picking{c[0], c[1]}, nil
		},
		"spy":     func(f *modelfile.File) (modelfile.Model, error) { return &ranking{}, nil },
		"dimless": func(f *modelfile.File) (modelfile.Model, error) { return dimless{}, nil },
	}}
}

// file returns the file of a model.
func file(t *testing.T, m modelfile.Model) *modelfile.File {
	t.Helper()
	var b bytes.Buffer
	do(t, modelfile.Write(&b, m))
	return must(modelfile.Read(&b))(t)
}

// mixed are two columns, a category of two levels and a number, and their encoding, which has three.
func mixed(t *testing.T) (*dataset.Schema, *encode.Encoding) {
	t.Helper()
	color := dataset.Column{Name: "color", Kind: dataset.Category, Levels: []string{"blue", "red"}}
	s := &dataset.Schema{Columns: []dataset.Column{color, {Name: "age"}}}
	e, _, err := encode.Config{}.Fit(&dataset.Set{X: mat.NewDense(2, 2, []float64{0, 5, 1, 7}), Schema: s})
	do(t, err)
	return s, e
}

func numbered(names ...string) *dataset.Schema {
	s := &dataset.Schema{}
	for _, name := range names {
		s.Columns = append(s.Columns, dataset.Column{Name: name})
	}
	return s
}

func softBy(k int) *conformal.Predictor {
	p, err := conformal.FitClasses(mat.NewDense(2, k, nil), []int{0, 1}, true)
	if err != nil {
		panic(err)
	}
	return p
}

// Each part by itself is read as it was written, in the lowest version of the format that has it.
func TestParts(t *testing.T) {
	schema, encoding := mixed(t)
	scaling := &dataset.Scaling{Shift: []float64{1, 0, -1}, Divisor: []float64{2, 1, 4}, Width: 2, Low: -1}
	nine := make([]float64, 9)
	around := must(conformal.FitValues(nine, nine))(t)
	wide := must(conformal.FitBand(nine, nine, nine))(t)
	pairs := calibration.NewPairs(3, []calibration.Sigmoid{{A: -1}, {A: -2, B: 3}, {A: -4}})
	for name, c := range map[string]struct {
		p       *pipeline.Model
		change  func(p *pipeline.Model)
		own     *calibration.Map
		version int
	}{
		"plain":   {values(&picking{3, 1}), func(p *pipeline.Model) {}, nil, 1},
		"scaling": {values(&picking{3, 1}), func(p *pipeline.Model) { p.Scaling = scaling }, nil, 1},
		"sparse":  {values(&picking{3, 1}), func(p *pipeline.Model) { p.Storage = dataset.Sparse }, nil, 1},
		"schema":  {values(&picking{3, 1}), func(p *pipeline.Model) { p.Schema = numbered("x", "y", "z") }, nil, 2},
		"encoding": {values(&picking{3, 1}), func(p *pipeline.Model) {
			p.Dim, p.Schema, p.Encoding, p.Scaling = 2, schema, encoding, scaling
		}, nil, 2},
		"calibration": {classes(abc...), func(p *pipeline.Model) { p.Calibration = calibration.Softmax(3) }, nil, 2},
		"two classes": {classes(abc[:2]...), func(p *pipeline.Model) {
			p.Calibration, p.Conformal = calibration.Softmax(2), softBy(2)
		}, nil, 2},
		"pairs": {classes(abc...), func(p *pipeline.Model) {
			p.Model, p.Calibration = &dueling{scoring{names: abc}}, pairs
		}, nil, 2},
		"conformal":       {values(&picking{3, 1}), func(p *pipeline.Model) { p.Conformal = around }, nil, 2},
		"sets by own map": {classes(abc...), func(p *pipeline.Model) { p.Conformal = softBy(3) }, calibration.Softmax(3), 2},
		"band": {values(&picking{3, 1}), func(p *pipeline.Model) {
			p.Conformal, p.Band = wide, []modelfile.Model{&picking{3, 0}, &picking{3, 2}}
		}, nil, 3},
		"band of encoded rows": {values(&picking{3, 1}), func(p *pipeline.Model) {
			p.Dim, p.Schema, p.Encoding, p.Conformal, p.Band = 2, schema, encoding, wide, []modelfile.Model{&picking{3, 0}, &picking{3, 2}}
		}, nil, 3},
	} {
		p := c.p
		c.change(p)
		if s, is := p.Model.(*scoring); is {
			s.own = c.own
		}
		if p.Storage != dataset.Sparse {
			p.Storage = dataset.Dense
		}
		f := file(t, p)
		if version, err := f.Header("fitted", 9, nil); err != nil || version != c.version {
			t.Errorf("%s: version %d, %v; want %d", name, version, err, c.version)
		}
		back, err := pipeline.Decode(f, simple(c.own))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p.Method = map[bool]string{true: "picking", false: "scoring"}[p.Task == dataset.Regression]
		if name == "pairs" {
			p.Method = "dueling"
		}
		if back.Names = back.Names[:len(back.Names):len(back.Names)]; len(back.Names) == 0 {
			back.Names = nil
		}
		if !reflect.DeepEqual(back, p) {
			t.Errorf("%s: read as %+v, want %+v", name, back, p)
		}
		o := back.Options(dataset.Options{Name: "rows.csv", Dim: 7})
		if o.Name != "rows.csv" || o.Dim != p.Dim || o.Storage != p.Storage || o.Schema != back.Schema || o.Table != (p.Schema != nil) {
			t.Errorf("%s: files are read with %+v", name, o)
		}
		if want := map[bool]int{true: 3, false: p.Dim}[p.Encoding != nil]; back.Width() != want {
			t.Errorf("%s: the model takes %d columns, want %d", name, back.Width(), want)
		}
	}
}

// Parts that do not fit the model, or each other, are refused.
func TestPartsRefused(t *testing.T) {
	schema, encoding := mixed(t)
	pair := &dataset.Scaling{Shift: []float64{0, 0}, Divisor: []float64{1, 1}, Width: 1}
	nine := make([]float64, 9)
	around := must(conformal.FitValues(nine, nine))(t)
	wide := must(conformal.FitBand(nine, nine, nine))(t)
	scored := must(conformal.FitClasses(mat.NewDense(2, 3, nil), []int{0, 1}, false))(t)
	pairs := calibration.NewPairs(3, make([]calibration.Sigmoid, 3))
	duel := &dueling{scoring{names: abc}}
	side, ranks := &picking{3, 0}, &pipeline.Model{Task: dataset.MultiLabel, Dim: 3, Model: &ranking{}}
	const calibrated, predictor = "calibration is not for", "predictor is not for what"
	const band, rows = "band without models", "models of the band"
	set := func(c *conformal.Predictor, sides ...modelfile.Model) func(p *pipeline.Model) {
		return func(p *pipeline.Model) { p.Conformal, p.Band = c, sides }
	}
	three := numbered("x", "y", "z")
	encoded := func(p *pipeline.Model) { p.Schema, p.Encoding, p.Dim = schema, encoding, 2 }
	for name, c := range map[string]struct {
		p      *pipeline.Model
		change func(p *pipeline.Model)
		want   string
	}{
		"schema":            {values(side), func(p *pipeline.Model) { p.Schema = numbered("x", "y") }, "the schema has 2 columns, not 3"},
		"no schema":         {values(side), func(p *pipeline.Model) { p.Encoding, p.Dim = encoding, 2 }, "an encoding without a schema"},
		"encoding":          {values(side), func(p *pipeline.Model) { encoded(p); p.Dim, p.Schema = 3, three }, "the encoding is for 2 columns, not 3"},
		"no encoding":       {values(&picking{2, 0}), func(p *pipeline.Model) { encoded(p); p.Encoding = nil }, "the columns are not numbers"},
		"scaling":           {values(side), func(p *pipeline.Model) { encoded(p); p.Scaling = pair }, "the scaling is for 2 columns, not 3"},
		"encoded rows":      {values(&picking{2, 0}), encoded, "the model is for 2 columns, not 3"},
		"no columns":        {values(dimless{}), func(p *pipeline.Model) {}, "needs a method Dim"},
		"calibrated values": {values(side), func(p *pipeline.Model) { p.Calibration = calibration.Softmax(2) }, calibrated},
		"a map for two":     {classes(abc...), func(p *pipeline.Model) { p.Calibration = calibration.Softmax(2) }, calibrated},
		"a map of pairs":    {classes(abc...), func(p *pipeline.Model) { p.Calibration = pairs }, calibrated},
		"no map of pairs": {classes(abc...), func(p *pipeline.Model) {
			p.Model, p.Calibration = duel, calibration.Softmax(3)
		}, calibrated},
		"predictor of a band": {values(side), set(wide), band},
		"band":                {values(side), func(p *pipeline.Model) { p.Band = []modelfile.Model{side, side} }, band},
		"one side":            {values(side), set(wide, side), band},
		"band beside values":  {values(side), set(around, side, side), band},
		"narrow side":         {values(side), set(wide, side, &picking{2, 0}), rows},
		"narrow low side":     {values(side), set(wide, &picking{2, 0}, side), rows},
		"side of classes":     {values(side), set(wide, &scoring{names: abc}, side), rows},
		"side of no columns":  {values(side), set(wide, side, dimless{}), rows},
		"sets of two":         {classes(abc...), set(must(conformal.FitClasses(mat.NewDense(2, 2, nil), []int{0, 1}, false))(t)), predictor},
		"intervals of sets":   {classes(abc...), set(around), predictor},
		"sets of values":      {values(side), set(scored), predictor},
		"intervals of labels": {ranks, set(around), predictor},
		"sets of unknown":     {classes(abc...), set(softBy(3)), "needs probabilities"},
	} {
		c.change(c.p)
		_, err := pipeline.Decode(file(t, c.p), simple(nil))
		var fe *modelfile.FormatError
		if !errors.As(err, &fe) || fe.Array != "" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if _, err := pipeline.New(dimless{}, 3, nil); err == nil || !strings.Contains(err.Error(), "needs a method Dim") {
		t.Errorf("a model of no columns: %v", err)
	}
}

// A part that cannot be written, since it could not be read again, leaves no file.
func TestSavePart(t *testing.T) {
	nan := math.NaN()
	schema := &dataset.Schema{Columns: []dataset.Column{{Name: "day", Kind: dataset.Date, Missing: true}}}
	encoding, _, err := encode.Config{}.Fit(&dataset.Set{X: mat.NewDense(1, 1, []float64{math.Inf(1)}), Schema: schema})
	do(t, err)
	fails := written(func(w *modelfile.Writer) error { return errors.New("not to be written") })
	for name, change := range map[string]func(p *pipeline.Model){
		"schema": func(p *pipeline.Model) {
			p.Schema = &dataset.Schema{Columns: []dataset.Column{{Kind: dataset.Date, First: nan}}}
		},
		"encoding":    func(p *pipeline.Model) { p.Encoding = encoding },
		"scaling":     func(p *pipeline.Model) { p.Scaling = &dataset.Scaling{Width: nan} },
		"calibration": func(p *pipeline.Model) { p.Calibration = calibration.NewPairs(2, []calibration.Sigmoid{{A: nan}}) },
		"conformal":   func(p *pipeline.Model) { p.Conformal = &conformal.Predictor{} },
		"low side":    func(p *pipeline.Model) { p.Band = []modelfile.Model{fails, &picking{3, 0}} },
		"high side":   func(p *pipeline.Model) { p.Band = []modelfile.Model{&picking{3, 0}, fails} },
	} {
		p := values(&picking{3, 0})
		change(p)
		path := filepath.Join(t.TempDir(), "model.gram")
		if err := pipeline.Save(path, p, nil); err == nil {
			t.Errorf("%s: it is written", name)
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s: a file is left: %v", name, err)
		}
	}
}

// head is the head of a file of values of d columns.
func head(w *modelfile.Writer, version, d int, sparse bool) error {
	return w.Header("fitted", version, map[string]any{"Task": dataset.Regression.String(), "Dim": d, "Sparse": sparse})
}

// A file with a part that is missing, or that is none of its name, is refused, and the error says which.
func TestDamagedParts(t *testing.T) {
	for _, part := range []string{"schema", "encoding", "scaling", "calibration", "conformal", "band_low", "band_high", "model"} {
		version := 2
		if strings.HasPrefix(part, "band") {
			version = 3
		}
		f := file(t, written(func(w *modelfile.Writer) error {
			w.Strings("names", nil)
			if part != "model" {
				do(t, (&picking{3, 0}).Encode(w.Sub("model")))
			}
			do(t, w.Sub(part).Header("nonsense", 1, 0))
			if part == "band_high" { // whose partner gives the version
				do(t, (&picking{3, 0}).Encode(w.Sub("band_low")))
			}
			return head(w, map[bool]int{true: 1, false: version}[part == "model" || part == "scaling" || part == "encoding"], 3, false)
		}))
		var fe *modelfile.FormatError
		if _, err := pipeline.Decode(f, simple(nil)); !errors.As(err, &fe) || !strings.Contains(err.Error(), `"nonsense"`) {
			t.Errorf("%s: %v", part, err)
		}
	}
	for name, c := range map[string]struct {
		version, d   int
		sparse       bool
		names, model bool
		want         string // empty: there is nothing wrong
	}{
		"whole":             {1, 3, false, true, true, ""},
		"no names":          {1, 3, false, false, true, `"names"`},
		"no model":          {1, 3, false, true, false, `"model"`},
		"another version":   {2, 3, false, true, true, "version 2"},
		"most columns":      {1, modelfile.MaxCount, false, true, true, ""},
		"more columns":      {1, modelfile.MaxCount + 1, false, true, true, "dense columns"},
		"more, but sparse":  {1, modelfile.MaxCount + 1, true, true, true, ""},
		"fewer than one":    {1, -1, true, true, true, "-1 columns"},
		"other than a pair": {3, 3, false, true, true, "version 3"},
	} {
		f := file(t, written(func(w *modelfile.Writer) error {
			if c.names {
				w.Strings("names", nil)
			}
			if c.model {
				do(t, (&picking{c.d, 0}).Encode(w.Sub("model")))
			}
			return head(w, c.version, c.d, c.sparse)
		}))
		p, err := pipeline.Decode(f, simple(nil))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || err == nil && p.Dim != c.d {
			t.Errorf("%s: %v", name, err)
		}
	}
	if f := file(t, &picking{3, 0}); pipeline.Is(f) {
		t.Error("a bare model is a pipeline")
	} else if _, err := pipeline.Decode(f, simple(nil)); err == nil || !strings.Contains(err.Error(), `"picking"`) {
		t.Errorf("a bare model: %v", err)
	}
}

// Linear functions of labels have no feature map: they are read as they were written, and refused on one.
func TestLinearRanker(t *testing.T) {
	d := algotest.Problem(1, 60, 4, 3)
	r := must(linear.Config{}.FitTags(t.Context(), d.X, d.Tags))(t)
	p := must(pipeline.New(r, 4, nil))(t)
	back := must(pipeline.Decode(file(t, p), catalog.Registry()))(t)
	if back.Task != dataset.MultiLabel || back.Method != "linear" || back.Dim != 4 || len(back.Names) > 0 {
		t.Errorf("read as %+v", back)
	}
	out := must(back.Answer(d.X, pipeline.Want{Top: 3}))(t)
	if want := r.Top(nil, d.X, 3); !reflect.DeepEqual(out.Top, want) {
		t.Error("after reading other labels are the best")
	}
	on := pipeline.On("some method", squares(4), r)
	if _, is := on.(*pipeline.Ranker); !is || pipeline.Onto(on, squares(4), mat.NewDense(8, 4, nil)) != on {
		t.Errorf("%T is no *pipeline.Ranker that stays as it is", on)
	}
	if f := file(t, on); f.Method() != "linear" {
		t.Errorf("it is stored as %q", f.Method())
	}
}

// A linear model is read with its map; what is missing or wrong is an error.
func TestDecodeLinear(t *testing.T) {
	d := algotest.Problem(1, 60, 4, 3)
	phi := must(nystrom.Config{Kernel: kernel.Gaussian{Gamma: .3}, M: 5}.Fit(t.Context(), d.X))(t)
	small := must(nystrom.Config{Kernel: kernel.Gaussian{Gamma: .3}, M: 4}.Fit(t.Context(), d.X))(t)
	classifier := must(linear.SVM{}.Fit(t.Context(), phi, d.X, d.Labels, nil))(t)
	ridge := must(linear.Ridge{}.Fit(t.Context(), phi, d.X, d.Value, nil))(t)
	tags := must(linear.Config{}.FitTags(t.Context(), d.X, d.Tags))(t)
	fails := errors.New("no such map")
	read := func(f *modelfile.File) (*nystrom.Model, error) { return nystrom.Decode(f) }
	refuse := func(f *modelfile.File) (*nystrom.Model, error) { return nil, fails }
	nonsense := func(method string) modelfile.Model {
		return written(func(w *modelfile.Writer) error { return w.Header(method, 1, map[string]any{"Nonsense": 1}) })
	}
	for name, c := range map[string]struct {
		method    string
		m, linear modelfile.Model // nil: the file has none
		decode    func(*modelfile.File) (*nystrom.Model, error)
		want      string // empty: there is nothing wrong
	}{
		"classes":              {"some", phi, classifier, read, ""},
		"values":               {"some", phi, ridge, read, ""},
		"another method":       {"other", phi, classifier, read, `"other"`},
		"no map":               {"some", nil, classifier, read, `"map"`},
		"a map that fails":     {"some", phi, classifier, refuse, fails.Error()},
		"no functions":         {"some", phi, nil, read, `"linear"`},
		"labels":               {"some", phi, tags, read, "functions of labels on a feature map"},
		"labels without a map": {"some", nil, tags, nil, ""},
		"nonsense of labels":   {"some", nil, nonsense("linear.ranker"), nil, "Nonsense"},
		"nonsense of values":   {"some", phi, nonsense("linear.ridge"), read, "Nonsense"},
		"nonsense of classes":  {"some", phi, nonsense("linear.classifier"), read, "Nonsense"},
		"other nonsense":       {"some", phi, nonsense("nonsense"), read, "nonsense"},
		"another map":          {"some", small, ridge, read, "weights"},
	} {
		f := file(t, written(func(w *modelfile.Writer) error {
			if c.m != nil {
				do(t, c.m.Encode(w.Sub("map")))
			}
			if c.linear != nil {
				do(t, c.linear.Encode(w.Sub("linear")))
			}
			return w.Header(c.method, 1, struct{}{})
		}))
		m, err := pipeline.DecodeLinear(f, "some", c.decode)
		if (err == nil) != (c.want == "") || (m == nil) != (err != nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %T, %v", name, m, err)
		}
	}
}

// A nil registry knows the kernels and the feature maps of the module. Kernels that are stored whole are read by
// the readers of a registry.
func TestRegistry(t *testing.T) {
	d := algotest.Problem(1, 60, 4, 3)
	sum := must(kernel.SumOf(nil, kernel.Gaussian{Gamma: .3}, kernel.Linear{}))(t)
	models := map[string]modelfile.Model{}
	for name, k := range map[string]kernel.Kernel{"gaussian": kernel.Gaussian{Gamma: .3}, "sum": sum} {
		models[name] = must(krr.Config{Kernel: k}.Fit(t.Context(), d.X, d.Value, nil))(t)
	}
	compiled := func(m modelfile.Model) *pipeline.Model {
		p, _, err := must(pipeline.New(m, 4, nil))(t).Compile(t.Context(), predict.Options{})
		do(t, err)
		return p
	}
	onSquares := must(linear.Ridge{}.Fit(t.Context(), basis.Identity(4), d.X, d.Value, nil))(t)
	for name, c := range map[string]struct {
		p     *pipeline.Model
		r     *pipeline.Registry
		known bool
	}{
		"no registry":                          {compiled(models["gaussian"]), nil, true},
		"an empty one":                         {compiled(models["gaussian"]), &pipeline.Registry{}, true},
		"a feature map":                        {must(pipeline.New(onSquares, 4, nil))(t), nil, true},
		"a whole kernel":                       {compiled(models["sum"]), &pipeline.Registry{Learned: kernel.CompositeReaders()}, true},
		"a whole kernel and no reader":         {compiled(models["sum"]), &pipeline.Registry{}, false},
		"a whole kernel without a registry":    {compiled(models["sum"]), nil, false},
		"a model that has no method in it":     {must(pipeline.New(models["gaussian"], 4, nil))(t), &pipeline.Registry{}, false},
		"a model that has its method in it":    {must(pipeline.New(models["gaussian"], 4, nil))(t), catalog.Registry(), true},
		"a user's map that no registry writes": {must(pipeline.New(onSquares, 4, nil))(t), catalog.Registry(), true},
	} {
		path := filepath.Join(t.TempDir(), "model.gram")
		do(t, pipeline.Save(path, c.p, c.r))
		back, err := pipeline.Load(path, c.r)
		if (err == nil) != c.known {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			one, two := must(c.p.Predict(d.X, true, 1))(t), must(back.Predict(d.X, true, 1))(t)
			if !same(one, two) {
				t.Errorf("%s: after reading other predictions", name)
			}
		}
	}
	// A bare model is read with the kernels of the registry.
	machine := fitted(t)["svm of a kernel"].Model
	f := file(t, written(func(w *modelfile.Writer) error { return machine.Encode(w.With(registry())) }))
	if _, err := registry().Model(f); err != nil {
		t.Errorf("a bare model with a user's kernel: %v", err)
	}
	if _, err := catalog.Registry().Model(f); err == nil || !strings.Contains(err.Error(), "cauchy") {
		t.Errorf("a bare model with a kernel that is not known: %v", err)
	}
	own, err := pipeline.New(must(linear.Ridge{}.Fit(t.Context(), squares(4), d.X, d.Value, nil))(t), 4, nil)
	do(t, err)
	err = pipeline.Save(filepath.Join(t.TempDir(), "model.gram"), own, nil)
	if err == nil || !strings.Contains(err.Error(), "squares") {
		t.Errorf("a feature map that no registry has: %v", err)
	}
}

// calibrated is a support vector machine with a map of its own.
type calibrated struct {
	*svm.Model
	own *calibration.Map
}

func (c calibrated) Calibration() *calibration.Map { return c.own }

// A program has the probabilities of its model. Only an exact one has its sets and intervals.
func TestCompileTrust(t *testing.T) {
	d := algotest.Problem(1, 150, 4, 2)
	soft := calibration.Softmax(2)
	machine := must(svm.Config{Kernel: kernel.Gaussian{Gamma: .3}, C: 1}.Fit(t.Context(), d.X, d.Labels, nil))(t)
	sets := must(pipeline.New(calibrated{machine, soft}, 4, nil))(t)
	sets.Conformal = softBy(2)
	ridge := must(krr.Config{Kernel: kernel.Gaussian{Gamma: .3}}.Fit(t.Context(), d.X, d.Value, nil))(t)
	band := must(pipeline.New(ridge, 4, nil))(t)
	band.Band = []modelfile.Model{ridge, ridge}
	do(t, band.Conform(&dataset.Set{X: d.X, Value: d.Value}, true, 0))
	for name, p := range map[string]*pipeline.Model{"sets": sets, "band": band} {
		for _, o := range []predict.Options{{}, {Method: approx.Nystrom, M: 10, Points: d.X}} {
			out, _, err := p.Compile(t.Context(), o)
			do(t, err)
			exact := o.Method == ""
			if (out.Conformal != nil) != exact || exact && out.Conformal != p.Conformal || (out.Band != nil) != (exact && name == "band") {
				t.Errorf("%s, method %q: %+v", name, o.Method, out)
			}
			if (out.Calibration == soft) != (name == "sets") || p.Calibration != nil || p.Conformal == nil {
				t.Errorf("%s, method %q: the map is %v", name, o.Method, out.Calibration)
			}
			if _, err := out.Answer(d.X, pipeline.Want{Probability: name == "sets"}); err != nil {
				t.Errorf("%s, method %q: %v", name, o.Method, err)
			}
		}
	}
}

var _ gram.Posterior = (*uncertain)(nil)
