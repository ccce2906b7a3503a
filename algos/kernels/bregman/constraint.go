package bregman

import (
	"fmt"
	"math"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/eig"
	"gonum.org/v1/gonum/mat"
)

// Relation is how tr(KA) compares with the bound.
type Relation uint8

const (
	AtMost  Relation = iota // tr(KA) ≤ b
	AtLeast                 // tr(KA) ≥ b
	Equal                   // tr(KA) = b
)

// Vector is a vector of length n: Value[k] at Index[k], zero elsewhere. Index
// nil means that all n values are given.
type Vector struct {
	Index []int
	Value []float64
}

// Term is Weight·z·zᵀ.
type Term struct {
	Weight float64
	Z      Vector
}

// Constraint is tr(K·A) ≤, ≥ or = Bound for the symmetric n×n matrix
// A = Σ Weight_k·z_kz_kᵀ + Identity·I. Distances are squared throughout.
//
// A projection costs O(s²·r²) for s ≤ 8 terms and O(r³) for more; terms with more
// than r values take O(n·r) once. Identity is free with VonNeumann and counts as
// r terms with Burg.
type Constraint struct {
	Terms    []Term
	Identity float64
	Relation Relation
	Bound    float64
}

// pair is x·e_i + y·e_j.
func pair(i int, x float64, j int, y float64) Vector {
	return Vector{Index: []int{i, j}, Value: []float64{x, y}}
}

func unit(i int) Vector { return Vector{Index: []int{i}, Value: []float64{1}} }

// Distance is K_ii + K_jj − 2K_ij ≤, ≥, = b: the squared distance of rows i and j.
func Distance(i, j int, relation Relation, b float64) Constraint {
	return Constraint{Terms: []Term{{1, pair(i, 1, j, -1)}}, Relation: relation, Bound: b}
}

// product is the terms of w·K_ij.
func product(i, j int, w float64) []Term {
	if i == j {
		return []Term{{w, unit(i)}}
	}
	return []Term{{w / 4, pair(i, 1, j, 1)}, {-w / 4, pair(i, 1, j, -1)}}
}

// Similarity is K_ij ≤, ≥, = b.
func Similarity(i, j int, relation Relation, b float64) Constraint {
	return Constraint{Terms: product(i, j, 1), Relation: relation, Bound: b}
}

// RelativeDistance is d(i,j) − d(l,m) ≤, ≥, = b for squared distances: with AtMost
// and b = 0, i and j are not farther apart than l and m.
func RelativeDistance(i, j, l, m int, relation Relation, b float64) Constraint {
	return Constraint{Terms: []Term{{1, pair(i, 1, j, -1)}, {-1, pair(l, 1, m, -1)}}, Relation: relation, Bound: b}
}

// RelativeSimilarity is K_ij − K_lm ≤, ≥, = b.
func RelativeSimilarity(i, j, l, m int, relation Relation, b float64) Constraint {
	return Constraint{Terms: append(product(i, j, 1), product(l, m, -1)...), Relation: relation, Bound: b}
}

// Quadratic is zᵀKz ≤, ≥, = b.
func Quadratic(z Vector, relation Relation, b float64) Constraint {
	return Constraint{Terms: []Term{{1, z}}, Relation: relation, Bound: b}
}

// LowRank is Σ_k weights_k·z_kᵀKz_k ≤, ≥, = b for the columns z_k of the n×s
// matrix z.
func LowRank(z mat.Matrix, weights []float64, relation Relation, b float64) Constraint {
	if _, s := z.Dims(); s != len(weights) {
		panic("bregman: as many weights as columns are needed")
	}
	c := Constraint{Relation: relation, Bound: b}
	for k, w := range weights {
		c.Terms = append(c.Terms, Term{w, Vector{Value: mat.Col(nil, k, z)}})
	}
	return c
}

// General is tr(KA) ≤, ≥, = b for any symmetric n×n matrix, whose
// eigendecomposition it computes: 9n³ flops, and a vector of length n for every
// eigenvalue above n·2⁻⁵³ of the largest. Errors as eig.SymAll.
func General(a mat.Symmetric, relation Relation, b float64) (Constraint, error) {
	n := a.SymmetricDim()
	s := mat.NewSymDense(n, nil)
	s.CopySym(a)
	values, q, err := eig.SymAll(s)
	if err != nil {
		return Constraint{}, err
	}
	c := Constraint{Relation: relation, Bound: b}
	largest := math.Max(math.Abs(values[0]), math.Abs(values[n-1]))
	for k, v := range values {
		if math.Abs(v) > float64(n)*0x1p-53*largest {
			c.Terms = append(c.Terms, Term{v, Vector{Value: mat.Col(nil, k, q)}})
		}
	}
	return c, nil
}

// Trace is tr K ≤, ≥, = b.
func Trace(relation Relation, b float64) Constraint {
	return Constraint{Identity: 1, Relation: relation, Bound: b}
}

// check is a *gram.ConfigError unless c is a constraint on n rows.
func (c Constraint) check(at, n int) error {
	bad := func(field string, value any, want string) error {
		return &gram.ConfigError{Field: fmt.Sprintf("constraints[%d].%s", at, field), Value: value, Want: want}
	}
	finite := func(v float64) bool { return v-v == 0 }
	switch {
	case c.Relation > Equal:
		return bad("Relation", c.Relation, "AtMost, AtLeast or Equal")
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

// InfeasibleError says that no kernel matrix in the range of the start keeps the
// constraints with these indices, one of them or several together, the one that
// weighs most first.
type InfeasibleError struct {
	Constraints []int
	Reason      string
}

// Error names the first constraints and the reason.
func (e *InfeasibleError) Error() string {
	const most = 5
	list := fmt.Sprint(e.Constraints[:min(most, len(e.Constraints))])
	if len(e.Constraints) > most {
		list = fmt.Sprintf("%s and %d more", list, len(e.Constraints)-most)
	}
	return fmt.Sprintf("infeasible constraints %s: %s", list, e.Reason)
}
