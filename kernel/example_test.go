package kernel_test

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

var x, y = []float64{1, 0}, []float64{0, 1}

func ExampleGaussian() {
	fmt.Printf("%.4f\n", kernel.Gaussian{Gamma: 0.5}.Eval(x, y))
	// Output: 0.3679
}

func ExampleLaplacian() {
	fmt.Printf("%.4f\n", kernel.Laplacian{Gamma: 0.5}.Eval(x, y))
	// Output: 0.3679
}

func ExamplePolynomial() {
	fmt.Println(kernel.Polynomial{Degree: 3, Offset: 1}.Eval(x, x))
	// Output: 8
}

func ExampleHomogeneous() {
	fmt.Println(kernel.Homogeneous{Degree: 2}.Eval([]float64{1, 2}, []float64{3, 0}))
	// Output: 9
}

func ExampleLinear() {
	fmt.Println(kernel.Linear{}.Eval([]float64{1, 2}, []float64{3, 4}))
	// Output: 11
}

func ExampleMatern() {
	fmt.Printf("%.4f\n", kernel.Matern{Nu: 1.5, Length: 1}.Eval(x, y))
	// Output: 0.2978
}

func ExampleRationalQuadratic() {
	fmt.Printf("%.4f\n", kernel.RationalQuadratic{Alpha: 1, Length: 1}.Eval(x, y))
	// Output: 0.5000
}

func ExampleSigmoid() {
	fmt.Printf("%.4f\n", kernel.Sigmoid{Scale: 1, Offset: 0}.Eval(x, x))
	// Output: 0.7616
}

func ExampleNew() {
	k, err := kernel.New(kernel.Spec{Name: "polynomial", Params: map[string]float64{"degree": 2}})
	fmt.Println(k, err)
	_, err = kernel.New(kernel.Spec{Name: "gaussian", Params: map[string]float64{"gamma": 0}})
	fmt.Println(err)
	// Output:
	// {2 1} <nil>
	// Kernel.Gamma is 0, want a finite number > 0
}

func ExampleColumns() {
	similarity := mat.NewSymDense(3, []float64{2, 1, 0, 1, 2, 1, 0, 1, 2})
	k := kernel.Columns(func(dst []float64, j int) { mat.Col(dst, j, similarity) }, 3)
	rows := kernel.Indices(3)
	block := kernel.Against[float64](k, rows.Slice(1, 2, 0, 1))
	c := gram.MakeRows[float64](3, 1)
	block.Fill(c, gram.Of(rows))
	fmt.Println(c.Data)
	// Output: [1 2 1]
}

func ExampleBlock_Mul() {
	z := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	block := kernel.Against[float64](kernel.Gaussian{Gamma: 0.5}, z)
	v := gram.Rows[float64]{Data: []float64{1, -1}, N: 2, D: 1, Stride: 1}
	f := gram.MakeRows[float64](2, 1)
	block.Mul(f, gram.Of(z), v)
	fmt.Printf("%.4f\n", f.Data)
	// Output: [0.6321 -0.6321]
}

func ExampleMeanGamma() {
	x := mat.NewDense(3, 1, []float64{0, 1, 2}) // squared distances 1, 4, 1
	fmt.Println(kernel.MeanGamma(x))
	// Output: 0.5
}

// The usual choices of γ for a Gaussian or Laplacian kernel.
func ExampleMedianGamma() {
	x := mat.NewDense(3, 1, []float64{0, 1, 3}) // distances 1, 3 and 2
	fmt.Printf("%.4f %.4f %.4f\n", kernel.MedianGamma(x, 1), kernel.MeanGamma(x), kernel.ScaleGamma(x))
	// Output: 0.1250 0.2143 0.6429
}

func ExampleCheck() {
	fmt.Println(kernel.Check(kernel.Matern{Nu: 1.5, Length: 1}), kernel.Check(kernel.Matern{Nu: 2, Length: 1}) != nil)
	// Output: <nil> true
}

// Squared distances in the space of a kernel: κ(x,x) − 2κ(x,z) + κ(z,z).
func ExampleDiagonal() {
	x := mat.NewDense(2, 2, []float64{1, 2, 3, 0})
	k := kernel.Homogeneous{Degree: 2}
	d := make([]float64, 2)
	kernel.Diagonal(d, k, gram.Of(x))
	fmt.Println(d, d[0]-2*k.Eval(x.RawRowView(0), x.RawRowView(1))+d[1])
	// Output: [25 81] 88
}

// What a plan of a fit counts: the operations of a kernel value and the memory of 1000 packed rows.
func ExampleFlops() {
	fmt.Println(kernel.Flops(kernel.Linear{}, 50) > 0, kernel.PlannedBytes[float64](1000, gram.Shape{N: 5000, D: 50}) >= 1000*50*8)
	// Output: true true
}

// A function f = Σ v_j·κ(·,z_j) in float32 with a bound of its error.
func ExampleProductBound() {
	z := mat.NewDense(3, 1, []float64{0, 1, 2})
	v := gram.Rows[float32]{Data: []float32{1, -2, 1}, N: 3, D: 1, Stride: 1}
	f := kernel.Against[float32](kernel.Gaussian{Gamma: 1}, z).Times(v)
	bound, ok := kernel.ProductBound(f, gram.Of(z))
	value := make([]float32, 1)
	f.Row(value, []float32{1})
	fmt.Printf("%.3f %v %v\n", value[0], ok, bound.Row([]float64{1}) < 1e-4)
	// Output: -1.264 true true
}

// A machine is a configuration with a kernel that users choose, and a model that is stored.
type machine struct {
	Kernel kernel.Kernel `json:"-"`
	Other  kernel.Kernel `json:"-"`
}

func (m *machine) Settings(s *settings.Fields) {
	kernel.Setting(s, &m.Kernel, "gaussian", "polynomial")
}

func (m *machine) Encode(w *modelfile.Writer) error { return modelfile.Put(w, m.form) }

func (m *machine) form(x *modelfile.Exchange) {
	x.Header("machine", 1, m, kernel.Stored(&m.Kernel), kernel.StoredIfAny(&m.Other))
}

func ExampleSetting() {
	for _, s := range settings.List(new(machine)) {
		fmt.Println(s.Name, s.Choices)
	}
	// Output:
	// kernel [gaussian polynomial]
	// gamma []
	// degree []
	// offset []
}

// An exact is a configuration that takes the kernel matrix of its rows, too.
type exact struct{ Kernel kernel.Kernel }

func (e *exact) Settings(s *settings.Fields) { kernel.SettingOrMatrix(s, &e.Kernel) }

func ExampleSettingOrMatrix() {
	choices := settings.List(new(exact))[0].Choices
	fmt.Println(choices[0], choices[len(choices)-1])
	// Output: gaussian precomputed
}

// A divided is a configuration around an exact one that fits it to parts of the rows.
type divided struct{ Machine exact }

func (d *divided) Settings(s *settings.Fields) {
	s.Embedded(&d.Machine)
	kernel.NoMatrix(s, &d.Machine.Kernel)
}

func ExampleNoMatrix() {
	_, err := settings.Resolved(divided{exact{kernel.Matrix{}}}, gram.Shape{})
	fmt.Println(err)
	fmt.Println(settings.List(new(divided))[0].Set("precomputed"))
	// Output:
	// Machine.Kernel is precomputed, want a function of two rows: this method needs kernel values of other points than the training rows
	// want one of gaussian, laplacian, polynomial, homogeneous, linear, matern, rational-quadratic, sigmoid
}

func ExampleStored() {
	var file bytes.Buffer
	if err := modelfile.Write(&file, &machine{Kernel: kernel.Gaussian{Gamma: .5}}); err != nil {
		fmt.Println(err)
		return
	}
	f, err := modelfile.Read(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := modelfile.Get(f, new(machine), (*machine).form)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Kernel, m.Other)
	// Output: {0.5} <nil>
}

// A pair of kernels is stored without modelfile.Exchange, by the calls that Stored makes.
type kernelPair struct{ First, Second kernel.Kernel }

func (p kernelPair) Encode(w *modelfile.Writer) error {
	specs := make([]kernel.Spec, 2)
	for i, k := range []kernel.Kernel{p.First, p.Second} {
		var err error
		if specs[i], err = kernel.Encode(w, k); err != nil {
			return err
		}
	}
	return w.Header("pair", 1, specs)
}

func ExampleDecode() {
	var file bytes.Buffer
	if err := modelfile.Write(&file, kernelPair{kernel.Linear{}, kernel.Gaussian{Gamma: 2}}); err != nil {
		fmt.Println(err)
		return
	}
	f, err := modelfile.Read(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	var specs []kernel.Spec
	if _, err := f.Header("pair", 1, &specs); err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range specs {
		fmt.Println(kernel.Decode(f, s))
	}
	// Output:
	// {} <nil>
	// {2} <nil>
}

func ExampleMatrix() {
	// The kernel counts how many letters two words have in common.
	words := []string{"gram", "grade", "mara", "dog"}
	common := func(a, b string) (n float64) {
		for _, r := range "adegmor" {
			if strings.ContainsRune(a, r) && strings.ContainsRune(b, r) {
				n++
			}
		}
		return n
	}
	k := mat.NewDense(4, 4, nil)
	for i, a := range words {
		for j, b := range words {
			k.Set(i, j, common(a, b))
		}
	}
	known, err := kernel.FromMatrix(k)
	fmt.Println(known.Eval([]float64{0}, []float64{1}), err)
	k.Set(2, 0, 7)
	_, err = kernel.FromMatrix(k)
	fmt.Println(err)
	// Output:
	// 3 <nil>
	// row 3, column 1: a kernel matrix is symmetric, and the element in that row and column differs from its mirror image
}

// A kernel with a width for each column: the second column hardly matters.
func ExampleScaled() {
	k, err := kernel.NewScaled(kernel.Gaussian{Gamma: 0.5}, []float64{1, 0.1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f %.3f\n", k.Eval([]float64{0, 0}, []float64{1, 0}), k.Eval([]float64{0, 0}, []float64{0, 1}))
	fmt.Println("for rows of two columns:", kernel.Fits(k, 2) == nil)
	// Output:
	// 0.607 0.995
	// for rows of two columns: true
}
