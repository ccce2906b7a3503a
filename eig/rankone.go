package eig

import (
	"context"
	"math"
	"slices"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/internal/par"
	"github.com/gramworks/gram/internal/secular"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// RankOneUpdate is the eigendecomposition QΛQᵀ of D + ρ·zzᵀ for a diagonal D,
// in O(n) numbers beside n² that are never formed unless asked for: the
// eigenvectors are a Cauchy-like matrix up to rotations and a permutation.
type RankOneUpdate struct {
	n      int
	values []float64

	// In sorted coordinates: place p of the sorted diagonal is element
	// order[p] of the given one.
	order     []int
	rotations []rotation // that took components of z to zero, in order
	active    []int      // places of the poles that take part
	columns   []column   // of Q, by ascending eigenvalue

	sign  float64        // pairs holds the eigenpairs of sign·(D + ρ·zzᵀ)
	pairs *secular.Pairs // of the places in active
	z     []float64      // by places, after the rotations, of norm 1
	norm  float64        // of the given z
}

// rotation replaces columns p and q of the basis by c·p + s·q and c·q − s·p.
type rotation struct {
	p, q int
	c, s float64
}

// column says what a column of Q is: eigenvector number root of the active part,
// or, with root < 0, the unit vector at a place.
type column struct{ root, place int }

const eps = 0x1p-53

// RankOne returns the eigendecomposition of diag(d) + rho·zzᵀ, in O(n²) time
// and O(n) memory. d need not be sorted and may have equal elements, z may have
// zeros, rho may be of either sign. d and z are neither kept nor changed.
//
// Components of z that are negligible and poles that are equal up to
// 8·eps·‖A‖ are deflated. Every other root of the secular equation
// 1 + ρΣ z_i²/(d_i−λ) = 0 is found by a rational iteration [L93] inside a
// bracket, as its offset from the nearest pole, and z is then recomputed from
// the roots [GE94], so that residuals and the orthogonality of Q
// are small multiples of n·eps. An iteration that does not come to rest goes on
// by bisection; there is no endless loop. The eigensolver of package blas solves
// the same equation by the same code.
//
// It returns a *gram.DataError that names the argument for NaN and infinity, and for
// numbers whose eigenvalues are too large. Panics if the lengths differ.
func RankOne(d, z []float64, rho float64) (*RankOneUpdate, error) {
	n := len(d)
	if len(z) != n {
		panic("eig: d and z have different lengths")
	}
	if err := finiteUpdate(d, z, rho, "d", "z"); err != nil {
		return nil, err
	}
	u := &RankOneUpdate{n: n, values: make([]float64, n), order: make([]int, n), sign: 1}
	if rho < 0 {
		u.sign = -1
	}
	for i := range u.order {
		u.order[i] = i
	}
	slices.SortStableFunc(u.order, func(a, b int) int {
		switch x, y := u.sign*d[a], u.sign*d[b]; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})

	// z becomes a unit vector and all numbers are divided by a power of two near
	// the largest, so that neither squares nor products leave the range.
	norm := blas64.Nrm2(blas64.Vector{N: n, Data: z, Inc: 1})
	largest := 0.
	for _, v := range d {
		largest = max(largest, math.Abs(v))
	}
	mass := math.Abs(rho) * norm * norm
	if math.IsInf(norm, 0) || math.IsInf(mass, 0) {
		return nil, &gram.DataError{Row: -1, Value: rho, Argument: "rho", Reason: "rho·‖z‖² is too large"}
	}
	_, exponent := math.Frexp(max(largest, mass))
	unit := math.Ldexp(1, min(exponent, 1023))
	mass /= unit
	p, w := make([]float64, n), make([]float64, n)
	for k, i := range u.order {
		p[k] = u.sign * (d[i] / unit)
		if norm > 0 {
			w[k] = z[i] / norm
		}
	}
	u.active = secular.Deflate(p, w, mass, func(p, q int, c, s float64) {
		u.rotations = append(u.rotations, rotation{p, q, c, s})
	})
	poles, weight := make([]float64, len(u.active)), make([]float64, len(u.active))
	for i, k := range u.active {
		poles[i], weight[i] = p[k], w[k]
	}
	u.pairs = secular.Solve(poles, weight, mass, 0)
	u.z, u.norm = w, norm
	u.finish(p, unit)
	if n > 0 && (math.IsInf(u.values[0], 0) || math.IsInf(u.values[n-1], 0)) {
		return nil, &gram.DataError{Row: -1, Value: rho, Argument: "rho", Reason: "an eigenvalue is too large"}
	}
	return u, nil
}

// finiteUpdate returns the error for the first number of a rank-one change of a diagonal that is
// not finite. d and z are named as the caller's arguments are.
func finiteUpdate(d, z []float64, rho float64, nameOfD, nameOfZ string) error {
	for i := range d {
		if d[i]-d[i] != 0 {
			return &gram.DataError{Row: i, Col: -4, Value: d[i], Argument: nameOfD}
		}
		if z[i]-z[i] != 0 {
			return &gram.DataError{Row: i, Col: -4, Value: z[i], Argument: nameOfZ}
		}
	}
	if rho-rho != 0 {
		return &gram.DataError{Row: -1, Value: rho, Argument: "rho"}
	}
	return nil
}

// finish puts roots and deflated diagonal elements in ascending order.
func (u *RankOneUpdate) finish(p []float64, unit float64) {
	type entry struct {
		value float64
		column
	}
	entries := make([]entry, 0, u.n)
	takesPart := make([]bool, u.n)
	for j, k := range u.active {
		takesPart[k] = true
		entries = append(entries, entry{u.sign * u.pairs.Value(j), column{root: j}})
	}
	for k := range p {
		if !takesPart[k] {
			entries = append(entries, entry{u.sign * p[k], column{root: -1, place: k}})
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return 0
	})
	u.columns = make([]column, u.n)
	for i, e := range entries {
		u.values[i] = e.value * unit
		u.columns[i] = e.column
	}
}

// Values returns the eigenvalues, ascending. The slice is u's own and must not
// be changed.
func (u *RankOneUpdate) Values() []float64 { return u.values }

// Deflated returns how many eigenvalues were found without the secular equation.
func (u *RankOneUpdate) Deflated() int { return u.n - len(u.active) }

// Along returns Qᵀz. Its elements have almost all digits, also where they are far below
// ‖z‖ because ρ is large, so that a product with Q would leave rounding errors of ‖z‖.
func (u *RankOneUpdate) Along() []float64 {
	along := make([]float64, u.n)
	for i, c := range u.columns {
		if c.root < 0 {
			along[i] = u.norm * u.z[c.place]
		} else {
			along[i] = u.norm * u.pairs.Along(c.root)
		}
	}
	return along
}

// Vectors returns Q, n×n, whose column j belongs to eigenvalue j: n² divisions
// for a dense part of order n.
func (u *RankOneUpdate) Vectors() *mat.Dense {
	if u.n == 0 {
		return &mat.Dense{}
	}
	q := mat.NewDense(u.n, u.n, nil)
	u.VectorsTo(q)
	return q
}

// VectorsTo writes Q into dst. Panics if dst is not n×n.
func (u *RankOneUpdate) VectorsTo(dst *mat.Dense) {
	if r, c := dst.Dims(); r != u.n || c != u.n {
		panic("eig: dst has the wrong shape")
	}
	// Where place p of the sorted diagonal, a row of Q, ends up and which column
	// of a deflated place holds its 1.
	unit := make([]int, u.n)
	for p := range unit {
		unit[p] = -1
	}
	place := make([]int, len(u.active)) // column of Q for each root
	runs := true                        // roots stand in neighboring columns, ascending
	for c, col := range u.columns {
		if col.root >= 0 {
			place[col.root] = c
		} else {
			unit[col.place] = c
		}
	}
	for j, c := range place {
		runs = runs && c == place[0]+j
	}
	_ = par.Compute(context.Background(), 0, u.n, 32, func(lo, hi int) {
		for p := lo; p < hi; p++ {
			if c := unit[p]; c >= 0 {
				row := dst.RawRowView(u.order[p])
				clear(row)
				row[c] = 1
			}
		}
	})
	_ = par.Compute(context.Background(), 0, len(u.active), 32, func(lo, hi int) {
		var line []float64
		for i := lo; i < hi; i++ {
			row := dst.RawRowView(u.order[u.active[i]])
			if runs {
				clear(row[:place[0]])
				clear(row[place[0]+len(place):])
				u.pairs.Row(row[place[0]:place[0]+len(place)], i, 0)
				continue
			}
			if line == nil {
				line = make([]float64, len(place))
			}
			u.pairs.Row(line, i, 0)
			clear(row)
			for j, c := range place {
				row[c] = line[j]
			}
		}
	})
	// A rotation of the basis is one of Q's rows, the last one first.
	for k := len(u.rotations) - 1; k >= 0; k-- {
		g := u.rotations[k]
		x := blas64.Vector{N: u.n, Data: dst.RawRowView(u.order[g.p]), Inc: 1}
		y := blas64.Vector{N: u.n, Data: dst.RawRowView(u.order[g.q]), Inc: 1}
		blas64.Rot(x, y, g.c, -g.s)
	}
}

// tile is the number of columns of Q that exist at a time in MulRight.
const tile = 128

// MulRight returns B·Q for an r×n matrix B, which is not changed: 2·r·k² flops for
// k active poles. The eigenvectors are generated in tiles of 128 columns, n·128
// numbers, inside the product. Panics if B does not have n columns.
func (u *RankOneUpdate) MulRight(b *mat.Dense) *mat.Dense {
	r, _ := b.Dims()
	if r == 0 {
		return &mat.Dense{}
	}
	dst := mat.NewDense(r, u.n, nil)
	u.MulRightTo(dst, b, nil)
	return dst
}

// MulRightTo sets dst, r×n, to B·Q as MulRight does. dst may be b itself. work is
// where intermediate results go, and is returned for the next call, grown where it was
// too small: r·(k+128) + 128·k + n numbers. Panics if B or dst does not have n columns
// or their rows differ.
func (u *RankOneUpdate) MulRightTo(dst, b *mat.Dense, work []float64) []float64 {
	r, n := b.Dims()
	if dr, dn := dst.Dims(); n != u.n || dn != n || dr != r {
		panic("eig: the matrix has the wrong number of columns")
	}
	k := len(u.active)
	width := min(tile, k)
	need := r*(k+width) + width*k + n
	if len(work) < need {
		work = make([]float64, need)
	}
	free := work
	matrix := func(rows, columns int) blas64.General {
		m := blas64.General{Rows: rows, Cols: columns, Stride: max(1, columns), Data: free[:rows*columns]}
		free = free[rows*columns:]
		return m
	}
	place := make([]int, k) // column of dst for each root
	for c, col := range u.columns {
		if col.root >= 0 {
			place[col.root] = c
		}
	}
	// B in sorted coordinates, rotated: active columns in dense, the others in dst.
	sorted := matrix(1, n).Data
	dense := matrix(r, k)
	for i := range r {
		from, to := b.RawRowView(i), dst.RawRowView(i)
		for k, o := range u.order {
			sorted[k] = from[o]
		}
		for _, g := range u.rotations {
			x, y := sorted[g.p], sorted[g.q]
			sorted[g.p], sorted[g.q] = g.c*x+g.s*y, g.c*y-g.s*x
		}
		for a, p := range u.active {
			dense.Data[i*k+a] = sorted[p]
		}
		for c, col := range u.columns {
			if col.root < 0 {
				to[c] = sorted[col.place]
			}
		}
	}
	if k == 0 || r == 0 {
		return work
	}
	v, product := matrix(k, width), matrix(r, width)
	for lo := 0; lo < k; lo += tile {
		hi := min(lo+tile, k)
		v.Cols, product.Cols = hi-lo, hi-lo
		_ = par.Compute(context.Background(), 0, k, 64, func(first, last int) {
			for i := first; i < last; i++ {
				u.pairs.Row(v.Data[i*v.Stride:i*v.Stride+hi-lo], i, lo)
			}
		})
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, dense, v, 0, product)
		for i := range r {
			from, to := product.Data[i*product.Stride:], dst.RawRowView(i)
			for j := lo; j < hi; j++ {
				to[place[j]] = from[j-lo]
			}
		}
	}
	return work
}

// UpdateSym returns the eigenvalues, ascending, and eigenvectors of
// QΛQᵀ + rho·xxᵀ for Λ = diag(values) and an orthogonal n×n matrix q, in about
// 2n³ flops of one product where a new decomposition takes 9n³. Nothing passed in
// is changed. Errors as RankOne, with the names of these arguments; q is looked at only
// if its product with x is not finite. Panics if the shapes do not fit.
func UpdateSym(values []float64, q *mat.Dense, x []float64, rho float64) ([]float64, *mat.Dense, error) {
	n := len(values)
	if r, c := q.Dims(); r != n || c != n || len(x) != n {
		panic("eig: shapes do not fit")
	}
	u, err := inBasis(values, q, x, make([]float64, n), rho)
	if err != nil {
		return nil, nil, err
	}
	return u.Values(), u.MulRight(q), nil
}

// inBasis returns the decomposition of Λ + rho·zzᵀ for z = qᵀx, which it writes.
func inBasis(values []float64, q *mat.Dense, x, z []float64, rho float64) (*RankOneUpdate, error) {
	n := len(values)
	if err := finiteUpdate(values, x, rho, "values", "x"); err != nil {
		return nil, err
	}
	if n > 0 {
		blas64.Gemv(blas.Trans, 1, q.RawMatrix(), blas64.Vector{N: n, Data: x, Inc: 1}, 0, blas64.Vector{N: n, Data: z, Inc: 1})
	}
	for _, v := range z {
		if v-v == 0 {
			continue
		}
		for i := range n {
			for j, v := range q.RawRowView(i) {
				if v-v != 0 {
					return nil, &gram.DataError{Row: i, Col: j, Value: v, Argument: "q"}
				}
			}
		}
		return nil, &gram.DataError{Row: -1, Value: v, Argument: "qᵀx"}
	}
	return RankOne(values, z, rho)
}
