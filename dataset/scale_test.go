package dataset

import (
	"bytes"
	"errors"
	"flag"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// randomX has a constant column, a column of zeros, and zeros in between.
func randomX(n, d int, seed uint64) *mat.Dense {
	g := rng.New(seed, 0)
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			switch {
			case j == 1:
				x.Set(i, j, 0.1)
			case j == 2:
			case g.IntN(3) > 0:
				x.Set(i, j, g.NormFloat64()*math.Pow(10, float64(j-3))+float64(j%2)*1e3)
			}
		}
	}
	return x
}

// Rows that are scaled in place are those of Apply, which leaves its rows alone.
func TestApplyInPlace(t *testing.T) {
	x := randomX(50, 7, 1)
	for name, s := range map[string]*Scaling{"minmax": mustScale(MinMax(x, 0, 1)), "standard": mustScale(Standardize(x)), "rows": UnitRows(7)} {
		before, in := mat.DenseCopyOf(x), mat.DenseCopyOf(x)
		want := s.Apply(x)
		if s.ApplyInPlace(in); !mat.Equal(in, want) || !mat.Equal(x, before) || mat.Equal(in, x) {
			t.Errorf("%s: other values in place, or the rows of Apply are changed", name)
		}
	}
}

func TestMinMax(t *testing.T) {
	x := randomX(50, 7, 1)
	for _, r := range [][2]float64{{0, 1}, {-1, 1}} {
		for _, in := range []mat.Matrix{x, sparse.FromDense(x), mat.NewDense(50, 7, mat.Col(nil, 0, mat.NewVecDense(350, x.RawMatrix().Data)))} {
			s := must.Have(MinMax(in, r[0], r[1]))(t)
			y := s.Apply(in)
			for j := range 7 {
				c := mat.Col(nil, j, y)
				low, high := c[0], c[0]
				for _, v := range c {
					low, high = min(low, v), max(high, v)
				}
				want := r
				if j == 1 || j == 2 {
					want = [2]float64{}
				}
				if low != want[0] || high != want[1] {
					t.Errorf("%T, column %d is in [%v, %v], want %v", in, j, low, high, want)
				}
			}
			if !mat.EqualApprox(y, mustScale(MinMax(x, r[0], r[1])).Apply(x), 1e-15) {
				t.Errorf("%T: not the values of the dense matrix", in)
			}
		}
	}
}

func mustScale(s *Scaling, err error) *Scaling {
	if err != nil {
		panic(err)
	}
	return s
}

func TestMoments(t *testing.T) {
	x := randomX(80, 7, 2)
	a := sparse.FromDense(x)
	std, unit := mustScale(Standardize(x)), mustScale(UnitVariance(x))
	for j := range 7 {
		c := mat.Col(nil, j, x)
		mean, v := stat.PopMeanVariance(c, nil)
		if j == 1 || j == 2 {
			if std.Divisor[j] != 0 || unit.Divisor[j] != 0 {
				t.Errorf("constant column %d has deviation %v", j, std.Divisor[j])
			}
			continue
		}
		if !(math.Abs(std.Divisor[j]-math.Sqrt(v)) <= 1e-12*math.Sqrt(v)) || !(math.Abs(std.Shift[j]-mean) <= 1e-14*math.Abs(mean)+1e-18) || unit.Shift[j] != 0 {
			t.Errorf("column %d: %v %v, want %v %v", j, std.Shift[j], std.Divisor[j], mean, math.Sqrt(v))
		}
		mean, v = stat.PopMeanVariance(mat.Col(nil, j, std.Apply(x)), nil)
		if !(math.Abs(mean) <= 1e-12) || !(math.Abs(v-1) <= 1e-12) {
			t.Errorf("column %d standardized has mean %v, variance %v", j, mean, v)
		}
	}
	sa := mustScale(Standardize(a))
	for j := range 7 {
		if !(math.Abs(sa.Divisor[j]-std.Divisor[j]) <= 1e-12*std.Divisor[j]) || !(math.Abs(sa.Shift[j]-std.Shift[j]) <= 1e-12*math.Abs(std.Shift[j])) {
			t.Errorf("sparse, column %d: %v %v, want %v %v", j, sa.Shift[j], sa.Divisor[j], std.Shift[j], std.Divisor[j])
		}
	}
	if y, ok := mustScale(UnitVariance(a)).Apply(a).(*sparse.CSR); !ok || y.Validate() != nil || !mat.EqualApprox(y, unit.Apply(x), 1e-12) {
		t.Error("unit variance does not keep a sparse matrix")
	}
	if !sa.Densifies() {
		t.Error("standardizing is said to keep zeros")
	}
	if y, ok := sa.Apply(a).(*mat.Dense); !ok || !mat.EqualApprox(y, std.Apply(x), 1e-12) {
		t.Error("standardized sparse matrix")
	}
	ones := &sparse.CSR{N: 3, D: 2, Ptr: []int{0, 1, 3, 3}, Col: []int32{0, 0, 1}}
	if y, ok := mustScale(MinMax(ones, 0, 1)).Apply(ones).(*sparse.CSR); !ok || !mat.Equal(y, ones) {
		t.Error("0/1 data do not stay as they are")
	}
}

func TestScalingErrors(t *testing.T) {
	var e *gram.DataError
	for _, x := range []*mat.Dense{denseRows(2, 2, 1, 2, 3, math.NaN()), denseRows(2, 2, 1, math.Inf(1), 3, 4)} {
		for _, f := range []func() (*Scaling, error){
			func() (*Scaling, error) { return MinMax(x, 0, 1) },
			func() (*Scaling, error) { return Standardize(x) },
			func() (*Scaling, error) { return UnitVariance(x) },
		} {
			if _, err := f(); !errors.As(err, &e) || e.Col != 1 {
				t.Errorf("%v", err)
			}
		}
	}
	big := denseRows(2, 1, -1.7e308, 1.7e308)
	if _, err := MinMax(big, 0, 1); !errors.As(err, &e) {
		t.Errorf("overflowing range: %v", err)
	}
	if _, err := Standardize(big); !errors.As(err, &e) {
		t.Errorf("overflowing variance: %v", err)
	}
	s := mustScale(MinMax(denseRows(2, 2, 0, 0, 1, 2), 0, 1))
	if y := s.Apply(denseRows(1, 2, math.NaN(), 4)); !math.IsNaN(y.At(0, 0)) || y.At(0, 1) != 2 {
		t.Errorf("NaN and 4 become %v", y)
	}
	for _, f := range []func(){
		func() { s.Apply(denseRows(1, 3, 1, 2, 3)) },
		func() { s.Row([]float64{1}) },
		func() { s.ApplyInPlace(denseRows(1, 3, 1, 2, 3)) },
		func() { _, _ = MinMax(big, 1, 1) },
	} {
		if must.Recovered(f) == nil {
			t.Error("no panic")
		}
	}
}

// A column whose values differ, but too little for a variance, is refused; it is not taken for a
// constant.
func TestVanishingVariance(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{1, 1e-170, 2, 3e-170, 3, 2e-170, 4, 0})
	var m Moments
	m.Add(x)
	for what, f := range map[string]func() (*Scaling, error){
		"dense":   func() (*Scaling, error) { return Standardize(x) },
		"sparse":  func() (*Scaling, error) { return UnitVariance(sparse.FromDense(x)) },
		"moments": m.Standardize,
	} {
		_, err := f()
		var bad *gram.DataError
		if !errors.As(err, &bad) || bad.Col != 1 || !strings.Contains(bad.Reason, "vanishes") {
			t.Errorf("%s: %v", what, err)
		}
	}
	s, err := MinMax(x, 0, 1)
	if err != nil || s.Apply(x).At(1, 1) != 1 {
		t.Errorf("the remedy: %v", err)
	}
}

func TestScalingEncode(t *testing.T) {
	want := mustScale(MinMax(randomX(20, 6, 3), -1, 1))
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, want))
	f := must.Have(modelfile.Read(&b))(t)
	got := must.Have(DecodeScaling(f))(t)
	x := randomX(30, 6, 4)
	if !mat.Equal(got.Apply(x), want.Apply(x)) {
		t.Error("the decoded scaling is another one")
	}
	for name, s := range map[string]Scaling{
		"negative divisor": {Shift: []float64{0}, Divisor: []float64{-1}, Width: 1},
		"infinite divisor": {Shift: []float64{0}, Divisor: []float64{math.Inf(1)}, Width: 1},
		"shift NaN":        {Shift: []float64{math.NaN()}, Divisor: []float64{1}, Width: 1},
		"two lengths":      {Shift: []float64{1, 2}, Divisor: []float64{1}, Width: 1},
	} {
		b.Reset()
		must.Do(t, modelfile.Write(&b, &s))
		f, _ = modelfile.Read(&b)
		var e *modelfile.FormatError
		if _, err := DecodeScaling(f); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

var update = flag.Bool("update", false, "write the golden file anew")

func TestScalingGolden(t *testing.T) {
	const path = "testdata/scaling-v1.gram"
	want := &Scaling{Shift: []float64{-1, 0.1, 0}, Divisor: []float64{4, 0, 1e-3}, Width: 2, Low: -1}
	if *update {
		must.Do(t, modelfile.Save(path, want))
	}
	f := must.Have(modelfile.ReadFile(path))(t)
	got, err := DecodeScaling(f)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

func TestNormalizeRows(t *testing.T) {
	x := denseRows(4, 2, 3, 4, 0, 0, 3e200, 4e200, -5e-324, 0)
	want := denseRows(4, 2, .6, .8, 0, 0, .6, .8, -1, 0)
	for _, in := range []mat.Matrix{x, sparse.FromDense(x)} {
		y := NormalizeRows(in)
		if !mat.EqualApprox(y, want, 1e-15) || isCSR(y) != isCSR(in) {
			t.Errorf("%T: %v", in, y)
		}
		if mat.Equal(in, y) || !mat.Equal(in, x) {
			t.Error("the input was changed")
		}
	}
	ones := &sparse.CSR{N: 2, D: 4, Ptr: []int{0, 1, 5}, Col: []int32{0, 0, 1, 2, 3}}
	if y := NormalizeRows(ones.Slice(1, 2)); y.At(0, 3) != .5 {
		t.Errorf("%v", y)
	}
}

// Rows of unit length are those of NormalizeRows, dense and sparse, also of a model file, whose
// version older programs refuse.
func TestUnitRows(t *testing.T) {
	x := randomX(20, 6, 2)
	x.SetRow(3, make([]float64, 6))
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, UnitRows(6)))
	f := must.Have(modelfile.Read(&b))(t)
	if err := f.Expect("scaling", 1, &scalingConfig{}); err == nil {
		t.Error("a program that knows version 1 reads it")
	}
	s, err := DecodeScaling(f)
	if err != nil || !s.Rows || s.Densifies() {
		t.Fatalf("%+v, %v", s, err)
	}
	want := NormalizeRows(x)
	if !mat.Equal(s.Apply(x), want) {
		t.Error("dense rows")
	}
	if y, is := s.Apply(sparse.FromDense(x)).(*sparse.CSR); !is || y.Validate() != nil || !mat.Equal(y, want) {
		t.Error("sparse rows")
	}
	if n := mat.Norm(want.(*mat.Dense).RowView(0), 2); !(math.Abs(n-1) <= 1e-15) {
		t.Errorf("a row has the length %v", n)
	}
}
