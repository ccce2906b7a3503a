package onnx

import (
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"

	"github.com/gramworks/gram/algos/basis"
	"github.com/gramworks/gram/algos/calibration"
	"github.com/gramworks/gram/algos/divide/bka"
	"github.com/gramworks/gram/algos/divide/dckrr"
	"github.com/gramworks/gram/algos/divide/dcpred"
	"github.com/gramworks/gram/algos/krr"
	"github.com/gramworks/gram/algos/learned/rfm"
	"github.com/gramworks/gram/algos/trees/gbdt"
	"github.com/gramworks/gram/app/pipeline"
	"github.com/gramworks/gram/dataset"
	"github.com/gramworks/gram/num"
	"github.com/gramworks/gram/predict"
	"gonum.org/v1/gonum/mat"
)

// The versions of the format and of the operators: onnxruntime 1.11 (2022) runs them.
const (
	irVersion = 8
	opset     = 13
	opsetML   = 3
)

// ErrNotExported is what errors about models wrap that cannot be written.
var ErrNotExported = errors.New("onnx: the model cannot be exported")

// refused is an error that wraps ErrNotExported and says why.
func refused(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrNotExported, fmt.Sprintf(format, args...))
}

// Write writes p as a model of ONNX with numbers of the given precision. omitted names what p
// has and the file has not: probabilities of a kind that is no formula, intervals. The error
// wraps ErrNotExported if p cannot be written, and says why; nothing is written then. Memory:
// three times that of the model.
func Write(w io.Writer, p *pipeline.Model, precision predict.Precision) (omitted []string, err error) {
	if p.Encoding != nil {
		return nil, refused("its data are a table whose columns are encoded (text, categories or missing numbers)")
	}
	g := &graph{real: typeDouble}
	if precision == predict.Float32 {
		g.real = typeFloat
	}
	x := g.input("x", g.real, p.Dim)
	if p.Scaling != nil {
		x = g.scaled(x, p.Scaling)
	}
	out, functions, pairs, err := g.machine(x, p.Model)
	if err != nil {
		return nil, fmt.Errorf("method %s: %w", p.Method, err)
	}
	switch p.Task {
	case dataset.Classes:
		if m := p.Probabilities(); m != nil {
			if probabilities, why := g.probabilities(out, functions, m); why == "" {
				g.output(probabilities, "probabilities", g.real, len(p.Names))
			} else {
				omitted = append(omitted, "probabilities: "+why)
			}
		}
		scores := out
		if pairs {
			scores, functions = g.votes(out, len(p.Names)), len(p.Names)
		}
		g.output(g.labels(scores, functions, p.Names), "label", typeString)
		g.output(scores, "scores", g.real, functions)
	case dataset.Regression:
		g.output(g.op("Gather", []string{out, g.constant("first", zero)}, intAttribute("axis", 1)), "value", g.real)
	case dataset.MultiLabel:
		g.output(out, "scores", g.real, functions)
	default:
		return nil, refused("it neither classifies nor predicts values nor ranks labels")
	}
	if p.Conformal != nil {
		omitted = append(omitted, "intervals or sets of classes")
	}
	b := g.model(version(), fmt.Sprintf("%s by gram, method %s, %s", p.Task, p.Method, precision), [][2]string{{"gram.method", p.Method}, {"gram.task", p.Task.String()}})
	if len(b) > math.MaxInt32 {
		return nil, refused("it would have %s, and files of this format have at most 2 GiB", num.FormatBytes(int64(len(b))))
	}
	_, err = w.Write(b)
	return omitted, err
}

// zero is the integer 0, a tensor without dimensions.
func zero(name string) []byte {
	return bytes(text(header(typeInt64, nil), 8, name), 9, make([]byte, 8))
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return ""
}

// scaled returns x after the scaling, which is computed in float64.
func (g *graph) scaled(x string, s *dataset.Scaling) string {
	d := len(s.Shift)
	divisor, width := make([]float64, d), make([]float64, d)
	low := make([]float64, d)
	for j, v := range s.Divisor {
		divisor[j], width[j], low[j] = v, s.Width, s.Low
		if v == 0 { // such a column is 0
			divisor[j], width[j], low[j] = 1, 0, 0
		}
	}
	wide := func(kind string, values []float64) string { return g.reals(kind, typeDouble, values, 1, d) }
	if g.real != typeDouble {
		x = g.op("Cast", []string{x}, intAttribute("to", typeDouble))
	}
	x = g.op("Sub", []string{x, wide("shift", s.Shift)})
	x = g.op("Div", []string{x, wide("divisor", divisor)})
	x = g.op("Mul", []string{x, wide("width", width)})
	x = g.op("Add", []string{x, wide("low", low)})
	if g.real != typeDouble {
		x = g.op("Cast", []string{x}, intAttribute("to", g.real))
	}
	return x
}

// machine returns the outputs of a model for the rows x, their number, and whether they are
// functions of pairs of classes.
func (g *graph) machine(x string, model any) (out string, outputs int, pairs bool, err error) {
	if c, ok := model.(predict.Compiled); ok && c.Source() != nil {
		return g.machine(x, c.Source())
	}
	if p, ok := model.(interface{ Pairs() bool }); ok {
		pairs = p.Pairs()
	}
	if k, ok := model.(interface{ Model() krr.Functions }); ok {
		switch m := k.Model().(type) {
		case *dckrr.Model:
			out, outputs, err = g.averaged(x, m)
			return out, outputs, false, err
		case *rfm.Model:
			if m.Leaves() != nil {
				return "", 0, false, refused("a tree of leaves has no graph here; a fit with the setting leaf as large as the number of rows has one leaf")
			}
			return g.machine(g.op("MatMul", []string{x, g.matrix("map", m.Map())}), m.Machine())
		}
	}
	switch m := model.(type) {
	case *bka.Model:
		out, outputs, err = g.local(x, m)
		return out, outputs, false, err
	case interface{ Machine() *dcpred.Machine }:
		out, outputs, err = g.leaves(x, m.Machine())
		return out, outputs, false, err
	case forest:
		out, outputs, err = g.forest(x, m)
		if r, is := model.(*gbdt.Regressor); is && err == nil && r.Config().Loss == gbdt.Poisson {
			out = g.op("Exp", []string{out})
		}
		return out, outputs, false, err
	case interface{ Scoring() basis.Function }:
		f := m.Scoring()
		out, err = g.function(x, f)
		return out, len(f.Bias), false, err
	case interface {
		Function() (basis.Function, error)
	}:
		f, err := m.Function()
		if err != nil {
			return "", 0, false, refused("%v", err)
		}
		out, err = g.function(x, f)
		return out, len(f.Bias), pairs, err
	}
	return "", 0, false, refused("%T is neither made of linear functions of features nor a sum of trees", model)
}

// votes returns the votes of the functions of pairs of classes.
func (g *graph) votes(values string, classes int) string {
	positive := g.op("Cast", []string{g.op("Greater", []string{values, g.scalar("zero", 0)})}, intAttribute("to", g.real))
	// A positive value is a vote for b, any other one for a: votes = positive·M + start.
	change := mat.NewDense(classes*(classes-1)/2, classes, nil)
	start := make([]float64, classes)
	f := 0
	for a := range classes {
		for b := a + 1; b < classes; b++ {
			change.Set(f, a, -1)
			change.Set(f, b, 1)
			start[a]++
			f++
		}
	}
	return g.op("Add", []string{g.op("MatMul", []string{positive, g.matrix("pairs", change)}), g.row("votes", start)})
}

// labels returns the names of the classes that scores stand for.
func (g *graph) labels(scores string, columns int, names []string) string {
	var class string
	if columns == 1 {
		positive := g.op("Cast", []string{g.op("Greater", []string{scores, g.scalar("zero", 0)})}, intAttribute("to", typeInt64))
		class = g.op("Squeeze", []string{positive, g.ints("axes", 1)})
	} else {
		class = g.op("ArgMax", []string{scores}, intAttribute("axis", 1), intAttribute("keepdims", 0))
	}
	return g.op("Gather", []string{g.strings("classes", names), class}, intAttribute("axis", 0))
}

// probabilities returns the name of the probabilities in the graph, or the reason why there are none.
func (g *graph) probabilities(scores string, functions int, m *calibration.Map) (out, reason string) {
	s := m.Sigmoids()
	switch {
	case m.Kind() == calibration.Isotonic:
		return "", "isotonic functions of the scores are no formula"
	case m.Pairs():
		return "", "those of pairs of classes are coupled by an iteration"
	case m.Kind() == calibration.Temperature && functions > 1:
		return g.op("Softmax", []string{g.op("Mul", []string{scores, g.scalar("sharpness", -s[0].A)})}, intAttribute("axis", 1)), ""
	}
	slope, offset := make([]float64, functions), make([]float64, functions)
	for f := range functions {
		of := s[min(f, len(s)-1)]
		slope[f], offset[f] = -of.A, -of.B
	}
	z := g.op("Add", []string{g.op("Mul", []string{scores, g.row("slope", slope)}), g.row("offset", offset)})
	if functions == 1 {
		z = g.op("Concat", []string{g.op("Neg", []string{z}), z}, intAttribute("axis", 1))
		return g.op("Sigmoid", []string{z}), ""
	}
	each := g.op("Sigmoid", []string{z})
	return g.op("Div", []string{each, g.op("ReduceSum", []string{each, g.ints("axes", 1)}, intAttribute("keepdims", 1))}), ""
}
