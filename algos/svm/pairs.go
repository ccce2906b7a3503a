package svm

import (
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// A row of class c has coefficients only in the functions of the pairs with c:
// classes−1 numbers, of which column(c, o) belongs to the pair with class o. That is
// what a machine of pairs holds of each support vector, as LIBSVM does. Its support
// vectors are in the order of their classes.

// column is where a row of class c has its coefficient in the function of the pair
// of c and o.
func column(c, o int) int {
	if o < c {
		return o
	}
	return o - 1
}

// pairOf returns the classes of function f of one against one: the first class is
// the negative one.
func pairOf(f, classes int) (a, b int) {
	for a = range classes {
		if f < classes-1-a {
			return a, a + 1 + f
		}
		f -= classes - 1 - a
	}
	panic("svm: there is no such pair")
}

// functionOf is the inverse of pairOf, for classes in any order.
func functionOf(a, b, classes int) int {
	a, b = min(a, b), max(a, b)
	return a*(2*classes-a-1)/2 + b - a - 1
}

// eachPair calls use with the functions that a row of class c has coefficients in,
// in the order of their columns.
func eachPair(c, classes int, use func(column, function int)) {
	for o := range classes {
		if o != c {
			use(column(c, o), functionOf(c, o, classes))
		}
	}
}

// classOf returns the class of a row with coefficients in the functions of pairs,
// by their signs where there are two such classes, and 0 for a row without any; ok
// is false if no class has a part in all of these functions.
func classOf(row []float64, classes int) (class int, ok bool) {
	first, count := -1, 0
	for f, v := range row {
		if v != 0 {
			count++
			if first < 0 {
				first = f
			}
		}
	}
	if first < 0 {
		return 0, true
	}
	a, b := pairOf(first, classes)
	if row[first] > 0 {
		a, b = b, a
	}
	for _, c := range []int{a, b} {
		own := 0
		eachPair(c, classes, func(_, f int) {
			if row[f] != 0 {
				own++
			}
		})
		if own == count {
			return c, true
		}
	}
	return 0, false
}

// narrow returns the n×(classes−1) coefficients of n×functions ones and the class of
// each row. If a row has no class, bad is that row, else −1.
func narrow(coef *mat.Dense, classes int) (own *mat.Dense, class []int, bad int) {
	n, _ := coef.Dims()
	own, class = mat.NewDense(n, classes-1, nil), make([]int, n)
	for i := range n {
		row := coef.RawRowView(i)
		c, ok := classOf(row, classes)
		if !ok {
			return nil, nil, i
		}
		class[i] = c
		to := own.RawRowView(i)
		eachPair(c, classes, func(column, f int) { to[column] = row[f] })
	}
	return own, class, -1
}

// sortByClass orders rows, a list of row numbers, by their classes, and returns how
// many there are of each.
func sortByClass(rows, class []int, classes int) (counts []int) {
	counts = make([]int, classes)
	for _, i := range rows {
		counts[class[i]]++
	}
	slices.SortStableFunc(rows, func(i, j int) int { return class[i] - class[j] })
	return counts
}

// groups are the support vectors of each class as a product takes them.
func groups(counts []int) []kernel.Group {
	list := make([]kernel.Group, len(counts))
	for c, n := range counts {
		list[c] = kernel.Group{Rows: n, Columns: make([]int, 0, len(counts)-1)}
		eachPair(c, len(counts), func(_, f int) { list[c].Columns = append(list[c].Columns, f) })
	}
	return list
}

// widen writes the coefficients in all functions of support vector k into row at(k)
// of dst, which is zero.
func (m *machine) widen(dst gram.Rows[float64], at func(k int) int) {
	if m.counts == nil {
		for k := range m.coef.RawMatrix().Rows {
			copy(dst.Row(at(k)), m.coef.RawRowView(k))
		}
		return
	}
	k := 0
	for c, n := range m.counts {
		for range n {
			from, to := m.coef.RawRowView(k), dst.Row(at(k))
			eachPair(c, len(m.counts), func(column, f int) { to[f] = from[column] })
			k++
		}
	}
}
