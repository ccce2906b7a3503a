package predict_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/multiclass"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// formula is a program that computes each row by itself.
type formula[F gram.Float] struct {
	d, k  int
	flops float64
	f     func(out, x []float64)
}

func (p formula[F]) Dims() (d, outputs int) { return p.d, p.k }
func (p formula[F]) Row(dst, x []F)         { program.Row(p, dst, x) }
func (p formula[F]) Cost() gram.Plan {
	return gram.Plan{Flops: p.flops, ModelBytes: program.Size[F](1), Description: "a tree"}
}

func (p formula[F]) Rows(dst gram.Rows[F], x gram.Samples[F]) {
	program.Check("formula", p, dst, x)
	row, out, buf := make([]float64, p.d), make([]float64, p.k), make([]F, p.d)
	for i := range dst.N {
		for j, v := range x.Row(buf, i) {
			row[j] = float64(v)
		}
		p.f(out, row)
		for c, v := range out {
			dst.Row(i)[c] = F(v)
		}
	}
}

// testTree is a model that is no function of a basis.
type testTree struct {
	d, k int // k is 1 if it is 0
	f    func(out, x []float64)
	err  error // of the programs
}

func programOf[F gram.Float](m *testTree) (gram.Program[F], error) {
	p := formula[F]{m.d, max(1, m.k), 100, m.f}
	if p.f == nil {
		p.f = func(out, x []float64) { copy(out, x) }
	}
	return p, m.err
}

func (m *testTree) Program64() (gram.Program[float64], error)          { return programOf[float64](m) }
func (m *testTree) Program32() (gram.Program[float32], error)          { return programOf[float32](m) }
func (m *testTree) Encode(w *modelfile.Writer) error                   { return w.Header("tree", 1, m.d) }
func (m *testTree) Predict(dst []float64, x mat.Matrix) []float64      { panic("not called") }
func (m *testTree) PredictAll(dst *mat.Dense, x mat.Matrix) *mat.Dense { panic("not called") }

// forest is a testTree that classifies, and has a function for each pair of classes if
// it is told so.
type forest struct {
	*testTree
	names []string
	pairs bool
}

func (m forest) Classes() []string                              { return m.names }
func (m forest) Pairs() bool                                    { return m.pairs }
func (m forest) Predict(dst []int, x mat.Matrix) []int          { panic("not called") }
func (m forest) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense { panic("not called") }

// ranking is a model that ranks, and does not predict values.
type ranking struct{ tree testTree }

func (m *ranking) Program64() (gram.Program[float64], error) { return m.tree.Program64() }
func (m *ranking) Program32() (gram.Program[float32], error) { return m.tree.Program32() }
func (m *ranking) Encode(w *modelfile.Writer) error          { return w.Header("ranking", 1, m.tree.d) }
func (m *ranking) NumLabels() int                            { return m.tree.k }
func (m *ranking) Top(dst [][]gram.Scored, x mat.Matrix, k int) [][]gram.Scored {
	panic("not called")
}

// half is a model of which the function or the program may be missing.
type half struct {
	*testTree
	function func() (basis.Function, error)
}

func (m half) Function() (basis.Function, error) { return m.function() }

// onlyProgram has a program and cannot be stored.
type onlyProgram struct{ gram.Compiler }

func (onlyProgram) Predict(dst []float64, x mat.Matrix) []float64 { panic("not called") }

// noRows has two columns.
var noRows = &sparse.CSR{D: 2, Ptr: []int{0}}

// A model that is no function of a basis is its program: shapes, costs, outputs of one
// row and of many, dense or sparse, in both precisions, and what its kind of model says.
func TestFormulas(t *testing.T) {
	tree := &testTree{d: 2, k: 3, f: func(out, x []float64) { out[0], out[1], out[2] = x[0], x[1], x[0]-x[1] }}
	x := halfZero(3, 500, 2)
	want := mat.NewDense(500, 3, nil)
	for i := range 500 {
		tree.f(want.RawRowView(i), x.RawRowView(i))
	}
	for _, p := range []predict.Precision{predict.Float64, predict.Float32} {
		c := compile(t, tree, predict.Options{Precision: p})
		size := map[predict.Precision]int64{predict.Float64: 8, predict.Float32: 4}[p]
		if c.Dim() != 2 || c.Multiple() != 100./12 || c.Cost().Flops != 100 || c.Cost().ModelBytes != size || c.Stats().Exact != c.Cost() {
			t.Errorf("%s: %d columns, costs %+v, %g", p, c.Dim(), c.Cost(), c.Multiple())
		}
		r := c.(regressor)
		for _, rows := range []mat.Matrix{x, sparse.FromDense(x)} {
			got := r.PredictAll(nil, rows)
			if !mat.EqualApprox(got, want, 1e-6) || p == predict.Float64 && !mat.Equal(got, want) {
				t.Errorf("%s: outputs differ", p)
			}
			if again := r.PredictAll(mat.NewDense(500, 3, nil), rows); !mat.Equal(got, again) {
				t.Errorf("%s: outputs in a destination differ", p)
			}
			if one := r.Predict(make([]float64, 500), rows); !slices.Equal(one, mat.Col(nil, 0, got)) {
				t.Errorf("%s: Predict is not the first output", p)
			}
		}
		if got := r.PredictAll(nil, noRows); !got.IsEmpty() {
			t.Errorf("outputs of no rows: %v", got)
		}
		if got := r.Predict(nil, noRows); got == nil || len(got) != 0 {
			t.Errorf("outputs of no rows: %v", got)
		}
	}
	// Pairs of classes: (0,1), (0,2), (1,2), positive for the second.
	for _, pairs := range []bool{true, false} {
		c := compile(t, forest{tree, []string{"a", "b", "c"}, pairs}, predict.Options{}).(classifier)
		if c.Pairs() != pairs || !slices.Equal(c.Classes(), []string{"a", "b", "c"}) {
			t.Errorf("pairs %t of classes %q", c.Pairs(), c.Classes())
		}
		scores, votes := c.Scores(nil, x), mat.DenseCopyOf(want)
		if pairs {
			for i := range 500 {
				multiclass.Vote(votes.RawRowView(i), want.RawRowView(i))
			}
		}
		if !mat.Equal(scores, votes) || !mat.Equal(c.Scores(mat.NewDense(500, 3, nil), x), votes) {
			t.Errorf("pairs %t: scores differ", pairs)
		}
		for i, class := range c.Predict(make([]int, 500), x) {
			if class != multiclass.Decide(votes.RawRowView(i)) {
				t.Fatalf("pairs %t: row %d is of class %d, its scores are %v", pairs, i, class, votes.RawRowView(i))
			}
		}
		if got := c.Scores(nil, noRows); !got.IsEmpty() {
			t.Errorf("scores of no rows: %v", got)
		}
		panics(t, "predict: the destination has the wrong shape", func() { c.Scores(mat.NewDense(500, 2, nil), x) })
		panics(t, "predict: the destination has the wrong shape", func() { c.Scores(mat.NewDense(499, 3, nil), x) })
		panics(t, "predict: the destination has the wrong shape", func() { c.Scores(mat.NewDense(1, 2, nil), x.Slice(0, 1, 0, 2)) })
		panics(t, "predict: the destination has the wrong shape", func() { c.Scores(mat.NewDense(1, 3, nil), noRows) })
		panics(t, "predict: the destination has the wrong shape", func() { c.Predict(make([]int, 499), x) })
		for _, wide := range []int{1, 3} {
			panics(t, "predict: x has the wrong number of columns", func() { c.Scores(nil, mat.NewDense(2, wide, nil)) })
			panics(t, "predict: x has the wrong number of columns", func() { c.Predict(nil, mat.NewDense(2, wide, nil)) })
		}
	}
	r := compile(t, tree, predict.Options{}).(regressor)
	panics(t, "predict: the destination has the wrong shape", func() { r.Predict(make([]float64, 499), x) })
	panics(t, "predict: the destination has the wrong shape", func() { r.PredictAll(mat.NewDense(1, 2, nil), x.Slice(0, 1, 0, 2)) })
	panics(t, "predict: x has the wrong number of columns", func() { r.Predict(nil, mat.NewDense(2, 3, nil)) })
	panics(t, "predict: x has the wrong number of columns", func() { r.PredictAll(nil, mat.NewDense(2, 1, nil)) })
}

func panics(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if p := recover(); p != want {
			t.Errorf("panic %v, want %s", p, want)
		}
	}()
	f()
}

// A ranker names the labels with the highest scores, the lower one of equals first, none
// of score −Inf and none of a row with NaN, also where the scores of all rows are more
// than are held at a time.
func TestTop(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	m := &ranking{testTree{d: 1, k: 5, f: func(out, x []float64) {
		copy(out, []float64{x[0], 2, -inf, 2, inf})
		if x[0] != x[0] {
			program.Fill(out, nan)
		}
	}}}
	for _, p := range []predict.Precision{predict.Float64, predict.Float32} {
		c := compile(t, m, predict.Options{Precision: p, Points: mat.NewDense(2, 1, []float64{1, 4})}).(ranker)
		if c.NumLabels() != 5 {
			t.Errorf("%d labels", c.NumLabels())
		}
		x := mat.NewDense(4, 1, []float64{1, 2, 3, nan})
		order := [][]gram.Scored{
			{{Label: 4, Score: inf}, {Label: 1, Score: 2}, {Label: 3, Score: 2}, {Label: 0, Score: 1}},
			{{Label: 4, Score: inf}, {Label: 0, Score: 2}, {Label: 1, Score: 2}, {Label: 3, Score: 2}},
			{{Label: 4, Score: inf}, {Label: 0, Score: 3}, {Label: 1, Score: 2}, {Label: 3, Score: 2}},
			{},
		}
		for _, k := range []int{0, 1, 2, 3, 4, 5, 9} {
			got := c.Top(nil, x, k)
			again := c.Top([][]gram.Scored{nil, make([]gram.Scored, 7), {}, {{Label: 9}}}, x, k)
			for i, all := range order {
				want := all[:min(k, len(all))]
				if !slices.Equal(got[i], want) || !slices.Equal(again[i], want) {
					t.Errorf("%s: the best %d of row %d are %v and %v, want %v", p, k, i, got[i], again[i], want)
				}
			}
		}
		if got := c.Top(nil, &sparse.CSR{D: 1, Ptr: []int{0}}, 2); len(got) != 0 {
			t.Errorf("labels of no rows: %v", got)
		}
		panics(t, "predict: the destination has the wrong shape", func() { c.Top(make([][]gram.Scored, 3), x, 1) })
		panics(t, "predict: x has the wrong number of columns", func() { c.Top(nil, mat.NewDense(2, 2, nil), 1) })
		if s := c.Stats(); (p == predict.Float32) != (s.Rounding != s.Rounding) {
			t.Errorf("%s: rounding %g, where a score is infinite", p, s.Rounding)
		}
	}
	wide := &ranking{testTree{d: 1, k: 1 << 19, f: func(out, x []float64) { out[int(x[0])] = 1; out[int(x[0])-1] = 0 }}}
	c := compile(t, wide, predict.Options{}).(ranker)
	got := c.Top(nil, mat.NewDense(5, 1, []float64{7, 8, 9, 10, 11}), 1)
	for i, l := range got {
		if l[0] != (gram.Scored{Label: 7 + i, Score: 1}) {
			t.Errorf("the best label of row %d is %v", i, l)
		}
	}
}

// Which program a model gets, and what is said of one that has none.
func TestTargets(t *testing.T) {
	m := chooser()
	fails := errors.New("no such function")
	function := func() (basis.Function, error) { return m.Function() }
	no := func() (basis.Function, error) { return basis.Function{}, fails }
	for name, c := range map[string]struct {
		model any
		flops float64 // 0: an error
		text  string
	}{
		"a function alone":                       {m, 120 * (basis.ValuesFlops(m.k, 1, 2, 3)), ""},
		"a program alone":                        {&testTree{d: 2}, 100, ""},
		"a function before the program":          {half{&testTree{d: 2}, function}, 120 * (basis.ValuesFlops(m.k, 1, 2, 3)), ""},
		"a program where the function fails":     {half{&testTree{d: 2}, no}, 100, ""},
		"a program that fails":                   {&testTree{d: 2, err: fails}, 0, fails.Error()},
		"a program that cannot be stored":        {onlyProgram{&testTree{d: 2}}, 0, "predict_test.onlyProgram cannot be stored"},
		"nothing":                                {bare{}, 0, "predict_test.bare is no gram.Compiler"},
		"no model":                               {3, 0, "int neither classifies nor predicts values nor ranks labels"},
		"a function that fails, without program": {failing{no}, 0, fails.Error()},
	} {
		got, err := with(t.Context(), c.model, predict.Options{})
		if c.flops > 0 {
			if err != nil || got.Cost().Flops != c.flops {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if !errors.Is(err, predict.ErrNoProgram) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := predict.Methods(c.model, nil); !errors.Is(err, predict.ErrNoProgram) {
			t.Errorf("%s has methods: %v", name, err)
		}
	}
	// With a function for each pair of classes the model's own program is kept, which
	// knows the classes of points.
	for _, pairs := range []bool{true, false} {
		p := paired{forest{&testTree{d: 2, k: 3}, []string{"a", "b", "c"}, pairs}, function}
		if c := compile(t, p, predict.Options{}); (c.Cost().Flops == 100) != pairs {
			t.Errorf("pairs %t: %s", pairs, c.Cost().Description)
		}
	}
	// The number of functions belongs to the classes.
	for _, c := range []struct {
		classes, k int
		pairs      bool
		ok         bool
	}{{2, 1, false, true}, {2, 2, false, false}, {3, 3, false, true}, {3, 1, false, false}, {4, 4, false, true}, {4, 6, true, true}, {4, 4, true, false}, {5, 10, true, true}, {2, 1, true, true}} {
		names := []string{"a", "b", "c", "d", "e"}[:c.classes]
		_, err := with(t.Context(), forest{&testTree{d: 2, k: c.k}, names, c.pairs}, predict.Options{})
		if (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// failing has a function that cannot be had, and nothing else.
type failing struct {
	function func() (basis.Function, error)
}

func (m failing) Function() (basis.Function, error)             { return m.function() }
func (m failing) Predict(dst []float64, x mat.Matrix) []float64 { panic("not called") }

// paired is a forest with a function.
type paired struct {
	forest
	function func() (basis.Function, error)
}

func (m paired) Function() (basis.Function, error) { return m.function() }

// Files of every form have what they are about: a compiled model is read with its
// settings, kind and costs, and what does not fit is refused.
func TestStored(t *testing.T) {
	tree := &testTree{d: 2, k: 3}
	read := func(f *modelfile.File) (modelfile.Model, error) {
		switch f.Method() {
		case "tree":
			return tree, nil
		case "ranking":
			return &ranking{*tree}, nil
		}
		return nil, fmt.Errorf("a model of method %s", f.Method())
	}
	f := &fake{name: "fake", each: 1, last: 1 << 30, usual: 5}
	o := predict.Options{Method: "fake", Budget: 50, Precision: predict.Float32, Candidates: candidates(f), Run: gram.Run{Workers: 2}}
	for name, c := range map[string]predict.Compiled{
		"tree":       compile(t, tree, predict.Options{}),
		"float32":    compile(t, tree, predict.Options{Precision: predict.Float32}),
		"ranking":    compile(t, &ranking{*tree}, predict.Options{}),
		"function":   compile(t, chooser(), predict.Options{Budget: 1000}),
		"classifier": compile(t, &testClassifier{chooser().testMachine, []string{"x", "y", "z"}}, predict.Options{}),
		"user's":     compileOwn(t, o),
	} {
		text := bytesOf(t, c)
		back, err := predict.Decode(fileOf(t, text), read)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		a, b := c.Options(), back.Options()
		a.Run, b.Run = gram.Run{}, gram.Run{}
		if reflect.TypeOf(back) != reflect.TypeOf(c) || !reflect.DeepEqual(a, b) || back.Dim() != c.Dim() || back.Cost() != c.Cost() || back.Multiple() != c.Multiple() || back.Stats() != (predict.Stats{}) {
			t.Errorf("%s: %T with %+v and %+v, want %T with %+v and %+v", name, back, b, back.Cost(), c, a, c.Cost())
		}
		if k, is := c.(classifier); is && !slices.Equal(back.(classifier).Classes(), k.Classes()) {
			t.Errorf("%s: classes %q", name, back.(classifier).Classes())
		}
		if string(bytesOf(t, back)) != string(text) {
			t.Errorf("%s: it is written otherwise after reading", name)
		}
		if name != "tree" {
			continue
		}
		for _, decode := range []func(*modelfile.File) (modelfile.Model, error){
			nil,
			func(*modelfile.File) (modelfile.Model, error) { return nil, errors.New("unknown") },
			func(*modelfile.File) (modelfile.Model, error) { return &ranking{*tree}, nil },
			func(*modelfile.File) (modelfile.Model, error) { return &testTree{d: 2, err: errors.New("none")}, nil },
		} {
			if _, err := predict.Decode(fileOf(t, text), decode); err == nil {
				t.Error("a tree is read as something else")
			}
		}
	}
	pairs := bytesOf(t, compile(t, forest{tree, []string{"a", "b", "c"}, true}, predict.Options{}))
	for _, is := range []bool{true, false} {
		_, err := predict.Decode(fileOf(t, pairs), func(*modelfile.File) (modelfile.Model, error) {
			return forest{tree, []string{"a", "b", "c"}, is}, nil
		})
		if (err == nil) != is {
			t.Errorf("a file of pairs with a model of pairs (%t): %v", is, err)
		}
	}
	kern := kernel.Gaussian{Gamma: 1}.Spec()
	kernelArrays := func(w *modelfile.Writer) {
		w.Float64("points", []float64{1, 2}, 2, 1)
		w.Float64("coef", []float64{1, 2}, 2, 1)
		w.Float64("bias", []float64{1}, 1, 1)
		w.Strings("classes", []string{"a", "b"})
	}
	for name, h := range map[string]map[string]any{
		"":                     {"Form": "kernel", "Kernel": kern},
		"two classes":          {"Form": "kernel", "Kernel": kern, "Classes": true},
		"no kernel":            {"Form": "kernel"},
		"a kernel too many":    {"Form": "linear", "Kernel": kern},
		"no such form":         {"Form": "what"},
		"no such precision":    {"Form": "kernel", "Kernel": kern, "Options": map[string]any{"Precision": 2}},
		"classes and labels":   {"Form": "kernel", "Kernel": kern, "Classes": true, "Labels": true},
		"another kernel":       {"Form": "kernel", "Kernel": kernel.Spec{Name: "what"}},
		"no part of the basis": {"Form": "structured"},
		"no model":             {"Form": "model"},
	} {
		if h["Options"] == nil {
			h["Options"] = map[string]any{}
		}
		file := fileOf(t, bytesOf(t, forged{func(w *modelfile.Writer) error {
			kernelArrays(w)
			return w.Header(predict.FileMethod, 1, h)
		}}))
		if _, err := decode(file); (err == nil) != (name == "" || name == "two classes") {
			t.Errorf("%q: %v", name, err)
		}
	}
	for classes, ok := range map[int]bool{1: false, 2: true, 3: false} {
		file := fileOf(t, bytesOf(t, forged{func(w *modelfile.Writer) error {
			w.Float64("coef", []float64{1, 2}, 2, 1)
			w.Float64("bias", []float64{1}, 1, 1)
			w.Strings("classes", []string{"a", "b", "c"}[:classes])
			return w.Header(predict.FileMethod, 1, map[string]any{"Form": "linear", "Classes": true, "Options": map[string]any{}})
		}}))
		if _, err := decode(file); (err == nil) != ok {
			t.Errorf("one function for %d classes: %v", classes, err)
		}
	}
	// Empty arrays and versions of the future.
	for name, encode := range map[string]func(w *modelfile.Writer) error{
		"no rows in float32": func(w *modelfile.Writer) error {
			w.Float32("coef", nil, 0, 1)
			w.Float32("bias", []float32{1}, 1, 1)
			return w.Header(predict.FileMethod, 1, map[string]any{"Form": "linear", "Options": map[string]any{"Precision": 1}})
		},
		"version 2": func(w *modelfile.Writer) error {
			w.Float64("coef", []float64{1, 2}, 2, 1)
			w.Float64("bias", []float64{1}, 1, 1)
			return w.Header(predict.FileMethod, 2, map[string]any{"Form": "linear", "Options": map[string]any{}})
		},
	} {
		if _, err := decode(fileOf(t, bytesOf(t, forged{encode}))); err == nil {
			t.Errorf("%s: there is a model", name)
		}
	}
}

func compileOwn(t *testing.T, o predict.Options) predict.Compiled {
	t.Helper()
	c := must.Have(predict.Compile(t.Context(), chooser(), o))(t)
	return c
}

func fileOf(t *testing.T, text []byte) *modelfile.File {
	t.Helper()
	f := must.Have(modelfile.Read(strings.NewReader(string(text))))(t)
	return f
}

// plain is the linear kernel under a name of its own.
type plain struct{ kernel.Kernel }

func (plain) Spec() kernel.Spec { return kernel.Spec{Name: "plain"} }

// known is a registry with it.
type known struct{}

func (known) KernelRegistry() kernel.Registry {
	return kernel.Registry{"plain": func(kernel.Spec) (kernel.Kernel, error) { return plain{kernel.Linear{}}, nil }}
}

// A program of a user's kernel is written where that is known, and refused by name
// elsewhere.
func TestOwnKernel(t *testing.T) {
	c := compile(t, &testRegressor{newTestMachine(plain{kernel.Linear{}}, 5, 2, 1)}, predict.Options{})
	if err := modelfile.Write(new(strings.Builder), c); err == nil || !strings.Contains(err.Error(), `kernel "plain"`) {
		t.Errorf("%v", err)
	}
	text := bytesOf(t, forged{func(w *modelfile.Writer) error { return c.Encode(w.With(known{})) }})
	if _, err := decode(fileOf(t, text)); err == nil {
		t.Error("the kernel is read by a program that does not know it")
	}
	back := must.Have(decode(fileOf(t, text).With(known{})))(t)
	x := random(3, 4, 2)
	if !mat.Equal(back.(regressor).PredictAll(nil, x), c.(regressor).PredictAll(nil, x)) {
		t.Error("it predicts otherwise after reading")
	}
}

// A model whose outputs float32 does not hold is refused in float32, where rows show that.
func TestOutputsBeyondFloat32(t *testing.T) {
	m := &testTree{d: 1, f: func(out, x []float64) { out[0] = 1e40 * x[0] }}
	rows := mat.NewDense(2, 1, []float64{0, 1})
	compile(t, m, predict.Options{Points: rows})
	var wrong *gram.ConfigError
	if _, err := predict.Compile(t.Context(), m, predict.Options{Precision: predict.Float32, Points: rows}); !errors.As(err, &wrong) || wrong.Field != "Precision" {
		t.Errorf("error %v", err)
	}
}
