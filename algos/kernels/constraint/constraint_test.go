package constraint

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/algos/algotest"
	"github.com/gramworks/gram/internal/gen"
	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// value is tr(K·A) from the definition.
func value(c Linear, k *mat.SymDense) (sum float64) {
	n := k.SymmetricDim()
	for _, t := range c.Terms {
		z := mat.NewVecDense(n, nil)
		for at, v := range t.Z.Value {
			i := at
			if t.Z.Index != nil {
				i = t.Z.Index[at]
			}
			z.SetVec(i, z.AtVec(i)+v)
		}
		sum += t.Weight * mat.Inner(z, k, z)
	}
	return sum + c.Identity*mat.Trace(k)
}

// Every builder says what its comment says.
func TestBuilders(t *testing.T) {
	const n = 7
	var k mat.SymDense
	k.SymOuterK(1, gen.Normal(n, n, 3))
	d := func(i, j int) float64 { return k.At(i, i) + k.At(j, j) - 2*k.At(i, j) }
	z := gen.Normal(n, 2, 4)
	var sum mat.SymDense
	sum.SymOuterK(1, z)
	general := must.Have(General(t.Context(), &sum, Equal, 1))(t)
	quad := func(j int) float64 { return mat.Inner(z.ColView(j), &k, z.ColView(j)) }
	var class, all float64
	for _, j := range []int{1, 4, 4} {
		class += k.At(1, j)
	}
	for _, j := range []int{1, 2, 4, 4, 6} {
		all += k.At(1, j)
	}
	for name, s := range map[string]struct {
		c    Linear
		want float64
	}{
		"distance":                      {Distance(1, 2, AtMost, 3), d(1, 2)},
		"similarity":                    {Similarity(1, 2, AtMost, 3), k.At(1, 2)},
		"norm":                          {Similarity(2, 2, AtMost, 3), k.At(2, 2)},
		"relative distance":             {RelativeDistance(0, 1, 0, 3, AtMost, -1), d(0, 1) - d(0, 3)},
		"relative similarity":           {RelativeSimilarity(0, 1, 2, 2, AtMost, 1), k.At(0, 1) - k.At(2, 2)},
		"quadratic":                     {Quadratic(Vector{Value: mat.Col(nil, 1, z)}, Equal, 1), quad(1)},
		"low rank":                      {LowRank(z, []float64{2, -3}, Equal, 1), 2*quad(0) - 3*quad(1)},
		"general":                       {general, quad(0) + quad(1)},
		"trace":                         {Trace(Equal, 1), mat.Trace(&k)},
		"probability":                   {Probability(1, []int{1, 4, 4}, []int{1, 2, 4, 4, 6}, 0.3), class - 0.3*all},
		"probability of all, certainty": {Probability(1, []int{2}, []int{2}, 1), 0},
	} {
		if got := value(s.c, &k); !(math.Abs(got-s.want) <= 1e-12*(1+math.Abs(s.want))) {
			t.Errorf("%s: %g, want %g", name, got, s.want)
		}
		if err := Check([]Linear{s.c}, n); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// General has a term for each eigenvalue that is not of rounding, whichever sign the
// largest has.
func TestGeneralTerms(t *testing.T) {
	z := gen.Normal(12, 2, 5)
	for _, signs := range [][2]float64{{1, 1}, {-1, -1}, {-1, 1}} {
		a := mat.NewSymDense(12, nil)
		for k, s := range signs {
			a.SymRankOne(a, s, z.ColView(k))
		}
		c, err := General(t.Context(), a, Equal, 1)
		if err != nil || len(c.Terms) != 2 {
			t.Errorf("signs %v: %d terms, %v", signs, len(c.Terms), err)
		}
	}
}

func TestExcess(t *testing.T) {
	for _, s := range []struct {
		r                   Relation
		value, bound, wants float64
	}{{AtMost, 3, 1, 2}, {AtMost, 1, 3, 0}, {AtLeast, 1, 3, 2}, {AtLeast, 3, 1, 0}, {Equal, 1, 3, 2}, {Equal, 3, 1, 2}} {
		if got := s.r.Excess(s.value, s.bound); got != s.wants {
			t.Errorf("%v %v %v: %v, want %v", s.value, s.r, s.bound, got, s.wants)
		}
	}
}

func TestRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	term := func(weight float64, index []int, value ...float64) []Term {
		return []Term{{weight, Vector{index, value}}}
	}
	good := Distance(0, 3, AtMost, 0.3)
	for field, bad := range map[string]Linear{
		"Relation":         {Relation: Equal + 1},
		"Bound":            {Terms: good.Terms, Bound: nan},
		"Identity":         {Identity: -inf},
		"Terms[0].Weight":  {Terms: term(nan, []int{1}, 1)},
		"Terms[0].Z":       {Terms: term(1, []int{1, 2}, 1)},
		"Terms[1].Z":       {Terms: append(term(1, []int{1}, 1), term(1, nil, 1, 2, 3)...)},
		"Terms[0].Z.Index": {Terms: term(1, []int{30}, 1)},
		"Terms[0].Z.Value": {Terms: term(1, []int{1}, inf)},
	} {
		var ce *gram.ConfigError
		if err := Check([]Linear{good, bad}, 30); !errors.As(err, &ce) || ce.Field != "constraints[1]."+field {
			t.Errorf("%s: %v", field, err)
		}
	}
	algotest.Names(t, "Index", -1, Check([]Linear{Distance(-1, 3, AtMost, 1)}, 30))
	algotest.Names(t, "pairs", "none", CheckPairs(nil, 3))
	for _, p := range []Pair{{-1, 0, true}, {0, -1, true}, {30, 0, true}, {0, 30, true}, {3, 3, true}} {
		algotest.Names(t, "pairs[1]", p, CheckPairs([]Pair{{0, 1, true}, p}, 30))
	}
	d := algotest.Problem(5, 30, 3, 3)
	for _, margin := range []float64{-1, 1, nan} {
		_, err := FromLabels(d.X, d.Labels.Class, 3, margin, 1)
		algotest.Names(t, "margin", margin, err)
	}
	_, err := FromLabels(d.X, d.Labels.Class, 0, 0, 1)
	algotest.Names(t, "count", 0, err)
	gauss := kernel.Gaussian{Gamma: 0.1}
	for _, p := range [][2]float64{{-1, 50}, {50, 50}, {10, 101}, {nan, 50}, {10, nan}} {
		_, err := Percentiles(t.Context(), gauss, d.X, p[0], p[1], 1)
		algotest.Names(t, "Percentiles", p, err)
	}
	_, err = Percentiles(t.Context(), gauss, d.X.(*mat.Dense).Slice(0, 1, 0, 3), 5, 95, 1)
	algotest.Names(t, "rows", 1, err)
}

func TestDescribed(t *testing.T) { algotest.Described(t, &Pairs{}) }

// Rows without a class take no part; all pairs there are is as many as there can be.
func TestFromLabels(t *testing.T) {
	g := gen.Normal(9, 9, 3)
	class := []int{0, 0, 1, 1, -1, -1, -1, -1, -1}
	cs, err := FromLabels(g, class, 100, 0.25, 1)
	if err != nil || len(cs) != 6 {
		t.Fatalf("%d constraints among 4 labelled rows: %v", len(cs), err)
	}
	var k mat.SymDense
	k.SymOuterK(1, g)
	for _, c := range cs {
		z := c.Terms[0].Z.Index
		factor := 1.25
		if class[z[0]] == class[z[1]] {
			factor = 0.75
		}
		if d := value(c, &k); (c.Relation == AtMost) != (factor < 1) || !(math.Abs(c.Bound-factor*d) <= 1e-12*d) {
			t.Errorf("rows %v: %v %v, the distance is %v", z, c.Relation, c.Bound, d)
		}
	}
	for i := range class {
		class[i] = -1
	}
	var de *gram.DataError
	if _, err = FromLabels(g, class, 5, 0.25, 1); !errors.As(err, &de) {
		t.Errorf("no labels: %v", err)
	}
}

// Classes of another number than the rows are refused with the first row that lacks its class, or its numbers.
func TestClassesOfOtherRows(t *testing.T) {
	for _, classes := range []int{3, 9} {
		var de *gram.DataError
		_, err := Pairs{}.FromLabels(t.Context(), kernel.Linear{}, gen.Normal(5, 2, 1), gram.Labels{Class: make([]int, classes), Names: []string{"a", "b"}}, 1)
		if !errors.As(err, &de) || de.Row != min(classes, 5) || de.Col != -1 {
			t.Errorf("%d classes for 5 rows: %v", classes, err)
		}
	}
}

func TestFromPairs(t *testing.T) {
	got := FromPairs([]Pair{{1, 2, true}, {3, 4, false}}, Bounds{0.5, 7})
	want := []Linear{Distance(1, 2, AtMost, 0.5), Distance(3, 4, AtLeast, 7)}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// All pairs are drawn equally often, and told by the classes.
func TestSample(t *testing.T) {
	class := []int{0, 1, 0, 2, 1, 0}
	pairs := Sample(class, 3000, 1)
	seen := map[[2]int]int{}
	for _, p := range pairs {
		if p.I == p.J || p.Same != (class[p.I] == class[p.J]) {
			t.Fatalf("pair %+v", p)
		}
		seen[[2]int{p.I, p.J}]++
	}
	for ij, n := range seen { // 100 are expected
		if n < 55 || n > 150 {
			t.Errorf("pair %v was drawn %d times of 3000", ij, n)
		}
	}
	if len(seen) != 30 {
		t.Errorf("%d of 30 pairs were drawn", len(seen))
	}
}

func TestInfeasibleError(t *testing.T) {
	for _, s := range []struct {
		who  []int
		want string
	}{{[]int{4}, "infeasible constraints [4]: why"}, {[]int{7, 6, 5, 4, 3, 2, 1}, "infeasible constraints [7 6 5 4 3] and 2 more: why"}} {
		if got := (&InfeasibleError{Constraints: s.who, Reason: "why"}).Error(); got != s.want {
			t.Errorf("%q, want %q", got, s.want)
		}
	}
}

func TestPercentilesFingerprint(t *testing.T) {
	algotest.AtGeneric(t, func() {
		var items []any
		for _, n := range []int{60, 330} { // all pairs, drawn ones
			b := must.Have(Percentiles(t.Context(), kernel.Gaussian{Gamma: 0.1}, algotest.Problem(24, n, 4, 3).X, 10, 80, 3))(t)
			items = append(items, fmt.Sprint(n), []float64{b.Low, b.High})
		}
		algotest.Fingerprint(t, items...)
	})
}
