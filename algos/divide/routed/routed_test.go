package routed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"github.com/gramworks/gram/store"
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
	// Of all rows no leaf has more than the limit, of a sample of a tenth none more than 80 % of that, and at least 10.
	for _, c := range []struct{ n, limit, most int }{{300, 299, 299}, {300, 40, 40}, {300, 5, 5},
		{3000, 200, 16}, {3000, 125, 10}, {3000, 124, 0}} {
		tree, err := Tree(ctx, s.X, c.n, c.limit, gram.Run{})
		if (err != nil) != (c.most == 0) {
			t.Errorf("%+v: %v", c, err)
		}
		var config *gram.ConfigError
		if err != nil {
			if !errors.As(err, &config) || config.Field != "Sample" || config.Value != 300 {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		largest := 0
		for _, group := range rows.Groups(tree.Labels(), tree.Leaves()) {
			largest = max(largest, len(group))
		}
		if largest > c.most || tree.Config().Leaf != c.most {
			t.Errorf("%+v: the largest leaf has %d rows, and may have %d", c, largest, tree.Config().Leaf)
		}
	}
	for _, c := range [][3]int{{1000, 100, 13}, {80, 100, 1}, {81, 100, 2}, {0, 100, 1}} {
		if got := MeanParts(c[0], c[1]); got != c[2] {
			t.Errorf("%d parts for %d rows, at most %d in each, want %d", got, c[0], c[1], c[2])
		}
	}
	if n := SampleFor(1000, 100); n != 250 {
		t.Errorf("a sample of %d rows for parts of 80 of 1000, want 20 of each", n)
	}
}

// answer is a model that gives every row the same scores.
type answer []float64

func (a answer) Encode(*modelfile.Writer) error  { panic("not called") }
func (a answer) Classes() []string               { return make([]string, max(2, len(a))) }
func (a answer) Predict([]int, mat.Matrix) []int { panic("not called") }
func (a answer) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	if dst == nil {
		dst = mat.NewDense(n, len(a), nil)
	}
	for i := range n {
		dst.SetRow(i, a)
	}
	return dst
}

// Equal rows beyond the limit are used at even distances. A local model knows the classes of its rows alone. One that is
// not finished is kept and counted; without a model, or by any other error, there is no part.
func TestFitPart(t *testing.T) {
	ctx := context.Background()
	equal := mat.NewDense(10, 1, nil)
	y := gram.Labels{Class: []int{2, 0, 0, 2, 0, 2, 2, 2, 0, 0}, Names: []string{"a", "b", "c"}}
	var used []int
	var own gram.Labels
	fit := func(m modelfile.Model, err error) Fit {
		return func(_ context.Context, index []int, y gram.Labels) (modelfile.Model, error) {
			used, own = index, y
			return m, err
		}
	}
	limit := fmt.Errorf("fit: %w", &gram.ConvergenceError{})
	for most, want := range map[int][]int{4: {0, 2, 5, 7}, 10: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}} {
		p := must.Have(FitPart(ctx, equal, y, 1, most, gram.Run{}, fit(answer{1.5}, limit)))(t)
		if !slices.Equal(used, want) || p.Short() != 1 || !slices.Equal(p.Rows(), []int{most}) {
			t.Errorf("the rows are %v, want %v; %d models are not finished", used, want, p.Short())
		}
		for k, i := range used {
			if own.Class[k] != y.Class[i]/2 || !slices.Equal(own.Names, []string{"a", "c"}) {
				t.Errorf("row %d has class %d of %v", i, own.Class[k], own.Names)
			}
		}
		// The score of the second class is that of the function, and the class that is not there is behind both.
		dst := mat.NewDense(1, 3, nil)
		if p.Values(dst, gram.Of(equal.Slice(0, 1, 0, 1))); !slices.Equal(dst.RawRowView(0), []float64{-1.5, -2.5, 1.5}) {
			t.Errorf("the scores are %v", dst.RawRowView(0))
		}
	}
	four := gram.Labels{Class: []int{3, 1, 0, 3, 1, 0, 0, 0, 0, 0}, Names: []string{"a", "b", "c", "d"}}
	p := must.Have(FitPart(ctx, equal, four, 1, 10, gram.Run{}, fit(answer{5, -2, 3}, nil)))(t)
	dst := mat.NewDense(1, 4, nil)
	if p.Values(dst, gram.Of(equal.Slice(0, 1, 0, 1))); !slices.Equal(dst.RawRowView(0), []float64{5, -2, -3, 3}) || p.Short() != 0 {
		t.Errorf("the scores are %v, %d models are not finished", dst.RawRowView(0), p.Short())
	}
	trouble := errors.New("trouble")
	for name, c := range map[string]struct {
		m         modelfile.Model
		err, want error
	}{"not finished, no model": {nil, limit, limit}, "trouble": {nil, trouble, trouble},
		"trouble beside a model": {answer{1}, trouble, trouble}, "nothing": {}} {
		if p, err := FitPart(ctx, equal, y, 1, 10, gram.Run{}, fit(c.m, c.err)); p != nil || err == nil || c.want != nil && err != c.want {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	// A part of values without rows predicts 0.
	none := must.Have(FitPart(ctx, &mat.Dense{}, gram.Labels{}, 1, 10, gram.Run{}, nil))(t)
	value := mat.NewDense(2, 1, []float64{7, 7})
	if none.Values(value, gram.Of(mat.NewDense(2, 1, []float64{3, math.NaN()}))); value.At(0, 0) != 0 || !math.IsNaN(value.At(1, 0)) {
		t.Errorf("without rows the values are %v", value.RawMatrix().Data)
	}
}

// A part that is divided again is read as it was written.
func TestDividedPart(t *testing.T) {
	folder := t.TempDir()
	classes, d := grid(), dataset.Friedman1(120, 5, .5, 1)
	for name, s := range map[string]*dataset.Set{"classes": classes, "values": d} {
		_, columns := s.Dims()
		p := must.Have(fitPart(s, columns, 40))(t)
		if p.tree == nil || slices.Max(p.Rows()) > 40 {
			t.Fatalf("%s: the part is not divided: %v rows", name, p.Rows())
		}
		p.locals[1].short = 1
		path := PartPath(folder, 7)
		must.Do(t, WritePart(path, "id", 7, p, nil))
		read := must.Have(ReadPart(path, "id", 7, len(s.Labels.Names), columns, stubs{}))(t)
		n, _ := s.Dims()
		want, got := mat.NewDense(n, max(1, len(s.Labels.Names)), nil), mat.NewDense(n, max(1, len(s.Labels.Names)), nil)
		p.Values(want, gram.Of(s.X))
		read.Values(got, gram.Of(s.X))
		info := must.Have(os.Stat(path))(t)
		if !mat.Equal(got, want) || !slices.Equal(read.Rows(), p.Rows()) || read.Short() != 1 || read.bytes != info.Size() {
			t.Errorf("%s: the part that was read differs", name)
		}
		for _, c := range []struct {
			id               string
			k, classes, more int
		}{{"other", 7, 0, 0}, {"id", 6, 0, 0}, {"id", 7, 1, 0}, {"id", 7, 0, 1}} {
			var wrong *modelfile.FormatError
			if _, err := ReadPart(path, c.id, c.k, len(s.Labels.Names)+c.classes, columns+c.more, stubs{}); !errors.As(err, &wrong) ||
				!strings.Contains(err.Error(), path) {
				t.Errorf("%s, %+v: %v", name, c, err)
			}
		}
	}
	tree := must.Have(kmeans.Tree{Leaf: 40}.Fit(t.Context(), classes.X))(t)
	constant := func(classes ...int) *local { return &local{classes: classes} }
	locals := slices.Repeat([]*local{constant(1)}, tree.Leaves())
	linearClasses := must.Have(fitLinear(classes)(t.Context(), []int{0, 1, 110, 111, 112, 113}, gram.Labels{Class: []int{0, 0, 1,
		0, 1, 0}, Names: []string{"a", "b"}}))(t)
	linearValues := must.Have(fitLinear(d)(t.Context(), []int{0, 1, 2, 3, 4, 5, 6, 7}, gram.Labels{}))(t)
	for name, p := range map[string]*Part{
		"no models":                    {classes: 3, d: 2},
		"models without a tree":        {classes: 3, d: 2, locals: locals[:2]},
		"too few models for the tree":  {classes: 3, d: 2, tree: tree, locals: locals[1:]},
		"too many models for the tree": {classes: 3, d: 2, tree: tree, locals: append(locals, locals[0])},
		"a tree of other columns":      {classes: 3, d: 3, tree: tree, locals: locals},
		"classes that do not ascend":   {classes: 3, d: 2, locals: []*local{{classes: []int{1, 0}, model: linearClasses}}},
		"a class twice":                {classes: 3, d: 2, locals: []*local{{classes: []int{1, 1}, model: linearClasses}}},
		"a class that does not exist":  {classes: 3, d: 2, locals: []*local{constant(3)}},
		"no class":                     {classes: 3, d: 2, locals: []*local{constant()}},
		"two classes and no model":     {classes: 3, d: 2, locals: []*local{constant(0, 1)}},
		"a model of too few classes":   {classes: 3, d: 2, locals: []*local{{classes: []int{0, 1, 2}, model: linearClasses}}},
		"values for classes":           {classes: 3, d: 5, locals: []*local{{classes: []int{0, 1}, model: linearValues}}},
		"classes for values":           {d: 2, locals: []*local{{model: linearClasses}}},
		"fewer rows than none":         {classes: 3, d: 2, locals: []*local{{classes: []int{0}, rows: -1}}},
		"unfinished twice":             {classes: 3, d: 2, locals: []*local{{classes: []int{0}, short: 2}}},
	} {
		fixture.Misfits(t, name, &stored{p, "id", 0}, func(f *modelfile.File) (*stored, error) {
			return modelfile.Get(f.With(stubs{}), &stored{&Part{classes: p.classes, d: p.d}, "id", 0}, (*stored).form)
		})
	}
}

// Of the parts that are kept those stay that were used last.
func TestKeep(t *testing.T) {
	m := model(t, grid(), 40)
	sizes := make([]int64, 4)
	for k := range sizes {
		sizes[k] = must.Have(os.Stat(PartPath(m.folder, k)))(t).Size()
	}
	m.Keep(max(sizes[0]+sizes[1], sizes[0]+sizes[2], sizes[3]+sizes[2]))
	for _, c := range []struct {
		k    int
		want []int
	}{{0, []int{0}}, {1, []int{0, 1}}, {0, []int{0, 1}}, {2, []int{0, 2}}, {2, []int{0, 2}}, {3, []int{2, 3}}} {
		must.Have(m.part(c.k))(t)
		have := slices.Sorted(maps.Keys(m.have))
		var bytes int64
		for _, k := range have {
			bytes += sizes[k]
		}
		if !slices.Equal(have, c.want) || m.held != bytes {
			t.Errorf("after part %d the parts %v of %d bytes are kept, want %v of %d", c.k, have, m.held, c.want, bytes)
		}
	}
}

// Parts are copied where there can be no link, and copies replace what is there. What cannot be read or written is an error.
func TestCopyParts(t *testing.T) {
	m := model(t, grid(), 120)
	to := t.TempDir()
	same := func(what string) {
		t.Helper()
		for k := range m.parts {
			if want, got := must.Have(os.ReadFile(PartPath(m.folder, k)))(t), must.Have(os.ReadFile(PartPath(to, k)))(t); !bytes.Equal(got, want) {
				t.Errorf("%s: part %d is another one", what, k)
			}
		}
	}
	must.Do(t, os.WriteFile(PartPath(to, 0), []byte("old"), 0o666))
	must.Do(t, os.WriteFile(PartPath(to, 1)+".new", []byte("interrupted"), 0o666))
	must.Do(t, m.CopyParts(to))
	same("links")
	if m.parts < 3 || !os.SameFile(must.Have(os.Stat(PartPath(to, 2)))(t), must.Have(os.Stat(PartPath(m.folder, 2)))(t)) {
		t.Error("the parts are no links")
	}
	// A folder in the way, which is not empty, leaves no name for a link.
	must.Do(t, os.MkdirAll(filepath.Join(PartPath(to, 0)+".new", "x"), 0o777))
	must.Do(t, os.Remove(PartPath(to, 0)))
	must.Do(t, m.CopyParts(to))
	same("a copy")
	must.Do(t, m.CopyParts(m.folder))
	same("the same folder")
	below := filepath.Join(PartPath(to, 1), "x")
	if err := m.CopyParts(below); err == nil {
		t.Error("a folder below a file: no error")
	}
	blocked := t.TempDir()
	must.Do(t, os.MkdirAll(filepath.Join(PartPath(blocked, 0), "x"), 0o777))
	if err := m.CopyParts(blocked); err == nil {
		t.Error("a folder in the place of a part: no error")
	}
	blocked = t.TempDir()
	must.Do(t, os.MkdirAll(filepath.Join(PartPath(blocked, 0), "x"), 0o777))
	must.Do(t, os.MkdirAll(filepath.Join(PartPath(blocked, 0)+".new", "x"), 0o777))
	if err := m.CopyParts(blocked); err == nil {
		t.Error("a folder in the place of a copy: no error")
	}
	must.Do(t, os.Remove(PartPath(m.folder, 2)))
	if err := m.CopyParts(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a part that is missing: %v", err)
	}
}

// shelf is a store whose files lie in a folder. It counts what is written.
type shelf struct {
	folder string
	wrote  *int
}

func (s shelf) on(path string) string {
	return filepath.Join(s.folder, strings.ReplaceAll(path, "/", "_"))
}
func (s shelf) Open(path string) (store.File, error)  { return os.Open(s.on(path)) }
func (s shelf) Stat(path string) (fs.FileInfo, error) { return os.Stat(s.on(path)) }
func (s shelf) Glob(string) ([]string, error)         { panic("not called") }
func (s shelf) Remove(string) error                   { panic("not called") }
func (s shelf) Write(path string, write func(io.Writer) error) error {
	*s.wrote++
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return os.WriteFile(s.on(path), b.Bytes(), 0o666)
}

// Parts go to a store and come back from it. Those that lie there already are left alone.
func TestCopyPartsToStore(t *testing.T) {
	s, wrote := grid(), 0
	m := model(t, s, 120)
	store.Register("shelf", shelf{t.TempDir(), &wrote})
	must.Do(t, m.CopyParts("shelf://models/m"))
	want := must.Have(m.Evaluate(nil, s.X))(t)
	kept := New(m.tree, m.parts, 2, m.names, "id", "shelf://models/m", stubs{})
	if got, err := kept.Evaluate(nil, s.X); err != nil || !mat.Equal(got, want) || wrote != m.parts {
		t.Errorf("parts of a store have other scores, after %d of %d were written: %v", wrote, m.parts, err)
	}
	must.Do(t, kept.CopyParts("shelf://models/m"))
	if wrote != m.parts {
		t.Error("parts are copied to themselves")
	}
	back := t.TempDir()
	must.Do(t, kept.CopyParts(back))
	if got, err := New(m.tree, m.parts, 2, m.names, "id", back, stubs{}).Evaluate(nil, s.X); err != nil || !mat.Equal(got, want) {
		t.Errorf("parts that came back have other scores: %v", err)
	}
	if err := New(m.tree, m.parts, 2, m.names, "id", "shelf://models/none", stubs{}).CopyParts(back); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("parts that are not in the store: %v", err)
	}
}

// Predictions of no rows are none, those of parts that cannot be read are errors or panics, and a model says what it is.
func TestPredictions(t *testing.T) {
	for _, c := range []struct {
		names []string
		width int
	}{{nil, 1}, {[]string{}, 1}, {[]string{"a", "b"}, 1}, {[]string{"a", "b", "c"}, 3}} {
		m := New(nil, 1, 2, c.names, "id", t.TempDir(), stubs{})
		x := mat.NewDense(1, 2, nil)
		if none, err := m.Evaluate(nil, gram.Of(x).Slice(0, 0)); err != nil || !none.IsEmpty() {
			t.Errorf("%v: no rows have the scores %v, %v", c.names, none, err)
		}
		if _, err := m.Evaluate(nil, x); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: without parts: %v", c.names, err)
		}
		p := m.Predictor()
		if k, is := p.(gram.Classifier); is != (len(c.names) > 0) || is && !slices.Equal(k.Classes(), c.names) {
			t.Errorf("%v: the model is %T", c.names, p)
		} else if is {
			if must.Recovered(func() { k.Scores(nil, x) }) == nil || must.Recovered(func() { k.Predict(nil, x) }) == nil {
				t.Errorf("%v: there are classes without parts", c.names)
			}
		} else if must.Recovered(func() { p.(gram.Regressor).Predict(nil, x) }) == nil {
			t.Error("there are values without parts")
		}
		if m.width() != c.width {
			t.Errorf("%v: %d columns", c.names, m.width())
		}
	}
	tree := must.Have(kmeans.Tree{Leaf: 40}.Fit(t.Context(), grid().X))(t)
	n := tree.Leaves()
	for name, m := range map[string]*Model{
		"no parts":                New(nil, 0, 2, nil, "id", "", nil),
		"too many parts":          New(nil, modelfile.MaxCount+1, 2, nil, "id", "", nil),
		"no columns":              New(nil, 1, 0, nil, "id", "", nil),
		"one class":               New(nil, 1, 2, []string{"a"}, "id", "", nil),
		"a tree of other parts":   New(tree, n+1, 2, nil, "id", "", nil),
		"a tree of other columns": New(tree, n, 3, nil, "id", "", nil),
	} {
		fixture.Misfits(t, name, m, func(f *modelfile.File) (*Model, error) { return modelfile.Get(f, &Model{}, (*Model).form) })
	}
}
