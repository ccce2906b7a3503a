package crossval

import (
	"slices"
	"strings"
	"testing"

	"github.com/gramworks/gram/internal/must"
	"github.com/gramworks/gram/num/rng"
	"github.com/gramworks/gram/sparse"
)

// classes are those of n rows: a third of class 0, the others of 1 and 2 by turns, but
// for two rows of class 3.
func classes(n int) []int {
	class := make([]int, n)
	for i := range class {
		if i%3 > 0 {
			class[i] = 1 + i%2
		}
	}
	class[n/2], class[n-1] = 3, 3
	return class
}

// partition fails unless both lists of the splits together have each of n rows once.
func partition(t *testing.T, n int, splits ...Split) {
	t.Helper()
	for f, s := range splits {
		all := slices.Concat(s.Train, s.Held)
		slices.Sort(all)
		if len(all) != n {
			t.Errorf("split %d has %d rows of %d", f, len(all), n)
		}
		for i, v := range all {
			if i != v {
				t.Fatalf("split %d does not have each row once", f)
			}
		}
	}
}

// Each row is held out once, and each fold has its share of each class.
func TestFolds(t *testing.T) {
	const n, k = 101, 4
	for _, class := range [][]int{nil, classes(n)} {
		splits := Folds(n, k, class, 3)
		partition(t, n, splits...)
		var held []int
		count := make([][4]int, k)
		for f, s := range splits {
			if !slices.IsSorted(s.Train) || !slices.IsSorted(s.Held) {
				t.Errorf("fold %d is not in order", f)
			}
			held = append(held, s.Held...)
			if len(s.Held) < n/k || len(s.Held) > n/k+1 {
				t.Errorf("fold %d has %d of %d rows", f, len(s.Held), n)
			}
			for _, i := range s.Held {
				if class != nil {
					count[f][class[i]]++
				}
			}
		}
		partition(t, n, Split{held, nil})
		for c := range 4 {
			low, high := n, 0
			for f := range k {
				low, high = min(low, count[f][c]), max(high, count[f][c])
			}
			if high > low+1 {
				t.Errorf("class %d: the folds have %v", c, count)
			}
		}
		if slices.Equal(splits[0].Held, Folds(n, k, class, 4)[0].Held) {
			t.Error("another seed gives the same folds")
		}
	}
}

func TestShare(t *testing.T) {
	const n = 90
	class := classes(n)
	s := Share(n, .3, class, 1)
	partition(t, n, s)
	var all, held [4]int
	for _, c := range class {
		all[c]++
	}
	for _, i := range s.Held {
		held[class[i]]++
	}
	if len(s.Held) != 27 {
		t.Errorf("%d rows are held out, want 27", len(s.Held))
	}
	for c := range all {
		if exact := .3 * float64(all[c]); float64(held[c]) < exact-1 || float64(held[c]) > exact+1 {
			t.Errorf("%d of %d rows of class %d", held[c], all[c], c)
		}
	}
	none, whole := Share(5, 0, nil, 1), Share(5, 1, nil, 1)
	partition(t, 5, none, whole)
	if len(none.Held) != 0 || len(whole.Held) != 5 || len(Share(5, .5, nil, 1).Held) != 3 {
		t.Errorf("%v and %v of 5 rows are held out", none.Held, whole.Held)
	}
	// Of 3.3 and 2.7 rows the second is rounded up.
	s = Share(20, .3, slices.Concat(slices.Repeat([]int{0}, 11), slices.Repeat([]int{1}, 9)), 1)
	if len(s.Held) != 6 || s.Held[2] >= 11 || s.Held[3] < 11 {
		t.Errorf("3 rows of each class are held out: %v", s.Held)
	}
}

func TestCut(t *testing.T) {
	order := Order(10, 7)
	partition(t, 10, Split{order, nil})
	s := Cut(order, 3, 5)
	partition(t, 10, s)
	if !slices.Equal(s.Held, order[3:5]) || !slices.Equal(s.Train[:3], order[:3]) {
		t.Errorf("%v of %v", s, order)
	}
	s.Sort()
	if !slices.IsSorted(s.Train) || slices.IsSorted(order) {
		t.Error("the order was changed, or its parts were not")
	}
}

// A sample has different numbers in their order, each as often as the others, and the same for the same seed.
func TestSample(t *testing.T) {
	var count [6]int
	for seed := range uint64(600) {
		s := Sample(6, 3, seed)
		if len(s) != 3 || !slices.IsSorted(s) || len(slices.Compact(slices.Clone(s))) != 3 || !slices.Equal(s, Sample(6, 3, seed)) {
			t.Fatalf("3 of 6 numbers are %v", s)
		}
		for _, i := range s {
			count[i]++
		}
	}
	for i, k := range count {
		if k < 250 || k > 350 {
			t.Errorf("of 600 samples %d have the number %d, want about 300", k, i)
		}
	}
	if none, all := Sample(4, 0, 1), Sample(4, 4, 1); len(none) != 0 || !slices.Equal(all, []int{0, 1, 2, 3}) {
		t.Errorf("none of four are %v, all %v", none, all)
	}
	if slices.Equal(Order(20, 1), Order(20, 2)) || !slices.Equal(Order(20, 1), Order(20, 1)) {
		t.Error("the order does not depend on the seed alone")
	}
}

// Rows of one group stay together, and the parts are as equal as the groups allow.
func TestGroups(t *testing.T) {
	var group []int
	for g, size := range []int{9, 1, 4, 4, 2, 7, 3} {
		group = append(group, slices.Repeat([]int{10 * g}, size)...)
	}
	rng.New(1, 1).Shuffle(len(group), func(i, j int) { group[i], group[j] = group[j], group[i] })
	splits := Groups(group, 3, 5)
	partition(t, len(group), splits...)
	home := map[int]int{}
	for f, s := range splits {
		if len(s.Held) != 10 {
			t.Errorf("part %d has %d rows of %d", f, len(s.Held), len(group))
		}
		for _, i := range s.Held {
			if at, known := home[group[i]]; known && at != f {
				t.Errorf("group %d is in the parts %d and %d", group[i], at, f)
			}
			home[group[i]] = f
		}
	}
	if home[0] != 0 {
		t.Errorf("the largest group is in part %d", home[0])
	}
	pairs := make([]int, 20)
	for i := range pairs {
		pairs[i] = i / 2
	}
	if slices.Equal(Groups(pairs, 2, 1)[0].Held, Groups(pairs, 2, 2)[0].Held) {
		t.Error("another seed gives the same parts")
	}
}

// Every entry is in one of the two matrices.
func TestEntries(t *testing.T) {
	a := &sparse.CSR{N: 40, D: 30, Ptr: []int{0}}
	r := rng.New(4, 4)
	for i := range a.N {
		for j := range a.D {
			if r.IntN(3) == 0 {
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, float64(100*i+j))
			}
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	train, held := Entries(a, .25, 2)
	if n := held.NNZ(); train.NNZ()+n != a.NNZ() || n < a.NNZ()/6 || n > a.NNZ()/3 {
		t.Errorf("%d and %d of %d entries", train.NNZ(), n, a.NNZ())
	}
	for _, part := range []*sparse.CSR{train, held} {
		if err := part.Validate(); err != nil || part.N != a.N || part.D != a.D {
			t.Errorf("%d×%d: %v", part.N, part.D, err)
		}
		part.DoNonZero(func(i, j int, v float64) {
			if v != float64(100*i+j) {
				t.Errorf("entry %d, %d is %g", i, j, v)
			}
		})
	}
	if train, held = Entries(&sparse.CSR{N: 1, D: 2, Ptr: []int{0, 2}, Col: []int32{0, 1}}, .5, 1); train.Val != nil || held.Val != nil {
		t.Error("entries without values have got some")
	}
}

// Every beginning has the classes in their shares, the rare one from the start on.
func TestNested(t *testing.T) {
	const n = 400
	class := classes(n)
	rows := Order(n, 1)[:300]
	own := [4]int{}
	for _, i := range rows {
		own[class[i]]++
	}
	if own[3] == 0 {
		t.Fatal("choose another seed")
	}
	order := nested(rows, class, 2)
	var have [4]int
	for m, i := range order {
		have[class[i]]++
		for c := range have {
			if exact := float64((m+1)*own[c]) / 300; m > 3 && (float64(have[c]) < exact-1.01 || float64(have[c]) > exact+1.01) {
				t.Fatalf("%d of the first %d rows are of class %d, which has %d of 300", have[c], m+1, c, own[c])
			}
		}
		if m == 3 && have != [4]int{1, 1, 1, 1} {
			t.Errorf("the first rows are of the classes %v", have)
		}
	}
	slices.Sort(order)
	slices.Sort(rows)
	if !slices.Equal(order, rows) {
		t.Error("they are other rows")
	}
}

func TestSplitPanics(t *testing.T) {
	for what, f := range map[string]func(){
		"parts":          func() { Parts(3, 4, nil, 1) },
		"folds":          func() { Folds(3, 1, nil, 1) },
		"no part":        func() { Parts(3, 0, nil, 1) },
		"share":          func() { Share(3, 1.5, nil, 1) },
		"negative share": func() { Share(3, -.5, nil, 1) },
		"no share":       func() { Share(3, nan, nil, 1) },
		"groups":         func() { Groups([]int{1, 1}, 2, 1) },
		"one group":      func() { Groups([]int{1, 2}, 1, 1) },
		"sample":         func() { Sample(3, 4, 1) },
		"no sample":      func() { Sample(3, -1, 1) },
	} {
		if text, ok := must.Recovered(f).(string); !ok || !strings.HasPrefix(text, "crossval: ") {
			t.Errorf("%s: the panic is %q", what, text)
		}
	}
}
