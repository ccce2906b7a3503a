package svm

import (
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/kernel"
	"gonum.org/v1/gonum/mat"
)

// A row of class c has coefficients only in the classes−1 functions of the pairs with
// c. A machine of pairs stores these numbers for each support vector, as LIBSVM does:
// the number in column(c, o) belongs to the pair of c and o. The support vectors are
// sorted by class.

// column returns the column in which a row of class c has its coefficient in the
// function of the pair of c and o.
func column(c, o int) int {
	if o < c {
		return o
	}
	return o - 1
}

// pairOf returns the classes of function f of one against one. The first of them is
// the negative class.
func pairOf(f, classes int) (a, b int) {
	// functionOf(a, a+1, classes) is f, or just below it, at a root of a quadratic equation. At
	// functions of that form the root is exact.
	h := float64(classes) - .5
	a = int(h - math.Sqrt(h*h-2*float64(f)))
	return a, a + 1 + f - functionOf(a, a+1, classes)
}

// functionOf is the inverse of pairOf. The classes can be given in any order.
func functionOf(a, b, classes int) int {
	a, b = min(a, b), max(a, b)
	return a*(2*classes-a-1)/2 + b - a - 1
}

// eachPair calls use for every function in which a row of class c has coefficients, in
// the order of their columns.
func eachPair(c, classes int, use func(column, function int)) {
	for o := range classes {
		if o != c {
			use(column(c, o), functionOf(c, o, classes))
		}
	}
}

// classOf returns the class of a row from its coefficients in the functions of pairs.
// If two classes are possible, the sign of the coefficients decides. A row without
// coefficients gets class 0. ok is false if no class takes part in all the functions.
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

// narrow turns n×functions coefficients into n×(classes−1) ones and returns the class
// of each row. bad is the first row that has no class, or −1.
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

// sortByClass sorts a list of row numbers by class and returns the number of rows of
// each class.
func sortByClass(rows, class []int, classes int) (counts []int) {
	counts = make([]int, classes)
	for _, i := range rows {
		counts[class[i]]++
	}
	slices.SortStableFunc(rows, func(i, j int) int { return class[i] - class[j] })
	return counts
}

// groups returns the support vectors of each class in the form that a product takes.
func groups(counts []int) []kernel.Group {
	list := make([]kernel.Group, len(counts))
	for c, n := range counts {
		list[c] = kernel.Group{Rows: n, Columns: make([]int, 0, len(counts)-1)}
		eachPair(c, len(counts), func(_, f int) { list[c].Columns = append(list[c].Columns, f) })
	}
	return list
}

// widen writes the coefficients of support vector k in all functions into row at(k)
// of dst, which must be zero.
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
