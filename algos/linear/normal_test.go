package linear

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/modelfile"
	"github.com/gramworks/gram/num"
	"gonum.org/v1/gonum/mat"
)

// regression returns n rows of d numbers far from 0, two targets and weights, one of them 0.
func regression(n, d int) (x, y *mat.Dense, w []float64) {
	r := rand.New(rand.NewPCG(5, uint64(n)))
	x, y, w = mat.NewDense(n, d, nil), mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range n {
		w[i] = 2 * r.Float64()
		var f float64
		for j, row := 0, x.RawRowView(i); j < d; j++ {
			row[j] = 1e4 + r.NormFloat64()
			f += float64(j+1) * (row[j] - 1e4)
		}
		y.SetRow(i, []float64{100 + f + .1*r.NormFloat64(), r.NormFloat64()})
	}
	w[n/2] = 0
	return x, y, w
}

func block(x *mat.Dense, lo, hi int) *mat.Dense {
	_, d := x.Dims()
	return x.Slice(lo, hi, 0, d).(*mat.Dense)
}

// sumsOf adds the rows from lo to hi−1 in blocks of the given size.
func sumsOf(x, y *mat.Dense, w []float64, lo, hi, size int, noBias bool) *Normal {
	_, p := x.Dims()
	_, t := y.Dims()
	s := NewNormal(p, t, noBias)
	for ; lo < hi; lo += size {
		end := min(lo+size, hi)
		s.Add(block(x, lo, end), block(y, lo, end), w[lo:end])
	}
	return s
}

// The sums are those of their definition, with few digits lost, however the rows are cut.
func TestNormal(t *testing.T) {
	const n, d = 700, 5
	x, y, w := regression(n, d)
	for _, noBias := range []bool{false, true} {
		for _, size := range []int{1, 7, 1000} {
			s := sumsOf(x, y, w, 0, n/3, size, noBias)
			must.Do(t, s.Merge(sumsOf(x, y, w, n/3, n, size, noBias)))
			if s.Rows() != n {
				t.Errorf("%d rows", s.Rows())
			}
			var total float64
			mean, target := make([]float64, d), make([]float64, 2)
			for i := range n {
				total += w[i]
			}
			for i := 0; i < n && !noBias; i++ {
				for j := range d {
					mean[j] += w[i] / total * (x.At(i, j) - 1e4)
				}
				for k := range 2 {
					target[k] += w[i] / total * y.At(i, k)
				}
			}
			for j := 0; j < d && !noBias; j++ {
				mean[j] += 1e4
			}
			near := func(what string, got, want, tol float64) {
				if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
					t.Errorf("no bias %v, blocks of %d: %s is %v, want %v", noBias, size, what, got, want)
				}
			}
			near("weight", s.total, total, 1e-13)
			phi, ys := s.mean, s.target
			for j := range d {
				near("mean", phi[j], mean[j], 1e-14)
				for l := j; l < d; l++ {
					var a float64
					for i := range n {
						a += w[i] * (x.At(i, j) - mean[j]) * (x.At(i, l) - mean[l])
					}
					near("matrix", s.a[j*d+l], a, 1e-9)
				}
				for k := range 2 {
					var b float64
					for i := range n {
						b += w[i] * (x.At(i, j) - mean[j]) * (y.At(i, k) - target[k])
					}
					near("right side", s.right().At(j, k), b, 1e-9)
				}
			}
			for k := range 2 {
				near("target", ys[k], target[k], 1e-13)
			}
		}
	}
}

// Solving sums of the blocks and items of a fit gives the bits of the fit; other cuts give
// the same function up to rounding.
func TestSolveIsFit(t *testing.T) {
	const n, d = 2*BlockRows + 300, 4
	x, y, w := regression(n, d)
	items := []int{BlockRows + 5, 295, BlockRows}
	for _, c := range []Ridge{{}, {NoBias: true, Lambda: gram.Set(.5)}, {Lambda: gram.Set(0.)}} {
		m := newCosines(d, 6)
		phi := m.Map(nil, x)
		whole := must.Have(c.FitAll(context.Background(), m, x, y, w))(t)
		solved := must.Have(c.Solve(context.Background(), m, sumsOf(phi, y, w, 0, n, BlockRows, c.NoBias)))(t)
		same := func(what string, a, b *Regressor, tol float64) {
			t.Helper()
			got, want := a.PredictAll(nil, x), b.PredictAll(nil, x)
			for i := range n {
				for k := range 2 {
					if g, f := got.At(i, k), want.At(i, k); g != f && !(math.Abs(g-f) <= tol*10) {
						t.Fatalf("%s: row %d is %v, want %v", what, i, g, f)
					}
				}
			}
		}
		same("one piece", solved, whole, 0)
		c.Given.Items = items
		cut := must.Have(c.FitAll(context.Background(), m, x, y, w))(t)
		tree := num.Tree[*Normal]{Merge: mergeNormals}
		lo := 0
		for _, k := range items {
			must.Do(t, tree.Add(sumsOf(phi, y, w, lo, lo+k, BlockRows, c.NoBias)))
			lo += k
		}
		sums := must.Have(tree.Result())(t)
		solved = must.Have(c.Solve(context.Background(), m, sums))(t)
		same("items", solved, cut, 0)
		same("items against one piece", cut, whole, 1e-10)
	}
}

// A stored state is the same state; a damaged or cut one is an error.
func TestNormalFile(t *testing.T) {
	x, y, w := regression(50, 3)
	s := sumsOf(x, y, w, 0, 50, 20, false)
	b := must.Have(s.MarshalBinary())(t)
	var u Normal
	must.Do(t, u.UnmarshalBinary(b))
	again, err := u.MarshalBinary()
	if err != nil || string(again) != string(b) {
		t.Fatalf("another state, %v", err)
	}
	if !slices.Equal(u.b, s.b) || u.Rows() != 50 {
		t.Error("another state")
	}
	for k := range b {
		bad := slices.Clone(b)
		bad[k] ^= 4
		if err := u.UnmarshalBinary(bad); err == nil {
			t.Fatalf("byte %d changed: no error", k)
		}
		if err := u.UnmarshalBinary(b[:k]); err == nil {
			t.Fatalf("%d of %d bytes: no error", k, len(b))
		}
	}
	if u.Rows() != 50 {
		t.Error("a failed reading changed the state")
	}
}

// wideNormal is a state of many features without their matrix.
type wideNormal struct{ features int }

func (s wideNormal) Encode(w *modelfile.Writer) error { return modelfile.Put(w, s.form) }

func (s wideNormal) form(x *modelfile.Exchange) {
	head := struct{ Features, Targets int }{s.features, 1}
	x.Header("linear.normal", 1, &head)
	for name, n := range map[string]int{"mean": s.features, "target": 1, "right": s.features, "matrix": 1} {
		v := make([]float64, n)
		x.Float64(name, &v, n)
	}
}

// A file gets no memory for a matrix that it does not hold: 8 TiB for 2²⁰ features.
func TestNormalWithoutMatrix(t *testing.T) {
	var b bytes.Buffer
	must.Do(t, modelfile.Write(&b, wideNormal{1 << 20}))
	var wrong *modelfile.FormatError
	if err := new(Normal).UnmarshalBinary(b.Bytes()); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "matrix") {
		t.Errorf("error %v", err)
	}
}

// States that do not belong together, and cuts that do not fit, are errors.
func TestNormalRefuses(t *testing.T) {
	s := NewNormal(3, 1, false)
	for _, o := range []*Normal{NewNormal(4, 1, false), NewNormal(3, 2, false), NewNormal(3, 1, true)} {
		if err := s.Merge(o); err == nil {
			t.Errorf("%d features, %d targets, no bias %v: no error", o.p, o.t, o.noBias)
		}
	}
	x, y, w := regression(10, 3)
	ctx := context.Background()
	for _, items := range [][]int{{}, {4, 5}, {10, 1}, {-1, 11}, {0, 10}} {
		if _, err := (Ridge{Given: Given{Items: items}}).FitAll(ctx, nil, x, y, nil); err == nil {
			t.Errorf("items %v: no error", items)
		}
	}
	sums := func() *Normal { return sumsOf(x, y, w, 0, 10, 10, false) }
	for _, c := range []Ridge{{Solver: CG}, {NoBias: true}, {Lambda: gram.Set(-1.)}} {
		if _, err := c.Solve(ctx, nil, sums()); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
	if _, err := (Ridge{}).Solve(ctx, newCosines(3, 5), sums()); err == nil {
		t.Error("a map of 5 features: no error")
	}
	if _, err := (Ridge{}).Solve(ctx, nil, NewNormal(3, 1, false)); err == nil {
		t.Error("no rows: no error")
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := (Ridge{}).Solve(canceled, nil, sums()); err != context.Canceled {
		t.Errorf("canceled: %v", err)
	}
	if must.Recovered(func() { sums().Add(mat.NewDense(2, 4, nil), mat.NewDense(2, 2, nil), nil) }) == nil {
		t.Error("rows of another shape: no panic")
	}
}
