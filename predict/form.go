package predict

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/fastnys"
	"github.com/gramworks/gram/algos/goal"
	"github.com/gramworks/gram/algos/nystrom"
	"github.com/gramworks/gram/algos/pseudo"
	"github.com/gramworks/gram/algos/rff"
	"github.com/gramworks/gram/algos/sideinfo"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// kind is the kind of a form.
type kind uint8

const (
	linearForm kind = iota
	kernelForm
	fourierForm
	structuredForm
	pseudoForm
)

var kindNames = [...]string{"linear", "kernel", "fourier", "structured", "pseudo"}

func (k kind) String() string { return kindNames[k] }

// form is what a program computes, in float64.
type form struct {
	Kind   kind
	kernel kernel.Kernel      // but for linearForm and fourierForm
	points *mat.Dense         // m×d: points of a kernelForm, frequencies of a fourierForm, else nil
	marks  *fastnys.Landmarks // structuredForm
	pseudo *pseudo.Columns    // pseudoForm
	coef   *mat.Dense         // what the outputs are made of: d×k, m×k, (m+p)×k or, cosines first, 2m×k
	bias   []float64
}

func (f *form) dims() (d, outputs int) {
	d, outputs = f.coef.Dims()
	switch {
	case f.points != nil:
		_, d = f.points.Dims()
	case f.marks != nil:
		d, _ = f.marks.Dims()
	case f.pseudo != nil:
		d, _ = f.pseudo.Dims()
	}
	return d, outputs
}

// size is the number of points, landmarks or frequencies, 0 in a linear form.
func (f *form) size() int {
	switch {
	case f.points != nil:
		m, _ := f.points.Dims()
		return m
	case f.marks != nil:
		_, m := f.marks.Dims()
		return m
	case f.pseudo != nil:
		m, _ := f.pseudo.Landmarks().Dims()
		return m
	}
	return 0
}

// flopsSinCos is the cost of a sine with its cosine, as instructions of package vec.
const flopsSinCos = 40

// linearFlops is the cost of a linear program.
func linearFlops(d, k int) float64 { return 2 * float64(d) * float64(k) }

// fourierFlops is the cost of a fourier program of m frequencies.
func fourierFlops(m, d, k int) float64 {
	return float64(m) * (2*float64(d) + 4*float64(k) + flopsSinCos)
}

// kernelFlops is the cost of a kernel program of m points.
func kernelFlops(kern kernel.Kernel, m, d, k int) float64 {
	return float64(m) * (kernel.Flops(kern, d) + 2*float64(k))
}

// structuredFlops is the cost of a program of m landmarks, b for each seed, with
// Haar's matrix: the products of the row with a seed, their sums over ranges and
// a transform of length b.
func structuredFlops(kern kernel.Kernel, m, b, d, k int) float64 {
	one := (2*float64(d) + 2*float64(b-1)) / float64(b)
	return float64(m) * (one + kernel.Flops(kern, d) - 2*float64(d) + 2*float64(k))
}

// pseudoFlops is the cost of a program of m landmarks and p products.
func pseudoFlops(kern kernel.Kernel, m, p, d, k int) float64 {
	return kernelFlops(kern, m, d, k) + float64(p)*(1+2*float64(k))
}

func (f *form) flops() float64 {
	d, k := f.dims()
	switch f.Kind {
	case linearForm:
		return linearFlops(d, k)
	case kernelForm:
		return kernelFlops(f.kernel, f.size(), d, k)
	case structuredForm:
		product, _ := f.marks.Flops()
		return product + float64(f.size())*(kernel.Flops(f.kernel, d)-2*float64(d)+2*float64(k))
	case pseudoForm:
		columns, _ := f.coef.Dims()
		return kernelFlops(f.kernel, f.size(), d, k) + f.pseudo.Flops() + 2*float64(k)*float64(columns-f.size())
	}
	return fourierFlops(f.size(), d, k)
}

// cost is that of a row in numbers of width bytes.
func (f *form) cost(width, workspace int) gram.Plan {
	d, k := f.dims()
	rows, _ := f.coef.Dims()
	held := f.size() // rows of d numbers
	if f.Kind == structuredForm {
		_, v, _ := f.marks.Seeds()
		held, _ = v.Dims()
	}
	p := gram.Plan{Flops: f.flops(), PeakBytes: int64(workspace), ModelBytes: int64(width) * (int64(rows)*int64(k) + int64(held)*int64(d))}
	switch f.Kind {
	case linearForm:
		p.Description = fmt.Sprintf("linear, %d columns, %d outputs", d, k)
	case kernelForm:
		p.Description = fmt.Sprintf("%d points of the %s kernel, %d columns, %d outputs", f.size(), f.kernel.Spec().Name, d, k)
	case structuredForm:
		p.Description = fmt.Sprintf("%d landmarks of %d seeds, %s kernel, %d columns, %d outputs", f.size(), held, f.kernel.Spec().Name, d, k)
	case pseudoForm:
		p.Description = fmt.Sprintf("%d landmarks of the %s kernel with %d pseudo-landmarks, %d columns, %d outputs", f.size(), f.kernel.Spec().Name, rows-f.size(), d, k)
	default:
		p.Description = fmt.Sprintf("%d frequencies, %d columns, %d outputs", f.size(), d, k)
	}
	return p
}

// single returns f with all numbers rounded to float32, but for seeds and
// landmarks of pseudo-landmarks, which their programs round.
func (f *form) single() *form {
	s := *f
	round := func(x *mat.Dense) *mat.Dense {
		if x == nil {
			return nil
		}
		var y mat.Dense
		y.Apply(func(_, _ int, v float64) float64 { return float64(float32(v)) }, x)
		return &y
	}
	s.points, s.coef = round(f.points), round(f.coef)
	s.bias = make([]float64, len(f.bias))
	for c, b := range f.bias {
		s.bias[c] = float64(float32(b))
	}
	return &s
}

// finite reports whether all numbers are.
func (f *form) finite() bool {
	var s float64
	for _, x := range []*mat.Dense{f.points, f.coef} {
		if x != nil {
			for _, v := range x.RawMatrix().Data {
				s += v - v
			}
		}
	}
	for _, v := range f.bias {
		s += v - v
	}
	return s == 0
}

// machine is a kernel machine, as the packages of machines have it.
type machine interface {
	Expansion
	Kernel() kernel.Kernel
}

// onFeatures is a linear model on features, as package linear has it.
type onFeatures interface {
	Weights() (w *mat.Dense, bias []float64)
	Map() gram.FeatureMap
}

// formOf returns the form of a model, whose memory it may share.
func formOf(model any) (*form, error) {
	switch m := model.(type) {
	case Compiled:
		return m.compiled().form, nil
	case machine:
		points, coef, bias := m.Expand()
		return expansion(m.Kernel(), points, coef, bias), nil
	case onFeatures:
		w, bias := m.Weights()
		switch phi := m.Map().(type) {
		case nil:
			return &form{Kind: linearForm, coef: w, bias: bias}, nil
		case *nystrom.Model:
			return rooted(phi.Config().Kernel, phi, w, bias), nil
		case *sideinfo.Model:
			return rooted(phi.Config().Kernel, phi, w, bias), nil
		case *rff.Model:
			return fourier(phi.Omega().T(), w, bias), nil
		case *goal.Map:
			if phi.Kind() == goal.Fourier {
				return fourier(phi.Points(), w, bias), nil
			}
			return expansion(phi.Kernel(), gram.View(phi.Points()), gram.View(w), bias), nil
		case *fastnys.Landmarks:
			return structured(phi, w, bias), nil
		case *fastnys.Model:
			var coef mat.Dense
			coef.Mul(phi.Root(), w)
			return structured(phi.Landmarks(), &coef, bias), nil
		case *pseudo.Columns:
			return withPseudo(phi, w, bias), nil
		case *pseudo.Model:
			var coef mat.Dense
			coef.Mul(phi.Root(), w)
			return withPseudo(phi.Columns(), &coef, bias), nil
		default:
			return nil, fmt.Errorf("%w on features of type %T", ErrNoProgram, phi)
		}
	}
	return nil, fmt.Errorf("%w of type %T", ErrNoProgram, model)
}

// ErrNoProgram is what errors about models of other kinds wrap.
var ErrNoProgram = errors.New("predict: there is no program for models")

// nystromMap is a feature map K(x,U)·R.
type nystromMap interface {
	Landmarks() *mat.Dense
	Root() *mat.Dense
}

// rooted is the form of a linear model on features K(x,U)·R.
func rooted(k kernel.Kernel, phi nystromMap, w *mat.Dense, bias []float64) *form {
	var coef mat.Dense
	coef.Mul(phi.Root(), w)
	return expansion(k, gram.View(phi.Landmarks()), gram.View(&coef), bias)
}

// structured is the form of a linear function of the kernel values with
// structured landmarks.
func structured(l *fastnys.Landmarks, coef *mat.Dense, bias []float64) *form {
	return &form{Kind: structuredForm, kernel: l.Kernel(), marks: l, coef: coef, bias: bias}
}

// withPseudo is the form of a linear function of kernel values and
// pseudo-landmarks.
func withPseudo(c *pseudo.Columns, coef *mat.Dense, bias []float64) *form {
	return &form{Kind: pseudoForm, kernel: c.Kernel(), pseudo: c, coef: coef, bias: bias}
}

// expansion drops points whose coefficients are all 0; one point stays.
func expansion(k kernel.Kernel, points, coef gram.Rows[float64], bias []float64) *form {
	var keep []int
	for j := range coef.N {
		for _, v := range coef.Row(j) {
			if v != 0 {
				keep = append(keep, j)
				break
			}
		}
	}
	if len(keep) == 0 && coef.N > 0 {
		keep = []int{0}
	}
	f := &form{Kind: kernelForm, kernel: k, bias: bias,
		points: mat.NewDense(len(keep), points.D, nil), coef: mat.NewDense(len(keep), coef.D, nil)}
	for to, from := range keep {
		copy(f.points.RawRowView(to), points.Row(from))
		copy(f.coef.RawRowView(to), coef.Row(from))
	}
	return f
}

// fourier is the form of a linear model on Fourier features of M frequencies, the
// 1/√M of the features being part of the coefficients.
func fourier(frequencies mat.Matrix, w *mat.Dense, bias []float64) *form {
	f := &form{Kind: fourierForm, points: mat.DenseCopyOf(frequencies), bias: bias}
	scaled := mat.DenseCopyOf(w)
	scaled.Scale(1/math.Sqrt(float64(f.size())), w)
	f.coef = scaled
	return f
}

func width[F gram.Float]() int {
	var v F
	return int(unsafe.Sizeof(v))
}

func convert[F gram.Float](x []float64) []F {
	y := make([]F, len(x))
	for i, v := range x {
		y[i] = F(v)
	}
	return y
}

func rowsOf[F gram.Float](x mat.Matrix) gram.Rows[F] {
	n, d := x.Dims()
	r := gram.MakeRows[F](n, d)
	for i := range n {
		for j := range d {
			r.Data[i*r.Stride+j] = F(x.At(i, j))
		}
	}
	return r
}
