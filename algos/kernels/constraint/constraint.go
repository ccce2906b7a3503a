package constraint

import (
	"context"
	"fmt"
	"math"

	"github.com/gramworks/gram/eig"
	"github.com/gramworks/gram/internal/enum"
	"github.com/gramworks/gram/settings"
	"gonum.org/v1/gonum/mat"
)

// Relation is how tr(KA) compares with the bound.
type Relation uint8

const (
	AtMost  Relation = iota // tr(KA) ≤ b
	AtLeast                 // tr(KA) ≥ b
	Equal                   // tr(KA) = b
)

// String returns ≤, ≥ or =.
func (r Relation) String() string { return enum.Name(r, "≤", "≥", "=") }

// Excess is by how much a value violates the relation to a bound.
func (r Relation) Excess(value, bound float64) float64 {
	switch r {
	case AtMost:
		return max(0, value-bound)
	case AtLeast:
		return max(0, bound-value)
	}
	return math.Abs(value - bound)
}

// Vector is a vector of length n: Value[k] at Index[k], zero elsewhere. An index that
// occurs twice adds up. Index nil means that all n values are given.
type Vector struct {
	Index []int
	Value []float64
}

// Term is the matrix Weight·z·zᵀ of rank one, of which constraints are sums.
type Term struct {
	Weight float64
	Z      Vector
}

// Linear is the constraint tr(K·A) ≤, ≥ or = Bound for the symmetric n×n matrix
// A = Σ Weight_k·z_kz_kᵀ + Identity·I.
type Linear struct {
	Terms    []Term
	Identity float64
	Relation Relation
	Bound    float64
}

// pairVector returns the vector x·e_i + y·e_j, which has two nonzero elements.
func pairVector(i int, x float64, j int, y float64) Vector {
	return Vector{Index: []int{i, j}, Value: []float64{x, y}}
}

// product returns the terms whose sum of values is w·K_ij: K_ij is a quarter of zᵀKz for z = e_i + e_j less that for e_i − e_j.
func product(i, j int, w float64) []Term {
	if i == j {
		return []Term{{w, Vector{[]int{i}, []float64{1}}}}
	}
	return []Term{{w / 4, pairVector(i, 1, j, 1)}, {-w / 4, pairVector(i, 1, j, -1)}}
}

// Distance is K_ii + K_jj − 2K_ij ≤, ≥, = b: the squared distance of rows i and j.
func Distance(i, j int, relation Relation, b float64) Linear {
	return Linear{Terms: []Term{{1, pairVector(i, 1, j, -1)}}, Relation: relation, Bound: b}
}

// Similarity is K_ij ≤, ≥, = b. i = j is allowed.
func Similarity(i, j int, relation Relation, b float64) Linear {
	return Linear{Terms: product(i, j, 1), Relation: relation, Bound: b}
}

// RelativeDistance is d(i,j) − d(l,m) ≤, ≥, = b for squared distances: with AtMost
// and b = −margin, i and j are closer to each other than l and m, by the margin.
func RelativeDistance(i, j, l, m int, relation Relation, b float64) Linear {
	return Linear{Terms: []Term{{1, pairVector(i, 1, j, -1)}, {-1, pairVector(l, 1, m, -1)}}, Relation: relation, Bound: b}
}

// RelativeSimilarity is K_ij − K_lm ≤, ≥, = b.
func RelativeSimilarity(i, j, l, m int, relation Relation, b float64) Linear {
	return Linear{Terms: append(product(i, j, 1), product(l, m, -1)...), Relation: relation, Bound: b}
}

// Quadratic is zᵀKz ≤, ≥, = b, a bound on the squared length of a combination of rows in the feature space.
func Quadratic(z Vector, relation Relation, b float64) Linear {
	return Linear{Terms: []Term{{1, z}}, Relation: relation, Bound: b}
}

// LowRank is Σ_k weights_k·z_kᵀKz_k ≤, ≥, = b for the columns z_k of the n×s
// matrix z.
func LowRank(z mat.Matrix, weights []float64, relation Relation, b float64) Linear {
	if _, s := z.Dims(); s != len(weights) {
		panic("constraint: as many weights as columns are needed")
	}
	c := Linear{Relation: relation, Bound: b}
	for k, w := range weights {
		c.Terms = append(c.Terms, Term{w, Vector{Value: mat.Col(nil, k, z)}})
	}
	return c
}

// General is tr(KA) ≤, ≥, = b for any symmetric n×n matrix, whose
// eigendecomposition it computes: 9n³ flops, and a vector of length n for every
// eigenvalue above n·2⁻⁵³ of the largest. Errors as eig.SymAll.
func General(ctx context.Context, a mat.Symmetric, relation Relation, b float64) (Linear, error) {
	n := a.SymmetricDim()
	s := mat.NewSymDense(n, nil)
	s.CopySym(a)
	values, q, err := eig.SymAll(ctx, s)
	if err != nil {
		return Linear{}, err
	}
	c := Linear{Relation: relation, Bound: b}
	largest := math.Max(math.Abs(values[0]), math.Abs(values[n-1]))
	for k, v := range values {
		if math.Abs(v) > float64(n)*0x1p-53*largest {
			c.Terms = append(c.Terms, Term{v, Vector{Value: mat.Col(nil, k, q)}})
		}
	}
	return c, nil
}

// Trace is tr K ≤, ≥, = b.
func Trace(relation Relation, b float64) Linear {
	return Linear{Identity: 1, Relation: relation, Bound: b}
}

// Probability asks that the kernel estimate of the probability of a class, given
// row i, is at least p ([J10]):
//
//	Σ_{j∈class} K_ij ≥ p·Σ_{j∈all} K_ij.
//
// class is a subset of all; a row that occurs twice counts twice. The estimate is
// a probability where the learned kernel is not negative.
func Probability(i int, class, all []int, p float64) Linear {
	var z sum
	for _, j := range all {
		z.add(j, -p)
	}
	for _, j := range class {
		z.add(j, 1)
	}
	var square float64
	for _, v := range z.Value {
		square += v * v
	}
	// e_iᵀKz = ¼((fe_i + z/f)ᵀK(fe_i + z/f) − (fe_i − z/f)ᵀK(fe_i − z/f)), where f
	// brings both vectors to one length.
	f := 1.0
	if square > 0 {
		f = math.Sqrt(math.Sqrt(square))
	}
	c := Linear{Relation: AtLeast}
	for _, sign := range []float64{1, -1} {
		var s sum
		s.add(i, f)
		for k, j := range z.Index {
			s.add(j, sign/f*z.Value[k])
		}
		c.Terms = append(c.Terms, Term{sign / 4, s.Vector})
	}
	return c
}

// sum is a vector in which every index occurs once.
type sum struct {
	Vector
	at map[int]int
}

func (s *sum) add(i int, v float64) {
	if s.at == nil {
		s.at = map[int]int{}
	}
	k, seen := s.at[i]
	if !seen {
		k = len(s.Index)
		s.at[i] = k
		s.Index, s.Value = append(s.Index, i), append(s.Value, 0)
	}
	s.Value[k] += v
}

// Check returns a *gram.ConfigError for the first of the constraints that is not one
// on n rows.
func Check(constraints []Linear, n int) error {
	for i, c := range constraints {
		if err := c.check(i, n); err != nil {
			return err
		}
	}
	return nil
}

func (c Linear) check(at, n int) error {
	bad := func(field string, value any, want string) error {
		return settings.Refuse(fmt.Sprintf("constraints[%d].%s", at, field), value, "%s", want)
	}
	finite := func(v float64) bool { return v-v == 0 }
	switch {
	case c.Relation > Equal:
		return bad("Relation", uint8(c.Relation), "AtMost, AtLeast or Equal")
	case !finite(c.Bound):
		return bad("Bound", c.Bound, "a finite number")
	case !finite(c.Identity):
		return bad("Identity", c.Identity, "a finite number")
	}
	for k, t := range c.Terms {
		field := fmt.Sprintf("Terms[%d]", k)
		switch {
		case !finite(t.Weight):
			return bad(field+".Weight", t.Weight, "a finite number")
		case t.Z.Index == nil && len(t.Z.Value) != n:
			return bad(field+".Z", len(t.Z.Value), fmt.Sprintf("a value for every one of the %d rows, or an Index", n))
		case t.Z.Index != nil && len(t.Z.Index) != len(t.Z.Value):
			return bad(field+".Z", len(t.Z.Value), fmt.Sprintf("%d values, one per index", len(t.Z.Index)))
		}
		for _, i := range t.Z.Index {
			if i < 0 || i >= n {
				return bad(field+".Z.Index", i, fmt.Sprintf("a row from 0 to %d", n-1))
			}
		}
		for _, v := range t.Z.Value {
			if !finite(v) {
				return bad(field+".Z.Value", v, "finite numbers")
			}
		}
	}
	return nil
}
