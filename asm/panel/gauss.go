package panel

import (
	"math"
	"unsafe"

	"github.com/gramworks/gram/asm/vec"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
)

//go:generate go run github.com/gramworks/gram/internal/neon/gen
//go:generate go run github.com/gramworks/gram/asm/gen

// Rows is the number of rows in a panel of x.
const Rows = 12

// ExpULP bounds the error of the exponential in units in the last place.
const ExpULP = 0.75

// Op says what is summed over the columns.
type Op uint8

// The sums; the package comment has their formulas.
const (
	Dot Op = iota
	Squares
	Absolute
)

const (
	chunk64 = 128
	chunk32 = 64
)

// limit bounds the product of columns and panels in one call of assembly.
const limit = 1 << 12

// sliceBytes is the size of the part of a panel of x that is used at a time: 128
// columns in float64 and 256 in float32, which are whole chunks.
const sliceBytes = 12 << 10

// Cols returns the number of rows in a panel of z.
func Cols[F num.Float]() int {
	var f F
	return 128 / int(unsafe.Sizeof(f))
}

// Chunk returns the number of columns whose terms are summed before the sum is
// added to the result.
func Chunk[F num.Float]() int {
	if Cols[F]() == 16 {
		return chunk64
	}
	return chunk32
}

// Sums sets dst[r*ldd+j] = a_rj for r < rows and all rows j of the given number
// of panels of z. rows is 4 or 12. x starts with the first of its rows, which is
// row 0, 4 or 8 of its panel, and has d columns.
func Sums[F num.Float](dst []F, ldd int, x, z []F, d, rows, panels int, op Op) {
	c := Cols[F]()
	if panels == 0 {
		return
	}
	dst = dst[:(rows-1)*ldd+panels*c]
	if d == 0 {
		for r := range rows {
			clear(dst[r*ldd : r*ldd+panels*c])
		}
		return
	}
	x = x[:(d-1)*Rows+rows]
	z = z[:panels*d*c]
	race.WriteRows(dst, rows, ldd, panels*c)
	race.Read(x)
	race.Read(z)
	// Slices of columns keep those of x in L1 while all panels of z are used with
	// them.
	slice := sliceBytes / (Rows * int(unsafe.Sizeof(x[0])))
	step := max(1, limit/min(d, slice))
	for p := 0; p < panels; p += step {
		for k := 0; k < d; k += slice {
			sums(dst[p*c:], ldd, x[k*Rows:], z[(p*d+k)*c:], min(slice, d-k), d, rows, min(step, panels-p), op, min(k, 1))
		}
	}
}

// SparseDot sets dst[j] = Σ_i val[i]·z_j,at[i] for all rows j of the given number
// of panels of z, which have d columns. With at equal to col it computes Dot,
// with the same bits, for a sparse row that has the values val in the ascending
// columns col. Another at takes the columns of z from other places; col still
// decides the chunks.
func SparseDot[F num.Float](dst, z []F, d, panels int, val []F, at, col []int32) {
	c := Cols[F]()
	if panels == 0 {
		return
	}
	dst = dst[:panels*c]
	if len(val) == 0 {
		clear(dst)
		return
	}
	z = z[:panels*d*c]
	at, col = at[:len(val)], col[:len(val)]
	for _, k := range at {
		if uint(k) >= uint(d) {
			panic("panel: column out of range")
		}
	}
	race.Write(dst)
	race.Read(z)
	race.Read(val)
	step := max(1, 8*limit/len(val))
	for p := 0; p < panels; p += step {
		sparseRow(dst[p*c:], z[p*d*c:], d, min(step, panels-p), val, at, col)
	}
}

// SparseAxpy adds a·x[i] to y[at[i]−first] for all i, in ascending order. Beginning with
// zeros, one call for each column of a chunk gives the chunk's sum of Dot, with the same
// bits, for columns of z that are lists of their nonzeros x in the rows at.
func SparseAxpy[F num.Float](y []F, a F, x []F, at []int32, first int) {
	at = at[:len(x)]
	for _, j := range at {
		if uint(int(j)-first) >= uint(len(y)) {
			panic("panel: row out of range")
		}
	}
	race.Write(y)
	race.Read(x)
	for lo := 0; lo < len(x); lo += 4 * limit {
		hi := min(lo+4*limit, len(x))
		axpy(y, a, x[lo:hi], at[lo:hi], first)
	}
}

// Norms sets dst[i] = Σ_k p_ik² for the rows of a panel of d columns, in the
// order of Sums. width is Rows or Cols.
func Norms[F num.Float](dst, p []F, width, d int) {
	dst = dst[:width]
	clear(dst)
	if d == 0 {
		return
	}
	p = p[:width*d]
	race.Write(dst[:width])
	race.Read(p)
	for k := 0; k < d; k += 8 * limit {
		norms(dst, p[k*width:], width, min(8*limit, d-k))
	}
}

// Gauss sets dst[r*ldd+j] = exp(−gamma·max(0, (xn[r]+zn[j])−2·s[r*lds+j])) for
// r < rows and j < cols. With past, which excludes that dst is s, it writes past the
// caches if the level can do that. This takes less time if dst is part of a matrix that
// does not fit them; the bits are the same.
func Gauss[F num.Float](dst []F, ldd int, s []F, lds int, xn, zn []F, rows, cols int, gamma F, past bool) {
	if rows == 0 || cols == 0 {
		return
	}
	dst, s = dst[:(rows-1)*ldd+cols], s[:(rows-1)*lds+cols]
	xn, zn = xn[:rows], zn[:cols]
	race.WriteRows(dst, rows, ldd, cols)
	race.ReadRows(s, rows, lds, cols)
	if takes(gamma) {
		f := vec.FactorOf(-gamma)
		gaussRows(dst, ldd, s, lds, xn, zn, rows, cols, gamma, f.Hi, f.Lo, f.Cut, past && aligned(dst))
	} else {
		distanceRows(dst, ldd, s, lds, xn, zn, rows, cols)
		expGeneric(dst, ldd, dst, ldd, rows, cols, gamma)
	}
}

// Exp sets dst[r*ldd+j] = exp(−gamma·s[r*lds+j]) for r < rows and j < cols. past is as
// for Gauss.
func Exp[F num.Float](dst []F, ldd int, s []F, lds int, rows, cols int, gamma F, past bool) {
	if rows == 0 || cols == 0 {
		return
	}
	dst, s = dst[:(rows-1)*ldd+cols], s[:(rows-1)*lds+cols]
	race.WriteRows(dst, rows, ldd, cols)
	race.ReadRows(s, rows, lds, cols)
	if takes(gamma) {
		f := vec.FactorOf(-gamma)
		expRows(dst, ldd, s, lds, rows, cols, gamma, f.Hi, f.Lo, f.Cut, past && aligned(dst))
	} else {
		expGeneric(dst, ldd, s, lds, rows, cols, gamma)
	}
}

// aligned reports whether the addresses of dst are multiples of the size of a number,
// which all slices are that Go itself has made.
func aligned[F num.Float](dst []F) bool {
	return uintptr(unsafe.Pointer(&dst[0]))%unsafe.Sizeof(dst[0]) == 0
}

// takes reports whether the kernels can be used for gamma.
func takes[F num.Float](gamma F) bool { return gamma > 0 && vec.Takes(gamma) }

// Distance sets dst[r*ldd+j] = max(0, (xn[r]+zn[j])−2·s[r*lds+j]) for r < rows
// and j < cols.
func Distance[F num.Float](dst []F, ldd int, s []F, lds int, xn, zn []F, rows, cols int) {
	if rows == 0 || cols == 0 {
		return
	}
	dst, s = dst[:(rows-1)*ldd+cols], s[:(rows-1)*lds+cols]
	xn, zn = xn[:rows], zn[:cols]
	race.WriteRows(dst, rows, ldd, cols)
	race.ReadRows(s, rows, lds, cols)
	distanceRows(dst, ldd, s, lds, xn, zn, rows, cols)
}

// Power sets dst[r*ldd+j] = (offset+s[r*lds+j])^p, p ≥ 1, for r < rows and
// j < cols.
func Power[F num.Float](dst []F, ldd int, s []F, lds int, rows, cols int, offset F, p int) {
	if rows == 0 || cols == 0 {
		return
	}
	if p < 1 {
		panic("panel: power is not positive")
	}
	dst, s = dst[:(rows-1)*ldd+cols], s[:(rows-1)*lds+cols]
	race.WriteRows(dst, rows, ldd, cols)
	race.ReadRows(s, rows, lds, cols)
	powerRows(dst, ldd, s, lds, rows, cols, offset, p)
}

// RowSums adds Σ_j s[r*lds+j]·v[j] over j < cols to sum[r] for r < rows.
func RowSums[F num.Float](sum, s []F, lds int, v []F, rows, cols int) {
	if rows == 0 || cols == 0 {
		return
	}
	sum, s, v = sum[:rows], s[:(rows-1)*lds+cols], v[:cols]
	race.Write(sum[:rows])
	race.ReadRows(s, rows, lds, cols)
	rowSums(sum, s, lds, v, rows, cols)
}

// ColSums adds Σ_r v[r]·s[r*lds+j] over r < rows to sum[j] for j < cols.
func ColSums[F num.Float](sum, s []F, lds int, v []F, rows, cols int) {
	if rows == 0 || cols == 0 {
		return
	}
	sum, s, v = sum[:cols], s[:(rows-1)*lds+cols], v[:rows]
	race.Write(sum[:cols])
	race.ReadRows(s, rows, lds, cols)
	colSums(sum, s, lds, v, rows, cols)
}

// GaussSums sets s[r*lds+j] to the value k_rj that Gauss computes from it, for r < rows and
// j < cols, adds Σ_j k_rj·v[j] to row[r], and adds Σ_r k_rj·w[r] to col[j]. Levels with a
// routine of their own compute values that differ from those of Gauss in last digits, which
// the package comment bounds; the others have the bits of Gauss, RowSums and ColSums.
func GaussSums[F num.Float](row, col, s []F, lds int, xn, zn, v, w []F, rows, cols int, gamma F) {
	if rows == 0 || cols == 0 {
		return
	}
	row, w, xn = row[:rows], w[:rows], xn[:rows]
	col, v, zn = col[:cols], v[:cols], zn[:cols]
	s = s[:(rows-1)*lds+cols]
	race.Write(row)
	race.Write(col)
	race.WriteRows(s, rows, lds, cols)
	if takes(gamma) {
		gaussSums(row, col, s, lds, xn, zn, v, w, rows, cols, gamma, F(float64(gamma)*math.Log2E))
	} else {
		gaussSumsInSteps(row, col, s, lds, xn, zn, v, w, rows, cols, gamma)
	}
}

// gaussSumsInSteps computes GaussSums by the functions that do a part of it each, at the
// level in force.
func gaussSumsInSteps[F num.Float](row, col, s []F, lds int, xn, zn, v, w []F, rows, cols int, gamma F) {
	Gauss(s, lds, s, lds, xn, zn, rows, cols, gamma, false)
	RowSums(row, s, lds, v, rows, cols)
	ColSums(col, s, lds, w, rows, cols)
}
