//go:build !noasm

package gauss

import (
	"github.com/gramworks/gram/asm/cpu"
	"github.com/gramworks/gram/num"
)

var levels = []cpu.Level{cpu.NEON}

// sums is sumsGeneric, and so are the others below.
func sums[F num.Float](dst []F, ldd int, x, z []F, d, stride, rows, panels int, op Op, add bool) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		switch dst := any(dst).(type) {
		case []float64:
			sums64NEON(dst, ldd, any(x).([]float64), any(z).([]float64), d, stride, rows, panels, op, add)
		case []float32:
			sums32NEON(dst, ldd, any(x).([]float32), any(z).([]float32), d, stride, rows, panels, op, add)
		}
	default:
		sumsGeneric(dst, ldd, x, z, d, stride, rows, panels, op, add)
	}
}

func norms[F num.Float](dst, p []F, width, d int) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		switch dst := any(dst).(type) {
		case []float64:
			norms64NEON(&dst[0], &any(p).([]float64)[0], width, d)
		case []float32:
			norms32NEON(&dst[0], &any(p).([]float32)[0], width, d)
		}
	default:
		normsGeneric(dst, p, width, d)
	}
}

func sparseRow[F num.Float](dst, z []F, stride, panels int, val []F, at, col []int32) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		switch dst := any(dst).(type) {
		case []float64:
			sparse64NEON(&dst[0], &any(z).([]float64)[0], stride*128, panels, &any(val).([]float64)[0], &at[0], &col[0], len(at))
		case []float32:
			sparse32NEON(&dst[0], &any(z).([]float32)[0], stride*128, panels, &any(val).([]float32)[0], &at[0], &col[0], len(at))
		}
	default:
		sparseGeneric(dst, z, stride, panels, val, at, col)
	}
}

func gaussRows[F num.Float](dst []F, ldd int, s []F, lds int, xn, zn []F, rows, cols int, gamma F) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		switch dst := any(dst).(type) {
		case []float64:
			gauss64NEON(&dst[0], ldd, &any(s).([]float64)[0], lds, &any(xn).([]float64)[0], &any(zn).([]float64)[0], rows, cols, float64(gamma))
		case []float32:
			gauss32NEON(&dst[0], ldd, &any(s).([]float32)[0], lds, &any(xn).([]float32)[0], &any(zn).([]float32)[0], rows, cols, float32(gamma))
		}
	default:
		gaussGeneric(dst, ldd, s, lds, xn, zn, rows, cols, gamma)
	}
}

func expRows[F num.Float](dst []F, ldd int, s []F, lds int, rows, cols int, gamma F) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		switch dst := any(dst).(type) {
		case []float64:
			exp64NEON(&dst[0], ldd, &any(s).([]float64)[0], lds, rows, cols, float64(gamma))
		case []float32:
			exp32NEON(&dst[0], ldd, &any(s).([]float32)[0], lds, rows, cols, float32(gamma))
		}
	default:
		expGeneric(dst, ldd, s, lds, rows, cols, gamma)
	}
}

func distanceRows[F num.Float](dst []F, ldd int, s []F, lds int, xn, zn []F, rows, cols int) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		switch dst := any(dst).(type) {
		case []float64:
			distance64NEON(&dst[0], ldd, &any(s).([]float64)[0], lds, &any(xn).([]float64)[0], &any(zn).([]float64)[0], rows, cols)
		case []float32:
			distance32NEON(&dst[0], ldd, &any(s).([]float32)[0], lds, &any(xn).([]float32)[0], &any(zn).([]float32)[0], rows, cols)
		}
	default:
		distanceGeneric(dst, ldd, s, lds, xn, zn, rows, cols)
	}
}

func powerRows[F num.Float](dst []F, ldd int, s []F, lds int, rows, cols int, offset F, p int) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		switch dst := any(dst).(type) {
		case []float64:
			power64NEON(&dst[0], ldd, &any(s).([]float64)[0], lds, rows, cols, float64(offset), p)
		case []float32:
			power32NEON(&dst[0], ldd, &any(s).([]float32)[0], lds, rows, cols, float32(offset), p)
		}
	default:
		powerGeneric(dst, ldd, s, lds, rows, cols, offset, p)
	}
}

func rowSums[F num.Float](sum, s []F, lds int, v []F, rows, cols int) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		switch sum := any(sum).(type) {
		case []float64:
			rowSums64NEON(&sum[0], &any(s).([]float64)[0], lds, &any(v).([]float64)[0], rows, cols)
		case []float32:
			rowSums32NEON(&sum[0], &any(s).([]float32)[0], lds, &any(v).([]float32)[0], rows, cols)
		}
	default:
		rowSumsGeneric(sum, s, lds, v, rows, cols)
	}
}

func colSums[F num.Float](sum, s []F, lds int, v []F, rows, cols int) {
	switch l := cpu.Current(); {
	case l >= cpu.NEON:
		switch sum := any(sum).(type) {
		case []float64:
			colSums64NEON(&sum[0], &any(s).([]float64)[0], lds, &any(v).([]float64)[0], rows, cols)
		case []float32:
			colSums32NEON(&sum[0], &any(s).([]float32)[0], lds, &any(v).([]float32)[0], rows, cols)
		}
	default:
		colSumsGeneric(sum, s, lds, v, rows, cols)
	}
}

func sums64NEON(dst []float64, ldd int, x, z []float64, d, stride, rows, panels int, op Op, add bool) {
	more := 0
	if add {
		more = 1
	}
	distance := stride * 128 // bytes
	// A panel of z is two halves for this tile, and a panel of x two halves.
	tile := 6
	if rows == 4 {
		tile = 4
	}
	for r := 0; r < rows; r += tile {
		for h := 0; h < 16; h += 8 {
			dst, x, z := &dst[r*ldd+h], &x[r], &z[h]
			switch {
			case op == Dot && tile == 4:
				dot64x4NEON(dst, ldd, x, z, d, distance, panels, more)
			case op == Dot:
				dot64x6NEON(dst, ldd, x, z, d, distance, panels, more)
			case op == Squares && tile == 4:
				square64x4NEON(dst, ldd, x, z, d, distance, panels, more)
			case op == Squares:
				square64x6NEON(dst, ldd, x, z, d, distance, panels, more)
			case tile == 4:
				absolute64x4NEON(dst, ldd, x, z, d, distance, panels, more)
			default:
				absolute64x6NEON(dst, ldd, x, z, d, distance, panels, more)
			}
		}
	}
}

func sums32NEON(dst []float32, ldd int, x, z []float32, d, stride, rows, panels int, op Op, add bool) {
	more := 0
	if add {
		more = 1
	}
	distance := stride * 128 // bytes
	// A panel of z is two halves for this tile, and a panel of x two halves.
	tile := 6
	if rows == 4 {
		tile = 4
	}
	for r := 0; r < rows; r += tile {
		for h := 0; h < 32; h += 16 {
			dst, x, z := &dst[r*ldd+h], &x[r], &z[h]
			switch {
			case op == Dot && tile == 4:
				dot32x4NEON(dst, ldd, x, z, d, distance, panels, more)
			case op == Dot:
				dot32x6NEON(dst, ldd, x, z, d, distance, panels, more)
			case op == Squares && tile == 4:
				square32x4NEON(dst, ldd, x, z, d, distance, panels, more)
			case op == Squares:
				square32x6NEON(dst, ldd, x, z, d, distance, panels, more)
			case tile == 4:
				absolute32x4NEON(dst, ldd, x, z, d, distance, panels, more)
			default:
				absolute32x6NEON(dst, ldd, x, z, d, distance, panels, more)
			}
		}
	}
}

//go:noescape
func dot64x6NEON(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)

//go:noescape
func dot64x4NEON(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)

//go:noescape
func square64x6NEON(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)

//go:noescape
func square64x4NEON(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)

//go:noescape
func absolute64x6NEON(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)

//go:noescape
func absolute64x4NEON(dst *float64, ldd int, x, z *float64, d, stride, panels, add int)

//go:noescape
func norms64NEON(dst, p *float64, width, d int)

//go:noescape
func sparse64NEON(dst, z *float64, stride, panels int, val *float64, at, col *int32, n int)

//go:noescape
func gauss64NEON(dst *float64, ldd int, s *float64, lds int, xn, zn *float64, rows, cols int, gamma float64)

//go:noescape
func exp64NEON(dst *float64, ldd int, s *float64, lds int, rows, cols int, gamma float64)

//go:noescape
func distance64NEON(dst *float64, ldd int, s *float64, lds int, xn, zn *float64, rows, cols int)

//go:noescape
func power64NEON(dst *float64, ldd int, s *float64, lds int, rows, cols int, offset float64, p int)

//go:noescape
func rowSums64NEON(sum, s *float64, lds int, v *float64, rows, cols int)

//go:noescape
func colSums64NEON(sum, s *float64, lds int, v *float64, rows, cols int)

//go:noescape
func dot32x6NEON(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)

//go:noescape
func dot32x4NEON(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)

//go:noescape
func square32x6NEON(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)

//go:noescape
func square32x4NEON(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)

//go:noescape
func absolute32x6NEON(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)

//go:noescape
func absolute32x4NEON(dst *float32, ldd int, x, z *float32, d, stride, panels, add int)

//go:noescape
func norms32NEON(dst, p *float32, width, d int)

//go:noescape
func sparse32NEON(dst, z *float32, stride, panels int, val *float32, at, col *int32, n int)

//go:noescape
func gauss32NEON(dst *float32, ldd int, s *float32, lds int, xn, zn *float32, rows, cols int, gamma float32)

//go:noescape
func exp32NEON(dst *float32, ldd int, s *float32, lds int, rows, cols int, gamma float32)

//go:noescape
func distance32NEON(dst *float32, ldd int, s *float32, lds int, xn, zn *float32, rows, cols int)

//go:noescape
func power32NEON(dst *float32, ldd int, s *float32, lds int, rows, cols int, offset float32, p int)

//go:noescape
func rowSums32NEON(sum, s *float32, lds int, v *float32, rows, cols int)

//go:noescape
func colSums32NEON(sum, s *float32, lds int, v *float32, rows, cols int)
