package training

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"github.com/gramworks/gram/app/encode"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// A scale is read from its name, and every other text is refused.
func TestScaleNames(t *testing.T) {
	list := ScaleNames()
	if want := []string{"none", "minmax", "unit", "standard", "rows", "auto"}; !slices.Equal(list, want) {
		t.Errorf("the scales are %q, want %q", list, want)
	}
	for i, want := range []Scale{NoScale, MinMax, Unit, Standard, UnitRows, AutoScale} {
		if got, err := ParseScale(list[i]); got != want || err != nil || got.String() != list[i] {
			t.Errorf("%s is read as %v: %v", list[i], got, err)
		}
	}
	list[0] = "other"
	for _, text := range []string{"", "other", "Unit"} {
		var refused *gram.ConfigError
		if _, err := ParseScale(text); !errors.As(err, &refused) || refused.Field != "scale" {
			t.Errorf("scale %q: %v", text, err)
		}
	}
}

// table reads a table with values to learn.
func table(t *testing.T, text string) *dataset.Set {
	t.Helper()
	d, err := dataset.Read(strings.NewReader(text), dataset.Options{Table: true, Name: "a.csv", Task: dataset.Regression})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Trees get levels and missing cells as they are if no scale and no encoding is asked for. What is asked for says which of them become numbers.
func TestKept(t *testing.T) {
	d := table(t, "kind,size,day,y\nb,1,2024-01-05,1\na,,2024-01-06,2\n,3,,3\nb,4,2024-02-07,4\nc,5,2024-03-01,5\n")
	kind, number, missing := dataset.Column{Kind: dataset.Category, Levels: []string{"a", "b", "c"}, Missing: true}, dataset.Column{}, dataset.Column{Missing: true}
	for name, c := range map[string]struct {
		method string
		p      Prepare
		want   []dataset.Column // nil: numbers alone
	}{
		"as they are": {"gbdt", Prepare{Scale: AutoScale}, []dataset.Column{kind, missing, missing, missing, missing, missing}},
		"a scale":     {"gbdt", Prepare{Scale: MinMax}, nil},
		"one-hot": {"gbdt", Prepare{Encode: encode.Config{Categories: encode.OneHot}},
			[]dataset.Column{number, number, number, number, missing, missing, missing, missing, missing}},
		"filled": {"gbdt", Prepare{Encode: encode.Config{Fill: encode.Mean, NoIndicator: true}},
			[]dataset.Column{kind, number, number, number, number, number}},
		"linear": {"linear", Prepare{}, nil},
		"blocks": {"rfm", Prepare{Encode: encode.Config{NoIndicator: true}},
			[]dataset.Column{{Name: "1"}, {Name: "1"}, {Name: "1"}, {Name: "1"}, number, number, number, number, number}},
	} {
		p, err := c.p.For(catalog.Must(c.method)).Fit(d, 1)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []dataset.Column
		if p.Schema != nil {
			got = p.Schema.Columns
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: the columns are %+v, want %+v", name, got, c.want)
		}
	}
}

// Other rows become what the rows of the fit became, in the encoding and in the scale.
func TestApply(t *testing.T) {
	d := table(t, "kind,size,y\nb,1,1\na,2,2\na,3,3\nc,7,4\n")
	p, err := Prepare{Scale: Standard}.Fit(d, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Apply(d.X); !mat.EqualApprox(got, p.X, 1e-15) || mat.Equal(got, d.X) {
		t.Errorf("the rows become\n%v\nwant\n%v", mat.Formatted(got), mat.Formatted(p.X))
	}
}

// The folds of the means of targets follow from the seed of the fit alone.
func TestSeedOfEncoding(t *testing.T) {
	d := mixedTable(t, 60, 1)
	rows := func(seed, own uint64) mat.Matrix {
		t.Helper()
		p, err := Prepare{Encode: encode.Config{Categories: encode.TargetMean, Seed: own}}.Fit(d, seed)
		if err != nil {
			t.Fatal(err)
		}
		return p.X
	}
	if first := rows(1, 2); !mat.Equal(first, rows(1, 3)) || mat.Equal(first, rows(2, 2)) {
		t.Error("the encoded rows do not follow from the seed of the fit")
	}
}

// Settings name columns by their titles, whether or not the table is encoded, in a fit and in one that goes on.
func TestNamesOfColumns(t *testing.T) {
	numbers, mixed := "age,size,y\n", "kind,age,size,y\n"
	for _, row := range []string{"1,2,9", "2,1,8", "3,4,7", "4,3,6", "5,6,5", "6,5,4", "7,8,3", "8,7,2", "9,0,1", "0,9,3", "1,3,5", "2,4,6"} {
		numbers, mixed = numbers+row+"\n", mixed+string("abc"[len(numbers)%3])+","+row+"\n"
	}
	m := catalog.Must("gbdt")
	for text, c := range map[string]struct {
		encode encode.Config
		want   []int
	}{numbers: {encode.Config{}, []int{0, -1}}, mixed: {encode.Config{Categories: encode.OneHot}, nil}} {
		d := table(t, text)
		p, err := Prepare{Encode: c.encode}.Train(t.Context(), m, catalogtest.Trainable(t, m, "rounds=2", "min-rows=2", "monotone=size:-1"), d, gram.Run{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if want := c.want; want == nil {
			places := p.Encoding.Places()
			c.want = make([]int, len(places))
			c.want[len(places)-1] = -1
		}
		if got := p.Model.(*gbdt.Regressor).Config().Monotone; !slices.Equal(got, c.want) {
			t.Errorf("%q: the signs are %v, want %v", d.Schema.Columns[0].Name, got, c.want)
		}
		more, err := Continue(t.Context(), p, []string{"rounds=1", "min-rows=2", "monotone=size:1"}, d, gram.Run{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		c.want[len(c.want)-1] = 1
		if got := more.Model.(*gbdt.Regressor).Config().Monotone; !slices.Equal(got, c.want) {
			t.Errorf("%q: the signs of a fit that goes on are %v, want %v", d.Schema.Columns[0].Name, got, c.want)
		}
		var refused *gram.ConfigError
		_, err = Train(t.Context(), m, catalogtest.Trainable(t, m, "monotone=weight:1"), d, NoScale, gram.Run{})
		if !errors.As(err, &refused) || refused.Field != "monotone" || refused.Value != "weight" {
			t.Errorf("a column that is not there: %v", err)
		}
		refused = nil
		_, err = Continue(t.Context(), p, []string{"monotone=weight:1"}, d, gram.Run{})
		if !errors.As(err, &refused) || refused.Field != "monotone" || refused.Value != "weight" {
			t.Errorf("a column that is not there, of a fit that goes on: %v", err)
		}
	}
}

// Values of a kernel are not scaled, however large they are, and no scale of them can be asked for.
func TestKernelMatrixIsNotScaled(t *testing.T) {
	m, d := catalog.Must("krr"), catalogtest.Set(algotest.Problem(1, 30, 3, 2), algotest.Regression)
	values := mat.NewDense(30, 30, nil)
	for i := range 30 {
		for j := range 30 {
			values.Set(i, j, 50*(kernel.Linear{}).Eval(mat.Row(nil, i, d.X), mat.Row(nil, j, d.X)))
		}
	}
	d.X = values
	for scale, fits := range map[Scale]bool{AutoScale: true, NoScale: true, Standard: false, UnitRows: false} {
		p, err := Train(t.Context(), m, catalogtest.Trainable(t, m, "kernel=precomputed", "lambda=1"), d, scale, gram.Run{})
		var refused *gram.ConfigError
		if fits && (err != nil || p.Scaling != nil) || !fits && (!errors.As(err, &refused) || refused.Field != "scale" || refused.Value != scale) {
			t.Errorf("scale %v: %v", scale, err)
		}
	}
}

// Rows that are copied for the method are held beside the fit: the memory limit is for both. Rows that stay as they are are not counted.
func TestCopiedRowsCount(t *testing.T) {
	d := dataset.Friedman1(200, 5, .1, 1)
	models := map[Scale]*pipeline.Model{}
	for _, scale := range []Scale{NoScale, MinMax} {
		m := catalog.Must("gbdt")
		p, err := Train(t.Context(), m, catalogtest.Trainable(t, m, "rounds=2"), d, scale, gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		models[scale] = p
	}
	for what, fit := range map[string]func(scale Scale, limit int64) error{
		"a fit": func(scale Scale, limit int64) error {
			m := catalog.Must("krr")
			_, err := Train(t.Context(), m, catalogtest.Trainable(t, m, "gamma=1", "lambda=1"), d, scale, gram.Run{MemoryLimit: limit})
			return err
		},
		"a fit that goes on": func(scale Scale, limit int64) error {
			_, err := Continue(t.Context(), models[scale], []string{"rounds=2"}, d, gram.Run{MemoryLimit: limit})
			return err
		},
	} {
		var large *gram.MemoryError
		need := int64(1)
		for errors.As(fit(NoScale, need), &large) && large.Need > need { // what the fit itself asks for
			need = large.Need
		}
		if err := fit(NoScale, need); err != nil || need < 1000 {
			t.Fatalf("%s with %d bytes: %v", what, need, err)
		}
		rows := d.Bytes()
		if err := fit(MinMax, need+rows); err != nil {
			t.Errorf("%s with enough memory: %v", what, err)
		}
		for _, limit := range []int64{need + rows - 1, rows} {
			if err := fit(MinMax, limit); !errors.As(err, &large) {
				t.Errorf("%s with %d bytes too little: %v", what, need+rows-limit, err)
			}
		}
	}
}

// Classes that the data do not name are those of the model: clusters, and what a one-class machine tells.
func TestNamesOfTheModel(t *testing.T) {
	p := algotest.Problem(1, 60, 4, 3)
	for _, c := range []struct {
		method   string
		settings []string
		kind     algotest.Kind
	}{
		{"pairwise", []string{"lambda=1", "pairs=100", "starts=1", "k=2"}, algotest.Classification},
		{"one-class", []string{"gamma=1"}, algotest.Unsupervised},
	} {
		m := catalog.Must(c.method)
		f, err := Train(t.Context(), m, catalogtest.Trainable(t, m, c.settings...), catalogtest.Set(p, c.kind), NoScale, gram.Run{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if want := f.Model.(gram.Classifier).Classes(); f.Task != dataset.Classes || len(want) != 2 || !slices.Equal(f.Names, want) {
			t.Errorf("%s: the task is %v, the classes are %q, those of the model %q", c.method, f.Task, f.Names, want)
		}
	}
}
