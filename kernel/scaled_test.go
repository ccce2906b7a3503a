package kernel_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// A Scaled has in blocks the values of its base for rows that are scaled before, with the same bits for any division of
// the rows, for dense and sparse rows and both types.
func TestScaled(t *testing.T) {
	t.Run("float64", testScaled[float64])
	t.Run("float32", testScaled[float32])
}

func testScaled[F gram.Float](t *testing.T) {
	tol := 1e-12
	if _, single := any(F(0)).(float32); single {
		tol = 1e-5
	}
	const n, m = 300, 70
	for _, d := range []int{1, 5, 12, 300} {
		r := rng.New(1, uint64(d))
		x, z, scale := mat.NewDense(n, d, nil), mat.NewDense(m, d, nil), make([]float64, d)
		for i := range n {
			for c := range d {
				if r.IntN(2) == 0 {
					x.Set(i, c, float64(float32(r.NormFloat64())))
				}
				z.Set(i%m, c, float64(float32(r.NormFloat64())))
			}
		}
		for c := range scale {
			scale[c] = r.Float64() * float64(c%3)
		}
		for _, base := range []kernel.Kernel{kernel.Gaussian{Gamma: .3}, kernel.Matern{Nu: .5, Length: 2}, kernel.Laplacian{Gamma: .2}, kernel.Polynomial{Degree: 2, Offset: 1}} {
			k := must.Have(kernel.NewScaled(base, scale))(t)
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
					want := k.Eval(x.RawRowView(i), z.RawRowView(j))
					if v := float64(got.Row(i)[j]); !(math.Abs(v-want) <= tol*max(1, math.Abs(want))) {
						t.Fatalf("%d columns, %s: element %d,%d is %v, want %v", d, k.Spec().Name, i, j, v, want)
					}
					if got.Row(i)[j] != sparser.Row(i)[j] || got.Row(i)[j] != again.Row(i)[j] {
						t.Fatalf("%d columns, %s: element %d,%d differs for sparse rows or pieces", d, k.Spec().Name, i, j)
					}
				}
			}
		}
	}
}

// A kernel that is scaled twice has the products of the factors.
func TestScaledTwice(t *testing.T) {
	inner := must.Have(kernel.NewScaled(kernel.Gaussian{Gamma: 1}, []float64{2, 3}))(t)
	k := must.Have(kernel.NewScaled(inner, []float64{5, 0}))(t)
	if s := k.Scale(); s[0] != 10 || s[1] != 0 || k.Base() != (kernel.Gaussian{Gamma: 1}) {
		t.Errorf("factors %v of %v", s, k.Base())
	}
	for _, bad := range [][]float64{{1}, {1, -1}, {1, math.NaN()}, {1, math.Inf(1)}} {
		var ce *gram.ConfigError
		if _, err := kernel.NewScaled(inner, bad); !errors.As(err, &ce) {
			t.Errorf("factors %v: %v", bad, err)
		}
	}
	for _, base := range []kernel.Kernel{nil, kernel.Gaussian{}, kernel.Columns(func([]float64, int) {}, 1)} {
		if _, err := kernel.NewScaled(base, []float64{1}); err == nil {
			t.Errorf("base %v is not refused", base)
		}
	}
}

// A model keeps the factors of its kernel in its file, and needs no registry to read them.
func TestScaledStored(t *testing.T) {
	k := must.Have(kernel.NewScaled(kernel.Matern{Nu: 1.5, Length: 1}, []float64{.5, 2}))(t)
	x := mat.NewDense(4, 2, []float64{0, 1, 1, 0, 2, 2, 3, 1})
	m := must.Have(krr.Config{Kernel: k}.Fit(t.Context(), x, []float64{1, 2, 3, 5}, nil))(t)
	var file bytes.Buffer
	must.Do(t, modelfile.Write(&file, m))
	f := must.Have(modelfile.Read(&file))(t)
	back := must.Have(krr.Decode(f))(t)
	if got, want := back.Predict(nil, x), m.Predict(nil, x); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("read %v, want %v", got, want)
	}
}

// Rows are scaled some at a time: the memory does not grow with their number.
func TestScaledMemory(t *testing.T) {
	if race.Enabled {
		t.Skip("pools drop what they hold under the race detector")
	}
	const n, m, d = 2000, 8, 2000
	scale := make([]float64, d)
	for i := range scale {
		scale[i] = 1 + float64(i)
	}
	k := must.Have(kernel.NewScaled(kernel.Gaussian{Gamma: .1}, scale))(t)
	x := mat.NewDense(n, d, nil)
	b := kernel.Against[float64](k, x.Slice(0, m, 0, d)).Limit(1)
	dst := gram.MakeRows[float64](n, m)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.Fill(dst, gram.Of(x))
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 1<<20 {
		t.Errorf("%d bytes are allocated, the rows have %d", bytes, 8*n*d)
	}
}
