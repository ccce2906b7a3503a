package crossval

import (
	"cmp"
	"math"
	"slices"

	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
)

// Split divides rows into those that a model is trained on and those it is judged by.
type Split struct{ Train, Held []int }

// Sort sorts both lists in ascending order and returns s.
func (s Split) Sort() Split {
	slices.Sort(s.Train)
	slices.Sort(s.Held)
	return s
}

// Order returns the numbers 0, …, n−1 in a random order that depends on seed alone, for use
// with Cut.
func Order(n int, seed uint64) []int {
	return rng.New(rng.Derive(seed, "held out"), 0).Perm(n)
}

// Sample returns m different numbers of 0, …, n−1, ascending, drawn uniformly. It panics unless 0 ≤ m ≤ n.
func Sample(n, m int, seed uint64) []int {
	if m < 0 || m > n {
		panic("crossval: the sample is larger than the set")
	}
	rows := rng.New(rng.Derive(seed, "permutation"), 0).Perm(n)[:m]
	slices.Sort(rows)
	return rows
}

// Cut holds out the rows order[lo:hi]. Both lists are copies that keep the order.
func Cut(order []int, lo, hi int) Split {
	return Split{slices.Concat(order[:lo], order[hi:]), slices.Clone(order[lo:hi])}
}

// strata returns the rows of each class 0, 1, … in random order. If class is nil it returns
// one list of all n rows. Stream c of seed orders the rows of class c.
func strata(n int, class []int, seed uint64) [][]int {
	classes := 1
	for _, c := range class {
		classes = max(classes, c+1)
	}
	groups := make([][]int, classes)
	for i := range n {
		c := 0
		if class != nil {
			c = class[i]
		}
		groups[c] = append(groups[c], i)
	}
	for c, rows := range groups {
		rng.New(seed, uint64(c)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
	return groups
}

// Share holds out round(share·n) of n rows at random. Each class loses the same share of its
// rows, rounded so that the total is right; if class is nil, there are no classes. Both
// lists ascend. Share panics unless 0 ≤ share ≤ 1.
func Share(n int, share float64, class []int, seed uint64) Split {
	if !(share >= 0 && share <= 1) {
		panic("crossval: the share is not in [0,1]")
	}
	groups := strata(n, class, seed)
	part := make([]int, len(groups))
	rest := make([]float64, len(groups))
	order := make([]int, len(groups))
	left := int(math.Round(share * float64(n)))
	for g, rows := range groups {
		exact := share * float64(len(rows))
		part[g] = int(math.Floor(exact))
		rest[g] = exact - float64(part[g])
		left -= part[g]
		order[g] = g
	}
	// Rows that are left after rounding down go to the classes with the largest remainders.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rest[b], rest[a]) })
	var s Split
	for _, g := range order {
		if left > 0 && part[g] < len(groups[g]) {
			part[g]++
			left--
		}
	}
	for g, rows := range groups {
		s.Held = append(s.Held, rows[:part[g]]...)
		s.Train = append(s.Train, rows[part[g]:]...)
	}
	return s.Sort()
}

// Parts divides n rows at random into k parts whose sizes differ by at most one. The numbers
// of rows of each class differ by at most one, too; if class is nil, there are no classes.
// The rows of a part ascend. Parts panics unless 1 ≤ k ≤ n.
func Parts(n, k int, class []int, seed uint64) [][]int {
	if k < 1 || k > n {
		panic("crossval: the number of parts is not between 1 and the number of rows")
	}
	parts := make([][]int, k)
	at := 0
	for _, rows := range strata(n, class, seed) {
		for _, i := range rows {
			parts[at%k] = append(parts[at%k], i)
			at++
		}
	}
	for _, p := range parts {
		slices.Sort(p)
	}
	return parts
}

// Leave holds out part f. Train of the result ascends, and Held is parts[f] itself.
func Leave(parts [][]int, f int) Split {
	s := Split{Held: parts[f]}
	for g, rows := range parts {
		if g != f {
			s.Train = append(s.Train, rows...)
		}
	}
	slices.Sort(s.Train)
	return s
}

// Folds holds out each of k Parts of n rows in turn. The lists take 8·k·n bytes. It panics
// unless 2 ≤ k ≤ n.
func Folds(n, k int, class []int, seed uint64) []Split {
	if k < 2 {
		panic("crossval: fewer than two folds")
	}
	return leaveEach(Parts(n, k, class, seed))
}

func leaveEach(parts [][]int) []Split {
	splits := make([]Split, len(parts))
	for f := range parts {
		splits[f] = Leave(parts, f)
	}
	return splits
}

// Groups holds out each of k parts in turn. All rows i with the same number group[i] are in
// the same part. The groups are assigned in the order of decreasing size, each to the part
// with the fewest rows; seed decides between equals. Groups panics unless 2 ≤ k ≤ the number
// of groups.
func Groups(group []int, k int, seed uint64) []Split {
	rows := map[int][]int{}
	var names []int
	for i, g := range group {
		if rows[g] == nil {
			names = append(names, g)
		}
		rows[g] = append(rows[g], i)
	}
	if k < 2 || k > len(names) {
		panic("crossval: the number of folds is not between 2 and the number of groups")
	}
	rng.New(seed, 0).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	slices.SortStableFunc(names, func(a, b int) int { return cmp.Compare(len(rows[b]), len(rows[a])) })
	parts := make([][]int, k)
	for _, g := range names {
		least := 0
		for p := range parts {
			if len(parts[p]) < len(parts[least]) {
				least = p
			}
		}
		parts[least] = append(parts[least], rows[g]...)
	}
	for _, p := range parts {
		slices.Sort(p)
	}
	return leaveEach(parts)
}

// Entries holds out each stored entry of a with probability share. Both matrices have the
// shape of a, and every entry of a is in exactly one of them.
func Entries(a *sparse.CSR, share float64, seed uint64) (train, held *sparse.CSR) {
	var to [2]*sparse.CSR
	for i := range to {
		to[i] = &sparse.CSR{N: a.N, D: a.D, Ptr: make([]int, 1, a.N+1)}
		if a.Val != nil {
			to[i].Val = []float64{}
		}
	}
	r := rng.New(rng.Derive(seed, "held out"), 0)
	for i := range a.N {
		col, val := a.Row(i)
		for e, j := range col {
			t := to[0]
			if r.Float64() < share {
				t = to[1]
			}
			t.Col = append(t.Col, j)
			if val != nil {
				t.Val = append(t.Val, val[e])
			}
		}
		for _, t := range to {
			t.Ptr = append(t.Ptr, len(t.Col))
		}
	}
	return to[0], to[1]
}

// nested returns rows in an order of which every beginning contains the classes in about
// their shares, and each class at least once if it is long enough for that. class has the
// classes of all rows; nil: there are none.
func nested(rows, class []int, seed uint64) []int {
	var own []int
	if class != nil {
		own = make([]int, len(rows))
		for k, i := range rows {
			own[k] = class[i]
		}
	}
	type place struct {
		at    float64
		index int
	}
	places := make([]place, 0, len(rows))
	for _, stratum := range strata(len(rows), own, rng.Derive(seed, "rungs")) {
		for r, k := range stratum {
			places = append(places, place{float64(r) / float64(len(stratum)), rows[k]})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	out := make([]int, len(places))
	for k, p := range places {
		out[k] = p.index
	}
	return out
}
