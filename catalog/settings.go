package catalog

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rng"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// choice is a flag with one of a few values.
type choice struct {
	value  *string
	values []string
}

func (c choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

func (c choice) Set(s string) error {
	if !slices.Contains(c.values, s) {
		return fmt.Errorf("want one of %s", strings.Join(c.values, ", "))
	}
	*c.value = s
	return nil
}

// oneOf defines a flag that takes one of values; the first is the default.
func oneOf(fs *flag.FlagSet, p *string, name, usage string, values ...string) {
	*p = values[0]
	fs.Var(choice{p, values}, name, usage+": `"+strings.Join(values, "|")+"`")
}

// width is gamma: a number, or how to find one from the data.
type width struct {
	rule  string // scale, median, mean; empty: value
	value float64
}

func (w *width) String() string {
	if w.rule != "" {
		return w.rule
	}
	return strconv.FormatFloat(w.value, 'g', -1, 64)
}

func (w *width) Set(s string) error {
	switch s {
	case "scale", "median", "mean":
		*w = width{rule: s}
		return nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return fmt.Errorf("want a number, scale, median or mean")
	}
	*w = width{value: v}
	return nil
}

// kernelFlags are the settings of a kernel.
type kernelFlags struct {
	name          string
	gamma         width
	degree        int
	offset        float64
	nu, length    float64
	alpha, factor float64
}

// defineNames defines the settings of kernels that have a width.
func (k *kernelFlags) defineNames(fs *flag.FlagSet, names ...string) {
	oneOf(fs, &k.name, "kernel", "kernel", names...)
	k.gamma = width{rule: "scale"}
	fs.Var(&k.gamma, "gamma", "gaussian: exp(-gamma·|x-y|²), laplacian: exp(-gamma·|x-y|₁): a `NUMBER`, or scale (1/(d·variance of all cells)), "+
		"median (1/(2·median distance²)), mean (1/mean squared distance)")
}

// define defines the settings of all kernels.
func (k *kernelFlags) define(fs *flag.FlagSet) {
	k.defineNames(fs, "gaussian", "laplacian", "polynomial", "homogeneous", "linear", "matern", "rational-quadratic", "sigmoid")
	fs.IntVar(&k.degree, "degree", 3, "polynomial, homogeneous: degree")
	fs.Float64Var(&k.offset, "offset", 1, "polynomial: (offset+<x,y>)^degree; sigmoid: tanh(scale·<x,y>+offset)")
	fs.Float64Var(&k.nu, "nu", 1.5, "matern: smoothness, 0.5, 1.5 or 2.5")
	fs.Float64Var(&k.length, "length", 1, "matern, rational-quadratic: length scale")
	fs.Float64Var(&k.alpha, "alpha", 1, "rational-quadratic: mixture of length scales")
	fs.Float64Var(&k.factor, "scale", 1, "sigmoid: scale")
}

// kernel makes the kernel for the data x; x nil stands for data of any width.
func (k *kernelFlags) kernel(x mat.Matrix, seed uint64) (kernel.Kernel, error) {
	s := kernel.Spec{Name: k.name, Params: map[string]float64{}}
	switch k.name {
	case "gaussian", "laplacian":
		g := k.gamma.value
		switch {
		case k.gamma.rule == "":
		case x == nil:
			g = 1
		case k.gamma.rule == "median":
			g = kernel.MedianGamma(x, rng.Derive(seed, "gamma"))
		case k.gamma.rule == "mean":
			g = kernel.MeanGamma(x)
		default:
			g = kernel.ScaleGamma(x)
		}
		s.Params["gamma"] = g
	case "polynomial":
		s.Params["degree"], s.Params["offset"] = float64(k.degree), k.offset
	case "homogeneous":
		s.Params["degree"] = float64(k.degree)
	case "matern":
		s.Params["nu"], s.Params["length"] = k.nu, k.length
	case "rational-quadratic":
		s.Params["alpha"], s.Params["length"] = k.alpha, k.length
	case "sigmoid":
		s.Params["scale"], s.Params["offset"] = k.factor, k.offset
	}
	return kernel.New(s)
}

// positive is a *gram.ConfigError unless v is a positive number.
func positive(field string, v float64) error {
	if !(v > 0) || v > maxSetting {
		return &gram.ConfigError{Field: field, Value: v, Want: "a positive number"}
	}
	return nil
}

const maxSetting = 1e300

// KernelSettings defines the settings of a kernel on fs and returns a function
// that makes the kernel for the data x.
func KernelSettings(fs *flag.FlagSet) func(x mat.Matrix, seed uint64) (kernel.Kernel, error) {
	var k kernelFlags
	k.define(fs)
	return k.kernel
}
