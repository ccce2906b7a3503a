package kernel_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/asmtest"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// known returns a kernel whose parts are known to be right.
func known(k *kernel.Composite, err error) *kernel.Composite {
	if err != nil {
		panic(err)
	}
	return k
}

// composites are sums and products with several, one and no part of each kind, and one in another.
var composites = func() []*kernel.Composite {
	gaussian, matern, laplacian := kernel.Gaussian{Gamma: .3}, kernel.Matern{Nu: 1.5, Length: 2}, kernel.Laplacian{Gamma: .1}
	linear, square := kernel.Linear{}, kernel.Polynomial{Degree: 2, Offset: 1}
	product := known(kernel.ProductOf(gaussian, square))
	return []*kernel.Composite{
		known(kernel.SumOf(nil, gaussian, linear)),
		known(kernel.SumOf([]float64{.5, 2, .25, 3, 1}, gaussian, linear, laplacian, matern, square)),
		known(kernel.SumOf([]float64{.5, 2}, laplacian, laplacian)),
		known(kernel.SumOf([]float64{3, .5}, gaussian, matern)),
		known(kernel.ProductOf(gaussian, matern, linear, square, laplacian)),
		known(kernel.ProductOf(gaussian, kernel.RationalQuadratic{Alpha: 1, Length: 3})),
		known(kernel.ProductOf(linear, square)),
		known(kernel.SumOf([]float64{2, .1}, product, linear)),
		known(kernel.ProductOf(known(kernel.SumOf([]float64{.5, 2}, gaussian, linear)), matern)),
	}
}()

// defined is the value of k for two rows by the values of its parts, without methods of k that compute it.
func defined(k kernel.Kernel, x, z []float64) float64 {
	c, is := k.(*kernel.Composite)
	if !is {
		return k.Eval(x, z)
	}
	parts, weights := c.Parts()
	sum, product := 0.0, 1.0
	for p, part := range parts {
		v := defined(part, x, z)
		product *= v
		if weights != nil {
			sum += weights[p] * v
		}
	}
	if weights != nil {
		return sum
	}
	return product
}

// A Composite has in blocks the sum or the product of the values of its parts, at every level, with the same bits for any division
// of the rows, for dense and sparse rows and both types, and is symmetric.
func TestComposite(t *testing.T) {
	asmtest.ForEachLevel(t, cpu.Levels()[1:], func(t *testing.T) {
		t.Run("float64", testComposite[float64])
		t.Run("float32", testComposite[float32])
	})
}

func testComposite[F gram.Float](t *testing.T) {
	tol := 1e-12
	if _, single := any(F(0)).(float32); single {
		tol = 2e-5
	}
	const n, m = 70, 37
	for _, d := range []int{1, 5, 12} {
		r := rng.New(1, uint64(d))
		x, z := mat.NewDense(n, d, nil), mat.NewDense(m, d, nil)
		for i := range n {
			for c := range d {
				if r.IntN(2) == 0 {
					x.Set(i, c, float64(float32(r.NormFloat64())))
				}
				z.Set(i%m, c, float64(float32(r.NormFloat64())))
			}
		}
		for _, k := range composites {
			got, sparser, again := gram.MakeRows[F](n, m), gram.MakeRows[F](n, m), gram.MakeRows[F](n, m)
			block := kernel.Against[F](k, z)
			whole := gram.As[F](gram.Of(x), nil)
			block.Fill(got, whole)
			block.Fill(sparser, gram.Sparse[F](sparse.FromDense(x)))
			for lo := 0; lo < n; lo += 7 {
				hi := min(lo+7, n)
				block.Limit(1).Fill(again.Slice(lo, hi), whole.Slice(lo, hi))
			}
			for i := range n {
				for j := range m {
					want := defined(k, x.RawRowView(i), z.RawRowView(j))
					if v := k.Eval(x.RawRowView(i), z.RawRowView(j)); !(math.Abs(v-want) <= 1e-14*max(1, math.Abs(want))) {
						t.Fatalf("%d columns, %s: Eval %d,%d is %v, want %v", d, k.Spec().Name, i, j, v, want)
					}
					if v := float64(got.Row(i)[j]); !(math.Abs(v-want) <= tol*max(1, math.Abs(want))) {
						t.Fatalf("%d columns, %s: element %d,%d is %v, want %v", d, k.Spec().Name, i, j, v, want)
					}
					if got.Row(i)[j] != sparser.Row(i)[j] || got.Row(i)[j] != again.Row(i)[j] {
						t.Fatalf("%d columns, %s: element %d,%d differs for sparse rows or pieces", d, k.Spec().Name, i, j)
					}
				}
			}
			own, square := kernel.Against[F](k, x), gram.MakeRows[F](n, n)
			own.Fill(square, whole)
			for i := range n {
				for j := range i {
					if square.Row(i)[j] != square.Row(j)[i] {
						t.Fatalf("%d columns, %s: elements %d,%d are %v and %v", d, k.Spec().Name, i, j, square.Row(i)[j], square.Row(j)[i])
					}
				}
			}
			if a := testing.AllocsPerRun(5, func() { block.FillSerial(got, whole) }); a != 0 && !race.Enabled {
				t.Errorf("%s: %v allocations", k.Spec().Name, a)
			}
		}
	}
}

// Kernel matrices of sums and products are positive semi-definite, with the diagonal that Diagonal returns.
func TestCompositeDefinite(t *testing.T) {
	const n, d = 30, 4
	r := rng.New(3, 0)
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for c := range d {
			x.Set(i, c, r.NormFloat64())
		}
	}
	for _, k := range composites {
		values := mat.NewDense(n, n, nil)
		kernel.Against[float64](k, x).Fill(gram.View(values), gram.Of(x))
		symmetric, diagonal := mat.NewSymDense(n, nil), make([]float64, n)
		kernel.Diagonal(diagonal, k, gram.Of(x))
		for i := range n {
			for j := i; j < n; j++ {
				symmetric.SetSym(i, j, values.At(i, j))
			}
			if !(math.Abs(diagonal[i]-values.At(i, i)) <= 1e-12*(1+values.At(i, i))) {
				t.Errorf("%s: diagonal %d is %v, want %v", k.Spec().Name, i, diagonal[i], values.At(i, i))
			}
		}
		var e mat.EigenSym
		if !e.Factorize(symmetric, false) {
			t.Fatal("no eigenvalues")
		}
		if v := e.Values(nil); !(v[0] >= -1e-12*v[n-1]) {
			t.Errorf("%s: eigenvalues from %v to %v", k.Spec().Name, v[0], v[n-1])
		}
	}
}

func TestCompositeRefuses(t *testing.T) {
	scaled, err := kernel.NewScaled(kernel.Gaussian{Gamma: 1}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	gaussian := kernel.Gaussian{Gamma: 1}
	for _, c := range []struct {
		weights []float64
		parts   []kernel.Kernel
		says    string
	}{
		{nil, nil, "at least two"},
		{nil, []kernel.Kernel{gaussian}, "at least two"},
		{[]float64{1}, []kernel.Kernel{gaussian, gaussian}, "2 weights"},
		{[]float64{1, 0}, []kernel.Kernel{gaussian, gaussian}, "> 0"},
		{[]float64{math.NaN(), 1}, []kernel.Kernel{gaussian, gaussian}, "> 0"},
		{nil, []kernel.Kernel{gaussian, nil}, "a kernel"},
		{nil, []kernel.Kernel{gaussian, kernel.Gaussian{}}, "> 0"},
		{nil, []kernel.Kernel{gaussian, scaled}, "NewScaled"},
		{nil, []kernel.Kernel{gaussian, kernel.Columns(func([]float64, int) {}, 1)}, "two rows"},
		{nil, []kernel.Kernel{gaussian, kernel.Matrix{}}, "two rows"},
	} {
		_, err := kernel.SumOf(c.weights, c.parts...)
		var ce *gram.ConfigError
		if !errors.As(err, &ce) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("weights %v, parts %v: %v", c.weights, c.parts, err)
		}
		if c.weights == nil {
			if _, err := kernel.ProductOf(c.parts...); !errors.As(err, &ce) {
				t.Errorf("a product of %v: %v", c.parts, err)
			}
		}
	}
	if kernel.Check((*kernel.Composite)(nil)) == nil || kernel.Check(new(kernel.Composite)) == nil {
		t.Error("a kernel that nobody made is not refused")
	}
}

// Models of sums and products predict the same when they have been read again, also with scaled columns; without the readers the file is
// refused, and so are weights that are none.
func TestCompositeStored(t *testing.T) {
	x := mat.NewDense(6, 2, []float64{0, 1, 1, 0, 2, 2, 3, 1, 1, 1, 0, 2})
	y := []float64{1, 2, 3, 5, 1, 0}
	for _, k := range composites {
		scaled, err := kernel.NewScaled(k, []float64{.5, 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []kernel.Kernel{k, scaled} {
			m, err := krr.Config{Kernel: k, Lambda: gram.Set(.1)}.Fit(t.Context(), x, y, nil)
			if err != nil {
				t.Fatal(err)
			}
			back, err := krr.Decode(written(t, m).With(kernel.CompositeReaders()))
			if err != nil {
				t.Fatalf("%s: %v", k.Spec().Name, err)
			}
			if got, want := back.Predict(nil, x), m.Predict(nil, x); fmt.Sprint(got) != fmt.Sprint(want) || fmt.Sprint(back.Kernel().Spec()) != fmt.Sprint(k.Spec()) {
				t.Errorf("%s: read %v, want %v", k.Spec().Name, got, want)
			}
			if _, err := krr.Decode(written(t, m)); err == nil || !strings.Contains(err.Error(), "kernel.composite") {
				t.Errorf("without the readers: %v", err)
			}
			f, err := m.Program64()
			if err != nil {
				t.Fatal(err)
			}
			var value [1]float64
			for i, want := range m.Predict(nil, x) {
				f.Row(value[:], x.RawRowView(i))
				if !(math.Abs(value[0]-want) <= 1e-12) {
					t.Errorf("%s: the program has %v at row %d, want %v", k.Spec().Name, value[0], i, want)
				}
			}
		}
	}
	labels := gram.Labels{Class: []int{0, 0, 1, 1, 0, 1}, Names: []string{"a", "b"}}
	m, err := svm.Config{Kernel: composites[1], C: 1}.Fit(t.Context(), x, labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	back, err := svm.Decode(written(t, m).With(kernel.CompositeReaders()))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := back.Predict(nil, x), m.Predict(nil, x); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("machine: read %v, want %v", got, want)
	}
}

// written returns the file of a model.
func written(t *testing.T, m modelfile.Model) *modelfile.File {
	t.Helper()
	var file bytes.Buffer
	if err := modelfile.Write(&file, m); err != nil {
		t.Fatal(err)
	}
	f, err := modelfile.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A trend and what is periodic about it: the sum of a linear and a smooth kernel goes on outside of the rows.
func ExampleSumOf() {
	k, err := kernel.SumOf([]float64{1, 4}, kernel.Linear{}, kernel.Gaussian{Gamma: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s %.2f %.2f\n", k.Spec().Name, k.Eval([]float64{1, 2}, []float64{1, 2}), k.Eval([]float64{1, 2}, []float64{4, 2}))
	// Output: linear+gaussian 9.00 8.00
}

// A product is near 0 where one of its parts is.
func ExampleProductOf() {
	k, err := kernel.ProductOf(kernel.Gaussian{Gamma: .5}, kernel.Linear{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s %.2f %.2f\n", k.Spec().Name, k.Eval([]float64{1}, []float64{1}), k.Eval([]float64{1}, []float64{9}))
	// Output: gaussian*linear 1.00 0.00
}

// A program that knows no other models reads one whose kernel is a sum.
func ExampleCompositeReaders() {
	k, err := kernel.SumOf(nil, kernel.Gaussian{Gamma: 1}, kernel.Linear{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := modelfile.Write(&file, k); err != nil {
		fmt.Println(err)
		return
	}
	f, err := modelfile.Read(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	back, err := kernel.CompositeReaders()[f.Method()](f)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(back.Eval([]float64{3}, []float64{3}))
	// Output: 10
}
