package kernel_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// chosen is a configuration of a kernel by settings.
type chosen struct{ Kernel kernel.Kernel }

func (c *chosen) Settings(s *settings.Fields) { kernel.Setting(s, &c.Kernel) }

// described returns the kernel that assignments describe for the data x, and the settings.
func described(x mat.Matrix, assignments ...string) (kernel.Kernel, *settings.Bound, error) {
	var c chosen
	b := settings.Bind(&c)
	if err := b.Set(assignments...); err != nil {
		return nil, b, err
	}
	err := b.Complete(x, 1)
	return c.Kernel, b, err
}

// The text of a sum or a product is the kernel that the functions of the package make, and its value as a setting says the same again.
func TestExpression(t *testing.T) {
	x := mat.NewDense(5, 2, []float64{0, 1, 1, 0, 2, 2, 3, 1, -1, .5})
	scale, median := kernel.ScaleGamma(x), kernel.MedianGamma(x, 0)
	gaussian, linear, square := kernel.Gaussian{Gamma: 2}, kernel.Linear{}, kernel.Polynomial{Degree: 2, Offset: .5}
	sum := func(weights []float64, parts ...kernel.Kernel) kernel.Kernel {
		return must.Have(kernel.SumOf(weights, parts...))(t)
	}
	product := func(parts ...kernel.Kernel) kernel.Kernel { return must.Have(kernel.ProductOf(parts...))(t) }
	for _, c := range []struct {
		assignments string
		value       string // of the setting kernel; empty: as it was set
		want        kernel.Kernel
	}{
		{"kernel=gaussian(gamma=2)", "", gaussian},
		{"kernel=gaussian(gamma=2)+linear", "", sum(nil, gaussian, linear)},
		{"kernel=0.5*gaussian(gamma=2)+2e+1*linear", "kernel=0.5*gaussian(gamma=2)+20*linear", sum([]float64{.5, 20}, gaussian, linear)},
		{"kernel=gaussian(gamma=2)*linear", "", product(gaussian, linear)},
		{"kernel=gaussian(gamma=2)*linear+3*polynomial(degree=2,offset=0.5)", "", sum([]float64{1, 3}, product(gaussian, linear), square)},
		{"kernel=(gaussian(gamma=2)+linear)*matern", "", product(sum(nil, gaussian, linear), kernel.Matern{Nu: 1.5, Length: 1})},
		{"kernel= ( gaussian( gamma = 2 ) + 2 * ( 1 * linear + linear ) )", "kernel=gaussian(gamma=2)+2*(linear+linear)", sum([]float64{1, 2}, gaussian, sum(nil, linear, linear))},
		{"kernel=(gaussian(gamma=2)*linear)*linear", "", product(product(gaussian, linear), linear)},
		{"kernel=matern(nu=0.5,length=3)+rational-quadratic(length=2,alpha=4)", "kernel=matern(nu=0.5,length=3)+rational-quadratic(length=2,alpha=4)",
			sum(nil, kernel.Matern{Nu: .5, Length: 3}, kernel.RationalQuadratic{Alpha: 4, Length: 2})},
		// Settings beside the kernel are for all parts that do not state theirs, before or after it.
		{"kernel=gaussian+laplacian gamma=2", "kernel=gaussian+laplacian", sum(nil, gaussian, kernel.Laplacian{Gamma: 2})},
		{"gamma=2 kernel=gaussian+gaussian(gamma=7)", "kernel=gaussian+gaussian(gamma=7)", sum(nil, gaussian, kernel.Gaussian{Gamma: 7})},
		{"kernel=gaussian+gaussian(gamma=4*scale)", "", sum(nil, kernel.Gaussian{Gamma: scale}, kernel.Gaussian{Gamma: 4 * scale})},
		{"kernel=gaussian(gamma=median)*gaussian gamma=mean", "kernel=gaussian(gamma=median)*gaussian", product(kernel.Gaussian{Gamma: median}, kernel.Gaussian{Gamma: kernel.MeanGamma(x)})},
		{"kernel=polynomial*homogeneous degree=4", "kernel=polynomial*homogeneous", product(kernel.Polynomial{Degree: 4, Offset: 1}, kernel.Homogeneous{Degree: 4})},
		{"kernel=polynomial+sigmoid(offset=0)", "", sum(nil, kernel.Polynomial{Degree: 3, Offset: 1}, kernel.Sigmoid{Scale: 1})},
	} {
		assignments := []string{c.assignments}
		if !strings.Contains(c.assignments, " )") {
			assignments = strings.Fields(c.assignments)
		}
		k, b, err := described(x, assignments...)
		if err != nil {
			t.Errorf("%s: %v", c.assignments, err)
			continue
		}
		if !same(k, c.want) {
			t.Errorf("%s is %#v, want %#v", c.assignments, k, c.want)
		}
		value := "kernel=" + b.Lookup("kernel").String()
		if want := c.value; want != value && (want != "" || value != c.assignments) {
			t.Errorf("%s has the value %s", c.assignments, value)
		}
		again := append(slices.DeleteFunc(slices.Clone(assignments), func(a string) bool { return strings.HasPrefix(a, "kernel=") }), value)
		if k, _, err := described(x, again...); err != nil || !same(k, c.want) {
			t.Errorf("%s is %#v, %v", value, k, err)
		}
		for i := range 5 {
			if v, want := k.Eval(x.RawRowView(0), x.RawRowView(i)), c.want.Eval(x.RawRowView(0), x.RawRowView(i)); !(math.Abs(v-want) <= 1e-12*math.Abs(want)) {
				t.Errorf("%s has the value %v, want %v", c.assignments, v, want)
			}
		}
	}
}

// same reports whether kernels have the same parts, weights and parameters, up to round-off.
func same(a, b kernel.Kernel) bool {
	c, composite := a.(*kernel.Composite)
	d, other := b.(*kernel.Composite)
	if !composite || !other {
		s, r := a.Spec(), b.Spec()
		for name, v := range r.Params {
			if !(math.Abs(s.Params[name]-v) <= 1e-12*math.Abs(v)) {
				return false
			}
		}
		return composite == other && s.Name == r.Name && len(s.Params) == len(r.Params)
	}
	parts, weights := c.Parts()
	others, rest := d.Parts()
	for i, p := range parts {
		if len(others) != len(parts) || !same(p, others[i]) {
			return false
		}
	}
	return fmt.Sprint(weights) == fmt.Sprint(rest) && (weights == nil) == (rest == nil)
}

// What is no kernel is refused with the setting and the character.
func TestExpressionRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"gausian":                        "want one of gaussian, laplacian, polynomial, homogeneous, linear, matern, rational-quadratic, sigmoid (did you mean gaussian?)",
		"linear+gausian":                 `character 8: "gausian", want one of gaussian, laplacian, polynomial, homogeneous, linear, matern, rational-quadratic, sigmoid (did you mean gaussian?)`,
		"linear+":                        "character 8: want the name of a kernel",
		"*linear":                        "character 1: want the name of a kernel",
		"linear linear+linear":           `character 8: "linear+linear", want + or * before another kernel`,
		"gaussian(gamma=2":               "character 17: want , or ) after a parameter of gaussian",
		"gaussian()":                     "character 10: want NAME=VALUE for a parameter of gaussian",
		"gaussian(gamma)":                "character 10: want NAME=VALUE for a parameter of gaussian",
		"linear+gaussian(gama=2)":        "character 17: gama=2: of gaussian, want one of gamma (did you mean gamma?)",
		"linear+gaussian(nu=2)":          "character 17: nu=2: of gaussian, want one of gamma",
		"linear(nu=2)+gaussian":          "character 8: nu=2, want no parameters: linear has none",
		"gaussian(gamma=x)":              "character 10: gamma=x: want a number, scale, median or mean, or a multiple of one, such as 4*scale",
		"gaussian(gamma=-1*mean)":        "character 10: gamma=-1*mean: want a factor of mean above 0",
		"matern(nu=)":                    "character 8: nu=: want a number",
		"matern(nu=1.5,nu=2.5)":          "character 15: nu=2.5, want one value for nu",
		"linear+matern(nu=2)":            "character 8: Kernel.Nu is 2, want 0.5, 1.5 or 2.5",
		"linear+gaussian(gamma=-2)":      "character 8: Kernel.Gamma is -2, want a finite number > 0",
		"gaussian(gamma=NaN)+linear":     "character 1: Kernel.Gamma is NaN, want a finite number > 0",
		"polynomial(degree=2.5)":         "character 1: Kernel.Degree is 2.5, want an integer from 1 to 64",
		"2*linear":                       "character 1: a weight without a sum: want + and another kernel, or no weight",
		"2*gaussian*linear":              "character 1: a weight without a sum: want + and another kernel, or no weight",
		"linear+0*gaussian":              "character 8: 0, want a finite number > 0 as the weight of a kernel",
		"linear+-1*gaussian":             "character 8: -1, want a finite number > 0 as the weight of a kernel",
		"linear+1e999*gaussian":          "character 8: 1e999, want a finite number > 0 as the weight of a kernel",
		"linear+2gaussian":               "character 8: 2, want * and a kernel after its weight",
		"linear*2*gaussian":              "character 8: want the name of a kernel",
		"(linear+gaussian":               "character 17: want )",
		"linear+gaussian)":               `character 16: ")", want + or * before another kernel`,
		"precomputed+linear":             "character 1: precomputed, want a function of two rows in a sum or a product",
		strings.Repeat("(", 40):          "character 18: want at most 16 parentheses in one another",
		"gaussian(gamma=2)+linear ready": `character 26: "ready", want + or * before another kernel`,
	} {
		_, _, err := described(nil, "kernel="+text)
		if err == nil || err.Error() != "setting kernel="+text+": "+want {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
	// A method of some families has no sums; its kernel takes parameters all the same.
	s := settings.List(new(machine))[0]
	if err := s.Set("gaussian+polynomial"); err == nil || err.Error() != "want one kernel, gaussian or polynomial, not a sum or a product" {
		t.Errorf("a sum for a method of two kernels: %v", err)
	}
	if err := s.Set("polynomial(degree=2)"); err != nil || s.String() != "polynomial(degree=2)" {
		t.Errorf("%s: %v", s, err)
	}
	if err := s.Set("linear(degree=2)"); err == nil || !strings.Contains(err.Error(), `"linear", want one of gaussian, polynomial`) {
		t.Errorf("a kernel of another family: %v", err)
	}
}

// A setting beside the kernel applies while a part has that parameter and does not state it.
func TestExpressionUses(t *testing.T) {
	for text, want := range map[string]string{
		"gaussian+linear": "gamma", "gaussian(gamma=2)+linear": "", "gaussian(gamma=2)*laplacian": "gamma", "matern(nu=0.5)+polynomial": "degree offset length",
	} {
		_, b, err := described(nil, "kernel="+text)
		if err != nil {
			t.Fatal(err)
		}
		var applies []string
		for _, s := range b.Settings[1:] {
			if s.Applies() {
				applies = append(applies, s.Name)
			}
		}
		if got := strings.Join(applies, " "); got != want {
			t.Errorf("%s: %s apply, want %s", text, got, want)
		}
	}
}

// FixGamma puts numbers in place of rules, so that parts of data have the kernel of all data, and leaves numbers alone.
func TestFixGamma(t *testing.T) {
	x := mat.NewDense(5, 2, []float64{0, 1, 1, 0, 2, 2, 3, 1, -1, .5})
	part := x.Slice(0, 3, 0, 2)
	for text, count := range map[string]int{
		"kernel=gaussian(gamma=4*median)+laplacian": 2, "kernel=gaussian": 1, "kernel=gaussian gamma=2*mean": 1, "kernel=gaussian(gamma=mean)*linear": 1,
		"kernel=gaussian gamma=3": 0, "kernel=gaussian(gamma=3)+linear": 0, "kernel=linear": 0,
	} {
		given := strings.Fields(text)
		want, b, err := described(x, given...)
		if err != nil {
			t.Fatal(err)
		}
		fixed := kernel.FixGamma(b, x, 1)
		if len(fixed) != count {
			t.Errorf("%s: %v", text, fixed)
		}
		if k, _, err := described(part, append(given, fixed...)...); err != nil || !same(k, want) {
			t.Errorf("%s with %v is %v, %v, want %v", text, fixed, k, err, want)
		}
	}
	if fixed := kernel.FixGamma(new(settings.Bound), x, 1); fixed != nil {
		t.Errorf("without a kernel: %v", fixed)
	}
}

func ExampleFixGamma() {
	x := mat.NewDense(3, 1, []float64{0, 1, 3})
	b := settings.Bind(new(exact))
	if err := b.Set("kernel=gaussian(gamma=median)+linear"); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(kernel.FixGamma(b, x, 1))
	// Output: [kernel=gaussian(gamma=0.125)+linear]
}
