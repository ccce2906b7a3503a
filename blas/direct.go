package blas

import (
	"github.com/gramworks/gram"
	"github.com/gramworks/gram/asm/gemm"
)

// tiny and small are the largest dimensions of the products that direct computes, of
// triangles and of whole matrices.
const (
	tiny  = 16
	small = 64
)

// direct is product for matrices of up to small rows and columns. It packs only what
// the tiles cannot read where it stands: columns of B that are not contiguous, and
// the edges of a level without masks.
func direct[F gram.Float](tri triangle, m, n, k int, alpha F, a, b matrix[F], beta F, c []F, ldc int) {
	if tri != full {
		directTriangle(tri, n, k, alpha, a, b, beta, c, ldc)
		return
	}
	_, nr := gemm.Shape[F]()
	_, cols := gemm.Edges[F]()
	if b.cs == 1 && n <= tiny && n%cols > 0 && gemm.Few(k, a.x, a.rs, a.cs, b.x, b.rs, c, ldc, m, n, alpha, beta) {
		return
	}
	group := max(cols, nr/3) // a register: three hold a row of a tile
	panels := (n + nr - 1) / nr
	w := ((n+panels-1)/panels + group - 1) / group * group
	if b.cs == 1 && n%cols == 0 {
		for j := 0; j < n; j += w {
			directPanel(m, min(w, n-j), k, alpha, a, b.x[j:], b.rs, beta, c[j:], ldc)
		}
		return
	}
	buf := take[F](gemm.PackedLen(n, k, w))
	gemm.Pack(*buf, b.x, b.cs, b.rs, n, k, w)
	for j := 0; j < n; j += w {
		directPanel(m, min(w, n-j), k, alpha, a, (*buf)[j*k:], w, beta, c[j:], ldc)
	}
	give(buf)
}

// directPanel is direct for one panel of B, whose rows have distance bs.
func directPanel[F gram.Float](m, n, k int, alpha F, a matrix[F], b []F, bs int, beta F, c []F, ldc int) {
	group, _ := gemm.Edges[F]()
	i := m - m%group
	if i > 0 {
		gemm.Tiles(k, a.x, a.rs, a.cs, b, bs, c, ldc, i, n, alpha, beta)
	}
	if i == m {
		return
	}
	var edge [4 * small]F // group is 4 at all levels
	for r := range m - i {
		for p := range k {
			edge[p*group+r] = a.x[(i+r)*a.rs+p*a.cs]
		}
	}
	gemm.Tile(k, edge[:], 1, group, b, bs, c[i*ldc:], ldc, m-i, n, alpha, beta)
}

// directTriangle computes a triangle of C = alpha·A·B + beta·C, n×n with n at most tiny. It computes the whole product in a
// buffer and copies the triangle.
func directTriangle[F gram.Float](tri triangle, n, k int, alpha F, a, b matrix[F], beta F, c []F, ldc int) {
	var whole [tiny * tiny]F
	if beta != 0 {
		for i := range n {
			lo, hi := tri.columns(i, n)
			copy(whole[i*n+lo:i*n+hi], c[i*ldc+lo:])
		}
	}
	direct(full, n, n, k, alpha, a, b, beta, whole[:], n)
	for i := range n {
		lo, hi := tri.columns(i, n)
		copy(c[i*ldc+lo:i*ldc+hi], whole[i*n+lo:])
	}
}
