package svm

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"gonum.org/v1/gonum/mat"
)

// valuesOfKernel returns the kernel values of the rows of x with those of z.
func valuesOfKernel(k kernel.Kernel, x, z mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	m, _ := z.Dims()
	out := mat.NewDense(n, m, nil)
	for i := range n {
		for j := range m {
			out.Set(i, j, k.Eval(mat.Row(nil, i, x), mat.Row(nil, j, z)))
		}
	}
	return out
}

// The machines of a kernel matrix are those of the kernel, with weights of which some are 0, also after they
// are stored; their rows are kernel values with all training rows.
func TestKernelMatrix(t *testing.T) {
	d, other := algotest.Problem(5, 60, 3, 3), algotest.Problem(6, 20, 3, 3)
	for i := 0; i < 60; i += 7 {
		d.Weights[i] = 0
	}
	k, cross := valuesOfKernel(gauss, d.X, d.X), valuesOfKernel(gauss, other.X, d.X)
	near := func(what string, got, want *mat.Dense) {
		t.Helper()
		if !mat.EqualApprox(got, want, 1e-5) {
			t.Errorf("%s: the values by the kernel matrix are others", what)
		}
	}
	c := Config{Kernel: gauss, Tol: 1e-8}
	want := must.Have(c.Fit(t.Context(), d.X, d.Labels, d.Weights))(t)
	c.Kernel = kernel.Matrix{}
	got := must.Have(c.Fit(t.Context(), k, d.Labels, d.Weights))(t)
	near("classes", got.Values(nil, cross), want.Values(nil, other.X))
	if got.Dim() != 60 || len(got.Support()) != len(want.Support()) {
		t.Errorf("%d columns, support vectors %v, want %v", got.Dim(), got.Support(), want.Support())
	}
	var file bytes.Buffer
	must.Do(t, modelfile.Write(&file, got))
	f := must.Have(modelfile.Read(&file))(t)
	back := must.Have(Decode(f))(t)
	near("stored", back.Values(nil, cross), want.Values(nil, other.X))

	v := must.Have(Regression{Kernel: gauss, Tol: 1e-8}.Fit(t.Context(), d.X, d.Value, d.Weights))(t)
	vk := must.Have(Regression{Kernel: kernel.Matrix{}, Tol: 1e-8}.Fit(t.Context(), k, d.Value, d.Weights))(t)
	near("values", vk.values(nil, cross), v.values(nil, other.X))
	o := must.Have(OneClass{Kernel: gauss, Tol: 1e-8}.Fit(t.Context(), d.X, d.Weights))(t)
	ok := must.Have(OneClass{Kernel: kernel.Matrix{}, Tol: 1e-8}.Fit(t.Context(), k, d.Weights))(t)
	near("one class", ok.Values(nil, cross), o.Values(nil, other.X))
	nu, err := NuSVC{Kernel: kernel.Matrix{}, Nu: .2}.Fit(t.Context(), k, d.Labels, nil)
	if err != nil || nu.Dim() != 60 {
		t.Errorf("nu: %v", err)
	}
}

// A kernel matrix that is none is refused with the row and the column.
func TestBadKernelMatrix(t *testing.T) {
	d := algotest.Problem(5, 40, 3, 2)
	c := Config{Kernel: kernel.Matrix{}}
	fit := func(k mat.Matrix) error {
		_, err := c.Fit(t.Context(), k, d.Labels, nil)
		return err
	}
	k := valuesOfKernel(gauss, d.X, d.X)
	for _, bad := range []float64{k.At(7, 3) + .01, math.NaN(), math.Inf(1)} {
		wrong := mat.DenseCopyOf(k)
		wrong.Set(7, 3, bad)
		var de *gram.DataError
		if err := fit(wrong); !errors.As(err, &de) || de.Row != 7 || de.Col != 3 {
			t.Errorf("%v: error %v", bad, err)
		}
	}
	var ce *gram.ConfigError
	if err := fit(k.Slice(0, 40, 0, 39)); !errors.As(err, &ce) || ce.Field != "columns" || !strings.Contains(ce.Want, "40, one for each row") {
		t.Errorf("error %v", err)
	}
	if _, _, _, err := c.Train(t.Context(), k, d.Labels, nil, nil); !errors.As(err, &ce) || ce.Field != "Kernel" {
		t.Errorf("Train: error %v", err)
	}
	if _, _, err := (Clusters{Machine: c, Branch: 3}).Fit(t.Context(), k, d.Labels, nil); err != nil && !errors.As(err, &ce) {
		t.Errorf("clusters: error %v", err)
	}
}
