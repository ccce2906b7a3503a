package kmeans

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/internal/fixture"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
	"gonum.org/v1/gonum/mat"
)

// corners returns n rows around four corners that are far from 0, with weights.
func corners(n int) (x *mat.Dense, w []float64) {
	r := rng.New(5, 0)
	x, w = mat.NewDense(n, 3, nil), make([]float64, n)
	for i := range n {
		for j := range 3 {
			x.Set(i, j, 1e6+5*float64(i>>j&1)+r.NormFloat64())
		}
		w[i] = float64(r.IntN(3))
	}
	return x, w
}

func addAll(t *testing.T, m *Model, x *mat.Dense, w []float64, cuts ...int) *Sums {
	t.Helper()
	n, d := x.Dims()
	whole := NewSums(m)
	lo := 0
	for _, hi := range append(cuts, n) {
		part := NewSums(m)
		if hi > lo {
			must.Do(t, part.Add(x.Slice(lo, hi, 0, d), w[lo:hi]))
		}
		must.Do(t, whole.Merge(part))
		lo = hi
	}
	return whole
}

// The sums are those by definition, of any blocks of rows, and iterations over blocks end at a fixed
// point of Lloyd's, whose objective has never risen.
func TestSums(t *testing.T) {
	const n = 700
	x, w := corners(n)
	m := NewModel(mat.DenseCopyOf(x.Slice(0, 5, 0, 3)))
	before := math.Inf(1)
	for range 100 {
		s := addAll(t, m, x, w, 1, 300, 300, 650)
		label := m.Assign(nil, x)
		next := s.Next()
		var objective float64
		for c := range 5 {
			var weight float64
			mean := make([]float64, 3)
			for i, l := range label {
				if l != c {
					continue
				}
				weight += w[i]
				for j := range mean {
					delta := x.At(i, j) - m.Centers().At(c, j)
					mean[j] += w[i] * delta
					objective += w[i] * delta * delta
				}
			}
			if weight != s.Weights()[c] {
				t.Fatalf("cluster %d has the weight %v, want %v", c, s.Weights()[c], weight)
			}
			for j, v := range mean {
				want := m.Centers().At(c, j)
				if weight > 0 {
					want += v / weight
				}
				if got := next.Centers().At(c, j); !(math.Abs(got-want) <= 1e-9) {
					t.Fatalf("center %d is at %v, want %v", c, got, want)
				}
			}
		}
		if s.Rows() != n || !(math.Abs(s.Objective()-objective) <= 1e-12*objective) || !(s.Objective() <= before*(1+1e-12)) {
			t.Fatalf("%d rows with the objective %v, want %v, before %v", s.Rows(), s.Objective(), objective, before)
		}
		if before = s.Objective(); mat.EqualApprox(next.Centers(), m.Centers(), 1e-9) {
			return
		}
		m = next
	}
	t.Error("the iterations do not end")
}

// Sparse rows have the sums of dense ones, and a state comes back from bytes with all its bits.
func TestSumsForms(t *testing.T) {
	x, w := corners(60)
	m := NewModel(mat.DenseCopyOf(x.Slice(0, 4, 0, 3)))
	s := addAll(t, m, x, w)
	thin := NewSums(m)
	must.Do(t, thin.Add(sparse.FromDense(x), w))
	if !mat.EqualApprox(thin.Next().Centers(), s.Next().Centers(), 1e-9) {
		t.Error("sparse rows give other centers")
	}
	b := must.Have(s.MarshalBinary())(t)
	var back Sums
	must.Do(t, back.UnmarshalBinary(b))
	if again, err := back.MarshalBinary(); err != nil || !bytes.Equal(again, b) || back.Rows() != 60 || !mat.Equal(back.Next().Centers(), s.Next().Centers()) {
		t.Errorf("another state comes back, %v", err)
	}
	if err := back.Merge(s); err != nil || back.Rows() != 120 {
		t.Errorf("%d rows, %v", back.Rows(), err)
	}
	if err := back.UnmarshalBinary(b[:len(b)-9]); err == nil || back.Rows() != 120 {
		t.Errorf("half a state: %v, %d rows", err, back.Rows())
	}
}

func TestSumsRefuse(t *testing.T) {
	x, w := corners(20)
	s := addAll(t, NewModel(mat.DenseCopyOf(x.Slice(0, 4, 0, 3))), x, w)
	if err := s.Merge(NewSums(NewModel(mat.DenseCopyOf(x.Slice(1, 5, 0, 3))))); err == nil {
		t.Error("sums of other centers were merged")
	}
	if err := s.Merge(NewSums(NewModel(mat.NewDense(2, 3, nil)))); err == nil {
		t.Error("sums of other shapes were merged")
	}
	want, objective := slices.Clone(s.Weights()), s.Objective()
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e200} {
		bad := mat.DenseCopyOf(x)
		bad.Set(7, 1, v)
		var data *gram.DataError
		if err := s.Add(bad, nil); !errors.As(err, &data) || data.Row != 7 {
			t.Errorf("a cell %v: %v", v, err)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), -1} {
		bad := slices.Clone(w)
		bad[9] = v
		var data *gram.DataError
		if err := s.Add(x, bad); !errors.As(err, &data) || data.Row != 9 || data.Col != -2 {
			t.Errorf("a weight %v: %v", v, err)
		}
	}
	for name, f := range map[string]func(){
		"fewer weights": func() { _ = s.Add(x, w[1:]) },
		"other columns": func() { _ = s.Add(x.Slice(0, 20, 0, 2), w) },
	} {
		if must.Recovered(f) == nil {
			t.Errorf("%s are taken", name)
		}
	}
	if !slices.Equal(s.Weights(), want) || s.Objective() != objective || s.Rows() != 20 {
		t.Error("what was refused has been added")
	}
	// Sums that no rows have are not read.
	for name, change := range map[string]func(s *Sums){
		"rows":      func(s *Sums) { s.rows = -1 },
		"objective": func(s *Sums) { s.objective = -1 },
		"weights":   func(s *Sums) { s.weight[3] = -1 },
		"a weight":  func(s *Sums) { s.weight = s.weight[:3] },
		"moments":   func(s *Sums) { s.moment = mat.NewDense(4, 2, nil) },
	} {
		bad := addAll(t, s.model, x, w)
		change(bad)
		fixture.Misfits(t, name, bad, decodeSums)
	}
}
