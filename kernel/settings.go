package kernel

import (
	"slices"
	"strings"

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
	expression *expression
	given      given // the settings beside the kernel, for the parts that do not state their own
	changed    bool  // by a setting
}

// Setting describes the kernel of a configuration by settings. The kernel is one of the
// named families, or any family if none is named; the first is the default. When a fit
// resolves the settings, a missing kernel or one of another family is refused. gamma is
// computed from the data unless it is given, so a kernel chosen by settings exists only
// after settings.Bound.Complete, which keeps a kernel that the configuration has and no setting changes.
func Setting(s *settings.Fields, k *Kernel, names ...string) { kernelSetting(s, k, false, names) }

// SettingOrMatrix is Setting for any family or a Matrix, which is named precomputed. Setting refuses a Matrix.
func SettingOrMatrix(s *settings.Fields, k *Kernel) { kernelSetting(s, k, true, nil) }

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

func kernelSetting(s *settings.Fields, k *Kernel, matrix bool, names []string) {
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
	had, composite := *k != nil, len(names) >= len(families)
	c := &choice{expression: &expression{family: families[slices.IndexFunc(families, func(f family) bool { return f.name == names[0] })]}}
	help := "kernel"
	if composite {
		help += ", or a sum or product of kernels with parameters: 0.5*gaussian(gamma=2)+linear"
	}
	s.Add(k, "kernel", "choice", help, names[0], func(text string) error {
		e, err := parseExpression(text, names, composite)
		if err == nil {
			c.expression, c.changed = e, true
		}
		return err
	}, func() string { return c.expression.String() }).Choices = names
	for _, p := range parameters {
		if slices.ContainsFunc(families, func(f family) bool { _, has := f.params[p.name]; return has && slices.Contains(names, f.name) }) {
			item := s.Add(k, p.name, p.kind, p.help, p.def, func(text string) error {
				err := c.given.set(p.name, text)
				c.changed = c.changed || err == nil
				return err
			}, func() string { return c.parameter(p.name) })
			item.AppliesIf(func() bool { return c.expression.uses(p.name) })
			if p.name == "gamma" {
				item.Search = &settings.Range{Low: 1. / 32, High: 32, Log: true, Unit: "*scale"}
			}
		}
	}
	s.Late(func(x mat.Matrix, seed uint64) (err error) {
		if had && !c.changed {
			return nil
		}
		*k, err = c.expression.kernel(&c.given, x, seed)
		return err
	})
}

// parameter returns the value of a setting beside the kernel, "" for a default that is not a rule.
func (c *choice) parameter(name string) string {
	if text := c.given.get(name); text != "" || name != "gamma" {
		return text
	}
	return "scale"
}
