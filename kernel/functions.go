package kernel

import (
	"math"

	"github.com/gramworks/gram/asm/vec"
	"github.com/gramworks/gram/settings"
)

// Gaussian is exp(−Gamma·‖x−y‖²), Gamma > 0. A width σ corresponds to Gamma =
// 1/(2σ²).
type Gaussian struct{ Gamma float64 }

// Eval returns exp(−Gamma·‖x−y‖²).
func (k Gaussian) Eval(x, y []float64) float64 { return math.Exp(-k.Gamma * squaredDistance(x, y)) }

// Radial replaces every squared distance in s by the value of the kernel at that distance.
func (k Gaussian) Radial(s []float64) { vec.ExpScale(s, s, -k.Gamma) }

// Spec returns the name gaussian and the parameter gamma.
func (k Gaussian) Spec() Spec { return Spec{"gaussian", map[string]float64{"gamma": k.Gamma}} }

func (k Gaussian) check() error { return positive("Gamma", k.Gamma) }

// Laplacian is exp(−Gamma·‖x−y‖₁), Gamma > 0, where ‖·‖₁ is the sum of
// absolute values.
type Laplacian struct{ Gamma float64 }

// Eval returns exp(−Gamma·‖x−y‖₁).
func (k Laplacian) Eval(x, y []float64) float64 {
	samePair(x, y)
	var s float64
	for i, v := range x {
		s += math.Abs(v - y[i])
	}
	return math.Exp(-k.Gamma * s)
}

// Spec returns the name laplacian and the parameter gamma.
func (k Laplacian) Spec() Spec { return Spec{"laplacian", map[string]float64{"gamma": k.Gamma}} }

func (k Laplacian) check() error { return positive("Gamma", k.Gamma) }

// Polynomial is (Offset+⟨x,y⟩)^Degree with Degree from 1 to 64 and Offset ≥ 0.
// With Offset 0 it equals Homogeneous.
type Polynomial struct {
	Degree int
	Offset float64
}

// Eval returns (Offset+⟨x,y⟩)^Degree.
func (k Polynomial) Eval(x, y []float64) float64 { return power(k.Offset+innerProduct(x, y), k.Degree) }

// Inner replaces every inner product in s by the value of the kernel for that product.
func (k Polynomial) Inner(s []float64) {
	for i, v := range s {
		s[i] = power(k.Offset+v, k.Degree)
	}
}

// Spec returns the name polynomial, degree and offset.
func (k Polynomial) Spec() Spec {
	return Spec{"polynomial", map[string]float64{"degree": float64(k.Degree), "offset": k.Offset}}
}

func (k Polynomial) check() error {
	if !(k.Offset >= 0) || math.IsInf(k.Offset, 0) {
		return settings.Refuse("Kernel.Offset", k.Offset, "a finite number ≥ 0")
	}
	return degree(k.Degree)
}

// Homogeneous is ⟨x,y⟩^Degree with Degree from 1 to 64.
type Homogeneous struct{ Degree int }

// Eval returns ⟨x,y⟩^Degree.
func (k Homogeneous) Eval(x, y []float64) float64 { return power(innerProduct(x, y), k.Degree) }

// Inner replaces every inner product in s by the value of the kernel for that product.
func (k Homogeneous) Inner(s []float64) {
	for i, v := range s {
		s[i] = power(v, k.Degree)
	}
}

// Spec returns the name homogeneous and the parameter degree.
func (k Homogeneous) Spec() Spec {
	return Spec{"homogeneous", map[string]float64{"degree": float64(k.Degree)}}
}

func (k Homogeneous) check() error { return degree(k.Degree) }

// Linear is the kernel ⟨x,y⟩, the inner product.
type Linear struct{}

// Eval returns ⟨x,y⟩.
func (Linear) Eval(x, y []float64) float64 { return innerProduct(x, y) }

// Inner does nothing: the values are the inner products.
func (Linear) Inner([]float64) {}

// Spec returns the name linear, without parameters.
func (Linear) Spec() Spec { return Spec{Name: "linear"} }

// Matern is the Matérn kernel of smoothness Nu = ½, 3⁄2 or 5⁄2. With r =
// ‖x−y‖/Length and Length > 0 it is
//
//	½    exp(−r)
//	3⁄2  (1+√3·r)·exp(−√3·r)
//	5⁄2  (1+√5·r+5r²/3)·exp(−√5·r)
//
// [RW06] eq. (4.17).
type Matern struct{ Nu, Length float64 }

// Eval returns the kernel's value for x and y.
func (k Matern) Eval(x, y []float64) float64 {
	r := math.Sqrt(squaredDistance(x, y)) / k.Length
	switch k.Nu {
	case 0.5:
		return math.Exp(-r)
	case 1.5:
		t := math.Sqrt(3) * r
		return (1 + t) * math.Exp(-t)
	case 2.5:
		t := math.Sqrt(5) * r
		if t > 1e4 {
			return 0 // where t² may overflow
		}
		return (1 + t + t*t/3) * math.Exp(-t)
	}
	return math.NaN()
}

// Radial replaces every squared distance in s by the value of the kernel at that distance.
func (k Matern) Radial(s []float64) {
	var buffer [256]float64
	for len(s) > 0 {
		n := min(len(s), len(buffer))
		r := buffer[:n]
		scale := math.Sqrt(2*k.Nu) / k.Length
		for i, v := range s[:n] {
			// Beyond 1e4 the value is 0, and squares of r might overflow.
			r[i] = min(math.Sqrt(v)*scale, 1e4)
		}
		vec.ExpScale(s[:n], r, -1)
		switch k.Nu {
		case 0.5:
		case 1.5:
			for i, t := range r {
				s[i] *= 1 + t
			}
		case 2.5:
			for i, t := range r {
				s[i] *= 1 + t + t*t/3
			}
		default:
			for i := range r {
				s[i] = math.NaN()
			}
		}
		s = s[n:]
	}
}

// Spec returns the name matern, nu and length.
func (k Matern) Spec() Spec {
	return Spec{"matern", map[string]float64{"nu": k.Nu, "length": k.Length}}
}

func (k Matern) check() error {
	if k.Nu != 0.5 && k.Nu != 1.5 && k.Nu != 2.5 {
		return settings.Refuse("Kernel.Nu", k.Nu, "0.5, 1.5 or 2.5")
	}
	return positive("Length", k.Length)
}

// RationalQuadratic is (1+‖x−y‖²/(2·Alpha·Length²))^−Alpha with Alpha and
// Length > 0, a mixture of Gaussians of all widths. [RW06] eq. (4.19).
type RationalQuadratic struct{ Alpha, Length float64 }

// Eval returns the kernel's value for x and y.
func (k RationalQuadratic) Eval(x, y []float64) float64 { return k.value(squaredDistance(x, y)) }

func (k RationalQuadratic) value(s float64) float64 {
	r := s / (2 * k.Alpha * k.Length * k.Length)
	if k.Alpha == 1 {
		return 1 / (1 + r)
	}
	return math.Exp(-k.Alpha * math.Log1p(r))
}

// Radial replaces every squared distance in s by the value of the kernel at that distance.
func (k RationalQuadratic) Radial(s []float64) {
	for i, v := range s {
		s[i] = k.value(v)
	}
}

// Spec returns the name rational-quadratic, alpha and length.
func (k RationalQuadratic) Spec() Spec {
	return Spec{"rational-quadratic", map[string]float64{"alpha": k.Alpha, "length": k.Length}}
}

func (k RationalQuadratic) check() error {
	if err := positive("Alpha", k.Alpha); err != nil {
		return err
	}
	return positive("Length", k.Length)
}

// Sigmoid is tanh(Scale·⟨x,y⟩+Offset). It is not positive semi-definite for
// most settings; methods that need definiteness fail or repair it.
type Sigmoid struct{ Scale, Offset float64 }

// Eval returns tanh(Scale·⟨x,y⟩+Offset).
func (k Sigmoid) Eval(x, y []float64) float64 {
	return math.Tanh(k.Scale*innerProduct(x, y) + k.Offset)
}

// Inner replaces every inner product in s by the value of the kernel for that product.
func (k Sigmoid) Inner(s []float64) {
	for i, v := range s {
		s[i] = math.Tanh(k.Scale*v + k.Offset)
	}
}

// Spec returns the name sigmoid, scale and offset.
func (k Sigmoid) Spec() Spec {
	return Spec{"sigmoid", map[string]float64{"scale": k.Scale, "offset": k.Offset}}
}

func (k Sigmoid) check() error {
	if err := positive("Scale", k.Scale); err != nil {
		return err
	}
	if math.IsNaN(k.Offset) || math.IsInf(k.Offset, 0) {
		return settings.Refuse("Kernel.Offset", k.Offset, "a finite number")
	}
	return nil
}

func samePair(x, y []float64) {
	if len(x) != len(y) {
		panic("kernel: rows differ in length")
	}
}

func squaredDistance(x, y []float64) float64 {
	samePair(x, y)
	var s float64
	for i, v := range x {
		t := v - y[i]
		s += t * t
	}
	return s
}

func innerProduct(x, y []float64) float64 {
	samePair(x, y)
	var s float64
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

// power returns x^p by repeated squaring, for p ≥ 1.
func power(x float64, p int) float64 {
	r := 1.0
	for ; p > 0; p >>= 1 {
		if p&1 != 0 {
			r *= x
		}
		x *= x
	}
	return r
}
