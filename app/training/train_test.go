package training

import (
	"context"
	"errors"
	"flag"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/catalog/catalogtest"
	"gonum.org/v1/gonum/mat"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/encode"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/metric"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
)

// AutoScale scales dense numbers beyond [−1, 1] for methods with a kernel and linear ones, and nothing else.
func TestAutoScale(t *testing.T) {
	wide := dataset.TwoSpirals(60, .02, 1)
	large := *wide
	unit, err := dataset.Standardize(wide.X)
	if err != nil {
		t.Fatal(err)
	}
	large.X = unit.Apply(wide.X)
	small := large
	shrink, err := dataset.MinMax(large.X, -1, 1)
	if err != nil {
		t.Fatal(err)
	}
	small.X = shrink.Apply(large.X)
	thin := large
	thin.X = sparse.FromDense(large.X)
	for _, c := range []struct {
		method string
		d      *dataset.Set
		scaled bool
	}{{"svm", &large, true}, {"svm", &small, false}, {"svm", &thin, false}, {"gbdt", &large, false}, {"linear", &large, true}, {"linear", &small, false}, {"linear", &thin, false}, {"ldkl", &large, true}, {"krr", &large, true}} {
		m, err := catalog.Find(c.method)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Prepare{Scale: AutoScale}.Train(t.Context(), m, m.New(), c.d, gram.Run{Seed: 1})
		if err != nil || (p.Scaling != nil) != c.scaled {
			t.Errorf("%s: scaled %t, %v, want %t", c.method, p.Scaling != nil, err, c.scaled)
		}
	}
}

// Rows of words have length 1 for the methods that want it, unless a scale is asked for.
func TestLengths(t *testing.T) {
	words, tags := dataset.Tagged(40, 30, 5, 12, 3, 1)
	tagged := &dataset.Set{X: words, Tags: tags}
	dense := &dataset.Set{X: mat.DenseCopyOf(words), Tags: tags}
	for _, c := range []struct {
		method string
		d      *dataset.Set
		scale  Scale
		want   bool
	}{
		{"leml", tagged, AutoScale, true}, {"sleec", tagged, AutoScale, true}, {"leml", tagged, NoScale, false},
		{"leml", dense, AutoScale, false}, {"fastxml", tagged, AutoScale, false}, {"leml", dense, UnitRows, true},
		{"linear", tagged, AutoScale, true}, {"linear", tagged, NoScale, false}, {"linear", &dataset.Set{X: words, Value: make([]float64, 40)}, AutoScale, false},
	} {
		m, err := catalog.Find(c.method)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Prepare{Scale: c.scale}.For(m).Fit(c.d, 1)
		if err != nil {
			t.Fatal(err)
		}
		long := 0
		x := gram.Of(p.X)
		for i := range x.N() {
			var sum float64
			x.Each(i, func(_ int, v float64) { sum += v * v })
			if math.Abs(sum-1) > 1e-9 {
				long++
			}
		}
		if got := long == 0; got != c.want || (p.scaling != nil) != c.want {
			t.Errorf("%s, scale %v: rows of length 1: %v, want %v", c.method, c.scale, got, c.want)
		}
	}
}

// The defaults of svr and of ridge regressions follow the unit of the target.
func TestUnitOfTarget(t *testing.T) {
	d := dataset.Friedman1(120, 5, 1, 1)
	far := *d
	far.Value = make([]float64, len(d.Value))
	for i, v := range d.Value {
		far.Value[i] = 1e6 * v
	}
	for _, method := range []string{"svr", "krr", "nystrom", "dcpred"} {
		m, err := catalog.Find(method)
		if err != nil {
			t.Fatal(err)
		}
		var rmse [2]float64
		for i, set := range []*dataset.Set{d, &far} {
			p, err := Prepare{Scale: AutoScale}.Train(t.Context(), m, m.New(), set, gram.Run{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			x, err := p.Scaled(set.X)
			if err != nil {
				t.Fatal(err)
			}
			rmse[i] = metric.RMSE(p.Model.(gram.Regressor).Predict(nil, x), set.Value)
		}
		if ratio := rmse[1] / rmse[0] / 1e6; !(ratio > .99 && ratio < 1.01) {
			t.Errorf("%s: the error grows by %v, the target by 1e6", method, rmse[1]/rmse[0])
		}
	}
}

// Trees get ordinals unless something else is asked for.
func TestCategoriesOfTrees(t *testing.T) {
	d, err := dataset.Read(strings.NewReader("c,y\na,1\nb,2\nc,3.5\na,1\n"), dataset.Options{Table: true, Name: "a.csv"})
	if err != nil {
		t.Fatal(err)
	}
	for method, want := range map[string]int{"gbdt": 1, "linear": 3} {
		m, err := catalog.Find(method)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Prepare{Encode: encode.Config{}}.Train(t.Context(), m, m.New(), d, gram.Run{Seed: 1})
		if err != nil || p.Width() != want || p.Dim != 1 {
			t.Errorf("%s: %d of %d columns, %v, want %d of 1", method, p.Width(), p.Dim, err, want)
		}
	}
}

// The model of a table in testdata is read as it was written, with its columns, their kinds
// and its answers.
func TestTableFile(t *testing.T) {
	const table = "size,kind,age,y\n1,a,,1.5\n2,b,3,2.5\n4,a,5,4\n3,\"b, c\",NA,2\n5,b,1,7\n"
	d, err := dataset.Read(strings.NewReader(table), dataset.Options{Table: true, Name: "a.csv", Task: dataset.Regression})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "catalog", "testdata", "linear-table-values-v2.gram")
	m, err := catalog.Find("linear")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Prepare{Scale: Standard}.Train(t.Context(), m, m.New(), d, gram.Run{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if flag.Lookup("update").Value.String() == "true" {
		if err := modelfile.Save(path, p); err != nil {
			t.Fatal(err)
		}
	}
	back, err := catalog.LoadFitted(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back.Schema, d.Schema) || !reflect.DeepEqual(back.Encoding, p.Encoding) {
		t.Errorf("the columns are %+v, want %+v", back.Schema, d.Schema)
	}
	const other = "age,kind,size\n4,\"b, c\",2.5\n?,new,3\n"
	x, err := dataset.Read(strings.NewReader(other), back.Options(dataset.Options{Name: "b.csv", Task: dataset.NoTarget}))
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.Predict(x.X, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := back.Predict(x.X, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range want.Value {
		if !(math.Abs(got.Value[i]-v) <= 1e-9*(1+math.Abs(v))) {
			t.Errorf("row %d is %v, want %v", i, got.Value[i], v)
		}
	}
}

// A plan counts the columns that the encoding makes.
func TestWidth(t *testing.T) {
	d, err := dataset.Read(strings.NewReader("c,n,y\na,1,1\nb,,2\nc,2,3.5\na,1,1\n"), dataset.Options{Table: true, Name: "a.csv"})
	if err != nil {
		t.Fatal(err)
	}
	for _, how := range []encode.Categories{encode.OneHot, encode.TargetMean, encode.Ordinal} {
		c := encode.Config{Categories: how}
		_, x, err := c.Fit(d)
		if err != nil {
			t.Fatal(err)
		}
		if _, want := x.Dims(); c.Width(d.Schema, 1) != want {
			t.Errorf("%v: %d columns, want %d", how, c.Width(d.Schema, 1), want)
		}
	}
}

// failing is a Fitter whose fit ends with an error.
type failing struct {
	catalog.Fitter
	err error
}

func (f failing) Fit(context.Context, *dataset.Set, gram.Run) (modelfile.Model, error) {
	return nil, f.err
}

// Train refuses what a method does not learn, keeps the columns, names and storage
// of the data, and passes errors on.
func TestTrain(t *testing.T) {
	p := algotest.Problem(1, 60, 4, 3)
	d := catalogtest.Set(p, algotest.Classification)
	var ce *gram.ConfigError
	if _, err := Train(t.Context(), catalog.Must("leml"), catalog.Must("leml").New(), d, NoScale, gram.Run{}); !errors.As(err, &ce) || ce.Field != "task" {
		t.Errorf("classes for leml: %v", err)
	}
	boom := errors.New("boom")
	if f, err := Train(t.Context(), catalog.Must("linear"), failing{catalog.Must("linear").New(), boom}, d, NoScale, gram.Run{}); f != nil || err != boom {
		t.Errorf("%v, %v", f, err)
	}
	indexed := catalogtest.Set(p, algotest.Classification)
	indexed.X = algotest.Kinds(60, 4, p.X.At)["*sparse.CSR"]
	for _, c := range []struct {
		d       *dataset.Set
		scale   Scale
		storage dataset.Storage
		scaled  bool
	}{{d, NoScale, dataset.Dense, false}, {d, MinMax, dataset.Dense, true}, {indexed, NoScale, dataset.Sparse, false}, {indexed, Unit, dataset.Sparse, true}} {
		before := c.d.X
		f, err := Train(t.Context(), catalog.Must("linear"), catalogtest.Trainable(t, catalog.Must("linear")), c.d, c.scale, gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		if f.Method != "linear" || f.Task != dataset.Classes || f.Dim != 4 || !slices.Equal(f.Names, p.Labels.Names) || f.Storage != c.storage || (f.Scaling != nil) != c.scaled {
			t.Errorf("%s, scale %v: %+v", c.d.Name, c.scale, f)
		}
		if c.d.X != before {
			t.Error("the data set has other rows now")
		}
	}
	nan := catalogtest.Set(algotest.Problem(1, 60, 4, 3), algotest.Classification)
	nan.X.(*mat.Dense).Set(3, 1, math.NaN())
	for _, s := range []Scale{NoScale, MinMax, Unit, Standard} {
		if _, err := Train(t.Context(), catalog.Must("linear"), catalogtest.Trainable(t, catalog.Must("linear")), nan, s, gram.Run{}); err == nil {
			t.Errorf("NaN is accepted with scaling %v", s)
		}
	}
}

// No rows are refused whatever the method, before they are scaled.
func TestNoRows(t *testing.T) {
	for name, x := range algotest.Kinds(0, 4, nil) {
		for _, m := range []catalog.Method{catalog.Must("linear"), catalog.Must("rff"), catalog.Must("krr")} {
			for _, scale := range []Scale{NoScale, MinMax, Standard} {
				var ce *gram.ConfigError
				if _, err := Train(t.Context(), m, catalogtest.Trainable(t, m), &dataset.Set{X: x, Value: []float64{}}, scale, gram.Run{}); !errors.As(err, &ce) || ce.Field != "rows" {
					t.Errorf("%s, %s, scale %v: %v", m.Name, name, scale, err)
				}
			}
		}
	}
}
