package svm

import (
	"bytes"
	"context"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// few returns n rows of d columns with each nonzeros, and two classes.
func few(n, d, each int) (*sparse.CSR, gram.Labels) {
	r := rng.New(3, uint64(d))
	a := &sparse.CSR{N: n, D: d, Ptr: []int{0}}
	y := gram.Labels{Names: []string{"a", "b"}, Class: make([]int, n)}
	for i := range n {
		col := make([]int32, 0, each)
		for len(col) < each {
			if j := int32(r.IntN(d)); !slices.Contains(col, j) {
				col = append(col, j)
			}
		}
		slices.Sort(col)
		var sum float64
		for _, j := range col {
			v := r.Float64()
			a.Val = append(a.Val, v)
			sum += v * math.Sin(float64(j))
		}
		a.Col = append(a.Col, col...)
		a.Ptr = append(a.Ptr, len(a.Col))
		if sum > 0 {
			y.Class[i] = 1
		}
	}
	return a, y
}

// A machine of sparse rows takes memory for their nonzeros, not for their columns, from the
// plan to predictions with a stored model.
func TestSparseMemory(t *testing.T) {
	algotest.Serial(t)
	const n, d, each = 1500, 1_000_000, 8
	x, y := few(n, d, each)
	for _, k := range []kernel.Kernel{kernel.Gaussian{Gamma: .5}, kernel.Laplacian{Gamma: .1}} {
		c := Config{Kernel: k}
		plan, err := c.Plan(gram.ShapeOf(x, 2))
		if err != nil || plan.PeakBytes > 16<<20 {
			t.Errorf("%v: the plan has %d bytes, %v", k.Spec(), plan.PeakBytes, err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m := must.Have(c.Fit(context.Background(), x, y, nil))(t)
		runtime.ReadMemStats(&after)
		if b := after.TotalAlloc - before.TotalAlloc; b > 64<<20 {
			t.Errorf("%v: the fit allocates %d bytes", k.Spec(), b)
		}
		runtime.ReadMemStats(&before)
		var file bytes.Buffer
		must.Do(t, modelfile.Write(&file, m))
		f := must.Have(modelfile.Read(&file))(t)
		stored := must.Have(Decode(f))(t)
		if !slices.Equal(stored.Predict(nil, x), m.Predict(nil, x)) {
			t.Error("the stored model predicts other classes")
		}
		stored.Values(nil, x.Slice(0, 10))
		if f, err := stored.Function(); err == nil || f.Basis != nil {
			t.Error("the support vectors are expanded to dense rows")
		}
		runtime.ReadMemStats(&after)
		if b := after.TotalAlloc - before.TotalAlloc; b > 64<<20 {
			t.Errorf("%v: the stored model and its predictions allocate %d bytes", k.Spec(), b)
		}
	}
}

// Sparse rows give the same machine as dense ones, in all bits.
func TestSparseFit(t *testing.T) {
	x, y := few(200, 500, 6)
	for _, k := range []kernel.Kernel{kernel.Gaussian{Gamma: .5}, kernel.Laplacian{Gamma: .1}, kernel.Polynomial{Degree: 2, Offset: 1}, kernel.Linear{}} {
		for _, double := range []bool{false, true} {
			c := Config{Kernel: k, Double: double}
			thin := must.Have(c.Fit(context.Background(), x, y, nil))(t)
			dense := must.Have(c.Fit(context.Background(), x.Dense(), y, nil))(t)
			if !mat.Equal(thin.coef, dense.coef) || !slices.Equal(thin.bias, dense.bias) || !slices.Equal(thin.support, dense.support) {
				t.Errorf("%v: the machines differ", k.Spec())
			}
			for _, rows := range []mat.Matrix{x, x.Dense()} {
				if !mat.Equal(thin.Values(nil, rows), dense.Values(nil, x)) || !slices.Equal(thin.Predict(nil, rows), dense.Predict(nil, x)) {
					t.Errorf("%v: the predictions differ", k.Spec())
				}
			}
		}
	}
}
