package itml

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/kernels/constraint"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/kernel"
)

// Bounds far below the distances are met by the kernel that is returned, as far as rounding lets a
// distance be evaluated, and the certificate is that of this kernel.
func TestTightBounds(t *testing.T) {
	x, _ := gen.Blobs(12, 3, 2, 1, 3)
	distance := func(k kernel.Kernel, i, j int) float64 {
		a, b := x.RawRowView(i), x.RawRowView(j)
		return k.Eval(a, a) + k.Eval(b, b) - 2*k.Eval(a, b)
	}
	for _, k := range []kernel.Kernel{kernel.Gaussian{Gamma: .5}, kernel.Linear{}} {
		var size float64
		for i := range 12 {
			size = max(size, k.Eval(x.RawRowView(i), x.RawRowView(i)))
		}
		for _, c := range []Config{{}, {Solver: Projections}, {Regularizer: NearIdentity}, {Regularizer: Frobenius}, {Reduction: Subset, M: 11}} {
			c.Kernel = k
			for _, others := range []int{0, 1, 5} {
				for e := -2; e >= -12; e-- {
					what := fmt.Sprintf("%s, %v, %v, %v, %d others, 1e%d", k.Spec().Name, c.Regularizer, c.Solver, c.Reduction, others, e)
					bounds := []float64{math.Pow10(e) * distance(k, 0, 1)}
					cons := []constraint.Linear{constraint.Distance(0, 1, constraint.AtMost, bounds[0])}
					for i := range others {
						bounds = append(bounds, .7*distance(k, 2*i+2, (2*i+3)%12))
						cons = append(cons, constraint.Distance(2*i+2, (2*i+3)%12, constraint.AtMost, bounds[i+1]))
					}
					m, err := c.Fit(t.Context(), x, cons)
					var infeasible *constraint.InfeasibleError
					var short *gram.ConvergenceError
					switch {
					case errors.As(err, &infeasible) && c.Reduction == Subset:
						continue // what lies outside of the span of the landmarks cannot shrink
					case m == nil || err != nil && !errors.As(err, &short):
						t.Errorf("%s: %v", what, err)
						continue
					case short != nil && c.Regularizer == LogDet && e > -10:
						t.Errorf("%s: %v", what, err)
					}
					stats := m.Stats()
					for _, v := range []float64{stats.Violation, stats.Gap, stats.Objective, stats.Dual} {
						if v-v != 0 {
							t.Errorf("%s: %+v", what, stats)
						}
					}
					worst, rounding := 0., 0.
					for i := range cons {
						d := distance(m.Kernel(), 2*i, (2*i+1)%12)
						if d < -32*0x1p-53*size {
							t.Errorf("%s: a squared distance of %g", what, d)
						}
						worst = max(worst, (d-bounds[i])/bounds[i])
						rounding = max(rounding, 32*0x1p-53*size/bounds[i])
					}
					// The certificate is relative to the bound or, where the landmarks do not span the rows, to the value.
					differs := min(math.Abs(worst-stats.Violation), math.Abs(worst/(1+worst)-stats.Violation))
					if !(differs <= rounding+1e-9) && !(worst <= 0 && stats.Violation <= rounding) {
						t.Errorf("%s: a violation of %g, the certificate has %g", what, worst, stats.Violation)
					}
					if err == nil && !(stats.Violation <= 1e-4) {
						t.Errorf("%s: a violation of %g without an error", what, stats.Violation)
					}
				}
			}
		}
	}
}

// Terms that combine many rows span fewer dimensions than the rows do: the coefficients of a kernel whose
// bounds are tight are corrected in these.
func TestTightBoundsOfManyRows(t *testing.T) {
	x, _ := gen.Blobs(40, 3, 2, 1, 3)
	z := gen.Normal(2, 40, 1)
	value := func(k kernel.Kernel, z []float64) (sum float64) {
		for i := range z {
			for j := range z {
				sum += z[i] * z[j] * k.Eval(x.RawRowView(i), x.RawRowView(j))
			}
		}
		return sum
	}
	for _, k := range []kernel.Kernel{kernel.Gaussian{Gamma: .5}, kernel.Linear{}} {
		for e := -2; e >= -12; e-- {
			bound, other := math.Pow10(e)*value(k, z.RawRowView(0)), 2*value(k, z.RawRowView(1))
			m, err := Config{Kernel: k}.Fit(t.Context(), x, []constraint.Linear{
				{Terms: []constraint.Term{{Weight: 1, Z: constraint.Vector{Value: z.RawRowView(0)}}}, Relation: constraint.AtMost, Bound: bound},
				{Terms: []constraint.Term{{Weight: 1, Z: constraint.Vector{Value: z.RawRowView(1)}}}, Relation: constraint.AtLeast, Bound: other},
			})
			var short *gram.ConvergenceError
			if m == nil || err != nil && !errors.As(err, &short) || err != nil && e > -10 {
				t.Errorf("%s, 1e%d: %v", k.Spec().Name, e, err)
				continue
			}
			rounding := 1e-9 + 1e-14*math.Pow10(-e)
			if got := value(m.Kernel(), z.RawRowView(0)); !(got <= bound*(1+m.Stats().Violation+rounding)) || !(got >= bound*(1-1e-4-rounding)) {
				t.Errorf("%s, 1e%d: the value is %g, the bound %g, the certificate has %g", k.Spec().Name, e, got, bound, m.Stats().Violation)
			}
		}
	}
}
