package gemm

import (
	"unsafe"

	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/internal/race"
	"github.com/gramworks/gram/num"
)

//go:generate go run github.com/gramworks/gram/internal/neon/gen
//go:generate go run github.com/gramworks/gram/asm/gen

// K returns the number of products that are summed before the sum is added to C:
// 256 for float64, 512 for float32.
func K[F num.Float]() int {
	return 2048 / int(unsafe.Sizeof(F(0)))
}

// The largest tile of any level has MaxRows rows and MaxCols columns; see Shape.
const (
	MaxRows = 8
	MaxCols = 48
)

// Shape returns the number of rows and columns of a tile at the level in force,
// at most MaxRows and MaxCols.
func Shape[F num.Float]() (mr, nr int) {
	size := int(unsafe.Sizeof(F(0)))
	switch cpu.Current() {
	case cpu.AVX512:
		return 8, 192 / size
	case cpu.AVX2, cpu.NEON:
		return 4, 96 / size
	}
	return genericRows, genericCols
}

// Edges says what Tile reads beyond the m×n elements of a tile at the level in
// force: it reads rows of A up to a multiple of rows, and columns of B up to a
// multiple of cols. A panel of an unpacked matrix needs no packing if Tile reads
// nothing beyond its elements.
func Edges[F num.Float]() (rows, cols int) {
	switch cpu.Current() {
	case cpu.AVX512:
		return 4, 1
	case cpu.AVX2:
		return 4, 32 / int(unsafe.Sizeof(F(0)))
	}
	_, cols = Shape[F]()
	return 4, cols
}

// Tile computes c[i·cs+j] = alpha·Σₚ a[i·ras+p·cas]·b[p·bs+j] + beta·c[i·cs+j]
// for 0 ≤ i < m, 0 ≤ j < n, 0 ≤ p < k, where 1 ≤ m ≤ mr and 1 ≤ n ≤ nr (see
// Shape) and 1 ≤ k ≤ K. C is not read if beta is 0, and is not touched outside
// the m×n elements. A must hold mr rows and B nr columns for any m and n, unless
// Edges says otherwise. Panels of Pack do; at the edge of an unpacked matrix the
// last panel has to be packed. C must not overlap A or B.
func Tile[F num.Float](k int, a []F, ras, cas int, b []F, bs int, c []F, cs, m, n int, alpha, beta F) {
	TileNext(k, a, ras, cas, b, bs, c, cs, m, n, 0, alpha, beta)
}

// TileNext computes what Tile computes and prefetches the elements a[next],
// a[next+cas], …, a[next+(k−1)·cas], which need not exist.
func TileNext[F num.Float](k int, a []F, ras, cas int, b []F, bs int, c []F, cs, m, n, next int, alpha, beta F) {
	mr, nr := Shape[F]()
	if m < 1 || m > mr || n < 1 || n > nr || k < 1 {
		panic("gemm: bad size of a tile")
	}
	rows, cols := Edges[F]()
	am, bn := (m+rows-1)/rows*rows, (n+cols-1)/cols*cols
	_ = a[(am-1)*ras+(k-1)*cas]
	_ = b[(k-1)*bs+bn-1]
	_ = c[(m-1)*cs+n-1]
	if ras == 1 {
		race.ReadRows(a, k, cas, am)
	} else {
		race.ReadRows(a, am, ras, (k-1)*cas+1) // and the elements between them
	}
	race.ReadRows(b, k, bs, bn)
	race.WriteRows(c, m, cs, n)
	tile(k, &a[0], ras, cas, &b[0], bs, &c[0], cs, m, n, next, alpha, beta)
}

// Tiles computes what Tile computes, for any number of rows m that is a multiple of the
// rows of Edges.
func Tiles[F num.Float](k int, a []F, ras, cas int, b []F, bs int, c []F, cs, m, n int, alpha, beta F) {
	mr, nr := Shape[F]()
	if cpu.Current() != cpu.AVX512 {
		for i := 0; i < m; i += mr {
			Tile(k, a[i*ras:], ras, cas, b, bs, c[i*cs:], cs, min(mr, m-i), n, alpha, beta)
		}
		return
	}
	if m < 1 || m%4 != 0 || n < 1 || n > nr || k < 1 {
		panic("gemm: bad size of a tile")
	}
	_ = a[(m-1)*ras+(k-1)*cas]
	_ = b[(k-1)*bs+n-1]
	_ = c[(m-1)*cs+n-1]
	if ras == 1 {
		race.ReadRows(a, k, cas, m)
	} else {
		race.ReadRows(a, m, ras, (k-1)*cas+1) // and the elements between them
	}
	race.ReadRows(b, k, bs, n)
	race.WriteRows(c, m, cs, n)
	tile(k, &a[0], ras, cas, &b[0], bs, &c[0], cs, m, n, 0, alpha, beta)
}

// Few computes what Tile computes for any m, n and k ≥ 1, and reads nothing beyond the elements of
// A and B. It is for products of up to some 16 columns, and reports whether the level has a kernel
// for them. No bit depends on which of the two is used.
func Few[F num.Float](k int, a []F, ras, cas int, b []F, bs int, c []F, cs, m, n int, alpha, beta F) bool {
	if m < 1 || n < 1 || k < 1 {
		panic("gemm: bad size of a product")
	}
	_ = a[(m-1)*ras+(k-1)*cas]
	_ = b[(k-1)*bs+n-1]
	_ = c[(m-1)*cs+n-1]
	if race.Enabled {
		if ras == 1 {
			race.ReadRows(a, k, cas, m)
		} else {
			race.ReadRows(a, m, ras, (k-1)*cas+1) // and the elements between them
		}
		race.ReadRows(b, k, bs, n)
		race.WriteRows(c, m, cs, n)
	}
	return few(k, &a[0], ras, cas, &b[0], bs, &c[0], cs, m, n, alpha, beta)
}

// FewAt is Few for a caller that has made sure that the elements exist. It takes the first ones, and checks nothing.
func FewAt[F num.Float](k int, a *F, ras, cas int, b *F, bs int, c *F, cs, m, n int, alpha, beta F) bool {
	return few(k, a, ras, cas, b, bs, c, cs, m, n, alpha, beta)
}

// FewTransposedAt is FewAt for the transpose of B, of which it takes the n rows of k elements, bs apart.
func FewTransposedAt[F num.Float](k int, a *F, ras, cas int, b *F, bs int, c *F, cs, m, n int, alpha, beta F) bool {
	return fewTransposed(k, a, ras, cas, b, bs, c, cs, m, n, alpha, beta)
}

// PackedLen returns the length of m lines of k elements packed into panels of w
// lines.
func PackedLen(m, k, w int) int { return (m + w - 1) / w * w * k }

// Pack copies m lines of k elements each, where element p of line i is
// x[i·is+p·ps], into panels of w lines: dst[(i/w)·w·k+p·w+i%w]. The last panel
// is filled up with zeros. len(dst) must be at least PackedLen(m, k, w). Pack is
// fast if is or ps is 1.
func Pack[F num.Float](dst, x []F, is, ps, m, k, w int) {
	if m <= 0 || k <= 0 {
		return
	}
	_ = x[(m-1)*is+(k-1)*ps]
	_ = dst[PackedLen(m, k, w)-1]
	for i := 0; i < m; i += w {
		packPanel(dst[i*k:(i+w)*k], x[i*is:], is, ps, min(w, m-i), k, w)
	}
}

// packPanel packs one panel of m ≤ w lines.
func packPanel[F num.Float](dst, x []F, is, ps, m, k, w int) {
	var done, cols int // lines and columns that assembly has packed
	switch {
	case is == 1:
		packRows(dst, x, ps, m, k, w)
		return
	case ps == 1:
		done, cols = packTransposed(dst, x, is, m, k, w)
	}
	for i := range w {
		p := 0
		if i < done {
			p = cols
		}
		if i >= m {
			for ; p < k; p++ {
				dst[p*w+i] = 0
			}
			continue
		}
		for ; p < k; p++ {
			dst[p*w+i] = x[i*is+p*ps]
		}
	}
}

// Transpose sets dst[j·ds+i] = x[i·xs+j] for i < m and j < n. Neither overlaps the
// other.
func Transpose[F num.Float](dst []F, ds int, x []F, xs, m, n int) {
	if m <= 0 || n <= 0 {
		return
	}
	x, dst = x[:(m-1)*xs+n], dst[:(n-1)*ds+m]
	race.ReadRows(x, m, xs, n)
	race.WriteRows(dst, n, ds, m)
	lines, cols := 0, 0 // done by assembly, by as many columns as stay in L1
	for j := 0; j < n; j += transposeColumns {
		w := min(transposeColumns, n-j)
		if l, c := packTransposed(dst[j*ds:], x[j:], xs, m, w, ds); l > 0 {
			lines, cols = l, j+c
		}
	}
	for i := range m {
		j := 0
		if i < lines {
			j = cols
		}
		for ; j < n; j++ {
			dst[j*ds+i] = x[i*xs+j]
		}
	}
}

// transposeColumns is how many columns Transpose does of all rows before the next.
const transposeColumns = 64
