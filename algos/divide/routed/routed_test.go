package routed

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// stubs is a registry of one kind of model.
type stubs struct{}

func (stubs) Model(f *modelfile.File) (modelfile.Model, error) {
	if f.Method() == "linear.classifier" {
		return linear.DecodeClassifier(f, nil)
	}
	return linear.DecodeRegressor(f, nil)
}

// fitLinear fits linear models of the rows of s.
func fitLinear(s *dataset.Set) Fit {
	return func(ctx context.Context, index []int, y gram.Labels) (modelfile.Model, error) {
		d := s.Select(index)
		if d.Task() == dataset.Classes {
			return linear.SVM{C: 1e4}.Fit(ctx, nil, d.X, y, nil)
		}
		return linear.Ridge{Lambda: gram.Set(0.)}.Fit(ctx, nil, d.X, d.Value, nil)
	}
}

// fitPart fits linear models of a part.
func fitPart(s *dataset.Set, columns, cap int) (*Part, error) {
	return FitPart(context.Background(), s.X, s.Labels, columns, cap, gram.Run{}, fitLinear(s))
}

// grid returns the rows of a line, of which each tenth has one of three classes that its
// neighbors do not have.
func grid() *dataset.Set {
	x, s := mat.NewDense(300, 2, nil), &dataset.Set{}
	s.Labels.Names = []string{"a", "b", "c"}
	for i := range 300 {
		x.SetRow(i, []float64{float64(i), float64(i%3) - 1})
		s.Labels.Class = append(s.Labels.Class, i/100*i%3)
	}
	s.X = x
	return s
}

// model fits the parts of the set and writes them.
func model(t *testing.T, s *dataset.Set, cap int) *Model {
	t.Helper()
	ctx, folder := context.Background(), t.TempDir()
	n, d := s.Dims()
	tree := must.Have(Tree(ctx, s.X, n, cap, gram.Run{}))(t)
	for k, index := range rows.Groups(tree.Labels(), tree.Leaves()) {
		p := must.Have(fitPart(s.Select(index), d, cap))(t)
		must.Do(t, WritePart(PartPath(folder, k), "id", k, p, nil))
	}
	return New(tree, tree.Leaves(), d, s.Labels.Names, "id", folder, stubs{})
}

// Predictions are those of the parts, for dense and sparse rows, whatever is kept in memory; a row
// with NaN has none.
func TestModel(t *testing.T) {
	s := grid()
	m := model(t, s, 40)
	c := m.Predictor().(classifier)
	want := must.Have(m.Evaluate(nil, s.X))(t)
	wrong := 0
	for i, k := range c.Predict(nil, s.X) {
		if k != s.Labels.Class[i] {
			wrong++
		}
	}
	if wrong > 60 {
		t.Errorf("%d of 300 rows are wrong", wrong)
	}
	if len(m.have) != m.parts || m.parts < 8 {
		t.Errorf("%d of %d parts are kept", len(m.have), m.parts)
	}
	m.Keep(1)
	some := must.Have(m.Evaluate(nil, sparse.FromDense(s.X)))(t)
	if !mat.EqualApprox(some, want, 1e-9) {
		t.Error("sparse rows have other scores")
	}
	m.have, m.held = nil, 0
	m.empty()
	m.Keep(1)
	if _, err := m.Evaluate(nil, s.X); err != nil || len(m.have) != 1 || m.order.Len() != 1 {
		t.Errorf("%d parts are kept, want 1, %v", len(m.have), err)
	}
	bad := mat.NewDense(2, 2, []float64{5, math.NaN(), 5, 1})
	if k := c.Predict(nil, bad); k[0] != -1 || k[1] == -1 {
		t.Errorf("classes %v of a row with NaN and one without", k)
	}
	must.Do(t, os.Remove(PartPath(m.folder, 0)))
	if _, err := m.Evaluate(nil, s.X); !os.IsNotExist(err) {
		t.Errorf("without part 0: %v", err)
	}
}

// A part whose rows lack classes predicts those that they have, and a single one as certain.
func TestMissingClasses(t *testing.T) {
	s := grid()
	at := func(lo, hi int) *dataset.Set {
		var index []int
		for i := lo; i < hi; i++ {
			index = append(index, i)
		}
		return s.Select(index)
	}
	for _, c := range []struct {
		set  *dataset.Set
		have []int
	}{{at(0, 90), []int{0}}, {at(200, 300).Select([]int{0, 1, 3, 4, 6, 7}), nil}} {
		have := c.have
		if have == nil {
			have = slices.Compact(slices.Sorted(slices.Values(c.set.Labels.Class)))
		}
		if len(have) == 3 {
			t.Fatalf("classes %v", have)
		}
		p := must.Have(fitPart(c.set, 2, 100))(t)
		n, _ := c.set.Dims()
		out := mat.NewDense(n, 3, nil)
		p.Values(out, gram.Of(c.set.X))
		for i := range n {
			row := out.RawRowView(i)
			if k := multiclass.Decide(row); k != c.set.Labels.Class[i] {
				t.Errorf("classes %v: row %d has scores %v, class %d", have, i, row, c.set.Labels.Class[i])
			}
			for k, v := range row {
				if !slices.Contains(have, k) && !(v < row[have[0]] || v < row[have[len(have)-1]]) {
					t.Errorf("class %d, which no row has, has the score %v of %v", k, v, row)
				}
			}
		}
	}
	two := &dataset.Set{X: mat.NewDense(2, 1, []float64{1, 2}), Labels: gram.Labels{Class: []int{0, 0}, Names: []string{"a", "b"}}}
	for class, want := range []float64{-1, 1} {
		two.Labels.Class = []int{class, class}
		p := must.Have(fitPart(two, 1, 10))(t)
		out := mat.NewDense(2, 1, nil)
		if p.Values(out, gram.Of(two.X)); out.At(0, 0) != want {
			t.Errorf("the score of class %d alone is %v", class, out.At(0, 0))
		}
		if p.Values(out, gram.Of(mat.NewDense(2, 1, []float64{math.NaN(), 2}))); !math.IsNaN(out.At(0, 0)) || out.At(1, 0) != want {
			t.Errorf("a row with NaN, and one of class %d: %v", class, out.RawMatrix().Data)
		}
	}
	none, err := fitPart(&dataset.Set{X: &mat.Dense{}, Labels: gram.Labels{Names: []string{"a", "b"}}}, 1, 10)
	if err != nil || !slices.Equal(none.Rows(), []int{0}) {
		t.Errorf("no rows: %v, %v", none, err)
	}
}

// Without a tree the values are the means of those of the parts.
func TestMean(t *testing.T) {
	folder := t.TempDir()
	for k := range 2 {
		x := mat.NewDense(3, 1, []float64{0, 1, 2})
		p := must.Have(fitPart(&dataset.Set{X: x, Value: []float64{0, float64(k), 2 * float64(k)}}, 1, 10))(t)
		must.Do(t, WritePart(PartPath(folder, k), "id", k, p, nil))
	}
	m := New(nil, 2, 1, nil, "id", folder, stubs{})
	if v := m.Predictor().(regressor).Predict(nil, mat.NewDense(1, 1, []float64{4})); !(math.Abs(v[0]-2) < 1e-9) {
		t.Errorf("the mean of 0 and 4 is %v", v[0])
	}
}

// A model is found by its path; parts of other models, other numbers and none are refused.
func TestFiles(t *testing.T) {
	s := grid()
	m := model(t, s, 40)
	path := filepath.Join(t.TempDir(), "model.gram")
	for range 2 {
		must.Do(t, m.CopyParts(Folder(path)))
	}
	if left, err := filepath.Glob(filepath.Join(Folder(path), "*.new")); err != nil || left != nil {
		t.Errorf("%v is left, %v", left, err)
	}
	must.Do(t, modelfile.Save(path, m))
	read := func() (modelfile.Model, error) {
		f := must.Have(modelfile.ReadFile(path))(t)
		return Decode(f.With(stubs{}))
	}
	back := must.Have(read())(t)
	want := must.Have(m.Evaluate(nil, s.X))(t)
	got, err := back.(classifier).Evaluate(nil, s.X)
	if err != nil || !mat.Equal(got, want) || back.(classifier).Dim() != 2 || back.(classifier).Parts() != m.parts {
		t.Errorf("the model that is read predicts otherwise, %v", err)
	}
	other := must.Have(os.ReadFile(PartPath(Folder(path), 1)))(t)
	must.Do(t, os.WriteFile(PartPath(Folder(path), 0)+".new", other, 0o666))
	must.Do(t, os.Rename(PartPath(Folder(path), 0)+".new", PartPath(Folder(path), 0)))
	back = must.Have(read())(t)
	if _, err := back.(classifier).Evaluate(nil, s.X); err == nil || !strings.Contains(err.Error(), "part 1 of another model") {
		t.Errorf("part 1 for part 0: %v", err)
	}
	must.Do(t, os.RemoveAll(Folder(path)))
	if _, err := read(); !strings.Contains(err.Error(), "missing") {
		t.Errorf("without parts: %v", err)
	}
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, m))
	f := must.Have(modelfile.Read(&b))(t)
	if _, err := Decode(f.With(stubs{})); err == nil {
		t.Error("a model from a stream: no error")
	}
	if _, err := ReadPart(PartPath(m.folder, 2), "id", 2, 2, 2, stubs{}); err == nil {
		t.Error("a part of three classes for a model of two: no error")
	}
	refused := 0
	for k := range m.parts { // some have a single class and no model
		if _, err := ReadPart(PartPath(m.folder, k), "id", k, 3, 2, nil); err != nil {
			refused++
		}
	}
	if refused == 0 {
		t.Error("without a registry: no error")
	}
}

// A tree of a sample asks for enough rows; all rows of a small set make one part.
func TestTree(t *testing.T) {
	ctx := context.Background()
	s := grid()
	if _, err := Tree(ctx, s.X, 1e6, 1000, gram.Run{}); err == nil || !strings.Contains(err.Error(), "Sample") {
		t.Errorf("300 rows of a million: %v", err)
	}
	if n := SampleFor(1e6, 3000); n < 8000 || n > 9000 {
		t.Errorf("%d rows of a sample for 420 parts", n)
	}
	one, err := Tree(ctx, s.X, 300, 300, gram.Run{})
	if err != nil || one.Leaves() != 1 {
		t.Errorf("%v", err)
	}
	var _ kmeans.Assigner = one
}
