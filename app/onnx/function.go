package onnx

import (
	"math"

	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// function adds nodes for φ(x)·Coef + Bias and returns the name of their result.
func (g *graph) function(x string, f basis.Function) (string, error) {
	f = f.Folded()
	features, err := g.features(x, f.Basis)
	if err != nil {
		return "", err
	}
	return g.linear(features, f.Coef, f.Bias), nil
}

// linear adds nodes for features·coef + bias and returns the name of their result.
func (g *graph) linear(features string, coef *mat.Dense, bias []float64) string {
	return g.op("Add", []string{g.op("MatMul", []string{features, g.matrix("coef", coef)}), g.row("bias", bias)})
}

// features returns the features of the rows x.
func (g *graph) features(x string, b basis.Basis) (string, error) {
	switch b := b.(type) {
	case basis.Identity:
		return x, nil
	case *basis.Values:
		return g.kernel(x, b.Kernel(), b.Landmarks())
	case *basis.Structured:
		return g.kernel(x, b.Kernel(), b.Points())
	case *basis.Fourier:
		angles := g.op("MatMul", []string{x, g.matrix("frequencies", b.Points())})
		waves := g.op("Concat", []string{g.op("Cos", []string{angles}), g.op("Sin", []string{angles})}, intAttribute("axis", 1))
		if _, m := b.Points().Dims(); !b.Plain() {
			waves = g.op("Mul", []string{waves, g.scalar("scale", 1/math.Sqrt(float64(m)))})
		}
		return waves, nil
	case *basis.Pseudo:
		return g.pseudo(x, b)
	}
	return "", refused("features of type %T are no formula of the standard operators here", b)
}

// kernel returns the values of a kernel for the rows x and points.
func (g *graph) kernel(x string, k kernel.Kernel, points *mat.Dense) (string, error) {
	switch k := k.(type) {
	case *kernel.Scaled:
		factors := k.Scale()
		scaled := mat.DenseCopyOf(points)
		scaled.Apply(func(_, c int, v float64) float64 { return v * factors[c] }, scaled)
		return g.kernel(g.op("Mul", []string{x, g.row("widths", factors)}), k.Base(), scaled)
	case *kernel.Composite:
		return g.composite(x, k, points)
	case kernel.Linear:
		return g.inner(x, points), nil
	case kernel.Polynomial:
		return g.power(g.op("Add", []string{g.inner(x, points), g.scalar("offset", k.Offset)}), k.Degree), nil
	case kernel.Homogeneous:
		return g.power(g.inner(x, points), k.Degree), nil
	case kernel.Sigmoid:
		// The scale is multiplied into the points: onnxruntime would join a product and a
		// factor after it to one operator, whose factor is float32 in float64, too.
		scaled := mat.DenseCopyOf(points)
		scaled.Scale(k.Scale, scaled)
		return g.op("Tanh", []string{g.op("Add", []string{g.inner(x, scaled), g.scalar("offset", k.Offset)})}), nil
	case kernel.Laplacian:
		m, d := points.Dims()
		rows := g.op("Unsqueeze", []string{x, g.ints("axes", 1)})
		flat := g.reals("points", g.real, mat.DenseCopyOf(points).RawMatrix().Data, 1, m, d)
		differences := g.op("Abs", []string{g.op("Sub", []string{rows, flat})})
		sum := g.op("ReduceSum", []string{differences, g.ints("axes", 2)}, intAttribute("keepdims", 0))
		return g.op("Exp", []string{g.op("Mul", []string{sum, g.scalar("gamma", -k.Gamma)})}), nil
	case kernel.Radial:
		if m, is := k.(kernel.Matern); is && m.Nu == 0.5 { // it has a kink at 0
			return g.radial(g.differences(x, points), k)
		}
		return g.radial(g.squares(x, points), k)
	}
	return "", refused("the %s kernel is no formula of the standard operators here", k.Spec().Name)
}

// composite returns the sum or the product of the values of the parts of a kernel.
func (g *graph) composite(x string, k *kernel.Composite, points *mat.Dense) (string, error) {
	parts, weights := k.Parts()
	op, all := "Mul", ""
	if weights != nil {
		op = "Add"
	}
	for p, part := range parts {
		weight, from := 1.0, points
		if weights != nil {
			weight = weights[p]
		}
		if _, linear := part.(kernel.Linear); linear && weight != 1 { // for the reason that Sigmoid has
			from = mat.DenseCopyOf(points)
			from.Scale(weight, from)
			weight = 1
		}
		values, err := g.kernel(x, part, from)
		if err != nil {
			return "", err
		}
		if weight != 1 {
			values = g.op("Mul", []string{values, g.scalar("weight", weight)})
		}
		if p > 0 {
			values = g.op(op, []string{all, values})
		}
		all = values
	}
	return all, nil
}

// inner returns ⟨x,z⟩ for the rows x and points.
func (g *graph) inner(x string, points *mat.Dense) string {
	return g.op("MatMul", []string{x, g.matrix("points", points.T())})
}

func (g *graph) power(base string, degree int) string {
	return g.op("Pow", []string{base, g.scalar("degree", float64(degree))})
}

// squares returns the squared distances of the rows x to points.
func (g *graph) squares(x string, points *mat.Dense) string {
	sum, moved := g.apart(x, points)
	own := g.op("ReduceSumSquare", []string{moved}, intsAttribute("axes", []int64{1}), intAttribute("keepdims", 1))
	return g.op("Relu", []string{g.op("Add", []string{sum, own})})
}

// differences returns what squares does, summed up over the columns: the roots of distances near 0
// have no digits left if they are differences of norms.
func (g *graph) differences(x string, points *mat.Dense) string {
	m, d := points.Dims()
	rows := g.op("Unsqueeze", []string{x, g.ints("axes", 1)})
	others := g.reals("points", g.real, mat.DenseCopyOf(points).RawMatrix().Data, 1, m, d)
	return g.op("ReduceSumSquare", []string{g.op("Sub", []string{rows, others})}, intsAttribute("axes", []int64{2}), intAttribute("keepdims", 0))
}

// apart returns the squared distances of the rows x to points less the squared norm of the row,
// and the rows. Both are moved by the mean of the points first, so that a common offset costs no
// digits.
func (g *graph) apart(x string, points *mat.Dense) (distances, rows string) {
	m, d := points.Dims()
	mean := make([]float64, d)
	for i := range m {
		for j, v := range points.RawRowView(i) {
			mean[j] += v / float64(m)
		}
	}
	if g.real == typeFloat { // the same number is subtracted from the rows
		for j, v := range mean {
			mean[j] = float64(float32(v))
		}
	}
	moved := mat.NewDense(m, d, nil)
	norms := make([]float64, m)
	for i := range m {
		row := moved.RawRowView(i)
		for j, v := range points.RawRowView(i) {
			row[j] = v - mean[j]
			norms[i] += row[j] * row[j]
		}
	}
	x = g.op("Sub", []string{x, g.row("mean", mean)})
	double := mat.NewDense(m, d, nil)
	double.Scale(-2, moved)
	return g.op("Add", []string{g.op("MatMul", []string{x, g.matrix("points", double.T())}), g.row("norms", norms)}), x
}

// radial returns the values of a kernel for squared distances.
func (g *graph) radial(squares string, k kernel.Radial) (string, error) {
	switch k := k.(type) {
	case kernel.Gaussian:
		return g.op("Exp", []string{g.op("Mul", []string{squares, g.scalar("gamma", -k.Gamma)})}), nil
	case kernel.Matern:
		t := g.op("Mul", []string{g.op("Sqrt", []string{squares}), g.scalar("scale", math.Sqrt(2*k.Nu)/k.Length)})
		fall := g.op("Exp", []string{g.op("Neg", []string{t})})
		if k.Nu == 0.5 {
			return fall, nil
		}
		factor := g.op("Add", []string{t, g.scalar("one", 1)})
		if k.Nu == 2.5 {
			third := g.op("Mul", []string{g.op("Mul", []string{t, t}), g.scalar("third", 1./3)})
			factor = g.op("Add", []string{factor, third})
		}
		return g.op("Mul", []string{factor, fall}), nil
	case kernel.RationalQuadratic:
		r := g.op("Mul", []string{squares, g.scalar("scale", 1/(2*k.Alpha*k.Length*k.Length))})
		return g.op("Pow", []string{g.op("Add", []string{r, g.scalar("one", 1)}), g.scalar("alpha", -k.Alpha)}), nil
	}
	return "", refused("the %s kernel is no formula of the standard operators here", k.Spec().Name)
}

// pseudo returns the kernel values with the landmarks, and the functions of them that are the
// columns of the pseudo-landmarks.
func (g *graph) pseudo(x string, b *basis.Pseudo) (string, error) {
	kind, pairs, far := b.Columns()
	if kind == basis.Products {
		values, err := g.kernel(x, b.Kernel(), b.Landmarks())
		if err != nil || len(pairs) == 0 {
			return values, err
		}
		pick := func(first int) string {
			index := make([]int64, 0, len(pairs)/2)
			for t := first; t < len(pairs); t += 2 {
				index = append(index, int64(pairs[t]))
			}
			return g.op("Gather", []string{values, g.ints("landmarks", index...)}, intAttribute("axis", 1))
		}
		return g.op("Concat", []string{values, g.op("Mul", []string{pick(0), pick(1)})}, intAttribute("axis", 1)), nil
	}
	var squares string
	if far == nil {
		squares = g.squares(x, b.Landmarks())
	} else {
		squares = g.differences(x, b.Landmarks())
		p, m := far.Dims()
		near := g.op("Unsqueeze", []string{g.op("Sqrt", []string{squares}), g.ints("axes", 1)})
		others := g.reals("far", g.real, mat.DenseCopyOf(far).RawMatrix().Data, 1, p, m)
		last := intsAttribute("axes", []int64{2})
		lower := func() string {
			return g.op("ReduceMax", []string{g.op("Abs", []string{g.op("Sub", []string{near, others})})}, last, intAttribute("keepdims", 0))
		}
		upper := func() string {
			return g.op("ReduceMin", []string{g.op("Add", []string{near, others})}, last, intAttribute("keepdims", 0))
		}
		var bound string
		switch kind {
		case basis.Lower:
			bound = lower()
		case basis.Upper:
			bound = upper()
		default:
			bound = g.op("Mul", []string{g.op("Add", []string{lower(), upper()}), g.scalar("half", .5)})
		}
		squares = g.op("Concat", []string{squares, g.op("Mul", []string{bound, bound})}, intAttribute("axis", 1))
	}
	return g.radial(squares, b.Kernel().(kernel.Radial))
}
