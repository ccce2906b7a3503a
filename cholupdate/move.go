package cholupdate

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/num"
)

// Insert adds a row and a column to A, as row j and column j: column has the n+1 elements of the new row, with column[j] on the
// diagonal. Margin and errors are as for Append, with the pivot n, and f is unchanged after an error. It panics if column has
// another length or if j is not in [0, n]. Cost: n² + 3(n−j)² flops.
func (f *Factor[F]) Insert(j int, column []F) (margin float64, err error) {
	if j < 0 || j > f.n {
		panic("cholupdate: index out of range")
	}
	if len(column) != f.n+1 {
		panic("cholupdate: the column has not the order of the grown factor")
	}
	if i := notFinite(column); i >= 0 {
		return 0, &gram.DataError{Row: i, Col: -4, Value: float64(column[i]), Argument: "column"}
	}
	if len(f.work) <= f.n {
		f.work = make([]F, 2*f.n+8)
	}
	last := f.work[:f.n+1]
	copy(last, column[:j])
	copy(last[j:], column[j+1:])
	last[f.n] = column[j]
	if margin, err = f.Append(last); err == nil {
		f.Move(f.n-1, j)
	}
	return margin, err
}

// Move takes row and column from out of A and puts them back in at place to, so that those between move by one. It panics unless
// both are in [0, n). Cost: 3k² + 6k(n−k') flops for k = |from − to| and k' = max(from, to).
func (f *Factor[F]) Move(from, to int) {
	if from < 0 || from >= f.n || to < 0 || to >= f.n {
		panic("cholupdate: index out of range")
	}
	n := f.n
	u := func(i int) []F { return f.data[(f.start+i)*f.order+f.start:][:n] } // elements i … n−1 are those of U
	if len(f.work) < n {
		f.work = make([]F, 2*n+8)
	}
	w := f.work[:n]
	if from < to {
		// The columns between move to the left and have an element below the diagonal then, which is kept in w.
		for i := range to + 1 {
			row, lo := u(i), max(i, from)
			w[i] = row[lo]
			copy(row[lo:to], row[lo+1:to+1])
			if row[to] = 0; i <= from {
				row[to] = w[i]
			}
		}
		for k := from; k < to; k++ {
			x, y := u(k), u(k+1)
			r, c, s := rotationOf[F](float64(x[k]), float64(w[k+1]))
			x[k] = F(r)
			rotatePair(x[k+1:], y[k+1:], c, s)
		}
		if row := u(to); row[to] < 0 {
			multiply(row[to:], -1)
		}
		return
	}
	if from == to {
		return
	}
	// The column that moves to the left has elements below the diagonal, which are kept in w.
	for i := range from + 1 {
		row, lo := u(i), max(i, to)
		w[i] = row[from]
		copy(row[lo+1:from+1], row[lo:from])
		if row[lo] = 0; i <= to {
			row[to] = w[i]
		}
	}
	below := float64(w[from])
	for k := from - 1; k >= to; k-- {
		x, y := u(k), u(k+1)
		r, c, s := rotationOf[F](float64(w[k]), below)
		rotatePair(x[k+1:], y[k+1:], c, s)
		multiply(y[k+1:], -1) // its diagonal is positive then
		below = r
	}
	u(to)[to] = F(below)
}

// rotatePair makes x and y into c·x + s·y and c·y − s·x.
func rotatePair[F num.Float](x, y []F, c, s F) {
	y = y[:len(x)]
	for i, v := range x {
		x[i], y[i] = F(c*v)+F(s*y[i]), F(c*y[i])-F(s*v)
	}
}
