package kernel

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// parameters lists the settings of all families in the order in which help shows them.
var parameters = []struct{ name, kind, def, help string }{
	{"gamma", "number", "scale", "gaussian: exp(-gamma·|x-y|²), laplacian: exp(-gamma·|x-y|₁): a number, or scale (1/(d·variance of all cells)), " +
		"median (1/(2·median distance²)), mean (1/mean squared distance), or a multiple of one, 4*scale"},
	{"degree", "integer", "3", "polynomial, homogeneous: degree"},
	{"offset", "number", "1 for polynomial, 0 for sigmoid", "polynomial: (offset+<x,y>)^degree; sigmoid: tanh(scale·<x,y>+offset)"},
	{"nu", "number", "1.5", "matern: smoothness, 0.5, 1.5 or 2.5"},
	{"length", "number", "1", "matern, rational-quadratic: length scale"},
	{"alpha", "number", "1", "rational-quadratic: mixture of length scales"},
	{"scale", "number", "1", "sigmoid: scale"},
}

// choice is a kernel that is chosen by settings.
type choice struct {
	name    string             // those that were given
	params  map[string]float64 // those that are given
	rule    string             // scale, median or mean; empty: gamma is a number that was given
	factor  float64            // of the rule
	changed bool               // by a setting
}

// Setting describes the kernel of a configuration by settings. The kernel is one of the
// named families, or any family if none is named; the first is the default. When a fit
// resolves the settings, a missing kernel or one of another family is refused. gamma is
// computed from the data unless it is given, so a kernel chosen by settings exists only
// after settings.Bound.Complete, which keeps a kernel that the configuration has and no setting changes.
func Setting(s *settings.Fields, k *Kernel, names ...string) { setting(s, k, false, names) }

// SettingOrMatrix is Setting for any family or a Matrix, which is named precomputed. Setting refuses a Matrix.
func SettingOrMatrix(s *settings.Fields, k *Kernel) { setting(s, k, true, nil) }

// NoMatrix refuses a Matrix where a configuration inside another one, described before, takes it: methods that divide rows
// need kernel values of other points than the training rows.
func NoMatrix(s *settings.Fields, k *Kernel) {
	s.Without("kernel", matrixName)
	if s.Resolving() {
		refuseMatrix(s, k)
	}
}

func refuseMatrix(s *settings.Fields, k *Kernel) bool {
	_, is := (*k).(Matrix)
	if is {
		s.Refuse(k, matrixName, "a function of two rows: this method needs kernel values of other points than the training rows")
	}
	return is
}

func setting(s *settings.Fields, k *Kernel, matrix bool, names []string) {
	if s.Resolving() {
		if !matrix && refuseMatrix(s, k) {
			return
		}
		if err := Check(*k); err != nil {
			s.Check(err)
		} else if name := (*k).Spec().Name; len(names) > 0 && !slices.Contains(names, name) {
			s.Refuse(k, name, strings.Join(names, " or "))
		}
		return
	}
	if len(names) == 0 {
		names = familyNames()
	}
	if matrix {
		names = append(names, matrixName)
	}
	given := *k != nil
	c := &choice{name: names[0], params: map[string]float64{}, rule: "scale", factor: 1}
	s.Add(k, "kernel", "choice", "kernel", names[0], func(text string) error {
		if !slices.Contains(names, text) {
			return fmt.Errorf("want one of %s", strings.Join(names, ", "))
		}
		c.name, c.changed = text, true
		return nil
	}, func() string { return c.name }).Choices = names
	for _, p := range parameters {
		if slices.ContainsFunc(families, func(f family) bool { _, has := f.params[p.name]; return has && slices.Contains(names, f.name) }) {
			item := s.Add(k, p.name, p.kind, p.help, p.def, func(text string) error { return c.set(p.name, text) }, func() string { return c.get(p.name) })
			item.AppliesIf(func() bool { _, has := c.family().params[p.name]; return has })
			if p.name == "gamma" {
				item.Search = &settings.Range{Low: 1. / 32, High: 32, Log: true, Unit: "*scale"}
			}
		}
	}
	s.Late(func(x mat.Matrix, seed uint64) (err error) {
		if given && !c.changed {
			return nil
		}
		*k, err = c.kernel(x, seed)
		return err
	})
}

// family is that of the kernel.
func (c *choice) family() family {
	if c.name == matrixName {
		return family{name: matrixName}
	}
	return families[slices.IndexFunc(families, func(f family) bool { return f.name == c.name })]
}

func (c *choice) set(name, text string) error {
	factor, rule, multiple := strings.Cut(text, "*")
	if !multiple {
		factor, rule = "1", text
	}
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case name == "gamma" && (rule == "scale" || rule == "median" || rule == "mean"):
		times, err := strconv.ParseFloat(factor, 64)
		if err != nil || !(times > 0) || math.IsInf(times, 1) {
			return fmt.Errorf("want a factor of %s above 0", rule)
		}
		c.rule, c.factor, c.changed = rule, times, true
		return nil
	case err != nil && name == "gamma":
		return fmt.Errorf("want a number, scale, median or mean, or a multiple of one, such as 4*scale")
	case err != nil:
		return fmt.Errorf("want a number")
	}
	if name == "gamma" {
		c.rule = ""
	}
	c.params[name], c.changed = v, true
	return nil
}

func (c *choice) get(name string) string {
	if name == "gamma" && c.rule != "" {
		if c.factor != 1 {
			return strconv.FormatFloat(c.factor, 'g', -1, 64) + "*" + c.rule
		}
		return c.rule
	}
	if v, given := c.params[name]; given {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return ""
}

// kernel returns the kernel for the data x; a nil x stands for data of any width.
func (c *choice) kernel(x mat.Matrix, seed uint64) (Kernel, error) {
	if c.name == matrixName {
		return Matrix{}, nil
	}
	s := Spec{Name: c.name, Params: map[string]float64{}}
	for name := range c.family().params {
		switch v, given := c.params[name]; {
		case name == "gamma" && c.rule != "":
			s.Params[name] = c.factor * gammaBy(c.rule, x, seed)
		case given:
			s.Params[name] = v
		case name == "degree":
			s.Params[name] = 3
		}
	}
	return New(s)
}

func gammaBy(rule string, x mat.Matrix, seed uint64) float64 {
	switch {
	case x == nil:
		return 1
	case rule == "median":
		return MedianGamma(x, rng.Derive(seed, "gamma"))
	case rule == "mean":
		return MeanGamma(x)
	}
	return ScaleGamma(x)
}
