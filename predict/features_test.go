package predict_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/linear"
	"github.com/gramworks/gram/algos/lowrank/nystrom"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/predict"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// firstColumn is a classifier of two classes whose score is the first feature. It has no programs.
type firstColumn struct{ forest }

func (m firstColumn) Program64() (gram.Program[float64], error) { return nil, m.err }
func (m firstColumn) Program32() (gram.Program[float32], error) { return nil, m.err }
func (m firstColumn) Scores(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	n, _ := dst.Dims()
	dst.Copy(mat.DenseCopyOf(x).Slice(0, n, 0, 1))
	return dst
}

// counting is a linear classifier that says how many columns it takes.
type counting struct{ *linear.Classifier }

func (m counting) Dim() int {
	w, _ := m.Weights()
	d, _ := w.Dims()
	return d
}

// A classifier of features, joined with their map, is one of rows: it predicts what it predicts of the features,
// by itself and by its programs, and a file has both parts.
func TestOnFeatures(t *testing.T) {
	x, labels := labeled(150)
	phi := must.Have(nystrom.Config{Kernel: kernel.Gaussian{Gamma: .3}, M: 12}.Fit(t.Context(), x))(t)
	inner := must.Have(linear.SVM{}.Fit(t.Context(), nil, phi.Map(nil, x), labels, nil))(t)
	m := predict.OnFeatures("joined", phi, inner)
	has := m.(interface {
		predict.Storable
		FeatureMap() predict.Map
		Dim() int
	})
	if has.Dim() != 4 || has.FeatureMap() != predict.Map(phi) {
		t.Errorf("a map %T of %d columns", has.FeatureMap(), has.Dim())
	}
	fresh := halfZero(8, 60, 4)
	fresh.Set(7, 1, math.NaN())
	want, class := inner.Scores(nil, phi.Map(nil, fresh)), inner.Predict(nil, phi.Map(nil, fresh))
	for _, rows := range []mat.Matrix{fresh, sparse.FromDense(fresh)} {
		for _, got := range []*mat.Dense{m.Scores(nil, rows), m.Scores(mat.NewDense(60, 3, nil), rows)} {
			for i := range 60 {
				for c := range 3 {
					if d := got.At(i, c) - want.At(i, c); !(math.Abs(d) < 1e-12) && !(i == 7 && math.IsNaN(got.At(i, c))) {
						t.Fatalf("%T: score %d of row %d is %g, want %g", rows, c, i, got.At(i, c), want.At(i, c))
					}
				}
			}
		}
		for i, c := range m.Predict(make([]int, 60), rows) {
			if c != class[i] || (c < 0) != (i == 7) {
				t.Errorf("%T: row %d is of class %d, want %d", rows, i, c, class[i])
			}
		}
	}
	panics(t, "predict: x has the wrong number of columns", func() { m.Scores(nil, mat.NewDense(2, 12, nil)) })
	panics(t, "predict: the destination has the wrong shape", func() { m.Scores(mat.NewDense(60, 2, nil), fresh) })
	algotest.Compiled(t, m, random(9, 150, 4), 0)

	// A row costs what its features and the functions of these cost.
	wide := must.Have(m.Program64())(t)
	identity := mat.NewDense(12, 12, nil)
	for i := range 12 {
		identity.Set(i, i, 1)
	}
	first, then := basis.With[float64](phi, identity, make([]float64, 12)).Cost(), must.Have(inner.Program64())(t).Cost()
	got, sum := wide.Cost(), gram.Plan{
		Flops: first.Flops + then.Flops, ModelBytes: first.ModelBytes + then.ModelBytes, PeakBytes: first.PeakBytes + then.PeakBytes,
	}
	if said := got.Description; !strings.Contains(said, first.Description) || !strings.Contains(said, then.Description) {
		t.Errorf("the cost is that of %s", said)
	}
	if got.Description = ""; got != sum {
		t.Errorf("a row costs %+v, want %+v", got, sum)
	}

	decodeMap := func(f *modelfile.File) (*nystrom.Model, error) { return nystrom.Decode(f) }
	decode := func(f *modelfile.File) (counting, error) {
		c, err := linear.DecodeClassifier(f, nil)
		return counting{c}, err
	}
	text := bytesOf(t, m)
	back := must.Have(predict.DecodeFeatured(fileOf(t, text), "joined", decodeMap, decode))(t)
	if !bytes.Equal(bytesOf(t, back), text) || !mat.Equal(back.(gram.Classifier).Scores(nil, x), m.Scores(nil, x)) {
		t.Error("after reading it is written, or predicts, otherwise")
	}

	small := must.Have(nystrom.Config{Kernel: kernel.Gaussian{Gamma: .3}, M: 11}.Fit(t.Context(), x))(t)
	fails := errors.New("it cannot be read")
	for name, c := range map[string]struct {
		method       string
		m, machine   modelfile.Model
		first, again error
		want         string
	}{
		"another method":       {"other", phi, inner, nil, nil, `"other"`},
		"no map":               {"joined", nil, inner, nil, nil, `"map"`},
		"a map that fails":     {"joined", phi, inner, fails, nil, fails.Error()},
		"no machine":           {"joined", phi, nil, nil, nil, `"machine"`},
		"a machine that fails": {"joined", phi, inner, nil, fails, fails.Error()},
		"fewer features":       {"joined", small, inner, nil, nil, "12 features on a map that has 11"},
	} {
		f := fileOf(t, bytesOf(t, forged{func(w *modelfile.Writer) error {
			if c.m != nil {
				must.Do(t, c.m.Encode(w.Sub("map")))
			}
			if c.machine != nil {
				must.Do(t, c.machine.Encode(w.Sub("machine")))
			}
			return w.Header(c.method, 1, struct{}{})
		}}))
		m, err := predict.DecodeFeatured(f, "joined",
			func(f *modelfile.File) (*nystrom.Model, error) {
				if c.first != nil {
					return phi, c.first
				}
				return nystrom.Decode(f)
			},
			func(f *modelfile.File) (counting, error) {
				if c.again != nil {
					return counting{inner}, c.again
				}
				return decode(f)
			})
		if m != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %T, %v", name, m, err)
		}
	}
	broken := forged{func(w *modelfile.Writer) error { return fails }}
	if err := modelfile.Write(new(bytes.Buffer), predict.OnFeatures("joined", unwritable{phi, broken}, inner)); err != fails {
		t.Errorf("a map that cannot be written: %v", err)
	}

	// Features of many rows are computed in blocks; programs have the error of the machine's.
	const d = 1 << 18 // four rows to a block
	tree := forest{&testTree{d: 1, err: fails}, []string{"a", "b"}, false}
	long := predict.OnFeatures("joined", summed{basis.Identity(d)}, firstColumn{tree})
	rows := &sparse.CSR{N: 9, D: d, Ptr: []int{0}}
	for i := range 9 {
		rows.Col, rows.Val = append(rows.Col, int32(1000*i)), append(rows.Val, float64(i)-3.5)
		rows.Ptr = append(rows.Ptr, i+1)
	}
	scores := long.Scores(nil, rows)
	for i := range 9 {
		if scores.At(i, 0) != float64(i)-3.5 {
			t.Errorf("the score of row %d is %g", i, scores.At(i, 0))
		}
	}
	if p, err := long.Program64(); p != nil || err != fails {
		t.Errorf("the program %v, %v", p, err)
	}
	if p, err := long.Program32(); p != nil || err != fails {
		t.Errorf("the program %v, %v", p, err)
	}
}

// unwritable is a map that is written otherwise.
type unwritable struct {
	basis.Basis
	written forged
}

func (b unwritable) Encode(w *modelfile.Writer) error { return b.written.Encode(w) }

// summed maps a row to features of which the first is its sum, and the others are what they were.
type summed struct{ basis.Identity }

func (b summed) Map(dst *mat.Dense, x mat.Matrix) *mat.Dense {
	s := gram.Of(x)
	for i := range s.N() {
		row, sum := s.Row(dst.RawRowView(i), i), 0.
		for _, v := range row {
			sum += v
		}
		dst.Set(i, 0, sum)
	}
	return dst
}

// own is the identity as a feature map of a user.
type own struct{ basis.Identity }

func (b own) Encode(w *modelfile.Writer) error { return w.Header("own", 1, int(b.Identity)) }

// knows is a registry with it.
type knows struct{}

func (knows) BasisRegistry() basis.Registry {
	return basis.Registry{"own": func(f *modelfile.File) (basis.Basis, error) {
		var d int
		_, err := f.Header("own", 1, &d)
		return own{basis.Identity(d)}, err
	}}
}

// A program of a user's feature map is written where that is known, and refused by name elsewhere.
func TestOwnBasis(t *testing.T) {
	x := random(3, 5, 2)
	f := basis.Function{Basis: own{2}, Coef: mat.NewDense(2, 1, []float64{2, -1}), Bias: []float64{.5}}
	c := compile(t, failing{func() (basis.Function, error) { return f, nil }}, predict.Options{})
	if err := modelfile.Write(new(bytes.Buffer), c); err == nil || !strings.Contains(err.Error(), `feature map "own"`) {
		t.Errorf("%v", err)
	}
	text := bytesOf(t, forged{func(w *modelfile.Writer) error { return c.Encode(w.With(knows{})) }})
	if _, err := decode(fileOf(t, text)); err == nil {
		t.Error("the feature map is read by a program that does not know it")
	}
	back := must.Have(decode(fileOf(t, text).With(knows{})))(t)
	for i, v := range back.(regressor).Predict(nil, x) {
		if want := .5 + 2*x.At(i, 0) - x.At(i, 1); !(math.Abs(v-want) < 1e-14) {
			t.Errorf("row %d is %g after reading, want %g", i, v, want)
		}
	}
}

// sure is a model with a variance for each row, which may have a function.
type sure struct{ half }

func (m sure) Variance(dst []float64, x mat.Matrix) []float64 { return mat.Col(dst, 1, x) }
func (m sure) Noise() float64                                 { return 3 }

// What a compiled model is made of: the model itself, or a function of features. Only the exact program of a model that
// knows variances has them.
func TestSources(t *testing.T) {
	x, m := random(3, 5, 2), chooser()
	f := must.Have(m.Function())(t)
	no := errors.New("no such function")
	posterior := &sure{half{&testTree{d: 2, k: 3}, m.Function}}
	missing := &sure{half{&testTree{d: 2, k: 3}, func() (basis.Function, error) { return basis.Function{}, no }}}
	cheap := predict.Options{Method: "fake", Candidates: candidates(&fake{name: "fake", each: 1, last: 1 << 30, usual: 5})}
	for name, c := range map[string]struct {
		model                       any
		o                           predict.Options
		source, function, variances bool
	}{
		"a program":                   {&testTree{d: 2}, predict.Options{}, true, false, false},
		"a function":                  {m, predict.Options{}, false, true, false},
		"a posterior":                 {posterior, predict.Options{}, true, true, true},
		"a posterior in float32":      {posterior, predict.Options{Precision: predict.Float32}, true, true, true},
		"a posterior and no function": {missing, predict.Options{}, true, false, true},
		"an approximated posterior":   {posterior, cheap, false, true, false},
	} {
		got := must.Have(predict.Compile(t.Context(), c.model, c.o))(t)
		if (got.Source() != nil) != c.source || c.source && got.Source() != c.model {
			t.Errorf("%s: the source is %T", name, got.Source())
		}
		is, err := got.Function()
		if (err == nil) != c.function || err == nil && !mat.EqualApprox(is.Coef, f.Folded().Coef, 1e-6) {
			t.Errorf("%s: the function has the coefficients %v, %v", name, is.Coef, err)
		}
		p, known := got.(gram.Posterior)
		if known != c.variances {
			t.Errorf("%s: %T", name, got)
		}
		if known && (p.Noise() != 3 || !mat.Equal(mat.NewVecDense(5, p.Variance(nil, x)), x.ColView(1))) {
			t.Errorf("%s: the variances are %v and %g", name, p.Variance(nil, x), p.Noise())
		}
		if _, is := got.(gram.Regressor); !is {
			t.Errorf("%s: %T predicts no values", name, got)
		}
	}

	// The outputs of a model are its values, or the scores of labels, −Inf included.
	pairs := &testTree{d: 3, k: 3}
	values := random(4, 6, 3)
	c := compile(t, forest{pairs, []string{"a", "b", "c"}, true}, predict.Options{})
	if got := c.(interface {
		Values(dst *mat.Dense, x mat.Matrix) *mat.Dense
	}).Values(nil, values); !mat.Equal(got, values) {
		t.Errorf("the values of pairs are %v", mat.Formatted(got))
	}
	values.Set(2, 1, math.Inf(-1))
	if got := compile(t, &ranking{*pairs}, predict.Options{}).(ranker).Scores(nil, values); !mat.Equal(got, values) {
		t.Errorf("the scores of labels are %v", mat.Formatted(got))
	}
}

// Size is the size that Compile takes, with its errors.
func TestSize(t *testing.T) {
	fakes := candidates(&fake{name: "fake", each: 1, last: 1 << 30, usual: 5})
	for _, c := range []struct {
		model any
		o     predict.Options
		want  int // -1: an error
	}{
		{chooser(), predict.Options{}, 0},
		{chooser(), predict.Options{Method: "fake"}, 5},
		{chooser(), predict.Options{Method: "fake", Budget: 2}, 24},
		{chooser(), predict.Options{Method: "fake", M: 7}, 7},
		{chooser(), predict.Options{Method: "what"}, -1},
		{bare{}, predict.Options{}, -1},
	} {
		c.o.Candidates = fakes
		size, err := predict.Size(c.model, c.o)
		if (err == nil) != (c.want >= 0) || err == nil && size != c.want {
			t.Errorf("%+v: %d, %v; want %d", c.o, size, err, c.want)
		}
		if made, failed := predict.Compile(t.Context(), c.model, c.o); (failed == nil) != (err == nil) || err == nil && made.Options().M != size {
			t.Errorf("%+v: it is compiled otherwise, %v", c.o, failed)
		}
	}
}

// Points that are not finite make a model unusable as coefficients do, whether it is to be compiled or is read.
func TestPointsNotFinite(t *testing.T) {
	machine := newTestMachine(kernel.Gaussian{Gamma: 1}, 10, 3, 1)
	machine.points.Set(1, 2, math.NaN())
	frequencies := mat.NewDense(2, 1, []float64{1, math.Inf(1)})
	waves := basis.Function{Basis: basis.NewPlainFourier(frequencies, 0), Coef: mat.NewDense(2, 1, []float64{1, 1}), Bias: []float64{0}}
	for name, m := range map[string]any{
		"machine": &testRegressor{machine},
		"fourier": failing{func() (basis.Function, error) { return waves, nil }},
	} {
		if _, err := predict.Compile(t.Context(), m, predict.Options{}); err == nil || !strings.Contains(err.Error(), "not finite") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
