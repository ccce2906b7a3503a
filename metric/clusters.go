package metric

import "math"

// table counts how many rows have each label and each pair of labels. The counts
// are in the order of first occurrence, so that sums over them always have the
// same bits.
type table struct {
	pair []int
	a, b []int
	n    int
}

func contingency(a, b []int) table {
	same(a, b)
	t := table{n: len(a)}
	ia, ib, ip := map[int]int{}, map[int]int{}, map[[2]int]int{}
	count := func(m map[int]int, c *[]int, v int) {
		k, ok := m[v]
		if !ok {
			k = len(*c)
			m[v] = k
			*c = append(*c, 0)
		}
		(*c)[k]++
	}
	for i := range a {
		count(ia, &t.a, a[i])
		count(ib, &t.b, b[i])
		key := [2]int{a[i], b[i]}
		k, ok := ip[key]
		if !ok {
			k = len(t.pair)
			ip[key] = k
			t.pair = append(t.pair, 0)
		}
		t.pair[k]++
	}
	return t
}

// NMI returns the normalized mutual information of two labelings,
// I(a;b)/√(H(a)·H(b)). It is 1 if they are the same partition and about 0 if
// they are independent. It is 0 if exactly one of them has a single cluster and
// 1 if both have.
func NMI(a, b []int) float64 {
	t := contingency(a, b)
	ha, hb := entropy(t.a, t.n), entropy(t.b, t.n)
	if len(t.a) == 1 && len(t.b) == 1 {
		return 1
	}
	if len(t.a) == 1 || len(t.b) == 1 {
		return 0
	}
	i := ha + hb - entropy(t.pair, t.n)
	return min(1, max(0, i/math.Sqrt(ha*hb)))
}

func entropy(count []int, n int) float64 {
	var h float64
	for _, c := range count {
		p := float64(c) / float64(n)
		h -= p * math.Log(p)
	}
	return h
}

// Purity returns the fraction of rows whose class is the most frequent class of
// their cluster.
func Purity(cluster, class []int) float64 {
	same(cluster, class)
	count := map[[2]int]int{}
	best := map[int]int{}
	for i, c := range cluster {
		key := [2]int{c, class[i]}
		count[key]++
		best[c] = max(best[c], count[key])
	}
	s := 0
	for _, v := range best {
		s += v
	}
	return float64(s) / float64(len(class))
}

// PairError returns the fraction of the n(n−1)/2 pairs of rows that are in one
// cluster by one labeling and in different clusters by the other: one minus the
// Rand index. It is 0 for a single row, which has no pairs.
func PairError(a, b []int) float64 {
	t := contingency(a, b)
	if t.n == 1 {
		return 0
	}
	wrong := pairs(t.a) + pairs(t.b) - 2*pairs(t.pair)
	return wrong / (float64(t.n) * float64(t.n-1) / 2)
}

func pairs(count []int) float64 {
	var s float64
	for _, c := range count {
		s += float64(c) * float64(c-1) / 2
	}
	return s
}
