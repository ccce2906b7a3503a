package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/lowrank/landmark"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// exports returns where the compiled packages are that planted programs import.
func exports(t *testing.T) types.Importer {
	t.Helper()
	os.Getenv("GRAM_TREE") // see TestInputsThatTheCacheMisses
	const module = "github.com/gramworks/gram/"
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", module+"app/papers/protocol", module+"algos/cluster/kmeans", module+"algos/linear")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[name] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
}

// Leaks that do not compile. Each is the body of a function of a table.
var plants = map[string]struct{ body, want string }{
	"honest": {body: `
		m, err := linear.SVM{}.Fit(ctx, nil, s.Train.X, s.Train.Labels, nil)
		if err != nil {
			panic(err)
		}
		score, _ := s.Accuracy(m)
		f := protocol.NewFigure(1)
		f.Add(score, 0, 0)
		_ = protocol.Row{}.Of(f)`},
	"scaling by test rows": {`_, _ = dataset.Standardize(s.test.X)`, "s.test"},
	"setting of the best score": {`
		var best protocol.Score
		for _, c := range []float64{1, 10} {
			m, _ := linear.SVM{C: c}.Fit(ctx, nil, s.Train.X, s.Train.Labels, nil)
			score, _ := s.Accuracy(m)
			if score > best {
				best = score
			}
		}`, "operator >"},
	"setting whose score equals another's": {`
		a, _ := s.Accuracy(nil)
		b, _ := s.Accuracy(nil)
		_ = a == b`, "cannot be compared"},
	"value of a score":       {`a, _ := s.Accuracy(nil); _ = a.value`, "a.value"},
	"score as a number":      {`a, _ := s.Accuracy(nil); _ = float64(a)`, "cannot convert"},
	"values of a figure":     {`_ = protocol.NewFigure(2).values`, "values"},
	"landmarks on test rows": {`_, _ = kmeans.Config{K: 3}.Fit(ctx, s.test.X)`, "s.test"},
	"steps that the test part ends": {`
		before, _ := s.Accuracy(nil)
		for {
			after, _ := s.Accuracy(nil)
			if after < before {
				break
			}
			before = after
		}`, "operator <"},
	"test labels in a semi-supervised fit": {`p := w.Partly(10, true, 1); p.Labels.Class = p.class`, "p.class"},
	"classes of a clustering":              {`_ = w.d.Labels`, "w.d"},
	"unknown entries":                      {`e := protocol.Products(10, 2, 50, .1, 1); _ = e.a`, "e.a"},
	"best of repeats": {`
		a, _ := s.Accuracy(nil)
		b, _ := s.Accuracy(nil)
		protocol.NewFigure(1).Add(max(a, b), 0, 0)`, "cannot be ordered"},
}

// A table function cannot say what leaks.
func TestPlantsDoNotCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the go command for compiled packages")
	}
	imports := exports(t)
	for name, p := range plants {
		src := fmt.Sprintf(`package plant
import (
	"context"
	"github.com/gramworks/gram/algos/cluster/kmeans"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/app/papers/protocol"
	"github.com/gramworks/gram/dataset"
)
var _ = kmeans.Config{}
var _ = linear.SVM{}
var _ dataset.Set
func plant(ctx context.Context, s *protocol.Split, w *protocol.Whole) {
	%s
}`, p.body)
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "plant.go", src, 0)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, err = (&types.Config{Importer: imports}).Check("plant", fset, []*ast.File{f}, nil)
		switch {
		case p.want == "" && err != nil:
			t.Errorf("%s does not compile: %v", name, err)
		case p.want != "" && (err == nil || !strings.Contains(err.Error(), p.want)):
			t.Errorf("%s: %v, want an error about %q", name, err, p.want)
		}
	}
}

// blobs is a split of 60 rows of two classes.
func blobs(t *testing.T) *Split {
	t.Helper()
	x, y := dataset.Blobs(60, 3, 2, 4, 1)
	value := make([]float64, 60)
	for i := range value {
		value[i] = float64(y.Class[i])
	}
	s, err := Generated(&dataset.Set{X: x, Labels: y, Value: value}).Random(.5, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type classes func(x mat.Matrix) []int

func (f classes) Predict(_ []int, x mat.Matrix) []int { return f(x) }

type values func(x mat.Matrix) []float64

func (f values) Predict(_ []float64, x mat.Matrix) []float64 { return f(x) }

func refused(t *testing.T, what string, err error) {
	t.Helper()
	var broke *Error
	if !errors.As(err, &broke) {
		t.Errorf("%s: %v, want a *protocol.Error", what, err)
	}
}

// Models that learn from the rows they are asked about are refused.
func TestPlantsThatLearnWhenAsked(t *testing.T) {
	s := blobs(t)
	first := func(x mat.Matrix) []int {
		n, _ := x.Dims()
		out := make([]int, n)
		for i := range out {
			if x.At(i, 0) > 0 {
				out[i] = 1
			}
		}
		return out
	}
	if _, err := s.Accuracy(classes(first)); err != nil {
		t.Errorf("an honest model: %v", err)
	}
	standardized := func(x mat.Matrix) mat.Matrix {
		by, err := dataset.Standardize(x)
		if err != nil {
			t.Fatal(err)
		}
		return by.Apply(x)
	}
	_, err := s.RMSE(values(func(x mat.Matrix) []float64 { return mat.Col(nil, 0, standardized(x)) }))
	refused(t, "a model that scales by the test rows", err)
	_, err = s.Mapped(standardized)
	refused(t, "a map that scales by the test rows", err)
	_, err = s.RMSE(values(func(x mat.Matrix) []float64 {
		p, err := landmark.KMeans{}.Select(t.Context(), kernel.Gaussian{Gamma: 1}, x, nil, 4, gram.Run{})
		if err != nil {
			t.Fatal(err)
		}
		g := mat.NewDense(len(mat.Col(nil, 0, x)), 4, nil)
		kernel.Against[float64](kernel.Gaussian{Gamma: 1}, p.U).Fill(gram.View(g), gram.Of(x))
		return mat.Col(nil, 0, g)
	}))
	refused(t, "landmarks of the test rows", err)
	_, err = s.RMSE(values(func(x mat.Matrix) []float64 {
		n, _ := x.Dims()
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(2 * i / n) // the file was sorted by class
		}
		return out
	}))
	refused(t, "a model that goes by the order of the rows", err)
}

// Rows that a model keeps are of no use to it.
func TestPlantsThatKeepRows(t *testing.T) {
	s := blobs(t)
	var kept mat.Matrix
	keep := func(x mat.Matrix) []int {
		n, _ := x.Dims()
		if kept == nil {
			kept = x
		}
		return make([]int, n)
	}
	if _, err := s.Accuracy(classes(keep)); err != nil {
		t.Fatal(err)
	}
	if _, err := (kmeans.Config{K: 2}).Fit(t.Context(), kept); err == nil {
		t.Error("k-means takes rows that a model has kept")
	}
	var mapped mat.Matrix
	if _, err := s.Mapped(func(x mat.Matrix) mat.Matrix {
		n, _ := x.Dims()
		mapped = dataset.SelectRows(x, firstRows(n))
		return mapped
	}); err != nil {
		t.Fatal(err)
	}
	if err := gram.Of(mapped).Finite(); err == nil {
		t.Error("a map keeps what it made of the test rows")
	}
	rows := &sparse.CSR{N: 2, D: 3, Ptr: []int{0, 1, 2}, Col: []int32{0, 2}}
	if scrub(rows); rows.Validate() == nil {
		t.Error("sparse rows can be used afterwards")
	}
}

// All repeats are published, each once.
func TestPlantsOfRepeats(t *testing.T) {
	s := blobs(t)
	one := func() Score {
		score, err := s.Accuracy(classes(func(x mat.Matrix) []int { return make([]int, len(mat.Col(nil, 0, x))) }))
		if err != nil {
			t.Fatal(err)
		}
		return score
	}
	publish := func(f *Figure) error {
		_, err := Publish(Row{}.Of(f))
		return err
	}
	few, same, good := NewFigure(3), NewFigure(2), NewFigure(2)
	few.Add(one(), 0, 0)
	few.Add(one(), 0, 0)
	refused(t, "two of three repeats", publish(few))
	score := one()
	same.Add(score, 0, 0)
	same.Add(score, 0, 0)
	refused(t, "one repeat twice", publish(same))
	good.Add(one(), 0, 0)
	good.Add(one(), 0, 0)
	if err := publish(good); err != nil {
		t.Error(err)
	}
	for _, v := range []any{score, good, s, *s} {
		if text := fmt.Sprintf("%v %+v", v, v); text != "sealed sealed" {
			t.Errorf("%T prints %q", v, text)
		}
	}
}

// Rows in both parts are counted, and a test part of nothing else is refused.
func TestPlantedDuplicates(t *testing.T) {
	x, y := dataset.Blobs(20, 3, 2, 4, 1)
	all := &dataset.Set{X: x, Labels: y}
	_, err := newSplit(all, all.Select([]int{3, 1}))
	refused(t, "the training rows as test part", err)
	s, err := newSplit(all.Select([]int{0, 1, 2, 3}), all.Select([]int{3, 9, 10, 11}))
	if err != nil {
		t.Fatal(err)
	}
	score, err := s.Accuracy(classes(func(x mat.Matrix) []int { return make([]int, len(mat.Col(nil, 0, x))) }))
	if err != nil {
		t.Fatal(err)
	}
	f := NewFigure(1)
	f.Add(score, 0, 0)
	if r, err := Publish(Row{}.Of(f)); err != nil || r.Duplicates != .25 {
		t.Errorf("duplicates %v, %v", r.Duplicates, err)
	}
}

// Classes that are not told are nowhere to be seen, and what is opened is marked.
func TestPlantsInWholeSets(t *testing.T) {
	x, y := dataset.Blobs(60, 3, 2, 4, 1)
	p := Generated(&dataset.Set{X: x, Labels: y})
	part := p.Whole().Partly(10, true, 3)
	told := 0
	for i, c := range part.Labels.Class {
		if c >= 0 {
			told++
			if c != y.Class[i] {
				t.Errorf("row %d has another class", i)
			}
		}
	}
	if told != 10 || len(part.Known) != 10 || len(part.Hidden()) != 50 {
		t.Errorf("%d classes told, %d known, %d hidden", told, len(part.Known), len(part.Hidden()))
	}
	p.Opened("because")
	s, err := p.Random(.5, 1)
	if err != nil {
		t.Fatal(err)
	}
	score, err := s.Accuracy(classes(func(x mat.Matrix) []int { return make([]int, len(mat.Col(nil, 0, x))) }))
	if err != nil {
		t.Fatal(err)
	}
	f := NewFigure(1)
	f.Add(score, 0, 0)
	if r, err := Publish(Row{Note: "x"}.Of(f)); err != nil || r.Seen != "because" {
		t.Errorf("seen %q, %v", r.Seen, err)
	}
}

// Rows to choose settings with are in no test part.
func TestReserve(t *testing.T) {
	x := dataset.Normal(50, 1, 1)
	p := Generated(&dataset.Set{X: x, Value: make([]float64, 50)})
	kept := p.Reserve(10, 1)
	if n, _ := kept.Dims(); n != 10 {
		t.Fatalf("%d rows", n)
	}
	folds, err := p.Folds(5, 1)
	if err != nil {
		t.Fatal(err)
	}
	random, err := p.Random(.5, 2)
	if err != nil {
		t.Fatal(err)
	}
	tested := 0
	for i, s := range append(folds, random) {
		if d := duplicates(kept.X, s.test.X); d != 0 {
			t.Errorf("%d reserved rows are in test part %d", d, i)
		}
		n, _ := s.Train.Dims()
		if n+s.TestRows() != 50 {
			t.Errorf("%d and %d rows", n, s.TestRows())
		}
		if i < 5 {
			tested += s.TestRows()
		}
	}
	if tested != 40 {
		t.Errorf("%d rows in test parts of the folds", tested)
	}
}

// A set is handed out in one way.
func TestOneUse(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/a.libsvm", bytes.Repeat([]byte("1 1:1\n-1 1:2\n"), 5), 0o644); err != nil {
		t.Fatal(err)
	}
	d := At(dataset.Dir(dir))
	if x, err := d.Rows("a", false, dataset.Options{}); x == nil || err != nil {
		t.Fatal(x, err)
	}
	_, err := d.Pool("a", false, dataset.Options{})
	refused(t, "a split of rows that were handed out", err)
	if p, err := d.Again().Pool("a", false, dataset.Options{}); p == nil || err != nil {
		t.Errorf("another table: %v", err)
	}
	if s, err := d.Split("nothing", dataset.Options{}); s != nil || err != nil {
		t.Errorf("a set that is not there: %v, %v", s, err)
	}
}

// Differences 0 … 9 have t = 4.5/√(82.5/9/10) = 4.7; shifted by c the test decides
// at t = 1.833, c = 4.5 − 1.755.
func TestAbove(t *testing.T) {
	figure := func(v ...float64) *Figure { return &Figure{values: v} }
	a, b := make([]float64, 10), make([]float64, 10)
	for i := range a {
		a[i] = float64(i)
	}
	for c, want := range map[float64]bool{0: true, 2.74: true, 2.75: false, 4.5: false, 9: false} {
		for i := range b {
			b[i] = c
		}
		if got := greaterMean(figure(a...), figure(b...)); got != want {
			t.Errorf("shift %g: above is %v", c, got)
		}
	}
	if greaterMean(figure(a...), figure(a...)) || !greaterMean(figure(2, 2), figure(1, 1)) {
		t.Error("equal differences")
	}
}

// The decreases are 1, 2 and 3.
func TestDifference(t *testing.T) {
	figure := func(v ...float64) *Figure { return &Figure{repeats: len(v), values: v} }
	if got, want := Difference("A", figure(5, 4, 10), figure(4, 2, 7)).String(), "2 ± 0.58 below A"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Difference("A", figure(5), figure(7)).String(), "-2 below A"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r, err := Publish(Row{Note: "x"}.Of(figure(2, 2, 2)).Among([]*Figure{figure(1, 2, 3), figure(2, 2, 2), figure(9, 9, 9)}))
	if err != nil || r.Note != "not above the lowest at 95 %; x" || *r.Got != 2 || *r.Std != 0 || r.Repeats != 3 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Nothing that the protocol fits or draws depends on the test rows: with other numbers in all test rows but the
// first, training rows and the first test row have the same bits after every step.
func TestPlantedTestRows(t *testing.T) {
	const n, id = 60, 3 // rows, and the column with their numbers
	data := func(other map[int]bool) *dataset.Set {
		x := dataset.Normal(n, 4, 1)
		value, class := make([]float64, n), make([]int, n)
		for i := range n {
			x.Set(i, id, float64(i))
			value[i], class[i] = 1+float64(i%7), i%4
			if other[i] {
				x.Set(i, 0, 1e3+float64(i))
				x.Set(i, 1, -50)
				value[i] = 1e4
			}
		}
		return &dataset.Set{X: x, Value: value, Labels: gram.Labels{Class: class, Names: []string{"a", "b", "c", "d"}}}
	}
	// Each takes a pool to splits; the rows that are changed are those of the test part of the first.
	cuts := map[string]func(p *Pool) ([]*Split, error){
		"random": func(p *Pool) ([]*Split, error) { s, err := p.Random(.5, 1); return []*Split{s}, err },
		"folds":  func(p *Pool) ([]*Split, error) { return p.Folds(3, 1) },
		"reserve": func(p *Pool) ([]*Split, error) {
			p.Reserve(10, 1)
			s, err := p.Random(.5, 1)
			return []*Split{s}, err
		},
	}
	steps := map[string]func(s *Split) (*Split, error){
		"nothing":  func(s *Split) (*Split, error) { return s, nil },
		"standard": func(s *Split) (*Split, error) { return s.Scaled(dataset.Standardize) },
		"variance": func(s *Split) (*Split, error) { return s.Scaled(dataset.UnitVariance) },
		"minmax": func(s *Split) (*Split, error) {
			return s.Scaled(func(x mat.Matrix) (*dataset.Scaling, error) { return dataset.MinMax(x, 0, 1) })
		},
		"mapped": func(s *Split) (*Split, error) {
			return s.Mapped(func(x mat.Matrix) mat.Matrix {
				y := mat.DenseCopyOf(x)
				y.Scale(2, y)
				return y
			})
		},
		"unit targets": func(s *Split) (*Split, error) { return s.UnitTargets(), nil },
		"grouped":      func(s *Split) (*Split, error) { return s.Grouped("low", "high"), nil },
		"limited":      func(s *Split) (*Split, error) { return s.Limited(9, 1), nil },
		"tested":       func(s *Split) (*Split, error) { return s.Tested(9, 1), nil },
		"opened":       func(s *Split) (*Split, error) { _, s, err := s.Opened("because"); return s, err },
	}
	lists := map[reflect.Type][]string{
		reflect.TypeFor[*Split](): {"Grouped", "Limited", "Mapped", "Opened", "Scaled", "Tested", "UnitTargets"},
		reflect.TypeFor[*Pool]():  {"Folds", "Random"},
		reflect.TypeFor[*Data]():  {"Split", "SplitBy"}, // the parts are those of files
	}
	for of, known := range lists {
		var makes []string
		for i := range of.NumMethod() {
			m := of.Method(i)
			for k := range m.Type.NumOut() {
				if out := m.Type.Out(k); out == reflect.TypeFor[*Split]() || out == reflect.TypeFor[[]*Split]() {
					makes = append(makes, m.Name)
				}
			}
		}
		if !slices.Equal(makes, known) {
			t.Errorf("methods of %v make splits: %q, of which only %q have a plant here", of, makes, known)
		}
	}
	text := func(d *dataset.Set, rows int) string {
		d = d.Select(firstRows(rows))
		return fmt.Sprint(mat.Formatted(d.X, mat.Prefix("")), d.Value, d.Labels)
	}
	for name, cut := range cuts {
		first := func(other map[int]bool) *Split {
			splits, err := cut(Generated(data(other)))
			if err != nil {
				t.Fatal(err)
			}
			return splits[0]
		}
		honest, other := first(nil), map[int]bool{}
		for i := 1; i < honest.TestRows(); i++ {
			other[int(honest.test.X.At(i, id))] = true
		}
		planted := first(other)
		for what, step := range steps {
			a, err := step(honest)
			if err != nil {
				t.Fatal(err)
			}
			b, err := step(planted)
			if err != nil {
				t.Fatal(err)
			}
			rows, _ := a.Train.Dims()
			if more, _ := b.Train.Dims(); more != rows || text(a.Train, rows) != text(b.Train, rows) {
				t.Errorf("%s, %s: the training rows depend on the test rows", name, what)
			}
			if what != "tested" && text(a.test, 1) != text(b.test, 1) {
				t.Errorf("%s, %s: a test row depends on the other ones", name, what)
			}
			if what == "nothing" && text(a.test, 2) == text(b.test, 2) {
				t.Errorf("%s: the second test row is not changed", name)
			}
		}
	}
}
