package dcsvm

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/svm"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// TestExact holds that the result is that of the exact solver.
func TestExact(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 900
	}
	for classes := 2; classes <= 3; classes++ {
		x, y := gen.Blobs(n, 3, classes, 1, 5)
		for _, noBias := range []bool{false, true} {
			c := svm.Config{Kernel: kernel.Gaussian{Gamma: 1}, C: 5, NoBias: noBias}
			want := must.Have(c.Fit(context.Background(), x, y, nil))(t)
			got, stats := must.Have2(Config{Machine: c, Branch: 4, Levels: gram.Set(2)}.Fit(context.Background(), x, y, nil))(t)
			if classes == 2 {
				if v := violation(t, c, got, x, y); !(v <= 1.001e-3) {
					t.Errorf("no bias %v: a violation of %v", noBias, v)
				}
			}
			if len(stats.Levels) != 4 || stats.Levels[0].Parts < 10 || stats.Levels[1].Parts != 4 || stats.Levels[3].Rows != n {
				t.Errorf("levels %+v", stats.Levels)
			}
			for f, s := range got.Stats().Problems {
				w := want.Stats().Problems[f]
				if !(s.Violation <= 1e-3) || !(math.Abs(s.Objective-w.Objective) <= 1e-4*math.Abs(w.Objective)) {
					t.Errorf("%d classes, no bias %v, function %d: %+v, exact %+v", classes, noBias, f, s, w)
				}
			}
		}
	}
}

// violation is that of the optimality conditions on all rows, by Eval: how far
// bounds on y_i − Σ_jβ_jK_ij from coefficients that can rise exceed those from
// coefficients that can fall; without a constant, how far either exceeds 0.
func violation(t *testing.T, c svm.Config, m *svm.Model, x *mat.Dense, y gram.Labels) float64 {
	t.Helper()
	n, _ := x.Dims()
	beta := must.Have(m.Coefficients(n))(t)
	rise, fall := math.Inf(-1), math.Inf(1)
	for i := range n {
		sign := 2*float64(y.Class[i]) - 1
		r := sign
		for j := range n {
			if b := beta.At(j, 0); b != 0 {
				r -= b * c.Kernel.Eval(x.RawRowView(i), x.RawRowView(j))
			}
		}
		b := beta.At(i, 0)
		lower, upper := min(0, sign*c.C), max(0, sign*c.C)
		if !(b >= lower && b <= upper) {
			t.Fatalf("coefficient %d is %v, not from %v to %v", i, b, lower, upper)
		}
		if b < upper {
			rise = max(rise, r)
		}
		if b > lower {
			fall = min(fall, r)
		}
	}
	if c.NoBias {
		return max(0, rise, -fall)
	}
	return rise - fall
}

// TestWarmStart has groups so far apart that the clusters' problems are the exact
// one: the last level has nothing left to do.
func TestWarmStart(t *testing.T) {
	const groups = 5
	x, y := gen.Blobs(600, 2, 2, 1, 5)
	for i := range 600 {
		x.Set(i, 0, x.At(i, 0)+1000*float64(i%groups))
	}
	c := svm.Config{Kernel: kernel.Gaussian{Gamma: 1}, C: 5, NoBias: true, Tol: 1e-3}
	m, stats := must.Have2(Config{Machine: c, Branch: groups, Levels: gram.Set(1), LevelTol: c.Tol}.Fit(context.Background(), x, y, nil))(t)
	s := m.Stats().Problems[0]
	if last := stats.Levels[2]; last.Iterations > stats.Levels[0].Iterations/20 || !(s.Violation <= 1e-3) {
		t.Errorf("levels %+v, violation %v", stats.Levels, s.Violation)
	}
}

func TestConfigErrors(t *testing.T) {
	x, y := gen.Blobs(40, 2, 2, 2, 3)
	k := svm.Config{Kernel: kernel.Gaussian{Gamma: 1}}
	for field, c := range map[string]Config{
		"Kernel":   {},
		"Branch":   {Machine: k, Branch: 1},
		"LevelTol": {Machine: k, LevelTol: -1},
	} {
		_, _, err := c.Fit(context.Background(), x, y, nil)
		var ce *gram.ConfigError
		if !errors.As(err, &ce) || ce.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}
