package blas

import (
	"context"
	"slices"

	"github.com/gramworks/gram/internal/secular"
	gblas "gonum.org/v1/gonum/blas"
)

// What the divide and conquer of symmetric tridiagonal and of bidiagonal matrices
// have in common: the vectors of the two halves, rows of a matrix, are multiplied
// by the vectors of the secular equation.

// Kinds of vectors of the two halves: where they are not zero.
const (
	topOnly = iota
	both
	bottomOnly
	deflated
)

// joint says how the vectors of a merge come about.
type joint struct {
	kept   []int  // rows of the vectors that take part, by ascending pole
	column []int  // column of the i-th of them among the rows of its kind
	size   [3]int // number of rows of each kind
	order  []int  // of the results: j < len(kept) is root j, len(kept)+i row i, deflated
}

// newJoint groups the rows that take part by kind; the other rows are of the kind
// deflated and have the values of d. roots ascend.
func newJoint(kept, kind []int, d, roots []float64) *joint {
	k := len(kept)
	j := &joint{kept: kept, column: make([]int, k), order: make([]int, 0, len(d))}
	for _, i := range kept {
		j.size[kind[i]]++
	}
	next := [3]int{0, j.size[topOnly], j.size[topOnly] + j.size[both]}
	for t, i := range kept {
		j.column[t] = next[kind[i]]
		next[kind[i]]++
	}
	for t := range k {
		j.order = append(j.order, t)
	}
	for i, t := range kind {
		if t == deflated {
			j.order = append(j.order, k+i)
		}
	}
	value := func(i int) float64 {
		if i < k {
			return roots[i]
		}
		return d[i-k]
	}
	slices.SortStableFunc(j.order, func(a, b int) int {
		switch x, y := value(a), value(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return j
}

// mergeSpace holds rows grouped by kind, coefficients and products.
type mergeSpace struct {
	ctx     context.Context // or nil
	f       implementation
	g, s, w []float64
}

// multiply computes the new vectors, rows of m elements of w, from the rows of x
// at distance ld: kinds topOnly and both make up the elements before left, both
// and bottomOnly those from right on. It ends when ctx is done.
func (c *mergeSpace) multiply(j *joint, workers int, x []float64, ld, m, left, right int, p *secular.Pairs) {
	k := len(j.kept)
	if k == 0 {
		return
	}
	run(workers, k, 32, func(from, to int) {
		for t := from; t < to; t++ {
			at := j.column[t]
			copy(c.g[at*m:(at+1)*m], x[j.kept[t]*ld:])
			p.Row(c.s[at*k:(at+1)*k], t, 0)
		}
	})
	up, down := j.size[topOnly]+j.size[both], j.size[both]+j.size[bottomOnly]
	// In equal parts of the rows of about 1e9 multiplications.
	parts := 1 + int(float64(k)*float64(left*up+(m-right)*down)/1e9)
	for part := range parts {
		if c.ctx != nil && c.ctx.Err() != nil {
			return
		}
		from, to := part*k/parts, (part+1)*k/parts
		c.f.Dgemm(gblas.Trans, gblas.NoTrans, to-from, left, up, 1, c.s[from:], k, c.g, m, 0, c.w[from*m:], m)
		c.f.Dgemm(gblas.Trans, gblas.NoTrans, to-from, m-right, down, 1, c.s[j.size[topOnly]*k+from:], k, c.g[j.size[topOnly]*m+right:], m, 0, c.w[from*m+right:], m)
	}
}

// arrange puts the new vectors and the deflated ones of x in ascending order of
// their values.
func (c *mergeSpace) arrange(j *joint, x []float64, ld, m int) {
	k := len(j.kept)
	at := 0 // deflated rows are put aside
	for _, i := range j.order {
		if i >= k {
			copy(c.g[at*m:(at+1)*m], x[(i-k)*ld:])
			at++
		}
	}
	at = 0
	for to, i := range j.order {
		row := x[to*ld : to*ld+m]
		if i < k {
			copy(row, c.w[i*m:])
			continue
		}
		copy(row, c.g[at*m:])
		at++
	}
}

// values puts the values in ascending order: roots and those of deflated rows.
func (j *joint) values(d, roots []float64) {
	k := len(j.kept)
	old := slices.Clone(d)
	for to, i := range j.order {
		if i < k {
			d[to] = roots[i]
		} else {
			d[to] = old[i-k]
		}
	}
}
