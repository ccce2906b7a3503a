package hadamard

import (
	"unsafe"

	"github.com/gramworks/gram/num"
)

// line returns the number of elements in 64 bytes.
func line[F num.Float]() int {
	var f F
	return 64 / int(unsafe.Sizeof(f))
}

func transformGeneric[F num.Float](x []F) {
	l := line[F]()
	for h := min(len(x), l) / 2; h > 0; h /= 2 {
		stageGeneric(x, h)
	}
	for h := l; h < len(x); h *= 2 {
		stageGeneric(x, h)
	}
}

// stageGeneric replaces all pairs a, b of elements at distance h by a+b, a−b. len(x) is a multiple of 2h.
func stageGeneric[F num.Float](x []F, h int) {
	for ; len(x) > 0; x = x[2*h:] {
		butterfliesGeneric(x[:h], x[h:2*h])
	}
}

func butterfliesGeneric[F num.Float](a, b []F) {
	b = b[:len(a)]
	for i, u := range a {
		v := b[i]
		a[i], b[i] = u+v, u-v
	}
}

func columnsGeneric[F num.Float](x []F, n, h, lo, hi int) {
	for s := 1; s < n; s *= 2 {
		for g := 0; g < n; g += 2 * s {
			for r := g; r < g+s; r++ {
				butterfliesGeneric(x[r*h+lo:r*h+hi], x[(r+s)*h+lo:(r+s)*h+hi])
			}
		}
	}
}

func productGeneric[F num.Float](dst, x, s []F) {
	x, s = x[:len(dst)], s[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * s[i]
	}
}
