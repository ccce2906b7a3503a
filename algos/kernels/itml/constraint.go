package itml

import (
	"fmt"
	"math"

	"github.com/gramworks/gram"
)

// Sense says on which side of its bound a constraint wants its value.
type Sense uint8

const (
	AtMost Sense = iota
	AtLeast
	Equal
)

// String returns ≤, ≥ or =.
func (s Sense) String() string { return [...]string{"≤", "≥", "="}[s] }

// Term is Coef·zᵀK_Wz with z = Σ_k Weight[k]·e_{Index[k]}, where K_W is the
// learned kernel matrix of the training rows and Index are rows.
type Term struct {
	Coef   float64
	Index  []int
	Weight []float64
}

// Constraint is a linear constraint on the learned kernel matrix K_W of the
// training rows: the sum of its terms is at most, at least or equal to Bound.
// Tr(C·K_W) for a symmetric C is such a sum, with one term per eigenvalue of C.
type Constraint struct {
	Terms []Term
	Sense Sense
	Bound float64
}

// Distance bounds the squared distance of rows i and j in the learned kernel,
// K_W(i,i) + K_W(j,j) − 2K_W(i,j).
func Distance(i, j int, s Sense, squared float64) Constraint {
	return Constraint{[]Term{difference(1, i, j)}, s, squared}
}

// Similarity bounds K_W(i,j). i = j is allowed.
func Similarity(i, j int, s Sense, bound float64) Constraint {
	return Constraint{product(1, i, j), s, bound}
}

// Relative asks that rows i and j be closer to each other than rows l and m, by
// margin in squared distance: d²_ij + margin ≤ d²_lm. A triplet (i, j, m) is
// Relative(i, j, i, m, margin).
func Relative(i, j, l, m int, margin float64) Constraint {
	return Constraint{[]Term{difference(1, i, j), difference(-1, l, m)}, AtMost, -margin}
}

// RelativeSimilarity asks that K_W(i,j) + margin ≤ K_W(l,m).
func RelativeSimilarity(i, j, l, m int, margin float64) Constraint {
	return Constraint{append(product(1, i, j), product(-1, l, m)...), AtMost, -margin}
}

// Probability asks that the kernel estimate of the probability of a class, given
// row i, is at least p:
//
//	Σ_{j∈class} K_W(i,j) ≥ p·Σ_{j∈all} K_W(i,j).
//
// class is a subset of all; a row that occurs twice counts twice. The estimate is
// a probability where the learned kernel is not negative.
func Probability(i int, class, all []int, p float64) Constraint {
	at := map[int]int{}
	var index []int
	var weight []float64
	add := func(j int, w float64) {
		k, seen := at[j]
		if !seen {
			k = len(index)
			at[j] = k
			index, weight = append(index, j), append(weight, 0)
		}
		weight[k] += w
	}
	for _, j := range all {
		add(j, -p)
	}
	for _, j := range class {
		add(j, 1)
	}
	return Constraint{bilinear(1, []int{i}, []float64{1}, index, weight), AtLeast, 0}
}

func difference(c float64, i, j int) Term {
	return Term{c, []int{i, j}, []float64{1, -1}}
}

func product(c float64, i, j int) []Term {
	if i == j {
		return []Term{{c, []int{i}, []float64{1}}}
	}
	return bilinear(c, []int{i}, []float64{1}, []int{j}, []float64{1})
}

// bilinear is c·aᵀK_Wb = c/4·((a+b)ᵀK_W(a+b) − (a−b)ᵀK_W(a−b)), with a and b
// brought to the same length first.
func bilinear(c float64, ai []int, aw []float64, bi []int, bw []float64) []Term {
	norm := func(w []float64) float64 {
		var s float64
		for _, v := range w {
			s += v * v
		}
		return math.Sqrt(s)
	}
	f := 1.
	if na, nb := norm(aw), norm(bw); na > 0 && nb > 0 {
		f = math.Sqrt(nb / na)
	}
	sum := func(sign float64) ([]int, []float64) {
		at := map[int]int{}
		var index []int
		var weight []float64
		add := func(i int, w float64) {
			k, seen := at[i]
			if !seen {
				k = len(index)
				at[i] = k
				index, weight = append(index, i), append(weight, 0)
			}
			weight[k] += w
		}
		for k, i := range ai {
			add(i, f*aw[k])
		}
		for k, i := range bi {
			add(i, sign/f*bw[k])
		}
		return index, weight
	}
	pi, pw := sum(1)
	mi, mw := sum(-1)
	return []Term{{c / 4, pi, pw}, {-c / 4, mi, mw}}
}

// valid returns a *gram.ConfigError for the first constraint that is not one on
// n rows.
func valid(cons []Constraint, n int) error {
	bad := func(i int, value any, want string) error {
		return &gram.ConfigError{Field: fmt.Sprintf("constraint %d", i), Value: value, Want: want}
	}
	for i, c := range cons {
		switch {
		case len(c.Terms) == 0:
			return bad(i, "without terms", "at least one")
		case c.Sense > Equal:
			return bad(i, fmt.Sprintf("of sense %d", c.Sense), "AtMost, AtLeast or Equal")
		case c.Bound-c.Bound != 0:
			return bad(i, fmt.Sprintf("with bound %v", c.Bound), "a finite bound")
		}
		for _, t := range c.Terms {
			if len(t.Index) != len(t.Weight) || len(t.Index) == 0 || t.Coef-t.Coef != 0 || t.Coef == 0 {
				return bad(i, fmt.Sprintf("with a term of %d rows, %d weights and coefficient %v", len(t.Index), len(t.Weight), t.Coef),
					"as many weights as rows, at least one, and a coefficient that is finite and not 0")
			}
			for k, r := range t.Index {
				if r < 0 || r >= n {
					return bad(i, fmt.Sprintf("on row %d", r), fmt.Sprintf("rows from 0 to %d", n-1))
				}
				if w := t.Weight[k]; w-w != 0 {
					return bad(i, fmt.Sprintf("with weight %v", w), "finite weights")
				}
			}
		}
	}
	return nil
}

// InfeasibleError says that no learned kernel meets the constraints.
// Constraint is one that cannot be met, alone or beside the others.
type InfeasibleError struct {
	Constraint int
	Reason     string
}

// Error names the constraint and the reason.
func (e *InfeasibleError) Error() string {
	return fmt.Sprintf("constraint %d cannot be met: %s", e.Constraint, e.Reason)
}
