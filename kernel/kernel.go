package kernel

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/rows"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Kernel is a positive semi-definite function of two rows; Sigmoid is an
// exception for most of its settings. Eval defines the function: it is slow,
// works in float64, and is what faster code is tested against. It must not
// keep or change x and y, must be safe for concurrent calls, and must return
// the same value for (x, y) and (y, x).
type Kernel interface {
	Eval(x, y []float64) float64
	Spec() Spec
}

// Radial is a kernel that depends on ‖x−y‖² alone. The method Radial replaces
// squared distances by kernel values, in place; equal rows have the squared
// distance 0.
type Radial interface {
	Kernel
	Radial(s []float64)
}

// Inner is a kernel that depends on ⟨x,y⟩ alone. The method Inner replaces
// inner products by kernel values, in place.
type Inner interface {
	Kernel
	Inner(s []float64)
}

// Spec describes a kernel by a name and its parameters, for model files and
// command lines. Every parameter is a number, integers included.
type Spec struct {
	Name   string             `json:"name"`
	Params map[string]float64 `json:"params,omitempty"`
}

// family describes the kernels of one name and how New makes them.
type family struct {
	name   string
	params map[string]float64 // with their defaults; NaN: must be given
	make   func(p map[string]float64) Kernel
}

var families = []family{
	{"gaussian", map[string]float64{"gamma": math.NaN()}, func(p map[string]float64) Kernel { return Gaussian{Gamma: p["gamma"]} }},
	{"laplacian", map[string]float64{"gamma": math.NaN()}, func(p map[string]float64) Kernel { return Laplacian{Gamma: p["gamma"]} }},
	{"polynomial", map[string]float64{"degree": math.NaN(), "offset": 1}, func(p map[string]float64) Kernel {
		return Polynomial{Degree: int(p["degree"]), Offset: p["offset"]}
	}},
	{"homogeneous", map[string]float64{"degree": math.NaN()}, func(p map[string]float64) Kernel { return Homogeneous{Degree: int(p["degree"])} }},
	{"linear", nil, func(map[string]float64) Kernel { return Linear{} }},
	{"matern", map[string]float64{"nu": 1.5, "length": 1}, func(p map[string]float64) Kernel { return Matern{Nu: p["nu"], Length: p["length"]} }},
	{"rational-quadratic", map[string]float64{"alpha": 1, "length": 1}, func(p map[string]float64) Kernel {
		return RationalQuadratic{Alpha: p["alpha"], Length: p["length"]}
	}},
	{"sigmoid", map[string]float64{"scale": 1, "offset": 0}, func(p map[string]float64) Kernel { return Sigmoid{Scale: p["scale"], Offset: p["offset"]} }},
}

// familyNames returns the names of the kernels that New makes.
func familyNames() []string {
	names := make([]string, len(families))
	for i, f := range families {
		names[i] = f.name
	}
	return names
}

// New returns the kernel that s describes. It is the inverse of Spec for the
// kernels of this package.
//
//	gaussian            gamma
//	laplacian           gamma
//	polynomial          degree, offset (1)
//	homogeneous         degree
//	linear
//	matern              nu (1.5), length (1)
//	rational-quadratic  alpha (1), length (1)
//	sigmoid             scale (1), offset (0)
//
// Defaults are in parentheses. The error is a *gram.ConfigError if the name or
// a parameter is unknown, or if a parameter is missing or out of range.
func New(s Spec) (Kernel, error) {
	at := slices.IndexFunc(families, func(f family) bool { return f.name == s.Name })
	if at < 0 {
		return nil, settings.Refuse("Kernel", s.Name, "one of %s", strings.Join(familyNames(), ", "))
	}
	f := families[at]
	for _, name := range slices.Sorted(maps.Keys(s.Params)) {
		if _, ok := f.params[name]; !ok {
			want := "no parameters for " + f.name
			if len(f.params) > 0 {
				want = "a parameter of " + f.name + ": " + strings.Join(slices.Sorted(maps.Keys(f.params)), ", ")
			}
			return nil, settings.Refuse("Kernel.Params", name, "%s", want)
		}
	}
	p := map[string]float64{}
	for _, name := range slices.Sorted(maps.Keys(f.params)) {
		v, given := s.Params[name]
		if !given {
			v = f.params[name]
			if math.IsNaN(v) {
				return nil, settings.Refuse("Kernel.Params", "without "+name, "a value for %s", name)
			}
		}
		if name == "degree" && (v != math.Trunc(v) || math.Abs(v) > 1<<30) {
			return nil, settings.Refuse("Kernel.Degree", v, "%s", wantDegree)
		}
		p[name] = v
	}
	k := f.make(p)
	if err := Check(k); err != nil {
		return nil, err
	}
	return k, nil
}

// Check returns a *gram.ConfigError if k is nil, or is a kernel of this
// package with a parameter out of range. Estimators call it for the kernel of
// their Config.
func Check(k Kernel) error {
	if k == nil {
		return settings.Refuse("Kernel", nil, "a kernel")
	}
	if c, ok := k.(interface{ check() error }); ok {
		return c.check()
	}
	return nil
}

const (
	wantPositive = "a finite number > 0"
	wantDegree   = "an integer from 1 to 64"
)

func positive(field string, v float64) error {
	if !(v > 0) || math.IsInf(v, 0) {
		return settings.Refuse("Kernel."+field, v, "%s", wantPositive)
	}
	return nil
}

func degree(p int) error {
	if p < 1 || p > 64 {
		return settings.Refuse("Kernel.Degree", p, "%s", wantDegree)
	}
	return nil
}

// Diagonal sets dst[i] = κ(x_i,x_i) for the rows of x: by k's own method Diagonal where it
// has one, else by Eval. It panics unless dst has an element for each row.
func Diagonal(dst []float64, k Kernel, x gram.Samples[float64]) {
	if len(dst) != x.N() {
		panic(panicShape)
	}
	if k, ok := k.(interface {
		Diagonal(dst []float64, x mat.Matrix) []float64
	}); ok {
		k.Diagonal(dst, x)
		return
	}
	n, d := x.Dims()
	if x.IsSparse() && zerosAddNothing(k) {
		var row []float64
		for i := range n {
			row = rows.Numbers(row, x, i)
			dst[i] = k.Eval(row, row)
		}
		return
	}
	buffer := make([]float64, d)
	for i := range n {
		row := x.Row(buffer, i)
		dst[i] = k.Eval(row, row)
	}
}

// zerosAddNothing reports whether columns in which both rows are 0 do not change k.
func zerosAddNothing(k Kernel) bool {
	switch k.(type) {
	case Radial, Inner, Laplacian:
		return true
	}
	return false
}
