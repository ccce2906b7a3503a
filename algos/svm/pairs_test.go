package svm

import (
	"bytes"
	"context"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// stored is the form of the settings in a model file.
type stored struct {
	Kernel kernel.Spec
	Config
}

// old is a model of pairs as version 1 of its files has it: with n×functions
// coefficients, its support vectors in the order of the rows of the fit.
type old struct{ *Model }

func (m old) Encode(w *modelfile.Writer) error {
	if err := w.Header("svm", 1, stored{m.kernel.Spec(), m.cfg}); err != nil {
		return err
	}
	w.Strings("classes", m.names)
	order := make([]int, len(m.support))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(i, j int) int { return m.support[i] - m.support[j] })
	points, coef, bias := m.Expand()
	p, c := mat.NewDense(points.N, points.D, nil), mat.NewDense(coef.N, coef.D, nil)
	for to, from := range order {
		p.SetRow(to, points.Row(from))
		c.SetRow(to, coef.Row(from))
	}
	if m.points.IsSparse() {
		a := sparse.FromDense(p)
		if err := modelfile.Put(w, func(x *modelfile.Exchange) { x.CSR("points", &a, a.N, a.D) }); err != nil {
			return err
		}
	} else {
		w.Dense("points", p)
	}
	w.Dense("coefficients", c)
	w.Float64("bias", bias)
	support := rows.Pick(m.support, order)
	return modelfile.Put(w, func(x *modelfile.Exchange) { x.Ints("support", &support, len(support), 0, math.MaxInt32) })
}

func file(t *testing.T, m modelfile.Model) *modelfile.File {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, m))
	f := must.Have(modelfile.Read(&b))(t)
	return f
}

// The parts of a model that Stored returns give its values, for a function of two classes and for pairs of three.
func TestStored(t *testing.T) {
	for _, classes := range []int{2, 3} {
		x, y := gen.Blobs(60, 2, classes, 1.2, 3)
		k := kernel.Gaussian{Gamma: 0.5}
		m := must.Have(Config{Kernel: k}.Fit(context.Background(), x, y, nil))(t)
		points, coef, counts, bias := m.Stored()
		if (counts != nil) != (classes > 2) || coef.D != classes-1 || coef.N != points.N() {
			t.Fatalf("%d classes: counts %v, %d×%d coefficients of %d points", classes, counts, coef.N, coef.D, points.N())
		}
		value := func(row []float64, first, other, f int) float64 { // function f, of the classes first and other
			sum := bias[f]
			for j, i := range m.Support() {
				c, at := y.Class[i], -1
				switch {
				case classes == 2:
					at = 0
				case c == first:
					at = other - 1
				case c == other:
					at = first
				}
				if at >= 0 {
					sum += coef.Row(j)[at] * k.Eval(row, gram.Matrix(points).RawRowView(j))
				}
			}
			return sum
		}
		got := m.Values(nil, x)
		for i := range 60 {
			f := 0
			for first := range classes {
				for other := first + 1; other < classes; other++ {
					if want := value(x.RawRowView(i), first, other, f); !(math.Abs(got.At(i, f)-want) <= 1e-9) {
						t.Fatalf("%d classes, row %d, function %d: %v, the parts give %v", classes, i, f, got.At(i, f), want)
					}
					f++
				}
			}
		}
	}
}

// A model of pairs is the same after its coefficients have been through a file of
// version 1, NewModel, and LIBSVM's form, and holds classes−1 of them.
func TestPairsForms(t *testing.T) {
	for _, classes := range []int{3, 4, 7} {
		x, y := gen.Blobs(120, 2, classes, 1.2, 3)
		if classes == 4 {
			for i, c := range y.Class { // a class without rows
				y.Class[i] = map[int]int{0: 0, 1: 1, 2: 3, 3: 3}[c]
			}
		}
		for _, train := range []mat.Matrix{x, sparse.FromDense(x)} {
			m := must.Have(Config{Kernel: kernel.Gaussian{Gamma: 0.5}}.Fit(context.Background(), train, y, nil))(t)
			want := m.Values(nil, x)
			holds := func(what string, got *Model, err error) {
				t.Helper()
				if err != nil {
					t.Fatalf("%d classes, %s: %v", classes, what, err)
				}
				if !mat.Equal(got.Values(nil, x), want) || !mat.Equal(got.coef, m.coef) || !slices.Equal(got.counts, m.counts) {
					t.Errorf("%d classes, %s: another model", classes, what)
				}
			}
			f := file(t, m)
			if s := f.Shape("coefficients"); !slices.Equal(s, []int{len(m.support), classes - 1}) {
				t.Errorf("%d classes: a file with %v coefficients of %d support vectors", classes, s, len(m.support))
			}
			back, err := Decode(f)
			holds("a file", back, err)
			back, err = Decode(file(t, old{m}))
			holds("a file of version 1", back, err)
			if !slices.Equal(back.support, m.support) {
				t.Errorf("%d classes: of the file of version 1 rows %v are support vectors, not %v", classes, back.support, m.support)
			}
			coef := must.Have(m.Coefficients(120))(t)
			back, err = NewModel(m.cfg, m.names, train, coef, m.bias)
			holds("NewModel", back, err)
			for k, i := range m.support {
				c := y.Class[i]
				for f := range coef.RawRowView(i) {
					v := coef.At(i, f)
					a, b := pairOf(f, classes)
					switch {
					case c != a && c != b && v != 0, c == a && v > 0, c == b && v < 0:
						t.Errorf("%d classes: support vector %d of class %d has %v in the function of %d and %d", classes, k, c, v, a, b)
					}
				}
			}
			m.names = []string{"1", "2", "3", "4", "5", "6", "7"}[:classes]
			var b bytes.Buffer
			must.Do(t, m.WriteLIBSVM(&b))
			back = must.Have(ReadLIBSVM(&b, 2))(t)
			if !mat.EqualApprox(back.Values(nil, x), want, 1e-12) || !slices.Equal(back.counts, m.counts) {
				t.Errorf("%d classes: LIBSVM's form is of another model", classes)
			}
		}
	}
}

// Coefficients in functions that have no class in common are refused; those of a
// single function may have either sign, and coefficients of the wrong sign keep their
// functions.
func TestClassOf(t *testing.T) {
	names := []string{"a", "b", "c", "d"} // pairs ab ac ad bc bd cd
	x := mat.NewDense(2, 1, []float64{1, 2})
	for _, c := range []struct {
		row   []float64
		class int // −1: none
	}{
		{[]float64{0, 0, 0, 0, 0, 0}, 0},
		{[]float64{-1, 0, 0, 0, 0, 0}, 0},
		{[]float64{1, 0, 0, 0, 0, 0}, 1},
		{[]float64{0, 0, 0, 0, 0, 2}, 3},
		{[]float64{1, 2, 0, 0, 0, 0}, 0}, // of the wrong sign
		{[]float64{0, 2, 0, -1, 0, -1}, 2},
		{[]float64{1, 0, 0, 0, 0, -1}, -1},
		{[]float64{1, 1, 0, 1, 0, 0}, -1},
	} {
		class, ok := classOf(c.row, 4)
		if ok != (c.class >= 0) || ok && class != c.class {
			t.Errorf("%v: class %d, %v", c.row, class, ok)
		}
		coef := mat.NewDense(2, 6, nil)
		coef.SetRow(1, c.row)
		m, err := NewModel(Config{Kernel: kernel.Linear{}}, names, x, coef, make([]float64, 6))
		if (err == nil) != ok {
			t.Errorf("%v: error %v", c.row, err)
		}
		if err != nil {
			continue
		}
		got := m.Values(nil, mat.NewDense(1, 1, []float64{3}))
		for f, v := range c.row {
			if got.At(0, f) != 6*v {
				t.Errorf("%v: the value of function %d is %v", c.row, f, got.At(0, f))
			}
		}
	}
	bad := file(t, broken{})
	if _, err := Decode(bad); err == nil {
		t.Error("a file of version 1 with such a support vector is read")
	}
}

// broken is a file of version 1 with a support vector of no class.
type broken struct{}

func (broken) Encode(w *modelfile.Writer) error {
	if err := w.Header("svm", 1, stored{kernel.Linear{}.Spec(), Config{C: 1, Tol: 1, MaxIter: 1, CacheBytes: 1}}); err != nil {
		return err
	}
	w.Strings("classes", []string{"a", "b", "c"})
	w.Dense("points", mat.NewDense(1, 1, []float64{1}))
	w.Dense("coefficients", mat.NewDense(1, 3, []float64{1, 1, 1}))
	w.Float64("bias", make([]float64, 3))
	return nil
}

// The program of pairs costs the classes−1 coefficients of each support vector.
func TestProgramCost(t *testing.T) {
	x, y := gen.Blobs(90, 3, 5, 1.5, 3)
	m := must.Have(Config{Kernel: kernel.Gaussian{Gamma: 0.5}}.Fit(t.Context(), x, y, nil))(t)
	p := must.Have(m.Program64())(t)
	n := float64(len(m.support))
	if f := p.Cost().Flops; f != n*(kernel.Flops(m.kernel, 3)+2*4)+10 {
		t.Errorf("%v flops for %v support vectors", f, n)
	}
}

// TestPredictionMemory: classes of many rows take little memory beyond the result.
func TestPredictionMemory(t *testing.T) {
	x, y := gen.Blobs(120, 2, 7, 1.2, 3)
	m := must.Have(Config{Kernel: kernel.Gaussian{Gamma: 0.5}}.Fit(t.Context(), x, y, nil))(t)
	const n = 20_000
	many, dst := mat.NewDense(n, 2, nil), make([]int, n)
	least := uint64(math.MaxUint64) // a collection takes workspaces away now and then
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m.Predict(dst, many)
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	if least > 64<<10 && !race.Enabled {
		t.Errorf("%d bytes are allocated for %d rows", least, n)
	}
	for i := range dst {
		if dst[i] != dst[0] {
			t.Fatalf("equal rows are of classes %d and %d", dst[0], dst[i])
		}
	}
}

// pairOf inverts functionOf at the first and the last function of every class, between which the
// root passes a whole number.
func TestPairOf(t *testing.T) {
	for _, classes := range []int{2, 3, 4, 7, 50, 500, 46340} {
		for a := range classes - 1 {
			for _, b := range []int{a + 1, classes - 1} {
				if first, second := pairOf(functionOf(a, b, classes), classes); first != a || second != b {
					t.Fatalf("%d classes: the function of %d and %d is said to be of %d and %d", classes, a, b, first, second)
				}
			}
		}
	}
}

// A problem of a few rows takes little memory of its own. With 200 classes there are 19 900 of
// them, whose time was mostly that of allocations.
func TestManyPairs(t *testing.T) {
	if race.Enabled {
		t.Skip("pools drop what they are given")
	}
	const classes, most = 200, 1 << 10
	x, y := gen.Blobs(2*classes, 2, classes, 1, 3)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m := must.Have(Config{Kernel: kernel.Gaussian{Gamma: 1}, C: 1}.Fit(t.Context(), x, y, nil))(t)
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / uint64(len(m.bias)); each > most {
		t.Errorf("a problem of 4 rows allocates %d bytes, want at most %d", each, most)
	}
}
