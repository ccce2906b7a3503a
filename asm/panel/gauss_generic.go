package panel

import (
	"math"
	"math/bits"

	"github.com/gramworks/gram/asm/vec"
	"github.com/gramworks/gram/num"
)

// sumsGeneric computes Sums for d columns of panels that are stride columns
// apart. add is 1 if dst holds the sums of the columns before, otherwise 0.
func sumsGeneric[F num.Float](dst []F, ldd int, x, z []F, d, stride, rows, panels int, op Op, add int) {
	c, chunk := Cols[F](), Chunk[F]()
	var acc [32]F
	for p := range panels {
		zp := z[p*stride*c:]
		for r := range rows {
			out := dst[r*ldd+p*c:][:c]
			for lo := 0; lo < d; lo += chunk {
				sum := acc[:c]
				clear(sum)
				for k := lo; k < min(lo+chunk, d); k++ {
					xv, zv := x[k*Rows+r], zp[k*c:][:len(sum)]
					switch op {
					case Dot:
						for j := range sum {
							sum[j] += F(xv * zv[j])
						}
					case Squares:
						for j := range sum {
							t := zv[j] - xv
							sum[j] += F(t * t)
						}
					case Absolute:
						for j := range sum {
							sum[j] += F(math.Abs(float64(zv[j] - xv)))
						}
					}
				}
				if lo+add > 0 {
					for j := range sum {
						out[j] = sum[j] + out[j]
					}
				} else {
					copy(out, sum)
				}
			}
		}
	}
}

// sparseGeneric computes SparseDot for panels that are stride columns apart.
func sparseGeneric[F num.Float](dst, z []F, stride, panels int, val []F, at, col []int32) {
	c, chunk := Cols[F](), int32(Chunk[F]())
	var acc [32]F
	for p := range panels {
		zp, out := z[p*stride*c:], dst[p*c:][:c]
		clear(out)
		sum, end := acc[:c], chunk
		clear(sum)
		for i, v := range val {
			if col[i] >= end {
				for j, s := range sum {
					out[j] += s
				}
				clear(sum)
				end = col[i]/chunk*chunk + chunk
			}
			for j, w := range zp[int(at[i])*c:][:c] {
				sum[j] += F(v * w)
			}
		}
		for j, s := range sum {
			out[j] += s
		}
	}
}

// axpyGeneric defines the result of SparseAxpy.
func axpyGeneric[F num.Float](y []F, a F, x []F, at []int32, first int) {
	for i, v := range x {
		j := int(at[i]) - first
		y[j] = F(a*v) + y[j]
	}
}

// normsGeneric adds Σ_k p_ik² to dst[i] for the rows of a panel, with a sum of its own for each chunk of columns.
func normsGeneric[F num.Float](dst, p []F, width, d int) {
	chunk := Chunk[F]()
	var acc [32]F
	for lo := 0; lo < d; lo += chunk {
		sum := acc[:width]
		clear(sum)
		for k := lo; k < min(lo+chunk, d); k++ {
			for j, v := range p[k*width:][:width] {
				sum[j] += F(v * v)
			}
		}
		for j, v := range sum {
			dst[j] = v + dst[j]
		}
	}
}

func distanceGeneric[F num.Float](dst []F, ldd int, s []F, lds int, xn, zn []F, rows, cols int) {
	for r := range rows {
		out, in := dst[r*ldd:][:cols], s[r*lds:][:cols]
		for j, v := range in {
			t := xn[r] + zn[j] - 2*v
			if t <= 0 {
				t = 0
			}
			out[j] = t
		}
	}
}

func gaussGeneric[F num.Float](dst []F, ldd int, s []F, lds int, xn, zn []F, rows, cols int, gamma F) {
	distanceGeneric(dst, ldd, s, lds, xn, zn, rows, cols)
	expGeneric(dst, ldd, dst, ldd, rows, cols, gamma)
}

// expGeneric sets dst to exp(−gamma·s), row by row, with the bits of vec.ExpScale.
func expGeneric[F num.Float](dst []F, ldd int, s []F, lds int, rows, cols int, gamma F) {
	for r := range rows {
		vec.ExpScale(dst[r*ldd:][:cols], s[r*lds:][:cols], -gamma)
	}
}

func powerGeneric[F num.Float](dst []F, ldd int, s []F, lds int, rows, cols int, offset F, p int) {
	for r := range rows {
		out, in := dst[r*ldd:][:cols], s[r*lds:][:cols]
		for j, v := range in {
			b := offset + v
			t := b
			for bit := bits.Len(uint(p)) - 2; bit >= 0; bit-- {
				t *= t
				if p>>bit&1 != 0 {
					t *= b
				}
			}
			out[j] = t
		}
	}
}

func rowSumsGeneric[F num.Float](sum, s []F, lds int, v []F, rows, cols int) {
	for r := range rows {
		var t F
		for j, w := range s[r*lds:][:cols] {
			t += F(w * v[j])
		}
		sum[r] += t
	}
}

func colSumsGeneric[F num.Float](sum, s []F, lds int, v []F, rows, cols int) {
	sum = sum[:cols]
	for r := range rows {
		x, row := v[r], s[r*lds:][:cols]
		for j, w := range row {
			sum[j] += F(x * w)
		}
	}
}
