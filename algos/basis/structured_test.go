package basis

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/internal/program"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/sparse"
	"github.com/gramworks/gram/structured"
	"gonum.org/v1/gonum/mat"
)

// ofSeeds returns landmarks of b rows of the matrix for s seeds, which are rows of x
// less the mean for radial kernels.
func ofSeeds(k kernel.Kernel, h structured.Matrix, x *mat.Dense, s, b int) *Structured {
	n, d := x.Dims()
	v := mat.DenseCopyOf(x.Slice(0, s, 0, d))
	if _, radial := k.(kernel.Radial); !radial {
		return NewStructured(k, h, v, b, nil, 0)
	}
	center := make([]float64, d)
	for j := range center {
		center[j] = mat.Sum(x.ColView(j)) / float64(n)
		for i := range s {
			v.Set(i, j, v.At(i, j)-center[j])
		}
	}
	return NewStructured(k, h, v, b, center, 0)
}

// U·x by transforms and the kernel values made of it are those of the explicit
// landmarks, also for sparse rows and in float32.
func TestStructured(t *testing.T) {
	algotest.Serial(t)
	for _, d := range []int{1, 2, 7, 16, 33} {
		x := problem(70, d)
		for _, h := range []structured.Matrix{structured.Haar, structured.Hadamard} {
			for b := 1; b <= padded(d); b *= 2 {
				for _, k := range []kernel.Kernel{kernel.Linear{}, rbf, kernel.Polynomial{Degree: 3, Offset: 1}, kernel.Homogeneous{Degree: 2}, kernel.Matern{Nu: 2.5, Length: 3}, kernel.Sigmoid{Scale: 0.01}} {
					l := ofSeeds(k, h, x, 3, b)
					want := fixture.KernelMatrix(k, x, l.Points())
					what := fmt.Sprintf("d %d, matrix %d, %d rows, %s", d, h, b, k.Spec().Name)
					if e := algotest.Relative(want, l.Map(nil, x)); !(e <= 1e-12) {
						t.Errorf("%s: relative error %g", what, e)
					}
					if e := algotest.Relative(want, l.Map(nil, sparse.FromDense(x))); !(e <= 1e-12) {
						t.Errorf("%s: relative error %g for sparse rows", what, e)
					}
					single, x32, dst := NewStructuredBlock[float32](l), gram.MakeRows[float32](70, d), gram.MakeRows[float32](70, 3*b)
					for i := range 70 {
						copy(x32.Row(i), program.Convert[float32](x.RawRowView(i)))
					}
					single.Fill(dst, gram.Dense(x32))
					got := mat.NewDense(70, 3*b, nil)
					for i := range 70 {
						for j, v := range dst.Row(i) {
							got.Set(i, j, float64(v))
						}
					}
					if e := algotest.Relative(want, got); !(e <= 4e-6) {
						t.Errorf("%s: relative error %g in float32", what, e)
					}
				}
			}
		}
	}
}

// A model has the coefficients of the landmarks and the seeds; the landmarks are not stored.
func TestStructuredBytes(t *testing.T) {
	l := ofSeeds(rbf, structured.Hadamard, problem(50, 9), 5, 4)
	for _, size := range []int{4, 8} {
		if got, want := l.Cost(3, size).ModelBytes, int64(size*(5*4*3+5*9)); got != want {
			t.Errorf("%d bytes of %d for each number, want %d", got, size, want)
		}
	}
}

func TestStructuredRoundTrip(t *testing.T) {
	x := problem(50, 9)
	for _, k := range []kernel.Kernel{rbf, kernel.Homogeneous{Degree: 3}} {
		l := ofSeeds(k, structured.Hadamard, x, 4, 4)
		var b bytes.Buffer
		must.Do(t, modelfile.Write(&b, l))
		f := must.Have(modelfile.Read(&b))(t)
		back := must.Have(DecodeStructured(f))(t)
		if !mat.Equal(l.Map(nil, x), back.Map(nil, x)) {
			t.Error("landmarks read from a file give other values")
		}
	}
}

// One row, and a batch on one goroutine, take no memory.
func TestStructuredAllocatesNothing(t *testing.T) {
	l := ofSeeds(rbf, structured.Haar, problem(60, 40), 4, 8)
	b := NewStructuredBlock[float32](l).Limit(1)
	x, dst := gram.MakeRows[float32](50, 40), gram.MakeRows[float32](50, 32)
	for _, n := range []int{1, 50} {
		if a := testing.AllocsPerRun(20, func() { b.Fill(dst.Slice(0, n), gram.Dense(x.Slice(0, n))) }); a >= 1 && !race.Enabled {
			t.Errorf("%g allocations for %d rows", a, n)
		}
	}
}

func TestForgedStructured(t *testing.T) {
	for name, l := range map[string]*Structured{
		"no power of two": {kernel: rbf, rows: 3, v: mat.NewDense(2, 8, nil)},
		"too many rows":   {kernel: rbf, rows: 16, v: mat.NewDense(2, 8, nil)},
		"unknown matrix":  {kernel: rbf, rows: 2, matrix: 7, v: mat.NewDense(2, 8, nil)},
		"short centre":    {kernel: rbf, rows: 2, v: mat.NewDense(2, 8, nil), center: make([]float64, 3)},
		"wrong kernel":    {kernel: kernel.Laplacian{Gamma: 1}, rows: 2, v: mat.NewDense(2, 8, nil)},
	} {
		fixture.Misfits(t, name, l, DecodeStructured)
	}
}
